import Foundation
import Synchronization

/// Rows in memory, gone with the coordinator, or kept whole in a file. No SQL: predicates and orders are
/// evaluated on the values.
///
/// Owns its tables, behind one lock. A save changes them in place and takes every change back when it fails.
final class MemoryStore: PersistentStore {
    let identifier: String
    let entityIndexes: Set<Int>
    let isReadOnly: Bool
    /// Where everything is written; nil for memory alone.
    private let file: StoreFile?
    /// Whether this opening made the store.
    let isNew: Bool
    private let model: ManagedObjectModel
    private let homes: [StoreEntity]
    private let tables: Mutex<MemoryTables>
    private let kept = Mutex<[String: PropertyListValue]>([:])

    init(_ model: ManagedObjectModel, entities: [EntityDescription]) {
        (self.model, file, isReadOnly, isNew) = (model, nil, false, true)
        entityIndexes = Set(entities.map(\.index))
        let identifier = UUID().uuidString
        self.identifier = identifier
        homes = model.entities.map { StoreEntity.of($0.entityName, in: identifier) }
        tables = Mutex(MemoryTables(model))
    }

    /// Rows that will be written to a file at once: no two have the same key, whatever their entities.
    init(draftOf model: ManagedObjectModel, entities: [EntityDescription]) throws {
        (self.model, file, isReadOnly, isNew) = (model, nil, false, true)
        entityIndexes = Set(entities.map(\.index))
        let document = StoreDocument(identifier: UUID().uuidString, versionHashes: [:])
        identifier = document.identifier
        let homes = model.entities.map { StoreEntity.of($0.entityName, in: document.identifier) }
        self.homes = homes
        tables = Mutex(try MemoryTables(document, model, homes: homes))
    }

    private init(snapshotOf other: MemoryStore) {
        (model, file, isReadOnly, isNew) = (other.model, nil, true, false)
        (identifier, entityIndexes, homes) = (other.identifier, other.entityIndexes, other.homes)
        tables = Mutex(other.tables.withLock { $0 })
        let metadata = other.kept.withLock { $0 }
        kept.withLock { $0 = metadata }
    }

    func snapshot(in folder: URL) -> any PersistentStore { MemoryStore(snapshotOf: self) }

    /// Everything there is, as the store of this identifier.
    func document(named identifier: String) -> StoreDocument {
        let metadata = kept.withLock { $0 }
        return tables.withLock {
            $0.document(identifier: identifier, metadata: metadata, entities: entityIndexes)
        }
    }

    /// A store that lies in a file; one that is not there is made.
    ///
    /// - Throws: ``StoreError``.
    init(_ model: ManagedObjectModel, entities: [EntityDescription], file: StoreFile, isReadOnly: Bool) throws
    {
        (self.model, self.file, self.isReadOnly) = (model, file, isReadOnly)
        entityIndexes = Set(entities.map(\.index))
        let found = try file.read(model)
        if found == nil && isReadOnly {
            throw StoreError.file(file.url.lastPathComponent, errno: ENOENT)
        }
        isNew = found == nil
        // A model that was made up from the store has no hashes of its own.
        if let found, !model.isInferred {
            let others = model.difference(found.recordedVersion, entities)
            if !others.isEmpty && !model.isEarlier(found.recordedVersion, entities) {
                throw StoreError.incompatible(entities: others)
            }
        }
        let document = found ?? StoreDocument(identifier: UUID().uuidString, versionHashes: [:])
        identifier = document.identifier
        let homes = model.entities.map { StoreEntity.of($0.entityName, in: document.identifier) }
        self.homes = homes
        tables = Mutex(try MemoryTables(document, model, homes: homes))
        kept.withLock { $0 = document.allMetadata }
        if !isReadOnly { file.sweep() }
        if isNew { try tables.withLock { try write($0, kept.withLock { $0 }) } }
    }

    /// Writes everything as it is, with what a program keeps beside it. The caller has the tables: a save in
    /// between would be overwritten.
    private func write(_ tables: MemoryTables, _ metadata: [String: PropertyListValue]) throws {
        let document = tables.document(identifier: identifier, metadata: metadata, entities: entityIndexes)
        try file?.prepare(document, model)(true)
    }

