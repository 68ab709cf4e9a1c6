/// How the entities of a store lie in tables: numbers, columns, indexes. Made once a store.
struct SQLSchema: Sendable {
    let model: ManagedObjectModel
    /// What the store holds.
    let entities: [EntityDescription]
    /// `Z_ENT` by the model's index; 0 for what is not in the store. From 1, roots by name, each followed by
    /// its sub-entities.
    private let numbers: [Int]
    private let tables: [TableLayout?]
    private let joins: [JoinTable?]
    /// What searches may go by.
    private(set) var boxIndexes: [BoxIndex] = []

    init(_ model: ManagedObjectModel, entities: [EntityDescription]) {
        (self.model, self.entities) = (model, entities)
        var numbers = [Int](repeating: 0, count: model.entities.count)
        for (place, entity) in entities.sorted(by: { $0.family.lowerBound < $1.family.lowerBound })
            .enumerated()
        {
            numbers[entity.index] = place + 1
        }
        self.numbers = numbers
        tables = model.entities.map { entity in
            guard numbers[entity.index] > 0, entity.rootIndex == entity.index else { return nil }
            return TableLayout(family: model.family(of: entity), in: model, numbers: numbers)
        }
        joins = model.joins.map { join in
            guard numbers[join.first.entity] > 0, numbers[join.second.entity] > 0 else { return nil }
            return JoinTable(join, in: model, numbers: numbers)
        }
        boxIndexes = entities.flatMap { entity in
            entity.declaration.fetchIndexes.compactMap { BoxIndex($0, of: entity, in: self) }
        }
    }

    /// The same, for a store that has not all indexes of boxes and is not to be written to.
    func keepingBoxIndexes(where isThere: (BoxIndex) throws -> Bool) rethrows -> SQLSchema {
        var schema = self
        schema.boxIndexes = try boxIndexes.filter(isThere)
        return schema
    }

    /// `Z_ENT`
    func number(of entity: EntityDescription) -> Int { numbers[entity.index] }

    func holds(_ entity: EntityDescription) -> Bool { numbers[entity.index] > 0 }

    /// The table that holds `entity`.
    func table(of entity: EntityDescription) -> TableLayout {
        guard let table = tables[entity.rootIndex] else { misuse("\(entity.name) is not in this store") }
        return table
    }

    /// Nil when a side is in another store: then there are no pairs.
    func join(_ number: Int) -> JoinTable? { joins[number] }
    var allJoins: [JoinTable] { joins.compactMap { $0 } }

    /// All tables that hold rows or pairs.
    var tableNames: Set<String> { Set(tables.compactMap { $0?.name } + allJoins.map(\.name)) }
}
