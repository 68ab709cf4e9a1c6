import Foundation
import Testing

@testable import ManagedObjects

/// Two contexts that change the same objects.
@Suite(.everyStore) struct MergeTests {
    private let coordinator: PersistentStoreCoordinator
    private let first: ManagedObjectContext, second: ManagedObjectContext

    init() throws {
        coordinator = try emptyCoordinator(referenceSchema())
        first = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        second = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        try first.performAndWait { context in
            for number in 1...3 as ClosedRange<Int64> {
                let (place, resident, pass) = (
                    context.insert(Place.self), context.insert(Resident.self), context.insert(Pass.self)
                )
                for thing: Thing in [place, resident, pass] {
                    (thing.number, thing.name) = (number, "\(number)")
                }
                resident.home = place
            }
            let statue = context.insert(Statue.self)
            (statue.number, statue.name) = (1, "statue")
            try context.save()
            context.reset()
        }
    }

    private func thing<T: Thing>(_ number: Int64, _ context: isolated ManagedObjectContext) throws -> T {
        try #require(try context.fetch(FetchRequest<T>(\T.number == number)).first)
    }

    @Test func `an object moved by both is in one owner's set, ours`() throws {
        try second.performAndWait { context in
            let resident: Resident = try thing(1, context)
            let places: [Place] = try (1...3).map { try thing($0, context) }
            #expect(places.map(\.residents.count) == [1, 1, 1])
            resident.home = places[1]
            let note = try first.performAndWait { context in
                let resident: Resident = try thing(1, context)
                resident.home = try thing(3, context)
                return try context.save()
            }
            try context.mergeChanges(from: note)
            #expect(resident.home === places[1])
            #expect(places.map(\.residents.count) == [0, 2, 1])
            try context.save()
            context.reset()
            let counts = try (1...3).map { try (thing($0, context) as Place).residents.count }
            #expect(counts == [0, 2, 1])
        }
    }

    @Test func `moved to the same owner by both it is there once`() throws {
        try second.performAndWait { context in
            let resident: Resident = try thing(1, context), place: Place = try thing(2, context)
            resident.home = place
            let note = try first.performAndWait { context in
                let resident: Resident = try thing(1, context)
                resident.home = try thing(2, context)
                return try context.save()
            }
            try context.mergeChanges(from: note)
            #expect(place.residents.count == 2)
            resident.home = nil
            #expect(place.residents.count == 1, "taken out once, it is out")
        }
    }

    @Test func `of two that get the same only one, the unsaved change wins`() throws {
        try second.performAndWait { context in
            let (a, b): (Resident, Resident) = (try thing(1, context), try thing(2, context))
            let pass: Pass = try thing(1, context)
            a.badge = pass
            #expect(b.badge == nil)
            let note = try first.performAndWait { context in
                let (b, pass): (Resident, Pass) = (try thing(2, context), try thing(1, context))
                b.badge = pass
                return try context.save()
            }
            try context.mergeChanges(from: note)
            #expect(pass.holder === a && a.badge === pass && b.badge == nil)
            try context.save()
            context.reset()
            let (c, d): (Resident, Resident) = (try thing(1, context), try thing(2, context))
            #expect(c.badge != nil && c.badge?.holder === c && d.badge == nil)
        }
    }

    @Test func `what leads to a row that the other deleted leads nowhere`() throws {
        try second.performAndWait { context in
            let resident: Resident = try thing(1, context), place: Place = try thing(3, context)
            let pass: Pass = try thing(1, context)
            let fresh = context.insert(Pass.self)
            (resident.home, pass.place, fresh.place) = (place, place, place)
            let note = try first.performAndWait { context in
                let place: Place = try thing(3, context)
                context.delete(place)
                return try context.save()
            }
            try context.mergeChanges(from: note)
            #expect(resident.home == nil && pass.place == nil && fresh.place == nil)
            try context.save()
            #expect(try context.count(FetchRequest<Pass>(\.place == nil)) == 4)
            #expect(try context.count(FetchRequest<Resident>(\.home == nil)) == 2)
        }
    }

    @Test func `two who change one's pairs conflict, and after a merge both changes are kept`() throws {
        let note = try first.performAndWait { context in
            for number in 1...2 as ClosedRange<Int64> {
                let club = context.insert(Club.self)
                (club.number, club.name) = (number, "club")
            }
            return try context.save()
        }
        try second.performAndWait { context in
            try context.mergeChanges(from: note)
            let resident: Resident = try thing(1, context), club: Club = try thing(1, context)
            resident.clubs.insert(club)
            let note = try first.performAndWait { context in
                let resident: Resident = try thing(1, context), club: Club = try thing(2, context)
                club.members.insert(resident)
                return try context.save()
            }
            #expect(throws: StoreError.conflict(resident.objectID)) { try context.save() }
            try context.mergeChanges(from: note)
            #expect(resident.clubs.count == 2)
            try context.save()
            context.reset()
            #expect(try (thing(1, context) as Resident).clubs.count == 2)
        }
    }

