import Foundation
import ManagedObjects
import Synchronization

/// How many lists were made.
private let listCount = Atomic<UInt64>(0)

/// The part of a list's monitor that lives on the reader's queue.
final class ListWatcher<Object: ManagedObject>: FetchedResultsControllerDelegate, KeptList {
    let list: FetchedResultsController<Object>
    /// Tells this list from others.
    let number = listCount.add(1, ordering: .relaxed).newValue
    /// Counts steps and refetches.
    private(set) var generation: UInt64 = 0
    private unowned let core: ContextCore
    weak var monitor: ListMonitor<Object>?
    var observers = ObserverList<Listener>()
    /// Called after each step and refetch.
    var didChange: ((FetchedResultsBatch?) -> Void)?
    /// Objects that are about to be deleted, while their rows can still be read.
    private var doomed: [ManagedObjectID: Object] = [:]
    /// The observers of the step that is being told; nil between steps.
    private var listeners: [Listener]?
    /// Clauses of a refetch that was asked for in a step.
    private var refetch: FetchRequest<Object>?
    private let failed: (any Error) -> Void

    init(
        _ list: FetchedResultsController<Object>, _ core: ContextCore, failed: @escaping (any Error) -> Void
    ) throws {
        (self.list, self.core, self.failed) = (list, core, failed)
        try list.performFetch()
        list.delegate = self
    }

    /// An observer by its level: it hears what that level hears and nothing more.
    final class Listener {
        private enum Level {
            case changes(any ListObserver<Object>)
            case objects(any ListObjectObserver<Object>)
            case sections(any ListSectionObserver<Object>)
        }

        private let level: Level
        init(_ observer: any ListObserver<Object>) { level = .changes(observer) }
        init(_ observer: any ListObjectObserver<Object>) { level = .objects(observer) }
        init(_ observer: any ListSectionObserver<Object>) { level = .sections(observer) }

        var observer: any ListObserver<Object> {
            switch level {
            case .changes(let observer): observer
            case .objects(let observer): observer
            case .sections(let observer): observer
            }
        }

        var objects: (any ListObjectObserver<Object>)? {
            switch level {
            case .changes: nil
            case .objects(let observer): observer
            case .sections(let observer): observer
            }
        }

        var sections: (any ListSectionObserver<Object>)? {
            if case .sections(let observer) = level { observer } else { nil }
        }
    }

    // MARK: Steps

    func prepareForDeletion(of ids: [ManagedObjectID]) {
        for id in ids where list.indexPath(for: id) != nil {
            guard let object = core.object(id) as? Object else { continue }
            if object.isFault { try? object.fire() }
            doomed[id] = object
        }
    }

    func end() { list.delegate = nil }

    func controllerWillChangeContent(_ controller: FetchedResultsController<Object>) {
        guard let monitor else { return }
        let all = observers.all
        listeners = all
        for listener in all { listener.observer.listMonitorWillChange(monitor) }
    }

    func controller(_ controller: FetchedResultsController<Object>, didChange batch: FetchedResultsBatch) {
        if let monitor, let listeners {
            for case .insert(let name, let index) in batch.sections {
                for listener in listeners {
                    listener.sections?.listMonitor(monitor, didInsertSection: name, toSectionIndex: index)
                }
            }
            for change in batch.changes { tell(change, monitor, listeners.compactMap(\.objects)) }
            for case .delete(let name, let index) in batch.sections {
                for listener in listeners {
                    listener.sections?.listMonitor(monitor, didDeleteSection: name, fromSectionIndex: index)
                }
            }
        }
        doomed = [:]
        generation += 1
        didChange?(batch)
    }

    private func tell(
        _ change: FetchedResultsChange, _ monitor: ListMonitor<Object>,
        _ listeners: [any ListObjectObserver<Object>]
    ) {
        if listeners.isEmpty { return }
        let id = change.objectID
        switch change {
        case .insert(_, let new):
            guard let object = list.object(at: new) else { return }
            for one in listeners { one.listMonitor(monitor, didInsertObject: object, toIndexPath: new) }
        case .delete(_, let old):
            guard let object = doomed[id] ?? core.goneObject(id) as? Object else { return }
            for one in listeners { one.listMonitor(monitor, didDeleteObject: object, fromIndexPath: old) }
        case .update(_, let old, let new):
            guard let object = list.object(at: new) else { return }
            for one in listeners { one.listMonitor(monitor, didUpdateObject: object, atIndexPath: old) }
        case .move(_, let old, let new):
            guard let object = list.object(at: new) else { return }
            for one in listeners {
                one.listMonitor(monitor, didMoveObject: object, fromIndexPath: old, toIndexPath: new)
            }
        }
    }

    func controllerDidChangeContent(_ controller: FetchedResultsController<Object>) {
        if let monitor, let listeners {
            for listener in listeners { listener.observer.listMonitorDidChange(monitor) }
        }
        listeners = nil
        readWaiting()
    }

    func controller(_ controller: FetchedResultsController<Object>, didFailWith error: any Error) {
        failed(error)
    }

    /// Reads the list anew. In a step or another refetch it is read behind that.
    func refetch(_ request: FetchRequest<Object>) throws {
        if listeners != nil { return refetch = request }
        defer { readWaiting() }
        try readAnew(request)
    }

    private func readWaiting() {
        while let request = refetch {
            refetch = nil
            do { try readAnew(request) } catch { failed(error) }
        }
    }

    private func readAnew(_ request: FetchRequest<Object>) throws {
        guard let monitor else { return }
        let all = observers.all, before = list.fetchRequest
        listeners = all
        defer {
            for listener in all { listener.observer.listMonitorDidRefetch(monitor) }
            listeners = nil
        }
        for listener in all { listener.observer.listMonitorWillRefetch(monitor) }
        list.fetchRequest = request
        do { try list.performFetch() } catch {
            list.fetchRequest = before
            throw error
        }
        generation += 1
        didChange?(nil)
    }
}
