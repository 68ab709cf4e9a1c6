/// The table of a relationship from many to many: pairs of keys, and where a side is ordered the positions.
///
/// `Z_12CATEGORIES (Z_12RECIPES, Z_13CATEGORIES)`: called after the side whose entity comes first, each
/// column after the number of the entity it leads to and the relationship that leads there. The position of a
/// category among a recipe's stands in `Z_FOK_13CATEGORIES`.
///
/// - Source: names that public programs read in Apple-written stores (`Z_26ASSETS`: `Z_34ASSETS`,
///   `Z_FOK_34ASSETS`), and 45 tables of relationships that are their own inverse, whose second column is
///   `REFLEXIVE`. That those hold each pair both ways is from public descriptions.
struct JoinTable: Sendable {
    private(set) var name: SQLName
    /// The keys of the side that names the table, and of the other.
    private(set) var first: SQLName, second: SQLName
    /// The position of the second among the first's, and of the first among the second's.
    private(set) var secondOrder: SQLName?, firstOrder: SQLName?
    let join: ManagedObjectModel.Join

    init(_ join: ManagedObjectModel.Join, in model: ManagedObjectModel, numbers: [Int]) {
        self.join = join
        func side(_ side: (entity: Int, slot: Int)) -> (number: Int, name: String, isOrdered: Bool) {
            let property = model.entities[side.entity].slots[side.slot]
            let isOrdered = if case .relationship(let it) = property { it.isOrdered } else { false }
            return (numbers[side.entity], property.name.uppercased(), isOrdered)
        }
        let (one, other) = (side(join.first), side(join.second))
        name = SQLName("Z_\(one.number)\(one.name)")
        let toSecond = "\(other.number)\(one.name)"
        var toFirst = "\(one.number)\(other.name)"
        if toFirst == toSecond && !join.isReflexive { toFirst += "1" }
        first = SQLName("Z_\(toFirst)")
        second = join.isReflexive ? "REFLEXIVE" : SQLName("Z_\(toSecond)")
        secondOrder = one.isOrdered ? SQLName("Z_FOK_\(toSecond)") : nil
        firstOrder = other.isOrdered && !join.isReflexive ? SQLName("Z_FOK_\(toFirst)") : nil
    }

    /// The table that a store's file has for the relationship: found by its columns, since its name, and the
    /// numbers behind the names of its columns, depend on the versions that the store went through.
    ///
    /// - Parameter taken: tables of other relationships, by their names.
    /// - Returns: nil when there is none.
    func fitted(to tables: FileTables, _ model: ManagedObjectModel, taken: Set<String>) -> JoinTable? {
        func relationship(_ side: (entity: Int, slot: Int)) -> String {
            model.entities[side.entity].slots[side.slot].name.uppercased()
        }
        let (one, other) = (relationship(join.first), relationship(join.second))
        func column(_ wanted: SQLName, in table: FileTables.Table, but other: String?) -> String? {
            let names = table.columns.map(\.name).filter { $0 != other }
            let base = String(wanted.text.reversed().drop { $0.isNumber }.reversed())
            return names.first { $0.uppercased() == wanted.text }
                ?? names.first { $0.uppercased().isNumbered(wanted.text) || $0.uppercased() == base }
        }
        let found = tables.joins.compactMap { table -> JoinTable? in
            let name = table.name.uppercased().drop { $0 != "_" }.dropFirst().drop { $0.isNumber }
            guard !taken.contains(table.name), String(name).isNumbered(one) || String(name).isNumbered(other),
                let member = column(second, in: table, but: nil),
                let owner = column(first, in: table, but: member)
            else { return nil }
            var fitted = self
            fitted.name = SQLName(table.name)
            (fitted.first, fitted.second) = (SQLName(owner), SQLName(member))
            func order(_ column: String, _ isWanted: Bool) -> SQLName? {
                let name = "Z_FOK_" + column.dropFirst(2)
                return isWanted && table.columns.contains { $0.name.uppercased() == name.uppercased() }
                    ? SQLName(name) : nil
            }
            fitted.secondOrder = order(member, secondOrder != nil)
            fitted.firstOrder = order(owner, firstOrder != nil)
            return fitted
        }
        return found.first { $0.name == name } ?? found.first
    }

    var definition: String {
        let orders = [firstOrder, secondOrder].compactMap { $0 }.map { ", \($0) INTEGER" }.joined()
        return
            "CREATE TABLE \(name) ( \(first) INTEGER, \(second) INTEGER\(orders), "
            + "PRIMARY KEY (\(first), \(second)) )"
    }

    var index: (name: SQLName, definition: String) {
        let name = SQLName("\(name.text)_\(second.text)_INDEX")
        return (name, "CREATE INDEX \(name) ON \(self.name) (\(second), \(first))")
    }

    /// The columns as an owner sees them: its own keys, its objects' keys and positions.
    struct View { let owner: SQLName, member: SQLName, order: SQLName? }

    /// - Parameter slot: the owner's side.
    func view(_ entity: EntityDescription, slot: Int, in model: ManagedObjectModel) -> View {
        let isFirst = slot == join.first.slot && entity.isKind(of: model.entities[join.first.entity])
        return isFirst
            ? View(owner: first, member: second, order: secondOrder)
            : View(owner: second, member: first, order: firstOrder)
    }
}
