import Foundation
import Synchronization

/// Bytes for an attribute with external storage, written and synced to a file of their own by whoever made
/// them, or few enough to stay in the row.
///
/// Made on any thread by ``PersistentStoreCoordinator/stage(_:)``, named by a row with
/// `mood.setStaged(external, for: \.preview)`. Belongs to one object from then on, unless the change is
/// thrown away: a transaction that is run again gives it to the object it makes then. A file that no save
/// ever names is swept at a later opening.
public final class ExternalData: Sendable {
    /// How many bytes there are.
    public let count: Int
    private let column: Data
    private let isTaken = Atomic(false)

    init(count: Int, column: Data) { (self.count, self.column) = (count, column) }

    /// What the row holds. One row only: deleting it deletes the file.
    func take() -> StoredValue {
        if isTaken.exchange(true, ordering: .relaxed) { misuse("staged data was given to two objects") }
        return .blob(column)
    }

    /// What it was taken for was thrown away.
    func giveBack() { isTaken.store(false, ordering: .relaxed) }
}
