// What merge policies do.
extension ContextCore {
    /// Settles what kept a save from being made, so that it can be tried again.
    ///
    /// - Throws: the error itself when the policy does not settle it.
    func settle(_ error: StoreError) throws {
        if case .error = mergePolicy.rule { throw error }
        switch error {
        case .conflict(let id): if try settleRows() + settleTargets(of: id) == 0 { throw error }
        case .notUnique(_, let properties): if try settleUnique(properties) == 0 { throw error }
        default: throw error
        }
        processPendingChanges()
    }

    private func rule(_ conflict: MergeConflict) throws -> MergePolicy.Rule {
        var rule = mergePolicy.rule
        while case .custom(let resolver) = rule { rule = try resolver.resolve(conflict).rule }
        return rule
    }

    // MARK: Rows that others changed

    /// - Returns: how many conflicts there were.
    private func settleRows() throws -> Int {
        let objects = changes.updated.all + changes.deleted.all
        let rows = Dictionary(
            uniqueKeysWithValues: try source.rows(objects.map(\.objectID)).map { ($0.id, $0) })
        var decided: [(ManagedObject, ObjectRow?, MergePolicy.Rule)] = []
        for object in objects {
            let row = rows[object.objectID], snapshot = object.snapshot ?? object.values
            if let row, !isConflict(row, object, snapshot) { continue }
            let conflict = MergeConflict(
                sourceObject: object, oldVersionNumber: object.version, newVersionNumber: row?.version ?? 0,
                snapshot: snapshot, row: row?.values)
            decided.append((object, row, try rule(conflict)))
        }
        for case (_, _, .error) in decided { throw StoreError.conflict(decided[0].0.objectID) }
        for (object, row, rule) in decided {
            switch (row, object.status) {
            case (let row?, .deleted): settleDeletion(of: object, row, rule)
            case (let row?, _): settleChange(of: object, row, rule)
            case (nil, .deleted): lose(object)
            case (nil, _): settleLoss(of: object, rule)
            }
        }
        return decided.count
    }

    /// Of a parent's objects it is the values that tell, since their rows' versions are the store's.
    private func isConflict(_ row: ObjectRow, _ object: ManagedObject, _ snapshot: [StoredValue]) -> Bool {
        if !source.wantsPermanentIDs { return row.version != object.version }
        return !object.entity.columnSlots.allSatisfy {
            row.values[$0].current.isIdentical(to: snapshot[$0].current)
        }
    }

    private func settleChange(of object: ManagedObject, _ row: ObjectRow, _ rule: MergePolicy.Rule) {
        let (before, ours) = (object.snapshot ?? object.values, object.values)
        if case .rollback = rule {
            refresh(object, mergeChanges: false)
            object.version = row.version
            return
        }
        take(row)
        relationships.settle(object)
        for slot in object.entity.columnSlots {
            switch rule {
            case .storeTrump:
                if !row.values[slot].isIdentical(to: before[slot]) { set(row.values[slot], slot, of: object) }
            case .overwrite: set(ours[slot], slot, of: object)
            default: break
            }
        }
    }

    private func set(_ value: StoredValue, _ slot: Int, of object: ManagedObject) {
        if object.values[slot].current.isIdentical(to: value.current) { return }
        if object.entity.relationship(at: slot) == nil { return object.setValue(value, at: slot) }
        let target = value.target.flatMap { registry.fault($0) }
        relationships.setTarget(of: object, at: slot, to: target.flatMap { $0.isGone ? nil : $0 })
    }

    private func settleDeletion(of object: ManagedObject, _ row: ObjectRow, _ rule: MergePolicy.Rule) {
        switch rule {
        case .objectTrump, .overwrite:
            (object.version, object.values) = (row.version, row.values)
            object.snapshot = nil
        default:
            // Not deleted after all; who led there leads there again.
            changes.didRevive(object)
            changes.forget(object)
            (object.values, object.version, object.related) = (row.values, row.version, [:])
            relationships.leadBack(to: object)
            changes.noteRefreshed(object)
        }
    }

    /// Somebody else deleted it, and so it stays.
    private func lose(_ object: ManagedObject) {
        relationships.letGo(of: [object.objectID])
        changes.noteDeleted(object.objectID)
        object.status = .detached
        relationships.withdraw(object)
        changes.didLose(object)
        registry.remove(object)
    }

    private func settleLoss(of object: ManagedObject, _ rule: MergePolicy.Rule) {
        switch rule {
        case .objectTrump, .overwrite:
            for slot in object.entity.toOneSlots {
                guard let target = object.values[slot].target, target.key > 0,
                    (try? source.rows([target]))?.isEmpty ?? true
                else { continue }
                set(.null, slot, of: object)
            }
            changes.didLoseRow(of: object)
        default: lose(object)
        }
    }

