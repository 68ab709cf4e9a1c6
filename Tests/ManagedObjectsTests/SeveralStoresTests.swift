import Foundation
import Testing

@testable import ManagedObjects

@Suite(.everyStore) struct SeveralStoresTests {
    private func coordinator() throws -> PersistentStoreCoordinator {
        let model = try ManagedObjectModel(
            Mood.self, Country.self, Swatch.self, Seat.self,
            configurations: ["moods": ["Mood", "Country", "Swatch"], "seats": ["Seat"]])
        return try emptyCoordinator(model, configurations: ["moods", "seats"])
    }

    @Test func `objects go to the store that takes them, and fetches find them there`() throws {
        let coordinator = try coordinator()
        let context = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        let stores = coordinator.storeIdentifiers
        try context.performAndWait { context in
            fillWithMoods(context)
            context.insert(Seat.self).number = 7
            try context.save()
            let seat = try #require(try context.fetch(FetchRequest<Seat>()).first)
            let mood = try #require(try context.fetch(FetchRequest<Mood>()).first)
            #expect(seat.objectID.storeIdentifier == stores[1])
            #expect(mood.objectID.storeIdentifier == stores[0])
            // In a store that is one file no two objects have one key; countries came first.
            let isOneSequence = StoreKind.current != .sqlite && StoreKind.current != .memory
            #expect(seat.objectID.key == 1, "a key that another row has too")
            #expect(mood.objectID.key == (isOneSequence ? 3 : 1))
            #expect(context.object(with: seat.objectID) === seat)
            seat.number = 8
            mood.rating = 1
            try context.save()
        }
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait {
            context throws -> Void in
            #expect(try context.fetch(FetchRequest<Seat>()).map(\.number) == [8])
            #expect(try context.count(FetchRequest<Mood>(\.rating == 1)) == 1)
        }
    }

    @Test func `what one store refuses none of them keeps`() throws {
        let coordinator = try coordinator()
        let context = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        try context.performAndWait { context throws -> Void in
            fillWithMoods(context)
            for _ in 0..<2 { context.insert(Seat.self).number = 7 }
            #expect(throws: StoreError.notUnique(entity: "Seat", properties: ["number"])) {
                try context.save()
            }
            context.rollback()
        }
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait {
            context throws -> Void in
            #expect(try context.count(FetchRequest<Mood>()) == 0)
            #expect(try context.count(FetchRequest<Seat>()) == 0)
        }
    }

    @Test func `two stores that take the same entity answer as one`() throws {
        let model = try testModel()
        let coordinator = try emptyCoordinator(model, configurations: [nil, nil])
        // The second gets its rows by a coordinator of its own: new objects go to the first.
        let context = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        try context.performAndWait { context in
            for code: Int16 in [5, 1, 3] { Country.insert(into: context, code: code, name: "") }
            try context.save()
            var request = FetchRequest<Country>(\.code > 0, sortedBy: .descending(\.code))
            #expect(try context.fetch(request).map(\.code) == [5, 3, 1])
            (request.fetchOffset, request.fetchLimit) = (1, 1)
            #expect(try context.fetch(request).map(\.code) == [3])
            #expect(try context.count(request) == 1)
            request.fetchOffset = 3
            #expect(try context.count(request) == 0)
        }
    }

    @Test func `a relationship does not lead from one store to another`() throws {
        let model = try ManagedObjectModel(
            Folder.self, File.self, configurations: ["folders": ["Folder"], "files": ["File"]])
        let coordinator = try emptyCoordinator(model, configurations: ["folders", "files"])
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait {
            context throws -> Void in
            let folder = context.insert(Folder.self), file = context.insert(File.self)
            file.folder = folder
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.failures.map(\.rule) == [.acrossStores])
            #expect(error?.failures.map(\.property) == ["folder"])
        }
    }

    @Test func `a row of another stack is not taken for one of this`() throws {
        let here = ManagedObjectContext(persistentStoreCoordinator: try emptyCoordinator(testModel()))
        let there = ManagedObjectContext(persistentStoreCoordinator: try emptyCoordinator(testModel()))
        let reference = try there.performAndWait { context in
            let country = Country.insert(into: context, code: 1, name: "there")
            try context.save()
            return country.reference
        }
        try here.performAndWait { context in
            let country = Country.insert(into: context, code: 1, name: "here")
            try context.save()
            #expect(country.objectID.key == reference.objectID.key)
            #expect(country.objectID != reference.objectID)
            #expect(throws: StoreError.otherStore(reference.objectID)) {
                try context.existingObject(with: reference.objectID)
            }
            let found = context[reference]
            #expect(found == nil)
            #expect(throws: StoreError.otherStore(reference.objectID)) {
                try context.fetch(FetchRequest<Mood>())
            }
            #expect(try context.count(FetchRequest<Mood>(\.country == reference)) == 0)
        }
    }

    @Test func `an ID goes through its URI and through JSON`() throws {
        let coordinator = try emptyCoordinator(testModel())
        let context = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        try context.performAndWait { context in
            let country = Country.insert(into: context, code: 1, name: "")
            #expect(
                coordinator.managedObjectID(forURIRepresentation: country.objectID.uriRepresentation) == nil)
            try context.save()
            let id = country.objectID
            #expect(
                id.uriRepresentation.absoluteString == "x-coredata://\(id.storeIdentifier ?? "")/Country/p1")
            #expect(coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation) == id)
            let copy = try JSONDecoder().decode(ManagedObjectID.self, from: JSONEncoder().encode(id))
            #expect(copy == id)
        }
        for wrong in ["x-coredata://nobody/Country/p1", "https://example.com/Country/p1", "x-coredata:p1"] {
            #expect(
                coordinator.managedObjectID(forURIRepresentation: try #require(URL(string: wrong))) == nil)
        }
    }

    @Test func `a configuration that parts a hierarchy, or that there is none of, is refused`() throws {
        #expect(throws: ModelError.configuration("half", entity: "Resident")) {
            try ManagedObjectModel(
                Pupil.self, Thing.self, Resident.self, Place.self, Club.self, Event.self, Pass.self,
                Statue.self,
                configurations: ["half": ["Resident", "Pupil"]])
        }
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try testModel())
        #expect(throws: ModelError.self) {
            try coordinator.addPersistentStore(ofType: .inMemory, configuration: "none")
        }
    }
}
