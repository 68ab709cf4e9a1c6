/// A list that grows in pieces of 4,096. It never moves, and never takes twice its room while it grows.
struct ChunkedArray<Element: Sendable>: RandomAccessCollection, Sendable {
    private var chunks: [[Element]] = []
    private(set) var endIndex = 0

    /// The bits of an index inside a piece.
    private static var bits: Int { 12 }

    var startIndex: Int { 0 }

    mutating func append(_ element: Element) {
        if endIndex & (1 << Self.bits - 1) == 0 {
            chunks.append([])
            // An array that grows by itself may have twice the room that it needs.
            if endIndex > 0 { chunks[chunks.count - 1].reserveCapacity(1 << Self.bits) }
        }
        chunks[chunks.count - 1].append(element)
        endIndex += 1
    }

    subscript(index: Int) -> Element { chunks[index >> Self.bits][index & (1 << Self.bits - 1)] }
}
