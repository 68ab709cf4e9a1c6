import Synchronization

/// Names one row of one store. May travel anywhere.
///
/// An object that was not saved yet has a temporary ID, which stays good after the save: a context finds the
/// object by it, whatever its permanent ID became.
///
/// Two words: where the row lives (interned, one a store and entity) and its key there. Comparing and hashing
/// look at those two and at no text.
public struct ManagedObjectID: Sendable {
    let home: StoreEntity
    /// The primary key, `Z_PK` in SQL, from 1; a negative number that no other object of this process has
    /// until the first save.
    public let key: Int64

    init(_ home: StoreEntity, key: Int64) { (self.home, self.key) = (home, key) }

    private static let lastTemporary = Atomic<Int64>(0)

    /// A new temporary ID.
    static func temporary(_ entity: EntityName) -> ManagedObjectID {
        let key = lastTemporary.subtract(1, ordering: .relaxed).newValue
        return ManagedObjectID(StoreEntity(promising: entity), key: key)
    }

    /// The name of the entity.
    public var entity: String { home.entity.text }

    /// The UUID of the store that has the row; nil before the first save.
    public var storeIdentifier: String? { home.storeIdentifier }

    /// Whether the object was never saved.
    public var isTemporaryID: Bool { key < 0 }

    /// The permanent ID once the object was saved, this one until then. Two IDs name one object when these
    /// are equal.
    public var current: ManagedObjectID { key < 0 ? home.kept ?? self : self }

    /// Said once, by the save that gave the row its key.
    func become(_ permanent: ManagedObjectID) { home.keep(permanent) }
}

/// Where rows live: one entity of one store, or, of a row that was not saved yet, the promise of such a
/// place.
///
/// Interned: there is one a store and entity in a process, so that IDs are compared by identity.
final class StoreEntity: Sendable {
    let entity: EntityName
    let storeIdentifier: String?
    /// From 0, one after the other in this process: what a context finds its tables of objects by.
    let number: Int
    /// The permanent ID that a placeholder became, and the store that the row is to go to.
    private let promise: Mutex<Promise>

    private struct Promise {
        var kept: ManagedObjectID?
        var assignedStore: String?
    }

    private struct Name: Hashable {
        let entity: EntityName, storeIdentifier: String
    }

    private static let homes = Mutex<[Name: StoreEntity]>([:])

    private init(_ entity: EntityName, _ storeIdentifier: String?, _ number: Int) {
        (self.entity, self.storeIdentifier, self.number) = (entity, storeIdentifier, number)
        promise = Mutex(Promise())
    }

    /// The home of a row that was not saved yet.
    fileprivate convenience init(promising entity: EntityName) { self.init(entity, nil, -1) }

    static func of(_ entity: EntityName, in storeIdentifier: String) -> StoreEntity {
        let name = Name(entity: entity, storeIdentifier: storeIdentifier)
        return homes.withLock { homes in
            if let home = homes[name] { return home }
            let home = StoreEntity(entity, storeIdentifier, homes.count)
            homes[name] = home
            return home
        }
    }

    fileprivate var kept: ManagedObjectID? { promise.withLock { $0.kept } }
    fileprivate func keep(_ id: ManagedObjectID) { promise.withLock { $0.kept = id } }

    /// The identifier of the store that a new row is to go to; nil for the first that takes it.
    var assignedStore: String? {
        get { promise.withLock { $0.assignedStore } }
        set { promise.withLock { $0.assignedStore = newValue } }
    }
}

extension ManagedObjectID: Hashable {
    /// Returns whether two values are the same.
    public static func == (a: ManagedObjectID, b: ManagedObjectID) -> Bool {
        a.key == b.key && a.home === b.home
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(key)
        hasher.combine(home.number)
    }
}

extension ManagedObjectID: CustomStringConvertible {
    /// `Mood/p12`, or `Mood/t3` before the first save.
    public var description: String { "\(entity)/\(key < 0 ? "t\(-key)" : "p\(key)")" }
}

extension ManagedObjectID: Codable {
    private enum CodingKeys: CodingKey { case store, entity, key }

    /// A permanent ID means the same row in another process; a temporary one means nothing there, and cannot
    /// be decoded.
    public func encode(to encoder: any Encoder) throws {
        let id = current
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(id.storeIdentifier, forKey: .store)
        try container.encode(id.entity, forKey: .entity)
        try container.encode(id.key, forKey: .key)
    }

    /// Decodes an ID.
    ///
    /// - Throws: `DecodingError` for IDs of unsaved objects and for invalid numbers.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let entity = EntityName(try container.decode(String.self, forKey: .entity))
        let store = try container.decode(String.self, forKey: .store)
        let key = try container.decode(Int64.self, forKey: .key)
        do { try self.init(.of(entity, in: store), stored: key) } catch {
            throw DecodingError.dataCorruptedError(forKey: .key, in: container, debugDescription: "\(error)")
        }
    }
}
