import Foundation

// Tables as a document, and back.
extension MemoryTables {
    /// - Throws: ``StoreError/unreadable(_:)`` for objects and values that the model does not have.
    init(_ document: StoreDocument, _ model: ManagedObjectModel, homes: [StoreEntity]) throws(StoreError) {
        self.init(model)
        _ = try StoredNumber.counter(document.lastKey, "the last key")
        isOneSequence = true
        lastKeys = Array(repeating: document.lastKey, count: model.entities.count)
        var entities: [StoreDocument.Reference: EntityDescription] = [:]
        for object in document.objects {
            guard let entity = model.entity(named: object.reference.entity), !entity.isAbstract else {
                throw .unreadable("an object of the entity \(object.reference.entity), which there is not")
            }
            if object.reference.key < 1 || object.reference.key > document.lastKey {
                throw .unreadable("\(entity.name) \(object.reference.key) is beyond the last key")
            }
            if entities.updateValue(entity, forKey: object.reference) != nil {
                throw .unreadable("\(entity.name) \(object.reference.key) is there twice")
            }
        }
        func id(_ reference: StoreDocument.Reference, _ slot: Int, _ owner: EntityDescription)
            throws(StoreError) -> ManagedObjectID
        {
            guard let entity = entities[reference], let relationship = owner.relationship(at: slot),
                entity.isKind(of: model.destination(of: relationship))
            else { throw .unreadable("\(owner.name).\(owner.slots[slot].name) leads to \(reference.key)") }
            return ManagedObjectID(homes[entity.index], key: reference.key)
        }
        var values: [StoreDocument.Reference: [StoredValue]] = [:]
        for object in document.objects {
            guard let entity = entities[object.reference] else { continue }
            var row = [StoredValue](repeating: .null, count: entity.slots.count)
            for (name, value) in object.attributes {
                guard let slot = entity.slot(of: name), case .attribute(let attribute) = entity.slots[slot],
                    !attribute.isTransient, attribute.type.accepts(value)
                else { throw .unreadable("\(entity.name) \(object.reference.key) has the value \(name)") }
                if case .text(let text) = value, attribute.type == .decimal {
                    row[slot] = Decimal(string: text, locale: nil)?.storedValue ?? .null
                } else {
                    row[slot] = value
                }
            }
            for (name, references) in object.relationships {
                guard let slot = entity.slot(of: name), let relationship = entity.relationship(at: slot),
                    relationship.isToMany || references.count < 2
                else { throw .unreadable("\(entity.name) \(object.reference.key) has the value \(name)") }
                guard !relationship.isToMany, let target = references.first else { continue }
                row[slot] = .id(try id(target, slot, entity))
            }
            values[object.reference] = row
        }
        // A relationship to many that nothing leads back from is a key in its members.
        for object in document.objects {
            guard let entity = entities[object.reference] else { continue }
            for (name, references) in object.relationships {
                guard let slot = entity.slot(of: name), let relationship = entity.relationship(at: slot),
                    relationship.isToMany, case .inverseKeys = relationship.storage,
                    model.destination(of: relationship).slots[relationship.inverseSlot].isHidden
                else { continue }
                for reference in references {
                    _ = try id(reference, slot, entity)
                    values[reference]?[relationship.inverseSlot] = .id(
                        ManagedObjectID(homes[entity.index], key: object.reference.key))
                }
            }
        }
        for object in document.objects {
            guard let entity = entities[object.reference], let row = values[object.reference] else {
                continue
            }
            put(
                Row(entity: entity, version: 1, values: row), root: entity.rootIndex,
                key: object.reference.key)
        }
        for object in document.objects {
            guard let entity = entities[object.reference] else { continue }
            for (name, references) in object.relationships {
                guard let slot = entity.slot(of: name), let relationship = entity.relationship(at: slot),
                    relationship.isToMany
                else { continue }
                var members: [Int64] = []
                for reference in references { members.append(try id(reference, slot, entity).key) }
                if case .join = relationship.storage {
                    for member in members {
                        link(entity, slot: slot, owner: object.reference.key, member: member, isThere: true)
                    }
                }
                if relationship.isOrdered {
                    order(entity, slot: slot, owner: object.reference.key, members: members, isComplete: true)
                }
            }
        }
    }

    /// Rows that are what they were have the version that they had, others the next: whoever read them
    /// before is told.
    mutating func keepVersions(of before: MemoryTables) {
        for (root, rows) in before.rows.enumerated() {
            for (key, old) in rows {
                guard var row = self.rows[root][key] else { continue }
                let isSame =
                    row.entity === old.entity
                    && zip(row.values, old.values).allSatisfy { $0.isIdentical(to: $1) }
                row.version = old.version + (isSame ? 0 : 1)
                put(row, root: root, key: key)
            }
        }
    }

    func document(identifier: String, metadata: [String: PropertyListValue], entities: Set<Int>)
        -> StoreDocument
    {
        var document = StoreDocument(
            identifier: identifier,
            versionHashes: Dictionary(
                uniqueKeysWithValues: model.entities.filter { entities.contains($0.index) }.map {
                    ($0.name, $0.versionHash)
                }))
        document.allMetadata = metadata
        document.lastKey = lastKeys.max() ?? 0
        for rows in rows {
            for (key, row) in rows {
                var object = StoreDocument.Object(.init(entity: row.entity.name, key: key))
                for slot in row.entity.slots.indices where !row.entity.slots[slot].isHidden {
                    write(slot, of: row, key, to: &object)
                }
                document.objects.append(object)
            }
        }
        document.objects.sort { $0.reference.key < $1.reference.key }
        return document
    }

    private func write(_ slot: Int, of row: Row, _ key: Int64, to object: inout StoreDocument.Object) {
        let name = row.entity.slots[slot].name
        switch row.entity.slots[slot] {
        case .attribute(let attribute):
            if attribute.isTransient { return }
            switch row.values[slot] {
            case .null, .id: break
            case .blob(let key) where attribute.type == .decimal:
                object.attributes[name] = .text("\(Decimal(storedValue: .blob(key)))")
            case let value: object.attributes[name] = value
            }
        case .relationship(let relationship):
            let destination = model.destination(of: relationship)
            let keys =
                relationship.isToMany
                ? members(row.entity, key: key, slot: slot) : row.values[slot].target.map { [$0.key] } ?? []
            object.relationships[name] = keys.compactMap { member in
                rows[destination.rootIndex][member].map { .init(entity: $0.entity.name, key: member) }
            }
        }
    }
}

extension AttributeType {
    /// Whether a column of this type can hold the value.
    fileprivate func accepts(_ value: StoredValue) -> Bool {
        switch (self, value) {
        case (_, .null): true
        case (.undefined, _), (_, .id): false
        case (.integer16, .int(let value)): Int16(exactly: value) != nil
        case (.integer32, .int(let value)): Int32(exactly: value) != nil
        case (.integer64, .int), (.boolean, .int): true
        case (.double, .double), (.float, .double), (.date, .double): true
        // The string that stands for NaN, which a SQLite column cannot hold.
        case (.double, .text), (.float, .text), (.date, .text): value == Double.nan.storedValue
        case (.double, .int), (.float, .int), (.date, .int): true
        case (.decimal, .text(let text)): Decimal(string: text, locale: nil) != nil
        case (.string, .text), (.uri, .text): true
        case (.binaryData, .blob), (.transformable, .blob), (.uuid, .blob): true
        default: false
        }
    }
}
