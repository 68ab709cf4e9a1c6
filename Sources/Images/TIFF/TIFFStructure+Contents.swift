extension TIFFStructure {
    /// Date, place, camera, orientation and XMP of the first directory.
    func metadata(notes: inout [String]) -> PhotoMetadata {
        guard let main = directory(at: first) else { return PhotoMetadata() }
        var metadata = PhotoMetadata()
        metadata.read(EXIFStructure(self), notes: &notes)
        if let photoshop = main.fields[34_377] { metadata.fill(fromPhotoshop: bytes[photoshop.range]) }
        if let iptc = main.fields[33_723] { metadata.fill(fromIPTC: bytes[iptc.range]) }
        if let xmp = main.fields[700] { metadata.fill(fromXMP: Array(bytes[xmp.range])) }
        return metadata
    }

    /// The name of the first page's compression when libtiff has no decoder for it.
    ///
    /// - Source: numbers of the TIFF tag registry and of tifffile's table, 259.
    var codingOfOthers: String? {
        switch directory(at: first).flatMap({ number($0.fields[259]) }) {
        case 33003, 33004, 33005, 34712: "JPEG 2000"
        case 34933: "PNG"
        case 22610, 34934: "JPEG XR"
        case 50002, 52546: "JPEG XL"
        default: nil
        }
    }

    /// Whether a picture in palette colors has the palette: libtiff would take what it lacks for something.
    var hasItsColorMap: Bool {
        guard let page = directory(at: first), number(page.fields[262]) == 3 else { return true }
        return page.fields[320]?.count == 3 << min(number(page.fields[258]) ?? 1, 16)
    }

    /// The largest JPEG that one of the directories names as a picture: a raw file's preview.
    var largestPreview: Range<Int>? {
        directories.compactMap { directory -> Range<Int>? in
            let isJPEG = [6, 7].contains(number(directory.fields[259]) ?? 0)
            let pairs = [(513, 514)] + (isJPEG ? [(273, 279)] : [])
            for (offset, size) in pairs where directory.fields[offset]?.count == 1 {
                guard let start = number(directory.fields[offset]),
                    let count = number(directory.fields[size]),
                    start > 0, count > 4, start <= bytes.count - count,
                    bytes[start] == 0xFF, bytes[start + 1] == 0xD8
                else { continue }
                let part = start..<start + count
                // Sensors' data are JPEG without loss.
                let coding = JPEGHeader(Array(bytes[part])).frame?.coding
                if coding == .baseline || coding == .progressive { return part }
            }
            return nil
        }.max { $0.count < $1.count }
    }

    /// Columns and rows of the largest picture that the directories describe.
    var largestSize: (width: Int, height: Int)? {
        directories.compactMap { directory -> (width: Int, height: Int)? in
            guard let width = number(directory.fields[256]), let height = number(directory.fields[257]),
                (1...1 << 20).contains(width), (1...1 << 20).contains(height)
            else { return nil }
            return (width, height)
        }.max { $0.width * $0.height < $1.width * $1.height }
    }

    /// Whether everything that the directories announce lies inside the file, as far as they say where it is.
    var isWhole: Bool {
        directories.allSatisfy { directory in
            // Strips, tiles, and the JPEG of an old preview: where, and how many bytes.
            !directory.isCut
                && [(273, 279), (324, 325), (513, 514)].allSatisfy { offsets, sizes in
                    zip(numbers(directory.fields[offsets]), numbers(directory.fields[sizes])).allSatisfy {
                        // All ones: elsewhere, as Panasonic's.
                        $0 == 0xFFFF_FFFF || $0 >= 0 && $1 >= 0 && $0 <= bytes.count && $1 <= bytes.count - $0
                    }
                }
        }
    }

    /// The file, with the first page's strips and tiles ending where it ends. libtiff asks for all that a
    /// compressed one is said to have before it decodes any of it.
    var bytesWithinFile: [UInt8] {
        guard let page = directory(at: first) else { return bytes }
        var sized = bytes
        for (offsets, sizes) in [(273, 279), (324, 325)] {
            guard let field = page.fields[sizes] else { continue }
            let unit = field.range.count / max(field.count, 1)
            for (index, (start, size)) in zip(numbers(page.fields[offsets]), numbers(field)).enumerated()
            where (0..<bytes.count).contains(start) && size > bytes.count - start {
                let at = field.range.lowerBound + index * unit
                sized.set(bytes.count - start, at: at, unit, bigEndian: isBigEndian)
            }
        }
        return sized
    }
}
