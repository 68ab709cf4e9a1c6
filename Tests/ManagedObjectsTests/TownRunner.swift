import Foundation

@testable import ManagedObjects

/// Does the same to a context and to a ``Town``, and compares.
final class TownRunner: @unchecked Sendable {
    // @unchecked Sendable because contexts are entered one after the other, from one thread.
    private final class Side: @unchecked Sendable {
        // @unchecked Sendable for the same reason.
        let context: ManagedObjectContext
        /// The contexts below it, down to the store, nearest first.
        let parents: [ManagedObjectContext]
        /// What its parent has, when that is not what is committed.
        var pushed: Town?
        /// What was deleted, saved and taken back is a row of its own, which nobody else knows yet.
        var renewed: [Int: ManagedObjectID] = [:]
        var town = Town()
        /// What was set since the last save, when it was values and keys alone: those can be merged by hand.
        var changes: [Int: Set<String>] = [:]
        var isSimple = true
        var list: FetchedResultsController<Resident>?
        let mirror = Mirror()
        /// What undo leads back to, and redo forward to.
        var past: [Town] = [], future: [Town] = []
        /// - Parameter depth: how many contexts lie between it and the store.
        init(_ coordinator: PersistentStoreCoordinator, depth: Int = 0) {
            var contexts = [ManagedObjectContext(persistentStoreCoordinator: coordinator)]
            for _ in 0..<depth { contexts.insert(ManagedObjectContext(parent: contexts[0]), at: 0) }
            context = contexts.removeFirst()
            parents = contexts
        }
        var isClean: Bool { changes.isEmpty && isSimple }
    }

    /// Keeps the list that the reports describe.
    final class Mirror: FetchedResultsControllerDelegate {
        var sections: [[ManagedObjectID]] = []
        var failure: String?
        func controller(
            _ list: FetchedResultsController<Resident>, didChange batch: FetchedResultsBatch
        ) {
            for case .delete(let id, let place) in batch.changes where at(place) != id.current {
                failure = "delete of \(id) at \(place), where \(at(place).map { "\($0)" } ?? "nothing") is"
            }
            sections = batch.applied(to: sections)
        }
        func controller(_ list: FetchedResultsController<Resident>, didFailWith error: any Error) {
            failure = "the list failed: \(error)"
        }
        private func at(_ place: IndexPath) -> ManagedObjectID? {
            sections.indices.contains(place.section) && sections[place.section].indices.contains(place.row)
                ? sections[place.section][place.row].current : nil
        }
    }

    private var sides: [Side]
    private let second: PersistentStoreCoordinator?
    private var committed = Town()
    private var references: [Int: ManagedObjectID] = [:]
    private var next = 0
    /// Whose objects are looked at.
    private var acting: Side?

    private func reference(_ id: Int) -> ManagedObjectID? { acting?.renewed[id] ?? references[id] }
    private let url: URL?
    private let type: PersistentStoreCoordinator.StoreType

    /// - Parameters:
    ///   - url: a file, of two stacks when it is SQLite's; nil for a store in memory.
    ///   - depths: how many parents each of the three contexts has.
    init(at url: URL?, type: PersistentStoreCoordinator.StoreType, depths: [Int]) throws {
        let model = try townModel()
        func coordinator() throws -> PersistentStoreCoordinator {
            let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
            try coordinator.addPersistentStore(ofType: type, at: url)
            return coordinator
        }
        let first = try coordinator()
        (self.url, self.type) = (url, type)
        // A store that is written whole has one owner at a time.
        second = if case .sqlite = type { try coordinator() } else { nil }
        sides = zip([first, first, second ?? first], depths).map { Side($0, depth: $1) }
        for side in sides {
            try side.context.performAndWait { context in
                context.undoManager = UndoManager()
                try begin(context, side)
            }
        }
    }

    private func begin(_ context: isolated ManagedObjectContext, _ side: Side) throws {
        let request = FetchRequest<Resident>(
            \.number >= 1, sortedBy: .ascending(\.home?.number), .descending(\.number), .ascending(\.name))
        let list = context.list(request, sectionedBy: try SectionName(\.home?.number))
        list.delegate = side.mirror
        try list.performFetch()
        var ids = list.fetchedObjectIDs[...]
        side.mirror.sections = (list.sections ?? []).map { section in
            defer { ids = ids.dropFirst(section.numberOfObjects) }
            return Array(ids.prefix(section.numberOfObjects))
        }
        side.list = list
    }

