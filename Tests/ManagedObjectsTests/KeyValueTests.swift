import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// Values by name, primitive values, and properties that are in memory only.
@Suite(.everyStore) struct KeyValueTests {
    @Test
    func `numbers and texts of Foundation's classes are set, and numbers come as the kind that is asked for`()
        throws
    {
        try emptyContext().performAndWait { context in
            fillWithMoods(context)
            let mood = try #require(context.fetch(FetchRequest<Mood>(\.title == "Foggy harbour")).first)
            // As they come from JSON.
            let json = #"{"rating": 4, "latitude": 2.5, "title": "by JSON", "whole": 3.0}"#
            let values = try #require(
                try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
            for key in ["rating", "latitude", "title"] { try mood.setValue(values[key], forKey: key) }
            #expect(mood.rating == 4 && mood.latitude == 2.5 && mood.title == "by JSON")
            try mood.setValue(values["whole"], forKey: "rating")
            try mood.setValue(values["rating"], forKey: "latitude")
            try mood.setValue(NSString(string: "a class"), forKey: "title")
            #expect(mood.rating == 3 && mood.latitude == 4 && mood.title == "a class")
            for value in [NSNumber(value: 70_000), NSNumber(value: 2.5), NSString(string: "3")] as [NSObject]
            {
                #expect(throws: FetchError.self) { try mood.setValue(value, forKey: "rating") }
            }
            #expect(try mood.value(forKey: "rating", as: Int.self) == 3)
            #expect(try mood.value(forKey: "rating", as: Int8.self) == 3)
            #expect(try mood.value(forKey: "rating", as: Double.self) == 3)
            #expect(try mood.value(forKey: "latitude", as: Float.self) == 4)
            #expect(try mood.value(forKey: "title", as: String.self) == "a class")
            try mood.setValue(nil, forKey: "latitude")
            #expect(try mood.value(forKey: "latitude", as: Double.self) == nil)
            let wrong = FetchError.wrongType(entity: "Mood", key: "title", type: "Int")
            #expect(throws: wrong) { try mood.value(forKey: "title", as: Int.self) }
        }
    }

