// Invariants that hold between calls. Tests check them after every operation.
extension ContextCore {
    /// Returns what is not as it must be; nil when all is well.
    ///
    /// - Complexity: O(objects in memory).
    func checkInvariants() -> String? {
        if !changes.isTracking { return "tracking is off outside of a hook" }
        return changes.checkInvariants(registry.objects) ?? relationships.checkInvariants()
            ?? registry.checkInvariants()
    }
}

extension RowState {
    /// Whether the parts fit together.
    func checkInvariants(slots: Int) -> String? {
        if !values.isEmpty && values.count != slots { return "\(values.count) values, not \(slots)" }
        if flags.contains(.updated) && (status != .saved || snapshot == nil || values.isEmpty) {
            return "updated, but \(status) and \(snapshot == nil ? "without a snapshot" : "with one")"
        }
        if snapshot != nil && status == .saved && !flags.contains(.updated) {
            return "a snapshot without a change"
        }
        if snapshot != nil && (status == .inserted || status == .detached) {
            return "a snapshot of a \(status) object"
        }
        return nil
    }
}

extension ChangeTracker {
    fileprivate func checkInvariants(_ objects: [ManagedObject]) -> String? {
        let listed = [
            RowState.Status.inserted: Set(inserted.all), .saved: Set(updated.all), .deleted: Set(deleted.all),
        ]
        for object in objects + inserted.all + updated.all + deleted.all {
            if let failure = object.rowState.checkInvariants(slots: object.entity.slots.count) {
                return "\(object.objectID): \(failure)"
            }
            let isChanged = object.status != .saved || object.flags.contains(.updated)
            for (status, list) in listed where list.contains(object) != (isChanged && object.status == status)
            {
                let isListed = list.contains(object) ? "listed" : "not listed"
                return "\(object.objectID) is \(object.status) and \(isListed) as \(status)"
            }
            if object.status == .detached { return "\(object.objectID) is detached and in the registry" }
        }
        for root in core.model.entities.map(\.rootIndex) {
            let rows = (updated.all + deleted.all).filter { $0.entity.rootIndex == root }.count
            if rowsChanged[root, default: 0] != rows {
                return "\(rowsChanged[root, default: 0]) changed rows, not \(rows)"
            }
            let objects = Set((inserted.all + updated.all).filter { $0.entity.rootIndex == root })
            if Set(unsaved[root]?.all ?? []) != objects {
                return "the unsaved objects of a family are others"
            }
        }
        return nil
    }
}

extension RelationshipGraph {
    fileprivate func checkInvariants() -> String? {
        for (key, delta) in deltas {
            guard let owner = delta.owner else { return "nobody holds \(key.owner)" }
            if owner.objectID != key.owner { return "\(key.owner) is held as \(owner.objectID)" }
            if !owner.isGone && core.registry.object(key.owner) !== owner {
                return "\(key.owner) is another object"
            }
        }
        for object in core.registry.objects {
            for (slot, related) in object.related {
                guard case .one(let other) = related, !object.values.isEmpty, !other.isGone else { continue }
                guard let target = object.values[slot].target else { continue }
                if target == other.objectID && core.registry.object(target) !== other {
                    return "\(object.objectID) leads to an object that is no row's"
                }
            }
        }
        return nil
    }
}

extension ObjectRegistry {
    fileprivate func checkInvariants() -> String? {
        for object in objects where self.object(object.objectID) !== object {
            return "\(object.objectID) is not found by its ID"
        }
        let count = savedObjects.count
        return count == savedCount ? nil : "\(savedCount) objects counted, \(count) there"
    }
}
