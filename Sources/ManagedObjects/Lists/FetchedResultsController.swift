public import Foundation

/// A list of objects that follows its context, used on the context's queue.
///
///     let list = context.list(FetchRequest<Mood>(sortedBy: .descending(\.date)))
///     list.delegate = table
///     try list.performFetch()
///
/// It is told whenever objects of the context change, works out which rows came, went, moved or changed, and
/// reports that. A list on a context that changes nothing itself and merges what others save reports commits
/// and nothing else.
///
/// - Source: Apple, NSFetchedResultsController reference.
public final class FetchedResultsController<Object: ManagedObject> {
    public let fetchRequest: FetchRequest<Object>

    /// Told of each change. Weak, as in Core Data: a delegate made inside a `perform` block is gone at the
    /// block's closing brace unless somebody else holds it.
    public weak var delegate: (any FetchedResultsControllerDelegate<Object>)?

    private unowned let core: ContextCore
    /// Nil before the first fetch.
    private(set) var rows: ListRows?
    private var fetch: FetchDescription?
    private var watch: ListWatch?
    private let sectionName: SectionName<Object>?
    /// Something was missed: the next report begins with reading everything again.
    private var isStale = false

    init(_ request: FetchRequest<Object>, sectionedBy sectionName: SectionName<Object>?, _ core: ContextCore)
    {
        fetchRequest = request
        self.sectionName = sectionName
        self.core = core
    }

    /// Reads the list and begins to follow the context. Called again, it reads the list anew; what is new
    /// then is not reported.
    ///
    /// Reads keys and sort values only, so that a list of a hundred thousand rows is no hundred thousand
    /// objects.
    ///
    /// - Throws: ``FetchError`` when the request cannot be translated, has no sort descriptor, or its order
    ///   does not keep sections together; ``StoreError``.
    public func performFetch() throws {
        if fetchRequest.sortDescriptors.isEmpty && fetchRequest.sortKeys.isEmpty {
            throw FetchError.unsupported("a list without a sort descriptor")
        }
        let fetch = try fetchRequest.description(in: core.model)
        rows = try ListRows(read(fetch), by: fetch.order, hasSections: sectionName != nil)
        (self.fetch, isStale) = (fetch, false)
        if watch != nil { return }
        let watch = ListWatch(fetch, sectionedBy: sectionName?.path, core)
        self.watch = watch
        core.notifier.add(
            ChangeObserver(
                interest: watch.interest,
                notify: { [weak self] changes in
                    self?.objectsDidChange(changes)
                    return self != nil
                }, rename: { [weak self] names in self?.objectsWereRenamed(names) }))
    }

    private func read(_ fetch: FetchDescription) throws -> [ListRow] {
        if core.hasChanges { return try core.read(fetch).map { row($0, fetch) } }
        let paths = fetch.order.terms.map(\.path) + (sectionName.map { [$0.path] } ?? [])
        return try core.source.values(fetch, paths).map { found in
            ListRow(
                id: found.id, values: Array(found.values.prefix(fetch.order.terms.count)),
                section: sectionName?.name(found.values[found.values.count - 1]) ?? "")
        }
    }

    private func row(_ object: ManagedObject, _ fetch: FetchDescription) -> ListRow {
        ListRow(
            id: object.objectID, values: fetch.order.values(of: object),
            section: sectionName.map { $0.name($0.path.value([object])) } ?? "")
    }

    private func objectsDidChange(_ changes: ObjectChanges) {
        do {
            guard let step = try step(changes) else { return }
            try report(step.leaving, step.entering)
            isStale = false
        } catch {
            // What was missed is made up for at the next change.
            isStale = true
            delegate?.controller(self, didFailWith: error)
        }
    }

    /// The rows that leave and enter, nil before the first fetch. Holds no copy of the list when it returns.
    private func step(_ changes: ObjectChanges) throws -> (leaving: [ListRow], entering: [ListRow])? {
        guard let fetch, let rows, let watch else { return nil }
        let concerned = isStale || changes.isGap ? nil : try watch.concerned(changes)
        guard let concerned, fetch.limit == nil, fetch.offset == 0 else {
            // Which rows that concerns is not known without looking at them all.
            let touched = Set((concerned ?? changes.all).map(\.objectID))
            return difference(rows, try read(fetch), touched)
        }
        var leaving: [ListRow] = [], entering: [ListRow] = []
        for id in changes.deletedIDs { if let row = rows.rowsByID[id] { leaving.append(row) } }
        for object in concerned {
            let wasThere = changes.deletedIDs.contains(object.objectID)
            if !wasThere, let row = rows.rowsByID[object.objectID] { leaving.append(row) }
            if !object.isGone && core.matches(object, fetch) { entering.append(row(object, fetch)) }
        }
        return (leaving, entering)
    }

    /// Rows that differ between the list and what was read, or whose objects changed.
    private func difference(_ rows: ListRows, _ read: [ListRow], _ touched: Set<ManagedObjectID>) -> (
        leaving: [ListRow], entering: [ListRow]
    ) {
        var same: Set<ManagedObjectID> = [], entering: [ListRow] = []
        for row in read {
            if !touched.contains(row.id), rows.rowsByID[row.id]?.isAt(row) ?? false {
                same.insert(row.id)
            } else {
                entering.append(row)
            }
        }
        return (rows.rowsByID.values.filter { !same.contains($0.id) }, entering)
    }

