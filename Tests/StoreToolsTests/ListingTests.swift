import Foundation
import StoreTools
import Testing

@testable import ManagedObjects

/// Rows, tables and history as text, compared with what sqlite3 says.
@Suite struct ListingTests {
    private struct Row: Decodable {
        let v: Int, entity: String, id: Int
    }

    private func sql(_ name: String, _ text: String) throws -> String {
        try Fixtures.shell("sqlite3 'file:\(Fixtures.store(name).path)?immutable=1' \"\(text)\"")
    }

    @Test func `each row is a line of JSON, and there are as many as SQL counts`() throws {
        let contents = try StoreContents(Fixtures.store("SampleModel2_V2.sqlite"))
        var counts: [String: Int] = [:]
        for entity in contents.entities {
            try contents.forEachRow(of: entity) { row in
                let read = try JSONDecoder().decode(Row.self, from: Data(StoreListings.json(row).utf8))
                #expect(read.v == 1 && read.entity == entity.name && read.id == Int(row.key))
                counts[read.entity, default: 0] += 1
            }
        }
        #expect(
            try sql("SampleModel2_V2.sqlite", "SELECT COUNT(*) FROM ZPAGE; SELECT COUNT(*) FROM ZFEEDBACK")
                == "\(counts["Page"] ?? 0)\n\(counts["Feedback"] ?? 0)\n")
    }

    @Test func `dates, UUIDs, keys and bytes are written as the page says`() {
        let uuid = UUID()
        let values: [(ShownValue, String)] = [
            (.date(0), "\"2001-01-01T00:00:00Z\""), (.date(-978_307_200), "\"1970-01-01T00:00:00Z\""),
            (.date(757_382_051.5), "\"2024-12-31T23:54:11.5Z\""),
            (.data(Data([1, 2, 255])), "\"AQL/\""), (.uuid(uuid), "\"\(uuid.uuidString)\""),
            (.keys([5, 4]), "[4,5]"), (.key(3), "3"), (.null, "null"), (.bool(true), "true"),
            (.double(2), "2"), (.double(0.1), "0.1"), (.double(.infinity), "\"inf\""),
            (.text("a\"\u{1}\\"), "\"a\\\"\\u0001\\\\\""), (.error("no"), "{\"error\":\"no\"}"),
            (
                .group([("id", .int(1)), ("author", .group([("id", .null)]))]),
                "{\"id\":1,\"author\":{\"id\":null}}"
            ),
        ]
        for (value, json) in values { #expect(value.json == json) }
    }

    /// By hand: 757,382,051 seconds after 2001 are 2024-12-31T23:54:11Z, and 2001 began at 0.
    @Test func `a part of a second is rounded to six digits, up to the next second`() {
        for (seconds, text) in [
            (757_382_051.000001, "2024-12-31T23:54:11.000001Z"),
            (757_382_051.999999, "2024-12-31T23:54:11.999999Z"),
            (757_382_051.9999998, "2024-12-31T23:54:12Z"), (-1e-9, "2001-01-01T00:00:00Z"),
            (-0.25, "2000-12-31T23:59:59.75Z"),
            // Before 1970, the leap day of a year that four hundred divides, and years of three and five
            // digits and before the first: as `date -u -d @SECONDS` has them, 978,307,200 earlier.
            (-978_307_201, "1969-12-31T23:59:59Z"), (-978_393_600, "1969-12-31T00:00:00Z"),
            (-26_524_800, "2000-02-29T00:00:00Z"), (-57_953_836_800, "0164-07-08T00:00:00Z"),
            (252_455_616_000, "10001-01-01T00:00:00Z"), (-63_180_000_000, "-0002-11-28T00:00:00Z"),
            (1e13, "10000000000000.0 s after 2001-01-01T00:00:00Z"),
        ] { #expect(ISODate.text(seconds) == text, "\(seconds)") }
    }

    @Test func `the history names who changed what, as the tables have it`() throws {
        let contents = try StoreContents(Fixtures.store("SampleModel2_V2.sqlite"))
        let history = try #require(try contents.history(since: nil))
        let lines = history.flatMap(\.changes).map {
            "\($0.kind == .insert ? 0 : $0.kind == .update ? 1 : 2)|\($0.entity)|\($0.key)"
        }
        let told = try sql(
            "SampleModel2_V2.sqlite",
            "SELECT ZCHANGETYPE, Z_NAME, ZENTITYPK FROM ACHANGE AS c "
                + "JOIN Z_PRIMARYKEY AS p ON p.Z_ENT = c.ZENTITY "
                + "ORDER BY c.Z_PK")
        #expect(lines.joined(separator: "\n") + "\n" == told)
        #expect(try contents.history(since: 1e12)?.isEmpty == true)
        #expect(try StoreContents(Fixtures.store("SampleModel_V1.sqlite")).history(since: nil) == nil)
    }

    @Test func `a value in a cell is bare, and for a reader it says what it is`() {
        let values: [(ShownValue, cell: String, shown: String)] = [
            (.null, "", "-"), (.text("a\"b"), "a\"b", #""a\"b""#), (.keys([2, 1]), "2 1", "[2 1]"),
            (.key(3), "3", "-> 3"), (.bool(true), "true", "true"), (.int(-4), "-4", "-4"),
            (.double(2), "2", "2"), (.error("no"), "(no)", "(no)"),
            (.data(Data([255])), "/w==", "<1 bytes: ff>"),
            (.data(Data()), "", "<0 bytes>"), (.date(0), "2001-01-01T00:00:00Z", "2001-01-01T00:00:00Z"),
            (
                .group([("a", .text("x")), ("b", .key(1))]), #"{"a":"x","b":1}"#, #"{a: "x", b: -> 1}"#
            ),
        ]
        for (value, cell, shown) in values {
            #expect(value.cell == cell)
            #expect(value.shown == shown)
        }
        // Bytes that begin as JSON does, and are none.
        #expect(ShownValue.data(Data("[1".utf8)).shown == "<2 bytes: 5b31>")
    }

    @Test func `a row names its own entity in the table of another, and no empty list`() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDeclaration("Note", properties: [.attribute(AttributeDescription("a", .string))]),
            EntityDeclaration("Letter", properties: [], inheritingFrom: "Note"),
        ])
        let note = try #require(model.entity(named: "Note")),
            letter = try #require(model.entity(named: "Letter"))
        let row = ShownRow(
            entity: letter, key: 7, version: 1, values: [("a", .text("x")), ("to", .keys([])), ("b", .null)])
        #expect(StoreListings.csv(row, of: note) == "7,Letter,x\r")
        #expect(StoreListings.text(row) == "Letter 7  a=\"x\"")
    }

    /// Core Data writes a list of them; a program may have written one text.
    @Test(arguments: ["['V7', '']", "'V7'"])
    func `the version of a store's model is told, however it is written`(identifiers: String) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appending(path: "copy.sqlite")
        try FileManager.default.copyItem(at: Fixtures.store("SampleModel_V1.sqlite"), to: url)
        _ = try Fixtures.shell(
            """
            python3 -c "
            import plistlib, sqlite3
            c = sqlite3.connect('\(url.path)')
            p = plistlib.loads(c.execute('SELECT Z_PLIST FROM Z_METADATA').fetchone()[0])
            p['NSStoreModelVersionIdentifiers'] = \(identifiers)
            c.execute('UPDATE Z_METADATA SET Z_PLIST = ?', (plistlib.dumps(p, fmt=plistlib.FMT_BINARY),))
            c.commit(); c.close()"
            """)
        let contents = try StoreContents(url)
        #expect(try contents.summary().versionIdentifiers == ["V7"])
        #expect(try StoreListings.info(contents).contains("\nversion     V7\n"))
    }

    @Test func `one is counted as one, none and two as several`() {
        #expect([0, 1, 2].map { StoreListings.count($0, "row", "rows") } == ["0 rows", "1 row", "2 rows"])
    }

    @Test func `a transaction names its context, and a day's history begins with its first second`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appending(path: "notes.sqlite")
        let model = try ManagedObjectModel(entities: [
            EntityDeclaration(
                "Note",
                properties: [
                    .attribute(AttributeDescription("id", .integer64, options: .preservedAfterDeletion))
                ])
        ])
        let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: .sqlite, at: url, keepsHistory: true)
        let context = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        try context.performAndWait { context in
            let note = try context.insert(entityNamed: "Note")
            try note.setValue(5, forKey: "id")
            try context.save()
            context.delete(note)
            try context.save()
        }
        try coordinator.close()
        _ = try Fixtures.shell(
            "sqlite3 '\(url.path)' \"UPDATE ATRANSACTION SET ZTIMESTAMP = 60 * Z_PK, ZAUTHORTS = NULL, "
                + "ZAUTHOR = NULL, ZPROCESSIDTS = NULL, ZPROCESSID = NULL, ZBUNDLEIDTS = NULL, "
                + "ZCONTEXTNAMETS = 77; INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, Z_OPT, ZNAME) "
                + "VALUES (77, 1, 1, 'view')\"")
        let contents = try StoreContents(url)
        let history = try #require(try contents.history(since: 120))
        #expect(
            history.map(StoreListings.text) == [
                """
                2  2001-01-01T00:02:00Z  (view)
                    delete Note 1  was id=5
                """
            ])
        #expect(try contents.history(since: 120.5)?.isEmpty == true)
    }

    /// Bytes that could be text are none, where the attribute is a UUID or data.
    @Test func `what is kept of a deleted row is what it had, as SQL and the history tell`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appending(path: "notes.sqlite")
        let code = try #require(UUID(uuidString: "41414141-4141-4141-4141-414141414141"))
        let values: [(String, AttributeType, any Sendable)] = [
            ("code", .uuid, code), ("data", .binaryData, Data("AB".utf8)), ("id", .integer64, 5),
            ("name", .string, "fog"),
            ("price", .decimal, Decimal(sign: .plus, exponent: -1, significand: 15)),
            ("ratio", .double, 0.25), ("seen", .boolean, true),
            ("taken", .date, Date(timeIntervalSince1970: 1_706_711_400)),
        ]
        let place = AttributeDescription(
            composite: "place", [AttributeDescription("east", .integer64, isOptional: true)])
        let model = try ManagedObjectModel(entities: [
            EntityDeclaration(
                "Note",
                properties: values.map { name, type, _ in
                    .attribute(AttributeDescription(name, type, options: .preservedAfterDeletion))
                } + [.attribute(place)])
        ])
        let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: .sqlite, at: url, keepsHistory: true)
        let context = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        try context.performAndWait { context in
            let note = try context.insert(entityNamed: "Note")
            for (name, _, value) in values { try note.setValue(value, forKey: name) }
            try context.save()
            try note.setValue(7, forKey: "place.east")
            try context.save()
            context.delete(note)
            try context.save()
        }
        try coordinator.close()
        let kept = try Fixtures.shell(
            "sqlite3 '\(url.path)' \"SELECT hex(ZTOMBSTONE0), hex(ZTOMBSTONE1), hex(ZTOMBSTONE2), "
                + "hex(ZTOMBSTONE3), hex(ZTOMBSTONE4), hex(ZTOMBSTONE5), hex(ZTOMBSTONE6), hex(ZTOMBSTONE7) "
                + "FROM ACHANGE WHERE ZCHANGETYPE = 2\"")
        func hex(_ text: String) -> String { text.utf8.map { String($0, radix: 16) }.joined().uppercased() }
        #expect(
            kept.split(whereSeparator: { "|\n".contains($0) }).map(String.init)
                == [String(repeating: "41", count: 16), "4142"]
                + ["5", "fog", "1.5", "0.25", "1", "728404200.0"].map(hex))
        let told = try #require(try StoreContents(url).history(since: 0)).map(StoreListings.text)
            .joined(separator: "\n")
        for text in [
            "code=\(code.uuidString)", "data=<2 bytes: 4142>", "id=5", "name=\"fog\"", "price=1.5",
            "ratio=0.25",
            "seen=true", "taken=2024-01-31T14:30:00Z", "    update Note 1  place\n",
        ] {
            #expect(told.contains(text), "\(told)")
        }
    }

    @Test func `archives and JSON among bytes are shown as what they say`() throws {
        let list = try NSKeyedArchiver.archivedData(
            withRootObject: NSArray(array: [NSString("a"), NSNumber(value: 2)]), requiringSecureCoding: false)
        #expect(ShownValue.data(list).shown == "[\"a\", 2]")
        #expect(ShownValue.data(Data("[\"x\"]".utf8)).shown == "[\"x\"]")
        #expect(ShownValue.data(Data("{\"x\": 1}".utf8)).shown == "{\"x\": 1}")
        // JSON that is no list and no object may be anything.
        #expect(ShownValue.data(Data("17".utf8)).shown == "<2 bytes: 3137>")
        // A megabyte is a line that can still be read.
        for (count, isText) in [(1 << 20, true), (1 << 20 + 1, false)] {
            let json = "[" + String(repeating: " ", count: count - 2) + "]"
            let shown = ShownValue.data(Data(json.utf8)).shown
            #expect(shown == (isText ? json : "<1048577 bytes: 5b2020202020202020202020…>"))
        }
        #expect(ShownValue.data(Data([1, 2])).shown == "<2 bytes: 0102>")
        #expect(ShownValue.data(Data(1...12)).shown == "<12 bytes: 0102030405060708090a0b0c>")
        #expect(ShownValue.data(Data(1...13)).shown == "<13 bytes: 0102030405060708090a0b0c…>")
    }
}
