/// What a context wants written: all of it or nothing.
struct SaveRequest: Sendable {
    var inserts: [Insert] = []
    var updates: [Update] = []
    var deletes: [Delete] = []

    struct Insert: Sendable {
        let entity: EntityDescription
        /// Negative. A key elsewhere in the request may refer to it.
        let temporaryKey: Int64
        /// One a slot.
        let values: [StoredValue]
        /// Slot to `Z_ENT` of what a key leads to, where the destination is a hierarchy.
        let targetNumbers: [Int: Int]
    }

    struct Update: Sendable {
        let entity: EntityDescription
        let key: Int64
        /// `Z_OPT` as it was read; the save fails when it is another by now.
        let version: Int64
        let slots: [Int]
        let values: [StoredValue]
        let targetNumbers: [Int: Int]
    }

    struct Delete: Sendable {
        let entity: EntityDescription
        let key: Int64
        let version: Int64
    }
}
