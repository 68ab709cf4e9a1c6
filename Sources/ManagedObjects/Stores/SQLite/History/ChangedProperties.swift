import Foundation

/// Which properties a save sets, row by row, as a store's history has it: for a relationship both sides.
struct ChangedProperties {
    private let model: ManagedObjectModel
    /// By row: the relationships to many whose members change.
    private var members: [ManagedObjectID: Set<String>] = [:]
    /// By entity.
    private var columns: [Int: HistoryColumns] = [:]

    init(_ plan: SavePlan, _ model: ManagedObjectModel) {
        self.model = model
        // Of other changes the history names no properties.
        if plan.updates.isEmpty { return }
        for link in plan.links {
            note(link.entity, link.slot, link.owner)
            guard let relationship = link.entity.relationship(at: link.slot) else { continue }
            let target = model.destination(of: relationship)
            for member in link.added + link.removed { note(target, relationship.inverseSlot, member) }
        }
        for order in plan.orders { note(order.entity, order.slot, order.owner) }
        for insert in plan.inserts { noteTargets(insert.entity, insert.entity.toOneSlots, insert.values) }
        for update in plan.updates {
            let keys = update.slots.filter { update.entity.relationship(at: $0) != nil }
            noteTargets(update.entity, keys, update.values)
            if !update.snapshot.isEmpty { noteTargets(update.entity, keys, update.snapshot) }
        }
        for delete in plan.deletes where !delete.snapshot.isEmpty {
            noteTargets(delete.entity, delete.entity.toOneSlots, delete.snapshot)
        }
    }

    private mutating func note(_ entity: EntityDescription, _ slot: Int, _ row: ManagedObjectID) {
        guard entity.slots.indices.contains(slot), !entity.slots[slot].isHidden else { return }
        members[row.current, default: []].insert(entity.slots[slot].name)
    }

    private mutating func noteTargets(_ entity: EntityDescription, _ slots: [Int], _ values: [StoredValue]) {
        for slot in slots {
            guard let target = values[slot].target, let relationship = entity.relationship(at: slot),
                relationship.inverseSlot >= 0
            else { continue }
            note(model.destination(of: relationship), relationship.inverseSlot, target)
        }
    }

    private mutating func columns(of entity: EntityDescription) -> HistoryColumns {
        if let known = columns[entity.index] { return known }
        let made = HistoryColumns(entity, in: model)
        columns[entity.index] = made
        return made
    }

    mutating func bits(of update: SavePlan.Update) -> Data {
        let slots = update.slots.filter { !update.entity.slots[$0].isHidden }
        // An element of a composite changes the composite.
        let names = slots.map {
            update.entity.slots[$0].name.split(separator: ".").first.map(String.init) ?? ""
        }
        return columns(of: update.entity).bits(of: Set(names).union(members[update.id.current] ?? []))
    }

    mutating func tombstone(of delete: SavePlan.Delete) -> [Data?] {
        if delete.snapshot.isEmpty { return [] }
        return columns(of: delete.entity).preserved.map { attribute, slot in
            HistoryColumns.tombstone(delete.snapshot[slot], attribute.type)
        }
    }
}
