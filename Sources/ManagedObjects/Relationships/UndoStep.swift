/// A change, with the data to undo it.
enum UndoStep {
    /// A value, and what it was.
    case value(ManagedObject, slot: Int, before: StoredValue)
    /// A transient value.
    case transient(ManagedObject, slot: Int, before: Any?)
    /// A member of a relationship to many, and whether it was there.
    case member(ManagedObject, of: RelationshipGraph.Key, wasThere: Bool)
    /// The order of a relationship before the round's first change of it.
    case order([ManagedObject], of: RelationshipGraph.Key)
    case insertion(ManagedObject)
    /// With the members of its relationships to many.
    case deletion(ManagedObject, pairs: [Pair])

    struct Pair {
        let slot: Int
        let member: ManagedObject
    }

    func object(in core: ContextCore) -> ManagedObject? {
        switch self {
        case .value(let object, _, _), .transient(let object, _, _), .insertion(let object),
            .deletion(let object, _), .member(let object, _, _):
            object
        case .order(_, let key): core.registry.object(key.owner.current)
        }
    }
}
