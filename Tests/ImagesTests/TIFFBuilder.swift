/// Builds structures as TIFF and EXIF have them: what no program at hand writes.
struct TIFFBuilder {
    /// Byte order, and whether offsets have eight bytes.
    struct Layout: Sendable, CaseIterable {
        var isBigEndian = false, isBigTIFF = false

        static let allCases = [false, true].flatMap { order in
            [false, true].map { Layout(isBigEndian: order, isBigTIFF: $0) }
        }

        /// Bytes of an offset, and of the number of fields of a directory.
        var pointer: Int { isBigTIFF ? 8 : 4 }
        var counter: Int { isBigTIFF ? 8 : 2 }

        func number(_ value: Int, _ size: Int) -> [UInt8] {
            let little = TIFFBuilder.number(value, size)
            return isBigEndian ? little.reversed() : little
        }

        /// Numbers of `size` bytes, from little-endian.
        func numbers(_ bytes: [UInt8], _ size: Int) -> [UInt8] {
            guard isBigEndian, size > 1 else { return bytes }
            return stride(from: 0, to: bytes.count, by: size).flatMap { bytes[$0..<$0 + size].reversed() }
        }
    }

    /// Bytes of a value.
    private static let sizes = [
        1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 13: 4, 16: 8, 18: 8,
    ]

    struct Field {
        let tag: Int, type: Int, bytes: [UInt8]

        init(_ tag: Int, _ type: Int, _ bytes: [UInt8]) {
            (self.tag, self.type, self.bytes) = (tag, type, bytes)
        }

        /// Whole numbers.
        init(_ tag: Int, _ type: Int, _ numbers: Int...) {
            self.init(tag, type, numbers.flatMap { TIFFBuilder.number($0, sizes[type] ?? 1) })
        }

        /// Text, with its NUL.
        init(_ tag: Int, text: String) { self.init(tag, 2, Array(text.utf8) + [0]) }

        /// Fractions, of numerator and denominator each.
        init(_ tag: Int, _ type: Int, fractions: [(Int, Int)]) {
            self.init(tag, type, fractions.flatMap { number($0.0, 4) + number($0.1, 4) })
        }

        /// Another directory.
        init(_ tag: Int, type: Int = 4, directory: [Field]) {
            self.init(tag, type, [])
            below = directory
        }
        var below: [Field]?
    }

    static func number(_ value: Int, _ size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// A file whose first directory has these fields. Where strips or tiles lie is counted from the first
    /// byte of the pixels, if there are any.
    ///
    /// - Parameter pixels: bytes as they stand in the file.
    static func file(_ fields: [Field], pixels: [UInt8] = [], _ layout: Layout = Layout()) -> [UInt8] {
        let first = layout.isBigTIFF ? 16 : 8, behind = first + directorySize(fields.count, layout)
        var bytes = Array((layout.isBigEndian ? "MM" : "II").utf8)
        bytes += layout.number(layout.isBigTIFF ? 43 : 42, 2)
        if layout.isBigTIFF { bytes += layout.number(8, 2) + layout.number(0, 2) }
        bytes += layout.number(first, layout.pointer)
        // The pixels stand behind the first directory.
        let all = fields.map { field in
            guard [273, 324].contains(field.tag), !pixels.isEmpty else { return field }
            let offsets = stride(from: 0, to: field.bytes.count, by: 4).flatMap { at in
                let offset = field.bytes[at..<at + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
                return number(offset + behind, 4)
            }
            return Field(field.tag, 4, offsets)
        }
        return bytes + directory(all, at: first, behind: pixels, layout)
    }

    private static func directorySize(_ fields: Int, _ layout: Layout) -> Int {
        layout.counter + (4 + 2 * layout.pointer) * fields + layout.pointer
    }

    private static func directory(
        _ fields: [Field], at start: Int, behind: [UInt8], _ layout: Layout
    ) -> [UInt8] {
        var table = layout.number(fields.count, layout.counter), heap = behind
        let heapAt = start + directorySize(fields.count, layout), pointer = layout.pointer
        for field in fields {
            let unit = [5, 10].contains(field.type) ? 4 : sizes[field.type] ?? 1
            var bytes = layout.numbers(field.bytes, unit), count = bytes.count / (sizes[field.type] ?? 1)
            if let below = field.below {
                heap += [UInt8](repeating: 0, count: heap.count % 2)
                let offset = heapAt + heap.count
                heap += directory(below, at: offset, behind: [], layout)
                (bytes, count) = (layout.number(offset, 4), 1)
            }
            table += layout.number(field.tag, 2) + layout.number(field.type, 2)
            table += layout.number(count, pointer)
            if bytes.count <= pointer {
                table += bytes + [UInt8](repeating: 0, count: pointer - bytes.count)
            } else {
                table += layout.number(heapAt + heap.count, pointer)
                heap += bytes
            }
        }
        return table + layout.number(0, pointer) + heap
    }
}

extension [UInt8] {
    /// A JPEG with an EXIF structure put behind its first marker.
    func with(exif structure: [UInt8]) -> [UInt8] {
        let body = Array("Exif\0\0".utf8) + structure, length = body.count + 2
        return self[..<2] + [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 255)] + body + self[2...]
    }
}