    @Test func `of two that are each other's only one, the old partner lets go`() throws {
        try first.performAndWait { context in
            let (a, b): (Resident, Resident) = (try thing(1, context), try thing(2, context))
            let (p, q): (Pass, Pass) = (try thing(1, context), try thing(2, context))
            (a.badge, b.badge) = (p, q)
            b.badge = a.badge
            #expect(a.badge == nil && b.badge === p && p.holder === b && q.holder == nil)
            q.holder = b
            #expect(b.badge === q && p.holder == nil)
            try context.save()
            context.reset()
            let (c, r): (Resident, Pass) = (try thing(2, context), try thing(2, context))
            #expect(c.badge === r && r.holder === c)
            #expect(try context.count(FetchRequest<Resident>(\.badge == nil)) == 2)
        }
    }

    @Test func `pairs go with what they pair, and when they are taken out`() throws {
        let url = StoreKind.folder.appending(path: "\(UUID().uuidString).sqlite")
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try referenceSchema())
        try coordinator.addPersistentStore(ofType: .sqlite, at: url)
        @Sendable func pairs() throws -> String {
            let tables = try shell(
                "sqlite3 '\(url.path)' \"SELECT name FROM sqlite_master WHERE name LIKE 'Z\\_%' ESCAPE "
                    + "'\\' AND type = 'table' AND sql LIKE '%PRIMARY KEY (%'\""
            ).split(separator: "\n")
            return try tables.sorted().map { try shell("sqlite3 '\(url.path)' 'SELECT COUNT(*) FROM \($0)'") }
                .joined().replacing("\n", with: " ")
        }
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
            let (a, b) = (context.insert(Resident.self), context.insert(Resident.self))
            let (club, event) = (context.insert(Club.self), context.insert(Event.self))
            a.friends = [b]
            club.members = [a, b]
            event.guests = [b, a]
            try context.save()
            // Guests, members, and each friendship both ways.
            #expect(try pairs() == "2 2 2 ")
            club.members = [b]
            try context.save()
            #expect(try pairs().contains("1"))
            context.delete(b)
            try context.save()
            #expect(try pairs().split(separator: " ").map { Int($0) ?? 0 }.sorted() == [0, 0, 1])
            context.reset()
            #expect(try context.fetch(FetchRequest<Resident>()).first?.friends.isEmpty == true)
        }
        try coordinator.close()
    }

    @Test func `a statue has one owner, though nothing leads back`() throws {
        try first.performAndWait { context in
            let (a, b): (Place, Place) = (try thing(1, context), try thing(2, context))
            let statue: Statue = try thing(1, context)
            a.statues = [statue]
            b.statues = [statue]
            #expect(a.statues.isEmpty && b.statues == [statue])
            try context.save()
            context.reset()
            #expect(try (thing(1, context) as Place).statues.isEmpty)
            #expect(try (thing(2, context) as Place).statues.count == 1)
        }
    }

    @Test func `an order is kept, and one that changes moves as little as it can`() throws {
        #expect(OrderPositions.assigned(to: [nil, nil, nil]) == [1024, 2048, 3072])
        #expect(OrderPositions.assigned(to: [1024, nil, 2048]) == [1024, 1536, 2048])
        #expect(OrderPositions.assigned(to: [3072, 1024, 2048]) == [512, 1024, 2048])
        #expect(OrderPositions.assigned(to: [1024, 2048, nil]) == [1024, 2048, 3072])
        #expect(OrderPositions.assigned(to: [1, nil, 2]) == [1024, 2048, 3072], "no room: all anew")
        #expect(OrderPositions.assigned(to: []) == [])
    }

    @Test func `deleting a pupil deletes the badge, and a fetch of residents has pupils`() throws {
        try first.performAndWait { context in
            let pupil = context.insert(Pupil.self)
            (pupil.number, pupil.name, pupil.school) = (9, "pupil", "hill")
            pupil.badge = try thing(1, context)
            pupil.home = try thing(1, context)
            try context.save()
            context.reset()
            let found = try context.fetch(FetchRequest<Resident>(\.number == 9))
            #expect((found.first as? Pupil)?.school == "hill")
            #expect(found.first?.objectID.entity == "Pupil")
            let place: Place = try thing(1, context)
            #expect(place.residents.contains { $0 is Pupil })
            let pass: Pass = try thing(1, context)
            #expect(pass.holder is Pupil, "the key says which sub-entity")
            let ids = try context.fetchObjectIDs(FetchRequest<Thing>(sortedBy: .descending(\.number)))
            #expect(ids.first == found.first?.objectID, "one row has one ID, whatever was asked for")
            try context.delete(#require(found.first))
            try context.save()
            #expect(try context.count(FetchRequest<Pass>()) == 2)
        }
    }

    private func badges(_ context: isolated ManagedObjectContext) throws -> [String] {
        let all = try context.fetch(FetchRequest<Resident>(sortedBy: .ascending(\.number)))
        let holder = (try thing(1, context) as Pass).holder
        let states = all.map { $0.badge == nil ? "-" : $0.badge?.holder === $0 ? "it" : "torn" }
        return states + ["\(holder?.number ?? 0)"]
    }

    /// Theirs gave the pass to another one, whom ours changed too; it stays with the one whom ours gave it.
    @Test func `a pass that both gave away is with one of the two after a conflict`() throws {
        for policy in [MergePolicy.mergeByPropertyObjectTrump, .overwrite, .mergeByPropertyStoreTrump] {
            let (mine, theirs) = try second.performAndWait { context in
                context.reset()
                context.mergePolicy = policy
                for resident in try context.fetch(FetchRequest<Resident>()) { resident.badge = nil }
                try context.save()
                let (a, b): (Resident, Resident) = (try thing(1, context), try thing(2, context))
                let pass: Pass = try thing(1, context)
                a.badge = pass
                b.name = "changed"
                try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { other in
                    let (b, pass): (Resident, Pass) = (try thing(2, other), try thing(1, other))
                    b.badge = pass
                    try other.save()
                }
                try context.save()
                let there = try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait {
                    try badges($0)
                }
                return (try badges(context), there)
            }
            let isTheirs = if case .storeTrump = policy.rule { true } else { false }
            #expect(mine == (isTheirs ? ["-", "it", "-", "2"] : ["it", "-", "-", "1"]))
            #expect(theirs == mine)
        }
    }

    /// Ours changed the names of both ends alone, so what theirs did to the two stays.
    @Test func `a pass that they gave away stays given when ours changed something else of both`() throws {
        for (name, policy) in [
            ("x", MergePolicy.mergeByPropertyObjectTrump), ("y", .mergeByPropertyStoreTrump),
        ] {
            try second.performAndWait { context in
                context.reset()
                context.mergePolicy = policy
                for resident in try context.fetch(FetchRequest<Resident>()) { resident.badge = nil }
                try context.save()
                let (b, pass): (Resident, Pass) = (try thing(2, context), try thing(1, context))
                (b.name, pass.name) = (name, name)
                try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { other in
                    let (b, pass): (Resident, Pass) = (try thing(2, other), try thing(1, other))
                    b.badge = pass
                    try other.save()
                }
                try context.save()
                #expect(try badges(context) == ["-", "it", "-", "2"])
                #expect(b.name == name && pass.name == name)
            }
            let there = try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait {
                try badges($0)
            }
            #expect(there == ["-", "it", "-", "2"])
        }
    }

    @Test func `an object that is taken from the store again lets go of all that it led to, both ends`()
        throws
    {
        try second.performAndWait { context in
            let resident: Resident = try thing(1, context), boss: Resident = try thing(2, context)
            let homes: [Place] = try (1...3).map { try thing($0, context) }
            let pass: Pass = try thing(1, context), club = context.insert(Club.self)
            resident.name = "changed"
            (resident.home, resident.boss, resident.badge) = (homes[2], boss, pass)
            resident.clubs = [club]
            #expect(homes.map(\.residents.count) == [0, 1, 2] && boss.reports == [resident])
            context.refresh(resident, mergeChanges: false)
            #expect(resident.name == "1" && resident.home === homes[0] && resident.boss == nil)
            #expect(resident.badge == nil && pass.holder == nil && resident.clubs.isEmpty)
            #expect(homes.map(\.residents.count) == [1, 1, 1] && boss.reports.isEmpty)
            #expect(club.members.isEmpty)
            context.delete(club)
            try context.save()
            resident.clubs = []
            let friend: Resident = try thing(3, context)
            resident.friends = [boss, friend]
            try context.save()
            resident.friends = [boss]
            context.refresh(resident, mergeChanges: false)
            #expect(resident.friends == [boss, friend] && friend.friends == [resident])
            try context.save()
        }
        let friends = try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait {
            (try thing(1, $0) as Resident).friends.count
        }
        #expect(friends == 2)
    }
}