    /// - Returns: what went wrong, nil when all is well.
    func run(_ deeds: [Deed]) throws -> String? {
        for (place, deed) in deeds.enumerated() {
            let side = sides[Int((deed.number >> 56) % 3)]
            if let failure = try perform(deed, side) { return "deed \(place) (\(deed)): \(failure)" }
        }
        for side in sides { if let failure = try save(side) { return "the last save: \(failure)" } }
        for coordinator in [sides[0].context.persistentStoreCoordinator, second].compactMap({ $0 }) {
            try coordinator.close()
        }
        return try checkFile()
    }

    private func perform(_ deed: Deed, _ side: Side) throws -> String? {
        switch deed.what {
        case 22, 23: return try save(side)
        case 31: return try push(side)
        case 32, 33: return try batch(deed, side)
        case 24:
            return side.context.performAndWait { context in
                context.rollback()
                clean(side)
                forgetPast(context, side)
                return check(context, side)
            }
        case 25:
            return side.context.performAndWait { context in
                // Clean objects become faults; what was changed stays.
                context.refreshAllObjects()
                return check(context, side)
            }
        case 27, 28, 29, 30:
            return side.context.performAndWait { context in
                turnBack(isForward: deed.what == 30, context, side)
                return check(context, side)
            }
        default:
            return side.context.performAndWait { context in
                let (before, count) = (side.town, context.undoManager?.count ?? 0)
                act(deed, context, side)
                context.processPendingChanges()
                if context.undoManager?.count == count {
                    return side.town == before ? check(context, side) : "a change that cannot be undone"
                }
                side.past.append(before)
                side.future = []
                return check(context, side)
            }
        }
    }

    private func turnBack(isForward: Bool, _ context: isolated ManagedObjectContext, _ side: Side) {
        guard let town = isForward ? side.future.popLast() : side.past.popLast() else { return }
        if isForward {
            side.past.append(side.town)
            context.redo()
        } else {
            side.future.append(side.town)
            context.undo()
        }
        (side.town, side.isSimple) = (town, false)
        let revived = context.withObjects { $0.undoLog.revived.mapValues(\.objectID) }
        for (id, known) in references.merging(side.renewed, uniquingKeysWith: { $1 }) {
            guard let now = revived[known.current] else { continue }
            side.renewed[id] = now
        }
    }

    private func forgetPast(_ context: isolated ManagedObjectContext, _ side: Side) {
        context.undoManager?.removeAllActions()
        (side.past, side.future) = ([], [])
    }

    private func clean(_ side: Side) {
        (side.town, side.changes, side.isSimple) = (side.pushed ?? committed, [:], side.pushed == nil)
    }

    /// Saves to the parent, which does not save: it has the same then, unsaved.
    private func push(_ side: Side) throws -> String? {
        guard let parent = side.parents.first else { return nil }
        _ = try side.context.performAndWait { try $0.save() }
        (side.pushed, side.isSimple) = (side.town, false)
        return parent.performAndWait { context in
            check(context, side, hasList: false).map { "in the parent: \($0)" }
        } ?? side.context.performAndWait { context in check(context, side) }
    }

    /// Throws away what is not saved, at every level.
    private func rollback(_ side: Side) {
        side.pushed = nil
        side.renewed = [:]
        for parent in side.parents.reversed() { parent.performAndWait { $0.rollback() } }
        for parent in side.parents.dropLast().reversed() { parent.performAndWait { $0.reset() } }
        side.context.performAndWait { context in
            // What a child had from its parent may be gone: it is to look again.
            side.parents.isEmpty ? context.rollback() : context.reset()
            clean(side)
            forgetPast(context, side)
        }
    }

    private func object<T: ManagedObject>(_ id: Int?, _ context: isolated ManagedObjectContext) -> T? {
        id.flatMap { reference($0) }.flatMap { context.object(with: $0) as? T }
    }

