/// Rows in order, each found by its index, its values, or its object: an order-statistic tree.
///
/// A treap, whose nodes lie in one array: a binary search tree by order that is a heap by random priorities,
/// so that its depth is O(log *n*) whatever comes and goes. Every node knows how many rows are below it. A
/// row takes 64 bytes, and some 8 in a hash table of nodes.
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
    private var sections = SectionNames()
    private var table = NodeTable()

    private struct Node {
        var id: ManagedObjectID?
        var values = CompactValues()
        /// The number of the section's name.
        var section: Int32 = 0
        var priority: UInt32 = 0
        var left: Int32 = 0
        var right: Int32 = 0
        var count: Int32 = 0
    }

    /// - Parameter rows: in order.
    /// - Complexity: O(*n*).
    init(_ rows: some Sequence<ListRow>, by order: FetchOrder) {
        self.order = order
        nodes = [Node()]
        nodes.reserveCapacity(rows.underestimatedCount + 1)
        for row in rows { _ = make(row) }
        root = build(1..<Int32(nodes.count))
    }

    var count: Int { Int(nodes[Int(root)].count) }

    /// Nodes that were made in order, balanced; priorities go down with the depth.
    private mutating func build(_ made: Range<Int32>, below limit: UInt32 = .max) -> Int32 {
        if made.isEmpty { return 0 }
        let node = made.lowerBound + Int32(made.count / 2)
        // Halved at each level: about what the greatest of so many random numbers would be.
        nodes[Int(node)].priority = limit / 2 + random() % (limit / 2 + 1)
        let left = build(made.lowerBound..<node, below: limit / 2)
        let right = build(node + 1..<made.upperBound, below: limit / 2)
        join(node, left, right)
        return node
    }

    private mutating func random() -> UInt32 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return UInt32(truncatingIfNeeded: state >> 32)
    }

    private mutating func make(_ row: ListRow) -> Int32 {
        let new = Node(
            id: row.id, values: row.values, section: sections.add(row.section), priority: random(), count: 1)
        let node: Int32
        if let slot = free.popLast() {
            node = slot
            nodes[Int(slot)] = new
        } else {
            node = Int32(nodes.count)
            nodes.append(new)
        }
        table.insert(node, row.id) { [nodes] in nodes[Int($0)].id }
        return node
    }

    private func row(_ node: Int32) -> ListRow? {
        let node = nodes[Int(node)]
        return node.id.map { ListRow(id: $0, values: node.values, section: sections[node.section]) }
    }

    private mutating func join(_ node: Int32, _ left: Int32, _ right: Int32) {
        nodes[Int(node)].left = left
        nodes[Int(node)].right = right
        nodes[Int(node)].count = nodes[Int(left)].count + nodes[Int(right)].count + 1
    }

    private func precedes(_ row: ListRow, _ node: Int32) -> Bool {
        guard let other = nodes[Int(node)].id else { return false }
        return order.precedes(row.values, of: row.id, before: nodes[Int(node)].values, of: other)
    }

    private func follows(_ row: ListRow, _ node: Int32) -> Bool {
        guard let other = nodes[Int(node)].id else { return false }
        return order.precedes(nodes[Int(node)].values, of: other, before: row.values, of: row.id)
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
            if index == before, let row = row(node) { return row }
            if node == 0 { misuse("a list has no row \(index)") }
            if index < before {
                node = nodes[Int(node)].left
            } else {
                index -= before + 1
                node = nodes[Int(node)].right
            }
        }
    }

    /// The row of an object. O(1).
    subscript(id: ManagedObjectID) -> ListRow? {
        table.node(of: id) { nodes[Int($0)].id }.flatMap(row)
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
            release(node)
            return merge(left, right)
        }
        return node
    }

    private mutating func release(_ node: Int32) {
        table.remove(node) { [nodes] in nodes[Int($0)].id }
        sections.remove(nodes[Int(node)].section)
        nodes[Int(node)] = Node()
        free.append(node)
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

extension OrderedRows: Sequence {
    struct Iterator: IteratorProtocol {
        fileprivate let rows: OrderedRows
        /// Nodes that come after all that is left of them.
        fileprivate var path: [Int32] = []

        fileprivate mutating func descend(from node: Int32) {
            var node = node
            while node != 0 {
                path.append(node)
                node = rows.nodes[Int(node)].left
            }
        }

        mutating func next() -> ListRow? {
            guard let node = path.popLast() else { return nil }
            descend(from: rows.nodes[Int(node)].right)
            return rows.row(node)
        }
    }

    var underestimatedCount: Int { count }

    /// The rows in order. O(*n*) for all.
    func makeIterator() -> Iterator {
        var iterator = Iterator(rows: self)
        iterator.descend(from: root)
        return iterator
    }
}

/// The names of the sections that rows lie in, by number: many rows share one.
private struct SectionNames {
    private var names: [String] = []
    private var counts: [Int] = []
    private var numbers: [String: Int32] = [:]
    private var free: [Int32] = []

    subscript(number: Int32) -> String { names[Int(number)] }

    /// Counts one more row.
    mutating func add(_ name: String) -> Int32 {
        if let number = numbers[name] {
            counts[Int(number)] += 1
            return number
        }
        let number = free.popLast() ?? Int32(names.count)
        if number == names.count {
            names.append(name)
            counts.append(1)
        } else {
            (names[Int(number)], counts[Int(number)]) = (name, 1)
        }
        numbers[name] = number
        return number
    }

    /// Counts one row less; a name without rows is forgotten.
    mutating func remove(_ number: Int32) {
        counts[Int(number)] -= 1
        if counts[Int(number)] > 0 { return }
        numbers[names[Int(number)]] = nil
        names[Int(number)] = ""
        free.append(number)
    }
}
