/// A row of a store, or an object of a parent, as a context takes it in.
struct ObjectRow: Sendable {
    let id: ManagedObjectID
    let entity: EntityDescription
    /// `Z_OPT`: counts the row's saves.
    let version: Int64
    /// By slot; null for relationships to many and for what no store keeps.
    var values: [StoredValue]
}

/// Some values of a row, without the row.
struct FetchedValues: Sendable {
    let id: ManagedObjectID
    /// A value per requested path.
    let values: CompactValues

    init(id: ManagedObjectID, values: some Collection<StoredValue>) {
        (self.id, self.values) = (id, CompactValues(values))
    }
}
