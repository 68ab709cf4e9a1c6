/// The table of a hierarchy of entities: its root and all that inherit from it share one.
///
/// Names and order of columns are Core Data's: after `Z_PK`, `Z_ENT` and `Z_OPT` come integers and keys, then
/// dates and floating point, texts, bytes; inside each group the root's columns before its sub-entities', and
/// of one entity attributes before keys (UUIDs, transformables, other bytes), each by name.
///
/// - Source: 125 tables of eleven stores written by Apple's Core Data.
struct TableLayout: Sendable {
    /// `ZMOOD`
    let name: String
    /// After `Z_PK`, `Z_ENT`, `Z_OPT`.
    let columns: [Column]
    /// By entity index: the column of each slot, nil for relationships to many.
    private let columnOfSlot: [Int: [Int?]]

    struct Column: Sendable, Equatable {
        /// `ZDATE`
        let name: String
        /// `TIMESTAMP`
        let type: String
        /// For a key into a hierarchy: the column with the `Z_ENT` of the row it leads to, as `Z1_BOOK`.
        var entityColumnName: String?
        fileprivate let group: Int
    }

    /// - Parameter family: the root and its sub-entities, the higher first.
    init(family: [EntityDescription], in model: ManagedObjectModel) {
        name = columnName(family[0].name)
        var columns: [Column] = []
        var places: [Int: [Int?]] = [:]
        for entity in family {
            let parent = entity.superentityName.flatMap { model.entity(named: $0) }
            var slots = [Int?](repeating: nil, count: entity.properties.count)
            var own: [(slot: Int, column: Column)] = []
            for (slot, property) in entity.properties.enumerated() where property.hasColumn {
                if let parent, let inherited = parent.slot(of: property.name) {
                    slots[slot] = places[parent.index]?[inherited]
                } else {
                    own.append((slot, Column(property, in: model)))
                }
            }
            own.sort { ($0.column.group, $0.column.name) < ($1.column.group, $1.column.name) }
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
        columnOfSlot = places.mapValues { $0.map { $0.map { newPlace[$0] } } }
    }

    /// The index in `columns`, nil for a relationship to many.
    func column(of slot: Int, in entity: EntityDescription) -> Int? { columnOfSlot[entity.index]?[slot] }

    /// Slot to column index of all properties of an entity of this table.
    func columns(of entity: EntityDescription) -> [Int?] { columnOfSlot[entity.index] ?? [] }
}

extension TableLayout.Column {
    fileprivate init(_ property: PropertyDescription, in model: ManagedObjectModel) {
        name = columnName(property.name)
        switch property {
        case .attribute(let attribute):
            type = attribute.type.columnType
            group =
                switch attribute.type {
                case .integer16, .integer32, .integer64, .boolean: 0
                case .date, .double, .float: 10
                case .string: 20
                case .uuid: 30
                case .transformable: 31
                case .binaryData: 32
                }
        case .relationship(let relationship):
            type = "INTEGER"
            group = 1
            let target = model.entities[relationship.destination]
            if target.hasSubentities || target.superentityName != nil {
                entityColumnName = "Z\(target.number)_\(relationship.name.uppercased())"
            }
        }
    }

    /// A name that a sibling entity took already gets a number behind it.
    fileprivate func renamed(apartFrom columns: [Self]) -> Self {
        let taken = Set(columns.map(\.name))
        guard taken.contains(name) else { return self }
        let free = (1...).lazy.map { "\(name)\($0)" }.first { !taken.contains($0) } ?? name
        return Self(name: free, type: type, entityColumnName: entityColumnName, group: group)
    }
}

/// `ZDATE`
func columnName(_ property: String) -> String { "Z" + property.uppercased() }
