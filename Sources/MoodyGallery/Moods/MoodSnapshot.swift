package import DataStacks
package import ManagedObjects
package import MoodyModel

/// A list of moods as it is at one moment, in its sections.
package struct MoodSnapshot: Sendable, Equatable {
    package struct Section: Sendable, Equatable {
        package let name: String
        package let count: Int

        package init(name: String, count: Int) { (self.name, self.count) = (name, count) }
    }

    package let ids: [ManagedObjectID]
    /// Nil for a list without sections.
    package let sections: [Section]?

    /// - Throws: ``FetchError`` for a list by number, which nothing keeps in order; ``StoreError``.
    package init(of list: MoodList, in stack: DataStack) throws {
        let request = list.request, name = try list.sectionName()
        // On a context of its own: a question that takes long keeps no commit waiting.
        let context = ManagedObjectContext(
            persistentStoreCoordinator: stack.coordinator, isReadOnly: true)
        (ids, sections) = try context.performAndWait { context in
            let rows = context.list(request, sectionedBy: name)
            try rows.performFetch()
            let sections = (rows.sections ?? []).map { Section(name: $0.name, count: $0.numberOfObjects) }
            return (rows.fetchedObjectIDs, name == nil ? nil : sections)
        }
    }

    init(_ start: ListStart, isSectioned: Bool) {
        ids = start.objectIDs
        sections = isSectioned ? start.sections.map { Section(name: $0.name, count: $0.count) } : nil
    }

    /// Hands over each section with its moods; without sections once, with nil.
    ///
    /// - Throws: ``StoreError``, and what `body` throws.
    package func forEach(in stack: DataStack, _ body: (_ index: Int, Section?, [MoodRecord]) throws -> Void)
        throws
    {
        guard let sections else {
            return try MoodList.forEach(of: ids, in: stack) { try body(0, nil, $0) }
        }
        var start = 0
        for (index, section) in sections.enumerated() {
            var isFirst = true
            try MoodList.forEach(of: Array(ids[start..<start + section.count]), in: stack) { records in
                try body(index, isFirst ? section : nil, records)
                isFirst = false
            }
            start += section.count
        }
    }
}

extension MoodSnapshot.Section {
    /// A JSON object on a line of its own.
    package func json(at index: Int) -> JSON {
        .object([
            ("v", 1), ("section", .number(Int64(index))), ("name", .string(name)),
            ("count", .number(Int64(count))),
        ])
    }
}
