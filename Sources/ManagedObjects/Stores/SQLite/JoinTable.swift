/// The table of a relationship from many to many: pairs of keys, and where a side is ordered the places.
///
/// `Z_12CATEGORIES (Z_12RECIPES, Z_13CATEGORIES)`: called after the side whose entity comes first, each
/// column after the number of the entity it leads to and the relationship that leads there. The place of a
/// category among a recipe's stands in `Z_FOK_13CATEGORIES`.
///
/// - Source: names that public programs read in Apple-written stores (`Z_26ASSETS`: `Z_34ASSETS`,
///   `Z_FOK_34ASSETS`). That a relationship which is its own inverse has the column `REFLEXIVE`, and that it
///   holds each pair both ways, is from public descriptions; no sample was found.
struct JoinTable: Sendable {
    let name: SQLName
    /// The keys of the side that names the table, and of the other.
    let first: SQLName, second: SQLName
    /// The place of the second among the first's, and of the first among the second's.
    let secondOrder: SQLName?, firstOrder: SQLName?
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
        if toFirst == toSecond { toFirst += "1" }
        first = join.isReflexive ? "REFLEXIVE" : SQLName("Z_\(toFirst)")
        second = SQLName("Z_\(toSecond)")
        secondOrder = one.isOrdered ? SQLName("Z_FOK_\(toSecond)") : nil
        firstOrder = other.isOrdered && !join.isReflexive ? SQLName("Z_FOK_\(toFirst)") : nil
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

    /// The columns as an owner sees them: its own keys, its objects' keys and places.
    struct View { let owner: SQLName, member: SQLName, order: SQLName? }

    /// - Parameter slot: the owner's side.
    func view(_ entity: EntityDescription, slot: Int, in model: ManagedObjectModel) -> View {
        let isFirst = slot == join.first.slot && entity.isKind(of: model.entities[join.first.entity])
        return isFirst
            ? View(owner: first, member: second, order: secondOrder)
            : View(owner: second, member: first, order: firstOrder)
    }
}
