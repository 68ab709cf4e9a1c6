import Foundation
import GRDB
import Glibc

extension SQLiteStore {
    /// The folders of migrations in the support folder begin so.
    static let migrationPrefix = "migration-"

    /// - Throws: ``StoreError``: no file, not a store, an empty one.
    static func version(ofStoreAt url: URL) throws -> RecordedVersion {
        if !FileManager.default.fileExists(atPath: url.path) {
            throw StoreError.file(url.lastPathComponent, errno: ENOENT)
        }
        guard isSQLite(url) else { throw StoreError.notAStore }
        return try sqlite {
            let reader = try ReadOnlyDatabase(url)
            defer { try? reader.close() }
            guard let version = try reader.read({ try recordedVersion(in: $0) }) else {
                throw StoreError.notAStore
            }
            return version
        }
    }

    /// Gives a store another name, with its external files: then another may be made in its place.
    ///
    /// - Returns: where it is.
    /// - Throws: ``StoreError/inUse`` while anybody has it open. It is where it was then.
    static func putAside(_ url: URL) throws -> URL {
        let files = ExternalFiles(storeAt: url)
        var kept: URL?
        let isAlone = try StoreLock(files).alone {
            // Under another name a log would be of no store, and under this one of the wrong store.
            if !logs(besideStoreAt: url, atLeast: 0).isEmpty {
                try sqlite {
                    let queue = try DatabaseQueue(
                        path: url.path, configuration: configuration(readOnly: false))
                    defer { try? queue.close() }
                    _ = try queue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM sqlite_master") }
                    try queue.close()
                }
                // The last to close removes it.
                if !logs(besideStoreAt: url, atLeast: 0).isEmpty { throw StoreError.inUse }
            }
            let copy = url.freeCopy
            try files.link(to: ExternalFiles(storeAt: copy))
            let code = move(url.path, toFree: copy.path)
            if code != 0 { throw StoreError.file(url.lastPathComponent, errno: code) }
            _ = syncFolder(url.deletingLastPathComponent().path)
            if !files.isShared { files.remove(try files.names()) }
            kept = copy
        }
        guard isAlone, let kept else { throw StoreError.inUse }
        return kept
    }
}
