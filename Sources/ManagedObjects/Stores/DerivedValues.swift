import Foundation

/// The tables of one store in the middle of a save, as far as derived attributes ask.
protocol DerivationTables {
    associatedtype Failure: Error

    /// The rows that have any of `members` in a relationship to many.
    func owners(_ entity: EntityDescription, _ slot: Int, of members: [Int64]) throws(Failure) -> [Int64]
    /// The rows whose relationship to one leads to any of `targets`.
    func rows(_ entity: EntityDescription, _ slot: Int, leadingTo targets: [Int64]) throws(Failure) -> [Int64]
    /// Returns the derived values of rows and the values of their sources, skipping keys without a row.
    func sources(_ property: DerivedProperty, _ keys: [Int64]) throws(Failure) -> [DerivedSource]
    mutating func put(_ value: StoredValue, _ property: DerivedProperty, key: Int64) throws(Failure)
}

struct DerivedSource {
    let id: ManagedObjectID
    let stored: StoredValue
    /// See ``DerivedProperty/value(_:_:)``.
    let values: [StoredValue]
}

/// Works out derived attributes in one save: of the rows that it writes, and of those that depend on them.
///
/// Nobody else's unsaved changes are in the way: a row that gets another derived value keeps its version.
///
/// - Complexity: O(rows written, and rows that depend on them) look-ups by index.
struct DerivedValues {
    private let properties: [DerivedProperty]
    /// By index in `properties`.
    private var keys: [Set<Int64>]

    /// Nil where nothing is derived.
    init?(_ model: ManagedObjectModel) {
        if model.derivedProperties.isEmpty { return nil }
        properties = model.derivedProperties
        keys = Array(repeating: [], count: properties.count)
    }

    /// Before the plan is written: who has what will go elsewhere.
    mutating func prepare<Tables: DerivationTables>(_ plan: SavePlan, _ tables: Tables) throws(Tables.Failure)
    {
        for (index, property) in properties.enumerated() {
            guard case .members(let slot, let target, let inverseSlot, let summed) = property.source else {
                continue
            }
            let moving = plan.updates.filter { update in
                update.entity.isKind(of: target)
                    && update.slots.contains { $0 == inverseSlot || $0 == summed }
            }
            let going = plan.deletes.filter { $0.entity.isKind(of: target) }
            let members = moving.map(\.id.key) + going.map(\.id.key)
            if members.isEmpty { continue }
            keys[index].formUnion(try tables.owners(property.entity, slot, of: members))
        }
    }

    /// After the plan was written.
    ///
    /// - Parameter key: a row's key as it is now; nil for one that is not there.
    /// - Returns: the rows whose derived values are other ones now.
    mutating func write<Tables: DerivationTables>(
        _ plan: SavePlan, _ tables: inout Tables, key: (ManagedObjectID) -> Int64?
    ) throws(Tables.Failure) -> [ManagedObjectID] {
        let now = Date()
        var changed: [ManagedObjectID] = [], known: Set<ManagedObjectID> = []
        for (index, property) in properties.enumerated() {
            keys[index].formUnion(written(plan, entity: property.entity, key: key))
            switch property.source {
            case .now: break
            case .path(_, let steps, _):
                keys[index].formUnion(try dependents(plan, steps: steps, tables: tables, key: key))
            case .members(let slot, let target, let inverseSlot, let summed):
                let coming = written(plan, entity: target, key: key) { slots in
                    slots.contains { $0 == inverseSlot || $0 == summed }
                }
                if !coming.isEmpty {
                    keys[index].formUnion(try tables.owners(property.entity, slot, of: coming))
                }
                for link in plan.links {
                    if link.slot == slot, link.entity.isKind(of: property.entity), let owner = key(link.owner)
                    {
                        keys[index].insert(owner)
                    }
                    if link.slot == inverseSlot, link.entity.isKind(of: target) {
                        keys[index].formUnion((link.added + link.removed).compactMap(key))
                    }
                }
            }
            if keys[index].isEmpty { continue }
            for source in try tables.sources(property, keys[index].sorted()) {
                let value = property.value(source.values, now)
                if value.isIdentical(to: source.stored) { continue }
                try tables.put(value, property, key: source.id.key)
                if known.insert(source.id).inserted { changed.append(source.id) }
            }
        }
        return changed
    }

    /// The rows of an entity that the plan inserts, and those it updates where `concerns` says so.
    private func written(
        _ plan: SavePlan, entity: EntityDescription, key: (ManagedObjectID) -> Int64?,
        concerns: ([Int]) -> Bool = { _ in true }
    ) -> [Int64] {
        plan.inserts.filter { $0.entity.isKind(of: entity) }.compactMap { key($0.id) }
            + plan.updates.filter { $0.entity.isKind(of: entity) && concerns($0.slots) }.map(\.id.key)
    }

    /// The rows from which a path leads over anything that the plan writes.
    private func dependents<Tables: DerivationTables>(
        _ plan: SavePlan, steps: [(entity: EntityDescription, slot: Int)], tables: Tables,
        key: (ManagedObjectID) -> Int64?
    ) throws(Tables.Failure) -> [Int64] {
        var touched: [Int64] = []
        for (index, step) in steps.enumerated().reversed() where index > 0 {
            touched += written(plan, entity: step.entity, key: key) { $0.contains(step.slot) }
            if touched.isEmpty { continue }
            let before = steps[index - 1]
            touched = try tables.rows(before.entity, before.slot, leadingTo: touched)
        }
        return touched
    }
}
