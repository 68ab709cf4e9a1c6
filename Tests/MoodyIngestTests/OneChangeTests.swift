import DataStacks
import Foundation
import GRDB
import Glibc
import Images
import MoodyModel
import TestSupport
import Testing

@testable import ManagedObjects
@testable import MoodyIngest

/// The cost of one change, as SQLite plans its statements.
@Suite struct OneChangeTests {
    /// The statements that a store runs over photos, moods and swatches.
    private struct Trace {
        private let pool: DatabasePool
        private let all: StatementTrace

        init(_ stack: DataStack) throws {
            let store = try #require(try stack.coordinator.stores[0] as? ManagedObjects.SQLiteStore)
            pool = try store.writer
            all = try StatementTrace(pool)
        }

        /// Returns those since the last call.
        func consume() -> [String] {
            all.consume { sql in
                ["ZPHOTO", "ZMOOD", "ZSWATCH"].contains { table in
                    sql.contains("FROM \(table)") || sql.contains("UPDATE \(table)")
                }
            }
        }

        /// Returns those of the statements that read a table from its first row to its last.
        func scans(in statements: [String]) throws -> [String] {
            try pool.unsafeRead { database in
                try Set(statements).filter { sql in
                    let plan = try database.makeStatement(sql: "EXPLAIN QUERY PLAN " + sql)
                    plan.setUncheckedArguments(StatementArguments())
                    return try Row.fetchAll(plan).contains { row in
                        // A list of keys, json_each, is a virtual table.
                        let step = (row["detail"] as String?) ?? ""
                        return step.hasPrefix("SCAN ") && !step.contains("VIRTUAL TABLE")
                    }
                }
            }
        }
    }

    @Test func `one photo that comes, changes, goes or is deleted reads no table whole`() throws {
        let folder = try ScratchFolder()
        let stack = DataStack(model: try .moody())
        try stack.addStorage(sqlite: folder.url.appending(path: "Moody.moody"))
        func path(_ name: String) -> BytePath { BytePath(folder.url.appending(path: name).path) }
        try folder.write(fixture("red-blue-24x16.png"), to: "photos/a.png")
        let trace = try Trace(stack)
        _ = try Ingest(stack: stack).run([path("photos")])
        // A run over a folder reads all photos, and the trace hears of it.
        _ = trace.consume()
        _ = try Ingest(stack: stack).run([path("photos")])
        #expect(try !trace.scans(in: trace.consume()).isEmpty)

        func expectNoScan(_ what: String, _ change: () throws -> Void) throws {
            _ = trace.consume()
            try change()
            let statements = trace.consume()
            #expect(!statements.isEmpty, "\(what)")
            let scans = try trace.scans(in: statements)
            #expect(scans == [], "\(what): \(scans)")
        }
        try folder.write(fixture("green-24x16.png"), to: "photos/b.png")
        try expectNoScan("comes") {
            let report = try Ingest(stack: stack).run([path("photos/b.png")])
            #expect(report.new == 1)
        }
        try folder.write(fixture("red-blue-24x16.jpg"), to: "photos/b.png")
        try expectNoScan("changes") {
            let report = try Ingest(stack: stack).run([path("photos/b.png")])
            #expect(report.changed == 1)
        }
        let id = try stack.reader.performAndWait { context in
            try context.fetch(FetchRequest<Mood>()).map(\.objectID)[0]
        }
        try expectNoScan("is marked") { _ = try stack.markMoods([id], at: .distantPast) }
        try expectNoScan("is deleted") {
            let purged = try stack.purgeMarks(before: Date(), of: [id])
            #expect(purged == [id])
        }
    }
}
