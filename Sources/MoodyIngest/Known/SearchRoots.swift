import DataStacks
import Foundation
import ManagedObjects

/// The folders that photos were looked for in, by this run and by those before, as the store remembers them.
struct SearchRoots: Sendable {
    private static let key = "moody.folders"

    let all: Set<BytePath>

    /// Creates the roots of a store that does not exist yet.
    init(searched: [BytePath]) { all = Set(searched) }

    /// - Parameter searched: the folders of this run, without links.
    init(searched: [BytePath], in stack: DataStack) throws {
        all = try Self.kept(in: stack).union(searched)
    }

    /// Remembers the folders of this run for those that follow.
    ///
    /// - Throws: ``StoreError``.
    func keep(in stack: DataStack) throws {
        if try Self.kept(in: stack) == all { return }
        try stack.coordinator.changeMetadata(Self.key) { text in
            // Another run may have searched elsewhere meanwhile.
            let roots = all.union(Self.roots(text ?? ""))
            let texts = roots.map(\.bytes).sorted(by: precedes).map { Data($0).base64EncodedString() }
            return texts.joined(separator: " ")
        }
    }

    private static func kept(in stack: DataStack) throws -> Set<BytePath> {
        roots(try stack.metadata(key) ?? "")
    }

    private static func roots(_ text: String) -> Set<BytePath> {
        Set(text.split(separator: " ").compactMap { Data(base64Encoded: String($0)).map { BytePath($0) } })
    }
}
