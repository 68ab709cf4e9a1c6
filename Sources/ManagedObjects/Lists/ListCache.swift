import Foundation
import Synchronization

/// A list's rows in a file: which objects in which order, what they are sorted by, and the sections they lie
/// in.
///
/// A header in JSON, then 16 bytes a row with entity and key, then the sort values, then a checksum of all
/// that. It is mapped, not read: a list of a hundred thousand rows is there when its header is, and the rows
/// are taken apart when the list changes for the first time. A file that is damaged, cut, of another list or
/// of another state of the store is none.
struct PackedList {
    struct Header: Codable {
        struct Section: Codable { let name: String, count: Int }
        let key: String
        let count: Int
        /// Nil for a list without sections.
        let sections: [Section]?
    }

    let header: Header
    private let body: Data
    private let homes: [StoreEntity?]
    private static let magic = Data("moody list 1\n".utf8)

    /// Nil when there is none that fits.
    init?(_ location: ListCacheLocation) {
        guard let (header, body) = Self.parts(of: location.url), header.key == location.key else {
            return nil
        }
        (self.header, self.body, homes) = (header, body, location.homes)
    }

    private static func parts(of url: URL) -> (Header, Data)? {
        guard let data = try? Data(contentsOf: url, options: .mappedIfSafe), data.starts(with: magic),
            data.count >= magic.count + 12,
            ByteReader.word(at: data.endIndex - 8, of: data) == checksum(data.dropLast(8))
        else { return nil }
        let start = magic.count + 4
        let length = (0..<4).reduce(0) { $0 | Int(data[magic.count + $1]) << (8 * $1) }
        guard length <= data.count - start - 8,
            let header = try? JSONDecoder().decode(Header.self, from: data[start..<start + length]),
            Self.isPossible(header, in: data.count - start - length - 8)
        else { return nil }
        return (header, data[(start + length)..<(data.endIndex - 8)])
    }

    /// Whether the rows that a header counts fit into the bytes behind it.
    private static func isPossible(_ header: Header, in bytes: Int) -> Bool {
        guard (0...bytes / 16).contains(header.count) else { return false }
        guard let sections = header.sections else { return true }
        var rest = header.count
        for section in sections {
            guard (0...rest).contains(section.count) else { return false }
            rest -= section.count
        }
        return rest == 0
    }

    func id(at index: Int) -> ManagedObjectID? {
        var reader = ByteReader(body, at: body.startIndex + index * 16)
        let number = Int(reader.integer()), key = reader.integer()
        guard homes.indices.contains(number), let home = homes[number] else { return nil }
        return try? ManagedObjectID(home, stored: key)
    }

    var ids: [ManagedObjectID] { (0..<header.count).compactMap(id) }

    /// Everything, in order; nil when it is not what it says.
    func rows(terms: Int) -> [ListRow]? {
        var reader = ByteReader(body, at: body.startIndex + header.count * 16)
        var names = (header.sections ?? [.init(name: "", count: header.count)]).flatMap {
            repeatElement($0.name, count: $0.count)
        }[...]
        var rows: [ListRow] = []
        rows.reserveCapacity(header.count)
        for index in 0..<header.count {
            guard let id = id(at: index), let section = names.popFirst() else { return nil }
            var values: [StoredValue] = []
            for _ in 0..<terms {
                guard let value = reader.value(homes) else { return nil }
                values.append(value)
            }
            rows.append(ListRow(id: id, values: CompactValues(values), section: section))
        }
        return rows
    }

    /// Keeps a list's rows; where that cannot be done, they are read at the next start.
    static func write(_ rows: ListRows, at location: ListCacheLocation) {
        if location.isReadOnly { return }
        var numbers: [ObjectIdentifier: Int] = [:]
        for (number, home) in location.homes.enumerated() {
            if let home { numbers[ObjectIdentifier(home)] = number }
        }
        var ids = ByteWriter(), values = ByteWriter()
        for row in rows.tree {
            guard let number = numbers[ObjectIdentifier(row.id.home)] else { return }
            ids.add(Int64(number))
            ids.add(row.id.key)
            for value in row.values { values.add(value, numbers) }
        }
        let body = ids.data + values.data
        let sections =
            rows.hasSections
            ? rows.sectionNames.map { Header.Section(name: $0, count: rows.count(ofSection: $0)) } : nil
        let header = Header(key: location.key, count: rows.count, sections: sections)
        write(header, body, to: location)
    }

