package import DataStacks

/// Something that stores of earlier versions lack, and what makes it.
package struct StoreUpkeep: Sendable {
    private let key: String, version: String
    /// What is told before the work, "indexing the colors of"; nil where nobody would notice it.
    package let purpose: String?
    private let work: @Sendable (DataStack, (Int) -> Void) throws -> Void

    /// - Parameters:
    ///   - key: of the mark in the store's metadata.
    ///   - version: of the work: what an earlier one did is done anew.
    ///   - work: may be cut off anywhere, and is begun again then.
    package init(
        key: String, version: String, purpose: String? = nil,
        work: @escaping @Sendable (_ stack: DataStack, _ willBegin: (_ moods: Int) -> Void) throws -> Void
    ) {
        (self.key, self.version, self.purpose, self.work) = (key, version, purpose, work)
    }

    /// - Throws: ``StoreError``.
    package func isDone(in stack: DataStack) throws -> Bool { try stack.metadata(key) == version }

    /// Does the work, anew if it was done; its mark comes last.
    ///
    /// - Parameter willBegin: called with the number of moods before the first, if there is one.
    /// - Throws: ``StoreError``.
    package func run(in stack: DataStack, willBegin: (_ moods: Int) -> Void = { _ in }) throws {
        try work(stack, willBegin)
        try stack.setMetadata([key: version])
    }
}
