/// A property of an entity.
public enum PropertyDescription: Sendable {
    case attribute(AttributeDescription)
    case relationship(RelationshipDescription)

    /// The name of the property.
    public var name: String {
        switch self {
        case .attribute(let attribute): attribute.name
        case .relationship(let relationship): relationship.name
        }
    }

    /// Whether an object may be without a value.
    public var isOptional: Bool {
        switch self {
        case .attribute(let attribute): attribute.isOptional
        case .relationship(let relationship): relationship.isOptional
        }
    }

    /// Whether a row holds a value of the property. What leads to many objects is kept elsewhere, and a
    /// transient attribute nowhere.
    public var hasColumn: Bool {
        switch self {
        case .attribute(let attribute): !attribute.isTransient
        case .relationship(let relationship): !relationship.isToMany
        }
    }

    /// The slots of objects: the elements of a composite, none for a transient relationship.
    var columnProperties: [PropertyDescription] {
        switch self {
        case .attribute(let attribute): attribute.columns.map { .attribute($0) }
        case .relationship(let relationship): relationship.isTransient ? [] : [self]
        }
    }

    /// Whether no program ever names the property: see ``RelationshipDescription/isHidden``.
    var isHidden: Bool {
        if case .relationship(let relationship) = self { relationship.isHidden } else { false }
    }

    var isExternal: Bool {
        if case .attribute(let attribute) = self {
            attribute.options.contains(.externalStorage)
        } else {
            false
        }
    }
}
