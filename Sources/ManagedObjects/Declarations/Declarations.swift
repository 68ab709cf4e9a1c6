import Synchronization

/// What the wrappers of one prototype declare, in the order Swift initializes them.
///
/// A wrapper is initialized in every object, but only a prototype has a list to write to. Elsewhere a
/// wrapper costs its four bytes, and its options and closures are never built.
final class Declarations: Sendable {
    enum Declaration: Sendable {
        case attribute(AttributeType, isOptional: Bool, AttributeOptions, any PropertyCodec)
        case relationship(RelationshipDeclaration, any PropertyCodec)

        var codec: any PropertyCodec {
            switch self {
            case .attribute(_, _, _, let codec), .relationship(_, let codec): codec
            }
        }
    }

    struct RelationshipDeclaration: Sendable {
        let isToMany: Bool
        let isOptional: Bool
        let deleteRule: DeleteRule
        let destination: ManagedObject.Type
        /// Not evaluated before the model is built: two classes may lead to each other.
        let inverseName: @Sendable () throws(FetchError) -> String
    }

    @TaskLocal private static var current: Declarations?
    /// How many prototypes are being made. Looked at first: it costs less than the task-local value, and
    /// every wrapper of every object asks.
    private static let prototypes = Atomic(0)
    private let list = Mutex<[Declaration]>([])

    /// - Returns: the slot of the property, or -1 in an object that is not a prototype.
    static func note(_ declaration: () -> Declaration) -> Int32 {
        guard prototypes.load(ordering: .relaxed) > 0, let current else { return -1 }
        let declaration = declaration()
        return current.list.withLock {
            $0.append(declaration)
            return Int32($0.count - 1)
        }
    }

    /// Makes a prototype; the other objects made meanwhile must be none.
    static func collect(_ make: () -> ManagedObject) -> (prototype: ManagedObject, [Declaration]) {
        let declarations = Declarations()
        prototypes.add(1, ordering: .relaxed)
        defer { prototypes.subtract(1, ordering: .relaxed) }
        let prototype = $current.withValue(declarations, operation: make)
        return (prototype, declarations.list.withLock { $0 })
    }
}
