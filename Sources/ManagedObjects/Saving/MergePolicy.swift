/// A rule for saving rows that another context changed since they were read, and unique values that
/// another row already has.
///
/// - Source: Apple, NSMergePolicy reference: which side wins, and whether property by property.
public struct MergePolicy: Sendable {
    enum Rule: Sendable {
        case error, storeTrump, objectTrump, overwrite, rollback
        case custom(Resolver)
    }

    /// A class, since a policy whose rule gives back policies is a circle that the optimizer refuses.
    final class Resolver: Sendable {
        let resolve: @Sendable (MergeConflict) throws -> MergePolicy
        init(_ resolve: @escaping @Sendable (MergeConflict) throws -> MergePolicy) { self.resolve = resolve }
    }

    let rule: Rule

    /// The save fails with ``StoreError/conflict(_:)`` or
    /// ``StoreError/notUnique(entity:properties:values:)``.
    public static let error = MergePolicy(rule: .error)

    /// Keeps the properties that the other context changed, and saves the others from here. A row that the
    /// other context deleted stays deleted.
    public static let mergeByPropertyStoreTrump = MergePolicy(rule: .storeTrump)

    /// Saves the properties that were changed here, and keeps the others from the other context. A row that
    /// the other context deleted is written again.
    public static let mergeByPropertyObjectTrump = MergePolicy(rule: .objectTrump)

    /// The object is written whole, as it is here, and what others changed in it is lost.
    public static let overwrite = MergePolicy(rule: .overwrite)

    /// The object becomes what others made of it, and what was changed here is lost.
    public static let rollback = MergePolicy(rule: .rollback)

    /// `resolve` is asked about each conflict, on the context's queue; it gives back the policy that is to
    /// decide, or throws what the save is to throw. Asked before anything is changed.
    public static func custom(_ resolve: @escaping @Sendable (MergeConflict) throws -> MergePolicy)
        -> MergePolicy
    {
        MergePolicy(rule: .custom(Resolver(resolve)))
    }
}

/// An object that was changed here and by somebody else.
public struct MergeConflict {
    /// With the values that were to be saved.
    public let sourceObject: ManagedObject
    /// The version of the row when it was read, and its version now: 0 for a deleted row.
    public let oldVersionNumber: Int64, newVersionNumber: Int64
    let snapshot: [StoredValue]
    let row: [StoredValue]?

    /// Whether somebody else deleted the row.
    public var isDeletedInStore: Bool { row == nil }

    /// The value that was read.
    ///
    /// - Throws: ``FetchError/unknownKey(entity:key:)``
    public func cachedValue(forKey key: String) throws(FetchError) -> StoredValue {
        readable(snapshot[try sourceObject.slot(forKey: key)])
    }

    /// Null for a large value that cannot be read any more.
    private func readable(_ value: StoredValue) -> StoredValue { (try? value.resolved()) ?? .null }

    /// The value that the row has now; null when it is gone.
    ///
    /// - Throws: ``FetchError/unknownKey(entity:key:)``
    public func persistedValue(forKey key: String) throws(FetchError) -> StoredValue {
        let slot = try sourceObject.slot(forKey: key)
        return row.map { readable($0[slot]) } ?? .null
    }
}
