public import Foundation

/// The contents of a table: sections of objects.
///
/// - Source: the book's data provider (objc.io, "Core Data", chapter 1).
public protocol DataProvider<Object>: AnyObject {
    associatedtype Object
    var numberOfSections: Int { get }
    func numberOfItems(inSection section: Int) -> Int
    func object(at indexPath: IndexPath) -> Object
}

/// A change of a row or section. Deleted and updated rows have their index paths from before, rows that
/// came where they are now; in a list of updates sections that come stand first, sections that go last.
public enum DataProviderUpdate<Object> {
    case insert(IndexPath)
    case update(IndexPath, Object)
    case move(IndexPath, IndexPath)
    case delete(IndexPath)
    case insertSection(Int)
    case deleteSection(Int)
}

/// Told of a provider's updates.
public protocol DataProviderDelegate<Object>: AnyObject {
    associatedtype Object: ManagedObject
    /// - Parameter updates: nil when everything is to be shown anew.
    func dataProviderDidUpdate(_ updates: [DataProviderUpdate<Object>]?)
}

/// A list as a table wants it: it fetches by itself, and hands over each step of the list as one array of
/// updates.
///
///     let provider = try FetchedResultsDataProvider(list, delegate: table)
///
/// To be used on the list's queue.
public final class FetchedResultsDataProvider<Delegate: DataProviderDelegate>: DataProvider {
    /// The class of the listed objects.
    public typealias Object = Delegate.Object
    /// The list behind the provider.
    public let fetchedResultsController: FetchedResultsController<Object>
    private weak var delegate: Delegate?

    /// Makes itself the list's delegate and fetches.
    ///
    /// - Throws: as ``FetchedResultsController/performFetch()``.
    public init(_ list: FetchedResultsController<Object>, delegate: Delegate) throws {
        (fetchedResultsController, self.delegate) = (list, delegate)
        list.delegate = self
        try list.performFetch()
    }

    /// Changes the request, fetches, and has everything shown anew.
    ///
    /// - Throws: as ``FetchedResultsController/performFetch()``; the list is as it was then.
    public func reconfigureFetchRequest(_ change: (inout FetchRequest<Object>) -> Void) throws {
        let before = fetchedResultsController.fetchRequest
        change(&fetchedResultsController.fetchRequest)
        do { try fetchedResultsController.performFetch() } catch {
            fetchedResultsController.fetchRequest = before
            throw error
        }
        delegate?.dataProviderDidUpdate(nil)
    }

    /// The number of sections; 0 before the first fetch.
    public var numberOfSections: Int { fetchedResultsController.sections?.count ?? 0 }

    /// The number of objects in a section.
    public func numberOfItems(inSection section: Int) -> Int {
        fetchedResultsController.section(at: section).numberOfObjects
    }

    /// The row must be there.
    public func object(at indexPath: IndexPath) -> Object {
        guard let object = fetchedResultsController.object(at: indexPath) else {
            misuse("the object at \(indexPath) is of another class")
        }
        return object
    }
}

extension FetchedResultsDataProvider: FetchedResultsControllerDelegate {
    /// Passes the changes on to the delegate.
    public func controller(
        _ controller: FetchedResultsController<Object>, didChange batch: FetchedResultsBatch
    ) {
        var updates: [DataProviderUpdate<Object>] = []
        for case .insert(_, let index) in batch.sections { updates.append(.insertSection(index)) }
        for change in batch.changes {
            switch change {
            case .insert(_, let index): updates.append(.insert(index))
            case .delete(_, let index): updates.append(.delete(index))
            case .move(_, let old, let new): updates.append(.move(old, new))
            case .update(_, let old, let new):
                guard let object = controller.object(at: new) else { continue }
                updates.append(.update(old, object))
            }
        }
        for case .delete(_, let index) in batch.sections { updates.append(.deleteSection(index)) }
        delegate?.dataProviderDidUpdate(updates)
    }

    /// A list that could not be brought up to date is shown as it is.
    public func controller(_ controller: FetchedResultsController<Object>, didFailWith error: any Error) {
        delegate?.dataProviderDidUpdate(nil)
    }
}
