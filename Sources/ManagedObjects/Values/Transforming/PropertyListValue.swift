import Foundation

/// A value of a property list.
enum PropertyListValue: Sendable, Encodable, Equatable {
    case text(String)
    case number(Int64)
    case real(Double)
    case bool(Bool)
    case data(Data)
    case date(Date)
    case list([PropertyListValue])
    case dictionary([String: PropertyListValue])

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .real(let value): try container.encode(value)
        case .bool(let value): try container.encode(value)
        case .data(let value): try container.encode(value)
        case .date(let value): try container.encode(value)
        case .list(let value): try container.encode(value)
        case .dictionary(let value): try container.encode(value)
        }
    }

    var text: String? { if case .text(let value) = self { value } else { nil } }
    var data: Data? { if case .data(let value) = self { value } else { nil } }
    var dictionary: [String: PropertyListValue]? {
        if case .dictionary(let value) = self { value } else { nil }
    }
}
