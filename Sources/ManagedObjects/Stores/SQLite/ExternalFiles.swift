import Foundation
import Glibc

/// The folder beside a store for values too large for a row: `.Moody_SUPPORT/_EXTERNAL_DATA`.
///
/// A column with external storage begins with a byte that says where the value is: 1, the rest is the value;
/// 2, the rest is the name of a file, which is a UUID, and a NUL. A name of any other shape is never turned
/// into a path: whoever wrote the store could read and delete files elsewhere by it.
///
/// - Source: public descriptions of Core Data's stores; no Apple-written sample was found to check against.
struct ExternalFiles: Sendable {
    /// Values of this many bytes and more go to files.
    static let threshold = 100 * 1024
    let storeURL: URL
    /// Shared by all stores whose names differ in the extension only, as Core Data has it.
    let supportFolder: URL
    var folder: URL { supportFolder.appending(path: "_EXTERNAL_DATA") }
    /// Where this store alone keeps its lock and its drafts.
    var workFolder: URL { supportFolder.appending(path: storeURL.lastPathComponent) }

    init(storeAt url: URL) {
        storeURL = url
        let name = url.deletingPathExtension().lastPathComponent
        supportFolder = url.deletingLastPathComponent().appending(path: ".\(name)_SUPPORT")
    }

    /// The column for a value of an attribute with external storage.
    static func column(_ value: StoredValue) -> StoredValue {
        switch value {
        case .blob(let data): .blob(Data([1]) + data)
        case .external(let file): .blob(Data([2]) + Data(file.name.utf8) + [0])
        default: value
        }
    }

    /// The name of the file in a column; nil for a value that stays in the row, and for a name that is no
    /// UUID.
    static func name(in column: Data) -> String? {
        guard column.first == 2 else { return nil }
        let name = String(decoding: column.dropFirst().prefix { $0 != 0 }, as: UTF8.self)
        return isName(name) ? name : nil
    }

