internal import CLinux
import Foundation
import Glibc
import Synchronization

/// A lock that every open store holds, shared; the kernel frees it when a process dies, however it dies.
/// Each store has its own, also where several share the folder of external files.
///
/// Cleaning up after killed processes requires the lock alone: while another process is at work, files
/// that no row names may be about to be named.
final class StoreLock: Sendable {
    static let name = "lock"
    private let file: Int32
    private let path: String

    /// - Throws: ``StoreError/file(_:errno:)``, ``StoreError/inUse`` when another process holds it alone for
    ///   more than five seconds.
    init(_ files: ExternalFiles) throws {
        path = files.lockPath
        file = try Self.open(files)
        sayOpen()
    }

    private static func open(_ files: ExternalFiles) throws -> Int32 {
        var file = try make(files)
        // Another process may be sweeping, which takes a moment.
        for _ in 0..<200 {
            if flock(file, LOCK_SH | LOCK_NB) != 0 {
                usleep(25_000)
            } else if isThere(file) {
                return file
            } else {
                close(file)
                file = try make(files)
            }
        }
        close(file)
        throw StoreError.inUse
    }

    private static func make(_ files: ExternalFiles) throws -> Int32 {
        let file = try files.work(making: true).open(name, O_RDWR | O_CREAT)
        guard file >= 0 else { throw StoreError.file(name, errno: errno) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(file)
            throw StoreError.unwritable("\(name) beside it is not a regular file")
        }
        // Who may write the store may lock it; its owner may have changed that.
        files.permissions.apply(to: file, isWorking: true)
        return file
    }

    /// Whether the file has its name still: who had the lock alone may have removed it.
    private static func isThere(_ file: Int32) -> Bool {
        var status = stat()
        return unsafe fstat(file, &status) == 0 && status.st_nlink > 0
    }

    /// Joins those that have the store open, so that nobody removes what rows named a moment ago. Makes no
    /// file: nil where nobody has had the store open to write, or has it alone now.
    init?(joining files: ExternalFiles) {
        path = files.lockPath
        guard let work = try? files.work() else { return nil }
        file = work.open(Self.name, O_RDWR)
        if file < 0 || flock(file, LOCK_SH | LOCK_NB) != 0 || !Self.isThere(file) { return nil }
        sayOpen()
    }

    /// Says that a store is open to read: a file that a row named stays while this is held, and nobody is
    /// kept from writing. Nil where nobody has had the store open to write.
    init?(reading files: ExternalFiles) {
        path = files.lockPath
        guard let work = try? files.work() else { return nil }
        file = work.open(Self.name, O_RDONLY)
        if file < 0 { return nil }
        sayOpen()
    }

    /// Given up by name: a process that another thread is just starting has a copy of the descriptor until
    /// it becomes its program, and would hold the locks for that long.
    deinit {
        _ = flock(file, LOCK_UN)
        ownerLock(F_UNLCK)
        close(file)
    }

    /// Whether no other process, and no other stack of this one, has the store open. Asks without giving the
    /// lock up, as a conversion by `flock` would.
    ///
    /// - Source: Linux, fcntl(2), "Open file description locks": those of one description do not conflict.
    var isAlone: Bool {
        var other = flock()
        (other.l_type, other.l_whence, other.l_start, other.l_len) = (Int16(F_WRLCK), Int16(SEEK_SET), 0, 1)
        return unsafe fcntl(file, linux_ofd_getlk, &other) == 0 && other.l_type == Int16(F_UNLCK)
    }

    /// Says that the store is open, for ``isAlone`` of others.
    private func sayOpen() { ownerLock(F_RDLCK) }

    private func ownerLock(_ kind: Int32) {
        var mine = flock()
        (mine.l_type, mine.l_whence, mine.l_start, mine.l_len) = (Int16(kind), Int16(SEEK_SET), 0, 1)
        _ = unsafe fcntl(file, linux_ofd_setlk, &mine)
    }

    /// Writes into the lock file which log the opening of a stack began, with a transaction without a row.
    func note(begunLog log: WriteAheadLog) {
        let salts = log.salts
        _ = unsafe pwrite(file, salts, salts.count, 0)
    }

    /// Returns the salts of the log that the opening of a stack began last; nil for none.
    static func begunLog(at path: String) -> [UInt8]? {
        let file = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        if file < 0 { return nil }
        defer { close(file) }
        var salts = [UInt8](repeating: 0, count: 8)
        return unsafe pread(file, &salts, 8, 0) == 8 ? salts : nil
    }

    /// The `Z_UUID` of the store whose large values lie beside the lock, 36 bytes behind the salts; nil where
    /// none was written down.
    var owner: String? {
        var bytes = [UInt8](repeating: 0, count: 36)
        let count = unsafe pread(file, &bytes, 36, 8)
        let text = String(decoding: bytes, as: UTF8.self)
        return count == 36 && ExternalFiles.isName(text) ? text : nil
    }

    /// - Throws: ``StoreError/file(_:errno:)``.
    func setOwner(_ identifier: String) throws(StoreError) {
        if owner == identifier || !ExternalFiles.isName(identifier) { return }
        let bytes = Array(identifier.utf8)
        if unsafe pwrite(file, bytes, 36, 8) != 36 { throw .file(Self.name, errno: errno) }
    }

    /// Runs `body` if no other process has the store open, and says whether it did.
    func alone(_ body: () throws -> Void) rethrows -> Bool {
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            // A refused conversion may have dropped the shared lock: take it again.
            share()
            return false
        }
        Self.heldAlone.withLock { _ = $0.insert(path) }
        defer {
            Self.heldAlone.withLock { _ = $0.remove(path) }
            share()
        }
        try body()
        return true
    }

    private static let heldAlone = Mutex<Set<String>>([])

    /// Whether a stack of this process has a store alone, given by its lock's path.
    static func isHeldAloneHere(_ path: String) -> Bool { heldAlone.withLock { $0.contains(path) } }

    private func share() { while flock(file, LOCK_SH) != 0 && errno == EINTR {} }
}
