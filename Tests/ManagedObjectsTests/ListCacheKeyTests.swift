import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// What a list's cache is for: this list of this store, as it is, and no other.
@Suite struct ListCacheKeyTests {
    private let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    private func open(_ name: String) throws -> PersistentStoreCoordinator {
        try folder.open(name, try testModel())
    }

    private func fill(_ name: String) throws {
        let coordinator = try open(name)
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
            fillWithMoods(context)
            try context.save()
        }
        try coordinator.close()
    }

    /// Whether the list came from its cache; what it shows is what a fetch gives, each time.
    private func isKept<Object: ManagedObject>(
        _ coordinator: PersistentStoreCoordinator, _ request: FetchRequest<Object>,
        _ section: SectionName<Object>? = nil, _ name: String = "rootCache"
    ) throws -> Bool {
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
            let list = FetchedResultsController(
                fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: section,
                cacheName: name)
            try list.performFetch()
            let isKept = list.packed != nil
            if section != nil, let moods = list.fetchedObjects as? [Mood] {
                let titles = moods.map(\.title)
                #expect(
                    list.sections?.map(\.name)
                        == titles.indices.filter {
                            $0 == 0 || titles[$0] != titles[$0 - 1]
                        }.map { titles[$0] })
            } else {
                #expect(list.sections?.count == 1)
            }
            #expect(try list.fetchedObjectIDs == context.fetch(request).map(\.objectID))
            return isKept
        }
    }

    /// The first look makes a cache, the second uses it: so that each no is for the difference alone.
    @Test func `a cache is for one store, name, entity, predicate, order and section path`() throws {
        try fill("A.moody")
        try fill("B.moody")
        let request = FetchRequest<Mood>(\.rating > 0, sortedBy: .ascending(\.title), .ascending(\.date))
        let section = try SectionName<Mood>(\.title)
        var coordinator = try open("A.moody")
        #expect(try !isKept(coordinator, request, section))
        try coordinator.close()
        coordinator = try open("A.moody")
        #expect(try isKept(coordinator, request, section))
        #expect(try !isKept(coordinator, request, section, "other"))
        let others: [(FetchRequest<Mood>, SectionName<Mood>?)] = [
            (FetchRequest(\.rating > 1, sortedBy: .ascending(\.title), .ascending(\.date)), section),
            (FetchRequest(\.rating > 0, sortedBy: .ascending(\.title), .descending(\.date)), section),
            (request, nil),
        ]
        for (index, other) in others.enumerated() {
            #expect(try !isKept(coordinator, other.0, other.1), "\(index)")
            #expect(try isKept(coordinator, other.0, other.1), "\(index): and then there is one")
        }
        #expect(try !isKept(coordinator, request, section), "a list without sections was kept")
        #expect(try isKept(coordinator, request, section))
        #expect(try !isKept(coordinator, FetchRequest<Country>(sortedBy: .ascending(\.name))))
        #expect(try !isKept(open("B.moody"), request, section), "the same list of another store")
        // And after a change: made anew, silently.
        #expect(try !isKept(coordinator, request, section), "one name has one cache")
        #expect(try isKept(coordinator, request, section))
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
            try context.fetch(FetchRequest<Mood>()).first?.title = "another"
            try context.save()
        }
        #expect(try !isKept(coordinator, request, section))
        #expect(try isKept(coordinator, request, section))
        let lists = folder.url.appending(path: ".A_SUPPORT/lists/\(coordinator.storeIdentifiers[0])")
        for name in try FileManager.default.contentsOfDirectory(atPath: lists.path) {
            try Data("no list".utf8).write(to: lists.appending(path: name))
        }
        #expect(try !isKept(coordinator, request, section), "a damaged one is none")
        #expect(try isKept(coordinator, request, section))
        // The whole and sound file of another store's list, under this one's name.
        let stranger = try open("B.moody")
        #expect(try !isKept(stranger, request, section))
        #expect(try isKept(stranger, request, section))
        let theirs = folder.url.appending(path: ".B_SUPPORT/lists/\(stranger.storeIdentifiers[0])")
        let kept = try FileManager.default.contentsOfDirectory(atPath: theirs.path).filter {
            $0.hasSuffix(".list")
        }
        #expect(kept.count == 1)
        for name in kept {
            try Data(contentsOf: theirs.appending(path: name)).write(to: lists.appending(path: name))
        }
        #expect(try !isKept(coordinator, request, section), "another store's is none")
        #expect(try isKept(coordinator, request, section))
        try stranger.close()
        try coordinator.close()
    }

    private final class Note: ManagedObject {
        @Attribute var text: String
    }
    private final class DatedNote: ManagedObject {
        @Attribute var text: String
        @Attribute var date: Date?
        override class var entityName: String { "Note" }
    }

    @Test func `a list is made anew behind a migration, and kept again`() throws {
        let url = folder.url.appending(path: "N.moody")
        let first = try ManagedObjectModel(Note.self), second = try ManagedObjectModel(DatedNote.self)
        func isKept(_ model: ManagedObjectModel, _ migration: Migration? = nil) throws -> Bool {
            let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
            try coordinator.addPersistentStore(ofType: .sqlite, at: url, migration: migration)
            defer { try? coordinator.close() }
            return try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait {
                context in
                if try context.count(FetchRequest<ManagedObject>(entityName: "Note")) == 0 {
                    for text in ["b", "a"] {
                        try context.insert(entityNamed: "Note").setValue(text, forKey: "text")
                    }
                    try context.save()
                }
                let list = FetchedResultsController(
                    fetchRequest: FetchRequest<ManagedObject>(
                        entityName: "Note", sortedBy: .ascending("text")),
                    managedObjectContext: context, cacheName: "notes")
                try list.performFetch()
                let texts = try list.fetchedObjects.map { try $0.value(forKey: "text") as? String }
                #expect(texts == ["a", "b"])
                return list.packed != nil
            }
        }
        #expect(try !isKept(first))
        #expect(try isKept(first))
        #expect(try !isKept(second, Migration(versions: [first, second])))
        #expect(try isKept(second))
    }
}
