import Foundation

@testable import ManagedObjects

/// Applies each operation to a context and to a ``ReferenceModel``, and compares the two.
final class ReferenceRunner: @unchecked Sendable {
    // @unchecked Sendable because contexts are entered one after the other, from one thread.
    final class Replica: @unchecked Sendable {
        // @unchecked Sendable for the same reason.
        let context: ManagedObjectContext
        /// The contexts below it, down to the store, nearest first.
        let parents: [ManagedObjectContext]
        /// What its parent has, when that is not what is committed.
        var pushed: ReferenceModel?
        /// What was deleted, saved and taken back is a row of its own, which nobody else knows yet.
        var renewed: [Int: ManagedObjectID] = [:]
        var model = ReferenceModel()
        /// What was set since the last save, when it was values and keys alone: those can be merged by hand.
        var changes: [Int: Set<String>] = [:]
        var isSimple = true
        var list: FetchedResultsController<Resident>?
        let mirror = Mirror()
        /// What undo leads back to, and redo forward to.
        var past: [ReferenceModel] = [], future: [ReferenceModel] = []
        /// How long the past is where nothing is unsaved; nil where no undo leads there.
        var savedDepth: Int?
        /// - Parameter depth: how many contexts lie between it and the store.
        init(_ coordinator: PersistentStoreCoordinator, depth: Int = 0) {
            var contexts = [ManagedObjectContext(persistentStoreCoordinator: coordinator)]
            for _ in 0..<depth { contexts.insert(ManagedObjectContext(parent: contexts[0]), at: 0) }
            context = contexts.removeFirst()
            parents = contexts
        }
        var isClean: Bool { changes.isEmpty && isSimple }
    }

    /// Keeps the list that the reports describe.
    final class Mirror: FetchedResultsControllerDelegate {
        var sections: [[ManagedObjectID]] = []
        var failure: String?
        /// Run in the next report, when the list and the reports are as they should be.
        var action: (() -> Void)?
        func controller(
            _ list: FetchedResultsController<Resident>, didChange batch: FetchedResultsBatch
        ) {
            for case .delete(let id, let indexPath) in batch.changes where at(indexPath) != id.current {
                failure =
                    "delete of \(id) at \(indexPath), where \(at(indexPath).map { "\($0)" } ?? "nothing") is"
            }
            sections = batch.applied(to: sections)
            let now = action
            action = nil
            now?()
        }
        func controller(_ list: FetchedResultsController<Resident>, didFailWith error: any Error) {
            failure = "the list failed: \(error)"
        }
        func at(_ indexPath: IndexPath) -> ManagedObjectID? {
            sections.indices.contains(indexPath.section)
                && sections[indexPath.section].indices.contains(indexPath.row)
                ? sections[indexPath.section][indexPath.row].current : nil
        }
    }

    var replicas: [Replica]
    let second: PersistentStoreCoordinator?
    /// Whether the two stacks follow each other by the store's log of changes.
    private let keepsHistory: Bool
    var committed = ReferenceModel()
    var references: [Int: ManagedObjectID] = [:]
    var next = 0
    /// Whose objects are looked at.
    var acting: Replica?

    func reference(_ id: Int) -> ManagedObjectID? { acting?.renewed[id] ?? references[id] }
    let url: URL?
    let type: PersistentStoreCoordinator.StoreType

    /// - Parameters:
    ///   - url: a file, of two stacks when it is SQLite's; nil for a store in memory.
    ///   - depths: how many parents each of the three contexts has.
    ///   - isShared: whether a SQLite store is open in a second stack. Files of large values that a save
    ///     dropped stay as long as it is.
    init(
        at url: URL?, type: PersistentStoreCoordinator.StoreType, depths: [Int], keepsHistory: Bool = false,
        isShared: Bool = true
    ) throws {
        self.keepsHistory = keepsHistory
        let model = try referenceSchema()
        func coordinator() throws -> PersistentStoreCoordinator {
            let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
            try coordinator.addPersistentStore(ofType: type, at: url, keepsHistory: keepsHistory)
            return coordinator
        }
        let first = try coordinator()
        (self.url, self.type) = (url, type)
        // A store that is written whole has one owner at a time.
        second = if isShared, case .sqlite = type { try coordinator() } else { nil }
        replicas = zip([first, first, second ?? first], depths).map { Replica($0, depth: $1) }
        for replica in replicas {
            try replica.context.performAndWait { context in
                context.undoManager = UndoManager()
                // So that owners are not in memory by chance.
                context.withObjects { $0.registry.recentCount = 2 }
                try begin(context, replica)
            }
        }
    }

