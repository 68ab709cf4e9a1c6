import Foundation
package import ManagedObjects
import Texts

extension ShownValue {
    /// The value as JSON: a date in ISO 8601, bytes in Base64, a UUID as text.
    package var json: String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .int(let value), .key(let value): "\(value)"
        case .double(let value): JSONText.number(value)
        case .decimal(let value): "\(value)"
        case .text(let text): JSONText.string(text)
        case .uuid(let uuid): JSONText.string(uuid.uuidString)
        case .date(let seconds): JSONText.string(ISODate.text(seconds))
        case .data(let data): JSONText.string(data.base64EncodedString())
        case .keys(let keys): JSONText.array(keys.sorted().map { "\($0)" })
        case .group(let values): JSONText.object(values.map { ($0.name, $0.value.json) })
        case .error(let reason): JSONText.object([("error", JSONText.string(reason))])
        }
    }

    /// The value in a cell of a table.
    package var cell: String {
        switch self {
        case .null: ""
        case .text(let text): text
        case .uuid(let uuid): uuid.uuidString
        case .date(let seconds): ISODate.text(seconds)
        case .data(let data): data.base64EncodedString()
        case .keys(let keys): keys.map { "\($0)" }.joined(separator: " ")
        case .double(let value): JSONText.number(value)
        case .error(let reason): "(\(reason))"
        default: json
        }
    }

    /// The value for a reader: archives and JSON among bytes are shown as what they say.
    package var shown: String {
        switch self {
        case .null: "-"
        case .text(let text): JSONText.string(text)
        case .data(let data): ArchivedText.text(of: data) ?? Self.bytes(data)
        case .group(let values):
            "{" + values.map { "\($0.name): \($0.value.shown)" }.joined(separator: ", ") + "}"
        case .keys(let keys): "[" + keys.map { "\($0)" }.joined(separator: " ") + "]"
        case .key(let key): "-> \(key)"
        default: cell
        }
    }

    private static func bytes(_ data: Data) -> String {
        let head = Hexadecimal.text(data.prefix(12))
        return "<\(data.count) bytes\(data.isEmpty ? "" : ": ")\(head)\(data.count > 12 ? "…" : "")>"
    }
}

/// Dates in ISO 8601, in UTC.
package enum ISODate {
    /// - Parameter seconds: since 2001-01-01 00:00 UTC.
    package static func text(_ seconds: Double) -> String {
        let whole = seconds.rounded(.down)
        // Beyond any calendar.
        guard abs(whole) < 1e13 else { return "\(seconds) s after 2001-01-01T00:00:00Z" }
        var total = Int(whole) + 978_307_200
        // Six digits: a Double of today has no more.
        var micros = Int(((seconds - whole) * 1_000_000).rounded())
        if micros == 1_000_000 { (total, micros) = (total + 1, 0) }
        let day = total >= 0 ? total / 86_400 : (total - 86_399) / 86_400
        let second = total - day * 86_400
        let (year, month, dayOfMonth) = GregorianDay.date(day)
        let clock = ISOText.clock(
            second / 3_600, second / 60 % 60, second % 60, fraction: micros, places: 6)
        return "\(ISOText.day(year, month, dayOfMonth))T\(clock)Z"
    }
}
