import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// Several stores that take one entity: which of them a new object goes to, and how one is taken out.
@Suite final class AssignedStoreTests: @unchecked Sendable {
    // @unchecked Sendable because each test uses it from one thread.
    private let folder: ScratchFolder
    private let coordinator: PersistentStoreCoordinator

    init() throws {
        folder = try ScratchFolder()
        coordinator = PersistentStoreCoordinator(managedObjectModel: try edgeModel())
        for name in ["a.sqlite", "b.sqlite"] {
            try coordinator.addPersistentStore(ofType: .sqlite, at: folder.url.appending(path: name))
        }
        try coordinator.addPersistentStore(ofType: .inMemory)
    }

    private func titles(_ file: String) throws -> String {
        try shell("sqlite3 '\(folder.url.path)/\(file)' 'SELECT ZTEXT FROM ZNOTE ORDER BY 1'")
            .split(separator: "\n").joined(separator: " ")
    }

    @Test func `a save in two stores brings back what each of them derived`() throws {
        let stores = coordinator.storeIdentifiers
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait {
            context throws -> Void in
            let racks = ["Ärger", "Öl"].map { name in
                let rack = context.insert(Rack.self)
                rack.name = name
                return rack
            }
            for (rack, store) in zip(racks, stores) { try context.assign(rack, toStore: store) }
            try context.save()
            #expect(racks.map(\.sortName) == ["arger", "ol"])
        }
    }

    @Test func `a new object goes to the first store that may be written`() throws {
        let url = folder.url.appending(path: "a.sqlite"), other = folder.url.appending(path: "b.sqlite")
        try coordinator.close()
        let stores = PersistentStoreCoordinator(managedObjectModel: try edgeModel())
        try stores.addPersistentStore(ofType: .sqlite, at: url, isReadOnly: true)
        try stores.addPersistentStore(ofType: .sqlite, at: other)
        try ManagedObjectContext(persistentStoreCoordinator: stores).performAndWait { context in
            context.insert(Note.self).text = "new"
            try context.save()
        }
        #expect(try titles("a.sqlite") == "" && titles("b.sqlite") == "new")
    }

    @Test func `what was not added is not taken out, and reserved metadata set nothing`() throws {
        #expect(throws: StoreError.noStore) { try coordinator.removePersistentStore(identifier: "none") }
        #expect(coordinator.storeIdentifiers.count == 3)
        #expect(throws: StoreError.reservedMetadata("NSb")) {
            try coordinator.setMetadata(["A": "1", "NSb": "2"])
        }
        #expect(try coordinator.metadata("A") == nil)
    }

    @Test func `a new object goes to the store it is assigned to, with its large value`() throws {
        let stores = coordinator.persistentStores
        #expect(stores.map { $0.url?.lastPathComponent } == ["a.sqlite", "b.sqlite", nil])
        #expect(stores.map(\.identifier) == coordinator.storeIdentifiers)
        let context = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        let child = ManagedObjectContext(parent: context)
        try context.performAndWait { context in
            for (number, store) in [0, 1, 2, 1].enumerated() {
                let note = context.insert(Note.self)
                note.text = "n\(number)"
                note.photo = Data(repeating: 1, count: 150_000)
                try context.assign(note, toStore: stores[store].identifier)
            }
            context.insert(Note.self).text = "anywhere"
            try context.save()
            let notes = try context.fetch(FetchRequest<Note>(sortedBy: .ascending(\.text)))
            #expect(notes.map(\.text) == ["anywhere", "n0", "n1", "n2", "n3"])
            let indices = notes.map { note in
                stores.firstIndex { $0.identifier == note.objectID.storeIdentifier }
            }
            #expect(indices == [0, 0, 1, 2, 1])
            #expect(notes.dropFirst().allSatisfy { $0.photo?.count == 150_000 })
            try context.assign(notes[0], toStore: stores[0].identifier)
            let report = try coordinator.report()
            #expect(report.counts["Note"] == 5)
            #expect(report.externalFiles == 3 && report.externalBytes == 450_000)
            #expect(throws: StoreError.otherStore(notes[0].objectID)) {
                try context.assign(notes[0], toStore: stores[1].identifier)
            }
            #expect(throws: StoreError.noStoreFor(entity: "Note")) {
                try context.assign(context.insert(Note.self), toStore: "none")
            }
            context.rollback()
        }
        try child.performAndWait { child in
            let note = child.insert(Note.self)
            note.text = "child"
            try child.assign(note, toStore: stores[1].identifier)
            try child.save()
            try context.performAndWait { _ = try $0.save() }
        }
        #expect(try titles("a.sqlite") == "anywhere n0" && titles("b.sqlite") == "child n1 n3")
        #expect(try coordinator.report().missingFiles.isEmpty)
    }

    @Test func `a store that is removed is closed, and its rows are not found any more`() throws {
        let stores = coordinator.persistentStores
        let context = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        try context.performAndWait { context in
            for store in stores {
                let note = context.insert(Note.self)
                note.text = store.url?.lastPathComponent ?? "memory"
                try context.assign(note, toStore: store.identifier)
            }
            try context.save()
            try coordinator.removePersistentStore(identifier: stores[1].identifier)
            context.reset()
            #expect(
                try context.fetch(FetchRequest<Note>(sortedBy: .ascending(\.text))).map(\.text)
                    == ["a.sqlite", "memory"])
        }
        #expect(coordinator.storeIdentifiers == [stores[0].identifier, stores[2].identifier])
        #expect(throws: StoreError.noStore) {
            try coordinator.removePersistentStore(identifier: stores[1].identifier)
        }
        // Nobody holds it: another coordinator has it alone, and the log was moved in.
        #expect(!folder.names.contains("b.sqlite-wal"))
        let again = try folder.open("b.sqlite", edgeModel())
        #expect(
            try ManagedObjectContext(persistentStoreCoordinator: again).performAndWait {
                try $0.fetch(FetchRequest<Note>()).map(\.text)
            } == ["b.sqlite"])
    }

    /// What was written for the first store is written again where the object goes.
    @Test func `staged data lie beside the store that its object is assigned to`() throws {
        let stores = coordinator.persistentStores
        let staged = try (0..<3).map { try coordinator.stage(Data(repeating: UInt8($0), count: 150_000)) }
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
            for (index, data) in staged.enumerated() {
                let note = context.insert(Note.self)
                note.text = "n\(index)"
                note.setStaged(data, for: \.photo)
                try context.assign(note, toStore: stores[index].identifier)
            }
            try context.save()
            for note in try context.fetch(FetchRequest<Note>()) {
                let byte = UInt8(note.text.dropFirst()) ?? 9
                #expect(note.photo == Data(repeating: byte, count: 150_000))
            }
        }
        try coordinator.close()
        for (index, name) in ["a", "b"].enumerated() {
            let alone = PersistentStoreCoordinator(managedObjectModel: try edgeModel())
            try alone.addPersistentStore(ofType: .sqlite, at: folder.url.appending(path: "\(name).sqlite"))
            let photos = try ManagedObjectContext(persistentStoreCoordinator: alone).performAndWait {
                try $0.fetch(FetchRequest<Note>()).map(\.photo)
            }
            #expect(photos == [Data(repeating: UInt8(index), count: 150_000)])
            #expect(try alone.report().missingFiles.isEmpty)
            try alone.close()
        }
    }
}
