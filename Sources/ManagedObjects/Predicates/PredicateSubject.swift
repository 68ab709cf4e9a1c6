/// What a predicate can be evaluated on: something that answers by property name.
protocol PredicateSubject {
    /// The value of an attribute, or the key of what a relationship to one leads to.
    func predicateValue(of name: String) -> StoredValue
    /// What a relationship to one leads to.
    func predicateTarget(of name: String) -> (any PredicateSubject)?
    /// What a relationship to many leads to.
    func predicateTargets(of name: String) -> [any PredicateSubject]
    /// The key of the subject itself.
    var predicateKey: StoredValue { get }
}
