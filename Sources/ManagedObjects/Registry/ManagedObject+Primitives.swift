import Foundation

// Primitives for hand-written accessors, and the values of an object before it changed.
extension ManagedObject {
    /// The value of an attribute as ``value(forKey:)`` gives it, without telling anybody.
    ///
    /// - Throws: ``FetchError/unknownKey(entity:key:)``; ``StoreError`` when the object's row cannot be read.
    public final func primitiveValue(forKey key: String) throws -> Any? { try value(forKey: key) }

    /// Sets an attribute without telling anybody: no undo, no list, and, unless the object has changes
    /// besides, no save. To be put between ``willChangeValue(forKey:)`` and ``didChangeValue(forKey:)`` where
    /// it is a change.
    ///
    /// - Throws: ``FetchError`` for a key that is no attribute's or a value of another type, ``StoreError``.
    public final func setPrimitiveValue(_ value: Any?, forKey key: String) throws {
        checkQueue()
        let slot = try slot(forKey: key)
        try fire()
        guard let core else { return }
        guard case .attribute(let attribute) = entity.slots[slot] else {
            throw FetchError.unsupported("a primitive value of the relationship \(entity.name).\(key)")
        }
        if attribute.type == .undefined {
            related[slot] = value.map { .value($0) }
            return
        }
        try entity.checkSettable(attribute)
        guard let stored = attribute.type.storedValue(value) else {
            throw FetchError.wrongType(
                entity: entity.name, key: key, type: value.map { "\(type(of: $0))" } ?? "nil")
        }
        core.changes.willSet(stored, at: slot, of: self)
        rowState.set(stored, at: slot)
    }

    /// Before a value is read by an accessor written by hand: the object's row is read, if it was not.
    ///
    /// - Throws: ``FetchError/unknownKey(entity:key:)``, ``StoreError``.
    public final func willAccessValue(forKey key: String) throws {
        checkQueue()
        _ = try slot(forKey: key)
        try fire()
    }

    /// After a value was read by an accessor written by hand.
    public final func didAccessValue(forKey key: String) throws { _ = try slot(forKey: key) }

    /// Before a primitive value is set: the object counts as changed, and the value of before can be undone.
    ///
    /// - Throws: ``FetchError/unknownKey(entity:key:)``, ``StoreError``.
    public final func willChangeValue(forKey key: String) throws {
        checkQueue()
        let slot = try slot(forKey: key)
        try fire()
        guard let core, core.changes.willChange(self) else { return }
        if case .attribute(let attribute) = entity.slots[slot], attribute.type == .undefined {
            core.undoLog.note(.transient(self, slot: slot, before: transient(at: slot)))
        } else {
            core.undoLog.note(.value(self, slot: slot, before: values[slot]))
        }
    }

    /// After a primitive value was set.
    public final func didChangeValue(forKey key: String) throws { _ = try slot(forKey: key) }

    /// The attributes and relationships to one that a save would write, with their values.
    ///
    /// - Throws: ``StoreError``.
    public final func changedValues() throws -> [String: Any?] {
        checkQueue()
        let slots = status == .inserted ? entity.columnSlots : changedSlots
        var changed: [String: Any?] = [:]
        for slot in slots where !entity.slots[slot].isHidden {
            changed.updateValue(try value(forKey: entity.slots[slot].name), forKey: entity.slots[slot].name)
        }
        return changed
    }

    /// The values last read or saved: attributes as values, to-one relationships as objects. Empty for an
    /// object that was never saved.
    ///
    /// - Parameter keys: nil for all attributes and relationships to one.
    /// - Throws: ``FetchError/unknownKey(entity:key:)``, ``StoreError``.
    public final func committedValues(forKeys keys: [String]? = nil) throws -> [String: Any?] {
        checkQueue()
        try fire()
        if status == .inserted { return [:] }
        var committed: [String: Any?] = [:]
        let all = entity.columnSlots.filter { !entity.slots[$0].isHidden }.map { entity.slots[$0].name }
        for key in keys ?? all {
            let slot = try slot(forKey: key)
            let stored = (snapshot ?? values)[slot]
            switch entity.slots[slot] {
            case .relationship(let relationship):
                if relationship.isToMany {
                    throw FetchError.unsupported(
                        "a committed value of \(entity.name).\(key), which is to many")
                }
                committed.updateValue(stored.target.flatMap { core?.registry.fault($0) }, forKey: key)
            case .attribute(let attribute):
                committed.updateValue(attribute.type.value(resolved(stored)), forKey: key)
            }
        }
        return committed
    }

