import Foundation
import Testing

/// Palettes of folders.
@Suite struct ExtractTests {
    private let bench: Workbench

    init() throws {
        bench = try Workbench()
        try bench.putPhotos()
        try bench.put("slate.png", as: "Photos/deep/slate.png")
        try bench.write("hello", to: "Photos/notes.txt")
    }

    /// GIMP's palettes: three channels, a tab, and a name; a comment over each photo's.
    @Test func `a swatch file has the colors of all photos, under their names`() throws {
        let run = try bench.moody("extract", "--format", "gpl", "Photos")
        let lines = run.out.split(separator: "\n").map(String.init)
        #expect(run.status == 0 && lines.first == "GIMP Palette")
        #expect(
            lines.filter { $0.hasPrefix("# ") }
                == ["# slate.png", "# desert.jpg", "# forest.jpg", "# harbour.jpg"])
        let colors = lines.compactMap { line in
            line.firstMatch(of: /^ *([0-9]+) +([0-9]+) +([0-9]+)\t/).map { found in
                "#"
                    + [found.1, found.2, found.3].map { channel in
                        let digits = String(Int(channel) ?? -1, radix: 16)
                        return digits.count == 1 ? "0" + digits : digits
                    }.joined()
            }
        }
        let hexes = try bench.moody("extract", "--format", "hex", "Photos").lines.filter { $0 != "" }
        #expect(colors.count >= 4 && colors == hexes)
    }

    /// Two thirds of 24 rows.
    @Test func `shares are rounded to a tenth of a percent`() throws {
        let made = try bench.shell(
            """
            python3 -c 'import zlib
            def chunk(kind, data):
                return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")
            rows = (b"\\0" + b"\\xff\\0\\0" * 24) * 16 + (b"\\0" + b"\\0\\0\\xff" * 24) * 8
            header = (24).to_bytes(4, "big") * 2 + bytes([8, 2, 0, 0, 0])
            open("thirds.png", "wb").write(b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", header)
                + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))'
            """)
        try #require(made.status == 0, "\(made)")
        let lines = try bench.moody("extract", "thirds.png").lines
        #expect(lines.contains { $0.contains("#ff0000  66.7% ") }, "\(lines)")
        #expect(lines.contains { $0.contains("#0000ff  33.3% ") }, "\(lines)")
    }

    @Test func `a folder's photos come in the order of their paths, what is none is passed over`() throws {
        let run = try bench.moody("extract", "--json", "Photos")
        let paths = try run.lines.map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return object?["path"] as? String ?? ""
        }
        #expect(
            paths == ["deep/slate.png", "desert.jpg", "forest.jpg", "harbour.jpg"].map { "Photos/\($0)" })
        #expect(run.status == 0 && run.err == "")
        #expect(
            try bench.moody("extract", "-v", "Photos").err.contains("moody: Photos/notes.txt: no picture\n"))
        #expect(try bench.moody("extract", "Photos/notes.txt").status == 1)
        // The same as one by one, and the same again.
        let alone = try paths.map { try bench.moody("extract", "--json", $0).out }.joined()
        #expect(run.out == alone)
    }

    @Test func `a broken photo in a folder is named and stops nothing`() throws {
        try bench.write("hello", to: "Photos/broken.jpg")
        let run = try bench.moody("extract", "--format", "csv", "Photos")
        #expect(run.status == 1)
        #expect(run.err.contains("moody: Photos/broken.jpg: not a picture of a known kind\n"))
        let lines = run.out.components(separatedBy: "\r\n").dropFirst()
        #expect(Set(lines.compactMap { $0.split(separator: ",").first }).count == 4)
    }

    @Test func `where no photo can be read the file that is there stays`() throws {
        try bench.write("hello", to: "broken.jpg")
        #expect(try bench.moody("extract", "--format", "csv", "-o", "all.csv", "Photos").status == 0)
        let before = try bench.read("all.csv")
        #expect(try bench.moody("extract", "--format", "csv", "-o", "all.csv", "broken.jpg").status == 1)
        #expect(try bench.read("all.csv") == before)
        let some = try bench.moody("extract", "--format", "csv", "-o", "all.csv", "broken.jpg", "Photos/deep")
        #expect(some.status == 1)
        #expect(try bench.read("all.csv") != before && bench.read("all.csv").contains("deep/slate.png"))
    }

    @Test func `a folder with one photo is no photo that was named alone`() throws {
        try bench.put("slate.png", as: "One/slate.png")
        #expect(try bench.moody("extract", "One").lines.first == "One/slate.png")
        #expect(try bench.moody("extract", "One/slate.png").lines.first?.hasPrefix("#336699") == true)
    }
}
