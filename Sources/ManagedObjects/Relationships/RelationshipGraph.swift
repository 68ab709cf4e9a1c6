/// The relationships of a context's objects, including unsaved changes.
///
/// A to-one side stores the target's key, the single source of truth; many-to-many relationships store pairs.
/// To many leads what the source has, read once, with what was added and taken away since: so one change
/// costs the same whether an owner has ten objects or a hundred thousand. Both ends are kept in step here and
/// nowhere else.
final class RelationshipGraph {
    unowned let core: ContextCore
    /// By owner and slot.
    private(set) var deltas: [Key: MembersDelta] = [:]
    /// Goes up with each merge; what was read before is read anew.
    private(set) var epoch = 0

    struct Key: Hashable {
        let owner: ManagedObjectID
        let slot: Int
    }

    init(_ core: ContextCore) { self.core = core }

    // MARK: To one

    /// Returns the target of a to-one relationship: the object in memory, or a fault. Nil where the key of a
    /// damaged store leads to an object of an entity that the relationship does not lead to.
    func target(of object: ManagedObject, at slot: Int) -> ManagedObject? {
        guard case .id(let stored)? = object.value(at: slot) else { return nil }
        let id = stored.current
        if case .one(let known)? = object.related[slot], known.objectID == id { return known }
        guard let found = core.registry.object(id) ?? fault(id, object, slot),
            isTarget(found, of: object, at: slot)
        else { return nil }
        object.related[slot] = .one(found)
        return found
    }

    private func isTarget(_ target: ManagedObject, of object: ManagedObject, at slot: Int) -> Bool {
        object.entity.relationship(at: slot).map { target.entity.isKind(of: core.model.destination(of: $0)) }
            ?? false
    }

    /// Where the ID was made without its row being seen, which of the sub-entities it is of is asked.
    private func fault(_ id: ManagedObjectID, _ object: ManagedObject, _ slot: Int) -> ManagedObject? {
        guard id.key > 0, let relationship = object.entity.relationship(at: slot) else { return nil }
        let destination = core.model.destination(of: relationship)
        guard destination.hasSubentities, id.home.entity == destination.entityName, destination.isAbstract
        else { return core.registry.fault(id) }
        return core.object(id)
    }

    func setTarget(of object: ManagedObject, at slot: Int, to target: ManagedObject?) {
        guard let relationship = object.entity.relationship(at: slot) else { return }
        if let target, !accepts(target, object) { return }
        let inverse = relationship.inverseSlot
        let old = object.value(at: slot)?.target
        if old == target?.objectID { return }
        if let old, inverse >= 0 {
            if relationship.inverseIsToMany {
                change(old, inverse, object, isThere: false)
            } else if let partner = self.target(of: object, at: slot),
                partner.value(at: inverse)?.target == object.objectID
            {
                link(partner, inverse, nil)
            }
        }
        if let target, inverse >= 0, !relationship.inverseIsToMany,
            let rival = self.target(of: target, at: inverse), rival !== object
        {
            link(rival, slot, nil)
        }
        link(object, slot, target)
        guard let target, inverse >= 0 else { return }
        if relationship.inverseIsToMany {
            change(target.objectID, inverse, object, isThere: true)
        } else {
            link(target, inverse, object)
        }
    }

    /// Whether an object may be led to. One of another context is a mistake; one that is gone, which may be
    /// somebody else's doing, is left out, and the next call that can throw says so.
    private func accepts(_ target: ManagedObject, _ object: ManagedObject) -> Bool {
        if target.core !== core {
            misuse("\(object.objectID) and \(target.objectID) are in different contexts")
        }
        if !target.isGone { return true }
        core.noteLostChange(StoreError.objectGone(target.objectID))
        return false
    }

    func link(_ object: ManagedObject, _ slot: Int, _ target: ManagedObject?) {
        object.setValue(target.map { .id($0.objectID) } ?? .null, at: slot)
        object.related[slot] = target.map { .one($0) }
    }

    // MARK: To many

    /// Returns the targets of a to-many relationship. If they cannot be read, returns the known ones, and the
    /// next call that can throw says why.
    func members(of object: ManagedObject, at slot: Int) -> Set<ManagedObject> {
        do { return try readMembers(of: object, at: slot) } catch {
            core.note(error)
            return Set(deltas[Key(owner: object.objectID, slot: slot)]?.added ?? [])
        }
    }

