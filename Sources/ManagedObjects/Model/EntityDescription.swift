public import Foundation

/// An entity of a model: its name, its properties, and how it stands to the others.
///
/// Every property has a *slot*, the index of its value in an object. Slots are counted from the root of the
/// hierarchy down: those of an entity begin with those of the entity it inherits from, so that one number
/// means one property in the whole family.
public final class EntityDescription: Sendable {
    /// The name of the entity.
    public let name: String
    /// The name of the entity this one inherits from.
    public let superentityName: String?
    /// Whether only subentities have objects.
    public let isAbstract: Bool
    /// Each a list of properties whose values, taken together, no two objects share.
    /// Without those it inherits.
    public let uniquenessConstraints: [[String]]
    /// The declaration of the entity.
    public let declaration: EntityDeclaration
    /// By this a store and a model know that they fit. 32 bytes.
    public let versionHash: Data

    /// All properties by slot: inherited ones, own ones, hidden ones.
    let slots: [PropertyDescription]
    /// The index in the model's list.
    let index: Int
    /// The index of the entity at the top of the hierarchy, whose table holds all of it.
    let rootIndex: Int
    /// The entities that are this one or inherit from it, as numbers of the model's order.
    let family: ClosedRange<Int>
    let entityName: EntityName
    let classBinding: ClassBinding?
    private let slotsByName: [String: Int]

    // Slots by what is asked of them most.
    let columnSlots: [Int]
    let toOneSlots: [Int]
    let relationshipSlots: [Int]
    let requiredSlots: [Int]
    /// Transient properties: no store has a column for them.
    let memorySlots: [Int]
    let externalSlots: [Int]
    let textSlots: [Int]
    /// Attributes with rules, and relationships to many with counts.
    let ruledSlots: [Int]
    let countedSlots: [Int]

    init(
        _ declaration: EntityDeclaration, slots: [PropertyDescription],
        properties: [PropertyDescription] = [], versionHash: Data, index: Int,
        rootIndex: Int, family: ClosedRange<Int>, constraintSlots: [[Int]], classBinding: ClassBinding?
    ) {
        self.declaration = declaration
        name = declaration.name
        entityName = EntityName(declaration.name)
        superentityName = declaration.superentityName
        isAbstract = declaration.isAbstract
        uniquenessConstraints = declaration.uniquenessConstraints
        self.classBinding = classBinding
        (self.slots, self.properties) = (slots, properties)
        self.versionHash = versionHash
        (self.index, self.rootIndex, self.family) = (index, rootIndex, family)
        slotsByName = Dictionary(uniqueKeysWithValues: slots.enumerated().map { ($1.name, $0) })
        self.constraintSlots = constraintSlots
        columnSlots = slots.indices.filter { slots[$0].hasColumn }
        relationshipSlots = slots.indices.filter { if case .relationship = slots[$0] { true } else { false } }
        toOneSlots = relationshipSlots.filter { slots[$0].hasColumn }
        requiredSlots = slots.indices.filter {
            if case .attribute(let attribute) = slots[$0], attribute.isTransient { return false }
            return !slots[$0].isOptional
        }
        memorySlots = slots.indices.filter { !slots[$0].hasColumn }
        externalSlots = slots.indices.filter { slots[$0].isExternal }
        ruledSlots = slots.indices.filter {
            if case .attribute(let attribute) = slots[$0] { !attribute.validation.isEmpty } else { false }
        }
        countedSlots = relationshipSlots.filter {
            guard case .relationship(let relationship) = slots[$0], relationship.isToMany else {
                return false
            }
            return relationship.minCount > 1 || relationship.maxCount > 0
        }
        textSlots = slots.indices.filter {
            if case .attribute(let attribute) = slots[$0] { attribute.type == .string } else { false }
        }
    }

    /// The properties, inherited ones first; fetched ones are not among them.
    /// A composite attribute is one property.
    public let properties: [PropertyDescription]

