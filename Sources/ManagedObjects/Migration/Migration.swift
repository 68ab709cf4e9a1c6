public import Foundation

/// Brings stores from earlier versions of a model to the last one, a version at a time.
///
///     let migration = try Migration(
///         versions: [first, second, third],
///         mappings: [MappingModel(from: second, to: third, entities: [...])])
///     for step in try migration.steps(forStoreAt: url) { print(step) }
///     try migration.migrateStore(at: url)
///
/// Between two versions that no mapping was given for, it is inferred. Everything is written to a store
/// beside the old one, looked at, and then put in the old one's place at once: who kills the program, pulls
/// the plug or fills the disk at whatever instant has the old store or the new one. The old one is kept as
/// `NAME.~1~`, or the next number that is free. Objects keep their IDs and URIs.
///
/// - Source: Apple, "Core Data model versioning and data migration"; the names of copies are those of GNU's
///   numbered backups.
public struct Migration: Sendable {
    /// The versions of the model, oldest first.
    public let versions: [ManagedObjectModel]
    private let mappings: [MappingModel]

    /// - Parameters:
    ///   - versions: the oldest first; a store is brought to the last.
    ///   - mappings: those that cannot be inferred, each between a version and one that comes later: what
    ///     lies between is passed over.
    public init(versions: [ManagedObjectModel], mappings: [MappingModel] = []) {
        (self.versions, self.mappings) = (versions, mappings)
    }

    /// A planned step of a migration.
    public struct Step: Sendable {
        /// The mapping between the two versions.
        public let mapping: MappingModel
        /// From 0, in ``Migration/versions``.
        public let source: Int
        /// The index of the version after.
        public let destination: Int
        /// Whether nobody had to say anything: Core Data's lightweight migration.
        public var isInferred: Bool { mapping.isInferred }
    }

    /// Returns the steps that a store needs: none if it is of the last version. The store is only read.
    ///
    /// - Throws: ``MigrationError``, ``StoreError``.
    public func steps(
        forStoreAt url: URL, ofType type: PersistentStoreCoordinator.StoreType = .sqlite,
        configuration: String? = nil
    ) throws -> [Step] {
        try steps(from: version(ofStoreAt: url.storeLocation, type, configuration))
    }

    private func steps(from first: Int) throws -> [Step] {
        var steps: [Step] = [], version = first
        while version < versions.count - 1 {
            let given = mappings.compactMap { mapping -> Step? in
                guard mapping.source === versions[version],
                    let next = versions.lastIndex(where: { $0 === mapping.destination }), next > version
                else { return nil }
                return Step(mapping: mapping, source: version, destination: next)
            }
            let step =
                try given.max { $0.destination < $1.destination }
                ?? Step(
                    mapping: MappingModel(from: versions[version], to: versions[version + 1]),
                    source: version,
                    destination: version + 1)
            steps.append(step)
            version = step.destination
        }
        return steps
    }

    /// The index of the version that a store was written with.
    ///
    /// - Throws: ``MigrationError/noModel(entities:)``, ``StoreError``.
    package func version(
        ofStoreAt url: URL, ofType type: PersistentStoreCoordinator.StoreType, configuration: String?
    ) throws -> Int { try version(ofStoreAt: url.storeLocation, type, configuration) }

    private func version(
        ofStoreAt url: URL, _ type: PersistentStoreCoordinator.StoreType, _ configuration: String?
    ) throws -> Int {
        var nearest: [String]?
        for (index, model) in versions.enumerated().reversed() {
            let differing = try Self.difference(ofStoreAt: url, type, model, configuration)
            guard let differing else { continue }
            if differing.isEmpty { return index }
            if nearest.map({ differing.count < $0.count }) ?? true { nearest = differing }
        }
        throw MigrationError.noModel(entities: nearest ?? [])
    }

