import Glibc

/// A sidecar that is read, changed, and put in its place: whole, or not at all.
package struct SidecarFile {
    package let path: BytePath
    /// Empty where there is no file.
    package let bytes: [UInt8]
    /// What is at the path, itself; nil for nothing.
    private let status: FileStatus?

    package var exists: Bool { status != nil }

    /// - Throws: ``FileError``, ``SidecarRefusal``.
    package init(_ path: BytePath) throws {
        self.path = path
        status = try Self.status(of: path)
        guard let status else {
            bytes = []
            return
        }
        if status.kind == .folder { throw FileError(code: EISDIR) }
        bytes = try readFile(path, limit: SidecarText.largest + 1)
        try checkUnchanged()
    }

    /// Writes the file beside its place and renames it. It belongs to whom it belonged, who may do with it
    /// what they might.
    ///
    /// - Throws: ``FileError``, ``SidecarRefusal`` for a file that changed since it was read, or is a link.
    package func write(_ bytes: [UInt8]) throws {
        try refuseLink()
        let (temporary, file) = try Replacement.makeTemporary(beside: path, like: status)
        var isInPlace = false, isOpen = true
        defer {
            if isOpen { close(file) }
            if !isInPlace { Self.unlink(temporary) }
        }
        if let status {
            let made = try FileStatus(at: temporary)
            if made.owner != status.owner || made.group != status.group || made.mode != status.mode {
                throw SidecarRefusal(description: "belongs to another user, and would not any more")
            }
        }
        try writeAll(bytes, to: file)
        // It may be all that there is of a user's words.
        if status != nil, fsync(file) != 0, errno != EINVAL { throw FileError(code: errno) }
        isOpen = false
        if close(file) != 0 { throw FileError(code: errno) }
        try checkUnchanged()
        try Replacement.rename(temporary, to: path)
        isInPlace = true
    }

    /// - Throws: like ``write(_:)``.
    package func remove() throws {
        try refuseLink()
        try checkUnchanged()
        if unsafe path.withCString({ unsafe Glibc.unlink($0) }) != 0 { throw FileError(code: errno) }
    }

    /// Whether ``write(_:)`` would be refused, as far as can be said without writing.
    ///
    /// - Throws: like ``write(_:)``.
    package func checkWritable() throws {
        try refuseLink()
        let answer = unsafe path.folder.withCString { unsafe access($0, W_OK | X_OK) }
        if answer != 0, exists || errno != ENOENT { throw FileError(code: errno) }
    }

    private func refuseLink() throws {
        if status?.kind == .link {
            throw SidecarRefusal(description: "is a link: moody changes the file itself, where it is")
        }
    }

    private func checkUnchanged() throws {
        let now = try Self.status(of: path)
        if now?.file != status?.file || now?.kind != status?.kind {
            throw SidecarRefusal(description: "changed meanwhile")
        }
    }

    private static func status(of path: BytePath) throws(FileError) -> FileStatus? {
        do throws(FileError) { return try FileStatus(at: path, followingLinks: false) } catch {
            if error.code == ENOENT { return nil }
            throw error
        }
    }

    private static func unlink(_ path: BytePath) { _ = unsafe path.withCString { unsafe Glibc.unlink($0) } }

    /// Removes what processes that were killed have left of sidecars in a folder.
    package static func sweep(_ folder: BytePath) {
        Replacement.sweep(in: folder, named: ".xmp", remove: unlink)
    }
}
