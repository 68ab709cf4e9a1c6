package import Foundation

/// Whoever is told what an XML document says, in its order.
package protocol XMLHandler: AnyObject {
    func start(_ name: String, _ attributes: [String: String], line: Int) throws
    /// Characters between tags, in pieces.
    func text(_ text: String)
    func end(_ name: String) throws
}

/// Why a text is no XML.
package struct XMLError: Error, CustomStringConvertible {
    let line: Int
    let reason: String
    package var description: String { "line \(line): \(reason)" }
}

/// Reads XML documents in UTF-8: elements, attributes, references to characters, CDATA. What else there is,
/// comments, instructions and a document type, is passed over; entities of one's own are refused, so that no
/// document grows.
///
/// Foundation's parser for Linux traps on some broken documents, which no reader of other people's files may.
///
/// - Complexity: O(bytes); elements at most 256 deep.
/// - Source: XML 1.0, fifth edition: productions 10, 14, 39 to 44, 66, 68; 2.11 and 3.3.3 on line ends.
package struct XMLReader {
    private let bytes: [UInt8]
    private var position = 0
    private var open: [String] = []
    private static let deepest = 256

    private let allowsType: Bool

    /// - Parameter allowsType: whether the document may have a document type.
    /// - Throws: ``XMLError``, and what the handler throws.
    package static func read(
        _ data: Data, to handler: some XMLHandler, allowsType: Bool = true
    ) throws {
        var reader = XMLReader(bytes: Array(data), allowsType: allowsType)
        if String(validating: data, as: UTF8.self) == nil { throw reader.failure("not UTF-8") }
        try reader.read(to: handler)
    }

    private init(bytes: [UInt8], allowsType: Bool) {
        self.allowsType = allowsType
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        self.bytes = bytes.starts(with: mark) ? Array(bytes.dropFirst(3)) : bytes
    }

    private func failure(_ reason: String) -> XMLError {
        XMLError(
            line: 1 + bytes[..<min(position, bytes.count)].count { $0 == UInt8(ascii: "\n") }, reason: reason)
    }

    private var lines = 1
    private var counted = 0

    private mutating func countLines() -> Int {
        while counted < position {
            if bytes[counted] == UInt8(ascii: "\n") { lines += 1 }
            counted += 1
        }
        return lines
    }

    private func isNext(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard position + count <= bytes.count else { return false }
        return text.withUTF8Buffer { unsafe $0.elementsEqual(bytes[position..<position + count]) }
    }

    private mutating func read(to handler: some XMLHandler) throws {
        var hasRoot = false
        while position < bytes.count {
            if bytes[position] != UInt8(ascii: "<") {
                let text = try text(until: UInt8(ascii: "<"))
                if !open.isEmpty {
                    handler.text(text)
                } else if !text.allSatisfy(\.isWhitespace) {
                    throw failure("text outside of the document's element")
                }
            } else if isNext("<!--") {
                try skip(to: "-->", from: 4)
            } else if isNext("<?") {
                position += 2
                _ = try name()
                if !isNext("?>") && !skipSpace() { throw failure("an instruction's name goes on") }
                try skip(to: "?>", from: 0)
            } else if isNext("<![CDATA[") {
                if open.isEmpty { throw failure("text outside of the document's element") }
                let start = position + 9
                try skip(to: "]]>", from: 9)
                handler.text(Self.normalized(String(decoding: bytes[start..<position - 3], as: UTF8.self)))
            } else if isNext("<!") {
                if hasRoot { throw failure("a declaration inside the document") }
                if !allowsType { throw failure("a document type") }
                try skipDeclaration()
            } else if isNext("</") {
                position += 2
                let name = try name()
                skipSpace()
                try consume(UInt8(ascii: ">"))
                guard open.popLast() == name else { throw failure("</\(name)> closes nothing") }
                try handler.end(name)
            } else {
                if open.isEmpty && hasRoot { throw failure("a second element outside") }
                hasRoot = true
                try element(to: handler)
            }
        }
        if let last = open.last { throw failure("<\(last)> is not closed") }
        if !hasRoot { throw failure("there is no element") }
    }

    private mutating func element(to handler: some XMLHandler) throws {
        let line = countLines()
        position += 1
        let name = try name()
        var attributes: [String: String] = [:]
        while true {
            let hadSpace = skipSpace()
            if isNext("/>") {
                position += 2
                try handler.start(name, attributes, line: line)
                return try handler.end(name)
            }
            if isNext(">") {
                position += 1
                if open.count == Self.deepest { throw failure("more than \(Self.deepest) elements deep") }
                open.append(name)
                return try handler.start(name, attributes, line: line)
            }
            if !hadSpace { throw failure("<\(name) is not ended") }
            let key = try self.name()
            skipSpace()
            try consume(UInt8(ascii: "="))
            skipSpace()
            guard let quote = next, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
                throw failure("\(key) has no value in quotes")
            }
            position += 1
            let value = try text(until: quote, isAttribute: true)
            try consume(quote)
            if attributes.updateValue(value, forKey: key) != nil { throw failure("\(key) is there twice") }
        }
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func consume(_ byte: UInt8) throws {
        guard next == byte else { throw failure("no \(Character(UnicodeScalar(byte))) where one must be") }
        position += 1
    }

    @discardableResult
    private mutating func skipSpace() -> Bool {
        let start = position
        while let next, next == 0x20 || (9...13).contains(next) { position += 1 }
        return position > start
    }

    private mutating func skip(to end: StaticString, from offset: Int) throws {
        position += offset
        while position < bytes.count {
            if isNext(end) {
                position += end.utf8CodeUnitCount
                return
            }
            position += 1
        }
        throw failure("the text ends inside")
    }

    /// A document type, with what stands in brackets, which may name no entity.
    private mutating func skipDeclaration() throws {
        var depth = 0
        while let byte = next {
            if isNext("<!ENTITY") { throw failure("entities of one's own") }
            if byte == UInt8(ascii: "<") { depth += 1 }
            position += 1
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                while let other = next, other != byte { position += 1 }
                position += 1
            }
            if byte == UInt8(ascii: ">") {
                depth -= 1
                if depth == 0 { return }
            }
        }
        throw failure("the text ends inside")
    }

    private mutating func name() throws -> String {
        let start = position
        while let next, isName(next, isFirst: position == start) { position += 1 }
        if position == start { throw failure("no name where one must be") }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private func isName(_ byte: UInt8, isFirst: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "_"), UInt8(ascii: ":"), 0x80...:
            true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."): !isFirst
        default: false
        }
    }

    /// Characters up to `end`, with what references stand for.
    private mutating func text(until end: UInt8, isAttribute: Bool = false) throws -> String {
        var text = "", start = position
        func run(_ range: Range<Int>) -> String {
            let run = Self.normalized(String(decoding: bytes[range], as: UTF8.self))
            return isAttribute ? String(run.map { $0 == "\n" || $0 == "\t" ? " " : $0 }) : run
        }
        while let byte = next, byte != end {
            if byte == UInt8(ascii: "&") {
                text += run(start..<position)
                text.unicodeScalars.append(try reference())
                start = position
            } else if byte == UInt8(ascii: "<") {
                throw failure("< inside of a value")
            } else if byte == UInt8(ascii: "]"), !isAttribute, isNext("]]>") {
                throw failure("]]> outside of a section")
            } else {
                position += 1
            }
        }
        if isAttribute && next == nil { throw failure("the text ends inside") }
        return text + run(start..<position)
    }

    private static func normalized(_ text: String) -> String {
        if !text.utf8.contains(13) { return text }
        // Scalars, since a carriage return and a line feed are one Character.
        var result = String.UnicodeScalarView(), last: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            if scalar == "\r" {
                result.append("\n")
            } else if !(scalar == "\n" && last == "\r") {
                result.append(scalar)
            }
            last = scalar
        }
        return String(result)
    }

    /// Whether a document may hold the character.
    ///
    /// - Source: XML 1.0, production 2.
    static func isCharacter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 9, 10, 13, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }

    /// `&amp;`, `&#38;`, `&#x26;`
    private mutating func reference() throws -> Unicode.Scalar {
        let start = position + 1
        while let next, next != UInt8(ascii: ";"), position - start < 12 { position += 1 }
        guard next == UInt8(ascii: ";") else { throw failure("& without ;") }
        let name = String(decoding: bytes[start..<position], as: UTF8.self)
        position += 1
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default:
            let number =
                name.hasPrefix("#x")
                ? UInt32(name.dropFirst(2), radix: 16)
                : name.hasPrefix("#") ? UInt32(name.dropFirst()) : nil
            guard let scalar = number.flatMap(Unicode.Scalar.init), Self.isCharacter(scalar) else {
                throw failure("&\(name); stands for nothing")
            }
            return scalar
        }
    }
}
