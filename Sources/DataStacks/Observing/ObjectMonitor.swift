public import ManagedObjects

/// Follows one object: tells its observers when a commit, or another process, changes or deletes it. Ends
/// when it is released.
///
/// - Source: CoreStore's type of this name.
public final class ObjectMonitor<Object: ManagedObject>: Sendable {
    private let watch: Confined<ObjectWatch<Object>>
    private let reference: ObjectReference<Object>
    private let stack: DataStack

    fileprivate init(
        _ watch: Confined<ObjectWatch<Object>>, _ reference: ObjectReference<Object>, _ stack: DataStack
    ) {
        (self.watch, self.reference, self.stack) = (watch, reference, stack)
        watch.withValue { $0.monitor = self }
    }

    /// The object's reference; nil once it was deleted.
    public var object: ObjectReference<Object>? { isObjectDeleted ? nil : reference }

    /// Whether the object was deleted.
    public var isObjectDeleted: Bool { watch.withValue { $0.object == nil } }

    /// Runs `body` with the object, on the reader's queue; nil once it was deleted.
    public func read<Value: Sendable>(_ body: @Sendable (Object) throws -> Value) rethrows -> Value? {
        try watch.withValue { try $0.object.map(body) }
    }

    /// Adds an observer, which is held weakly. An observer that was added before is told once.
    public func addObserver(_ observer: some ObjectObserver<Object>) {
        watch.withValue { $0.observers.add(observer) { $0 } }
    }

    /// Removes an observer. Not required: observers are held weakly.
    public func removeObserver(_ observer: some ObjectObserver<Object>) {
        watch.withValue { $0.observers.remove(observer) }
    }
}

extension DataStack {
    /// A monitor of an object.
    ///
    /// - Throws: ``StackError/store(_:)``, with `objectGone` for an object that was deleted or never saved;
    ///   ``StackError/foreignObject(_:)``.
    public func monitorObject<Object: ManagedObject>(_ reference: ObjectReference<Object>)
        throws(StackError) -> ObjectMonitor<Object>
    {
        let id = reference.objectID.current
        try checkOwn(id)
        let watch = try wrapping {
            try reader.performAndWait { context in
                guard let object = try context.existingObject(with: id) as? Object else {
                    throw StoreError.objectGone(id)
                }
                let watch = ObjectWatch(object)
                watchers.add(watch)
                return Confined(watch, in: reader)
            }
        }
        return ObjectMonitor(watch, ObjectReference(objectID: id), self)
    }

    /// A monitor of an object of a view, a transaction, or another monitor. Throws as ``monitorObject(_:)``
    /// for a reference.
    public func monitorObject<Object: ManagedObject>(_ object: Object) throws(StackError)
        -> ObjectMonitor<Object>
    { try monitorObject(ObjectReference<Object>(objectID: object.objectID)) }
}

/// The part of a monitor that lives on the reader's queue.
final class ObjectWatch<Object: ManagedObject>: MergeWatcher {
    let objectID: ManagedObjectID
    weak var monitor: ObjectMonitor<Object>?
    /// Held, so that merges bring it up to date; nil once it was deleted.
    private(set) var object: Object?
    var observers = ObserverList<any ObjectObserver<Object>>()
    private var before: [String: StoredValue] = [:]
    /// The observers of the step that is being told.
    private var listeners: [any ObjectObserver<Object>] = []

    init(_ object: Object) { (self.object, objectID) = (object, object.objectID) }

    func willUpdate() {
        guard let object, let monitor else { return }
        before = values(of: object)
        listeners = observers.all
        for observer in listeners { observer.objectMonitor(monitor, willUpdateObject: object) }
    }

    func didUpdate() {
        guard let object, let monitor else { return }
        let now = values(of: object)
        let keys = Set(now.keys.filter { now[$0] != before[$0] })
        for observer in listeners {
            observer.objectMonitor(monitor, didUpdateObject: object, changedPersistentKeys: keys)
        }
        (listeners, before) = ([], [:])
    }

    func didDelete() {
        guard let object, let monitor else { return }
        self.object = nil
        for observer in observers.all { observer.objectMonitor(monitor, didDeleteObject: object) }
        (listeners, before) = ([], [:])
    }

    func didReadAgain() {
        guard let object else { return }
        _ = values(of: object)
        object.isDeleted ? didDelete() : didUpdate()
    }

    private func values(of object: Object) -> [String: StoredValue] {
        // A row that cannot be read has no values, and the reader says why at its next fetch.
        if object.isFault { try? object.fire() }
        return object.storedValues
    }
}

/// Observers, held weakly, in the order in which they were added.
struct ObserverList<Observer> {
    private struct Entry {
        weak var object: AnyObject?
        let observer: () -> Observer?
    }

    private var entries: [Entry] = []

    /// The observers that are there still.
    var all: [Observer] { entries.compactMap { $0.observer() } }

    /// - Parameter make: what stands for the object while it is there.
    mutating func add<Object: AnyObject>(_ object: Object, as make: @escaping (Object) -> Observer) {
        entries.removeAll { $0.object == nil || $0.object === object }
        entries.append(Entry(object: object) { [weak object] in object.map(make) })
    }

    mutating func remove(_ object: AnyObject) { entries.removeAll { $0.object === object } }
}
