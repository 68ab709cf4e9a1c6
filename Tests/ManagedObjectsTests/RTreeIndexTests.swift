import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// R*Tree indexes. What fetches find by them is compared with Swift over the objects of a context that
/// fetched all, what lies in them with the rows, by the sqlite3 shell.
@Suite struct RTreeIndexTests {
    private class Place: ManagedObject {
        @Attribute var name: String
        @Attribute var latitude: Double?
        @Attribute var longitude: Float?
        override class var entityName: String { "BoxPlace" }
        override class var fetchIndexes: [FetchIndexDescription] {
            [
                FetchIndexDescription(
                    "byPlace", [.init("latitude", isRTree: true), .init("longitude", isRTree: true)])
            ]
        }
    }

    private final class Peak: Place {
        @Attribute var height: Int64?
        @Attribute var climbed: Date?
        override class var entityName: String { "BoxPeak" }
        override class var fetchIndexes: [FetchIndexDescription] {
            [
                FetchIndexDescription(
                    "byClimb", [.init("height", isRTree: true), .init("climbed", isRTree: true)]),
                // Of a property that all places have.
                FetchIndexDescription("byPeakPlace", [.init("latitude", isRTree: true)]),
            ]
        }
    }

    /// In the same table, behind the peaks by its number.
    private final class Shore: Place {
        override class var entityName: String { "BoxShore" }
    }

    /// The same rows without indexes: another version of the program.
    private class PlainPlace: ManagedObject {
        @Attribute var name: String
        @Attribute var latitude: Double?
        @Attribute var longitude: Float?
        override class var entityName: String { "BoxPlace" }
    }

    private final class PlainPeak: PlainPlace {
        @Attribute var height: Int64?
        @Attribute var climbed: Date?
        override class var entityName: String { "BoxPeak" }
    }

    private func model() throws -> ManagedObjectModel { try ManagedObjectModel(Place.self, Peak.self) }

    /// Numbers that 32 bits do not hold among them.
    private func number(_ dice: inout SplitMix64) -> Double {
        let edges: [Double] = [
            0, -0.0, 1e300, -1e300, 3.41e38, -3.41e38, 16_777_217, -16_777_217, 0.1, .infinity, -.infinity,
        ]
        return Int.random(in: 0..<8, using: &dice) == 0
            ? edges.randomElement(using: &dice)! : Double.random(in: -20...20, using: &dice)
    }

    private func change(_ place: Place, _ dice: inout SplitMix64) {
        let isKnown = Int.random(in: 0..<5, using: &dice) > 0
        place.latitude = isKnown ? number(&dice) : nil
        place.longitude = isKnown || Bool.random(using: &dice) ? Float(number(&dice)) : nil
        guard let peak = place as? Peak else { return }
        let edges: [Int64] = [.max, .min, 9_007_199_254_740_993, 16_777_217]
        peak.height =
            Int.random(in: 0..<5, using: &dice) == 0
            ? edges.randomElement(using: &dice) : Int64.random(in: 0..<9_000, using: &dice)
        peak.climbed = Bool.random(using: &dice) ? Date(timeIntervalSince1970: number(&dice) * 1e6) : nil
    }

