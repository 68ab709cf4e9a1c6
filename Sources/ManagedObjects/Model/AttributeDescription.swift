/// An attribute of an entity.
public struct AttributeDescription: Sendable, Equatable {
    /// The name of the attribute.
    public internal(set) var name: String
    /// The type of its values.
    public let type: AttributeType
    /// Whether the attribute may be nil when its object is saved.
    public let isOptional: Bool
    /// Whether it is optional, transient, indexed, or stored externally.
    public let options: AttributeOptions
    /// The value of a new object. A class may give another one in its declaration.
    public let defaultValue: StoredValue
    /// Rules that a value must satisfy when its object is saved.
    public let validation: [ValidationRule]
    /// The name of the property in the previous version, for migrations; nil if unchanged.
    public let renamingIdentifier: String?
    /// Texts that a program attaches; no part of the version hash.
    public let userInfo: [String: String]
    /// The expression that stores compute the value from: see ``Derivation``. Nil for a value that programs
    /// set.
    public let derivationExpression: String?
    /// A text that makes another version of the attribute: it counts in the version hash.
    public var versionHashModifier: String?
    /// The parts of a composite attribute; empty for all others. Objects have their values under names such
    /// as `author.name`.
    public internal(set) var elements: [AttributeDescription] = []
    /// The name of the transformer that a model's file gives a transformable attribute.
    public var valueTransformerName: String?
    /// The name of the values' class that a model's file gives, such as `NSArray`.
    public var valueClassName: String?

    /// - Parameters:
    ///   - type: The type of its values.
    ///   - isOptional: whether an object may be without a value.
    ///   - options: whether it is optional, transient, indexed, or stored externally.
    ///   - defaultValue: the value of a new object.
    ///   - validation: rules that a value must satisfy.
    ///   - renamingIdentifier: the name in the previous version.
    ///   - userInfo: texts that a program attaches.
    ///   - expression: makes a derived attribute, which is always optional.
    public init(
        _ name: String, _ type: AttributeType, isOptional: Bool = false, options: AttributeOptions = [],
        defaultValue: StoredValue = .null, validation: [ValidationRule] = [],
        renamingIdentifier: String? = nil, userInfo: [String: String] = [:],
        derivedBy expression: String? = nil
    ) {
        (self.name, self.type, self.options, derivationExpression) = (name, type, options, expression)
        self.isOptional = isOptional || expression != nil
        self.defaultValue = type.typed(defaultValue) ?? defaultValue
        self.validation = validation.map { $0.typed(type) ?? $0 }
        (self.renamingIdentifier, self.userInfo) = (renamingIdentifier, userInfo)
    }

    /// A composite attribute.
    public init(
        composite name: String, _ elements: [AttributeDescription], isOptional: Bool = true,
        renamingIdentifier: String? = nil, userInfo: [String: String] = [:]
    ) {
        self.init(
            name, .composite, isOptional: isOptional, renamingIdentifier: renamingIdentifier,
            userInfo: userInfo)
        self.elements = elements
    }

    /// For an element of a composite attribute: its own name, which its column is called after.
    var elementName: String?

    /// The attributes that have columns: itself, or the elements of a composite, named by their paths. An
    /// element that is alone and has the composite's name, as in an enumeration of SwiftData, keeps it.
    var columns: [AttributeDescription] {
        if type != .composite { return [self] }
        return elements.flatMap { element in
            element.columns.map { leaf in
                var leaf = leaf
                leaf.elementName = leaf.elementName ?? element.name
                let isAlone = elements.count == 1 && leaf.name == name
                if !isAlone { leaf.name = "\(name).\(leaf.name)" }
                return leaf
            }
        }
    }

    /// Whether it only stands in a class for a fetched property, to give it a slot.
    var isFetched = false

    /// Whether the value is in memory only.
    public var isTransient: Bool { options.contains(.transient) }
}

/// How an attribute is kept.
public struct AttributeOptions: OptionSet, Sendable {
    /// The bits of the options.
    public let rawValue: UInt8
    /// Creates options from bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The store keeps an index on the column: searches and sorts are fast, inserts cost more.
    public static let indexed = AttributeOptions(rawValue: 1)
    /// The store keeps large values in files of their own.
    public static let externalStorage = AttributeOptions(rawValue: 2)
    /// The store's history keeps the value of a deleted object.
    public static let preservedAfterDeletion = AttributeOptions(rawValue: 4)
    /// In memory only: no store has it, and no fetch can look at it. Undone and rolled back like the others.
    public static let transient = AttributeOptions(rawValue: 8)
}
