public import ManagedObjects

/// A class whose objects are made from values that come from outside.
///
/// - Source: CoreStore's protocol of this name.
public protocol ImportableObject: ManagedObject {
    /// What an object is made from. A value: it comes from another queue.
    associatedtype ImportSource: Sendable

    /// False skips the source.
    static func shouldInsert(from source: ImportSource, in transaction: Transaction) -> Bool
    /// Fills a new object. What it throws ends the whole import.
    func didInsert(from source: ImportSource, in transaction: Transaction) throws
}

extension ImportableObject {
    public static func shouldInsert(from source: ImportSource, in transaction: Transaction) -> Bool { true }
}

/// A class whose objects are known by something in their sources: an object that is there is updated, else
/// one is made.
public protocol ImportableUniqueObject: ImportableObject {
    /// By what an object is known, as a product's number or a file's folder and name.
    associatedtype UniqueID: Hashable & Sendable

    /// Nil skips the source.
    static func uniqueID(from source: ImportSource, in transaction: Transaction) throws -> UniqueID?
    /// Which object has this ID.
    static func filter(uniqueID: UniqueID) -> Filter<Self>
    /// Says the ID of a new object, before it is filled.
    func setUniqueID(_ id: UniqueID)
    /// False leaves the object as it is.
    func shouldUpdate(from source: ImportSource, in transaction: Transaction) -> Bool
    /// Brings an object that is there up to date. What it throws ends the whole import.
    func update(from source: ImportSource, in transaction: Transaction) throws
}

extension ImportableUniqueObject {
    public func shouldUpdate(from source: ImportSource, in transaction: Transaction) -> Bool { true }
    /// A new object is filled as one that is there is updated.
    public func didInsert(from source: ImportSource, in transaction: Transaction) throws {
        try update(from: source, in: transaction)
    }
}

extension Transaction {
    /// Makes an object from a source; nil when the source is skipped.
    public func importObject<Object: ImportableObject>(
        _ type: Object.Type = Object.self, from source: Object.ImportSource
    ) throws -> Object? {
        guard Object.shouldInsert(from: source, in: self) else { return nil }
        let object = create(type)
        try object.didInsert(from: source, in: self)
        return object
    }

    /// Makes the object that a source is about, without looking whether it is there; nil when the source is
    /// skipped.
    ///
    /// For sources that are known to be new, and entities whose unique values say so at the save if one was
    /// not: ``StoreError/notUnique(entity:properties:values:)``. What was made is thrown away then, and can be
    /// imported with a look.
    ///
    /// - Complexity: no fetch.
    public func importNewObject<Object: ImportableUniqueObject>(
        _ type: Object.Type = Object.self, from source: Object.ImportSource
    ) throws -> Object? {
        guard let id = try Object.uniqueID(from: source, in: self) else { return nil }
        return try insert(type, id, source)
    }

    private func insert<Object: ImportableUniqueObject>(
        _ type: Object.Type, _ id: Object.UniqueID, _ source: Object.ImportSource
    ) throws -> Object? {
        guard Object.shouldInsert(from: source, in: self) else { return nil }
        let object = create(type)
        object.setUniqueID(id)
        try object.didInsert(from: source, in: self)
        return object
    }

    /// Brings the object that a source is about up to date, or makes it; nil when the source is skipped.
    ///
    /// - Complexity: one fetch by the unique ID, which wants an index on it.
    public func importUniqueObject<Object: ImportableUniqueObject>(
        _ type: Object.Type = Object.self, from source: Object.ImportSource
    ) throws -> Object? {
        guard let id = try Object.uniqueID(from: source, in: self) else { return nil }
        if let object = try fetchOne(FetchRequest(Object.filter(uniqueID: id))) {
            if object.shouldUpdate(from: source, in: self) { try object.update(from: source, in: self) }
            return object
        }
        return try insert(type, id, source)
    }
}
