/// A scratchpad of managed objects, used on one serial queue.
///
/// The context is an actor whose executor is that queue. Its objects are not `Sendable` and belong to the
/// actor, so an object that would leave the queue does not compile. What may leave are values,
/// ``ObjectReference`` and rows made by `changes(of:as:)`.
///
///     let count = try await context.perform { context in
///         Mood.insert(into: context, palette: palette, facts: facts)
///         try context.save()
///         return try context.count(FetchRequest(\Mood.date > cutoff))
///     }
///
/// A function that works with objects takes `into context: isolated ManagedObjectContext`.
public actor ManagedObjectContext {
    nonisolated let executor: QueueExecutor
    private let core: ContextCore
    /// The coordinator that fetches and saves.
    public nonisolated let persistentStoreCoordinator: PersistentStoreCoordinator
    /// Where the context's rows come from and its saves go; nil when that is the coordinator.
    public nonisolated let parent: ManagedObjectContext?
    /// The contexts on top of this one that want to hear of what is saved.
    nonisolated let childFollowers = Followers()

    /// The serial executor: the context's own queue, or the main queue.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    // Swift 6.3's optimizer takes this into other modules, where it asks for the isolated `deinit` and ends
    // with "circular reference".
    /// Creates an empty context on top of a coordinator, with a queue of its own or the main queue.
    ///
    /// - Parameters:
    ///   - persistentStoreCoordinator: the coordinator that fetches and saves.
    ///   - concurrencyType: the queue on which the context is used.
    ///   - label: the queue's name, for debuggers.
    ///   - isReadOnly: whether the context only follows what others save: changing something in it stops the
    ///     program with a sentence, in release builds too.
    @_optimize(none)
    public init(
        persistentStoreCoordinator: PersistentStoreCoordinator,
        concurrencyType: ConcurrencyType = .privateQueue, label: String = "context", isReadOnly: Bool = false
    ) {
        let executor = concurrencyType.executor(label)
        self.executor = executor
        self.persistentStoreCoordinator = persistentStoreCoordinator
        parent = nil
        core = ContextCore(executor: executor, source: persistentStoreCoordinator, isReadOnly: isReadOnly)
        core.context = self
    }

    /// An empty context on top of another one: it sees what the parent sees, with what the parent has not
    /// saved, and its saves become unsaved changes of the parent. What it does not save the parent never
    /// hears of.
    ///
    /// Every read that the context has not made before, and every save, waits for the parent's queue: no
    /// block of the parent may wait for the child while another thread is inside the child.
    ///
    /// New objects get their permanent IDs when they are saved to the parent.
    @_optimize(none)
    public init(
        parent: ManagedObjectContext, concurrencyType: ConcurrencyType = .privateQueue,
        label: String = "child", isReadOnly: Bool = false
    ) {
        let executor = concurrencyType.executor(label)
        self.executor = executor
        persistentStoreCoordinator = parent.persistentStoreCoordinator
        self.parent = parent
        core = ContextCore(executor: executor, source: ParentContext(parent), isReadOnly: isReadOnly)
        core.context = self
    }

    // Objects and core hold each other while there are changes; the context going away is what ends both.
    isolated deinit { core.end() }

    /// For the layer above, whose transactions hand out objects under rules of their own.
    package func withCore<Value: Sendable>(_ body: (ContextCore) throws -> Value) rethrows -> Value {
        try body(core)
    }

    /// Like `performAndWait(_:)`, but returns objects into the context's own isolation.
    func withObjects<Value>(_ body: (ContextCore) throws -> Value) rethrows -> Value { try body(core) }
}

extension ManagedObjectContext {
    /// Where a context is used.
    public enum ConcurrencyType: Sendable {
        /// On a queue of its own.
        case privateQueue
        /// On the main queue: `performAndWait` there, as from `@MainActor`, runs at once. The program must
        /// serve that queue, as `@MainActor` and `dispatchMain()` do.
        case mainQueue

        fileprivate func executor(_ label: String) -> QueueExecutor {
            switch self {
            case .privateQueue: QueueExecutor(label: "moody.\(label)")
            case .mainQueue: QueueExecutor()
            }
        }
    }

    /// The objects in memory that belong to the context: those that somebody holds, those that are not saved,
    /// and a few that were used last.
    public var registeredObjects: Set<ManagedObject> { withObjects { Set($0.registry.objects) } }

    /// Whether the caller is inside one of this context's blocks.
    package nonisolated var isCurrent: Bool { executor.isCurrent }

    /// Whether to wait for this context would never end, since whoever is inside it waits for the caller.
    package nonisolated var wouldWaitForever: Bool { executor.wouldWaitForever }

    /// Whether a save would write anything.
    public var hasChanges: Bool { core.hasChanges }

    /// Objects inserted, changed, deleted since the last save, each in the order it happened.
    public var insertedObjects: [ManagedObject] { core.changes.inserted.all }
    /// Objects with unsaved changes of saved rows.
    public var updatedObjects: [ManagedObject] { core.changes.updated.all }
    /// Objects whose deletion is not saved yet.
    public var deletedObjects: [ManagedObject] { core.changes.deleted.all }

