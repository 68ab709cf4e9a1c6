import Foundation
import Glibc

/// A lock that every open store holds, shared; the kernel frees it when a process dies, however it dies.
/// Each store has its own, also where several share the folder of external files.
///
/// Cleaning up after killed processes requires the lock alone: while another process is at work, files
/// that no row names may be about to be named.
final class StoreLock: Sendable {
    private static let name = "lock"
    private let file: Int32

    /// - Throws: ``StoreError/file(_:errno:)``, ``StoreError/inUse`` when another process holds it alone for
    ///   more than five seconds.
    init(_ files: ExternalFiles) throws {
        let work = try files.work(making: true)
        file = work.open(Self.name, O_RDWR | O_CREAT)
        guard file >= 0 else { throw StoreError.file(Self.name, errno: errno) }
        StorePermissions(ofStoreAt: files.storeURL).giveToOwner(file)
        // Another process may be sweeping, which takes a moment.
        for _ in 0..<200 {
            if flock(file, LOCK_SH | LOCK_NB) == 0 {
                sayOpen()
                return
            }
            usleep(25_000)
        }
        // The descriptor is closed by `deinit`, which runs when an initializer throws this late.
        throw StoreError.inUse
    }

    /// Joins those that have the store open, so that nobody removes what rows named a moment ago. Makes no
    /// file: nil where nobody has had the store open to write, or has it alone now.
    init?(joining files: ExternalFiles) {
        guard let work = try? files.work() else { return nil }
        file = work.open(Self.name, O_RDWR)
        if file < 0 || flock(file, LOCK_SH | LOCK_NB) != 0 { return nil }
        sayOpen()
    }

    /// Says that a store is open to read: a file that a row named stays while this is held, and nobody is
    /// kept from writing. Nil where nobody has had the store open to write.
    init?(reading files: ExternalFiles) {
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
        return unsafe fcntl(file, Self.getOwnerLock, &other) == 0 && other.l_type == Int16(F_UNLCK)
    }

    /// Says that the store is open, for ``isAlone`` of others.
    private func sayOpen() { ownerLock(F_RDLCK) }

    private func ownerLock(_ kind: Int32) {
        var mine = flock()
        (mine.l_type, mine.l_whence, mine.l_start, mine.l_len) = (Int16(kind), Int16(SEEK_SET), 0, 1)
        _ = unsafe fcntl(file, Self.setOwnerLock, &mine)
    }

    /// `F_OFD_GETLK` and `F_OFD_SETLK`, macros that Swift does not import.
    private static var getOwnerLock: Int32 { 36 }
    private static var setOwnerLock: Int32 { 37 }

    /// Writes into the lock file which log the opening of a stack began, with a transaction without a row.
    func note(begunLog log: WriteAheadLog) {
        let salts = log.salts
        _ = unsafe pwrite(file, salts, salts.count, 0)
    }

    /// Returns the salts of the log that the opening of a stack began last; nil for none.
    static func begunLog(at path: String) -> [UInt8]? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
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
            _ = flock(file, LOCK_SH)
            return false
        }
        defer { _ = flock(file, LOCK_SH) }
        try body()
        return true
    }
}
