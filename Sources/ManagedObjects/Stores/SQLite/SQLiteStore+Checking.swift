import Foundation
import GRDB

extension StoreReport {
    /// Pages may be so damaged that a query ends instead of answering: that is a finding, not a failure.
    ///
    /// - Returns: nil when it does.
    fileprivate mutating func findingDamage<Value>(_ query: () throws -> Value?) -> Value? {
        do { return try query() } catch {
            let line = (error as? DatabaseError)?.message ?? "\(error)"
            if !damage.contains(line) { damage.append(line) }
            return nil
        }
    }
}

extension SQLiteStore {
    /// - Complexity: reads every page of the store.
    func report() throws -> StoreReport {
        var report = StoreReport()
        let named = try {
            // Without a transaction: it could not be ended where pages are damaged.
            try connection.read { database in
                let lines = report.findingDamage {
                    try String.fetchAll(database, sql: "PRAGMA integrity_check")
                }
                if let lines, lines != ["ok"] { report.damage += lines }
                for entity in schema.entities where !entity.isAbstract {
                    let sql = "SELECT COUNT(*) FROM \(schema.table(of: entity).name) WHERE Z_ENT = ?"
                    report.counts[entity.name] = report.findingDamage {
                        try Int.fetchOne(database, sql: sql, arguments: [schema.number(of: entity)])
                    }
                }
                return report.findingDamage { try externalNames(in: database) }
            }
        }()
        // Without knowing which files are named nothing can be said of those that are there.
        guard let named else { return report }
        for name in named.sorted() {
            if let size = try files.size(name) {
                report.externalFiles += 1
                report.externalBytes += size
            } else {
                report.missingFiles.append(name)
            }
        }
        // In a shared folder they may be another store's.
        if !files.isShared { report.leftOverFiles = try files.names().subtracting(named).sorted() }
        return report
    }

    /// Puts files aside that no row names. The caller has the store alone.
    func setFilesAside(_ lock: StoreLock) throws {
        // Rows are read only where there is a file that they might name.
        if files.hasValues {
            let named = try connection.read { try externalNames(in: $0) }
            // Where that cannot be done they stay where they are: nothing is lost by it.
            do { try files.setAside(except: named, identifier, owner: lock.owner) } catch { return }
        }
        try lock.setOwner(identifier)
    }

    /// The names of all files that rows name.
    private func externalNames(in database: Database) throws -> Set<String> {
        var names: Set<String> = []
        for entity in schema.entities {
            let table = schema.table(of: entity)
            for slot in entity.externalSlots {
                guard let column = table.column(of: slot, in: entity)?.name else { continue }
                let found = try Data.fetchCursor(
                    database,
                    sql: """
                        SELECT SUBSTR(\(column), 1, 38) FROM \(table.name) \
                        WHERE SUBSTR(\(column), 1, 1) = x'02'
                        """)
                while let column = try found.next() {
                    if let name = ExternalFiles.name(in: column) { names.insert(name) }
                }
            }
        }
        return names
    }
}
