import Foundation
import Glibc
import Synchronization

/// The file of a store that is written whole.
///
/// Owns what the file was when it was read or written last, so that nobody else's save is overwritten. The
/// file keeps its permissions; of a symbolic link the target is written.
final class StoreFile: Sendable {
    let url: URL
    let format: any StoreFormat
    private let original: URL?
    private let known = Mutex<Stamp?>(nil)

    /// The identity of a file's contents: it changes when the file is replaced or written.
    private struct Stamp: Equatable {
        let inode: UInt64, size: Int64, seconds: Int, nanoseconds: Int
    }

    /// - Parameter original: the store that this one becomes a copy of, with its permissions and owner.
    init(_ url: URL, _ format: any StoreFormat, copyOf original: URL? = nil) {
        self.url = url.storeLocation
        self.format = format
        self.original = original
    }

    /// - Returns: nil when there is no file, or an empty one: a store that was killed before it was written.
    /// - Throws: ``StoreError``.
    func read(_ model: ManagedObjectModel) throws -> StoreDocument? { try read(model) { $0 } }

    /// Reads the file and hands it on. What cannot be read or is refused stays unknown, and so is not
    /// overwritten.
    private func read<Value>(_ model: ManagedObjectModel, _ body: (StoreDocument) throws -> Value) throws
        -> Value?
    {
        let stamp = try stamp()
        var value: Value?
        if let stamp, stamp.size > 0 { value = try body(document(model)) }
        known.withLock { $0 = stamp }
        return value
    }

    private func document(_ model: ManagedObjectModel) throws -> StoreDocument {
        let data = try data()
        do { return try format.document(from: data, model: model) } catch let error as StoreError {
            throw error
        } catch { throw StoreError.unreadable("\(error)") }
    }

    /// - Throws: ``StoreError/file(_:errno:)``.
    func data() throws -> Data {
        let file = unsafe open(url.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        if file < 0 { throw failure() }
        defer { close(file) }
        do { return try FileHandle(fileDescriptor: file, closeOnDealloc: false).readToEnd() ?? Data() } catch
        {
            throw StoreError.file(url.lastPathComponent, errno: EIO)
        }
    }

    /// Hands on the contents that another program wrote since; nil if the file is unchanged.
    ///
    /// - Parameter body: what it throws leaves the file as one that is not known.
    func readIfChanged<Value>(_ model: ManagedObjectModel, _ body: (StoreDocument) throws -> Value) throws
        -> Value?
    {
        let now = try stamp()
        if known.withLock({ $0 == now }) { return nil }
        return try read(model, body)
    }

    /// Writes and syncs a file beside the store.
    ///
    /// - Returns: what puts it in the store's place; its argument says whether to, or to remove it.
    /// - Throws: ``StoreError/changedByOthers``, ``StoreError/file(_:errno:)``.
    func prepare(_ document: StoreDocument, _ model: ManagedObjectModel) throws -> (Bool) throws -> Void {
        let data = try format.data(of: document, model: model)
        let folder = url.deletingLastPathComponent().path
        try checkUnchanged()
        let (draft, file) = try begin(in: folder)
        do { try write(data, to: file) } catch {
            unsafe unlink(draft)
            close(file)
            throw error
        }
        return { [self] isWanted in
            defer { close(file) }
            do { if isWanted { try put(draft, in: folder) } else { unsafe unlink(draft) } } catch {
                unsafe unlink(draft)
                throw error
            }
        }
    }

    private var draftPrefix: String { ".\(url.lastPathComponent)." }

    /// Removes what killed processes were about to put in the store's place. A draft that somebody writes is
    /// locked.
    func sweep() {
        let folder = url.deletingLastPathComponent().path
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        where name.hasPrefix(draftPrefix)
            && UUID(uuidString: String(name.dropFirst(draftPrefix.count))) != nil
        {
            let path = "\(folder)/\(name)"
            let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            if file < 0 { continue }
            defer { close(file) }
            if flock(file, LOCK_EX | LOCK_NB) == 0 { unsafe unlink(path) }
        }
    }

    private func checkUnchanged() throws {
        if try stamp() != known.withLock({ $0 }) { throw StoreError.changedByOthers }
    }

    /// Looks once more and puts the draft in the store's place, while nobody else does the same.
    private func put(_ draft: String, in folder: String) throws {
        let lock = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if lock < 0 { throw failure() }
        defer { close(lock) }
        // Held for a moment and never while another store is written: several may lie in one folder.
        while flock(lock, LOCK_EX) != 0 { if errno != EINTR { throw failure() } }
        try checkUnchanged()
        if unsafe rename(draft, url.path) != 0 { throw failure() }
        fsync(lock)
        let stamp = try stamp()
        known.withLock { $0 = stamp }
    }

    /// A new file, locked for as long as it is open. Where ``sweep()`` of another process came in between,
    /// it is left to that and another name is taken: whoever sweeps unlinks by name.
    private func begin(in folder: String) throws -> (path: String, file: Int32) {
        let permissions = StorePermissions(ofStoreAt: original ?? url)
        for _ in 0..<100 {
            let path = "\(folder)/\(draftPrefix)\(UUID().uuidString)"
            let file = permissions.create(path)
            if file < 0 { throw failure() }
            var status = stat()
            if flock(file, LOCK_EX | LOCK_NB) == 0, unsafe fstat(file, &status) == 0, status.st_nlink > 0 {
                return (path, file)
            }
            close(file)
        }
        throw StoreError.inUse
    }

    private func write(_ data: Data, to file: Int32) throws {
        var code = writeAll(data.bytes, to: file)
        if code == 0, fsync(file) != 0 { code = errno }
        if code != 0 { throw StoreError.file(url.lastPathComponent, errno: code) }
    }

    private func failure() -> StoreError { .file(url.lastPathComponent, errno: errno) }

    private func stamp() throws -> Stamp? {
        var status = stat()
        if unsafe stat(url.path, &status) != 0 {
            if errno == ENOENT { return nil }
            throw failure()
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw StoreError.file(url.lastPathComponent, errno: EISDIR)
        // A pipe would be waited for.
        default: throw StoreError.notAStore
        }
        return Stamp(
            inode: UInt64(status.st_ino), size: Int64(status.st_size), seconds: status.st_mtim.tv_sec,
            nanoseconds: status.st_mtim.tv_nsec)
    }
}
