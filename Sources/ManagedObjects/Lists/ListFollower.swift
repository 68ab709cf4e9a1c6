/// Turns what a list does into rows, on the list's queue.
final class ListFollower<Object: ManagedObject, Row: Sendable>: FetchedResultsControllerDelegate {
    private let list: FetchedResultsController<Object>
    private let row: (Object) -> Row
    private let send: (ListChanges<Row>) -> Void
    private unowned let core: ContextCore
    private var generation: UInt64 = 0
    /// Rows of objects that are about to be deleted.
    private var doomed: [ManagedObjectID: Row] = [:]

    init(
        _ list: FetchedResultsController<Object>, _ core: ContextCore, as row: @escaping (Object) -> Row,
        send: @escaping (ListChanges<Row>) -> Void
    ) throws {
        (self.list, self.core, self.row, self.send) = (list, core, row, send)
        try list.performFetch()
        list.delegate = self
    }

    /// The whole list, as the batch that it is at.
    var reload: ListChanges<Row> {
        ListChanges(generation: generation, sections: [], changes: [.reload(list.fetchedObjects.map(row))])
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
        if case .delete(_, let index) = change {
            // An object that only left the list still exists.
            return .delete(
                doomed[id] ?? (core.registry.object(id) as? Object).flatMap(readable), id, at: index)
        }
        guard let object = core.registry.fault(id) as? Object else { return nil }
        return switch change {
        case .insert(_, let index): .insert(row(object), id, at: index)
        case .update(_, let old, let new): .update(row(object), id, at: old, to: new)
        case .move(_, let old, let new): .move(row(object), id, from: old, to: new)
        case .delete: nil
        }
    }

    private func readable(_ object: Object) -> Row? {
        object.values.isEmpty && object.isGone ? nil : row(object)
    }
}

/// A list at the moment its observation begins.
public struct ListStart: Sendable, Equatable {
    public struct Section: Sendable, Equatable {
        public let name: String
        public let count: Int
    }

    /// In the list's order.
    public let objectIDs: [ManagedObjectID]
    /// In the list's order; one without a name in a list without sections.
    public let sections: [Section]
}

/// Ends when it is released: nothing more is reported then.
public final class ListObservation: Sendable {
    private let stop: @Sendable () -> Void
    init(_ stop: @escaping @Sendable () -> Void) { self.stop = stop }
    deinit { stop() }
}

extension ListFollower: KeptList {
    func end() { list.delegate = nil }
}

extension ManagedObjectContext {
    /// Reports what a list does to a reader anywhere, at once: `handler` runs on this context's queue before
    /// the call that changed the list returns. Nothing is left out, however long it takes.
    ///
    /// - Parameters:
    ///   - request: the objects to fetch, and their order.
    ///   - sectionName: the names of sections; nil for a list without.
    ///   - row: makes what the reader gets from an object, on the context's queue.
    ///   - handler: must not enter this context.
    /// - Returns: what keeps the report going.
    /// - Throws: as ``FetchedResultsController/performFetch()``.
    public func observe<Object: ManagedObject, Row: Sendable>(
        _ request: FetchRequest<Object>, sectionedBy sectionName: SectionName<Object>? = nil,
        as row: @escaping @Sendable (Object) -> Row, handler: @escaping @Sendable (ListChanges<Row>) -> Void
    ) throws -> ListObservation {
        try observeFromStart(request, sectionedBy: sectionName, as: row, handler: handler).observation
    }

    /// Like ``observe(_:sectionedBy:as:handler:)``, and returns the list that the first batch will change: a
    /// list fetched before or after the call may be another.
    public func observeFromStart<Object: ManagedObject, Row: Sendable>(
        _ request: FetchRequest<Object>, sectionedBy sectionName: SectionName<Object>? = nil,
        as row: @escaping @Sendable (Object) -> Row, handler: @escaping @Sendable (ListChanges<Row>) -> Void
    ) throws -> (observation: ListObservation, start: ListStart) {
        let (follower, start) = try withObjects { core in
            let list = FetchedResultsController(request, sectionedBy: sectionName, core)
            let follower = try ListFollower(list, core, as: row, send: handler)
            core.kept.append(follower)
            let sections = (list.sections ?? []).map {
                ListStart.Section(name: $0.name, count: $0.numberOfObjects)
            }
            return (
                ObjectIdentifier(follower),
                ListStart(objectIDs: list.fetchedObjectIDs, sections: sections)
            )
        }
        return (ListObservation { [weak self] in self?.endFollower(follower) }, start)
    }

    /// Lets go of a list that was kept for a reader. Any thread may call.
    private nonisolated func endFollower(_ follower: ObjectIdentifier) {
        executor.async { [weak self] in
            self?.assumeIsolated { context in
                context.withObjects { core in
                    core.kept.removeAll { kept in
                        guard ObjectIdentifier(kept) == follower else { return false }
                        kept.end()
                        return true
                    }
                }
            }
        }
    }

    /// A stream of changes of the objects that match, for readers on any queue: values, not objects.
    ///
    /// Every call gives a stream of its own, since an `AsyncStream` has one reader. The first batch is a
    /// reload. A reader that sleeps through more than 64 batches misses the oldest: it sees a gap in the
    /// generations, and what comes next in the stream may not fit until a reload, which is among the 64 that
    /// follow. The list is let go when the reader ends.
    ///
    /// - Parameters:
    ///   - request: the objects to fetch, and their order.
    ///   - sectionName: what the list is divided by; nil for one section.
    ///   - row: the values of the row by property name.
    /// - Throws: as ``FetchedResultsController/performFetch()``.
    public func changes<Object: ManagedObject, Row: Sendable>(
        of request: FetchRequest<Object>, sectionedBy sectionName: SectionName<Object>? = nil,
        as row: @escaping @Sendable (Object) -> Row
    ) throws -> AsyncStream<ListChanges<Row>> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ListChanges<Row>.self, bufferingPolicy: .bufferingNewest(ListStream<Row>.depth))
        let follower = try withObjects { core in
            let list = FetchedResultsController(request, sectionedBy: sectionName, core)
            let sender = ListStream(continuation)
            let follower = try ListFollower(list, core, as: row) { sender.send($0) }
            sender.reload = { [unowned follower] in follower.reload }
            core.kept.append(follower)
            sender.send(follower.reload)
            return ObjectIdentifier(follower)
        }
        continuation.onTermination = { [weak self] _ in self?.endFollower(follower) }
        return stream
    }

    /// Says that these rows are about to be deleted by another context, so that reports can still tell what
    /// they held.
    package func prepareForDeletion(of ids: [ManagedObjectID]) {
        withObjects { core in
            for list in core.kept { list.prepareForDeletion(of: ids) }
        }
    }
}

/// The sending end of a stream whose reader may fall behind.
private final class ListStream<Row: Sendable> {
    static var depth: Int { 64 }
    private let continuation: AsyncStream<ListChanges<Row>>.Continuation
    var reload: (() -> ListChanges<Row>)?
    /// How many batches followed the last reload that was sent to a reader who had missed some.
    private var sinceReload: Int?

    init(_ continuation: AsyncStream<ListChanges<Row>>.Continuation) { self.continuation = continuation }

    func send(_ changes: ListChanges<Row>) {
        let result = continuation.yield(changes)
        guard case .dropped = result else { return sinceReload = nil }
        // A reload is in the buffer still, with what came after it.
        if let sinceReload, sinceReload < Self.depth - 2 { return self.sinceReload = sinceReload + 1 }
        guard let reload else { return }
        _ = continuation.yield(reload())
        sinceReload = 0
    }
}
