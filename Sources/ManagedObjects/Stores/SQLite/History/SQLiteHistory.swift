import Foundation
import GRDB
import Synchronization

/// Core Data's persistent history in a SQLite store: one `ATRANSACTION` a save, one `ACHANGE` a row that it
/// inserted, changed or deleted, written in the save's own transaction.
///
/// A store has one when somebody asked for it once; from then on every save of this library keeps it, whoever
/// opens the store. The *change counter* is the greatest number that a transaction ever had. What an update
/// set and what is left of a deleted object: see ``HistoryColumns``.
///
/// - Source: the tables, indexes and numbers of an Apple-written store (CoreDataPlus, SampleModel2_V2), and
///   of 58 others.
enum SQLiteHistory {
    /// `Z_ENT` of the log's own tables.
    private static let change = 16_001, transaction = 16_002, string = 16_003
    /// How long a transaction is kept.
    private static let days = 7.0
    /// More changes than that at once are not told one by one.
    static let most = 200_000

    /// `ZCHANGETYPE`
    private enum Kind: Int64 { case insert = 0, update = 1, delete = 2 }

    static func exists(in database: Database) throws -> Bool { try database.tableExists("ATRANSACTION") }

    /// - Parameter model: nil for tables that are about to be filled with another store's.
    static func create(_ model: ManagedObjectModel?, in database: Database) throws {
        if try exists(in: database) { return }
        let preserved =
            model.flatMap { model in
                model.entities.map { HistoryColumns($0, in: model).preserved.count }.max()
            } ?? 0
        let tombstones = (0..<preserved).map { ", ZTOMBSTONE\($0) BLOB" }.joined()
        try database.execute(
            sql: """
                CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
                ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS \
                BLOB\(tombstones) );
                CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
                ZAUTHORTS INTEGER, ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, \
                ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID \
                VARCHAR, \
                ZQUERYGEN BLOB );
                CREATE TABLE ATRANSACTIONSTRING \
                ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR );
                CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID);
                CREATE INDEX ATRANSACTION_ZAUTHORTS_INDEX ON ATRANSACTION (ZAUTHORTS);
                CREATE INDEX ATRANSACTION_ZBUNDLEIDTS_INDEX ON ATRANSACTION (ZBUNDLEIDTS);
                CREATE INDEX ATRANSACTION_ZCONTEXTNAMETS_INDEX ON ATRANSACTION (ZCONTEXTNAMETS);
                CREATE INDEX ATRANSACTION_ZPROCESSIDTS_INDEX ON ATRANSACTION (ZPROCESSIDTS);
                CREATE INDEX Z_TRANSACTION_TransactionAuthorIndex ON ATRANSACTION (ZAUTHOR COLLATE BINARY \
                ASC);
                CREATE INDEX Z_TRANSACTION_TransactionTimestampIndex ON ATRANSACTION (ZTIMESTAMP COLLATE \
                BINARY ASC);
                CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING (ZNAME COLLATE \
                BINARY ASC);
                INSERT INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, 0), (16002, 'TRANSACTION', 0, 0), \
                (16003, 'TRANSACTIONSTRING', 0, 0)
                """)
    }

    /// Returns the last number of each of the log's tables; nil for a store without a log.
    static func numbers(in database: Database) throws -> [Int64: Int64]? {
        guard try exists(in: database) else { return nil }
        let rows = try Row.fetchAll(
            database, sql: "SELECT Z_ENT, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT BETWEEN 16001 AND 16003")
        return Dictionary(
            try rows.map { row in
                guard let entity = Int64.fromDatabaseValue(row[0]), let last = Int64.fromDatabaseValue(row[1])
                else { throw StoreError.unreadable("Z_PRIMARYKEY counts the history by what is no number") }
                return (entity, last)
            }
        ) { $1 }
    }

