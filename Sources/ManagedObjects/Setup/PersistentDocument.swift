public import Foundation

/// A file that is one graph of objects: a stack with one context and one store, opened, changed, undone and
/// saved as documents are.
///
///     let document = try PersistentDocument(contentsOf: url, ofType: .xml, managedObjectModel: model)
///     document.managedObjectContext.performAndWait { context in ... }
///     try document.save()
///
/// The context's undo manager is the document's. Any thread may call.
public final class PersistentDocument: Sendable {
    /// The context of the document, with its own undo manager.
    public let managedObjectContext: ManagedObjectContext
    /// The file of the document.
    public let fileURL: URL
    /// The kind of store.
    public let fileType: PersistentStoreCoordinator.StoreType

    /// Opens a document, or makes a new one where there is no file.
    ///
    /// - Throws: ``StoreError``.
    public init(
        contentsOf url: URL, ofType type: PersistentStoreCoordinator.StoreType,
        managedObjectModel: ManagedObjectModel
    ) throws {
        (fileURL, fileType) = (url, type)
        let coordinator = PersistentStoreCoordinator(managedObjectModel: managedObjectModel)
        try coordinator.addPersistentStore(ofType: type, at: url)
        managedObjectContext = ManagedObjectContext(
            persistentStoreCoordinator: coordinator, label: "document")
        managedObjectContext.performAndWait { $0.undoManager = UndoManager() }
    }

    /// Whether there is something to save.
    public var isDocumentEdited: Bool { managedObjectContext.performAndWait { $0.hasChanges } }

    /// Writes what changed.
    ///
    /// - Throws: ``ValidationError``, ``StoreError``: the document is as it was then.
    public func save() throws { try managedObjectContext.performAndWait { _ = try $0.save() } }

    /// Writes everything, with unsaved changes, to a new file of any kind. This document's file and its
    /// unsaved changes stay as they are; `willSave` is not called.
    ///
    /// - Throws: ``ValidationError``, ``StoreError``. A file that is there already is never overwritten.
    public func write(to url: URL, ofType type: PersistentStoreCoordinator.StoreType) throws {
        try managedObjectContext.performAndWait { context in
            let unsaved = try context.withObjects { try $0.planOfUnsavedChanges() }
            try context.persistentStoreCoordinator.copyStore(to: url, ofType: type, unsaved: unsaved)
        }
    }

    /// Throws away what is not saved.
    public func revertToSaved() {
        managedObjectContext.performAndWait { context in
            context.rollback()
            context.refreshAllObjects()
        }
    }

    /// Closes the file; the document cannot be used afterwards. What is not saved is lost.
    ///
    /// - Throws: ``StoreError``.
    public func close() throws {
        managedObjectContext.performAndWait { $0.reset() }
        try managedObjectContext.persistentStoreCoordinator.close()
    }
}
