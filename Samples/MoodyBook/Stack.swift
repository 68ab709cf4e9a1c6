import Foundation
import ManagedObjects

/// Where a program's documents lie, if its user has not said otherwise.
private let storeURL = PersistentContainer.defaultDirectory.appending(path: "Moody.moody")

/// The whole stack by one call: the model, the coordinator, the store, and a context on the main queue.
///
/// - Throws: ``StoreError``, ``ModelError``. The book stops the program.
func createMoodyMainContext() throws -> ManagedObjectContext {
    let model = try ManagedObjectModel(Mood.self)
    let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
    try FileManager.default.createDirectory(
        at: storeURL.deletingLastPathComponent(), withIntermediateDirectories: true)
    try coordinator.addPersistentStore(ofType: .sqlite, at: storeURL)
    return ManagedObjectContext(persistentStoreCoordinator: coordinator, concurrencyType: .mainQueue)
}
