import Foundation
import GRDB
import GRDBSQLite
import Glibc
import Synchronization

/// The connection of a store that is only read: every byte and every file of its folder stays as it is.
///
/// SQLite reads a database in WAL mode through a `-shm` that it makes, and whoever closes such a database
/// last moves its `-wal` into it. So the store is opened in one of four ways:
/// - at rest, as a file that never changes (`immutable`): no lock, no `-shm`;
/// - with a `-wal` that a killed process left behind, without locks and with an index of it in memory;
/// - as a private copy in which the logs are replayed: with a `-journal` that was left behind, or with a
///   `-wal` for a body that may run once only, or that is written again and again;
/// - while a stack of this library has it open to write, which its lock tells, or another program was seen to
///   write it all the time, as one more reader.
///
/// In all but the last another program may write nevertheless. The state of the files is looked at before
/// each read, and after one of files that were taken to be unchanging: what changed is opened or read again.
///
/// - Source: <https://www.sqlite.org/wal.html>, "Read-Only Databases" and "Use of WAL Without
///   Shared-Memory"; <https://www.sqlite.org/uri.html>.
final class ReadOnlyDatabase: Sendable {
    private let url: URL
    private let lockPath: String
    private let opened: Mutex<Opened>

    private enum Way { case atRest, leftLog, copy, beside }

    private struct Opened {
        let queue: DatabaseQueue
        let way: Way
        let state: FilesState
        /// Counts openings.
        let number: Int64
        /// The last opening before which something may have been written that is not in the `-wal`.
        let uncertain: Int64
    }

    /// The state of the files: every write changes one of them.
    struct FilesState: Equatable {
        struct File: Equatable { let inode: UInt64, size: Int64, seconds: Int, nanoseconds: Int }
        let main: File?, log: File?, journal: File?

        init(_ path: String) {
            (main, log, journal) = (Self.file(path), Self.file(path + "-wal"), Self.file(path + "-journal"))
        }

        private static func file(_ path: String) -> File? {
            var status = stat()
            guard unsafe stat(path, &status) == 0, status.st_size > 0 else { return nil }
            return File(
                inode: UInt64(status.st_ino), size: Int64(status.st_size), seconds: status.st_mtim.tv_sec,
                nanoseconds: status.st_mtim.tv_nsec)
        }

        /// Whether a file was written so lately that the next write might get the same time: clocks of file
        /// systems tick some hundred times a second.
        var isFresh: Bool {
            var now = timespec()
            unsafe clock_gettime(CLOCK_REALTIME, &now)
            return [main, log, journal].contains { file in
                guard let file else { return false }
                let age = (now.tv_sec - file.seconds) * 1_000_000_000 + now.tv_nsec - file.nanoseconds
                return age >= 0 && age < 20_000_000
            }
        }
    }

    /// - Throws: ``StoreError``.
    init(_ url: URL) throws {
        self.url = url
        try SQLiteStore.checkLogs(besideStoreAt: url)
        let lockPath = ExternalFiles(storeAt: url).lockPath
        self.lockPath = lockPath
        opened = Mutex(try sqlite { try Self.open(url, lockPath, after: nil) })
    }

    /// How often the store was opened: what a connection counts begins anew each time.
    var number: Int64 { opened.withLock { $0.number } }

    /// Counts the transactions since an opening, given by its number, while all of them are in a `-wal` that
    /// was begun since then beside an unchanged file; nil otherwise. A stack's opening, a transaction without
    /// a row, does not count.
    func transactions(since number: Int64) -> Int64? {
        guard opened.withLock({ $0.uncertain <= number && number < $0.number }) else { return nil }
        guard let log = WriteAheadLog(besideStoreAt: url) else { return nil }
        return log.transactions - (StoreLock.begunLog(at: lockPath) == log.salts ? 1 : 0)
    }

    deinit { try? close() }

    func close() throws { try opened.withLock { try Self.close($0, lockPath) } }

