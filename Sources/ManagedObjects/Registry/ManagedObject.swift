/// An object with modeled properties, kept by a ``ManagedObjectContext`` and used on its queue only.
///
///     public final class Country: ManagedObject {
///         @Attribute public private(set) var code: Int16
///         @Relationship(inverse: \Mood.country) public private(set) var moods: Set<Mood>
///     }
///
/// Subclasses declare no initializer: contexts make objects. An object may be a *fault*: it knows its ID and
/// nothing else, until a property is asked for and its row is read.
open class ManagedObject: Hashable {
    /// Temporary until the first save.
    public internal(set) final var objectID: ManagedObjectID
    /// The description of the object's entity.
    public final let entity: EntityDescription
    /// Nil in a prototype.
    final let core: ContextCore?
    /// The state of a prototype; opaque here.
    final let recorder: AnyObject?

    /// Values, snapshot, version and status: see ``RowState``.
    final var rowState = RowState()
    /// Objects at the other ends, by slot, as far as anybody asked.
    final var related: [Int: Related] = [:]
    /// The faults that came together with this one, to be filled together.
    final var batch: FaultBatch?

    enum Related {
        case one(ManagedObject)
        case many(KnownMembers)
        /// The value of a ``Transient`` property.
        case value(Any)
    }

    /// For the framework, which alone can make a token.
    public required init(_ token: ObjectToken) {
        objectID = token.objectID
        entity = token.entity
        core = token.core
        recorder = token.recorder
    }

    deinit {
        core?.forget(self)
        if !related.isEmpty { releaseRelated() }
    }

    /// Releases the objects that only this one holds one after the other: a chain of a hundred thousand would
    /// otherwise be released by as many calls inside each other.
    private final func releaseRelated() {
        var objects: [ManagedObject] = []
        func collectRelated(_ object: ManagedObject) {
            for related in object.related.values {
                switch related {
                case .one(let other): objects.append(other)
                case .many(let known): objects.append(contentsOf: known.set ?? [])
                case .value: break
                }
            }
            object.related = [:]
        }
        collectRelated(self)
        while var object = objects.popLast() {
            if isKnownUniquelyReferenced(&object), !object.related.isEmpty { collectRelated(object) }
        }
    }

    /// The name of the class's entity: the class's name, unless a class says otherwise.
    open class var entityName: String { "\(self)" }
    /// Properties whose values, taken together, no two objects of the class share: lists of names.
    open class var uniquenessConstraints: [[String]] { [] }
    /// Indexes that a store keeps beside those of single attributes. They are no part of a version hash.
    open class var fetchIndexes: [FetchIndexDescription] { [] }
    /// The name of the entity in the previous version, for migrations; nil if unchanged.
    open class var renamingIdentifier: String? { nil }
    /// The names of properties in the previous version, by their current names.
    open class var renamingIdentifiers: [String: String] { [:] }
    /// Whether there are objects of subclasses only. A subclass inherits the answer, so that an abstract
    /// class says `override class var isAbstractEntity: Bool { self == Thing.self }`.
    open class var isAbstractEntity: Bool { false }

    /// Called once in the life of an object, when it was just inserted.
    open func awakeFromInsert() {}
    /// Called when the object's row was read.
    open func awakeFromFetch() {}
    /// Called when the object was given values of before, by undo, redo, rollback or a refresh: what was made
    /// of them is to be made anew.
    open func awake(fromSnapshotEvents events: SnapshotEvents) {}
    /// Called before the object's values are let go: it becomes a fault.
    open func willTurnIntoFault() {}
    /// Called when the object has become a fault.
    open func didTurnIntoFault() {}
    /// Called before the object is written; may change it.
    open func willSave() {}
    /// Called after the object's changes are on the disk.
    open func didSave() {}
    /// Called when the object is about to be deleted; its relationships still stand.
    open func prepareForDeletion() {}

    /// Called before a new object is saved, after the model's rules were looked at: a program's own rules,
    /// also those over several properties. May not change anything.
    ///
    /// - Throws: ``ValidationError``, whose failures are reported with all others; any other error is
    ///   reported by its text.
    open func validateForInsert() throws {}
    /// Called before a changed object is saved; throws to refuse the save.
    open func validateForUpdate() throws {}
    /// Called before a deleted object's row is removed; throws to refuse the save.
    open func validateForDelete() throws {}
    /// The properties for which ``validateValue(_:forKey:)`` says more than the model.
    open class var validatedKeys: [String] { [] }

    /// Whether `value` could be saved as the property. A class that adds rules calls `super` and names the
    /// property in ``validatedKeys``.
    ///
    /// - Throws: ``ValidationError``; ``FetchError`` for an unknown key or a value of another type.
    open func validateValue(_ value: Any?, forKey key: String) throws {
        checkQueue()
        let failures = try brokenRules(value, forKey: key)
        if !failures.isEmpty { throw ValidationError(failures: failures) }
    }

    /// The objects that are of the class.
    static func cast<Object: ManagedObject>(_ objects: [ManagedObject]) -> [Object] {
        let wanted = ObjectIdentifier(Object.self)
        guard objects.allSatisfy({ ObjectIdentifier(type(of: $0)) == wanted }) else {
            return objects.compactMap { $0 as? Object }
        }
        // A cast asks each object, which costs as much as making it; a look at its class costs nothing.
        // SAFETY: all are of this very class, and an array of references is laid out alike whatever they lead
        // to.
        return unsafe unsafeBitCast(objects, to: [Object].self)
    }

    /// Returns whether two values are the same.
    public static func == (a: ManagedObject, b: ManagedObject) -> Bool { a === b }
    /// Hashes what `==` compares.
    public final func hash(into hasher: inout Hasher) {
        core?.hashedObjects?.note(self)
        hasher.combine(ObjectIdentifier(self))
    }
}

/// Why an object got values of before.
///
/// - Source: Apple, NSSnapshotEventType.
public struct SnapshotEvents: OptionSet, Sendable {
    /// The bits of the options.
    public let rawValue: UInt8
    /// Creates options from bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Undo or redo.
    public static let undo = SnapshotEvents(rawValue: 1)
    /// After a rollback or a refresh that dropped changes.
    public static let rollback = SnapshotEvents(rawValue: 2)
    /// Somebody else's save was merged, or the row was read again.
    public static let refresh = SnapshotEvents(rawValue: 4)
}

@available(*, unavailable, message: "a managed object stays on its context's queue; send its reference")
extension ManagedObject: Sendable {}

/// The inputs of an object's initializer.
public struct ObjectToken {
    let core: ContextCore?
    let recorder: AnyObject?
    let objectID: ManagedObjectID
    let entity: EntityDescription
}

extension ManagedObject {
    /// Whether the object was deleted from its context. Values that were read before can still be read.
    public final var isDeleted: Bool {
        checkQueue()
        return status == .deleted || status == .detached
    }

    /// Whether the object was inserted and not saved yet.
    public final var isInserted: Bool {
        checkQueue()
        return status == .inserted
    }

    /// Whether the object was changed since it was saved.
    public final var isUpdated: Bool {
        checkQueue()
        return status == .saved && flags.contains(.updated)
    }

    /// Whether the object's row is still to be read.
    public final var isFault: Bool {
        checkQueue()
        return values.isEmpty && core != nil
    }

    /// Whether a save would write something for this object.
    public final var hasChanges: Bool { isInserted || isUpdated || status == .deleted }
}
