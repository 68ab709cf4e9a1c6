import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

final class Coin: ManagedObject {
    override class var entityName: String { "Coin" }
    @Attribute(.indexed) var number: Int64
    @Attribute var name: String?
}

final class PlainNote: ManagedObject {
    override class var entityName: String { "BankNote" }
    @Attribute var number: Int64
}

final class NamedNote: ManagedObject {
    override class var entityName: String { "BankNote" }
    @Attribute var number: Int64
    @Attribute var name: String?
}

/// Requests that name stores, pass over unsaved changes, and ask for many values.
@Suite struct RequestScopeTests {
    @Test func `a request asks the stores it names, and counts unsaved objects where they will go`() throws {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try ManagedObjectModel(Coin.self))
        for _ in 0..<2 { try coordinator.addPersistentStore(ofType: .inMemory) }
        let stores = coordinator.storeIdentifiers
        let context = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        try context.performAndWait { context in
            for number in 0..<10 {
                let coin = context.insert(Coin.self)
                coin.number = Int64(number)
                try context.assign(coin, toStore: stores[number % 2])
            }
            var request = FetchRequest<Coin>(sortedBy: .ascending(\.number))
            request.affectedStores = [stores[1]]
            #expect(try context.fetch(request).map(\.number) == [1, 3, 5, 7, 9])
            let list = context.list(request)
            try list.performFetch()
            try context.save()
            #expect(try context.fetch(request).map(\.number) == [1, 3, 5, 7, 9])
            #expect(try context.count(request) == 5)
            #expect(try context.fetchObjectIDs(request).count == 5)
            let other = context.insert(Coin.self)
            try context.assign(other, toStore: stores[0])
            context.processPendingChanges()
            #expect(list.count == 5)
            request.affectedStores = []
            #expect(try context.count(request) == 0)
        }
    }

    @Test func `many values find saved and unsaved objects alike, in every kind of store`() throws {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try ManagedObjectModel(Coin.self))
        try coordinator.addPersistentStore(ofType: .inMemory)
        let context = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        try context.performAndWait { context in
            for number in 0..<2000 {
                if number == 1000 { try context.save() }
                context.insert(Coin.self).number = Int64(number)
            }
            let wanted = (0..<3000).filter { $0 % 3 == 0 }.map(Int64.init)
            let request = FetchRequest(
                Filter<Coin>(\.number, isIn: wanted), sortedBy: .ascending(\.number))
            #expect(try context.fetch(request).map(\.number) == wanted.filter { $0 < 2000 } as [Int64])
            // One that gets another value is found by that.
            try context.fetch(FetchRequest(\Coin.number == 1500)).first?.number = 1
            #expect(try context.fetch(request).count == wanted.filter { $0 < 2000 }.count - 1)
            var saved = request
            saved.includesPendingChanges = false
            #expect(try context.fetch(saved).map(\.number) == wanted.filter { $0 < 1000 } as [Int64])
            #expect(try context.count(FetchRequest(Filter<Coin>(true))) == 2000)
            #expect(try context.count(FetchRequest(Filter<Coin>(false))) == 0)
        }
    }

    @Test func `a store of one configuration is migrated, whatever other entities the model has`() throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "Coins.sqlite")
        let configurations = ["coins": ["Coin"], "notes": ["BankNote"]]
        let old = try ManagedObjectModel(Coin.self, PlainNote.self, configurations: configurations)
        let new = try ManagedObjectModel(Coin.self, NamedNote.self, configurations: configurations)
        let notes = folder.url.appending(path: "Notes.sqlite")
        for (configuration, url) in [("coins", url), ("notes", notes)] {
            let coordinator = PersistentStoreCoordinator(managedObjectModel: old)
            try coordinator.addPersistentStore(ofType: .sqlite, configuration: configuration, at: url)
            let context = ManagedObjectContext(persistentStoreCoordinator: coordinator)
            try context.performAndWait { context in
                if configuration == "coins" {
                    context.insert(Coin.self).number = 7
                } else {
                    context.insert(PlainNote.self).number = 8
                }
                try context.save()
            }
            try coordinator.close()
        }
        let migration = Migration(versions: [old, new])
        // Nothing that the store of coins holds has changed.
        #expect(try migration.migrateStore(at: url, configuration: "coins") == nil)
        #expect(try migration.migrateStore(at: notes, configuration: "notes", isRehearsal: true) == nil)
        #expect(try migration.steps(forStoreAt: notes, configuration: "notes").count == 1)
        #expect(try migration.migrateStore(at: notes, configuration: "notes") != nil)
        let coordinator = PersistentStoreCoordinator(managedObjectModel: new)
        try coordinator.addPersistentStore(ofType: .sqlite, configuration: "notes", at: notes)
        let context = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        #expect(try context.performAndWait { try $0.fetch(FetchRequest<NamedNote>()).map(\.number) } == [8])
        try coordinator.close()
    }
}