    /// Brings the store to the last version.
    ///
    /// - Parameters:
    ///   - type: SQLite, or a store in a file of another format.
    ///   - configuration: that with which the store is added.
    ///   - isRehearsal: whether to do everything but to put the result in the store's place.
    ///   - progress: called as each step begins and after each few hundred objects; what it throws ends the
    ///     migration.
    /// - Returns: where the old store is kept; nil when there was nothing to do.
    /// - Throws: ``MigrationError``, ``StoreError``: ``StoreError/inUse`` while another program, or another
    ///   stack of this one, has the store open to write. The store is what it was then.
    /// - Complexity: the store's size once more on the disk for each step, and once for the copy. Memory for
    ///   some hundred objects of SQLite stores, for all of others.
    @discardableResult
    public func migrateStore(
        at url: URL, ofType type: PersistentStoreCoordinator.StoreType = .sqlite,
        configuration: String? = nil, isRehearsal: Bool = false,
        progress: (MigrationProgress) throws -> Void = { _ in }
    ) throws -> URL? {
        let url = url.storeLocation
        return try withoutActuallyEscaping(progress) { progress in
            switch type {
            case .inMemory: return nil
            case .sqlite:
                let files = ExternalFiles(storeAt: url)
                // Looked at before anything is made beside it.
                if try steps(forStoreAt: url, configuration: configuration).isEmpty { return nil }
                var kept: URL?
                let isAlone = try StoreLock(files).alone {
                    kept = try migrateSQLite(
                        url, files: files, configuration: configuration, isRehearsal: isRehearsal,
                        progress: progress)
                }
                if !isAlone { throw StoreError.inUse }
                return kept
            default:
                return try migrateFile(
                    url, type: type, configuration: configuration, isRehearsal: isRehearsal,
                    progress: progress)
            }
        }
    }

    private func migrateSQLite(
        _ url: URL, files: ExternalFiles, configuration: String?, isRehearsal: Bool,
        progress: @escaping (MigrationProgress) throws -> Void
    ) throws -> URL? {
        // What a migration or a copy left that was killed: a copy may have a second name so.
        try SQLiteStore.removeDrafts(of: files)
        // Before the first row is read: what another program commits later would be lost.
        let old = isRehearsal ? nil : try MigratedStore(url)
        let steps = try steps(forStoreAt: url, configuration: configuration)
        guard let last = steps.last else { return nil }
        let name = SQLiteStore.migrationPrefix + UUID().uuidString
        let folder = files.workFolder.appending(path: name)
        // Whole stores come to lie in it, which may be nobody else's business.
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? files.work().removeTree(name) }
        var current = url
        for (index, step) in steps.enumerated() {
            // Rows name files of the folder that the store has, in whatever step they are written.
            let source = PersistentStoreCoordinator(managedObjectModel: step.mapping.source)
            try source.addMigrated(current, configuration: configuration, files)
            defer { try? source.close() }
            let next = folder.appending(path: "step-\(index + 1)")
            let target = PersistentStoreCoordinator(managedObjectModel: step.mapping.destination)
            try target.addPersistentStore(ofType: .sqlite, configuration: configuration, at: next)
            defer { try? target.close() }
            let manager = try MigrationManager(
                step.mapping, from: source, to: target, sharesFiles: true,
                stage: ExternalFileTable(files, lock: nil).stage)
            try Self.run(manager, index: index, count: steps.count, progress: progress)
            try target.copyMetadata(from: source)
            current = next
        }
        guard let old else { return nil }
        try files.sync()
        return try old.replace(by: current, last.mapping.destination)
    }

    private func migrateFile(
        _ url: URL, type: PersistentStoreCoordinator.StoreType, configuration: String?,
        isRehearsal: Bool, progress: @escaping (MigrationProgress) throws -> Void
    ) throws -> URL? {
        let steps = try steps(forStoreAt: url, ofType: type, configuration: configuration)
        guard let first = steps.first, let last = steps.last, let format = type.format else { return nil }
        let file = StoreFile(url, format)
        // Read before anything else: what is written over must be what was read.
        _ = try file.read(first.mapping.source)
        var source = PersistentStoreCoordinator(managedObjectModel: first.mapping.source)
        try source.addPersistentStore(ofType: type, configuration: configuration, at: url, isReadOnly: true)
        var written: MemoryStore?
        for (index, step) in steps.enumerated() {
            let target = PersistentStoreCoordinator(managedObjectModel: step.mapping.destination)
            written = try target.addDraft(configuration: configuration)
            let manager = try MigrationManager(
                step.mapping, from: source, to: target, sharesFiles: false,
                stage: { try target.stores[0].stage($0) })
            try Self.run(manager, index: index, count: steps.count, progress: progress)
            try target.copyMetadata(from: source)
            source = target
        }
        if isRehearsal { return nil }
        guard let written, let identifier = try Self.identifier(url, format, first.mapping.source) else {
            return nil
        }
        let commit = try file.prepare(written.document(named: identifier), last.mapping.destination)
        let kept: URL
        do { kept = try Self.keep(url) } catch {
            try? commit(false)
            throw error
        }
        try commit(true)
        return kept
    }

    private static func run(
        _ manager: MigrationManager, index: Int, count: Int,
        progress: @escaping (MigrationProgress) throws -> Void
    ) throws {
        var run = MigrationRun(manager, step: index + 1, of: count, progress: progress)
        try run.run()
    }
}
