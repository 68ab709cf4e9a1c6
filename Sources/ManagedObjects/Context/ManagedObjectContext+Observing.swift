/// Ends an observation when it is released.
public final class ObservationToken: Sendable {
    init() {}
}

extension ManagedObjectContext {
    /// Calls `handler` on this context's queue after each round of changes to its objects: at the end of
    /// every call of the `perform` family, at ``processPendingChanges()``, and when a save of another context
    /// was merged.
    ///
    /// - Returns: what keeps the observation going.
    public func addObjectsDidChangeObserver(
        _ handler: @escaping (ObjectsDidChangeNotification) -> Void
    ) -> ObservationToken { withObjects { $0.addObserver(handler) } }
}

extension ContextCore {
    /// - Parameter hearsOfInserts: whether objects that other contexts insert are to be made for it.
    func addObserver(
        hearsOfInserts: Bool = true, _ handler: @escaping (ObjectsDidChangeNotification) -> Void
    ) -> ObservationToken {
        let token = ObservationToken()
        notifier.add(
            ChangeObserver(
                interest: hearsOfInserts ? .objects : .objectsInMemory,
                notify: { [weak token] round in
                    if token == nil { return false }
                    handler(round.notification)
                    return true
                }))
        return token
    }
}
