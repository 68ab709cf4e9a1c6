import Foundation
import Testing

@testable import ManagedObjects

/// A context on top of another one: what it sees, what it saves, and what it keeps to itself.
@Suite(.everyStore) struct ChildContextTests {
    private func titles(_ context: ManagedObjectContext) throws -> [String] {
        try context.performAndWait { context in
            try context.fetch(FetchRequest<Mood>(sortedBy: .ascending(\.title))).map(\.title)
        }
    }

    @Test func `a child sees what its parent has not saved, and its own changes stay its own`() throws {
        let parent = try emptyContext(), child = ManagedObjectContext(parent: parent)
        parent.performAndWait { context in
            _ = Mood.insert(into: context, title: "fog", date: day(1))
        }
        #expect(try titles(child) == ["fog"])
        try child.performAndWait { context throws -> Void in
            let fog = try #require(try context.fetch(FetchRequest<Mood>()).first)
            fog.title = "mist"
            _ = Mood.insert(into: context, title: "rain", date: day(2))
            let count = try context.count(FetchRequest<Mood>())
            #expect(count == 2)
        }
        #expect(try titles(parent) == ["fog"])
        child.performAndWait { $0.rollback() }
        #expect(try titles(child) == ["fog"])
    }

    @Test func `a save goes one level down, and to the store with the last`() throws {
        let root = try emptyContext(), middle = ManagedObjectContext(parent: root)
        let top = ManagedObjectContext(parent: middle)
        let coordinator = root.persistentStoreCoordinator
        func stored() throws -> [String] {
            try titles(ManagedObjectContext(persistentStoreCoordinator: coordinator))
        }
        let note = try top.performAndWait { context in
            let france = context.insert(Country.self)
            (france.code, france.name) = (250, "France")
            let mood = Mood.insert(into: context, title: "fog", date: day(1))
            mood.country = france
            return try context.save()
        }
        #expect(note.insertedObjectIDs.count == 2)
        #expect(note.insertedObjectIDs.allSatisfy { !$0.isTemporaryID })
        let isRootUntouched = root.performAndWait { !$0.hasChanges }
        #expect(isRootUntouched)
        #expect(try titles(middle) == ["fog"])
        #expect(try titles(root) == [])
        try middle.performAndWait { _ = try $0.save() }
        #expect(try titles(root) == ["fog"])
        #expect(try stored() == [])
        let last = try root.performAndWait { try $0.save() }
        #expect(Set(last.insertedObjectIDs) == Set(note.insertedObjectIDs), "one ID from first to last")
        #expect(try stored() == ["fog"])
        let fresh = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        try fresh.performAndWait { context throws -> Void in
            let mood = try #require(try context.fetch(FetchRequest<Mood>()).first)
            #expect(mood.country?.code == 250)
            #expect(mood.country?.moods == [mood])
        }
        // Two levels up nothing is new, and a change goes all the way again.
        try top.performAndWait { context throws -> Void in
            let mood = try #require(try context.fetch(FetchRequest<Mood>()).first)
            #expect(mood.objectID == note.insertedObjectIDs.first { $0.entity == "Mood" })
            mood.title = "mist"
            try context.save()
        }
        for context in [middle, root] { try context.performAndWait { _ = try $0.save() } }
        #expect(try stored() == ["mist"])
    }

    @Test func `what a child deletes and unlinks is deleted and unlinked below`() throws {
        let parent = try emptyContext(), child = ManagedObjectContext(parent: parent)
        try parent.performAndWait { context throws -> Void in
            fillWithMoods(context)
            try context.save()
        }
        let before = try titles(parent)
        try child.performAndWait { context throws -> Void in
            let all = try context.fetch(FetchRequest<Mood>(sortedBy: .ascending(\.title)))
            context.delete(all[0])
            all[1].country = nil
            try context.save()
        }
        #expect(try titles(parent) == Array(before.dropFirst()))
        let (deleted, unlinked) = try parent.performAndWait { context in
            let first = try context.fetch(FetchRequest<Mood>(sortedBy: .ascending(\.title))).first
            return (context.deletedObjects.map(\.entity.name), first?.country == nil)
        }
        #expect(deleted.sorted() == ["Mood", "Swatch", "Swatch"], "the mood and what goes with it")
        #expect(unlinked)
        parent.performAndWait { $0.rollback() }
        #expect(try titles(parent) == before, "the child's changes are the parent's, and go with them")
    }

