import Foundation
import ManagedObjects
import StoreTools
import Testing

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

    @Test func `archives and JSON among bytes are shown as what they say`() throws {
        let list = try NSKeyedArchiver.archivedData(
            withRootObject: NSArray(array: [NSString("a"), NSNumber(value: 2)]), requiringSecureCoding: false)
        #expect(ShownValue.data(list).shown == "[\"a\", 2]")
        #expect(ShownValue.data(Data("[\"x\"]".utf8)).shown == "[\"x\"]")
        #expect(ShownValue.data(Data([1, 2])).shown == "<2 bytes: 0102>")
        #expect(ShownValue.data(Data(1...12)).shown == "<12 bytes: 0102030405060708090a0b0c>")
        #expect(ShownValue.data(Data(1...13)).shown == "<13 bytes: 0102030405060708090a0b0c…>")
    }
}
