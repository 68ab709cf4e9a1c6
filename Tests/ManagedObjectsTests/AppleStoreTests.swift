import Foundation
import GRDB
import TestSupport
import Testing

@testable import ManagedObjects

/// Stores that Apple's Core Data wrote, opened without a model. What is read is compared with plain SQL,
/// whose columns the test finds by the names of the properties alone.
@Suite struct AppleStoreTests {
    private let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "Fixtures/Stores")

    private func copied(_ name: String, _ folder: ScratchFolder) throws -> URL {
        for suffix in ["", "-wal"] {
            let source = fixtures.appending(path: name + suffix)
            if !FileManager.default.fileExists(atPath: source.path) { continue }
            try FileManager.default.copyItem(at: source, to: folder.url.appending(path: name + suffix))
        }
        return folder.url.appending(path: name)
    }

    private func state(_ folder: ScratchFolder) throws -> String {
        try shell("cd '\(folder.url.path)'; find . -printf '%p %s %T@\\n' | sort; md5sum *")
    }

    /// A store's rows as SQL has them, from a copy, since SQLite rewrites what it opens.
    private func database(_ name: String, _ folder: ScratchFolder) throws -> DatabaseQueue {
        try DatabaseQueue(path: copied(name, folder).path)
    }

    @Test(arguments: [
        "SampleModel_V1.sqlite", "SampleModel_V2.sqlite", "SampleModel2_V2.sqlite", "SampleModel3_V1.sqlite",
        "Bookmarks_V1.sqlite", "photosgraph.graphdb",
    ])
    func `a store opens without a model, reads as plain SQL does, and stays as it is`(name: String) throws {
        let folder = try ScratchFolder(), other = try ScratchFolder()
        let url = try copied(name, folder), before = try state(folder)
        let container = try PersistentContainer(readingStoreAt: url), model = container.managedObjectModel
        let queue = try database(name, other)
        let compared = try container.viewContext.performAndWait { context in
            var compared = 0
            for entity in model.entities where entity.superentityName == nil {
                let request = FetchRequest<ManagedObject>(entityName: entity.name)
                let objects = try context.fetch(request)
                let rows = try queue.read { database in
                    try GRDB.Row.fetchAll(database, sql: "SELECT * FROM Z\(entity.name.uppercased())")
                }
                #expect(objects.count == rows.count, "\(entity.name)")
                let byKey = Dictionary(uniqueKeysWithValues: rows.map { ($0["Z_PK"] as Int64, $0) })
                for object in objects {
                    let row = try #require(byKey[object.objectID.key])
                    for property in object.entity.properties {
                        compared += 1
                        try compare(object, property, row, queue, model)
                    }
                }
            }
            return compared
        }
        #expect(compared > 20)
        try container.persistentStoreCoordinator.close()
        #expect(try state(folder) == before)
    }

    private func compare(
        _ object: ManagedObject, _ property: PropertyDescription, _ row: GRDB.Row, _ queue: DatabaseQueue,
        _ model: ManagedObjectModel
    ) throws {
        let value = try object.value(forKey: property.name), what = "\(object.objectID).\(property.name)"
        switch property {
        case .attribute(let attribute):
            if attribute.isTransient { return }
            let column: DatabaseValue = row["Z" + property.name.uppercased()]
            switch (column.storage, value) {
            case (.null, nil): break
            case (.int64(let stored), let read as Int64): #expect(stored == read, "\(what)")
            case (.int64(let stored), let read as Bool): #expect((stored != 0) == read, "\(what)")
            case (.int64(let stored), let read as Double): #expect(Double(stored) == read, "\(what)")
            case (.double(let stored), let read as Double): #expect(stored == read, "\(what)")
            case (.double(let stored), let read as Decimal):
                #expect("\(stored)".hasPrefix("\(read)"), "\(what)")
            case (.int64(let stored), let read as Decimal): #expect(Decimal(stored) == read, "\(what)")
            case (.double(let stored), let read as Date):
                #expect(stored == read.timeIntervalSinceReferenceDate, "\(what)")
            case (.int64(let stored), let read as Date):
                #expect(Double(stored) == read.timeIntervalSinceReferenceDate, "\(what)")
            case (.string(let stored), let read as String): #expect(stored == read, "\(what)")
            case (.string(let stored), let read as URL): #expect(stored == read.absoluteString, "\(what)")
            case (.blob(let stored), let read as Data): #expect(stored == read, "\(what)")
            case (.blob(let stored), let read as UUID):
                #expect(
                    stored.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
                        == read.uuidString.lowercased().replacing("-", with: ""), "\(what)")
            default: Issue.record("\(what) is \(String(describing: value)), in SQL \(column)")
            }
        case .relationship(let relationship) where !relationship.isToMany:
            let key: Int64? = row["Z" + property.name.uppercased()]
            #expect((value as? ManagedObject)?.objectID.key == key, "\(what)")
        case .relationship(let relationship):
            let members = (value as? Set<ManagedObject>).map(Array.init) ?? value as? [ManagedObject] ?? []
            let keys = try self.keys(relationship, of: object, queue, model)
            #expect(members.map(\.objectID.key).sorted() == keys, "\(what)")
        }
    }

    /// The members of a relationship to many, by SQL.
    private func keys(
        _ relationship: RelationshipDescription, of object: ManagedObject, _ queue: DatabaseQueue,
        _ model: ManagedObjectModel
    ) throws -> [Int64] {
        let target = model.entities[relationship.destination],
            inverse = try #require(relationship.inverseName)
        let root = model.entities[target.rootIndex].name.uppercased()
        return try queue.read { database in
            let columns = try database.columns(in: "Z\(root)").map(\.name)
            if columns.contains("Z\(inverse.uppercased())") {
                return try Int64.fetchAll(
                    database,
                    sql: "SELECT Z_PK FROM Z\(root) WHERE Z\(inverse.uppercased()) = ? ORDER BY Z_PK",
                    arguments: [object.objectID.key])
            }
            let tables = try String.fetchAll(
                database, sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z_[0-9]*'")
            for table in tables {
                let columns = try database.columns(in: table).map(\.name)
                func column(_ name: String) -> String? {
                    columns.first { $0.drop { !$0.isNumber }.drop { $0.isNumber } == name.uppercased() }
                }
                guard let member = column(relationship.name), let owner = column(inverse), member != owner
                else { continue }
                return try Int64.fetchAll(
                    database, sql: "SELECT \(member) FROM \(table) WHERE \(owner) = ? ORDER BY \(member)",
                    arguments: [object.objectID.key])
            }
            Issue.record("no table for \(relationship.name)")
            return []
        }
    }

    @Test(arguments: [
        "SampleModel_V1.sqlite", "SampleModel_V2.sqlite", "SampleModel2_V2.sqlite", "SampleModel3_V1.sqlite",
        "Bookmarks_V1.sqlite", "photosgraph.graphdb",
    ])
    func `all hashes of a store are those of the model it holds`(name: String) throws {
        let folder = try ScratchFolder(), other = try ScratchFolder()
        let model = try ManagedObjectModel(ofStoreAt: copied(name, folder))
        let data = try database(name, other).read {
            try Data.fetchOne($0, sql: "SELECT Z_PLIST FROM Z_METADATA")
        }
        struct Published: Decodable {
            let NSStoreModelVersionHashes: [String: Data]
            let NSStoreModelVersionHashesDigest: String?
        }
        let plist = try PropertyListDecoder().decode(Published.self, from: #require(data))
        let hashes = plist.NSStoreModelVersionHashes
        #expect(!hashes.isEmpty && model.entityVersionHashes == hashes)
        if let digest = plist.NSStoreModelVersionHashesDigest {
            #expect(VersionHash.digest(model.entityVersionHashes) == digest)
        }
    }

    @Test func `a store that holds no model is read by what its tables tell`() throws {
        let folder = try ScratchFolder()
        let coordinator = try PersistentStoreCoordinator(readingStoreAt: copied("Model1.sqlite", folder))
        let model = coordinator.managedObjectModel
        #expect(model.isInferred && model.entities.map(\.name).sorted() == ["Book", "User"])
        #expect(model.entity(named: "Book")?.relationship("user")?.destinationName == "User")
        let context = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        let queue = try DatabaseQueue(path: folder.url.appending(path: "Model1.sqlite").path)
        try context.performAndWait { context in
            for book in try context.fetch(FetchRequest<ManagedObject>(entityName: "Book")) {
                let title = try #require(try book.value(forKey: "title") as? String)
                let sql = "SELECT ZUSER, ZAUTHORNAME FROM ZBOOK WHERE ZTITLE = '\(title)'"
                let row = try queue.read {
                    try #require(try GRDB.Row.fetchOne($0, sql: sql))
                }
                #expect((try book.value(forKey: "user") as? ManagedObject)?.objectID.key == row["ZUSER"])
                #expect(try book.value(forKey: "authorname") as? String == row["ZAUTHORNAME"])
            }
        }
        try coordinator.close()
    }

    @Test func `a store whose model is broken, or gone, says so`() throws {
        for (sql, isReadable) in [
            ("UPDATE Z_MODELCACHE SET Z_CONTENT = x'00112233'", false),
            ("UPDATE Z_MODELCACHE SET Z_CONTENT = 'text'", false),
            ("UPDATE Z_MODELCACHE SET Z_CONTENT = substr(Z_CONTENT, 1, 400)", false),
            ("DELETE FROM Z_MODELCACHE", true), ("DROP TABLE Z_MODELCACHE", true),
            ("ALTER TABLE ZPERSON RENAME TO ZOTHER", false), ("DELETE FROM Z_PRIMARYKEY", false),
            ("DROP TABLE Z_PRIMARYKEY", false),
        ] {
            let folder = try ScratchFolder(), url = try copied("SampleModel_V1.sqlite", folder)
            try DatabaseQueue(path: url.path).write { try $0.execute(sql: sql) }
            if isReadable {
                #expect(try PersistentStoreCoordinator(readingStoreAt: url).managedObjectModel.isInferred)
            } else {
                #expect(throws: StoreError.self, "\(sql)") {
                    try PersistentStoreCoordinator(readingStoreAt: url)
                }
            }
        }
    }

    @Test func `a model that is kept as it is, not compressed, is read`() throws {
        let folder = try ScratchFolder(), url = try copied("SampleModel_V1.sqlite", folder)
        let model = try ManagedObjectModel(ofStoreAt: url)
        try shell(
            """
            python3 - '\(url.path)' <<'PY'
            import sqlite3, zlib, sys
            store = sqlite3.connect(sys.argv[1])
            blob = store.execute('SELECT Z_CONTENT FROM Z_MODELCACHE').fetchone()[0]
            store.execute('UPDATE Z_MODELCACHE SET Z_CONTENT = ?', [zlib.decompress(blob, -15)])
            store.commit()
            PY
            """)
        let read = try ManagedObjectModel(ofStoreAt: url)
        #expect(!read.isInferred && read.entityVersionHashes == model.entityVersionHashes)
    }

    @Test func `without its model a store's decimals are numbers still`() throws {
        let model = try ManagedObjectModel(
            entities: [
                EntityDeclaration(
                    "Coin",
                    properties: [.attribute(AttributeDescription("price", .decimal, isOptional: true))]
                )
            ])
        let folder = try ScratchFolder(), url = folder.url.appending(path: "Coins.sqlite")
        let writer = PersistentStoreCoordinator(managedObjectModel: model)
        try writer.addPersistentStore(ofType: .sqlite, at: url)
        try ManagedObjectContext(persistentStoreCoordinator: writer).performAndWait { context in
            try context.insert(entityNamed: "Coin").setValue(Decimal(string: "-12.5"), forKey: "price")
            try context.save()
        }
        try writer.close()
        try DatabaseQueue(path: url.path).write { try $0.execute(sql: "DELETE FROM Z_MODELCACHE") }
        let reader = try PersistentStoreCoordinator(readingStoreAt: url)
        #expect(reader.managedObjectModel.isInferred)
        let prices = try ManagedObjectContext(persistentStoreCoordinator: reader).performAndWait { context in
            try context.fetch(FetchRequest<ManagedObject>(entityName: "Coin")).map {
                try $0.value(forKey: "price") as? Decimal
            }
        }
        #expect(prices == [Decimal(string: "-12.5")])
        try reader.close()
    }

    @Test func `bytes of a large value's column that are none are no bytes, and no error`() throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "A.moody")
        let coordinator = try folder.open("A.moody", testModel())
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
            Mood.insert(into: context, title: "fog", date: day(1)).preview = Data([1, 2])
            try context.save()
        }
        try coordinator.close()
        try DatabaseQueue(path: url.path).write { try $0.execute(sql: "UPDATE ZMOOD SET ZPREVIEW = x''") }
        let contents = try StoreContents(url)
        var previews: [ShownValue?] = []
        try contents.forEachRow(of: try #require(contents.model.entity(named: "Mood"))) { row in
            previews.append(row.values.first { $0.name == "preview" }?.value)
        }
        #expect(previews == [.data(Data())])
    }

    @Test func `a column that a store does not have is empty, and no answer is wrong`() throws {
        let folder = try ScratchFolder(), url = try copied("SampleModel_V1.sqlite", folder)
        try DatabaseQueue(path: url.path).write { try $0.execute(sql: "ALTER TABLE ZPERSON DROP COLUMN ZID") }
        let contents = try StoreContents(url)
        let person = try #require(contents.model.entity(named: "Person"))
        var count = 0
        try contents.forEachRow(of: person) { row in
            count += 1
            let id = row.values.first { $0.name == "id" }?.value
            #expect(id == .error("the store has no column for it"))
            #expect(row.values.contains { $0.name == "lastName" && $0.value != .null })
        }
        #expect(count == 20)
    }
}

