/// A binary property list: its objects by number, which refer to each other by number.
///
/// Foundation's readers for Linux trap on some broken lists, and hide the references of keyed archives. This
/// one checks every length and offset; objects that overlap, which no writer makes, are refused once they
/// have more content than the file has bytes. Nothing here recurses.
///
/// - Complexity: O(bytes).
/// - Source: the format's public descriptions: `bplist00`, objects, offsets, a trailer of 32 bytes.
struct BinaryPropertyList {
    enum Node {
        case null
        case bool(Bool)
        case int(Int64)
        /// A whole number beyond `Int64`.
        case unsigned(UInt64)
        case real(Double)
        /// Seconds since 2001-01-01 00:00 UTC.
        case date(Double)
        case data([UInt8])
        case text(String)
        /// In a keyed archive: the number of an object.
        case uid(Int)
        case list([Int])
        case dictionary(keys: [Int], values: [Int])
    }

    let nodes: [Node]
    let top: Int

    /// - Throws: ``ArchiveError``.
    init(_ bytes: [UInt8]) throws(ArchiveError) {
        guard bytes.starts(with: Array("bplist0".utf8)), bytes.count >= 8 + 1 + 32 else {
            throw ArchiveError("no binary property list")
        }
        let trailer = bytes.count - 32
        var reader = Reader(bytes: bytes, end: trailer)
        let offsetSize = Int(bytes[trailer + 6])
        reader.referenceSize = Int(bytes[trailer + 7])
        guard (1...8).contains(offsetSize), (1...8).contains(reader.referenceSize),
            let count = Int(exactly: reader.number(trailer + 8, 8)),
            let top = Int(exactly: reader.number(trailer + 16, 8)),
            let table = Int(exactly: reader.number(trailer + 24, 8)),
            table >= 8, table <= trailer, count > 0, count <= (trailer - table) / offsetSize, top < count
        else { throw ArchiveError("a property list with a broken trailer") }
        reader.end = table
        reader.count = count
        var nodes: [Node] = []
        nodes.reserveCapacity(count)
        for index in 0..<count {
            guard let offset = Int(exactly: reader.number(table + index * offsetSize, offsetSize)) else {
                throw ArchiveError("an object beyond the end of a property list")
            }
            nodes.append(try reader.node(offset))
        }
        (self.nodes, self.top) = (nodes, top)
    }

    private struct Reader {
        let bytes: [UInt8]
        /// Where objects end and offsets begin.
        var end: Int
        var referenceSize = 0
        var count = 0
        /// Bytes of content that objects have together.
        private var content = 0

        init(bytes: [UInt8], end: Int) { (self.bytes, self.end) = (bytes, end) }

        /// A number of up to eight bytes, the highest first. The caller knows that they are there.
        func number(_ offset: Int, _ size: Int) -> UInt64 {
            bytes[offset..<offset + size].reduce(0) { $0 << 8 | UInt64($1) }
        }

        private mutating func checkedRange(_ offset: Int, _ length: Int) throws(ArchiveError) -> Range<Int> {
            guard offset >= 8, length >= 0, offset <= end, length <= end - offset else {
                throw ArchiveError("an object beyond the end of a property list")
            }
            content += length
            if content > bytes.count { throw ArchiveError("objects of a property list overlap") }
            return offset..<offset + length
        }

        private mutating func references(_ offset: Int, _ length: Int) throws(ArchiveError) -> [Int] {
            guard length <= end / referenceSize else {
                throw ArchiveError("a list of \(length) in a property list")
            }
            let range = try checkedRange(offset, length * referenceSize)
            var found: [Int] = []
            found.reserveCapacity(length)
            for start in stride(from: range.lowerBound, to: range.upperBound, by: referenceSize) {
                guard let reference = Int(exactly: number(start, referenceSize)), reference < count else {
                    throw ArchiveError("a reference to no object of a property list")
                }
                found.append(reference)
            }
            return found
        }

        mutating func node(_ offset: Int) throws(ArchiveError) -> Node {
            let mark = bytes[try checkedRange(offset, 1).lowerBound], low = Int(mark & 15)
            switch mark >> 4 {
            case 0:
                switch mark {
                case 8: return .bool(false)
                case 9: return .bool(true)
                default: return .null
                }
            case 1: return try integer(offset + 1, 1 << low)
            case 2:
                let range = try checkedRange(offset + 1, 1 << low),
                    bits = number(range.lowerBound, min(range.count, 8))
                switch range.count {
                case 4: return .real(Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))))
                case 8: return .real(Double(bitPattern: bits))
                default: throw ArchiveError("a number of \(range.count) bytes in a property list")
                }
            case 3:
                let range = try checkedRange(offset + 1, 8)
                return .date(Double(bitPattern: number(range.lowerBound, 8)))
            case 8:
                let range = try checkedRange(offset + 1, low + 1)
                guard range.count <= 8, let uid = Int(exactly: number(range.lowerBound, range.count)) else {
                    throw ArchiveError("an object number of \(range.count) bytes")
                }
                return .uid(uid)
            default: break
            }
            let (length, start) = try length(low, offset + 1)
            switch mark >> 4 {
            case 4: return .data(Array(bytes[try checkedRange(start, length)]))
            case 5, 7: return .text(String(decoding: bytes[try checkedRange(start, length)], as: UTF8.self))
            case 6:
                guard length <= end / 2 else { throw ArchiveError("a text beyond the end") }
                let range = try checkedRange(start, length * 2)
                let units = stride(from: range.lowerBound, to: range.upperBound, by: 2).map {
                    UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
                }
                return .text(String(decoding: units, as: UTF16.self))
            case 10, 11, 12: return .list(try references(start, length))
            case 13:
                let keys = try references(start, length)
                return .dictionary(keys: keys, values: try references(start + length * referenceSize, length))
            default: throw ArchiveError("an object of the unknown kind \(mark >> 4) in a property list")
            }
        }

        /// Numbers of one, two and four bytes have no sign, longer ones do.
        private mutating func integer(_ offset: Int, _ size: Int) throws(ArchiveError) -> Node {
            guard size <= 16 else { throw ArchiveError("a number of \(size) bytes in a property list") }
            let start = try checkedRange(offset, size).lowerBound
            if size <= 4 { return .int(Int64(number(start, size))) }
            if size == 8 { return .int(Int64(bitPattern: number(start, 8))) }
            let high = number(start, 8), value = number(start + 8, 8)
            if high == 0 { return Int64(exactly: value).map { .int($0) } ?? .unsigned(value) }
            return .int(Int64(bitPattern: value))
        }

        /// A length of 15 and more stands behind the mark as a number.
        private mutating func length(_ low: Int, _ offset: Int) throws(ArchiveError) -> (Int, Int) {
            if low < 15 { return (low, offset) }
            let mark = bytes[try checkedRange(offset, 1).lowerBound], size = 1 << Int(mark & 15)
            guard mark >> 4 == 1, size <= 8 else { throw ArchiveError("a broken length in a property list") }
            let start = try checkedRange(offset + 1, size).lowerBound
            guard let length = Int(exactly: number(start, size)), length <= end else {
                throw ArchiveError("a length beyond the end of a property list")
            }
            return (length, offset + 1 + size)
        }
    }
}
