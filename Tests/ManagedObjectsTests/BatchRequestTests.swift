import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// Rows written past the objects. What they did is looked at by a context that has seen none of it.
@Suite(.everyStore) struct BatchRequestTests {
    /// As in SQL, a null is like no other.
    @Test func `rows with a null beside a value are unique`() throws {
        let coordinator = try emptyCoordinator(ManagedObjectModel(Pairing.self))
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait {
            context throws -> Void in
            context.mergePolicy = .mergeByPropertyStoreTrump
            let objects: [[String: any Sendable]] = [
                ["left": 1], ["left": 1], ["left": 1, "right": "x"], ["left": 1, "right": "x"],
            ]
            for count in [3, 5] {
                try context.execute(BatchInsertRequest(Pairing.self, objects: objects))
                #expect(try context.count(FetchRequest<Pairing>()) == count)
            }
        }
    }

    private func fresh(_ context: ManagedObjectContext) throws -> [String] {
        let fresh = ManagedObjectContext(persistentStoreCoordinator: context.persistentStoreCoordinator)
        return try fresh.performAndWait { context in
            try context.fetch(FetchRequest<Mood>(sortedBy: .ascending(\.date))).map {
                "\($0.title) \($0.rating) \($0.country?.name ?? "-") \($0.swatches.count)"
            }
        }
    }