    /// An object that leads to what a parent does not have any more leads nowhere, whoever wins.
    private func settleTargets(of id: ManagedObjectID) throws -> Int {
        guard let object = registry.object(id), !object.isGone else { return 0 }
        var count = 0
        for slot in object.entity.toOneSlots {
            guard let target = object.values[slot].target, registry.object(target)?.status != .inserted,
                try source.rows([target]).isEmpty
            else { continue }
            count += 1
            if let gone = registry.object(target) { lose(gone) } else { set(.null, slot, of: object) }
        }
        return count
    }

    // MARK: Unique values that others have

    private func settleUnique(_ properties: [String]) throws -> Int {
        var count = 0
        for object in changes.inserted.all + changes.updated.all where !object.isGone {
            guard object.entity.uniquenessConstraints.contains(where: { Set($0) == Set(properties) }),
                let row = try rival(of: object, properties)
            else { continue }
            let other = registry.object(row)
            if other.status == .deleted { continue }
            count += 1
            let rule = try rule(
                MergeConflict(
                    sourceObject: object, oldVersionNumber: object.version, newVersionNumber: row.version,
                    snapshot: object.snapshot ?? object.values, row: row.values))
            switch (rule, object.status) {
            case (.error, _): throw StoreError.notUnique(entity: object.entity.name, properties: properties)
            case (.objectTrump, .inserted), (.overwrite, .inserted):
                replace(object, by: other, isBetter: true)
            case (_, .inserted): replace(object, by: other, isBetter: false)
            case (.objectTrump, _), (.overwrite, _): delete(other)
            case (.rollback, _): refresh(object, mergeChanges: false)
            default:
                for slot in properties.compactMap({ object.entity.slot(of: $0) }) {
                    if let before = object.snapshot?[slot] { set(before, slot, of: object) }
                }
            }
        }
        return count
    }

    /// The row that has the object's unique values.
    private func rival(of object: ManagedObject, _ properties: [String]) throws -> ObjectRow? {
        var predicate: PredicateNode?
        for name in properties {
            guard let slot = object.entity.slot(of: name) else { return nil }
            let test = PredicateNode.compare(
                .property(PropertyPath(names: [name])), .equal, .constant(object.values[slot]))
            predicate = predicate.map { .and($0, test) } ?? test
        }
        let fetch = FetchDescription(
            entity: model.entities[object.entity.rootIndex], predicate: predicate,
            order: FetchOrder(terms: []))
        return try source.rows(fetch).first { $0.id != object.objectID }
    }

    /// A new object goes in favor of the one that has its unique values already. Who led to it leads to that
    /// one; what goes with it when it is deleted goes, unless it is the better one: then the other gets its
    /// values and its parts.
    private func replace(_ object: ManagedObject, by other: ManagedObject, isBetter: Bool) {
        if isBetter {
            for slot in object.entity.columnSlots where other.entity.isKind(of: object.entity) {
                set(object.values[slot], slot, of: other)
            }
        }
        for slot in object.entity.relationshipSlots {
            guard let relationship = object.entity.relationship(at: slot), relationship.isToMany,
                isBetter || relationship.deleteRule != .cascade, other.entity.relationship(at: slot) != nil
            else { continue }
            for member in relationships.orderedMembers(of: object, at: slot) {
                relationships.insert(member, into: other, at: slot)
            }
        }
        for leading in changes.inserted.all + changes.updated.all where leading !== object {
            for slot in leading.entity.toOneSlots where leading.values[slot].target == object.objectID {
                // Parts go with their whole.
                let inverse = leading.entity.relationship(at: slot).map(\.inverseSlot) ?? -1
                let isPart = inverse >= 0 && object.entity.relationship(at: inverse)?.deleteRule == .cascade
                if isBetter || !isPart { relationships.setTarget(of: leading, at: slot, to: other) }
            }
        }
        delete(object)
    }
}

extension RelationshipGraph {
    /// A deletion was taken back: who led to the object before leads there again.
    func leadBack(to object: ManagedObject) {
        for other in core.changes.updated.all {
            guard let before = other.snapshot else { continue }
            for slot in other.entity.toOneSlots
            where before[slot].target == object.objectID && other.values[slot].target == nil {
                setTarget(of: other, at: slot, to: object)
            }
            core.changes.forgetIfAsBefore(other)
        }
        for (key, delta) in deltas where delta.removed.contains(object.objectID) {
            deltas[key]?.forgetRemoval(of: object)
            if let owner = core.registry.object(key.owner) {
                owner.related[key.slot] = nil
                core.changes.noteRefreshed(owner)
            }
        }
    }
}