    /// Connections without locks, with the paths of their stores' locks, that wait to be closed.
    private static let retired = Mutex<[(queue: DatabaseQueue, lockPath: String)]>([])

    /// Closes a connection; one without locks not before all stacks that write are closed.
    ///
    /// A process gives up all locks of a file when it closes any descriptor of it, as POSIX has it. SQLite
    /// waits with that for its connections that lock, and knows nothing of the others: a stack of this
    /// process would go on writing to a `-wal` that the next program removes.
    private static func close(_ opened: Opened, _ lockPath: String) throws {
        guard opened.way == .leftLog else { return try opened.queue.close() }
        retired.withLock { retired in
            retired.append((opened.queue, lockPath))
            retired.removeAll { entry in
                user(entry.lockPath) { try? entry.queue.close() } == .nobody
            }
        }
    }

    /// Reads, again where the store was changed meanwhile.
    ///
    /// - Parameter isRepeatable: false for a body that may run once only.
    /// - Throws: ``StoreError/changedByOthers`` when such a body, or one tried again and again, met changes.
    func read<Value>(isRepeatable: Bool = true, _ body: (Database) throws -> Value) throws -> Value {
        for attempt in 0..<(isRepeatable ? 10 : 1) {
            // A log that is written all the time, or a body that cannot begin anew, is read from a copy; the
            // former beside the program that writes it, where its index is there.
            let current = try refreshed(copying: !isRepeatable || attempt >= 5, isWritten: attempt >= 5)
            let result = Result { try current.queue.unsafeRead(body) }
            let state = FilesState(url.path)
            let isUnchanged =
                switch current.way {
                case .copy, .beside: true
                case .atRest: state.main == current.state.main
                case .leftLog: state == current.state
                }
            if isUnchanged { return try result.get() }
        }
        throw StoreError.changedByOthers
    }

    /// - Parameters:
    ///   - copying: whether a log that was left behind is to be read from a copy.
    ///   - isWritten: whether another program was seen to write it.
    private func refreshed(copying: Bool, isWritten: Bool) throws -> Opened {
        try opened.withLock { current in
            let state = FilesState(url.path)
            let isCurrent =
                switch current.way {
                // What others commit is seen there; another file in the store's place is not.
                case .beside: state.main?.inode == current.state.main?.inode
                case .leftLog: !copying && state == current.state
                case .atRest, .copy: state == current.state
                }
            if isCurrent { return current }
            let next = try Self.open(
                url, lockPath, after: current, copying: copying, isWritten: isWritten)
            try? Self.close(current, lockPath)
            current = next
            return current
        }
    }

    private static func open(
        _ url: URL, _ lockPath: String, after last: Opened?, copying: Bool = false, isWritten: Bool = false
    ) throws -> Opened {
        func opened(_ queue: DatabaseQueue, _ way: Way, _ state: FilesState) -> Opened {
            let number = (last?.number ?? 0) + 1
            let isInLog = last?.way == .atRest && way == .beside && last?.state.main == state.main
            return Opened(
                queue: queue, way: way, state: state, number: number,
                uncertain: isInLog ? last?.number ?? number : number)
        }
        for attempt in 0..<50 {
            let state = FilesState(url.path), isAtRest = state.log == nil && state.journal == nil
            // Where this process migrates it, a copy's or a log's descriptor would end the locks.
            let isOurs = !isAtRest && StoreLock.isHeldAloneHere(lockPath)
            let user = isOurs ? .writer : user(lockPath)
            let hasIndex = isWritten && FileManager.default.fileExists(atPath: url.path + "-shm")
            if user == .writer || hasIndex {
                do {
                    let configuration = SQLiteStore.configuration(readOnly: true)
                    let queue = try DatabaseQueue(path: url.path, configuration: configuration)
                    try look(queue)
                    return opened(queue, .beside, FilesState(url.path))
                } catch let error as DatabaseError where error.resultCode == .SQLITE_CANTOPEN {
                    // Its `-shm` may not be read: the copy is.
                }
            }
            // A stack that begins or ends has the store alone for some milliseconds: a copy takes longer.
            if state.isFresh || user == .alone && !isAtRest && attempt < 25 {
                usleep(20_000)
                continue
            }
            if isAtRest {
                let queue = try DatabaseQueue(
                    path: url.absoluteString + "?immutable=1",
                    configuration: SQLiteStore.configuration(readOnly: true))
                return opened(queue, .atRest, state)
            }
            if state.journal == nil, !copying, let queue = try? withoutLocks(url) {
                return opened(queue, .leftLog, state)
            }
            if let queue = try copy(of: url, state) { return opened(queue, .copy, state) }
        }
        throw StoreError.changedByOthers
    }