    /// Numbers from Apple's guide to key-value coding, "Using Collection Operators": those of a handful of
    /// members, worked out in Swift.
    @Test func `operators over members are what Swift makes of them`() throws {
        try emptyContext().performAndWait { context in
            fillWithMoods(context)
            try context.save()
            for country in try context.fetch(FetchRequest<Country>()) {
                let moods = country.moods
                func value<Value>(_ path: String, as: Value.Type) throws -> Value? {
                    try country.value(forKeyPath: path) as? Value
                }
                #expect(try value("moods.@count", as: Int64.self) == Int64(moods.count))
                #expect(
                    try value("moods.@max.rating", as: Int64.self) == moods.map { Int64($0.rating) }.max())
                #expect(try value("moods.@min.date", as: Date.self) == moods.map(\.date).min())
                #expect(
                    try value("moods.@sum.rating", as: Int64.self)
                        == moods.reduce(0) { $0 + Int64($1.rating) })
                let latitudes = moods.compactMap(\.latitude)
                #expect(
                    try value("moods.@avg.latitude", as: Double.self)
                        == (latitudes.isEmpty ? nil : latitudes.reduce(0, +) / Double(latitudes.count)))
                let titles = try value("moods.@distinctUnionOfObjects.title", as: [String].self) ?? []
                #expect(
                    titles.count == Set(moods.map(\.title)).count && Set(titles) == Set(moods.map(\.title)))
                let all = try value("moods.@unionOfObjects.title", as: [String].self) ?? []
                #expect(all.sorted() == moods.map(\.title).sorted())
                let swatches = try value("moods.@distinctUnionOfSets.swatches", as: [Any].self) ?? []
                #expect(Set(swatches.compactMap { $0 as? Swatch }) == Set(moods.flatMap(\.swatches)))
                // What a predicate makes of them is the same.
                let filter = try Filter<Country>(
                    format: "moods.@max.rating == %@ AND moods.@sum.rating == %@",
                    country.value(forKeyPath: "moods.@max.rating"),
                    country.value(forKeyPath: "moods.@sum.rating"))
                let isMatch = try country.matches(filter)
                #expect(moods.isEmpty || isMatch)
                for path in ["moods.@max", "moods.@median.rating", "moods.@sum.title", "moods.@count.rating"]
                {
                    #expect(
                        moods.isEmpty || throwsError { _ = try country.value(forKeyPath: path) }, "\(path)")
                }
            }
        }
    }

    private func throwsError(_ body: () throws -> Void) -> Bool {
        do { try body() } catch { return true }
        return false
    }

    @Test func `values and members are reached by name and path, and unknown names are errors`() throws {
        let context = try emptyContext()
        try context.performAndWait { context in
            fillWithMoods(context)
            try context.save()
            let mood = try #require(context.fetch(FetchRequest<Mood>(\.title == "Foggy harbour")).first)
            let name = try mood.value(forKeyPath: "country.name") as? String
            #expect(name == "Germany")
            let shares = try mood.country?.value(forKeyPath: "moods.title") as? [String]
            #expect(shares == ["fog", "Foggy harbour", ""], "members are read in the order of their keys")
            let homeless = try #require(context.fetch(FetchRequest<Mood>(\.country == nil)).first)
            #expect(try homeless.value(forKeyPath: "country.name") == nil)
            try mood.setValue("by name", forKey: "title")
            #expect(mood.title == "by name")
            for body in [
                { _ = try mood.value(forKey: "nothing") }, { try mood.setValue(1, forKey: "heading") },
                { _ = try mood.mutableSetValue(forKey: "title") },
                { _ = try mood.value(forKeyPath: "country.nothing") },
                { _ = try mood.mutableOrderedSetValue(forKey: "swatches") },
                { try mood.setPrimitiveValue(1, forKey: "nothing") },
            ] as [() throws -> Void] {
                #expect(throws: FetchError.self) { try body() }
            }
            #expect(throws: FetchError.wrongType(entity: "Mood", key: "title", type: "Int")) {
                try mood.setValue(1, forKey: "title")
            }
            let members = try #require(mood.country).mutableSetValue(forKey: "moods")
            let lost = try #require(context.fetch(FetchRequest<Mood>(\.country == nil)).first)
            try members.add(lost)
            members.remove(mood)
            #expect(members.count == 3 && members.contains(lost) && !members.contains(mood))
            #expect(lost.country?.name == "Germany" && mood.country == nil)
            let swatch = try #require(context.fetch(FetchRequest<Swatch>()).first)
            #expect(throws: FetchError.wrongType(entity: "Country", key: "moods", type: "Swatch")) {
                try members.add(swatch)
            }
        }
    }

    @Test func `a member does not tell of the way back that no program knows`() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDeclaration(
                "Box",
                properties: [
                    .relationship(.init("parts", to: "Part", isToMany: true, inverse: nil)),
                    .relationship(.init("lid", to: "Part", inverse: nil)),
                ]),
            EntityDeclaration("Part", properties: [.attribute(.init("name", .string, isOptional: true))]),
        ])
        try ManagedObjectContext(persistentStoreCoordinator: emptyCoordinator(model)).performAndWait {
            context throws -> Void in
            let box = try context.insert(entityNamed: "Box"), part = try context.insert(entityNamed: "Part")
            #expect(try part.changedValues().keys.sorted() == ["name"])
            try context.save()
            try box.mutableSetValue(forKey: "parts").add(part)
            try box.setValue(part, forKey: "lid")
            #expect(part.hasChanges)
            #expect(try part.changedValues().isEmpty)
            #expect(try box.changedValues().keys.sorted() == ["lid"])
            #expect(try part.committedValues().keys.sorted() == ["name"])
        }
    }

    /// `Shelf` and `Crate` inherit from one entity: a part may be in one of each.
    @Test func `relationships of siblings that have one name and no inverse are two`() throws {
        let parts = PropertyDescription.relationship(.init("parts", to: "Part", isToMany: true, inverse: nil))
        let model = try ManagedObjectModel(entities: [
            EntityDeclaration("Holder", properties: []),
            EntityDeclaration("Crate", properties: [parts], inheritingFrom: "Holder"),
            EntityDeclaration("Shelf", properties: [parts], inheritingFrom: "Holder"),
            EntityDeclaration("Deep", properties: [], inheritingFrom: "Shelf"),
            EntityDeclaration("Part", properties: [.attribute(.init("name", .string, isOptional: true))]),
        ])
        let folder = try ScratchFolder(), url = folder.url.appending(path: "a.sqlite")
        func open() throws -> ManagedObjectContext {
            let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
            try coordinator.addPersistentStore(ofType: .sqlite, at: url)
            return ManagedObjectContext(persistentStoreCoordinator: coordinator)
        }
        try open().performAndWait { context throws -> Void in
            let part = try context.insert(entityNamed: "Part")
            for name in ["Crate", "Shelf", "Deep"] {
                try context.insert(entityNamed: name).mutableSetValue(forKey: "parts").add(part)
            }
            try context.save()
        }
        try open().performAndWait { context throws -> Void in
            // A shelf gives the part to the deep one, which is a shelf; the crate keeps it.
            for (name, count) in [("Crate", 1), ("Shelf", 0), ("Deep", 1)] {
                var request = FetchRequest<ManagedObject>(entityName: name)
                request.includesSubentities = false
                let holder = try #require(context.fetch(request).first)
                #expect(try holder.mutableSetValue(forKey: "parts").count == count, "\(name)")
            }
        }
    }

    @Test func `whole numbers are values of every type of number, if they fit`() throws {
        let types: [(AttributeType, Int, String)] = [
            (.float, 5, "5.0"), (.double, 5, "5.0"), (.decimal, 5, "5"), (.integer16, 32_767, "32767"),
            (.integer32, -2_147_483_648, "-2147483648"), (.integer64, .max, "9223372036854775807"),
        ]
        let properties = types.map { type, _, _ in
            PropertyDescription.attribute(.init("of\(type)", type, isOptional: true))
        }
        let model = try ManagedObjectModel(entities: [EntityDeclaration("Measure", properties: properties)])
        try ManagedObjectContext(persistentStoreCoordinator: emptyCoordinator(model)).performAndWait {
            context throws -> Void in
            let object = try context.insert(entityNamed: "Measure")
            for (type, value, _) in types { try object.setValue(value, forKey: "of\(type)") }
            for (key, wrong) in [
                ("ofinteger16", 32_768), ("ofinteger16", -32_769), ("ofinteger32", 2_147_483_648),
                ("ofinteger32", -2_147_483_649),
            ] {
                #expect(throws: FetchError.wrongType(entity: "Measure", key: key, type: "Int")) {
                    try object.setValue(wrong, forKey: key)
                }
            }
            #expect(throws: FetchError.self) { try object.setValue(UInt64.max, forKey: "ofinteger64") }
            try context.save()
            context.refresh(object, mergeChanges: false)
            for (type, _, text) in types {
                #expect(try object.value(forKey: "of\(type)").map { "\($0)" } == text)
            }
        }
    }

    @Test func `an ordered relationship is changed in place by name`() throws {
        let context = ManagedObjectContext(
            persistentStoreCoordinator: try emptyCoordinator(referenceSchema()))
        try context.performAndWait { context throws -> Void in
            let event = context.insert(Event.self)
            let guests = (0..<4).map { number in
                let guest = context.insert(Resident.self)
                (guest.name, guest.number) = ("g\(number)", Int64(number))
                return guest
            }
            event.name = "party"
            let list = try event.mutableOrderedSetValue(forKey: "guests")
            for guest in guests { try list.add(guest) }
            try list.insert(guests[3], at: 0)
            list.remove(guests[1])
            #expect(event.guests.map(\.name) == ["g3", "g0", "g2"])
            try list.insert(guests[3], at: 2)
            #expect(event.guests.map(\.name) == ["g0", "g2", "g3"], "places are counted without it")
            try context.save()
            context.reset()
            let names = try context.fetch(FetchRequest<Event>()).first?.guests.map(\.name)
            #expect(names == ["g0", "g2", "g3"])
        }
    }

    @Test func `an object tells what it changed, and what was there before`() throws {
        let context = try emptyContext()
        try context.performAndWait { context throws -> Void in
            fillWithMoods(context)
            try context.save()
            let mood = try #require(context.fetch(FetchRequest<Mood>(\.title == "fog")).first)
            #expect(try mood.changedValues().isEmpty)
            mood.title = "mist"
            mood.latitude = nil
            mood.country = nil
            mood.rating = mood.rating
            let changed = try mood.changedValues()
            #expect(Set(changed.keys) == ["title", "latitude", "country"])
            #expect(changed["title"] as? String == "mist")
            #expect(changed["latitude"].map { $0 == nil } == true)
            let before = try mood.committedValues(forKeys: ["title", "latitude", "country"])
            #expect(before["title"] as? String == "fog" && before["latitude"] as? Double == 53.5)
            #expect((before["country"] as? Country)?.name == "Germany")
            let new = Mood.insert(into: context, title: "new", date: day(1))
            #expect(try new.committedValues().isEmpty)
            let columns = ["date", "colors", "title", "rating", "latitude", "preview", "country"]
            #expect(try Set(new.changedValues().keys) == Set(columns), "all is new, set or not")
            try context.save()
            #expect(try mood.changedValues().isEmpty)
            #expect(try mood.committedValues()["title"] as? String == "mist")
        }
    }

    @Test func `a primitive value is set without anybody hearing of it, unless it is said`() throws {
        let context = try emptyContext()
        try context.performAndWait { context throws -> Void in
            fillWithMoods(context)
            try context.save()
            context.undoManager = UndoManager()
            let mood = try #require(context.fetch(FetchRequest<Mood>(\.title == "fog")).first)
            try mood.setPrimitiveValue("silent", forKey: "title")
            #expect(mood.title == "silent" && !mood.hasChanges)
            context.refresh(mood, mergeChanges: false)
            #expect(mood.isFault)
            try mood.willAccessValue(forKey: "title")
            #expect(!mood.isFault)
            #expect(try mood.primitiveValue(forKey: "title") as? String == "fog")
            try mood.didAccessValue(forKey: "title")
            #expect(throws: FetchError.self) { try mood.willAccessValue(forKey: "none") }
            #expect(throws: FetchError.self) { try mood.didAccessValue(forKey: "none") }
            try mood.willChangeValue(forKey: "title")
            try mood.setPrimitiveValue("said", forKey: "title")
            try mood.didChangeValue(forKey: "title")
            #expect(mood.hasChanges)
            context.processPendingChanges()
            context.undo()
            #expect(mood.title == "fog" && !mood.hasChanges)
            context.redo()
            try context.save()
            context.reset()
            let found = try context.count(FetchRequest<Mood>(\.title == "said"))
            #expect(found == 1)
        }
    }
}

