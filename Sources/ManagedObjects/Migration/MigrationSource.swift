/// An object as it was before a migration.
///
/// Valid while the migration runs.
public struct MigrationSource {
    let row: ObjectRow
    let manager: MigrationManager

    /// The ID of the object before.
    public var objectID: ManagedObjectID { row.id }
    /// The name of the entity before.
    public var entity: String { row.entity.name }

    /// An attribute's value as the store has it; a large value that lies in a file too. Null where there is
    /// none, of a relationship, and of a name that the entity does not have.
    ///
    /// - Throws: ``StoreError`` when a file cannot be read.
    public func storedValue(_ name: String) throws -> StoredValue {
        guard let slot = row.entity.slot(of: name), case .attribute = row.entity.slots[slot] else {
            return .null
        }
        return try row.values[slot].resolved()
    }

    /// An attribute's value: `try source.value("date", as: Date.self)`. What is null, or of another type,
    /// reads as the type's zero; nil for an optional type.
    public func value<Value: AttributeValue>(_ name: String, as: Value.Type = Value.self) throws -> Value {
        Value(storedValue: try storedValue(name))
    }

    /// Returns the target of a to-one relationship.
    public func target(_ name: String) throws -> MigrationSource? { try targets(name).first }

    /// Returns the targets of a relationship, in order if it is ordered.
    public func targets(_ name: String) throws -> [MigrationSource] {
        guard let slot = row.entity.slot(of: name), row.entity.relationship(at: slot) != nil else {
            return []
        }
        let ids = try manager.sourceIDs(row, slot)
        let rows = Dictionary(
            try manager.source.rows(ids).map { ($0.id.key, $0) }, uniquingKeysWith: { first, _ in first })
        return ids.compactMap { rows[$0.key] }.map { MigrationSource(row: $0, manager: manager) }
    }
}

/// An object after a migration, while it runs.
public final class MigrationObject {
    let entityDescription: EntityDescription
    let id: ManagedObjectID
    private let manager: MigrationManager
    /// By slot.
    private(set) var values: [StoredValue]
    /// To many, by slot: those that come.
    private(set) var members: [Int: [ManagedObjectID]] = [:]
    /// Since it was written last.
    private var changed: Set<Int> = []
    private(set) var isWritten: Bool

    init(
        _ entity: EntityDescription, id: ManagedObjectID, values: [StoredValue], isWritten: Bool,
        manager: MigrationManager
    ) {
        (entityDescription, self.id, self.values) = (entity, id, values)
        (self.isWritten, self.manager) = (isWritten, manager)
    }

    /// The name of the entity after.
    public var entity: String { entityDescription.name }

    /// Sets an attribute.
    ///
    /// - Throws: ``FetchError/unknownKey(entity:key:)``, ``StoreError`` when a large value cannot be written.
    public func setValue(_ value: (any PredicateValue)?, for name: String) throws {
        let slot = try slot(name, isRelationship: false)
        set(try manager.column(value?.storedValue ?? .null, entityDescription, slot), at: slot)
    }

    /// Makes a relationship lead to objects after the migration: in this order, where it has one.
    ///
    /// - Throws: ``FetchError/unknownKey(entity:key:)``.
    public func setTargets(_ targets: [MigrationObject], for name: String) throws {
        setTargets(targets.map(\.id), at: try slot(name, isRelationship: true))
    }

    /// Makes it lead to what became of objects before.
    public func setTargets(becoming sources: [MigrationSource], for name: String) throws {
        let slot = try slot(name, isRelationship: true)
        setTargets(
            try manager.destinationIDs(of: sources.map(\.objectID), in: entityDescription, slot), at: slot)
    }

    private func slot(_ name: String, isRelationship: Bool) throws -> Int {
        guard let slot = entityDescription.slot(of: name),
            (entityDescription.relationship(at: slot) != nil) == isRelationship
        else { throw FetchError.unknownKey(entity: entity, key: name) }
        return slot
    }

    func set(_ value: StoredValue, at slot: Int) {
        values[slot] = value
        if isWritten { changed.insert(slot) }
        manager.note(self)
    }

    func setTargets(_ targets: [ManagedObjectID], at slot: Int) {
        guard let relationship = entityDescription.relationship(at: slot) else { return }
        if relationship.isToMany {
            members[slot] = targets
            manager.note(self)
        } else {
            set(targets.first.map { .id($0) } ?? .null, at: slot)
        }
    }

    /// Returns the unwritten changes, and marks them as written.
    func consumeChanges() -> (slots: [Int], members: [Int: [ManagedObjectID]]) {
        defer { (changed, members, isWritten) = ([], [:], true) }
        return (changed.sorted(), members)
    }
}