    /// Who has the store open, by its lock.
    private enum User {
        case nobody
        /// Stacks, of this process or others, that write: they share the lock.
        case writer
        /// A stack that opens, closes, migrates or cleans up.
        case alone
    }

    /// - Parameter body: is called where it is nobody, and while it stays so.
    private static func user(_ lockPath: String, _ body: () -> Void = {}) -> User {
        let file = unsafe Glibc.open(lockPath, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        if file < 0 {
            body()
            return .nobody
        }
        defer {
            // As in ``StoreLock``: a child that is just starting may have a copy of the descriptor.
            _ = flock(file, LOCK_UN)
            _ = Glibc.close(file)
        }
        if flock(file, LOCK_SH | LOCK_NB) != 0, errno == EWOULDBLOCK { return .alone }
        if flock(file, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK { return .writer }
        body()
        return .nobody
    }

    /// A connection that reads the `-wal` by an index in its own memory. The file is opened for reading, so
    /// that its end cannot move the log into it.
    private static func withoutLocks(_ url: URL) throws -> DatabaseQueue {
        var configuration = SQLiteStore.configuration(readOnly: true)
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
            // A log without a whole transaction, as of a program that is in its first one, has nothing to be
            // moved: SQLite would remove it at the end.
            var keepsLog: CInt = 1
            let code = unsafe sqlite3_file_control(
                database.sqliteConnection, nil, SQLITE_FCNTL_PERSIST_WAL, &keepsLog)
            guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
        }
        let queue = try DatabaseQueue(
            path: url.absoluteString + "?vfs=unix-none", configuration: configuration)
        try look(queue)
        return queue
    }

    /// A connection to a copy of the store and its logs, which has no name any more. Nil when the store was
    /// written while it was copied.
    private static func copy(of url: URL, _ state: FilesState) throws -> DatabaseQueue? {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.url.appending(path: "store").path
        for (suffix, isThere) in [
            ("", true), ("-wal", state.log != nil), ("-journal", state.journal != nil),
        ] where isThere {
            let code = copyFile(url.path + suffix, to: path + suffix)
            if code != 0 {
                if FilesState(url.path) != state { return nil }
                throw StoreError.file(url.lastPathComponent + suffix, errno: code)
            }
        }
        if FilesState(url.path) != state { return nil }
        let queue = try DatabaseQueue(
            path: path, configuration: SQLiteStore.configuration(readOnly: false, isToWrite: false))
        // The log is replayed and all files are open: nothing is left behind, however the process ends.
        try look(queue)
        return queue
    }

    /// A copy for this user alone; a link is not followed, and what is no regular file not waited for.
    ///
    /// - Returns: 0 or `errno`.
    private static func copyFile(_ path: String, to copy: String) -> Int32 {
        let source = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
        if source < 0 { return errno }
        defer { _ = Glibc.close(source) }
        let target = unsafe Glibc.open(copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if target < 0 { return errno }
        defer { _ = Glibc.close(target) }
        return copyAll(from: source, to: target)
    }

    private static func look(_ queue: DatabaseQueue) throws {
        _ = try queue.unsafeRead { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM sqlite_master") }
    }
}
