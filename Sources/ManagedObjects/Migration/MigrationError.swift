/// Why a store cannot be brought to another version of its model. The store is what it was.
public enum MigrationError: Error, Equatable {
    /// The store was written with none of the versions that were given. The entities whose hashes differ from
    /// the nearest version's.
    case noModel(entities: [String])
    /// A mapping can be neither inferred nor used as it was given: all that is wrong with it.
    case mapping([Problem])
    /// Objects would be without a value that they must have.
    case required(entity: String, property: String, count: Int)

    /// A part of a mapping that is wrong.
    public struct Problem: Equatable, Sendable {
        /// After the migration, or before for what is only there.
        public let entity: String
        /// Nil when the entity itself is the problem.
        public let property: String?
        /// A sentence that follows the names.
        public let reason: String
    }
}

extension MigrationError: CustomStringConvertible {
    /// A sentence for people.
    public var description: String {
        switch self {
        case .noModel(let entities):
            "written with a version of the model that is not known: \(entities.joined(separator: ", ")) "
                + (entities.count == 1 ? "differs" : "differ")
        case .mapping(let problems):
            problems.map { "\($0.entity)\($0.property.map { ".\($0)" } ?? "") \($0.reason)" }
                .joined(separator: "; ")
        case .required(let entity, let property, let count):
            "\(count) \(entity) \(count == 1 ? "object" : "objects") would be without \(property), "
                + "which must have a value"
        }
    }
}
