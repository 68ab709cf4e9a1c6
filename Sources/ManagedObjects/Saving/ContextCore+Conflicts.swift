/// Settles what merge policies settle.
///
/// | | error | store trump | object trump | overwrite | rollback |
/// |---|---|---|---|---|---|
/// | changed here and there | throws | their slots win | our slots win | our row wins | their row |
/// | changed here, deleted there | throws | lost | inserted again | inserted again | lost |
/// | deleted here, changed there | throws | not deleted | deleted | deleted | not deleted |
/// | new here, unique value taken | throws | goes | becomes the other's values | the same | goes |
/// | changed here, unique value taken | throws | old value | the other goes | the other goes | refreshed |
///
/// Two unsaved objects with one unique value are settled as if the first were the store's.
extension ContextCore {
    /// Settles what kept a save from being made, so that it can be tried again.
    ///
    /// - Throws: the error itself when the policy does not settle it.
    func settle(_ error: StoreError) throws {
        if case .error = mergePolicy.rule { throw error }
        switch error {
        case .conflict(let id):
            // Members that were read before may have gone elsewhere.
            relationships.invalidate()
            if try settleRows() + settleTargets(of: id) == 0 { throw error }
        case .notUnique(_, let properties, _): if try settleUnique(properties) == 0 { throw error }
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
        var rows: [ManagedObjectID: ObjectRow] = [:]
        for row in try source.rows(objects.map(\.objectID)) { rows[row.id] = row }
        var decided: [(ManagedObject, ObjectRow?, MergePolicy.Rule)] = []
        for object in objects {
            let row = rows[object.objectID], snapshot = object.snapshot ?? object.values
            if let row, !isConflict(row, object, snapshot) { continue }
            let conflict = MergeConflict(
                sourceObject: object, oldVersionNumber: object.version, newVersionNumber: row?.version ?? 0,
                snapshot: snapshot, row: row?.values)
            decided.append((object, row, try rule(conflict)))
        }
        for case (let object, _, .error) in decided { throw StoreError.conflict(object.objectID) }
        for (object, row, rule) in decided {
            switch (row, object.status) {
            case (let row?, .deleted): settleDeletion(of: object, row, rule)
            case (let row?, _): settleChange(of: object, row, rule)
            case (nil, .deleted): lose([object.objectID])
            case (nil, _): try settleLoss(of: object, rule)
            }
        }
        return decided.count
    }

    /// Objects of a parent are compared by values, since the versions of their rows are the store's.
    private func isConflict(_ row: ObjectRow, _ object: ManagedObject, _ snapshot: [StoredValue]) -> Bool {
        if !source.wantsPermanentIDs { return row.version != object.version }
        return !object.entity.hasSameValues(row.values, snapshot)
    }

    private func settleChange(of object: ManagedObject, _ row: ObjectRow, _ rule: MergePolicy.Rule) {
        if case .rollback = rule { return refresh(object, mergeChanges: false) }
        let (before, ours) = (object.snapshot ?? object.values, object.values)
        merge(row)
        relationships.settle(object)
        for slot in object.entity.columnSlots {
            switch rule {
            case .storeTrump:
                if !row.values[slot].isIdentical(to: before[slot]) { set(row.values[slot], slot, of: object) }
            case .overwrite: set(ours[slot], slot, of: object)
            case .objectTrump, .error, .rollback, .custom: break
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
        case .objectTrump, .overwrite: object.rowState.refresh(row.values, version: row.version)
        case .storeTrump, .rollback, .error, .custom:
            // Not deleted after all; what led there leads there again.
            changes.didRevive(object)
            changes.forget(object)
            object.rowState.refresh(row.values, version: row.version)
            object.related = [:]
            relationships.leadBack(to: object)
            changes.noteRefreshed(object)
        }
    }

    private func settleLoss(of object: ManagedObject, _ rule: MergePolicy.Rule) throws {
        switch rule {
        case .objectTrump, .overwrite:
            for slot in object.entity.toOneSlots {
                guard let target = object.values[slot].target, target.key > 0,
                    try source.rows([target]).isEmpty
                else { continue }
                set(.null, slot, of: object)
            }
            changes.didLoseRow(of: object)
        case .storeTrump, .rollback, .error, .custom: lose([object.objectID])
        }
    }

    /// An object that leads to what a parent does not have any more leads nowhere, whoever wins. A parent
    /// names one such object per attempt, so all are looked at.
    private func settleTargets(of id: ManagedObjectID) throws -> Int {
        let objects =
            source.wantsPermanentIDs
            ? changes.inserted.all + changes.updated.all : [registry.object(id)].compactMap { $0 }
        var leading: [(target: ManagedObjectID, object: ManagedObject, slot: Int)] = []
        for object in objects where !object.isGone && !object.values.isEmpty {
            for slot in object.entity.toOneSlots {
                guard let target = object.values[slot].target, registry.object(target)?.status != .inserted
                else { continue }
                leading.append((target, object, slot))
            }
        }
        let wanted = Set(leading.map(\.target))
        // A key may say no more than an entity that others inherit from.
        let found = Set(try source.rows(Array(wanted)).map { RowKey($0.id, model) })
        var count = 0
        for (target, object, slot) in leading where !found.contains(RowKey(target, model)) {
            count += 1
            if registry.object(target) != nil { lose([target]) } else { set(.null, slot, of: object) }
        }
        return count
    }

    // MARK: Unique values that others have

    /// - Complexity: O(unsaved objects), with one read per thousand of them.
    private func settleUnique(_ properties: [String]) throws -> Int {
        let objects = (changes.inserted.all + changes.updated.all).filter { object in
            !object.isGone && !object.values.isEmpty
                && object.entity.constraintSlots.contains { slots in
                    Set(slots.map { object.entity.slots[$0].name }) == Set(properties)
                }
        }
        let leading = LeadingObjects(changes.inserted.all + changes.updated.all)
        var count = 0
        for (entity, objects) in Dictionary(grouping: objects, by: { declaringEntity($0, properties).index })
        {
            let slots = properties.compactMap { model.entities[entity].slot(of: $0) }
            count += try settleDuplicates(objects, properties: properties, slots: slots, leading: leading)
            count += try settleRivals(
                objects, entity: model.entities[entity], properties: properties, slots: slots,
                leading: leading)
        }
        return count
    }

    /// The topmost entity that has the properties: rows of all its subentities share their values.
    private func declaringEntity(_ object: ManagedObject, _ properties: [String]) -> EntityDescription {
        let slots = properties.compactMap { object.entity.slot(of: $0) }
        return model.declarer(of: slots.max() ?? 0, in: object.entity)
    }

    /// The values that no other row may have; nil where one of them is null, which is unlike any other.
    private func uniqueValues(_ values: [StoredValue], _ slots: [Int]) -> [StoredValue]? {
        let found = slots.map { values[$0].current }
        return found.contains { if case .null = $0 { true } else { false } } ? nil : found
    }

    /// Unsaved objects that have each other's values: of two the one whose row has the values stays, else the
    /// one that has a row, else the first.
    private func settleDuplicates(
        _ objects: [ManagedObject], properties: [String], slots: [Int], leading: LeadingObjects
    ) throws -> Int {
        var known: [[StoredValue]: ManagedObject] = [:], count = 0
        for object in objects where !object.isGone {
            guard let values = uniqueValues(object.values, slots) else { continue }
            guard let first = known[values], !first.isGone else {
                known[values] = object
                continue
            }
            let (kept, going) =
                rank(object, values, slots) > rank(first, values, slots) ? (object, first) : (first, object)
            try settle(
                going, against: kept, values: kept.values, version: kept.version, properties: properties,
                slots: slots, leading: leading)
            known[values] = kept.isGone ? going : kept
            count += 1
        }
        return count
    }

    private func rank(_ object: ManagedObject, _ values: [StoredValue], _ slots: [Int]) -> Int {
        if object.status != .saved { return 0 }
        return uniqueValues(object.snapshot ?? object.values, slots) == values ? 2 : 1
    }

    /// Unsaved objects that have the values of rows.
    private func settleRivals(
        _ objects: [ManagedObject], entity: EntityDescription, properties: [String], slots: [Int],
        leading: LeadingObjects
    ) throws -> Int {
        var count = 0, next = 0
        while next < objects.count {
            let some = objects[next..<min(next + 1000, objects.count)]
            next += some.count
            var wanted: [[StoredValue]: ManagedObject] = [:]
            for object in some where !object.isGone && !object.values.isEmpty {
                if let values = uniqueValues(object.values, slots) { wanted[values] = object }
            }
            if wanted.isEmpty { continue }
            let fetch = FetchDescription(
                entity: entity,
                predicate: .isIn(.property(PropertyPath(names: [properties[0]])), wanted.keys.map { $0[0] }),
                order: FetchOrder(terms: []))
            for row in try source.rows(fetch) {
                guard let values = uniqueValues(row.values, slots), let object = wanted[values],
                    row.id != object.objectID, !object.isGone, !object.values.isEmpty
                else { continue }
                let other = registry.object(row)
                // A row that goes, or gives its values up, is no rival.
                if other.isGone || uniqueValues(other.values, slots) != values { continue }
                try settle(
                    object, against: other, values: row.values, version: row.version, properties: properties,
                    slots: slots, leading: leading)
                count += 1
            }
        }
        return count
    }

    private func settle(
        _ object: ManagedObject, against other: ManagedObject, values: [StoredValue], version: Int64,
        properties: [String], slots: [Int], leading: LeadingObjects
    ) throws {
        let rule = try rule(
            MergeConflict(
                sourceObject: object, oldVersionNumber: object.version, newVersionNumber: version,
                snapshot: object.snapshot ?? object.values, row: values))
        switch (rule, object.status) {
        case (.error, _):
            throw StoreError.notUnique(
                entity: object.entity.name, properties: properties, values: slots.map { object.values[$0] })
        case (.objectTrump, .inserted), (.overwrite, .inserted):
            replace(object, by: other, isBetter: true, leading)
        case (_, .inserted): replace(object, by: other, isBetter: false, leading)
        case (.objectTrump, _), (.overwrite, _): delete(other)
        case (.rollback, _): refresh(object, mergeChanges: false)
        case (.storeTrump, _), (.custom, _):
            for slot in slots { if let before = object.snapshot?[slot] { set(before, slot, of: object) } }
        }
    }

    /// A new object goes in favor of the one that has its unique values already. What led to it leads to that
    /// one; what goes with it when it is deleted goes, unless it is the better one: then the other gets its
    /// values and its parts.
    private func replace(
        _ object: ManagedObject, by other: ManagedObject, isBetter: Bool, _ leading: LeadingObjects
    ) {
        // Objects of sibling entities share what their common ancestors declare.
        func isShared(_ slot: Int) -> Bool {
            other.entity.isKind(of: model.declarer(of: slot, in: object.entity))
        }
        if isBetter {
            for slot in object.entity.columnSlots where isShared(slot) {
                set(object.values[slot], slot, of: other)
            }
        }
        for slot in object.entity.relationshipSlots where isShared(slot) {
            guard let relationship = object.entity.relationship(at: slot), relationship.isToMany,
                isBetter || relationship.deleteRule != .cascade
            else { continue }
            for member in relationships.orderedMembers(of: object, at: slot) {
                relationships.insert(member, into: other, at: slot)
            }
        }
        for (owner, slot) in leading[object] where owner !== object && !owner.isGone {
            guard owner.value(at: slot)?.target == object.objectID,
                let relationship = owner.entity.relationship(at: slot),
                other.entity.isKind(of: model.destination(of: relationship))
            else { continue }
            // Parts go with their whole.
            let inverse = relationship.inverseSlot
            let isPart = inverse >= 0 && object.entity.relationship(at: inverse)?.deleteRule == .cascade
            if !isBetter && isPart { continue }
            relationships.setTarget(of: owner, at: slot, to: other)
            leading.add(owner, slot, to: other)
        }
        delete(object)
    }
}

/// A row by its family's table and its key, whatever entity an ID says.
private struct RowKey: Hashable {
    let store: String?, root: Int, key: Int64

    init(_ id: ManagedObjectID, _ model: ManagedObjectModel) {
        (store, key) = (id.storeIdentifier, id.key)
        root = model.entity(named: id.entity)?.rootIndex ?? -1
    }
}

/// Which unsaved objects lead to which, by their relationships to one: gathered once, since to look for those
/// of each of *n* objects would be *n*² looks.
private final class LeadingObjects {
    private var owners: [ManagedObjectID: [(owner: ManagedObject, slot: Int)]] = [:]

    init(_ objects: [ManagedObject]) {
        for object in objects where !object.values.isEmpty {
            for slot in object.entity.toOneSlots {
                if let target = object.values[slot].target {
                    owners[target, default: []].append((object, slot))
                }
            }
        }
    }

    subscript(object: ManagedObject) -> [(owner: ManagedObject, slot: Int)] {
        owners[object.objectID] ?? []
    }

    /// An object that made way for another one was led to: its successor may make way in turn.
    func add(_ owner: ManagedObject, _ slot: Int, to object: ManagedObject) {
        owners[object.objectID, default: []].append((owner, slot))
    }
}

extension EntityDescription {
    /// Whether two rows of the entity hold the same, as far as programs set it: what a store derives from
    /// other values is no change of anybody's.
    func hasSameValues(_ a: [StoredValue], _ b: [StoredValue]) -> Bool {
        columnSlots.allSatisfy { slot in
            if case .attribute(let attribute) = slots[slot], attribute.derivationExpression != nil {
                return true
            }
            return a[slot].current.hasSameBytes(as: b[slot].current)
        }
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
            changeKnownDelta(of: key) { $0.forgetRemoval(of: object) }
            if let owner = core.registry.object(key.owner) {
                owner.related[key.slot] = nil
                core.changes.noteRefreshed(owner)
            }
        }
    }
}