    func begin(_ context: isolated ManagedObjectContext, _ replica: Replica) throws {
        let request = FetchRequest<Resident>(
            \.number >= 1, sortedBy: .ascending(\.home?.number), .descending(\.number), .ascending(\.name))
        let list = context.list(request, sectionedBy: try SectionName(\.home?.number))
        list.delegate = replica.mirror
        try list.performFetch()
        var ids = list.fetchedObjectIDs[...]
        replica.mirror.sections = (list.sections ?? []).map { section in
            defer { ids = ids.dropFirst(section.numberOfObjects) }
            return Array(ids.prefix(section.numberOfObjects))
        }
        replica.list = list
    }

    /// - Returns: what went wrong, nil when all is well.
    func run(_ operations: [GraphOperation]) throws -> String? {
        for (index, operation) in operations.enumerated() {
            let replica = replicas[Int((operation.number >> 56) % 3)]
            if let failure = try perform(operation, replica) {
                return "operation \(index) (\(operation)): \(failure)"
            }
        }
        for replica in replicas { if let failure = try save(replica) { return "the last save: \(failure)" } }
        for coordinator in [replicas[0].context.persistentStoreCoordinator, second].compactMap({ $0 }) {
            let report = try coordinator.report()
            if !report.missingFiles.isEmpty { return "missing files \(report.missingFiles)" }
            if report.externalFiles != committed.rows.values.filter({ ($0.picture ?? 0) % 2 == 1 }).count {
                let isOnDisk = if case .sqlite = type { true } else { false }
                if isOnDisk { return "\(report.externalFiles) files of \(committed)" }
            }
            try coordinator.close()
        }
        return try checkFile()
    }

    func perform(_ operation: GraphOperation, _ replica: Replica) throws -> String? {
        switch operation.kind {
        case .save: return try save(replica)
        case .push: return try push(replica)
        case .batchUpdate, .batchDelete: return try batch(operation, replica)
        case .saveInCallback: return try saveInCallback(operation, replica)
        case .rollback:
            return replica.context.performAndWait { context in
                context.rollback()
                clean(replica)
                forgetPast(context, replica)
                return check(context, replica)
            }
        case .refresh:
            return replica.context.performAndWait { context in
                // Clean objects become faults; what was changed stays.
                context.refreshAllObjects()
                return check(context, replica)
            }
        case .undo, .redo:
            return replica.context.performAndWait { context in
                turnBack(isForward: operation.kind == .redo, context, replica)
                if replica.savedDepth == replica.past.count, context.hasChanges {
                    return "changes where all that came after the save was taken back"
                }
                return check(context, replica)
            }
        default:
            return replica.context.performAndWait { context in
                let (before, count) = (replica.model, context.undoManager?.count ?? 0)
                act(operation, context, replica)
                context.processPendingChanges()
                if context.undoManager?.count == count {
                    return replica.model == before
                        ? check(context, replica) : "a change that cannot be undone"
                }
                remember(before, replica)
                return check(context, replica)
            }
        }
    }

    /// A change that can be undone.
    private func remember(_ before: ReferenceModel, _ replica: Replica) {
        if let depth = replica.savedDepth, replica.past.count < depth { replica.savedDepth = nil }
        replica.past.append(before)
        replica.future = []
    }

    func turnBack(isForward: Bool, _ context: isolated ManagedObjectContext, _ replica: Replica) {
        guard let model = isForward ? replica.future.popLast() : replica.past.popLast() else { return }
        if isForward {
            replica.past.append(replica.model)
            context.redo()
        } else {
            replica.future.append(replica.model)
            context.undo()
        }
        (replica.model, replica.isSimple) = (model, false)
        let revived = context.withObjects { $0.undoLog.revived.mapValues(\.objectID) }
        for (id, known) in references.merging(replica.renewed, uniquingKeysWith: { $1 }) {
            guard let now = revived[known.current] else { continue }
            replica.renewed[id] = now
        }
    }

