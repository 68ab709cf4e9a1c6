// Sets of members, of the class that a program declares, read and changed where they are.
extension RelationshipGraph {
    /// The members as a set of the declared class; a row of another class is left out.
    ///
    /// - Complexity: O(1) as long as no member came or went by another way, else O(*n*).
    func typedMembers<Target: ManagedObject>(of object: ManagedObject, at slot: Int) -> Set<Target> {
        let (set, typed) = currentTyped(Target.self, object, slot)
        return typed?.set ?? set
    }

    /// - Returns: the set, or what keeps it; only the set when the members could not be read.
    private func currentTyped<Target: ManagedObject>(_: Target.Type, _ object: ManagedObject, _ slot: Int)
        -> (
            Set<Target>, TypedMembers<Target>?
        )
    {
        let stamp = stamp(of: object, slot)
        if case .many(let known)? = object.related[slot], known.epoch == epoch,
            let typed = known.typed as? TypedMembers<Target>, typed.stamp == stamp
        {
            return ([], typed)
        }
        let members = members(of: object, at: slot)
        let set = (members as? Set<Target>) ?? Set(members.lazy.compactMap { $0 as? Target })
        guard case .many(let known)? = object.related[slot], known.epoch == epoch, known.set != nil,
            known.stamp == stamp
        else { return (set, nil) }
        let typed = TypedMembers(set, stamp: stamp)
        known.typed = typed
        return ([], typed)
    }

    private func stamp(of object: ManagedObject, _ slot: Int) -> Int {
        deltas[Key(owner: object.objectID, slot: slot)]?.stamp ?? 0
    }

    /// Hands the set out to be changed in place.
    func beginChange<Target: ManagedObject>(of object: ManagedObject, at slot: Int) -> Set<Target> {
        var (set, typed) = currentTyped(Target.self, object, slot)
        if let typed {
            // The only reference, so that nothing is copied.
            swap(&set, &typed.set)
            typed.stamp = -1
        }
        core.hashedObjects = HashedObjects(inside: core.hashedObjects, storage: Self.storage(of: set))
        return set
    }

    /// Takes the set back, and makes the changes that were made to it changes of the relationship.
    ///
    /// - Complexity: O(changes), unless the set was replaced or grew into new storage.
    func endChange<Target: ManagedObject>(of object: ManagedObject, at slot: Int, _ set: inout Set<Target>) {
        guard let hashed = core.hashedObjects else { return }
        core.hashedObjects = hashed.outer
        let isSame = hashed.storage == Self.storage(of: set)
        if !isSame || !apply(hashed.objects, of: object, at: slot, set) {
            setMembers(of: object, at: slot, to: set)
        }
        guard case .many(let known)? = object.related[slot], let typed = known.typed as? TypedMembers<Target>,
            typed.stamp == -1
        else { return }
        // An object that was refused, as one that is gone, is in the set and in no relationship.
        if known.set?.count == set.count, known.stamp == stamp(of: object, slot) {
            swap(&set, &typed.set)
            typed.stamp = known.stamp
        } else {
            known.typed = nil
        }
    }

    /// - Returns: false when other objects came or went than those that were hashed.
    private func apply<Target: ManagedObject>(
        _ hashed: [ManagedObject], of object: ManagedObject, at slot: Int, _ set: Set<Target>
    ) -> Bool {
        guard case .many(let known)? = object.related[slot], let before = known.set,
            known.stamp == stamp(of: object, slot)
        else { return false }
        var coming: [Target] = [], leaving: [Target] = [], seen: Set<ObjectIdentifier> = []
        for case let member as Target in hashed where seen.insert(ObjectIdentifier(member)).inserted {
            let (was, isThere) = (before.contains(member), set.contains(member))
            if isThere && !was { coming.append(member) }
            if was && !isThere { leaving.append(member) }
        }
        if before.count + coming.count - leaving.count != set.count { return false }
        for member in leaving { remove(member, from: object, at: slot) }
        for member in coming { insert(member, into: object, at: slot) }
        return true
    }

    private static func storage(of set: Set<some ManagedObject>) -> UInt {
        // SAFETY: a native set is one reference, to where its elements lie; it is compared and not followed.
        MemoryLayout.size(ofValue: set) == MemoryLayout<UInt>.size
            ? unsafe unsafeBitCast(set, to: UInt.self) : 0
    }
}