/// The four ways in which a property in memory and the stored one behind it go together.
@Suite(.everyStore) struct TransientTests {
    private func context() throws -> ManagedObjectContext {
        ManagedObjectContext(persistentStoreCoordinator: try emptyCoordinator(ManagedObjectModel(Album.self)))
    }

    @Test func `a transient property changes its object, and by itself writes no row`() throws {
        let coordinator = try emptyCoordinator(ManagedObjectModel(Album.self))
        let context = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        try context.performAndWait { context throws -> Void in
            let album = context.insert(Album.self)
            album.onDemand = Picture(pixels: [1, 2, 3])
            try context.save()
            context.undoManager = UndoManager()
            let version = album.version, saves = album.saves
            album.cover = Picture(pixels: [9])
            #expect(album.hasChanges && album.isUpdated)
            try context.save()
            #expect(album.version == version && album.saves == saves + 1 && !album.hasChanges)
            #expect(album.cover?.pixels == [9])
            context.undo()
            #expect(album.cover?.pixels == [1, 2, 3])
            context.redo()
            #expect(album.cover?.pixels == [9])
            context.refresh(album, mergeChanges: false)
            #expect(album.cover == nil && album.faults == ["will", "did"])
            #expect(album.onDemand?.pixels == [1, 2, 3])
        }
    }

