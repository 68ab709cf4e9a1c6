public import Foundation

/// An entity of a model: its name, its properties, and how it stands to the others.
public final class EntityDescription: Sendable {
    public let name: String
    /// Inherited ones included, in slot order.
    public let properties: [PropertyDescription]
    /// The entity this one inherits from.
    public let superentityName: String?
    public let isAbstract: Bool
    /// Each a list of properties whose values, taken together, no two objects share.
    public let uniquenessConstraints: [[String]]
    /// By this a store and a model know that they fit. 32 bytes.
    public let versionHash: Data

    /// The place in the model's list.
    let index: Int
    /// The entity at the top of the hierarchy: it has the table.
    let rootIndex: Int
    /// This entity's number in the store, `Z_ENT`.
    let number: Int
    let hasSubentities: Bool
    let entityName: EntityName
    let classBinding: ClassBinding?
    private let slots: [String: Int]

    init(
        _ declaration: EntityDeclaration, properties: [PropertyDescription], versionHash: Data, index: Int,
        rootIndex: Int, number: Int, hasSubentities: Bool
    ) {
        name = declaration.name
        entityName = EntityName(declaration.name)
        superentityName = declaration.superentityName
        isAbstract = declaration.isAbstract
        uniquenessConstraints = declaration.uniquenessConstraints
        classBinding = declaration.classBinding
        self.properties = properties
        self.versionHash = versionHash
        self.index = index
        self.rootIndex = rootIndex
        self.number = number
        self.hasSubentities = hasSubentities
        slots = Dictionary(uniqueKeysWithValues: properties.enumerated().map { ($1.name, $0) })
    }

    /// The place of the property called `name`, nil when there is none.
    func slot(of name: String) -> Int? { slots[name] }

    /// The relationship called `name`, nil when there is none.
    func relationship(_ name: String) -> RelationshipDescription? {
        guard let slot = slots[name], case .relationship(let relationship) = properties[slot] else {
            return nil
        }
        return relationship
    }

    var constrainedProperties: Set<String> { Set(uniquenessConstraints.joined()) }
}

/// What ties an entity to a Swift class. Opaque here: who declares classes fills it in.
struct ClassBinding: Sendable {
    /// A subclass of `ManagedObject`.
    let objectClass: AnyClass
    /// What the accessors need, one a property in slot order.
    let codecs: [any AnyObject & Sendable]
    /// The values of a new object, in slot order.
    let defaultValues: @Sendable () -> [StoredValue]
    /// An object that belongs to no context and whose wrappers know their slots.
    let makePrototype: @Sendable () -> AnyObject
}

/// What is said of an entity, before the model has tied it to the others.
struct EntityDeclaration: Sendable {
    var name: String
    var properties: [PropertyDescription]
    var superentityName: String?
    var isAbstract = false
    var uniquenessConstraints: [[String]] = []
    var classBinding: ClassBinding?
}
