/// The types of attributes, with Core Data's numbers for them.
///
/// The number goes into the version hash of an entity, so it may never change.
///
/// - Source: Apple, NSAttributeType; the numbers were checked against published version hashes.
public enum AttributeType: Int32, Sendable, CaseIterable {
    /// No type that a store knows: in memory only.
    case undefined = 0
    case integer16 = 100
    case integer32 = 200
    case integer64 = 300
    case decimal = 400
    case double = 500
    case float = 600
    case string = 700
    case boolean = 800
    case date = 900
    case binaryData = 1000
    case uuid = 1100
    case uri = 1200
    case transformable = 1800
    /// Several elements under one name, each with a column of its own: a struct of SwiftData.
    case composite = 2100

    /// Whether an R*Tree can hold it: numbers that a Double holds.
    var isInBoxes: Bool {
        switch self {
        case .integer16, .integer32, .integer64, .double, .float, .date: true
        default: false
        }
    }

    /// Whether Core Data keeps it as a number of C, which is zero before it is set.
    var isScalar: Bool {
        switch self {
        case .integer16, .integer32, .integer64, .boolean, .double, .float: true
        default: false
        }
    }

    /// The type of the column in Core Data's tables.
    var columnType: String {
        switch self {
        case .integer16, .integer32, .integer64, .boolean: "INTEGER"
        case .date: "TIMESTAMP"
        case .double, .float: "FLOAT"
        case .decimal: "DECIMAL"
        case .string, .uri: "VARCHAR"
        case .binaryData, .uuid, .transformable, .undefined, .composite: "BLOB"
        }
    }
}
