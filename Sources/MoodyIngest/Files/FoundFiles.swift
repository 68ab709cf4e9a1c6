import Foundation
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
    public let file: FileStamp
    /// Named by the user, not found in a folder.
    public let isNamed: Bool

    public var path: BytePath { folder.path.appending(name) }
    /// As the user would write it.
    public var shown: BytePath { folder.shown.appending(name) }
    /// Makes text of the path: not for what is only compared.
    public var place: FileLocation {
        FileLocation(folder: folder.path.data, name: Data(name))
    }
}

/// The files found in folders.
public struct FoundFiles: Sendable {
    public var files: [FoundFile] = []
    /// Paths that could not be looked at.
    public var problems: [(path: BytePath, error: FileError)] = []
    /// Folders that were named and looked into, whether they held anything or not.
    public var roots: [FoundFolder] = []
    /// Paths that were named and are not there, from `/`: nothing below them is known to be missing.
    public var away: [BytePath] = []
    /// The places that were searched below the folders; nil for everything.
    public var places: [BytePath]?
    /// Links, sockets, devices.
    public var others = 0
    /// Theirs, as the user would write them, if they are to be named.
    public var otherPaths: [BytePath] = []

    /// The paths of ``roots``, without links.
    public var searched: [BytePath] { roots.map(\.path) }
}
