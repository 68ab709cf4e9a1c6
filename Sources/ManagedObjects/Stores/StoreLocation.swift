internal import CLinux
package import Foundation
import Glibc

extension URL {
    /// The file that this URL names once symbolic links are followed, whether that file exists or not.
    ///
    /// A store lies where its file lies: its external files, its lock, and its `-wal` are found beside that
    /// file whichever link it was opened through.
    package var storeLocation: URL {
        var path = self.path
        // The kernel follows as many.
        for _ in 0..<40 {
            guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { break }
            path =
                target.hasPrefix("/")
                ? target : URL(filePath: path).deletingLastPathComponent().appending(path: target).path
        }
        return path == self.path ? self : URL(filePath: path)
    }

    /// The first name for a copy that is free, also for its log: `Moody.moody.~1~`.
    var freeCopy: URL {
        var number = 1
        while true {
            let copy = URL(filePath: "\(path).~\(number)~")
            let isFree = ["", "-wal", "-journal"].allSatisfy {
                !FileManager.default.fileExists(atPath: copy.path + $0)
            }
            if isFree { return copy }
            number += 1
        }
    }
}

/// The permissions of a store, which every file that is made beside it or in its place gets too.
struct StorePermissions: Sendable {
    /// Without the bits for execution; nil while there is no store, when the process's own rule holds.
    let mode: mode_t?
    /// The owner of the store where it is another user's and this process may give files away.
    private let owner: (user: uid_t, group: gid_t)?

    init(ofStoreAt url: URL) {
        var status = stat()
        let isThere = unsafe stat(url.path, &status) == 0
        mode = isThere ? status.st_mode & 0o666 : nil
        owner = isThere && geteuid() == 0 && status.st_uid != 0 ? (status.st_uid, status.st_gid) : nil
    }

    /// Gives an open file the store's permissions and owner.
    ///
    /// - Parameter isWorking: whether the owner may write it in any case.
    func apply(to file: Int32, isWorking: Bool = false) {
        // The bits that the process's mask took away.
        if let mode { _ = fchmod(file, isWorking ? mode | 0o600 : mode) }
        giveToOwner(file)
    }

    /// What root makes beside a user's store is the user's, as SQLite has it with `-wal`.
    func giveToOwner(_ file: Int32) {
        if let owner { _ = fchown(file, owner.user, owner.group) }
    }

    /// Gives an open folder the store's permissions and owner: who may read the store may enter it.
    func apply(toFolder folder: Int32) {
        var status = stat()
        if let mode, unsafe fstat(folder, &status) == 0 {
            _ = fchmod(folder, status.st_mode & 0o7000 | 0o700 | mode | (mode & 0o444) >> 2)
        }
        giveToOwner(folder)
    }

    /// Makes and opens a file to write that must not be there yet.
    ///
    /// - Returns: the descriptor, or a negative number and `errno`.
    func create(_ path: String) -> Int32 {
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode ?? 0o644)
        if file >= 0 { apply(to: file) }
        return file
    }

    /// Writes a file as a whole: to another name first, which then takes its place.
    ///
    /// - Returns: whether that could be done.
    @discardableResult
    func write(_ data: Data, to url: URL) -> Bool {
        let draft = "\(url.path).\(UUID().uuidString)"
        let file = create(draft)
        guard file >= 0 else { return false }
        let isWritten = writeAll(data.bytes, to: file) == 0
        close(file)
        if isWritten, unsafe rename(draft, url.path) == 0 { return true }
        _ = unsafe unlink(draft)
        return false
    }
}

/// Copies a file's bytes from where it stands.
///
/// - Returns: 0 or `errno`.
func copyAll(from source: Int32, to target: Int32) -> Int32 {
    while true {
        // 2 GiB at a time is the kernel's limit.
        let count = sendfile(target, source, nil, 1 << 30)
        if count == 0 { return 0 }
        if count < 0 && errno != EINTR { return errno }
    }
}

/// Waits until a file's bytes are on the disk. Not for a SQLite store that this process has open.
///
/// - Returns: 0 or `errno`.
func syncFile(_ path: String) -> Int32 {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    if file < 0 { return errno }
    defer { close(file) }
    return fsync(file) == 0 ? 0 : errno
}

/// Gives a file another name, unless that is taken: EEXIST. There is never a moment at which it has both,
/// but on file systems that cannot do that (NFS): a process that is killed then leaves both.
///
/// - Returns: 0 or `errno`.
func move(_ path: String, toFree name: String) -> Int32 {
    if unsafe renameat2(AT_FDCWD, path, AT_FDCWD, name, linux_rename_noreplace) == 0 { return 0 }
    if errno != EINVAL && errno != ENOSYS { return errno }
    if unsafe link(path, name) == 0 {
        unsafe unlink(path)
        return 0
    }
    if errno == EEXIST || FileManager.default.fileExists(atPath: name) { return EEXIST }
    // Nor links.
    return unsafe rename(path, name) == 0 ? 0 : errno
}

/// Waits until a folder's entries are on the disk.
///
/// - Returns: 0 or `errno`.
func syncFolder(_ path: String) -> Int32 {
    let folder = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if folder < 0 { return errno }
    defer { close(folder) }
    return fsync(folder) == 0 ? 0 : errno
}

/// A folder for temporary files that only this user may enter.
struct TemporaryFolder {
    let url: URL

    private let lock: Int32
    private static let prefix = "moody-snapshot-"

    /// Also removes those of processes that were killed, which have no lock.
    ///
    /// - Throws: ``StoreError/file(_:errno:)``.
    init() throws(StoreError) {
        let parent = FileManager.default.temporaryDirectory
        url = parent.appending(path: Self.prefix + UUID().uuidString)
        for name in (try? FileManager.default.contentsOfDirectory(atPath: parent.path)) ?? []
        where name.hasPrefix(Self.prefix) && ExternalFiles.isName(String(name.dropFirst(Self.prefix.count))) {
            Self.removeLeft(parent.appending(path: name).path)
        }
        if unsafe mkdir(url.path, 0o700) != 0 { throw .file(url.path, errno: errno) }
        lock = unsafe open(url.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if lock < 0 { throw .file(url.path, errno: errno) }
        _ = flock(lock, LOCK_SH | LOCK_NB)
    }

    private static func removeLeft(_ path: String) {
        let folder = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        if folder < 0 { return }
        defer { close(folder) }
        var status = stat()
        // Not one that is just being made.
        guard unsafe fstat(folder, &status) == 0, status.st_uid == geteuid(),
            time(nil) - status.st_mtim.tv_sec > 60, flock(folder, LOCK_EX | LOCK_NB) == 0
        else { return }
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Removes it with all that is in it.
    func remove() {
        try? FileManager.default.removeItem(at: url)
        close(lock)
    }
}