    private func report(
        _ leaving: [ListRow], _ entering: [ListRow],
        renamed names: [ManagedObjectID: ManagedObjectID] = [:]
    ) throws {
        if leaving.isEmpty && entering.isEmpty { return }
        let batch = try change { rows throws(FetchError) in
            try ListBatch(&rows, leaving: leaving, entering: entering, renamed: names).changes(
                reportingUpdates: names.isEmpty)
        }
        guard let batch, !batch.isEmpty, let delegate else { return }
        // The list is shown as it was once more: put back, which costs as little as the change.
        change { $0.replace(entering, with: leaving) }
        delegate.controllerWillChangeContent(self)
        change { $0.replace(leaving, with: entering) }
        delegate.controller(self, didChange: batch)
    }

    /// Changes the rows where they are: taken out first, since a copy costs as much as the list is long.
    @discardableResult
    private func change<Value, Failure>(_ body: (inout ListRows) throws(Failure) -> Value) throws(Failure)
        -> Value?
    {
        guard var rows else { return nil }
        self.rows = nil
        defer { self.rows = rows }
        return try body(&rows)
    }

    /// A save gave rows their keys. Rows that are equal in all else lie by key, so one may move by that.
    private func objectsWereRenamed(_ names: [(old: ManagedObjectID, new: ManagedObjectID)]) {
        let leaving = names.compactMap { rows?.rowsByID[$0.old] }
        if leaving.isEmpty { return }
        let names = Dictionary(uniqueKeysWithValues: names.map { ($0.old, $0.new) })
        let entering = leaving.map { row in
            ListRow(id: names[row.id] ?? row.id, values: row.values.map(\.current), section: row.section)
        }
        do { try report(leaving, entering, renamed: names) } catch { isStale = true }
    }
}

// Looking at the list.
extension FetchedResultsController {
    /// One section of the list, as it is now.
    public struct Section: Sendable, Equatable {
        /// Empty without a section key path.
        public let name: String
        public let numberOfObjects: Int
    }

    /// Nil before ``performFetch()``. Without a section key path exactly one section, also of an empty list;
    /// with one, no section is empty.
    public var sections: [Section]? {
        rows.map { rows in
            if !rows.hasSections { return [Section(name: "", numberOfObjects: rows.count)] }
            return rows.sectionNames.map { Section(name: $0, numberOfObjects: rows.count(ofSection: $0)) }
        }
    }

    /// How many rows there are.
    public var count: Int { rows?.count ?? 0 }

    /// The objects in order; most of them faults, which are read some hundreds at a time as they are looked
    /// at.
    public var fetchedObjects: [Object] {
        core.registry.faults(rows?.tree.all.map(\.id) ?? []).compactMap { $0 as? Object }
    }

    /// The IDs in order, without touching an object.
    public var fetchedObjectIDs: [ManagedObjectID] { rows?.tree.all.map(\.id) ?? [] }

    /// The object of a row. The row must be there.
    ///
    /// - Complexity: O(log *n*); the row's object is read with those around it.
    public func object(at indexPath: IndexPath) -> Object? {
        guard let rows, let row = rows.row(indexPath.row, ofSection: indexPath.section) else {
            misuse("a list has no row \(indexPath)")
        }
        if let object = core.registry.object(row.id) { return object as? Object }
        let rank = rows.tree.rank(of: row)
        let around = max(0, rank - 32)..<min(rows.count, rank + 96)
        let faults = core.registry.faults(around.map { rows.tree[$0].id })
        return faults[rank - around.lowerBound] as? Object
    }

    /// Where an object is, nil when it is not in the list. O(log *n*).
    public func indexPath(for object: Object) -> IndexPath? { indexPath(for: object.objectID) }

    /// The same by ID, be it one from before the object was saved.
    public func indexPath(for id: ManagedObjectID) -> IndexPath? {
        guard let rows, let row = rows.rowsByID[id] ?? rows.rowsByID[id.current] else { return nil }
        return rows.path(of: row)
    }
}

/// Told what a list does. Every method has an empty default.
public protocol FetchedResultsControllerDelegate<Object>: AnyObject {
    associatedtype Object: ManagedObject
    /// The list is about to change; it still is as it was.
    func controllerWillChangeContent(_ controller: FetchedResultsController<Object>)
    /// The list has changed.
    func controller(_ controller: FetchedResultsController<Object>, didChange batch: FetchedResultsBatch)
    /// The list could not be brought up to date and stays as it was.
    func controller(_ controller: FetchedResultsController<Object>, didFailWith error: any Error)
}

extension FetchedResultsControllerDelegate {
    public func controllerWillChangeContent(_ controller: FetchedResultsController<Object>) {}
    public func controller(
        _ controller: FetchedResultsController<Object>, didChange batch: FetchedResultsBatch
    ) {}
    public func controller(_ controller: FetchedResultsController<Object>, didFailWith error: any Error) {}
}
