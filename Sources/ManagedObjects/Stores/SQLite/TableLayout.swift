/// The table of a hierarchy of entities: its root and all that inherit from it share one.
///
/// Names and order of columns are Core Data's: after `Z_PK`, `Z_ENT` and `Z_OPT` come integers and keys, then
/// dates and floating point, texts, bytes; inside each group the root's columns before its sub-entities', and
/// of one entity attributes before keys (UUIDs, transformables, other bytes), each by name.
///
/// - Source: 125 tables of eleven stores written by Apple's Core Data; for order columns the names that
///   public programs read (`Z_FOK_` and the name of the key).
struct TableLayout: Sendable {
    /// `ZMOOD`
    let name: SQLName
    /// After `Z_PK`, `Z_ENT`, `Z_OPT`.
    let columns: [Column]
    /// By slot of each entity: the index of its column, nil for what has none.
    private let places: [Int: [Int?]]

    struct Column: Sendable, Equatable {
        /// `ZDATE`
        let name: SQLName
        /// `TIMESTAMP`
        let type: String
        /// For a key into a hierarchy: the column with the `Z_ENT` of the row it leads to, as `Z1_BOOK`.
        var entityColumnName: SQLName?
        /// For the key of an owner whose objects have an order: the column with the place, as `Z_FOK_OWNER`.
        var orderColumnName: SQLName?
        fileprivate let group: Int

        /// How the column is read: `t0.ZDATE`, a decimal by its key.
        func reading(_ name: String) -> String { type == "DECIMAL" ? "MOODY_DECIMAL(\(name))" : name }
        /// What stands for its value in a statement that writes: a question mark.
        var mark: String { type == "DECIMAL" ? "MOODY_DECIMAL_COLUMN(?)" : "?" }
    }

    /// - Parameters:
    ///   - family: the root and its sub-entities, the higher first.
    ///   - numbers: `Z_ENT` by entity index.
    init(family: [EntityDescription], in model: ManagedObjectModel, numbers: [Int]) {
        name = columnName(family[0].name)
        var columns: [Column] = []
        var places: [Int: [Int?]] = [:]
        for entity in family {
            var slots = model.superentity(of: entity).flatMap { places[$0.index] } ?? []
            var own: [(slot: Int, column: Column)] = []
            for slot in slots.count..<entity.slots.count where entity.slots[slot].hasColumn {
                own.append((slot, Column(entity.slots[slot], in: model, numbers: numbers)))
            }
            slots += Array(repeating: nil, count: entity.slots.count - slots.count)
            own.sort { ($0.column.group, $0.column.name.text) < ($1.column.group, $1.column.name.text) }
            for (slot, column) in own {
                slots[slot] = columns.count
                columns.append(column.renamed(apartFrom: columns))
            }
            places[entity.index] = slots
        }
        // A stable sort by coarse group: entities stay in order inside each.
        let order = columns.indices.sorted { (columns[$0].group / 10, $0) < (columns[$1].group / 10, $1) }
        self.columns = order.map { columns[$0] }
        var newPlace = [Int](repeating: 0, count: order.count)
        for (new, old) in order.enumerated() { newPlace[old] = new }
        self.places = places.mapValues { $0.map { $0.map { newPlace[$0] } } }
    }

    /// The column of a property, nil for what has none.
    func column(of slot: Int, in entity: EntityDescription) -> Column? {
        places[entity.index]?[slot].map { columns[$0] }
    }

    /// By slot: the index of the property's column.
    func columns(of entity: EntityDescription) -> [Int?] { places[entity.index] ?? [] }

    /// The property of `entity` that is kept in a column, nil when none is.
    func property(ofColumn name: String, in entity: EntityDescription) -> String? {
        columns(of: entity).firstIndex { $0.map { columns[$0].name.text } == name }.map {
            entity.slots[$0].name
        }
    }
}

extension TableLayout.Column {
    fileprivate init(_ property: PropertyDescription, in model: ManagedObjectModel, numbers: [Int]) {
        switch property {
        case .attribute(let attribute):
            name = columnName(attribute.name)
            type = attribute.type.columnType
            group =
                switch attribute.type {
                case .integer16, .integer32, .integer64, .boolean: 0
                case .date, .double, .float: 10
                case .decimal: 15
                case .string, .uri: 20
                case .uuid: 30
                case .transformable: 31
                case .binaryData, .undefined: 32
                }
        case .relationship(let relationship):
            let target = model.destination(of: relationship)
            type = "INTEGER"
            group = 1
            // A way back that only the model has is called after the relationship it leads back from.
            name =
                relationship.isHidden
                ? SQLName("Z\(numbers[target.index])\(relationship.inverseName?.uppercased() ?? "")")
                : columnName(relationship.name)
            if target.hasSubentities || target.superentityName != nil {
                entityColumnName = SQLName("Z\(numbers[target.index])_\(name.text.dropFirst())")
            }
            if relationship.inverseSlot >= 0,
                let owner = target.relationship(at: relationship.inverseSlot), owner.isOrdered
            {
                orderColumnName = SQLName("Z_FOK_\(name.text.dropFirst())")
            }
        }
    }

    /// A name that a sibling entity took already gets a number behind it.
    fileprivate func renamed(apartFrom columns: [Self]) -> Self {
        let taken = Set(columns.map(\.name))
        guard taken.contains(name) else { return self }
        let free = (1...).lazy.map { name + "\($0)" }.first { !taken.contains($0) } ?? name
        return Self(
            name: free, type: type,
            entityColumnName: entityColumnName.map { $0 + free.text.dropFirst(name.text.count) },
            orderColumnName: orderColumnName.map { $0 + free.text.dropFirst(name.text.count) }, group: group)
    }
}

/// `ZDATE`
func columnName(_ property: String) -> SQLName { SQLName("Z" + property.uppercased()) }
