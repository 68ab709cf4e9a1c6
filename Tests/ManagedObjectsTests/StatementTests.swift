import Foundation
import GRDB
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import ManagedObjects

/// What is asked of SQLite, statement by statement.
@Suite struct StatementTests {
    /// The SELECTs over the table of moods that a store runs.
    private struct Trace {
        let all: StatementTrace

        func consume() -> [String] { all.consume { $0.hasPrefix("SELECT") && $0.contains("ZMOOD") } }
    }

    private func open(_ url: URL, _ model: ManagedObjectModel) throws -> (PersistentStoreCoordinator, Trace) {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: .sqlite, at: url)
        let store = try #require(try coordinator.stores[0] as? SQLiteStore)
        return (coordinator, Trace(all: try StatementTrace(store.writer)))
    }

    private func fill(_ url: URL, _ count: Int) throws {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try testModel())
        try coordinator.addPersistentStore(ofType: .sqlite, at: url)
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait {
            context throws -> Void in
            for number in 0..<count {
                Mood.insert(into: context, title: "m\(number % 20)", date: day(Double(number)))
            }
            try context.save()
        }
        try coordinator.close()
    }

    /// Two reads at once, which two connections take.
    @Test func `a trace hears of each connection`() throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "store.sqlite")
        let (coordinator, trace) = try open(url, testModel())
        let pool = try #require(try coordinator.stores[0] as? SQLiteStore).writer, inside = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: 2) { _ in
            try? pool.unsafeRead { database in
                inside.add(1, ordering: .sequentiallyConsistent)
                for _ in 0..<5_000 where inside.load(ordering: .sequentiallyConsistent) < 2 { usleep(1_000) }
                _ = try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM ZMOOD")
            }
        }
        #expect(inside.load(ordering: .sequentiallyConsistent) == 2)
        #expect(trace.consume().count == 2)
        try coordinator.close()
    }

    @Test func `two fetches are two round trips to the store, and give the same objects`() throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "store.sqlite")
        try fill(url, 30)
        let (coordinator, trace) = try open(url, testModel())
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait {
            context throws -> Void in
            let request = FetchRequest<Mood>(\.title == "m3", sortedBy: .ascending(\.date))
            let first = try context.fetch(request)
            #expect(trace.consume().count == 1)
            let second = try context.fetch(request)
            #expect(trace.consume().count == 1)
            #expect(first.count == 2)
            #expect(first.map(ObjectIdentifier.init) == second.map(ObjectIdentifier.init))
        }
    }

    /// As the sqlite3 program plans the statement that the store ran. Rows of one date are put in the order
    /// of their keys, which for dates that go down is not the index's: "RIGHT PART OF" or, said by later
    /// programs, "LAST TERM OF" the order is sorted.
    @Test(arguments: [
        (SortDescriptor<Mood>.ascending(\.date), ["SCAN t0 USING INDEX Z_Mood_byDate"]),
        (
            .descending(\.date),
            ["SCAN t0 USING INDEX Z_Mood_byDate", "USE TEMP B-TREE FOR a part of ORDER BY"]
        ),
        (.ascending(\.title), ["SCAN t0", "USE TEMP B-TREE FOR ORDER BY"]),
    ])
    func `a sorted request takes its order from the index`(order: SortDescriptor<Mood>, plan: [String]) throws
    {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "store.sqlite")
        try fill(url, 30)
        let (coordinator, trace) = try open(url, testModel())
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context throws in
            #expect(try context.fetch(FetchRequest<Mood>(sortedBy: order)).count == 30)
        }
        let statement = try #require(trace.consume().first)
        let told = try shell("sqlite3 '\(url.path)' 'EXPLAIN QUERY PLAN \(statement)'")
        let steps = told.split(separator: "\n").dropFirst().map { line in
            line.trimmingPrefix(/[|`-]+/).replacing(/(RIGHT PART|LAST TERM) OF/, with: "a part of")
        }
        #expect(steps.map { String($0) } == plan, "\(statement)")
    }

    /// 3-28: what the process read, as the kernel counts it.
    @Test func `opening a store reads none of its rows`() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try ScratchFolder(), url = folder.url.appending(path: "store.sqlite")
            let model = try testModel()
            let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
            try coordinator.addPersistentStore(ofType: .sqlite, at: url)
            try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
                let text = String(repeating: "x", count: 10_000)
                for number in 0..<2_000 {
                    Mood.insert(into: context, title: "\(number)\(text)", date: day(Double(number)))
                }
                try context.save()
            }
            try coordinator.close()
            func read() throws -> Int {
                let lines = try String(contentsOfFile: "/proc/self/io", encoding: .utf8).split(
                    separator: "\n")
                return try #require(lines.first.flatMap { Int($0.split(separator: " ")[1]) })
            }
            let before = try read()
            let again = PersistentStoreCoordinator(managedObjectModel: model)
            try again.addPersistentStore(ofType: .sqlite, at: url)
            let opened = try read() - before
            #expect(opened < 1_000_000)
            let context = ManagedObjectContext(persistentStoreCoordinator: again)
            let count = try context.performAndWait { context in
                try context.fetch(FetchRequest<Mood>()).map(\.title.count).count
            }
            #expect(count == 2_000)
            #expect(try read() - before - opened > 20_000_000)
            try again.close()
        }
    }

    @Test func `what is found in memory asks the store for nothing, a stranger asks once`() throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "store.sqlite")
        try fill(url, 30)
        let (coordinator, trace) = try open(url, testModel())
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait {
            context throws -> Void in
            let read = try #require(try Mood.findOrFetch(in: context, \.title == "m3"))
            #expect(read.title == "m3")
            #expect(trace.consume().count == 1)
            let again = try Mood.findOrFetch(in: context, \.title == "m3")
            #expect(again === read)
            let unsaved = Mood.insert(into: context, title: "unsaved", date: day(0))
            let found = try Mood.findOrFetch(in: context, \.title == "unsaved")
            let made = try Mood.findOrCreate(in: context, \.title == "unsaved") { _ in
                Issue.record("it is there already")
            }
            #expect(found === unsaved && made === unsaved)
            #expect(trace.consume() == [])
            let stranger = try Mood.findOrFetch(in: context, \.title == "m4")
            #expect(stranger?.title == "m4")
            #expect(trace.consume().count == 1)
        }
    }

    @Test func `a list with a batch size reads IDs, and rows twenty at a time`() throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "store.sqlite")
        try fill(url, 1_000)
        let (coordinator, trace) = try open(url, testModel())
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait {
            context throws -> Void in
            var request = FetchRequest<Mood>(sortedBy: .ascending(\.date))
            request.fetchBatchSize = 20
            let list = context.list(request)
            try list.performFetch()
            let reads = trace.consume()
            #expect(reads.count == 1)
            #expect(reads.allSatisfy { !$0.contains("ZCOLORS") }, "no rows")
            let held = list.object(at: IndexPath(indexes: [0, 0]))
            #expect(held?.title == "m0")
            #expect(trace.consume().count == 1)
            var all: [Mood] = []
            for row in 0..<1_000 {
                let mood = try #require(list.object(at: IndexPath(indexes: [0, row])))
                #expect(mood.date == day(Double(row)))
                all.append(mood)
            }
            #expect(trace.consume().count == 49)
            #expect(all.count == 1_000)
        }
    }

    @Test func `a report reads what the rows of a save lead to at once`() throws {
        let folder = try ScratchFolder()
        let (coordinator, trace) = try open(folder.url.appending(path: "store.sqlite"), testModel())
        let reader = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        let told = Mutex<[String?]>([])
        let observation = try reader.performAndWait { context in
            let request = FetchRequest<Mood>(sortedBy: .ascending(\.date))
            return try context.observe(request, as: { $0.country?.name }) { changes in
                for case .insert(let name, _, at: _) in changes.changes {
                    told.withLock { $0.append(name) }
                }
            }
        }
        let writer = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        let note = try writer.performAndWait { context in
            for number in 0..<40 {
                let mood = Mood.insert(into: context, title: "m", date: day(Double(number)))
                mood.country = Country.insert(into: context, code: Int16(number), name: "c\(number)")
            }
            return try context.save()
        }
        _ = trace.all.consume()
        try reader.performAndWait { try $0.mergeChanges(from: note) }
        #expect(told.withLock { $0 } == (0..<40).map { "c\($0)" })
        let reads = trace.all.consume { $0.hasPrefix("SELECT") && $0.contains("FROM ZCOUNTRY") }
        #expect(reads.count == 1, "\(reads)")
        withExtendedLifetime(observation) {}
    }

    @Test func `a list from its cache asks for no row`() throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "store.sqlite")
        try fill(url, 500)
        let selects = try (0..<2).map { _ in
            let (coordinator, trace) = try open(url, testModel())
            let context = ManagedObjectContext(persistentStoreCoordinator: coordinator)
            let (names, count) = try context.performAndWait { context in
                let list = FetchedResultsController(
                    fetchRequest: FetchRequest<Mood>(sortedBy: .ascending(\.title), .ascending(\.date)),
                    managedObjectContext: context, sectionNameKeyPath: try SectionName(\.title),
                    cacheName: "titles")
                try list.performFetch()
                return ((list.sections ?? []).map { "\($0.name) \($0.numberOfObjects)" }, list.count)
            }
            #expect(count == 500)
            #expect(names.count == 20)
            #expect(names.allSatisfy { $0.hasSuffix(" 25") })
            let said = trace.consume()
            try coordinator.close()
            return said.count
        }
        #expect(selects == [1, 0], "read once, and then from the cache")
    }
}
