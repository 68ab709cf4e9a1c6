import Foundation
import Synchronization

/// Where a list's rows may be kept from one start to the next, and what they have to fit.
struct ListCacheLocation: Sendable {
    let url: URL
    /// The identity of the list: the name of the store's state, the model's hashes, the SQL, the section
    /// path.
    let key: String
    /// The state of the store's files, which differs after each change by any program.
    let stamp: String
    /// By `Z_ENT`.
    let homes: [StoreEntity?]
    let isReadOnly: Bool
    let permissions: StorePermissions
}

/// The names of caches that lists of a coordinator use.
final class ListCaches: Sendable {
    private let names = Mutex<Set<String>>([])

    func isLive(_ name: String) -> Bool { names.withLock { $0.contains(name) } }
    func add(_ name: String) { names.withLock { _ = $0.insert(name) } }
    func remove(_ name: String?) {
        names.withLock { names in if let name { names.remove(name) } else { names = [] } }
    }
}
