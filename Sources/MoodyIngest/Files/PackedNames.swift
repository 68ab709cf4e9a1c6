/// The names of many files in one buffer: 8 bytes per name beside its own, where an array of arrays takes 40.
struct PackedNames: Sendable {
    private var bytes: [UInt8] = []
    /// Where each name ends.
    private var ends: [Int] = []

    var count: Int { ends.count }

    mutating func append(_ name: some Collection<UInt8>) {
        bytes.append(contentsOf: name)
        ends.append(bytes.count)
    }

    subscript(index: Int) -> [UInt8] { Array(bytes[range(index)]) }

    private func range(_ index: Int) -> Range<Int> { (index == 0 ? 0 : ends[index - 1])..<ends[index] }

    /// Whether a name has these bytes. Makes no copy.
    func holds(_ name: [UInt8], at index: Int) -> Bool {
        let range = range(index)
        return range.count == name.count && bytes[range].elementsEqual(name)
    }

    /// Whether a name stands before other bytes, in the order of bytes. Makes no copy.
    func precedes(_ index: Int, _ name: [UInt8]) -> Bool {
        bytes[range(index)].lexicographicallyPrecedes(name)
    }

    /// Whether a name stands before another, in the order of bytes. Makes no copy.
    func precedes(_ first: Int, _ second: Int) -> Bool {
        bytes[range(first)].lexicographicallyPrecedes(bytes[range(second)])
    }

    /// The names at these indexes, in their order.
    func selecting(_ indexes: [Int32]) -> PackedNames {
        var chosen = PackedNames()
        chosen.bytes.reserveCapacity(bytes.count)
        chosen.ends.reserveCapacity(indexes.count)
        for index in indexes { chosen.append(bytes[range(Int(index))]) }
        return chosen
    }
}
