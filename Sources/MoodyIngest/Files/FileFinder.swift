import Foundation
import Glibc
public import MoodyModel

/// A folder that files were found in.
public final class FoundFolder: Sendable {
    /// From the root, without links.
    public let path: BytePath
    /// As the user named it.
    public let shown: BytePath

    init(path: BytePath, shown: BytePath) { (self.path, self.shown) = (path, shown) }
}

/// A file that may be a photo.
public struct FoundFile: Sendable {
    public let folder: FoundFolder
    public let name: [UInt8]
    public let file: PhotoFile
    /// Named by the user, not found in a folder.
    public let isNamed: Bool

    public var path: BytePath { folder.path.appending(name) }
    /// As the user would write it.
    public var shown: BytePath { folder.shown.appending(name) }
    public var place: PhotoPlace {
        PhotoPlace(folder: folder.path.data, name: Data(name), path: path.description)
    }
}

/// What a look at folders found.
public struct FoundFiles: Sendable {
    public var files: [FoundFile] = []
    /// Paths that could not be looked at.
    public var problems: [(path: BytePath, error: FileError)] = []
    /// Folders that were named and looked at, and held at least one file: what was below and is not there now is
    /// missing.
    public var searched: [BytePath] = []
    /// Folders that were named and held nothing to look at.
    public var empty: [FoundFolder] = []
    /// Folders that could not be looked into: nothing below is known to be missing.
    public var unreadable: [BytePath] = []
    /// What was looked at below the searched folders; nil for all that is there.
    public var places: [BytePath]?
    /// Links, sockets, devices.
    public var others = 0
}

/// Finds files: those named, and those in folders, in the order of the bytes of their paths.
public struct FileFinder {
    private let filter: FileFilter
    private let skipped: Set<BytePath>
    /// The same by their numbers: a link leads to them, too.
    private let skippedFiles: Set<FileNumber>
    private var found = FoundFiles()
    private var seen: Set<BytePath> = []
    private let stores: StoreFiles
    /// Folders whose way from the root was looked at, and what of it is moody's own.
    private var ownFolders: [BytePath: (folder: BytePath, error: FileError)?] = [:]
    private let onFolder: (FoundFolder) -> Void

    /// - Parameters:
    ///   - skipped: absolute paths that are never looked at, as the store itself.
    ///   - onFolder: told of each folder before it is looked into.
    init(
        filter: FileFilter, skipping skipped: Set<BytePath> = [],
        onFolder: @escaping (FoundFolder) -> Void = { _ in }
    ) {
        (self.filter, self.skipped, self.onFolder) = (filter, skipped, onFolder)
        skippedFiles = Set(skipped.compactMap { try? FileStatus(at: $0).number })
        stores = StoreFiles(open: skipped)
    }

    /// Looks at files and folders; a path that is named twice, or lies in a folder that was named, counts once.
    public static func find(_ paths: [BytePath], filter: FileFilter, skipping skipped: Set<BytePath> = [])
        -> FoundFiles
    {
        var finder = FileFinder(filter: filter, skipping: skipped)
        for path in paths { finder.look(at: path) }
        return finder.found
    }

    /// Looks at what is said to have changed below folders, and nowhere else.
    ///
    /// - Parameter changed: paths from the root, each below one of `roots`; what is at one may be gone.
    static func find(
        changed: [BytePath], below roots: [FoundFolder], filter: FileFilter, skipping skipped: Set<BytePath>,
        onFolder: @escaping (FoundFolder) -> Void = { _ in }
    ) -> FoundFiles {
        var finder = FileFinder(filter: filter, skipping: skipped, onFolder: onFolder)
        finder.found.searched = roots.map(\.path)
        finder.found.places = changed
        for path in changed.sorted(by: { $0.bytes.lexicographicallyPrecedes($1.bytes) }) {
            if let root = roots.first(where: { path.isBelow($0.path) }) { finder.look(at: path, below: root) }
        }
        return finder.found
    }

