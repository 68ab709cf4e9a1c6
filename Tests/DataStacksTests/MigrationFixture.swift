import DataStacks
import Foundation
import ManagedObjects

// Four versions of one entity: V1 to V2 and V3 to V4 can be inferred, V2 to V3 needs a mapping.

final class Book1: ManagedObject {
    override class var entityName: String { "Book" }
    @Attribute var number: Int64
    @Attribute var title: String
}

final class Book2: ManagedObject {
    override class var entityName: String { "Book" }
    @Attribute var number: Int64
    @Attribute var title: String
    @Attribute var author: String?
}

final class Book3: ManagedObject {
    override class var entityName: String { "Book" }
    @Attribute var number: Int64
    @Attribute var title: String
    @Attribute var author: String?
    @Attribute var initial: String
}

final class Book4: ManagedObject {
    override class var entityName: String { "Book" }
    @Attribute var number: Int64
    @Attribute var title: String
    @Attribute var author: String?
    @Attribute var initial: String
    @Attribute var pages: Int64?
}

/// Of a version that no history knows.
final class BookX: ManagedObject {
    override class var entityName: String { "Book" }
    @Attribute var weight: Double
    @Attribute(.externalStorage) var cover: Data?
}

struct Versions {
    let models: [ManagedObjectModel]

    init() throws {
        models = [
            try ManagedObjectModel(Book1.self, versionIdentifiers: ["V1"]),
            try ManagedObjectModel(Book2.self, versionIdentifiers: ["V2"]),
            try ManagedObjectModel(Book3.self, versionIdentifiers: ["V3"]),
            try ManagedObjectModel(Book4.self, versionIdentifiers: ["V4"]),
        ]
    }

    /// V2 to V3: the initial is the first letter of the title.
    func mapping(refusing number: Int64? = nil) throws -> MappingModel {
        try MappingModel(
            from: models[1], to: models[2],
            entities: [
                EntityMapping(
                    from: "Book", to: "Book",
                    properties: [
                        "initial": .value { source in
                            if let number, try source.value("number", as: Int64.self) == number {
                                throw Refusal()
                            }
                            return String(try source.value("title", as: String.self).prefix(1))
                        }
                    ])
            ])
    }

    func history(_ chain: MigrationChain, mappings: [MappingModel]? = nil) throws -> SchemaHistory {
        try SchemaHistory(
            models: models, migrationChain: chain, mappings: mappings ?? [try mapping()])
    }

    /// Makes a store of a version, with so many books.
    func makeStore(_ url: URL, version: Int, books: Int = 20) throws {
        let stack = DataStack(model: models[version - 1], logger: QuietLogger())
        try stack.addStorageAndWait(SQLiteStore(fileURL: url))
        try stack.performAndWait { transaction in
            for number in 0..<books {
                switch version {
                case 1:
                    let book = transaction.create(Into<Book1>())
                    (book.number, book.title) = (Int64(number), "\(number) book")
                case 2:
                    let book = transaction.create(Into<Book2>())
                    (book.number, book.title) = (Int64(number), "\(number) book")
                case 3:
                    let book = transaction.create(Into<Book3>())
                    (book.number, book.title, book.initial) = (Int64(number), "\(number) book", "x")
                default:
                    let book = transaction.create(Into<Book4>())
                    (book.number, book.title, book.initial) = (Int64(number), "\(number) book", "x")
                }
            }
        }
        try stack.close()
    }
}
