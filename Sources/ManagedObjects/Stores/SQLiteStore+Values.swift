import GRDB

extension StatementArguments {
    init(_ values: [StoredValue]) { self.init(values.map(\.databaseValue)) }
}

extension StoredValue {
    var databaseValue: DatabaseValue {
        switch self {
        case .null: .null
        case .int(let value): value.databaseValue
        case .double(let value): value.databaseValue
        case .text(let value): value.databaseValue
        case .blob(let value): value.databaseValue
        }
    }

    init(_ value: DatabaseValue) {
        self =
            switch value.storage {
            case .null: .null
            case .int64(let value): .int(value)
            case .double(let value): .double(value)
            case .string(let value): .text(value)
            case .blob(let value): .blob(value)
            }
    }
}
