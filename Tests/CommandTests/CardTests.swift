import Foundation
import Testing

/// moody export card, read by Python's zlib and a filter written apart.
@Suite struct CardTests {
    private let bench: Workbench

    init() throws {
        bench = try Workbench()
        try bench.putPhotos()
        #expect(try bench.moody("ingest", "Photos").status == 0)
    }

    /// Size, and of one row the colors that cover more than five pixels.
    private static let reader = """
        import struct, sys, zlib
        data = open(sys.argv[1], "rb").read()
        width, height = struct.unpack(">2I", data[16:24])
        at, packed = 8, b""
        while at < len(data):
            size, kind = struct.unpack(">I4s", data[at:at + 8])
            if kind == b"IDAT": packed += data[at + 8:at + 8 + size]
            at += 12 + size
        raw, last, rows = zlib.decompress(packed), bytearray(3 * width), []
        for y in range(height):
            start, end = y * (3 * width + 1), (y + 1) * (3 * width + 1)
            kind, line = raw[start], bytearray(raw[start + 1:end])
            for i in range(3 * width):
                a, b, c = (line[i - 3] if i > 2 else 0), last[i], (last[i - 3] if i > 2 else 0)
                p = a + b - c
                paeth = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
                line[i] = (line[i] + [0, a, b, (a + b) // 2, paeth][kind]) & 255
            rows.append(line)
            last = line
        print(width, height, b"moody palettes" in data)
        best = []
        for line in rows:
            runs = []
            for x in range(width):
                color = "#" + line[3 * x:3 * x + 3].hex()
                if runs and runs[-1][0] == color: runs[-1][1] += 1
                else: runs.append([color, 1])
            runs = [color for color, count in runs if count > 25 and color != "#ffffff"]
            best.append(runs)
        print(*max(best, key=lambda runs: (best.count(runs) > 100 and len(runs))))
        """

    @Test(arguments: [([String](), "1080 1350"), (["--wide"], "1920 1080")])
    func `a card has its size, says whose it is, and has the palette in order`(
        options: [String], size: String
    )
        throws
    {
        try bench.write(Self.reader, to: "read.py")
        let arguments = ["export", "card", "Photos/harbour.jpg", "--output", "card.png"] + options
        #expect(try bench.run(arguments).status == 0)
        let lines = try bench.shell("python3 read.py card.png").lines
        #expect(lines.first == "\(size) True")
        let hexes = try bench.moody("export", "hex", "Photos/harbour.jpg").lines
        #expect(hexes.count == 2 && lines.last == hexes.joined(separator: " "), "\(lines), \(hexes)")
        // What moody wrote it replaces.
        #expect(try bench.run(arguments).status == 0)
    }

    @Test func `several photos need a folder, and a photo that is gone is shown by its thumbnail`() throws {
        let several = try bench.moody("export", "card")
        #expect(several.status == 64 && several.err.contains("need a folder: --output DIR/"))
        #expect(try bench.moody("export", "hex", "--wide").status == 64)
        _ = try bench.shell("rm Photos/forest.jpg")
        let run = try bench.moody("export", "card", "--output", "Cards/")
        #expect(run.status == 0 && run.err.contains("forest.jpg: gone or changed; its thumbnail is shown"))
        #expect(try bench.shell("ls Cards").lines == ["desert.png", "forest.png", "harbour.png"])
        // Nor a thumbnail, as after an import of records without any.
        _ = try bench.shell(
            "sqlite3 Moody.moody 'DELETE FROM ZTHUMBNAIL; UPDATE ZMOOD SET ZTHUMBNAIL = NULL'")
        let bare = try bench.moody("export", "card", "--output", "Bare/")
        #expect(bare.status == 1 && !bare.err.contains("its thumbnail is shown"), "\(bare)")
        #expect(bare.err.contains("forest.jpg: neither the photo nor its thumbnail can be read"), "\(bare)")
        #expect(try bench.shell("ls Bare").lines == ["desert.png", "harbour.png"])
    }
}
