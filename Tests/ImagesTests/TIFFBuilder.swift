/// Builds structures as TIFF and EXIF have them, little-endian: what no program at hand writes.
struct TIFFBuilder {
    /// Bytes of a value.
    private static let sizes = [1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8]

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
        init(_ tag: Int, directory: [Field]) {
            self.init(tag, 4, [])
            below = directory
        }
        var below: [Field]?
    }

    static func number(_ value: Int, _ size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// A file whose first directory has these fields; those that point at pixels are set to where these are.
    static func file(_ fields: [Field], pixels: [UInt8] = []) -> [UInt8] {
        var bytes = Array("II*\0".utf8) + number(8, 4)
        // The pixels stand behind the first directory.
        let all = fields.map { $0.tag == 273 ? Field(273, 4, directorySize(fields.count) + 8) : $0 }
        bytes += directory(all, at: 8, behind: pixels)
        return bytes
    }

    private static func directorySize(_ fields: Int) -> Int { 2 + 12 * fields + 4 }

    private static func directory(_ fields: [Field], at start: Int, behind: [UInt8]) -> [UInt8] {
        var table = number(fields.count, 2), heap = behind
        let heapAt = start + directorySize(fields.count)
        for field in fields {
            var bytes = field.bytes, count = bytes.count / (sizes[field.type] ?? 1)
            if let below = field.below {
                heap += [UInt8](repeating: 0, count: heap.count % 2)
                let offset = heapAt + heap.count
                heap += directory(below, at: offset, behind: [])
                (bytes, count) = (number(offset, 4), 1)
            }
            table += number(field.tag, 2) + number(field.type, 2) + number(count, 4)
            if bytes.count <= 4 {
                table += bytes + [UInt8](repeating: 0, count: 4 - bytes.count)
            } else {
                table += number(heapAt + heap.count, 4)
                heap += bytes
            }
        }
        return table + number(0, 4) + heap
    }
}

extension [UInt8] {
    /// A JPEG with an EXIF structure put behind its first marker.
    func with(exif structure: [UInt8]) -> [UInt8] {
        let body = Array("Exif\0\0".utf8) + structure, length = body.count + 2
        return self[..<2] + [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 255)] + body + self[2...]
    }
}