    private mutating func look(at path: BytePath, below root: FoundFolder) {
        let parts = path.bytes.dropFirst(root.path.bytes.count).split(separator: slash).map(Array.init)
        guard let name = parts.last else { return look(into: root, below: [], ancestors: []) }
        // What is gone is no problem: that is how a photo becomes missing.
        guard let status = try? FileStatus(at: path, followingLinks: filter.followsLinks) else { return }
        if skippedFiles.contains(status.number) { return }
        let isFolder = status.kind == .folder
        let isAdmitted = parts.indices.allSatisfy {
            filter.admits(Array(parts[...$0]), isFolder: isFolder || $0 < parts.count - 1)
        }
        guard isAdmitted, !skipped.contains(where: { path.isBelow($0) }), ownFolder(path.folder) == nil else {
            return
        }
        let shown = parts.dropLast().reduce(root.shown) { $0.appending($1) }
        switch status.kind {
        case .regular:
            let folder = FoundFolder(path: path.folder, shown: shown)
            add(FoundFile(folder: folder, name: name, file: status.file, isNamed: false))
        case .folder:
            look(
                into: FoundFolder(path: path, shown: shown.appending(name)), below: parts, ancestors: [status]
            )
        case .link, .other: found.others += 1
        }
    }

    /// The folder on the way from the root to here, or this one, that moody wrote.
    ///
    /// - Parameter folder: without links.
    private mutating func ownFolder(_ folder: BytePath) -> (folder: BytePath, error: FileError)? {
        if let known = ownFolders[folder] { return known }
        var own = folder.bytes.count > 1 ? ownFolder(folder.folder) : nil
        if own == nil {
            if (try? FileStatus(at: folder.appending(exportMarker), followingLinks: false)) != nil {
                own = (folder, .ownPage)
            } else if stores.isSupport(folder) {
                own = (folder, .ownSupport)
            }
        }
        ownFolders[folder] = .some(own)
        return own
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
                let before = found.files.count
                look(into: folder, below: [], ancestors: [status])
                if found.files.count > before || seen.contains(where: { $0.isBelow(folder.path) }) {
                    found.searched.append(folder.path)
                } else {
                    found.empty.append(folder)
                }
            case .regular where skippedFiles.contains(status.number): throw .ownStore
            case .regular:
                let folder = FoundFolder(path: try path.folder.resolved(), shown: shownFolder(of: path))
                if leavesOut(folder.path, shown: path) { return }
                add(FoundFile(folder: folder, name: path.name, file: status.file, isNamed: true))
            case .link, .other: throw .notRegular
            }
        } catch { found.problems.append((path, error)) }
    }

    private func shownFolder(of path: BytePath) -> BytePath {
        path.bytes.contains(slash) ? path.folder : BytePath([])
    }

    private mutating func add(_ file: FoundFile) {
        if seen.insert(file.path).inserted { found.files.append(file) }
    }

    /// - Parameters:
    ///   - below: the parts of the path below the folder that was named.
    ///   - ancestors: folders on the way here, so that a link back up ends.
    private mutating func look(into folder: FoundFolder, below: [[UInt8]], ancestors: [FileStatus]) {
        if skipped.contains(folder.path) { return }
        onFolder(folder)
        let names: [[UInt8]]
        do throws(FileError) { names = try folder.path.entries() } catch {
            found.problems.append((folder.shown, error))
            found.unreadable.append(folder.path)
            return
        }
        if names.contains(exportMarker) || stores.isSupport(folder.path) { return }
        for name in names {
            let path = folder.path.appending(name), parts = below + [name]
            let status: FileStatus
            do throws(FileError) {
                status = try FileStatus(at: path, followingLinks: filter.followsLinks)
            } catch {
                guard filter.admits(parts, isFolder: false) else { continue }
                found.others += 1
                // A link to nowhere, in a circle, or what has just gone is one file less. Anything else hides
                // photos: a folder that one may not enter, a path too long.
                if error.code != ENOENT && error.code != ELOOP {
                    found.problems.append((folder.shown.appending(name), error))
                    found.unreadable.append(path)
                }
                continue
            }
            if skippedFiles.contains(status.number) { continue }
            guard filter.admits(parts, isFolder: status.kind == .folder), !skipped.contains(path) else {
                continue
            }
            switch status.kind {
            case .regular: add(FoundFile(folder: folder, name: name, file: status.file, isNamed: false))
            case .folder:
                if ancestors.contains(where: {
                    $0.device == status.device && $0.file.inode == status.file.inode
                }) {
                    continue
                }
                look(
                    into: FoundFolder(path: path, shown: folder.shown.appending(name)), below: parts,
                    ancestors: ancestors + [status])
            case .link, .other: found.others += 1
            }
        }
    }
}

/// A folder that Moody wrote holds this file and is no source of photos.
private let exportMarker = Array(".moody-export".utf8)