    private func create<T: Thing>(
        _ type: T.Type, _ kind: Town.Kind, _ deed: Deed, _ context: isolated ManagedObjectContext,
        _ side: Side
    ) {
        let object = context.insert(type)
        (object.number, object.name) = (deed.value, "n\(next)")
        references[next] = object.objectID
        side.town.rows[next] = Town.Row(kind: kind, name: "n\(next)", number: deed.value)
        next += 1
        side.isSimple = false
    }

    private func act(_ deed: Deed, _ context: isolated ManagedObjectContext, _ side: Side) {
        acting = side
        let town = side.town
        let people = town.of(.resident, .pupil), places = town.of(.place), clubs = town.of(.club)
        let events = town.of(.event), passes = town.of(.pass), statues = town.of(.statue)
        let person = deed.pick(people, 0), other = deed.pick(people, 1)
        func complex() { side.isSimple = false }
        switch deed.what {
        case 0, 1: create(Resident.self, .resident, deed, context, side)
        case 2: create(Pupil.self, .pupil, deed, context, side)
        case 3: create(Place.self, .place, deed, context, side)
        case 4: create(Club.self, .club, deed, context, side)
        case 5: create(Event.self, .event, deed, context, side)
        case 6: create(Pass.self, .pass, deed, context, side)
        case 7: create(Statue.self, .statue, deed, context, side)
        case 8, 9:
            guard let id = deed.pick(town.rows.keys.sorted(), 0), let thing: Thing = object(id, context)
            else { return }
            thing.number = deed.value
            side.town.rows[id]?.number = deed.value
            side.changes[id, default: []].insert("number")
        case 10, 11:
            guard let person, let it: Resident = object(person, context) else { return }
            let home = deed.isNothing ? nil : deed.pick(places, 1)
            it.home = object(home, context)
            side.town.rows[person]?.home = home
            side.changes[person, default: []].insert("home")
        case 12:
            guard let person, let it: Resident = object(person, context) else { return }
            it.boss = deed.isNothing ? nil : object(other, context)
            side.town.rows[person]?.boss = deed.isNothing ? nil : other
            side.changes[person, default: []].insert("boss")
        case 13:
            guard let place = deed.pick(places, 0), let it: Place = object(place, context) else { return }
            let some = people.filter { ($0 + Int(deed.value)) % 3 == 0 }
            let objects: [Resident] = some.compactMap { object($0, context) }
            it.residents = Set(objects)
            for id in people where side.town.rows[id]?.home == place { side.town.rows[id]?.home = nil }
            for id in some { side.town.rows[id]?.home = place }
            complex()
        case 14:
            complex()
            if deed.value % 2 == 0 {
                guard let person, let it: Resident = object(person, context) else { return }
                let pass = deed.isNothing ? nil : deed.pick(passes, 1)
                it.badge = object(pass, context)
                side.town.setBadge(person, pass)
            } else {
                guard let pass = deed.pick(passes, 0), let it: Pass = object(pass, context) else { return }
                it.holder = deed.isNothing ? nil : object(other, context)
                if let holder = town.holder(of: pass) { side.town.setBadge(holder, nil) }
                if !deed.isNothing, let other { side.town.setBadge(other, pass) }
            }
        case 15:
            complex()
            guard let person, let club = deed.pick(clubs, 1), let it: Resident = object(person, context),
                let its: Club = object(club, context)
            else { return }
            if town.rows[person]?.clubs.contains(club) ?? false {
                if deed.isNothing { it.clubs.remove(its) } else { its.remove(it, from: \.members) }
                side.town.rows[person]?.clubs.remove(club)
            } else {
                if deed.isNothing { it.clubs.insert(its) } else { its.insert(it, into: \.members) }
                side.town.rows[person]?.clubs.insert(club)
            }
        case 16:
            complex()
            guard let person, let other, let a: Resident = object(person, context),
                let b: Resident = object(other, context)
            else { return }
            let are = !(town.rows[person]?.friends.contains(other) ?? false)
            if are { a.friends.insert(b) } else { a.friends.remove(b) }
            side.town.befriend(person, other, are)
        case 17:
            complex()
            guard let event = deed.pick(events, 0), let it: Event = object(event, context) else { return }
            let club = deed.isNothing ? nil : deed.pick(clubs, 1)
            it.club = object(club, context)
            side.town.setClub(event, club)
        case 18:
            complex()
            guard let club = deed.pick(clubs, 0), let it: Club = object(club, context),
                let list = town.rows[club]?.events
            else { return }
            let turned = Array(list.dropFirst(1) + list.prefix(1)).reversed()
            it.events = turned.compactMap { object($0, context) }
            side.town.rows[club]?.events = Array(turned)
        case 19:
            complex()
            guard let event = deed.pick(events, 0), let it: Event = object(event, context) else { return }
            let guests = people.filter { ($0 + Int(deed.value)) % 2 == 0 }.sorted {
                ($0 * 31 + Int(deed.value)) % 7 < ($1 * 31 + Int(deed.value)) % 7
            }
            it.guests = guests.compactMap { object($0, context) }
            side.town.rows[event]?.guests = guests
        case 20:
            complex()
            if deed.value % 2 == 0 {
                guard let place = deed.pick(places, 0), let it: Place = object(place, context) else { return }
                let some = Set(statues.filter { ($0 + Int(deed.value)) % 2 == 0 })
                let objects: [Statue] = some.compactMap { object($0, context) }
                it.statues = Set(objects)
                side.town.setStatues(place, some)
            } else {
                guard let pass = deed.pick(passes, 0), let it: Pass = object(pass, context) else { return }
                // What nothing leads back to is told apart by hand when it goes.
                it.place = deed.isNothing ? nil : object(deed.pick(places, 1), context)
                side.town.rows[pass]?.place = deed.isNothing ? nil : deed.pick(places, 1)
            }
        default:
            complex()
            guard let id = deed.pick(town.rows.keys.sorted(), 0), let it: Thing = object(id, context) else {
                return
            }
            for pass in passes where town.rows[pass]?.place == id {
                (object(pass, context) as Pass?)?.place = nil
                side.town.rows[pass]?.place = nil
            }
            context.delete(it)
            side.town.delete(id)
        }
    }

