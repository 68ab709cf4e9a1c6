/// How a list's rows are read: from the store, sorted by it, or in memory where sections are worked out of
/// objects, which no store can sort by.
struct ListReading<Object: ManagedObject> {
    let fetch: FetchDescription
    let sectionName: SectionName<Object>?
    /// The order of rows: the request's terms, preceded by the order of sections that are worked
    /// out.
    let order: FetchOrder

    init(_ fetch: FetchDescription, sectionedBy sectionName: SectionName<Object>?) {
        (self.fetch, self.sectionName) = (fetch, sectionName)
        if case .object = sectionName?.source {
            order = FetchOrder(terms: [.init(path: PropertyPath(), isDescending: false)] + fetch.order.terms)
        } else {
            order = fetch.order
        }
    }

    var hasSections: Bool { sectionName != nil }

    /// The rows that the request finds, in order.
    ///
    /// - Complexity: O(*n*) for *n* rows; O(*n* log *n*) and a look at each object where sections are worked
    ///   out.
    func rows(_ core: ContextCore) throws -> AnySequence<ListRow> {
        if case .object(let sectionKey) = sectionName?.source {
            return try AnySequence(computed(sectionKey, core))
        }
        if core.hasChanges { return try AnySequence(core.read(fetch).lazy.map(row)) }
        var paths = fetch.order.terms.map(\.path)
        if let path = sectionName?.path { paths.append(path) }
        let found = try core.source.values(fetch, paths)
        guard case .value(_, let name) = sectionName?.source else {
            return AnySequence(found.lazy.map { ListRow(id: $0.id, values: $0.values, section: "") })
        }
        return AnySequence(
            found.lazy.map { found in
                ListRow(
                    id: found.id, values: CompactValues(found.values.dropLast()),
                    section: name(found.values[paths.count - 1]))
            })
    }

    private func computed(_ sectionKey: (Object) -> SectionKey, _ core: ContextCore) throws -> [ListRow] {
        var all = fetch, rows: [ListRow] = []
        (all.limit, all.offset) = (nil, 0)
        if core.hasChanges {
            rows = try core.read(all).map(row)
        } else {
            let found = try core.source.values(all, all.order.terms.map(\.path))
            rows.reserveCapacity(found.count)
            // Some hundred objects at a time are held, however many there are.
            for some in found.parts(of: 256) {
                let values = Dictionary(uniqueKeysWithValues: some.map { ($0.id, $0.values) })
                for case let object as Object in try core.readObjects(some.map(\.id)) {
                    guard let values = values[object.objectID] else { continue }
                    rows.append(row(object, sectionKey(object), values))
                }
            }
        }
        rows.sort { order.precedes($0.values, of: $0.id, before: $1.values, of: $1.id) }
        return Array(rows.dropFirst(fetch.offset).prefix(fetch.limit ?? .max))
    }

    /// The row of an object as it is now.
    func row(_ object: ManagedObject) -> ListRow {
        let values = fetch.order.values(of: object)
        switch sectionName?.source {
        case .object(let sectionKey):
            guard let object = object as? Object else {
                misuse("an object of another class is in a list of \(Object.self)")
            }
            return row(object, sectionKey(object), values)
        case .value(let path, let name):
            return ListRow(id: object.objectID, values: values, section: name(path.value([object])))
        case nil: return ListRow(id: object.objectID, values: values, section: "")
        }
    }

    private func row(_ object: Object, _ key: SectionKey, _ values: CompactValues) -> ListRow {
        let order = StoredValue.int(Int64(key.order))
        return ListRow(
            id: object.objectID, values: CompactValues([order] + values), section: key.name)
    }
}
