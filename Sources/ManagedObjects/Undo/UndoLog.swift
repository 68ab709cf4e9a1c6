/// The changes of a context, one by one, so that they can be undone in reverse order.
///
/// Every change of an object is recorded here first: values, members of relationships, orders, insertions,
/// deletions. Undoing a change is a change like any other, and recorded as well: that is what redo
/// does. Costs nothing without an undo manager.
///
/// - Complexity: O(changes), but for ordered relationships, whose order is noted whole once in a round.
final class UndoLog {
    private unowned let core: ContextCore
    private(set) var steps: [UndoStep] = []
    /// Objects whose deletion was saved and taken back, by the ID that their row had: they are new ones now.
    private(set) var revived: [ManagedObjectID: ManagedObject] = [:]
    /// While steps are taken back: what is not there any more.
    private var lost: Set<ManagedObjectID> = []
    /// The relationships whose order is noted in this round of changes: the first one is the one to go back
    /// to.
    private var ordered: Set<RelationshipGraph.Key> = []

    var manager: UndoManager? {
        willSet {
            core.processPendingChanges()
            manager?.flush = nil
        }
        didSet {
            forgetSteps()
            manager?.flush = { [unowned core] in core.processPendingChanges() }
        }
    }

    init(_ core: ContextCore) { self.core = core }

    var isNoting: Bool { manager?.isUndoRegistrationEnabled ?? false }

    func note(_ step: @autoclosure () -> UndoStep) {
        if isNoting && core.changes.isTracking { steps.append(step()) }
    }

    /// Notes the order of a relationship before it changes, once in a round of changes.
    ///
    /// - Parameter order: the members; nil where there is no order.
    func noteOrder(of key: RelationshipGraph.Key, _ order: () -> [ManagedObject]?) {
        guard isNoting && core.changes.isTracking, !ordered.contains(key), let order = order() else { return }
        ordered.insert(key)
        steps.append(.order(order, of: key))
    }

    private func forgetSteps() {
        steps = []
        ordered = []
    }

    /// The end of a round of changes: they can be taken back together.
    func endEvent() {
        guard let manager else { return }
        if !steps.isEmpty {
            let steps = steps
            forgetSteps()
            manager.register { [unowned self] in revert(steps) }
        }
        manager.endEvent()
    }

    func forgetEverything() {
        forgetSteps()
        revived = [:]
        manager?.removeAllActions()
    }

    private func revert(_ steps: [UndoStep]) {
        var concerned = ObjectList(), owners = ObjectList()
        lost = lostTargets(of: steps)
        defer { lost = [] }
        // A member may come back after its owner, and an order is one of all that are back.
        var members: [UndoStep] = []
        var orders: [UndoStep] = []
        for step in steps.reversed() {
            switch step {
            case .order: orders.append(step)
            case .member(let member, _, wasThere: true) where member.isGone: members.append(step)
            default: revert(step)
            }
        }
        for step in members + orders { revert(step) }
        for step in steps.reversed() {
            if let object = step.object(in: core) { concerned.append(object) }
            if case .member(_, let key, _) = step, let owner = core.registry.object(current(key).owner) {
                owners.append(owner)
            }
        }
        for object in concerned.all where object.status == .inserted { followRevived(object) }
        for object in concerned.all {
            core.changes.forgetIfAsBefore(object)
            core.changes.withoutTracking { object.awake(fromSnapshotEvents: .undo) }
        }
        for owner in owners.all { core.changes.forgetIfAsBefore(owner) }
    }

    private func revert(_ step: UndoStep) {
        switch step {
        case .value(let object, let slot, let before):
            if object.isGone { return }
            if let target = before.target {
                let target = lost.contains(target) ? nil : revived[target] ?? core.registry.fault(target)
                core.relationships.link(object, slot, target.flatMap { $0.isGone ? nil : $0 })
            } else {
                object.setValue(before, at: slot)
                object.related[slot] = nil
            }
        case .transient(let object, let slot, let before):
            object.setTransient(before, at: slot)
        case .member(let member, let key, let wasThere):
            if member.isGone && wasThere || lost.contains(key.owner) { return }
            let key = current(key)
            if isWithdrawn(key.owner) { return }
            touch(member, key)
            core.relationships.change(key.owner, key.slot, member, isThere: wasThere)
        case .order(let order, let key):
            let now = current(key)
            if !lost.contains(key.owner) && !isWithdrawn(now.owner) {
                core.relationships.setOrderAgain(order, of: now)
            }
        case .insertion(let object): withdraw(object)
        case .deletion(let object, let pairs): revive(object, pairs)
        }
    }