    @Test func `what is found by boxes is what Swift finds, after any edits`() throws {
        let folder = try ScratchFolder()
        let model = try ManagedObjectModel(Place.self, Peak.self, Shore.self)
        let coordinator = try folder.open("A.moody", model)
        for round in 0..<6 {
            let writer = ManagedObjectContext(persistentStoreCoordinator: coordinator)
            try writer.performAndWait { context throws -> Void in
                var dice = SplitMix64(seed: UInt64(round))
                for number in 0..<60 {
                    let kinds = [Peak.self, Place.self, Shore.self]
                    let place = context.insert(kinds[number % 3])
                    place.name = "\(round).\(number)"
                    change(place, &dice)
                }
                for place in try context.fetch(FetchRequest<Place>()) {
                    switch Int.random(in: 0..<6, using: &dice) {
                    case 0: context.delete(place)
                    case 1, 2: change(place, &dice)
                    default: break
                    }
                }
                try context.save()
                if round == 3 {
                    try context.execute(
                        BatchUpdateRequest(
                            FetchRequest<Place>(try Filter(format: "latitude BETWEEN {-5, 5}")),
                            propertiesToUpdate: ["longitude": Float(3)]))
                    try context.execute(
                        BatchDeleteRequest(
                            FetchRequest<Place>(try Filter(format: "longitude BETWEEN {9, 10}"))))
                }
            }
            try compare(coordinator, seed: UInt64(100 + round))
        }
        // What is in the trees, whoever reads them.
        let path = folder.url.appending(path: "A.moody").path
        let tree = try shell("sqlite3 '\(path)' 'SELECT Z_PK FROM Z_BoxPlace_byPlace ORDER BY 1'")
        let rows = try shell(
            """
            sqlite3 '\(path)' 'SELECT Z_PK FROM ZBOXPLACE \
            WHERE ZLATITUDE IS NOT NULL AND ZLONGITUDE IS NOT NULL ORDER BY 1'
            """)
        #expect(tree == rows && tree.count > 100)
        let peaks = try shell(
            """
            sqlite3 '\(path)' 'SELECT count(*) = (SELECT count(*) FROM ZBOXPLACE WHERE Z_ENT = 2 \
            AND ZHEIGHT IS NOT NULL AND ZCLIMBED IS NOT NULL), count(*) > 20 FROM Z_BoxPeak_byClimb'
            """)
        #expect(peaks == "1|1\n")
        let own = try shell(
            """
            sqlite3 '\(path)' 'SELECT count(*) = (SELECT count(*) FROM ZBOXPLACE WHERE Z_ENT = 2 \
            AND ZLATITUDE IS NOT NULL), count(*) > 20 FROM Z_BoxPeak_byPeakPlace'
            """)
        #expect(own == "1|1\n")
        let shores = try shell(
            """
            sqlite3 '\(path)' 'SELECT count(*) > 20 FROM ZBOXPLACE WHERE Z_ENT = 3 AND ZLATITUDE IS NOT NULL'
            """)
        #expect(shores == "1\n")
        #expect(try shell("sqlite3 '\(path)' 'PRAGMA integrity_check'") == "ok\n")
    }

