import Foundation
import GRDB
import Synchronization

extension SQLiteStore {
    /// Writes all of `plan` in one transaction.
    ///
    /// External files that no row names any more are removed once the commit is on the disk; a crash before
    /// that leaves them to the sweep.
    func save(_ plan: SavePlan, beforeCommit: () throws -> Void) throws -> SavedRows {
        let pool = try writer
        var dropped: Set<String> = [], transaction: Int64?
        let saved = try sqlite {
            // An empty transaction belongs to no one.
            var isDone = false
            defer { if !isDone, let transaction { position.withLock { $0.own.removeLast(transaction) } } }
            let saved = try pool.write { database in
                try checkSchema(in: database)
                dropped = try externalNames(replacedBy: plan, in: database)
                var writer = SQLiteWriter(store: self, database: database)
                let derived = try writer.write(plan)
                transaction = try SQLiteHistory.write(
                    plan, ids: writer.ids, derived: derived, store: self, in: database)
                // Said before the commit, since whoever looks next must not take it for somebody else's.
                if let transaction { position.withLock { $0.own.insert(transaction) } }
                try ExternalFile.willName(namedFiles(plan))
                try beforeCommit()
                return SavedRows(ids: writer.ids, derived: derived)
            }
            isDone = true
            return saved
        }
        external.didDrop(dropped)
        return saved
    }

    /// Keys that are never given twice, whether rows come to them or not: the log, where there is one, says
    /// that nothing happened.
    func reserveKeys(_ root: EntityDescription, count: Int) throws -> Int64 {
        let pool = try writer
        return try sqlite {
            try pool.write { database in
                try checkSchema(in: database)
                let number = schema.number(of: root), last = try lastKey(root, in: database)
                try RawStatement.run(
                    "UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?",
                    [.int(last + Int64(count)), .int(Int64(number))], in: database)
                if let transaction = try SQLiteHistory.write(
                    SavePlan(), ids: [:], derived: [], store: self, in: database)
                {
                    position.withLock { $0.own.insert(transaction) }
                }
                return last + 1
            }
        }
    }

    func lastKey(_ root: EntityDescription) throws -> Int64 {
        try read { database in try lastKey(root, in: database) }
    }

    func lastKey(_ root: EntityDescription, in database: Database) throws -> Int64 {
        let last = try RawStatement.number(
            "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?", [.int(Int64(schema.number(of: root)))],
            in: database)
        return try StoredNumber.counter(last ?? 0, "Z_MAX of \(root.name)")
    }

    /// The files that values name which are written.
    private func namedFiles(_ plan: SavePlan) -> [ExternalFile] {
        var files: [ExternalFile] = []
        func note(_ value: StoredValue) { if case .external(let file) = value { files.append(file) } }
        for insert in plan.inserts { for slot in insert.entity.externalSlots { note(insert.values[slot]) } }
        for update in plan.updates where !update.entity.externalSlots.isEmpty {
            for slot in update.slots { note(update.values[slot]) }
        }
        return files
    }

    /// The files whose rows go, or get another value.
    private func externalNames(replacedBy plan: SavePlan, in database: Database) throws -> Set<String> {
        var names: Set<String> = []
        for update in plan.updates where !update.entity.externalSlots.isEmpty {
            for slot in update.slots where update.entity.externalSlots.contains(slot) {
                var found = try externalNames(update.entity, slot, keys: [update.id.key], in: database)
                if case .external(let kept) = update.values[slot] { found.remove(kept.name) }
                names.formUnion(found)
            }
        }
        for (index, deletes) in Dictionary(grouping: plan.deletes, by: { $0.entity.index }) {
            let entity = schema.model.entities[index]
            for slot in entity.externalSlots {
                names.formUnion(try externalNames(entity, slot, keys: deletes.map(\.id.key), in: database))
            }
        }
        return names
    }

    private func externalNames(_ entity: EntityDescription, _ slot: Int, keys: [Int64], in database: Database)
        throws -> Set<String>
    {
        let table = schema.table(of: entity)
        guard let column = table.column(of: slot, in: entity)?.name else { return [] }
        // The first 38 bytes hold a name; a value in the row may be a hundred thousand.
        let statement = try RawStatement(
            """
            SELECT SUBSTR(\(column), 1, 38) FROM \(table.name) \
            WHERE Z_PK IN (SELECT value FROM json_each(?)) AND SUBSTR(\(column), 1, 1) = x'02'
            """, in: database)
        statement.bind(.json(keys), at: 1)
        var names: Set<String> = []
        while try statement.next() {
            if case .blob(let column) = statement.value(0), let name = ExternalFiles.name(in: column) {
                names.insert(name)
            }
        }
        return names
    }
}
