extension Array {
    /// The elements in their order, some at a time: what has a million IDs reads some hundred rows at once.
    package func parts(of size: Int) -> some Sequence<[Element]> {
        stride(from: 0, to: count, by: size).lazy.map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}
