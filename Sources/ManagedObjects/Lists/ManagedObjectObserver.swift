/// Watches one object, whoever changes it: this context, another one whose save is merged, undo.
///
///     observer = ManagedObjectObserver(object: mood) { [weak self] change in
///         if change == .delete { self?.close() }
///     }
///
/// The observation lasts as long as the observer, and is of the context that the object lives in: what
/// another context does is heard when it is merged here, once.
///
/// - Source: the book's class of this name (objc.io, "Core Data", chapter 1).
public final class ManagedObjectObserver {
    /// A kind of change of an object.
    public enum ChangeType: Sendable {
        /// The object was deleted, or does not match its class's ``Managed/defaultFilter`` any more. Told
        /// once, until the object is there again.
        case delete
        /// Some of the object's values changed, or it is there again.
        case update
    }

    private var token: ObservationToken?

    /// Nil when the object has no context. To be called on the object's queue; `changeHandler` is called
    /// there.
    public init?(object: ManagedObject, changeHandler: @escaping (ChangeType) -> Void) {
        object.checkQueue()
        guard let core = object.core, object.status != .detached else { return nil }
        var isDeleted = !object.matchesDefault
        token = core.addObserver(hearsOfInserts: false) { note in
            let wasDeleted = isDeleted
            let isGone =
                note.invalidatedAllObjects || note.deletedObjects.contains(object)
                || note.invalidatedObjects.contains(object)
            let isTouched =
                note.updatedObjects.contains(object)
                || note.refreshedObjects.contains(object)
                || wasDeleted && note.insertedObjects.contains(object)
            guard isGone || isTouched else { return }
            isDeleted = isGone || !object.matchesDefault
            if !isDeleted { changeHandler(.update) } else if !wasDeleted { changeHandler(.delete) }
        }
    }
}

extension ManagedObjectContext {
    /// A stream of one object's values, for readers on any queue: what `value` makes of it now and after
    /// each change, whichever context made it; the stream ends when the object is deleted, or its context
    /// goes.
    ///
    ///     for await title in try context.values(of: mood.reference, as: \.title) { print(title) }
    ///
    /// A reader that sleeps gets the newest value only.
    ///
    /// - Throws: ``StoreError/objectGone(_:)``, ``StoreError`` when the row cannot be read.
    public func values<Object: ManagedObject, Value: Sendable>(
        of reference: ObjectReference<Object>, as value: @escaping @Sendable (Object) -> Value
    ) throws -> AsyncStream<Value> {
        guard let object = try existingObject(with: reference.objectID) as? Object else {
            throw StoreError.objectGone(reference.objectID)
        }
        let (stream, continuation) = AsyncStream.makeStream(
            of: Value.self, bufferingPolicy: .bufferingNewest(1))
        continuation.yield(value(object))
        let end = StreamEnd { continuation.finish() }
        let token = withObjects { core in
            core.addObserver(hearsOfInserts: false) { note in
                defer { withExtendedLifetime(end) {} }
                let isGone =
                    note.invalidatedAllObjects || note.deletedObjects.contains(object)
                    || note.invalidatedObjects.contains(object)
                if isGone { return continuation.finish() }
                guard note.updatedObjects.contains(object) || note.refreshedObjects.contains(object) else {
                    return
                }
                continuation.yield(value(object))
            }
        }
        continuation.onTermination = { _ in withExtendedLifetime(token) {} }
        return stream
    }
}

/// Ends a stream when the observer that fills it goes, as with its context.
private final class StreamEnd {
    private let finish: () -> Void
    init(_ finish: @escaping () -> Void) { self.finish = finish }
    deinit { finish() }
}

extension ManagedObject {
    /// Whether the object is one that its class shows: see ``Managed/defaultFilter``.
    fileprivate final var matchesDefault: Bool {
        guard !isGone else { return false }
        guard let type = type(of: self) as? any Managed.Type else { return true }
        return type.matchesDefault(self)
    }
}