    func forgetPast(_ context: isolated ManagedObjectContext, _ replica: Replica) {
        context.undoManager?.removeAllActions()
        (replica.past, replica.future) = ([], [])
        replica.savedDepth = context.hasChanges ? nil : 0
    }

    func clean(_ replica: Replica) {
        (replica.model, replica.changes, replica.isSimple) = (
            replica.pushed ?? committed, [:], replica.pushed == nil
        )
    }

    /// Saves to the parent, which does not save: it has the same then, unsaved.
    func push(_ replica: Replica) throws -> String? {
        guard let parent = replica.parents.first else { return nil }
        _ = try replica.context.performAndWait { try $0.save() }
        replica.savedDepth = replica.past.count
        (replica.pushed, replica.isSimple) = (replica.model, false)
        return parent.performAndWait { context in
            check(context, replica, hasList: false).map { "in the parent: \($0)" }
        } ?? replica.context.performAndWait { context in check(context, replica) }
    }

    /// Throws away what is not saved, at every level.
    func rollback(_ replica: Replica) {
        replica.pushed = nil
        replica.renewed = [:]
        for parent in replica.parents.reversed() { parent.performAndWait { $0.rollback() } }
        for parent in replica.parents.dropLast().reversed() { parent.performAndWait { $0.reset() } }
        replica.context.performAndWait { context in
            // What a child had from its parent may be gone: it is to look again.
            replica.parents.isEmpty ? context.rollback() : context.reset()
            clean(replica)
            forgetPast(context, replica)
        }
    }

    func object<T: ManagedObject>(_ id: Int?, _ context: isolated ManagedObjectContext) -> T? {
        id.flatMap { reference($0) }.flatMap { context.object(with: $0) as? T }
    }

    /// Writes to the store past the objects: to all residents with a number, or to all of a kind.
    func batch(_ operation: GraphOperation, _ replica: Replica) throws -> String? {
        for replica in replicas { rollback(replica) }
        let number = operation.value % 4
        let note = try replica.context.performAndWait { context in
            if operation.kind == .batchUpdate {
                return try context.execute(
                    BatchUpdateRequest(
                        FetchRequest<Resident>(\.number == number),
                        propertiesToUpdate: ["number": operation.value + 1]))
            }
            return switch operation.number % 3 {
            case 0: try context.execute(BatchDeleteRequest(FetchRequest<Resident>(\.number == number)))
            case 1: try context.execute(BatchDeleteRequest(FetchRequest<Club>(\.number == number)))
            default: try context.execute(BatchDeleteRequest(FetchRequest<Thing>(\.number == number)))
            }
        }
        for (id, row) in committed.rows.sorted(by: { $0.key < $1.key }) where row.number == number {
            let isResident = row.kind == .resident || row.kind == .pupil
            if operation.kind == .batchUpdate {
                if isResident { committed.rows[id]?.number = operation.value + 1 }
            } else if operation.number % 3 == 2
                || (operation.number % 3 == 0 ? isResident : row.kind == .club)
            {
                committed.remove(id)
            }
        }
        let news = try news(note, of: replica)
        for other in replicas {
            let failure = try other.context.performAndWait { context -> String? in
                if other !== replica {
                    for parent in other.parents.reversed() {
                        try parent.performAndWait { try Self.merge(news(other), $0) }
                    }
                    try Self.merge(news(other), context)
                }
                clean(other)
                forgetPast(context, other)
                return check(context, other)
            }
            if let failure { return "after a batch: \(failure)" }
        }
        return try fresh()
    }

