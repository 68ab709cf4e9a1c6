public import Foundation
public import ManagedObjects

/// Told when a list changes, on the queue of the stack's reader: it must not wait for a transaction there.
/// Every method has an empty default. What an observer adds, removes or refetches while it is told holds from
/// the next step on.
///
/// In one step observers hear that the list will change, of the sections that come, of the objects, of the
/// sections that go, and that it has changed: each event goes to all before the next one comes.
///
/// - Source: CoreStore's protocol of this name.
public protocol ListObserver<Object>: AnyObject, Sendable {
    associatedtype Object: ManagedObject
    /// The list is about to change; it still is as it was.
    func listMonitorWillChange(_ monitor: ListMonitor<Object>)
    /// The list has changed, and all of it was told.
    func listMonitorDidChange(_ monitor: ListMonitor<Object>)
    /// The list is about to be read anew for other clauses.
    func listMonitorWillRefetch(_ monitor: ListMonitor<Object>)
    /// The list was read anew; when that failed it is as it was.
    func listMonitorDidRefetch(_ monitor: ListMonitor<Object>)
}

extension ListObserver {
    /// Does nothing.
    public func listMonitorWillChange(_ monitor: ListMonitor<Object>) {}
    /// Does nothing.
    public func listMonitorDidChange(_ monitor: ListMonitor<Object>) {}
    /// Does nothing.
    public func listMonitorWillRefetch(_ monitor: ListMonitor<Object>) {}
    /// Does nothing.
    public func listMonitorDidRefetch(_ monitor: ListMonitor<Object>) {}
}

/// Told what becomes of each object of a list. Indexes of objects that go, move away, or are updated are
/// those before the step; indexes of objects that come or move there are those after it.
public protocol ListObjectObserver<Object>: ListObserver {
    func listMonitor(
        _ monitor: ListMonitor<Object>, didInsertObject object: Object, toIndexPath indexPath: IndexPath)
    /// The object has left the list. Values that were read before can still be read; an object that nobody
    /// had in memory when another process deleted it is empty.
    func listMonitor(
        _ monitor: ListMonitor<Object>, didDeleteObject object: Object, fromIndexPath indexPath: IndexPath)
    func listMonitor(
        _ monitor: ListMonitor<Object>, didUpdateObject object: Object, atIndexPath indexPath: IndexPath)
    func listMonitor(
        _ monitor: ListMonitor<Object>, didMoveObject object: Object, fromIndexPath: IndexPath,
        toIndexPath: IndexPath)
}

extension ListObjectObserver {
    /// Does nothing.
    public func listMonitor(
        _ monitor: ListMonitor<Object>, didInsertObject object: Object, toIndexPath indexPath: IndexPath
    ) {}
    /// Does nothing.
    public func listMonitor(
        _ monitor: ListMonitor<Object>, didDeleteObject object: Object, fromIndexPath indexPath: IndexPath
    ) {}
    /// Does nothing.
    public func listMonitor(
        _ monitor: ListMonitor<Object>, didUpdateObject object: Object, atIndexPath indexPath: IndexPath
    ) {}
    /// Does nothing.
    public func listMonitor(
        _ monitor: ListMonitor<Object>, didMoveObject object: Object, fromIndexPath: IndexPath,
        toIndexPath: IndexPath
    ) {}
}

/// Told what becomes of the sections of a list, too.
public protocol ListSectionObserver<Object>: ListObjectObserver {
    /// - Parameters:
    ///   - monitor: the monitor that reports.
    ///   - section: its name.
    ///   - index: the position.
    func listMonitor(
        _ monitor: ListMonitor<Object>, didInsertSection section: String, toSectionIndex index: Int)
    func listMonitor(
        _ monitor: ListMonitor<Object>, didDeleteSection section: String, fromSectionIndex index: Int)
}

extension ListSectionObserver {
    /// Does nothing.
    public func listMonitor(
        _ monitor: ListMonitor<Object>, didInsertSection section: String, toSectionIndex index: Int
    ) {}
    /// Does nothing.
    public func listMonitor(
        _ monitor: ListMonitor<Object>, didDeleteSection section: String, fromSectionIndex index: Int
    ) {}
}