    /// - Throws: ``StoreError`` when the source cannot be read.
    func readMembers(of object: ManagedObject, at slot: Int) throws -> Set<ManagedObject> {
        let delta = deltas[Key(owner: object.objectID, slot: slot)], stamp = delta?.stamp ?? 0
        let known = try known(object, slot)
        if let set = known.set, known.stamp == stamp { return set }
        var set: Set<ManagedObject>
        if known.set == nil || known.ids != nil {
            set = Set(objects(storedIDs(known, delta)))
        } else {
            // Only a set with other changes is known: read what the source has.
            object.related[slot] = nil
            return try readMembers(of: object, at: slot)
        }
        for object in delta?.added ?? [] where !object.isGone { set.insert(object) }
        (known.set, known.stamp) = (set, stamp)
        return set
    }

    /// The members in their order: that of the relationship, or of their coming.
    func readOrderedMembers(of object: ManagedObject, at slot: Int) throws -> [ManagedObject] {
        let delta = deltas[Key(owner: object.objectID, slot: slot)]
        var known = try known(object, slot)
        if known.ids == nil {
            object.related[slot] = nil
            known = try self.known(object, slot)
        }
        let ids = storedIDs(known, delta)
        guard let delta else { return objects(ids) }
        return ordered(ids, delta) { objects($0) }.filter { !$0.isGone }
    }

    /// Members in their order: as somebody gave it, behind that those of other contexts, then those that came
    /// here.
    ///
    /// - Parameter ids: those of stored members that are still there.
    private func ordered(
        _ ids: [ManagedObjectID], _ delta: MembersDelta,
        _ objects: ([ManagedObjectID]) -> [ManagedObject]
    ) -> [ManagedObject] {
        var all = delta.added
        if delta.returned.isEmpty {
            all = objects(ids) + all
        } else {
            let there = Set(ids)
            all =
                objects(ids.filter { !delta.returned.contains($0) })
                + delta.coming.all.filter {
                    !delta.returned.contains($0.objectID) || there.contains($0.objectID)
                }
        }
        guard let order = delta.order?.all else { return all }
        let members = Set(all.map(ObjectIdentifier.init))
        let given = order.filter { members.contains(ObjectIdentifier($0)) }
        if given.count == all.count { return given }
        let known = Set(given.map(ObjectIdentifier.init))
        return given + all.filter { !known.contains(ObjectIdentifier($0)) }
    }

    func orderedMembers(of object: ManagedObject, at slot: Int) -> [ManagedObject] {
        do { return try readOrderedMembers(of: object, at: slot) } catch {
            core.note(error)
            return deltas[Key(owner: object.objectID, slot: slot)]?.added ?? []
        }
    }

    /// The source's members that were not taken out here.
    private func storedIDs(_ known: KnownMembers, _ delta: MembersDelta?) -> [ManagedObjectID] {
        var ids = known.ids ?? []
        if let removed = delta?.removed, !removed.isEmpty { ids.removeAll(where: removed.contains) }
        return ids
    }

    private func objects(_ ids: [ManagedObjectID]) -> [ManagedObject] {
        core.registry.faults(ids).filter { !$0.isGone }
    }

    private func known(_ object: ManagedObject, _ slot: Int) throws -> KnownMembers {
        if case .many(let known)? = object.related[slot], known.epoch == epoch { return known }
        let id = object.objectID
        let ids =
            id.isTemporaryID || object.status == .detached
            ? [] : try core.source.members(of: id, object.entity, slot: slot)
        let known = KnownMembers(ids, epoch: epoch)
        object.related[slot] = .many(known)
        return known
    }

    func setMembers(of object: ManagedObject, at slot: Int, to members: Set<ManagedObject>) {
        let old = self.members(of: object, at: slot)
        for leaving in old.subtracting(members) { remove(leaving, from: object, at: slot) }
        for coming in members.subtracting(old) { insert(coming, into: object, at: slot) }
    }

    /// - Parameter members: one that stands there twice counts where it stands first.
    func setOrderedMembers(of object: ManagedObject, at slot: Int, to members: [ManagedObject]) {
        setMembers(of: object, at: slot, to: Set(members))
        let old = orderedMembers(of: object, at: slot)
        var seen: Set<ManagedObject> = []
        let order = members.filter { !$0.isGone && seen.insert($0).inserted }
        if order == old || !core.changes.touch(object) { return }
        setOrder(order, of: Key(owner: object.objectID, slot: slot))
    }

    /// Adds one object. O(1), however many there are.
    func insert(_ member: ManagedObject, into object: ManagedObject, at slot: Int) {
        guard let relationship = object.entity.relationship(at: slot), accepts(member, object) else { return }
        if !relationship.inverseIsToMany {
            return setTarget(of: member, at: relationship.inverseSlot, to: object)
        }
        if isMember(member, of: object, at: slot) { return }
        pair(object, slot: slot, with: member, otherSlot: relationship.inverseSlot, isThere: true)
    }

