import Foundation

/// A step of a list: removed, changed, and inserted rows, and the resulting index paths.
///
/// A row counts as moved when it stands in another section, or among other rows that stayed: of the rows that
/// were touched those stay whose place does not depend on what changed, and of the others as many as possible
/// (a longest increasing subsequence); the rest move. The same goes for
/// sections: one that stands among other sections than before is deleted and inserted, its rows with it. A
/// row whose old section goes or whose new section comes is deleted and inserted instead of moved, since
/// lists that show sections cannot move a row out of a section that is gone.
///
/// - Complexity: O(*c* log *n*) for *c* rows of a list of *n*.
struct ListBatch {
    private struct Touched {
        let row: ListRow
        /// The name it goes by in both lists.
        let id: ManagedObjectID
        let rank: Int
        let path: IndexPath
        /// How many untouched rows stand before it.
        var gap = 0
    }

    private let hasSections: Bool
    private var old: [Touched] = []
    private var new: [Touched] = []
    private var oldSections: [String: Int] = [:]
    private var newSections: [String: Int] = [:]
    /// Sections that are there before and after and do not stand among others: their rows can move.
    private var lasting: Set<String> = []
    private var movedSections: Set<String> = []

    /// Changes `rows`.
    ///
    /// - Parameters:
    ///   - leaving: rows as they are in the list.
    ///   - entering: rows as they will be.
    ///   - names: the IDs that rows got, by those they had.
    /// - Throws: ``FetchError/sectionsNotTogether(section:row:object:after:)``; the rows are as they were
    ///   then.
    init(
        _ rows: inout ListRows, leaving: [ListRow], entering: [ListRow],
        renamed names: [ManagedObjectID: ManagedObjectID] = [:]
    ) throws(FetchError) {
        hasSections = rows.hasSections
        let touchedSections = rows.hasSections ? Set((leaving + entering).map(\.section)) : []
        old = leaving.map {
            Touched(row: $0, id: names[$0.id] ?? $0.id, rank: rows.tree.rank(of: $0), path: rows.path(of: $0))
        }.sorted { $0.rank < $1.rank }
        for name in touchedSections { oldSections[name] = rows.indexOfSection(name) }
        for row in leaving { rows.remove(row) }
        // Such a section has rows that were not touched.
        let anchored = touchedSections.filter { rows.sections[$0] != nil }
        for row in entering { rows.insert(row) }
        do { try rows.checkSections(around: entering) } catch {
            rows.replace(entering, with: leaving)
            throw error
        }
        new = entering.map {
            Touched(row: $0, id: $0.id, rank: rows.tree.rank(of: $0), path: rows.path(of: $0))
        }
        .sorted { $0.rank < $1.rank }
        for name in touchedSections { newSections[name] = rows.indexOfSection(name) }
        for index in old.indices { old[index].gap = old[index].rank - index }
        for index in new.indices { new[index].gap = new[index].rank - index }
        movedSections = moved(touchedSections.subtracting(anchored))
        lasting = touchedSections.filter {
            oldSections[$0] != nil && newSections[$0] != nil && !movedSections.contains($0)
        }
    }

    /// Returns the sections whose rows were all touched and that stand among other sections than before.
    private func moved(_ names: Set<String>) -> Set<String> {
        let old = oldSections.filter { names.contains($0.key) }.sorted { $0.value < $1.value }
        let new = newSections.filter { names.contains($0.key) }.sorted { $0.value < $1.value }
        var gaps: [String: Int] = [:]
        for (index, section) in old.enumerated() { gaps[section.key] = section.value - index }
        let candidates = new.enumerated().filter { index, section in
            gaps[section.key] == section.value - index
        }
        let numbers = candidates.map { oldSections[$0.element.key] ?? 0 }
        let staying = Set(longestIncreasing(numbers).map { candidates[$0].element.key })
        return Set(new.map(\.key)).intersection(gaps.keys).subtracting(staying)
    }

