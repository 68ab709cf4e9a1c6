/// Turns what a list does into rows, on the list's queue.
final class ListFollower<Object: ManagedObject, Row: Sendable>: FetchedResultsControllerDelegate {
    private let list: FetchedResultsController<Object>
    private let row: (Object) -> Row
    private let send: (ListChanges<Row>) -> Void
    private unowned let core: ContextCore
    private var generation: UInt64 = 0
    /// Rows of objects that are about to be deleted.
    private var doomed: [ManagedObjectID: Row] = [:]
    private(set) var isEnded = false

    init(
        _ list: FetchedResultsController<Object>, _ core: ContextCore, as row: @escaping (Object) -> Row,
        send: @escaping (ListChanges<Row>) -> Void
    ) throws {
        (self.list, self.core, self.row, self.send) = (list, core, row, send)
        try list.performFetch()
        list.delegate = self
    }

    func sendAll() {
        send(
            ListChanges(
                generation: generation, sections: [], changes: [.reload(list.fetchedObjects.map(row))]))
    }

    func end() {
        isEnded = true
        list.delegate = nil
    }

    /// While the rows can still be read.
    func prepareForDeletion(of ids: [ManagedObjectID]) {
        for id in ids where list.indexPath(for: id) != nil {
            if let object = core.object(id) as? Object { doomed[id] = row(object) }
        }
    }

    func controller(_ controller: FetchedResultsController<Object>, didChange batch: FetchedResultsBatch) {
        let changes = batch.changes.compactMap(change)
        doomed = [:]
        generation += 1
        send(ListChanges(generation: generation, sections: batch.sections, changes: changes))
    }

    private func change(_ change: FetchedResultsChange) -> ListChanges<Row>.Change? {
        let id = change.objectID
        if case .delete(_, let place) = change {
            return .delete(doomed[id] ?? (core.object(id) as? Object).map(row), id, at: place)
        }
        guard let object = core.object(id) as? Object else { return nil }
        return switch change {
        case .insert(_, let place): .insert(row(object), id, at: place)
        case .update(_, let old, let new): .update(row(object), id, at: old, to: new)
        case .move(_, let old, let new): .move(row(object), id, from: old, to: new)
        case .delete: nil
        }
    }
}

/// Ends when it is released: nothing more is reported then.
public final class ListObservation: Sendable {
    private let stop: @Sendable () -> Void
    init(_ stop: @escaping @Sendable () -> Void) { self.stop = stop }
    deinit { stop() }
}

/// What a context keeps for a reader elsewhere.
protocol KeptList: AnyObject {
    func prepareForDeletion(of ids: [ManagedObjectID])
    func end()
}

extension ListFollower: KeptList {}

extension ManagedObjectContext {
    /// Reports what a list does to a reader anywhere, at once: `handler` runs on this context's queue before the
    /// call that changed the list returns. Nothing is left out, however long it takes.
    ///
    /// - Parameters:
    ///   - row: makes what the reader gets from an object, on the context's queue.
    ///   - handler: must not enter this context.
    /// - Returns: what keeps the report going.
    /// - Throws: as ``FetchedResultsController/performFetch()``.
    public func observe<Object: ManagedObject, Row: Sendable>(
        _ request: FetchRequest<Object>, sectionedBy sectionName: SectionName<Object>? = nil,
        as row: @escaping @Sendable (Object) -> Row, handler: @escaping @Sendable (ListChanges<Row>) -> Void
    ) throws -> ListObservation {
        let follower = try withObjects { core in
            let list = FetchedResultsController(request, sectionedBy: sectionName, core)
            let follower = try ListFollower(list, core, as: row, send: handler)
            core.kept.append(follower)
            return ObjectIdentifier(follower)
        }
        return ListObservation { [weak self] in
            self?.executor.async { [weak self] in
                self?.assumeIsolated { context in
                    context.withObjects { core in
                        core.kept.removeAll { kept in
                            guard ObjectIdentifier(kept) == follower else { return false }
                            (kept as? any KeptList)?.end()
                            return true
                        }
                    }
                }
            }
        }
    }

    /// What happens to the objects that match, for readers on any queue: values, not objects.
    ///
    /// Every call gives a stream of its own, since an `AsyncStream` has one reader. The first batch is a reload.
    /// A reader that sleeps through 64 batches misses the oldest, and sees that by a gap in the generations.
    ///
    /// - Throws: as ``FetchedResultsController/performFetch()``.
    public func changes<Object: ManagedObject, Row: Sendable>(
        of request: FetchRequest<Object>, as row: @escaping @Sendable (Object) -> Row
    ) throws -> AsyncStream<ListChanges<Row>> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ListChanges<Row>.self, bufferingPolicy: .bufferingNewest(64))
        try withObjects { core in
            let list = FetchedResultsController(request, sectionedBy: nil, core)
            let follower = try ListFollower(list, core, as: row) { _ = continuation.yield($0) }
            core.kept.append(follower)
            follower.sendAll()
        }
        return stream
    }

    /// Says that these rows are about to be deleted by another context, so that reports can still tell what they
    /// held.
    package func prepareForDeletion(of ids: [ManagedObjectID]) {
        withObjects { core in
            for list in core.kept { (list as? any KeptList)?.prepareForDeletion(of: ids) }
        }
    }
}
