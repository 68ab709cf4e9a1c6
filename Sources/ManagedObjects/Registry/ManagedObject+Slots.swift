// Entry points of accessors, by slot. None is generic, so that inlined code can call them.
extension ManagedObject {
    /// Stops the program when an object in a context is touched off the context's queue.
    @usableFromInline final func checkQueue() { core?.executor.checkIsolated() }

    /// Nil in a prototype. A fault that cannot be filled answers null.
    @usableFromInline final func value(at slot: Int) -> StoredValue? {
        if values.isEmpty {
            guard let core else { return nil }
            core.registry.fill(self)
            if values.isEmpty { return .null }
        }
        return values[slot]
    }

    /// The value of an attribute with external storage: read from its file where it has one.
    @usableFromInline final func resolved(_ value: StoredValue) -> StoredValue {
        guard case .external(let file) = value, let core else { return value }
        return core.read(file)
    }

    /// A change that cannot be kept, since what it changes cannot be read, is left out, and the next save
    /// says why.
    @usableFromInline final func setValue(_ value: StoredValue, at slot: Int) {
        guard let core else { misuse("a key path in a predicate must not set anything") }
        guard core.changes.willChange(self) else { return }
        core.undoLog.note(.value(self, slot: slot, before: values[slot]))
        core.changes.willSet(value, at: slot, of: self)
        rowState.set(value, at: slot)
    }

    @usableFromInline final func codec(at slot: Int) -> any AnyObject & Sendable {
        guard let codec = entity.classBinding?.codecs[slot] else { misuse("\(entity.name) has no class") }
        return codec
    }

    /// The object whose wrappers know their slots.
    @usableFromInline final var prototype: ManagedObject {
        guard let core else { misuse("a prototype without slots") }
        return core.registry.prototype(of: entity)
    }
}

extension ManagedObject: PredicateSubject {
    final var predicateKey: StoredValue { .id(objectID) }

    final func predicateValue(of name: String) -> StoredValue {
        entity.slot(of: name).flatMap { value(at: $0) }.map(resolved) ?? .null
    }

    final func predicateTarget(of name: String) -> (any PredicateSubject)? {
        guard let core, let slot = entity.slot(of: name) else { return nil }
        return core.relationships.target(of: self, at: slot)
    }

    final func predicateTargets(of name: String) -> [any PredicateSubject] {
        guard let core, let slot = entity.slot(of: name) else { return [] }
        return Array(core.relationships.members(of: self, at: slot))
    }
}

extension ManagedObject {
    /// Drops cached relationships, which may be out of date. Transient values stay.
    final func forgetRelated() {
        if related.isEmpty { return }
        related = related.filter { if case .value = $0.value { true } else { false } }
    }

    /// Drops the values and what is known of relationships: they are read again at the next access.
    ///
    /// The hooks run untracked: what they set is no change of the object. What they read is dropped too.
    final func turnIntoFault() {
        guard let core, !values.isEmpty else { return forgetRelated() }
        core.changes.withoutTracking { willTurnIntoFault() }
        related = [:]
        rowState.turnIntoFault()
        core.changes.withoutTracking { didTurnIntoFault() }
        if !values.isEmpty {
            forgetRelated()
            rowState.turnIntoFault()
        }
    }

    /// As `isDeleted`, for those who are on the queue already.
    final var isGone: Bool { status == .deleted || status == .detached }

    /// The slots whose values a save would write.
    final var changedSlots: [Int] {
        guard let snapshot, !values.isEmpty else { return [] }
        return entity.columnSlots.filter { !values[$0].isIdentical(to: snapshot[$0]) }
    }
}
