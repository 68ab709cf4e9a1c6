/// Everything that keeps a save from being made. Nothing was written, and nothing of what was to be saved is
/// lost: mend it and save again.
public struct ValidationError: Error, Equatable {
    /// At least one, in the order the objects were inserted or changed.
    public let failures: [Failure]

    /// One property of one object that breaks a rule of the model.
    public struct Failure: Equatable, Sendable {
        public let object: ManagedObjectID
        public let property: String
        public let rule: Rule
    }

    public enum Rule: Equatable, Sendable {
        /// The property must hold a value and is nil.
        case missingValue
        /// A relationship with the delete rule deny still leads to `count` objects.
        case deleteDenied(count: Int)
        /// The relationship leads to an object in another store.
        case acrossStores
    }
}

extension ValidationError: CustomStringConvertible {
    public var description: String {
        failures.map { failure in
            switch failure.rule {
            case .missingValue: "\(failure.object).\(failure.property) must have a value"
            case .deleteDenied(let count):
                "\(failure.object) cannot be deleted while its \(failure.property) has \(count)"
            case .acrossStores:
                "\(failure.object).\(failure.property) leads to an object in another store"
            }
        }.joined(separator: "; ")
    }
}
