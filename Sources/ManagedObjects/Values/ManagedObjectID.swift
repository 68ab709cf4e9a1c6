import Synchronization

/// Names one row of a store. May travel anywhere.
///
/// An object that was not saved yet has a temporary ID, which stays good after the save: a context finds the
/// object by it, whatever its permanent ID became.
public struct ManagedObjectID: Sendable {
    let entityName: EntityName
    /// The primary key, `Z_PK` in SQL, from 1; a negative number that no other object of this process has
    /// until the first save.
    public let key: Int64
    private let promise: Promise?

    /// What a temporary ID becomes. Lives as long as somebody holds the ID.
    private final class Promise: Sendable {
        let key = Atomic<Int64>(0)
    }

    init(_ entity: EntityName, key: Int64) {
        (entityName, self.key, promise) = (entity, key, nil)
    }

    private static let lastTemporary = Atomic<Int64>(0)

    /// A new temporary ID.
    static func temporary(_ entity: EntityName) -> ManagedObjectID {
        let key = lastTemporary.subtract(1, ordering: .relaxed).newValue
        return ManagedObjectID(entity, key, Promise())
    }

    private init(_ entity: EntityName, _ key: Int64, _ promise: Promise) {
        (entityName, self.key, self.promise) = (entity, key, promise)
    }

    /// The name of the entity.
    public var entity: String { entityName.text }

    public var isTemporaryID: Bool { key < 0 }

    /// The permanent ID once the object was saved, this one until then. Two IDs name one object when these are
    /// equal.
    public var current: ManagedObjectID {
        guard let promised = promise?.key.load(ordering: .acquiring), promised != 0 else { return self }
        return ManagedObjectID(entityName, key: promised)
    }

    /// Said once, by the save that gave the row its key.
    func become(_ key: Int64) -> ManagedObjectID {
        promise?.key.store(key, ordering: .releasing)
        return ManagedObjectID(entityName, key: key)
    }
}

extension ManagedObjectID: Hashable {
    public static func == (a: ManagedObjectID, b: ManagedObjectID) -> Bool {
        a.key == b.key && a.entityName == b.entityName
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(key)
        hasher.combine(entityName)
    }
}

extension ManagedObjectID: CustomStringConvertible {
    /// `Mood/p12`, or `Mood/t3` before the first save.
    public var description: String { "\(entity)/\(key < 0 ? "t\(-key)" : "p\(key)")" }
}

extension ManagedObjectID: Codable {
    private enum CodingKeys: CodingKey { case entity, key }

    /// A permanent ID means the same row in another process; a temporary one means nothing there.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(entity, forKey: .entity)
        try container.encode(current.key, forKey: .key)
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            EntityName(try container.decode(String.self, forKey: .entity)),
            key: try container.decode(Int64.self, forKey: .key))
    }
}
