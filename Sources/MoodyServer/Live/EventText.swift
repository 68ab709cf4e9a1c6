import MoodyModel

/// Server-sent events as text.
///
/// - Source: WHATWG HTML, 9.2.5.
enum EventText {
    /// The beginning of a stream: tells the browser to wait two seconds before it reconnects.
    static let begin = "retry: 2000\n\n"

    /// Says which list a stream is of, and the generation that its first batch changes.
    static func begin(list: String, generation: UInt64) -> [UInt8] {
        event("begin", [("list", .string(list)), ("generation", .number(Int64(clamping: generation)))])
    }

    /// Encodes an event: a line per field, and an empty line.
    ///
    /// - Parameter data: JSON, which has no line break of its own.
    static func event(_ name: String, id: String? = nil, data: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(data.count + 64)
        if let id { bytes += "id: \(id)\n".utf8 }
        bytes += "event: \(name)\ndata: ".utf8
        bytes += data
        bytes += "\n\n".utf8
        return bytes
    }

    static func event(_ name: String, _ fields: [(String, JSON)]) -> [UInt8] {
        event(name, data: Array(JSON.object([("v", 1)] + fields).text.utf8))
    }

    /// `7f3a9c21-43`, as an event's ID has it; nil for anything else.
    static func position(_ text: String) -> (list: String, generation: UInt64)? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == 8, parts[0].allSatisfy(\.isHexDigit),
            !parts[1].isEmpty, parts[1].utf8.count <= 20,
            parts[1].utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let generation = UInt64(parts[1])
        else { return nil }
        return (String(parts[0]), generation)
    }
}
