import Foundation
import Testing

@testable import ManagedObjects

/// What undo and redo do with the order of members.
@Suite(.everyStore) struct UndoOrderTests {
    private func context() throws -> ManagedObjectContext {
        let coordinator = try emptyCoordinator(referenceSchema())
        let context = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        context.performAndWait { $0.undoManager = UndoManager() }
        return context
    }

    @Test func `an owner that comes back has its members in their order, and nothing to save`() throws {
        try context().performAndWait { context throws -> Void in
            let club = context.insert(Club.self)
            let events = (0..<6).map { number in
                let event = context.insert(Event.self)
                event.name = "\(number)"
                return event
            }
            let order = [3, 0, 5, 1, 4, 2].map { events[$0] }
            club.events = order
            try context.save()
            context.delete(club)
            context.processPendingChanges()
            for _ in 0..<2 {
                context.undo()
                #expect(club.events.map(\.name) == ["3", "0", "5", "1", "4", "2"])
                let hasChanges = context.hasChanges
                #expect(!hasChanges)
                context.redo()
                let count = try context.count(FetchRequest<Event>())
                #expect(count == 0)
            }
            context.undo()
            try context.save()
            context.refreshAllObjects()
            #expect(club.events == order)
        }
    }

    @Test func `an unsaved order comes back with its owner`() throws {
        try context().performAndWait { context throws -> Void in
            let club = context.insert(Club.self)
            let events = (0..<4).map { _ in context.insert(Event.self) }
            club.events = events
            try context.save()
            club.events = events.reversed()
            context.processPendingChanges()
            context.delete(club)
            context.processPendingChanges()
            context.undo()
            #expect(club.events == events.reversed())
            context.undo()
            #expect(club.events == events)
            let hasChanges = context.hasChanges
            #expect(!hasChanges)
        }
    }

    @Test func `a member goes back to its place in an owner that nobody holds`() throws {
        try context().performAndWait { context throws -> Void in
            func fill(_ context: isolated ManagedObjectContext) throws -> [ManagedObjectID] {
                let club = context.insert(Club.self)
                let events = (0..<3).map { _ in context.insert(Event.self) }
                club.events = events
                try context.save()
                return [club.objectID] + events.map(\.objectID)
            }
            let ids = try fill(context).map(\.current)
            context.undoManager?.removeAllActions()
            context.reset()
            let event = try #require(context.object(with: ids[1]) as? Event)
            event.club = nil
            context.processPendingChanges()
            context.undo()
            let hasChanges = context.hasChanges
            #expect(!hasChanges)
            let club = try #require(context.object(with: ids[0]) as? Club)
            #expect(club.events.map(\.objectID) == Array(ids.dropFirst()))
        }
    }

    /// An order is noted whole, and so once: a thousand deletions of one list's members do not note it a
    /// thousand times.
    @Test func `an order is noted once in a round of changes`() throws {
        try context().performAndWait { context throws -> Void in
            let club = context.insert(Club.self)
            let events = (0..<40).map { _ in context.insert(Event.self) }
            club.events = events
            try context.save()
            func orders(_ context: isolated ManagedObjectContext) -> Int {
                context.withObjects { core in
                    core.undoLog.steps.count { if case .order = $0 { true } else { false } }
                }
            }
            for event in events.prefix(30) { context.delete(event) }
            let coming = context.insert(Event.self)
            club.events.append(coming)
            club.events.reverse()
            // Of the club's members, and of the guests of each event that went.
            let count = orders(context)
            #expect(count == 1 + 30)
            context.processPendingChanges()
            context.undo()
            #expect(club.events == events)
            context.redo()
            #expect(club.events == [coming] + events.suffix(10).reversed())
            context.undo()
            #expect(club.events == events)
            let hasChanges = context.hasChanges
            #expect(!hasChanges)
        }
    }
}
