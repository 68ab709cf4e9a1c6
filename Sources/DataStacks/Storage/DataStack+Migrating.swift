import Foundation
public import ManagedObjects

extension DataStack {
    /// The steps that adding a store would take; none for a store that is not there yet or is of the current
    /// version. Nothing is written.
    ///
    /// - Throws: ``StackError/unknownVersion(_:entities:)``; ``StackError/migration(from:to:_:)`` for a step
    ///   that can neither be inferred nor has a mapping; ``StackError/migrationRequired(from:to:)`` for a
    ///   version from which the migration chain does not lead on; ``StackError/unreadable(_:_:)``.
    /// - Complexity: reads the store's metadata.
    public func requiredMigrations(for storage: some StorageInterface) throws(StackError)
        -> [MigrationType]
    { try MigrationPath(of: storage, in: schemaHistory)?.steps ?? [] }

    /// Makes the whole migration of a store but for putting the result in its place. The store is only read.
    ///
    /// - Complexity: the time and the room on the disk that the migration takes.
    public func rehearseMigration(
        of storage: some StorageInterface, progress: (MigrationProgress) -> Void = { _ in }
    ) -> MigrationPreview {
        let start = ContinuousClock.now
        var steps: [MigrationType] = [], count = 0, problem: StackError?
        do throws(StackError) {
            if let url = storage.fileURL, let path = try MigrationPath(of: storage, in: schemaHistory) {
                steps = path.steps
                _ = try path.run(storage, at: url, isRehearsal: true) { now in
                    count = now.objectCount
                    progress(now)
                }
            }
        } catch { problem = error }
        return MigrationPreview(
            steps: steps, problem: problem, objectCount: count, duration: ContinuousClock.now - start)
    }

    /// Migrates a store and adds it, and returns when that is done.
    ///
    /// - Returns: nil when the store is of the current version, or not there: nothing was added then.
    /// - Throws: as ``addStorage(_:progress:)``; what `progress` throws ends the migration.
    public func upgradeStorageAndWait(
        _ storage: some StorageInterface, progress: (MigrationProgress) throws -> Void = { _ in }
    ) throws(StackError) -> AddedStore? {
        if try requiredMigrations(for: storage).isEmpty { return nil }
        return try addMigrating(storage, progress)
    }
}

extension MigrationProgress {
    static func end(of steps: Int) -> MigrationProgress {
        MigrationProgress(step: steps, stepCount: steps, entity: "", objectsDone: 1, objectCount: 1)
    }

    /// Before the first object of the first step.
    static func begin(of steps: Int) -> MigrationProgress {
        MigrationProgress(step: 1, stepCount: steps, entity: "", objectsDone: 0, objectCount: 1)
    }
}