    @Test func `two children that change one object: the second is told`() throws {
        let parent = try emptyContext()
        let (a, b) = (ManagedObjectContext(parent: parent), ManagedObjectContext(parent: parent))
        try parent.performAndWait { context throws -> Void in
            _ = Mood.insert(into: context, title: "fog", date: day(1))
            try context.save()
        }
        for context in [a, b] {
            try context.performAndWait { context throws -> Void in
                try #require(try context.fetch(FetchRequest<Mood>()).first).title += "!"
            }
        }
        let note = try a.performAndWait { try $0.save() }
        #expect(throws: StoreError.conflict(note.updatedObjectIDs[0])) {
            try b.performAndWait { _ = try $0.save() }
        }
        #expect(try titles(parent) == ["fog!"], "nothing of a save that fails is kept")
        try b.performAndWait { context throws -> Void in
            try context.mergeChanges(from: note)
            try #require(try context.fetch(FetchRequest<Mood>()).first).title = "fog?"
            try context.save()
        }
        #expect(try titles(parent) == ["fog?"])
    }

    @Test func `an object that the parent lost cannot be changed, and nothing else is`() throws {
        let parent = try emptyContext(), child = ManagedObjectContext(parent: parent)
        parent.performAndWait { context in
            _ = Mood.insert(into: context, title: "fog", date: day(1))
            _ = Mood.insert(into: context, title: "rain", date: day(2))
        }
        let (fog, rain) = try child.performAndWait { context in
            let all = try context.fetch(FetchRequest<Mood>(sortedBy: .ascending(\.title)))
            for mood in all { mood.title += "!" }
            return (all[0].objectID, all[1].objectID)
        }
        parent.performAndWait { context in if let gone = context.object(with: rain) { context.delete(gone) } }
        #expect(throws: StoreError.conflict(rain)) { try child.performAndWait { _ = try $0.save() } }
        #expect(try titles(parent) == ["fog"])
        let title = try child.performAndWait { context in
            (try context.existingObject(with: fog) as? Mood)?.title
        }
        #expect(title == "fog!")
    }

    @Test func `what was saved beside a child is merged by itself when it wants that`() async throws {
        let parent = try emptyContext()
        let (a, b) = (ManagedObjectContext(parent: parent), ManagedObjectContext(parent: parent))
        try await parent.perform { context throws -> Void in
            _ = Mood.insert(into: context, title: "fog", date: day(1))
            try context.save()
        }
        try await b.perform { context throws -> Void in
            context.automaticallyMergesChangesFromParent = true
            let titles = try context.fetch(FetchRequest<Mood>()).map(\.title)
            #expect(titles == ["fog"])
        }
        try await a.perform { context throws -> Void in
            try #require(try context.fetch(FetchRequest<Mood>()).first).title = "mist"
            try context.save()
        }
        // Behind the merge in the same queue.
        let seen = try await b.perform { context in try context.fetch(FetchRequest<Mood>()).map(\.title) }
        #expect(seen == ["mist"])
        try await parent.perform { context throws -> Void in
            try #require(try context.fetch(FetchRequest<Mood>()).first).title = "rain"
            try context.save()
        }
        let last = try await b.perform { context in try context.fetch(FetchRequest<Mood>()).map(\.title) }
        #expect(last == ["rain"])
    }

    @Test func `contexts of one coordinator follow each other's saves when they want that`() async throws {
        let a = try emptyContext()
        let b = ManagedObjectContext(persistentStoreCoordinator: a.persistentStoreCoordinator)
        try await a.perform { context throws -> Void in
            _ = Mood.insert(into: context, title: "fog", date: day(1))
            try context.save()
        }
        let held = try await b.perform { context in
            context.automaticallyMergesChangesFromParent = true
            return try context.fetch(FetchRequest<Mood>()).map(\.objectID)
        }
        try await a.perform { context throws -> Void in
            try #require(try context.fetch(FetchRequest<Mood>()).first).title = "mist"
            try context.save()
        }
        let titles = try await b.perform { context in
            try context.objects(Mood.self, with: held).map(\.title)
        }
        #expect(titles == ["mist"])
        _ = try await a.perform { context in
            try context.execute(
                BatchUpdateRequest(FetchRequest<Mood>(), propertiesToUpdate: ["title": "snow"]))
        }
        let renamed = try await b.perform { context in
            try context.objects(Mood.self, with: held).map(\.title)
        }
        #expect(renamed == ["snow"])
        _ = try await a.perform { try $0.execute(BatchDeleteRequest(FetchRequest<Mood>())) }
        let left = try await b.perform { try $0.objects(Mood.self, with: held).count { !$0.isDeleted } }
        #expect(left == 0)
        await b.perform { $0.automaticallyMergesChangesFromParent = false }
        let isFollowing = await b.perform { $0.automaticallyMergesChangesFromParent }
        #expect(!isFollowing)
    }

    @Test func `permanent IDs can be had before a save, and are kept by it`() throws {
        let context = try emptyContext()
        let (first, second, saved) = try context.performAndWait { context in
            let moods = (0..<2).map { Mood.insert(into: context, title: "m\($0)", date: day(1)) }
            let isNew = moods.map(\.objectID.isTemporaryID)
            #expect(isNew == [true, true])
            try context.obtainPermanentIDs(for: moods)
            let ids = moods.map(\.objectID)
            // One that is asked for twice keeps its ID, and one that is not asked for gets another.
            try context.obtainPermanentIDs(for: moods)
            _ = Mood.insert(into: context, title: "m2", date: day(1))
            let note = try context.save()
            return (ids, moods.map(\.objectID), note.insertedObjectIDs)
        }
        #expect(first == second)
        #expect(Array(saved.prefix(2)) == first)
        #expect(Set(saved).count == 3)
        #expect(saved.allSatisfy { !$0.isTemporaryID })
    }

    @Test func `a list of a child hears its own changes and those that are merged`() throws {
        let parent = try emptyContext(), child = ManagedObjectContext(parent: parent)
        parent.performAndWait { fillWithMoods($0) }
        try child.performAndWait { context throws -> Void in
            let list = context.list(FetchRequest<Mood>(sortedBy: .ascending(\.title)))
            try list.performFetch()
            let before = list.fetchedObjectIDs.count
            _ = Mood.insert(into: context, title: "zzz", date: day(9))
            context.processPendingChanges()
            #expect(list.fetchedObjects.last?.title == "zzz")
            try context.save()
            #expect(list.fetchedObjectIDs.count == before + 1)
            let fetched = try context.fetchObjectIDs(FetchRequest<Mood>(sortedBy: .ascending(\.title)))
            #expect(list.fetchedObjectIDs == fetched)
        }
    }

    @Test func `what is in a parent's memory alone is not lent to its children`() throws {
        let parent = try edgeContext(), child = ManagedObjectContext(parent: parent)
        try parent.performAndWait { parent in
            let cached = parent.insert(Cached.self)
            (cached.name, cached.decoded) = ("a", [1])
            try parent.save()
            cached.decoded = [2]
        }
        try child.performAndWait { child in
            let cached = try #require(try child.fetch(FetchRequest<Cached>()).first)
            #expect(cached.decoded == nil && cached.name == "a")
        }
    }

    /// The pair is kept by the side that the store names first; either may be the one that is gone.
    @Test(arguments: [true, false], [true, false])
    func `a pair with what the parent deleted is a conflict`(isGuest: Bool, isSaved: Bool) throws {
        let parent = ManagedObjectContext(persistentStoreCoordinator: try emptyCoordinator(referenceSchema()))
        let child = ManagedObjectContext(parent: parent)
        try parent.performAndWait { parent in
            parent.insert(Resident.self).name = "guest"
            parent.insert(Event.self).name = "event"
            try parent.save()
        }
        try child.performAndWait { child in
            let event = try #require(try child.fetch(FetchRequest<Event>()).first)
            event.guests = try child.fetch(FetchRequest<Resident>())
        }
        try parent.performAndWait { parent in
            for thing in try parent.fetch(FetchRequest<Thing>()) where (thing is Resident) == isGuest {
                parent.delete(thing)
            }
            if isSaved { try parent.save() }
        }
        try child.performAndWait { child throws -> Void in
            #expect(throws: StoreError.self) { try child.save() }
            child.rollback()
            #expect(try child.count(FetchRequest<Thing>()) == 1)
        }
        // Nothing of it went down: the parent saves what it had.
        try parent.performAndWait { parent in
            #expect(parent.hasChanges == !isSaved)
            try parent.save()
        }
    }

    @Test func `pairs of what is new on both sides go down with it, in their order`() throws {
        let coordinator = try emptyCoordinator(referenceSchema())
        let parent = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        let child = ManagedObjectContext(parent: parent)
        try child.performAndWait { context throws -> Void in
            let people = (0..<3).map { number in
                let resident = context.insert(Resident.self)
                resident.name = "r\(number)"
                return resident
            }
            people[0].friends = [people[1], people[2]]
            let event = context.insert(Event.self), club = context.insert(Club.self)
            (event.name, club.name) = ("e", "c")
            event.guests = [people[2], people[0], people[1]]
            club.members = [people[1]]
            try context.save()
        }
        for context in [parent, ManagedObjectContext(persistentStoreCoordinator: coordinator)] {
            try context.performAndWait { context throws -> Void in
                let event = try #require(try context.fetch(FetchRequest<Event>()).first)
                #expect(event.guests.map(\.name) == ["r2", "r0", "r1"])
                let first = try #require(try context.fetch(FetchRequest<Resident>(\.name == "r0")).first)
                #expect(Set(first.friends.map(\.name)) == ["r1", "r2"])
                let club = try #require(try context.fetch(FetchRequest<Club>()).first)
                #expect(club.members.map(\.name) == ["r1"])
                if context.hasChanges { try context.save() }
            }
        }
    }
}
