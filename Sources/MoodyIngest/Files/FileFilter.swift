/// Which files of a folder are looked at.
public struct FileFilter: Sendable, Equatable {
    /// Nothing: every file.
    public var include: [Glob] = []
    public var exclude: [Glob] = []
    /// Names that begin with a dot.
    public var includesHidden = false
    public var followsLinks = false

    public init() {}

    /// Whether to look at this file or into this folder.
    ///
    /// - Parameter path: the parts below the folder that was named.
    func admits(_ path: [[UInt8]], isFolder: Bool) -> Bool {
        guard let name = path.last else { return true }
        if !includesHidden && name.first == UInt8(ascii: ".") { return false }
        if exclude.contains(where: { $0.matches(path, isFolder: isFolder) }) { return false }
        return isFolder || include.isEmpty || include.contains { $0.matches(path, isFolder: false) }
    }

    /// The same for a path of which only the end is looked at now: no folder on the way may be left out.
    func admitsAll(_ path: [[UInt8]]) -> Bool {
        path.indices.allSatisfy { admits(Array(path[...$0]), isFolder: $0 < path.count - 1) }
    }
}