    /// Goes on with the numbers of a log that ends here, and passes one transaction over: that of what cannot
    /// be told.
    static func goOn(behind numbers: [Int64: Int64], in database: Database) throws {
        for (entity, last) in numbers {
            try database.execute(
                sql: "UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?",
                arguments: [entity == 16002 ? last + 1 : last, entity])
        }
    }

    /// Lets go of what is older than a week, when the oldest transaction is an hour older than that: called
    /// at each save, so that a program that runs for months keeps a week as well. The counter stays.
    static func pruneIfDue(in database: Database) throws {
        let oldest = try RawStatement("SELECT MIN(ZTIMESTAMP) FROM ATRANSACTION", in: database)
        guard try oldest.next(), oldest.value(0) != .null else { return }
        let time = Double(storedValue: oldest.value(0))
        if time < Date().timeIntervalSinceReferenceDate - days * 86_400 - 3_600 { try prune(in: database) }
    }

    /// Lets go of what is older than a week. The counter stays.
    static func prune(in database: Database) throws {
        guard try exists(in: database) else { return }
        let limit = Date().timeIntervalSinceReferenceDate - days * 86_400
        try database.execute(
            sql: """
                DELETE FROM ACHANGE WHERE ZTRANSACTIONID IN (SELECT Z_PK FROM ATRANSACTION WHERE ZTIMESTAMP \
                < ?)
                """, arguments: [limit])
        try database.execute(sql: "DELETE FROM ATRANSACTION WHERE ZTIMESTAMP < ?", arguments: [limit])
    }

    /// The greatest number that a transaction ever had; nil without a log.
    static func counter(in database: Database) throws -> Int64? {
        let statement = try RawStatement("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16002", in: database)
        return try statement.next() ? StoredNumber.counter(statement.int(0), "Z_MAX of the history") : nil
    }

    /// - Returns: the transaction's number; nil when there is no log.
    static func write(
        _ plan: SavePlan, ids: [Int64: ManagedObjectID], derived: [ManagedObjectID], store: SQLiteStore,
        in database: Database
    ) throws -> Int64? {
        guard let last = try counter(in: database) else { return nil }
        try pruneIfDue(in: database)
        let number = last + 1
        let author = try plan.author.map { try key(ofString: $0, in: database) }
        let context = try plan.contextName.map { try key(ofString: $0, in: database) }
        let process = try key(ofString: ProcessInfo.processInfo.processName, in: database)
        try RawStatement.run(
            """
            INSERT INTO ATRANSACTION (Z_PK, Z_ENT, Z_OPT, ZAUTHORTS, ZBUNDLEIDTS, ZCONTEXTNAMETS, \
            ZPROCESSIDTS, ZTIMESTAMP) VALUES (?, 16002, NULL, ?, ?, ?, ?, ?)
            """,
            [
                .int(number), author.storedValue, .int(process), context.storedValue, .int(process),
                .double(Date().timeIntervalSinceReferenceDate),
            ], in: database)
        let lastChange = try RawStatement.number(
            "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16001", in: database)
        var next = try StoredNumber.counter(lastChange ?? 0, "Z_MAX of the history's changes")
        let tombstones = try tombstoneCount(store.schema.model, in: database)
        let names = (0..<tombstones).map { ", ZTOMBSTONE\($0)" }.joined()
        let statement = try RawStatement(
            """
            INSERT INTO ACHANGE \
            (Z_PK, Z_ENT, Z_OPT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS\(names)) \
            VALUES (?, 16001, NULL, ?, ?, ?, ?, ?\(String(repeating: ", ?", count: tombstones)))
            """, in: database)
        statement.bind(.int(number), at: 5)
        var columns = ChangedProperties(plan, store.schema.model)
        func log(
            _ kind: Kind, _ entity: EntityDescription, _ key: Int64, changed: Data? = nil,
            tombstone: [Data?] = []
        ) throws {
            next += 1
            statement.bind(changed.map { .blob($0) } ?? .null, at: 6)
            for index in 0..<tombstones {
                let bytes = index < tombstone.count ? tombstone[index] : nil
                statement.bind(bytes.map { .blob($0) } ?? .null, at: 7 + index)
            }
            statement.bind(.int(next), at: 1)
            statement.bind(.int(kind.rawValue), at: 2)
            statement.bind(.int(Int64(store.schema.number(of: entity))), at: 3)
            statement.bind(.int(key), at: 4)
            try statement.run()
        }
        for insert in plan.inserts {
            let id = ids[insert.id.key] ?? insert.id
            try log(.insert, insert.entity, id.key)
        }
        for update in plan.updates {
            try log(.update, update.entity, update.id.key, changed: columns.bits(of: update))
        }
        for delete in plan.deletes {
            let left = tombstones > 0 ? columns.tombstone(of: delete) : []
            try log(.delete, delete.entity, delete.id.key, tombstone: left)
        }
        if !derived.isEmpty {
            let note = SaveNotification(
                insertedObjectIDs: plan.inserts.map { ids[$0.id.key] ?? $0.id },
                updatedObjectIDs: plan.updates.map(\.id))
            for id in note.adding(derived).updatedObjectIDs.dropFirst(plan.updates.count) {
                guard let entity = store.schema.model.entity(named: id.entity) else { continue }
                try log(.update, entity, id.key)
            }
        }
        try RawStatement.run(
            "UPDATE Z_PRIMARYKEY SET Z_MAX = CASE Z_ENT WHEN 16001 THEN ? ELSE ? END WHERE Z_ENT IN "
                + "(16001, 16002)",
            [.int(next), .int(number)], in: database)
        return number
    }

