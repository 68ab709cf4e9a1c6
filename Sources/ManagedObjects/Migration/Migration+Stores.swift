package import Foundation
import GRDB
import Glibc

extension Migration {
    /// The entities of a model that a store was written with other versions of, or that only one of them has;
    /// nil when a store's format cannot be read through this model.
    static func difference(
        ofStoreAt url: URL, _ type: PersistentStoreCoordinator.StoreType, _ model: ManagedObjectModel,
        _ configuration: String?
    ) throws -> [String]? {
        guard let entities = model.entities(in: configuration) else { return nil }
        let stored: RecordedVersion
        switch type {
        case .inMemory: return []
        case .sqlite: stored = try SQLiteStore.version(ofStoreAt: url)
        default:
            guard let format = type.format else { return nil }
            let file = StoreFile(url, format)
            do {
                guard let document = try file.read(model) else {
                    throw StoreError.file(url.lastPathComponent, errno: ENOENT)
                }
                stored = document.recordedVersion
            } catch StoreError.unreadable { return nil }
        }
        return model.difference(stored, entities)
    }

    /// Whether there is anything to migrate: not where a store is to be made, or was begun and never made.
    package static func isThere(_ url: URL) throws -> Bool {
        let size = try? FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int
        return (size ?? 0) > 0
    }

    static func identifier(_ url: URL, _ format: any StoreFormat, _ model: ManagedObjectModel) throws
        -> String?
    {
        try StoreFile(url, format).read(model)?.identifier
    }

    /// Gives a store the first free name of a copy, with all that belongs to it.
    ///
    /// - Throws: ``StoreError``: ``StoreError/inUse`` while anybody has it open. It is where it was then.
    package static func putAside(storeAt url: URL, ofType type: PersistentStoreCoordinator.StoreType) throws
        -> URL
    {
        let url = url.storeLocation
        if case .sqlite = type { return try SQLiteStore.putAside(url) }
        let copy = url.freeCopy
        let code = move(url.path, toFree: copy.path)
        if code != 0 { throw StoreError.file(url.lastPathComponent, errno: code) }
        _ = syncFolder(url.deletingLastPathComponent().path)
        return copy
    }

    /// Gives the file a second name: what is put in its place takes the first.
    static func keep(_ url: URL) throws -> URL {
        let copy = url.freeCopy
        if unsafe link(url.path, copy.path) != 0 {
            // Without links, as on FAT.
            do { try FileManager.default.copyItem(at: url, to: copy) } catch {
                throw StoreError.file(copy.lastPathComponent, errno: errno)
            }
        }
        return copy
    }
}
