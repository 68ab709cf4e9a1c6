// What accessors call, by slot. None of it is generic, so that it can be called from inlined code.
extension ManagedObject {
    /// Stops the program when an object in a context is touched off the context's queue.
    @usableFromInline final func checkQueue() { core?.executor.checkIsolated() }

    /// Nil in a prototype.
    @usableFromInline final func value(at slot: Int) -> StoredValue? {
        if values.isEmpty {
            guard let core else { return nil }
            core.fill(self)
        }
        return values[slot]
    }

    /// The value of an attribute with external storage: read from its file where it has one.
    @usableFromInline final func resolved(_ value: StoredValue) -> StoredValue {
        guard case .blob(let column) = value, let core else { return value }
        return core.externalValue(column)
    }

    @usableFromInline final func setValue(_ value: StoredValue, at slot: Int) {
        guard let core else { misuse("a key path in a predicate must not set anything") }
        core.willChange(self)
        values[slot] = value
    }

    @usableFromInline final func codec(at slot: Int) -> any AnyObject & Sendable {
        guard let codecs = entity.classBinding?.codecs else { misuse("\(entity.name) has no class") }
        return codecs[slot]
    }

    /// The object whose wrappers know their slots.
    @usableFromInline final var prototype: ManagedObject {
        guard let core else { misuse("a prototype without slots") }
        return core.prototype(of: entity)
    }
}

extension ManagedObject: PredicateSubject {
    final var predicateKey: StoredValue { .int(objectID.key) }

    final func predicateValue(of name: String) -> StoredValue {
        entity.slot(of: name).flatMap { value(at: $0) } ?? .null
    }

    final func predicateTarget(of name: String) -> (any PredicateSubject)? {
        guard let core, let slot = entity.slot(of: name) else { return nil }
        return core.target(of: self, at: slot)
    }

    final func predicateTargets(of name: String) -> [any PredicateSubject] {
        guard let core, let slot = entity.slot(of: name) else { return [] }
        return Array(core.members(of: self, at: slot))
    }
}
