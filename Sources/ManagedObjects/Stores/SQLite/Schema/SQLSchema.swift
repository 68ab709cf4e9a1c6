import GRDB

/// How the entities of a store lie in tables: numbers, columns, indexes. Made once a store.
struct SQLSchema: Sendable {
    let model: ManagedObjectModel
    /// The entities of the store.
    let entities: [EntityDescription]
    /// `Z_ENT` by the model's index; 0 for what is not in the store.
    let numbers: [Int]
    private var tables: [TableLayout?]
    private var joins: [JoinTable?]
    /// The hashes of a store whose model was read from the store itself. They fit the model
    /// whatever our rules make of it.
    private(set) var recorded: RecordedVersion?
    /// The R*Tree indexes that fetches can use.
    private(set) var rTreeIndexes: [RTreeIndex] = []

    /// The schema of a new store: numbers from 1, roots by name, each followed by its sub-entities.
    init(_ model: ManagedObjectModel, entities: [EntityDescription]) {
        var numbers = [Int](repeating: 0, count: model.entities.count)
        for (index, entity) in entities.sorted(by: { $0.family.lowerBound < $1.family.lowerBound })
            .enumerated()
        {
            numbers[entity.index] = index + 1
        }
        self.init(model, entities: entities, numbers: numbers)
    }

    private init(_ model: ManagedObjectModel, entities: [EntityDescription], numbers: [Int]) {
        (self.model, self.entities, self.numbers) = (model, entities, numbers)
        tables = model.entities.map { entity in
            guard numbers[entity.index] > 0, entity.rootIndex == entity.index else { return nil }
            return TableLayout(family: model.family(of: entity), in: model, numbers: numbers)
        }
        joins = model.joins.map { join in
            guard numbers[join.first.entity] > 0, numbers[join.second.entity] > 0 else { return nil }
            return JoinTable(join, in: model, numbers: numbers)
        }
        rTreeIndexes = entities.flatMap { entity in
            entity.declaration.fetchIndexes.compactMap { RTreeIndex($0, of: entity, in: self) }
        }
    }

    /// The schema of a store that is there, with the numbers that its `Z_PRIMARYKEY` gives the entities: the
    /// names of tables and columns, and what `Z_ENT` means, go by them.
    ///
    /// - Throws: ``StoreError/unreadable(_:)`` for numbers that cannot be an entity's, or not this model's.
    func numbered(in database: Database) throws -> SQLSchema {
        let found = try storedNumbers(in: database)
        var schema = found == numbers ? self : SQLSchema(model, entities: entities, numbers: found)
        schema.recorded = recorded
        return try schema.fitted(to: FileTables(in: database))
    }

    /// `Z_ENT` by the model's index, as a store's `Z_PRIMARYKEY` has it.
    ///
    /// - Throws: ``StoreError/unreadable(_:)`` for numbers that cannot be an entity's, or not this model's.
    func storedNumbers(in database: Database) throws -> [Int] {
        var found = [Int](repeating: 0, count: model.entities.count), parents = found, taken: Set<Int> = []
        let statement = try RawStatement("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY", in: database)
        while try statement.next() {
            guard case .text(let name) = statement.value(1), let entity = entity(numberedAs: name) else {
                continue
            }
            let number = try StoredNumber.checked(statement.int(0), from: 1, "the number of \(name)")
            guard number <= StoredNumber.greatestEntity, found[entity.index] == 0,
                taken.insert(Int(number)).inserted
            else { throw StoreError.unreadable("the number of \(name) is \(number)") }
            found[entity.index] = Int(number)
            parents[entity.index] = Int(clamping: statement.int(2))
        }
        for entity in entities {
            let parent = model.superentity(of: entity).map { found[$0.index] } ?? 0
            guard found[entity.index] > 0, parents[entity.index] == parent else {
                throw StoreError.unreadable("Z_PRIMARYKEY says something else of \(entity.name)")
            }
        }
        return found
    }

    /// The schema with the tables and columns that a store's file has.
    ///
    /// - Throws: ``StoreError/unreadable(_:)`` for a table or a column that is not there; of a model that was
    ///   recovered the columns are left out.
    private func fitted(to tables: FileTables) throws -> SQLSchema {
        var schema = self
        for (index, table) in self.tables.enumerated() {
            guard let table else { continue }
            let entity = model.entities[index]
            guard
                let found = tables[table.name.text]
                    ?? entity.declaration.renamingIdentifier.flatMap({ tables[columnName($0).text] })
            else { throw StoreError.unreadable("there is no table \(table.name.text) for \(entity.name)") }
            let fitted = table.fitted(to: found)
            if let (column, property) = fitted.firstMissing, !model.isRecovered, recorded == nil {
                throw StoreError.unreadable("\(found.name) has no column \(column) for \(property)")
            }
            schema.tables[index] = fitted
        }
        var taken: Set<String> = []
        for (index, join) in joins.enumerated() {
            guard let join else { continue }
            schema.joins[index] = join.fitted(to: tables, model, taken: taken)
            if let name = schema.joins[index]?.name.text {
                taken.insert(name)
            } else if !model.isRecovered {
                throw StoreError.unreadable("there is no table \(join.name.text)")
            }
        }
        schema.rTreeIndexes = entities.flatMap { entity in
            entity.declaration.fetchIndexes.compactMap { RTreeIndex($0, of: entity, in: schema) }
        }
        return schema
    }

    /// The schema of a store of an earlier version of the model.
    func lackingColumns(_ version: RecordedVersion) -> SQLSchema {
        var schema = self
        schema.recorded = version
        return schema
    }

    /// The schema of a store that a model was recovered from: its entities are those that the store numbers.
    static func recovered(_ model: ManagedObjectModel, _ version: RecordedVersion, in database: Database)
        throws -> SQLSchema
    {
        let names = Set(
            try String?.fetchAll(database, sql: "SELECT Z_NAME FROM Z_PRIMARYKEY").compactMap(\.self))
        let entities = model.entities.filter { entity in
            names.contains(entity.name)
                || entity.declaration.renamingIdentifier.map(names.contains) ?? false
        }
        if entities.isEmpty { throw StoreError.unreadable("Z_PRIMARYKEY has none of the model's entities") }
        var schema = try SQLSchema(model, entities: entities).numbered(in: database)
        schema.recorded = version
        return schema
    }

    /// Core Data leaves an entity that was renamed under its earlier name there, as an Apple-written store
    /// shows (CoreDataPlus, SampleModel_V2).
    private func entity(numberedAs name: String) -> EntityDescription? {
        entities.first { $0.name == name } ?? entities.first { $0.declaration.renamingIdentifier == name }
    }

    /// Returns the schema of a read-only store that lacks some R*Tree indexes.
    func keepingBoxIndexes(where isThere: (RTreeIndex) throws -> Bool) rethrows -> SQLSchema {
        var schema = self
        schema.rTreeIndexes = try rTreeIndexes.filter(isThere)
        return schema
    }

    /// `Z_ENT`
    func number(of entity: EntityDescription) -> Int { numbers[entity.index] }

    /// `Z_ENT` of an entity and of all that inherit from it, the lower first.
    func numbers(ofFamily entity: EntityDescription) -> [Int] {
        model.family(of: entity).map { numbers[$0.index] }.sorted()
    }

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
    var tableNames: Set<String> { Set(tables.compactMap { $0?.name.text } + allJoins.map(\.name.text)) }
}