    /// How many columns for tombstones the table has; none where no entity wants one.
    private static func tombstoneCount(_ model: ManagedObjectModel, in database: Database) throws -> Int {
        let isWanted = model.entities.contains { entity in
            entity.slots.contains { slot in
                if case .attribute(let attribute) = slot {
                    attribute.options.contains(.preservedAfterDeletion)
                } else {
                    false
                }
            }
        }
        guard isWanted else { return 0 }
        return try Int.fetchOne(
            database,
            sql: "SELECT COUNT(*) FROM pragma_table_info('ACHANGE') WHERE name GLOB 'ZTOMBSTONE[0-9]*'") ?? 0
    }

    private static func key(ofString name: String, in database: Database) throws -> Int64 {
        let known = try RawStatement.number(
            "SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = ?", [.text(name)], in: database)
        if let known { return known }
        let last = try Int64.fetchOne(database, sql: "SELECT MAX(Z_PK) FROM ATRANSACTIONSTRING")
        let key = try StoredNumber.counter(last ?? 0, "a key of ATRANSACTIONSTRING") + 1
        try database.execute(
            sql: "INSERT INTO ATRANSACTIONSTRING VALUES (?, 16003, NULL, ?)", arguments: [key, name])
        try database.execute(sql: "UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = 16003", arguments: [key])
        return key
    }

