import Foundation
import Testing

/// The change report, checked from outside: applied to the list of before it gives the list of after.
@Suite struct ReportTests {
    private let bench: Workbench

    init() throws {
        bench = try Workbench()
        try bench.putPhotos()
        try bench.put("slate.png", as: "Photos/slate.png")
        _ = try bench.shell("touch -d 2021-05-05T00:00:00Z Photos/slate.png")
    }

    private func list() throws -> [String] { try bench.moody("list", "--json").lines }

    /// Deletes and the old places of moves go by the list before a commit, from the end; inserts, updates and
    /// new places by the list after it, from the start.
    private func apply(_ report: String, to list: [String]) throws -> [String] {
        var list = list
        let changes = try report.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        func mood(_ line: Substring) -> String? {
            line.range(of: "\"mood\":").map { String(line[$0.upperBound...].dropLast()) }
        }
        let lines = report.split(separator: "\n")
        let all = zip(changes, lines).map { (change: $0, mood: mood($1)) }
        let batches = Dictionary(grouping: all) { $0.change["batch"] as? Int ?? 0 }
        for (_, batch) in batches.sorted(by: { $0.key < $1.key }) {
            let gone = batch.filter { ["delete", "move"].contains($0.change["change"] as? String) }
                .compactMap { $0.change["from"] as? Int }
            for index in gone.sorted(by: >) { list.remove(at: index) }
            let come = batch.filter { ["insert", "move"].contains($0.change["change"] as? String) }
            for item in come.sorted(by: { ($0.change["to"] as? Int ?? 0) < ($1.change["to"] as? Int ?? 0) }) {
                list.insert(item.mood ?? "", at: item.change["to"] as? Int ?? 0)
            }
            for item in batch where item.change["change"] as? String == "update" {
                list[try #require(item.change["to"] as? Int)] = try #require(item.mood)
            }
        }
        return list
    }

    private func check(_ arguments: String...) throws {
        let before = bench.exists("Moody.moody") ? try list() : []
        let run = try bench.run(arguments + ["--json"])
        #expect(run.status == 0, "\(run.err)")
        #expect(try apply(run.out, to: before) == list(), "\(arguments)")
    }

    @Test func `applied to the list of before it gives the list of after`() throws {
        try check("ingest", "Photos")
        // A change of date: a move in the list. Gone, come and moved files in the same run.
        try bench.put("desert.jpg", as: "Photos/forest.jpg")
        try bench.put("forest.jpg", as: "Photos/anew.jpg")
        try bench.remove("Photos/slate.png")
        try bench.move("Photos/harbour.jpg", to: "Photos/port.jpg")
        try check("ingest", "Photos")
        try check("ingest", "-k2", "Photos")
        try bench.remove("Photos/anew.jpg")
        try check("ingest", "--prune", "Photos")
        try check("delete", "Photos/desert.jpg", "Photos/port.jpg")
        try check("ingest", "--restore", "Photos")
        try check("ingest", "Photos")
    }

    @Test func `the file and standard output hold the same report`() throws {
        let run = try bench.moody("ingest", "--json", "--report", "report.jsonl", "Photos")
        #expect(run.out == (try bench.read("report.jsonl")))
        #expect(run.lines.count == 4)
        let again = try bench.moody("ingest", "--recompute", "--report", "-", "Photos")
        #expect(again.lines.count == 4)
        #expect(again.lines.allSatisfy { $0.hasPrefix("{\"v\":1,\"change\":\"update\",\"batch\":1,") })
    }

    @Test func `watch reports as ingest does`() throws {
        try check("watch", "--once", "Photos")
        try bench.move("Photos/harbour.jpg", to: "Photos/port.jpg")
        try bench.remove("Photos/slate.png")
        try check("watch", "--once", "Photos")
    }
}
