import Testing

extension Workbench {
    /// Square pictures of 8 pixels, each of one color, in folders that are made on the way.
    ///
    /// - Parameter colors: file name in the folder, six hex digits.
    func putSquares(_ colors: [(name: String, hex: String)]) throws {
        let list = colors.map { "\($0.hex) \($0.name)" }.joined(separator: "\n")
        try write(list, to: ".squares")
        let run = try shell(
            """
            python3 -c 'import os, zlib
            def chunk(kind, data):
                return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")
            for line in open(".squares").read().splitlines():
                color, name = line.split(" ", 1)
                os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
                header = (8).to_bytes(4, "big") * 2 + bytes([8, 2, 0, 0, 0])
                rows = (b"\\0" + bytes.fromhex(color) * 8) * 8
                open(name, "wb").write(b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", header)
                    + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))'
            status=$?; rm .squares; exit $status
            """)
        try #require(run.status == 0, "\(run.err)")
    }

    /// A fixture with a place of its own in EXIF: one block of metadata in front of whatever the JPEG has.
    ///
    /// - Parameters:
    ///   - latitude: degrees north.
    ///   - longitude: degrees east.
    func put(_ fixture: String, at latitude: Double, _ longitude: Double, as name: String) throws {
        let run = try shell(
            """
            python3 -c 'import os, struct, sys
            def entry(tag, kind, count, value): return struct.pack(">HHI", tag, kind, count) + value
            def angle(x):
                whole = round(abs(x) * 3600 * 1000)
                return struct.pack(">6I", whole // 3600000, 1, whole // 60000 % 60, 1, whole % 60000, 1000)
            north, east = \(latitude), \(longitude)
            gps = 26
            data = gps + 2 + 4 * 12 + 4
            tiff = b"MM\\0\\x2a" + struct.pack(">I", 8) + struct.pack(">H", 1)
            tiff += entry(0x8825, 4, 1, struct.pack(">I", gps)) + struct.pack(">I", 0)
            tiff += struct.pack(">H", 4)
            tiff += entry(1, 2, 2, (b"N" if north >= 0 else b"S") + b"\\0\\0\\0")
            tiff += entry(2, 5, 3, struct.pack(">I", data))
            tiff += entry(3, 2, 2, (b"E" if east >= 0 else b"W") + b"\\0\\0\\0")
            tiff += entry(4, 5, 3, struct.pack(">I", data + 24)) + struct.pack(">I", 0)
            tiff += angle(north) + angle(east)
            block = b"Exif\\0\\0" + tiff
            jpeg = open(os.environ["fixtures"] + "/\(fixture)", "rb").read()
            os.makedirs(os.path.dirname("\(name)") or ".", exist_ok=True)
            open("\(name)", "wb").write(
                jpeg[:2] + b"\\xff\\xe1" + struct.pack(">H", len(block) + 2) + block + jpeg[2:])'
            """)
        try #require(run.status == 0, "\(run.err)")
    }
}
