/// The nodes of a tree by their objects' IDs: a hash table of numbers, 8 bytes per row on average.
///
/// Linear probing; what follows a removed entry moves up, so that no marks are left. The IDs are the tree's:
/// every call is told how to look one up.
///
/// - Source: Knuth, "The Art of Computer Programming", volume 3, section 6.4, algorithms L and R.
struct NodeTable {
    /// 0 for none. A power of two of them, of which at most three quarters are taken.
    private var entries: [Int32] = []
    private var count = 0

    private func start(_ id: ManagedObjectID) -> Int { id.hashValue & (entries.count - 1) }

    private func next(_ index: Int) -> Int { (index + 1) & (entries.count - 1) }

    /// O(1).
    func node(of id: ManagedObjectID, idOf: (Int32) -> ManagedObjectID?) -> Int32? {
        if entries.isEmpty { return nil }
        var index = start(id)
        while entries[index] != 0 {
            if idOf(entries[index]) == id { return entries[index] }
            index = next(index)
        }
        return nil
    }

    /// Amortized O(1).
    mutating func insert(_ node: Int32, _ id: ManagedObjectID, idOf: (Int32) -> ManagedObjectID?) {
        if (count + 1) * 4 > entries.count * 3 { grow(idOf) }
        put(node, id)
        count += 1
    }

    private mutating func put(_ node: Int32, _ id: ManagedObjectID) {
        var index = start(id)
        while entries[index] != 0 { index = next(index) }
        entries[index] = node
    }

    private mutating func grow(_ idOf: (Int32) -> ManagedObjectID?) {
        let old = entries
        entries = Array(repeating: 0, count: max(8, old.count * 2))
        for node in old where node != 0 { if let id = idOf(node) { put(node, id) } }
    }

    /// The node's ID must still be known. O(1).
    mutating func remove(_ node: Int32, idOf: (Int32) -> ManagedObjectID?) {
        guard !entries.isEmpty, let id = idOf(node) else { return }
        var hole = start(id)
        while entries[hole] != node {
            if entries[hole] == 0 { return }
            hole = next(hole)
        }
        count -= 1
        var index = hole
        while true {
            entries[hole] = 0
            repeat {
                index = next(index)
                guard entries[index] != 0, let follower = idOf(entries[index]) else { return }
                // An entry whose own place lies behind the hole, and not behind itself, stays.
                let own = start(follower)
                let stays = hole <= index ? hole < own && own <= index : hole < own || own <= index
                if !stays { break }
            } while true
            entries[hole] = entries[index]
            hole = index
        }
    }
}
