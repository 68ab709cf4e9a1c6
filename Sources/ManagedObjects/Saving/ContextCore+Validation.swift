extension ContextCore {
    /// Looks at everything that a save would write.
    ///
    /// - Throws: ``ValidationError`` with all there is to mend; ``StoreError`` when that cannot be known.
    func validate() throws {
        var failures: [ValidationError.Failure] = []
        let before = faultErrorCount
        for object in changes.inserted.all {
            try failures += modeledFailures(object)
            failures += object.failures(of: object.validateForInsert)
        }
        for object in changes.updated.all {
            try failures += modeledFailures(object)
            failures += object.failures(of: object.validateForUpdate)
        }
        try failures += ownerFailures()
        for object in changes.deleted.all {
            try failures += denials(object)
            failures += object.failures(of: object.validateForDelete)
        }
        try throwFaultError(after: before)
        if !failures.isEmpty { throw ValidationError(failures: failures) }
    }

    private func modeledFailures(_ object: ManagedObject) throws -> [ValidationError.Failure] {
        let entity = object.entity
        var failures: [ValidationError.Failure] = []
        func note(_ slot: Int, _ rule: ValidationError.Rule, _ value: StoredValue = .null) {
            failures.append(
                .init(
                    object: object.objectID, property: entity.slots[slot].name, rule: rule, value: value))
        }
        for slot in entity.requiredSlots where try isMissing(slot, object) { note(slot, .missingValue) }
        for slot in entity.ruledSlots {
            guard case .attribute(let attribute) = entity.slots[slot] else { continue }
            let value = attribute.isTransient ? .null : object.ruledValue(at: slot, attribute)
            for rule in attribute.validation.flatMap({ $0.broken(by: value) }) { note(slot, rule, value) }
        }
        for slot in entity.countedSlots { try failures += countFailures(object, slot) }
        for key in type(of: object).validatedKeys {
            let own = object.failures(
                of: { try object.validateValue(object.value(forKey: key), forKey: key) }, key)
            // Failures that the model reports, too, are reported once.
            failures += own.filter { !failures.contains($0) }
        }
        return failures
    }

    /// Whether as many are related as must be.
    private func countFailures(_ object: ManagedObject, _ slot: Int) throws -> [ValidationError.Failure] {
        guard let relationship = object.entity.relationship(at: slot) else { return [] }
        let count = try relationships.readMembers(of: object, at: slot).count { !$0.isGone }
        let rule: ValidationError.Rule
        // None is what ``RelationshipDescription/isOptional`` is about.
        if count > 0 && count < relationship.minCount {
            rule = .tooFew(minimum: relationship.minCount)
        } else if relationship.maxCount > 0 && count > relationship.maxCount {
            rule = .tooMany(maximum: relationship.maxCount)
        } else {
            return []
        }
        return [.init(object: object.objectID, property: relationship.name, rule: rule)]
    }

    /// Checks how many members owners have that lost or got some from the other side, whether the owner is in
    /// memory or a fault. Owners that changed themselves are checked as a whole.
    private func ownerFailures() throws -> [ValidationError.Failure] {
        let deltas = relationships.deltas.sorted {
            ($0.key.owner.key, $0.key.slot) < ($1.key.owner.key, $1.key.slot)
        }
        var failures: [ValidationError.Failure] = []
        for (key, delta) in deltas {
            guard let owner = delta.owner ?? registry.object(key.owner), owner.status == .saved,
                !owner.flags.contains(.updated)
            else { continue }
            if owner.entity.countedSlots.contains(key.slot) { try failures += countFailures(owner, key.slot) }
            if owner.entity.requiredSlots.contains(key.slot), try isMissing(key.slot, owner) {
                failures.append(
                    .init(
                        object: owner.objectID, property: owner.entity.slots[key.slot].name,
                        rule: .missingValue))
            }
        }
        return failures
    }

    private func denials(_ object: ManagedObject) throws -> [ValidationError.Failure] {
        try object.entity.relationshipSlots.compactMap { slot in
            guard let relationship = object.entity.relationship(at: slot), relationship.deleteRule == .deny
            else { return nil }
            let left =
                relationship.isToMany
                ? try relationships.readMembers(of: object, at: slot).count { !$0.isGone }
                : relationships.target(of: object, at: slot).map { $0.isGone ? 0 : 1 } ?? 0
            return left == 0
                ? nil
                : .init(
                    object: object.objectID, property: relationship.name, rule: .deleteDenied(count: left))
        }
    }

    private func isMissing(_ slot: Int, _ object: ManagedObject) throws -> Bool {
        if let relationship = object.entity.relationship(at: slot), relationship.isToMany {
            return try relationships.readMembers(of: object, at: slot).isEmpty
        }
        guard let value = object.value(at: slot) else { return true }
        if case .null = value { return true }
        // An object that was inserted and deleted again never gets a row.
        guard let target = value.target, target.isTemporaryID else { return false }
        return registry.object(target)?.status != .inserted
    }
}

extension ManagedObject {
    /// The attribute's value without what its column has around it.
    fileprivate final func ruledValue(at slot: Int, _ attribute: AttributeDescription) -> StoredValue {
        resolved(values[slot])
    }

    /// Returns the failures of a program's own rules.
    fileprivate final func failures(of body: () throws -> Void, _ key: String = "")
        -> [ValidationError.Failure]
    {
        do { try body() } catch let error as ValidationError { return error.failures } catch {
            return [.init(object: objectID, property: key, rule: .custom("\(error)"))]
        }
        return []
    }

    /// The rules of the model that `value` breaks.
    final func brokenRules(_ value: Any?, forKey key: String) throws -> [ValidationError.Failure] {
        let slot = try slot(forKey: key)
        guard case .attribute(let attribute) = entity.slots[slot], attribute.type != .undefined else {
            return []
        }
        guard let stored = attribute.type.storedValue(value) else {
            throw FetchError.wrongType(
                entity: entity.name, key: key, type: value.map { "\(type(of: $0))" } ?? "nil")
        }
        var rules = attribute.validation.flatMap { $0.broken(by: stored) }
        if case .null = stored, !attribute.isOptional { rules.append(.missingValue) }
        return rules.map { .init(object: objectID, property: key, rule: $0, value: stored) }
    }
}
