/// One row of a list: which object, and what decides its place.
struct ListRow {
    var id: ManagedObjectID
    /// One value a sort term.
    let values: [StoredValue]
    /// Empty without sections.
    let section: String

    /// Whether nothing that decides the place differs.
    func isAt(_ other: ListRow) -> Bool {
        id == other.id && section == other.section && values == other.values
    }
}
