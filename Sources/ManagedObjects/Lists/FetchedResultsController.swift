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
    private let sectionName: SectionName<Object>?
    private var isObserving = false

    init(_ request: FetchRequest<Object>, sectionedBy sectionName: SectionName<Object>?, _ core: ContextCore)
    {
        fetchRequest = request
        self.sectionName = sectionName
        self.core = core
    }

    /// Reads the list and begins to follow the context. Called again, it reads the list anew; what is new then
    /// is not reported.
    ///
    /// Reads keys and sort values only, so that a list of a hundred thousand rows is no hundred thousand
    /// objects.
    ///
    /// - Throws: ``FetchError`` when the request cannot be translated, has no sort descriptor, or its order
    ///   does not keep sections together; ``StoreError``.
    public func performFetch() throws {
        if fetchRequest.sortDescriptors.isEmpty {
            throw FetchError.unsupported("a list without a sort descriptor")
        }
        let fetch = try fetchRequest.description(in: core.model)
        self.fetch = fetch
        rows = try read(fetch)
        if isObserving { return }
        isObserving = true
        var interest = fetch.relatedRoots(in: core.model)
        for root in sectionName?.roots(fetch.entity, core.model) ?? [] { interest.insert(root) }
        interest.insert(fetch.entity.rootIndex)
        core.observe(
            ChangeObserver(interest: interest) { [weak self] changes in
                self?.objectsDidChange(changes)
                return self != nil
            })
    }

    private func read(_ fetch: FetchDescription) throws -> ListRows {
        if core.hasChanges {
            return try ListRows(core.fetch(fetch).map(row), hasSections: sectionName != nil)
        }
        let paths = fetch.order.terms.map(\.path) + (sectionName.map { [$0.path] } ?? [])
        let rows = try core.values(fetch, paths).map { key, values in
            ListRow(
                id: ManagedObjectID(fetch.entity.entityName, key: key),
                values: Array(values.prefix(fetch.order.terms.count)),
                section: sectionName?.name(values[values.count - 1]) ?? "")
        }
        return try ListRows(rows, hasSections: sectionName != nil)
    }

    private func row(_ object: ManagedObject) -> ListRow {
        ListRow(
            id: object.objectID, values: fetch?.order.values(of: object) ?? [],
            section: sectionName.map { $0.name($0.path.value([object])) } ?? "")
    }

    private func objectsDidChange(_ changes: ObjectChanges) {
        guard let fetch, let old = try? rows?.renamed() else { return }
        let changed = changes.all
        let others = fetch.relatedRoots(in: core.model)
            .union(sectionName?.roots(fetch.entity, core.model) ?? [])
        let mine = changed.filter { $0.isKind(of: fetch.entity) }
        var touched = Set(mine.map(\.objectID)).union(changes.deletedIDs)
        let isOtherTouched =
            changed.contains { others.contains($0.entity.rootIndex) }
            || changes.deletedIDs.contains { id in
                core.model.entity(named: id.entity).map { others.contains($0.rootIndex) } ?? false
            }
        let new: ListRows
        do {
            if isOtherTouched || fetch.limit != nil || fetch.offset > 0 {
                // Which rows that touches is not known without looking at them all.
                new = try read(fetch)
                for row in new.rows where !touched.contains(row.id) {
                    if let place = old.places[row.id], old.rows[place].isAt(row) { continue }
                    touched.insert(row.id)
                }
            } else {
                new = try merge(old, mine, touched, fetch)
            }
        } catch {
            delegate?.controller(self, didFailWith: error)
            return
        }
        let batch = old.difference(to: new, touched: touched)
        if batch.isEmpty { return }
        delegate?.controllerWillChangeContent(self)
        rows = new
        delegate?.controller(self, didChange: batch)
    }

    /// The old rows without those that were touched, and those of them that belong at their new places.
    private func merge(
        _ old: ListRows, _ mine: [ManagedObject], _ touched: Set<ManagedObjectID>, _ fetch: FetchDescription
    ) throws -> ListRows {
        let entering = mine.filter { !$0.isGone && core.matches($0, fetch) }.map(row).sorted(by: precedes)
        var merged: [ListRow] = []
        merged.reserveCapacity(old.rows.count + entering.count)
        var next = 0
        for row in old.rows where !touched.contains(row.id) {
            while next < entering.count, precedes(entering[next], row) {
                merged.append(entering[next])
                next += 1
            }
            merged.append(row)
        }
        merged += entering[next...]
        return try ListRows(merged, hasSections: sectionName != nil)
    }

    private func precedes(_ a: ListRow, _ b: ListRow) -> Bool {
        fetch?.order.precedes(a.values, a.id.key, b.values, b.id.key) ?? false
    }
}

extension ListRow {
    /// Whether nothing that decides the place differs.
    fileprivate func isAt(_ other: ListRow) -> Bool { values == other.values && section == other.section }
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
            rows.sectionNames.indices.map {
                Section(name: rows.sectionNames[$0], numberOfObjects: rows.count(ofSection: $0))
            }
        }
    }

    /// How many rows there are.
    public var count: Int { rows?.rows.count ?? 0 }

    /// The objects in order; most of them faults.
    public var fetchedObjects: [Object] {
        (rows?.rows ?? []).compactMap { core.object($0.id) as? Object }
    }

    /// The IDs in order, without touching an object.
    public var fetchedObjectIDs: [ManagedObjectID] { rows?.rows.map(\.id.current) ?? [] }

    /// The object of a row. The row must be there.
    public func object(at indexPath: IndexPath) -> Object? {
        guard let rows, rows.sectionStarts.indices.contains(indexPath.section),
            indexPath.row < rows.count(ofSection: indexPath.section)
        else { misuse("a list has no row \(indexPath)") }
        return core.object(rows.rows[rows.sectionStarts[indexPath.section] + indexPath.row].id) as? Object
    }

    /// Where an object is, nil when it is not in the list.
    public func indexPath(for object: Object) -> IndexPath? { indexPath(for: object.objectID) }

    public func indexPath(for id: ManagedObjectID) -> IndexPath? {
        rows.flatMap { rows in rows.places[id].map(rows.path) }
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
