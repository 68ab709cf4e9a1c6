public import ManagedObjects

/// The scratchpad of a transaction's block: on the writer's queue, and only there.
///
/// A class that is not `Sendable`, in the same region as the objects it hands out: neither it nor an object
/// of it can be captured by a task or returned.
///
/// After the commit it is used up: calls that change something assert, and nothing of them is saved.
public class Transaction: ObjectSource {
    let site: CallSite
    /// The stores that new objects go to, as far as they were looked up.
    private var chosen: [Choice: AddedStore] = [:]
    /// The first mistake after which the logger returned: the commit throws it.
    private(set) var mistake: StackError?
    private(set) var isCommitted = false

    private struct Choice: Hashable {
        let type: ObjectIdentifier
        let store: StoreChoice
    }

    init(_ core: ContextCore, _ stack: DataStack, _ site: CallSite) {
        self.site = site
        super.init(core, stack)
    }

    /// Whether a commit would write anything.
    public var hasChanges: Bool { core.hasChanges }

    /// The objects of a class that a commit would write.
    package func unsavedObjects<Object: ManagedObject>(
        _ type: Object.Type
    ) -> (inserted: [Object], updated: [Object], deleted: [Object]) {
        let unsaved = core.unsavedObjects
        return (
            unsaved.inserted.compactMap { $0 as? Object }, unsaved.updated.compactMap { $0 as? Object },
            unsaved.deleted.compactMap { $0 as? Object }
        )
    }

    /// Leaves the transaction: nothing of it is kept, and the call that began it throws
    /// ``StackError/cancelled``.
    public func cancel() throws(StackError) -> Never { throw .cancelled }

    /// Tells the logger of a mistake of the program; when that returns, the commit will throw it.
    func note(_ error: StackError) {
        mistake = mistake ?? error
        stack.logger.fail("\(error)", site)
    }

    /// Whether something may be changed still.
    func checkOpen() -> Bool {
        if isCommitted { note(.alreadyCommitted) }
        return !isCommitted
    }

    func end() { isCommitted = true }

    func forgetMistake() { mistake = nil }

    /// Whether commits may follow a commit.
    var commitsAgain: Bool { false }

    /// Saves on the writer's queue, where the caller is.
    ///
    /// - Parameter entersReader: whether this thread waits for reports at once, without any of the program's
    ///   code in between.
    /// - Returns: whether anything was written.
    func save(entersReader: Bool, afterReports: (@Sendable () -> Void)? = nil) throws(StackError) -> Bool {
        if let mistake { throw mistake }
        let note = try wrapping {
            try stack.commit(core, site, entersReader: entersReader, afterReports: afterReports)
        }
        if !commitsAgain { isCommitted = true }
        return !note.isEmpty
    }

    // MARK: Creating

    /// Makes a new object; it gets its row when the transaction commits.
    public func create<Object: ManagedObject>(_ type: Object.Type = Object.self) -> Object {
        create(Into<Object>())
    }

    /// Makes a new object in the store that `into` names.
    ///
    /// A mistake of the program: no store takes the entity, several do and `into` names none, or the
    /// transaction was committed. The object is made all the same when the logger returns, and the commit
    /// throws.
    public func create<Object: ManagedObject>(_ into: Into<Object>) -> Object {
        _ = checkOpen()
        let object = core.insert(Object.self)
        let choice = Choice(type: ObjectIdentifier(Object.self), store: into.choice)
        do throws(StackError) {
            if chosen[choice] == nil { chosen[choice] = try stack.store(for: object.entity, into.choice) }
            if let store = chosen[choice] { core.assign(object, toStore: store.identifier) }
        } catch { note(error) }
        return object
    }
}

/// CoreStore's name of ``Transaction``, the superclass of all kinds.
public typealias BaseDataTransaction = Transaction