    /// Takes one object out. O(1), however many there are.
    func remove(_ member: ManagedObject, from object: ManagedObject, at slot: Int) {
        guard let relationship = object.entity.relationship(at: slot) else { return }
        if !relationship.inverseIsToMany {
            if member.value(at: relationship.inverseSlot)?.target == object.objectID {
                setTarget(of: member, at: relationship.inverseSlot, to: nil)
            }
            return
        }
        if isMember(member, of: object, at: slot) {
            pair(object, slot: slot, with: member, otherSlot: relationship.inverseSlot, isThere: false)
        }
    }

    func isMember(_ member: ManagedObject, of object: ManagedObject, at slot: Int) -> Bool {
        members(of: object, at: slot).contains(member)
    }

    /// Both sides of a pair change, and both rows count as changed: two who change the same one's pairs are
    /// told.
    func pair(
        _ object: ManagedObject, slot: Int, with other: ManagedObject, otherSlot: Int, isThere: Bool
    ) {
        guard core.changes.touch(object), core.changes.touch(other) else { return }
        change(object.objectID, slot, other, isThere: isThere)
        if object === other && slot == otherSlot { return }
        change(other.objectID, otherSlot, object, isThere: isThere)
    }

    /// Notes a change of an owner's objects; a set that was built already is changed with it. The owner
    /// counts as changed for lists, though no row of its own need be written.
    func change(_ owner: ManagedObjectID, _ slot: Int, _ member: ManagedObject, isThere: Bool) {
        let key = Key(owner: owner, slot: slot)
        let before = stamp(of: key)
        if isKnown(member, of: key, isThere: isThere) { return }
        // Undoing an insertion needs no order; undoing a removal needs the position.
        if !isThere { noteOrder(of: key) }
        core.undoLog.note(.member(member, of: key, wasThere: !isThere))
        changeDelta(of: key) { isThere ? $0.insert(member) : $0.remove(member) }
        guard let object = core.registry.object(owner) else { return }
        if isThere { knownMembers(of: key)?.notedOrder = nil }
        // Its position is all that changed, and no row of its own says so.
        if isThere, let index = deltas.index(forKey: key),
            deltas.values[index].returned.contains(member.objectID)
        {
            _ = core.changes.touch(object)
        }
        if case .many(let known)? = object.related[slot] {
            if isThere { known.notedOrder = nil }
            if known.stamp == before, var set = known.set {
                // Taken out first, so that it is changed in place.
                known.set = nil
                if isThere { set.insert(member) } else { set.remove(member) }
                known.set = set
                known.stamp = stamp(of: key)
            }
        }
        core.changes.noteRefreshed(object, membersOnly: true)
    }

    /// Without a copy of the whole delta.
    private func stamp(of key: Key) -> Int {
        deltas.index(forKey: key).map { deltas.values[$0].stamp } ?? 0
    }

    /// Whether it was noted before that a member came or went: undoing a deletion, or redoing it, may say so
    /// twice.
    private func isKnown(_ member: ManagedObject, of key: Key, isThere: Bool) -> Bool {
        let isNew = key.owner.isTemporaryID || member.objectID.isTemporaryID
        guard let index = deltas.index(forKey: key) else { return isNew && !isThere }
        if isThere { return deltas.values[index].contains(coming: member) }
        return deltas.values[index].lacks(member)
            || isNew && !deltas.values[index].contains(coming: member)
    }

    /// Changes what is unsaved of an owner's members. An owner that is not in memory becomes a fault, so that
    /// the save checks and writes the same whoever holds what.
    func changeDelta(of key: Key, _ body: (inout MembersDelta) -> Void) {
        if let index = deltas.index(forKey: key) { return body(&deltas.values[index]) }
        let owner = owner(key.owner)
        let isOrdered = owner?.entity.relationship(at: key.slot)?.isOrdered ?? false
        body(&deltas[key, default: MembersDelta(owner: owner, isOrdered: isOrdered)])
    }

    private func owner(_ id: ManagedObjectID) -> ManagedObject? {
        if let known = core.registry.object(id) { return known }
        // An object of an abstract entity would be of the wrong class.
        let isAbstract = core.model.entity(named: id.entity)?.isAbstract ?? true
        return isAbstract ? core.object(id) : core.registry.fault(id)
    }

    /// Changes what is unsaved of an owner's members, if anything is.
    func changeKnownDelta(of key: Key, _ body: (inout MembersDelta) -> Void) {
        if let index = deltas.index(forKey: key) { body(&deltas.values[index]) }
    }

    /// Drops what is known of the relationships of an object that is gone and never had a row.
    func forgetAll(of object: ManagedObject) {
        object.related = [:]
        if deltas.isEmpty { return }
        for slot in object.entity.relationshipSlots {
            deltas[Key(owner: object.objectID, slot: slot)] = nil
        }
    }

