public import Foundation
public import ManagedObjects

// Calls of the default stack.

extension CoreStore {
    /// The `modelVersion` of the default stack.
    public static var modelVersion: String { defaultStack.modelVersion }

    /// Calls `addStorageAndWait` of the default stack.
    @discardableResult
    public static func addStorageAndWait(_ storage: some StorageInterface = SQLiteStore()) throws(StackError)
        -> AddedStore
    { try defaultStack.addStorageAndWait(storage) }

    /// Calls `addStorage` of the default stack.
    @discardableResult
    public static func addStorage(
        _ storage: some StorageInterface,
        progress: @escaping @Sendable (MigrationProgress) -> Void = { _ in }
    ) async throws(StackError) -> AddedStore {
        try await defaultStack.addStorage(storage, progress: progress)
    }

    /// Calls `addStorage` of the default stack.
    @discardableResult
    public static func addStorage(
        _ storage: some StorageInterface, completion: @escaping @Sendable (SetupResult) -> Void
    ) throws(StackError) -> Progress? { try defaultStack.addStorage(storage, completion: completion) }

    /// Calls `upgradeStorageAndWait` of the default stack.
    public static func upgradeStorageAndWait(
        _ storage: some StorageInterface, progress: (MigrationProgress) throws -> Void = { _ in }
    ) throws(StackError) -> AddedStore? {
        try defaultStack.upgradeStorageAndWait(storage, progress: progress)
    }

    /// Calls `requiredMigrations` of the default stack.
    public static func requiredMigrations(for storage: some StorageInterface) throws(StackError)
        -> [MigrationType]
    { try defaultStack.requiredMigrations(for: storage) }

    /// Calls `rehearseMigration` of the default stack.
    public static func rehearseMigration(of storage: some StorageInterface) -> MigrationPreview {
        defaultStack.rehearseMigration(of: storage)
    }
}

extension CoreStore {
    /// Calls `perform` of the default stack.
    public static func perform<Value: Sendable>(
        attempts: Int = 1, waitsForObservers: Bool = true, fileName: StaticString = #fileID,
        lineNumber: Int = #line, functionName: StaticString = #function,
        _ body: @Sendable (Transaction) throws -> Value
    ) async throws(StackError) -> Value {
        try await defaultStack.perform(
            attempts: attempts, waitsForObservers: waitsForObservers, fileName: fileName,
            lineNumber: lineNumber, functionName: functionName, body)
    }

    /// Calls `performAndWait` of the default stack.
    public static func performAndWait<Value: Sendable>(
        attempts: Int = 1, waitsForObservers: Bool = true, fileName: StaticString = #fileID,
        lineNumber: Int = #line, functionName: StaticString = #function,
        _ body: @Sendable (Transaction) throws -> Value
    ) throws(StackError) -> Value {
        try defaultStack.performAndWait(
            attempts: attempts, waitsForObservers: waitsForObservers, fileName: fileName,
            lineNumber: lineNumber, functionName: functionName, body)
    }

    /// Calls `beginAsynchronous` of the default stack.
    public static func beginAsynchronous(
        fileName: StaticString = #fileID, lineNumber: Int = #line, functionName: StaticString = #function,
        _ body: @escaping @Sendable (AsynchronousDataTransaction) throws -> Void
    ) {
        defaultStack.beginAsynchronous(
            fileName: fileName, lineNumber: lineNumber, functionName: functionName, body)
    }

    /// Calls `beginSynchronous` of the default stack.
    public static func beginSynchronous(
        fileName: StaticString = #fileID, lineNumber: Int = #line, functionName: StaticString = #function,
        _ body: @Sendable (SynchronousDataTransaction) throws -> Void
    ) throws(StackError) {
        try defaultStack.beginSynchronous(
            fileName: fileName, lineNumber: lineNumber, functionName: functionName, body)
    }

    /// Calls `beginUnsafe` of the default stack.
    public static func beginUnsafe(
        supportsUndo: Bool = false, fileName: StaticString = #fileID, lineNumber: Int = #line,
        functionName: StaticString = #function
    ) -> sending UnsafeDataTransaction {
        defaultStack.beginUnsafe(
            supportsUndo: supportsUndo, fileName: fileName, lineNumber: lineNumber,
            functionName: functionName)
    }
}

extension CoreStore {
    /// Calls `read` of the default stack.
    public static func read<Value: Sendable>(
        _ body: @Sendable (StackView) throws -> Value
    ) throws(StackError) -> Value { try defaultStack.read(body) }

