import DataStacks
import Foundation
import GRDB
import Synchronization
import TestSupport
import Testing

@testable import ManagedObjects

/// What an import asks of SQLite, as SQLite traces it.
@Suite struct ImportStatementTests {
    @Test func `objects to be updated are fetched ten thousand at a time`() throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "A.sqlite")
        let stack = DataStack(model: try Fixture.model(), logger: QuietLogger())
        try stack.addStorageAndWait(DataStacks.SQLiteStore(fileURL: url))
        let sources = (1...20_001).map { SampleSource(id: Int64($0), number: 1, word: "") }
        func run() throws {
            _ = try stack.performAndWait { transaction throws in
                try transaction.importUniqueObjects(Into<Sample>(), sourceArray: sources).count
            }
        }
        try run()
        let store = try #require(try stack.coordinator.stores[0] as? ManagedObjects.SQLiteStore)
        let fetches = Trace()
        let pool = try store.writer
        try pool.unsafeRead { database in fetches.follow(database) }
        pool.writeWithoutTransaction { database in fetches.follow(database) }
        try run()
        #expect(fetches.count.load(ordering: .relaxed) == 3)
        try stack.close()
    }

    private final class Trace: Sendable {
        let count = Atomic(0)

        func follow(_ database: Database) {
            database.trace { [self] event in
                guard case .statement(let statement) = event else { return }
                if statement.sql.hasPrefix("SELECT"), statement.sql.contains("ZTESTENTITY1") {
                    count.add(1, ordering: .relaxed)
                }
            }
        }
    }
}
