import Foundation
import Testing

/// Days, modes and states in `--where`, alone and in lists, against sqlite3.
@Suite struct DateWhereTests {
    private let bench: Workbench

    init() throws {
        bench = try Workbench()
        try bench.putSquares(
            (1...14).map { (name: "W/IMG_202405\($0 < 10 ? "0" : "")\($0).png", hex: "0000ff") })
        #expect(try bench.moody("ingest", "-q", "W").status == 0)
    }

    private func found(_ predicate: String) throws -> Int {
        let run = try bench.moody("list", "--where", predicate)
        #expect(run.status == 0, "\(predicate): \(run.err)")
        return run.lines.count
    }

    @Test(arguments: [
        ("date >= \"2024-05-12\" && date <= \"2024-05-14\"", "ZDAY BETWEEN 20240512 AND 20240514"),
        ("date BETWEEN {\"2024-05-12\", \"2024-05-14\"}", "ZDAY BETWEEN 20240512 AND 20240514"),
        ("date IN {\"2024-05-14\", \"2024-05-01\"}", "ZDAY IN (20240514, 20240501)"),
        ("NOT date IN {\"2024-05-14\"}", "ZDAY <> 20240514"),
        ("day IN {\"2024-05-14\", \"2024-05-01\"}", "ZDAY IN (20240514, 20240501)"),
        ("day BETWEEN {\"2024-05-12\", \"2024-05-14\"}", "ZDAY BETWEEN 20240512 AND 20240514"),
        ("day IN {20240514}", "ZDAY = 20240514"),
        ("mode IN {\"area\", \"representative\"}", "1"), ("mode IN {\"area\"}", "ZMODE = 0"),
        ("state IN {\"kept\", \"missing\"}", "1"), ("state == \"missing\"", "0"),
        ("colors == 1", "1"), ("colors < 1", "0"), ("count == 5", "1"), ("colors < count", "1"),
        ("date > \"2024-05-13T12:00:00Z\"", "ZDATE > 737294400 + 0"),
        ("date > \"2024-05-13T07:00:00-05:00\"", "ZDATE > 737294400 + 0"),
    ])
    func `a day is the photo's own, in lists and ranges too`(predicate: String, sql: String) throws {
        let count = try bench.shell("sqlite3 Moody.moody 'SELECT count(*) FROM ZMOOD WHERE \(sql)'").out
        if predicate.contains("T12") {
            #expect(try found(predicate) == 1)
        } else {
            #expect(try found(predicate) == Int(count.trimmingCharacters(in: .newlines)))
        }
    }

    @Test(arguments: [
        ("date > \"2024-05-14T23:00:00\"", "needs a zone"), ("date == \"banana\"", "is no day"),
        ("date == \"2024-02-31\"", "is no day"), ("date LIKE \"2024*\"", "is no text"),
        ("date BEGINSWITH \"2024\"", "is no text"),
        ("mode == \"mean\"", "mode is area, representative, not mean"),
        ("state IN {\"kept\", \"present\"}", "state is kept, "),
        ("date IN {\"2024-05-14\", \"2024-05-14T10:00:00Z\"}", "of different kinds"),
    ])
    func `what cannot be meant is refused with a sentence`(predicate: String, reason: String) throws {
        for command in ["list", "delete", "export"] {
            let words =
                command == "export" ? ["export", "csv"] : command == "delete" ? ["delete", "-n"] : [command]
            let run = try bench.run(words + ["--where", predicate])
            #expect(run.status == 64 && run.err.contains(reason), "\(run)")
        }
    }

    @Test(arguments: ["--sort=id:desc", "--sort=-id", "--sort=id"])
    func `a limit cuts the list in its order`(_ sort: String) throws {
        let all = try bench.moody("list", sort, "--json").lines
        #expect(try bench.moody("list", sort, "--json", "--limit", "3").lines == Array(all.prefix(3)))
        #expect(all.first?.contains(sort == "--sort=id" ? "\"id\":1," : "\"id\":14,") == true)
    }
}