    /// Calls `fetchAll` of the default stack.
    public static func fetchAll<Object: ManagedObject, Row: Sendable>(
        _ from: From<Object>, _ clauses: any FetchClause<Object>..., as row: @Sendable (Object) -> Row
    ) throws(StackError) -> [Row] { try defaultStack.view { try $0.objects(from, clauses).map(row) } }

    /// Calls `fetchOne` of the default stack.
    public static func fetchOne<Object: ManagedObject, Row: Sendable>(
        _ from: From<Object>, _ clauses: any FetchClause<Object>..., as row: @Sendable (Object) -> Row
    ) throws(StackError) -> Row? { try defaultStack.fetchOne(from.adding(clauses), as: row) }

    /// Calls `fetchCount` of the default stack.
    public static func fetchCount<Object: ManagedObject>(
        _ from: From<Object>, _ clauses: any FetchClause<Object>...
    ) throws(StackError) -> Int { try defaultStack.fetchCount(from.adding(clauses)) }

    /// Calls `fetchObjectIDs` of the default stack.
    public static func fetchObjectIDs<Object: ManagedObject>(
        _ from: From<Object>, _ clauses: any FetchClause<Object>...
    ) throws(StackError) -> [ObjectReference<Object>] {
        try defaultStack.fetchObjectIDs(from.adding(clauses))
    }

    /// Calls `fetchObjectID` of the default stack.
    public static func fetchObjectID<Object: ManagedObject>(
        _ from: From<Object>, _ clauses: any FetchClause<Object>...
    ) throws(StackError) -> ObjectReference<Object>? {
        try defaultStack.fetchObjectID(from.adding(clauses))
    }

    /// Calls `fetchExisting` of the default stack.
    public static func fetchExisting<Object: ManagedObject, Row: Sendable>(
        _ reference: ObjectReference<Object>, as row: @Sendable (Object) -> Row
    ) throws(StackError) -> Row? { try defaultStack.fetchExisting(reference, as: row) }

    /// Calls `fetchExisting` of the default stack.
    public static func fetchExisting<Object: ManagedObject, Row: Sendable>(
        _ references: [ObjectReference<Object>], as row: @Sendable (Object) -> Row
    ) throws(StackError) -> [Row] { try defaultStack.fetchExisting(references, as: row) }

    /// Calls `queryValue` of the default stack.
    public static func queryValue<Object: ManagedObject, Value: SelectValue>(
        _ from: From<Object>, _ select: Select<Object, Value>, _ clauses: any FetchClause<Object>...
    ) throws(StackError) -> Value? { try defaultStack.queryValue(from.adding(clauses), select) }

    /// Calls `queryAttributes` of the default stack.
    public static func queryAttributes<Object: ManagedObject>(
        _ from: From<Object>, _ select: Select<Object, QueryRow>, _ clauses: any QueryClause<Object>...
    ) throws(StackError) -> [QueryRow] {
        let plan = try QueryPlan(defaultStack, from: from, select: select, clauses: clauses)
        return try defaultStack.view { try plan.rows($0.core) }
    }
}

extension CoreStore {
    /// Calls `monitorObject` of the default stack.
    public static func monitorObject<Object: ManagedObject>(_ reference: ObjectReference<Object>)
        throws(StackError) -> ObjectMonitor<Object>
    { try defaultStack.monitorObject(reference) }

    /// Calls `monitorList` of the default stack.
    public static func monitorList<Object: ManagedObject>(
        _ from: From<Object>, _ clauses: any FetchClause<Object>...
    ) throws(StackError) -> ListMonitor<Object> {
        try defaultStack.monitor(from, from.sectioning, clauses)
    }

    /// Calls `monitorSectionedList` of the default stack.
    public static func monitorSectionedList<Object: ManagedObject>(
        _ from: From<Object>, _ section: SectionBy<Object>, _ clauses: any FetchClause<Object>...
    ) throws(StackError) -> ListMonitor<Object> { try defaultStack.monitor(from, section, clauses) }

    /// Calls `publishList` of the default stack.
    public static func publishList<Object: ManagedObject>(
        _ from: From<Object>, _ clauses: any FetchClause<Object>...
    ) throws(StackError) -> ListPublisher<Object> {
        ListPublisher(try defaultStack.monitor(from, from.sectioning, clauses))
    }
}
