/// Raw deflate, without the heads of zlib and gzip: how stores keep their model.
///
/// - Source: RFC 1951.
enum Deflate {
    /// The most that compressed bytes may become: a model of some thousand entities has a hundredth.
    static let greatest = 64 << 20

    /// - Throws: ``ArchiveError`` for broken bytes, and for more than ``greatest``.
    static func decompress(_ bytes: [UInt8]) throws(ArchiveError) -> [UInt8] {
        var reader = Reader(bytes: bytes)
        var result: [UInt8] = []
        while true {
            let isLast = try reader.bits(1) == 1
            switch try reader.bits(2) {
            case 0: try reader.stored(&result)
            case 1: try reader.coded(&result, fixedLengths, fixedDistances)
            case 2:
                let (lengths, distances) = try reader.codes()
                try reader.coded(&result, lengths, distances)
            default: throw broken
            }
            if isLast { return result }
        }
    }

    fileprivate static let broken = ArchiveError("broken compressed data")
    private static let fixedLengths = Code(
        [UInt8](repeating: 8, count: 144) + [UInt8](repeating: 9, count: 112)
            + [UInt8](repeating: 7, count: 24) + [UInt8](repeating: 8, count: 8))
    private static let fixedDistances = Code([UInt8](repeating: 5, count: 30))

    /// A canonical Huffman code: how many codes there are of each length, and the symbols in their order.
    fileprivate struct Code: Sendable {
        private(set) var counts = [Int](repeating: 0, count: 16)
        private(set) var symbols: [Int] = []

        init(_ lengths: [UInt8]) {
            for length in lengths { counts[Int(length)] += 1 }
            counts[0] = 0
            symbols = lengths.indices.filter { lengths[$0] > 0 }.sorted {
                (lengths[$0], $0) < (lengths[$1], $1)
            }
        }
    }

    fileprivate static let lengthBases = [
        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163,
        195, 227, 258,
    ]
    fileprivate static let lengthBits = [
        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
    ]
    fileprivate static let distanceBases = [
        1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073,
        4097, 6145, 8193, 12289, 16385, 24577,
    ]
    fileprivate static func distanceBits(_ symbol: Int) -> Int { max(0, symbol / 2 - 1) }

    private struct Reader {
        let bytes: [UInt8]
        private var position = 0
        private var buffer: UInt32 = 0
        private var count = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        mutating func bits(_ wanted: Int) throws(ArchiveError) -> Int {
            while count < wanted {
                guard position < bytes.count else { throw Deflate.broken }
                buffer |= UInt32(bytes[position]) << UInt32(count)
                (position, count) = (position + 1, count + 8)
            }
            let value = buffer & ((1 << UInt32(wanted)) - 1)
            (buffer, count) = (buffer >> UInt32(wanted), count - wanted)
            return Int(value)
        }

        mutating func stored(_ result: inout [UInt8]) throws(ArchiveError) {
            (buffer, count) = (0, 0)
            guard bytes.count - position >= 4 else { throw Deflate.broken }
            let length = Int(bytes[position]) | Int(bytes[position + 1]) << 8
            let check = Int(bytes[position + 2]) | Int(bytes[position + 3]) << 8
            guard length == ~check & 0xFFFF, bytes.count - position - 4 >= length,
                result.count + length <= Deflate.greatest
            else { throw Deflate.broken }
            result += bytes[position + 4..<position + 4 + length]
            position += 4 + length
        }

        private mutating func symbol(_ code: Code) throws(ArchiveError) -> Int {
            var value = 0, first = 0, index = 0
            for length in 1...15 {
                value |= try bits(1)
                let count = code.counts[length]
                if value - count < first { return code.symbols[index + value - first] }
                index += count
                first = (first + count) << 1
                value <<= 1
            }
            throw Deflate.broken
        }

        mutating func coded(_ result: inout [UInt8], _ lengths: Code, _ distances: Code) throws(ArchiveError)
        {
            while true {
                let symbol = try symbol(lengths)
                if symbol < 256 {
                    result.append(UInt8(symbol))
                } else if symbol == 256 {
                    return
                } else {
                    guard symbol - 257 < Deflate.lengthBases.count else { throw Deflate.broken }
                    let length =
                        Deflate.lengthBases[symbol - 257] + (try bits(Deflate.lengthBits[symbol - 257]))
                    let code = try self.symbol(distances)
                    guard code < Deflate.distanceBases.count else { throw Deflate.broken }
                    let distance = Deflate.distanceBases[code] + (try bits(Deflate.distanceBits(code)))
                    guard distance <= result.count else { throw Deflate.broken }
                    let start = result.count - distance
                    for offset in 0..<length { result.append(result[start + offset]) }
                }
                if result.count > Deflate.greatest { throw ArchiveError("too much compressed data") }
            }
        }

