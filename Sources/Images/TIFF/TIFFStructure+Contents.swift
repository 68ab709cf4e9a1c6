extension TIFFStructure {
    /// Date, place, camera, orientation and XMP of the first directory.
    func metadata(notes: inout [String]) -> PhotoMetadata {
        guard let main = directory(at: first) else { return PhotoMetadata() }
        var metadata = PhotoMetadata()
        metadata.read(exif(main), notes: &notes)
        if let photoshop = main.fields[34_377] { metadata.fill(fromPhotoshop: bytes[photoshop.range]) }
        if let iptc = main.fields[33_723] { metadata.fill(fromIPTC: bytes[iptc.range]) }
        if let xmp = main.fields[700] { metadata.fill(fromXMP: Array(bytes[xmp.range])) }
        return metadata
    }

    /// An EXIF structure with the few fields that the parser looks for: the file itself may be far larger
    /// than libexif takes, and would have to be copied.
    private func exif(_ main: Directory) -> [UInt8] {
        func below(_ pointer: Int, _ tags: [Int]) -> [Field] {
            guard let offset = number(main.fields[pointer]), let found = directory(at: offset) else {
                return []
            }
            return small(found, tags)
        }
        let camera = small(main, [0x10F, 0x110, 0x112, 0x132, 0x9003, 0x9004])
        let dates = below(0x8769, [0x9003, 0x9004, 0x9011, 0x9012, 0x9291, 0x9292])
        let gps = below(0x8825, [1, 2, 3, 4, 7, 0x1D])

        // Three directories one after the other, then the values that do not fit into them.
        let counts = [camera.count + 2, dates.count, gps.count]
        var starts: [Int] = [], end = 8
        for count in counts {
            starts.append(end)
            end += 2 + count * 12 + 4
        }
        var directories: [UInt8] = [], values: [UInt8] = []
        for (index, fields) in [camera, dates, gps].enumerated() {
            directories += stored(counts[index], 2)
            for field in fields {
                directories += stored(field.tag, 2) + stored(field.type, 2) + stored(field.count, 4)
                let value = bytes[field.range]
                if value.count <= 4 {
                    directories += Array(value) + [UInt8](repeating: 0, count: 4 - value.count)
                } else {
                    directories += stored(end + values.count, 4)
                    values += value
                }
            }
            if index == 0 {
                for (tag, start) in [(0x8769, starts[1]), (0x8825, starts[2])] {
                    directories += stored(tag, 2) + stored(4, 2) + stored(1, 4) + stored(start, 4)
                }
            }
            directories += stored(0, 4)
        }
        let header = Array((isBigEndian ? "MM" : "II").utf8) + stored(42, 2) + stored(8, 4)
        return Array("Exif\0\0".utf8) + header + directories + values
    }

    private func small(_ directory: Directory, _ tags: [Int]) -> [Field] {
        tags.compactMap { directory.fields[$0] }.filter { $0.type <= 12 && $0.range.count <= 1024 }
    }

    private func stored(_ value: Int, _ size: Int) -> [UInt8] {
        let low = (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        return isBigEndian ? low.reversed() : low
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
}
