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
    private(set) var name: SQLName
    /// After `Z_PK`, `Z_ENT`, `Z_OPT`.
    private(set) var columns: [Column]
    /// By slot of each entity: the index of its column, nil for what has none.
    private var columnIndices: [Int: [Int?]]
    /// Columns that the model asks for and a store does not have: no row has a value for them.
    private(set) var missing: Set<SQLName> = []
    /// A missing column, with its property.
    private(set) var firstMissing: (column: String, property: String)?

    struct Column: Sendable, Equatable {
        /// `ZDATE`
        fileprivate(set) var name: SQLName
        /// `TIMESTAMP`
        let type: String
        /// For a key into a hierarchy: the column with the `Z_ENT` of the row it leads to, as `Z1_BOOK`.
        var entityColumnName: SQLName?
        /// For the key of an owner whose objects have an order: the column with the position, as
        /// `Z_FOK_OWNER`.
        var orderColumnName: SQLName?
        fileprivate let group: Int
        /// Without the number that tells it from a column of a sibling.
        fileprivate let baseName: SQLName
        /// Whether it belongs to an element of a composite, which gives way to an attribute of its name.
        fileprivate let isElement: Bool
        /// `Entity.property`, for messages.
        fileprivate var property = ""

        var isInteger: Bool { group / 10 == 0 }

        /// How the column is read: `t0.ZDATE`, a decimal by its key.
        func reading(_ name: String) -> String { type == "DECIMAL" ? "MOODY_DECIMAL(\(name))" : name }
        /// The placeholder of its value in a statement that writes: a question mark.
        var mark: String { type == "DECIMAL" ? "MOODY_DECIMAL_COLUMN(?)" : "?" }
    }

    /// - Parameters:
    ///   - family: the root and its sub-entities, the higher first.
    ///   - numbers: `Z_ENT` by entity index.
    init(family: [EntityDescription], in model: ManagedObjectModel, numbers: [Int]) {
        name = columnName(family[0].name)
        var columns: [Column] = []
        var columnIndices: [Int: [Int?]] = [:]
        for entity in family {
            var slots = model.superentity(of: entity).flatMap { columnIndices[$0.index] } ?? []
            var own: [(slot: Int, column: Column)] = []
            for slot in slots.count..<entity.slots.count where entity.slots[slot].hasColumn {
                var column = Column(entity.slots[slot], in: model, numbers: numbers)
                column.property = "\(entity.name).\(entity.slots[slot].name)"
                own.append((slot, column))
            }
            slots += Array(repeating: nil, count: entity.slots.count - slots.count)
            own.sort { $0.column.precedes($1.column) }
            for (slot, column) in own {
                slots[slot] = columns.count
                columns.append(column.renamed(apartFrom: columns))
            }
            columnIndices[entity.index] = slots
        }
        // A stable sort by coarse group: entities stay in order inside each.
        let order = columns.indices.sorted { (columns[$0].group / 10, $0) < (columns[$1].group / 10, $1) }
        self.columns = order.map { columns[$0] }
        var newIndex = [Int](repeating: 0, count: order.count)
        for (new, old) in order.enumerated() { newIndex[old] = new }
        self.columnIndices = columnIndices.mapValues { $0.map { $0.map { newIndex[$0] } } }
    }

    /// The column of a property, nil for what has none.
    func column(of slot: Int, in entity: EntityDescription) -> Column? {
        columnIndices[entity.index]?[slot].map { columns[$0] }
    }

    /// By slot: the index of the property's column.
    func columns(of entity: EntityDescription) -> [Int?] { columnIndices[entity.index] ?? [] }

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
            name = columnName(attribute.elementName ?? attribute.name)
            (baseName, isElement) = (name, attribute.elementName != nil)
            type = attribute.type.columnType
            group =
                switch attribute.type {
                case .integer16, .integer32, .integer64, .boolean: 0
                case .date, .double, .float: 10
                case .decimal: 15
                case .string, .uri: 20
                case .uuid: 30
                case .transformable: 31
                case .binaryData, .undefined, .composite: 32
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
            (baseName, isElement) = (name, false)
            // A leaf of a hierarchy is told by the key's relationship.
            if target.hasSubentities {
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
        return renamed(free)
    }

    /// With the same end for the columns that belong to it.
    fileprivate func renamed(_ free: SQLName) -> Self {
        var column = self
        let end = free.text.dropFirst(baseName.text.count)
        func ended(_ name: SQLName?) -> SQLName? {
            name.map { SQLName(String($0.text.dropLast(self.name.text.count - baseName.text.count)) + end) }
        }
        (column.name, column.entityColumnName) = (free, ended(entityColumnName))
        column.orderColumnName = ended(orderColumnName)
        return column
    }

    /// Whether it is numbered before another one of its entity.
    fileprivate func precedes(_ other: Self) -> Bool {
        if group != other.group { return group < other.group }
        if name != other.name { return name.text < other.name.text }
        if isElement != other.isElement { return !isElement }
        return property < other.property
    }
}

