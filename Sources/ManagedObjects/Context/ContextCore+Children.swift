// Rows from a parent to its children.
extension ContextCore {
    /// Errors of faults that come up on the way are the child's.
    func lendRows<Value>(_ body: () throws -> Value) throws -> Value {
        try obtainPermanentIDs(for: changes.inserted.all)
        let before = faultErrorCount
        let value = try body()
        try throwFaultError(after: before)
        return value
    }

    /// The objects as rows; those that turn out to be gone are left out.
    func rows(of objects: [ManagedObject]) throws -> [ObjectRow] {
        try registry.fill(objects)
        return objects.compactMap { object in
            if object.isGone || object.values.isEmpty { return nil }
            var values = object.values
            for slot in object.entity.memorySlots { values[slot] = .null }
            return ObjectRow(
                id: object.objectID, entity: object.entity, version: object.version, values: values)
        }
    }
}

// Changes from children to their parent.
extension ContextCore {
    /// Makes a child's changes this context's. All of them or, when one is against something that changed
    /// here since the child read it, none.
    ///
    /// - Throws: ``StoreError/conflict(_:)``, ``StoreError/readOnly``.
    func apply(_ plan: SavePlan) throws {
        if isReadOnly { throw StoreError.readOnly }
        let touched = try checkConflicts(plan)
        let inserted = plan.inserts.map { insert in
            // An object that was lost here and is written again there.
            if let known = registry.object(insert.id) {
                if known.values.isEmpty { known.rowState.load(known.entity.defaultValues()) }
                known.status == .deleted ? changes.didRevive(known) : changes.didLoseRow(of: known)
                return known
            }
            let object = registry.make(insert.entity, insert.id)
            changes.didInsert(object)
            return object
        }
        withExtendedLifetime((touched, inserted)) {
            for (insert, object) in zip(plan.inserts, inserted) {
                set(insert.values, insert.entity.columnSlots, of: object)
            }
            for update in plan.updates {
                guard let object = registry.object(update.id), changes.touch(object) else { continue }
                set(update.values, update.slots, of: object)
            }
            for link in plan.links { apply(link) }
            for order in plan.orders { apply(order) }
            for delete in plan.deletes { if let object = registry.object(delete.id) { self.delete(object) } }
        }
        takeOver(plan.taken)
    }

    /// - Returns: the objects that are going to be changed.
    private func checkConflicts(_ plan: SavePlan) throws -> [ManagedObject] {
        let known =
            plan.updates.map { ($0.id, $0.snapshot) } + plan.deletes.map { ($0.id, $0.snapshot) }
        let objects = try readObjects(known.map(\.0))
        for (id, snapshot) in known {
            guard let object = registry.object(id), !object.isGone,
                object.entity.hasSameValues(object.values, snapshot)
            else { throw StoreError.conflict(id) }
        }
        let new = Set(plan.inserts.map(\.id))
        var targets: [(owner: ManagedObjectID, target: ManagedObjectID)] = []
        for insert in plan.inserts {
            targets += insert.entity.toOneSlots.compactMap { slot in
                insert.values[slot].target.map { (insert.id, $0) }
            }
        }
        for update in plan.updates {
            targets += update.slots.compactMap { slot in update.values[slot].target.map { (update.id, $0) } }
        }
        for link in plan.links { targets += link.added.map { (link.owner, $0.current) } }
        let wanted = targets.filter { !new.contains($0.target) }
        let others = try readObjects(Array(Set(wanted.map(\.target))))
        for (owner, target) in wanted where registry.object(target)?.isGone ?? true {
            throw StoreError.conflict(owner)
        }
        return objects + others
    }

    private func set(_ values: [StoredValue], _ slots: [Int], of object: ManagedObject) {
        for slot in slots {
            if object.entity.relationship(at: slot) != nil {
                let target = values[slot].target.flatMap { registry.fault($0) }
                relationships.setTarget(of: object, at: slot, to: target)
            } else if !object.values[slot].isIdentical(to: values[slot]) {
                object.setValue(values[slot], at: slot)
            }
        }
    }

    private func apply(_ link: SavePlan.Link) {
        guard let owner = registry.object(link.owner) else { return }
        for member in link.removed.compactMap({ registry.fault($0) }) where !member.isGone {
            relationships.remove(member, from: owner, at: link.slot)
        }
        for member in link.added.compactMap({ registry.fault($0) }) {
            relationships.insert(member, into: owner, at: link.slot)
        }
    }

    /// Members that came here meanwhile stand behind those whose order is known.
    private func apply(_ order: SavePlan.Order) {
        guard let owner = registry.object(order.owner) else { return }
        let now = relationships.orderedMembers(of: owner, at: order.slot)
        let members = Set(now),
            given = order.members.compactMap { registry.fault($0) }.filter(members.contains)
        let others = now.filter { !given.contains($0) }
        relationships.setOrderedMembers(
            of: owner, at: order.slot, to: order.isComplete ? given + others : others + given)
    }
}