    private func compare(_ coordinator: PersistentStoreCoordinator, seed: UInt64) throws {
        let reader = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        try reader.performAndWait { context throws -> Void in
            var dice = SplitMix64(seed: seed)
            let all = try context.fetch(FetchRequest<Place>())
            for _ in 0..<60 {
                let a = number(&dice), b = max(a, number(&dice)), c = Float(number(&dice))
                let places = try context.fetch(
                    FetchRequest<Place>(
                        try Filter(
                            format: "%@ <= latitude AND %@ >= latitude AND %@ <= longitude", a, b, Double(c)))
                )
                let expected = all.filter {
                    guard let latitude = $0.latitude, let longitude = $0.longitude else { return false }
                    return a <= latitude && latitude <= b && c <= longitude
                }
                #expect(Set(places.map(\.name)) == Set(expected.map(\.name)), "\(a) \(b) \(c)")
                let equal = all[Int.random(in: all.indices, using: &dice)]
                let same = try context.fetch(
                    FetchRequest<Place>(\.latitude == equal.latitude && \.longitude == equal.longitude))
                let alike = all.filter {
                    $0.latitude == equal.latitude && $0.longitude == equal.longitude
                }
                #expect(
                    Set(same.map(\.name)) == Set(alike.map(\.name)),
                    "\(equal.latitude as Any) \(equal.longitude as Any)")
                let low = Int64.random(in: 0..<9_000, using: &dice)
                let high = Bool.random(using: &dice) ? Int64.max : low + 2_000
                let peaks = try context.fetch(
                    FetchRequest<Peak>(
                        try Filter(
                            format: "height >= %@ && height < %@ && climbed > %@", low, high,
                            Date(timeIntervalSince1970: 0))))
                let tall = all.compactMap { $0 as? Peak }.filter {
                    guard let height = $0.height, let climbed = $0.climbed else { return false }
                    return low <= height && height < high && climbed > Date(timeIntervalSince1970: 0)
                }
                #expect(Set(peaks.map(\.name)) == Set(tall.map(\.name)), "\(low) \(high)")
            }
        }
    }

    @Test func `a fetch that bounds a number on both sides goes by the index, another does not`() throws {
        let folder = try ScratchFolder(), model = try model()
        try folder.open("A.moody", model).close()
        let scope = SQLScope(
            schema: SQLSchema(model, entities: model.entities), storeIdentifier: "",
            tables: [try #require(model.entity(named: "BoxPlace"))])
        func plan(_ format: String) throws -> String {
            let request = FetchRequest<Place>(try Filter(format: format))
            let sql = try request.description(in: model).sql(in: scope).text.replacing("?", with: "1.0")
            return try shell(
                """
                sqlite3 '\(folder.url.appending(path: "A.moody").path)' \
                "EXPLAIN QUERY PLAN SELECT t0.ZNAME \(sql)"
                """)
        }
        let both = try plan("latitude BETWEEN {1, 2} AND longitude > 3")
        #expect(both.contains("VIRTUAL TABLE INDEX") && both.contains("USING INTEGER PRIMARY KEY"))
        let called = try plan("indexed:by:(latitude, 'byPlace') BETWEEN {1, 2} && 3 == longitude")
        #expect(called.contains("VIRTUAL TABLE INDEX"))
        for format in [
            "latitude > 1", "NOT (latitude BETWEEN {1, 2})", "latitude BETWEEN {1, 2} OR longitude > 3",
            "name == 'a'", "latitude BETWEEN {1, 2}", "latitude == nil AND longitude == 3",
            "latitude BETWEEN {1, 2} AND longitude != 3",
        ] {
            #expect(try !plan(format).contains("VIRTUAL"), "\(format)")
        }
        for (format, reason) in [
            ("indexed:by:(latitude, 'byAge') > 1", "BoxPlace has no index \"byAge\" of latitude"),
            ("indexed:by:(name, 'byPlace') == 'a'", "BoxPlace has no index \"byPlace\" of name"),
            ("indexed:by:(latitude) > 1", ", is missing"),
            ("indexed:by:(latitude, byPlace) > 1", "the name of an index is missing"),
        ] {
            let error = #expect(throws: FetchError.self) {
                try FetchRequest<Place>(try Filter(format: format)).description(in: model)
            }
            #expect(error?.description.contains(reason) == true, "\(format): \(error?.description ?? "")")
        }
    }

    /// Indexes are not part of a version hash: a store made without is found sound, gets them when it is
    /// opened to write, and is read without them where it may not be.
    @Test func `a store of another version is filled when it is written, and read without`() throws {
        let folder = try ScratchFolder()
        let plain = try folder.open("A.moody", ManagedObjectModel(PlainPlace.self, PlainPeak.self))
        try ManagedObjectContext(persistentStoreCoordinator: plain).performAndWait { context in
            for number in 0..<50 {
                let place = context.insert(PlainPlace.self)
                place.name = "\(number)"
                (place.latitude, place.longitude) = (Double(number), 1)
            }
            try context.save()
        }
        try plain.close()
        let request = FetchRequest<Place>(
            try Filter(format: "latitude BETWEEN {9.5, 12} AND longitude BETWEEN {1, 1}"),
            sortedBy: .ascending(\.latitude))
        for isReadOnly in [true, false, true] {
            let coordinator = try folder.open("A.moody", model(), isReadOnly: isReadOnly)
            try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
                let names = try context.fetch(request).map(\.name)
                #expect(names == ["10", "11", "12"])
            }
            try coordinator.close()
        }
        // The old version writes; its triggers keep the index.
        let old = try folder.open("A.moody", ManagedObjectModel(PlainPlace.self, PlainPeak.self))
        try ManagedObjectContext(persistentStoreCoordinator: old).performAndWait { context in
            for place in try context.fetch(FetchRequest<PlainPlace>(\.latitude == 11)) {
                place.latitude = 90
            }
            let new = context.insert(PlainPlace.self)
            new.name = "new"
            (new.latitude, new.longitude) = (11.5, 1)
            try context.save()
        }
        try old.close()
        let coordinator = try folder.open("A.moody", model())
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
            let names = try context.fetch(request).map(\.name)
            #expect(names == ["10", "new", "12"])
        }
    }

    @Test func `what cannot be an R*Tree is refused by name`() {
        func error(_ index: FetchIndexDescription) -> String {
            var note = EntityDeclaration(
                "Note",
                properties: [.attribute(AttributeDescription("text", .string))]
                    + (1...6).map { .attribute(AttributeDescription("n\($0)", .double)) })
            note.fetchIndexes = [index]
            do {
                _ = try ManagedObjectModel(entities: [note])
                return ""
            } catch { return "\(error)" }
        }
        #expect(error(.init("byAll", (1...5).map { .init("n\($0)", isRTree: true) })) == "")
        #expect(
            error(.init("byAll", (1...6).map { .init("n\($0)", isRTree: true) }))
                == "Note.byAll: an R*Tree of more than 5 cannot be modeled")
        #expect(
            error(.init("byText", [.init("text", isRTree: true)]))
                == "Note.text: an R*Tree of what is no number or date cannot be modeled")
        #expect(
            error(.init("byBoth", [.init("n1", isRTree: true), .init("n2")]))
                == "Note.byBoth: an index of both kinds cannot be modeled")
        #expect(error(.init("byNone", [.init("n9")])) == "Note has no property n9")
    }
}