    /// The changes, in the order that ``FetchedResultsBatch`` says.
    ///
    /// - Parameter updates: whether rows that kept their place are told.
    func changes(reportingUpdates updates: Bool = true) -> FetchedResultsBatch {
        var batch = FetchedResultsBatch()
        let gone = oldSections.filter { newSections[$0.key] == nil || movedSections.contains($0.key) }
        let come = newSections.filter { oldSections[$0.key] == nil || movedSections.contains($0.key) }
        batch.sections =
            gone.sorted { $0.value > $1.value }.map { .delete(name: $0.key, at: $0.value) }
            + come.sorted { $0.value < $1.value }.map { .insert(name: $0.key, at: $0.value) }
        let before = Dictionary(uniqueKeysWithValues: old.map { ($0.id, $0) })
        let staying = staying(before)
        var deletes: [FetchedResultsChange] = [], updated: [FetchedResultsChange] = []
        var moves: [FetchedResultsChange] = [], inserts: [FetchedResultsChange] = []
        var kept: Set<ManagedObjectID> = []
        for row in new {
            guard let was = before[row.id] else {
                inserts.append(.insert(row.id, at: row.path))
                continue
            }
            if staying.contains(row.id) {
                kept.insert(row.id)
                if updates { updated.append(.update(row.id, at: was.path, to: row.path)) }
            } else if isLasting(was.row.section) && isLasting(row.row.section) {
                kept.insert(row.id)
                moves.append(.move(row.id, from: was.path, to: row.path))
            } else {
                inserts.append(.insert(row.id, at: row.path))
            }
        }
        for row in old.reversed() where !kept.contains(row.id) {
            deletes.append(.delete(row.id, at: row.path))
        }
        batch.changes = deletes + updated + moves + inserts
        return batch
    }

    private func isLasting(_ section: String) -> Bool { !hasSections || lasting.contains(section) }

    /// Returns the touched rows in both lists that keep their place: each stands behind the same
    /// untouched row as before, in a section that stayed, and they are in the same order among themselves.
    private func staying(_ before: [ManagedObjectID: Touched]) -> Set<ManagedObjectID> {
        let candidates = new.filter { row in
            guard let was = before[row.id] else { return false }
            return was.gap == row.gap && was.row.section == row.row.section && isLasting(row.row.section)
        }
        // A row at whose place nothing changed stays; of the others those between the same ones of these.
        func hasSamePlace(_ row: Touched) -> Bool { before[row.id].map { $0.row.isAt(row.row) } ?? false }
        func oldRank(_ row: Touched) -> Int { before[row.id]?.rank ?? 0 }
        let anchors = candidates.filter(hasSamePlace).map(oldRank).sorted()
        var passed = 0
        let fitting = candidates.filter { row in
            if hasSamePlace(row) {
                passed += 1
                return true
            }
            return anchors.count(below: oldRank(row)) == passed
        }
        let kept = longestIncreasing(fitting.map(oldRank))
        return Set(kept.map { fitting[$0].id })
    }
}

extension [Int] {
    /// How many of sorted numbers are less than one. O(log *n*).
    fileprivate func count(below number: Int) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// The indexes of a longest increasing subsequence of numbers. O(*n* log *n*).
///
/// - Source: Fredman, "On computing the length of longest increasing subsequences", 1975.
func longestIncreasing<Number: Comparable>(_ numbers: [Number]) -> [Int] {
    var tails: [Int] = [], previous = [Int](repeating: -1, count: numbers.count)
    for (index, number) in numbers.enumerated() {
        var low = 0, high = tails.count
        while low < high {
            let middle = (low + high) / 2
            if numbers[tails[middle]] < number { low = middle + 1 } else { high = middle }
        }
        if low > 0 { previous[index] = tails[low - 1] }
        if low == tails.count { tails.append(index) } else { tails[low] = index }
    }
    var result: [Int] = [], next = tails.last ?? -1
    while next >= 0 {
        result.append(next)
        next = previous[next]
    }
    return result.reversed()
}