    @Test func `read on demand: decoded once, when it is asked for`() throws {
        let context = try context()
        try context.performAndWait { context throws -> Void in
            let album = context.insert(Album.self)
            album.onDemand = Picture(pixels: [5])
            // Written at once: the stored bytes are there already.
            #expect(album.coverData == Data([5]) && album.decoded == 0)
            try context.save()
            context.reset()
            let again = try #require(context.fetch(FetchRequest<Album>()).first)
            #expect(again.decoded == 0)
            #expect(again.onDemand?.pixels == [5] && again.onDemand?.pixels == [5] && again.decoded == 1)
            #expect(!again.hasChanges)
            // Nil goes both ways.
            again.onDemand = nil
            #expect(again.coverData == nil && again.onDemand == nil)
            try context.save()
            context.reset()
            let last = try #require(context.fetch(FetchRequest<Album>()).first)
            #expect(last.onDemand == nil && last.coverData == nil)
        }
    }

    @Test func `read in advance, written when it is saved`() throws {
        let context = try context()
        try context.performAndWait { context throws -> Void in
            let album = context.insert(Album.self)
            album.lateral = Picture(pixels: [7, 8])
            #expect(album.lateralData == nil, "the stored bytes wait for the save")
            try context.save()
            #expect(album.lateralData == Data([7, 8]))
            context.reset()
            let again = try #require(context.fetch(FetchRequest<Album>()).first)
            #expect(again.lateral?.pixels == [7, 8] && !again.hasChanges, "made as it was read")
            again.lateral = nil
            #expect(again.lateralData == Data([7, 8]))
            try context.save()
            #expect(again.lateralData == nil)
            again.lateral = Picture(pixels: [1])
            context.rollback()
            #expect(again.lateral == nil && again.lateralData == nil)
            context.reset()
            let last = try #require(context.fetch(FetchRequest<Album>()).first)
            #expect(last.lateral == nil && last.lateralData == nil)
        }
    }

