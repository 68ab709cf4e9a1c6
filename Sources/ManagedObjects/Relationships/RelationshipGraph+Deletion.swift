// The effect of deleting an object on related objects.
extension RelationshipGraph {
    /// Takes the object out of what leads to it, and nullifies where the delete rules say so.
    ///
    /// - Returns: the objects that are to be deleted with it.
    func propagateDeletion(of object: ManagedObject) -> [ManagedObject] {
        var parts: [ManagedObject] = []
        for slot in object.entity.relationshipSlots {
            guard let relationship = object.entity.relationship(at: slot) else { continue }
            relationship.isToMany
                ? leaveMany(object, slot: slot, relationship: relationship, parts: &parts)
                : leaveOne(object, slot: slot, relationship: relationship, parts: &parts)
        }
        return parts
    }

    private func leaveOne(
        _ object: ManagedObject, slot: Int, relationship: RelationshipDescription,
        parts: inout [ManagedObject]
    ) {
        guard let id = object.values[slot].target else { return }
        if relationship.deleteRule == .cascade, let other = target(of: object, at: slot) {
            parts.append(other)
        }
        if relationship.inverseSlot < 0 { return }
        if relationship.inverseIsToMany {
            change(id, relationship.inverseSlot, object, isThere: false)
        } else if relationship.deleteRule == .nullify, let other = target(of: object, at: slot),
            !other.isGone,
            other.value(at: relationship.inverseSlot)?.target == object.objectID
        {
            link(other, relationship.inverseSlot, nil)
        }
    }

    private func leaveMany(
        _ object: ManagedObject, slot: Int, relationship: RelationshipDescription,
        parts: inout [ManagedObject]
    ) {
        let isPairs = relationship.inverseIsToMany
        if !isPairs && (relationship.deleteRule == .deny || relationship.deleteRule == .noAction) { return }
        let others = orderedMembers(of: object, at: slot)
        // Objects that are deleted or changed are read, in few reads.
        if relationship.deleteRule == .cascade || !isPairs {
            do { try core.registry.fill(others) } catch { return core.noteLostChange(error) }
        }
        for other in others {
            if relationship.deleteRule == .cascade { parts.append(other) }
            if isPairs {
                change(other.objectID, relationship.inverseSlot, object, isThere: false)
            } else if relationship.deleteRule == .nullify, !other.isGone,
                other.value(at: relationship.inverseSlot)?.target == object.objectID
            {
                link(other, relationship.inverseSlot, nil)
            }
        }
    }
}
