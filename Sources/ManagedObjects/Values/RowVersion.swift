/// A row by its place and version, without its values.
struct RowVersion: Sendable {
    let id: ManagedObjectID
    let version: Int64
}