extension AppleStoreTests {
    /// A copy that is opened to write, by the model that it holds.
    private func writable(_ name: String, _ folder: ScratchFolder) throws -> (ManagedObjectContext, URL) {
        let url = folder.url.appending(path: name)
        let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "Fixtures/Stores/\(name)")
        try FileManager.default.copyItem(at: fixture, to: url)
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel(ofStoreAt: url))
        try coordinator.addPersistentStore(ofType: .sqlite, at: url)
        return (ManagedObjectContext(persistentStoreCoordinator: coordinator), url)
    }

    @Test func `a store with triggers of derived attributes and a history is written as Apple writes it`()
        throws
    {
        let folder = try ScratchFolder(), (context, url) = try writable("SampleModel2_V2.sqlite", folder)
        let before = try shell("sqlite3 '\(url.path)' 'SELECT ZPAGESCOUNT FROM ZBOOK WHERE Z_PK = 1'")
        try context.performAndWait { context in
            let books = try context.fetch(FetchRequest<ManagedObject>(entityName: "Book"))
            let book = try #require(books.first { $0.objectID.key == 1 })
            let page = try context.insert(entityNamed: "Page")
            try page.setValue(500, forKey: "number")
            try page.setValue(Data([1]), forKey: "content")
            try page.setValue(book, forKey: "book")
            try book.setValue("a new title", forKey: "title")
            try context.save()
        }
        try context.persistentStoreCoordinator.close()
        let count = try #require(Int(before.trimmingCharacters(in: .whitespacesAndNewlines)))
        let told = try shell(
            """
            sqlite3 '\(url.path)' "SELECT ZPAGESCOUNT FROM ZBOOK WHERE Z_PK = 1; \
            SELECT COUNT(*) FROM ZPAGE WHERE ZBOOK = 1; PRAGMA integrity_check; \
            SELECT ZCHANGETYPE, ZENTITYPK, hex(ZCOLUMNS) FROM ACHANGE \
            WHERE ZTRANSACTIONID = 2 AND ZCHANGETYPE = 1"
            """)
        // Eight properties by name: author, frontCover, pages, pagesCount, price, publishedAt, title,
        // uniqueID.
        #expect(told == "\(count + 1)\n\(count + 1)\nok\n1|1|22\n")
        let history = try #require(try StoreContents(url).history(since: nil))
        let change = history.last?.changes.first { $0.kind == .update }
        #expect(change?.properties == ["pages", "title"])
    }

    @Test func `a store whose triggers call what there is not is refused, and can be read`() throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "S.sqlite")
        let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "Fixtures/Stores/SampleModel_V1.sqlite")
        try FileManager.default.copyItem(at: fixture, to: url)
        try DatabaseQueue(path: url.path).write {
            try $0.execute(
                sql: "CREATE TRIGGER Z_X AFTER INSERT ON ZCAR BEGIN SELECT "
                    + "NSCoreDataTriggerUpdateAffectedObjectValue('ZCAR', 1, 1, 1); "
                    + "SELECT NSCoreDataOther('ZCAR'); END")
        }
        let model = try ManagedObjectModel(ofStoreAt: url)
        let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        let error = #expect(throws: StoreError.self) {
            try coordinator.addPersistentStore(ofType: .sqlite, at: url)
        }
        #expect(
            error.map { "\($0)" } == "cannot be written to: its trigger Z_X calls NSCoreDataOther, "
                + "which is Core Data's own")
        #expect(try PersistentStoreCoordinator(readingStoreAt: url).persistentStores.count == 1)
    }

    @Test func `a lost file is an error of its value alone, with its name`() throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "S.sqlite")
        let model = try ManagedObjectModel(entities: [
            EntityDeclaration(
                "Note",
                properties: [
                    .attribute(AttributeDescription("title", .string)),
                    .attribute(
                        AttributeDescription("scan", .binaryData, isOptional: true, options: .externalStorage)
                    ),
                ])
        ])
        let coordinator = try folder.open("S.sqlite", model)
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
            for (title, size) in [("small", 10), ("large", 200_000)] {
                let note = try context.insert(entityNamed: "Note")
                try note.setValue(title, forKey: "title")
                try note.setValue(Data(count: size), forKey: "scan")
            }
            try context.save()
        }
        try coordinator.close()
        let files = folder.url.appending(path: ".S_SUPPORT/_EXTERNAL_DATA")
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: files.path).first)
        try FileManager.default.removeItem(at: files.appending(path: name))
        let contents = try StoreContents(url)
        var shown: [String] = []
        try contents.forEachRow(of: contents.entities[0]) { row in
            shown.append(row.values.map { "\($0.value)" }.joined(separator: " "))
        }
        #expect(shown.contains { $0.contains("error(\"\(name): No such file or directory\")") })
        #expect(shown.contains { $0.contains("data(10 bytes)") } && shown.allSatisfy { $0.contains("text(") })
        #expect(try contents.report().missingFiles == [name])
    }
}
