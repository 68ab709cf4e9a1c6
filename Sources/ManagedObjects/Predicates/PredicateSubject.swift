/// A subject of a predicate: it returns values by property name.
protocol PredicateSubject {
    /// The value of an attribute, or the key of what a relationship to one leads to.
    func predicateValue(of name: String) -> StoredValue
    /// Returns the target of a to-one relationship.
    func predicateTarget(of name: String) -> (any PredicateSubject)?
    /// Returns the targets of a to-many relationship.
    func predicateTargets(of name: String) -> [any PredicateSubject]
    /// The key of the subject itself.
    var predicateKey: StoredValue { get }
}
