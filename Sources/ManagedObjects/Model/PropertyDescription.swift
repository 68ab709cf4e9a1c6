/// One property of an entity.
public enum PropertyDescription: Sendable {
    case attribute(AttributeDescription)
    case relationship(RelationshipDescription)

    public var name: String {
        switch self {
        case .attribute(let attribute): attribute.name
        case .relationship(let relationship): relationship.name
        }
    }

    public var isOptional: Bool {
        switch self {
        case .attribute(let attribute): attribute.isOptional
        case .relationship(let relationship): relationship.isOptional
        }
    }

    /// A relationship to many is kept in the other side's table.
    var hasColumn: Bool {
        if case .relationship(let relationship) = self { !relationship.isToMany } else { true }
    }

    var isExternal: Bool {
        if case .attribute(let attribute) = self {
            attribute.options.contains(.externalStorage)
        } else {
            false
        }
    }
}
