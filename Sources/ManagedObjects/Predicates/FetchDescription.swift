/// Which rows of which entity, in which order: a fetch request without its class.
struct FetchDescription: Sendable {
    var entity: EntityDescription
    var predicate: PredicateNode?
    var order: FetchOrder
    /// The maximum number of rows, from 1; nil for no limit, and for 0 and less, as in Core Data.
    var limit: Int? { didSet { limit = Self.checked(limit) } }
    /// The number of rows to leave out, from 0.
    var offset: Int { didSet { offset = max(0, offset) } }
    /// As the store has them at hand: nothing is sorted.
    var inAnyOrder: Bool
    /// The identifiers of the stores to look in; nil for all that take the entity.
    var stores: Set<String>?
    /// Whether rows of entities that inherit from `entity` count.
    var includesSubentities = true

    init(
        entity: EntityDescription, predicate: PredicateNode?, order: FetchOrder, limit: Int? = nil,
        offset: Int = 0, inAnyOrder: Bool = false
    ) {
        (self.entity, self.predicate, self.order) = (entity, predicate, order)
        (self.limit, self.offset, self.inAnyOrder) = (Self.checked(limit), max(0, offset), inAnyOrder)
    }

    /// Whether a row is of an entity that the fetch wants.
    func wants(_ entity: EntityDescription) -> Bool {
        includesSubentities ? entity.isKind(of: self.entity) : entity.index == self.entity.index
    }

    private static func checked(_ limit: Int?) -> Int? { limit.flatMap { $0 > 0 ? $0 : nil } }

    /// How many rows from the first on decide the answer, with `more` that may be left out of it; nil for
    /// all.
    func limit(with more: Int) -> Int? {
        guard let limit else { return nil }
        let (sum, isOver) = limit.addingReportingOverflow(offset)
        let (all, isOverToo) = sum.addingReportingOverflow(more)
        return isOver || isOverToo ? nil : all
    }
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
