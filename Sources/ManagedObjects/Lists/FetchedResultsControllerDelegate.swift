public import Foundation

/// Told what a list does, on the list's queue. Every method has an empty default.
///
/// Each step reports inserted sections first, then changes of rows, then the sections that are deleted, and
/// finally everything as one batch. Index paths are as ``FetchedResultsBatch`` says: where something went,
/// moved from or was updated in the list before the step, where it came or moved to in the list after it.
///
/// - Source: Apple, NSFetchedResultsControllerDelegate reference.
public protocol FetchedResultsControllerDelegate<Object>: AnyObject {
    associatedtype Object: ManagedObject
    /// The list is about to change; it still is as it was.
    func controllerWillChangeContent(_ controller: FetchedResultsController<Object>)
    /// A section came or went; one that went is told as it was.
    func controller(
        _ controller: FetchedResultsController<Object>, didChange section: FetchedResultsSectionInfo,
        atSectionIndex index: Int, for type: FetchedResultsChangeType)
    /// A row came, went, moved or was updated.
    ///
    /// - Parameters:
    ///   - controller: the list that reports.
    ///   - object: nil for a row that went and whose object nobody had in memory.
    ///   - indexPath: nil for a row that came.
    ///   - type: What happened to the object: insert, delete, move or update.
    ///   - newIndexPath: nil for a row that went.
    func controller(
        _ controller: FetchedResultsController<Object>, didChange object: Object?, at indexPath: IndexPath?,
        for type: FetchedResultsChangeType, newIndexPath: IndexPath?)
    /// The whole step at once.
    func controller(_ controller: FetchedResultsController<Object>, didChange batch: FetchedResultsBatch)
    /// The list has changed, and all of it was told.
    func controllerDidChangeContent(_ controller: FetchedResultsController<Object>)
    /// Returns the title of a section in an index beside the list; nil for the first letter of its name.
    func controller(
        _ controller: FetchedResultsController<Object>, sectionIndexTitleForSectionName name: String
    ) -> String?
    /// The list could not be brought up to date and stays as it was.
    func controller(_ controller: FetchedResultsController<Object>, didFailWith error: any Error)
}

/// A kind of change of a row or a section.
public enum FetchedResultsChangeType: Sendable, Equatable {
    case insert, delete, move, update
}

extension FetchedResultsControllerDelegate {
    /// Does nothing.
    public func controllerWillChangeContent(_ controller: FetchedResultsController<Object>) {}
    /// Does nothing.
    public func controller(
        _ controller: FetchedResultsController<Object>, didChange section: FetchedResultsSectionInfo,
        atSectionIndex index: Int, for type: FetchedResultsChangeType
    ) {}
    /// Does nothing.
    public func controller(
        _ controller: FetchedResultsController<Object>, didChange object: Object?, at indexPath: IndexPath?,
        for type: FetchedResultsChangeType, newIndexPath: IndexPath?
    ) {}
    /// Does nothing.
    public func controller(
        _ controller: FetchedResultsController<Object>, didChange batch: FetchedResultsBatch
    ) {}
    /// Does nothing.
    public func controllerDidChangeContent(_ controller: FetchedResultsController<Object>) {}
    /// Does nothing.
    public func controller(
        _ controller: FetchedResultsController<Object>, sectionIndexTitleForSectionName name: String
    ) -> String? { nil }
    /// Does nothing.
    public func controller(_ controller: FetchedResultsController<Object>, didFailWith error: any Error) {}
}
