import Foundation
import Testing

@testable import ManagedObjects

/// Fetches that see unsaved changes, and fetches that do not.
@Suite(.everyStore) struct PendingChangesTests {
    @Test func `count, fetch and IDs agree, with unsaved changes and without`() throws {
        try emptyContext().performAndWait { context in
            fillWithMoods(context)
            try context.save()
            let moods = try context.fetch(FetchRequest<Mood>(sortedBy: .ascending(\.date)))
            let stored = moods.map(\.objectID)
            context.delete(moods[1])
            moods[2].rating = 100
            let new = Mood.insert(into: context, title: "new", date: day(0.5))
            for limit in [nil, 1, 2, 3] as [Int?] {
                var request = FetchRequest<Mood>(sortedBy: .ascending(\.date))
                request.fetchLimit = limit
                for isPending in [true, false] {
                    request.includesPendingChanges = isPending
                    let found = try context.fetch(request).map(\.objectID)
                    let count = try context.count(request)
                    let ids = try context.fetchObjectIDs(request)
                    #expect(found == ids && count == found.count)
                    let all =
                        isPending
                        ? (stored.filter { $0 != moods[1].objectID } + [new.objectID]).sorted {
                            date($0, context) < date($1, context)
                        } : stored
                    #expect(found == Array(all.prefix(limit ?? all.count)))
                }
            }
            let ids = try context.fetchObjectIDs(FetchRequest<Mood>(\.title == "new"))
            #expect(ids == [new.objectID] && ids[0].isTemporaryID)
        }
    }

    private func date(_ id: ManagedObjectID, _ context: isolated ManagedObjectContext) -> Date {
        (context.object(with: id) as? Mood)?.date ?? .distantFuture
    }
}
