import Foundation
package import GRDB
import Synchronization

/// The statements that SQLite runs, as SQLite itself traces them.
package final class StatementTrace: Sendable {
    private let statements = Mutex<[String]>([])

    /// Follows all connections of a pool.
    package init(_ pool: DatabasePool) throws {
        let readers = pool.configuration.maximumReaderCount
        pool.writeWithoutTransaction { database in follow(database) }
        // Only as many reads at once reach as many connections.
        let (isInside, mayLeave) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        for _ in 1..<readers {
            Thread.detachNewThread { [self] in
                do {
                    try pool.unsafeRead { database in
                        follow(database)
                        isInside.signal()
                        mayLeave.wait()
                    }
                } catch { isInside.signal() }
            }
            isInside.wait()
        }
        try pool.unsafeRead { database in follow(database) }
        for _ in 1..<readers { mayLeave.signal() }
    }

    private func follow(_ database: Database) {
        database.trace { [self] event in
            guard case .statement(let statement) = event, !statement.sql.hasPrefix("EXPLAIN") else { return }
            statements.withLock { $0.append(statement.sql) }
        }
    }

    /// Returns the statements since the last call, of those that are wanted.
    package func consume(where isWanted: (String) -> Bool = { _ in true }) -> [String] {
        let all = statements.withLock { statements in
            defer { statements = [] }
            return statements
        }
        return all.filter(isWanted)
    }
}
