import Foundation

/// Writes keyed archives as `NSKeyedArchiver` does: objects by number, in a binary property list.
struct KeyedArchiveWriter {
    indirect enum Value {
        case bool(Bool)
        case int(Int64)
        case real(Double)
        case text(String)
        case data(Data)
        /// Another object; 0 is `nil`.
        case reference(Int)
        case list([Value])
        case dictionary([(key: String, value: Value)])
    }

    private var objects: [Value] = [.text("$null")]
    /// By bytes: texts that look alike are not the same.
    private var texts: [[UInt8]: Int] = [:]
    private var classes: [String: Int] = [:]

    /// A number for an object that is put in later.
    mutating func reserve() -> Int {
        objects.append(.reference(0))
        return objects.count - 1
    }

    /// - Parameter classNames: the object's class and its superclasses.
    mutating func put(_ values: [(String, Value)], _ classNames: [String], at number: Int) {
        objects[number] = .dictionary(values + [("$class", .reference(self.number(ofClass: classNames)))])
    }

    /// - Returns: the object's number.
    mutating func addObject(_ values: [(String, Value)], _ classNames: [String]) -> Int {
        let number = reserve()
        put(values, classNames, at: number)
        return number
    }

    mutating func add(_ values: [(String, Value)], _ classNames: [String]) -> Value {
        .reference(addObject(values, classNames))
    }

    /// - Returns: the number of an object that has no class.
    mutating func add(plain value: Value) -> Int {
        objects.append(value)
        return objects.count - 1
    }

    mutating func add(text: String) -> Int {
        let bytes = Array(text.utf8)
        if let known = texts[bytes] { return known }
        let number = add(plain: .text(text))
        texts[bytes] = number
        return number
    }

    mutating func add(_ text: String?) -> Value { .reference(text.map { add(text: $0) } ?? 0) }

    mutating func add(list: [Value], _ name: String = "NSArray") -> Value {
        add([("NS.objects", .list(list))], name == "NSArray" ? ["NSArray", "NSObject"] : [name, "NSObject"])
    }

    mutating func add(dictionary: [(key: String, value: Value)]) -> Value {
        let keys = dictionary.map { add($0.key) }
        return add(
            [("NS.keys", .list(keys)), ("NS.objects", .list(dictionary.map(\.value)))],
            ["NSMutableDictionary", "NSDictionary", "NSObject"])
    }

    private mutating func number(ofClass names: [String]) -> Int {
        let name = names.first ?? "NSObject"
        if let known = classes[name] { return known }
        objects.append(
            .dictionary([
                ("$classname", .text(name)), ("$classes", .list(names.map { .text($0) })),
            ]))
        classes[name] = objects.count - 1
        return objects.count - 1
    }

    /// - Parameter root: the object that the archive is of.
    func encoded(root: Int) -> [UInt8] {
        var writer = BinaryPropertyListWriter()
        let top = writer.add(
            .dictionary([
                ("$version", .int(100_000)), ("$archiver", .text("NSKeyedArchiver")),
                ("$top", .dictionary([("root", .reference(root))])), ("$objects", .list(objects)),
            ]))
        return writer.finished(top: top)
    }
}

/// Writes binary property lists. Texts, numbers and references are each written once.
private struct BinaryPropertyListWriter {
    private enum Node {
        case plain([UInt8])
        case list([Int])
        case dictionary([Int], [Int])
    }

    private var nodes: [Node] = []
    private var known: [[UInt8]: Int] = [:]

    mutating func add(_ value: KeyedArchiveWriter.Value) -> Int {
        switch value {
        case .bool(let value): return plain([value ? 9 : 8])
        case .int(let value): return plain(Self.integer(value))
        case .real(let value): return plain([0x23] + Self.bytes(value.bitPattern, 8))
        case .text(let text):
            let units = Array(text.utf16)
            if units.allSatisfy({ $0 < 128 }) {
                return plain(Self.head(5, units.count) + units.map { UInt8($0) })
            }
            return plain(Self.head(6, units.count) + units.flatMap { Self.bytes(UInt64($0), 2) })
        case .data(let data): return plain(Self.head(4, data.count) + data)
        case .reference(let number):
            let size = number < 256 ? 1 : number < 65_536 ? 2 : 4
            return plain([0x80 | UInt8(size - 1)] + Self.bytes(UInt64(number), size))
        case .list(let list):
            let index = reserve(), elements = list.map { add($0) }
            nodes[index] = .list(elements)
            return index
        case .dictionary(let entries):
            let index = reserve(), keys = entries.map { add(.text($0.key)) }
            let values = entries.map { add($0.value) }
            nodes[index] = .dictionary(keys, values)
            return index
        }
    }

    private mutating func reserve() -> Int {
        nodes.append(.plain([0]))
        return nodes.count - 1
    }

    private mutating func plain(_ bytes: [UInt8]) -> Int {
        if let index = known[bytes] { return index }
        nodes.append(.plain(bytes))
        known[bytes] = nodes.count - 1
        return nodes.count - 1
    }

    /// The highest byte first.
    private static func bytes(_ value: UInt64, _ size: Int) -> [UInt8] {
        (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> UInt64($0 * 8)) }
    }

    private static func integer(_ value: Int64) -> [UInt8] {
        switch value {
        case 0..<256: [0x10] + bytes(UInt64(value), 1)
        case 256..<65_536: [0x11] + bytes(UInt64(value), 2)
        case 65_536..<4_294_967_296: [0x12] + bytes(UInt64(value), 4)
        default: [0x13] + bytes(UInt64(bitPattern: value), 8)
        }
    }

    private static func head(_ kind: UInt8, _ count: Int) -> [UInt8] {
        count < 15 ? [kind << 4 | UInt8(count)] : [kind << 4 | 15] + integer(Int64(count))
    }

    func finished(top: Int) -> [UInt8] {
        var bytes = Array("bplist00".utf8), offsets: [Int] = []
        let size = nodes.count < 256 ? 1 : nodes.count < 65_536 ? 2 : 4
        func references(_ list: [Int]) -> [UInt8] { list.flatMap { Self.bytes(UInt64($0), size) } }
        for node in nodes {
            offsets.append(bytes.count)
            switch node {
            case .plain(let plain): bytes += plain
            case .list(let list): bytes += Self.head(10, list.count) + references(list)
            case .dictionary(let keys, let values):
                bytes += Self.head(13, keys.count) + references(keys) + references(values)
            }
        }
        let table = bytes.count, offsetSize = table < 65_536 ? 2 : 4
        for offset in offsets { bytes += Self.bytes(UInt64(offset), offsetSize) }
        bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(size)]
        return bytes + Self.bytes(UInt64(nodes.count), 8) + Self.bytes(UInt64(top), 8)
            + Self.bytes(UInt64(table), 8)
    }
}
