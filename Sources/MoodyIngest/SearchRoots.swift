import Foundation
import ManagedObjects

/// The folders that photos were looked for in, by this run and by those before, as the store remembers them.
struct SearchRoots: Sendable {
    private static let key = "moody.folders"

    let all: Set<BytePath>

    /// Creates the roots of a store that does not exist yet.
    init(searched: [BytePath]) { all = Set(searched) }

    /// - Parameter searched: the folders of this run, without links.
    init(searched: [BytePath], in coordinator: PersistentStoreCoordinator) throws {
        all = try Self.kept(in: coordinator).union(searched)
    }

    /// Remembers the folders of this run for those that follow.
    ///
    /// - Throws: ``StoreError``.
    func keep(in coordinator: PersistentStoreCoordinator) throws {
        if try Self.kept(in: coordinator) == all { return }
        let texts = all.map(\.bytes).sorted(by: precedes).map { Data($0).base64EncodedString() }
        try coordinator.setMetadata([Self.key: texts.joined(separator: " ")])
    }

    private static func kept(in coordinator: PersistentStoreCoordinator) throws -> Set<BytePath> {
        let texts = try coordinator.metadata(key)?.split(separator: " ") ?? []
        return Set(texts.compactMap { Data(base64Encoded: String($0)).map { BytePath($0) } })
    }
}
