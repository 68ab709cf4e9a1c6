import Foundation

/// Why bytes are no property list.
struct PropertyListError: Error, CustomStringConvertible {
    let description: String
}

extension PropertyListValue {
    /// A value that is referred to from several places counts each time.
    private static let mostValues = 100_000
    private static let deepest = 64

    /// Reads a binary or XML property list of a stranger: bounded in depth and in what it unfolds to.
    ///
    /// Foundation's readers for Linux trap on some broken lists, and its decoder takes minutes for deep ones.
    ///
    /// - Throws: ``ArchiveError``, ``XMLError``, ``PropertyListError``.
    init(decoding data: Data) throws {
        if data.starts(with: Array("bplist".utf8)) {
            let list = try BinaryPropertyList([UInt8](data))
            var left = Self.mostValues
            self = try Self.value(list.top, in: list, depth: 0, &left)
        } else {
            let reader = XMLPropertyListReader()
            try XMLReader.read(data, to: reader)
            guard let value = reader.value else { throw PropertyListError(description: "no property list") }
            self = value
        }
    }

    private static func value(
        _ number: Int, in list: BinaryPropertyList, depth: Int, _ left: inout Int
    ) throws -> PropertyListValue {
        left -= 1
        if left < 0 || depth > deepest {
            throw PropertyListError(
                description: "a property list of more than \(mostValues) values, or \(deepest) levels")
        }
        switch list.nodes[number] {
        case .null, .uid: throw PropertyListError(description: "a value that no property list has")
        case .bool(let value): return .bool(value)
        case .int(let value): return .number(value)
        case .unsigned(let value): return .real(Double(value))
        case .real(let value): return .real(value)
        case .date(let value): return .date(Date(timeIntervalSinceReferenceDate: value))
        case .data(let bytes): return .data(Data(bytes))
        case .text(let text): return .text(text)
        case .list(let numbers):
            return .list(try numbers.map { try value($0, in: list, depth: depth + 1, &left) })
        case .dictionary(let keys, let values):
            var result: [String: PropertyListValue] = [:]
            for (key, number) in zip(keys, values) {
                guard case .text(let name) = list.nodes[key] else {
                    throw PropertyListError(description: "a key that is no text")
                }
                result[name] = try value(number, in: list, depth: depth + 1, &left)
            }
            return .dictionary(result)
        }
    }
}

/// Reads the property list of an XML document, or of a part of one.
///
/// - Source: Apple's PropertyList-1.0.dtd.
final class XMLPropertyListReader: XMLHandler {
    private(set) var value: PropertyListValue?
    private var containers: [Container] = []
    private var characters = ""

    private struct Container {
        var list: [PropertyListValue] = []
        var dictionary: [String: PropertyListValue] = [:]
        var key: String?
        let isDictionary: Bool
    }

    func start(_ name: String, _ attributes: [String: String], line: Int) throws {
        characters = ""
        if name == "dict" || name == "array" { containers.append(Container(isDictionary: name == "dict")) }
        if containers.count > 64 { throw XMLError(line: line, reason: "more than 64 levels") }
    }

    func text(_ text: String) { characters += text }

    func end(_ name: String) throws {
        switch name {
        case "plist": break
        case "key":
            guard containers.last?.isDictionary == true else { throw wrong(name) }
            containers[containers.count - 1].key = characters
        case "dict", "array":
            guard let container = containers.popLast() else { throw wrong(name) }
            try add(container.isDictionary ? .dictionary(container.dictionary) : .list(container.list), name)
        default: try add(try simple(name), name)
        }
        characters = ""
    }

    private func simple(_ name: String) throws -> PropertyListValue {
        let text = characters.trimmingCharacters(in: .whitespacesAndNewlines)
        switch name {
        case "string": return .text(characters)
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "integer":
            let isHexadecimal = text.lowercased().hasPrefix("0x")
            let number = isHexadecimal ? Int64(text.dropFirst(2), radix: 16) : Int64(text)
            if let number { return .number(number) }
            if let number = Double(text) { return .real(number) }
        case "real": if let number = Double(text) { return .real(number) }
        case "data":
            let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters)
            if let data { return .data(data) }
        case "date": if let date = try? Date(text, strategy: .iso8601) { return .date(date) }
        default: break
        }
        throw wrong(name)
    }

    private func add(_ new: PropertyListValue, _ name: String) throws {
        guard let last = containers.indices.last else {
            if value != nil { throw wrong(name) }
            value = new
            return
        }
        if containers[last].isDictionary {
            guard let key = containers[last].key else { throw wrong(name) }
            containers[last].dictionary[key] = new
            containers[last].key = nil
        } else {
            containers[last].list.append(new)
        }
    }

    private func wrong(_ name: String) -> PropertyListError {
        PropertyListError(description: "a property list with a wrong <\(name)>")
    }
}
