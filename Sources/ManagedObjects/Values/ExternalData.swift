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
    private struct State {
        /// Nil once a save made a row of it.
        var value: StoredValue?
        var isTaken = false
    }
    private let state: Mutex<State>

    init(count: Int, value: StoredValue) {
        self.count = count
        state = Mutex(State(value: value))
    }

    /// The value for one row; deleting the row deletes the file.
    func consume() -> StoredValue {
        let value = state.withLock { state in
            defer { state.isTaken = true }
            return state.isTaken ? nil : state.value
        }
        guard let value else { misuse("staged data was given to two objects") }
        return value
    }

    /// The change that took it was thrown away.
    func giveBack() { state.withLock { $0.isTaken = false } }

    /// A row names it now, and keeps it.
    func didSave() { state.withLock { $0.value = nil } }
}
