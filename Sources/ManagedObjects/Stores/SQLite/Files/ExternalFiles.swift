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
    var folder: URL { supportFolder.appending(path: Self.folderName) }
    /// Where this store alone keeps its lock and its drafts.
    var workFolder: URL { supportFolder.appending(path: storeURL.lastPathComponent) }
    var lockPath: String { workFolder.appending(path: StoreLock.name).path }

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

    // MARK: Folders

    private static let folderName = "_EXTERNAL_DATA"
    /// Files that no row named when the store was opened, in a folder per owner: see
    /// ``setAside(except:_:owner:)``.
    private static let asideName = "_SET_ASIDE"

    /// The store that this one becomes a copy of: what is made gets that one's permissions and owner.
    var original: URL?
    var permissions: StorePermissions { StorePermissions(ofStoreAt: original ?? storeURL) }

    /// - Throws: ``StoreError/file(_:errno:)``.
    private func support(making: Bool = false) throws(StoreError) -> FolderDescriptor {
        try FolderDescriptor(storeURL.deletingLastPathComponent())
            .folder(supportFolder.lastPathComponent, making: making ? permissions : nil)
    }

    private func supportIfThere() throws(StoreError) -> FolderDescriptor? {
        try FolderDescriptor(storeURL.deletingLastPathComponent())
            .folderIfThere(supportFolder.lastPathComponent)
    }

    private func values(making: Bool = false) throws(StoreError) -> FolderDescriptor {
        try folder(Self.folderName, making: making)
    }

    /// The folder for the store's lock and drafts.
    ///
    /// - Parameter making: whether it is made where it is not there.
    /// - Throws: ``StoreError/file(_:errno:)``; ELOOP where it, or the folder that it is in, is a symbolic
    /// link.
    func work(making: Bool = false) throws(StoreError) -> FolderDescriptor {
        try folder(storeURL.lastPathComponent, making: making)
    }

    private func folder(_ name: String, making: Bool) throws(StoreError) -> FolderDescriptor {
        if !making { return try support().folder(name) }
        // Who removes empty folders may come in between.
        for _ in 0..<3 {
            do { return try support(making: true).folder(name, making: permissions) } catch {
                guard case .file(_, ENOENT) = error else { throw error }
            }
        }
        return try support(making: true).folder(name, making: permissions)
    }

    /// The folder for the kept lists of a store; nil for an identifier that is no UUID, which would lead
    /// elsewhere, and where a folder on the way is a link.
    func listFolder(of identifier: String) -> URL? {
        guard Self.isName(identifier) else { return nil }
        let lists = supportFolder.appending(path: "lists"), own = lists.appending(path: identifier)
        for folder in [supportFolder, lists, own] {
            var status = stat()
            if unsafe lstat(folder.path, &status) == 0, status.st_mode & S_IFMT != S_IFDIR { return nil }
        }
        return own
    }

    /// Calls `body` with the folder that has a large value: the store's own, else one of those set aside.
    ///
    /// - Returns: nil where no folder has it.
    /// - Throws: ``StoreError/file(_:errno:)`` where that cannot be known.
    private func withFolder<Value>(of name: String, _ body: (borrowing FolderDescriptor) -> Value)
        throws(StoreError) -> Value?
    {
        guard Self.isName(name), let support = try supportIfThere() else { return nil }
        if let folder = try support.folderIfThere(Self.folderName), folder.status(name) != nil {
            return body(folder)
        }
        guard let aside = try support.folderIfThere(Self.asideName) else { return nil }
        for owner in try aside.names() {
            if let folder = try aside.folderIfThere(owner), folder.status(name) != nil { return body(folder) }
        }
        return nil
    }

    // MARK: Files

    /// Writes a large value to a file and syncs it. The file's name is on the disk after ``sync()``.
    ///
    /// - Returns: the name; nil for a value that is small enough for the row.
    /// - Throws: ``StoreError/file(_:errno:)``.
    func write(_ data: Data) throws -> String? {
        if data.count < Self.threshold { return nil }
        let name = UUID().uuidString
        try write(name) { writeAll(data.bytes, to: $0) }
        return name
    }

    /// - Parameter fill: writes the bytes to a descriptor, and returns 0 or `errno`.
    private func write(_ name: String, _ fill: (Int32) -> Int32) throws(StoreError) {
        let folder = try values(making: true), permissions = permissions
        let file = folder.open(name, O_WRONLY | O_CREAT | O_EXCL, mode: permissions.mode ?? 0o644)
        guard file >= 0 else { throw .file(name, errno: errno) }
        defer { close(file) }
        permissions.apply(to: file)
        var code = fill(file)
        if code == 0, fdatasync(file) != 0 { code = errno }
        if code == 0 { return }
        folder.remove(name)
        throw .file(name, errno: code)
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

    /// Opens a file to read; a symbolic link or a pipe of that name is none.
    ///
    /// - Returns: the descriptor.
    /// - Throws: ``StoreError/file(_:errno:)``.
    private func open(_ name: String) throws(StoreError) -> Int32 {
        guard Self.isName(name) else { throw .file(name, errno: EINVAL) }
        guard let (file, code) = try withFolder(of: name, { ($0.open(name, O_RDONLY), errno) }) else {
            throw .file(name, errno: ENOENT)
        }
        guard file >= 0 else { throw .file(name, errno: code) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(file)
            throw .file(name, errno: EINVAL)
        }
        return file
    }

    /// - Throws: ``StoreError/file(_:errno:)``.
    func read(_ name: String) throws -> Data {
        let file = try open(name)
        defer { close(file) }
        do {
            return try FileHandle(fileDescriptor: file, closeOnDealloc: false).readToEnd() ?? Data()
        } catch { throw StoreError.file(name, errno: EIO) }
    }

    /// Writes a file of this store into another store's folder, and syncs it.
    ///
    /// - Throws: ``StoreError/file(_:errno:)``; nothing of that name stays then.
    func copy(_ name: String, to other: ExternalFiles, as new: String) throws(StoreError) {
        let source = try open(name)
        defer { close(source) }
        try other.write(new) { copyAll(from: source, to: $0) }
    }

    /// Nil for what is no file.
    ///
    /// - Throws: ``StoreError/file(_:errno:)``.
    func size(_ name: String) throws(StoreError) -> Int? {
        let found = try withFolder(of: name) { $0.status(name) } ?? nil
        guard let status = found, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(status.st_size)
    }

    func remove(_ names: some Sequence<String>) {
        guard let folder = try? values() else { return }
        for name in names where Self.isName(name) { folder.remove(name) }
    }

    /// The files there are. Names of another shape are not ours and are left alone.
    ///
    /// - Throws: ``StoreError/file(_:errno:)``.
    func names() throws(StoreError) -> Set<String> {
        guard let folder = try supportIfThere()?.folderIfThere(Self.folderName) else { return [] }
        return Set(try folder.names().filter(Self.isName))
    }

    /// Gives all files second names in another store's folder, or copies them where there are no links.
    func link(to other: ExternalFiles) throws {
        var names = try names()
        if let aside = try supportIfThere()?.folderIfThere(Self.asideName) {
            for owner in try aside.names() {
                guard let folder = try aside.folderIfThere(owner) else { continue }
                names.formUnion(try folder.names().filter(Self.isName))
            }
        }
        if names.isEmpty { return }
        let folder = try values(making: true)
        let target = try other.values(making: true)
        for name in names where !folder.link(name, in: target) && target.status(name) == nil {
            try copy(name, to: other, as: name)
        }
        try target.sync()
    }

    /// Removes the lock of a store that nobody else has open; see ``StoreLock``.
    func removeLock() { _ = try? work().remove(StoreLock.name) }

    /// Removes the folders that are empty.
    func removeEmptyFolders() {
        guard let support = try? support() else { return }
        for name in [storeURL.lastPathComponent, Self.folderName] { support.removeFolder(name) }
        if let parent = try? FolderDescriptor(storeURL.deletingLastPathComponent()) {
            parent.removeFolder(supportFolder.lastPathComponent)
        }
    }

    // MARK: Owners

    /// Whether there is a file in the folder, or one was put aside.
    var hasValues: Bool {
        guard let support = try? support() else { return false }
        return support.status(Self.asideName) != nil || (try? names())?.isEmpty != true
    }

    /// Puts the files aside that no row names, and brings back those that rows name and that were put aside.
    ///
    /// The folder belongs to a name, and another store may have had it: its rows alone name its files, which
    /// are never removed. They come back when it takes the name again. Files that this store left are kept
    /// for 30 days: an earlier copy of it may be put in its place and taken back. The caller has the store
    /// alone.
    ///
    /// - Parameters:
    ///   - identifier: the store's `Z_UUID`.
    ///   - owner: that of the store whose files lie here; nil when nobody wrote it down.
    func setAside(except named: Set<String>, _ identifier: String, owner: String?) throws {
        let support = try support()
        try bringBack(named, support)
        // Looked at before it is asked whether another store shares the folder: one that has put a file there
        // since is there too.
        let unnamed = try names().subtracting(named)
        if !unnamed.isEmpty, !isShared {
            // Left by whom, where the folder was another store's, too?
            let known = try isOfOthers(support) ? nil : owner
            let aside = try support.folder(Self.asideName, making: permissions)
                .folder(known ?? "unknown", making: permissions)
            let folder = try values()
            for name in unnamed { folder.move(name, to: aside) }
        }
        if try !isOfOthers(support), !isShared { try removeOld(of: identifier, support) }
    }

    /// Whether a store whose name differs in the extension has, or had, the folder, too.
    private func isOfOthers(_ support: borrowing FolderDescriptor) throws(StoreError) -> Bool {
        let own: Set = [storeURL.lastPathComponent, Self.folderName, Self.asideName, "lists"]
        return try support.names().contains { !own.contains($0) }
    }

    private func bringBack(_ named: Set<String>, _ support: borrowing FolderDescriptor) throws(StoreError) {
        guard let aside = try support.folderIfThere(Self.asideName) else { return }
        let missing = named.subtracting(try names())
        if missing.isEmpty { return }
        let folder = try values(making: true)
        for owner in try aside.names() {
            guard let other = try aside.folderIfThere(owner) else { continue }
            for name in missing where other.status(name) != nil { other.move(name, to: folder) }
        }
    }

    private func removeOld(of identifier: String, _ support: borrowing FolderDescriptor) throws(StoreError) {
        guard Self.isName(identifier), let aside = try support.folderIfThere(Self.asideName) else { return }
        if let folder = try aside.folderIfThere(identifier) {
            let month = 30 * 86_400
            let now = time(nil)
            for name in try folder.names() where Self.isName(name) {
                // The time of its move.
                if let status = folder.status(name), now - status.st_ctim.tv_sec > month {
                    folder.remove(name)
                }
            }
        }
        aside.removeFolder(identifier)
        support.removeFolder(Self.asideName)
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