    /// Writes what changed, in one transaction: all of it or nothing.
    ///
    /// - Returns: what was written, for contexts that want to ``mergeChanges(from:)``.
    /// - Throws: ``ValidationError`` with everything that breaks a rule of the model, ``StoreError``. Nothing
    ///   was written then, and the changes are still here.
    @discardableResult
    public func save() throws -> SaveNotification { try core.save() }

    /// Names the store that a new object is to be saved to, where several take its entity. Without it the
    /// first that can be written is taken.
    ///
    /// - Parameter storeIdentifier: the UUID of a store, as ``PersistentStoreCoordinator/persistentStores``
    ///   has it.
    /// - Throws: ``StoreError/noStoreFor(entity:)`` when the store does not take the entity,
    ///   ``StoreError/readOnly``. An object that has a permanent ID stays where it is:
    ///   `StoreError.otherStore`.
    public func assign(_ object: ManagedObject, toStore storeIdentifier: String) throws {
        guard object.objectID.isTemporaryID, object.objectID.current.isTemporaryID else {
            if object.objectID.storeIdentifier == storeIdentifier { return }
            throw StoreError.otherStore(object.objectID)
        }
        try persistentStoreCoordinator.checkAssignable(object.entity, to: storeIdentifier)
        object.objectID.home.assignedStore = storeIdentifier
    }

    /// Gives new objects the IDs that they will have in the store, before they are saved there.
    ///
    /// - Throws: ``StoreError``.
    public func obtainPermanentIDs(for objects: [ManagedObject]) throws {
        try core.obtainPermanentIDs(for: objects)
    }

    /// Whether what other contexts save to the parent, or to the stores of the coordinator, is merged here by
    /// itself, soon after.
    public var automaticallyMergesChangesFromParent: Bool {
        get { core.source.followers.contains(self) }
        set { core.source.followers.set(self, isFollowing: newValue) }
    }

    /// Saves, and throws the changes away when that fails. Returns whether it was saved.
    @discardableResult
    public func saveOrRollback() -> Bool {
        do {
            try save()
            return true
        } catch {
            rollback()
            return false
        }
    }

    /// Returns why faults could not be read since the last call that threw such an error, and forgets it. A
    /// fault whose row is gone or unreadable answers with zeros; the next fetch throws the reason, of a row
    /// that is gone the next fetch of its entity. A save does not.
    public func takeFaultErrors() -> [any Error] { withObjects { $0.takeFaultErrors() } }

    /// Throws away what is not saved.
    public func rollback() { core.rollback() }

    /// Forgets all objects, and what was not saved. An object that somebody still holds is no row's any more:
    /// it counts as deleted, and what was read of it before can still be read.
    public func reset() { core.reset() }

    /// Marks `object` for deletion; its row goes with the next save, and what its relationships' delete rules
    /// say happens at once. Whoever holds it sees ``ManagedObject/isDeleted``.
    public func delete(_ object: ManagedObject) { core.delete(object) }

    /// Takes the object's values from the store again: at the next access, or at once when it has changes to
    /// be put back on top.
    ///
    /// - Parameter mergeChanges: unsaved changes are put back on top; otherwise they are lost, and with them
    ///   what they did to the other ends of the object's relationships.
    public func refresh(_ object: ManagedObject, mergeChanges: Bool) {
        core.refresh(object, mergeChanges: mergeChanges)
    }

    /// Turns every object without changes into a fault, which frees what it holds.
    public func refreshAllObjects() { core.refreshAllObjects() }

    /// Takes in what another context of the same stores saved. Unsaved changes here stay on top.
    ///
    /// - Throws: ``StoreError``; what could not be read is read again before lists report anything else.
    public func mergeChanges(from note: SaveNotification) throws { try core.mergeChanges(from: note) }

    /// Tells lists about what changed since the last call. The `perform` family does so at its end.
    public func processPendingChanges() { core.processPendingChanges() }
}

extension ManagedObjectContext {
    /// The undo manager that records changes; nil, the default, records none. Every
    /// call of the `perform` family that changes something, and every ``processPendingChanges()``, makes a
    /// group.
    ///
    /// Rolling back and resetting forget what was kept. A change whose object somebody else deleted meanwhile
    /// is passed over. An object whose deletion was saved comes back as a new one, with the same values and
    /// another ID.
    public var undoManager: UndoManager? {
        get { withObjects { $0.undoLog.manager } }
        set { withObjects { $0.undoLog.manager = newValue } }
    }

    /// Takes the last group of changes back.
    public func undo() { undoManager?.undo() }

    /// Does again what was taken back last.
    public func redo() { undoManager?.redo() }
}

extension ManagedObjectContext {
    /// The rule for conflicts with other contexts' changes; ``MergePolicy/error`` from the start.
    public var mergePolicy: MergePolicy {
        get { withCore { $0.mergePolicy } }
        set { withCore { $0.mergePolicy = newValue } }
    }
}

extension ManagedObject {
    /// The context the object lives in; nil once it was deleted and saved, or its context is gone.
    public final var managedObjectContext: ManagedObjectContext? {
        status == .detached ? nil : core?.context
    }
}
