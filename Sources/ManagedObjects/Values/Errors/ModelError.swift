/// Why classes cannot be modeled.
public enum ModelError: Error, Equatable {
    /// A stored property has no wrapper. It would be in memory only, and gone at the next start.
    case notModeled(entity: String, property: String)
    /// The class was compiled without the names of its properties (`-disable-reflection-metadata`).
    case noReflection(entity: String)
    /// A relationship leads to a class that is not in the model.
    case missingDestination(entity: String, property: String, destination: String)
    /// The two sides of a relationship do not name each other.
    case inverseMismatch(entity: String, property: String)
    /// Two classes of the model have one name.
    case duplicateEntity(String)
    /// An entity inherits from one that is not in the model, or from itself.
    case missingSuperentity(entity: String, superentity: String)
    /// An entity has two properties of one name, or one that its superentity has.
    case duplicateProperty(entity: String, property: String)
    /// A configuration names an entity the model does not have, or parts a hierarchy or a relationship.
    case configuration(String, entity: String)
    /// A uniqueness constraint names a property the entity does not have.
    case unknownProperty(entity: String, property: String)
    /// A rule that no value of the attribute's type can meet: a length of a number, a range of texts over
    /// numbers, a pattern that is none.
    case unfitRule(entity: String, property: String)
    /// A derived attribute's expression leads nowhere, or to a value of another type.
    case unfitDerivation(entity: String, property: String, reason: String)
    /// Two models that were to be merged define an entity differently.
    case differentEntity(String)
    /// An entity's name begins with a capital, a property's with a lower-case letter; letters, digits and
    /// underscores follow. The property is nil when the entity's name is at fault.
    case badName(entity: String, property: String?)
    /// Something Core Data has and this version has not.
    case unsupported(entity: String, property: String, feature: String)
}

extension ModelError: CustomStringConvertible {
    /// A sentence for people.
    public var description: String {
        switch self {
        case .notModeled(let entity, let property):
            "\(entity).\(property) is stored but neither @Attribute nor @Relationship"
        case .noReflection(let entity): "\(entity) was compiled without the names of its properties"
        case .missingDestination(let entity, let property, let destination):
            "\(entity).\(property) leads to \(destination), which is not in the model"
        case .inverseMismatch(let entity, let property):
            "the inverse of \(entity).\(property) does not name it in turn"
        case .duplicateEntity(let name): "the model has two entities called \(name)"
        case .missingSuperentity(let entity, let superentity):
            "\(entity) inherits from \(superentity), which is not in the model or inherits from it"
        case .duplicateProperty(let entity, let property): "\(entity) has two properties called \(property)"
        case .configuration(let name, let entity):
            "the configuration \(name) cannot have \(entity): it is not in the model, or what it inherits "
                + "from is elsewhere"
        case .unknownProperty(let entity, let property): "\(entity) has no property \(property)"
        case .unfitRule(let entity, let property):
            "\(entity).\(property) has a rule that does not fit its type"
        case .unfitDerivation(let entity, let property, let reason):
            "\(entity).\(property) cannot be derived: \(reason)"
        case .differentEntity(let name): "two models define \(name) differently"
        case .badName(let entity, nil): "the entity \(entity) does not begin with a capital"
        case .badName(let entity, let property?):
            "\(entity).\(property) does not begin with a lower-case letter"
        case .unsupported(let entity, let property, let feature):
            "\(entity).\(property): \(feature) cannot be modeled"
        }
    }
}

extension ModelError {
    /// The entity at fault, where it is one.
    var entityName: String? {
        switch self {
        case .notModeled(let name, _), .noReflection(let name), .missingDestination(let name, _, _),
            .inverseMismatch(let name, _), .duplicateEntity(let name), .missingSuperentity(let name, _),
            .duplicateProperty(let name, _), .configuration(_, let name), .unknownProperty(let name, _),
            .unfitRule(let name, _), .differentEntity(let name), .badName(let name, _),
            .unsupported(let name, _, _), .unfitDerivation(let name, _, _):
            name
        }
    }
}
