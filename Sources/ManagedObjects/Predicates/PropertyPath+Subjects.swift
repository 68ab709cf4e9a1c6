extension PropertyPath {
    func value(_ bound: [any PredicateSubject]) -> StoredValue {
        guard let last = names.last else { return bound[variable].predicateKey }
        return owner(bound)?.predicateValue(of: last) ?? .null
    }

    /// The objects of the to-many relationship the path ends in.
    func objects(_ bound: [any PredicateSubject]) -> [any PredicateSubject] {
        guard let last = names.last else { return [] }
        return owner(bound)?.predicateTargets(of: last) ?? []
    }

    /// The object that has the last property, nil when a relationship on the way leads nowhere.
    private func owner(_ bound: [any PredicateSubject]) -> (any PredicateSubject)? {
        names.dropLast().reduce(bound[variable]) { object, name in object?.predicateTarget(of: name) }
    }
}
