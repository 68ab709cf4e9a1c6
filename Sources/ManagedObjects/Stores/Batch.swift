import Foundation

/// A change of many rows at once.
enum Batch: Sendable {
    case insert(EntityDescription, [BatchRow], UniqueRowRule)
    case update(FetchDescription, [Int: StoredValue])
    case delete(FetchDescription)

    /// Whether a unique value that a stored row has is no error.
    var settlesUniqueValues: Bool {
        if case .insert(_, _, let rule) = self { rule != .refuse } else { false }
    }
}

/// A row of a batch insert.
struct BatchRow: Sendable {
    /// By slot; defaults where the request gives none.
    var values: [StoredValue]
    /// The slots that the request gives.
    var given: Set<Int>
}

/// The fate of a row whose unique values a stored row, or an earlier row of the batch, already has.
enum UniqueRowRule: Sendable {
    /// It is inserted, and the store refuses the batch.
    case refuse
    /// It is left out.
    case leaveOut
    /// The given values are set in the row that is there.
    case setGiven
    /// All values are set in the row that is there.
    case setAll
}
