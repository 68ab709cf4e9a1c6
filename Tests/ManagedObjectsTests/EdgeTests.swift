import Foundation
import Testing

@testable import ManagedObjects

/// Legal use at the edges: the main queue, limits, callbacks that save, IDs named twice.
@Suite struct EdgeTests {
    @MainActor private func inMemoryContainer() throws -> PersistentContainer {
        let container = PersistentContainer(
            managedObjectModel: try edgeModel(), descriptions: [.init(type: .inMemory)])
        try container.loadPersistentStores()
        return container
    }

    @MainActor @Test func `a child of the view context works from the main thread`() throws {
        let container = try inMemoryContainer()
        let child = ManagedObjectContext(parent: container.viewContext)
        try child.performAndWait { child in
            child.insert(Note.self).text = "draft"
            #expect(try child.count(FetchRequest<Note>()) == 1)
            try child.save()
        }
        #expect(try container.viewContext.performAndWait { try $0.count(FetchRequest<Note>()) } == 1)
    }

    @MainActor @Test func `the view context can be entered from a background block on the main thread`()
        throws
    {
        let container = try inMemoryContainer()
        let background = container.newBackgroundContext()
        let count = try background.performAndWait { _ in
            try container.viewContext.performAndWait { view in
                background.performAndWait { _ in }
                return try view.count(FetchRequest<Note>())
            }
        }
        #expect(count == 0)
    }

    @Test(.everyStore, arguments: [0, -1, Int.min, 2, Int.max], [0, -1, 1, Int.max])
    func `a limit of 0 or less is none, with and without unsaved changes`(limit: Int, offset: Int) throws {
        try edgeContext().performAndWait { context in
            for number in 0..<3 { context.insert(Note.self).text = "\(number)" }
            try context.save()
            var request = FetchRequest<Note>(sortedBy: .ascending(\.text))
            (request.fetchLimit, request.fetchOffset) = (limit, offset)
            func expected(_ all: [String]) -> [String] {
                let rest = all.dropFirst(max(offset, 0))
                return limit > 0 ? Array(rest.prefix(limit)) : Array(rest)
            }
            #expect(try context.fetch(request).map(\.text) == expected(["0", "1", "2"]))
            #expect(try context.count(request) == expected(["0", "1", "2"]).count)
            context.insert(Note.self).text = "3"
            #expect(try context.fetch(request).map(\.text) == expected(["0", "1", "2", "3"]))
            #expect(try context.count(request) == expected(["0", "1", "2", "3"]).count)
            let list = context.list(request)
            try list.performFetch()
            #expect(list.fetchedObjects.map(\.text) == expected(["0", "1", "2", "3"]))
        }
    }

    @Test(.everyStore, arguments: [false, true])
    func `a lost change fails one save, and none behind a rollback or a reset`(isReset: Bool) throws {
        try edgeContext().performAndWait { context throws -> Void in
            let playlist = context.insert(Playlist.self), song = context.insert(Song.self)
            try context.save()
            context.delete(playlist)
            try context.save()
            song.playlist = playlist
            #expect(throws: StoreError.objectGone(playlist.objectID)) { try context.save() }
            try context.save()
            song.playlist = playlist
            isReset ? context.reset() : context.rollback()
            _ = context.takeFaultErrors()
            context.insert(Song.self).name = "new"
            try context.save()
            #expect(try context.count(FetchRequest<Song>()) == 2)
        }
    }

    @Test(.everyStore) func `a member that is named twice is in an ordered relationship once`() throws {
        let context = try edgeContext()
        try context.performAndWait { context throws -> Void in
            let playlist = context.insert(Playlist.self)
            let songs = ["a", "b"].map { name in
                let song = context.insert(Song.self)
                song.name = name
                return song
            }
            playlist.tracks = [songs[1], songs[0], songs[1]]
            #expect(playlist.tracks.map(\.name) == ["b", "a"])
            try context.save()
            #expect(playlist.tracks.map(\.name) == ["b", "a"])
        }
        try another(context).performAndWait { context throws -> Void in
            #expect(try context.fetch(FetchRequest<Playlist>()).first?.tracks.map(\.name) == ["b", "a"])
        }
    }

    @Test(.everyStore) func `a notification may name an ID twice`() throws {
        try edgeContext().performAndWait { context in
            let note = context.insert(Note.self)
            try context.save()
            let id = note.objectID
            try context.mergeChanges(
                from: SaveNotification(insertedObjectIDs: [id, id], updatedObjectIDs: [id]))
            #expect(!note.isDeleted)
        }
    }

    private final class Actor: FetchedResultsControllerDelegate {
        var action: (() -> Void)?
        var changes: [FetchedResultsChange] = []
        func controller(_ list: FetchedResultsController<Note>, didChange batch: FetchedResultsBatch) {
            changes += batch.changes
            let now = action
            action = nil
            now?()
        }
    }

