import Foundation

/// Keeps rows: SQLite in Core Data's tables, memory, and whatever comes to it.
///
/// A store knows values, never objects, and is handed whole sentences: rows that match, rows by key, who is
/// related to whom, one save that happens altogether or not at all. Any thread may call. What differs between
/// stores is where rows lie; what they answer does not, and the same tests run on all of them.
protocol PersistentStore: AnyObject, Sendable {
    /// The store's UUID, which its rows' IDs carry.
    var identifier: String { get }
    /// By the model's index: what the store takes.
    var entityIndexes: Set<Int> { get }
    var isReadOnly: Bool { get }

    /// The rows that match, in order; those of subentities too.
    func rows(_ fetch: FetchDescription) throws -> [ObjectRow]
    /// The rows with these keys in the family's table, in no order; a key without a row is passed over.
    func rows(_ entity: EntityDescription, keys: [Int64]) throws -> [ObjectRow]
    /// Some values of the rows that match, in order.
    func values(_ fetch: FetchDescription, _ paths: [PropertyPath]) throws -> [FetchedValues]
    /// Returns the values of attributes, row by row.
    func scan(_ fetch: FetchDescription, _ paths: [PropertyPath], _ body: (ScannedRow) throws -> Void) throws
    /// Returns counts and sums over the rows that match; order and limit are ignored.
    func aggregates(_ fetch: FetchDescription, _ aggregation: Aggregation) throws -> [[StoredValue]]
    /// Where the rows that match are, in no order.
    func versions(_ fetch: FetchDescription) throws -> [RowVersion]
    /// How many rows match.
    func count(_ fetch: FetchDescription) throws -> Int
    /// Returns the targets of a to-many relationship: in its order, else by key.
    func members(_ entity: EntityDescription, key: Int64, slot: Int) throws -> [ManagedObjectID]

    /// Gives `count` keys of a family's table away, in a transaction of their own: the first of them.
    func reserveKeys(_ root: EntityDescription, count: Int) throws -> Int64
    /// The greatest key that was ever given away in a family's table.
    func lastKey(_ root: EntityDescription) throws -> Int64
    /// Writes the whole plan or nothing.
    ///
    /// - Parameter beforeCommit: run when everything was written and nothing is committed; what it throws
    ///   undoes it all.
    func save(_ plan: SavePlan, beforeCommit: () throws -> Void) throws -> SavedRows

    /// Writes a large value to a file where the store has files, and gives back the value for the row.
    func stage(_ data: Data) throws -> StoredValue
    /// Whether a file lies where the store's rows name files.
    func owns(_ file: ExternalFile) -> Bool
    /// Removes a file that ``stage(_:)`` wrote, when no row is going to name it.
    func unstage(_ file: ExternalFile)

    /// Returns a text of the metadata that programs keep in the store.
    func metadata(_ key: String) throws -> String?
    /// All that programs keep in the store beside the rows, other types than texts too.
    func allMetadata() throws -> [String: PropertyListValue]
    /// Sets what is given, and leaves the rest as it is; nil removes a value.
    func changeMetadata(_ change: (inout [String: PropertyListValue]) -> Void) throws
    func report() throws -> StoreReport
    /// A store to be read that has what is in this one now, under the same identifier.
    ///
    /// - Parameter folder: where it may lie as long as it is used.
    func snapshot(in folder: URL) throws -> any PersistentStore
    /// Drops the indexes that only fetches need, until ``makeFetchIndexes()``.
    func dropFetchIndexes() throws
    func makeFetchIndexes() throws
    /// See ``PersistentStoreCoordinator/scanPages(_:)`` and those beside it.
    func scanPages(_ body: (ScannedRow) throws -> Void) throws
    func lastPage() throws -> Int64
    func addPage(_ bytes: Data, upTo last: Int64, after before: Int64) throws -> Bool
    func removePages() throws
    /// Returns the changes that others wrote since the last call.
    func changesByOthers() throws -> StoreHistory
    /// The number of the last transaction in the store's log; nil without one.
    func lastTransaction() throws -> Int64?
    /// The transactions behind a number, or all that are kept.
    func transactions(after number: Int64?) throws -> StoreTransactions
    /// Where a list may be kept from one start to the next; nil where nothing is.
    func listCacheLocation(_ fetch: FetchDescription, section: PropertyPath?, name: String)
        -> ListCacheLocation?
    func deleteListCache(_ name: String?)
    func close() throws
}