    /// Whether a new object was taken back, with all that its relationships had.
    private func isWithdrawn(_ owner: ManagedObjectID) -> Bool {
        owner.isTemporaryID && core.registry.object(owner) == nil
    }

    /// Objects that were deleted together lead to each other: restored objects by their new IDs.
    private func followRevived(_ object: ManagedObject) {
        for slot in object.entity.toOneSlots {
            guard let target = object.values[slot].target else { continue }
            if lost.contains(target) {
                object.rowState.set(.null, at: slot)
            } else if let now = revived[target]?.objectID {
                object.rowState.set(.id(now), at: slot)
            } else {
                continue
            }
            object.related[slot] = nil
        }
    }

    /// The targets and owners of relationships whose rows another context deleted while no object here stood
    /// for them. Rows that cannot be read count as there.
    private func lostTargets(of steps: [UndoStep]) -> Set<ManagedObjectID> {
        var targets: Set<ManagedObjectID> = [], coming: Set<ManagedObjectID> = []
        for step in steps {
            switch step {
            case .value(_, _, let before): if let target = before.target { targets.insert(target) }
            case .member(_, let key, _), .order(_, let key): targets.insert(key.owner)
            case .deletion(let object, _) where !object.values.isEmpty:
                coming.insert(object.objectID.current)
                targets.formUnion(object.entity.toOneSlots.compactMap { object.values[$0].target })
            default: break
            }
        }
        targets = targets.filter { target in
            if target.current.isTemporaryID || revived[target] != nil || coming.contains(target.current) {
                return false
            }
            return core.registry.object(target.current)?.values.isEmpty ?? true
        }
        if targets.isEmpty { return [] }
        guard let rows = try? core.source.rows(targets.map(\.current)) else { return [] }
        let found = Set(rows.map(\.id))
        return targets.filter { !found.contains($0.current) }
    }

    /// An owner whose row is another one now.
    private func current(_ key: RelationshipGraph.Key) -> RelationshipGraph.Key {
        .init(owner: revived[key.owner]?.objectID ?? key.owner.current, slot: key.slot)
    }

    /// Pairs count both rows up.
    private func touch(_ member: ManagedObject, _ key: RelationshipGraph.Key) {
        guard let owner = core.registry.object(key.owner), !owner.isGone,
            owner.entity.relationship(at: key.slot)?.inverseIsToMany ?? false
        else { return }
        _ = core.changes.touch(owner)
        if !member.isGone { _ = core.changes.touch(member) }
    }

    /// An insertion taken back: what led there was taken back before, but for what others made lead there
    /// once it was saved. For that the delete rules are there.
    private func withdraw(_ object: ManagedObject) {
        guard object.status == .inserted || object.status == .saved else { return }
        core.delete(object, isWithdrawal: true)
    }

    /// Its own end of what led to many: the save after the deletion forgot it. The other ends are taken back
    /// by steps of their own.
    private func addMembers(_ members: [UndoStep.Pair], to object: ManagedObject) {
        for pair in members {
            let member = revived[pair.member.objectID] ?? pair.member
            core.relationships.change(object.objectID, pair.slot, member, isThere: true)
        }
    }

    /// A deletion taken back: the object is what it was, or, when its row is gone, a new one with the same
    /// values.
    private func revive(_ object: ManagedObject, _ pairs: [UndoStep.Pair]) {
        switch object.status {
        case .deleted: core.changes.didRevive(object)
        case .detached where object.objectID.key < 0 && object.objectID.current.key < 0:
            core.registry.enterAgain(object)
            core.changes.didInsertAgain(object)
            addMembers(pairs, to: object)
        case .detached:
            let before = object.objectID.current
            object.objectID = .temporary(object.entity.entityName)
            object.related = [:]
            revived[before] = object
            core.registry.enterAgain(object)
            core.changes.didInsertAgain(object)
            addMembers(pairs, to: object)
        case .inserted, .saved: break
        }
    }
}