extension TableLayout {
    /// The layout with the names that a store's file has. Which of two siblings has the column with a number
    /// behind its name, and whether the `Z_ENT` of a key is kept, depends on the versions that the store went
    /// through.
    ///
    /// - Parameter found: the table's columns and their types.
    func fitted(to found: FileTables.Table) -> TableLayout {
        var free = Dictionary(found.columns.map { ($0.name.uppercased(), $0) }) { first, _ in first }
        var fitted = columns, isFitted = [Bool](repeating: false, count: columns.count)
        func assign(_ index: Int, _ name: String) {
            guard let column = free.removeValue(forKey: name) else { return }
            let wanted = columns[index]
            fitted[index] = wanted.renamed(SQLName(column.name))
            isFitted[index] = true
        }
        for (index, column) in columns.enumerated() {
            let name = column.name.text.uppercased()
            if free[name]?.type == column.type { assign(index, name) }
        }
        for (index, column) in columns.enumerated() where !isFitted[index] {
            let base = column.baseName.text.uppercased(), own = column.name.text.uppercased()
            let others = free.filter { $0.key.isNumbered(base) }.sorted {
                ($0.key.utf8.count, $0.key) < ($1.key.utf8.count, $1.key)
            }
            if let other = others.first(where: { $0.value.type == column.type })?.key {
                assign(index, other)
            } else if free[own] != nil {
                assign(index, own)
            }
        }
        var result = self
        result.missing = Set(columns.indices.filter { !isFitted[$0] }.map { columns[$0].name })
        for index in fitted.indices {
            fitted[index].entityColumnName =
                fitted[index].entityColumnName.flatMap { free[$0.text] }.map {
                    SQLName($0.name)
                } ?? Self.entityColumn(fitted[index], free)
            fitted[index].orderColumnName = fitted[index].orderColumnName.flatMap {
                free[$0.text.uppercased()]
            }.map { SQLName($0.name) }
        }
        result.columns = columns.indices.filter { isFitted[$0] }.map { fitted[$0] }
        var newIndex = [Int?](repeating: nil, count: columns.count), next = 0
        for index in columns.indices where isFitted[index] {
            newIndex[index] = next
            next += 1
        }
        result.columnIndices = columnIndices.mapValues { $0.map { $0.flatMap { newIndex[$0] } } }
        result.name = SQLName(found.name)
        result.firstMissing = columns.indices.first { !isFitted[$0] }.map {
            (columns[$0].name.text, columns[$0].property)
        }
        return result
    }

    /// `Z4_BOOK` for the key `ZBOOK`, whatever the number.
    private static func entityColumn(_ column: Column, _ free: [String: FileTables.Column]) -> SQLName? {
        if column.group != 1 { return nil }
        let end = "_" + column.name.text.dropFirst().uppercased()
        let names = free.keys.filter { name in
            guard name.hasPrefix("Z"), name.hasSuffix(end) else { return false }
            let number = name.dropFirst().dropLast(end.count)
            return !number.isEmpty && number.allSatisfy { ("0"..."9").contains($0) }
        }
        return names.count == 1 ? names.first.flatMap { free[$0] }.map { SQLName($0.name) } : nil
    }
}

extension String {
    /// Whether it is `name`, or that with a number behind it.
    func isNumbered(_ name: String) -> Bool {
        hasPrefix(name) && dropFirst(name.count).allSatisfy { ("0"..."9").contains($0) }
    }
}

/// `ZDATE`
func columnName(_ property: String) -> SQLName { SQLName("Z" + property.uppercased()) }
