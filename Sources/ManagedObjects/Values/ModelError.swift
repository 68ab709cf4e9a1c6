/// Why classes cannot be modelled.
public enum ModelError: Error, Equatable {
    /// A stored property has no wrapper. It would be in memory only, and gone at the next start.
    case notModelled(entity: String, property: String)
    /// The class was compiled without the names of its properties (`-disable-reflection-metadata`).
    case noReflection(entity: String)
    /// A relationship leads to a class that is not in the model.
    case missingDestination(entity: String, property: String, destination: String)
    /// The two sides of a relationship do not name each other.
    case inverseMismatch(entity: String, property: String)
    /// Two classes of the model have one name.
    case duplicateEntity(String)
    /// A uniqueness constraint names a property the entity does not have.
    case unknownProperty(entity: String, property: String)
    /// Something Core Data has and this version has not.
    case unsupported(entity: String, property: String, feature: String)
}

extension ModelError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notModelled(let entity, let property):
            "\(entity).\(property) is stored but neither @Attribute nor @Relationship"
        case .noReflection(let entity): "\(entity) was compiled without the names of its properties"
        case .missingDestination(let entity, let property, let destination):
            "\(entity).\(property) leads to \(destination), which is not in the model"
        case .inverseMismatch(let entity, let property):
            "the inverse of \(entity).\(property) does not name it in turn"
        case .duplicateEntity(let name): "the model has two entities called \(name)"
        case .unknownProperty(let entity, let property): "\(entity) has no property \(property)"
        case .unsupported(let entity, let property, let feature):
            "\(entity).\(property): \(feature) cannot be modelled"
        }
    }
}
