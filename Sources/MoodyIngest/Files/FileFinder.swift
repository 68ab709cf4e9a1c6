import Foundation
import Glibc
import MoodyModel

/// Finds files: those named, and those in folders, in the order of the bytes of their paths.
package struct FileFinder {
    private let filter: FileFilter
    private let skipped: Set<BytePath>
    /// Excluded files by their inodes: links lead to them, too.
    private let skippedFiles: Set<FileNumber>
    /// The last parts of those paths: few files have such a name, and only their paths need a look.
    private let skippedNames: Set<[UInt8]>
    private let namesOthers: Bool
    private var found = FoundFiles()
    /// The files found so far, if the named paths overlap.
    private var seen: Set<BytePath>?
    /// The named paths that were searched: folders without links, files, and their folders.
    private var looked: Set<BytePath> = [], above: Set<BytePath> = []
    private let stores: StoreFiles
    /// Folders whose way from the root was looked at, and what of it is moody's own.
    private var ownFolders: [BytePath: (folder: BytePath, error: FileError)?] = [:]
    private let onFolder: (FoundFolder) -> Void
    private let onLinked: (BytePath) -> Void

    /// - Parameters:
    ///   - skipped: absolute paths that are never looked at, as the store itself.
    ///   - namesOthers: whether links and the like are listed, not only counted.
    ///   - onFolder: told of each folder before it is looked into.
    ///   - onLinked: told of each file that has other names.
    init(
        filter: FileFilter, skipping skipped: Set<BytePath> = [], namingOthers namesOthers: Bool = false,
        onFolder: @escaping (FoundFolder) -> Void = { _ in },
        onLinked: @escaping (BytePath) -> Void = { _ in }
    ) {
        (self.filter, self.skipped, self.namesOthers) = (filter, skipped, namesOthers)
        (self.onFolder, self.onLinked) = (onFolder, onLinked)
        skippedFiles = Set(skipped.compactMap { try? FileStatus(at: $0).number })
        skippedNames = Set(skipped.map(\.name))
        stores = StoreFiles(open: skipped)
    }

    /// Looks at files and folders; a path that is named twice, or lies in a folder that was named, counts
    /// once.
    package static func find(
        _ paths: [BytePath], filter: FileFilter, skipping skipped: Set<BytePath> = [],
        namingOthers namesOthers: Bool = false
    ) -> FoundFiles {
        var finder = FileFinder(filter: filter, skipping: skipped, namingOthers: namesOthers)
        for path in paths { finder.look(at: path) }
        return finder.found
    }

    /// Whether a folder, or one that it lies in, was written by moody: no photo in it is read.
    ///
    /// - Parameter folder: from the root, without links.
    package static func isOwn(_ folder: BytePath) -> Bool {
        var finder = FileFinder(filter: FileFilter())
        return finder.ownFolder(folder) != nil
    }

    /// Looks at what is said to have changed below folders, and nowhere else.
    ///
    /// - Parameters:
    ///   - changed: paths from the root, each below one of `roots`; what is at one may be gone.
    ///   - away: folders that were named and are not there.
    static func find(
        changed: [BytePath], below roots: [FoundFolder], away: [BytePath] = [], filter: FileFilter,
        skipping skipped: Set<BytePath>,
        onFolder: @escaping (FoundFolder) -> Void = { _ in },
        onLinked: @escaping (BytePath) -> Void = { _ in }
    ) -> FoundFiles {
        var finder = FileFinder(
            filter: filter, skipping: skipped, onFolder: onFolder, onLinked: onLinked)
        // A changed path may lie in another.
        finder.seen = []
        (finder.found.roots, finder.found.away) = (roots, away)
        let changed = Array(Set(changed).union(Sidecar.photos(beside: changed)))
        finder.found.changed = changed
        for path in changed.sorted(by: { $0.bytes.lexicographicallyPrecedes($1.bytes) }) {
            if let root = roots.first(where: { path.isBelow($0.path) }) { finder.look(at: path, below: root) }
        }
        return finder.found
    }

    private mutating func look(at path: BytePath, below root: FoundFolder) {
        let parts = path.bytes.dropFirst(root.path.bytes.count).split(separator: slash).map(Array.init)
        guard let name = parts.last else { return look(into: root, below: [], ancestors: []) }
        // A missing file is no problem: that is how a photo becomes missing.
        guard let status = try? FileStatus(at: path, followingLinks: filter.followsLinks) else { return }
        if skippedFiles.contains(status.number) { return }
        let isFolder = status.kind == .folder
        let isAdmitted = parts.indices.allSatisfy {
            filter.admits(Array(parts[...$0]), isFolder: isFolder || $0 < parts.count - 1)
        }
        let folders = sequence(first: path.folder) { $0.folder }.prefix(parts.count - 1)
        if filter.usesDefaults,
            folders.contains(where: { (try? FileStatus(at: $0.appending(DefaultExcludes.mark))) != nil })
        {
            return
        }
        guard isAdmitted, !skipped.contains(where: { path.isBelow($0) }), ownFolder(path.folder) == nil else {
            return
        }
        let shown = parts.dropLast().reduce(root.shown) { $0.appending($1) }
        switch status.kind {
        case .regular:
            let folder = FoundFolder(path: path.folder, shown: shown)
            add(FoundFile(folder: folder, name: name, file: status.file, isNamed: false), status)
        case .folder:
            look(
                into: FoundFolder(path: path, shown: shown.appending(name)), below: parts, ancestors: [status]
            )
        case .link, .other: addOther(shown.appending(name))
        }
    }

    /// The folder on the way from the root to here, or this one, that moody wrote.
    ///
    /// - Parameter folder: without links.
    private mutating func ownFolder(_ folder: BytePath) -> (folder: BytePath, error: FileError)? {
        if let known = ownFolders[folder] { return known }
        var own = folder.bytes.count > 1 ? ownFolder(folder.folder) : nil
        if own == nil {
            if isExport(folder) {
                own = (folder, .ownPage)
            } else if stores.isSupport(folder) {
                own = (folder, .ownSupport)
            }
        }
        ownFolders[folder] = .some(own)
        return own
    }

    /// Whether moody wrote a folder: its marker says so, and belongs to whom this process runs as. Anybody
    /// may put such a file into a folder above, as in /tmp, and must not switch off what lies below.
    private func isExport(_ folder: BytePath) -> Bool {
        let marker = folder.appending(exportMarker)
        guard let status = try? FileStatus(at: marker, followingLinks: false), status.kind == .regular,
            status.owner == geteuid() || status.owner == (try? FileStatus(at: folder))?.owner
        else { return false }
        return (try? readHead(marker, count: exportMarkerText.count)) == exportMarkerText
    }

    /// Whether something lies in a folder that moody wrote, which is said once a folder.
    ///
    /// - Parameter shown: what the user named.
    private mutating func leavesOut(_ folder: BytePath, shown: BytePath) -> Bool {
        guard let own = ownFolder(folder) else { return false }
        // As the user would write it: the way up from what was named.
        let above = sequence(first: shown) {
            $0.bytes.contains(slash) && $0.bytes.count > 1 ? $0.folder : nil
        }
        let name = above.first { (try? $0.resolved()) == own.folder } ?? own.folder
        if !found.problems.contains(where: { $0.path == name && $0.error == own.error }) {
            found.problems.append((name, own.error))
        }
        return true
    }

    private mutating func look(at path: BytePath) {
        do throws(FileError) {
            let status = try FileStatus(at: path)
            switch status.kind {
            case .folder:
                let folder = FoundFolder(path: try path.resolved(), shown: path)
                if leavesOut(folder.path, shown: path) { return }
                lookTwice(ifBelow: folder.path)
                found.roots.append(folder)
                look(into: folder, below: [], ancestors: [status])
            case .regular where skippedFiles.contains(status.number): throw .ownStore
            case .regular:
                let folder = FoundFolder(path: try path.folder.resolved(), shown: shownFolder(of: path))
                if leavesOut(folder.path, shown: path) { return }
                let file = FoundFile(folder: folder, name: path.name, file: status.file, isNamed: true)
                lookTwice(ifBelow: file.path)
                add(file, status)
            case .link, .other: throw .notRegular
            }
        } catch {
            found.problems.append((path, error))
            if error.code == ENOENT || error.code == ENOTDIR, let resolved = try? path.resolvedAsFarAsItGoes()
            {
                found.away.append(resolved)
            }
        }
    }

    private func shownFolder(of path: BytePath) -> BytePath {
        path.bytes.contains(slash) ? path.folder : BytePath([])
    }

    /// From now on files are remembered, if one may be found a second time: what is named was looked at, or
    /// lies in what was, or has something in it that was. Else there is no need to remember each.
    private mutating func lookTwice(ifBelow path: BytePath) {
        let way = Array(sequence(first: path) { $0.bytes.count > 1 ? $0.folder : nil })
        if seen == nil, above.contains(path) || way.contains(where: looked.contains) {
            seen = Set(found.files.map(\.path))
        }
        looked.insert(path)
        above.formUnion(way.dropFirst())
    }

    private mutating func add(_ file: FoundFile, _ status: FileStatus) {
        if status.links > 1 { onLinked(file.path) }
        if seen?.insert(file.path).inserted != false { found.files.append(file) }
    }

    private mutating func addOther(_ shown: @autoclosure () -> BytePath) {
        found.others += 1
        if namesOthers { found.otherPaths.append(shown()) }
    }

    private mutating func exclude(_ shown: @autoclosure () -> BytePath) {
        found.excluded += 1
        if namesOthers { found.excludedPaths.append(shown()) }
    }

    /// - Parameters:
    ///   - below: the parts of the path below the folder that was named.
    ///   - ancestors: folders on the way here, so that a link back up ends.
    private mutating func look(into folder: FoundFolder, below: [[UInt8]], ancestors: [FileStatus]) {
        if skipped.contains(folder.path) { return }
        onFolder(folder)
        let entries: [(name: [UInt8], status: Result<FileStatus, FileError>)]
        do throws(FileError) {
            entries = try Self.entries(of: folder.path, followingLinks: filter.followsLinks)
        } catch {
            found.problems.append((folder.shown, error))
            return
        }
        if (entries.contains { $0.name == exportMarker } && isExport(folder.path))
            || stores.isSupport(folder.path)
        {
            return
        }
        // A folder that was named is meant.
        if filter.usesDefaults, !below.isEmpty, entries.contains(where: { $0.name == DefaultExcludes.mark }) {
            return exclude(folder.shown)
        }
        folder.setNames(entries.lazy.map(\.name))
        for (name, status) in entries {
            do throws(FileError) {
                look(at: name, try status.get(), in: folder, below: below, ancestors: ancestors)
            } catch {
                guard filter.admits(name, below: below, isFolder: false) else { continue }
                addOther(folder.shown.appending(name))
                // A link to nowhere, in a circle, or what has just gone is one file less. Anything else hides
                // photos: a folder that one may not enter, a path too long.
                if error.code != ENOENT && error.code != ELOOP {
                    found.problems.append((folder.shown.appending(name), error))
                }
            }
        }
    }

    /// Everything in a folder, in order. It is closed before anything in it is looked into: a tree may be
    /// deeper than files may be open.
    private static func entries(of folder: BytePath, followingLinks: Bool) throws(FileError)
        -> [(name: [UInt8], status: Result<FileStatus, FileError>)]
    {
        let open = try OpenFolder(folder)
        var entries: [(name: [UInt8], status: Result<FileStatus, FileError>)] = []
        for name in try open.names() {
            do throws(FileError) {
                entries.append((name, .success(try open.status(of: name, followingLinks: followingLinks))))
            } catch { entries.append((name, .failure(error))) }
        }
        return entries
    }

    private mutating func look(
        at name: [UInt8], _ status: FileStatus, in folder: FoundFolder, below: [[UInt8]],
        ancestors: [FileStatus]
    ) {
        if skippedFiles.contains(status.number) { return }
        let isFolder = status.kind == .folder
        guard filter.admits(name, below: below, isFolder: isFolder) else {
            let isHidden = !filter.includesHidden && name.first == UInt8(ascii: ".")
            if !isHidden, filter.isDefault(name, below: below, isFolder: isFolder) {
                exclude(folder.shown.appending(name))
            }
            return
        }
        if skippedNames.contains(name), skipped.contains(folder.path.appending(name)) { return }
        switch status.kind {
        case .regular: add(FoundFile(folder: folder, name: name, file: status.file, isNamed: false), status)
        case .folder:
            if ancestors.contains(where: { $0.number == status.number }) { return }
            look(
                into: FoundFolder(path: folder.path.appending(name), shown: folder.shown.appending(name)),
                below: below + [name], ancestors: ancestors + [status])
        case .link, .other: addOther(folder.shown.appending(name))
        }
    }
}

/// A folder that Moody wrote holds this file and is no source of photos.
private let exportMarker = Array(".moody-export".utf8)
private let exportMarkerText = Array("Written by moody".utf8)