    /// Drops the unsaved changes of owners that are gone.
    func forgetDeltas(of owners: Set<ManagedObjectID>) {
        if !deltas.isEmpty { deltas = deltas.filter { !owners.contains($0.key.owner) } }
    }

    /// The members in their order, of a relationship that has one; with those that are just being deleted.
    private func wholeOrder(of key: Key) -> [ManagedObject]? {
        let entity = core.model.entity(named: key.owner.entity)
        guard entity?.relationship(at: key.slot)?.isOrdered ?? false, let owner = owner(key.owner),
            !owner.isGone
        else { return nil }
        let delta = deltas[key]
        if case .many(let known)? = owner.related[key.slot], known.ids == nil {
            owner.related[key.slot] = nil
        }
        guard let known = try? known(owner, key.slot) else { return nil }
        let ids = storedIDs(known, delta)
        guard let delta else { return core.registry.faults(ids) }
        return ordered(ids, delta) { core.registry.faults($0) }
    }

    private func noteOrder(of key: Key) { core.undoLog.noteOrder(of: key) { notedOrder(of: key) } }

    /// The order of before, while members only went since: whoever goes back to it passes over those that are
    /// not there.
    private func notedOrder(of key: Key) -> [ManagedObject]? {
        if let known = knownMembers(of: key), let order = known.notedOrder { return order }
        let order = wholeOrder(of: key)
        knownMembers(of: key)?.notedOrder = order
        return order
    }

    private func knownMembers(of key: Key) -> KnownMembers? {
        guard case .many(let known)? = core.registry.object(key.owner)?.related[key.slot],
            known.epoch == epoch
        else { return nil }
        return known
    }

    /// Notes the orders of an owner's members before the owner is deleted, and they perhaps with it.
    func noteOrders(of owner: ManagedObject) {
        if !core.undoLog.isNoting { return }
        for slot in owner.entity.relationshipSlots {
            noteOrder(of: Key(owner: owner.objectID, slot: slot))
        }
    }

    /// Gives an owner's members the order that they had. Where that is how they come anyway, nobody gave it.
    func setOrderAgain(_ order: [ManagedObject], of key: Key) {
        setOrder(nil, of: key)
        changeKnownDelta(of: key) { $0.forgetOrder() }
        guard let now = wholeOrder(of: key) else { return }
        let members = Set(now.map(ObjectIdentifier.init))
        let order = order.filter { members.contains(ObjectIdentifier($0)) }
        if now != order { setOrder(order, of: key) }
    }

    /// Gives an owner's members an order; nil takes the order back that somebody gave.
    func setOrder(_ order: [ManagedObject]?, of key: Key) {
        noteOrder(of: key)
        knownMembers(of: key)?.notedOrder = nil
        changeDelta(of: key) { $0.setOrder(order) }
        if let owner = core.registry.object(key.owner) {
            if order != nil { _ = core.changes.touch(owner) }
            core.changes.noteRefreshed(owner, membersOnly: true)
        }
    }

    /// The members of all relationships to many of an object, in their order.
    func pairs(of object: ManagedObject) -> [UndoStep.Pair] {
        object.entity.relationshipSlots.flatMap { slot -> [UndoStep.Pair] in
            guard let relationship = object.entity.relationship(at: slot), relationship.isToMany else {
                return []
            }
            return orderedMembers(of: object, at: slot).map { UndoStep.Pair(slot: slot, member: $0) }
        }
    }

    /// Whether pairs or an order of the object are not saved.
    func hasChanges(of object: ManagedObject) -> Bool {
        object.entity.relationshipSlots.contains { slot in
            deltas[Key(owner: object.objectID, slot: slot)].map { !$0.isNothing } ?? false
        }
    }

    // MARK: Ends of changes

    /// After a save: what was changed is what the source has.
    func didSave() {
        for (key, delta) in deltas {
            guard let object = core.registry.object(key.owner.current),
                case .many(let known)? = object.related[key.slot]
            else { continue }
            let isOrdered = object.entity.relationship(at: key.slot)?.isOrdered ?? false
            if known.set != nil && known.stamp == delta.stamp && !isOrdered {
                (known.ids, known.stamp, known.typed) = (nil, 0, nil)
            } else {
                object.related[key.slot] = nil
            }
        }
        deltas = [:]
    }

    func forgetChanges() { deltas = [:] }

    /// Owners got permanent IDs before their save.
    func rename(_ names: [(old: ManagedObjectID, new: ManagedObjectID)]) {
        for (old, new) in names {
            for slot in core.model.entity(named: new.entity)?.relationshipSlots ?? [] {
                guard let delta = deltas.removeValue(forKey: Key(owner: old, slot: slot)) else { continue }
                deltas[Key(owner: new, slot: slot)] = delta
            }
        }
    }

    /// Drops members that were read and may be out of date.
    func invalidate() { epoch += 1 }
}
