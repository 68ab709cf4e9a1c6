/// Which files of a folder are looked at.
package struct FileFilter: Sendable, Equatable {
    /// Nothing: every file.
    package var include: [Glob] = []
    package var exclude: [Glob] = []
    /// Names that begin with a dot.
    package var includesHidden = false
    package var followsLinks = false
    /// Whether ``DefaultExcludes`` are skipped; patterns to include switch that off.
    package var skipsDefaults = true

    package init() {}

    /// Whether to look at this file or into this folder.
    ///
    /// - Parameters:
    ///   - name: its last part.
    ///   - below: the parts between the folder that was named and it.
    func admits(_ name: [UInt8], below: [[UInt8]], isFolder: Bool) -> Bool {
        if !includesHidden && name.first == UInt8(ascii: ".") { return false }
        if isDefault(name, below: below, isFolder: isFolder) { return false }
        if exclude.isEmpty && include.isEmpty { return true }
        let path = below + [name]
        if exclude.verdict(on: path, isFolder: isFolder) == true { return false }
        if isFolder || include.isEmpty { return true }
        // Patterns that only take out leave the rest in.
        return include.verdict(on: path, isFolder: false) ?? include.allSatisfy(\.isNegated)
    }

    /// Whether it is skipped without being asked for.
    func isDefault(_ name: [UInt8], below: [[UInt8]], isFolder: Bool) -> Bool {
        usesDefaults && DefaultExcludes.holds(name, below: below, isFolder: isFolder)
    }

    var usesDefaults: Bool { skipsDefaults && include.isEmpty }

    /// Returns whether all parts of a path pass.
    func admits(_ path: [[UInt8]], isFolder: Bool) -> Bool {
        path.last.map { admits($0, below: path.dropLast(), isFolder: isFolder) } ?? true
    }

    /// Returns whether the last part of a path passes, and no folder on the way is excluded.
    func admitsAll(_ path: [[UInt8]]) -> Bool {
        path.indices.allSatisfy { admits(Array(path[...$0]), isFolder: $0 < path.count - 1) }
    }
}

extension [Glob] {
    /// Returns the verdict of the last matching pattern, as in a .gitignore; nil if none matches.
    fileprivate func verdict(on path: [[UInt8]], isFolder: Bool) -> Bool? {
        last { $0.matches(path, isFolder: isFolder) }.map { !$0.isNegated }
    }
}
