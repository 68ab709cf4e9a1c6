/// An object's knowledge of its row: the values, those of the source before unsaved changes, and how the
/// object stands to its context.
///
/// Every change is a named transition in this file; no other file writes these properties. A transition that
/// cannot follow from the present status stops the program with a sentence.
struct RowState {
    /// How an object stands to the store.
    enum Status {
        /// New: the source has no row of it.
        case inserted
        case saved
        /// Deleted in the context; the row goes with the next save.
        case deleted
        /// Without a place in a context: deleted and saved, rolled back, or lost.
        case detached
    }

    /// Which lists of the context the object is in, so that most questions need no look at the lists.
    struct Flags: OptionSet {
        let rawValue: UInt8
        static let updated = Flags(rawValue: 1)
        static let pendingInsert = Flags(rawValue: 2)
        static let pendingUpdate = Flags(rawValue: 4)
        static let pendingRefresh = Flags(rawValue: 8)
        /// Refreshed only because a to-many relationship changed at its other end.
        static let pendingMembers = Flags(rawValue: 16)
    }

    /// The values by slot. Empty in a fault and in a prototype.
    private(set) var values: [StoredValue] = []
    /// The values that the source has, kept from the first change until the save.
    private(set) var snapshot: [StoredValue]?
    /// `Z_OPT` of the row.
    private(set) var version: Int64 = 0
    private(set) var status = Status.saved
    var flags: Flags = []

    var isFault: Bool { values.isEmpty }

    // MARK: Values

    /// Fills a fault with a row that was read. Moves the values out of `row`: copying those of a hundred
    /// thousand rows takes a tenth of their fetch.
    mutating func load(_ row: inout [StoredValue], version: Int64) {
        swap(&values, &row)
        self.version = version
    }

    /// Fills a fault that has no row with nulls or defaults.
    mutating func load(_ values: [StoredValue]) { self.values = values }

    /// Sets one value. The caller has told the change tracker, unless the value is what the source has.
    @inline(__always) mutating func set(_ value: StoredValue, at slot: Int) { values[slot] = value }

    /// Drops the values: they are read again at the next access.
    mutating func turnIntoFault() { values = [] }

    // MARK: Changes

    mutating func inserted(_ defaults: [StoredValue]) { (status, values) = (.inserted, defaults) }

    /// An object without a row is to be inserted with the values it has.
    mutating func insertedAgain() {
        (status, snapshot, version) = (.inserted, nil, 0)
        flags.remove(.updated)
    }

    /// Before the first change since the save: the source's values are put aside.
    mutating func willChange() {
        if snapshot == nil { snapshot = values }
        flags.insert(.updated)
    }

    /// Drops the knowledge of changes; the values stay.
    mutating func forgetChanges() {
        snapshot = nil
        flags.remove(.updated)
    }

    mutating func deleted() {
        switch status {
        case .inserted: status = .detached
        case .saved: status = .deleted
        case .deleted, .detached: misuse("an object that is gone was deleted again")
        }
    }

    /// An unsaved deletion is taken back. Changes made before it are changes again.
    mutating func revived() {
        if status != .deleted { misuse("an object that was not deleted came back") }
        status = .saved
        if snapshot != nil { flags.insert(.updated) }
    }

    /// Unsaved changes and an unsaved deletion are thrown away.
    mutating func rolledBack() {
        if let snapshot { values = snapshot }
        status = .saved
        forgetChanges()
    }

    /// The object has no row or no context any more. The values stay readable.
    mutating func detached() {
        status = .detached
        forgetChanges()
    }

    // MARK: The source

    /// A save wrote the values, as `version`.
    mutating func saved(version: Int64) {
        (status, self.version) = (.saved, version)
        forgetChanges()
    }

    /// A save found nothing of the row itself to write, or counted its version up.
    mutating func countVersion() { version += 1 }

    /// An unchanged object takes its row as it is now; slots in `kept` stay.
    mutating func refresh(_ row: [StoredValue], version: Int64, keeping kept: [Int] = []) {
        let mine = values
        values = row
        for slot in kept where mine.indices.contains(slot) { values[slot] = mine[slot] }
        (snapshot, self.version) = (nil, version)
        flags.remove(.updated)
    }

    /// A changed object takes its row as it is now below its changes: slots that were not changed get the
    /// row's values. The caller has told the change tracker of each.
    mutating func merge(_ row: [StoredValue], version: Int64, unchanged: [Int]) {
        for slot in unchanged { values[slot] = row[slot] }
        snapshot = row
        self.version = version
    }

    /// The next save is against this version of the row.
    mutating func rebase(version: Int64) { self.version = version }
}

extension ManagedObject {
    final var values: [StoredValue] { _read { yield rowState.values } }
    final var snapshot: [StoredValue]? { rowState.snapshot }
    final var version: Int64 { rowState.version }
    final var status: RowState.Status { rowState.status }
    final var flags: RowState.Flags { rowState.flags }
}
