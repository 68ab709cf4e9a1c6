import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import ManagedObjects

/// Stacks put up by one call: containers, documents, copies from one kind of store to another, contexts on
/// the main queue, fetches by batches.
@Suite struct SetupTests {
    private func titles(_ context: ManagedObjectContext) throws -> [String] {
        try context.performAndWait { context in
            try context.fetch(FetchRequest<Mood>(sortedBy: .ascending(\.date))).map(\.title)
        }
    }

    @Test func `a context on the main queue is used on the main queue, by others too`() async throws {
        let coordinator = try emptyCoordinator(testModel())
        let context = ManagedObjectContext(
            persistentStoreCoordinator: coordinator, concurrencyType: .mainQueue)
        // Stops the program when it is not there.
        await context.perform { _ in dispatchPrecondition(condition: .onQueue(.main)) }
        // On the main queue it runs at once and waits for nobody.
        let count = try await MainActor.run {
            try context.performAndWait { context in
                fillWithMoods(context)
                try context.save()
                return try context.count(FetchRequest<Mood>())
            }
        }
        #expect(count == 5)
        let child = ManagedObjectContext(parent: context)
        let seen = try await child.perform { try $0.count(FetchRequest<Mood>()) }
        #expect(seen == 5)
    }

    @Test func `a view context and background contexts on one coordinator`() async throws {
        let container = PersistentContainer(
            name: "Moods", managedObjectModel: try testModel(), descriptions: [.init(type: .inMemory)])
        try container.loadPersistentStores()
        let list = try await container.viewContext.perform { context in
            dispatchPrecondition(condition: .onQueue(.main))
            let list = context.list(FetchRequest<Mood>(sortedBy: .ascending(\.date)))
            try list.performFetch()
            return KeptInside(list)
        }
        try await container.performBackgroundTask { context in
            dispatchPrecondition(condition: .notOnQueue(.main))
            fillWithMoods(context)
            try context.save()
        }
        // Behind the merge on the main queue.
        let count = await container.viewContext.perform { _ in list.value.fetchedObjectIDs.count }
        #expect(count == 5)
        let background = container.newBackgroundContext()
        try await background.perform { context throws -> Void in
            for mood in try context.fetch(FetchRequest<Mood>(\.rating > 2)) { context.delete(mood) }
            try context.save()
        }
        let left = await container.viewContext.perform { _ in list.value.fetchedObjectIDs.count }
        #expect(left == 2)
    }

