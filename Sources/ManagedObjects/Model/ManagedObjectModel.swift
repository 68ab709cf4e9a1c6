public import Foundation

/// The entities a store holds.
///
/// Owns what is known of entities; made once and never changed. Who stores them (table names, numbers) is
/// each store's own business.
public final class ManagedObjectModel: Sendable {
    /// In the order they were declared.
    public let entities: [EntityDescription]
    /// The names of this version of the model in a store's metadata.
    public let versionIdentifiers: [String]
    /// Which entities a store holds that is added under the name of a configuration.
    public let configurations: [String: [String]]
    /// Relationships from many to many, each once: one of its two sides, and the other when it is not itself.
    let joins: [Join]
    /// Requests that the model holds, by name.
    public let fetchRequestTemplates: [String: FetchRequestTemplate]
    let declarations: [EntityDeclaration]
    let derivedProperties: [DerivedProperty]
    let hasFetchedProperties: Bool
    /// Whether the model was read from a store or a compiled model, whose makers had other rules than ours:
    /// what cannot be modeled is left out, and nothing is refused.
    let isRecovered: Bool
    /// Whether the model was made up from the tables of a store that holds none: its names are those of
    /// columns, in small letters.
    public let isInferred: Bool
    /// Versions of the model that lack attributes of this one and are like it otherwise.
    package let earlierVersions: [ManagedObjectModel]
    /// The hashes that earlier releases of this library wrote, where they differ.
    let earlierVersionHashes: [String: Data]
    private let indexes: [String: Int]
    private let indexesByClass: [ObjectIdentifier: Int]
    /// Entities by the model's order: a superentity stands right before all that inherit from it.
    private let ordered: [Int]

    /// A side is an entity's index and a slot.
    struct Join: Sendable {
        let first: (entity: Int, slot: Int)
        let second: (entity: Int, slot: Int)
        /// A relationship that is its own inverse: everybody is as much their friend's friend.
        var isReflexive: Bool { first == second }
    }

    /// Ties declarations together.
    ///
    /// - Parameters:
    ///   - declarations: the entities.
    ///   - configurations: names, each with entities that a store of that configuration holds. A hierarchy of
    ///     entities stays together.
    ///   - versionIdentifiers: what a store's metadata calls this version of the model.
    ///   - fetchRequestTemplates: requests by name.
    /// - Throws: ``ModelError`` when a relationship leads out of the model, the two sides of one disagree, or
    ///   a name is used twice.
    public convenience init(
        entities declarations: [EntityDeclaration], configurations: [String: [String]] = [:],
        versionIdentifiers: [String] = ["1"], fetchRequestTemplates: [String: FetchRequestTemplate] = [:]
    ) throws(ModelError) {
        try self.init(
            entities: declarations, configurations, versionIdentifiers, fetchRequestTemplates,
            isRecovered: false)
    }

    /// - Parameters:
    ///   - isRecovered: see ``isRecovered``.
    ///   - earlierVersions: see ``earlierVersions``.
    init(
        entities declarations: [EntityDeclaration], _ configurations: [String: [String]],
        _ versionIdentifiers: [String], _ fetchRequestTemplates: [String: FetchRequestTemplate],
        isRecovered: Bool, isInferred: Bool = false, earlierVersions: [ManagedObjectModel] = []
    ) throws(ModelError) {
        self.earlierVersions = earlierVersions
        self.fetchRequestTemplates = fetchRequestTemplates
        (self.isRecovered, self.isInferred) = (isRecovered, isInferred)
        self.declarations = declarations
        hasFetchedProperties = declarations.contains { !$0.fetchedProperties.isEmpty }
        let assembly = try ModelAssembly(declarations, isRecovered: isRecovered)
        let hashes = VersionHash.hashes(assembly), earlier = EarlierVersionHash.hashes(assembly)
        earlierVersionHashes = Dictionary(
            uniqueKeysWithValues: declarations.indices.filter { hashes[$0] != earlier[$0] }.map {
                (declarations[$0].name, earlier[$0])
            })
        let entities = declarations.indices.map { index in
            EntityDescription(
                declarations[index], slots: assembly.slots[index], properties: assembly.properties(index),
                versionHash: hashes[index], index: index,
                rootIndex: assembly.roots[index], family: assembly.families[index],
                constraintSlots: assembly.constraintSlots(index),
                classBinding: declarations[index].binding?(assembly.slots[index]))
        }
        self.entities = entities
        derivedProperties = try Self.derivedProperties(entities, isRecovered: isRecovered) { entity in
            assembly.parents[entity.index].map { assembly.slots[$0].count } ?? 0
        }
        var byClass: [ObjectIdentifier: Int] = [:]
        for entity in entities {
            if let objectClass = entity.classBinding?.objectClass {
                byClass[ObjectIdentifier(objectClass)] = entity.index
            }
        }
        indexesByClass = byClass
        (indexes, ordered, joins) = (assembly.indexes, assembly.order, assembly.joins)
        (self.configurations, self.versionIdentifiers) = (configurations, versionIdentifiers)
        for (name, members) in configurations where !isRecovered {
            for member in members {
                guard let entity = entity(named: member),
                    family(of: entities[entity.rootIndex]).allSatisfy({ members.contains($0.name) })
                else { throw .configuration(name, entity: member) }
            }
        }
    }

