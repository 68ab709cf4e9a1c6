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
            #expect(throws: StoreError.notUnique(entity: "Seat", properties: ["number"], values: [.int(7)])) {
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

    /// Countries 5, 1 and 3 in the first store and 4, 2, 6 in the second.
    private func twoFilled() throws -> PersistentStoreCoordinator {
        let model = try testModel()
        // New objects go to the first store, so the second is filled by a coordinator of its own. A store in
        // memory has no other coordinator.
        let kind = StoreKind.current == .memory ? .sqlite : StoreKind.current
        let url = StoreKind.folder.appending(path: "\(UUID().uuidString).\(kind)")
        let alone = PersistentStoreCoordinator(managedObjectModel: model)
        try alone.addPersistentStore(ofType: kind.type, at: url)
        try fill(alone, [4, 2, 6])
        try alone.close()
        let both = try emptyCoordinator(model)
        try both.addPersistentStore(ofType: kind.type, at: url)
        try fill(both, [5, 1, 3])
        return both
    }

    private func fill(_ coordinator: PersistentStoreCoordinator, _ codes: [Int16]) throws {
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait {
            context throws -> Void in
            for code in codes {
                let country = Country.insert(into: context, code: code, name: "\(code % 2)")
                let mood = Mood.insert(into: context, title: "of \(code)", date: day(Double(code)))
                (mood.country, mood.rating) = (country, code)
            }
            try context.save()
        }
    }

    /// The limit is that of both stores together, and the order decides.
    @Test(arguments: [(0, 1), (1, 2), (4, 9), (0, 6), (1, nil)])
    func `a batch request changes as many rows of several stores as its limit says`(offset: Int, limit: Int?)
        throws
    {
        let all: [Int16] = [6, 5, 4, 3, 2, 1], chosen = Array(all.dropFirst(offset).prefix(limit ?? 6))
        func left(_ isDeletion: Bool) throws -> [Int16] {
            let coordinator = try twoFilled()
            return try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait {
                context in
                var request = FetchRequest<Country>(sortedBy: .descending(\.code))
                (request.fetchLimit, request.fetchOffset) = (limit, offset)
                let note =
                    isDeletion
                    ? try context.execute(BatchDeleteRequest(request))
                    : try context.execute(
                        BatchUpdateRequest(request, propertiesToUpdate: ["name": "changed"]))
                let ids = isDeletion ? note.deletedObjectIDs : note.updatedObjectIDs
                #expect(ids.count == chosen.count)
                let countries = try context.fetch(FetchRequest<Country>(sortedBy: .descending(\.code)))
                return countries.filter { $0.name != "changed" }.map(\.code)
            }
        }
        #expect(try left(true) == all.filter { !chosen.contains($0) })
        #expect(try left(false) == all.filter { !chosen.contains($0) })
    }

    @Test func `two filled stores that take the same entity answer as one`() throws {
        let coordinator = try twoFilled()
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait {
            context throws -> Void in
            var request = FetchRequest<Country>(\.code > 1, sortedBy: .descending(\.code))
            let all: [Int16] = [6, 5, 4, 3, 2]
            let countries = try context.fetch(request)
            #expect(countries.map(\.code) == all)
            let stores = coordinator.storeIdentifiers
            #expect(countries.map { $0.objectID.storeIdentifier == stores[0] ? 0 : 1 } == [1, 0, 1, 0, 1])
            #expect(countries.map { $0.moods.map(\.title) } == all.map { ["of \($0)"] })
            for limit in [nil, 1, 2, 3, 5, 9] {
                for offset in 0...6 {
                    (request.fetchLimit, request.fetchOffset) = (limit, offset)
                    let wanted = Array(all.dropFirst(offset).prefix(limit ?? 9))
                    #expect(try context.fetch(request).map(\.code) == wanted, "\(limit ?? 0) \(offset)")
                    #expect(try context.count(request) == wanted.count, "\(limit ?? 0) \(offset)")
                }
            }
            // Two terms of an order, each with rows of both stores.
            let grouped = FetchRequest<Country>(sortedBy: .ascending(\.name), .descending(\.code))
            #expect(try context.fetch(grouped).map(\.code) == [6, 4, 2, 5, 3, 1])
            let byCountry = FetchRequest<Mood>(\.country?.code != 3, sortedBy: .ascending(\.country?.code))
            #expect(try context.fetch(byCountry).map(\.rating) == [1, 2, 4, 5, 6])
        }
    }

    @Test func `changes of the rows of two filled stores go each to its own`() throws {
        let coordinator = try twoFilled(), stores = coordinator.storeIdentifiers
        func told() throws -> [String] {
            try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
                try context.fetch(FetchRequest<Country>(sortedBy: .ascending(\.code))).map {
                    "\($0.code) in \($0.objectID.storeIdentifier == stores[0] ? 0 : 1)"
                }
            }
        }
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait {
            context throws -> Void in
            let countries = try context.fetch(FetchRequest<Country>(sortedBy: .ascending(\.code)))
            (countries[0].code, countries[1].code) = (12, 11)
            context.delete(countries[2])
            context.delete(countries[3])
            Country.insert(into: context, code: 7, name: "")
            // Unsaved changes of rows of both stores are in their places.
            let unsaved = try context.fetch(FetchRequest<Country>(\.code > 4, sortedBy: .ascending(\.code)))
            #expect(unsaved.map(\.code) == [5, 6, 7, 11, 12])
            try context.save()
        }
        #expect(try told() == ["5 in 0", "6 in 1", "7 in 0", "11 in 1", "12 in 0"])
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
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait {
            context throws -> Void in
            #expect(try context.count(FetchRequest<Folder>()) == 0, "nothing is half written")
            #expect(try context.count(FetchRequest<File>()) == 0, "nothing is half written")
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
            let path = country.objectID.uriRepresentation.path
            #expect(path == "/Country/t\(-country.objectID.key)", "Core Data's t says temporary")
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
        let store = coordinator.storeIdentifiers[0]
        for wrong in ["p+1", "p-1", "p", "p0", "p1/p1", "t1"].map({ "x-coredata://\(store)/Country/\($0)" }) {
            #expect(
                coordinator.managedObjectID(forURIRepresentation: try #require(URL(string: wrong))) == nil)
        }
        for wrong in ["x-coredata://nobody/Country/p1", "https://example.com/Country/p1", "x-coredata:p1"] {
            #expect(
                coordinator.managedObjectID(forURIRepresentation: try #require(URL(string: wrong))) == nil)
        }
    }

    @Test func `a name of other letters goes through a URI`() throws {
        let model = try ManagedObjectModel(entities: [EntityDeclaration("Straße", properties: [])])
        let coordinator = try emptyCoordinator(model)
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait {
            context throws -> Void in
            let object = try context.insert(entityNamed: "Straße")
            try context.save()
            let url = object.objectID.uriRepresentation
            #expect(coordinator.managedObjectID(forURIRepresentation: url) == object.objectID)
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
