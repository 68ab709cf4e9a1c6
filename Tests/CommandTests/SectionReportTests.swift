import Foundation
import TestSupport
import Testing

/// Change reports in sections, checked from outside: applied to `list --json --section` of before they give
/// that of after.
@Suite struct SectionReportTests {
    private let bench: Workbench

    init() throws { bench = try Workbench() }

    /// A section, and its moods as text.
    private struct Section: Equatable {
        var name: String
        var moods: [String]
    }

    private static func object(_ line: some StringProtocol) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }

    private func list(_ section: String) throws -> [Section] {
        guard bench.exists("Moody.moody") else { return [] }
        var sections: [Section] = [], counts: [Int] = []
        for line in try bench.moody("list", "--json", "--section", section).lines {
            let object = try Self.object(line)
            if let index = object["section"] as? Int {
                #expect(index == sections.count)
                sections.append(Section(name: try #require(object["name"] as? String), moods: []))
                counts.append(try #require(object["count"] as? Int))
            } else {
                sections[sections.count - 1].moods.append(line)
            }
        }
        #expect(sections.map(\.moods.count) == counts)
        return sections
    }

    /// By the rules of docs/DATA.md.
    private func apply(_ report: [String], to list: [Section]) throws -> [Section] {
        var list = list
        let lines = try report.map { line in
            let text = line.range(of: "\"mood\":").map { String(line[$0.upperBound...].dropLast()) }
            return (change: try Self.object(line), mood: text)
        }
        let batches = Dictionary(grouping: lines) { $0.change["batch"] as? Int ?? 0 }
        for (_, batch) in batches.sorted(by: { $0.key < $1.key }) {
            func rows(_ kinds: String..., end: String) -> [(section: Int, row: Int, mood: String)] {
                batch.compactMap { line in
                    guard kinds.contains(line.change["change"] as? String ?? ""),
                        let indexPath = line.change[end] as? [Int]
                    else { return nil }
                    return (indexPath[0], indexPath[1], line.mood ?? "")
                }
            }
            for row in rows("delete", "move", end: "from").sorted(by: { ($0.0, $0.1) > ($1.0, $1.1) }) {
                list[row.section].moods.remove(at: row.row)
            }
            let gone = batch.filter { $0.change["change"] as? String == "section delete" }
            for index in gone.compactMap({ $0.change["from"] as? Int }).sorted(by: >) {
                #expect(list[index].moods.isEmpty)
                list.remove(at: index)
            }
            let come = batch.filter { $0.change["change"] as? String == "section insert" }
                .compactMap { line in
                    (line.change["to"] as? Int).map { ($0, line.change["name"] as? String ?? "") }
                }
            for (index, name) in come.sorted(by: { $0.0 < $1.0 }) {
                list.insert(Section(name: name, moods: []), at: index)
            }
            for row in rows("insert", "move", end: "to").sorted(by: { ($0.0, $0.1) < ($1.0, $1.1) }) {
                list[row.section].moods.insert(row.mood, at: row.row)
            }
            for row in rows("update", end: "to") { list[row.section].moods[row.row] = row.mood }
        }
        return list
    }

    private static let colors = [
        "c02020", "d08020", "e0d020", "20a030", "20a0a0", "2050d0", "8030c0", "e060b0", "808080", "202020",
    ]

    /// Puts, renames, recolors and removes some photos: their names say their days.
    private func edit(_ random: inout SplitMix64) throws {
        var squares: [(name: String, hex: String)] = []
        let names = try bench.shell("mkdir -p Photos; cd Photos; find . -type f | sort").lines.map {
            "Photos/" + $0.dropFirst(2)
        }
        var left = names
        func path() -> String {
            let folder = ["", "deep/", "north/"][Int(random.next() % 3)]
            // Of some only the file's time is known.
            if random.next() % 4 == 0 { return "Photos/\(folder)plain\(random.next() % 9).png" }
            let day = "20240\(1 + random.next() % 3)0\(1 + random.next() % 9)"
            return "Photos/\(folder)IMG_\(day)_1\(random.next() % 10)\(random.next() % 6)000.png"
        }
        for _ in 0..<2 + random.next() % 3 {
            squares.append((path(), Self.colors[Int(random.next() % UInt64(Self.colors.count))]))
        }
        for _ in 0..<random.next() % 4 {
            guard !left.isEmpty else { break }
            let name = left.remove(at: Int(random.next() % UInt64(left.count)))
            switch random.next() % 3 {
            case 0: try bench.remove(name)
            case 1:
                let new = path()
                if !bench.exists(new), !squares.contains(where: { $0.name == new }) {
                    _ = try bench.shell("mkdir -p \"$(dirname \(new))\" && mv \(name) \(new)")
                }
            default: squares.append((name, Self.colors[Int(random.next() % UInt64(Self.colors.count))]))
            }
        }
        try bench.putSquares(squares)
    }

    @Test(arguments: ["month", "country", "folder", "hue"], [1, 2] as [UInt64])
    func `a report in sections leads from the list of before to the list of after`(
        section: String, seed: UInt64
    ) throws {
        var random = SplitMix64(seed: seed), kinds: Set<String> = []
        for step in 0..<6 {
            try edit(&random)
            // Chance may spare them all.
            if step == 4 { _ = try bench.shell("rm \"$(find Photos -type f | sort | head -n 1)\"") }
            let before = try list(section)
            let prune = step % 2 == 0 ? ["--prune"] : []
            let command =
                step == 3
                ? ["watch", "--once", "--json", "--section", section, "Photos"]
                : ["ingest", "--report", "out.jsonl", "-q", "--section", section] + prune + ["Photos"]
            let run = try bench.run(command)
            try #require(run.status == 0, "seed \(seed), step \(step): \(run.err)")
            let report =
                step == 3
                ? run.lines : try bench.read("out.jsonl").split(separator: "\n").map(String.init)
            kinds.formUnion(try report.compactMap { try Self.object($0)["change"] as? String })
            let after = try list(section)
            try #require(try apply(report, to: before) == after, "seed \(seed), step \(step): \(report)")
        }
        #expect(kinds.contains("insert") && kinds.contains("delete") && kinds.contains("section insert"))
        let names = try list(section).map(\.name)
        #expect(Set(names).count == names.count)
        let count = try list(section).map(\.moods.count).reduce(0, +)
        #expect(try count == bench.moody("list").lines.count)
    }

    @Test func `sections by hue come round the circle, grays last, and within one the newest first`() throws {
        try bench.putSquares([
            ("Photos/20240101.png", "2050d0"), ("Photos/20240102.png", "808080"),
            ("Photos/20240103.png", "c02020"), ("Photos/20240104.png", "3060e0"),
            ("Photos/20240105.png", "20a030"), ("Photos/20240106.png", "e060b0"),
        ])
        _ = try bench.moody("ingest", "Photos")
        func columns(_ lines: [String]) -> [String] {
            lines.map { line in
                line.hasSuffix(")") ? line : String(line.split(separator: " ").last ?? "")
            }
        }
        #expect(
            try columns(bench.moody("list", "--section", "hue").lines) == [
                "Pink (1)", "20240106.png", "Red (1)", "20240103.png", "Green (1)", "20240105.png",
                "Blue (2)", "20240104.png", "20240101.png", "Gray (1)", "20240102.png",
            ])
        // The limit counts in the order that is shown.
        #expect(
            try columns(bench.moody("list", "--section", "hue", "--limit", "2").lines) == [
                "Pink (1)", "20240106.png", "Red (1)", "20240103.png",
            ])
        #expect(
            try columns(bench.moody("list", "--section", "hue", "--sort", "path").lines).suffix(5) == [
                "Blue (2)", "20240101.png", "20240104.png", "Gray (1)", "20240102.png",
            ])
    }

    @Test(arguments: ["date", "date:asc", "path"])
    func `photos without a day of their own come last, under none of the months`(order: String) throws {
        try bench.putSquares([
            ("Photos/20240105.png", "2050d0"), ("Photos/copied.png", "808080"),
            ("Photos/20240311.png", "c02020"), ("Photos/20240120.png", "3060e0"),
            ("Photos/scan.png", "e060b0"),
        ])
        _ = try bench.shell("touch -d 2024-02-02 Photos/copied.png && touch -d 2024-01-09 Photos/scan.png")
        let report = try bench.moody("ingest", "--section", "month", "Photos").lines
        #expect(Set(report.prefix(3)) == ["+ 2024-03", "+ 2024-01", "+ Undated"])
        let lines = try bench.moody("list", "--section", "month", "--sort", order).lines.map { line in
            line.hasSuffix(")") ? line : String(line.split(separator: " ").last ?? "")
        }
        let january = ["2024-01 (2)", "20240105.png", "20240120.png"],
            march = ["2024-03 (1)", "20240311.png"]
        let months =
            order == "date"
            ? march + [january[0]] + january.dropFirst().reversed() : january + march
        let undated = order == "date:asc" ? ["scan.png", "copied.png"] : ["copied.png", "scan.png"]
        #expect(lines == months + ["Undated (2)"] + undated)
        // Once its name says a day, it has one.
        try bench.move("Photos/scan.png", to: "Photos/20240312.png")
        let renamed = try bench.moody("ingest", "--json", "--section", "month", "Photos").lines
        #expect(renamed.count == 1 && renamed[0].hasPrefix("{\"v\":1,\"change\":\"move\""), "\(renamed)")
        let json = try bench.moody("list", "--json", "--section", "month").lines
        #expect(json.contains("{\"v\":1,\"section\":0,\"name\":\"2024-03\",\"count\":2}"))
        #expect(json.contains("{\"v\":1,\"section\":2,\"name\":\"Undated\",\"count\":1}"))
    }

    @Test func `text reports name the sections that come and go`() throws {
        try bench.putSquares([("Photos/20240101.png", "2050d0")])
        let first = try bench.moody("ingest", "--section", "hue", "Photos")
        #expect(first.lines.count == 2 && first.lines.first == "+ Blue")
        try bench.remove("Photos/20240101.png")
        try bench.putSquares([("Photos/20240102.png", "c02020")])
        let lines = try bench.moody("ingest", "--prune", "--section", "hue", "Photos").lines
        #expect(lines.first == "+ Red" && lines.last == "- Blue" && lines.count == 4)
        #expect(try bench.moody("ingest", "--section", "hour", "Photos").status == 64)
    }
}
