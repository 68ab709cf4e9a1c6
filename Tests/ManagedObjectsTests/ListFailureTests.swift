import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// Lists whose stores cannot be read, and requests that want their rows at once.
@Suite struct ListFailureTests {
    private let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    private func filled() throws -> (PersistentStoreCoordinator, path: String) {
        let coordinator = try folder.open("A.moody", testModel())
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
            fillWithMoods(context)
            try context.save()
        }
        return (coordinator, folder.url.appending(path: "A.moody").path)
    }

    @Test func `a fetch that fails throws what the store said, and can be made again`() throws {
        let (coordinator, path) = try filled()
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
            let list = context.list(FetchRequest<Mood>(sortedBy: .ascending(\.date)))
            try shell("sqlite3 '\(path)' 'ALTER TABLE ZMOOD RENAME TO ELSEWHERE'")
            let error = try #require(throws: StoreError.self) { try list.performFetch() }
            #expect("\(error)".contains("no such table: ZMOOD"), "\(error)")
            #expect(list.sections == nil && list.count == 0)
            try shell("sqlite3 '\(path)' 'ALTER TABLE ELSEWHERE RENAME TO ZMOOD'")
            try list.performFetch()
            #expect(list.count == 5 && list.sections?.count == 1)
        }
    }

    /// What is read at once is there when the store has it no more; what is not was never read.
    @Test func `a request without faults loads its rows at once`() throws {
        let (coordinator, path) = try filled()
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
            var request = FetchRequest<Mood>(sortedBy: .ascending(\.title))
            request.returnsObjectsAsFaults = false
            let rows = try context.fetch(request)
            let wanted = rows.map(\.title)
            #expect(rows.count == 5 && rows.allSatisfy { !$0.isFault })
            let other = ManagedObjectContext(persistentStoreCoordinator: coordinator)
            request.returnsObjectsAsFaults = true
            let lazy = request
            try other.performAndWait { other in
                let faults = try other.fetch(lazy)
                #expect(faults.count == 5 && faults.allSatisfy(\.isFault))
                try shell("sqlite3 '\(path)' 'UPDATE ZMOOD SET ZTITLE = \"later\"'")
                #expect(faults.allSatisfy { $0.title == "later" })
            }
            #expect(rows.map(\.title) == wanted && Set(wanted).count > 1)
        }
    }
}