    /// A model without entities.
    package static var empty: ManagedObjectModel {
        do { return try ManagedObjectModel(entities: []) } catch { misuse("\(error)") }
    }

    /// The entity called `name`, nil when the model has none.
    public func entity(named name: String) -> EntityDescription? { indexes[name].map { entities[$0] } }

    /// The entity of a class, nil when the model has none.
    func entity(of objectClass: AnyClass) -> EntityDescription? {
        indexesByClass[ObjectIdentifier(objectClass)].map { entities[$0] }
    }

    /// By entity: what a store's metadata must hold to be opened with this model.
    public var entityVersionHashes: [String: Data] {
        Dictionary(uniqueKeysWithValues: entities.map { ($0.name, $0.versionHash) })
    }

    /// Whether a store's recorded hashes are this model's for `entities`, by today's rules or by those of
    /// earlier releases.
    ///
    /// - Returns: the names of the entities that differ.
    func difference(_ stored: RecordedVersion, _ entities: [EntityDescription]) -> [String] {
        let ours = Dictionary(uniqueKeysWithValues: entities.map { ($0.name, $0.versionHash) })
        return Set(stored.hashes.keys).union(ours.keys).filter { name in
            guard let hash = stored.hashes[name], let own = ours[name] else { return true }
            let earlier = stored.mayBeEarlier ? earlierVersionHashes[name] : nil
            return hash != own && hash != earlier
        }.sorted()
    }

    /// Whether a store's recorded hashes are those of one of the ``earlierVersions``.
    func isEarlier(_ stored: RecordedVersion, _ entities: [EntityDescription]) -> Bool {
        let names = Set(entities.map(\.name))
        return earlierVersions.contains { earlier in
            earlier.difference(stored, earlier.entities.filter { names.contains($0.name) }).isEmpty
        }
    }

    func destination(of relationship: RelationshipDescription) -> EntityDescription {
        entities[relationship.destination]
    }

    /// `entity` and all that inherit from it, the higher first.
    func family(of entity: EntityDescription) -> [EntityDescription] {
        entity.family.map { entities[ordered[$0]] }
    }

    func superentity(of entity: EntityDescription) -> EntityDescription? {
        entity.superentityName.flatMap { self.entity(named: $0) }
    }

    /// The highest entity that has the slot: who declares the property.
    func declarer(of slot: Int, in entity: EntityDescription) -> EntityDescription {
        guard let parent = superentity(of: entity), slot < parent.slots.count else { return entity }
        return declarer(of: slot, in: parent)
    }

    /// The entities that a store of `configuration` holds; all of them without one.
    ///
    /// - Returns: nil when the model has no such configuration.
    package func entities(in configuration: String?) -> [EntityDescription]? {
        guard let configuration else { return entities }
        return configurations[configuration].map { names in entities.filter { names.contains($0.name) } }
    }
}
