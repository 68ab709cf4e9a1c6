/// The contents of a save, gathered from a context's unsaved changes.
struct SaveDraft {
    private(set) var plan = SavePlan()
    /// The objects whose rows are counted up.
    private(set) var updatedRows: [ManagedObject] = []
    private let stagesLargeValues: Bool

    /// Puts large values where they belong, and gathers the rest.
    ///
    /// - Parameter stagesLargeValues: false leaves large values where they are and the objects unchanged.
    /// - Throws: ``StoreError``.
    init(_ core: ContextCore, stagesLargeValues: Bool = true) throws {
        self.stagesLargeValues = stagesLargeValues
        plan.taken = core.dataToSave
        let paired = try addRelationships(core)
        for object in core.changes.inserted.all {
            try prepare(object, core)
            plan.inserts.append(.init(id: object.objectID, entity: object.entity, values: object.values))
        }
        for object in core.changes.updated.all {
            let slots = object.changedSlots
            if slots.isEmpty && !paired.contains(object.objectID) { continue }
            try prepare(object, core)
            updatedRows.append(object)
            plan.updates.append(
                .init(
                    id: object.objectID, entity: object.entity, version: object.version, slots: slots,
                    values: object.values, snapshot: object.snapshot ?? object.values))
        }
        for object in core.changes.deleted.all {
            plan.deletes.append(
                .init(
                    id: object.objectID, entity: object.entity, version: object.version,
                    snapshot: object.snapshot ?? object.values))
        }
    }

    private func prepare(_ object: ManagedObject, _ core: ContextCore) throws {
        for slot in object.entity.textSlots {
            if case .text(let text) = object.values[slot], text.utf8.contains(0) {
                throw StoreError.textWithNUL(object.objectID, property: object.entity.slots[slot].name)
            }
        }
        if !stagesLargeValues { return }
        for slot in object.entity.externalSlots {
            let (entity, id) = (object.entity, object.objectID)
            switch object.values[slot] {
            case .blob(let data) where data.count >= ExternalFiles.threshold:
                object.rowState.set(try core.source.stage(data, for: entity, id: id), at: slot)
            // Staged in another store than the one that the object goes to.
            case .external(let file) where try !core.source.owns(file, of: entity, id: id):
                object.rowState.set(try core.source.stage(file.read(), for: entity, id: id), at: slot)
            default: break
            }
        }
    }

    /// Pairs and orders.
    ///
    /// - Returns: the owners whose rows count as changed by that.
    private mutating func addRelationships(_ core: ContextCore) throws -> Set<ManagedObjectID> {
        var owners: Set<ManagedObjectID> = []
        for (key, delta) in core.relationships.deltas.sorted(by: { before($0.key, $1.key) }) {
            guard let owner = delta.owner ?? core.registry.object(key.owner), !owner.isGone,
                let relationship = owner.entity.relationship(at: key.slot)
            else { continue }
            let added = delta.added.filter { !$0.isGone }.map(\.objectID)
            if case .join(let number) = relationship.storage {
                owners.insert(owner.objectID)
                let join = core.model.joins[number]
                // Only one side records the pair; a pair of a relationship that is its own inverse is kept
                // both ways.
                let isFirst =
                    key.slot == join.first.slot
                    && owner.entity.isKind(of: core.model.entities[join.first.entity])
                let removed = delta.removed.sorted { $0.key < $1.key }
                if isFirst && !(added.isEmpty && removed.isEmpty) {
                    plan.links.append(
                        .init(
                            owner: owner.objectID, entity: owner.entity, slot: key.slot, added: added,
                            removed: removed))
                }
            }
            guard relationship.isOrdered else { continue }
            if delta.order != nil {
                owners.insert(owner.objectID)
                let members = try core.relationships.readOrderedMembers(of: owner, at: key.slot)
                    .map(\.objectID)
                plan.orders.append(
                    .init(
                        owner: owner.objectID, entity: owner.entity, slot: key.slot, members: members,
                        isComplete: true))
            } else {
                let coming = delta.coming.all.filter { !$0.isGone }.map(\.objectID)
                if coming.isEmpty { continue }
                plan.orders.append(
                    .init(
                        owner: owner.objectID, entity: owner.entity, slot: key.slot, members: coming,
                        isComplete: false))
            }
        }
        return owners
    }

    private func before(_ a: RelationshipGraph.Key, _ b: RelationshipGraph.Key) -> Bool {
        (a.slot, a.owner.key) < (b.slot, b.owner.key)
    }
}
