/// The check that every number from outside passes before it is used: keys, versions and counters of a store,
/// and keys of decoded IDs.
///
/// Files come from strangers, and a key below 1 would be taken for a temporary one: it would name whatever
/// object this process happened to insert first.
enum StoredNumber {
    /// Half of what fits: more than any store counts to, and no sum or negation of two overflows.
    static let greatest = Int64.max / 2
    /// The greatest `Z_ENT` of an entity; from 16,001 on the tables of the history follow.
    static let greatestEntity = 16_000

    /// - Throws: ``StoreError/unreadable(_:)``.
    @inline(__always)
    static func checked(_ number: Int64, from least: Int64, _ name: @autoclosure () -> String)
        throws(StoreError)
        -> Int64
    {
        if number >= least && number <= greatest { return number }
        throw .unreadable("\(name()) is \(number)")
    }

    /// A number that counts up from 0: a version, a greatest key.
    @inline(__always)
    static func counter(_ number: Int64, _ name: @autoclosure () -> String) throws(StoreError) -> Int64 {
        try checked(number, from: 0, name())
    }
}

extension ManagedObjectID {
    /// The ID of a row by a key that a store has.
    ///
    /// - Throws: ``StoreError/unreadable(_:)`` for a key that no row can have.
    @inline(__always)
    init(_ home: StoreEntity, stored key: Int64) throws(StoreError) {
        self.init(home, key: try StoredNumber.checked(key, from: 1, "a key of \(home.entity.text)"))
    }
}
