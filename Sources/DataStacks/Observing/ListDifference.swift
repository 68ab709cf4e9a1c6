import Foundation
public import ManagedObjects

/// The changes that lead from one snapshot of a list to another: indexes are as
/// `FetchedResultsBatch` says.
public struct ListDifference<Object: ManagedObject>: Sendable, Equatable {
    /// The generation of the later snapshot.
    public let generation: UInt64
    /// Sections that come and go.
    public let sections: [SectionChange]
    /// Deletes from the last to the first; updates and moves by their index paths in the later list; then
    /// inserts.
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
    /// - Complexity: O(*n*) comparisons of IDs, and O(*m* log *m*) for the *m* objects between the first and
    ///   the last index at which the two lists differ.
    public func difference(from old: ListSnapshot) -> ListDifference<Object> {
        let pairs = lastingSections(from: old)
        var sectionChanges: [SectionChange] = []
        for (index, name) in sectionIDs.enumerated() where pairs.old[index] == nil {
            sectionChanges.append(.insert(name: name, at: index))
        }
        for (index, name) in old.sectionIDs.enumerated().reversed() where !pairs.oldLasts[index] {
            sectionChanges.append(.delete(name: name, at: index))
        }
        let (updated, knowsUpdates) = updates(since: old)
        let middle = ListMiddle(old, self)
        let oldSections = old.sectionIndexes(of: middle.old), newSections = sectionIndexes(of: middle.new)
        let origins = middle.origins(old, self)
        let staying = stayingItems(middle, origins, oldSections, newSections, pairs.old)

        var deletes: [FetchedResultsChange] = [], changes: [FetchedResultsChange] = []
        var inserts: [FetchedResultsChange] = []
        var lasts = [Bool](repeating: false, count: middle.old.count)
        changes += updatesOfUnmoved(0..<middle.new.lowerBound, updated, old, shift: 0)
        for (offset, index) in middle.new.enumerated() {
            let id = ids[index], section = newSections[offset]
            let to = IndexPath(row: index - starts[section], section: section)
            guard let origin = origins[offset], pairs.old[section] != nil,
                pairs.oldLasts[oldSections[origin - middle.old.lowerBound]]
            else {
                inserts.append(.insert(id, at: to))
                continue
            }
            lasts[origin - middle.old.lowerBound] = true
            if staying[offset] && !updated.contains(id) { continue }
            let from = old.indexPath(origin)
            changes.append(
                staying[offset] ? .update(id, at: from, to: to) : .move(id, from: from, to: to))
        }
        changes += updatesOfUnmoved(
            middle.new.upperBound..<ids.count, updated, old, shift: old.ids.count - ids.count)
        for (offset, index) in middle.old.enumerated().reversed() where !lasts[offset] {
            deletes.append(.delete(old.ids[index], at: old.indexPath(index)))
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

    /// The sections that are in both lists and need not move: for each of this list its index in the other,
    /// and for each of the other whether it is one of them.
    private func lastingSections(from old: ListSnapshot) -> (old: [Int?], oldLasts: [Bool]) {
        var indexes: [String: Int] = [:]
        for (index, name) in old.sectionIDs.enumerated() { indexes[name] = index }
        let common = sectionIDs.indices.filter { indexes[sectionIDs[$0]] != nil }
        var result = [Int?](repeating: nil, count: sectionIDs.count)
        var oldLasts = [Bool](repeating: false, count: old.sectionIDs.count)
        for kept in longestIncreasing(common.map { indexes[sectionIDs[$0]] ?? 0 }) {
            guard let index = indexes[sectionIDs[common[kept]]] else { continue }
            result[common[kept]] = index
            oldLasts[index] = true
        }
        return (result, oldLasts)
    }

    /// Whether each object of the middle need not move: in each section as many as possible.
    private func stayingItems(
        _ middle: ListMiddle, _ origins: [Int?], _ oldSections: [Int], _ newSections: [Int],
        _ counterparts: [Int?]
    ) -> [Bool] {
        var staying = [Bool](repeating: false, count: origins.count)
        var first = 0
        while first < origins.count {
            let section = newSections[first]
            var here: [Int] = [], next = first
            while next < origins.count, newSections[next] == section {
                if let origin = origins[next],
                    oldSections[origin - middle.old.lowerBound] == counterparts[section]
                {
                    here.append(next)
                }
                next += 1
            }
            for kept in longestIncreasing(here.map { origins[$0] ?? 0 }) { staying[here[kept]] = true }
            first = next
        }
        return staying
    }

    /// The updates in a part that is the same in both lists, as far from their starts or from their ends.
    private func updatesOfUnmoved(
        _ range: Range<Int>, _ updated: Set<ManagedObjectID>, _ old: ListSnapshot, shift: Int
    ) -> [FetchedResultsChange] {
        if updated.isEmpty { return [] }
        // A bit for each remainder of a key by 64: hashing every ID would cost ten times as much.
        let remainders = updated.reduce(into: UInt64(0)) { $0 |= 1 << UInt64($1.key & 63) }
        return range.compactMap { index in
            guard remainders & 1 << UInt64(ids[index].key & 63) != 0, updated.contains(ids[index]) else {
                return nil
            }
            return .update(ids[index], at: old.indexPath(index + shift), to: indexPath(index))
        }
    }

    /// The section of each object in a range.
    private func sectionIndexes(of range: Range<Int>) -> [Int] {
        var section = range.isEmpty ? 0 : sectionIndex(range.lowerBound)
        return range.map { index in
            while starts[section + 1] <= index { section += 1 }
            return section
        }
    }

    /// The section of the object at an index of the whole list.
    private func sectionIndex(_ index: Int) -> Int {
        var low = 0, high = sectionIDs.count
        while low + 1 < high {
            let middle = (low + high) / 2
            if starts[middle] <= index { low = middle } else { high = middle }
        }
        return low
    }

    private func indexPath(_ index: Int) -> IndexPath {
        let section = sectionIndex(index)
        return IndexPath(row: index - starts[section], section: section)
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

/// The parts of two lists between the objects at their starts and at their ends that stand in the same
/// section and row, counted from there.
private struct ListMiddle {
    let old: Range<Int>, new: Range<Int>

    init<Object>(_ old: ListSnapshot<Object>, _ new: ListSnapshot<Object>) {
        let (a, b) = (old.ids, new.ids), (s, t) = (old.sectionIDs.count, new.sectionIDs.count)
        var sections = 0
        while sections < min(s, t), old.starts[sections] == new.starts[sections],
            old.sectionIDs[sections] == new.sectionIDs[sections]
        { sections += 1 }
        let most = min(old.starts[sections], new.starts[sections])
        var prefix = 0
        while prefix < most, a[prefix] == b[prefix] { prefix += 1 }

        sections = 0
        while sections < min(s, t),
            a.count - old.starts[s - sections] == b.count - new.starts[t - sections],
            old.sectionIDs[s - sections - 1] == new.sectionIDs[t - sections - 1]
        { sections += 1 }
        let rest = min(
            a.count - old.starts[s - sections], b.count - new.starts[t - sections], a.count - prefix,
            b.count - prefix)
        var suffix = 0
        while suffix < rest, a[a.count - suffix - 1] == b[b.count - suffix - 1] { suffix += 1 }
        (self.old, self.new) = (prefix..<a.count - suffix, prefix..<b.count - suffix)
    }

    /// For each object of the new list's middle its index in the old list; nil for a new one.
    func origins<Object>(_ old: ListSnapshot<Object>, _ new: ListSnapshot<Object>) -> [Int?] {
        var indexes: [ManagedObjectID: Int] = [:]
        indexes.reserveCapacity(self.old.count)
        for index in self.old { indexes[old.ids[index]] = index }
        return self.new.map { indexes[new.ids[$0]] }
    }
}

/// The indexes of a longest increasing subsequence of different numbers. O(*n* log *n*).
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