    /// Whether this entity is `other` or inherits from it.
    func isKind(of other: EntityDescription) -> Bool { other.family.contains(family.lowerBound) }

    /// The values of each uniqueness constraint that binds the entity's objects, by slot: its own, those that
    /// it inherits, and those of relatives over properties that it has too. All are of one table.
    let constraintSlots: [[Int]]

    var hasSubentities: Bool { family.count > 1 }

    /// The slot of the property called `name`, nil when there is none.
    func slot(of name: String) -> Int? { slotsByName[name] }

    /// Nil also beyond the last slot: keys of a damaged store may lead to objects of a superentity.
    func relationship(at slot: Int) -> RelationshipDescription? {
        guard slot < slots.count, case .relationship(let relationship) = slots[slot] else { return nil }
        return relationship
    }

    /// The relationship called `name`, nil when there is none.
    func relationship(_ name: String) -> RelationshipDescription? {
        slotsByName[name].flatMap { relationship(at: $0) }
    }

    /// The values of a new object.
    func defaultValues() -> [StoredValue] {
        if let classBinding { return classBinding.defaultValues() }
        return slots.map { property in
            if case .attribute(let attribute) = property { attribute.defaultValue } else { .null }
        }
    }
}

/// A link from an entity to a Swift class. Opaque here; the declaration of classes fills it in.
struct ClassBinding: Sendable {
    /// A subclass of `ManagedObject`.
    let objectClass: AnyClass
    /// The codecs of accessors, by slot; nil for properties that the class does not declare.
    let codecs: [(any AnyObject & Sendable)?]
    /// The values of a new object, by slot.
    let defaultValues: @Sendable () -> [StoredValue]
    /// An object that belongs to no context and whose wrappers know their slots.
    let makePrototype: @Sendable () -> AnyObject
}

/// A description of an entity before a model connects it to the others: the way to make a model at run time,
/// without classes.
///
///     let note = EntityDeclaration("Note", properties: [
///         .attribute(AttributeDescription("text", .string)),
///         .relationship(RelationshipDescription("folder", to: "Folder", inverse: "notes")),
///     ])
///     let model = try ManagedObjectModel(entities: [note, folder])
public struct EntityDeclaration: Sendable {
    /// The name of the entity.
    public var name: String
    /// Without those it inherits.
    public var properties: [PropertyDescription]
    /// The entity this one inherits from.
    public var superentityName: String?
    /// Whether there are objects of its subentities only.
    public var isAbstract: Bool
    /// Each a list of properties whose values, taken together, no two objects share.
    public var uniquenessConstraints: [[String]]
    /// The name of the Swift or Objective-C class that a model's file says; nothing is made of it here.
    public var className: String?
    /// The name of the entity in the previous version, for migrations; nil if unchanged.
    public var renamingIdentifier: String?
    public var userInfo: [String: String] = [:]
    /// A text that makes another version of the entity: it counts in the version hash.
    public var versionHashModifier: String?
    /// Beside the properties; a class has them by ``FetchedProperty``.
    public var fetchedProperties: [FetchedPropertyDescription] = []
    /// Beside those of indexed attributes.
    public var fetchIndexes: [FetchIndexDescription] = []
    /// Properties of a model that was read from an archive and that objects do not have here: a store's
    /// history counts them.
    var unmodeledNames: [String] = []
    /// Given the slots of all properties.
    var binding: (@Sendable ([PropertyDescription]) -> ClassBinding)?

    /// Declares an entity.
    public init(
        _ name: String, properties: [PropertyDescription], inheritingFrom superentityName: String? = nil,
        isAbstract: Bool = false, uniquenessConstraints: [[String]] = []
    ) {
        (self.name, self.properties, self.superentityName) = (name, properties, superentityName)
        (self.isAbstract, self.uniquenessConstraints) = (isAbstract, uniquenessConstraints)
    }
}