        mutating func codes() throws(ArchiveError) -> (Code, Code) {
            let lengthCount = try bits(5) + 257, distanceCount = try bits(5) + 1, codeCount = try bits(4) + 4
            guard lengthCount <= 286, distanceCount <= 30 else { throw Deflate.broken }
            let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
            var own = [UInt8](repeating: 0, count: 19)
            for index in order.prefix(codeCount) { own[index] = UInt8(try bits(3)) }
            let code = try checked(own)
            var lengths: [UInt8] = []
            while lengths.count < lengthCount + distanceCount {
                let symbol = try symbol(code)
                if symbol < 16 {
                    lengths.append(UInt8(symbol))
                    continue
                }
                guard symbol > 16 || !lengths.isEmpty else { throw Deflate.broken }
                let repeated = symbol == 16 ? lengths[lengths.count - 1] : 0
                let times =
                    symbol == 16 ? 3 + (try bits(2)) : symbol == 17 ? 3 + (try bits(3)) : 11 + (try bits(7))
                lengths += [UInt8](repeating: repeated, count: times)
            }
            guard lengths.count == lengthCount + distanceCount, lengths[256] > 0 else { throw Deflate.broken }
            return (
                try checked(Array(lengths[..<lengthCount])), try checked(Array(lengths[lengthCount...]))
            )
        }

        /// A code in which no two symbols have one meaning.
        private func checked(_ lengths: [UInt8]) throws(ArchiveError) -> Code {
            let code = Code(lengths)
            var left = 1
            for length in 1...15 {
                left = left << 1 - code.counts[length]
                if left < 0 { throw Deflate.broken }
            }
            return code
        }
    }
}

extension Deflate {
    /// Compresses with the fixed code and matches of the last 32 KiB.
    ///
    /// - Complexity: O(bytes).
    static func compress(_ bytes: [UInt8]) -> [UInt8] {
        var writer = Writer()
        writer.put(1, 1)
        writer.put(1, 2)
        var last: [UInt32: Int] = [:]
        var position = 0
        while position < bytes.count {
            var length = 0, distance = 0
            if position + 3 <= bytes.count {
                let key =
                    UInt32(bytes[position]) | UInt32(bytes[position + 1]) << 8 | UInt32(bytes[position + 2])
                    << 16
                if let start = last[key], position - start <= 32_768 {
                    distance = position - start
                    while length < 258, position + length < bytes.count,
                        bytes[start + length] == bytes[position + length]
                    { length += 1 }
                }
                last[key] = position
            }
            if length < 3 {
                writer.symbol(Int(bytes[position]))
                position += 1
                continue
            }
            let code = lengthBases.lastIndex { $0 <= length } ?? 0
            writer.symbol(257 + code)
            writer.put(UInt32(length - lengthBases[code]), lengthBits[code])
            let far = distanceBases.lastIndex { $0 <= distance } ?? 0
            writer.huffman(UInt32(far), 5)
            writer.put(UInt32(distance - distanceBases[far]), distanceBits(far))
            position += length
        }
        writer.symbol(256)
        return writer.finished()
    }

    private struct Writer {
        private var bytes: [UInt8] = []
        private var buffer: UInt32 = 0
        private var count = 0

        /// The lowest bit first.
        mutating func put(_ value: UInt32, _ bits: Int) {
            buffer |= value << UInt32(count)
            count += bits
            while count >= 8 {
                bytes.append(UInt8(truncatingIfNeeded: buffer))
                (buffer, count) = (buffer >> 8, count - 8)
            }
        }

        /// The highest bit first.
        mutating func huffman(_ code: UInt32, _ bits: Int) {
            var reversed: UInt32 = 0
            for bit in 0..<bits where code >> UInt32(bit) & 1 == 1 { reversed |= 1 << UInt32(bits - 1 - bit) }
            put(reversed, bits)
        }

        /// A symbol of the fixed code.
        mutating func symbol(_ symbol: Int) {
            switch symbol {
            case ..<144: huffman(UInt32(0x30 + symbol), 8)
            case ..<256: huffman(UInt32(0x190 + symbol - 144), 9)
            case ..<280: huffman(UInt32(symbol - 256), 7)
            default: huffman(UInt32(0xC0 + symbol - 280), 8)
            }
        }

        mutating func finished() -> [UInt8] {
            if count > 0 { put(0, 8 - count) }
            return bytes
        }
    }
}
