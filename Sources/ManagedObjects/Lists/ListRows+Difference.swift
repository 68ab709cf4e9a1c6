import Foundation

extension ListRows {
    /// What leads from this list to `new`.
    ///
    /// A row counts as moved when it stands in another section, or among other rows that stayed: of the rows
    /// that were touched as many as possible stay (a longest increasing subsequence), the rest move. A row
    /// whose old section goes or whose new section comes is deleted and inserted instead, since lists that show
    /// sections cannot move a row out of a section that is gone.
    ///
    /// - Parameter touched: objects that changed. A row that is not among them keeps its place among the others
    ///   that are not.
    /// - Complexity: O(*n*) for the lists, O(*c* log *c*) for *c* touched rows.
    func difference(to new: ListRows, touched: Set<ManagedObjectID>) -> FetchedResultsBatch {
        var batch = FetchedResultsBatch()
        if hasSections {
            let old = Set(sectionNames), now = Set(new.sectionNames)
            for (index, name) in sectionNames.enumerated().reversed() where !now.contains(name) {
                batch.sections.append(.delete(name: name, at: index))
            }
            for (index, name) in new.sectionNames.enumerated() where !old.contains(name) {
                batch.sections.append(.insert(name: name, at: index))
            }
        }
        for (place, row) in rows.enumerated().reversed() where new.places[row.id] == nil {
            batch.changes.append(.delete(row.id, at: path(place)))
        }
        let survivors = new.rows.indices.filter {
            touched.contains(new.rows[$0].id) && places[new.rows[$0].id] != nil
        }
        let staying = staying(survivors, in: new)
        var updates: [FetchedResultsChange] = [], moves: [FetchedResultsChange] = []
        var inserts: [(place: Int, change: FetchedResultsChange)] = []
        for place in survivors {
            let id = new.rows[place].id
            guard let old = places[id] else { continue }
            if staying.contains(place) {
                updates.append(.update(id, at: path(old), to: new.path(place)))
            } else if isLasting(rows[old].section, in: new) && isLasting(new.rows[place].section, in: self) {
                moves.append(.move(id, from: path(old), to: new.path(place)))
            } else {
                batch.changes.append(.delete(id, at: path(old)))
                inserts.append((place, .insert(id, at: new.path(place))))
            }
        }
        for (place, row) in new.rows.enumerated() where places[row.id] == nil {
            inserts.append((place, .insert(row.id, at: new.path(place))))
        }
        batch.changes.sort { before($1, $0) }
        batch.changes += updates + moves + inserts.sorted { $0.place < $1.place }.map(\.change)
        return batch
    }

    func path(_ place: Int) -> IndexPath {
        let section = section(of: place)
        return IndexPath(row: place - sectionStarts[section], section: section)
    }

    private func isLasting(_ section: String, in other: ListRows) -> Bool {
        !hasSections || other.sectionNames.contains(section)
    }

    /// By the place in the old list.
    private func before(_ a: FetchedResultsChange, _ b: FetchedResultsChange) -> Bool {
        (places[a.objectID] ?? 0) < (places[b.objectID] ?? 0)
    }

    /// Of the touched rows that are in both lists, the places in `new` of those that keep their place: each
    /// stands behind the same untouched row as before, and they are in the same order among themselves.
    private func staying(_ survivors: [Int], in new: ListRows) -> Set<Int> {
        if survivors.isEmpty { return [] }
        let isTouched = Set(survivors.map { new.rows[$0].id })
        // The number of lasting untouched rows before a row is the gap it stands in.
        func gaps(_ list: ListRows, _ other: ListRows) -> [ManagedObjectID: Int] {
            var gaps: [ManagedObjectID: Int] = [:], gap = 0
            for row in list.rows {
                if isTouched.contains(row.id) {
                    gaps[row.id] = gap
                } else if other.places[row.id] != nil {
                    gap += 1
                }
            }
            return gaps
        }
        let oldGaps = gaps(self, new), newGaps = gaps(new, self)
        let candidates = survivors.filter { place in
            let row = new.rows[place]
            guard let old = places[row.id] else { return false }
            return oldGaps[row.id] == newGaps[row.id] && rows[old].section == row.section
        }
        let order = candidates.map { places[new.rows[$0].id] ?? 0 }
        return Set(longestIncreasing(order).map { candidates[$0] })
    }
}

/// The indexes of a longest increasing subsequence of distinct numbers. O(*n* log *n*).
///
/// - Source: Fredman, "On computing the length of longest increasing subsequences", 1975.
func longestIncreasing(_ numbers: [Int]) -> [Int] {
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
