import Foundation
import Testing

@testable import ManagedObjects

extension Mood: Managed {
    static var defaultSortDescriptors: [SortDescriptor<Mood>] { [.descending(\.date)] }
    /// What is rated below zero was thrown away by its owner.
    static var defaultFilter: Filter<Mood>? { \.rating >= 0 }
}

/// Who is told what, whatever made the change.
@Suite(.everyStore) struct ObservingTests {
    private func filled() throws -> (PersistentStoreCoordinator, ManagedObjectContext) {
        let coordinator = try emptyCoordinator(testModel())
        let context = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        try context.performAndWait { context in
            fillWithMoods(context)
            try context.save()
        }
        return (coordinator, context)
    }

    @Test func `a round of changes is told as what was inserted, updated and deleted`() throws {
        let (_, context) = try filled()
        try context.performAndWait { context in
            let log = Log()
            let token = context.addObjectsDidChangeObserver { note in
                log.lines.append(
                    [
                        note.insertedObjects.count, note.updatedObjects.count, note.deletedObjects.count,
                        note.refreshedObjects.count, note.invalidatedObjects.count,
                        note.invalidatedAllObjects ? 1 : 0,
                    ].map(String.init).joined(separator: " "))
            }
            let moods = try context.fetch(Mood.sortedFetchRequest)
            context.processPendingChanges()
            #expect(log.lines == [])
            let new = Mood.insert(into: context, title: "new", date: day(9))
            moods[0].title = "changed"
            context.delete(moods[1])
            context.processPendingChanges()
            // The mood's three swatches go with it; the country that lost it is refreshed.
            #expect(log.lines == ["1 1 4 1 0 0"])
            log.lines = []
            new.title = "again"
            context.processPendingChanges()
            context.rollback()
            #expect(log.lines.count == 2 && log.lines[0] == "0 1 0 0 0 0", "\(log.lines)")
            log.lines = []
            context.reset()
            #expect(log.lines == ["0 0 0 0 0 1"])
            log.lines = []
            withExtendedLifetime(token) {}
            _ = consume token
            Mood.insert(into: context, title: "unheard", date: day(9))
            context.processPendingChanges()
            #expect(log.lines == [])
            context.rollback()
        }
    }

