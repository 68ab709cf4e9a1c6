public import Foundation

/// A change of a row in a list.
///
/// Index paths before (deletes, updates, where a move begins) are of the list before the batch, those after
/// (inserts, where a move ends) of the list after it: take out what is deleted or moves, from the last to the
/// first, then put in what is inserted or moved, from the first to the last, and the new list stands there.
public enum FetchedResultsChange: Sendable, Equatable {
    case insert(ManagedObjectID, at: IndexPath)
    case delete(ManagedObjectID, at: IndexPath)
    /// The row's object changed and kept its place among the others. `to` is where it is in the new list.
    case update(ManagedObjectID, at: IndexPath, to: IndexPath)
    case move(ManagedObjectID, from: IndexPath, to: IndexPath)

    /// The ID of the object that changed.
    public var objectID: ManagedObjectID {
        switch self {
        case .insert(let id, _), .delete(let id, _), .update(let id, _, _), .move(let id, _, _): id
        }
    }
}

/// A change of a section in a list.
public enum SectionChange: Sendable, Equatable {
    /// At its place in the list after the batch.
    case insert(name: String, at: Int)
    /// At its place in the list before the batch.
    case delete(name: String, at: Int)
}

/// The changes of a list in one step.
///
/// Changes come in a fixed order: deletes from the last row to the first, then updates, moves and inserts,
/// each by where the row is in the new list. Two runs that save the same report the same.
public struct FetchedResultsBatch: Sendable, Equatable {
    /// Sections that came or went.
    public var sections: [SectionChange] = []
    /// Changes of rows, in the order of the report.
    public var changes: [FetchedResultsChange] = []

    /// Whether there is nothing in it.
    public var isEmpty: Bool { sections.isEmpty && changes.isEmpty }

    var deletedSections: [Int] {
        sections.compactMap { change in
            if case .delete(_, let index) = change { index } else { nil }
        }
    }
}

extension IndexPath {
    /// A row of a section, both from 0.
    public init(row: Int, section: Int) { self.init(indexes: [section, row]) }

    /// The row, of an index path with a section and a row.
    public var row: Int { self[1] }
    /// The section.
    public var section: Int { self[0] }
}
