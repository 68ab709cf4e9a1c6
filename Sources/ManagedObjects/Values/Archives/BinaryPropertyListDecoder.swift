import Foundation

/// Decodes what `PropertyListEncoder` wrote. Foundation's decoder for Linux ends the process at some broken
/// lists, and follows lists that hold themselves for ever.
///
/// - Complexity: O(bytes) for lists that hold each value once.
enum BinaryPropertyListDecoder {
    /// - Throws: ``ArchiveError``, `DecodingError`.
    static func decode<Value: Decodable>(_: Value.Type, from data: Data) throws -> Value {
        let list = try BinaryPropertyList([UInt8](data))
        let source = Source(list, mostValues: 1 << 20 + 16 * data.count)
        return try NodeDecoder(source: source, node: list.top, codingPath: []).value(Value.self)
    }

    fileprivate static let greatestDepth = 200

    fileprivate final class Source {
        let nodes: [BinaryPropertyList.Node]
        /// How much more may be decoded: a value that stands in several places counts at each, and by its
        /// size.
        private var left: Int

        init(_ list: BinaryPropertyList, mostValues: Int) {
            nodes = list.nodes
            left = mostValues
        }

        func count(_ parts: Int, at path: [any CodingKey]) throws {
            left -= parts
            if left < 0 || path.count > greatestDepth {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: path, debugDescription: "a list deeper or larger than its bytes can be")
                )
            }
        }
    }
}

private struct IndexKey: CodingKey {
    let intValue: Int?
    var stringValue: String { "\(intValue ?? 0)" }

    init(intValue: Int) { self.intValue = intValue }
    init?(stringValue _: String) { nil }
}

private struct NodeDecoder: Decoder, SingleValueDecodingContainer {
    let source: BinaryPropertyListDecoder.Source
    let node: Int
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    private var content: BinaryPropertyList.Node { source.nodes[node] }

    private func mismatch<Value>(_ type: Any.Type) -> Result<Value, any Error> {
        .failure(
            DecodingError.typeMismatch(
                type, .init(codingPath: codingPath, debugDescription: "a value of another kind")))
    }

    func value<Value: Decodable>(_: Value.Type) throws -> Value {
        try source.count(1, at: codingPath)
        switch content {
        case .date(let seconds) where Value.self == Date.self:
            if let date = Date(timeIntervalSinceReferenceDate: seconds) as? Value { return date }
        case .data(let bytes) where Value.self == Data.self:
            try source.count(bytes.count / 16, at: codingPath)
            if let data = Data(bytes) as? Value { return data }
        default:
            if Value.self != Date.self && Value.self != Data.self { return try Value(from: self) }
        }
        return try mismatch(Value.self).get()
    }

    func child(_ node: Int, _ key: any CodingKey) -> NodeDecoder {
        NodeDecoder(source: source, node: node, codingPath: codingPath + [key])
    }

    // MARK: Decoder

    func container<Key: CodingKey>(keyedBy _: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .dictionary(let keys, let values) = content else {
            return try mismatch([String: Any].self).get()
        }
        try source.count(keys.count, at: codingPath)
        var children: [String: Int] = [:]
        for (key, value) in zip(keys, values) {
            guard case .text(let name) = source.nodes[key] else { return try mismatch(String.self).get() }
            children[name] = value
        }
        return KeyedDecodingContainer(KeyedNodes<Key>(decoder: self, children: children))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .list(let nodes) = content else { return try mismatch([Any].self).get() }
        return UnkeyedNodes(decoder: self, nodes: nodes)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    // MARK: Single values

    /// As `PropertyListEncoder` writes nil.
    func decodeNil() -> Bool {
        switch content {
        case .null, .text("$null"): true
        default: false
        }
    }

    func decode(_: Bool.Type) throws -> Bool {
        if case .bool(let value) = content { value } else { try mismatch(Bool.self).get() }
    }

    func decode(_: String.Type) throws -> String {
        if case .text(let value) = content { value } else { try mismatch(String.self).get() }
    }

    func decode(_: Double.Type) throws -> Double {
        switch content {
        case .real(let value): value
        case .int(let value): Double(value)
        case .unsigned(let value): Double(value)
        default: try mismatch(Double.self).get()
        }
    }

    func decode(_: Float.Type) throws -> Float { Float(try decode(Double.self)) }

    private func integer<Number: FixedWidthInteger>() throws -> Number {
        let found: Number? =
            switch content {
            case .int(let value): Number(exactly: value)
            case .unsigned(let value): Number(exactly: value)
            case .real(let value): Number(exactly: value)
            default: nil
            }
        guard let found else { return try mismatch(Number.self).get() }
        return found
    }

    func decode(_: Int.Type) throws -> Int { try integer() }
    func decode(_: Int8.Type) throws -> Int8 { try integer() }
    func decode(_: Int16.Type) throws -> Int16 { try integer() }
    func decode(_: Int32.Type) throws -> Int32 { try integer() }
    func decode(_: Int64.Type) throws -> Int64 { try integer() }
    func decode(_: UInt.Type) throws -> UInt { try integer() }
    func decode(_: UInt8.Type) throws -> UInt8 { try integer() }
    func decode(_: UInt16.Type) throws -> UInt16 { try integer() }
    func decode(_: UInt32.Type) throws -> UInt32 { try integer() }
    func decode(_: UInt64.Type) throws -> UInt64 { try integer() }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try value(type) }
}

private struct KeyedNodes<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: NodeDecoder
    let children: [String: Int]
    var codingPath: [any CodingKey] { decoder.codingPath }
    var allKeys: [Key] { children.keys.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { children[key.stringValue] != nil }

    private func child(_ key: any CodingKey) throws -> NodeDecoder {
        guard let node = children[key.stringValue] else {
            throw DecodingError.keyNotFound(
                key, .init(codingPath: codingPath, debugDescription: "no value for \(key.stringValue)"))
        }
        return decoder.child(node, key)
    }

    func decodeNil(forKey key: Key) throws -> Bool { try child(key).decodeNil() }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try child(key).value(type)
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws
        -> KeyedDecodingContainer<Nested>
    {
        try child(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try child(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try child(SuperKey()) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try child(key) }
}

private struct SuperKey: CodingKey {
    var stringValue: String { "super" }
    var intValue: Int? { nil }

    init() {}
    init?(stringValue _: String) { nil }
    init?(intValue _: Int) { nil }
}

private struct UnkeyedNodes: UnkeyedDecodingContainer {
    let decoder: NodeDecoder
    let nodes: [Int]
    var currentIndex = 0
    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { nodes.count }
    var isAtEnd: Bool { currentIndex >= nodes.count }

    init(decoder: NodeDecoder, nodes: [Int]) {
        self.decoder = decoder
        self.nodes = nodes
    }

    private func next() throws -> NodeDecoder {
        if isAtEnd {
            throw DecodingError.valueNotFound(
                Any.self, .init(codingPath: codingPath, debugDescription: "the list has no more values"))
        }
        return decoder.child(nodes[currentIndex], IndexKey(intValue: currentIndex))
    }

    private mutating func taking<Value>(_ body: (NodeDecoder) throws -> Value) throws -> Value {
        let value = try body(try next())
        currentIndex += 1
        return value
    }

    mutating func decodeNil() throws -> Bool {
        if try !next().decodeNil() { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try taking { try $0.value(type) }
    }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws
        -> KeyedDecodingContainer<Nested>
    {
        try taking { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try taking { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try taking { $0 } }
}
