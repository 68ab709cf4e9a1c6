/// A row of a list: an object, and the values that decide its position.
struct ListRow {
    var id: ManagedObjectID
    /// A value per sort term.
    let values: CompactValues
    /// Empty without sections.
    let section: String

    /// Whether nothing that decides the position differs.
    func isAt(_ other: ListRow) -> Bool {
        id == other.id && section == other.section && values == other.values
    }
}
