public import Foundation
public import ManagedObjects

/// The versions of a model that a stack knows, and the order in which stores are migrated through them.
public struct SchemaHistory: Sendable {
    /// The models by the names of their versions, in the order in which they were given.
    let versions: [(name: String, model: ManagedObjectModel)]
    /// The order in which stores are migrated.
    public let migrationChain: MigrationChain
    /// The mappings for steps that cannot be inferred.
    let mappings: [MappingModel]
    /// The version that stores are brought to.
    public let currentVersion: String
    /// The model of the current version.
    public let model: ManagedObjectModel
    /// The contradiction in the chain; nil when there is none.
    let problem: String?

    /// The versions in a model file of Xcode's editor, named after their files.
    ///
    /// - Parameters:
    ///   - modelFile: a `.xcdatamodeld`, or a `.xcdatamodel` of one version.
    ///   - classes: Swift classes of entities of the current version, by their names.
    ///   - migrationChain: its last version is the stack's, whatever the file marks as current; without one
    ///     the marked version is.
    ///   - mappings: what becomes of objects where that cannot be inferred, each from one version to another.
    /// - Throws: ``StackError/noModel(_:)`` when the file, or the version that the stack is to work with,
    ///   cannot be read; ``StackError/model(_:)`` of the classes.
    public init(
        modelFile: URL, classes: [ManagedObject.Type] = [], migrationChain: MigrationChain = nil,
        mappings: [MappingModel] = []
    ) throws(StackError) {
        let names = try Self.versionNames(in: modelFile)
        let (current, problem) = try Self.current(migrationChain) { () throws(StackError) in
            try Self.markedVersion(of: modelFile, names)
        }
        var versions: [(name: String, model: ManagedObjectModel)] = []
        for name in names {
            let isCurrent = name == current
            versions.append(
                (
                    name,
                    try wrapping {
                        try ManagedObjectModel(
                            contentsOf: modelFile,
                            version: names.count > 1 || isBundle(modelFile) ? name : nil,
                            classes: isCurrent ? classes : [])
                    }
                ))
        }
        try self.init(versions, chain: migrationChain, mappings: mappings, current: current, problem: problem)
    }

    /// Versions in code, the oldest first: each is called by the first of its version identifiers, and the
    /// last is the current one.
    ///
    /// - Throws: ``StackError/noModel(_:)`` when there is none, or none for the end of the chain.
    public init(
        models: [ManagedObjectModel], migrationChain: MigrationChain = nil, mappings: [MappingModel] = []
    ) throws(StackError) {
        guard !models.isEmpty else { throw .noModel("a history without a version") }
        let versions = models.enumerated().map { index, model in
            (name: model.versionIdentifiers.first ?? "\(index + 1)", model: model)
        }
        let (current, problem) = try Self.current(migrationChain) { () throws(StackError) in
            versions[versions.count - 1].name
        }
        try self.init(versions, chain: migrationChain, mappings: mappings, current: current, problem: problem)
    }

    /// A history of a single version.
    init(model: ManagedObjectModel) {
        let name = model.versionIdentifiers.first ?? "1"
        versions = [(name, model)]
        (migrationChain, mappings, currentVersion, self.model) = (nil, [], name, model)
        problem = nil
    }

    private init(
        _ versions: [(name: String, model: ManagedObjectModel)], chain: MigrationChain,
        mappings: [MappingModel], current: String, problem: String?
    ) throws(StackError) {
        guard let model = versions.last(where: { $0.name == current })?.model else {
            let known = versions.map(\.name).joined(separator: ", ")
            throw .noModel("there is no version \(current); there are: \(known)")
        }
        self.versions = versions
        (migrationChain, self.mappings, currentVersion) = (chain, mappings, current)
        (self.model, self.problem) = (model, problem)
    }

    /// The version that a chain leads to, else the one that is marked.
    ///
    /// - Returns: of a chain that contradicts itself the marked one, and the contradiction.
    private static func current(
        _ chain: MigrationChain, marked: () throws(StackError) -> String
    ) throws(StackError) -> (String, problem: String?) {
        if let problem = chain.problem { return (try marked(), problem) }
        let leaves = chain.leafVersions
        if leaves.count < 2 {
            if let leaf = leaves.first { return (leaf, nil) }
            return (try marked(), nil)
        }
        let current = try marked()
        if leaves.contains(current) { return (current, nil) }
        return (current, "the chain ends in several versions: \(leaves.sorted().joined(separator: ", "))")
    }

    /// The versions that the chain names and of which there is no model.
    var unknownVersions: [String] {
        migrationChain.allVersions.filter { name in !versions.contains { $0.name == name } }.sorted()
    }

    func model(named name: String) -> ManagedObjectModel? { versions.last { $0.name == name }?.model }

    // MARK: Files

    private static func versionNames(in file: URL) throws(StackError) -> [String] {
        guard isBundle(file) else { return [file.deletingPathExtension().lastPathComponent] }
        guard let all = try? FileManager.default.contentsOfDirectory(atPath: file.path) else {
            throw .noModel(file.path)
        }
        return all.filter { $0.hasSuffix(".xcdatamodel") }
            .map { String($0.dropLast(".xcdatamodel".count)) }
            .sorted { $0.compare($1, options: .numeric) == .orderedAscending }
    }

    private static func markedVersion(of file: URL, _ names: [String]) throws(StackError) -> String {
        if let name = ManagedObjectModel.markedVersion(inFileAt: file), name.hasSuffix(".xcdatamodel") {
            return String(name.dropLast(".xcdatamodel".count))
        }
        if names.count == 1 { return names[0] }
        throw .noModel("\(file.path): no version is marked as the current: \(names.joined(separator: ", "))")
    }
}

private func isBundle(_ file: URL) -> Bool { file.pathExtension == "xcdatamodeld" }
