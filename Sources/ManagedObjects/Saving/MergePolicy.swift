/// What a save does about rows that somebody else changed since they were read, and about unique values that
/// somebody else's row has already.
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

    /// What others changed stays as they changed it; other properties are as they are here. A row that others
    /// deleted stays deleted.
    public static let mergeByPropertyStoreTrump = MergePolicy(rule: .storeTrump)

    /// What was changed here is written; other properties are as others changed them. A row that others
    /// deleted is written again.
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
    /// What the row's version was when it was read, and what it is: 0 for a row that is gone.
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

extension ManagedObjectContext {
    /// What a save does about other people's changes; ``MergePolicy/error`` from the start.
    public var mergePolicy: MergePolicy {
        get { withCore { $0.mergePolicy } }
        set { withCore { $0.mergePolicy = newValue } }
    }
}
