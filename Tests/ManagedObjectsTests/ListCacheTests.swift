import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// Lists that are kept from one start to the next.
@Suite struct ListCacheTests {
    private let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    private func open(readOnly: Bool = false) throws -> PersistentStoreCoordinator {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try testModel())
        try coordinator.addPersistentStore(
            ofType: .sqlite, at: folder.url.appending(path: "A.moody"), isReadOnly: readOnly)
        return coordinator
    }

    private struct Look: Equatable {
        var isKept: Bool
        var titles: [String]
        var sections: [String]
    }

    /// What a list shows in a new context, whether it came from the cache, and against a fresh fetch.
    private func look(
        _ coordinator: PersistentStoreCoordinator, _ filter: Filter<Mood>? = nil, cache: String? = "rootCache"
    ) throws -> Look {
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
            let list = try Self.list(context, filter, cache)
            try list.performFetch()
            let isKept = list.packed != nil
            let fresh = try context.fetch(list.fetchRequest)
            let titles = list.fetchedObjects.map(\.title)
            #expect(titles == fresh.map(\.title))
            let names = list.sections?.flatMap { Array(repeating: $0.name, count: $0.numberOfObjects) }
            #expect(names == fresh.map { $0.country?.name ?? "" })
            #expect(list.count == fresh.count)
            for (index, section) in (list.sections ?? []).enumerated() {
                let row = section.numberOfObjects - 1
                let last = list.object(at: IndexPath(row: row, section: index))
                #expect(last.map { $0.country?.name ?? "" } == section.name)
            }
            #expect(list.packed != nil || !isKept, "looking takes a kept list apart")
            if let last = fresh.last {
                #expect(list.indexPath(for: last).map { list.object(at: $0) } == last)
            }
            return Look(isKept: isKept, titles: titles, sections: list.sections?.map(\.name) ?? [])
        }
    }

    private final class Priced: ManagedObject { @Attribute var price: Decimal }

    /// A decimal is bytes that sort as it does.
    @Test func `a kept list in the order of decimals takes a change in its place`() throws {
        for isKept in [false, true] {
            let coordinator = PersistentStoreCoordinator(
                managedObjectModel: try ManagedObjectModel(Priced.self))
            try coordinator.addPersistentStore(ofType: .sqlite, at: folder.url.appending(path: "P.moody"))
            try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait {
                context throws -> Void in
                if !isKept {
                    for price: Decimal in [-1.5, 0.25, 10, 9] { context.insert(Priced.self).price = price }
                    try context.save()
                }
                let list = FetchedResultsController(
                    fetchRequest: FetchRequest<Priced>(sortedBy: .ascending(\.price)),
                    managedObjectContext: context, cacheName: "prices")
                try list.performFetch()
                #expect((list.packed != nil) == isKept)
                context.insert(Priced.self).price = 9.5
                context.processPendingChanges()
                #expect(list.fetchedObjects.map(\.price) == [-1.5, 0.25, 9, 9.5, 10])
            }
            try coordinator.close()
        }
    }

    private final class Named: ManagedObject { @Attribute var name: String }

    @Test func `a kept list in the order of texts outside of ASCII takes a change in its place`() throws {
        for isKept in [false, true] {
            let coordinator = PersistentStoreCoordinator(
                managedObjectModel: try ManagedObjectModel(Named.self))
            try coordinator.addPersistentStore(ofType: .sqlite, at: folder.url.appending(path: "N.moody"))
            try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait {
                context throws -> Void in
                if !isKept {
                    for name in ["\u{5B57}\u{5B57}", "\u{E9}t\u{E9}", "a", "z"] {
                        context.insert(Named.self).name = name
                    }
                    try context.save()
                }
                let list = FetchedResultsController(
                    fetchRequest: FetchRequest<Named>(sortedBy: .ascending(\.name)),
                    managedObjectContext: context, cacheName: "names")
                try list.performFetch()
                #expect((list.packed != nil) == isKept)
                context.insert(Named.self).name = "\u{4E00}"
                context.processPendingChanges()
                #expect(
                    list.fetchedObjects.map(\.name) == [
                        "a", "z", "\u{E9}t\u{E9}", "\u{4E00}", "\u{5B57}\u{5B57}",
                    ])
            }
            try coordinator.close()
        }
    }

    private static func list(
        _ context: isolated ManagedObjectContext, _ filter: Filter<Mood>?, _ cache: String?
    ) throws -> FetchedResultsController<Mood> {
        FetchedResultsController(
            fetchRequest: FetchRequest<Mood>(
                filter, sortedBy: .ascending(\.country?.code), .ascending(\.date)),
            managedObjectContext: context, sectionNameKeyPath: try SectionName(\.country?.name),
            cacheName: cache)
    }

    private func fill() throws {
        let coordinator = try open()
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
            fillWithMoods(context)
            try context.save()
        }
        try coordinator.close()
    }

    @Test func `a list is kept, and used by the next start while nothing changed`() throws {
        try fill()
        let first = try open()
        #expect(try look(first).isKept == false)
        #expect(try look(first).isKept)
        try first.close()
        let second = try open()
        let kept = try look(second)
        #expect(kept.isKept && kept.sections == ["", "France", "Germany"])
        // One without a name, or of another request, is not it.
        #expect(try look(second, cache: nil).isKept == false)
        #expect(try look(second, \.rating > 2).isKept == false)
        #expect(try look(second, \.rating > 2).isKept)
        #expect(try look(second, \.rating > 3).isKept == false)
        try second.close()
        let reader = try open(readOnly: true)
        #expect(try look(reader, \.rating > 3).isKept)
        try reader.close()
    }

    @Test func `a change by anybody ends it`() throws {
        try fill()
        let ours = try open()
        _ = try look(ours)
        #expect(try look(ours).isKept)
        // This process.
        try ManagedObjectContext(persistentStoreCoordinator: ours).performAndWait { context in
            try context.fetch(FetchRequest<Mood>(\.title == "fog")).first?.date = day(20)
            try context.save()
        }
        #expect(try look(ours).isKept == false)
        #expect(try look(ours).isKept)
        try ours.close()
        // Another program, which keeps no log, while nobody has the store open.
        let path = folder.url.appending(path: "A.moody").path
        _ = try shell(
            "sqlite3 '\(path)' \"UPDATE ZMOOD SET ZTITLE = 'by hand', ZDATE = 0 WHERE ZTITLE = 'fog'\"")
        let again = try open()
        #expect(try look(again).isKept == false)
        #expect(try look(again).titles.contains("by hand"))
        #expect(try look(again).isKept)
        // The same, while it is open here.
        _ = try shell("sqlite3 '\(path)' \"UPDATE ZMOOD SET ZTITLE = 'once more' WHERE ZTITLE = 'by hand'\"")
        #expect(try look(again).isKept == false)
        try again.close()
    }

    @Test func `a kept list follows changes like any other`() throws {
        try fill()
        let coordinator = try open()
        _ = try look(coordinator)
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait {
            context throws -> Void in
            let list = try Self.list(context, nil, "rootCache"), told = Told()
            list.delegate = told
            try list.performFetch()
            #expect(list.packed != nil)
            told.list =
                list.sections?.reduce(into: ([[ManagedObjectID]](), list.fetchedObjectIDs[...])) {
                    $0.0.append(Array($0.1.prefix($1.numberOfObjects)))
                    $0.1 = $0.1.dropFirst($1.numberOfObjects)
                }.0 ?? []
            let moods = list.fetchedObjects
            context.delete(moods[0])
            moods[1].country = moods[2].country
            moods[3].date = day(0)
            Mood.insert(into: context, title: "new", date: day(7)).country = moods[2].country
            context.processPendingChanges()
            let fresh = try context.fetch(list.fetchRequest).map(\.objectID)
            #expect(
                list.packed == nil && list.fetchedObjectIDs == fresh && told.list.flatMap(\.self) == fresh)
            #expect(told.list.map(\.count) == list.sections?.map(\.numberOfObjects))
            // What is not saved is in no cache.
            let other = try Self.list(context, nil, "rootCache")
            try other.performFetch()
            #expect(other.packed == nil && other.fetchedObjectIDs == fresh)
            context.rollback()
        }
        try coordinator.close()
    }

    @Test func `a damaged, cut or foreign file is made anew`() throws {
        try fill()
        let coordinator = try open()
        let before = try look(coordinator)
        let lists = folder.url.appending(path: ".A_SUPPORT/lists").appending(
            path: coordinator.storeIdentifiers[0])
        let names = try FileManager.default.contentsOfDirectory(atPath: lists.path)
        let file = lists.appending(path: try #require(names.first { $0.hasSuffix(".list") })),
            whole = try Data(contentsOf: file)
        var random = SplitMix64(seed: 3)
        var broken: [Data] = [Data(), Data("moody list 1\n".utf8), Data(repeating: 255, count: 3000)]
        for _ in 0..<60 {
            var data = whole
            data[Int(random.next() % UInt64(data.count))] ^= UInt8(1 << (random.next() % 8))
            broken.append(data)
            broken.append(whole.prefix(Int(random.next() % UInt64(whole.count))))
        }
        for data in broken where data != whole {
            try data.write(to: file)
            #expect(try look(coordinator).titles == before.titles)
        }
        try whole.write(to: file)
        #expect(try look(coordinator).isKept)
        try coordinator.close()
    }

    @Test func `a cache is deleted by name, or all are`() throws {
        try fill()
        let coordinator = try open()
        _ = try (look(coordinator, cache: "a"), look(coordinator, cache: "b"), look(coordinator, cache: "c"))
        FetchedResultsController<Mood>.deleteCache(name: "a", in: coordinator)
        #expect(try look(coordinator, cache: "b").isKept)
        #expect(try look(coordinator, cache: "a").isKept == false)
        FetchedResultsController<Mood>.deleteCache(name: nil, in: coordinator)
        #expect(
            try look(coordinator, cache: "b").isKept == false && look(coordinator, cache: "c").isKept == false
        )
        // After that the request may be changed, and the next fetch is right.
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait {
            context throws -> Void in
            let list = try Self.list(context, nil, "d")
            try list.performFetch()
            FetchedResultsController<Mood>.deleteCache(name: "d", in: coordinator)
            list.fetchRequest.filter = \.rating > 3
            try list.performFetch()
            let fresh = try context.fetch(list.fetchRequest)
            #expect(list.packed == nil && list.fetchedObjects == fresh)
        }
        try coordinator.close()
    }

    @Test func `changing the request under a live cache stops the program with a sentence`() async throws {
        let result = try #require(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let tests = try ListCacheTests()
                let coordinator = try tests.open()
                try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
                    let list = try ListCacheTests.list(context, nil, "rootCache")
                    try list.performFetch()
                    list.fetchRequest.filter = \.rating > 3
                }
            })
        #expect(
            String(decoding: result.standardErrorContent, as: UTF8.self).contains(
                "the request of a list was changed while its cache \"rootCache\" is live; delete the cache "
                    + "first"
            ))
    }
}

private final class Told: FetchedResultsControllerDelegate {
    var list: [[ManagedObjectID]] = []
    func controller(_ controller: FetchedResultsController<Mood>, didChange batch: FetchedResultsBatch) {
        list = batch.applied(to: list)
    }
}