    /// Writes to the store past the objects: to all residents with a number, or to all of a kind.
    private func batch(_ deed: Deed, _ side: Side) throws -> String? {
        for side in sides { rollback(side) }
        let number = deed.value % 4
        let note = try side.context.performAndWait { context in
            if deed.what == 32 {
                return try context.execute(
                    BatchUpdateRequest(
                        FetchRequest<Resident>(\.number == number),
                        propertiesToUpdate: ["number": deed.value + 1]))
            }
            return switch deed.number % 3 {
            case 0: try context.execute(BatchDeleteRequest(FetchRequest<Resident>(\.number == number)))
            case 1: try context.execute(BatchDeleteRequest(FetchRequest<Club>(\.number == number)))
            default: try context.execute(BatchDeleteRequest(FetchRequest<Thing>(\.number == number)))
            }
        }
        for (id, row) in committed.rows.sorted(by: { $0.key < $1.key }) where row.number == number {
            let isResident = row.kind == .resident || row.kind == .pupil
            if deed.what == 32 {
                if isResident { committed.rows[id]?.number = deed.value + 1 }
            } else if deed.number % 3 == 2 || (deed.number % 3 == 0 ? isResident : row.kind == .club) {
                committed.remove(id)
            }
        }
        for other in sides {
            let failure = try other.context.performAndWait { context -> String? in
                if other !== side {
                    for parent in other.parents.reversed() {
                        try parent.performAndWait { try $0.mergeChanges(from: note) }
                    }
                    try context.mergeChanges(from: note)
                }
                clean(other)
                forgetPast(context, other)
                return check(context, other)
            }
            if let failure { return "after a batch: \(failure)" }
        }
        return try fresh()
    }

