import Foundation
import Testing

/// Lists by what is asked for, in sections, and what becomes of them while others write.
@Suite struct FollowTests {
    private let bench: Workbench

    init() throws {
        bench = try Workbench()
        try bench.putPhotos()
    }

    @Test func `a list shows what is asked for, in words`() throws {
        _ = try bench.moody("ingest", "Photos")
        func names(_ predicate: String) throws -> [String] {
            try bench.moody("list", "--sort", "path", "--where", predicate).lines.map {
                String($0.split(separator: " ").last ?? "")
            }
        }
        #expect(try names("date >= \"2024-06-29\"") == ["forest.jpg"])
        #expect(
            try names("date == \"2024-06-28\" || path ENDSWITH \"desert.jpg\"") == [
                "desert.jpg", "harbour.jpg",
            ])
        #expect(
            try names("!(date < \"2024-01-01\") && mode == \"representative\"") == [
                "forest.jpg", "harbour.jpg",
            ])
        #expect(try names("state == \"missing\"") == [])
        // The photo's own day, whatever the zone of the machine.
        let shifted = try bench.moody(
            "list", "--where", "date == '2024-06-28'", environment: ["TZ": "Pacific/Kiritimati"])
        #expect(shifted.lines.count == 1)
        let unknown = try bench.moody("list", "--where", "colour == 'red'")
        #expect(unknown.status == 64)
        #expect(unknown.err.contains("unknown key colour; keys: date, day, path, camera"), "\(unknown.err)")
        let broken = try bench.moody("list", "--where", "date >")
        #expect(broken.status == 64)
        #expect(
            broken.err.contains("--where: cannot be read from character 7 on: a value or a name is missing"))
        #expect(try bench.moody("list", "--follow", "--section", "month", "--limit", "3").status == 64)
        #expect(try bench.moody("list", "--section", "month", "-0").status == 64)
        #expect(try bench.moody("list", "--section", "hour").status == 64)
    }

    @Test func `sections stand together, with their names and counts`() throws {
        _ = try bench.moody("ingest", "Photos")
        let lines = try bench.moody("list", "--section", "month").lines
        #expect(
            lines.map { $0.split(separator: " ").last } == [
                "(2)", "forest.jpg", "harbour.jpg", "(1)", "desert.jpg",
            ])
        #expect(lines.first == "2024-06 (2)" && lines[3] == "2023-01 (1)")
        let json = try bench.moody("list", "--section", "month", "--sort", "path", "--json").lines.map(
            Self.parse)
        #expect(json.map { $0["section"] as? Int } == [0, nil, 1, nil, nil])
        #expect(json.compactMap { $0["name"] as? String } == ["2023-01", "2024-06"])
        try bench.put("harbour.jpg", as: "Photos/more/copy.jpg")
        _ = try bench.moody("ingest", "Photos")
        let folders = try bench.moody("list", "--section", "folder", "--sort", "path").lines
        #expect(
            folders.filter { $0.hasSuffix(")") }.map { $0.split(separator: "/").last } == [
                "Photos (3)", "more (1)",
            ])
    }

    /// The law, from outside: what a third process printed, applied to the list it began with, is the list at
    /// the end.
    @Test(arguments: [
        [], ["--section", "month"], ["--section", "folder", "--sort", "path"], ["--section", "hue"],
    ])
    func `a third process hears all that two others write, and its lines make the list at the end`(
        options: [String]
    ) throws {
        _ = try bench.moody("ingest", "Photos/harbour.jpg")
        let words = options.joined(separator: " ")
        let reader = try bench.startShell("exec \"$moody\" list --follow --json \(words)")
        try reader.waitForOut("harbour.jpg")
        let first = try bench.start("ingest", "Photos/forest.jpg")
        let second = try bench.start("ingest", "Photos/desert.jpg")
        #expect(try first.wait().status == 0)
        #expect(try second.wait().status == 0)
        try bench.put("forest.jpg", as: "Photos/later.jpg")
        try bench.put("harbour.jpg", as: "Photos/deep/later.jpg")
        _ = try bench.moody("ingest", "Photos")
        // What comes and goes between two looks is not told: it must have been seen before it goes.
        try reader.waitForOut("desert.jpg")
        _ = try bench.moody("delete", "Photos/desert.jpg")
        let wanted = Self.list(try bench.shell("\"$moody\" list --json \(words)").lines)
        #expect(wanted.joined().count == 4)
        try reader.waitUntil("the list at the end") {
            Self.list(reader.outText.split(separator: "\n").map(String.init)) == wanted
        }
        reader.send(SIGINT)
        let result = try reader.wait()
        #expect(result.status == 0)
        let kinds = result.lines.map(Self.parse).compactMap { $0["change"] as? String }
        #expect(kinds.filter { $0 == "insert" }.count == 4 && kinds.contains("delete"))
    }

    /// Nothing of it is in the store any more: what was shown is told.
    @Test(arguments: [[], ["--section", "hue"]])
    func `a mood that another process deleted goes with what was shown of it`(options: [String]) throws {
        _ = try bench.moody("ingest", "Photos/harbour.jpg", "Photos/desert.jpg")
        let words = options.joined(separator: " ")
        let reader = try bench.startShell("exec \"$moody\" list --follow --json \(words)")
        try reader.waitForOut("harbour.jpg")
        _ = try bench.moody("ingest", "Photos")
        try reader.waitForOut("forest.jpg")
        let shown = try bench.moody("list", "--json").lines
        _ = try bench.moody("delete", "Photos/desert.jpg", "Photos/forest.jpg")
        func deleted() -> [String] {
            reader.outText.split(separator: "\n").map(String.init).filter { $0.contains("\"delete\"") }
        }
        try reader.waitUntil("both deletes") { deleted().count >= 2 }
        reader.send(SIGINT)
        #expect(try reader.wait().status == 0)
        let told = deleted().map { line in
            line.range(of: "\"mood\":").map { String(line[$0.upperBound...].dropLast()) }
        }
        #expect(Set(told) == Set(shown.filter { !$0.contains("harbour.jpg") }))
    }

    /// As `tail -f`: the beginning of a list that may be very long, and then what becomes of all of it.
    /// A program that keeps no log of its changes: sqlite3.
    @Test func `what cannot be told of a followed list is said, and what comes later is told`() throws {
        _ = try bench.moody("ingest", "Photos")
        let reader = try bench.startShell("exec \"$moody\" list --follow")
        try reader.waitForOut("harbour.jpg")
        _ = try bench.shell("sqlite3 Moody.moody \"UPDATE ZMOOD SET ZCAMERA = 'other'\"; sleep 1")
        _ = try bench.shell("cp Photos/harbour.jpg Photos/late.jpg; \"$moody\" ingest -q Photos")
        try reader.waitForOut("late.jpg")
        reader.send(SIGINT)
        let run = try reader.wait()
        #expect(run.err == "moody: note: some changes could not be told; moody list shows them\n")
    }

    @Test func `a list that is followed begins with its first moods, and tells of the others too`() throws {
        for number in 10..<35 {
            try bench.put("harbour.jpg", as: "Many/\(number).jpg")
        }
        _ = try bench.moody("ingest", "Many")
        let all = try bench.moody("list").lines
        #expect(all.count == 25)
        for (options, count) in [("", 10), ("--limit 3", 3), ("--limit 100", 25)] {
            let reader = try bench.startShell("exec \"$moody\" list --follow \(options)")
            try reader.waitUntil("the beginning") { reader.outText.split(separator: "\n").count >= count }
            reader.send(SIGINT)
            #expect(try reader.wait().lines == Array(all.prefix(count)))
        }
        let reader = try bench.startShell("exec \"$moody\" list --follow --limit 2")
        try reader.waitUntil("the beginning") { reader.outText.split(separator: "\n").count == 2 }
        func told() -> [String] { reader.outText.split(separator: "\n").dropFirst(2).map(String.init) }
        _ = try bench.moody("ingest", "Photos/forest.jpg")
        try reader.waitForOut("forest.jpg")
        try FileManager.default.moveItem(
            at: bench.folder.appending(path: "Many/10.jpg"), to: bench.folder.appending(path: "Many/99.jpg"))
        _ = try bench.moody("ingest", "Many")
        try reader.waitForOut("99.jpg")
        _ = try bench.moody("delete", "Photos/forest.jpg", "Many/20.jpg")
        try reader.waitUntil("both deletes") { told().count { $0.hasPrefix("- ") } == 2 }
        reader.send(SIGINT)
        #expect(try reader.wait().status == 0)
        let signs = told().map { $0.prefix(1) }
        #expect(signs == ["+", "~", "-", "-"], "\(told())")
        // Of one that was never shown nothing but its number is known.
        let gone = told().suffix(2)
        #expect(gone.contains { $0.hasSuffix("forest.jpg") })
        #expect(gone.contains { $0.dropFirst(2).allSatisfy { $0 == " " || $0.isNumber } })
    }

    private static func parse(_ line: String) -> [String: Any] {
        (try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]) ?? [:]
    }

    /// The list that lines stand for: sections of moods first, then what changes; by the rules of
    /// docs/DATA.md.
    private static func list(_ lines: [String]) -> [[Int]] {
        var sections: [[Int]] = [], batch: [[String: Any]] = [], isSectioned = false
        func apply() {
            sections = Self.applied(batch, to: sections, isSectioned: isSectioned)
            batch = []
        }
        for line in lines.map(parse) {
            if line["section"] != nil {
                isSectioned = true
                sections.append([])
            } else if line["change"] != nil {
                if let last = batch.last?["batch"] as? Int, last != line["batch"] as? Int { apply() }
                batch.append(line)
            } else if let id = line["id"] as? Int {
                if sections.isEmpty { sections.append([]) }
                sections[sections.count - 1].append(id)
            }
        }
        apply()
        return sections
    }

    private static func applied(_ batch: [[String: Any]], to list: [[Int]], isSectioned: Bool) -> [[Int]] {
        var list = list.isEmpty && !isSectioned ? [[]] : list
        func indexPath(_ value: Any?) -> IndexPath? {
            if let row = value as? Int { return IndexPath(indexes: [0, row]) }
            return (value as? [Int]).map { IndexPath(indexes: $0) }
        }
        let rows = batch.filter { $0["id"] != nil && $0["change"] as? String != "update" }
        for old in rows.compactMap({ indexPath($0["from"]) }).sorted(by: >) {
            list[old[0]].remove(at: old[1])
        }
        let gone = batch.filter { $0["change"] as? String == "section delete" }.compactMap {
            $0["from"] as? Int
        }
        for section in gone.sorted(by: >) { list.remove(at: section) }
        let come = batch.filter { $0["change"] as? String == "section insert" }.compactMap {
            $0["to"] as? Int
        }
        for section in come.sorted() { list.insert([], at: section) }
        let entering = rows.compactMap { row in indexPath(row["to"]).map { ($0, row["id"] as? Int ?? 0) } }
        for (new, id) in entering.sorted(by: { $0.0 < $1.0 }) { list[new[0]].insert(id, at: new[1]) }
        return list
    }
}
