import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ManagedObjects

/// Stores brought from one version of a model to the next, looked at by a fresh stack and by the sqlite3
/// shell.
@Suite struct MigrationTests {
    /// Kinds that lie in a file.
    static let kinds = StoreKind.allCases.filter { $0 != .memory }

    // MARK: What is inferred

    /// The first version of a library: two shelves, books on them, readers who lend them.
    static func first() throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: [
                EntityDeclaration(
                    "Shelf",
                    properties: [
                        .attribute(AttributeDescription("code", .integer16)),
                        .attribute(AttributeDescription("note", .string, isOptional: true)),
                        .relationship(
                            RelationshipDescription("books", to: "Book", isToMany: true, inverse: "shelf")),
                    ]),
                EntityDeclaration(
                    "Book",
                    properties: [
                        .attribute(AttributeDescription("title", .string)),
                        .attribute(AttributeDescription("weight", .float, isOptional: true)),
                        .attribute(AttributeDescription("gone", .string, isOptional: true)),
                        .attribute(
                            AttributeDescription(
                                "scan", .binaryData, isOptional: true, options: .externalStorage)),
                        .relationship(RelationshipDescription("shelf", to: "Shelf", inverse: "books")),
                        .relationship(RelationshipDescription("reader", to: "Reader", inverse: "books")),
                        .relationship(
                            RelationshipDescription("tags", to: "Tag", isToMany: true, inverse: "books")),
                        .relationship(RelationshipDescription("next", to: "Book", inverse: "before")),
                        .relationship(
                            RelationshipDescription("before", to: "Book", isToMany: true, inverse: "next")),
                    ]),
                EntityDeclaration("Atlas", properties: [], inheritingFrom: "Book"),
                EntityDeclaration(
                    "Reader",
                    properties: [
                        .attribute(AttributeDescription("name", .string)),
                        .relationship(
                            RelationshipDescription(
                                "books", to: "Book", isToMany: true, isOrdered: true, inverse: "reader")),
                    ]),
                EntityDeclaration(
                    "Tag",
                    properties: [
                        .attribute(AttributeDescription("word", .string)),
                        .relationship(
                            RelationshipDescription("books", to: "Book", isToMany: true, inverse: "tags")),
                    ]),
                EntityDeclaration("Old", properties: [.attribute(AttributeDescription("x", .string))]),
            ], versionIdentifiers: ["1"])
    }

    /// Names change, a number grows, what may be missing must be there, a reader becomes many readers, books
    /// lie in an order, and entities come and go.
    static func second() throws -> ManagedObjectModel {
        var rack = EntityDeclaration(
            "Rack",
            properties: [
                .attribute(AttributeDescription("code", .integer64)),
                .attribute(AttributeDescription("note", .string, defaultValue: .text("none"))),
                .attribute(AttributeDescription("height", .double, defaultValue: .double(1.5))),
                .relationship(
                    RelationshipDescription(
                        "books", to: "Book", isToMany: true, isOrdered: true, inverse: "rack")),
            ])
        rack.renamingIdentifier = "Shelf"
        return try ManagedObjectModel(
            entities: [
                rack,
                EntityDeclaration(
                    "Book",
                    properties: [
                        .attribute(AttributeDescription("name", .string, renamingIdentifier: "title")),
                        .attribute(AttributeDescription("weight", .double, isOptional: true)),
                        .attribute(AttributeDescription("isbn", .string, isOptional: true)),
                        .attribute(
                            AttributeDescription(
                                "scan", .binaryData, isOptional: true, options: .externalStorage)),
                        .relationship(
                            RelationshipDescription(
                                "rack", to: "Rack", inverse: "books", renamingIdentifier: "shelf")),
                        .relationship(
                            RelationshipDescription(
                                "readers", to: "Reader", isToMany: true, inverse: "books",
                                renamingIdentifier: "reader")),
                        .relationship(
                            RelationshipDescription("tags", to: "Tag", isToMany: true, inverse: "books")),
                        .relationship(RelationshipDescription("next", to: "Book", inverse: "before")),
                        .relationship(
                            RelationshipDescription("before", to: "Book", isToMany: true, inverse: "next")),
                    ]),
                EntityDeclaration("Atlas", properties: [], inheritingFrom: "Book"),
                EntityDeclaration(
                    "Reader",
                    properties: [
                        .attribute(AttributeDescription("name", .string)),
                        .relationship(
                            RelationshipDescription(
                                "books", to: "Book", isToMany: true, isOrdered: true, inverse: "readers")),
                    ]),
                EntityDeclaration(
                    "Tag",
                    properties: [
                        .attribute(AttributeDescription("word", .string)),
                        .relationship(
                            RelationshipDescription("books", to: "Book", isToMany: true, inverse: "tags")),
                    ]),
                EntityDeclaration("Branch", properties: [.attribute(AttributeDescription("x", .string))]),
            ], versionIdentifiers: ["2"])
    }

    static func open(_ kind: StoreKind, _ url: URL, _ model: ManagedObjectModel, migration: Migration? = nil)
        throws
        -> ManagedObjectContext
    {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: kind.type, at: url, migration: migration)
        return ManagedObjectContext(persistentStoreCoordinator: coordinator)
    }

    /// Five books, one of them an atlas, on two shelves; the URIs by title.
    static func fill(_ context: ManagedObjectContext, scan: Int = 200_000) throws -> [String: URL] {
        try context.performAndWait { context in
            var shelves: [ManagedObject] = [], books: [ManagedObject] = []
            for code in [7, 8] {
                let shelf = try context.insert(entityNamed: "Shelf")
                try shelf.setValue(Int64(code), forKey: "code")
                if code == 8 { try shelf.setValue("wet", forKey: "note") }
                shelves.append(shelf)
            }
            // A gap in the keys, and a key that nobody may get again.
            let lost = try context.insert(entityNamed: "Tag")
            try lost.setValue("lost", forKey: "word")
            try context.save()
            let tags = try ["red", "blue"].map { word in
                let tag = try context.insert(entityNamed: "Tag")
                try tag.setValue(word, forKey: "word")
                return tag
            }
            let reader = try context.insert(entityNamed: "Reader")
            try reader.setValue("Ada", forKey: "name")
            for (index, title) in ["e", "a", "d", "b", "c"].enumerated() {
                let book = try context.insert(entityNamed: index == 2 ? "Atlas" : "Book")
                try book.setValue(title, forKey: "title")
                try book.setValue("x", forKey: "gone")
                if index != 1 { try book.setValue(Double(index) + 0.5, forKey: "weight") }
                try book.setValue(shelves[index % 2], forKey: "shelf")
                try book.setValue(Set(tags[...(index % 2)]), forKey: "tags")
                if index == 3 { try book.setValue(Data(repeating: 5, count: scan), forKey: "scan") }
                if index > 0 { try book.setValue(books[index - 1], forKey: "next") }
                books.append(book)
            }
            try reader.setValue([books[4], books[0], books[2]], forKey: "books")
            let old = try context.insert(entityNamed: "Old")
            try old.setValue("x", forKey: "x")
            try context.save()
            context.delete(lost)
            try context.save()
            var uris: [String: URL] = [:]
            for book in books {
                uris[try book.value(forKey: "title") as? String ?? ""] = book.objectID.uriRepresentation
            }
            return uris
        }
    }

    /// Everything of the second version as text.
    private static func all(_ context: isolated ManagedObjectContext, _ entity: String, _ key: String) throws
        -> [ManagedObject]
    { try context.fetch(FetchRequest<ManagedObject>(entityName: entity, sortedBy: .ascending(key))) }

    static func told(_ context: ManagedObjectContext) throws -> [String] {
        try context.performAndWait { context in
            func names(_ value: Any?, _ key: String) throws -> [String] {
                let all = (value as? [ManagedObject]) ?? (value as? Set<ManagedObject>).map(Array.init) ?? []
                let names = try all.map { "\(try $0.value(forKey: key) ?? "nil")" }
                return value is [ManagedObject] ? names : names.sorted()
            }
            var lines: [String] = []
            for rack in try all(context, "Rack", "code") {
                lines.append(
                    """
                    rack \(try rack.value(forKey: "code") ?? "nil") \
                    \(try rack.value(forKey: "note") ?? "nil") \(try rack.value(forKey: "height") ?? "nil")
                    """
                )
            }
            for book in try all(context, "Book", "name") {
                let rack = try book.value(forKey: "rack") as? ManagedObject
                let next = try book.value(forKey: "next") as? ManagedObject
                lines.append(
                    """
                    \(book.entity.name) \(try book.value(forKey: "name") ?? "nil") \
                    \(try book.value(forKey: "weight") ?? "nil") \(try rack?.value(forKey: "code") ?? "nil") \
                    \(try names(book.value(forKey: "readers"), "name")) \
                    \(try names(book.value(forKey: "tags"), "word")) \
                    \(try next?.value(forKey: "name") ?? "nil") \
                    \((try book.value(forKey: "scan") as? Data)?.count ?? 0)
                    """
                )
            }
            for reader in try all(context, "Reader", "name") {
                lines.append(
                    """
                    reader \(try reader.value(forKey: "name") ?? "nil") \
                    \(try names(reader.value(forKey: "books"), "name"))
                    """
                )
            }
            lines.append(
                "\(try all(context, "Tag", "word").map { try $0.value(forKey: "word") as? String ?? "" })")
            lines.append("\(try all(context, "Branch", "x").count)")
            return lines
        }
    }

    static let expected = [
        "rack 7 none 1.5", "rack 8 wet 1.5",
        #"Book a nil 8 [] ["blue", "red"] e 0"#, #"Book b 3.5 8 [] ["blue", "red"] d 200000"#,
        #"Book c 4.5 7 ["Ada"] ["red"] b 0"#, #"Atlas d 2.5 7 ["Ada"] ["red"] a 0"#,
        #"Book e 0.5 7 ["Ada"] ["red"] nil 0"#, #"reader Ada ["c", "e", "d"]"#, #"["blue", "red"]"#, "0",
    ]

    @Test(arguments: kinds)
    func `everything that can be inferred is brought over, under the same IDs`(kind: StoreKind) throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "library.store")
        let (first, second) = (try Self.first(), try Self.second())
        let before = try Self.open(kind, url, first)
        let uris = try Self.fill(before)
        try before.persistentStoreCoordinator.setMetadata(["who": "Ada"])
        if kind != .lines {
            try before.persistentStoreCoordinator.stores[0].changeMetadata { $0["count"] = .number(7) }
        }
        let identifier = try before.persistentStoreCoordinator.storeIdentifier()
        try before.persistentStoreCoordinator.close()
        let bytes = try Data(contentsOf: url)
        // Nothing is migrated unasked.
        #expect(throws: StoreError.self) { try Self.open(kind, url, second) }
        let migration = Migration(versions: [first, second])
        let steps = try migration.steps(forStoreAt: url, ofType: kind.type)
        #expect(steps.count == 1 && steps[0].isInferred)
        let kinds = Dictionary(
            uniqueKeysWithValues: steps[0].mapping.entityMappings.map {
                ("\($0.sourceEntityName ?? "-") \($0.destinationEntityName ?? "-")", $0.kind)
            })
        #expect(
            kinds == [
                "Shelf Rack": .transformed, "Book Book": .transformed, "Atlas Atlas": .transformed,
                "Reader Reader": .transformed, "Tag Tag": .copied, "- Branch": .added, "Old -": .removed,
            ])
        #expect(try Data(contentsOf: url) == bytes)

        let after = try Self.open(kind, url, second, migration: migration)
        #expect(try Self.told(after) == Self.expected)
        let coordinator = after.persistentStoreCoordinator
        #expect(try coordinator.storeIdentifier() == identifier)
        #expect(try coordinator.metadata("who") == "Ada")
        #expect(try coordinator.stores[0].allMetadata()["count"] == (kind == .lines ? nil : .number(7)))
        #expect(try coordinator.report().isSound)
        try after.performAndWait { context throws -> Void in
            for (title, uri) in uris {
                let id = try #require(coordinator.managedObjectID(forURIRepresentation: uri))
                let name = try context.existingObject(with: id).value(forKey: "name") as? String
                #expect(name == title)
            }
            // The last key before was a deleted tag's or a living one's: it is not given away again.
            let tags = try context.fetch(FetchRequest<ManagedObject>(entityName: "Tag"))
            let known = Set(tags.map(\.objectID.key))
            let new = try context.insert(entityNamed: "Tag")
            try new.setValue("new", forKey: "word")
            try context.save()
            #expect(new.objectID.key > (known.max() ?? 0))
        }
        try coordinator.close()
        // The old store is kept as it was, and opens.
        let kept = try Self.open(kind, URL(filePath: url.path + ".~1~"), first)
        let count = try kept.performAndWait { context in
            try context.count(FetchRequest<ManagedObject>(entityName: "Book"))
        }
        #expect(count == 5)
        try kept.persistentStoreCoordinator.close()
        // Nothing left to do, and no second copy.
        #expect(try migration.steps(forStoreAt: url, ofType: kind.type).isEmpty)
        #expect(try migration.migrateStore(at: url, ofType: kind.type) == nil)
        // A container does the same when it is told to.
        let other = folder.url.appending(path: "other.store")
        let again = try Self.open(kind, other, first)
        _ = try Self.fill(again)
        try again.persistentStoreCoordinator.close()
        let container = PersistentContainer(
            name: "Library", managedObjectModel: second,
            descriptions: [.init(type: kind.type, url: other, migration: migration)])
        try container.loadPersistentStores()
        let context = container.newBackgroundContext()
        #expect(try Self.told(context) == Self.expected)
        try container.persistentStoreCoordinator.close()
        #expect(!FileManager.default.fileExists(atPath: url.path + ".~2~"))
    }

    @Test func `a migrated store has the tables and indexes of a new one`() throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "a.sqlite")
        let (first, second) = (try Self.first(), try Self.second())
        let before = try Self.open(.sqlite, url, first)
        _ = try Self.fill(before)
        try before.persistentStoreCoordinator.close()
        let after = try Self.open(.sqlite, url, second, migration: Migration(versions: [first, second]))
        try after.persistentStoreCoordinator.close()
        let fresh = folder.url.appending(path: "b.sqlite")
        try Self.open(.sqlite, fresh, second).persistentStoreCoordinator.close()
        func sql(_ url: URL, _ statement: String) throws -> String {
            try shell("sqlite3 '\(url.path)' \"\(statement)\"")
        }
        let schema = "SELECT type, name, sql FROM sqlite_master ORDER BY 1, 2"
        #expect(try sql(url, schema) == sql(fresh, schema))
        #expect(try sql(url, "PRAGMA integrity_check") == "ok\n")
        #expect(try sql(url, "PRAGMA journal_mode") == "wal\n")
        #expect(
            try sql(url, "SELECT ZNAME FROM ZBOOK WHERE ZSCAN IS NOT NULL AND length(ZSCAN) < 100") == "b\n")
        // Three books had a reader in a column of their own; now there are pairs.
        let joins = try sql(
            url,
            "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%READERS%' AND name LIKE "
                + "'Z!_%' ESCAPE '!'"
        )
        let pairs = try joins.split(separator: "\n").map { try sql(url, "SELECT COUNT(*) FROM \($0)") }
        #expect(pairs == ["3\n"])
    }

    // MARK: What cannot be inferred

    @Test func `what a mapping says of things that are not there is named`() throws {
        let model = try Self.first()
        let error = #expect(throws: MigrationError.self) {
            try MappingModel(
                from: model, to: model,
                entities: [
                    EntityMapping(from: "Shelves", to: "Shelf"), EntityMapping(from: "Tag", to: "Tags"),
                    EntityMapping(
                        from: "Book", to: "Book",
                        properties: ["title": .property("name"), "shelf": .value { _ in "x" }]),
                ])
        }
        guard case .mapping(let problems)? = error else { throw error ?? MigrationError.mapping([]) }
        let told = problems.map { "\($0.entity).\($0.property ?? "") \($0.reason)" }
        for text in [
            "Shelves. is not in the version before", "Tags. is not in the version after",
            "Book.title is to come from Book.name, which is not there",
            "Book.shelf is a relationship, and no value can be computed for it",
        ] { #expect(told.contains(text), "\(told)") }
    }

    @Test func `all that would have to be guessed is named at once, and nothing is written`() throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "a.sqlite")
        let first = try Self.first()
        let before = try Self.open(.sqlite, url, first)
        _ = try Self.fill(before)
        try before.persistentStoreCoordinator.close()
        let second = try ManagedObjectModel(entities: [
            EntityDeclaration(
                "Shelf",
                properties: [
                    .attribute(AttributeDescription("code", .string)),
                    .attribute(AttributeDescription("note", .string)),
                    .attribute(AttributeDescription("size", .double)),
                    .relationship(RelationshipDescription("books", to: "Tag", inverse: nil)),
                    .relationship(
                        RelationshipDescription("owner", to: "Tag", isOptional: false, inverse: nil)),
                ]),
            EntityDeclaration("Tag", properties: [.attribute(AttributeDescription("word", .string))]),
        ])
        let bytes = try Data(contentsOf: url)
        let error = #expect(throws: MigrationError.self) {
            try Migration(versions: [first, second]).migrateStore(at: url)
        }
        guard case .mapping(let problems)? = error else { throw error ?? MigrationError.mapping([]) }
        #expect(
            problems.map { "\($0.entity).\($0.property ?? "") \($0.reason)" }.sorted() == [
                "Shelf.books led to many objects and is to lead to one",
                "Shelf.code changes its type from integer16 to string",
                "Shelf.note must have a value now, but has no default",
                "Shelf.owner is new and must lead somewhere",
                "Shelf.size is new and must have a value, but has no default",
            ])
        #expect(try Data(contentsOf: url) == bytes)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() == [
                ".a_SUPPORT", "a.sqlite",
            ])
    }

    @Test func `a store of no known version, and what is no store, are errors that say so`() throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "a.sqlite")
        try Self.open(.sqlite, url, testModel()).persistentStoreCoordinator.close()
        let migration = Migration(versions: [try Self.first(), try Self.second()])
        let error = #expect(throws: MigrationError.self) { try migration.migrateStore(at: url) }
        guard case .noModel(let entities)? = error else { throw error ?? MigrationError.mapping([]) }
        #expect(entities.contains("Mood") && entities.contains("Book"))
        #expect(throws: StoreError.file("none", errno: ENOENT)) {
            try migration.migrateStore(at: folder.url.appending(path: "none"))
        }
        try Data("text".utf8).write(to: folder.url.appending(path: "text"))
        #expect(throws: StoreError.notAStore) {
            try migration.migrateStore(at: folder.url.appending(path: "text"))
        }
        // Where there is none, one is made.
        let made = try Self.open(
            .sqlite, folder.url.appending(path: "new"), Self.second(), migration: migration)
        #expect(try Self.told(made) == ["[]", "0"])
    }

    @Test func `of mapping models that begin at a version the one that leads farthest is taken`() throws {
        let models = try (1...4).map { number in
            let text = AttributeDescription("text\(number)", .string, isOptional: true)
            return try ManagedObjectModel(entities: [
                EntityDeclaration("Note", properties: [.attribute(text)])
            ])
        }
        let folder = try ScratchFolder(), url = folder.url.appending(path: "Notes.sqlite")
        try folder.open("Notes.sqlite", models[0]).close()
        let given = try [(0, 1), (0, 2), (1, 3)].map {
            try MappingModel(from: models[$0.0], to: models[$0.1])
        }
        for mappings in [given, given.reversed()] {
            let steps = try Migration(versions: models, mappings: mappings).steps(forStoreAt: url)
            #expect(steps.map { [$0.source, $0.destination] } == [[0, 2], [2, 3]])
        }
    }

    @Test func `of versions that a store is none of the nearest says what differs`() throws {
        func model(_ names: String...) throws -> ManagedObjectModel {
            try ManagedObjectModel(
                entities: zip(["First", "Second", "Third"], names).map { entity, name in
                    let word = AttributeDescription(name, .string, isOptional: true)
                    return EntityDeclaration(entity, properties: [.attribute(word)])
                })
        }
        let folder = try ScratchFolder(), url = folder.url.appending(path: "a.sqlite")
        try folder.open("a.sqlite", model("x", "x", "x")).close()
        let versions = [try model("y", "y", "y"), try model("x", "y", "x"), try model("y", "x", "y")]
        for some in [versions, versions.reversed()] {
            #expect(throws: MigrationError.noModel(entities: ["Second"])) {
                try Migration(versions: some).steps(forStoreAt: url)
            }
        }
    }

    @Test func `an object that must lead somewhere and leads nowhere is counted`() throws {
        let text = PropertyDescription.attribute(AttributeDescription("text", .string, isOptional: true))
        let binder = EntityDeclaration("Binder", properties: [text])
        let models = try [
            ManagedObjectModel(entities: [binder, EntityDeclaration("Note", properties: [text])]),
            ManagedObjectModel(entities: [
                binder,
                EntityDeclaration(
                    "Note",
                    properties: [
                        text, .relationship(.init("binder", to: "Binder", isOptional: false, inverse: nil)),
                    ]),
            ]),
        ]
        let folder = try ScratchFolder(), url = folder.url.appending(path: "a.sqlite")
        let context = ManagedObjectContext(
            persistentStoreCoordinator: try folder.open("a.sqlite", models[0]))
        try context.performAndWait { context throws -> Void in
            for _ in 0..<2 { _ = try context.insert(entityNamed: "Note") }
            try context.save()
        }
        try context.persistentStoreCoordinator.close()
        let mapping = try MappingModel(
            from: models[0], to: models[1],
            entities: [EntityMapping(from: "Note", to: "Note", properties: ["binder": .defaultValue])])
        #expect(throws: MigrationError.required(entity: "Note", property: "binder", count: 2)) {
            try Migration(versions: models, mappings: [mapping]).migrateStore(at: url)
        }
    }

    @Test func `a store that keeps a log of changes keeps one when it is migrated`() throws {
        let models = try (1...2).map { number in
            let text = AttributeDescription("text\(number)", .string, isOptional: true)
            return try ManagedObjectModel(entities: [
                EntityDeclaration("Note", properties: [.attribute(text)])
            ])
        }
        let folder = try ScratchFolder(), url = folder.url.appending(path: "Notes.sqlite")
        let coordinator = PersistentStoreCoordinator(managedObjectModel: models[0])
        try coordinator.addPersistentStore(ofType: .sqlite, at: url, keepsHistory: true)
        try coordinator.close()
        try Migration(versions: models).migrateStore(at: url)
        let tables = try shell(
            "sqlite3 '\(url.path)' \"SELECT name FROM sqlite_master WHERE name = 'ATRANSACTION'\"")
        #expect(tables == "ATRANSACTION\n")
    }

    // MARK: Custom mappings, several steps

    /// The third version: a country's word is an object, which all with that word share.
    private struct Words: EntityMigrationPolicy {
        func createObjects(for source: MigrationSource, in manager: MigrationManager) throws
            -> [MigrationObject]
        {
            let word = try source.value("word", as: String.self)
            if word == "red" { return [] }
            let (topic, isNew) = try manager.object("Topic", named: word.uppercased())
            if isNew { try topic.setValue(word.uppercased(), for: "title") }
            return [topic]
        }

        func createRelationships(
            of objects: [MigrationObject], for source: MigrationSource, in manager: MigrationManager
        ) throws {
            for topic in objects { try topic.setTargets(becoming: source.targets("books"), for: "books") }
        }
    }

    private func third() throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: [
                EntityDeclaration(
                    "Book",
                    properties: [
                        .attribute(AttributeDescription("name", .string)),
                        .attribute(AttributeDescription("place", .string)),
                        .relationship(
                            RelationshipDescription("topics", to: "Topic", isToMany: true, inverse: "books")),
                    ]),
                EntityDeclaration("Atlas", properties: [], inheritingFrom: "Book"),
                EntityDeclaration(
                    "Topic",
                    properties: [
                        .attribute(AttributeDescription("title", .string)),
                        .relationship(
                            RelationshipDescription(
                                "books", to: "Book", isToMany: true, isOrdered: true, inverse: "topics")),
                    ], uniquenessConstraints: [["title"]]),
            ], versionIdentifiers: ["3"])
    }

    private func migration(
        _ first: ManagedObjectModel, _ second: ManagedObjectModel, _ third: ManagedObjectModel
    )
        throws -> Migration
    {
        let place = PropertyMapping.value { source in
            let rack = try source.target("rack")
            return
                "\(try rack?.value("code", as: Int64.self) ?? 0)\(try source.value("name", as: String.self))"
        }
        let mapping = try MappingModel(
            from: second, to: third,
            entities: [
                EntityMapping(from: "Book", to: "Book", properties: ["place": place]),
                EntityMapping(from: "Atlas", to: "Atlas", properties: ["place": place]),
                EntityMapping(from: "Tag", to: "Topic", policy: Words()),
            ])
        return Migration(versions: [first, second, third], mappings: [mapping])
    }

    @Test(arguments: kinds)
    func `steps follow each other, with policies, computed values and progress`(kind: StoreKind) throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "library.store")
        let (first, second, third) = (try Self.first(), try Self.second(), try third())
        let before = try Self.open(kind, url, first)
        _ = try Self.fill(before)
        try before.persistentStoreCoordinator.close()
        let migration = try migration(first, second, third)
        let steps = try migration.steps(forStoreAt: url, ofType: kind.type)
        #expect(steps.map(\.isInferred) == [true, false])
        #expect(steps.map(\.destination) == [1, 2])
        // A rehearsal does it all, and puts nothing in the store's place.
        #expect(try migration.migrateStore(at: url, ofType: kind.type, isRehearsal: true) == nil)
        #expect(try migration.steps(forStoreAt: url, ofType: kind.type).count == 2)
        let seen = Mutex<[MigrationProgress]>([])
        let kept = try migration.migrateStore(at: url, ofType: kind.type) { progress in
            seen.withLock { $0.append(progress) }
        }
        #expect(kept?.lastPathComponent == "library.store.~1~")
        let progress = seen.withLock { $0 }
        #expect(progress.map(\.fractionCompleted) == progress.map(\.fractionCompleted).sorted())
        #expect(progress.last?.fractionCompleted == 1 && progress.last?.stepCount == 2)
        #expect(progress.filter { $0.step == 2 }.last?.objectCount == 7)

        let after = try Self.open(kind, url, third)
        let lines = try after.performAndWait { context in
            let books = try context.fetch(
                FetchRequest<ManagedObject>(entityName: "Book", sortedBy: .ascending("name")))
            let topics = try context.fetch(FetchRequest<ManagedObject>(entityName: "Topic"))
            return try books.map {
                """
                \($0.entity.name) \(try $0.value(forKey: "name") ?? "") \
                \(try $0.value(forKey: "place") ?? "") \
                \((try $0.value(forKey: "topics") as? Set<ManagedObject>)?.count ?? -1)
                """
            }
                + topics.map {
                    """
                    \(try $0.value(forKey: "title") ?? "") \
                    \((try $0.value(forKey: "books") as? [ManagedObject])?.count ?? -1)
                    """
                }
        }
        #expect(
            lines == ["Book a 8a 1", "Book b 8b 1", "Book c 7c 0", "Atlas d 7d 0", "Book e 7e 0", "BLUE 2"])
        try after.persistentStoreCoordinator.close()
    }

    /// The first was made last, so that the order is not that of the keys.
    @Test(arguments: kinds)
    func `a migration sees the objects of an ordered relationship in their order`(kind: StoreKind) throws {
        func model(_ properties: [PropertyDescription], _ version: String) throws -> ManagedObjectModel {
            try ManagedObjectModel(
                entities: [
                    EntityDeclaration(
                        "Reader",
                        properties: properties + [
                            .relationship(
                                RelationshipDescription(
                                    "books", to: "Book", isToMany: true, isOrdered: true, inverse: "reader"))
                        ]),
                    EntityDeclaration(
                        "Book",
                        properties: [
                            .attribute(AttributeDescription("title", .string)),
                            .relationship(RelationshipDescription("reader", to: "Reader", inverse: "books")),
                        ]),
                ], versionIdentifiers: [version])
        }
        let first = try model([], "1")
        let second = try model([.attribute(AttributeDescription("titles", .string))], "2")
        let folder = try ScratchFolder(), url = folder.url.appending(path: "library.store")
        let before = try Self.open(kind, url, first)
        try before.performAndWait { context in
            let reader = try context.insert(entityNamed: "Reader")
            try context.save()
            var books: [ManagedObject] = []
            for title in ["c", "b", "d", "a"] {
                let book = try context.insert(entityNamed: "Book")
                try book.setValue(title, forKey: "title")
                books.append(book)
                try context.save()
            }
            try reader.setValue([books[3], books[1], books[0], books[2]], forKey: "books")
            try context.save()
        }
        try before.persistentStoreCoordinator.close()
        let titles = PropertyMapping.value { source in
            try source.targets("books").map { try $0.value("title", as: String.self) }.joined()
        }
        let mapping = try MappingModel(
            from: first, to: second,
            entities: [EntityMapping(from: "Reader", to: "Reader", properties: ["titles": titles])])
        try Migration(versions: [first, second], mappings: [mapping]).migrateStore(at: url, ofType: kind.type)
        let after = try Self.open(kind, url, second)
        let told = try after.performAndWait { context in
            try context.fetch(FetchRequest<ManagedObject>(entityName: "Reader")).map {
                try $0.value(forKey: "titles") as? String
            }
        }
        #expect(told == ["abcd"])
        try after.persistentStoreCoordinator.close()
    }

    /// Makes racks, and forgets what must be in them.
    private struct Forgetful: EntityMigrationPolicy {
        func createObjects(for source: MigrationSource, in manager: MigrationManager) throws
            -> [MigrationObject]
        { [try manager.makeObject("Rack")] }
    }

    @Test(arguments: kinds)
    func `objects without a value that they must have are counted, and nothing is replaced`(kind: StoreKind)
        throws
    {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "library.store")
        let (first, second) = (try Self.first(), try Self.second())
        let before = try Self.open(kind, url, first)
        _ = try Self.fill(before)
        try before.persistentStoreCoordinator.close()
        let mapping = try MappingModel(
            from: first, to: second,
            entities: [EntityMapping(from: "Shelf", to: "Rack", policy: Forgetful())])
        let error = #expect(throws: MigrationError.required(entity: "Rack", property: "code", count: 2)) {
            try Migration(versions: [first, second], mappings: [mapping]).migrateStore(
                at: url, ofType: kind.type)
        }
        #expect(
            error.map { "\($0)" } == "2 Rack objects would be without code, which must have a value")
        #expect(try !Migration(versions: [first, second]).steps(forStoreAt: url, ofType: kind.type).isEmpty)
    }

    /// The members are known from one side only, and their keys have to be written from there: all of them.
    @Test(arguments: kinds)
    func `a one-way relationship gets its way back, for every member`(kind: StoreKind) throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "boxes.store")
        func model(_ inverse: String?) throws -> ManagedObjectModel {
            let box = RelationshipDescription("things", to: "Thing", isToMany: true, inverse: inverse)
            var thing: [PropertyDescription] = [.attribute(AttributeDescription("name", .string))]
            if let inverse {
                thing.append(
                    .relationship(RelationshipDescription(inverse, to: "Box", inverse: "things")))
            }
            return try ManagedObjectModel(entities: [
                EntityDeclaration(
                    "Box",
                    properties: [.attribute(AttributeDescription("name", .string)), .relationship(box)]),
                EntityDeclaration("Thing", properties: thing),
            ])
        }
        let (first, second) = (try model(nil), try model("box"))
        let before = try Self.open(kind, url, first)
        try before.performAndWait { context throws -> Void in
            for name in ["a", "b"] {
                let box = try context.insert(entityNamed: "Box")
                try box.setValue(name, forKey: "name")
                var things: Set<ManagedObject> = []
                for number in 0..<3 {
                    let thing = try context.insert(entityNamed: "Thing")
                    try thing.setValue("\(name)\(number)", forKey: "name")
                    things.insert(thing)
                }
                try box.setValue(things, forKey: "things")
            }
            try context.save()
        }
        try before.persistentStoreCoordinator.close()
        let after = try Self.open(kind, url, second, migration: Migration(versions: [first, second]))
        let told = try after.performAndWait { context in
            try Self.all(context, "Thing", "name").map { thing in
                let box = try thing.value(forKey: "box") as? ManagedObject
                return "\(try thing.value(forKey: "name") ?? "") \(try box?.value(forKey: "name") ?? "nil")"
            }
        }
        #expect(told == ["a0 a", "a1 a", "a2 a", "b0 b", "b1 b", "b2 b"])
        try after.persistentStoreCoordinator.close()
    }

    private struct Refusal: EntityMigrationPolicy {
        struct Reason: Error {}
        func validate(_ manager: MigrationManager) throws { throw Reason() }
    }

    @Test(arguments: kinds)
    func `what a policy or the progress throws leaves the store as it was`(kind: StoreKind) throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "library.store")
        let (first, second) = (try Self.first(), try Self.second())
        let before = try Self.open(kind, url, first)
        _ = try Self.fill(before)
        try before.persistentStoreCoordinator.close()
        let bytes = try Data(contentsOf: url)
        let refused = Migration(
            versions: [first, second],
            mappings: [
                try MappingModel(
                    from: first, to: second,
                    entities: [EntityMapping(from: "Tag", to: "Tag", policy: Refusal())])
            ])
        #expect(throws: Refusal.Reason.self) { try refused.migrateStore(at: url, ofType: kind.type) }
        #expect(throws: CancellationError.self) {
            try Migration(versions: [first, second]).migrateStore(at: url, ofType: kind.type) { _ in
                throw CancellationError()
            }
        }
        #expect(try Data(contentsOf: url) == bytes)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(names.filter { $0 != ".library_SUPPORT" } == ["library.store"])
        if kind == .sqlite {
            let inside = try FileManager.default.contentsOfDirectory(
                atPath: folder.url.appending(path: ".library_SUPPORT").path)
            #expect(!inside.contains { $0.hasPrefix("migration") })
        }
    }

    // MARK: Stores that Apple wrote

    private func published(_ version: String) throws -> ManagedObjectModel {
        try ManagedObjectModel(
            contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appending(path: "Fixtures/Models/CoreDataPlus/SampleModel.xcdatamodeld"), version: version)
    }

    /// One car of a maker becomes one of the maker's cars.
    private struct Makers: EntityMigrationPolicy {
        func createRelationships(
            of objects: [MigrationObject], for source: MigrationSource, in manager: MigrationManager
        ) throws {
            for object in objects { try manager.copyRelationships(of: source, to: object) }
            guard let name = try source.value("maker", as: String?.self) else { return }
            let (maker, isNew) = try manager.object("Maker", named: name)
            if isNew { try maker.setValue(name, for: "name") }
            for object in objects { try object.setTargets([maker], for: "createdBy") }
        }
    }

    @Test func `a store that Apple wrote goes through the versions of its model`() throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "S.sqlite")
        try FileManager.default.copyItem(
            at: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appending(path: "Fixtures/Stores/SampleModel_V1.sqlite"), to: url)
        func sql(_ statement: String) throws -> String { try shell("sqlite3 '\(url.path)' \"\(statement)\"") }
        let cars = try sql("SELECT ZNUMBERPLATE, ZMAKER, ZMODEL FROM ZCAR ORDER BY Z_PK")
        let owners = try sql(
            "SELECT c.ZNUMBERPLATE, p.ZFIRSTNAME FROM ZCAR c JOIN ZPERSON p ON p.Z_PK = c.ZOWNER ORDER BY "
                + "c.Z_PK"
        )
        let makers = try sql(
            "SELECT ZMAKER, COUNT(*) FROM ZCAR WHERE ZMAKER IS NOT NULL GROUP BY 1 ORDER BY 1")
        let kinds = try sql(
            "SELECT replace(p.Z_NAME, 'ExpensiveSportCar', 'LuxuryCar'), COUNT(*) FROM ZCAR c JOIN "
                + "Z_PRIMARYKEY p ON p.Z_ENT = c.Z_ENT GROUP BY 1 ORDER BY 1"
        )
        #expect(cars.split(separator: "\n").count == 125 && owners.split(separator: "\n").count > 50)
        let versions = try ["SampleModel", "SampleModel2", "SampleModel3"].map(published)
        try Migration(versions: Array(versions[..<2])).migrateStore(at: url)
        #expect(try sql("SELECT ZNUMBERPLATE, ZMAKER, ZMODEL FROM ZCAR ORDER BY Z_PK") == cars)
        #expect(
            try sql(
                "SELECT p.Z_NAME, COUNT(*) FROM ZCAR c JOIN Z_PRIMARYKEY p ON p.Z_ENT = c.Z_ENT GROUP BY 1 "
                    + "ORDER BY 1"
            )
                == kinds)
        let mapping = try MappingModel(
            from: versions[1], to: versions[2],
            entities: ["Car", "SportCar", "LuxuryCar"].map {
                EntityMapping(from: $0, to: $0, policy: Makers())
            })
        try Migration(versions: versions, mappings: [mapping]).migrateStore(at: url)
        #expect(
            try sql(
                "SELECT c.ZNUMBERPLATE, p.ZFIRSTNAME FROM ZCAR c JOIN ZPERSON p ON p.Z_PK = c.ZOWNER ORDER "
                    + "BY c.Z_PK"
            )
                == owners)
        #expect(
            try sql(
                "SELECT m.ZNAME, COUNT(*) FROM ZCAR c JOIN ZMAKER m ON m.Z_PK = c.ZCREATEDBY GROUP BY 1 "
                    + "ORDER BY 1"
            )
                == makers)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path).count { $0.hasSuffix("~") }
                == 2)
    }

    // MARK: One entity into several

    private struct Identity: EntityMigrationPolicy {}

    private struct Twice: EntityMigrationPolicy {
        func createObjects(for source: MigrationSource, in manager: MigrationManager) throws
            -> [MigrationObject]
        { try (0..<2).map { _ in try manager.makeObject(for: source) } }
    }

    /// Towns and who lives there; with a party, people are objects of one family.
    private static func people(_ names: [String], hasParty: Bool) throws -> ManagedObjectModel {
        let name = PropertyDescription.attribute(AttributeDescription("name", .string, isOptional: true))
        var entities = names.map { entity in
            EntityDeclaration(
                entity,
                properties: (hasParty ? [] : [name]) + [
                    .relationship(
                        RelationshipDescription("town", to: "Town", inverse: "\(entity.lowercased())s")),
                    .relationship(
                        RelationshipDescription("friend", to: entity, inverse: "friends")),
                    .relationship(
                        RelationshipDescription("friends", to: entity, isToMany: true, inverse: "friend")),
                ], inheritingFrom: hasParty ? "Party" : nil)
        }
        if hasParty { entities.append(EntityDeclaration("Party", properties: [name], isAbstract: true)) }
        entities.append(
            EntityDeclaration(
                "Town",
                properties: [name]
                    + names.map { entity in
                        .relationship(
                            RelationshipDescription(
                                "\(entity.lowercased())s", to: entity, isToMany: true, isOrdered: true,
                                inverse: "town", renamingIdentifier: "persons"))
                    }))
        return try ManagedObjectModel(entities: entities)
    }

    /// Each contact's friend is a contact and each employee's an employee, whatever way they were made.
    @Test(arguments: kinds, ["plain", "policies", "mixed", "twice"])
    func `what becomes two objects is two, each with what it leads to`(kind: StoreKind, way: String) throws {
        for hasParty in [true, false] {
            let folder = try ScratchFolder(), url = folder.url.appending(path: "people.store")
            let names = way == "twice" ? ["Human"] : ["Contact", "Employee"]
            let first = try Self.people(["Person"], hasParty: false)
            let second = try Self.people(names, hasParty: hasParty)
            let before = try Self.open(kind, url, first)
            try before.performAndWait { context in
                let town = try context.insert(entityNamed: "Town")
                try town.setValue("town", forKey: "name")
                var people: [ManagedObject] = []
                for number in 0..<3 {
                    let person = try context.insert(entityNamed: "Person")
                    try person.setValue("\(number)", forKey: "name")
                    try person.setValue(people.last, forKey: "friend")
                    people.append(person)
                }
                try town.setValue([people[2], people[0], people[1]], forKey: "persons")
                try context.save()
            }
            try before.persistentStoreCoordinator.close()
            let policies: [(any EntityMigrationPolicy)?] =
                switch way {
                case "plain": [nil, nil]
                case "policies": [Identity(), Identity()]
                case "mixed": [nil, Identity()]
                default: [Twice()]
                }
            let mapping = try MappingModel(
                from: first, to: second,
                entities: zip(names, policies).map { EntityMapping(from: "Person", to: $0, policy: $1) })
            try Migration(versions: [first, second], mappings: [mapping])
                .migrateStore(at: url, ofType: kind.type)
            let after = try Self.open(kind, url, second)
            let found = try after.performAndWait { context in
                try names.flatMap { name in
                    try context.fetch(
                        FetchRequest<ManagedObject>(entityName: name, sortedBy: .ascending("name"))
                    ).map { person in
                        let friend = try person.value(forKey: "friend") as? ManagedObject
                        let words = try [person, friend].map { try $0?.value(forKey: "name") ?? "-" }
                        let town = try person.value(forKeyPath: "town.name") ?? "-"
                        let names = [person.entity.name, friend?.entity.name ?? ""]
                        return "\(names[0]) \(words[0]) \(town) \(names[1]) \(words[1])"
                    }
                }
            }
            let lists = try after.performAndWait { context in
                let town = try #require(
                    try context.fetch(FetchRequest<ManagedObject>(entityName: "Town")).first)
                return try names.map { name in
                    let people = try town.value(forKey: "\(name.lowercased())s") as? [ManagedObject] ?? []
                    return try people.map { try $0.value(forKey: "name") as? String ?? "" }.joined()
                }
            }
            try after.persistentStoreCoordinator.close()
            let wanted = names.flatMap { name in
                ["\(name) 0 town  -", "\(name) 1 town \(name) 0", "\(name) 2 town \(name) 1"]
            }
            let comment = Comment("\(kind) \(way), \(hasParty ? "one family" : "two")")
            if way == "twice" {
                #expect(found == wanted.flatMap { [$0, $0] }, comment)
                #expect(lists.map { String($0.sorted()) } == ["001122"], comment)
            } else {
                #expect(found == wanted, comment)
                #expect(lists == ["201", "201"], comment)
            }
        }
    }

    // MARK: Names of before

    /// Both versions name a third: what the entity and its property were once called.
    @Test(
        arguments: [
            (before: nil, after: "Old", was: "old"), (before: "Root", after: "Root", was: "root"),
            (before: "Root", after: "Other", was: "root"), (before: nil, after: nil, was: "old"),
        ] as [(before: String?, after: String?, was: String)])
    func `an entity is found by the name that both versions say it had`(
        before: String?, after: String?, was: String
    ) throws {
        func model(_ name: String, _ property: String, _ entityID: String?, _ propertyID: String?) throws
            -> ManagedObjectModel
        {
            var entity = EntityDeclaration(
                name,
                properties: [
                    .attribute(
                        AttributeDescription(
                            property, .string, isOptional: true, renamingIdentifier: propertyID))
                ])
            entity.renamingIdentifier = entityID
            return try ManagedObjectModel(entities: [entity])
        }
        let first = try model("Old", "old", before, before?.lowercased())
        let second = try model("New", "new", after, was)
        let mapping = try MappingModel(from: first, to: second)
        let isFound = after == "Old" || after == "Root"
        #expect(
            mapping.entityMappings.map(\.kind.rawValue) == (isFound ? ["transformed"] : ["added", "removed"]))
        guard isFound, case .property(let name)? = mapping.entityMappings[0].propertyMappings["new"] else {
            #expect(!isFound)
            return
        }
        #expect(name == "old")
    }

    /// What is inferred where nothing may be lost, and what is refused.
    @Test(arguments: [
        (AttributeType.integer16, AttributeType.integer32, true), (.integer16, .integer64, true),
        (.integer32, .integer64, true), (.float, .double, true), (.integer32, .integer16, false),
        (.integer64, .integer32, false), (.double, .float, false), (.integer16, .double, false),
        (.string, .uri, false), (.date, .double, false), (.uuid, .uuid, true), (.boolean, .integer16, false),
    ])
    func `a type becomes another one that has all of its values, and no other`(
        before: AttributeType, after: AttributeType, isFit: Bool
    ) throws {
        func model(_ type: AttributeType) throws -> ManagedObjectModel {
            try ManagedObjectModel(entities: [
                EntityDeclaration(
                    "Thing", properties: [.attribute(AttributeDescription("value", type, isOptional: true))])
            ])
        }
        let models = try [model(before), model(after)]
        if isFit {
            let kind = try MappingModel(from: models[0], to: models[1]).entityMappings.map(\.kind)
            #expect(kind == [before == after ? .copied : .transformed])
        } else {
            let problem = MigrationError.Problem(
                entity: "Thing", property: "value", reason: "changes its type from \(before) to \(after)")
            #expect(throws: MigrationError.mapping([problem])) {
                try MappingModel(from: models[0], to: models[1])
            }
        }
    }

    /// One entity with one property, before and after.
    @Test(arguments: [
        ("optional", "required", "must have a value now, but has no default"),
        ("optional", "required default", ""), ("nothing", "required", "is new and must have a value"),
        ("nothing", "required default", ""), ("nothing", "optional", ""),
        ("nothing", "transient required", ""),
        ("transient", "optional", ""), ("transient", "required", ""),
        ("one", "many", ""), ("many", "one", "led to many objects and is to lead to one"),
        ("one", "optional", "was a relationship and is to be an attribute"),
        ("optional", "one", "was an attribute and is to be a relationship"),
        ("nothing", "required one", "is new and must lead somewhere"), ("nothing", "required many", ""),
    ])
    func `a property that changes is inferred or named`(before: String, after: String, reason: String) throws
    {
        func model(_ text: String) throws -> ManagedObjectModel {
            let words = text.split(separator: " ")
            var properties: [PropertyDescription] = []
            if words.contains("one") || words.contains("many") {
                properties.append(
                    .relationship(
                        RelationshipDescription(
                            "value", to: "Other", isToMany: words.contains("many"),
                            isOptional: !words.contains("required"), inverse: "back")))
            } else if text != "nothing" {
                properties.append(
                    .attribute(
                        AttributeDescription(
                            "value", .string, isOptional: !words.contains("required"),
                            options: words.contains("transient") ? .transient : [],
                            defaultValue: words.contains("default") ? .text("x") : .null)))
            }
            let back = PropertyDescription.relationship(
                RelationshipDescription("back", to: "Thing", inverse: "value"))
            let isRelated = words.contains("one") || words.contains("many")
            return try ManagedObjectModel(entities: [
                EntityDeclaration("Thing", properties: properties),
                EntityDeclaration("Other", properties: isRelated ? [back] : []),
            ])
        }
        let models = try [model(before), model(after)]
        do {
            let mapping = try MappingModel(from: models[0], to: models[1])
            #expect(reason.isEmpty)
            let said = mapping.entityMappings.first { $0.destinationEntityName == "Thing" }?.propertyMappings
            let isDefault = if case .defaultValue? = said?["value"] { true } else { false }
            let isNew = ["nothing", "transient"].contains(before)
            #expect(isDefault == (isNew && ["optional", "required", "required default"].contains(after)))
        } catch let error as MigrationError {
            #expect(!reason.isEmpty && "\(error)".hasPrefix("Thing.value \(reason)"))
        }
    }

    /// The mapping is taken at its word; whether an object is without a value is seen when it is written.
    @Test func `a default that a mapping wants for what must have a value is looked at with the objects`()
        throws
    {
        func model(_ isOptional: Bool) throws -> ManagedObjectModel {
            try ManagedObjectModel(entities: [
                EntityDeclaration(
                    "Thing",
                    properties: [.attribute(AttributeDescription("value", .string, isOptional: isOptional))])
            ])
        }
        for count in 0..<2 {
            let folder = try ScratchFolder(), url = folder.url.appending(path: "things.sqlite")
            let first = try model(true), second = try model(false)
            let before = try Self.open(.sqlite, url, first)
            try before.performAndWait { context in
                for _ in 0..<count { _ = try context.insert(entityNamed: "Thing") }
                try context.save()
            }
            try before.persistentStoreCoordinator.close()
            let mapping = try MappingModel(
                from: first, to: second,
                entities: [EntityMapping(from: "Thing", to: "Thing", properties: ["value": .defaultValue])])
            let migration = Migration(versions: [first, second], mappings: [mapping])
            if count == 0 {
                #expect(try migration.migrateStore(at: url) != nil)
            } else {
                #expect(throws: MigrationError.required(entity: "Thing", property: "value", count: count)) {
                    try migration.migrateStore(at: url)
                }
            }
        }
    }

    /// A key is never given twice, also where the greatest one was deleted before the migration.
    @Test(arguments: kinds)
    func `a migrated store gives no key that the old one gave, and keeps its metadata`(kind: StoreKind) throws
    {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "things.store")
        func model(_ type: AttributeType) throws -> ManagedObjectModel {
            try ManagedObjectModel(entities: [
                EntityDeclaration(
                    "Thing", properties: [.attribute(AttributeDescription("value", type, isOptional: true))])
            ])
        }
        let models = try [AttributeType.integer16, .integer32, .integer64].map(model)
        let before = try Self.open(kind, url, models[0])
        let gone = try before.performAndWait { context in
            let things = try (0..<3).map { _ in try context.insert(entityNamed: "Thing") }
            try context.save()
            let gone = things.map(\.objectID).max { $0.key < $1.key }
            for thing in things where thing.objectID == gone { context.delete(thing) }
            try context.save()
            return try #require(gone)
        }
        try before.persistentStoreCoordinator.setMetadata(["who": "Ada"])
        try before.persistentStoreCoordinator.close()
        let seen = Mutex<[Double]>([])
        try Migration(versions: models).migrateStore(at: url, ofType: kind.type) { progress in
            seen.withLock { $0.append(progress.fractionCompleted) }
        }
        #expect(seen.withLock { $0 } == [0, 0.5, 0.5, 1])
        let after = try Self.open(kind, url, models[2])
        let key = try after.performAndWait { context in
            let thing = try context.insert(entityNamed: "Thing")
            try context.save()
            #expect(try context.count(FetchRequest<ManagedObject>(entityName: "Thing")) == 3)
            return thing.objectID.key
        }
        #expect(key == gone.key + 1)
        #expect(try after.persistentStoreCoordinator.metadata("who") == "Ada")
        try after.persistentStoreCoordinator.close()
    }

    @Test(arguments: [
        (1, 1, 0, 0, 1), (1, 2, 0, 0, 0.5), (2, 2, 1, 4, 0.625), (2, 2, 4, 4, 1), (1, 4, 1, 2, 0.125),
    ])
    func `progress is the part of all steps that is done`(
        step: Int, count: Int, done: Int, objects: Int, wanted: Double
    ) {
        let progress = MigrationProgress(
            step: step, stepCount: count, entity: "", objectsDone: done, objectCount: objects)
        #expect(progress.fractionCompleted == wanted)
    }

    /// The name of another entity's object is another name.
    private struct Named: EntityMigrationPolicy {
        func createObjects(for source: MigrationSource, in manager: MigrationManager) throws
            -> [MigrationObject]
        {
            let results = try ["One", "Other"].map { entity in
                let (object, isNew) = try manager.object(entity, named: "x")
                if isNew { try object.setValue(source.value("value", as: Int64.self), for: "value") }
                return object
            }
            return results
        }
        func validate(_ manager: MigrationManager) throws {
            let (object, isNew) = try manager.object("One", named: "validated")
            if isNew { try object.setValue(99 as Int64, for: "value") }
        }
        func begin(_ manager: MigrationManager) throws {
            try manager.object("Other", named: "begun").object.setValue(98 as Int64, for: "value")
        }
    }

    @Test func `objects made under a name are one per entity and name, from the beginning to the end`() throws
    {
        func model(_ names: [String]) throws -> ManagedObjectModel {
            try ManagedObjectModel(
                entities: names.map { name in
                    EntityDeclaration(
                        name,
                        properties: [.attribute(AttributeDescription("value", .integer64, isOptional: true))])
                })
        }
        let folder = try ScratchFolder(), url = folder.url.appending(path: "things.sqlite")
        let first = try model(["Thing"]), second = try model(["One", "Other"])
        let before = try Self.open(.sqlite, url, first)
        try before.performAndWait { context in
            // More than are read at a time.
            for number in 0..<1_001 {
                try context.insert(entityNamed: "Thing").setValue(number + 7, forKey: "value")
            }
            try context.save()
        }
        try before.persistentStoreCoordinator.close()
        let mapping = try MappingModel(
            from: first, to: second, entities: [EntityMapping(from: "Thing", to: "One", policy: Named())])
        try Migration(versions: [first, second], mappings: [mapping]).migrateStore(at: url)
        for (table, wanted) in [("ZONE", "7 99"), ("ZOTHER", "7 98")] {
            let found = try shell("sqlite3 '\(url.path)' 'SELECT ZVALUE FROM \(table) ORDER BY 1'")
            #expect(found.split(separator: "\n").joined(separator: " ") == wanted)
        }
    }

    @Test func `all pages of a policy's objects come over, with what they lead to`() throws {
        func model(_ extra: [PropertyDescription]) throws -> ManagedObjectModel {
            try ManagedObjectModel(entities: [
                EntityDeclaration(
                    "Thing",
                    properties: [
                        .attribute(AttributeDescription("value", .integer64)),
                        .relationship(RelationshipDescription("next", to: "Thing", inverse: "before")),
                        .relationship(
                            RelationshipDescription("before", to: "Thing", isToMany: true, inverse: "next")),
                    ] + extra)
            ])
        }
        for policy in [Identity(), nil] as [Identity?] {
            let folder = try ScratchFolder(), url = folder.url.appending(path: "things.sqlite")
            let first = try model([])
            let second = try model([.attribute(AttributeDescription("more", .string, isOptional: true))])
            let before = try Self.open(.sqlite, url, first)
            try before.performAndWait { context in
                var last: ManagedObject?
                for number in 0..<1_001 {
                    let thing = try context.insert(entityNamed: "Thing")
                    try thing.setValue(number, forKey: "value")
                    try thing.setValue(last, forKey: "next")
                    last = thing
                }
                try context.save()
            }
            try before.persistentStoreCoordinator.close()
            let mapping = try MappingModel(
                from: first, to: second, entities: [EntityMapping(from: "Thing", to: "Thing", policy: policy)]
            )
            try Migration(versions: [first, second], mappings: [mapping]).migrateStore(at: url)
            let found = try shell(
                "sqlite3 '\(url.path)' 'SELECT COUNT(*), SUM(t.ZVALUE), SUM(t.ZVALUE - n.ZVALUE) "
                    + "FROM ZTHING t LEFT JOIN ZTHING n ON n.Z_PK = t.ZNEXT'")
            #expect(found == "1001|500500|1000\n")
        }
    }

    @Test func `entities without objects have no mapping, and properties that are not there are named`()
        throws
    {
        func model(_ names: [String]) throws -> ManagedObjectModel {
            try ManagedObjectModel(
                entities: [EntityDeclaration("Base", properties: [], isAbstract: true)]
                    + names.map { EntityDeclaration($0, properties: [], inheritingFrom: "Base") })
        }
        let mapping = try MappingModel(from: model(["A", "B"]), to: model(["B", "C"]))
        let kinds = mapping.entityMappings.map {
            "\($0.sourceEntityName ?? "-") \($0.destinationEntityName ?? "-") \($0.kind)"
        }
        #expect(kinds == ["B B copied", "- C added", "A - removed"])
        let wrong = EntityMapping(from: "B", to: "B", properties: ["nothing": .defaultValue])
        let problem = MigrationError.Problem(
            entity: "B", property: "nothing", reason: "is not in the version after")
        #expect(throws: MigrationError.mapping([problem])) {
            try MappingModel(from: model(["B"]), to: model(["B"]), entities: [wrong])
        }
    }
}