    private func save(_ side: Side) throws -> String? {
        // What cannot be merged by hand is thrown away on the other sides, before it could be.
        for other in sides where other !== side && !other.isSimple {
            rollback(other)
        }
        var note = try side.context.performAndWait { try $0.save() }
        for parent in side.parents { note = try parent.performAndWait { try $0.save() } }
        side.pushed = nil
        references.merge(side.renewed) { $1 }
        side.renewed = [:]
        let written = note
        let before = committed
        committed = side.town
        clean(side)
        for other in sides where other !== side {
            for parent in other.parents.reversed() {
                try parent.performAndWait { try $0.mergeChanges(from: written) }
            }
            let failure = try other.context.performAndWait { context -> String? in
                try context.mergeChanges(from: written)
                other.town = merged(other, before)
                forgetPast(context, other)
                return check(context, other)
            }
            if let failure { return "after a merge: \(failure)" }
        }
        return try side.context.performAndWait { context in check(context, side) } ?? fresh()
    }

    /// What was committed, with the other side's own changes on top.
    private func merged(_ side: Side, _ before: Town) -> Town {
        var town = committed
        for (id, names) in side.changes {
            guard town.rows[id] != nil, let mine = side.town.rows[id] else {
                side.changes[id] = nil
                continue
            }
            // What was set to what it was is no change.
            let was = before.rows[id]
            if names.contains("number"), mine.number != was?.number { town.rows[id]?.number = mine.number }
            let home = mine.home.flatMap { town.rows[$0] == nil ? nil : $0 }
            let boss = mine.boss.flatMap { town.rows[$0] == nil ? nil : $0 }
            // One that led to what is gone leads nowhere; when it led nowhere before, it was no change.
            if names.contains("home"), home != was?.home { town.rows[id]?.home = home }
            if names.contains("boss"), boss != was?.boss { town.rows[id]?.boss = boss }
        }
        return town
    }

    /// What another context finds in the store.
    private func fresh() throws -> String? {
        let side = Side(second ?? sides[0].context.persistentStoreCoordinator)
        side.town = committed
        return try side.context.performAndWait { context in
            try begin(context, side)
            return check(context, side).map { "in a fresh context: \($0)" }
        }
    }
}

