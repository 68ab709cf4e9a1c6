import Foundation
import Testing

/// One photo, a selection, all together; and how large a page's pictures are.
@Suite struct ExportSelectionTests {
    private static func bench() throws -> Workbench {
        let bench = try Workbench()
        try bench.putPhotos()
        #expect(try bench.moody("ingest", "-q", "Photos").status == 0)
        return bench
    }

    private static func hexes(_ text: String) -> [String] {
        text.matches(of: /#[0-9a-f]{6}/).map { String($0.output) }
    }

    @Test func `--each writes a file a photo, of those that are named`() throws {
        let bench = try Self.bench()
        #expect(try bench.moody("export", "hex", "--each", "--output", "All").status == 0)
        for name in ["desert", "forest", "harbour"] {
            let shown = Self.hexes(try bench.moody("show", "Photos/\(name).jpg").out)
            let written = Self.hexes(try bench.read("All/\(name).hex"))
            #expect(!shown.isEmpty && written == shown)
        }
        #expect(
            try bench.moody("export", "gpl", "--each", "--output", "One", "Photos/forest.jpg").status == 0)
        #expect(bench.exists("One/forest.gpl") && !bench.exists("One/desert.gpl"))
        // Its own files are replaced; one that somebody changed is not.
        #expect(try bench.moody("export", "hex", "--each", "--output", "All").status == 0)
        try bench.write("mine, and longer than what was there", to: "All/forest.hex")
        let refused = try bench.moody("export", "hex", "--each", "--output", "All")
        #expect(refused.status == 2 && refused.err.contains("forest.hex"))
        #expect(try bench.read("All/forest.hex").hasPrefix("mine"))
    }