    /// Returns the changes after transaction `last` that are not among `own`.
    static func read(
        after last: Int64, to counter: Int64, but own: TransactionNumbers, _ store: SQLiteStore,
        in database: Database
    ) throws -> StoreHistory {
        var history = StoreHistory()
        let kept = try Int64.fetchOne(
            database, sql: "SELECT COUNT(*) FROM ATRANSACTION WHERE Z_PK > ? AND Z_PK <= ?",
            arguments: [last, counter])
        // Some are forgotten already, or were never logged.
        history.isGap = kept != counter - last
        let statement = try RawStatement(
            """
            SELECT ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID FROM ACHANGE \
            WHERE ZTRANSACTIONID > ? AND ZTRANSACTIONID <= ? ORDER BY Z_PK LIMIT ?
            """, in: database)
        statement.bind([.int(last), .int(counter), .int(Int64(most) + 1)])
        var kinds: [ManagedObjectID: Kind] = [:], order: [ManagedObjectID] = []
        while try statement.next() {
            let number = Int(clamping: statement.int(1))
            if own.contains(statement.int(3)) { continue }
            guard let kind = Kind(rawValue: statement.int(0)), store.homesByNumber.indices.contains(number),
                let home = store.homesByNumber[number],
                let id = try? ManagedObjectID(home, stored: statement.int(2))
            else {
                history.isGap = true
                continue
            }
            switch (kinds[id], kind) {
            case (nil, _):
                kinds[id] = kind
                order.append(id)
            case (.insert?, .update): break
            // Also what was inserted since: a fetch may have read it before this look.
            default: kinds[id] = kind
            }
        }
        if order.count > most { history.isGap = true }
        for id in order {
            switch kinds[id] {
            case .insert?: history.note.insertedObjectIDs.append(id)
            case .update?: history.note.updatedObjectIDs.append(id)
            case .delete?: history.note.deletedObjectIDs.append(id)
            case nil: break
            }
        }
        return history
    }
}

/// How far a store has heard what others wrote.
struct HistoryPosition: Sendable {
    /// `PRAGMA data_version` of the writing connection, which its own commits do not move; of a store that is
    /// only read that of the connection it has, with the connection's number above.
    var dataVersion: Int64
    var counter: Int64?
    /// The transactions that this store wrote since.
    var own = TransactionNumbers()
}

extension SQLiteStore {
    func readPosition() throws -> HistoryPosition {
        try readForChanges(inTransaction: false) { database in
            HistoryPosition(
                dataVersion: try dataVersion(in: database), counter: try SQLiteHistory.counter(in: database))
        }
    }

    private func dataVersion(in database: Database) throws -> Int64 {
        let version = try RawStatement.number("PRAGMA data_version", in: database) ?? 0
        guard case .reading(let reader) = connection else { return version }
        return reader.number << 32 | version
    }

    /// The number of transactions since a version; nil when it is not known.
    private func transactions(since version: Int64) -> Int64? {
        guard case .reading(let reader) = connection else { return nil }
        return reader.transactions(since: version >> 32)
    }

    /// Reads by the connection whose version tells of what others write.
    private func readForChanges<Value>(inTransaction: Bool, _ body: (Database) throws -> Value) throws
        -> Value
    {
        guard case .writing(let pool) = connection else { return try connection.read(body) }
        return try sqlite {
            try pool.writeWithoutTransaction { database in
                if !inTransaction { return try body(database) }
                var value: Value?
                try database.inTransaction(.deferred) {
                    value = try body(database)
                    return .commit
                }
                // The transaction has run or thrown.
                if let value { return value }
                return try body(database)
            }
        }
    }

    /// Returns what other stores, stacks, and programs have written since the last call, or since the store
    /// was opened.
    ///
    /// A write that no log tells of is a gap, and so is one by a program that keeps none; when it falls
    /// between two looks together with a logged one, it is not seen.
    ///
    /// - Complexity: O(what was written); without any, one look at the database's version.
    func changesByOthers() throws -> StoreHistory {
        try readForChanges(inTransaction: true, changes)
    }

    private func changes(in database: Database) throws -> StoreHistory {
        let counter = try SQLiteHistory.counter(in: database)
        let version = try dataVersion(in: database)
        return try position.withLock { position in
            if version == position.dataVersion {
                // All that was written was ours.
                if !position.own.isEmpty {
                    (position.counter, position.own) = (counter, TransactionNumbers())
                }
                return StoreHistory()
            }
            try checkSchema(in: database)
            defer { position = HistoryPosition(dataVersion: version, counter: counter) }
            guard let counter, let last = position.counter, !position.own.isIncomplete else {
                return StoreHistory(isGap: true)
            }
            if let written = transactions(since: position.dataVersion) {
                // A stack opened a store at rest. What else was written is logged, or a gap.
                if written != counter - last { return StoreHistory(isGap: true) }
                if written == 0 { return StoreHistory() }
            } else if counter <= last + position.own.count {
                return StoreHistory(isGap: true)
            }
            return try SQLiteHistory.read(after: last, to: counter, but: position.own, self, in: database)
        }
    }
}