    @Test func `a container's store that is only read is not written`() throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "Moods.sqlite")
        try folder.open("Moods.sqlite", testModel()).close()
        for isReadOnly in [true, false] {
            let container = PersistentContainer(
                name: "Moods", managedObjectModel: try testModel(),
                descriptions: [.init(url: url, isReadOnly: isReadOnly)])
            try container.loadPersistentStores()
            container.newBackgroundContext().performAndWait { context in
                fillWithMoods(context)
                let isSaved = (try? context.save()) != nil
                #expect(isSaved != isReadOnly)
            }
            try container.persistentStoreCoordinator.close()
            let count = try shell("sqlite3 '\(url.path)' 'SELECT COUNT(*) FROM ZMOOD'")
            #expect(count == (isReadOnly ? "0\n" : "5\n"))
        }
    }

    /// A list that is used inside its context's blocks only.
    private final class KeptInside: @unchecked Sendable {
        let value: FetchedResultsController<Mood>
        init(_ value: FetchedResultsController<Mood>) { self.value = value }
    }

    @Test func `without a place a container's store is in the user's data folder`() throws {
        let folder = PersistentContainer.defaultDirectory.path
        let name = ProcessInfo.processInfo.processName
        let environment = ProcessInfo.processInfo.environment
        let data = environment["XDG_DATA_HOME"] ?? "\(environment["HOME"] ?? NSHomeDirectory())/.local/share"
        #expect(folder == "\(data)/\(name)")
        let container = PersistentContainer(managedObjectModel: try testModel())
        #expect(container.persistentStoreDescriptions.map(\.url?.path) == ["\(folder)/\(name).sqlite"])
        let named = PersistentContainer(name: "Moods", managedObjectModel: try testModel())
        #expect(named.persistentStoreDescriptions.map(\.url?.path) == ["\(folder)/Moods.sqlite"])
    }

    @Test func `a container that reads a store is called by its file`() throws {
        let folder = try ScratchFolder()
        try folder.open("Moods.sqlite", testModel()).close()
        let container = try PersistentContainer(readingStoreAt: folder.url.appending(path: "Moods.sqlite"))
        #expect(container.name == "Moods")
        try container.persistentStoreCoordinator.close()
    }

    @Test func `a document that is reverted has what another program saved meanwhile`() throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "document")
        let document = try PersistentDocument(
            contentsOf: url, ofType: .sqlite, managedObjectModel: testModel())
        let fog = try document.managedObjectContext.performAndWait { context in
            fillWithMoods(context)
            try context.save()
            return try #require(try context.fetch(FetchRequest<Mood>(\.title == "fog")).first).reference
        }
        let other = ManagedObjectContext(persistentStoreCoordinator: try folder.open("document", testModel()))
        try other.performAndWait { other in
            try #require(try other.fetch(FetchRequest<Mood>(\.title == "fog")).first).title = "mist"
            try other.save()
        }
        document.managedObjectContext.performAndWait { context in
            let mood = context[fog]
            #expect(mood?.title == "fog")
            document.revertToSaved()
            #expect(mood?.title == "mist")
        }
        try document.close()
        try other.persistentStoreCoordinator.close()
    }

    @Test func `a data folder that is no absolute path and an empty home count as none`() async {
        await #expect(processExitsWith: .success) {
            _ = unsafe setenv("XDG_DATA_HOME", "data", 1)
            _ = unsafe setenv("HOME", "/home/someone", 1)
            let path = PersistentContainer.defaultDirectory.path
            precondition(path.hasPrefix("/home/someone/.local/share/"), path)
            _ = unsafe setenv("HOME", "", 1)
            precondition(!PersistentContainer.defaultDirectory.path.hasPrefix("/.local"))
        }
    }

    @Test(arguments: [StoreKind.sqlite, .xml, .binary, .lines])
    func `a document is opened, changed, undone, saved and opened again`(kind: StoreKind) throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "document")
        func open() throws -> PersistentDocument {
            try PersistentDocument(contentsOf: url, ofType: kind.type, managedObjectModel: try testModel())
        }
        let document = try open()
        #expect(!document.isDocumentEdited)
        document.managedObjectContext.performAndWait { context in
            fillWithMoods(context)
        }
        #expect(document.isDocumentEdited)
        try document.save()
        #expect(!document.isDocumentEdited)
        try document.managedObjectContext.performAndWait { context throws -> Void in
            for mood in try context.fetch(FetchRequest<Mood>(\.rating > 2)) { context.delete(mood) }
        }
        #expect(try titles(document.managedObjectContext).count == 2)
        document.managedObjectContext.performAndWait { $0.undo() }
        #expect(try titles(document.managedObjectContext).count == 5)
        document.managedObjectContext.performAndWait { $0.redo() }
        document.revertToSaved()
        #expect(try titles(document.managedObjectContext).count == 5)
        try document.managedObjectContext.performAndWait { context throws -> Void in
            try #require(try context.fetch(FetchRequest<Mood>(\.title == "fog")).first).title = "mist"
        }
        let other = folder.url.appending(path: "other.xml")
        try document.write(to: other, ofType: .xml)
        #expect(document.isDocumentEdited, "the copy is saved, the document is not")
        try document.save()
        try document.close()
        #expect(try titles(open().managedObjectContext).first == "mist")
        let copy = try PersistentDocument(
            contentsOf: other, ofType: .xml, managedObjectModel: try testModel())
        #expect(try titles(copy.managedObjectContext) == titles(open().managedObjectContext))
    }

    /// As plain SQL sees the first store and the last.
    @Test func `values at the ends of their types are kept by each kind of file`() throws {
        let folder = try ScratchFolder(), model = try ManagedObjectModel(Measure.self)
        func opened(_ name: String, _ type: PersistentStoreCoordinator.StoreType) throws
            -> PersistentStoreCoordinator
        {
            let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
            try coordinator.addPersistentStore(ofType: type, at: folder.url.appending(path: name))
            return coordinator
        }
        let first = try opened("a.sqlite", .sqlite)
        try ManagedObjectContext(persistentStoreCoordinator: first).performAndWait { context in
            AttributeTypeTests.fillWithEnds(context)
            try context.save()
        }
        try first.close()
        let steps: [(String, PersistentStoreCoordinator.StoreType)] = [
            ("a.sqlite", .sqlite), ("b.xml", .xml), ("c.binary", .binary), ("d.sqlite", .sqlite),
        ]
        for (from, to) in zip(steps, steps.dropFirst()) {
            let coordinator = try opened(from.0, from.1)
            try coordinator.copyStore(to: folder.url.appending(path: to.0), ofType: to.1)
            try coordinator.close()
        }
        func rows(_ name: String) throws -> String {
            try shell(
                """
                sqlite3 '\(folder.url.path)/\(name)' '.mode quote' 'SELECT * FROM ZMEASURE ORDER BY ZNUMBER' |
                    sha256sum
                sqlite3 '\(folder.url.path)/\(name)' 'SELECT COUNT(*), MAX(ZLONG), MAX(ZMIDDLE) FROM ZMEASURE'
                """)
        }
        let told = (try rows("a.sqlite"), try rows("d.sqlite"))
        #expect(told.0.hasSuffix("\n3|9223372036854775807|2147483647\n"))
        #expect(told.0 == told.1)
    }

    @Test func `two documents know nothing of each other`() throws {
        let folder = try ScratchFolder()
        let documents = try ["a", "b"].map { name in
            try PersistentDocument(
                contentsOf: folder.url.appending(path: name), ofType: .sqlite, managedObjectModel: testModel()
            )
        }
        documents[0].managedObjectContext.performAndWait { fillWithMoods($0) }
        #expect(documents.map(\.isDocumentEdited) == [true, false])
        documents[1].managedObjectContext.performAndWait { context in
            _ = Mood.insert(into: context, title: "other", date: day(1))
        }
        documents[0].managedObjectContext.performAndWait { $0.undo() }
        #expect(try documents.map { try titles($0.managedObjectContext).count } == [0, 1])
        try documents[1].save()
        documents[0].managedObjectContext.performAndWait { $0.redo() }
        #expect(documents.map(\.isDocumentEdited) == [true, false])
        #expect(try documents.map { try titles($0.managedObjectContext).count } == [5, 1])
        for document in documents { try document.close() }
    }

    @Test func `a document that is closed has no changes left, and its file none of them`() throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "document")
        let document = try PersistentDocument(
            contentsOf: url, ofType: .sqlite, managedObjectModel: testModel())
        document.managedObjectContext.performAndWait { fillWithMoods($0) }
        try document.close()
        #expect(!document.isDocumentEdited)
        let rows = try shell("sqlite3 '\(url.path)' 'SELECT count(*) FROM ZMOOD'")
        #expect(rows.trimmingCharacters(in: .whitespacesAndNewlines) == "0")
    }

    private static func lines(_ context: isolated ManagedObjectContext) throws -> [String] {
        try context.fetch(FetchRequest<Mood>(sortedBy: .ascending(\.title))).map {
            "\($0.title) \($0.rating) \($0.country?.name ?? "-") \($0.swatches.count)"
        }
    }

    /// One program, every kind of store: row 3-58.
    @Test(arguments: StoreKind.allCases)
    func `one program on every kind of store`(kind: StoreKind) throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "store")
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try testModel())
        try coordinator.addPersistentStore(ofType: kind.type, at: kind == .memory ? nil : url)
        let context = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        let wanted = [" 4 Germany 2", "cafe\u{301} 5 - 4", "caf\u{E9} 0 France 3", "mist 2 France 0"]
        try context.performAndWait { context throws -> Void in
            context.undoManager = UndoManager()
            fillWithMoods(context)
            try context.save()
            let fog = try #require(try context.fetch(FetchRequest<Mood>(\.title == "fog")).first)
            fog.title = "mist"
            fog.country = try context.fetch(FetchRequest<Country>(\.name == "France")).first
            let harbour = try context.fetch(FetchRequest<Mood>(\.country?.code == 276 && \.rating == 3))
            for mood in harbour { context.delete(mood) }
            context.processPendingChanges()
            for mood in try context.fetch(FetchRequest<Mood>()) { context.delete(mood) }
            context.processPendingChanges()
            context.undo()
            try context.save()
            let now = try Self.lines(context)
            #expect(now == wanted)
        }
        if kind == .memory { return }
        try coordinator.close()
        let again = PersistentStoreCoordinator(managedObjectModel: try testModel())
        try again.addPersistentStore(ofType: kind.type, at: url)
        let reopened = try ManagedObjectContext(persistentStoreCoordinator: again).performAndWait {
            try Self.lines($0)
        }
        #expect(reopened == wanted)
    }

    /// Every kind of relationship and value, from each kind of store to each: what a town and an album have
    /// is there, read by a stack that knows only the copy.
    @Test(arguments: [StoreKind.sqlite, .xml, .binary, .lines], [StoreKind.sqlite, .xml, .binary, .lines])
    func `a copy has all there is`(from: StoreKind, to: StoreKind) throws {
        let folder = try ScratchFolder()
        let source = PersistentStoreCoordinator(managedObjectModel: try referenceSchema())
        try source.addPersistentStore(ofType: from.type, at: folder.url.appending(path: "a"))
        func told(_ coordinator: PersistentStoreCoordinator) throws -> [String] {
            try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
                func names(_ things: some Sequence<Thing>) -> String {
                    things.map(\.name).joined(separator: "+")
                }
                return try context.fetch(FetchRequest<Thing>(sortedBy: .ascending(\.name))).map { thing in
                    switch thing {
                    case let it as Resident:
                        """
                        \(it.entity.name) \(it.name) \(it.home?.name ?? "-") \(it.boss?.name ?? "-") \
                        \(it.badge?.name ?? "-") \(names(it.clubs.sorted { $0.name < $1.name })) \
                        \(names(it.friends.sorted { $0.name < $1.name }))
                        """
                    case let it as Club: "club \(it.name) \(names(it.events))"
                    case let it as Event: "event \(it.name) \(names(it.guests))"
                    case let it as Place: "place \(it.name) \(names(it.statues.sorted { $0.name < $1.name }))"
                    default: "\(thing.entity.name) \(thing.name)"
                    }
                }
            }
        }
        try ManagedObjectContext(persistentStoreCoordinator: source).performAndWait {
            context throws -> Void in
            let people = (0..<6).map { number in
                let it: Resident =
                    number % 2 == 0 ? context.insert(Pupil.self) : context.insert(Resident.self)
                it.name = "r\(number)"
                return it
            }
            let (place, club) = (context.insert(Place.self), context.insert(Club.self))
            (place.name, club.name) = ("p", "c")
            for (number, it) in people.enumerated() {
                (it.home, it.boss) = (place, people[(number + 1) % 6])
                it.friends = [people[(number + 2) % 6]]
                if number % 2 == 1 { it.clubs.insert(club) }
                let pass = context.insert(Pass.self)
                (pass.name, pass.holder) = ("pass\(number)", it)
                let statue = context.insert(Statue.self)
                statue.name = "s\(number)"
                place.statues.insert(statue)
                let event = context.insert(Event.self)
                event.name = "e\(number)"
                event.guests = [people[5 - number], people[(number + 3) % 6], people[number]].reduce(into: [])
                {
                    if !$0.contains($1) { $0.append($1) }
                }
                club.events.insert(event, at: 0)
            }
            try context.save()
            try source.setMetadata(["note": "kept"])
        }
        let url = folder.url.appending(path: "b")
        try source.copyStore(to: url, ofType: to.type)
        let copy = PersistentStoreCoordinator(managedObjectModel: try referenceSchema())
        try copy.addPersistentStore(ofType: to.type, at: url)
        let told = (try told(source), try told(copy))
        #expect(told.0 == told.1)
        #expect(told.0.count == 6 * 4 + 2)
        #expect(try copy.metadata("note") == "kept")
        #expect(try copy.storeIdentifier() != source.storeIdentifier())
        #expect(throws: StoreError.file("b", errno: EEXIST)) {
            try source.copyStore(to: url, ofType: to.type)
        }
    }

    @Test func `large values are copied with their files`() throws {
        let folder = try ScratchFolder()
        let source = try folder.open("a.sqlite", testModel()), large = Data(repeating: 9, count: 300_000)
        try ManagedObjectContext(persistentStoreCoordinator: source).performAndWait {
            context throws -> Void in
            for number in 0..<3 {
                let mood = Mood.insert(into: context, title: "m\(number)", date: day(Double(number)))
                mood.preview = number == 1 ? large : Data([UInt8(number)])
            }
            try context.save()
        }
        try source.copyStore(to: folder.url.appending(path: "b.xml"), ofType: .xml)
        let middle = PersistentStoreCoordinator(managedObjectModel: try testModel())
        try middle.addPersistentStore(ofType: .xml, at: folder.url.appending(path: "b.xml"))
        try middle.copyStore(to: folder.url.appending(path: "c.sqlite"), ofType: .sqlite)
        let copy = try folder.open("c.sqlite", testModel())
        let previews = try ManagedObjectContext(persistentStoreCoordinator: copy).performAndWait { context in
            try context.fetch(FetchRequest<Mood>(sortedBy: .ascending(\.date))).map(\.preview)
        }
        #expect(previews == [Data([0]), large, Data([2])])
        #expect(try copy.report().externalFiles == 1)
    }

    @Test(.serialized, arguments: [1, 20, 300])
    func `a fetch in batches reads IDs, and rows as they are asked for`(size: Int) throws {
        let context = ManagedObjectContext(
            persistentStoreCoordinator: try emptyCoordinator(ManagedObjectModel(Counted.self)))
        try context.performAndWait { context throws -> Void in
            for number in 0..<1_000 { context.insert(Counted.self).number = Int64(number) }
            try context.save()
            context.reset()
            Counted.rows.withLock { $0 = 0 }
            var request = FetchRequest<Counted>(sortedBy: .ascending(\.number))
            request.fetchBatchSize = size
            let all = try context.fetch(request)
            func read() -> Int { Counted.rows.withLock { $0 } }
            #expect(all.count == 1_000)
            #expect(read() == 0)
            #expect(all.allSatisfy { $0.isFault })
            #expect(all[0].number == 0)
            #expect(read() == size)
            #expect(all.map(\.number) == (0..<1_000).map(Int64.init))
            #expect(read() == 1_000)
            // What is not saved is seen.
            context.insert(Counted.self).number = 500
            let more = try context.fetch(request)
            #expect(more.map(\.number) == (0...500).map(Int64.init) + (500..<1_000).map(Int64.init))
        }
    }

    @Test func `what nobody holds is let go, and what is changed is kept`() throws {
        let context = ManagedObjectContext(
            persistentStoreCoordinator: try emptyCoordinator(ManagedObjectModel(Held.self)))
        try context.performAndWait { context throws -> Void in
            for number in 0..<2_000 { context.insert(Held.self).number = Int64(number) }
            try context.save()
            do {
                let all = try context.fetch(FetchRequest<Held>())
                #expect(context.registeredObjects.count == 2_000)
                for counted in all.prefix(100) { counted.number += 1 }
            }
            // Those that are changed, and those that were used last.
            let left = context.registeredObjects
            #expect(left.count <= 100 + 256)
            #expect(left.filter(\.hasChanges).count == 100)
        }
    }
}

private final class Counted: ManagedObject {
    @Attribute var number: Int64 = 0
    static let rows = Mutex(0)
    override func awakeFromFetch() { Counted.rows.withLock { $0 += 1 } }
}

private final class Held: ManagedObject {
    @Attribute var number: Int64 = 0
}
