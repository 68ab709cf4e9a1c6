import Testing

extension Workbench {
    /// A square picture of noise: whatever the quality, its preview is too large for a row.
    ///
    /// - Parameter seed: another one is another picture.
    func putNoise(side: Int, height: Int? = nil, seed: Int = 0, as name: String) throws {
        let run = try shell(
            """
            python3 -c 'import random, zlib
            def chunk(kind, data):
                return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")
            noise = random.Random(\(seed))
            rows = b"".join(b"\\0" + noise.randbytes(\(side * 3)) for _ in range(\(height ?? side)))
            header = b"".join(n.to_bytes(4, "big") for n in [\(side), \(height ?? side)])
            header += bytes([8, 2, 0, 0, 0])
            open("\(name)", "wb").write(b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", header)
                + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b""))'
            """)
        try #require(run.status == 0, "\(run.err)")
    }
}
