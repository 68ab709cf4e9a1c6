public import Foundation

/// The changes of a list in one step, for readers on any queue: rows are values.
///
/// `generation` counts up by one a batch. A reader that sees a gap has missed one; the next reload puts it
/// right.
public struct ListChanges<Row: Sendable>: Sendable {
    /// The number of the list's state after the changes.
    public let generation: UInt64
    /// Sections that came or went.
    public let sections: [SectionChange]
    /// In the order of ``FetchedResultsBatch/changes``.
    public let changes: [Change]

    /// A change of a row.
    public enum Change: Sendable {
        /// The whole list: how a stream begins.
        case reload([Row])
        case insert(Row, ManagedObjectID, at: IndexPath)
        /// The row as it was before it went; nil when it went without the context hearing of it before.
        case delete(Row?, ManagedObjectID, at: IndexPath)
        case update(Row, ManagedObjectID, at: IndexPath, to: IndexPath)
        case move(Row, ManagedObjectID, from: IndexPath, to: IndexPath)
    }
}
