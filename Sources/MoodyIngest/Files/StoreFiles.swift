/// Which files are stores, or belong to one.
package struct StoreFiles {
    /// Stores that this process has open. They are not opened to look: closing any descriptor of a file lets
    /// go of all POSIX locks that the process has on it. <https://www.sqlite.org/howtocorrupt.html>, 2.2
    private let open: Set<FileNumber>

    /// - Parameter paths: paths of what this process has open, or may have.
    package init(open paths: some Sequence<BytePath>) {
        open = Set(paths.compactMap { try? FileStatus(at: $0).number })
    }

    /// Whether a file begins as SQLite databases do.
    package func isStore(_ path: BytePath) -> Bool {
        guard let status = try? FileStatus(at: path), status.kind == .regular else { return false }
        if open.contains(status.number) { return true }
        return (try? readHead(path, count: 16)) == Array("SQLite format 3\0".utf8)
    }

    /// Whether a path is one of the files that SQLite keeps beside a store.
    package func isCompanion(_ path: BytePath) -> Bool {
        Self.companionEnds.contains { end in
            path.bytes.count > end.count && path.bytes.suffix(end.count).elementsEqual(end)
                && isStore(BytePath(path.bytes.dropLast(end.count)))
        }
    }

    /// Whether a folder is the one that a store beside it keeps its large values in: `.NAME_SUPPORT` beside
    /// `NAME.*`.
    ///
    /// - Parameter folder: without links and dots.
    package func isSupport(_ folder: BytePath) -> Bool {
        let end = Array("_SUPPORT".utf8), name = folder.name
        guard name.first == UInt8(ascii: "."), name.count > end.count + 1,
            name.suffix(end.count).elementsEqual(end),
            let names = try? folder.folder.entries()
        else { return false }
        let stem = Array(name.dropFirst().dropLast(end.count))
        return names.contains { other in
            guard !Self.companionEnds.contains(where: { other.suffix($0.count).elementsEqual($0) }) else {
                return false
            }
            let cut = other.lastIndex(of: UInt8(ascii: "."))
            return (cut.map { Array(other[..<$0]) } ?? other) == stem
                && isStore(folder.folder.appending(other))
        }
    }

    private static let companionEnds = ["-wal", "-shm", "-journal"].map { Array($0.utf8) }
}
