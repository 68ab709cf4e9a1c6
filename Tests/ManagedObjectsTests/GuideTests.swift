import Foundation
import ManagedObjects
import TestSupport
import Testing

// The examples of the articles in ManagedObjects.docc, word for word: each between two marks.

// guide: model
final class Disc: ManagedObject {
    @Attribute var title: String
    @Attribute(.indexed) var year: Int16
    @Relationship(inverse: \Track.disc, deleteRule: .cascade) var tracks: Set<Track>
}

final class Track: ManagedObject {
    @Attribute var name: String
    @Attribute(.range(0...5)) var stars: Int16
    @Attribute(.externalStorage) var cover: Data?
    @Relationship(inverse: "tracks") var disc: Disc?
}
// guide: end

// guide: renaming
/// The class as it was: the last part of a class's name is the entity's.
enum Before {
    final class Sleeve: ManagedObject {
        @Attribute var name: String
    }
}

final class Sleeve: ManagedObject {
    @Attribute var title: String
    override class var renamingIdentifiers: [String: String] { ["title": "name"] }
}
// guide: end

/// Every example of the guide is in this file, and runs.
@Suite struct GuideTests {
    private func open() throws -> (ManagedObjectContext, URL, ScratchFolder) {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "Music.sqlite")
        // guide: open
        let model = try ManagedObjectModel(Disc.self, Track.self)
        let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: .sqlite, at: url)
        let context = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        // guide: end
        // guide: insert
        try context.performAndWait { context in
            let disc = context.insert(Disc.self)
            (disc.title, disc.year) = ("Kind of Blue", 1959)
            for (index, name) in ["So What", "Blue in Green"].enumerated() {
                let track = context.insert(Track.self)
                (track.name, track.stars) = (name, Int16(4 + index))
                track.disc = disc
            }
            try context.save()
        }
        // guide: end
        return (context, url, folder)
    }

    @Test func `a model, a store, objects, and what a fetch finds`() throws {
        let (context, _, folder) = try open()
        // guide: fetch
        let names = try context.performAndWait { context in
            var request = FetchRequest(
                \Track.disc?.year == 1959 && \.stars > 3, sortedBy: .descending(\.stars))
            request.fetchLimit = 10
            return try context.fetch(request).map(\.name)
        }
        // guide: end
        #expect(names == ["Blue in Green", "So What"])
        // guide: format
        let found = try context.performAndWait { context in
            let filter = try Filter<Disc>(format: "title BEGINSWITH[c] %@ AND ANY tracks.stars >= 5", "kind")
            return try context.count(FetchRequest(filter))
        }
        // guide: end
        #expect(found == 1)
        // guide: aggregates
        let years = try context.performAndWait { context in
            try context.fetchDictionaries(
                FetchRequest<Track>(), of: [.property("disc.year"), .count(), .average("stars")],
                groupedBy: ["disc.year"])
        }
        // guide: end
        #expect(years.map { $0.value("disc.year", as: Int.self) } == [1959])
        #expect(years.map { $0.value("average stars", as: Double.self) } == [4.5])
        withExtendedLifetime(folder) {}
    }

    @Test func `an attribute of a class is renamed`() throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "Sleeves.sqlite")
        let versions = [
            try ManagedObjectModel(Before.Sleeve.self), try ManagedObjectModel(Sleeve.self),
        ]
        let before = PersistentStoreCoordinator(managedObjectModel: versions[0])
        try before.addPersistentStore(ofType: .sqlite, at: url)
        try ManagedObjectContext(persistentStoreCoordinator: before).performAndWait { context in
            context.insert(Before.Sleeve.self).name = "Blue"
            try context.save()
        }
        try before.close()
        _ = try Migration(versions: versions).migrateStore(at: url)
        #expect(try shell("sqlite3 '\(url.path)' 'SELECT ZTITLE FROM ZSLEEVE'") == "Blue\n")
    }

    @Test func `values of other types, sorted by raw value, and a constraint`() throws {
        let folder = try ScratchFolder()
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try ManagedObjectModel(Copy.self))
        try coordinator.addPersistentStore(ofType: .sqlite, at: folder.url.appending(path: "Copies.sqlite"))
        let context = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        let media = try context.performAndWait { context in
            for (number, medium) in [Medium.stream, .disc, .tape].enumerated() {
                let copy = context.insert(Copy.self)
                (copy.barcode, copy.medium, copy.tags) = ("\(number)", medium, ["a", "b"])
                copy.place = number == 0 ? nil : Place(room: "Hall", shelf: number)
            }
            try context.save()
            context.reset()
            let copies = try context.fetch(FetchRequest<Copy>(sortedBy: .ascending(\.medium)))
            #expect(
                copies.map(\.place) == [Place(room: "Hall", shelf: 1), nil, Place(room: "Hall", shelf: 2)])
            #expect(copies.allSatisfy { $0.tags == ["a", "b"] })
            #expect(try context.fetch(FetchRequest(\Copy.medium == .tape)).map(\.barcode) == ["2"])
            let second = context.insert(Copy.self)
            second.barcode = "1"
            #expect {
                try context.save()
            } throws: { error in
                if case StoreError.notUnique(let entity, let properties, _) = error {
                    entity == "Copy" && properties == ["barcode"]
                } else {
                    false
                }
            }
            #expect(second.tags == [])
            return copies.map(\.medium)
        }
        #expect(media == [.disc, .stream, .tape])
        withExtendedLifetime(folder) {}
    }

    @Test func `changes that break a rule, are undone, or meet those of others`() throws {
        let (context, _, folder) = try open()
        // guide: validation
        let problems = try context.performAndWait { context in
            let track = try context.fetch(FetchRequest(\Track.name == "So What"))[0]
            track.stars = 9
            do {
                try context.save()
                return [""]
            } catch let error as ValidationError {
                context.rollback()
                return error.failures.map { "\($0.property): \($0.rule)" }
            }
        }
        // guide: end
        #expect(problems.count == 1 && problems[0].hasPrefix("stars"))
        // guide: undo
        let stars = try context.performAndWait { context in
            context.undoManager = UndoManager()
            let track = try context.fetch(FetchRequest(\Track.name == "So What"))[0]
            track.stars = 1
            context.undo()
            return track.stars
        }
        // guide: end
        #expect(stars == 4)
        // guide: policy
        let other = ManagedObjectContext(persistentStoreCoordinator: context.persistentStoreCoordinator)
        try other.performAndWait { context in
            context.mergePolicy = .mergeByPropertyObjectTrump
            let track = try context.fetch(FetchRequest(\Track.name == "So What"))[0]
            track.stars = 2
            try context.save()
        }
        // guide: end
        let third = ManagedObjectContext(persistentStoreCoordinator: context.persistentStoreCoordinator)
        let stored = try third.performAndWait { context in
            try context.fetch(FetchRequest(\Track.name == "So What")).map(\.stars)
        }
        #expect(stored == [2])
        withExtendedLifetime(folder) {}
    }

    @Test func `a list that follows its objects`() throws {
        let (context, _, folder) = try open()
        // guide: list
        let changes = try context.performAndWait { context in
            let list = context.list(FetchRequest<Track>(sortedBy: .ascending(\.name)))
            try list.performFetch()
            let before = list.fetchedObjects.count
            context.insert(Track.self).name = "All Blues"
            context.processPendingChanges()
            return (before, list.fetchedObjects.map(\.name))
        }
        // guide: end
        #expect(changes.0 == 2 && changes.1 == ["All Blues", "Blue in Green", "So What"])
        withExtendedLifetime(folder) {}
    }

    @Test func `a store of an earlier version`() throws {
        let (context, url, folder) = try open()
        try context.persistentStoreCoordinator.close()
        let first = try ManagedObjectModel(Disc.self, Track.self)
        // guide: migration
        var record = EntityDeclaration(
            "Record",
            properties: [
                .attribute(AttributeDescription("title", .string)),
                .attribute(AttributeDescription("year", .integer32)),
                .attribute(AttributeDescription("label", .string, defaultValue: .text("unknown"))),
            ])
        record.renamingIdentifier = "Disc"
        let second = try ManagedObjectModel(entities: [record])
        let migration = Migration(versions: [first, second])
        for step in try migration.steps(forStoreAt: url) {
            for mapping in step.mapping.entityMappings { print(mapping.kind, mapping.sourceEntityName ?? "") }
        }
        let kept = try migration.migrateStore(at: url)
        // guide: end
        #expect(kept?.lastPathComponent == "Music.sqlite.~1~")
        let coordinator = PersistentStoreCoordinator(managedObjectModel: second)
        try coordinator.addPersistentStore(ofType: .sqlite, at: url)
        let records = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        let labels = try records.performAndWait { context in
            try context.fetch(FetchRequest<ManagedObject>(entityName: "Record"))
                .map { "\(try $0.value(forKey: "title") ?? "") \(try $0.value(forKey: "label") ?? "")" }
        }
        #expect(labels == ["Kind of Blue unknown"])
        withExtendedLifetime(folder) {}
    }

    // guide: types
    /// Stored by its raw value.
    enum Medium: String, AttributeEnumeration { case disc, tape, stream }

    /// Stored as a property list.
    struct Place: CodableValue, Equatable {
        static let placeholder = Place(room: "", shelf: 0)
        var room: String, shelf: Int
    }

    final class Copy: ManagedObject {
        override class var uniquenessConstraints: [[String]] { [["barcode"]] }
        @Attribute var barcode: String
        @Attribute var medium: Medium = .disc
        @Attribute(transformer: CodableTransformer<Place>.self) var place: Place?
        @Attribute(transformer: CodableTransformer<[String]>.self) var tags: [String] = []
    }
    // guide: end

    // guide: derived
    final class Shelf: ManagedObject {
        @Attribute var name: String
        @Relationship(inverse: "shelf", maxCount: 500) var books: Set<Book>
        @Derived("books.@count") var bookCount: Int64
        @Derived("canonical:(name)", .indexed) var searchName: String?
    }

    final class Book: ManagedObject {
        @Attribute var title: String
        @Relationship(inverse: \Shelf.books) var shelf: Shelf?
        @Derived("shelf.name") var place: String?
        @FetchedProperty("title == $FETCH_SOURCE.title") var copies: [Book]
    }
    // guide: end

    @Test func `what the store works out, and people's order of texts`() throws {
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel(Shelf.self, Book.self))
        try coordinator.addPersistentStore(ofType: .inMemory)
        let context = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        let names = try context.performAndWait { context in
            for name in ["Été 10", "été 2", "Hall"] {
                let shelf = context.insert(Shelf.self)
                shelf.name = name
                for _ in 0..<(name == "Hall" ? 1 : 2) {
                    let book = context.insert(Book.self)
                    (book.title, book.shelf) = ("Atlas", shelf)
                }
            }
            try context.save()
            let book = try #require(try context.fetch(FetchRequest<Book>(\.place == "Hall")).first)
            #expect(book.copies.count == 5)
            let found = try context.count(FetchRequest<Shelf>(\.searchName == "ete 2"))
            #expect(found == 1)
            // guide: order
            let shelves = try context.fetch(
                FetchRequest<Shelf>(
                    \.bookCount >= 2, sortedBy: .ascending(\.name, comparing: .localizedStandard)))
            // guide: end
            return shelves.map(\.name)
        }
        #expect(names == ["été 2", "Été 10"])
    }

    @Test func `the guide's examples are those of this file, word for word`() throws {
        let tests = URL(fileURLWithPath: #filePath)
        let source = try String(contentsOf: tests, encoding: .utf8)
        let root = tests.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        func plain(_ text: Substring) -> [String] {
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            let indent =
                lines.filter { !$0.allSatisfy(\.isWhitespace) }.map { $0.prefix { $0 == " " }.count }.min()
                ?? 0
            return lines.map { String($0.dropFirst(indent)) }.filter { !$0.allSatisfy(\.isWhitespace) }
        }
        let marked = source.matches(of: #/\/\/ guide: (?!end)(\w+)\n(?<code>(?s:.*?))\/\/ guide: end/#).map {
            plain($0.output.code)
        }
        // The order of the articles in the guide.
        let guide = try String(contentsOf: root.appending(path: "docs/GUIDE.md"), encoding: .utf8)
        func examples(_ module: String) throws -> [[String]] {
            try guide.matches(of: #/\(\.\.\/(?<path>Sources\/(?<module>\w+)\/[^)]+)\)/#)
                .filter { $0.output.module == module }.flatMap { link in
                    let article = try String(
                        contentsOf: root.appending(path: String(link.output.path)), encoding: .utf8)
                    return article.matches(of: #/```swift\n(?<code>(?s:.*?))```/#).map {
                        plain($0.output.code)
                    }
                }
        }
        let written = [try examples("ManagedObjects"), try examples("DataStacks")]
        #expect(written[0].count == 15)
        #expect(Set(written[0]) == Set(marked) && marked.count == 15)
        // The second part's stand in the sample that DataStacksTests runs, and in one of its tests.
        let sample = try [
            "Samples/StackTour/StackTour", "Samples/StackTour/Model", "Tests/DataStacksTests/NotebookTests",
        ].map { name in
            try String(contentsOf: root.appending(path: "\(name).swift"), encoding: .utf8)
                .split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
                .joined(separator: "\n")
        }.joined(separator: "\n")
        #expect(written[1].count == 16)
        for example in written[1] {
            let text = example.map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "\n")
            #expect(sample.contains(text), "\(text)")
        }
    }
}
