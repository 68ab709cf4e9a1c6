import Foundation

@testable import ManagedObjects

/// Does the same to a context and to a ``ReferenceModel``, and compares.
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
        var town = ReferenceModel()
        /// What was set since the last save, when it was values and keys alone: those can be merged by hand.
        var changes: [Int: Set<String>] = [:]
        var isSimple = true
        var list: FetchedResultsController<Resident>?
        let mirror = Mirror()
        /// What undo leads back to, and redo forward to.
        var past: [ReferenceModel] = [], future: [ReferenceModel] = []
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
            for case .delete(let id, let place) in batch.changes where at(place) != id.current {
                failure = "delete of \(id) at \(place), where \(at(place).map { "\($0)" } ?? "nothing") is"
            }
            sections = batch.applied(to: sections)
            let now = action
            action = nil
            now?()
        }
        func controller(_ list: FetchedResultsController<Resident>, didFailWith error: any Error) {
            failure = "the list failed: \(error)"
        }
        func at(_ place: IndexPath) -> ManagedObjectID? {
            sections.indices.contains(place.section) && sections[place.section].indices.contains(place.row)
                ? sections[place.section][place.row].current : nil
        }
    }

    var sides: [Replica]
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
        let model = try townModel()
        func coordinator() throws -> PersistentStoreCoordinator {
            let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
            try coordinator.addPersistentStore(ofType: type, at: url, keepsHistory: keepsHistory)
            return coordinator
        }
        let first = try coordinator()
        (self.url, self.type) = (url, type)
        // A store that is written whole has one owner at a time.
        second = if isShared, case .sqlite = type { try coordinator() } else { nil }
        sides = zip([first, first, second ?? first], depths).map { Replica($0, depth: $1) }
        for side in sides {
            try side.context.performAndWait { context in
                context.undoManager = UndoManager()
                // So that owners are not in memory by chance.
                context.withObjects { $0.registry.recentCount = 2 }
                try begin(context, side)
            }
        }
    }

    func begin(_ context: isolated ManagedObjectContext, _ side: Replica) throws {
        let request = FetchRequest<Resident>(
            \.number >= 1, sortedBy: .ascending(\.home?.number), .descending(\.number), .ascending(\.name))
        let list = context.list(request, sectionedBy: try SectionName(\.home?.number))
        list.delegate = side.mirror
        try list.performFetch()
        var ids = list.fetchedObjectIDs[...]
        side.mirror.sections = (list.sections ?? []).map { section in
            defer { ids = ids.dropFirst(section.numberOfObjects) }
            return Array(ids.prefix(section.numberOfObjects))
        }
        side.list = list
    }

    /// - Returns: what went wrong, nil when all is well.
    func run(_ deeds: [GraphOperation]) throws -> String? {
        for (place, deed) in deeds.enumerated() {
            let side = sides[Int((deed.number >> 56) % 3)]
            if let failure = try perform(deed, side) { return "deed \(place) (\(deed)): \(failure)" }
        }
        for side in sides { if let failure = try save(side) { return "the last save: \(failure)" } }
        for coordinator in [sides[0].context.persistentStoreCoordinator, second].compactMap({ $0 }) {
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

    func perform(_ deed: GraphOperation, _ side: Replica) throws -> String? {
        switch deed.what {
        case 22, 23: return try save(side)
        case 31: return try push(side)
        case 32, 33: return try batch(deed, side)
        case 36: return try saveInCallback(deed, side)
        case 24:
            return side.context.performAndWait { context in
                context.rollback()
                clean(side)
                forgetPast(context, side)
                return check(context, side)
            }
        case 25:
            return side.context.performAndWait { context in
                // Clean objects become faults; what was changed stays.
                context.refreshAllObjects()
                return check(context, side)
            }
        case 27, 28, 29, 30:
            return side.context.performAndWait { context in
                turnBack(isForward: deed.what == 30, context, side)
                return check(context, side)
            }
        default:
            return side.context.performAndWait { context in
                let (before, count) = (side.town, context.undoManager?.count ?? 0)
                act(deed, context, side)
                context.processPendingChanges()
                if context.undoManager?.count == count {
                    return side.town == before ? check(context, side) : "a change that cannot be undone"
                }
                side.past.append(before)
                side.future = []
                return check(context, side)
            }
        }
    }

    func turnBack(isForward: Bool, _ context: isolated ManagedObjectContext, _ side: Replica) {
        guard let town = isForward ? side.future.popLast() : side.past.popLast() else { return }
        if isForward {
            side.past.append(side.town)
            context.redo()
        } else {
            side.future.append(side.town)
            context.undo()
        }
        (side.town, side.isSimple) = (town, false)
        let revived = context.withObjects { $0.undoLog.revived.mapValues(\.objectID) }
        for (id, known) in references.merging(side.renewed, uniquingKeysWith: { $1 }) {
            guard let now = revived[known.current] else { continue }
            side.renewed[id] = now
        }
    }

    func forgetPast(_ context: isolated ManagedObjectContext, _ side: Replica) {
        context.undoManager?.removeAllActions()
        (side.past, side.future) = ([], [])
    }

    func clean(_ side: Replica) {
        (side.town, side.changes, side.isSimple) = (side.pushed ?? committed, [:], side.pushed == nil)
    }

    /// Saves to the parent, which does not save: it has the same then, unsaved.
    func push(_ side: Replica) throws -> String? {
        guard let parent = side.parents.first else { return nil }
        _ = try side.context.performAndWait { try $0.save() }
        (side.pushed, side.isSimple) = (side.town, false)
        return parent.performAndWait { context in
            check(context, side, hasList: false).map { "in the parent: \($0)" }
        } ?? side.context.performAndWait { context in check(context, side) }
    }

    /// Throws away what is not saved, at every level.
    func rollback(_ side: Replica) {
        side.pushed = nil
        side.renewed = [:]
        for parent in side.parents.reversed() { parent.performAndWait { $0.rollback() } }
        for parent in side.parents.dropLast().reversed() { parent.performAndWait { $0.reset() } }
        side.context.performAndWait { context in
            // What a child had from its parent may be gone: it is to look again.
            side.parents.isEmpty ? context.rollback() : context.reset()
            clean(side)
            forgetPast(context, side)
        }
    }

    func object<T: ManagedObject>(_ id: Int?, _ context: isolated ManagedObjectContext) -> T? {
        id.flatMap { reference($0) }.flatMap { context.object(with: $0) as? T }
    }

    /// Writes to the store past the objects: to all residents with a number, or to all of a kind.
    func batch(_ deed: GraphOperation, _ side: Replica) throws -> String? {
        for side in sides { rollback(side) }
        let number = deed.value % 4
        let note = try side.context.performAndWait { context in
            if deed.what == 32 {
                return try context.execute(
                    BatchUpdateRequest(
                        FetchRequest<Resident>(\.number == number),
                        propertiesToUpdate: ["number": deed.value + 1]))
            }
            return switch deed.number % 3 {
            case 0: try context.execute(BatchDeleteRequest(FetchRequest<Resident>(\.number == number)))
            case 1: try context.execute(BatchDeleteRequest(FetchRequest<Club>(\.number == number)))
            default: try context.execute(BatchDeleteRequest(FetchRequest<Thing>(\.number == number)))
            }
        }
        for (id, row) in committed.rows.sorted(by: { $0.key < $1.key }) where row.number == number {
            let isResident = row.kind == .resident || row.kind == .pupil
            if deed.what == 32 {
                if isResident { committed.rows[id]?.number = deed.value + 1 }
            } else if deed.number % 3 == 2 || (deed.number % 3 == 0 ? isResident : row.kind == .club) {
                committed.remove(id)
            }
        }
        let news = try news(note, of: side)
        for other in sides {
            let failure = try other.context.performAndWait { context -> String? in
                if other !== side {
                    for parent in other.parents.reversed() {
                        try parent.performAndWait { try Self.take(news(other), $0) }
                    }
                    try Self.take(news(other), context)
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
    func saveInCallback(_ deed: GraphOperation, _ side: Replica) throws -> String? {
        guard side.parents.isEmpty else { return nil }
        rollbackWhatCannotBeMerged(besides: side)
        let saved: SaveNotification? = try side.context.performAndWait { context in
            acting = side
            var saved: SaveNotification?, failure: (any Error)?
            side.mirror.action = {
                do { saved = try context.assumeIsolated { try $0.save() } } catch { failure = error }
            }
            let before = side.town
            create(Resident.self, .resident, deed, context, side)
            if let id = deed.pick(side.town.of(.resident, .pupil), 0), let it: Thing = object(id, context) {
                it.number = deed.value + 1
                side.town.rows[id]?.number = deed.value + 1
            }
            context.processPendingChanges()
            side.mirror.action = nil
            if let failure { throw failure }
            side.past.append(before)
            side.future = []
            return saved
        }
        return try save(side, saved: saved)
    }

    private func rollbackWhatCannotBeMerged(besides side: Replica) {
        for other in sides where other !== side && !other.isSimple { rollback(other) }
    }

    /// - Parameter saved: what was saved already, in a callback.
    func save(_ side: Replica, saved: SaveNotification? = nil) throws -> String? {
        // What cannot be merged by hand is thrown away on the other sides, before it could be.
        rollbackWhatCannotBeMerged(besides: side)
        var note = try saved ?? side.context.performAndWait { try $0.save() }
        for parent in side.parents { note = try parent.performAndWait { try $0.save() } }
        side.pushed = nil
        references.merge(side.renewed) { $1 }
        side.renewed = [:]
        let news = try news(note, of: side), before = committed
        committed = side.town
        clean(side)
        for other in sides where other !== side {
            for parent in other.parents.reversed() {
                try parent.performAndWait { try Self.take(news(other), $0) }
            }
            let failure = try other.context.performAndWait { context -> String? in
                try Self.take(news(other), context)
                other.town = merged(other, before)
                forgetPast(context, other)
                return check(context, other)
            }
            if let failure { return "after a merge: \(failure)" }
        }
        return try side.context.performAndWait { context in check(context, side) } ?? fresh()
    }

    /// What a save did, as it comes to the contexts of its own stack and of the other one.
    private enum News {
        case note(SaveNotification)
        case history(ChangesByOthers)
    }

    /// Where the store keeps a history the other stack learns it from there, else as the same note.
    private func news(_ note: SaveNotification, of side: Replica) throws -> @Sendable (Replica) -> News {
        let home = side.context.persistentStoreCoordinator
        let other = home === second ? sides[0].context.persistentStoreCoordinator : second
        let history = keepsHistory ? try other?.changesByOthers() : nil
        return { side in
            guard let history, side.context.persistentStoreCoordinator !== home else { return .note(note) }
            return .history(history)
        }
    }

    private static func take(_ news: News, _ context: isolated ManagedObjectContext) throws {
        switch news {
        case .note(let note): try context.mergeChanges(from: note)
        case .history(let history): try context.mergeChanges(byOthers: history)
        }
    }

    /// What was committed, with the other side's own changes on top.
    func merged(_ side: Replica, _ before: ReferenceModel) -> ReferenceModel {
        var town = committed
        for (id, names) in side.changes {
            guard town.rows[id] != nil, let mine = side.town.rows[id] else {
                side.changes[id] = nil
                continue
            }
            // What was set to what it was is no change.
            let was = before.rows[id]
            if names.contains("number"), mine.number != was?.number { town.rows[id]?.number = mine.number }
            let home = mine.home.flatMap { town.rows[$0] == nil ? nil : $0 }
            let boss = mine.boss.flatMap { town.rows[$0] == nil ? nil : $0 }
            // One that led to what is gone leads nowhere; when it led nowhere before, it was no change.
            if names.contains("home"), home != was?.home { town.rows[id]?.home = home }
            if names.contains("boss"), boss != was?.boss { town.rows[id]?.boss = boss }
        }
        return town
    }

    /// What another context finds in the store.
    func fresh() throws -> String? {
        let side = Replica(second ?? sides[0].context.persistentStoreCoordinator)
        side.town = committed
        return try side.context.performAndWait { context in
            try begin(context, side)
            return check(context, side).map { "in a fresh context: \($0)" }
        }
    }
}
