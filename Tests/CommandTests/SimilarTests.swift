import Foundation
import Testing

@Suite struct SimilarTests {
    private let bench: Workbench

    /// Pictures of colored blocks: one, it twice as large, in a mirror, another one, a plain one.
    init() throws {
        bench = try Workbench()
        let run = try bench.shell(
            """
            mkdir P; python3 -c 'import random, zlib
            def chunk(kind, data):
                return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")
            def save(name, rows):
                sides = len(rows[0]).to_bytes(4, "big") + len(rows).to_bytes(4, "big")
                header = sides + bytes([8, 2, 0, 0, 0])
                data = b"".join(b"\\0" + b"".join(row) for row in rows)
                open(name, "wb").write(b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", header)
                    + chunk(b"IDAT", zlib.compress(data)) + chunk(b"IEND", b""))
            def made(seed):
                random.seed(seed)
                blocks = [[random.randbytes(3) for _ in range(20)] for _ in range(15)]
                return [[blocks[y // 8][x // 8] for x in range(160)] for y in range(120)]
            one = made(1)
            save("P/one.png", one)
            save("P/large.png", [[row[x // 2] for x in range(320)] for row in one for _ in range(2)])
            save("P/mirror.png", [row[::-1] for row in one])
            save("P/other.png", made(2))
            save("P/plain.png", [[b"abc"] * 50] * 50)'
            """)
        try #require(run.status == 0, "\(run.err)")
        let ingest = try bench.moody("ingest", "-q", "P")
        try #require(ingest.status == 0, "\(ingest.err)")
    }

    /// The clock of a photo, to the second.
    private func date(_ name: String, _ seconds: Int) throws {
        try bench.write(
            """
            <x:xmpmeta xmlns:x='adobe:ns:meta/'>
            <rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>
            <rdf:Description rdf:about='' xmlns:exif='http://ns.adobe.com/exif/1.0/'
             exif:DateTimeOriginal='2024-05-06T07:08:\(seconds)'/></rdf:RDF></x:xmpmeta>
            """, to: "P/\(name).xmp")
    }

    private struct Line: Decodable {
        struct Mood: Decodable { let path: String }
        var section: Int?
        var name: String?
        var count: Int?
        var similar: Int?
        var distance: Int?
        var best: Bool?
        var mirrored: Bool?
        var mood: Mood?
    }

    private func lines(_ run: Workbench.Run) throws -> [Line] {
        try run.lines.map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
    }

    @Test func `copies are shown in groups, the best first`() throws {
        let run = try bench.moody("list", "--similar", "copies")
        #expect(run.status == 0 && run.err == "moody: 1 photo is too plain to compare\n")
        #expect(run.lines.count == 4 && run.lines[0] == "3 copies")
        #expect(run.lines[1].hasPrefix("* ") && run.lines[1].hasSuffix("large.png"))
        #expect(run.lines[2...].allSatisfy { $0.hasPrefix("  ") })
        let paths = try bench.moody("list", "--similar", "copies", "-0", "-q")
        let root = try bench.realPath
        let names = paths.out.split(separator: "\0").map { $0.dropFirst(root.count + 3) }
        #expect(names.first == "large.png" && Set(names) == ["large.png", "one.png", "mirror.png"])
        #expect(paths.err.isEmpty)
    }

    @Test func `a page with copies tells their groups, and one without them nothing`() throws {
        // A page has those with dates first.
        try date("one.png", 10)
        #expect(try bench.moody("ingest", "-q", "P").status == 0)
        #expect(try bench.moody("export", "html", "-o", "a.html").status == 0)
        #expect(try bench.moody("export", "html", "-o", "pages/").status == 0)
        let ids = try bench.shell("\"$moody\" list --similar copies --json -q").out
            .matches(of: /"id":([0-9]+)/).compactMap { Int($0.1) }
        for page in ["a.html", "pages/index.html"] {
            let text = try bench.read(page)
            let rows = text.matches(of: /<figure id="m([0-9]+)"/).compactMap { Int($0.1) }
            let places = ids.compactMap { rows.firstIndex(of: $0) }
            #expect(places.count == 3)
            #expect(text.contains("\"similar\":[\(places)]".replacing(", ", with: ",")))
        }
        #expect(try bench.moody("export", "html", "-o", "b.html", "--where", "width < 160").status == 0)
        #expect(try !bench.read("b.html").contains("similar"))
    }

