import Foundation
import ManagedObjects

/// The folders that photos were looked for in, by this run and those before: below one that is there, a photo
/// that is not is gone; below one that is not there, a disk that is not plugged in say, nothing is known of
/// any.
struct StoredRoots: Sendable {
    private static let key = "moody.folders"

    private let roots: Set<BytePath>

    /// Of a store that is not there yet.
    init(searched: [BytePath]) { roots = Set(searched) }

    /// - Parameter searched: the folders of this run, without links.
    init(searched: [BytePath], in coordinator: PersistentStoreCoordinator) throws {
        roots = try Self.kept(in: coordinator).union(searched)
    }

    /// Remembers the folders of this run for those that follow.
    ///
    /// - Throws: ``StoreError``.
    func keep(in coordinator: PersistentStoreCoordinator) throws {
        if try Self.kept(in: coordinator) == roots { return }
        let texts = roots.map(\.bytes).sorted(by: precedes).map { Data($0).base64EncodedString() }
        try coordinator.setMetadata([Self.key: texts.joined(separator: " ")])
    }

    private static func kept(in coordinator: PersistentStoreCoordinator) throws -> Set<BytePath> {
        let texts = try coordinator.metadata(key)?.split(separator: " ") ?? []
        return Set(texts.compactMap { Data(base64Encoded: String($0)).map { BytePath($0) } })
    }

    /// Whether a photo's folder is there, or else the innermost of those that photos are looked for in and
    /// that it lies in: with something in it, for where a disk was plugged in an empty folder may be left.
    func isThere(above folder: BytePath) -> Bool {
        if holdsSomething(folder) { return true }
        let way = sequence(first: folder) { $0.bytes.count > 1 ? $0.folder : nil }
        return way.first(where: roots.contains).map(holdsSomething) ?? false
    }

    private func holdsSomething(_ folder: BytePath) -> Bool { (try? folder.entries())?.isEmpty == false }
}
