/// Rows in order, each found by its place and each place by its row: an order-statistic tree.
///
/// A treap, whose nodes lie in one array: a binary search tree by order that is a heap by random priorities,
/// so that its depth is O(log *n*) whatever comes and goes. Every node knows how many rows are below it.
///
/// - Source: Seidel and Aragon, "Randomized search trees", Algorithmica 16, 1996; sizes as in Cormen et al.,
///   "Introduction to Algorithms", chapter 14.
struct OrderedRows {
    private let order: FetchOrder
    /// From 1; node 0 is no node.
    private var nodes: [Node]
    private var free: [Int32] = []
    private var root: Int32 = 0
    private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

    private struct Node {
        var row: ListRow?
        var priority: UInt64 = 0
        var left: Int32 = 0
        var right: Int32 = 0
        var count: Int32 = 0
    }

    /// - Parameter rows: in order.
    /// - Complexity: O(*n*).
    init(_ rows: [ListRow], by order: FetchOrder) {
        self.order = order
        nodes = [Node()]
        nodes.reserveCapacity(rows.count + 1)
        root = build(rows[...])
    }

    var count: Int { Int(nodes[Int(root)].count) }

    /// Balanced from the start; priorities go down with the depth.
    private mutating func build(_ rows: ArraySlice<ListRow>, below limit: UInt64 = .max) -> Int32 {
        if rows.isEmpty { return 0 }
        let middle = rows.startIndex + rows.count / 2
        let node = make(rows[middle])
        // Halved at each level: about what the greatest of so many random numbers would be.
        let priority = limit / 2 + random() % (limit / 2 + 1)
        nodes[Int(node)].priority = priority
        let left = build(rows[..<middle], below: limit / 2)
        let right = build(rows[(middle + 1)...], below: limit / 2)
        join(node, left, right)
        return node
    }

    private mutating func random() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }

    private mutating func make(_ row: ListRow) -> Int32 {
        let node = Node(row: row, priority: random(), count: 1)
        if let slot = free.popLast() {
            nodes[Int(slot)] = node
            return slot
        }
        nodes.append(node)
        return Int32(nodes.count - 1)
    }

    private mutating func join(_ node: Int32, _ left: Int32, _ right: Int32) {
        nodes[Int(node)].left = left
        nodes[Int(node)].right = right
        nodes[Int(node)].count = nodes[Int(left)].count + nodes[Int(right)].count + 1
    }

    private func precedes(_ row: ListRow, _ node: Int32) -> Bool {
        guard let other = nodes[Int(node)].row else { return false }
        return order.precedes(row.values, of: row.id, before: other.values, of: other.id)
    }

    private func follows(_ row: ListRow, _ node: Int32) -> Bool {
        guard let other = nodes[Int(node)].row else { return false }
        return order.precedes(other.values, of: other.id, before: row.values, of: row.id)
    }

    // MARK: Looking

    /// How many rows stand before `row`, which need not be there. O(log *n*).
    func rank(of row: ListRow) -> Int {
        var node = root, rank = 0
        while node != 0 {
            if follows(row, node) {
                rank += Int(nodes[Int(nodes[Int(node)].left)].count) + 1
                node = nodes[Int(node)].right
            } else {
                node = nodes[Int(node)].left
            }
        }
        return rank
    }

    /// The row at an index, which must be there. O(log *n*).
    subscript(index: Int) -> ListRow {
        var node = root, index = index
        while true {
            let before = Int(nodes[Int(nodes[Int(node)].left)].count)
            if index == before, let row = nodes[Int(node)].row { return row }
            if node == 0 { misuse("a list has no row \(index)") }
            if index < before {
                node = nodes[Int(node)].left
            } else {
                index -= before + 1
                node = nodes[Int(node)].right
            }
        }
    }

    /// In order. O(*n*).
    var all: [ListRow] {
        var rows: [ListRow] = [], path: [Int32] = [], node = root
        rows.reserveCapacity(count)
        while node != 0 || !path.isEmpty {
            while node != 0 {
                path.append(node)
                node = nodes[Int(node)].left
            }
            guard let next = path.popLast() else { break }
            if let row = nodes[Int(next)].row { rows.append(row) }
            node = nodes[Int(next)].right
        }
        return rows
    }

    // MARK: Changing

    /// O(log *n*).
    mutating func insert(_ row: ListRow) { root = insert(make(row), row, into: root) }

    private mutating func insert(_ new: Int32, _ row: ListRow, into node: Int32) -> Int32 {
        if node == 0 { return new }
        if nodes[Int(new)].priority > nodes[Int(node)].priority {
            let (left, right) = split(node, at: row)
            join(new, left, right)
            return new
        }
        let (left, right) = (nodes[Int(node)].left, nodes[Int(node)].right)
        if precedes(row, node) {
            join(node, insert(new, row, into: left), right)
        } else {
            join(node, left, insert(new, row, into: right))
        }
        return node
    }

    /// Splits a tree into the rows before a row and the others.
    private mutating func split(_ node: Int32, at row: ListRow) -> (Int32, Int32) {
        if node == 0 { return (0, 0) }
        let (left, right) = (nodes[Int(node)].left, nodes[Int(node)].right)
        if precedes(row, node) {
            let (before, after) = split(left, at: row)
            join(node, after, right)
            return (before, node)
        }
        let (before, after) = split(right, at: row)
        join(node, left, before)
        return (node, after)
    }

    /// O(log *n*).
    ///
    /// - Returns: whether the row was there.
    @discardableResult
    mutating func remove(_ row: ListRow) -> Bool {
        let before = count
        root = remove(row, from: root)
        return count < before
    }

    private mutating func remove(_ row: ListRow, from node: Int32) -> Int32 {
        if node == 0 { return 0 }
        let (left, right) = (nodes[Int(node)].left, nodes[Int(node)].right)
        if precedes(row, node) {
            join(node, remove(row, from: left), right)
        } else if follows(row, node) {
            join(node, left, remove(row, from: right))
        } else {
            nodes[Int(node)] = Node()
            free.append(node)
            return merge(left, right)
        }
        return node
    }

    private mutating func merge(_ a: Int32, _ b: Int32) -> Int32 {
        if a == 0 || b == 0 { return a + b }
        if nodes[Int(a)].priority > nodes[Int(b)].priority {
            join(a, nodes[Int(a)].left, merge(nodes[Int(a)].right, b))
            return a
        }
        join(b, merge(a, nodes[Int(b)].left), nodes[Int(b)].right)
        return b
    }
}
