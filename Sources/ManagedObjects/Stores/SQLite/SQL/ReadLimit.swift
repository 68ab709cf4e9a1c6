import GRDB
import GRDBSQLite
import Synchronization

/// A limit on the time that reads of a store may take, and a way to end them from another thread.
///
/// While a limit is ``current``, statements of SQLite stores end with `SQLITE_INTERRUPT` when it is over.
///
/// - Source: <https://www.sqlite.org/c3ref/progress_handler.html>.
package final class ReadLimit: Sendable {
    /// The limit on the reads of this thread.
    @TaskLocal package static var current: ReadLimit?

    private let deadline: ContinuousClock.Instant
    private let wasEnded = Atomic(false)

    /// - Parameter seconds: from now on.
    package init(seconds: Double) { deadline = .now + .seconds(seconds) }

    /// Ends the reads now, those under way and those to come.
    package func end() { wasEnded.store(true, ordering: .relaxed) }

    package var isOver: Bool { wasEnded.load(ordering: .relaxed) || ContinuousClock.now >= deadline }

    /// - Throws: ``StoreError`` of `SQLITE_INTERRUPT`, as a statement that is ended.
    package func check() throws(StoreError) {
        if isOver { throw .sqlite(code: SQLITE_INTERRUPT, message: "the read was ended", sql: nil) }
    }

    /// Steps of a statement between two looks at the clock.
    private static let steps: Int32 = 1000

    /// Runs statements under this limit.
    func watch<Value>(_ database: Database, _ body: (Database) throws -> Value) throws -> Value {
        try check()
        let limit = unsafe Unmanaged.passUnretained(self)
        unsafe sqlite3_progress_handler(
            database.sqliteConnection, Self.steps,
            { unsafe Unmanaged<ReadLimit>.fromOpaque($0!).takeUnretainedValue().isOver ? 1 : 0 },
            limit.toOpaque())
        defer { unsafe sqlite3_progress_handler(database.sqliteConnection, 0, nil, nil) }
        return try withExtendedLifetime(self) { try body(database) }
    }
}

extension StoreError {
    /// Whether a ``ReadLimit`` ended the read.
    package var isInterrupt: Bool {
        if case .sqlite(let code, _, _) = self { code & 255 == SQLITE_INTERRUPT } else { false }
    }
}
