public import Foundation
import Synchronization

/// The entities a store holds.
public final class ManagedObjectModel: Sendable {
    /// In the order they were declared.
    public let entities: [EntityDescription]
    /// What the store's metadata calls this version of the model.
    public let versionIdentifiers: [String]
    private let indexes: [String: Int]
    /// By root entity's index.
    private let tables: Mutex<[Int: TableLayout]>

    /// Ties the declarations together.
    ///
    /// - Throws: ``ModelError`` when a relationship leads out of the model, or the two sides of one disagree.
    init(_ declarations: [EntityDeclaration], versionIdentifiers: [String]) throws(ModelError) {
        var indexes: [String: Int] = [:]
        for (index, declaration) in declarations.enumerated() {
            guard indexes.updateValue(index, forKey: declaration.name) == nil else {
                throw .duplicateEntity(declaration.name)
            }
        }
        let properties = try tied(declarations, indexes)
        let numbers = storeNumbers(declarations)
        let superNames = Set(declarations.compactMap(\.superentityName))
        let hashes = VersionHash.hashes(of: declarations, indexes)
        entities = declarations.indices.map { index in
            EntityDescription(
                declarations[index], properties: properties[index], versionHash: hashes[index], index: index,
                rootIndex: root(of: index, declarations, indexes),
                number: numbers[declarations[index].name] ?? 0,
                hasSubentities: superNames.contains(declarations[index].name))
        }
        self.indexes = indexes
        self.versionIdentifiers = versionIdentifiers
        tables = Mutex([:])
    }

    /// The entity called `name`, nil when the model has none.
    public func entity(named name: String) -> EntityDescription? { indexes[name].map { entities[$0] } }

    /// By entity: what a store's metadata must hold to be opened with this model.
    public var entityVersionHashes: [String: Data] {
        Dictionary(uniqueKeysWithValues: entities.map { ($0.name, $0.versionHash) })
    }

    /// The table that holds `entity`.
    func table(of entity: EntityDescription) -> TableLayout {
        if let table = tables.withLock({ $0[entity.rootIndex] }) { return table }
        let table = TableLayout(family: family(of: entities[entity.rootIndex]), in: self)
        tables.withLock { $0[entity.rootIndex] = table }
        return table
    }

    func destination(of relationship: RelationshipDescription) -> EntityDescription {
        entities[relationship.destination]
    }

    /// `entity` and all that inherit from it, the higher first.
    func family(of entity: EntityDescription) -> [EntityDescription] {
        [entity]
            + entities.filter { $0.superentityName == entity.name }
            .flatMap { entity.hasSubentities ? family(of: $0) : [] }
    }
}

/// Finds each relationship's destination and inverse.
private func tied(_ declarations: [EntityDeclaration], _ indexes: [String: Int]) throws(ModelError)
    -> [[PropertyDescription]]
{
    var result: [[PropertyDescription]] = []
    for declaration in declarations {
        var properties: [PropertyDescription] = []
        for property in declaration.properties {
            guard case .relationship(var relationship) = property else {
                properties.append(property)
                continue
            }
            guard let destination = indexes[relationship.destinationName] else {
                throw .missingDestination(
                    entity: declaration.name, property: relationship.name,
                    destination: relationship.destinationName)
            }
            let other = declarations[destination].properties
            guard let slot = other.firstIndex(where: { $0.name == relationship.inverseName }),
                case .relationship(let inverse) = other[slot], inverse.inverseName == relationship.name
            else { throw .inverseMismatch(entity: declaration.name, property: relationship.name) }
            if relationship.isToMany && inverse.isToMany {
                throw .unsupported(
                    entity: declaration.name, property: relationship.name, feature: "many to many")
            }
            relationship.destination = destination
            relationship.inverseSlot = slot
            relationship.inverseIsToMany = inverse.isToMany
            properties.append(.relationship(relationship))
        }
        for name in declaration.uniquenessConstraints.joined()
        where !properties.contains(where: { $0.name == name }) {
            throw .unknownProperty(entity: declaration.name, property: name)
        }
        result.append(properties)
    }
    return result
}

/// `Z_ENT`: from 1, roots by name, each followed by its sub-entities.
///
/// - Source: `Z_PRIMARYKEY` of Apple-written stores.
private func storeNumbers(_ declarations: [EntityDeclaration]) -> [String: Int] {
    var numbers: [String: Int] = [:]
    func visit(_ parent: String?) {
        for child in declarations.filter({ $0.superentityName == parent }).sorted(by: { $0.name < $1.name }) {
            numbers[child.name] = numbers.count + 1
            visit(child.name)
        }
    }
    visit(nil)
    return numbers
}

private func root(of index: Int, _ declarations: [EntityDeclaration], _ indexes: [String: Int]) -> Int {
    guard let parent = declarations[index].superentityName.flatMap({ indexes[$0] }) else { return index }
    return root(of: parent, declarations, indexes)
}
