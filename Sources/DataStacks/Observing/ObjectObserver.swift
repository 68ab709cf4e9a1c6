public import ManagedObjects

/// Told what becomes of one object, on the queue of the stack's reader: it must not wait for a transaction
/// there. Every method has an empty default.
///
/// - Source: CoreStore's protocol of this name.
public protocol ObjectObserver<Object>: AnyObject, Sendable {
    associatedtype Object: ManagedObject
    /// A commit changed the object; it still is as it was.
    func objectMonitor(_ monitor: ObjectMonitor<Object>, willUpdateObject object: Object)
    /// The object has changed.
    ///
    /// - Parameters:
    ///   - monitor: the monitor that reports.
    ///   - keys: the attributes and relationships to one that have other values now; none when equal values
    ///     were set again.
    func objectMonitor(
        _ monitor: ObjectMonitor<Object>, didUpdateObject object: Object,
        changedPersistentKeys keys: Set<String>)
    /// The object was deleted. What was read of it before can still be read; nothing follows.
    func objectMonitor(_ monitor: ObjectMonitor<Object>, didDeleteObject object: Object)
}

extension ObjectObserver {
    /// Does nothing.
    public func objectMonitor(_ monitor: ObjectMonitor<Object>, willUpdateObject object: Object) {}
    /// Does nothing.
    public func objectMonitor(
        _ monitor: ObjectMonitor<Object>, didUpdateObject object: Object,
        changedPersistentKeys keys: Set<String>
    ) {}
    /// Does nothing.
    public func objectMonitor(_ monitor: ObjectMonitor<Object>, didDeleteObject object: Object) {}
}