    @Test func `a mood without a hash is told what helps, also where the store cannot be written`() throws {
        // As an earlier version left it.
        let change = try bench.shell(
            """
            python3 -c 'import sqlite3
            with sqlite3.connect("Moody.moody") as store:
                store.execute("UPDATE ZMOOD SET ZPICTUREHASH = NULL WHERE Z_PK = 1")'
            chmod 755 . P; chmod 644 Moody.moody* P/*
            """)
        try #require(change.status == 0, "\(change.err)")
        let run = try bench.moody("list", "--similar", "copies")
        // The mark says that they were made: only reading the photo again gives it one.
        #expect(run.err.contains("moody: 1 mood has no picture hash yet: moody ingest --recompute\n"))
        let unmarked = try bench.shell(
            """
            python3 -c 'import sqlite3, plistlib
            with sqlite3.connect("Moody.moody") as store:
                (data,) = store.execute("SELECT Z_PLIST FROM Z_METADATA").fetchone()
                values = plistlib.loads(data)
                values.pop("moody.pictureHashes")
                data = plistlib.dumps(values, fmt=plistlib.FMT_BINARY)
                store.execute("UPDATE Z_METADATA SET Z_PLIST = ?", (data,))'
            """)
        try #require(unmarked.status == 0, "\(unmarked.err)")
        let plain = try bench.moody("list", "--similar", "copies")
        #expect(plain.err.contains("moody: 1 mood has no picture hash yet: moody ingest\n"))
        let readOnly = try bench.nobody("$moody list --similar copies")
        let place = try bench.realPath + "/Moody.moody"
        #expect(
            readOnly.err.contains("yet: moody store convert \(place) Moody.moody, in a folder that you may"))
        // It does what it says.
        let own = try bench.shell(
            """
            mkdir own && cd own && "$moody" store convert -q \(place) Moody.moody
            "$moody" ingest -q --store Moody.moody ../P && "$moody" list --similar copies --store Moody.moody
            """)
        #expect(own.status == 0 && !own.err.contains("no picture hash"), "\(own)")
    }

    @Test func `JSON tells group, distance, best, and mirror`() throws {
        let all = try lines(bench.moody("list", "--similar", "copies", "--json"))
        #expect(all.count == 4 && all[0].section == 0 && all[0].name == "copies" && all[0].count == 3)
        #expect(all[1].best == true && all[1].distance == 0 && all[1].mirrored == nil)
        let rest = all.dropFirst(2)
        #expect(rest.allSatisfy { $0.similar == 0 && $0.best == nil && $0.distance ?? 99 <= 31 })
        let checker = URL(fileURLWithPath: #filePath).appending(path: "../../../scripts/checks/json")
        let check = try bench.shell(
            "\"$moody\" list --similar copies --json -q | python3 '\(checker.standardizedFileURL.path)'")
        #expect(check.out == "check-json: 4 objects\n", "\(check)")
        #expect(rest.filter { $0.mirrored == true }.map { $0.mood?.path.hasSuffix("mirror.png") } == [true])
        // As the documents have it: those that may go.
        let script =
            "\"$moody\" list --similar copies --json | jq -r 'select(.mood and (.best | not)).mood.path'"
        if try bench.shell("command -v jq").status == 0 {
            #expect(try bench.shell(script).lines.count == 2)
        }
    }

    @Test func `photos whose clocks differ are a series and no copies`() throws {
        try date("one.png", 10)
        try date("large.png", 40)
        try date("mirror.png", 41)
        #expect(try bench.moody("ingest", "-q", "P").status == 0)
        let copies = try bench.moody("list", "--similar", "copies", "-q")
        #expect(copies.status == 0 && copies.out.isEmpty && copies.err.isEmpty)
        let series = try bench.moody("list", "--similar", "series", "-q")
        #expect(series.lines.count == 3 && series.lines[0] == "2 in a series")
        #expect(series.lines[1].hasSuffix("large.png") && series.lines[2].hasSuffix("one.png"))
        let crops = try lines(bench.moody("list", "--similar", "crops", "--json", "--where", "width < 320"))
        #expect(crops.isEmpty)
    }

    @Test(arguments: [
        (["31"], "--similar must be copies, crops, or series, not 31."),
        (
            ["copies", "--follow"],
            "--similar goes neither with --follow, --section, --duplicates, nor --limit."
        ),
        (["copies", "--section", "month"], "--similar goes neither with"),
        (["copies", "--duplicates"], "--similar goes neither with"),
        (["copies", "--limit", "2"], "--similar goes neither with"),
    ])
    func `what does not go together is refused`(_ arguments: [String], _ message: String) throws {
        let run = try bench.run(["list", "--similar"] + arguments)
        #expect(run.status == 64 && run.out.isEmpty && run.err.contains(message), "\(run)")
    }

    @Test func `records have the hash, so that an import is as an ingest`() throws {
        let copies = try bench.moody("list", "--similar", "copies", "--json", "-q")
        let records = try bench.moody("extract", "--format", "record", "P")
        #expect(records.lines.filter { $0.contains(/"pictureHash":"[0-9a-f]{64}"/) }.count == 4)
        #expect(records.lines.filter { $0.contains("\"pictureHash\":\"\"") }.count == 1)
        try bench.write(records.out, to: "records.jsonl")
        #expect(
            try bench.moody("import", "-q", "--store", "other.moody", "records.jsonl").status == 0)
        let stored = try bench.moody("export", "record").lines.sorted()
        func withoutFile(_ lines: [String]) -> [String] {
            lines.map { $0.replacing(/"path":"[^"]*\//, with: "\"path\":\"") }.sorted()
        }
        #expect(withoutFile(stored) == withoutFile(records.lines.filter { !$0.contains("\"end\"") }))
        let imported = try bench.moody(
            "list", "--similar", "copies", "--json", "-q", "--store", "other.moody")
        #expect(imported.lines.count == copies.lines.count && imported.lines.count == 4)
    }

    @Test(arguments: [
        ("\"pictureHash\":\"abc\"", "pictureHash is not 64 hexadecimal digits"),
        ("\"pictureHash\":\"+\(String(repeating: "0", count: 63))\"", "pictureHash is not 64"),
        ("\"rating\":6", "rating is out of range"),
    ])
    func `a record with a wrong value is a wrong line`(_ field: String, _ reason: String) throws {
        let record = try #require(try bench.moody("export", "record").lines.first)
        let broken = record.replacing(/"pictureHash":"[0-9a-f]*"/, with: field)
        try bench.write(broken + "\n", to: "broken.jsonl")
        let run = try bench.moody("import", "--store", "other.moody", "broken.jsonl")
        #expect(run.status == 1 && run.err.contains(reason), "\(run)")
    }
}
