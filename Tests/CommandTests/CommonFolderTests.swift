import Foundation
import TestSupport
import Testing

/// The folder that a list's paths are relative to, against another program's common path.
@Suite struct CommonFolderTests {
    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func `paths are relative to the innermost folder that holds all photos`(seed: UInt64) throws {
        let bench = try Workbench()
        try bench.putSquares([(name: "one.png", hex: "ff0000")])
        let record = try bench.moody("extract", "--format", "record", "one.png").lines[0]
        var random = SplitMix64(seed: seed)
        // Names around a slash in the order of bytes: a dash and a dot come before it, a letter behind it.
        let names = ["P", "P-old", "P.x", "Pa", "P\u{1}"]
        let folders = (0..<Int.random(in: 1...4, using: &random)).map { _ in
            (0..<Int.random(in: 0...3, using: &random)).map { _ in names.randomElement(using: &random) ?? "" }
        }
        let start = try #require(record.range(of: "\"path\":\"")).upperBound
        let end = try #require(record[start...].firstIndex(of: "\""))
        let paths = folders.enumerated().map { index, parts in
            "/" + (["base"] + parts + ["\(index).png"]).joined(separator: "/")
        }
        let lines = paths.map { path in
            let json = String(decoding: try! JSONEncoder().encode(path), as: UTF8.self).dropFirst().dropLast()
            return record[..<start] + json + record[end...]
        }
        try bench.write(lines.joined(separator: "\n") + "\n", to: "records.jsonl")
        #expect(try bench.moody("import", "records.jsonl").status == 0)
        let expected = try bench.shell(
            """
            python3 - <<'END'
            import json, os
            paths = [json.loads(line)["path"] for line in open("records.jsonl")]
            common = os.path.commonpath([os.path.dirname(p) for p in paths])
            for p in paths: print(os.path.relpath(p, common).replace("\\x01", "\\\\x01"))
            END
            """
        ).lines.sorted()
        let shown = try bench.moody("list").lines.map { line in
            String(line[line.index(after: line.lastIndex(of: " ") ?? line.startIndex)...])
        }
        #expect(shown.sorted() == expected, "seed \(seed): \(paths)")
    }

    @Test func `deleted moods are printed from the last of the list to the first, as JSON has them`() throws {
        let bench = try Workbench()
        try bench.putSquares((0..<6).map { (name: "P/\($0).png", hex: "ff000\($0)") })
        _ = try bench.moody("ingest", "P")
        _ = try bench.shell("cp Moody.moody Other.moody")
        let text = try bench.moody("delete", "2", "5", "1")
        let json = try bench.moody("delete", "--json", "--store", "Other.moody", "2", "5", "1")
        let numbers = json.lines.compactMap { line in
            line.firstMatch(of: /"id":(\d+)/).map { String($0.1) }
        }
        #expect(numbers.count == 3)
        #expect(text.lines.map { $0.split(separator: " ")[1] }.map(String.init) == numbers)
        #expect(text.lines.allSatisfy { $0.hasPrefix("- ") })
    }
}
