import Glibc

/// The members of an ordered relationship as a program sees them.
final class TypedList<Target: ManagedObject> {
    var list: [Target]
    /// With the unsaved changes of this stamp; -1 while it is being changed.
    var stamp: Int
    /// The list before it was changed.
    fileprivate var before: [ObjectIdentifier] = []
    fileprivate var stampBefore = 0

    init(_ list: [Target], stamp: Int) {
        self.list = list
        self.stamp = stamp
    }

    /// Whether a changed list begins with all that it had before.
    fileprivate func isBeginning(of list: [Target]) -> Bool {
        if list.count < before.count { return false }
        // SAFETY: a reference is the address that identifies its object, and both arrays have that many.
        return unsafe list.withUnsafeBytes { list in
            unsafe before.withUnsafeBytes { before in
                unsafe before.isEmpty || memcmp(list.baseAddress!, before.baseAddress!, before.count) == 0
            }
        }
    }
}

// Lists of members, of the class that a program declares, read and changed where they are.
extension RelationshipGraph {
    /// The members in their order; a row of another class is left out.
    ///
    /// - Complexity: O(1) as long as no member came or went by another way, else O(*n*).
    func typedList<Target: ManagedObject>(of object: ManagedObject, at slot: Int) -> [Target] {
        let stamp = deltas[Key(owner: object.objectID, slot: slot)]?.stamp ?? 0
        if let typed: TypedList<Target> = knownList(of: object, at: slot), typed.stamp == stamp {
            return typed.list
        }
        let list = orderedMembers(of: object, at: slot).compactMap { $0 as? Target }
        if case .many(let known)? = object.related[slot], known.epoch == epoch {
            known.typed = TypedList(list, stamp: stamp)
        }
        return list
    }

    private func knownList<Target: ManagedObject>(of object: ManagedObject, at slot: Int)
        -> TypedList<Target>?
    {
        guard case .many(let known)? = object.related[slot], known.epoch == epoch else { return nil }
        return known.typed as? TypedList<Target>
    }

    /// Hands the list out to be changed in place.
    func beginListChange<Target: ManagedObject>(of object: ManagedObject, at slot: Int) -> [Target] {
        let list: [Target] = typedList(of: object, at: slot)
        guard let typed: TypedList<Target> = knownList(of: object, at: slot) else { return list }
        if typed.before.count != list.count { typed.before = list.map(ObjectIdentifier.init) }
        // The only reference, so that nothing is copied.
        typed.list = []
        typed.stampBefore = typed.stamp
        typed.stamp = -1
        return list
    }

    /// Takes the list back, and makes the changes that were made to it changes of the relationship.
    ///
    /// - Complexity: what is appended, and a comparison of the rest; else O(*n*).
    func endListChange<Target: ManagedObject>(
        of object: ManagedObject, at slot: Int, _ list: inout [Target]
    ) {
        guard let typed: TypedList<Target> = knownList(of: object, at: slot), typed.stamp == -1,
            append(list, typed, to: object, at: slot)
        else {
            if case .many(let known)? = object.related[slot] { known.typed = nil }
            return setOrderedMembers(of: object, at: slot, to: list)
        }
        typed.before += list[typed.before.count...].map(ObjectIdentifier.init)
        swap(&list, &typed.list)
        typed.stamp = deltas[Key(owner: object.objectID, slot: slot)]?.stamp ?? 0
    }

    /// - Returns: false when something else changed than what stands at the end.
    private func append<Target: ManagedObject>(
        _ list: [Target], _ typed: TypedList<Target>, to object: ManagedObject, at slot: Int
    ) -> Bool {
        guard isAppendable(to: Key(owner: object.objectID, slot: slot), typed.stampBefore),
            typed.isBeginning(of: list)
        else { return false }
        for member in list[typed.before.count...] {
            if isMember(member, of: object, at: slot) { return false }
            insert(member, into: object, at: slot)
            if !isMember(member, of: object, at: slot) { return false }
        }
        return true
    }

    /// Whether nothing changed since, and what comes stands at the end.
    private func isAppendable(to key: Key, _ stamp: Int) -> Bool {
        guard let index = deltas.index(forKey: key) else { return stamp == 0 }
        return deltas.values[index].stamp == stamp && deltas.values[index].order == nil
    }
}
