import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// Several stores behind several coordinators.
@Suite struct StoreCombinationTests {
    /// One coordinator with two stores, another with one of these and a third: each sees what its stores
    /// have.
    @Test func `stores and coordinators combine as one likes`() throws {
        let folder = try ScratchFolder()
        func coordinator(_ stores: [(name: String, configuration: String)]) throws
            -> PersistentStoreCoordinator
        {
            let coordinator = PersistentStoreCoordinator(
                managedObjectModel: try ManagedObjectModel(
                    Mood.self, Country.self, Swatch.self, Seat.self,
                    configurations: ["moods": ["Mood", "Country", "Swatch"], "seats": ["Seat"]]))
            for store in stores {
                try coordinator.addPersistentStore(
                    ofType: .sqlite, configuration: store.configuration,
                    at: folder.url.appending(path: store.name))
            }
            return coordinator
        }
        let first = try coordinator([("moods.sqlite", "moods"), ("east.sqlite", "seats")])
        let second = try coordinator([("moods.sqlite", "moods"), ("west.sqlite", "seats")])
        func add(_ coordinator: PersistentStoreCoordinator, _ title: String, seat: Int64) throws {
            try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
                Mood.insert(into: context, title: title, date: day(0))
                context.insert(Seat.self).number = seat
                try context.save()
            }
        }
        try add(first, "fog", seat: 1)
        try add(second, "rain", seat: 2)
        func look(_ coordinator: PersistentStoreCoordinator) throws -> (titles: [String], seats: [Int64]) {
            try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
                (
                    try context.fetch(FetchRequest<Mood>(sortedBy: .ascending(\.title))).map(\.title),
                    try context.fetch(FetchRequest<Seat>()).map(\.number)
                )
            }
        }
        #expect(try look(first) == (["fog", "rain"], [1]))
        #expect(try look(second) == (["fog", "rain"], [2]))
        #expect(first.storeIdentifiers[0] == second.storeIdentifiers[0])
        #expect(Set(first.storeIdentifiers + second.storeIdentifiers).count == 3)
        // Each has a store of its own for the file: one goes, the other goes on.
        #expect(try first.stores[0] !== second.stores[0])
        try first.close()
        try add(second, "snow", seat: 3)
        #expect(try look(second) == (["fog", "rain", "snow"], [2, 3]))
        let moods = folder.url.appending(path: "moods.sqlite").path
        #expect(try shell("sqlite3 '\(moods)' 'SELECT COUNT(*) FROM ZMOOD'") == "3\n")
    }
}
