public import Foundation

/// A value of one property of one row: SQLite's five storage classes, the key of another row, or a file.
public enum StoredValue: Sendable {
    case null
    case int(Int64)
    case double(Double)
    /// Compared by its UTF-8 bytes, as SQLite does: "é" in one scalar and in two are different texts.
    case text(String)
    case blob(Data)
    /// The target of a to-one relationship.
    case id(ManagedObjectID)
    /// A large value of an attribute with external storage, in a file of its own.
    case external(ExternalFile)
}

extension StoredValue: Equatable {
    /// Returns whether two values are the same.
    public static func == (a: Self, b: Self) -> Bool {
        switch (a, b) {
        case (.null, .null): true
        case (.blob(let a), .blob(let b)): a == b
        default: a.order(to: b) == .same
        }
    }
}

extension StoredValue {
    /// Whether a column would hold the very same: 1 and 1.0 are equal, and so are 0.0 and -0.0, but not this.
    func isIdentical(to other: StoredValue) -> Bool {
        switch (self, other) {
        case (.null, .null): true
        case (.int(let a), .int(let b)): a == b
        case (.double(let a), .double(let b)): a.bitPattern == b.bitPattern
        case (.text(let a), .text(let b)): a.utf8.elementsEqual(b.utf8)
        case (.blob(let a), .blob(let b)): a == b
        case (.id(let a), .id(let b)): a == b
        case (.external(let a), .external(let b)): a.isSame(as: b)
        default: false
        }
    }
}

extension StoredValue {
    /// The digits of a decimal.
    package var decimalText: String? {
        if case .blob(let key) = self { DecimalKey.decimal(key).map { "\($0)" } } else { nil }
    }

    /// The row a relationship to one leads to, under the ID it has now.
    var target: ManagedObjectID? { if case .id(let id) = self { id.current } else { nil } }

    /// The value with the ID that a save gave meanwhile.
    var current: StoredValue { target.map { .id($0) } ?? self }

    enum Order { case less, same, greater }

    /// How two values compare, nil when either is null: numbers by value, then texts, then blobs by bytes.
    ///
    /// - Source: SQLite, "Datatypes", section 4.1, on the order of storage classes.
    func order(to other: StoredValue) -> Order? {
        switch (self, other) {
        case (.null, _), (_, .null): nil
        case (.int(let a), .int(let b)): .of(a, b)
        case (.double(let a), .double(let b)): .of(a, b)
        case (.int(let a), .double(let b)): .of(a, b)
        case (.double(let a), .int(let b)): Order.of(b, a).reversed
        case (.text(let a), .text(let b)): .of(a.utf8, b.utf8)
        case (.blob(let a), .blob(let b)): .of(a, b)
        case (.id(let a), .id(let b)): .of(a.current, b.current)
        case (.external(let a), .external(let b)): .of(a.name.utf8, b.name.utf8)
        default: .of(rank, other.rank)
        }
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .int, .double: 1
        case .text: 2
        case .blob: 3
        case .id: 4
        case .external: 5
        }
    }
}

extension StoredValue.Order {
    /// As SQLite compares: exactly, where a `Double` would round a whole number beyond 2^53.
    fileprivate static func of(_ whole: Int64, _ number: Double) -> Self {
        guard let floor = Int64(exactly: number.rounded(.down)) else { return number > 0 ? .less : .greater }
        if whole != floor { return whole < floor ? .less : .greater }
        return number > Double(floor) ? .less : .same
    }

    fileprivate var reversed: Self {
        switch self {
        case .less: .greater
        case .same: .same
        case .greater: .less
        }
    }

    fileprivate static func of<Number: Comparable>(_ a: Number, _ b: Number) -> Self {
        a < b ? .less : a == b ? .same : .greater
    }

    /// By key; rows of other stores and entities with the same key are no equals.
    fileprivate static func of(_ a: ManagedObjectID, _ b: ManagedObjectID) -> Self {
        if a == b { return .same }
        return (a.key, a.home.number) < (b.key, b.home.number) ? .less : .greater
    }

    fileprivate static func of(_ a: some Sequence<UInt8>, _ b: some Sequence<UInt8>) -> Self {
        if a.lexicographicallyPrecedes(b) { return .less }
        return a.elementsEqual(b) ? .same : .greater
    }
}

/// Values that are equal hash alike: a whole number as the floating-point number that it equals.
extension StoredValue: Hashable {
    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .int(let value): hasher.combine(Double(value))
        case .double(let value): hasher.combine(value == 0 ? 0 : value)
        case .text(let value): for byte in value.utf8 { hasher.combine(byte) }
        case .blob(let value): hasher.combine(value)
        case .id(let id): hasher.combine(id.current)
        case .external(let file): hasher.combine(file.name)
        }
    }
}

extension StoredValue {
    /// The value as a message shows it: text in quotes and at most 80 characters of it.
    var shortDescription: String {
        switch self {
        case .null: return "null"
        case .int(let value): return "\(value)"
        case .double(let value): return "\(value)"
        case .text(let value):
            let start = value.prefix(80)
            return "\"\(start)\(start.endIndex == value.endIndex ? "" : "…")\""
        case .blob(let value): return "\(value.count) bytes"
        case .id(let id): return "\(id.current)"
        case .external(let file): return "file \(file.name)"
        }
    }
}