    /// Changes a number, inserts and deletes, and saves in the report of it.
    func saveInCallback(_ operation: GraphOperation, _ replica: Replica) throws -> String? {
        guard replica.parents.isEmpty else { return nil }
        rollbackWhatCannotBeMerged(besides: replica)
        let saved: SaveNotification? = try replica.context.performAndWait { context in
            acting = replica
            var saved: SaveNotification?, failure: (any Error)?
            replica.mirror.action = {
                do { saved = try context.assumeIsolated { try $0.save() } } catch { failure = error }
            }
            let before = replica.model
            create(Resident.self, .resident, operation, context, replica)
            if let id = operation.pick(replica.model.of(.resident, .pupil), 0),
                let it: Thing = object(id, context)
            {
                it.number = operation.value + 1
                replica.model.rows[id]?.number = operation.value + 1
            }
            context.processPendingChanges()
            replica.mirror.action = nil
            if let failure { throw failure }
            remember(before, replica)
            return saved
        }
        return try save(replica, saved: saved)
    }

    private func rollbackWhatCannotBeMerged(besides replica: Replica) {
        for other in replicas where other !== replica && !other.isSimple { rollback(other) }
    }

    /// - Parameter saved: what was saved already, in a callback.
    func save(_ replica: Replica, saved: SaveNotification? = nil) throws -> String? {
        // What cannot be merged by hand is thrown away on the other sides, before it could be.
        rollbackWhatCannotBeMerged(besides: replica)
        var note = try saved ?? replica.context.performAndWait { try $0.save() }
        for parent in replica.parents { note = try parent.performAndWait { try $0.save() } }
        replica.pushed = nil
        replica.savedDepth = replica.past.count
        references.merge(replica.renewed) { $1 }
        replica.renewed = [:]
        let news = try news(note, of: replica), before = committed
        committed = replica.model
        clean(replica)
        for other in replicas where other !== replica {
            for parent in other.parents.reversed() {
                try parent.performAndWait { try Self.merge(news(other), $0) }
            }
            let failure = try other.context.performAndWait { context -> String? in
                try Self.merge(news(other), context)
                other.model = merged(other, before)
                forgetPast(context, other)
                return check(context, other)
            }
            if let failure { return "after a merge: \(failure)" }
        }
        return try replica.context.performAndWait { context in check(context, replica) } ?? fresh()
    }

    /// What a save did, as it comes to the contexts of its own stack and of the other one.
    private enum News {
        case note(SaveNotification)
        case history(ChangesByOthers)
    }

    /// Where the store keeps a history the other stack learns it from there, else as the same note.
    private func news(_ note: SaveNotification, of replica: Replica) throws -> @Sendable (Replica) -> News {
        let home = replica.context.persistentStoreCoordinator
        let other = home === second ? replicas[0].context.persistentStoreCoordinator : second
        let history = keepsHistory ? try other?.changesByOthers() : nil
        return { replica in
            guard let history, replica.context.persistentStoreCoordinator !== home else { return .note(note) }
            return .history(history)
        }
    }

    private static func merge(_ news: News, _ context: isolated ManagedObjectContext) throws {
        switch news {
        case .note(let note): try context.mergeChanges(from: note)
        case .history(let history): try context.mergeChanges(byOthers: history)
        }
    }

    /// What was committed, with the other side's own changes on top.
    func merged(_ replica: Replica, _ before: ReferenceModel) -> ReferenceModel {
        var model = committed
        for (id, names) in replica.changes {
            guard model.rows[id] != nil, let mine = replica.model.rows[id] else {
                replica.changes[id] = nil
                continue
            }
            // What was set to what it was is no change.
            let was = before.rows[id]
            if names.contains("number"), mine.number != was?.number { model.rows[id]?.number = mine.number }
            let home = mine.home.flatMap { model.rows[$0] == nil ? nil : $0 }
            let boss = mine.boss.flatMap { model.rows[$0] == nil ? nil : $0 }
            // One that led to what is gone leads nowhere; when it led nowhere before, it was no change.
            if names.contains("home"), home != was?.home { model.rows[id]?.home = home }
            if names.contains("boss"), boss != was?.boss { model.rows[id]?.boss = boss }
        }
        return model
    }

    /// What another context finds in the store.
    func fresh() throws -> String? {
        let replica = Replica(second ?? replicas[0].context.persistentStoreCoordinator)
        replica.model = committed
        return try replica.context.performAndWait { context in
            try begin(context, replica)
            return check(context, replica).map { "in a fresh context: \($0)" }
        }
    }
}