    @Test func `an update sets what matches, and whoever read it before is told`() throws {
        let context = try emptyContext()
        let other = ManagedObjectContext(persistentStoreCoordinator: context.persistentStoreCoordinator)
        try context.performAndWait { context throws -> Void in
            fillWithMoods(context)
            try context.save()
            let list = context.list(FetchRequest<Mood>(\.rating >= 4, sortedBy: .ascending(\.date)))
            try list.performFetch()
            #expect(list.fetchedObjects.map(\.title) == ["", "cafe\u{301}"])
            let stale = try other.performAndWait { context in
                let mood = try #require(try context.fetch(FetchRequest<Mood>(\.title == "fog")).first)
                mood.latitude = 1
                return mood.objectID
            }
            let germany = try #require(try context.fetch(FetchRequest<Country>(\.code == 276)).first)
            let note = try context.execute(
                BatchUpdateRequest(
                    FetchRequest<Mood>(\.country?.code == 276),
                    propertiesToUpdate: ["rating": 5, "latitude": nil, "title": "x", "country": nil]))
            #expect(note.updatedObjectIDs.count == 3)
            #expect(list.fetchedObjects.map(\.title) == ["x", "x", "x", "cafe\u{301}"])
            #expect(germany.moods.isEmpty)
            let hasChanges = context.hasChanges
            #expect(!hasChanges)
            #expect(throws: StoreError.conflict(stale)) { try other.performAndWait { _ = try $0.save() } }
        }
        #expect(
            try fresh(context) == [
                "x 5 - 0", "x 5 - 1", "x 5 - 2", "caf\u{E9} 0 France 3", "cafe\u{301} 5 - 4",
            ])
    }

    @Test func `a deletion leaves nothing that leads to what is gone`() throws {
        let context = try emptyContext()
        try context.performAndWait { context throws -> Void in
            fillWithMoods(context)
            try context.save()
            let france = try #require(try context.fetch(FetchRequest<Country>(\.code == 250)).first)
            let held = try context.fetch(FetchRequest<Mood>())
            let note = try context.execute(BatchDeleteRequest(FetchRequest<Mood>(\.rating < 4)))
            #expect(note.deletedObjectIDs.count == 3)
            // Swatches of the second and the fourth mood.
            #expect(note.updatedObjectIDs.count == 1 + 3)
            #expect(held.map(\.isDeleted).filter { $0 }.count == 3)
            #expect(france.moods.isEmpty)
            let orphans = try context.fetch(FetchRequest<Swatch>()).filter { $0.mood == nil }
            #expect(orphans.count == 4, "no rule but nullify is run")
        }
        #expect(try fresh(context) == [" 4 Germany 2", "cafe\u{301} 5 - 4"])
    }

    /// More rows than one look for what leads to them takes.
    @Test func `a deletion of a thousand rows leaves nothing that leads to any of them`() throws {
        let context = try emptyContext()
        try context.performAndWait { context throws -> Void in
            for number in 0..<1_201 {
                let country = Country.insert(into: context, code: Int16(number), name: "\(number)")
                let mood = Mood.insert(into: context, title: "\(number)", date: day(1))
                mood.country = country
            }
            try context.save()
            let note = try context.execute(BatchDeleteRequest(FetchRequest<Country>(\.code != 600)))
            #expect(note.deletedObjectIDs.count == 1_200 && note.updatedObjectIDs.count == 1_200)
        }
        let fresh = ManagedObjectContext(persistentStoreCoordinator: context.persistentStoreCoordinator)
        try fresh.performAndWait { context throws -> Void in
            let moods = try context.fetch(FetchRequest<Mood>())
            #expect(moods.count == 1_201)
            #expect(moods.compactMap { $0.country?.name } == ["600"])
            #expect(moods.first { $0.country != nil }?.title == "600")
        }
    }

    @Test func `rows are inserted with defaults, and all or none`() throws {
        let context = try emptyContext()
        try context.performAndWait { context throws -> Void in
            let country = Country.insert(into: context, code: 1, name: "one")
            try context.save()
            let rows: [[String: any Sendable]] = (0..<1_000).map {
                ["title": "m\($0)", "date": day(Double($0)), "country": country.objectID]
            }
            let note = try context.execute(BatchInsertRequest(Mood.self, objects: rows))
            #expect(note.insertedObjectIDs.count == 1_000)
            #expect(Set(note.insertedObjectIDs).count == 1_000)
            #expect(country.moods.count == 1_000)
            let count = try context.count(FetchRequest<Mood>(\.rating == 3))
            #expect(count == 1_000, "the default")
            func insert(_ row: [String: any Sendable], _ context: isolated ManagedObjectContext) throws {
                try context.execute(BatchInsertRequest(Mood.self, objects: [["title": "good"], row]))
            }
            #expect(throws: FetchError.unknownKey(entity: "Mood", key: "mode")) {
                try insert(["mode": 1], context)
            }
            #expect(throws: FetchError.unknownKey(entity: "Mood", key: "swatches")) {
                try insert(["swatches": 1], context)
            }
            #expect(throws: FetchError.wrongType(entity: "Mood", key: "rating", type: "String")) {
                try insert(["rating": "five"], context)
            }
            #expect(throws: FetchError.wrongType(entity: "Mood", key: "country", type: "String")) {
                try insert(["country": "France"], context)
            }
            let unsaved = Country.insert(into: context, code: 2, name: "two")
            #expect(throws: FetchError.wrongType(entity: "Mood", key: "country", type: "ManagedObjectID")) {
                try insert(["country": unsaved.objectID], context)
            }
        }
        let titles = try fresh(context)
        #expect(titles.count == 1_000)
        #expect(titles[7] == "m7 3 one 0")
    }

    @Test func `unique values are kept unique, and a large value gets a file`() throws {
        let coordinator = try emptyCoordinator(ManagedObjectModel(Scan.self))
        let context = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        let large = Data(repeating: 7, count: 300_000)
        try context.performAndWait { context throws -> Void in
            try context.execute(
                BatchInsertRequest(Scan.self, objects: [["code": "a", "image": large], ["code": "b"]]))
            #expect(
                throws: StoreError.notUnique(entity: "Scan", properties: ["code"], values: [.text("a")])
            ) {
                try context.execute(BatchInsertRequest(Scan.self, objects: [["code": "c"], ["code": "a"]]))
            }
            let all = try context.fetch(FetchRequest<Scan>(sortedBy: .ascending(\.code)))
            #expect(all.map(\.code) == ["a", "b"])
            #expect(all.map(\.image) == [large, nil])
            if StoreKind.current == .sqlite {
                #expect(try coordinator.report().externalFiles == 1)
                try context.execute(
                    BatchUpdateRequest(FetchRequest<Scan>(\.code == "a"), propertiesToUpdate: ["image": nil]))
                #expect(try coordinator.report().externalFiles == 0)
            }
        }
    }

    private static let policies: [String: MergePolicy] = [
        "error": .error, "storeTrump": .mergeByPropertyStoreTrump, "objectTrump": .mergeByPropertyObjectTrump,
        "overwrite": .overwrite, "rollback": .rollback,
    ]

    @Test(arguments: ["error", "storeTrump", "objectTrump", "overwrite", "rollback"])
    func `a merge policy decides about unique values that rows have already`(_ policy: String) throws {
        var random = SplitMix64(seed: 1), refusals = 0
        for _ in 0..<20 {
            let context = ManagedObjectContext(
                persistentStoreCoordinator: try emptyCoordinator(ManagedObjectModel(Ware.self)))
            // The reference: name and price by code.
            var table: [Int: (name: String, price: Int)] = [:]
            for step in 0..<4 {
                var objects: [[String: any Sendable]] = [], wanted = table, isRefused = false
                for row in 0..<6 {
                    let code = Int.random(in: 0..<30, using: &random)
                    let name = Bool.random(using: &random) ? "\(step).\(row)" : nil
                    let price = Bool.random(using: &random) ? step * 10 + row + 1 : nil
                    var object: [String: any Sendable] = ["code": code]
                    object["name"] = name
                    object["price"] = price
                    objects.append(object)
                    switch (policy, wanted[code]) {
                    case (_, nil), ("overwrite", _): wanted[code] = (name ?? "none", price ?? 0)
                    case ("error", _): isRefused = true
                    case ("objectTrump", let known?):
                        wanted[code] = (name ?? known.name, price ?? known.price)
                    default: break
                    }
                }
                if isRefused { refusals += 1 }
                let inserted = try context.performAndWait { [objects, isRefused] context -> Int? in
                    context.mergePolicy = Self.policies[policy] ?? .error
                    let request = BatchInsertRequest(Ware.self, objects: objects)
                    if isRefused {
                        #expect(throws: StoreError.self) { try context.execute(request) }
                        return nil
                    }
                    return try context.execute(request).insertedObjectIDs.count
                }
                if let inserted {
                    #expect(inserted == wanted.count - table.count)
                    table = wanted
                }
                let fresh = ManagedObjectContext(
                    persistentStoreCoordinator: context.persistentStoreCoordinator)
                let found = try fresh.performAndWait { context in
                    try context.fetch(FetchRequest<Ware>(sortedBy: .ascending(\.code))).map {
                        "\($0.code) \($0.name) \($0.price)"
                    }
                }
                #expect(
                    found == table.sorted { $0.key < $1.key }.map { "\($0) \($1.name) \($1.price)" })
            }
        }
        #expect((refusals > 0) == (policy == "error"))
    }

    @Test func `a row between two stored ones is refused by values, and nothing is written`() throws {
        let context = ManagedObjectContext(
            persistentStoreCoordinator: try emptyCoordinator(ManagedObjectModel(Ware.self)))
        try context.performAndWait { context throws -> Void in
            context.mergePolicy = .mergeByPropertyObjectTrump
            try context.execute(
                BatchInsertRequest(
                    Ware.self, objects: [["code": 1, "barcode": "x"], ["code": 2, "barcode": "y"]]))
            // The second row's bar code becomes z, so that the third meets it there.
            let note = try context.execute(
                BatchInsertRequest(
                    Ware.self,
                    objects: [["code": 2, "barcode": "z"], ["code": 2, "barcode": "z", "name": "two"]]))
            #expect(note.insertedObjectIDs.isEmpty && note.updatedObjectIDs.count == 1)
            #expect {
                try context.execute(
                    BatchInsertRequest(Ware.self, objects: [["code": 3], ["code": 1, "barcode": "z"]]))
            } throws: { error in
                "\(error)".contains("barcode: \"z\"") || "\(error)".contains("code: 1")
            }
            let all = try context.fetch(FetchRequest<Ware>(sortedBy: .ascending(\.code)))
            #expect(all.map { "\($0.code) \($0.barcode ?? "") \($0.name)" } == ["1 x none", "2 z two"])
        }
    }

    @Test func `a unique value that an earlier row of the request gave up is free`() throws {
        let context = ManagedObjectContext(
            persistentStoreCoordinator: try emptyCoordinator(ManagedObjectModel(Ware.self)))
        try context.performAndWait { context throws -> Void in
            context.mergePolicy = .mergeByPropertyObjectTrump
            try context.execute(BatchInsertRequest(Ware.self, objects: [["code": 1, "barcode": "y"]]))
            try context.execute(
                BatchInsertRequest(
                    Ware.self,
                    objects: [
                        ["code": 1, "barcode": "z"], ["code": 3, "barcode": "y"],
                        ["code": 3, "barcode": "x"], ["code": 4, "barcode": "y"],
                    ]))
            let all = try context.fetch(FetchRequest<Ware>(sortedBy: .ascending(\.code)))
            #expect(all.map { "\($0.code) \($0.barcode ?? "")" } == ["1 z", "3 x", "4 y"])
        }
    }

    @Test func `a child's request goes to the store, and its parent hears of it`() throws {
        let parent = try emptyContext(), child = ManagedObjectContext(parent: parent)
        let mood = try parent.performAndWait { context in
            fillWithMoods(context)
            try context.save()
            return try #require(try context.fetch(FetchRequest<Mood>(\.title == "fog")).first).objectID
        }
        let mine = try child.performAndWait { context in
            try context.execute(
                BatchUpdateRequest(FetchRequest<Mood>(\.title == "fog"), propertiesToUpdate: ["rating": 1]))
            return try #require(try context.fetch(FetchRequest<Mood>(\.title == "fog")).first).rating
        }
        let theirs = try parent.performAndWait { context in
            (try context.existingObject(with: mood) as? Mood)?.rating
        }
        #expect(mine == 1)
        #expect(theirs == 1)
        #expect(try fresh(parent)[0] == "fog 1 Germany 0")
    }

    @Test func `a context that only follows writes by no batch request`() throws {
        let writer = try emptyContext()
        try writer.performAndWait { context in
            fillWithMoods(context)
            try context.save()
        }
        let before = try fresh(writer)
        let follower = ManagedObjectContext(
            persistentStoreCoordinator: writer.persistentStoreCoordinator, isReadOnly: true)
        try follower.performAndWait { context throws -> Void in
            #expect(throws: StoreError.readOnly) {
                try context.execute(
                    BatchUpdateRequest(FetchRequest<Mood>(\.rating > 0), propertiesToUpdate: ["rating": 1]))
            }
            #expect(throws: StoreError.readOnly) {
                try context.execute(BatchDeleteRequest(FetchRequest<Mood>(\.rating > 0)))
            }
            #expect(throws: StoreError.readOnly) {
                try context.execute(BatchInsertRequest(Mood.self, objects: [["title": "new"]]))
            }
        }
        #expect(try fresh(writer) == before && before.count == 5)
    }

    @Test func `what a batch request cannot set is refused, and nothing is written`() throws {
        let context = ManagedObjectContext(
            persistentStoreCoordinator: try emptyCoordinator(referenceSchema()))
        try context.performAndWait { context in
            let place = context.insert(Place.self), resident = context.insert(Resident.self)
            resident.name = "here"
            try context.save()
            let new = context.insert(Place.self)
            let values: [(key: String, value: (any Sendable)?)] = [
                ("home", new.objectID), ("home", "a text"), ("home", 1), ("number", "one"), ("sortName", "x"),
                ("clubs", place.objectID), ("home", resident.objectID), ("cache", 1), ("nothing", 1),
                ("Place.statues", place.objectID),
            ]
            for (key, value) in values {
                #expect(throws: FetchError.self, "\(key)") {
                    try context.execute(
                        BatchUpdateRequest(FetchRequest<Resident>(), propertiesToUpdate: [key: value]))
                }
                #expect(throws: FetchError.self, "\(key)") {
                    try context.execute(
                        BatchInsertRequest(Resident.self, objects: [[key: value ?? "nothing"]]))
                }
            }
            #expect(throws: FetchError.self) {
                try context.execute(BatchInsertRequest(Thing.self, objects: [["name": "x"]]))
            }
            let stranger = try ManagedObjectContext(
                persistentStoreCoordinator: try emptyCoordinator(referenceSchema())
            ).performAndWait { context in
                let place = context.insert(Place.self)
                try context.save()
                return place.objectID
            }
            #expect(throws: StoreError.otherStore(stranger)) {
                try context.execute(
                    BatchUpdateRequest(FetchRequest<Resident>(), propertiesToUpdate: ["home": stranger]))
            }
            #expect(throws: StoreError.otherStore(stranger)) {
                try context.execute(
                    BatchInsertRequest(Resident.self, objects: [["name": "x"], ["home": stranger]]))
            }
            #expect(try context.count(FetchRequest<Resident>()) == 1)
            // A relationship to one takes the ID of a row, and nil.
            for (home, count) in [(place.objectID, 0), (nil, 1)] as [(ManagedObjectID?, Int)] {
                try context.execute(
                    BatchUpdateRequest(FetchRequest<Resident>(), propertiesToUpdate: ["home": home]))
                #expect(try context.count(FetchRequest<Resident>(\.home == nil)) == count)
                #expect((resident.home === place) == (home != nil))
            }
        }
    }
}

private final class Pairing: ManagedObject {
    @Attribute var left: Int64
    @Attribute var right: String?
    override class var uniquenessConstraints: [[String]] { [["left", "right"]] }
}

private final class Scan: ManagedObject {
    @Attribute var code: String = ""
    @Attribute(.externalStorage) var image: Data?
    override class var uniquenessConstraints: [[String]] { [["code"]] }
}

private final class Ware: ManagedObject {
    @Attribute var code: Int = 0
    @Attribute var barcode: String?
    @Attribute var name: String = "none"
    @Attribute var price: Int = 0
    override class var uniquenessConstraints: [[String]] { [["code"], ["barcode"]] }
}
