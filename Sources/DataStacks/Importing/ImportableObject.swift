public import ManagedObjects

/// A class whose objects are made from values that come from outside.
///
/// - Source: CoreStore's protocol of this name.
public protocol ImportableObject: ManagedObject {
    /// The type of sources that objects are made from: any type.
    associatedtype ImportSource

    /// False skips the source.
    static func shouldInsert(from source: ImportSource, in transaction: Transaction) -> Bool
    /// Fills a new object. What it throws ends the whole import.
    func didInsert(from source: ImportSource, in transaction: Transaction) throws
}

extension ImportableObject {
    /// Returns true: no source is skipped.
    public static func shouldInsert(from source: ImportSource, in transaction: Transaction) -> Bool { true }
}

/// A class whose objects are known by something in their sources: an object that is there is updated, else
/// one is made.
public protocol ImportableUniqueObject: ImportableObject {
    // Said again, so that it is inferred from `uniqueID(from:in:)` and `update(from:in:)`.
    associatedtype ImportSource
    /// The type of what objects are known by, as a product's number or a file's folder and name.
    associatedtype UniqueID: Hashable & Sendable

    /// The property that an object is known by. Several attributes together are a computed property of a type
    /// of their own.
    static var uniqueIDKeyPath: ReferenceWritableKeyPath<Self, UniqueID> { get }
    /// The object's own ID.
    var uniqueIDValue: UniqueID { get set }
    /// Reads the ID off a source; nil skips the source. What it throws ends the whole import.
    static func uniqueID(from source: ImportSource, in transaction: Transaction) throws -> UniqueID?
    /// A filter for the objects with these IDs, which may find others too. For one attribute it is there
    /// already.
    static func filter(uniqueIDs: [UniqueID]) -> Filter<Self>
    /// False leaves an object that is there as it is, and skips the source.
    func shouldUpdate(from source: ImportSource, in transaction: Transaction) -> Bool
    /// Brings an object that is there up to date. What it throws ends the whole import.
    func update(from source: ImportSource, in transaction: Transaction) throws
}

extension ImportableUniqueObject {
    /// The value at ``uniqueIDKeyPath``.
    public var uniqueIDValue: UniqueID {
        get { self[keyPath: Self.uniqueIDKeyPath] }
        set { self[keyPath: Self.uniqueIDKeyPath] = newValue }
    }

    /// Returns true: every object is updated.
    public func shouldUpdate(from source: ImportSource, in transaction: Transaction) -> Bool { true }

    /// A new object is filled as one that is there is updated.
    public func didInsert(from source: ImportSource, in transaction: Transaction) throws {
        try update(from: source, in: transaction)
    }
}

extension ImportableUniqueObject where UniqueID: AttributeValue {
    /// Matches objects whose unique ID is among these.
    public static func filter(uniqueIDs: [UniqueID]) -> Filter<Self> {
        Filter(uniqueIDKeyPath, isIn: uniqueIDs)
    }
}
