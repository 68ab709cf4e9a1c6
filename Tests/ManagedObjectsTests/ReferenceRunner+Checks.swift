import Foundation

@testable import ManagedObjects

// What the plainest model, a fresh fetch, another stack and plain SQL say of it.
extension ReferenceRunner {
    func check(
        _ context: isolated ManagedObjectContext, _ replica: Replica, hasList: Bool = true
    ) -> String? {
        acting = replica
        if let failure = context.withObjects({ $0.checkInvariants() }) { return failure }
        do {
            for (id, row) in replica.model.rows.sorted(by: { $0.key < $1.key }) {
                guard let thing: Thing = object(id, context) else { return "\(row.kind) \(id) is gone" }
                if let failure = check(thing, id, row, replica.model) {
                    return "\(row.kind) \(id): \(failure)"
                }
            }
            let all = try context.fetch(
                FetchRequest<Thing>(sortedBy: .ascending(\.number), .ascending(\.name)))
            let wanted = replica.model.rows.values.sorted { ($0.number, $0.name) < ($1.number, $1.name) }.map(
                \.name)
            if all.map(\.name) != wanted { return "fetched \(all.map(\.name)), not \(wanted)" }
            let people = replica.model.rows.filter { $0.value.kind == .resident || $0.value.kind == .pupil }
            let busy = people.values.filter { $0.number >= 2 }.count
            let count = try context.count(FetchRequest<Resident>(\.number >= 2))
            if count != busy { return "\(count) residents with 2 and more, not \(busy)" }
            let known = people.values.filter { row in
                row.clubs.contains { replica.model.rows[$0]?.number ?? 0 > 2 }
            }
            let found = try context.fetch(
                FetchRequest<Resident>(#Predicate { $0.clubs.contains { $0.number > 2 } }))
            if Set(found.map(\.name)) != Set(known.map(\.name)) {
                return "found \(found.map(\.name)) by their clubs"
            }
            return hasList ? try check(list: replica, context) : nil
        } catch { return "\(error)" }
    }

    func check(list replica: Replica, _ context: isolated ManagedObjectContext) throws -> String? {
        guard let list = replica.list else { return nil }
        if let failure = replica.mirror.failure { return failure }
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
        let told = replica.mirror.sections.map { $0.map(\.current) }
        var start = 0
        let wanted = sections.map { section in
            defer { start += section.count }
            return Array(fetched[start..<start + section.count])
        }
        return told == wanted ? nil : "reports made \(told), the list is \(wanted)"
    }

    func check(_ thing: Thing, _ id: Int, _ row: ReferenceModel.Row, _ model: ReferenceModel) -> String? {
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
        if thing.picture != row.picture.map(ReferenceModel.bytes) {
            return "picture \(thing.picture.map { "\($0.first ?? 0): \($0.count)" } ?? "-"), not \(row)"
        }
        if !thing.isInserted && !thing.isUpdated && thing.sortName != nil && thing.sortName != row.name {
            return "sort name \(thing.sortName ?? "-"), not \(row)"
        }
        switch thing {
        case let it as Resident:
            if let pupil = it as? Pupil, pupil.school != "none" { return "school \(pupil.school)" }
            return differ("home", it.home, row.home) ?? differ("boss", it.boss, row.boss)
                ?? differ("reports", it.reports, model.reports(of: id)) ?? differ(
                    "badge", it.badge, row.badge)
                ?? differ("clubs", it.clubs, row.clubs) ?? differ("friends", it.friends, row.friends)
                ?? differ("invitations", it.invitations, model.invitations(of: id))
        case let it as Place:
            return differ("residents", it.residents, model.residents(of: id))
                ?? differ("statues", it.statues, row.statues)
        case let it as Club:
            return differ("members", it.members, model.members(of: id))
                ?? differ("events", it.events, row.events)
        case let it as Event:
            return differ("club", it.club, model.club(of: id)) ?? differ("guests", it.guests, row.guests)
        case let it as Pass:
            return differ("holder", it.holder, model.holder(of: id)) ?? differ("place", it.place, row.place)
        default: return nil
        }
    }

    /// What a stack finds that opens the file anew.
    func checkAgain(_ url: URL) throws -> String? {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try referenceSchema())
        try coordinator.addPersistentStore(ofType: type, at: url)
        let replica = Replica(coordinator)
        replica.model = committed
        return try replica.context.performAndWait { context in
            try begin(context, replica)
            return check(context, replica).map { "in the file: \($0)" }
        }
    }

    /// What plain SQL finds in the file.
    func checkFile() throws -> String? {
        guard let url else { return nil }
        guard case .sqlite = type else { return try checkAgain(url) }
        let lines = try shell(
            """
            sqlite3 '\(url.path)' "PRAGMA integrity_check; SELECT t.ZNAME, t.ZNUMBER, IFNULL(h.ZNAME, '') \
            FROM ZTHING t \
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
