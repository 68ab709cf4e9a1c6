public import Foundation

// Looking at the list.
extension FetchedResultsController {
    /// Nil before ``performFetch()``. Without a section key path exactly one section, also of an empty list;
    /// with one, no section is empty.
    public var sections: [FetchedResultsSectionInfo]? {
        if let packed {
            return packed.header.sections?.map {
                FetchedResultsSectionInfo($0.name, $0.count, indexTitle(ofSection: $0.name))
            } ?? [FetchedResultsSectionInfo("", packed.header.count, "")]
        }
        return rows.map { rows in
            if !rows.hasSections { return [FetchedResultsSectionInfo("", rows.count, "")] }
            return rows.sectionNames.map { section(named: $0, of: rows) }
        }
    }

    /// Returns the section at an index, which must exist.
    func section(at index: Int) -> FetchedResultsSectionInfo {
        if packed != nil, let sections, sections.indices.contains(index) { return sections[index] }
        guard let rows, let name = rows.sectionName(at: index) else {
            misuse("a list has no section \(index)")
        }
        return section(named: name, of: rows)
    }

    private func section(named name: String, of rows: ListRows) -> FetchedResultsSectionInfo {
        FetchedResultsSectionInfo(
            name, rows.hasSections ? rows.count(ofSection: name) : rows.count, indexTitle(ofSection: name))
    }

    private func indexTitle(ofSection name: String) -> String {
        delegate?.controller(self, sectionIndexTitleForSectionName: name)
            ?? name.first.map { $0.uppercased() } ?? ""
    }

    /// The titles for an index beside the list, in order, without repetition. A title is the
    /// first letter of the section's name in upper case, unless the delegate says something else.
    public var sectionIndexTitles: [String] {
        var known: Set<String> = []
        return (sections ?? []).map(\.indexTitle).filter { known.insert($0).inserted }
    }

    /// The first section of a title. The title must be the one at `index` of ``sectionIndexTitles``.
    public func section(forSectionIndexTitle title: String, at index: Int) -> Int {
        let titles = sectionIndexTitles
        guard titles.indices.contains(index), titles[index] == title,
            let section = sections?.firstIndex(where: { $0.indexTitle == title })
        else { misuse("a list has no section index title \"\(title)\" at \(index)") }
        return section
    }

    /// The objects of a section in order, as ``fetchedObjects``. The section must be there.
    public func objects(inSection index: Int) -> [Object] {
        let count = section(at: index).numberOfObjects
        let ids = (0..<count).compactMap { rows?.row($0, ofSection: index)?.id }
        return core.registry.faults(ids).compactMap { $0 as? Object }
    }

    /// How many rows there are.
    public var count: Int { packed?.header.count ?? rows?.count ?? 0 }

    /// The objects in order; most of them faults, which are read some hundreds at a time as they are looked
    /// at.
    public var fetchedObjects: [Object] {
        core.registry.faults(fetchedObjectIDs).compactMap { $0 as? Object }
    }

    /// The IDs in order, without touching an object.
    public var fetchedObjectIDs: [ManagedObjectID] { packed?.ids ?? rows?.tree.map(\.id) ?? [] }

    /// The object of a row. The row must be there.
    ///
    /// - Complexity: O(log *n*); the row's object is read with those around it.
    public func object(at indexPath: IndexPath) -> Object? {
        if let packed { return object(at: indexPath, of: packed) }
        guard let rows, let row = rows.row(indexPath.row, ofSection: indexPath.section) else {
            misuse("a list has no row \(indexPath)")
        }
        if let object = core.registry.object(row.id) { return object as? Object }
        let rank = rows.tree.rank(of: row)
        let around = batch(around: rank, of: rows.count)
        return read(around.map { rows.tree[$0].id })[rank - around.lowerBound] as? Object
    }

    private func object(at indexPath: IndexPath, of packed: PackedList) -> Object? {
        let counts = packed.header.sections?.map(\.count) ?? [packed.header.count]
        guard counts.indices.contains(indexPath.section),
            (0..<counts[indexPath.section]).contains(indexPath.row)
        else { misuse("a list has no row \(indexPath)") }
        let rank = counts.prefix(indexPath.section).reduce(0, +) + indexPath.row
        if let id = packed.id(at: rank), let known = core.registry.object(id) { return known as? Object }
        let around = batch(around: rank, of: packed.header.count)
        let ids = around.compactMap { packed.id(at: $0) }
        return ids.count == around.count ? read(ids)[rank - around.lowerBound] as? Object : nil
    }

    /// Read at once, since nobody but the context holds those that were not asked for. When that fails the
    /// next call that can throw says why.
    private func read(_ ids: [ManagedObjectID]) -> [ManagedObject] {
        let objects = core.registry.faults(ids)
        do { try core.registry.fill(objects) } catch { core.note(error) }
        return objects
    }

    /// The rows that are read with one: those of its batch, when the request says how many; else some before
    /// it and more behind.
    private func batch(around rank: Int, of count: Int) -> Range<Int> {
        let size = fetchRequest.fetchBatchSize
        if size <= 0 { return max(0, rank - 32)..<min(count, rank + 96) }
        let start = rank / size * size
        return start..<min(count, start + size)
    }

    /// Where an object is, nil when it is not in the list. O(log *n*).
    public func indexPath(for object: Object) -> IndexPath? { indexPath(for: object.objectID) }

    /// Returns the index path of the object with an ID, even an ID from before its first save.
    public func indexPath(for id: ManagedObjectID) -> IndexPath? {
        guard let rows, let row = rows[id] ?? rows[id.current] else { return nil }
        return rows.path(of: row)
    }
}

/// A section of a list, as it was when it was requested.
public struct FetchedResultsSectionInfo: Sendable, Equatable {
    /// Empty without a section key path.
    public let name: String
    /// The number of objects in the section.
    public let numberOfObjects: Int
    /// The title of the section in an index beside the list.
    public let indexTitle: String

    init(_ name: String, _ numberOfObjects: Int, _ indexTitle: String) {
        (self.name, self.numberOfObjects, self.indexTitle) = (name, numberOfObjects, indexTitle)
    }
}