    /// A link is as large as the path in it is long: as the file was that moody wrote.
    @Test func `--each writes through no link that stands in the place of a file`() throws {
        let bench = try Self.bench()
        #expect(try bench.moody("export", "hex", "--each", "--output", "All").status == 0)
        let target = String(repeating: "x", count: try bench.read("All/forest.hex").utf8.count - 3)
        _ = try bench.shell("ln -sf ../\(target) All/forest.hex")
        for text in [nil, "mine"] {
            if let text { try bench.write(text, to: target) }
            let run = try bench.moody("export", "hex", "--each", "--output", "All")
            #expect(
                run.status == 2 && run.err.hasSuffix("All/forest.hex: is not as moody wrote it\n"), "\(run)")
            #expect(try bench.exists(target) ? bench.read(target) == text : text == nil)
        }
    }

    /// A name has 255 bytes at most, of which `.tokens.json` takes 12.
    @Test func `--each shortens names that are too long, and keeps them apart`() throws {
        let bench = try Self.bench(), long = String(repeating: "n", count: 250)
        for (photo, name) in [("forest", "a"), ("harbour", "b")] {
            try bench.move("Photos/\(photo).jpg", to: "Photos/\(long)\(name).jpg")
        }
        #expect(try bench.moody("ingest", "-q", "Photos").status == 0)
        let stem = String(repeating: "n", count: 200)
        for _ in 0..<2 {
            let run = try bench.moody("export", "tokens", "--each", "--output", "All", "--sort", "path")
            #expect(run.status == 0, "\(run)")
            let names = try FileManager.default.contentsOfDirectory(atPath: bench.path("All")).sorted()
            #expect(
                names == [
                    ".moody-export", "desert.tokens.json", "\(stem)-2.tokens.json", "\(stem).tokens.json",
                ])
        }
    }

    /// The name of a photo whose only dot stands first is no end; a character of two or four
    /// bytes is not cut.
    @Test func `--each names files as whole as names can be`() throws {
        let bench = try Self.bench(), stem = String(repeating: "n", count: 199)
        try bench.move("Photos/forest.jpg", to: "Photos/.jpg")
        let other = String(repeating: "m", count: 197)
        try bench.move("Photos/harbour.jpg", to: "Photos/\(stem)éé.jpg")
        try bench.move("Photos/desert.jpg", to: "Photos/\(other)🦆🦆.jpg")
        #expect(try bench.moody("ingest", "-q", "Photos/.jpg", "Photos").status == 0)
        #expect(try bench.moody("export", "hex", "--each", "--output", "All").status == 0)
        let names = try FileManager.default.contentsOfDirectory(atPath: bench.path("All")).sorted()
        #expect(names == [".jpg.hex", ".moody-export", "\(other).hex", "\(stem).hex"])
    }

    /// A line of the folder's list ends with a size, and base64 stands behind an equals sign.
    @Test func `--each of no photo takes nothing away`() throws {
        let bench = try Self.bench()
        _ = try bench.moody("ingest", "-q", "Photos")
        #expect(try bench.moody("export", "ase", "--each", "-o", "S/").status == 0)
        let before = try bench.shell("cd S && cat .moody-export && ls | sort").out
        _ = try bench.moody("export", "ase", "--each", "-o", "S/", "--where", "width > 99999")
        #expect(try bench.shell("cd S && cat .moody-export && ls | sort").out == before)
        #expect(before.contains(".ase"))
    }

    @Test func `--each knows its own files by any names, and takes those away that are gone`() throws {
        let bench = try Self.bench(), names = ["=desert", "a 12", "new\nline"]
        for (photo, name) in zip(["desert", "forest", "harbour"], names) {
            try bench.move("Photos/\(photo).jpg", to: "Photos/\(name).jpg")
        }
        #expect(try bench.moody("ingest", "-q", "Photos").status == 0)
        for arguments in [[], [], ["Photos/a 12.jpg"]] {
            let run = try bench.run(["export", "hex", "--each", "--output", "All"] + arguments)
            let count = arguments.isEmpty ? "3 files" : "1 file"
            #expect(run.status == 0 && run.err == "moody: wrote All: \(count)\n", "\(run)")
            let files = try FileManager.default.contentsOfDirectory(atPath: bench.path("All"))
            let wanted = arguments.isEmpty ? names : ["a 12"]
            #expect(Set(files) == Set(wanted.map { $0 + ".hex" } + [".moody-export"]))
        }
    }

    @Test func `--combined is the palette of all that was named`() throws {
        let bench = try Self.bench()
        let own = Self.hexes(try bench.moody("show", "Photos/forest.jpg").out)
        let alone = Self.hexes(
            try bench.moody(
                "export", "hex", "--combined", "-k", "\(own.count)", "Photos/forest.jpg"
            ).out)
        #expect(own.count > 1 && Set(alone) == Set(own))
        let all = Self.hexes(try bench.moody("export", "hex").out)
        let together = Self.hexes(try bench.moody("export", "hex", "--combined", "-k", "4").out)
        #expect(together.count == 4 && Set(together).count == 4 && Set(together).isSubset(of: all))
        // Of more than one photo: none has all four.
        #expect(!Set(together).isSubset(of: own))
    }

    @Test func `an empty MOODY_STORE is as none`() throws {
        let bench = try Workbench()
        try bench.putPhotos()
        #expect(try bench.moody("ingest", "-q", "Photos", environment: ["MOODY_STORE": ""]).status == 0)
        #expect(bench.exists("Moody.moody"))
        let list = try bench.moody("list", environment: ["MOODY_STORE": ""])
        #expect(list.status == 0 && list.lines.count == 3 && list.err.isEmpty)
        #expect(try bench.moody("list", environment: ["MOODY_STORE": "None.moody"]).status == 2)
    }

    /// Width and height of a JPEG: behind the marker of its frame. ITU T.81, B.2.2
    private static func size(_ path: String) throws -> [Int] {
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        var at = 2
        while at + 9 < bytes.count, bytes[at] == 0xFF {
            if [0xC0, 0xC1, 0xC2].contains(bytes[at + 1]) {
                return [7, 5].map { Int(bytes[at + $0]) << 8 | Int(bytes[at + $0 + 1]) }
            }
            at += 2 + Int(bytes[at + 2]) << 8 + Int(bytes[at + 3])
        }
        return []
    }

    @Test func `--thumbnail says how large a page's pictures are, and what is there is not read again`()
        throws
    {
        let bench = try Workbench()
        try bench.putNoise(side: 900, as: "noise.png")
        #expect(try bench.moody("ingest", "-q", "noise.png").status == 0)
        func page(_ pixels: Int, _ name: String) throws -> Int32 {
            try bench.moody("export", "html", "--thumbnail", "\(pixels)", "--output", name).status
        }
        #expect(try page(500, "Page/") == 0)
        #expect(try Self.size(bench.path("Page/pictures/1.jpg")) == [320, 320])
        #expect(try Self.size(bench.path("Page/sharp/1.jpg")) == [500, 500])
        // The large view has up to 1,600 pixels, of which this photo has 900.
        #expect(try Self.size(bench.path("Page/large/1.jpg")) == [900, 900])
        // A second page in the same place has the pictures that it asks for.
        #expect(try page(700, "Page/") == 0)
        #expect(try Self.size(bench.path("Page/sharp/1.jpg")) == [700, 700])
        #expect(try page(500, "Page/") == 0)
        #expect(try Self.size(bench.path("Page/sharp/1.jpg")) == [500, 500])
        #expect(try page(320, "Small/") == 0)
        #expect(!bench.exists("Small/sharp") && !bench.exists("Small/large"))
        // Gone: nothing can be read, and the page has what it had.
        try bench.remove("noise.png")
        #expect(try page(500, "Page/") == 0)
        #expect(try Self.size(bench.path("Page/large/1.jpg")) == [900, 900])
        #expect(try page(500, "Other/") == 0)
        #expect(!bench.exists("Other/sharp"))
        for wrong in [319, 1601] { #expect(try page(wrong, "Page/") == 64) }
    }

    @Test func `a panorama that an earlier version made blurred is made again, another photo is not`() throws
    {
        let bench = try Workbench()
        try bench.putNoise(side: 3600, height: 300, as: "wide.png")
        try bench.putNoise(side: 900, seed: 1, as: "square.png")
        #expect(try bench.moody("ingest", "-q", "wide.png", "square.png").status == 0)
        func page() throws { #expect(try bench.moody("export", "html", "--output", "Page/").status == 0) }
        try page()
        let marker = bench.path("Page/.moody-export")
        let sizes = try [1, 2].map { try Self.size(bench.path("Page/sharp/\($0).jpg")) }
        #expect(Set(sizes.map { $0.first ?? 0 }) == [2560, 640], "\(sizes)")
        // As a version before wrote it: no word of a cut.
        let text = try String(contentsOfFile: marker, encoding: .utf8)
        #expect(text.contains("-cut"))
        try text.replacing("-cut", with: "").write(toFile: marker, atomically: true, encoding: .utf8)
        let wide = sizes[0].first == 2560 ? 1 : 2
        for (number, photo) in [(wide, "wide.png"), (3 - wide, "square.png")] {
            try bench.remove(photo)
            try page()
            #expect(bench.exists("Page/sharp/\(number).jpg") == (photo == "square.png"), "\(photo)")
        }
    }
}
