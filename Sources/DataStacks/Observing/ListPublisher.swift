public import ManagedObjects
public import Observation
import Synchronization

/// A list as a value that changes: the newest snapshot, on any thread, and a stream of them. Ends when it and
/// its streams are released.
public final class ListPublisher<Object: ManagedObject>: Sendable, Observable {
    private let monitor: ListMonitor<Object>
    private let registrar = ObservationRegistrar()
    private let state: Mutex<State>

    private struct State {
        var snapshot: ListSnapshot<Object>
        var streams: [Int: AsyncStream<ListSnapshot<Object>>.Continuation] = [:]
        var nextStream = 0
    }

    init(_ monitor: ListMonitor<Object>) {
        self.monitor = monitor
        state = Mutex(State(snapshot: monitor.snapshot))
        monitor.watcher.withValue { watcher in
            watcher.didChange = { [weak self, unowned watcher] batch in self?.apply(batch, watcher) }
            // Changes between the two.
            apply(nil, watcher)
        }
    }

    /// The list as it is now. Other observations than a program's own: see `withObservationTracking`.
    public var snapshot: ListSnapshot<Object> {
        registrar.access(self, keyPath: \.snapshot)
        return state.withLock { $0.snapshot }
    }

    /// The list now, and after each step: a reader that is slow gets the newest state, and misses some
    /// between. The publisher lives as long as a stream of it is read.
    public var snapshots: AsyncStream<ListSnapshot<Object>> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ListSnapshot<Object>.self, bufferingPolicy: .bufferingNewest(1))
        // Together, or a step between the two would be overtaken by the state before it.
        let number = state.withLock { state in
            let number = state.nextStream
            state.nextStream += 1
            state.streams[number] = continuation
            continuation.yield(state.snapshot)
            return number
        }
        continuation.onTermination = { [self] _ in
            _ = state.withLock { $0.streams.removeValue(forKey: number) }
        }
        return stream
    }

    /// On the reader's queue.
    private func apply(_ batch: FetchedResultsBatch?, _ watcher: ListWatcher<Object>) {
        let old = state.withLock { $0.snapshot }
        let generation = watcher.generation
        var updates = old.updates.suffix(ListSnapshot<Object>.remembered - 1)
        if let batch {
            let changed = batch.changes.compactMap { change in
                switch change {
                case .update(let id, _, _), .move(let id, _, _): id
                case .insert, .delete: nil
                }
            }
            updates.append(.init(generation: generation, ids: Set(changed)))
        } else {
            // The objects that a refetch changed are not known.
            updates = []
        }
        let new = ListSnapshot(watcher, updates: Array(updates))
        registrar.withMutation(of: self, keyPath: \.snapshot) {
            let streams = state.withLock { state in
                state.snapshot = new
                return Array(state.streams.values)
            }
            for stream in streams { stream.yield(new) }
        }
    }
}

extension DataStack {
    /// A publisher of the objects that match. Throws as `monitorList`.
    public func publishList<Object: ManagedObject>(
        _ from: From<Object>, _ clauses: any FetchClause<Object>...
    ) throws(StackError) -> ListPublisher<Object> {
        ListPublisher(try monitor(from, from.sectioning, clauses))
    }

    /// A publisher of the objects that match, in sections. Throws as `monitorSectionedList`.
    public func publishList<Object: ManagedObject>(
        _ from: From<Object>, _ section: SectionBy<Object>, _ clauses: any FetchClause<Object>...
    ) throws(StackError) -> ListPublisher<Object> { ListPublisher(try monitor(from, section, clauses)) }
}
