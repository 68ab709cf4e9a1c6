import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// Lists in sections that no store can sort by.
@Suite struct ComputedSectionsTests {
    /// By the remainder of the rating: nothing that a column is sorted by.
    private static let byRemainder = SectionName<Mood>(computed: { mood in
        SectionKey(order: Int(mood.rating % 3), name: "rest \(mood.rating % 3)")
    })

    private static func edit(_ context: isolated ManagedObjectContext, _ random: inout SplitMix64) throws {
        let moods = try context.fetch(FetchRequest<Mood>(sortedBy: .ascending(\.title)))
        let mood = moods.isEmpty ? nil : moods[Int(random.next() % UInt64(moods.count))]
        switch random.next() % 6 {
        case 0, 1, 2:
            let new = Mood.insert(
                into: context, title: "m\(random.next())", date: day(Double(random.next() % 8)))
            new.rating = Int16(random.next() % 12)
        case 3: mood.map { context.delete($0) }
        case 4: mood?.date = day(Double(random.next() % 8))
        default: mood?.rating = Int16(random.next() % 12)
        }
    }

    /// What the list is to be, said in the plainest way.
    private static func wanted(
        _ coordinator: PersistentStoreCoordinator, _ request: FetchRequest<Mood>
    ) throws -> [(name: String, ids: [ManagedObjectID])] {
        var all = request
        (all.fetchLimit, all.fetchOffset) = (nil, 0)
        let whole = all
        let context = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        let found = try context.performAndWait { context in
            try context.fetch(whole).map { (section: byRemainderPlace($0), id: $0.objectID) }
        }
        let sorted = (0..<3).flatMap { rest in found.filter { $0.section == rest } }
        let window = sorted.dropFirst(request.fetchOffset).prefix(request.fetchLimit ?? .max)
        return (0..<3).compactMap { rest in
            let ids = window.filter { $0.section == rest }.map(\.id)
            return ids.isEmpty ? nil : ("rest \(rest)", ids)
        }
    }

    private static func byRemainderPlace(_ mood: Mood) -> Int { Int(mood.rating % 3) }

    private final class Kept: FetchedResultsControllerDelegate, @unchecked Sendable {
        // @unchecked Sendable because it is looked at inside the reader's blocks only.
        let list: FetchedResultsController<Mood>
        var told: [[ManagedObjectID]]

        init(_ list: FetchedResultsController<Mood>) throws {
            self.list = list
            try list.performFetch()
            told = (list.sections ?? []).indices.map { list.objects(inSection: $0).map(\.objectID) }
            list.delegate = self
        }

        func controller(_ list: FetchedResultsController<Mood>, didChange batch: FetchedResultsBatch) {
            told = batch.applied(to: told)
        }
    }

    /// Objects are read 256 at a time for their sections.
    @Test func `a list in sections that are worked out has every object of hundreds`() throws {
        try emptyContext().performAndWait { context throws -> Void in
            for number in 0..<513 {
                Mood.insert(into: context, title: "m", date: day(Double(number))).rating = Int16(number % 7)
            }
            try context.save()
            let list = context.list(
                FetchRequest<Mood>(sortedBy: .ascending(\.date)), sectionedBy: Self.byRemainder)
            try list.performFetch()
            #expect(list.count == 513)
            // Ratings 0, 3, 6; 1, 4; 2, 5: of 513 = 73 * 7 + 2.
            #expect(list.sections?.map(\.numberOfObjects) == [3 * 73 + 1, 2 * 73 + 1, 2 * 73])
        }
    }

    @Test(.everyStore, arguments: [(0, nil), (2, 5)] as [(Int, Int?)])
    func `a list in sections that are worked out is in their order, whatever comes and goes`(
        offset: Int, limit: Int?
    ) throws {
        for seed in 1...UInt64(max(10, ListLawTests.seeds / 10)) {
            let coordinator = try emptyCoordinator(testModel())
            let writer = ManagedObjectContext(persistentStoreCoordinator: coordinator)
            let reader = ManagedObjectContext(persistentStoreCoordinator: coordinator)
            var random = SplitMix64(seed: seed)
            var request = FetchRequest<Mood>(\.title != "none", sortedBy: .descending(\.date))
            (request.fetchOffset, request.fetchLimit) = (offset, limit)
            let first = request
            let start = random.next()
            _ = try writer.performAndWait { context in
                var random = SplitMix64(seed: start)
                for _ in 0..<8 { try Self.edit(context, &random) }
                return try context.save()
            }
            let kept = try reader.performAndWait { context in
                try Kept(context.list(first, sectionedBy: Self.byRemainder))
            }
            for step in 0..<20 {
                if step > 0 {
                    let next = random.next()
                    let note = try writer.performAndWait { context in
                        var random = SplitMix64(seed: next)
                        for _ in 0..<1 + random.next() % 3 { try Self.edit(context, &random) }
                        return try context.save()
                    }
                    try reader.performAndWait { try $0.mergeChanges(from: note) }
                }
                let wanted = try Self.wanted(coordinator, request)
                let (ids, told, names) = reader.performAndWait { _ in
                    (kept.list.fetchedObjectIDs, kept.told, kept.list.sections?.map(\.name) ?? [])
                }
                guard ids == wanted.flatMap(\.ids), told == wanted.map(\.ids), names == wanted.map(\.name)
                else {
                    Issue.record(
                        "seed \(seed), step \(step): \(names) \(ids), reports made \(told), not \(wanted)")
                    return
                }
            }
        }
    }

    @Test(.everyStore) func `one place under two names that alternate is refused, and the object is named`()
        throws
    {
        try emptyContext().performAndWait { context in
            for number in 0..<3 { Mood.insert(into: context, title: "\(number)", date: day(Double(number))) }
            try context.save()
            let list = context.list(
                FetchRequest<Mood>(sortedBy: .ascending(\.date)),
                sectionedBy: SectionName(computed: {
                    SectionKey(order: 0, name: $0.title == "1" ? "odd" : "even")
                }))
            let last = try #require(try context.fetch(FetchRequest<Mood>(\.title == "2")).first).objectID
            let error = #expect(
                throws: FetchError.sectionsNotTogether(section: "even", row: 2, object: last, after: "odd")
            ) { try list.performFetch() }
            let told = error?.description ?? ""
            #expect(told.hasSuffix("\(last) in row 2 is in section even again, after odd"))
        }
    }

    /// What has no name could be found under another's: so nothing is kept, and nothing is wrong.
    @Test func `a list in sections that are worked out is not kept in a cache`() throws {
        let folder = try ScratchFolder()
        let coordinator = try folder.open("A.moody", testModel())
        func names(_ section: SectionName<Mood>) throws -> [String] {
            try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
                let list = FetchedResultsController(
                    fetchRequest: FetchRequest<Mood>(sortedBy: .ascending(\.date)),
                    managedObjectContext: context, sectionNameKeyPath: section, cacheName: "root")
                try list.performFetch()
                return list.sections?.map(\.name) ?? []
            }
        }
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
            for number in 0..<3 {
                Mood.insert(into: context, title: "", date: day(Double(number))).rating = Int16(number)
            }
            try context.save()
        }
        #expect(try names(Self.byRemainder) == ["rest 0", "rest 1", "rest 2"])
        #expect(
            try names(SectionName(computed: { SectionKey(order: -Int($0.rating), name: "\($0.rating)") }))
                == ["2", "1", "0"])
        #expect(try names(SectionName(\.date) { _ in "all" }) == ["all"])
    }
}
