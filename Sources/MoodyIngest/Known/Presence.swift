import Glibc
import Synchronization

/// Tells whether the files of stored photos are there. The plan, moves, empty folders and `watch` all ask it,
/// so that they agree on what is gone and on what cannot be seen just now.
///
/// A file that is not there is missing when its root is there and holds something. The root is the innermost
/// folder that was named in this run and holds the file, else the innermost that an earlier run looked
/// through. A root that is away or empty may be a disk that is not mounted: nothing below it is missing.
///
/// The state of a folder is read once per instance. Any thread may ask.
final class Presence: Sendable {
    enum State: Equatable {
        case there, missing
        case unknown(Reason)
    }

    /// Why nothing is known of a file that cannot be seen.
    enum Reason: Equatable {
        /// The root, or the file's folder where there is no root, does not exist.
        case away
        /// The root exists and holds nothing.
        case empty
        /// The filter leaves the file out, and its folder is away or empty.
        case excluded
        case unreadable(FileError)
    }

    enum Folder: Equatable {
        case filled, empty, away
        case unreadable(FileError)
    }

    private let named: [BytePath], remembered: Set<BytePath>
    private let filter: FileFilter
    private let folders = Mutex<[BytePath: Folder]>([:])

    /// - Parameters:
    ///   - named: the folders of this run from `/`, without links, whether they are there or not.
    ///   - remembered: those of earlier runs.
    ///   - filter: what this run looks at below a named folder.
    init(named: [BytePath], remembered: Set<BytePath> = [], filter: FileFilter = FileFilter()) {
        // The innermost of those that hold a path is the longest.
        self.named = named.sorted { $0.bytes.count > $1.bytes.count }
        (self.remembered, self.filter) = (remembered, filter)
    }

    /// Like this instance, with nothing known of any folder.
    func fresh() -> Presence { Presence(named: named, remembered: remembered, filter: filter) }

    /// - Parameter hasTwin: whether a file elsewhere has the photo's bytes: the photo moved then, also out of
    ///   a folder that the filter leaves out.
    func state(of path: BytePath, hasTwin: Bool = false) -> State {
        do throws(FileError) {
            // A folder, a pipe: another thing has the photo's name.
            return try FileStatus(at: path).kind == .regular ? .there : .missing
        } catch {
            if error.code != ENOENT && error.code != ENOTDIR { return .unknown(.unreadable(error)) }
        }
        if let root = named.first(where: { path.isBelow($0) && path != $0 }) {
            if let reason = Self.reason(folder(root)) { return .unknown(reason) }
            let below = path.bytes.dropFirst(root.bytes.count).split(separator: slash).map(Array.init)
            let isExcluded = !hasTwin && !filter.admitsAll(below)
            return isExcluded && folder(path.folder) != .filled ? .unknown(.excluded) : .missing
        }
        let way = sequence(first: path.folder) { $0.bytes.count > 1 ? $0.folder : nil }
        let root = way.first(where: remembered.contains) ?? path.folder
        return Self.reason(folder(root)).map { .unknown($0) } ?? .missing
    }

    private static func reason(_ folder: Folder) -> Reason? {
        switch folder {
        case .filled: nil
        case .empty: .empty
        case .away: .away
        case .unreadable(let error): .unreadable(error)
        }
    }

    func folder(_ path: BytePath) -> Folder {
        if let known = folders.withLock({ $0[path] }) { return known }
        let found: Folder
        do throws(FileError) { found = try path.holdsSomething() ? .filled : .empty } catch {
            found = error.code == ENOENT || error.code == ENOTDIR ? .away : .unreadable(error)
        }
        folders.withLock { $0[path] = found }
        return found
    }
}
