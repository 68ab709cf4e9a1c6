import Foundation
import Synchronization

/// Bytes for an attribute with external storage, written and synced to a file of their own by whoever made
/// them, or few enough to stay in the row.
///
/// Made on any thread by ``PersistentStoreCoordinator/stage(_:)``, named by a row with
/// `mood.setStaged(external, for: \.preview)`. Belongs to one object from then on, unless the change is
/// thrown away: a transaction that is run again gives it to the object it makes then. A file that no save
/// names goes with the last reference to it.
public final class ExternalData: Sendable {
    /// How many bytes there are.
    public let count: Int
    private let value: StoredValue
    private let isTaken = Atomic(false)

    init(count: Int, value: StoredValue) { (self.count, self.value) = (count, value) }

    /// What the row holds. One row only: deleting it deletes the file.
    func take() -> StoredValue {
        if isTaken.exchange(true, ordering: .relaxed) { misuse("staged data was given to two objects") }
        return value
    }

    /// What it was taken for was thrown away.
    func giveBack() { isTaken.store(false, ordering: .relaxed) }
}