    @Test func `an object whose row is gone is invalidated, alone, and its observer hears of a deletion`()
        throws
    {
        let (coordinator, context) = try filled()
        let other = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        try context.performAndWait { context throws -> Void in
            let mood = try #require(try context.fetch(FetchRequest<Mood>(\.title == "fog")).first)
            let box = Observed(), log = Log(), reference = mood.reference
            box.watch(mood)
            // In one block: told of the refresh, the observer would read the mood for its class's filter.
            context.refresh(mood, mergeChanges: false)
            try other.performAndWait { context throws -> Void in
                context.delete(try #require(context[reference]))
                try context.save()
            }
            let token = context.addObjectsDidChangeObserver { note in
                #expect(note.invalidatedObjects.map { $0 === mood } == [true] && !note.invalidatedAllObjects)
                #expect(note.deletedObjects.isEmpty && note.updatedObjects.isEmpty)
                log.lines.append("invalidated")
            }
            #expect(mood.title == "")
            context.processPendingChanges()
            #expect(log.lines == ["invalidated"] && box.heard == [.delete])
            withExtendedLifetime(token) {}
            // The error of the fault is thrown by the next call that can.
            #expect(throws: StoreError.self) { try context.fetch(FetchRequest<Mood>()) }
            box.observer = nil
        }
    }

    @Test func `an observer hears its object's updates and its deletion, once, whoever made them`() throws {
        let (coordinator, context) = try filled()
        let other = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        let box = Observed()
        let reference = try context.performAndWait { context in
            context.undoManager = UndoManager()
            let mood = try #require(context.fetch(FetchRequest<Mood>(\.title == "fog")).first)
            let next = try #require(context.fetch(FetchRequest<Mood>(\.title == "Foggy harbour")).first)
            box.mood = mood
            box.watch(mood)
            next.title = "another"
            context.processPendingChanges()
            #expect(box.heard == [])
            mood.title = "fog again"
            mood.rating = 4
            context.processPendingChanges()
            #expect(box.heard == [.update])
            try context.save()
            return mood.reference
        }
        // Another context's change fires when it is merged, once.
        let note = try other.performAndWait { context in
            try #require(context[reference]).rating = 1
            return try context.save()
        }
        #expect(box.heard == [.update])
        try context.performAndWait { context in
            try context.mergeChanges(from: note)
            context.processPendingChanges()
            #expect(box.heard == [.update, .update])
            // In both sets at once: one deletion.
            let mood = try #require(box.mood)
            mood.rating = 2
            context.delete(mood)
            context.processPendingChanges()
            #expect(box.heard == [.update, .update, .delete])
            context.undo()
            context.processPendingChanges()
            #expect(box.heard == [.update, .update, .delete, .update])
            // One that its class does not show any more is as good as deleted.
            mood.rating = -1
            context.processPendingChanges()
            mood.title = "unseen"
            context.processPendingChanges()
            #expect(box.heard == [.update, .update, .delete, .update, .delete])
            context.rollback()
            #expect(box.heard.last == .update)
            box.heard = []
        }
        // Somebody else deletes it.
        let gone = try other.performAndWait { context in
            context.delete(try #require(context[reference]))
            return try context.save()
        }
        try context.performAndWait { context in
            try context.mergeChanges(from: gone)
            context.processPendingChanges()
            #expect(box.heard == [.delete])
            #expect(ManagedObjectObserver(object: try #require(box.mood)) { _ in } == nil)
        }
    }

    @Test func `an observer hears that the row behind its fault is gone`() throws {
        let (coordinator, context) = try filled()
        let other = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        try context.performAndWait { context throws -> Void in
            let country = try #require(context.fetch(FetchRequest<Country>(\.code == 250)).first), log = Log()
            let observer = ManagedObjectObserver(object: country) { log.lines.append("\($0)") }
            let reference = country.reference
            context.refresh(country, mergeChanges: false)
            context.processPendingChanges()
            #expect(log.lines == ["update"])
            try other.performAndWait { other throws -> Void in
                other.delete(try #require(other[reference]))
                try other.save()
            }
            #expect(country.name == "")
            context.processPendingChanges()
            #expect(log.lines == ["update", "delete"])
            #expect(context.takeFaultErrors().count == 1 && context.takeFaultErrors().isEmpty)
            withExtendedLifetime(observer) {}
        }
    }

    @Test func `an observer's life is its observation's, and another one replaces it`() throws {
        let (_, context) = try filled()
        try context.performAndWait { context in
            let moods = try context.fetch(Mood.sortedFetchRequest), view = Observed()
            view.watch(moods[0])
            view.watch(moods[1])
            moods[0].title = "old"
            context.processPendingChanges()
            #expect(view.heard == [])
            moods[1].title = "new"
            context.processPendingChanges()
            #expect(view.heard == [.update])
            view.observer = nil
            moods[1].title = "unheard"
            context.processPendingChanges()
            #expect(view.heard == [.update])
            // A reset leaves no object of before.
            view.watch(moods[2])
            context.reset()
            #expect(view.heard == [.update, .delete])
        }
    }

    @Test func `an object that does not match its class's filter counts as deleted from the start`() throws {
        let (_, context) = try filled()
        try context.performAndWait { context in
            let mood = Mood.insert(into: context, title: "thrown away", date: day(1)), view = Observed()
            mood.rating = -1
            context.processPendingChanges()
            view.watch(mood)
            mood.title = "still"
            context.processPendingChanges()
            context.delete(mood)
            context.processPendingChanges()
            #expect(view.heard == [])
            context.undoManager = UndoManager()
            let shown = Mood.insert(into: context, title: "shown", date: day(1))
            shown.rating = -1
            context.processPendingChanges()
            view.watch(shown)
            shown.rating = 3
            context.processPendingChanges()
            context.delete(shown)
            context.processPendingChanges()
            #expect(view.heard == [.update, .delete])
            context.undo()
            context.processPendingChanges()
            #expect(view.heard == [.update, .delete, .update])
            context.delete(shown)
            let titles = try context.fetch(Mood.sortedFetchRequest(\.latitude != nil)).map(\.title)
            #expect(titles == ["cafe\u{301}", "caf\u{E9}", "", "fog"])
            let twins = [Twin(1), Twin(1)]
            #expect(twins.containsObjectIdentical(to: twins[1]) && twins[0] == twins[1])
            #expect(![twins[0]].containsObjectIdentical(to: twins[1]))
        }
    }

    @Test func `what is in memory is found without a fetch, else fetched, else made`() throws {
        let (_, context) = try filled()
        try context.performAndWait { context in
            let before = try Country.findOrFetch(in: context, \.code == 276)
            let mood = try Mood.findOrCreate(in: context, \.title == "unknown") { mood in
                (mood.title, mood.date, mood.colors) = ("unknown", day(3), [])
                mood.country = before
            }
            let again = try Mood.findOrCreate(in: context, \.title == "unknown") { _ in
                Issue.record("it is there already")
            }
            let none = try Mood.findOrFetch(in: context, \.title == "nobody")
            #expect(mood === again && none == nil && before?.name == "Germany")
            let fog = try #require(try Mood.findOrFetch(in: context, \.title == "fog"))
            context.delete(fog)
            #expect(try Mood.findOrFetch(in: context, \.title == "fog") == nil, "deleted, and not saved")
            #expect(Country.entityName == "Country")
            #expect(
                Country.sortedFetchRequest.sortDescriptors.isEmpty && Country.sortedFetchRequest.filter == nil
            )
            try context.save()
        }
    }

    @Test
    func `changes are made in the order given, after the call returns, and one that fails stops no other`()
        async throws
    {
        let (coordinator, context) = try filled()
        let gate = DispatchSemaphore(value: 0), order = Journal()
        context.performChanges { _ in gate.wait() }
        for number in 0..<20 {
            context.performChanges { context in
                order.add("\(number)")
                let mood = Mood.insert(into: context, title: "n\(number)", date: day(Double(number)))
                // A swatch without a mood cannot be saved: this block is rolled back.
                if number == 7 { context.insert(Swatch.self).share = 1 }
                _ = mood
            }
        }
        order.add("returned")
        gate.signal()
        await context.perform { _ in }
        #expect(order.lines == ["returned"] + (0..<20).map(String.init))
        let titles = try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait {
            context in
            try context.fetch(FetchRequest<Mood>(sortedBy: .ascending(\.date))).map(\.title)
        }
        #expect(Set((0..<20).filter { $0 != 7 }.map { "n\($0)" }).isSubset(of: titles))
        #expect(!titles.contains("n7"))
    }
}

extension Country: Managed {}

private final class Log { var lines: [String] = [] }

private final class Twin: Equatable {
    let number: Int
    init(_ number: Int) { self.number = number }
    static func == (a: Twin, b: Twin) -> Bool { a.number == b.number }
}

/// As a detail view.
private final class Observed: @unchecked Sendable {
    // @unchecked Sendable because it is used on one context's queue only.
    var heard: [ManagedObjectObserver.ChangeType] = []
    var observer: ManagedObjectObserver?
    var mood: Mood?
    func watch(_ mood: Mood) {
        observer = ManagedObjectObserver(object: mood) { [unowned self] in heard.append($0) }
    }
}

private final class Journal: @unchecked Sendable {
    // @unchecked Sendable because of its lock.
    private let lock = NSLock()
    private var all: [String] = []
    var lines: [String] { lock.withLock { all } }
    func add(_ line: String) { lock.withLock { all.append(line) } }
}