    @Test(.everyStore) func `a list whose delegate saves in its callback has each row once`() throws {
        try edgeContext().performAndWait { context in
            let list = context.list(FetchRequest<Note>(sortedBy: .ascending(\.text)))
            try list.performFetch()
            let delegate = Actor()
            list.delegate = delegate
            delegate.action = { context.assumeIsolated { _ = try? $0.save() } }
            let note = context.insert(Note.self)
            note.text = "a"
            context.processPendingChanges()
            func check() throws {
                let fresh = try another(context).performAndWait {
                    try $0.fetchObjectIDs(FetchRequest<Note>(sortedBy: .ascending(\.text)))
                }
                #expect(list.fetchedObjectIDs == fresh)
            }
            try check()
            note.text = "b"
            try context.save()
            try check()
            context.delete(note)
            try context.save()
            try check()
            #expect(delegate.changes.count == 3)
        }
    }

    @Test(.everyStore) func `what a callback merges reaches the list`() throws {
        try edgeContext().performAndWait { context in
            let list = context.list(FetchRequest<Note>(sortedBy: .ascending(\.text)))
            try list.performFetch()
            let delegate = Actor(), other = another(context)
            list.delegate = delegate
            delegate.action = {
                let note = other.performAndWait { other in
                    other.insert(Note.self).text = "theirs"
                    return try? other.save()
                }
                context.assumeIsolated { context in
                    if let note { try? context.mergeChanges(from: note) }
                }
            }
            context.insert(Note.self).text = "mine"
            try context.save()
            #expect(list.fetchedObjects.map(\.text) == ["mine", "theirs"])
        }
    }

    @Test func `an observer hears what a merge brought, once, and so does one of two`() throws {
        let context = try edgeContext()
        try context.performAndWait { context in
            var told: [String] = []
            let token = context.addObjectsDidChangeObserver { note in
                told.append("\(note.insertedObjects.count) \(note.refreshedObjects.count)")
                #expect(note.insertedObjects.allSatisfy { $0.isFault })
            }
            let note = try another(context).performAndWait { other in
                other.insert(Note.self).text = "a"
                return try other.save()
            }
            try context.mergeChanges(from: note)
            #expect(told == ["1 0"])
            withExtendedLifetime(token) {}
        }
    }

    @Test(.everyStore) func `unsaved objects are found by a relationship after their target got its ID`()
        throws
    {
        try edgeContext().performAndWait { context in
            let binder = context.insert(Binder.self)
            for _ in 0..<40 { context.insert(Note.self).binder = binder }
            let before = binder.reference
            #expect(try context.count(FetchRequest(\Note.binder == before)) == 40)
            try context.obtainPermanentIDs(for: [binder])
            #expect(try context.count(FetchRequest(\Note.binder == before)) == 40)
            #expect(try context.count(FetchRequest(\Note.binder == binder.reference)) == 40)
        }
    }

    private static func answers(_ context: isolated ManagedObjectContext) throws -> [[String]] {
        var some = FetchRequest<Note>(
            \.binder?.name >= "f2", sortedBy: .descending(\.binder?.name), .ascending(\.text))
        (some.fetchLimit, some.fetchOffset) = (5, 2)
        let without = FetchRequest<Binder>(
            #Predicate { binder in !binder.notes.contains { $0.text == "n7" } },
            sortedBy: .ascending(\.name))
        let with = FetchRequest<Binder>(
            #Predicate { binder in binder.notes.contains { $0.text == "n3" } })
        return [
            try context.fetch(FetchRequest<Note>(\.binder?.name == "f2")).map(\.text).sorted(),
            try context.fetch(some).map(\.text), try context.fetch(without).map(\.name),
            try context.fetch(with).map(\.name),
        ]
    }

    @Test(.everyStore) func `a fetch that looks at unsaved changes elsewhere gives what a save then gives`()
        throws
    {
        try edgeContext().performAndWait { context in
            let binders = (0..<4).map { number in
                let binder = context.insert(Binder.self)
                binder.name = "f\(number)"
                return binder
            }
            for number in 0..<20 {
                let note = context.insert(Note.self)
                note.text = "n\(number)"
                note.binder = binders[number % 4]
            }
            try context.save()
            context.refreshAllObjects()
            binders[0].name = "f9"
            binders[1].name = "f2"
            let moved = try context.fetch(FetchRequest<Note>(\.text == "n3"))[0]
            moved.binder = binders[2]
            context.delete(try context.fetch(FetchRequest<Note>(\.text == "n7"))[0])
            context.insert(Note.self).binder = binders[3]
            let before = try Self.answers(context)
            #expect(before[0].count == 11)
            try context.save()
            let fresh = another(context)
            #expect(try fresh.performAndWait { try Self.answers($0) } == before)
        }
    }
}
