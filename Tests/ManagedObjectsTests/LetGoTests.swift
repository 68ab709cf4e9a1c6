import Foundation
import Testing

@testable import ManagedObjects

private final class Shelf: ManagedObject {
    @Relationship(inverse: "shelf", deleteRule: .cascade) var books: Set<Volume>
    @Relationship(inverse: "queue") var queued: [Volume]
    @Relationship(inverse: "shelves") var shared: Set<Volume>
    @Relationship(inverse: "left") var right: Shelf?
    @Relationship(inverse: "right") var left: Shelf?
}

private final class Volume: ManagedObject {
    @Attribute var name: String = ""
    @Relationship(inverse: \Shelf.books) var shelf: Shelf?
    @Relationship(inverse: \Shelf.queued) var queue: Shelf?
    @Relationship(inverse: \Shelf.shared) var shelves: Set<Shelf>
}

/// Objects that are gone before they had a row stay in memory for nobody but who holds them.
@Suite struct LetGoTests {
    enum Ending: CaseIterable {
        case deleteOwners, deleteMembersFirst, deleteOwnersFirst, undo, undoAndRedo, rollback, reset
        case deleteAfterSave
    }

    private final class Watched {
        weak var object: ManagedObject?
        init(_ object: ManagedObject) { self.object = object }
    }

    private func context(_ isUndoable: Bool) throws -> ManagedObjectContext {
        let model = try ManagedObjectModel(Shelf.self, Volume.self)
        let context = ManagedObjectContext(persistentStoreCoordinator: try emptyCoordinator(model))
        context.performAndWait { context in
            // Objects that were used last are held on purpose.
            context.withObjects { $0.registry.recentCount = 0 }
            if isUndoable { context.undoManager = UndoManager() }
        }
        return context
    }

    /// Two shelves that lead to each other, with volumes that are seen from all sides.
    private func make(_ context: isolated ManagedObjectContext) -> (shelves: [Shelf], volumes: [Volume]) {
        let shelves = (0..<2).map { _ in context.insert(Shelf.self) }
        let volumes = (0..<6).map { _ in context.insert(Volume.self) }
        shelves[0].right = shelves[1]
        for (number, volume) in volumes.enumerated() {
            let shelf = shelves[number % 2]
            volume.shelf = shelf
            shelf.queued.append(volume)
            volume.shelves = Set(shelves)
        }
        #expect(shelves.allSatisfy { $0.books.count == 3 && $0.queued.count == 3 && $0.shared.count == 6 })
        #expect(shelves[1].left === shelves[0] && volumes[0].queue === shelves[0])
        return (shelves, volumes)
    }

    private func end(
        _ context: isolated ManagedObjectContext, _ ending: Ending
    ) throws -> (gone: [Watched], kept: [Volume]) {
        let (shelves, volumes) = make(context)
        var gone = shelves.map { Watched($0) } + volumes.map { Watched($0) }
        var kept: [Volume] = []
        context.processPendingChanges()
        switch ending {
        case .deleteOwners:
            // Members of one are not deleted with it.
            for volume in volumes { volume.shelf = nil }
            for shelf in shelves { context.delete(shelf) }
            kept = volumes
            gone.removeLast(volumes.count)
        case .deleteMembersFirst: for object in volumes + shelves { context.delete(object) }
        case .deleteOwnersFirst: for object in shelves + volumes { context.delete(object) }
        case .undo: context.undo()
        case .undoAndRedo:
            context.undo()
            context.redo()
            context.undo()
        case .rollback: context.rollback()
        case .reset: context.reset()
        case .deleteAfterSave:
            try context.save()
            for object in shelves + volumes { context.delete(object) }
            try context.save()
        }
        context.processPendingChanges()
        context.undoManager?.removeAllActions()
        return (gone, kept)
    }

    @Test(.everyStore, arguments: Ending.allCases, [true, false])
    func `a graph that ends before its first save is let go of`(ending: Ending, isUndoable: Bool) throws {
        if [.undo, .undoAndRedo].contains(ending) && !isUndoable { return }
        try context(isUndoable).performAndWait { context in
            let (gone, kept) = try end(context, ending)
            #expect(gone.filter { $0.object != nil }.count == 0, "\(ending)")
            let owners = context.withObjects { $0.relationships.deltas.keys.map(\.owner) }
            #expect(Set(owners).isSubset(of: kept.map(\.objectID)))
            let objectCount = context.withObjects { $0.registry.objects.count }
            #expect(objectCount == kept.count)
            #expect(context.insertedObjects.count == kept.count)
            try context.save()
        }
    }
}
