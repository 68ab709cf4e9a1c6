// Changes of two sides, one on top of the other.
extension RelationshipGraph {
    /// Somebody else deleted these rows: what leads there by a change that is not saved yet leads nowhere.
    ///
    /// - Complexity: O(unsaved objects).
    func letGo(of ids: Set<ManagedObjectID>) {
        if ids.isEmpty { return }
        for object in core.changes.inserted.all + core.changes.updated.all {
            for slot in object.entity.toOneSlots {
                if let target = object.values[slot].target, ids.contains(target) { link(object, slot, nil) }
            }
        }
        forgetDeltas(of: ids)
    }

    /// Takes back what an object's changed keys did to their owners' objects, before its row is read again.
    func withdraw(_ object: ManagedObject) {
        forEachMove(object) { from, to, slot in
            if let from {
                changeKnownDelta(of: Key(owner: from, slot: slot)) { $0.forgetRemoval(of: object) }
            }
            if let to { changeKnownDelta(of: Key(owner: to, slot: slot)) { $0.forgetAddition(of: object) } }
        }
    }

    /// Does it again, on top of the row as it is now.
    func reapply(_ object: ManagedObject) {
        forEachMove(object) { from, to, slot in
            if let from { changeDelta(of: Key(owner: from, slot: slot)) { $0.remove(object) } }
            if let to { changeDelta(of: Key(owner: to, slot: slot)) { $0.insert(object) } }
        }
    }

    private func forEachMove(
        _ object: ManagedObject, _ body: (ManagedObjectID?, ManagedObjectID?, _ slot: Int) -> Void
    ) {
        guard let snapshot = object.snapshot else { return }
        for slot in object.entity.toOneSlots {
            guard let relationship = object.entity.relationship(at: slot), relationship.inverseIsToMany else {
                continue
            }
            let (from, to) = (snapshot[slot].target, object.values[slot].target)
            if from != to { body(from, to, relationship.inverseSlot) }
        }
    }

    /// After rows were read anew: of two that are each other's only one, a change that is not saved yet wins.
    func settle(_ object: ManagedObject) {
        for slot in object.entity.toOneSlots {
            guard let relationship = object.entity.relationship(at: slot), relationship.inverseSlot >= 0,
                !relationship.inverseIsToMany, let id = object.values[slot].target,
                let partner = core.registry.object(id), !partner.isGone, let before = partner.snapshot,
                partner.values[relationship.inverseSlot].target != object.objectID,
                partner.values[relationship.inverseSlot] != before[relationship.inverseSlot]
            else { continue }
            link(object, slot, nil)
        }
    }

    /// Takes back what was done to an object's own relationships, both ends.
    func revert(_ object: ManagedObject) {
        if let snapshot = object.snapshot {
            for slot in object.entity.toOneSlots where object.values[slot].target != snapshot[slot].target {
                let before = snapshot[slot].target.flatMap { core.registry.fault($0) }
                setTarget(of: object, at: slot, to: before.flatMap { $0.isGone ? nil : $0 })
            }
        }
        for slot in object.entity.relationshipSlots {
            guard let relationship = object.entity.relationship(at: slot), relationship.isToMany else {
                continue
            }
            let key = Key(owner: object.objectID, slot: slot)
            if relationship.inverseIsToMany, let delta = deltas[key] {
                for member in delta.added {
                    pair(
                        object, slot: slot, with: member, otherSlot: relationship.inverseSlot, isThere: false)
                }
                for id in delta.removed {
                    guard let member = core.registry.fault(id), !member.isGone else { continue }
                    pair(object, slot: slot, with: member, otherSlot: relationship.inverseSlot, isThere: true)
                }
            }
            changeKnownDelta(of: key) { $0.forgetOrder() }
        }
    }
}
