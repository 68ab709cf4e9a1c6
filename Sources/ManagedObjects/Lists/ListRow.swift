/// One row of a list: which object, and what decides its place.
struct ListRow {
    let id: ManagedObjectID
    /// One value a sort term.
    let values: [StoredValue]
    /// Empty without sections.
    let section: String
}

/// The rows of a list in order, and where each is.
struct ListRows {
    private(set) var rows: [ListRow]
    /// The row of each object.
    private(set) var places: [ManagedObjectID: Int] = [:]
    /// Where each section begins.
    private(set) var sectionStarts: [Int] = []
    private(set) var sectionNames: [String] = []
    let hasSections: Bool

    /// - Throws: ``FetchError/sectionsNotTogether(section:row:object:)``.
    init(_ rows: [ListRow], hasSections: Bool) throws {
        self.rows = rows
        self.hasSections = hasSections
        places.reserveCapacity(rows.count)
        for (place, row) in rows.enumerated() { places[row.id] = place }
        guard hasSections else {
            (sectionStarts, sectionNames) = ([0], [""])
            return
        }
        var seen: Set<String> = []
        for (place, row) in rows.enumerated() where place == 0 || rows[place - 1].section != row.section {
            guard seen.insert(row.section).inserted else {
                throw FetchError.sectionsNotTogether(section: row.section, row: place, object: row.id)
            }
            sectionStarts.append(place)
            sectionNames.append(row.section)
        }
    }

    /// The same list under the IDs that saves gave to rows since.
    func renamed() throws -> ListRows {
        guard rows.contains(where: { $0.id.isTemporaryID }) else { return self }
        return try ListRows(
            rows.map { ListRow(id: $0.id.current, values: $0.values, section: $0.section) },
            hasSections: hasSections)
    }

    /// The section of a place. O(log of the number of sections).
    func section(of place: Int) -> Int {
        var low = 0, high = sectionStarts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if sectionStarts[middle] <= place { low = middle } else { high = middle }
        }
        return low
    }

    /// How many rows a section has.
    func count(ofSection section: Int) -> Int {
        let end = section + 1 < sectionStarts.count ? sectionStarts[section + 1] : rows.count
        return end - sectionStarts[section]
    }
}
