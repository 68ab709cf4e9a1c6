import Foundation
import GRDB
import ManagedObjects

/// What both sides store: the same columns, the same index.
final class Item: ManagedObject {
    @Attribute(.indexed) var number: Int64
    @Attribute var name: String
    @Attribute var date: Date
    @Attribute var share: Double
    @Attribute var isKept: Bool
    @Attribute var data: Data
    @Relationship(inverse: \Box.items) var box: Box?

    func fill(_ place: Int) {
        (number, name, date) = (
            Int64(place), "item \(place)", Date(timeIntervalSinceReferenceDate: Double(place))
        )
        (share, isKept, data) = (Double(place) / 7, place % 2 == 0, bytes)
    }
}

final class Box: ManagedObject {
    @Attribute var name: String
    @Relationship(inverse: "box") var items: Set<Item>
}

private let bytes = Data(repeating: 7, count: 16)

/// The same as a GRDB record.
struct Record: Codable, FetchableRecord, MutablePersistableRecord {
    static let databaseTableName = "item"
    var id: Int64?
    var number: Int64
    var name: String
    var date: Double
    var share: Double
    var isKept: Bool
    var data: Data
    var box: Int64?

    init(_ place: Int, box: Int64? = nil) {
        (number, name, date) = (Int64(place), "item \(place)", Double(place))
        (share, isKept, data) = (Double(place) / 7, place % 2 == 0, bytes)
        self.box = box
    }

    // By hand and by place: the fastest that GRDB has.
    init(row: Row) {
        (id, number, name, date) = (row[0], row[1], row[2], row[3])
        (share, isKept, data, box) = (row[4], row[5], row[6], row[7])
    }

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["number"] = number
        container["name"] = name
        container["date"] = date
        container["share"] = share
        container["isKept"] = isKept
        container["data"] = data
        container["box"] = box
    }

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }

    static func table(at url: URL) throws -> DatabasePool {
        let pool = try DatabasePool(path: url.path)
        try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        try pool.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE item (id INTEGER PRIMARY KEY, number INTEGER, name TEXT, date REAL, share REAL, \
                    isKept INTEGER, data BLOB, box INTEGER);
                    CREATE INDEX itemByNumber ON item (number);
                    CREATE INDEX itemByBox ON item (box)
                    """)
        }
        return pool
    }
}