    /// The value at the end of a path of names: `department.name`. Over a relationship to many it is a list
    /// of the values of all that are there, those without one left out.
    ///
    /// Behind a relationship to many may stand an operator of key-value coding: `songs.@count`;
    /// `songs.@max.stars`, `@min`, `@sum` and `@avg`, for which objects without a value do not count;
    /// `songs.@distinctUnionOfObjects.artist` and `@unionOfObjects`, lists of values; and
    /// `albums.@distinctUnionOfSets.songs`, `@unionOfSets` and the same of arrays, lists of members.
    ///
    /// - Throws: ``FetchError/unknownKey(entity:key:)``, ``FetchError/unsupported(_:)``, ``StoreError``.
    public final func value(forKeyPath keyPath: String) throws -> Any? {
        let parts = keyPath.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let value = try value(forKey: String(parts[0]))
        guard parts.count == 2 else { return value }
        let rest = String(parts[1])
        switch value {
        case let object as ManagedObject: return try object.value(forKeyPath: rest)
        case let objects as Set<ManagedObject>:
            return try CollectionOperator.value(
                of: objects.sorted { $0.objectID.key < $1.objectID.key }, rest)
        case let objects as [ManagedObject]: return try CollectionOperator.value(of: objects, rest)
        case nil: return nil
        default: throw FetchError.unknownKey(entity: entity.name, key: keyPath)
        }
    }

    /// The members of a relationship to many, to be changed one by one.
    ///
    /// - Throws: ``FetchError/unknownKey(entity:key:)`` also when it is not to many, ``StoreError``.
    public final func mutableSetValue(forKey key: String) throws -> MutableMembers {
        checkQueue()
        let slot = try slot(forKey: key)
        try fire()
        guard entity.relationship(at: slot)?.isToMany ?? false else {
            throw FetchError.unknownKey(entity: entity.name, key: key)
        }
        return MutableMembers(owner: self, slot: slot)
    }

    /// Returns the members of an ordered relationship, which can be changed.
    ///
    /// - Throws: as ``mutableSetValue(forKey:)``, also when it has no order.
    public final func mutableOrderedSetValue(forKey key: String) throws -> MutableMembers {
        let members = try mutableSetValue(forKey: key)
        guard entity.relationship(at: members.slot)?.isOrdered ?? false else {
            throw FetchError.unknownKey(entity: entity.name, key: key)
        }
        return members
    }
}

/// A relationship to many of one object, seen by name.
public struct MutableMembers {
    let owner: ManagedObject
    let slot: Int

    /// In the relationship's order, where it has one.
    public var objects: [ManagedObject] {
        owner.core?.relationships.orderedMembers(of: owner, at: slot) ?? []
    }
    /// The number of members, without reading them.
    public var count: Int { owner.core?.relationships.members(of: owner, at: slot).count ?? 0 }

    /// Returns whether the object is a member.
    public func contains(_ object: ManagedObject) -> Bool {
        owner.core?.relationships.members(of: owner, at: slot).contains(object) ?? false
    }

    /// Adds an object, at the end where there is an order.
    ///
    /// - Complexity: O(1).
    /// - Throws: ``FetchError/wrongType(entity:key:type:)`` for an object of another entity.
    public func add(_ object: ManagedObject) throws {
        try check(object)
        owner.core?.relationships.insert(object, into: owner, at: slot)
    }

    /// Puts an object at an index of an ordered relationship; one that is there already is moved. O(*n*).
    ///
    /// - Throws: as ``add(_:)``.
    public func insert(_ object: ManagedObject, at index: Int) throws {
        try check(object)
        var objects = objects.filter { $0 !== object }
        if index < 0 || index > objects.count {
            misuse("\(owner.objectID) has no place \(index) in a relationship")
        }
        objects.insert(object, at: index)
        owner.core?.relationships.setOrderedMembers(of: owner, at: slot, to: objects)
    }

    /// Takes an object out.
    ///
    /// - Complexity: O(1).
    public func remove(_ object: ManagedObject) {
        owner.core?.relationships.remove(object, from: owner, at: slot)
    }

    private func check(_ object: ManagedObject) throws(FetchError) {
        owner.checkQueue()
        guard let relationship = owner.entity.relationship(at: slot), let model = owner.core?.model,
            object.entity.isKind(of: model.destination(of: relationship))
        else {
            throw .wrongType(
                entity: owner.entity.name, key: owner.entity.slots[slot].name, type: object.entity.name)
        }
    }
}
