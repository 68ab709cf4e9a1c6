/// The names of many files in a few buffers: 4 bytes per name beside its own; an array of arrays takes 40.
struct PackedNames: Sendable {
    /// Names one behind the other.
    private struct Chunk {
        var bytes: [UInt8] = []
        /// Where each name ends.
        var ends: [UInt32] = []

        /// A copy that has no unused room.
        var trimmed: Chunk { Chunk(bytes: bytes.map(\.self), ends: ends.map(\.self)) }

        func range(_ index: Int) -> Range<Int> {
            (index == 0 ? 0 : Int(ends[index - 1]))..<Int(ends[index])
        }
    }

    private var chunks: [Chunk] = []
    private(set) var count = 0
    private static let size = 4_096

    mutating func append(_ name: some Collection<UInt8>) {
        if count % Self.size == 0 {
            if let full = chunks.popLast() { chunks.append(full.trimmed) }
            chunks.append(Chunk())
        }
        let last = chunks.count - 1
        chunks[last].bytes.append(contentsOf: name)
        chunks[last].ends.append(UInt32(chunks[last].bytes.count))
        count += 1
    }

    /// The bytes of a name, where they are: not to be kept.
    private func slice(_ index: Int) -> ArraySlice<UInt8> {
        let chunk = chunks[index / Self.size]
        return chunk.bytes[chunk.range(index % Self.size)]
    }

    subscript(index: Int) -> [UInt8] { Array(slice(index)) }

    /// Whether a name has these bytes. Makes no copy.
    func holds(_ name: [UInt8], at index: Int) -> Bool { slice(index).elementsEqual(name) }

    /// Whether a name stands before other bytes, in the order of bytes. Makes no copy.
    func precedes(_ index: Int, _ name: [UInt8]) -> Bool { slice(index).lexicographicallyPrecedes(name) }

    /// Whether a name stands before another, in the order of bytes. Makes no copy.
    func precedes(_ first: Int, _ second: Int) -> Bool {
        slice(first).lexicographicallyPrecedes(slice(second))
    }
}
