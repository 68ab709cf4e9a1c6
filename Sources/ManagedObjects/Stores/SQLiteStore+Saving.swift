import Foundation
import GRDB

extension SQLiteStore {
    /// Writes all of `request` in one transaction.
    ///
    /// External files that no row names any more are removed once the commit is on the disk; a crash before
    /// that leaves them to the sweep.
    ///
    /// - Returns: the permanent key of each inserted object, by temporary key.
    /// - Throws: ``StoreError``; nothing was written then.
    func save(_ request: SaveRequest) throws -> [Int64: Int64] {
        if isReadOnly { throw StoreError.readOnly }
        var dropped: Set<String> = []
        let keys = try sqlite {
            try database.write { database in
                try self.checkSchema(in: database)
                dropped = try self.externalNames(replacedBy: request, in: database)
                var writer = Writer(store: self, database: database)
                return try writer.write(request)
            }
        }
        files?.remove(dropped)
        return keys
    }

    /// The files whose rows go, or get another value.
    private func externalNames(replacedBy request: SaveRequest, in database: Database) throws -> Set<String> {
        var names: Set<String> = []
        for update in request.updates {
            let slots = update.slots.filter { update.entity.properties[$0].isExternal }
            let kept = Set(slots.compactMap { externalName(update.values[$0]) })
            names.formUnion(
                try externalNames(update.entity, slots, keys: [update.key], in: database).subtracting(kept))
        }
        for (index, deletes) in Dictionary(grouping: request.deletes, by: { $0.entity.index }) {
            let entity = model.entities[index]
            let slots = entity.properties.indices.filter { entity.properties[$0].isExternal }
            names.formUnion(try externalNames(entity, slots, keys: deletes.map(\.key), in: database))
        }
        return names
    }

    private func externalNames(
        _ entity: EntityDescription, _ slots: [Int], keys: [Int64], in database: Database
    )
        throws -> Set<String>
    {
        var names: Set<String> = []
        let table = model.table(of: entity)
        for slot in slots {
            guard let place = table.column(of: slot, in: entity) else { continue }
            for chunk in keys.chunks(of: 500) {
                let list = SQLFragment.list(chunk.map { .int($0) })
                // The first 38 bytes hold a name; a value in the row may be a hundred thousand.
                let found = try Data?.fetchAll(
                    database,
                    sql: """
                        SELECT SUBSTR(\(table.columns[place].name), 1, 38) FROM \(table.name) \
                        WHERE Z_PK IN \(list.text)
                        """, arguments: StatementArguments(list.arguments))
                names.formUnion(found.compactMap { $0.flatMap { ExternalFiles.parse($0).name } })
            }
        }
        return names
    }

    private func externalName(_ value: StoredValue) -> String? {
        if case .blob(let column) = value { ExternalFiles.parse(column).name } else { nil }
    }
}

/// One save, inside its transaction.
private struct Writer {
    let store: SQLiteStore
    let database: Database
    private var keys: [Int64: Int64] = [:]

    init(store: SQLiteStore, database: Database) { (self.store, self.database) = (store, database) }

    mutating func write(_ request: SaveRequest) throws -> [Int64: Int64] {
        // Deletes first: what takes the place of a deleted row may have its unique values.
        for delete in request.deletes { try write(delete) }
        try reserveKeys(request.inserts)
        for update in request.updates { try unique(update.entity) { try write(update) } }
        for insert in request.inserts { try unique(insert.entity) { try write(insert) } }
        return keys
    }

    /// Gives each new row the key after the greatest that its table ever had.
    private mutating func reserveKeys(_ inserts: [SaveRequest.Insert]) throws {
        for (root, inserts) in Dictionary(grouping: inserts, by: { $0.entity.rootIndex }) {
            let number = store.model.entities[root].number
            let last =
                try Int64.fetchOne(
                    database, sql: "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?", arguments: [number]) ?? 0
            for (index, insert) in inserts.enumerated() {
                keys[insert.temporaryKey] = last + Int64(index) + 1
            }
            try database.execute(
                sql: "UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?",
                arguments: [last + Int64(inserts.count), number])
        }
    }

    private func write(_ insert: SaveRequest.Insert) throws {
        let table = store.model.table(of: insert.entity)
        let slots = Array(insert.entity.properties.indices)
        let (names, values) = columns(insert.entity, table, slots, insert.values, insert.targetNumbers)
        let marks = Array(repeating: "?", count: names.count + 3).joined(separator: ", ")
        let sql = """
            INSERT INTO \(table.name) (\((["Z_PK", "Z_ENT", "Z_OPT"] + names).joined(separator: ", "))) \
            VALUES (\(marks))
            """
        let start = [
            (keys[insert.temporaryKey] ?? 0).databaseValue, insert.entity.number.databaseValue,
            1.databaseValue,
        ]
        try database.cachedStatement(sql: sql).execute(arguments: StatementArguments(start + values))
    }

    private func write(_ update: SaveRequest.Update) throws {
        let table = store.model.table(of: update.entity)
        let (names, values) = columns(update.entity, table, update.slots, update.values, update.targetNumbers)
        let sets = (["Z_OPT"] + names).map { "\($0) = ?" }.joined(separator: ", ")
        let sql = "UPDATE \(table.name) SET \(sets) WHERE Z_PK = ? AND Z_OPT = ?"
        let arguments =
            [(update.version + 1).databaseValue] + values
            + [update.key.databaseValue, update.version.databaseValue]
        try database.cachedStatement(sql: sql).execute(arguments: StatementArguments(arguments))
        if database.changesCount != 1 {
            throw StoreError.conflict(ManagedObjectID(update.entity.entityName, key: update.key))
        }
    }

    private func write(_ delete: SaveRequest.Delete) throws {
        let table = store.model.table(of: delete.entity)
        try database.cachedStatement(sql: "DELETE FROM \(table.name) WHERE Z_PK = ? AND Z_OPT = ?")
            .execute(arguments: [delete.key, delete.version])
        if database.changesCount != 1 {
            throw StoreError.conflict(ManagedObjectID(delete.entity.entityName, key: delete.key))
        }
    }

    /// Names and values of the columns of some slots, with keys of new rows in place.
    private func columns(
        _ entity: EntityDescription, _ table: TableLayout, _ slots: [Int], _ values: [StoredValue],
        _ targetNumbers: [Int: Int]
    ) -> (names: [String], values: [DatabaseValue]) {
        var names: [String] = [], result: [DatabaseValue] = []
        for slot in slots {
            guard let place = table.column(of: slot, in: entity) else { continue }
            let column = table.columns[place]
            names.append(column.name)
            if case .relationship = entity.properties[slot], case .int(let key) = values[slot] {
                result.append((key < 0 ? keys[key] ?? key : key).databaseValue)
            } else {
                result.append(values[slot].databaseValue)
            }
            if let name = column.entityColumnName {
                names.append(name)
                result.append(targetNumbers[slot].map(\.databaseValue) ?? .null)
            }
        }
        return (names, result)
    }

    /// Says which properties a broken uniqueness constraint is about.
    private func unique(_ entity: EntityDescription, _ body: () throws -> Void) throws {
        do { try body() } catch let error as DatabaseError {
            guard let columns = StoreError.constrainedColumns(error) else { throw error }
            let table = store.model.table(of: entity)
            let places = table.columns(of: entity)
            let properties = columns.map { name in
                places.firstIndex { $0.map { table.columns[$0].name } == name }.map {
                    entity.properties[$0].name
                }
                    ?? name
            }
            throw StoreError.notUnique(entity: entity.name, properties: properties)
        }
    }
}
