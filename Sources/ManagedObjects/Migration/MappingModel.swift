/// A mapping of the objects of one version of a model to another version.
///
/// Everything without a mapping is inferred, as Core Data's lightweight migration does it. An entity, an
/// attribute or a relationship goes to the one of its name, or to the one whose renaming identifier names it.
/// Entities and properties may come and go; an attribute may become optional, or required where it has a
/// default for objects without a value; a number may become wider; a relationship may go from to one to to
/// many, and get an order or lose it; properties and entities may move in a hierarchy. What would have to be
/// guessed is a problem.
///
/// - Source: Apple, "Using lightweight migration"; wider numbers are ours.
public struct MappingModel: Sendable {
    /// The model before.
    public let source: ManagedObjectModel
    /// The model after.
    public let destination: ManagedObjectModel
    /// A mapping per entity with objects, in the order of the destination; removed entities last.
    public let entityMappings: [EntityMapping]
    /// Whether somebody said something that could not be inferred.
    public let isInferred: Bool
    let routes: [EntityRoute]

    /// - Parameters:
    ///   - source: The model that a store was written with.
    ///   - destination: The model that it is brought to.
    ///   - mappings: what cannot be inferred.
    /// - Throws: ``MigrationError/mapping(_:)`` with everything that is wrong.
    public init(
        from source: ManagedObjectModel, to destination: ManagedObjectModel,
        entities mappings: [EntityMapping] = []
    ) throws {
        var inference = MappingInference(source, destination, mappings)
        (entityMappings, routes) = inference.infer()
        if !inference.problems.isEmpty { throw MigrationError.mapping(inference.problems) }
        (self.source, self.destination, isInferred) = (source, destination, mappings.isEmpty)
    }
}

/// An entity before and after, and where each slot's value comes from.
struct EntityRoute: Sendable {
    enum Origin: Sendable {
        /// A slot of the old object.
        case slot(Int)
        /// What became of the objects at the end of a path of relationships.
        case targets(TargetPath)
        case initial
        case computed(@Sendable (MigrationSource) throws -> any PredicateValue)
        /// Written with the objects that lead here.
        case none
    }

    let source: EntityDescription
    let destination: EntityDescription
    /// By the destination's slot.
    var origins: [Origin]
    let policy: (any EntityMigrationPolicy)?

    func sourceSlot(_ slot: Int) -> Int? { if case .slot(let slot) = origins[slot] { slot } else { nil } }

    /// The path of a relationship: of one name unless a mapping says another.
    func targetPath(_ slot: Int) -> TargetPath? {
        switch origins[slot] {
        case .slot(let before) where source.relationship(at: before) != nil:
            TargetPath(names: [source.slots[before].name])
        case .targets(let path): path
        default: nil
        }
    }
}

/// A path of relationships from an object before, and the entity mapping that its targets went by.
struct TargetPath: Sendable {
    let names: [String]
    /// The source entity of the mapping; nil for any mapping.
    var sourceEntity: String?
    var destinationEntity: String?

    /// Relationships of a path in order.
    ///
    /// - Returns: Nil where a name is no relationship.
    func relationships(from entity: EntityDescription, _ model: ManagedObjectModel)
        -> [RelationshipDescription]?
    {
        var current = entity
        var found: [RelationshipDescription] = []
        for name in names {
            guard let relationship = current.slot(of: name).flatMap({ current.relationship(at: $0) }) else {
                return nil
            }
            found.append(relationship)
            current = model.destination(of: relationship)
        }
        return found
    }
}