    /// Whether a text is a UUID as it is written, and so names a file of this folder and of no other.
    static func isName(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.count == 36
            && bytes.enumerated().allSatisfy { index, byte in
                if [8, 13, 18, 23].contains(index) { return byte == UInt8(ascii: "-") }
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "F"),
                    UInt8(ascii: "a")...UInt8(ascii: "f"):
                    return true
                default: return false
                }
            }
    }

    private func path(_ name: String) -> String? {
        Self.isName(name) ? folder.appending(path: name).path : nil
    }

    /// Writes a large value to a file and syncs it. The file's name is on the disk after ``sync()``.
    ///
    /// - Returns: the name; nil for a value that is small enough for the row.
    /// - Throws: ``StoreError/file(_:errno:)``.
    func write(_ data: Data) throws -> String? {
        if data.count < Self.threshold { return nil }
        try makeFolder()
        let name = UUID().uuidString
        try write(data, to: name)
        return name
    }

    /// Makes the folders, each durable in the one above.
    private func makeFolder() throws {
        for folder in [supportFolder, folder] {
            if unsafe mkdir(folder.path, 0o777) == 0 {
                let code = syncFolder(folder.deletingLastPathComponent().path)
                if code != 0 { throw StoreError.file(folder.path, errno: code) }
            } else if errno != EEXIST {
                throw StoreError.file(folder.path, errno: errno)
            }
        }
        var isFolder: ObjCBool = false
        guard unsafe FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder),
            isFolder.boolValue
        else { throw StoreError.file(folder.path, errno: ENOTDIR) }
    }

    /// Waits until the names of all files are on the disk: before a commit that makes rows name them. Without
    /// the folder there is nothing to wait for: the rows of a store that is being migrated name files of
    /// another.
    ///
    /// - Throws: ``StoreError/file(_:errno:)``.
    func sync() throws {
        let code = syncFolder(folder.path)
        if code != 0 && code != ENOENT { throw StoreError.file(folder.path, errno: code) }
    }

    private func write(_ data: Data, to name: String) throws {
        let path = folder.appending(path: name).path
        let file = StorePermissions(ofStoreAt: storeURL).create(path)
        guard file >= 0 else { throw StoreError.file(name, errno: errno) }
        defer { close(file) }
        var code = writeAll(data.bytes, to: file)
        if code == 0, fdatasync(file) != 0 { code = errno }
        if code == 0 { return }
        _ = unsafe unlink(path)
        throw StoreError.file(name, errno: code)
    }

    /// Reads a file of the folder; a symbolic link or a pipe of that name is none.
    ///
    /// - Throws: ``StoreError/file(_:errno:)``.
    func read(_ name: String) throws -> Data {
        guard let path = path(name) else { throw StoreError.file(name, errno: EINVAL) }
        let file = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { throw StoreError.file(name, errno: errno) }
        defer { close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw StoreError.file(name, errno: EINVAL)
        }
        do {
            return try FileHandle(fileDescriptor: file, closeOnDealloc: false).readToEnd() ?? Data()
        } catch { throw StoreError.file(name, errno: EIO) }
    }

    /// Nil for what is no file.
    func size(_ name: String) -> Int? {
        var status = stat()
        guard let path = path(name), unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG
        else { return nil }
        return Int(status.st_size)
    }

    func remove(_ names: some Sequence<String>) {
        for path in names.compactMap(path) { _ = unsafe unlink(path) }
    }

    /// The files there are. Names of another shape are not ours and are left alone.
    func names() -> Set<String> {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return Set(all.filter(Self.isName))
    }

    /// Gives all files second names in another store's folder, or copies them where there are no links.
    func link(to other: ExternalFiles) throws {
        let names = names()
        if names.isEmpty { return }
        try FileManager.default.createDirectory(at: other.folder, withIntermediateDirectories: true)
        for name in names {
            let (file, second) = (folder.appending(path: name), other.folder.appending(path: name))
            if unsafe Glibc.link(file.path, second.path) == 0 || errno == EEXIST { continue }
            try FileManager.default.copyItem(at: file, to: second)
        }
    }

    /// Removes what a store has in the folder beside what rows name, and the folders that are empty then.
    func removeFolders(of identifier: String?) {
        try? FileManager.default.removeItem(at: workFolder)
        let lists = supportFolder.appending(path: "lists")
        if let identifier, Self.isName(identifier) {
            try? FileManager.default.removeItem(at: lists.appending(path: identifier))
        }
        for empty in [lists, folder, supportFolder] { _ = unsafe rmdir(empty.path) }
    }

    /// Puts the files aside that lie here when a store is made: those of one that had its name before, whose
    /// rows alone name them.
    func putAside() {
        if names().isEmpty || isShared { return }
        _ = unsafe rename(folder.path, folder.freeCopy.path)
    }

    /// Whether another store beside this one, as `a.sqlite` beside `a.moody`, shares the folder.
    var isShared: Bool { siblings.contains(where: isSQLite) }

    /// The files beside the store whose names differ from its own in the extension only.
    var siblings: [URL] {
        let stem = storeURL.deletingPathExtension().lastPathComponent
        let folder = storeURL.deletingLastPathComponent()
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.compactMap { name in
            // Never a -shm, whose locks no look by SQLite spares: see `isSQLite`.
            if ["-shm", "-wal", "-journal"].contains(where: name.hasSuffix) { return nil }
            let other = folder.appending(path: name)
            return name != storeURL.lastPathComponent
                && other.deletingPathExtension().lastPathComponent == stem
                ? other : nil
        }
    }

    /// When a name came to or went from the store's folder, in nanoseconds; nil for a moment that is not past
    /// yet, as clocks go in steps.
    var timeOfNames: Int64? {
        var status = stat(), now = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &now)
        guard unsafe stat(storeURL.deletingLastPathComponent().path, &status) == 0,
            now.tv_sec - status.st_mtim.tv_sec > 1
        else { return nil }
        return Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
    }
}
