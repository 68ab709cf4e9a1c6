import Digests
import Foundation
import Glibc
import Texts

/// The common part of all kept lists of a store: they describe one state of it, which has a name of its own,
/// since a store's files change as it is opened and closed, and nothing in them.
private struct ListEpoch: Codable {
    let name: String
    /// The state of the files when the cache was last known to be valid.
    let stamp: String

    init?(in folder: URL) {
        guard let data = try? Data(contentsOf: Self.url(folder)),
            let epoch = try? JSONDecoder().decode(ListEpoch.self, from: data)
        else { return nil }
        self = epoch
    }

    init(_ name: String, _ stamp: String) { (self.name, self.stamp) = (name, stamp) }

    func write(in folder: URL, _ permissions: StorePermissions) {
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        if let data = try? JSONEncoder().encode(self) { permissions.write(data, to: Self.url(folder)) }
    }

    private static func url(_ folder: URL) -> URL { folder.appending(path: "epoch") }
}

extension SQLiteStore {
    private static let suffix = ".list"
    private var listFolder: URL? { files.listFolder(of: identifier) }

    func listCacheLocation(_ fetch: FetchDescription, section: PropertyPath?, name: String)
        -> ListCacheLocation?
    {
        // The next write might leave the stamp of one that was just made.
        var state = ReadOnlyDatabase.FilesState(url.path)
        for _ in 0..<10 where state.isFresh {
            usleep(5_000)
            state = ReadOnlyDatabase.FilesState(url.path)
        }
        guard !state.isFresh, let stamp = Self.stamp(url), let listFolder else { return nil }
        var epoch = ListEpoch(in: listFolder)
        if epoch?.stamp != stamp {
            epoch = ListEpoch(UUID().uuidString, stamp)
            if !isReadOnly { epoch?.write(in: listFolder, StorePermissions(ofStoreAt: url)) }
        }
        let sql = fetch.sql(in: scope(fetch.entity))
        let hashes = Dictionary(uniqueKeysWithValues: schema.entities.map { ($0.name, $0.versionHash) })
        let key = [
            epoch?.name ?? "", VersionHash.digest(hashes), sql.text,
            sql.arguments.map(\.literal).joined(separator: ","), section?.names.joined(separator: ".") ?? "-",
            // Texts may be in the order of the user's language.
            fetch.order.terms.contains { $0.textOrder != nil } ? Locale.current.identifier : "",
        ].joined(separator: "\n")
        return ListCacheLocation(
            url: listFolder.appending(path: fileName(name)), key: key, stamp: stamp, homes: homesByNumber,
            isReadOnly: isReadOnly, permissions: StorePermissions(ofStoreAt: url))
    }

    private func fileName(_ name: String) -> String {
        let hash = sha256(Data(name.utf8))
        return Hexadecimal.text(hash.prefix(16)) + Self.suffix
    }

    /// - Parameter name: nil for all.
    func deleteListCache(_ name: String?) {
        guard let listFolder else { return }
        let all = (try? FileManager.default.contentsOfDirectory(atPath: listFolder.path)) ?? []
        let names = name.map { [fileName($0)] } ?? all.filter { $0.hasSuffix(Self.suffix) }
        for name in names { _ = unsafe unlink(listFolder.appending(path: name).path) }
    }

    /// Returns the state of the store's files: every commit changes one of them. The log's counter does not
    /// tell of programs that keep none.
    private static func stamp(_ url: URL) -> String? {
        guard let main = state(of: url.path) else { return nil }
        return main + "|" + (state(of: url.path + "-wal") ?? "")
    }

    /// Nil for what is not there, or empty.
    private static func state(of path: String) -> String? {
        var status = Glibc.stat()
        guard unsafe stat(path, &status) == 0, status.st_size > 0 else { return nil }
        let time = status.st_mtim
        return "\(status.st_ino).\(status.st_size).\(time.tv_sec).\(time.tv_nsec)"
    }

    /// Opens or closes a store, which changes its files and no row in them: what is kept stays good. Only
    /// while nobody else has the store open is that known.
    static func keepingLists(
        _ url: URL, files: ExternalFiles, lock: StoreLock?, identifier: () -> String?,
        _ body: () throws -> Void
    ) rethrows {
        guard let lock else { return try body() }
        var isDone = false
        _ = try lock.alone {
            let before = stamp(url)
            try body()
            isDone = true
            guard let before, let after = stamp(url), before != after, let identifier = identifier(),
                let folder = files.listFolder(of: identifier)
            else { return }
            if let epoch = ListEpoch(in: folder), epoch.stamp == before {
                ListEpoch(epoch.name, after).write(in: folder, StorePermissions(ofStoreAt: url))
            }
        }
        if !isDone { try body() }
    }
}
