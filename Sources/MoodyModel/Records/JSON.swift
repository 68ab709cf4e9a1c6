import Texts

/// A JSON value that is written with its keys in the order they were given.
package enum JSON: Sendable, Equatable {
    case null
    case bool(Bool)
    case number(Int64)
    /// Not a number and infinities are written as null.
    case real(Double)
    case string(String)
    case array([JSON])
    case object([(String, JSON)])

    package static func == (a: JSON, b: JSON) -> Bool { a.text == b.text }

    /// In one line, without spaces.
    package var text: String {
        var text = ""
        write(to: &text)
        return text
    }

    /// An object with one more key, its last.
    package func adding(_ key: String, _ value: JSON) -> JSON {
        guard case .object(let fields) = self else { return self }
        return .object(fields + [(key, value)])
    }

    private func write(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .number(let value): text += String(value)
        case .real(let value):
            let isWhole = value.rounded() == value && abs(value) < 1e15
            text += value.isFinite ? (isWhole ? String(Int64(value)) : "\(value)") : "null"
        case .string(let value): text += JSONString.quoted(value)
        case .array(let values):
            text += "["
            for (index, value) in values.enumerated() {
                if index > 0 { text += "," }
                value.write(to: &text)
            }
            text += "]"
        case .object(let fields):
            text += "{"
            for (index, field) in fields.enumerated() {
                if index > 0 { text += "," }
                text += JSONString.quoted(field.0)
                text += ":"
                field.1.write(to: &text)
            }
            text += "}"
        }
    }
}

extension JSON: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByBooleanLiteral {
    package init(integerLiteral value: Int64) { self = .number(value) }
    package init(stringLiteral value: String) { self = .string(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
}
