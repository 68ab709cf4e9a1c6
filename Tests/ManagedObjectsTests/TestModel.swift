import Foundation
import ManagedObjects
import TestSupport

/// A part of the world: a superclass that is no entity of its own.
class Region: ManagedObject {
    @Attribute(.indexed) var code: Int16
    @Attribute var name: String
}

final class Country: Region {
    @Relationship(inverse: "country") var moods: Set<Mood>

    @discardableResult
    static func insert(into context: isolated ManagedObjectContext, code: Int16, name: String) -> Country {
        let country = context.insert(Country.self)
        (country.code, country.name) = (code, name)
        return country
    }
}

final class Mood: ManagedObject {
    @Attribute(.indexed) var date: Date
    @Attribute(transformer: BytesTransformer.self) var colors: [UInt8]
    @Attribute var title: String
    @Attribute var rating: Int16 = 3
    @Attribute var latitude: Double?
    @Attribute(.externalStorage) var preview: Data?
    @Relationship(inverse: \Country.moods) var country: Country?
    @Relationship(inverse: "mood", deleteRule: .cascade) var swatches: Set<Swatch>

    /// Computed, so a fetch cannot look at it.
    var heading: String { title.uppercased() }

    @discardableResult
    static func insert(into context: isolated ManagedObjectContext, title: String, date: Date) -> Mood {
        let mood = context.insert(Mood.self)
        (mood.title, mood.date, mood.colors) = (title, date, [1, 2, 3])
        return mood
    }
}

final class Swatch: ManagedObject {
    @Attribute var share: Double
    @Relationship(inverse: \Mood.swatches, isOptional: false) var mood: Mood?
}

enum BytesTransformer: ValueTransforming {
    static var placeholder: [UInt8] { [] }
    static func encode(_ bytes: [UInt8]) -> Data { Data(bytes) }
    static func decode(_ data: Data) -> [UInt8] { [UInt8](data) }
}

func testModel() throws -> ManagedObjectModel { try ManagedObjectModel(Mood.self, Country.self, Swatch.self) }

/// A coordinator with an empty store of the kind the test runs on: see ``StoreKind``.
func emptyCoordinator(_ model: ManagedObjectModel, configurations: [String?] = [nil]) throws
    -> PersistentStoreCoordinator
{
    let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
    for configuration in configurations {
        let kind = StoreKind.current
        let url = StoreKind.folder.appending(path: "\(UUID().uuidString).\(kind)")
        try coordinator.addPersistentStore(
            ofType: kind.type, configuration: configuration, at: kind == .memory ? nil : url)
    }
    return coordinator
}

/// A context on a store in memory with nothing in it.
func emptyContext() throws -> ManagedObjectContext {
    ManagedObjectContext(persistentStoreCoordinator: try emptyCoordinator(testModel()))
}

/// Four moods in a country, one in none. What differs is what predicates ask for.
func fillWithMoods(_ context: isolated ManagedObjectContext) {
    let germany = Country.insert(into: context, code: 276, name: "Germany")
    let france = Country.insert(into: context, code: 250, name: "France")
    let facts: [(title: String, day: Double, latitude: Double?, rating: Int16, country: Country?)] = [
        ("fog", 1, 53.5, 2, germany), ("Foggy harbour", 2, nil, 3, germany), ("", 3, 0, 4, germany),
        ("caf\u{E9}", 4, 48.9, 0, france), ("cafe\u{301}", 5, -12.25, 5, nil),
    ]
    for (index, fact) in facts.enumerated() {
        let mood = Mood.insert(into: context, title: fact.title, date: day(fact.day))
        mood.latitude = fact.latitude
        mood.country = fact.country
        mood.rating = fact.rating
        for _ in 0..<index {
            let swatch = context.insert(Swatch.self)
            swatch.share = 1 / Double(index)
            swatch.mood = mood
        }
    }
}

func day(_ number: Double) -> Date { Date(timeIntervalSinceReferenceDate: number * 86_400) }

extension ScratchFolder {
    @discardableResult
    func open(_ name: String, _ model: ManagedObjectModel, isReadOnly: Bool = false) throws
        -> PersistentStoreCoordinator
    {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: .sqlite, at: url.appending(path: name), isReadOnly: isReadOnly)
        return coordinator
    }
}
