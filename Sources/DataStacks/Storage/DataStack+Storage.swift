import Dispatch
public import Foundation
import Glibc
public import ManagedObjects
import Synchronization

extension DataStack {
    /// Opens a store if there is one, else makes it, and returns when that is done. A store of another
    /// version of the model is never migrated.
    ///
    /// - Returns: the store; the same one again where it was added before, with the same options.
    /// - Throws: ``StackError/migrationRequired(from:to:)``, ``StackError/unknownVersion(_:entities:)``,
    ///   ``StackError/unreadable(_:_:)``, ``StackError/differentStorage(_:)``; ``StackError/store(_:)`` for a
    ///   store that is in use by a migration; ``StackError/nested`` inside a transaction.
    @discardableResult
    public func addStorageAndWait(_ storage: some StorageInterface = SQLiteStore()) throws(StackError)
        -> AddedStore
    { try addInTurn(storage, migrates: false) { _ in } }

    /// Opens a store if there is one, else makes it. A store of an earlier version is migrated first, along
    /// the migration chain.
    ///
    /// - Parameter storage: the store to add.
    /// - Parameter progress: called by the migration as it goes on, from 0 to 1; not at all without one.
    /// - Throws: as ``addStorageAndWait(_:)``, but `migrationRequired` only for a store that is only read;
    ///   ``StackError/migration(from:to:_:)``; ``StackError/cancelled`` when the task was. The store is what
    ///   it was then.
    @discardableResult
    public func addStorage(
        _ storage: some StorageInterface,
        progress: @escaping @Sendable (MigrationProgress) -> Void = { _ in }
    ) async throws(StackError) -> AddedStore {
        let isCancelled = Atomic(false)
        let result: Result<AddedStore, StackError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                additions.async { [self] in
                    continuation.resume(
                        returning: Result { () throws(StackError) in
                            if isCancelled.load(ordering: .relaxed) { throw .cancelled }
                            return try add(storage, migrates: true) { now in
                                if isCancelled.load(ordering: .relaxed) { throw CancellationError() }
                                progress(now)
                            }
                        })
                }
            }
        } onCancel: {
            isCancelled.store(true, ordering: .relaxed)
        }
        return try result.get()
    }

    /// Opens or makes a store in the background, and migrates one of an earlier version.
    ///
    /// - Parameter storage: the store to add.
    /// - Parameter completion: called on a queue of the stack's own, once; not when this throws.
    /// - Returns: the progress of the migration; nil when none is needed.
    /// - Throws: before anything is begun: ``StackError/differentStorage(_:)``,
    ///   ``StackError/unreadable(_:_:)``, ``StackError/unknownVersion(_:entities:)``.
    @discardableResult
    public func addStorage(
        _ storage: some StorageInterface, completion: @escaping @Sendable (SetupResult) -> Void
    ) throws(StackError) -> Progress? {
        try check(storage)
        let steps: [MigrationType]
        do throws(StackError) { steps = try requiredMigrations(for: storage) } catch {
            // A step that cannot be made is told to the completion, as it would be when it was tried.
            guard case .migration = error else { throw error }
            finish(.failure(error), completion)
            return nil
        }
        let progress = steps.isEmpty ? nil : StoreProgress(steps: steps.count)
        additions.async { [self] in
            finish(
                Result { () throws(StackError) in
                    try add(storage, migrates: true) { now in
                        if progress?.isCancelled ?? false { throw CancellationError() }
                        progress?.update(now)
                    }
                }, completion)
        }
        return progress
    }

    private func finish(_ result: SetupResult, _ completion: @escaping @Sendable (SetupResult) -> Void) {
        completions.async { completion(result) }
    }

    private func addInTurn(
        _ storage: some StorageInterface, migrates: Bool,
        _ progress: (MigrationProgress) throws -> Void
    ) throws(StackError) -> AddedStore {
        if writer.isCurrent { throw .nested }
        return try wrapping {
            try additions.sync { try add(storage, migrates: migrates, progress) }
        }
    }

    /// As ``addStorage(_:progress:)``, for a caller that waits.
    func addMigrating(
        _ storage: some StorageInterface, _ progress: (MigrationProgress) throws -> Void
    ) throws(StackError) -> AddedStore { try addInTurn(storage, migrates: true, progress) }

    /// - Throws: before anything is touched.
    private func check(_ storage: some StorageInterface) throws(StackError) {
        if writer.isCurrent { throw .nested }
        if let configuration = storage.configuration,
            coordinator.managedObjectModel.entities(in: configuration) == nil
        {
            throw .model(.configuration(configuration, entity: "any entity"))
        }
        if storage.fileURL != nil { _ = try known(storage) }
        guard let url = storage.fileURL, try MigrationPath.isThere(url) else { return }
        _ = try MigrationPath.version(of: storage, at: url, in: schemaHistory)
    }

    /// The store of the stack that is this file already.
    ///
    /// - Throws: ``StackError/differentStorage(_:)`` when it was added otherwise.
    private func known(_ storage: some StorageInterface) throws(StackError) -> AddedStore? {
        guard let url = storage.fileURL, let identity = FileIdentity(url) else { return nil }
        guard
            let store = coordinator.persistentStores.first(where: {
                $0.url.flatMap { FileIdentity($0) } == identity
            })
        else { return nil }
        let isSame =
            store.url == url.storeLocation && store.configuration == storage.configuration
            && store.isReadOnly == storage.isReadOnly
        if !isSame { throw .differentStorage(url) }
        return store
    }

    private func add(
        _ storage: some StorageInterface, migrates: Bool,
        _ progress: (MigrationProgress) throws -> Void
    ) throws(StackError) -> AddedStore {
        guard let url = storage.fileURL else { return try open(storage, nil, keptAt: nil) }
        if let store = try known(storage) { return store }
        try makeDefaultDirectory(for: url)
        var kept: URL?
        do throws(StackError) {
            if let path = try MigrationPath(of: storage, in: schemaHistory) {
                let isAllowed =
                    migrates
                    || storage.localStorageOptions.contains(.allowSynchronousLightweightMigration)
                        && !path.steps.contains { $0.isHeavyweightMigration }
                guard isAllowed, !storage.isReadOnly else {
                    throw .migrationRequired(from: path.versions[0], to: modelVersion)
                }
                let count = path.steps.count
                try wrapping { try progress(.begin(of: count)) }
                var last = 0.0
                kept = try path.run(storage, at: url) { now in
                    last = now.fractionCompleted
                    try progress(now)
                }
                // Steps without objects report nothing. What is done cannot be cancelled any more.
                if last < 1 { try? progress(.end(of: count)) }
            }
        } catch {
            let isAllowed = storage.localStorageOptions.contains(.recreateStoreOnModelMismatch)
            guard isAllowed, !storage.isReadOnly, error.isMismatch else { throw error }
            kept = try putAside(url, storage)
        }
        return try open(storage, url, keptAt: kept)
    }

    private func open(_ storage: some StorageInterface, _ url: URL?, keptAt kept: URL?) throws(StackError)
        -> AddedStore
    {
        do {
            return try coordinator.addStore(
                ofType: storage.storeType, configuration: storage.configuration, at: url,
                isReadOnly: storage.isReadOnly, keepsHistory: true, oldVersionKeptAt: kept)
        } catch let error as StoreError {
            guard let url else { throw .store(error) }
            switch error {
            case .incompatible(let entities): throw .unknownVersion(url, entities: entities)
            case .alreadyAdded: throw .differentStorage(url)
            case .inUse: throw .store(error)
            default: throw .unreadable(url, error)
            }
        } catch { throw StackError(error) }
    }

    /// The folder that ``SQLiteStore/defaultDirectory`` is; all others must be there.
    private func makeDefaultDirectory(for url: URL) throws(StackError) {
        let folder = url.deletingLastPathComponent()
        guard folder.path == SQLiteStore.defaultDirectory.path else { return }
        do { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) } catch {
            throw .unreadable(url, .file(folder.lastPathComponent, errno: EACCES))
        }
    }

    /// Gives a store another name, with all that belongs to it.
    private func putAside(_ url: URL, _ storage: some StorageInterface) throws(StackError) -> URL {
        do { return try Migration.putAside(storeAt: url, ofType: storage.storeType) } catch StoreError.inUse {
            throw .store(.inUse)
        } catch let error as StoreError { throw .unreadable(url, error) } catch { throw StackError(error) }
    }

    /// Opens the SQLite store at `url`, or makes one there. It keeps a log of its changes, by which other
    /// processes can follow them: see ``followOthers(updating:onGap:)``.
    ///
    /// - Parameter isReadOnly: the store must be there, and nothing in its folder is written; transactions
    ///   fail.
    /// - Returns: whether the store was made.
    /// - Throws: ``StackError/store(_:)``. A store of another version of the model is refused, never migrated
    ///   unasked.
    @discardableResult
    public func addStorage(sqlite url: URL, isReadOnly: Bool = false) throws(StackError) -> Bool {
        let isNew = try wrapping {
            try coordinator.addPersistentStore(
                ofType: .sqlite, at: url, isReadOnly: isReadOnly, keepsHistory: true)
        }
        logger.log(
            level: .trace, message: "\(isNew ? "made" : "opened") \(url.path)", fileName: #fileID,
            lineNumber: #line, functionName: #function)
        return isNew
    }

    /// A store in memory, which ends with the stack. Throws as ``addStorageAndWait(_:)``.
    public func addInMemoryStorage() throws(StackError) { try addStorageAndWait(InMemoryStore()) }
}

/// The store that was added, or why none was.
public typealias SetupResult = Result<AddedStore, StackError>

/// The identity of a file, by whatever name: its device and number.
private struct FileIdentity: Equatable {
    let device: UInt64, number: UInt64

    init?(_ url: URL) {
        var status = stat()
        guard unsafe stat(url.storeLocation.path, &status) == 0 else { return nil }
        (device, number) = (UInt64(status.st_dev), UInt64(status.st_ino))
    }
}

extension StackError {
    /// Whether a store is of a version that cannot be brought to the stack's.
    fileprivate var isMismatch: Bool {
        switch self {
        case .unknownVersion, .migrationRequired, .migration(_, _, .mapping): true
        default: false
        }
    }
}