extension TownRunner {
    private func check(
        _ context: isolated ManagedObjectContext, _ side: Side, hasList: Bool = true
    ) -> String? {
        acting = side
        do {
            for (id, row) in side.town.rows.sorted(by: { $0.key < $1.key }) {
                guard let thing: Thing = object(id, context) else { return "\(row.kind) \(id) is gone" }
                if let failure = check(thing, id, row, side.town) { return "\(row.kind) \(id): \(failure)" }
            }
            let all = try context.fetch(
                FetchRequest<Thing>(sortedBy: .ascending(\.number), .ascending(\.name)))
            let wanted = side.town.rows.values.sorted { ($0.number, $0.name) < ($1.number, $1.name) }.map(
                \.name)
            if all.map(\.name) != wanted { return "fetched \(all.map(\.name)), not \(wanted)" }
            let people = side.town.rows.filter { $0.value.kind == .resident || $0.value.kind == .pupil }
            let busy = people.values.filter { $0.number >= 2 }.count
            let count = try context.count(FetchRequest<Resident>(\.number >= 2))
            if count != busy { return "\(count) residents with 2 and more, not \(busy)" }
            let known = people.values.filter { row in
                row.clubs.contains { side.town.rows[$0]?.number ?? 0 > 2 }
            }
            let found = try context.fetch(
                FetchRequest<Resident>(#Predicate { $0.clubs.contains { $0.number > 2 } }))
            if Set(found.map(\.name)) != Set(known.map(\.name)) {
                return "found \(found.map(\.name)) by their clubs"
            }
            return hasList ? try check(list: side, context) : nil
        } catch { return "\(error)" }
    }

    private func check(list side: Side, _ context: isolated ManagedObjectContext) throws -> String? {
        guard let list = side.list else { return nil }
        if let failure = side.mirror.failure { return failure }
        var request = list.fetchRequest
        request.fetchLimit = nil
        let fetched = try context.fetch(request).map(\.objectID)
        if list.fetchedObjectIDs != fetched {
            return "the list has \(list.fetchedObjectIDs), a fetch gives \(fetched)"
        }
        let names = try context.fetch(request).map { $0.home.map { "\($0.number)" } ?? "" }
        var sections: [(name: String, count: Int)] = []
        for name in names {
            if sections.last?.name == name {
                sections[sections.count - 1].count += 1
            } else {
                sections.append((name, 1))
            }
        }
        if list.sections?.map(\.name) != sections.map(\.name)
            || list.sections?.map(\.numberOfObjects) != sections.map(\.count)
        {
            return "sections \(list.sections ?? []), not \(sections)"
        }
        let told = side.mirror.sections.map { $0.map(\.current) }
        var start = 0
        let wanted = sections.map { section in
            defer { start += section.count }
            return Array(fetched[start..<start + section.count])
        }
        return told == wanted ? nil : "reports made \(told), the list is \(wanted)"
    }

    private func check(_ thing: Thing, _ id: Int, _ row: Town.Row, _ town: Town) -> String? {
        func differ(_ name: String, _ has: [ManagedObject], _ wants: [Int]) -> String? {
            let wanted = wants.compactMap { reference($0)?.current }
            return has.map(\.objectID.current) == wanted
                ? nil : "\(name) is \(has.map(\.objectID)), not \(wanted)"
        }
        func differ(_ name: String, _ has: Set<some ManagedObject>, _ wants: Set<Int>) -> String? {
            let wanted = Set(wants.compactMap { reference($0)?.current })
            return Set(has.map(\.objectID.current)) == wanted
                ? nil : "\(name) is \(has.map(\.objectID)), not \(wanted)"
        }
        func differ(_ name: String, _ has: ManagedObject?, _ wants: Int?) -> String? {
            differ(name, [has].compactMap { $0 }, [wants].compactMap { $0 })
        }
        if (thing.name, thing.number) != (row.name, row.number) {
            return "\(thing.name) \(thing.number), not \(row)"
        }
        switch thing {
        case let it as Resident:
            if let pupil = it as? Pupil, pupil.school != "none" { return "school \(pupil.school)" }
            return differ("home", it.home, row.home) ?? differ("boss", it.boss, row.boss)
                ?? differ("reports", it.reports, town.reports(of: id)) ?? differ("badge", it.badge, row.badge)
                ?? differ("clubs", it.clubs, row.clubs) ?? differ("friends", it.friends, row.friends)
                ?? differ("invitations", it.invitations, town.invitations(of: id))
        case let it as Place:
            return differ("residents", it.residents, town.residents(of: id))
                ?? differ("statues", it.statues, row.statues)
        case let it as Club:
            return differ("members", it.members, town.members(of: id))
                ?? differ("events", it.events, row.events)
        case let it as Event:
            return differ("club", it.club, town.club(of: id)) ?? differ("guests", it.guests, row.guests)
        case let it as Pass:
            return differ("holder", it.holder, town.holder(of: id)) ?? differ("place", it.place, row.place)
        default: return nil
        }
    }

    /// What a stack finds that opens the file anew.
    private func checkAgain(_ url: URL) throws -> String? {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try townModel())
        try coordinator.addPersistentStore(ofType: type, at: url)
        let side = Side(coordinator)
        side.town = committed
        return try side.context.performAndWait { context in
            try begin(context, side)
            return check(context, side).map { "in the file: \($0)" }
        }
    }

    /// What plain SQL finds in the file.
    private func checkFile() throws -> String? {
        guard let url else { return nil }
        guard second != nil else { return try checkAgain(url) }
        let lines = try shell(
            """
            sqlite3 '\(url.path)' "PRAGMA integrity_check; SELECT t.ZNAME, t.ZNUMBER, IFNULL(h.ZNAME, '') FROM ZTHING t \
            LEFT JOIN ZTHING h ON h.Z_PK = t.ZHOME ORDER BY t.Z_PK"
            """
        ).split(separator: "\n").map(String.init)
        let rows = committed.rows.values.map { row in
            "\(row.name)|\(row.number)|\(row.home.flatMap { committed.rows[$0]?.name } ?? "")"
        }
        return lines.first == "ok" && lines.dropFirst().sorted() == rows.sorted()
            ? nil : "SQL finds \(lines), not \(rows)"
    }
}