/// Where a context's rows come from and its saves go: the coordinator, or a parent.
protocol RowSource: AnyObject, Sendable {
    var managedObjectModel: ManagedObjectModel { get }
    func rows(_ fetch: FetchDescription) throws -> [ObjectRow]
    /// In no order; an ID without a row is passed over.
    func rows(_ ids: [ManagedObjectID]) throws -> [ObjectRow]
    func values(_ fetch: FetchDescription, _ paths: [PropertyPath]) throws -> [FetchedValues]
    /// Calls `body` with the values of attributes, row by row.
    func scan(_ fetch: FetchDescription, _ paths: [PropertyPath], _ body: (ScannedRow) throws -> Void) throws
    func aggregates(_ fetch: FetchDescription, _ aggregation: Aggregation) throws -> [[StoredValue]]
    func count(_ fetch: FetchDescription) throws -> Int
    func members(of id: ManagedObjectID, _ entity: EntityDescription, slot: Int) throws -> [ManagedObjectID]
    func save(_ plan: SavePlan) throws -> SavedRows
    /// Writes to the stores, past every context.
    func execute(_ batch: Batch) throws -> SaveNotification
    /// IDs for new objects of these entities, which nobody else gets.
    func permanentIDs(for objects: [(id: ManagedObjectID, entity: EntityDescription)]) throws
        -> [ManagedObjectID]
    /// The store that has a row, or that a new one will go to; nil when there is none.
    func storeIdentifier(of id: ManagedObjectID, _ entity: EntityDescription) -> String?
    /// Whether new objects must have permanent IDs before they are saved here.
    var wantsPermanentIDs: Bool { get }
    /// See ``PersistentStore/owns(_:)``.
    func owns(_ file: ExternalFile, of entity: EntityDescription, id: ManagedObjectID) throws -> Bool
    /// See ``PersistentStore/stage(_:)``.
    func stage(_ data: Data, for entity: EntityDescription, id: ManagedObjectID) throws -> StoredValue
    /// See ``PersistentStore/listCacheLocation(_:section:name:)``; nil too where the rows of several stores
    /// come together.
    func listCacheLocation(_ fetch: FetchDescription, section: PropertyPath?, name: String)
        -> ListCacheLocation?
    var listCaches: ListCaches { get }
    /// Contexts that take in by themselves what is saved here.
    var followers: Followers { get }
}

extension PersistentStore {
    func dropFetchIndexes() {}
    func makeFetchIndexes() {}
    func scanPages(_ body: (ScannedRow) throws -> Void) {}
    func lastPage() -> Int64 { 0 }
    func addPage(_ bytes: Data, upTo last: Int64, after before: Int64) -> Bool { false }
    func removePages() {}

    func scan(
        _ fetch: FetchDescription, _ paths: [PropertyPath], _ body: (ScannedRow) throws -> Void
    ) throws { try values(fetch, paths).scan(body) }

    func aggregates(_ fetch: FetchDescription, _ aggregation: Aggregation) throws -> [[StoredValue]] {
        try aggregation.results(values(fetch, aggregation.paths).lazy.map(\.values))
    }
}

extension RowSource {
    func scan(
        _ fetch: FetchDescription, _ paths: [PropertyPath], _ body: (ScannedRow) throws -> Void
    ) throws { try values(fetch, paths).scan(body) }

    func aggregates(_ fetch: FetchDescription, _ aggregation: Aggregation) throws -> [[StoredValue]] {
        try aggregation.results(values(fetch, aggregation.paths).lazy.map(\.values))
    }
}

extension [FetchedValues] {
    func scan(_ body: (ScannedRow) throws -> Void) rethrows {
        let row = ScannedRow()
        for found in self {
            row.adopt(found.values)
            try body(row)
        }
    }
}
