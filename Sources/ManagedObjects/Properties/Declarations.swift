import Synchronization

/// The declarations of a prototype's wrappers, in the order Swift initializes them.
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
        var isOrdered = false
        let isOptional: Bool
        var minCount: Int?
        var maxCount = 0
        let deleteRule: DeleteRule
        let destination: ManagedObject.Type
        /// Not evaluated before the model is built: two classes may lead to each other.
        /// Nil where nothing leads back.
        let inverseName: (@Sendable () throws(FetchError) -> String)?
    }

    @TaskLocal private static var current: Declarations?
    /// How many prototypes are being made. Looked at first: it costs less than the task-local value, and
    /// every wrapper of every object asks.
    private static let prototypes = Atomic(0)
    private let list = Mutex<[Declaration]>([])
    /// The numbers of declarations; nil for their indexes in the list.
    private let numbers: [Int32]?

    private init(numberedBy numbers: [Int32]?) { self.numbers = numbers }

    /// Whether any prototype is being made, on whatever thread.
    static var isCollecting: Bool { prototypes.load(ordering: .relaxed) > 0 }

    /// - Returns: the slot of the property, or -1 in an object that is not a prototype.
    static func note(_ declaration: () -> Declaration) -> Int32 {
        guard isCollecting, let current else { return -1 }
        let declaration = declaration()
        return current.list.withLock {
            $0.append(declaration)
            let index = $0.count - 1
            return current.numbers?[index] ?? Int32(index)
        }
    }

    /// Makes a prototype; the other objects made meanwhile must be none.
    ///
    /// - Parameter numbers: what the wrappers learn as their slots, in the order of their declarations.
    static func collect(numberedBy numbers: [Int32]? = nil, _ make: () -> ManagedObject) -> (
        prototype: ManagedObject, [Declaration]
    ) {
        let declarations = Declarations(numberedBy: numbers)
        prototypes.add(1, ordering: .relaxed)
        defer { prototypes.subtract(1, ordering: .relaxed) }
        let prototype = $current.withValue(declarations, operation: make)
        return (prototype, declarations.list.withLock { $0 })
    }
}

/// For wrappers inlined elsewhere.
@usableFromInline func isDeclaring() -> Bool { Declarations.isCollecting }
