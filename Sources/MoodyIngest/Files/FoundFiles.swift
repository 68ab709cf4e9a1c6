import Foundation
package import MoodyModel
import Synchronization

/// A folder that files were found in.
package final class FoundFolder: Sendable {
    /// From the root, without links.
    package let path: BytePath
    /// As the user named it.
    package let shown: BytePath
    private let lacksSidecars = Atomic(false)

    init(path: BytePath, shown: BytePath) { (self.path, self.shown) = (path, shown) }

    /// Whether something in it may be a sidecar: true as long as nobody has read all its names. One that
    /// comes later is found by the next run.
    var hasSidecars: Bool { !lacksSidecars.load(ordering: .relaxed) }

    /// Tells all the names that are in the folder.
    func setNames(_ names: some Sequence<[UInt8]>) {
        lacksSidecars.store(!names.contains(where: Sidecar.isNamedSo), ordering: .relaxed)
    }
}

/// A file that may be a photo.
package struct FoundFile: Sendable {
    package let folder: FoundFolder
    package let name: [UInt8]
    package let file: FileStamp
    /// Named by the user, not found in a folder.
    package let isNamed: Bool

    package var path: BytePath { folder.path.appending(name) }
    /// As the user would write it.
    package var shown: BytePath { folder.shown.appending(name) }
    /// Makes text of the path: not for what is only compared.
    package var location: FileLocation {
        FileLocation(folder: folder.path.data, name: Data(name))
    }
}

/// The files found in folders.
package struct FoundFiles: Sendable {
    package internal(set) var files = FoundFileList()
    /// Paths that could not be looked at.
    package var problems: [(path: BytePath, error: FileError)] = []
    /// Folders that were named and looked into, whether they held anything or not.
    package var roots: [FoundFolder] = []
    /// Paths that were named and are not there, from `/`: nothing below them is known to be missing.
    package var away: [BytePath] = []
    /// The changed paths that were searched below the folders; nil for everything.
    package var changed: [BytePath]?
    /// Links, sockets, devices.
    package var others = 0
    /// Theirs, as the user would write them, if they are to be named.
    package var otherPaths: [BytePath] = []
    /// Files and folders that are skipped by default, and which, if they are to be named.
    package var excluded = 0, excludedPaths: [BytePath] = []

    /// The paths of ``roots``, without links.
    package var searched: [BytePath] { roots.map(\.path) }
}
