import Foundation
public import ManagedObjects

/// The changes that lead from one snapshot of a list to another: indexes are as
/// ``ManagedObjects/FetchedResultsBatch`` says.
public struct ListDifference<Object: ManagedObject>: Sendable, Equatable {
    /// The generation of the later snapshot.
    public let generation: UInt64
    /// Sections that come and go.
    public let sections: [SectionChange]
    /// Deletes from the last to the first; updates and moves by their places in the later list; then inserts.
    public let changes: [FetchedResultsChange]
    /// Whether all updates between the snapshots are among the changes. They are not when more than 64 steps
    /// lie between the two, or when they are of two lists.
    public let knowsUpdates: Bool

    /// Whether nothing differs but the generation.
    public var isEmpty: Bool { sections.isEmpty && changes.isEmpty }
}

extension ListSnapshot {
    /// Returns the changes that lead from another snapshot of the list to this one:
    /// `old.applying(new.difference(from: old))` is `new`.
    ///
    /// - Complexity: O(*n* log *n*).
    public func difference(from old: ListSnapshot) -> ListDifference<Object> {
        let lasting = lastingSections(from: old)
        var sectionChanges: [SectionChange] = []
        for (index, name) in sectionIDs.enumerated() where !lasting.contains(name) {
            sectionChanges.append(.insert(name: name, at: index))
        }
        for (index, name) in old.sectionIDs.enumerated().reversed() where !lasting.contains(name) {
            sectionChanges.append(.delete(name: name, at: index))
        }
        let before = old.indexPaths(), after = indexPaths()
        let staying = stayingItems(before, lasting, old)
        let (updated, knowsUpdates) = updates(since: old)
        var deletes: [FetchedResultsChange] = [], changes: [FetchedResultsChange] = []
        var inserts: [FetchedResultsChange] = []
        func canMove(_ from: IndexPath, _ to: IndexPath) -> Bool {
            lasting.contains(old.sectionIDs[from.section]) && lasting.contains(sectionIDs[to.section])
        }
        for id in old.ids.reversed() {
            guard let from = before[id] else { continue }
            if let to = after[id], canMove(from, to) { continue }
            deletes.append(.delete(id, at: from))
        }
        for id in ids {
            guard let to = after[id] else { continue }
            guard let from = before[id], canMove(from, to) else {
                inserts.append(.insert(id, at: to))
                continue
            }
            if !staying.contains(id) {
                changes.append(.move(id, from: from, to: to))
            } else if updated.contains(id) {
                changes.append(.update(id, at: from, to: to))
            }
        }
        return ListDifference(
            generation: generation, sections: sectionChanges, changes: deletes + changes + inserts,
            knowsUpdates: knowsUpdates)
    }

    /// The list after a difference from this one.
    public func applying(_ difference: ListDifference<Object>) -> ListSnapshot {
        var sections = sections, leaving: [IndexPath] = [],
            entering: [(id: ManagedObjectID, to: IndexPath)] = []
        for change in difference.changes {
            switch change {
            case .delete(_, let from): leaving.append(from)
            case .insert(let id, let to): entering.append((id, to))
            case .move(let id, let from, let to):
                leaving.append(from)
                entering.append((id, to))
            case .update: break
            }
        }
        for path in leaving.sorted(by: >) where sections.indices.contains(path.section) {
            if sections[path.section].ids.indices.contains(path.row) {
                sections[path.section].ids.remove(at: path.row)
            }
        }
        let goneSections = difference.sections.compactMap { change -> Int? in
            if case .delete(_, let index) = change { index } else { nil }
        }
        for index in goneSections.sorted(by: >) where sections.indices.contains(index) {
            sections.remove(at: index)
        }
        let newSections = difference.sections.compactMap { change -> (name: String, index: Int)? in
            if case .insert(let name, let index) = change { (name, index) } else { nil }
        }
        for (name, index) in newSections.sorted(by: { $0.index < $1.index }) {
            sections.insert((name, []), at: min(index, sections.count))
        }
        for (id, path) in entering.sorted(by: { $0.to < $1.to }) where sections.indices.contains(path.section)
        {
            let count = sections[path.section].ids.count
            sections[path.section].ids.insert(id, at: min(path.row, count))
        }
        return ListSnapshot(
            of: list, generation: difference.generation, sections: sections, updates: updates)
    }

    private func indexPaths() -> [ManagedObjectID: IndexPath] {
        var indexPaths: [ManagedObjectID: IndexPath] = [:]
        indexPaths.reserveCapacity(ids.count)
        for section in sectionIDs.indices {
            for (row, id) in ids[starts[section]..<starts[section + 1]].enumerated() {
                indexPaths[id] = IndexPath(row: row, section: section)
            }
        }
        return indexPaths
    }

    /// The names of sections that are in both and stand in the same order.
    private func lastingSections(from old: ListSnapshot) -> Set<String> {
        var indices: [String: Int] = [:]
        for (index, name) in old.sectionIDs.enumerated() { indices[name] = index }
        let common = sectionIDs.filter { indices[$0] != nil }
        let kept = longestIncreasing(common.map { indices[$0] ?? 0 })
        return Set(kept.map { common[$0] })
    }

    /// The objects that need not move: in each section as many as possible.
    private func stayingItems(
        _ before: [ManagedObjectID: IndexPath], _ lasting: Set<String>, _ old: ListSnapshot
    ) -> Set<ManagedObjectID> {
        var staying: Set<ManagedObjectID> = []
        for (section, name) in sectionIDs.enumerated() where lasting.contains(name) {
            let here = ids[starts[section]..<starts[section + 1]].filter { id in
                before[id].map { old.sectionIDs[$0.section] == name } ?? false
            }
            for index in longestIncreasing(here.map { before[$0]?.row ?? 0 }) { staying.insert(here[index]) }
        }
        return staying
    }

    private func updates(since old: ListSnapshot) -> (Set<ManagedObjectID>, areKnown: Bool) {
        if list != old.list { return ([], false) }
        if generation == old.generation { return ([], ids == old.ids) }
        guard generation > old.generation, let first = updates.first, first.generation <= old.generation + 1
        else { return ([], false) }
        let steps = updates.filter { $0.generation > old.generation }
        return (steps.reduce(into: []) { $0.formUnion($1.ids) }, true)
    }
}

/// The places of a longest increasing subsequence of different numbers. O(*n* log *n*).
private func longestIncreasing(_ numbers: [Int]) -> [Int] {
    var ends: [Int] = [], previous = [Int](repeating: -1, count: numbers.count)
    for (index, number) in numbers.enumerated() {
        var low = 0, high = ends.count
        while low < high {
            let middle = (low + high) / 2
            if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
        }
        if low > 0 { previous[index] = ends[low - 1] }
        if low == ends.count { ends.append(index) } else { ends[low] = index }
    }
    var result: [Int] = [], next = ends.last ?? -1
    while next >= 0 {
        result.append(next)
        next = previous[next]
    }
    return result.reversed()
}