    @Test func `no fetch can look at a transient property`() throws {
        let context = try context()
        context.performAndWait { context -> Void in
            #expect(throws: FetchError.self) {
                try context.fetch(FetchRequest<Album>(entityName: "Album", sortedBy: .ascending("cover")))
            }
        }
    }
}

struct Picture: Equatable { var pixels: [UInt8] }

final class Album: ManagedObject {
    @Attribute var coverData: Data?
    @Transient var cover: Picture?
    @Attribute var lateralData: Data?
    @Transient var lateral: Picture?

    final class Counts { var decoded = 0, saves = 0, faults: [String] = [] }
    private static let all = Registered()
    private var own: Counts { Self.all.counts(of: self) }
    var decoded: Int { own.decoded }
    var saves: Int { own.saves }
    var faults: [String] { own.faults }

    /// Decoded when it is asked for and kept; encoded at once.
    var onDemand: Picture? {
        get {
            if cover == nil, let coverData {
                own.decoded += 1
                // As read, not as changed.
                try? setPrimitiveValue(Picture(pixels: Array(coverData)), forKey: "cover")
            }
            return cover
        }
        set {
            cover = newValue
            coverData = newValue.map { Data($0.pixels) }
        }
    }

    override func awakeFromFetch() {
        super.awakeFromFetch()
        try? setPrimitiveValue(lateralData.map { Picture(pixels: Array($0)) }, forKey: "lateral")
    }

    override func awake(fromSnapshotEvents events: SnapshotEvents) {
        super.awake(fromSnapshotEvents: events)
        try? setPrimitiveValue(lateralData.map { Picture(pixels: Array($0)) }, forKey: "lateral")
    }

    override func willSave() {
        super.willSave()
        let data = lateral.map { Data($0.pixels) }
        if data != lateralData { try? setPrimitiveValue(data, forKey: "lateralData") }
        own.saves += 1
    }

    // Another object may get the place in memory.
    deinit { Self.all.forget(ObjectIdentifier(self)) }

    override func willTurnIntoFault() { own.faults.append("will") }
    override func didTurnIntoFault() { own.faults.append("did") }

    /// Counts that are no part of the model.
    private final class Registered: @unchecked Sendable {
        // @unchecked Sendable because of its lock.
        private let lock = NSLock()
        private var counts: [ObjectIdentifier: Counts] = [:]
        func counts(of album: Album) -> Counts {
            lock.withLock {
                let known = counts[ObjectIdentifier(album)] ?? Counts()
                counts[ObjectIdentifier(album)] = known
                return known
            }
        }
        func forget(_ identity: ObjectIdentifier) { lock.withLock { counts[identity] = nil } }
    }
}