    private static func write(_ header: Header, _ body: Data, to location: ListCacheLocation) {
        guard let head = try? JSONEncoder().encode(header) else { return }
        var length = ByteWriter()
        length.addShort(head.count)
        try? FileManager.default.createDirectory(
            at: location.url.deletingLastPathComponent(), withIntermediateDirectories: true)
        var sum = ByteWriter()
        let data = magic + length.data + head + body
        sum.add(Int64(bitPattern: checksum(data)))
        location.permissions.write(data + sum.data, to: location.url)
    }
}

/// FNV-1a over words of eight bytes: tells a damaged file, not a forged one.
private func checksum(_ data: Data) -> UInt64 {
    // SAFETY: every load lies within the bytes.
    unsafe data.withUnsafeBytes { bytes in
        var sum: UInt64 = 0xcbf2_9ce4_8422_2325, offset = 0
        while offset + 8 <= bytes.count {
            let word = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            sum = (sum ^ word) &* 0x100_0000_01b3
            offset += 8
        }
        while offset < bytes.count {
            let byte = unsafe bytes[offset]
            sum = (sum ^ UInt64(byte)) &* 0x100_0000_01b3
            offset += 1
        }
        return sum
    }
}

/// Little-endian numbers and values, one after the other.
private struct ByteWriter {
    var data = Data()

    mutating func add(_ value: Int64) {
        for shift in 0..<8 { data.append(UInt8(truncatingIfNeeded: value >> (8 * shift))) }
    }

    mutating func addShort(_ value: Int) {
        for shift in 0..<4 { data.append(UInt8(truncatingIfNeeded: value >> (8 * shift))) }
    }

    mutating func add(_ value: StoredValue, _ numbers: [ObjectIdentifier: Int]) {
        switch value {
        case .null: data.append(0)
        case .int(let value):
            data.append(1)
            add(value)
        case .double(let value):
            data.append(2)
            add(Int64(bitPattern: value.bitPattern))
        case .text(let text):
            data.append(3)
            addShort(text.utf8.count)
            data.append(contentsOf: text.utf8)
        case .blob(let bytes):
            data.append(4)
            addShort(bytes.count)
            data.append(bytes)
        // A large value decides no order.
        case .external: data.append(0)
        case .id(let id):
            data.append(5)
            add(Int64(numbers[ObjectIdentifier(id.home)] ?? 0))
            add(id.key)
        }
    }
}

private struct ByteReader {
    private let data: Data
    private var offset: Int

    init(_ data: Data, at offset: Int) { (self.data, self.offset) = (data, offset) }

    static func word(at offset: Int, of data: Data) -> UInt64 {
        var reader = ByteReader(data, at: offset)
        return UInt64(bitPattern: reader.integer())
    }

    mutating func integer() -> Int64 {
        guard let bytes = read(8) else { return -1 }
        return Int64(bitPattern: bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }

    private mutating func read(_ count: Int) -> Data? {
        guard offset + count <= data.endIndex else { return nil }
        defer { offset += count }
        return data[offset..<offset + count]
    }

    private mutating func bytes() -> Data? {
        guard let length = read(4) else { return nil }
        return read(length.reversed().reduce(0) { $0 << 8 | Int($1) })
    }

    mutating func value(_ homes: [StoreEntity?]) -> StoredValue? {
        switch read(1)?.first {
        case 0: return .null
        case 1: return .int(integer())
        case 2: return .double(Double(bitPattern: UInt64(bitPattern: integer())))
        case 3: return bytes().map { .text(String(decoding: $0, as: UTF8.self)) }
        case 4: return bytes().map { .blob(Data($0)) }
        case 5:
            let number = Int(integer()), key = integer()
            guard homes.indices.contains(number), let home = homes[number] else { return nil }
            return (try? ManagedObjectID(home, stored: key)).map { .id($0) }
        default: return nil
        }
    }
}
