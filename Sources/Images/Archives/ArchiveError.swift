internal import Glibc

/// Why the rest of an archive cannot be read.
package enum ArchiveError: Error, Equatable, CustomStringConvertible {
    case notBuiltIn
    /// The archive ends too early.
    case cut
    case unknownFormat
    case tooLarge(limit: Int)
    case memory
    /// In libarchive's words.
    case damaged(String)
    /// The process that reads it did not live, in words.
    case reader(String)
    /// An errno.
    case unreadable(Int32)

    init(words: String) {
        if words == "Unrecognized archive format" {
            self = .unknownFormat
        } else if words.lowercased().hasPrefix("truncated") {
            self = .cut
        } else if ["memory", "allocate"].contains(where: words.contains) {
            self = .memory
        } else {
            self = .damaged(words)
        }
    }

    package var description: String {
        switch self {
        case .notBuiltIn: "archives are not built in: swift build --traits Archives"
        case .cut: "the archive ends in the middle of a member"
        case .unknownFormat: "neither a tar nor a zip archive"
        case .tooLarge(let limit): "unpacks to more than \(Self.shown(limit))"
        case .memory: "needs more than \(ArchiveStream.memoryLimit >> 20) MB of memory to be unpacked"
        case .damaged(let words): "a damaged archive: \(words)"
        case .reader(let sentence): sentence
        // SAFETY: a string that is copied at once.
        case .unreadable(let code): unsafe String(cString: strerror(code))
        }
    }

    private static func shown(_ count: Int) -> String {
        let units = [(1_000_000_000_000, "TB"), (1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")]
        let unit = units.first { count % $0.0 == 0 } ?? (1, "bytes")
        return "\(count / unit.0) \(unit.1)"
    }
}
