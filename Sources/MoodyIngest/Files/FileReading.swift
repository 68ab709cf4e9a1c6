import Foundation
import Glibc
package import MoodyModel

/// Which file it is, whatever it is called.
package struct FileNumber: Hashable, Sendable {
    let device: UInt64
    let inode: Int64
}

/// The state of a path in the file system, and the kind of file there.
package struct FileStatus: Sendable, Equatable {
    package enum Kind: Sendable { case regular, folder, link, other }
    package var kind: Kind
    /// Whether opening it waits for a process at the other end.
    package let isPipe: Bool
    package var file: FileStamp
    /// The file system and the number in it: two paths with the same are one file.
    var device: UInt64
    /// How many names the file has.
    var links: Int
    /// The user and the group that it belongs to.
    package let owner: UInt32, group: UInt32
    /// The permission bits of chmod(2).
    package let mode: UInt32

    init(_ status: stat) {
        switch status.st_mode & S_IFMT {
        case S_IFREG: kind = .regular
        case S_IFDIR: kind = .folder
        case S_IFLNK: kind = .link
        default: kind = .other
        }
        isPipe = status.st_mode & S_IFMT == S_IFIFO
        file = FileStamp(
            size: Int64(status.st_size), mtimeNs: nanoseconds(status.st_mtim),
            inode: Int64(bitPattern: UInt64(status.st_ino)))
        modified = Date(
            timeIntervalSince1970: Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9)
        (device, links) = (UInt64(status.st_dev), Int(status.st_nlink))
        (mode, owner, group) = (status.st_mode & 0o7777, status.st_uid, status.st_gid)
    }

    /// The time of the last change, also where ``FileStamp/mtimeNs`` ends: before 1677, after 2262.
    let modified: Date

    package var number: FileNumber { FileNumber(device: device, inode: file.inode) }

    /// - Throws: ``FileError``.
    package init(at path: BytePath, followingLinks: Bool = true) throws(FileError) {
        var status = stat()
        let result = unsafe path.withCString {
            unsafe fstatat(AT_FDCWD, $0, &status, followingLinks ? 0 : AT_SYMLINK_NOFOLLOW)
        }
        guard result == 0 else { throw FileError(code: errno) }
        self.init(status)
    }
}

/// Nanoseconds since 1970; a time that does not fit, before 1677 or after 2262, is the nearest that does.
private func nanoseconds(_ time: timespec) -> Int64 {
    let (whole, isTooLarge) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isStillTooLarge) = whole.addingReportingOverflow(Int64(time.tv_nsec))
    return isTooLarge || isStillTooLarge ? (time.tv_sec < 0 ? .min : .max) : sum
}

/// Reads a whole file. What is no regular file is refused, without waiting for someone to write to it.
///
/// - Parameter limit: bytes from the start; the rest is left.
/// - Throws: ``FileError`` with the operating system's reason.
package func readFile(_ path: BytePath, limit: Int = .max) throws(FileError) -> [UInt8] {
    let (file, size) = try openRegular(path)
    defer { close(file) }
    if size > 1 << 31 { throw .tooLarge }
    return try read(file, count: min(size, limit))
}

/// Opens a regular file, and tells how many bytes it has.
func openRegular(_ path: BytePath) throws(FileError) -> (file: Int32, size: Int) {
    // Without O_NONBLOCK opening a FIFO would wait for a writer.
    let file = unsafe path.withCString { unsafe open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    // ENXIO is what open(2) says of a socket.
    guard file >= 0 else { throw errno == ENXIO ? .notRegular : FileError(code: errno) }
    var status = stat()
    let refusal: FileError? =
        if unsafe fstat(file, &status) != 0 {
            FileError(code: errno)
        } else {
            switch FileStatus(status).kind {
            case .regular: nil
            case .folder: FileError(code: EISDIR)
            case .link, .other: .notRegular
            }
        }
    if let refusal {
        close(file)
        throw refusal
    }
    return (file, Int(status.st_size))
}

/// Reads a list that somebody hands over: a file, a pipe, a terminal. Waits for whoever writes to it.
///
/// - Throws: ``FileError``.
package func readList(_ path: BytePath) throws(FileError) -> [UInt8] {
    let file = try openList(path)
    defer { close(file) }
    return try readAll(file)
}

/// Opens what ``readList(_:)`` reads.
package func openList(_ path: BytePath) throws(FileError) -> Int32 {
    let file = unsafe path.withCString { unsafe open($0, O_RDONLY | O_CLOEXEC) }
    guard file >= 0 else { throw FileError(code: errno) }
    return file
}

/// The first bytes of a regular file; what is none has none.
///
/// - Throws: ``FileError``.
package func readHead(_ path: BytePath, count: Int) throws(FileError) -> [UInt8] {
    let file = unsafe path.withCString { unsafe open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    guard file >= 0 else { throw FileError(code: errno) }
    defer { close(file) }
    var status = stat()
    guard unsafe fstat(file, &status) == 0 else { throw FileError(code: errno) }
    return FileStatus(status).kind == .regular ? try read(file, count: count) : []
}

/// Reads all there is to read, as from a pipe.
package func readAll(_ file: Int32) throws(FileError) -> [UInt8] {
    var all: [UInt8] = []
    while true {
        let part = try read(file, count: 1 << 20)
        if part.isEmpty { return all }
        all += part
        if all.count > 1 << 31 { throw .tooLarge }
    }
}

/// Reads so many bytes, or as many as there are.
func read(_ file: Int32, count: Int) throws(FileError) -> [UInt8] {
    // An array that the system has no room for ends the process: asked beforehand, it is an error like
    // others.
    if count > 1 << 20 {
        guard let room = unsafe malloc(count) else { throw FileError(code: ENOMEM) }
        unsafe free(room)
    }
    var failure: FileError?
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
        while filled < count {
            // SAFETY: the rest of the buffer has `count - filled` bytes, and read(2) writes no more.
            let rest = unsafe UnsafeMutableRawBufferPointer(
                rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
            let got = unsafe Glibc.read(file, rest.baseAddress, rest.count)
            if got < 0 && errno == EINTR { continue }
            if got < 0 { failure = FileError(code: errno) }
            // 0: the end, earlier than the size said if the file shrank meanwhile; the decoder will notice.
            if got <= 0 { break }
            filled += got
        }
    }
    if let failure { throw failure }
    return bytes
}
