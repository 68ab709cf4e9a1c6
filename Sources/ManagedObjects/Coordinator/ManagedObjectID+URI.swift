public import Foundation

extension ManagedObjectID {
    /// `x-coredata://STORE/Mood/p12`: the same row for whoever has the store. Of a row that was not saved yet
    /// it means nothing to anybody else.
    public var uriRepresentation: URL {
        let id = current
        let path = "\(id.entity)/\(id.key < 0 ? "t" : "p")\(abs(id.key))"
        return URL(string: "x-coredata://\(id.storeIdentifier ?? "")/\(path)") ?? URL(filePath: path)
    }
}

extension PersistentStoreCoordinator {
    /// The ID that a URI stands for; nil when it is none, or of a store or an entity that is not here.
    /// Whether the row is there is not looked at.
    public func managedObjectID(forURIRepresentation url: URL) -> ManagedObjectID? {
        let parts = url.pathComponents.filter { $0 != "/" }
        guard url.scheme == "x-coredata", let store = url.host(), storeIdentifiers.contains(store),
            parts.count == 2, let entity = managedObjectModel.entity(named: parts[0]),
            parts[1].first == "p", parts[1].dropFirst().first?.isNumber == true,
            let key = Int64(parts[1].dropFirst())
        else { return nil }
        return try? ManagedObjectID(.of(entity.entityName, in: store), stored: key)
    }
}
