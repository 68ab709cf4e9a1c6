/// Everything that keeps a save from being made. Nothing was written, and nothing of what was to be saved is
/// lost: mend it and save again.
public struct ValidationError: Error, Equatable {
    /// At least one, in the order the objects were inserted or changed.
    public let failures: [Failure]

    /// Creates an error from failures.
    public init(failures: [Failure]) { self.failures = failures }

    /// A property of an object that breaks a rule of the model or of the program.
    public struct Failure: Equatable, Sendable {
        /// The ID of the object.
        public let object: ManagedObjectID
        /// Empty when the rule is about the object.
        public let property: String
        /// The rule that is broken.
        public let rule: Rule
        /// The value that breaks the rule; null for missing values and relationships.
        public let value: StoredValue

        /// Creates a failure.
        public init(object: ManagedObjectID, property: String, rule: Rule, value: StoredValue = .null) {
            (self.object, self.property, self.rule, self.value) = (object, property, rule, value)
        }
    }

    /// A rule that a value can break.
    public enum Rule: Equatable, Sendable {
        /// The property must hold a value and is nil.
        case missingValue
        case tooSmall(minimum: StoredValue)
        case tooLarge(maximum: StoredValue)
        /// Characters, or bytes.
        case tooShort(minimum: Int)
        case tooLong(maximum: Int)
        case noMatch(pattern: String)
        /// The relationship leads to fewer objects than it must.
        case tooFew(minimum: Int)
        case tooMany(maximum: Int)
        /// A rule of the program's, with what it said.
        case custom(String)
        /// A relationship with the delete rule deny still leads to `count` objects.
        case deleteDenied(count: Int)
        /// The relationship leads to an object in another store.
        case acrossStores
    }
}

extension ValidationError: CustomStringConvertible {
    /// A sentence for people.
    public var description: String { failures.map(\.description).joined(separator: "; ") }
}

extension ValidationError.Failure: CustomStringConvertible {
    /// A sentence for people.
    public var description: String {
        let subject = property.isEmpty ? "\(object)" : "\(object).\(property)"
        return switch rule {
        case .missingValue: "\(subject) must have a value"
        case .tooSmall(let minimum): "\(subject) is \(value.literal), less than \(minimum.literal)"
        case .tooLarge(let maximum): "\(subject) is \(value.literal), more than \(maximum.literal)"
        case .tooShort(let minimum): "\(subject) is \(value.literal), shorter than \(minimum)"
        case .tooLong(let maximum): "\(subject) is \(value.literal), longer than \(maximum)"
        case .noMatch(let pattern): "\(subject) is \(value.literal), which does not match \(pattern)"
        case .tooFew(let minimum): "\(subject) has fewer than \(minimum)"
        case .tooMany(let maximum): "\(subject) has more than \(maximum)"
        case .custom(let text): "\(subject): \(text)"
        case .deleteDenied(let count): "\(object) cannot be deleted while its \(property) has \(count)"
        case .acrossStores: "\(subject) leads to an object in another store"
        }
    }
}
