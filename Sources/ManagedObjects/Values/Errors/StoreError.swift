/// Why a store cannot be used. Each description is one line without the store's path: who knows it puts it in
/// front.
public enum StoreError: Error, Equatable {
    /// The file is not SQLite, or SQLite without Core Data's tables. Nothing in it was changed.
    case notAStore
    /// The store was written with other versions of these entities.
    case incompatible(entities: [String])
    /// Another process holds the store in a way that excludes ours.
    case inUse
    /// SQLite refused.
    case sqlite(code: Int32, message: String, sql: String?)
    /// The operating system refused: a file beside the store, and `errno`.
    case file(String, errno: Int32)
    /// A row that this context changed was changed or deleted in the store since it was read.
    case conflict(ManagedObjectID)
    /// Two rows would have the same values where a uniqueness constraint forbids it. The values stand in the
    /// order of the properties; none are known where a store reports only the columns.
    case notUnique(entity: String, properties: [String], values: [StoredValue] = [])
    /// An object was used whose row somebody else deleted.
    case objectGone(ManagedObjectID)
    /// A store that was opened for reading was to be written.
    case readOnly
    /// A coordinator without a store was asked for rows.
    case noStore
    /// An ID names a row of a store that the coordinator does not have.
    case otherStore(ManagedObjectID)
    /// No store of the coordinator takes objects of this entity.
    case noStoreFor(entity: String)
    /// A text holds U+0000, at which programs that read the store would end it.
    case textWithNUL(ManagedObjectID, property: String)
    /// A program's own metadata were to get a key that is Core Data's: it begins with NS or _NS.
    case reservedMetadata(String)
    /// The coordinator has this store already.
    case alreadyAdded
    /// A store's file cannot be read, and why.
    case unreadable(String)
    /// A store can be read and not be written, and why.
    case unwritable(String)
    /// Somebody else wrote a store's file since it was read; what they wrote was not overwritten.
    case changedByOthers
    /// Another program has brought the store to another version of its model since it was opened.
    case modelChanged
    /// Another store lies where this one was when it was opened.
    case replaced
}

extension StoreError: CustomStringConvertible {
    /// A sentence for people.
    public var description: String {
        switch self {
        case .notAStore: "not a Core Data store"
        case .incompatible(let entities):
            "of another model, or written by another version of it: \(entities.joined(separator: ", ")) "
                + (entities.count == 1 ? "differs" : "differ")
        case .inUse: "in use by another process"
        case .sqlite(let code, let message, _): "SQLite error \(code): \(message)"
        case .file(let name, let errno): "\(name): \(systemMessage(errno))"
        case .conflict(let id): "\(id) was changed by someone else since it was read"
        case .notUnique(let entity, let properties, let values):
            "two \(entity) objects with the same \(properties.joined(separator: ", "))"
                + (values.isEmpty
                    ? "" : ": \(values.map(\.shortDescription).joined(separator: ", "))")
        case .objectGone(let id): "\(id) no longer exists"
        case .readOnly: "opened for reading only"
        case .noStore: "no store was added"
        case .otherStore(let id): "\(id) is in a store that was not added"
        case .noStoreFor(let entity): "no store takes objects of \(entity)"
        case .textWithNUL(let id, let property): "\(id).\(property) holds a NUL character"
        case .reservedMetadata(let key): "the metadata \(key) are the store's own"
        case .alreadyAdded: "added to this coordinator already"
        case .unreadable(let reason): "cannot be read: \(reason)"
        case .unwritable(let reason): "cannot be written to: \(reason)"
        case .changedByOthers: "changed by another program since it was read"
        case .replaced: "replaced by another store since it was opened"
        case .modelChanged: "brought to another version of its model by another program since it was opened"
        }
    }
}
