public import ManagedObjects

/// The entity of a new object, and the store that it goes to.
///
///     transaction.create(Into<Person>())
///     transaction.create(Into<Person>("People"))
///
/// - Source: CoreStore's type of this name.
public struct Into<Object: ManagedObject>: Sendable {
    let choice: StoreChoice

    /// The one store that takes the entity.
    public init() { choice = .any }
    /// Names the one store that holds the class.
    public init(_ type: Object.Type) { choice = .any }

    /// The store that was added with a configuration; nil for the store that was added without one. No other
    /// store is taken in its place.
    public init(_ configuration: String?) { choice = .configuration(configuration) }
    /// Names the store of a configuration; nil is the default configuration.
    public init(_ type: Object.Type, _ configuration: String?) { choice = .configuration(configuration) }
}

/// Which store of an entity is meant.
enum StoreChoice: Hashable, Sendable {
    case any
    case configuration(String?)
}

extension DataStack {
    /// The stores that take an entity.
    func stores(for entity: EntityDescription) -> [AddedStore] {
        let model = coordinator.managedObjectModel
        return coordinator.persistentStores.filter { store in
            guard store.configuration != nil else { return true }
            return model.entities(in: store.configuration)?.contains { $0.name == entity.name } ?? false
        }
    }

    /// The store that a new object of the entity goes to.
    ///
    /// - Throws: ``StackError/noStore(entity:configuration:)``,
    ///   ``StackError/ambiguousStore(entity:configurations:)``.
    func store(for entity: EntityDescription, _ choice: StoreChoice) throws(StackError) -> AddedStore {
        let all = stores(for: entity)
        switch choice {
        case .configuration(let name):
            guard let store = all.first(where: { $0.configuration == name }) else {
                throw .noStore(entity: entity.name, configuration: name)
            }
            return store
        case .any:
            guard let first = all.first else { throw .noStore(entity: entity.name, configuration: nil) }
            if all.count == 1 { return first }
            throw .ambiguousStore(entity: entity.name, configurations: all.map(\.configuration))
        }
    }
}
