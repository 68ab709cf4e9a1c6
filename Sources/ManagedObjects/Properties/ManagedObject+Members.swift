extension Referable {
    /// Adds one object to a relationship to many, without making a set of all there are.
    ///
    ///     country.insert(mood, into: \.moods)
    ///
    /// - Complexity: O(1), however many there are.
    public func insert<Member: ManagedObject>(_ member: Member, into keyPath: KeyPath<Self, Set<Member>>) {
        checkQueue()
        core?.relationships.insert(member, into: self, at: slotOfMany(keyPath))
    }

    /// Adds one object at the end of an ordered relationship.
    public func append<Member: ManagedObject>(_ member: Member, to keyPath: KeyPath<Self, [Member]>) {
        checkQueue()
        core?.relationships.insert(member, into: self, at: slotOfMany(keyPath))
    }

    /// Takes one object out of a relationship to many.
    ///
    /// - Complexity: O(1), however many there are.
    public func remove<Member: ManagedObject>(_ member: Member, from keyPath: KeyPath<Self, Set<Member>>) {
        checkQueue()
        core?.relationships.remove(member, from: self, at: slotOfMany(keyPath))
    }

    /// Takes one object out of an ordered relationship.
    public func remove<Member: ManagedObject>(_ member: Member, from keyPath: KeyPath<Self, [Member]>) {
        checkQueue()
        core?.relationships.remove(member, from: self, at: slotOfMany(keyPath))
    }

    private func slotOfMany(_ keyPath: PartialKeyPath<Self>) -> Int {
        guard let name = try? (keyPath as? any NamedKeyPath)?.names().first, let slot = entity.slot(of: name),
            entity.relationship(at: slot)?.isToMany == true
        else { misuse("\(entity.name) has no relationship to many at \(keyPath)") }
        return slot
    }
}
