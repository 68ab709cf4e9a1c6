import Foundation
import GRDB
import Glibc

extension SQLiteStore {
    /// Makes a whole store in the support folder and then puts it in its place, if nothing is there yet: so
    /// there is never half a store, and the disk is waited for once instead of at each step.
    ///
    /// When that cannot be done, the store is made in its place later. When another process was first, its
    /// store stays.
    ///
    /// - Returns: false when another process was first.
    static func make(_ schema: SQLSchema, at url: URL, _ files: ExternalFiles) throws -> Bool {
        let draft = draft(in: files.workFolder)
        defer { remove(draft) }
        try beginDraft(draft, files)
        let queue = try DatabaseQueue(
            path: draft.path, configuration: configuration(readOnly: false, isDraft: true))
        try queue.writeWithoutTransaction { database in
            try database.inTransaction {
                try create(schema, in: database)
                return .commit
            }
            try database.execute(sql: "PRAGMA journal_mode = WAL")
        }
        try queue.close()
        return syncFile(draft.path) != 0 || move(draft.path, toFree: url.path) != EEXIST
    }

    /// Makes a copy in the folder where new stores are made, waits until it is on the disk, and gives it its
    /// name then: whatever ends the process, there is a whole copy of that name or none.
    ///
    /// - Parameters:
    ///   - original: the store whose permissions and owner the copy gets.
    ///   - owner: the identifier that the copy will have, where that is known.
    ///   - write: writes the rows to a file, and large values to a folder, whose names it tells.
    /// - Throws: ``StoreError``; what `write` throws. What was written is removed then.
    static func makeCopy(
        at url: URL, of original: URL?, owner: String? = nil,
        _ write: (URL, ExternalFiles, inout [String]) throws -> Void
    ) throws {
        // It would be played into the copy.
        if let log = logs(besideStoreAt: url).first {
            throw StoreError.file(log.lastPathComponent, errno: EEXIST)
        }
        if FileManager.default.fileExists(atPath: url.path) {
            throw StoreError.file(url.lastPathComponent, errno: EEXIST)
        }
        var files = ExternalFiles(storeAt: url)
        files.original = original
        // Who opens a store of that name meanwhile would sweep the folder.
        let lock = try StoreLock(files)
        _ = try lock.alone {
            // What a copy left that was killed.
            try removeDrafts(of: files)
            try files.setAside(except: [], owner ?? "", owner: lock.owner)
            if let owner { try lock.setOwner(owner) }
        }
        let draft = draft(in: files.workFolder)
        defer {
            remove(draft)
            _ = lock.alone { files.removeLock() }
            files.removeEmptyFolders()
        }
        var written: [String] = []
        do {
            try write(draft, files, &written)
            // Of one that may only be read the copy was not so yet.
            if let mode = files.permissions.mode { _ = unsafe chmod(draft.path, mode) }
            var code = syncFile(draft.path)
            if code == 0 { code = move(draft.path, toFree: url.path) }
            if code != 0 { throw StoreError.file(url.lastPathComponent, errno: code) }
            code = syncFolder(url.deletingLastPathComponent().path)
            // A folder may be written that may not be read.
            if code != 0 && code != EACCES {
                unsafe unlink(url.path)
                throw StoreError.file(url.lastPathComponent, errno: code)
            }
        } catch {
            files.remove(written)
            throw error
        }
    }

    /// Puts aside what a store that had this name has left of its log: SQLite would play it into the new one,
    /// or remove it where the store was emptied.
    ///
    /// - Throws: ``StoreError/inUse`` while another process is about to make a store here.
    static func putLogsAside(besideStoreAt url: URL, _ lock: StoreLock) throws {
        for _ in 0..<200 {
            let logs = logs(besideStoreAt: url)
            if logs.isEmpty || hasContent(url) { return }
            let isAlone = try lock.alone {
                if hasContent(url) { return }
                for log in logs {
                    let code = move(log.path, toFree: log.freeCopy.path)
                    if code != 0 { throw StoreError.file(log.lastPathComponent, errno: code) }
                }
            }
            if isAlone { return }
            usleep(25_000)
        }
        throw StoreError.inUse
    }

    /// The files beside a store's name with transactions that are played into it when it is opened.
    ///
    /// - Parameter size: the least, in bytes; an empty one is of a program that has the store open.
    static func logs(besideStoreAt url: URL, atLeast size: Int = 1) -> [URL] {
        ["-wal", "-journal"].map { URL(filePath: url.path + $0) }.filter { log in
            var status = stat()
            return unsafe lstat(log.path, &status) == 0 && status.st_size >= size
        }
    }

    private static func hasContent(_ url: URL) -> Bool {
        var status = stat()
        return unsafe stat(url.path, &status) == 0 && status.st_size > 0
    }

    /// Refuses to write a file that has another name: each name has a log of its own, and SQLite writes past
    /// the other one's.
    ///
    /// - Source: <https://www.sqlite.org/howtocorrupt.html>, 2.5.
    /// - Throws: ``StoreError/unwritable(_:)``.
    static func checkNames(of url: URL, _ files: ExternalFiles, _ lock: StoreLock) throws {
        // A process that makes the store, or was killed as it did, has it under a draft's name, too.
        for _ in 0..<40 {
            var status = stat()
            if unsafe stat(url.path, &status) != 0 || status.st_nlink < 2 { return }
            _ = try lock.alone { try removeDrafts(of: files) }
            usleep(25_000)
        }
        throw hasOtherName
    }

    static var hasOtherName: StoreError {
        .unwritable(
            "the file has another name, a hard link: a program that writes it by that one would lose commits")
    }

    private static let draftPrefix = "new-"

    /// A free name in the folder where a store is made before it gets its own; ``removeDrafts(of:)`` knows
    /// it.
    static func draft(in folder: URL) -> URL { folder.appending(path: draftPrefix + UUID().uuidString) }

    /// Makes the file of a draft, which nobody may read who may not read the store, and its owner may write.
    static func beginDraft(_ draft: URL, _ files: ExternalFiles) throws(StoreError) {
        let permissions = files.permissions
        let file = permissions.create(draft.path)
        if file < 0 { throw .file(files.storeURL.lastPathComponent, errno: errno) }
        permissions.apply(to: file, isWorking: true)
        _ = Glibc.close(file)
    }

    static func remove(_ draft: URL) {
        for suffix in ["", "-wal", "-shm", "-journal"] { _ = unsafe unlink(draft.path + suffix) }
    }

    /// Removes what a process left that was killed while it made or migrated a store: a draft, or a folder of
    /// drafts, whose name ends with a UUID.
    static func removeDrafts(of files: ExternalFiles) throws {
        let folder = try files.work()
        for name in try folder.names() {
            if name.hasPrefix(draftPrefix), ExternalFiles.isName(String(name.dropFirst(4).prefix(36))) {
                folder.remove(name)
            } else if name.hasPrefix(migrationPrefix),
                ExternalFiles.isName(String(name.dropFirst(migrationPrefix.count)))
            {
                folder.removeTree(name)
            }
        }
    }
}
