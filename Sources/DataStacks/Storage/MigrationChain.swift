/// The order of a model's versions: which version a store of each is migrated to.
///
///     let line: MigrationChain = ["Model", "Model 2", "Model 3"]
///     let tree: MigrationChain = ["Model": "Model 3", "Model 2": "Model 3", "Model 3": "Model 4"]
///
/// Without a chain, as `nil`, `[]` and `[:]` are, stores are migrated straight to the current version.
///
/// - Source: CoreStore's type of this name.
public struct MigrationChain: Sendable, Hashable {
    private var next: [String: String] = [:]
    private var versions: Set<String> = []
    /// The contradiction in the chain: a version that is named twice, or a loop; nil for a chain that holds.
    public private(set) var problem: String?

    /// A chain of no version.
    public init() {}

    /// A chain of one version: no store is migrated.
    public init(_ version: String) { versions = [version] }

    /// A line, from the oldest version to the newest.
    public init(_ line: [String]) {
        versions = Set(line)
        var seen: Set<String> = []
        for (version, destination) in zip(line, line.dropFirst()) { next[version] = destination }
        for version in line where !seen.insert(version).inserted {
            problem = problem ?? "version \(version) is named twice"
        }
    }

    /// A tree: each version with the one that comes after it.
    public init(_ pairs: [(String, String)]) {
        for (source, destination) in pairs {
            versions.formUnion([source, destination])
            if next[source] != nil { problem = problem ?? "version \(source) is named twice" }
            next[source] = destination
        }
        problem = problem ?? loop
    }

    /// A way that comes back to where it began, as `V2 → V3 → V2`.
    private var loop: String? {
        for start in versions.sorted() {
            var way = [start]
            while let version = next[way[way.count - 1]] {
                way.append(version)
                if version == start { return way.joined(separator: " → ") }
                if way.count > versions.count { break }
            }
        }
        return nil
    }

    /// Whether no version leads to another one.
    public var isEmpty: Bool { next.isEmpty }

    /// Whether the chain names a version.
    public func contains(_ version: String) -> Bool { versions.contains(version) }

    /// The version that a store of `version` is migrated to next; nil at the end of the chain.
    public func nextVersion(from version: String) -> String? { next[version] }

    /// All versions of the chain.
    public var allVersions: Set<String> { versions }
    /// The versions that no other version leads to.
    public var rootVersions: Set<String> { versions.subtracting(next.values) }
    /// The versions at the end.
    public var leafVersions: Set<String> { versions.subtracting(next.keys) }

    /// The versions from one to the end of the chain, itself included.
    func path(from version: String) -> [String] {
        var path = [version]
        while let following = next[path[path.count - 1]], !path.contains(following) { path.append(following) }
        return path
    }
}

extension MigrationChain: ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByStringLiteral,
    ExpressibleByDictionaryLiteral
{
    /// Creates an empty chain: straight to the current version.
    public init(nilLiteral: ()) { self.init() }
    /// Creates a chain of versions, oldest first.
    public init(arrayLiteral versions: String...) { self.init(versions) }
    /// Creates a chain of one version.
    public init(stringLiteral version: String) { self.init(version) }
    /// Creates a tree: each version and the one that follows it.
    public init(dictionaryLiteral pairs: (String, String)...) { self.init(pairs) }
}
