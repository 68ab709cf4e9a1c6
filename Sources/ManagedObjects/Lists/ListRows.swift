import Foundation

/// The rows of a list in order, where each is, and the sections they lie in.
///
/// Changed by batches: rows leave, rows enter, and what that did is told in index paths.
struct ListRows {
    let hasSections: Bool
    private(set) var tree: OrderedRows
    private(set) var sections: [String: Section] = [:]
    /// The first row of each section: the order of the sections.
    private var firsts: OrderedRows

    struct Section {
        var count: Int
        var first: ListRow
        var last: ListRow
    }

    let order: FetchOrder

    /// - Parameter rows: in order.
    /// - Throws: ``FetchError/sectionsNotTogether(section:row:object:after:)``.
    init(_ rows: some Sequence<ListRow>, by order: FetchOrder, hasSections: Bool) throws(FetchError) {
        (self.order, self.hasSections) = (order, hasSections)
        tree = OrderedRows(rows, by: order)
        var starts: [ListRow] = [], previous: String?
        for (index, row) in tree.enumerated() {
            if let section = sections[row.section] {
                if row.section != previous {
                    throw .sectionsNotTogether(
                        section: row.section, row: index, object: row.id, after: previous ?? "")
                }
                sections[row.section] = Section(count: section.count + 1, first: section.first, last: row)
            } else {
                sections[row.section] = Section(count: 1, first: row, last: row)
                starts.append(row)
            }
            previous = row.section
        }
        firsts = OrderedRows(starts, by: order)
    }

    var count: Int { tree.count }

    /// The names of the sections in order; without sections one, also of an empty list.
    var sectionNames: [String] { hasSections ? firsts.map(\.section) : [""] }

    /// The row of an object. O(1).
    subscript(id: ManagedObjectID) -> ListRow? { tree[id] }

    func sectionName(at index: Int) -> String? {
        if !hasSections { return index == 0 ? "" : nil }
        return index >= 0 && index < firsts.count ? firsts[index].section : nil
    }

    func count(ofSection name: String) -> Int { sections[name]?.count ?? 0 }

    /// The row of a section. O(log *n*).
    func row(_ row: Int, ofSection section: Int) -> ListRow? {
        if !hasSections { return section == 0 && row >= 0 && row < count ? tree[row] : nil }
        guard section >= 0, section < firsts.count, row >= 0 else { return nil }
        let first = firsts[section]
        guard row < count(ofSection: first.section) else { return nil }
        return tree[tree.rank(of: first) + row]
    }

    /// Where a row is. O(log *n*).
    func path(of row: ListRow) -> IndexPath {
        guard hasSections, let section = sections[row.section] else {
            return IndexPath(row: tree.rank(of: row), section: 0)
        }
        return IndexPath(
            row: tree.rank(of: row) - tree.rank(of: section.first), section: firsts.rank(of: section.first))
    }

    func indexOfSection(_ name: String) -> Int? { sections[name].map { firsts.rank(of: $0.first) } }

    // MARK: Changing

    /// Sections stay together as rows leave: what is left of one is still side by side.
    mutating func remove(_ row: ListRow) {
        guard var section = sections[row.section] else { return }
        let rank = tree.rank(of: row)
        tree.remove(row)
        section.count -= 1
        if section.count == 0 {
            sections[row.section] = nil
            firsts.remove(section.first)
            return
        }
        if section.first.id == row.id {
            firsts.remove(section.first)
            section.first = tree[rank]
            firsts.insert(section.first)
        }
        if section.last.id == row.id { section.last = tree[rank - 1] }
        sections[row.section] = section
    }

    mutating func insert(_ row: ListRow) {
        tree.insert(row)
        guard var section = sections[row.section] else {
            sections[row.section] = Section(count: 1, first: row, last: row)
            firsts.insert(row)
            return
        }
        section.count += 1
        if order.precedes(row.values, of: row.id, before: section.first.values, of: section.first.id) {
            firsts.remove(section.first)
            section.first = row
            firsts.insert(row)
        }
        if order.precedes(section.last.values, of: section.last.id, before: row.values, of: row.id) {
            section.last = row
        }
        sections[row.section] = section
    }

    mutating func replace(_ leaving: [ListRow], with entering: [ListRow]) {
        for row in leaving { remove(row) }
        for row in entering { insert(row) }
    }

    /// Whether the rows of the sections around these rows lie side by side.
    ///
    /// - Throws: ``FetchError/sectionsNotTogether(section:row:object:after:)``.
    func checkSections(around rows: [ListRow]) throws(FetchError) {
        if !hasSections { return }
        var names: Set<String> = []
        for row in rows {
            let rank = tree.rank(of: row)
            names.insert(row.section)
            if rank > 0 { names.insert(tree[rank - 1].section) }
            if rank + 1 < count { names.insert(tree[rank + 1].section) }
        }
        for name in names.sorted() {
            guard let section = sections[name] else { continue }
            let end = tree.rank(of: section.last)
            if end - tree.rank(of: section.first) + 1 != section.count {
                // The row that comes back, behind the nearest of another section.
                var index = end
                while index > 0, tree[index - 1].section == name { index -= 1 }
                throw .sectionsNotTogether(
                    section: name, row: index, object: tree[index].id,
                    after: index > 0 ? tree[index - 1].section : "")
            }
        }
    }
}
