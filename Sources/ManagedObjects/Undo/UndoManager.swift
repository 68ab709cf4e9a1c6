/// Keeps what takes changes back, in groups, and what does them again.
///
/// A context with one registers each round of its changes; a program may register actions of its own beside
/// them, and they are undone together. Used on the context's queue. Foundation's class of this name does not
/// exist on Linux; this one answers to the same messages.
///
///     context.undoManager = UndoManager()
///     mood.title = "fog"
///     context.undo()
///
/// - Source: Apple, NSUndoManager reference.
public final class UndoManager {
    /// A group as it is filled and as it is undone.
    private struct Group {
        var actions: [Action] = []
        var name = ""
    }

    private enum Action {
        case step(target: ObjectIdentifier?, () -> Void)
        case group(Group)
    }

    private var undos: [Group] = []
    private var redos: [Group] = []
    /// The open groups, the outermost first.
    private var open: [Group] = []
    /// Whether the outermost was begun by an action and not by a program.
    private var isEventOpen = false
    private var disabled = 0
    /// Asks the context to register what it has not registered yet.
    var flush: (() -> Void)?

    /// How many groups are kept at most; 0 keeps all.
    public var levelsOfUndo = 0 { didSet { trim() } }
    /// Whether what is registered between two rounds of changes makes a group by itself; without it, whoever
    /// registers something has to begin a group first.
    public var groupsByEvent = true
    /// Whether an undo is running.
    public private(set) var isUndoing = false
    /// Whether a redo is running.
    public private(set) var isRedoing = false

    /// Creates an undo manager without actions.
    public init() {}

    /// How many groups are begun and not ended.
    public var groupingLevel: Int { open.count }
    /// Whether changes are registered.
    public var isUndoRegistrationEnabled: Bool { disabled == 0 }
    /// Whether there is something to take back.
    public var canUndo: Bool {
        flush?()
        return !undos.isEmpty || open.contains { !$0.actions.isEmpty }
    }
    /// Whether there is something to do again: nothing was registered since the last undo.
    public var canRedo: Bool {
        flush?()
        return !redos.isEmpty
    }

    /// Notes an action; while undoing one for redo.
    public func registerUndo<Target: AnyObject>(
        withTarget target: Target, handler: @escaping (Target) -> Void
    ) {
        register(.step(target: ObjectIdentifier(target)) { handler(target) })
    }

    func register(_ body: @escaping () -> Void) { register(.step(target: nil, body)) }

    private func register(_ action: Action) {
        if disabled > 0 { return }
        if open.isEmpty {
            if !groupsByEvent { misuse("an undo action was registered outside of a group") }
            open.append(Group())
            isEventOpen = true
        }
        if !isUndoing && !isRedoing { redos = [] }
        open[open.count - 1].actions.append(action)
    }

    /// The end of a round of changes: what was registered in it is one group.
    func endEvent() {
        guard isEventOpen, open.count == 1, !isUndoing, !isRedoing else { return }
        isEventOpen = false
        close()
    }

    // MARK: Groups

    /// Begins a group, inside the one that is begun already.
    public func beginUndoGrouping() {
        flush?()
        endEvent()
        open.append(Group())
    }

    /// Ends the group begun last. Stops the program when none is.
    public func endUndoGrouping() {
        flush?()
        if open.isEmpty { misuse("endUndoGrouping without beginUndoGrouping") }
        close()
    }

    private func close() {
        let group = open.removeLast()
        if group.actions.isEmpty { return }
        if open.isEmpty {
            isUndoing ? redos.append(group) : undos.append(group)
            trim()
        } else {
            open[open.count - 1].actions.append(.group(group))
        }
    }

    private func trim() {
        if levelsOfUndo > 0 { undos.removeFirst(max(0, undos.count - levelsOfUndo)) }
    }

    // MARK: Undoing

    /// Takes back the last group; one that an event began is ended first. Does nothing when there is none.
    public func undo() {
        flush?()
        endEvent()
        if open.count == 1 { close() }
        if !open.isEmpty { misuse("undo inside a nested group; use undoNestedGroup") }
        undoNestedGroup()
    }

    /// Undoes the last group that was ended at the current level of open groups.
    public func undoNestedGroup() {
        flush?()
        let group: Group
        if open.isEmpty {
            guard let last = undos.popLast() else { return }
            group = last
        } else {
            guard case .group(let last)? = open[open.count - 1].actions.last else { return }
            open[open.count - 1].actions.removeLast()
            group = last
        }
        isUndoing = true
        replay(group)
        isUndoing = false
    }

    /// Does again what was taken back last.
    public func redo() {
        flush?()
        endEvent()
        guard let group = redos.popLast() else { return }
        isRedoing = true
        replay(group)
        isRedoing = false
    }

    /// Actions registered meanwhile make up the redo.
    private func replay(_ group: Group) {
        let outer = open
        open = [Group(actions: [], name: group.name)]
        run(group)
        flush?()
        close()
        open = outer
    }

    private func run(_ group: Group) {
        for action in group.actions.reversed() {
            switch action {
            case .step(_, let body): body()
            case .group(let inner): run(inner)
            }
        }
    }

    // MARK: Forgetting, names, pauses

    /// Removes all actions and groups. Groups that are begun stay open, without the actions so far: whoever
    /// began them ends them.
    public func removeAllActions() {
        (undos, redos) = ([], [])
        for index in open.indices { open[index].actions = [] }
    }

    /// Forgets what was registered for one target.
    public func removeAllActions(withTarget target: AnyObject) {
        let identity = ObjectIdentifier(target)
        undos = undos.compactMap { without(identity, $0) }
        redos = redos.compactMap { without(identity, $0) }
        for index in open.indices { open[index].actions = without(identity, open[index])?.actions ?? [] }
    }

    private func without(_ target: ObjectIdentifier, _ group: Group) -> Group? {
        var rest = group
        rest.actions = group.actions.compactMap { action in
            switch action {
            case .step(let its, _): its == target ? nil : action
            case .group(let inner): without(target, inner).map { .group($0) }
            }
        }
        return rest.actions.isEmpty ? nil : rest
    }

    /// Ignores actions that are registered from now on. Calls nest.
    public func disableUndoRegistration() {
        flush?()
        disabled += 1
    }

    /// Enables registration again, once per ``disableUndoRegistration()``.
    public func enableUndoRegistration() {
        flush?()
        if disabled == 0 { misuse("enableUndoRegistration without disableUndoRegistration") }
        disabled -= 1
    }

    /// Names the group being filled, else the last one: "Undo Crop".
    public func setActionName(_ name: String) {
        flush?()
        if !open.isEmpty {
            open[0].name = name
        } else if !undos.isEmpty {
            undos[undos.count - 1].name = name
        }
    }

    /// The name of what undo would take back; empty when nobody gave it one.
    public var undoActionName: String { (open.first ?? undos.last)?.name ?? "" }
    /// The name of the next action to redo; empty without one.
    public var redoActionName: String { redos.last?.name ?? "" }

    /// How many groups can be taken back.
    var count: Int { undos.count }
}
