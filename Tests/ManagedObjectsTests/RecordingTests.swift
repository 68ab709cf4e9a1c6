import Foundation
import ManagedObjects
import Testing

private let computed: [Filter<Tricky>] = [
    \.shout == "FOG",
    \.isHidden == true,
    \.isAlwaysShown == true,  // right on the first run, caught on the second
    \.eitherText == "fog",
    \.constant == 7,
    \.parent?.shout == "FOG",
    \.grandparentOrParent?.title == "fog",
    \.parent?.grandparentOrParent?.title == "fog",
    \.knownHeight == 0.0,
    \.parent?.knownHeight == 0.0,
    Filter(#Predicate<Tricky> { $0.longTitled.isEmpty }),
]

private let modeled: [Filter<Tricky>] = [
    \.title == "fog",
    \.parent?.height == nil,
    \.parent?.parent == nil,
    \.parent?.parent?.isShown == true,
    Filter(#Predicate<Tricky> { $0.children.isEmpty }),
]

/// A key path to a computed property must never pass for the attribute it reads.
@Suite struct RecordingTests {
    @Test(arguments: computed)
    func `a computed property is refused`(filter: Filter<Tricky>) throws {
        let context = ManagedObjectContext(
            persistentStoreCoordinator: try emptyCoordinator(ManagedObjectModel(Tricky.self)))
        #expect(throws: FetchError.self) {
            try context.performAndWait { _ = try $0.fetch(FetchRequest(filter)) }
        }
    }

    @Test(arguments: modeled)
    func `modeled properties are not`(filter: Filter<Tricky>) throws {
        let context = ManagedObjectContext(
            persistentStoreCoordinator: try emptyCoordinator(ManagedObjectModel(Tricky.self)))
        let count = try context.performAndWait { try $0.fetch(FetchRequest(filter)).count }
        #expect(count == 0)
    }
}

final class Tricky: ManagedObject {
    @Attribute var title: String
    @Attribute var note: String
    @Attribute var isShown: Bool
    @Attribute var height: Double?
    @Relationship(inverse: \Tricky.children) var parent: Tricky?
    @Relationship(inverse: "parent") var children: Set<Tricky>

    var shout: String { title.uppercased() }
    var isHidden: Bool { !isShown }
    var isAlwaysShown: Bool { isShown || title.isEmpty || true }
    var eitherText: String { isShown ? title : note }
    var constant: Int64 { 7 }
    var knownHeight: Double { height ?? 0 }
    var grandparentOrParent: Tricky? { parent?.parent ?? parent }
    var longTitled: Set<Tricky> { children.filter { $0.title.count > 100 } }
}
