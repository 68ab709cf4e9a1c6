/// Which rows of which entity, in which order: a fetch request without its class.
struct FetchDescription: Sendable {
    var entity: EntityDescription
    var predicate: PredicateNode?
    var order: FetchOrder
    /// At most so many; nil for all.
    var limit: Int?
    var offset = 0
    /// As the store has them at hand: nothing is sorted.
    var inAnyOrder = false
}

extension FetchDescription {
    /// The rows whose relationship `name` leads to `target`.
    init(_ entity: EntityDescription, with name: String, leadingTo target: ManagedObjectID) {
        self.init(
            entity: entity,
            predicate: .compare(.property(PropertyPath(names: [name])), .equal, .constant(.id(target))),
            order: FetchOrder(terms: []))
    }
}