    private func id(_ row: MemoryTables.Row, _ key: Int64) -> ManagedObjectID {
        ManagedObjectID(homes[row.entity.index], key: key)
    }

    private func matching(_ fetch: FetchDescription, _ tables: inout MemoryTables) -> [(
        key: Int64, subject: MemorySubject
    )] {
        var found: [(key: Int64, subject: MemorySubject)] = []
        let keys = fetch.predicate.flatMap { tables.candidates(fetch.entity, $0, identifier) }
        let tables = tables
        func look(_ key: Int64, _ row: MemoryTables.Row) {
            guard fetch.wants(row.entity) else { return }
            let subject = MemorySubject(id: id(row, key), row: row, tables: tables)
            if fetch.predicate?.matches(subject) ?? true { found.append((key, subject)) }
        }
        let rows = tables.rows[fetch.entity.rootIndex]
        if let keys {
            for key in keys { if let row = rows[key] { look(key, row) } }
        } else {
            for (key, row) in rows { look(key, row) }
        }
        if fetch.order.terms.isEmpty { return found.sorted { $0.key < $1.key } }
        let sorted = found.map { (entry: $0, values: fetch.order.values(of: $0.subject)) }
            .sorted {
                fetch.order.precedes(
                    $0.values, of: $0.entry.subject.id, before: $1.values, of: $1.entry.subject.id)
            }
        return sorted.map(\.entry)
    }

    private func window(_ fetch: FetchDescription, _ tables: inout MemoryTables) -> ArraySlice<
        (
            key: Int64, subject: MemorySubject
        )
    > {
        let rest = matching(fetch, &tables).dropFirst(fetch.offset)
        return fetch.limit.map { rest.prefix($0) } ?? rest
    }

    func rows(_ fetch: FetchDescription) throws -> [ObjectRow] {
        tables.withLock { tables in window(fetch, &tables).map { $0.subject.objectRow } }
    }

    func rows(_ entity: EntityDescription, keys: [Int64]) throws -> [ObjectRow] {
        tables.withLock { tables in
            Set(keys).compactMap { key in
                tables.rows[entity.rootIndex][key].map { row in
                    ObjectRow(id: id(row, key), entity: row.entity, version: row.version, values: row.values)
                }
            }
        }
    }

    func values(_ fetch: FetchDescription, _ paths: [PropertyPath]) throws -> [FetchedValues] {
        tables.withLock { tables in
            window(fetch, &tables).map { entry in
                FetchedValues(id: entry.subject.id, values: paths.map { $0.value([entry.subject]) })
            }
        }
    }

    func versions(_ fetch: FetchDescription) throws -> [RowVersion] {
        tables.withLock { tables in
            window(fetch, &tables).map { RowVersion(id: $0.subject.id, version: $0.subject.row.version) }
        }
    }

    func count(_ fetch: FetchDescription) throws -> Int {
        tables.withLock { window(fetch, &$0).count }
    }

    func members(_ entity: EntityDescription, key: Int64, slot: Int) throws -> [ManagedObjectID] {
        guard let relationship = entity.relationship(at: slot) else { return [] }
        let root = model.destination(of: relationship).rootIndex
        return tables.withLock { tables in
            tables.members(entity, key: key, slot: slot).compactMap { member in
                tables.rows[root][member].map { id($0, member) }
            }
        }
    }

    func reserveKeys(_ root: EntityDescription, count: Int) throws -> Int64 {
        tables.withLock { tables in
            tables.nextKey(root.index, count: count)
        }
    }

    func lastKey(_ root: EntityDescription) throws -> Int64 { tables.withLock { $0.lastKeys[root.index] } }

    func save(_ plan: SavePlan, beforeCommit: () throws -> Void) throws -> SavedRows {
        if isReadOnly { throw StoreError.readOnly }
        return try tables.withLock { tables in
            var writer = MemoryWriter(homes: homes, storeIdentifier: identifier)
            if let file {
                return try save(
                    plan, file: file, writer: &writer, tables: &tables, beforeCommit: beforeCommit)
            }
            var derived = DerivedValues(model)
            derived?.prepare(plan, MemoryDerivation(tables: tables, homes: homes))
            do {
                try writer.write(plan, to: &tables)
                try beforeCommit()
            } catch {
                writer.revert(&tables)
                throw error
            }
            writer.writeRelationships(plan, to: &tables)
            return SavedRows(
                ids: writer.ids, derived: write(&derived, plan: plan, writer: writer, tables: &tables))
        }
    }

