import Foundation

extension ContextCore {
    /// Writes what changed, in one transaction.
    ///
    /// - Throws: ``ValidationError``, ``StoreError``. Nothing was written then, and nothing is lost.
    package func save() throws -> SaveNotification {
        try throwFaultError()
        callWillSave()
        processPendingChanges()
        try throwFaultError()
        guard hasChanges else { return SaveNotification() }
        try validate()
        let new = inserted.all, changed = updated.all.filter { !changedSlots(of: $0).isEmpty },
            gone = deleted.all
        for object in new + changed { try stageExternalValues(of: object) }
        let request = SaveRequest(
            inserts: new.map {
                .init(
                    entity: $0.entity, temporaryKey: $0.objectID.key, values: $0.values,
                    targetNumbers: targetNumbers(of: $0))
            },
            updates: changed.map {
                .init(
                    entity: $0.entity, key: $0.objectID.key, version: $0.version, slots: changedSlots(of: $0),
                    values: $0.values, targetNumbers: targetNumbers(of: $0))
            },
            deletes: gone.map { .init(entity: $0.entity, key: $0.objectID.key, version: $0.version) })
        let keys = try coordinator.store.save(request)
        return finishSave(new, changed, gone, keys)
    }

    private func finishSave(
        _ new: [ManagedObject], _ changed: [ManagedObject], _ gone: [ManagedObject], _ keys: [Int64: Int64]
    ) -> SaveNotification {
        for object in new {
            guard let key = keys[object.objectID.key] else { continue }
            move(object, to: object.objectID.become(key))
            object.status = .saved
            object.version = 1
        }
        for object in new + updated.all {
            for (slot, property) in object.entity.properties.enumerated() {
                if case .relationship(let relationship) = property, !relationship.isToMany,
                    case .int(let key) = object.values[slot], let permanent = keys[key]
                {
                    object.values[slot] = .int(permanent)
                }
            }
        }
        for object in changed { object.version += 1 }
        // As in Core Data an object that was set to what it was counts as updated: no row is written, but lists
        // hear of it. That is how an object says that what it shows of another one has changed.
        let touched = updated.all
        for object in touched { object.snapshot = nil }
        for object in gone {
            object.status = .detached
            unregister(object)
        }
        (inserted, updated, deleted) = (ObjectList(), ObjectList(), ObjectList())
        for object in new + changed { object.didSave() }
        return SaveNotification(
            insertedObjectIDs: new.map(\.objectID), updatedObjectIDs: touched.map(\.objectID),
            deletedObjectIDs: gone.map(\.objectID))
    }

    /// What one object does in `willSave` may change others; a few rounds, as in Core Data, then an end.
    private func callWillSave() {
        var asked = ObjectList()
        for _ in 0..<100 {
            let next = (inserted.all + updated.all + deleted.all).filter { !asked.contains($0) }
            if next.isEmpty { return }
            for object in next {
                asked.append(object)
                object.willSave()
            }
        }
    }

    private func changedSlots(of object: ManagedObject) -> [Int] {
        guard let snapshot = object.snapshot else { return [] }
        return object.values.indices.filter {
            object.entity.properties[$0].hasColumn && !object.values[$0].isIdentical(to: snapshot[$0])
        }
    }

    /// Values too large for the row go to files before the transaction begins.
    private func stageExternalValues(of object: ManagedObject) throws {
        guard let files = try coordinator.store.files else { return }
        for (slot, property) in object.entity.properties.enumerated() where property.isExternal {
            guard case .blob(let column) = object.values[slot], column.count > ExternalFiles.threshold,
                let data = ExternalFiles.parse(column).inline
            else { continue }
            object.values[slot] = .blob(try files.stage(data))
        }
    }

    /// `Z_ENT` of what keys lead to, where that is not said by the model alone.
    private func targetNumbers(of object: ManagedObject) -> [Int: Int] {
        var numbers: [Int: Int] = [:]
        for (slot, property) in object.entity.properties.enumerated() {
            guard case .relationship(let relationship) = property, !relationship.isToMany else { continue }
            let destination = model.destination(of: relationship)
            guard destination.hasSubentities || destination.superentityName != nil else { continue }
            numbers[slot] = target(of: object, at: slot)?.entity.number
        }
        return numbers
    }

    private func validate() throws {
        var failures: [ValidationError.Failure] = []
        for object in inserted.all + updated.all {
            for (slot, property) in object.entity.properties.enumerated() where !property.isOptional {
                let isMissing =
                    property.hasColumn
                    ? object.values[slot] == .null : members(of: object, at: slot).isEmpty
                if isMissing {
                    failures.append(
                        .init(object: object.objectID, property: property.name, rule: .missingValue))
                }
            }
        }
        for object in deleted.all {
            for (slot, property) in object.entity.properties.enumerated() {
                guard case .relationship(let relationship) = property, relationship.deleteRule == .deny else {
                    continue
                }
                let left =
                    relationship.isToMany
                    ? members(of: object, at: slot).filter { !$0.isGone }.count
                    : target(of: object, at: slot).map { $0.isGone ? 0 : 1 } ?? 0
                if left > 0 {
                    failures.append(
                        .init(
                            object: object.objectID, property: property.name, rule: .deleteDenied(count: left)
                        ))
                }
            }
        }
        if !failures.isEmpty { throw ValidationError(failures: failures) }
    }
}
