import DataStacks
import Foundation
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
        let trace = try StatementTrace(store.writer)
        try run()
        let fetches = trace.consume { $0.hasPrefix("SELECT") && $0.contains("ZTESTENTITY1") }
        #expect(fetches.count == 3)
        try stack.close()
    }
}