    /// The file is written when everything else was, and takes its place when nothing can fail any more.
    private func save(
        _ plan: SavePlan, file: StoreFile, writer: inout MemoryWriter, tables: inout MemoryTables,
        beforeCommit: () throws -> Void
    ) throws -> SavedRows {
        let before = tables
        var derived = DerivedValues(model)
        derived?.prepare(plan, MemoryDerivation(tables: tables, homes: homes))
        do {
            try writer.write(plan, to: &tables)
            writer.writeRelationships(plan, to: &tables)
            let changed = write(&derived, plan: plan, writer: writer, tables: &tables)
            let document = tables.document(
                identifier: identifier, metadata: kept.withLock { $0 }, entities: entityIndexes)
            let put = try file.prepare(document, model)
            do { try beforeCommit() } catch {
                try put(false)
                throw error
            }
            try put(true)
            return SavedRows(ids: writer.ids, derived: changed)
        } catch {
            tables = before
            throw error
        }
    }

    private func write(
        _ derived: inout DerivedValues?, plan: SavePlan, writer: MemoryWriter,
        tables: inout MemoryTables
    ) -> [ManagedObjectID] {
        if derived == nil { return [] }
        var work = MemoryDerivation(tables: tables, homes: homes)
        // The only copy, so that a change costs no more than itself.
        tables = MemoryTables(model)
        defer { tables = work.tables }
        return derived?.write(plan, &work, key: writer.key) ?? []
    }

    func stage(_ data: Data) throws -> StoredValue { .blob(data) }
    func owns(_ file: ExternalFile) -> Bool { false }
    func unstage(_ file: ExternalFile) {}

    func metadata(_ key: String) throws -> String? { kept.withLock { $0[key]?.text } }
    func allMetadata() throws -> [String: PropertyListValue] { kept.withLock { $0 } }
    func changeMetadata(_ change: (inout [String: PropertyListValue]) -> Void) throws {
        if isReadOnly { throw StoreError.readOnly }
        try tables.withLock { tables in
            var all = kept.withLock { $0 }
            change(&all)
            try write(tables, all)
            kept.withLock { $0 = all }
        }
    }

    func report() throws -> StoreReport {
        var report = StoreReport()
        for entity in model.entities where entityIndexes.contains(entity.index) && !entity.isAbstract {
            report.counts[entity.name] = tables.withLock { tables in
                tables.rows[entity.rootIndex].values.count { $0.entity === entity }
            }
        }
        return report
    }

    func listCacheLocation(_ fetch: FetchDescription, section: PropertyPath?, name: String)
        -> ListCacheLocation?
    {
        nil
    }
    func deleteListCache(_ name: String?) {}

    /// Nobody else has memory; a file that somebody else wrote is read again.
    func changesByOthers() throws -> StoreHistory {
        // From the look at the file to the new tables: a save in between would be of the old ones, and would
        // take the file for known.
        try tables.withLock { tables in
            let found = try file?.readIfChanged(model) { document in
                if document.identifier != identifier { throw StoreError.replaced }
                let entities = model.entities.filter { entityIndexes.contains($0.index) }
                if !model.isInferred, !model.difference(document.recordedVersion, entities).isEmpty {
                    throw StoreError.modelChanged
                }
                return (
                    tables: try MemoryTables(document, model, homes: homes), metadata: document.allMetadata
                )
            }
            guard let found else { return StoreHistory() }
            var read = found.tables
            read.keepVersions(of: tables)
            // Keys that were given away here and are not in the file stay given away.
            for root in read.lastKeys.indices {
                read.lastKeys[root] = max(read.lastKeys[root], tables.lastKeys[root])
            }
            tables = read
            kept.withLock { $0 = found.metadata }
            return StoreHistory(isGap: true)
        }
    }

    func lastTransaction() throws -> Int64? { nil }
    func transactions(after number: Int64?) throws -> StoreTransactions {
        StoreTransactions(isIncomplete: true)
    }

    func close() throws {}
}
