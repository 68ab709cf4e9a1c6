import Foundation
import ManagedObjects

/// The way of one store to the current version.
struct MigrationPath {
    /// From that of the store to the current one.
    let versions: [String]
    let steps: [MigrationType]
    let migration: Migration

    /// - Returns: nil when the store is not there, or is of the current version.
    /// - Throws: ``StackError/unknownVersion(_:entities:)``, ``StackError/migration(from:to:_:)`` for a step
    ///   that can neither be inferred nor has a mapping, ``StackError/migrationRequired(from:to:)`` for a
    ///   version from which the chain does not lead on, ``StackError/unreadable(_:_:)``.
    init?(of store: some StorageInterface, in history: SchemaHistory) throws(StackError) {
        guard let url = store.fileURL, try MigrationPath.isThere(url) else { return nil }
        let version = try Self.version(of: store, at: url, in: history)
        if version == history.currentVersion { return nil }
        let isDirect =
            history.migrationChain.isEmpty || store.localStorageOptions.contains(.preventProgressiveMigration)
        versions =
            isDirect ? [version, history.currentVersion] : history.migrationChain.path(from: version)
        guard versions.last == history.currentVersion, versions.count > 1 else {
            throw .migrationRequired(from: version, to: history.currentVersion)
        }
        var models: [ManagedObjectModel] = []
        for name in versions {
            guard let model = history.model(named: name) else { throw .noModel(name) }
            models.append(model)
        }
        var steps: [MigrationType] = [], mappings: [MappingModel] = []
        for index in 1..<models.count {
            let (source, destination) = (versions[index - 1], versions[index])
            do {
                let given = history.mappings.last {
                    $0.source.isSame(as: models[index - 1]) && $0.destination.isSame(as: models[index])
                }
                if let given {
                    mappings.append(
                        try given.between(models[index - 1], models[index]))
                    steps.append(.heavyweight(sourceVersion: source, destinationVersion: destination))
                } else {
                    _ = try MappingModel(from: models[index - 1], to: models[index])
                    steps.append(.lightweight(sourceVersion: source, destinationVersion: destination))
                }
            } catch let error as MigrationError {
                throw .migration(from: source, to: destination, error)
            } catch { throw StackError(error) }
        }
        self.steps = steps
        migration = Migration(versions: models, mappings: mappings)
    }

    /// Whether there is anything to migrate.
    static func isThere(_ url: URL) throws(StackError) -> Bool {
        try wrapping { try Migration.isThere(url) }
    }

    /// The name of the version that a store was written with.
    ///
    /// - Throws: ``StackError/unknownVersion(_:entities:)``, ``StackError/unreadable(_:_:)``.
    static func version(
        of store: some StorageInterface, at url: URL, in history: SchemaHistory
    ) throws(StackError) -> String {
        // The current version first: two versions may differ in nothing that a store of one configuration
        // shows.
        let known =
            history.versions.filter { $0.name != history.currentVersion } + [
                (history.currentVersion, history.model)
            ]
        do {
            let index = try Migration(versions: known.map(\.model)).version(
                ofStoreAt: url, ofType: store.storeType, configuration: store.configuration)
            return known[index].name
        } catch MigrationError.noModel(let entities) {
            throw .unknownVersion(url, entities: entities)
        } catch let error as StoreError {
            throw .unreadable(url, error)
        } catch { throw StackError(error) }
    }

    /// Brings the store to the current version.
    ///
    /// - Returns: where the old one is kept.
    /// - Throws: ``StackError/migration(from:to:_:)`` with the step that failed, ``StackError/cancelled``,
    ///   ``StackError/store(_:)``; the store is what it was then.
    func run(
        _ store: some StorageInterface, at url: URL, isRehearsal: Bool = false,
        _ progress: (MigrationProgress) throws -> Void
    ) throws(StackError) -> URL? {
        var step = 1
        do {
            return try migration.migrateStore(
                at: url, ofType: store.storeType, configuration: store.configuration,
                isRehearsal: isRehearsal
            ) { now in
                step = now.step
                try progress(now)
            }
        } catch let error as MigrationError {
            throw .migration(from: versions[step - 1], to: versions[step], error)
        } catch { throw StackError(error) }
    }
}

extension ManagedObjectModel {
    /// Whether stores of one can be opened by the other.
    fileprivate func isSame(as other: ManagedObjectModel) -> Bool {
        self === other || entityVersionHashes == other.entityVersionHashes
    }
}

extension MappingModel {
    /// Repeats the mapping between other copies of its models.
    fileprivate func between(_ source: ManagedObjectModel, _ destination: ManagedObjectModel) throws
        -> MappingModel
    {
        if self.source === source && self.destination === destination { return self }
        let given = entityMappings.filter { $0.sourceEntityName != nil }
        return try MappingModel(from: source, to: destination, entities: given)
    }
}
