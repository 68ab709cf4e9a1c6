/// A rule for the objects of one entity in a migration.
///
/// Properties without a mapping are inferred: see ``MappingModel``.
public struct EntityMapping: Sendable {
    /// A kind of mapping.
    public enum Kind: String, Sendable {
        /// The entity is new: nothing of the old store goes there.
        case added
        /// The entity is gone, and its objects with it.
        case removed
        /// The entity is unchanged.
        case copied
        /// Properties came, went, or changed.
        case transformed
        /// A policy decides.
        case custom
    }

    /// The name of the entity before; nil for one that was added.
    public let sourceEntityName: String?
    /// And after; nil for one that was removed.
    public let destinationEntityName: String?
    /// By the name of the property after. Those that are inferred too, once the entity is part of a model.
    public internal(set) var propertyMappings: [String: PropertyMapping]
    /// The kind of mapping.
    public internal(set) var kind: Kind
    /// Code that creates the objects, if a mapping of properties is not enough.
    public let policy: (any EntityMigrationPolicy)?

    /// - Parameters:
    ///   - source: the entity before.
    ///   - destination: the entity after; nil when its objects are to go.
    ///   - properties: by the name after: where each value comes from.
    ///   - policy: who makes the objects, where one for one is not enough.
    public init(
        from source: String, to destination: String?, properties: [String: PropertyMapping] = [:],
        policy: (any EntityMigrationPolicy)? = nil
    ) {
        (sourceEntityName, destinationEntityName) = (source, destination)
        (propertyMappings, self.policy) = (properties, policy)
        kind = policy != nil ? .custom : destination == nil ? .removed : .transformed
    }

    init(adding destination: String) {
        (sourceEntityName, destinationEntityName, propertyMappings) = (nil, destination, [:])
        (kind, policy) = (.added, nil)
    }
}

/// Where the value of a property comes from.
public enum PropertyMapping: Sendable {
    /// A property of the old object, or a path to one: an attribute as it is, a relationship to what its
    /// targets became. A path may lead through relationships: through those to one for an attribute
    /// (`maker.name`), through any for a relationship (`countries.moods`: the moods of all countries).
    case property(String)
    /// The targets at a path, as far as they were objects of one entity and became objects of another. For
    /// entities whose objects become several.
    case targets(String, from: String, to: String)
    /// The default value of a new object.
    case defaultValue
    /// Computed from the object before. Only for attributes.
    case value(@Sendable (MigrationSource) throws -> any PredicateValue)
}

/// Makes the objects of one entity, where a mapping of properties is not enough: several out of one, one out
/// of several, or some of them only.
///
/// A step calls, for each entity with a policy: ``begin(_:)``, ``createObjects(for:in:)`` for each object
/// before; then, once all objects of all entities are there, ``createRelationships(of:for:in:)`` for each;
/// then ``validate(_:)`` for all. What one of them throws ends the migration, and the store is what it was.
public protocol EntityMigrationPolicy: Sendable {
    func begin(_ manager: MigrationManager) throws
    /// - Returns: what became of `source`: relationships that led to it will lead there. Nothing when it
    ///   goes.
    func createObjects(for source: MigrationSource, in manager: MigrationManager) throws -> [MigrationObject]
    func createRelationships(
        of objects: [MigrationObject], for source: MigrationSource, in manager: MigrationManager) throws
    func validate(_ manager: MigrationManager) throws
}

extension EntityMigrationPolicy {
    /// Does nothing.
    public func begin(_ manager: MigrationManager) throws {}

    /// Makes one object per source, as the properties are mapped.
    public func createObjects(for source: MigrationSource, in manager: MigrationManager) throws
        -> [MigrationObject]
    { [try manager.makeObject(for: source)] }

    /// As the properties are mapped.
    public func createRelationships(
        of objects: [MigrationObject], for source: MigrationSource, in manager: MigrationManager
    ) throws {
        for object in objects { try manager.copyRelationships(of: source, to: object) }
    }

    /// Does nothing.
    public func validate(_ manager: MigrationManager) throws {}
}
