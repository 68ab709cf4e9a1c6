internal import Cexpat
package import Foundation

/// Whoever is told what an XML document says, in its order.
package protocol XMLHandler: AnyObject {
    /// The bytes of the tag that ``start(_:_:line:)`` or ``end(_:)`` is about to tell of; for the end of an
    /// element of one tag none, behind it.
    var place: Range<Int> { get set }
    func start(_ name: String, _ attributes: [String: String], line: Int) throws
    /// Characters between tags, in pieces.
    func text(_ text: String)
    func end(_ name: String) throws
}

extension XMLHandler {
    package var place: Range<Int> {
        get { 0..<0 }
        set {}
    }
}

/// Why a text is no XML.
package struct XMLError: Error, CustomStringConvertible {
    let line: Int
    let reason: String
    package var description: String { "line \(line): \(reason)" }
}

/// Reads XML documents with expat, in the encodings that it knows. Entities of one's own are refused, so that
/// no document grows; what else there is, comments, instructions and a document type, is passed over.
///
/// Foundation's parser for Linux traps on some broken documents, which no reader of other people's files may.
///
/// - Complexity: O(bytes); elements at most 256 deep.
package enum XMLReader {
    /// - Parameter allowsType: whether the document may have a document type.
    /// - Throws: ``XMLError``, and what the handler throws.
    package static func read(
        _ data: Data, to handler: some XMLHandler, allowsType: Bool = true
    ) throws {
        guard let parser = unsafe XML_ParserCreate(nil) else { throw XMLError(line: 0, reason: "no memory") }
        defer { unsafe XML_ParserFree(parser) }
        let reading = unsafe Reading(parser, handler)
        // SAFETY: `reading` and the bytes outlive the parser's use of them, which ends with the last call.
        try withExtendedLifetime(reading) {
            reading.register(allowsType: allowsType)
            var rest = data[...]
            repeat {
                let part = rest.prefix(1 << 20)
                rest = rest.dropFirst(part.count)
                let status = unsafe part.withUnsafeBytes { bytes in
                    unsafe XML_Parse(
                        parser, bytes.bindMemory(to: CChar.self).baseAddress, Int32(bytes.count),
                        rest.isEmpty ? 1 : 0)
                }
                if let error = reading.error { throw error }
                if status == XML_STATUS_OK { continue }
                let reason = unsafe XML_ErrorString(XML_GetErrorCode(parser))
                throw reading.failure(unsafe reason.map { unsafe String(cString: $0) } ?? "no XML")
            } while !rest.isEmpty
        }
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
}

/// Hands over to a handler what expat tells, until that throws.
@safe private final class Reading {
    private let parser: XML_Parser
    private let handler: any XMLHandler
    private(set) var error: (any Error)?
    private var depth = 0
    private static let deepest = 256

    init(_ parser: XML_Parser, _ handler: any XMLHandler) {
        unsafe self.parser = unsafe parser
        self.handler = handler
    }

    func failure(_ reason: String) -> XMLError {
        XMLError(line: unsafe Int(XML_GetCurrentLineNumber(parser)), reason: reason)
    }

    private var place: Range<Int> {
        let start = unsafe Int(XML_GetCurrentByteIndex(parser))
        return start..<start + (unsafe Int(XML_GetCurrentByteCount(parser)))
    }

    /// Has expat call this.
    func register(allowsType: Bool) {
        unsafe XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        unsafe XML_SetElementHandler(
            parser, { unsafe Reading.of($0)?.start($1, $2) }, { unsafe Reading.of($0)?.end($1) })
        unsafe XML_SetCharacterDataHandler(parser) { unsafe Reading.of($0)?.text($1, $2) }
        unsafe XML_SetEntityDeclHandler(parser) { context, _, _, _, _, _, _, _, _ in
            unsafe Reading.of(context)?.stop { $0.failure("entities of one's own") }
        }
        if !allowsType {
            unsafe XML_SetStartDoctypeDeclHandler(parser) { context, _, _, _, _ in
                unsafe Reading.of(context)?.stop { $0.failure("a document type") }
            }
        }
        // With a document type elsewhere expat passes over what only that may explain.
        unsafe XML_SetSkippedEntityHandler(parser) { context, name, _ in
            let name = unsafe Reading.text(name)
            unsafe Reading.of(context)?.stop { $0.failure("&\(name); stands for nothing") }
        }
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> Reading? {
        // SAFETY: what `register` gave to expat, and alive while it parses.
        unsafe context.map { unsafe Unmanaged<Reading>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func text(_ bytes: UnsafePointer<CChar>?) -> String {
        unsafe bytes.map { unsafe String(cString: $0) } ?? ""
    }

    /// Does something unless an earlier call failed, and keeps its error. expat calls on until it sees that
    /// it is to stop.
    private func attempt(_ body: () throws -> Void) {
        if error != nil { return }
        do { try body() } catch {
            self.error = error
            unsafe XML_StopParser(parser, 0)
        }
    }

    private func stop(_ error: (Reading) -> XMLError) { attempt { throw error(self) } }

    private func start(
        _ name: UnsafePointer<CChar>?, _ pairs: UnsafeMutablePointer<UnsafePointer<CChar>?>?
    ) {
        attempt {
            depth += 1
            if depth > Self.deepest { throw failure("more than \(Self.deepest) elements deep") }
            var attributes: [String: String] = [:], index = 0
            while let key = unsafe pairs?[index] {
                attributes[unsafe Self.text(key)] = unsafe Self.text(pairs?[index + 1])
                index += 2
            }
            handler.place = place
            try handler.start(
                unsafe Self.text(name), attributes, line: unsafe Int(XML_GetCurrentLineNumber(parser)))
        }
    }

    private func end(_ name: UnsafePointer<CChar>?) {
        attempt {
            depth -= 1
            handler.place = place
            try handler.end(unsafe Self.text(name))
        }
    }

    private func text(_ bytes: UnsafePointer<CChar>?, _ count: Int32) {
        attempt {
            let buffer = unsafe UnsafeBufferPointer(start: bytes, count: Int(count))
            handler.text(unsafe String(decoding: buffer.lazy.map(UInt8.init(bitPattern:)), as: UTF8.self))
        }
    }
}
