/// Why a request cannot be turned into a fetch.
public enum FetchError: Error, Hashable {
    /// The key path goes through a computed property, or ends in a transformed one. The types are all that
    /// can be told: a key path to a computed property does not carry its name.
    case notModeled(root: String, value: String)
    /// The model has no entity of this name.
    case unknownEntity(String)
    /// The entity has no property of this name, or one that cannot be used so.
    case unknownKey(entity: String, key: String)
    /// A property was to get a value of another type.
    case wrongType(entity: String, key: String, type: String)
    /// The predicate uses an operation that has no translation.
    case unsupported(String)
    /// A predicate's text cannot be read: the text, how many characters of it could be, and why no more.
    case format(String, at: Int, reason: String)
    /// A list's section came back after another one: the order does not keep equal sections together. The row
    /// and the object with which it came back, and the section before it.
    case sectionsNotTogether(section: String, row: Int, object: ManagedObjectID, after: String)
}

extension FetchError: CustomStringConvertible {
    /// A sentence for people.
    public var description: String {
        switch self {
        case .notModeled(let root, let value):
            "a fetch cannot look at a computed or transformed \(value) of \(root): the store has no such "
                + "column"
        case .unknownEntity(let name): "the model has no entity \(name)"
        case .unknownKey(let entity, let key): "\(entity) has no property \(key)"
        case .wrongType(let entity, let key, let type): "\(entity).\(key) cannot be a \(type)"
        case .unsupported(let operation): "a fetch cannot use \(operation)"
        case .format(let text, let offset, let reason):
            "the predicate \(text) cannot be read from character \(offset + 1) on: \(reason)"
        case .sectionsNotTogether(let section, let row, let object, let other):
            """
            the order of the list does not keep its sections together: \(object) in row \(row) is in section \
            \(section) again, after \(other)
            """
        }
    }
}