extension SQLiteStore {
    func lastTransaction() throws -> Int64? { try read { try SQLiteHistory.counter(in: $0) } }

    func transactions(after number: Int64?) throws -> StoreTransactions {
        try read { database in
            guard let counter = try SQLiteHistory.counter(in: database) else {
                return StoreTransactions(isIncomplete: true)
            }
            return try SQLiteHistory.transactions(after: number, to: counter, self, in: database)
        }
    }
}

extension SQLiteHistory {
    /// The transactions behind `number`, up to `counter`; nil for all that are kept.
    fileprivate static func transactions(
        after number: Int64?, to counter: Int64, _ store: SQLiteStore, in database: Database
    ) throws -> StoreTransactions {
        var found = StoreTransactions(last: counter), changes: [Int64: SaveNotification] = [:]
        let bounds: [StoredValue] = [.int(number ?? 0), .int(counter)]
        let rows = try RawStatement(
            """
            SELECT ZTRANSACTIONID, ZCHANGETYPE, ZENTITY, ZENTITYPK FROM ACHANGE \
            WHERE ZTRANSACTIONID > ? AND ZTRANSACTIONID <= ? ORDER BY ZTRANSACTIONID, Z_PK
            """, in: database)
        rows.bind(bounds)
        while try rows.next() {
            let entity = Int(clamping: rows.int(2))
            guard let kind = Kind(rawValue: rows.int(1)), store.homesByNumber.indices.contains(entity),
                let home = store.homesByNumber[entity],
                let id = try? ManagedObjectID(home, stored: rows.int(3))
            else {
                found.isIncomplete = true
                continue
            }
            switch kind {
            case .insert: changes[rows.int(0), default: .init()].insertedObjectIDs.append(id)
            case .update: changes[rows.int(0), default: .init()].updatedObjectIDs.append(id)
            case .delete: changes[rows.int(0), default: .init()].deletedObjectIDs.append(id)
            }
        }
        let transactions = try RawStatement(
            """
            SELECT t.Z_PK, t.ZTIMESTAMP, COALESCE(a.ZNAME, t.ZAUTHOR), COALESCE(c.ZNAME, t.ZCONTEXTNAME), \
            COALESCE(p.ZNAME, t.ZPROCESSID) FROM ATRANSACTION AS t \
            LEFT JOIN ATRANSACTIONSTRING AS a ON a.Z_PK = t.ZAUTHORTS \
            LEFT JOIN ATRANSACTIONSTRING AS c ON c.Z_PK = t.ZCONTEXTNAMETS \
            LEFT JOIN ATRANSACTIONSTRING AS p ON p.Z_PK = t.ZPROCESSIDTS \
            WHERE t.Z_PK > ? AND t.Z_PK <= ? ORDER BY t.Z_PK
            """, in: database)
        transactions.bind(bounds)
        func text(_ column: Int) -> String? {
            if case .text(let text) = transactions.value(column) { text } else { nil }
        }
        while try transactions.next() {
            let number = transactions.int(0)
            found.transactions.append(
                HistoryTransaction(
                    storeIdentifier: store.identifier, number: number,
                    date: Date(storedValue: transactions.value(1)), author: text(2), contextName: text(3),
                    processName: text(4), changes: changes[number] ?? SaveNotification()))
        }
        // Some were pruned, or the log is another one than the token's.
        if let number, counter - min(number, counter) != Int64(found.transactions.count) || number > counter {
            found.isIncomplete = true
        }
        return found
    }
}
