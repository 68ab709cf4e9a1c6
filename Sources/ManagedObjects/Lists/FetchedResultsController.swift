import Foundation

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
    /// May be changed; the list follows what ``performFetch()`` was last called for. Stops the program while
    /// a cache holds what the request of before found: ``deleteCache(name:in:)`` first.
    public var fetchRequest: FetchRequest<Object> {
        willSet {
            guard let cacheName, core.source.listCaches.isLive(cacheName) else { return }
            misuse(
                "the request of a list was changed while its cache \"\(cacheName)\" is live; delete the "
                    + "cache first"
            )
        }
    }
    /// Under which name the list is kept for the next start; nil when it is not.
    public let cacheName: String?

    /// Told of each change. Weak, as in Core Data: a delegate made inside a `perform` block is gone at the
    /// block's closing brace unless somebody else holds it.
    public weak var delegate: (any FetchedResultsControllerDelegate<Object>)?

    unowned let core: ContextCore
    private var contents = Contents.nothing
    private var reading: ListReading<Object>?
    private var watch: ListWatch?
    /// Goes up with each fetch: who was told for an older one is not told any more.
    private var fetches = 0
    private let sectionName: SectionName<Object>?
    /// Something was missed: the next report begins with reading everything again.
    private var isStale = false
    /// The objects that went in the step that is being told.
    private var gone: [ManagedObjectID: ManagedObject] = [:]

    /// A list of what the request finds in the context.
    ///
    /// - Parameters:
    ///   - fetchRequest: the objects to fetch, and their order.
    ///   - context: the context of the objects.
    ///   - sectionNameKeyPath: what sections are made of; nil for one section without a name. Rows of one
    ///     section must lie together in the request's order.
    ///   - cacheName: the name of a cache that keeps the list; nil for none.
    public convenience init(
        fetchRequest: FetchRequest<Object>, managedObjectContext context: isolated ManagedObjectContext,
        sectionNameKeyPath: SectionName<Object>? = nil, cacheName: String? = nil
    ) {
        self.init(
            fetchRequest, sectionedBy: sectionNameKeyPath, cacheName: cacheName, context.withObjects { $0 })
    }

    init(
        _ request: FetchRequest<Object>, sectionedBy sectionName: SectionName<Object>?,
        cacheName: String? = nil,
        _ core: ContextCore
    ) {
        (fetchRequest, self.cacheName) = (request, cacheName)
        self.sectionName = sectionName
        self.core = core
    }

    /// The rows as they were kept, until the first change; then a tree.
    private enum Contents { case nothing, packed(PackedList), rows(ListRows) }

    /// Nil before the first fetch. Takes a kept list apart, which costs as much as it is long.
    var rows: ListRows? {
        get {
            switch contents {
            case .nothing: return nil
            case .rows(let rows): return rows
            case .packed(let packed):
                guard let order = reading?.order else { return nil }
                let hasSections = packed.header.sections != nil
                let kept = packed.rows(terms: order.terms.count).flatMap {
                    try? ListRows($0, by: order, hasSections: hasSections)
                }
                guard let kept else { misuse("a kept list passed its checksum and cannot be read") }
                contents = .rows(kept)
                return kept
            }
        }
        set { contents = newValue.map { .rows($0) } ?? .nothing }
    }

    /// The list as it was kept, if it has not changed since.
    var packed: PackedList? { if case .packed(let packed) = contents { packed } else { nil } }

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
        let reading = ListReading(
            try fetchRequest.description(in: core.model), sectionedBy: sectionName)
        // Pending changes are part of the list already: they are not reported again, and changes that
        // belong to the same round are.
        core.processPendingChanges()
        contents = try kept(reading) ?? .rows(readRows(reading))
        (self.reading, isStale) = (reading, false)
        follow(reading.fetch)
    }

    /// The list from its cache, or read and put there; nil without a cache, and while something is not saved.
    private func kept(_ reading: ListReading<Object>) throws -> Contents? {
        guard let cacheName, !core.hasChanges else { return nil }
        // A computed section name has no key to identify it by.
        if case .object = sectionName?.source { return nil }
        func cacheLocation() -> ListCacheLocation? {
            core.source.listCacheLocation(reading.fetch, section: sectionName?.path, name: cacheName)
        }
        guard let before = cacheLocation() else { return nil }
        core.source.listCaches.add(cacheName)
        if let packed = PackedList(before) { return .packed(packed) }
        let rows = try readRows(reading)
        // Another process may have written part of it meanwhile.
        if cacheLocation()?.stamp == before.stamp { PackedList.write(rows, at: before) }
        return .rows(rows)
    }

    /// Lets go of what lists keep for the next start; their requests can be changed then.
    ///
    /// - Parameters:
    ///   - name: nil for all caches of the coordinator's stores.
    ///   - coordinator: the coordinator that fetches and saves.
    public static func deleteCache(name: String?, in coordinator: PersistentStoreCoordinator) {
        for store in (try? coordinator.stores) ?? [] { store.deleteListCache(name) }
        coordinator.listCaches.remove(name)
    }

    private func readRows(_ reading: ListReading<Object>) throws -> ListRows {
        try ListRows(reading.rows(core), by: reading.order, hasSections: reading.hasSections)
    }

    private func follow(_ fetch: FetchDescription) {
        let watch = ListWatch(fetch, sectionedBy: sectionName?.path, core)
        self.watch = watch
        fetches += 1
        core.notifier.add(
            ChangeObserver(
                interest: .rows(watch.interest),
                notify: { [weak self, fetches] round in
                    guard let self, self.fetches == fetches else { return false }
                    objectsDidChange(round.changes)
                    return true
                },
                rename: { [weak self, fetches] names in
                    if let self, self.fetches == fetches { objectsWereRenamed(names) }
                }))
    }

    private func objectsDidChange(_ changes: ObjectChanges) {
        do {
            guard let step = try step(changes) else { return }
            for object in changes.deleted.all { gone[object.objectID] = object }
            defer { gone = [:] }
            try report(step.leaving, step.entering)
            isStale = false
        } catch {
            // The next change makes up for the missed report.
            isStale = true
            delegate?.controller(self, didFailWith: error)
        }
    }

    /// The rows that leave and enter, nil before the first fetch. Holds no copy of the list when it returns.
    private func step(_ changes: ObjectChanges) throws -> (leaving: [ListRow], entering: [ListRow])? {
        guard let reading, let rows, let watch else { return nil }
        let fetch = reading.fetch
        let concerned = isStale || changes.isGap ? nil : try watch.concerned(changes)
        guard let concerned, fetch.limit == nil, fetch.offset == 0 else {
            // Which rows that concerns is not known without looking at them all.
            let touched = Set((concerned ?? changes.all).map(\.objectID))
            return difference(rows, try reading.rows(core), touched)
        }
        var leaving: [ListRow] = [], entering: [ListRow] = []
        for id in changes.deletedIDs { if let row = rows[id] { leaving.append(row) } }
        let changed = Set(changes.all.map(\.objectID))
        for object in concerned {
            let wasThere = changes.deletedIDs.contains(object.objectID)
            let old = wasThere ? nil : rows[object.objectID]
            let new = !object.isGone && core.matches(object, fetch) ? reading.row(object) : nil
            // Something that the row looks at changed, and not what it looks at there.
            if let old, let new, !changed.contains(object.objectID), old.isAt(new) { continue }
            if let old { leaving.append(old) }
            if let new { entering.append(new) }
        }
        return (leaving, entering)
    }

    /// Rows that differ between the list and what was read, or whose objects changed.
    private func difference(
        _ rows: ListRows, _ read: some Sequence<ListRow>, _ touched: Set<ManagedObjectID>
    ) -> (leaving: [ListRow], entering: [ListRow]) {
        var same: Set<ManagedObjectID> = [], entering: [ListRow] = []
        for row in read {
            if !touched.contains(row.id), rows[row.id]?.isAt(row) ?? false {
                same.insert(row.id)
            } else {
                entering.append(row)
            }
        }
        return (rows.tree.filter { !same.contains($0.id) }, entering)
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
        let before = Dictionary(uniqueKeysWithValues: batch.deletedSections.map { ($0, section(at: $0)) })
        change { $0.replace(leaving, with: entering) }
        tell(batch, before)
    }

    /// Section by section and row by row, and then all of it at once. A delegate that goes meanwhile is told
    /// no more.
    private func tell(_ batch: FetchedResultsBatch, _ gone: [Int: FetchedResultsSectionInfo]) {
        for case .insert(_, let index) in batch.sections {
            delegate?.controller(self, didChange: section(at: index), atSectionIndex: index, for: .insert)
        }
        for change in batch.changes { tell(change) }
        for case .delete(_, let index) in batch.sections {
            guard let section = gone[index] else { continue }
            delegate?.controller(self, didChange: section, atSectionIndex: index, for: .delete)
        }
        delegate?.controller(self, didChange: batch)
        delegate?.controllerDidChangeContent(self)
    }

    private func tell(_ change: FetchedResultsChange) {
        let object = core.registry.fault(change.objectID) as? Object
        switch change {
        case .insert(_, let new):
            delegate?.controller(self, didChange: object, at: nil, for: .insert, newIndexPath: new)
        case .delete(let id, let old):
            let known = gone[id] ?? core.registry.object(id)
            delegate?.controller(self, didChange: known as? Object, at: old, for: .delete, newIndexPath: nil)
        case .update(_, let old, let new):
            delegate?.controller(self, didChange: object, at: old, for: .update, newIndexPath: new)
        case .move(_, let old, let new):
            delegate?.controller(self, didChange: object, at: old, for: .move, newIndexPath: new)
        }
    }

    /// Changes the rows where they are: taken out first, since a copy costs as much as the list is long.
    @discardableResult
    private func change<Value, Failure>(_ body: (inout ListRows) throws(Failure) -> Value) throws(Failure)
        -> Value?
    {
        guard var rows else { return nil }
        contents = .nothing
        defer { self.rows = rows }
        return try body(&rows)
    }

    /// A save gave rows their keys. Rows that are equal in all else lie by key, so one may move by that.
    private func objectsWereRenamed(_ names: [(old: ManagedObjectID, new: ManagedObjectID)]) {
        let leaving = names.compactMap { rows?[$0.old] }
        if leaving.isEmpty { return }
        let names = Dictionary(uniqueKeysWithValues: names.map { ($0.old, $0.new) })
        let entering = leaving.map { row in
            ListRow(
                id: names[row.id] ?? row.id, values: CompactValues(row.values.map(\.current)),
                section: row.section)
        }
        do { try report(leaving, entering, renamed: names) } catch { isStale = true }
    }
}
