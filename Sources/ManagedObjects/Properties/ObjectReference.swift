/// Names an object and its class. May travel anywhere; the object itself stays on its context's queue.
///
/// In a predicate it stands for the object, which cannot be captured there:
///
///     let germany = context.performAndWait { $0.insert(Country.self).reference }
///     request.predicate = #Predicate { $0.country?.reference == germany }
public struct ObjectReference<Object: ManagedObject>: Hashable, Sendable, Codable {
    /// The ID of the object.
    public let objectID: ManagedObjectID

    /// - Parameter objectID: of an object of the class; the caller has seen to that.
    package init(objectID: ManagedObjectID) { self.objectID = objectID }
}

// Recorded and compared as the ID, so that a key path may end in `.reference`.
extension ObjectReference: PredicateValue {
    /// The ID of the object.
    public var storedValue: StoredValue { .id(objectID) }
    static var sentinels: (Self, Self) {
        let home = StoreEntity.of(EntityName(Object.entityName), in: "prototypes")
        return (
            Self(objectID: ManagedObjectID(home, key: Int64.sentinels.0)),
            Self(objectID: ManagedObjectID(home, key: abs(Int64.sentinels.1)))
        )
    }
}

/// A protocol of ``ManagedObject`` that makes `Self` the class of the caller. A class's own method
/// cannot return a generic type of `Self`, and a class metatype does not open to its dynamic type.
public protocol Referable: ManagedObject {}
extension ManagedObject: Referable {}

extension Referable {
    /// Names this object, for other queues and for predicates.
    public var reference: ObjectReference<Self> {
        if let recorder = recorder as? Recorder { return recorder.noteKey(of: self) }
        return ObjectReference(objectID: objectID)
    }
}
