// Relationships: the key in the to-one side's row is the truth; both ends are kept in step as it changes.
extension ContextCore {
    /// What a relationship to one leads to: in memory, or a fault.
    func target(of object: ManagedObject, at slot: Int) -> ManagedObject? {
        guard case .relationship(let relationship) = object.entity.properties[slot],
            case .int(let key)? = object.value(at: slot)
        else { return nil }
        if case .one(let known)? = object.related[slot], known.objectID.key == key { return known }
        guard let found = targetObject(model.destination(of: relationship), key) else { return nil }
        object.related[slot] = .one(found)
        return found
    }

    private func targetObject(_ entity: EntityDescription, _ key: Int64) -> ManagedObject? {
        if let object = registeredObject(entity, key) { return object }
        // Which of the sub-entities it is stands in its row alone.
        if entity.hasSubentities { return self.object(ManagedObjectID(entity.entityName, key: key)) }
        return makeObject(entity, ManagedObjectID(entity.entityName, key: key))
    }

    /// What a relationship to many leads to.
    func members(of object: ManagedObject, at slot: Int) -> Set<ManagedObject> {
        if case .many(let known, let epoch)? = object.related[slot], epoch == self.epoch { return known }
        guard case .relationship(let relationship) = object.entity.properties[slot] else { return [] }
        let entity = model.destination(of: relationship)
        let inverse = relationship.inverseSlot, key = StoredValue.int(object.objectID.key)
        var members: Set<ManagedObject> = []
        if object.objectID.key > 0 {
            let test = PredicateNode.compare(
                .property(PropertyPath(names: [relationship.inverseName])), .equal, .constant(key))
            do {
                let found = try fetchRows(
                    FetchDescription(entity: entity, predicate: test, order: FetchOrder(terms: [])))
                // Read, but changed here since: the row says what was.
                members = Set(found.filter { !$0.isGone && $0.value(at: inverse) == key })
            } catch { note(error) }
        }
        for changed in inserted.all + updated.all
        where changed.isKind(of: entity) && !changed.isGone && changed.value(at: inverse) == key {
            members.insert(changed)
        }
        object.related[slot] = .many(members, epoch: epoch)
        return members
    }

    func setTarget(of object: ManagedObject, at slot: Int, to target: ManagedObject?) {
        guard case .relationship(let relationship) = object.entity.properties[slot] else { return }
        if let target, target.core !== self {
            misuse("\(object.objectID) and \(target.objectID) are in different contexts")
        }
        let old = self.target(of: object, at: slot)
        if old === target { return }
        if let old { unlink(old, from: object, at: relationship.inverseSlot) }
        guard let target else { return link(object, slot, nil) }
        if !relationship.inverseIsToMany,
            let rival = self.target(of: target, at: relationship.inverseSlot), rival !== object
        {
            link(rival, slot, nil)
        }
        link(object, slot, target)
        if relationship.inverseIsToMany {
            change(target, relationship.inverseSlot) { $0.insert(object) }
        } else {
            link(target, relationship.inverseSlot, object)
        }
    }

    func setMembers(of object: ManagedObject, at slot: Int, to members: Set<ManagedObject>) {
        guard case .relationship(let relationship) = object.entity.properties[slot] else { return }
        let old = self.members(of: object, at: slot)
        for gone in old.subtracting(members) { setTarget(of: gone, at: relationship.inverseSlot, to: nil) }
        // By key: what a save writes does not depend on how a set happens to be ordered.
        for new in members.subtracting(old).sorted(by: { $0.objectID.key > $1.objectID.key }) {
            setTarget(of: new, at: relationship.inverseSlot, to: object)
        }
    }

    /// Takes `object` out of the end of a relationship that `other` has at `slot`.
    func unlink(_ other: ManagedObject, from object: ManagedObject, at slot: Int) {
        guard case .relationship(let relationship) = other.entity.properties[slot] else { return }
        if relationship.isToMany {
            change(other, slot) { $0.remove(object) }
        } else if target(of: other, at: slot) === object {
            link(other, slot, nil)
        }
    }

    private func link(_ object: ManagedObject, _ slot: Int, _ target: ManagedObject?) {
        object.setValue(target.map { .int($0.objectID.key) } ?? .null, at: slot)
        object.related[slot] = target.map { .one($0) }
    }

    /// Changes a set that was gathered already; one that was not will be right when it is. Its owner counts
    /// as changed, so that lists look at it again, though no row of its own is written.
    private func change(_ object: ManagedObject, _ slot: Int, _ body: (inout Set<ManagedObject>) -> Void) {
        if case .many(var members, let epoch)? = object.related[slot], epoch == self.epoch {
            body(&members)
            object.related[slot] = .many(members, epoch: epoch)
        }
        if object.status == .saved { pending.refreshed.append(object) }
    }
}

extension ManagedObject {
    /// As `isDeleted`, for those who are on the queue already.
    final var isGone: Bool { status == .deleted || status == .detached }

    /// Whether the object is of `entity` or one that inherits from it.
    final func isKind(of entity: EntityDescription) -> Bool {
        if self.entity === entity { return true }
        guard entity.hasSubentities, let core else { return false }
        return core.model.family(of: entity).contains { $0 === self.entity }
    }
}
