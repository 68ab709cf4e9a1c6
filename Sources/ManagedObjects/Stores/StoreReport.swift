/// The findings of a check of a whole store.
public struct StoreReport: Sendable, Equatable {
    /// SQLite's complaints; empty when the file is whole.
    public var damage: [String] = []
    /// Rows, by entity.
    public var counts: [String: Int] = [:]
    /// External files that rows name, and how many bytes they have together.
    public var externalFiles = 0, externalBytes = 0
    /// Files that rows name and that are not there: values that were lost.
    public var missingFiles: [String] = []
    /// Files that no row names: left over by a killed process, swept at the next opening for writing.
    public var leftOverFiles: [String] = []

    /// Whether neither damage nor missing files were found.
    public var isSound: Bool { damage.isEmpty && missingFiles.isEmpty }
}
