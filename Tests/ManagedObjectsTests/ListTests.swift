import Foundation
import ManagedObjects
import TestSupport
import Testing

@Suite(.everyStore) struct ListTests {
    /// The law that defines a list: what it reports, applied to the list of before, gives the list of after.
    /// Random inserts, changes, deletes, renamed countries and rollbacks, with and without sections, on the
    /// context itself and on one that merges its saves.
    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8])
    func `reported changes applied to the old list give the new one`(seed: UInt64) throws {
        let coordinator = try emptyCoordinator(testModel())
        let writer = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        let reader = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        let mirrors = try [writer, reader].map { context in
            try context.performAndWait { context in
                let mirror = Mirrors(
                    try Mirrored(context.list(request)),
                    try Mirrored(context.list(bySection, sectionedBy: section)),
                    try Mirrored(context.list(rated)))
                return Smuggler(mirror)
            }
        }
        var random = SplitMix64(seed: seed)
        for _ in 0..<60 {
            let next = random.next()
            let note = try writer.performAndWait { context in
                var random = SplitMix64(seed: next)
                try change(context, &random)
                context.processPendingChanges()
                mirrors[0].value.check(seed)
                if random.next() % 4 == 0 { context.rollback() }
                mirrors[0].value.check(seed)
                return try context.save()
            }
            try reader.performAndWait { context -> Void in
                try context.mergeChanges(from: note)
                mirrors[1].value.check(seed)
            }
            writer.performAndWait { _ in mirrors[0].value.check(seed) }
            // A context that has no list reads what both have been told.
            let fresh = ManagedObjectContext(persistentStoreCoordinator: coordinator)
            let wanted = try fresh.performAndWait { context in
                try [request, bySection, rated].map { try context.fetch($0).map(\.objectID.description) }
            }
            writer.performAndWait { _ in #expect(mirrors[0].value.told == wanted, "seed \(seed)") }
            reader.performAndWait { _ in #expect(mirrors[1].value.told == wanted, "seed \(seed)") }
        }
        writer.performAndWait { _ in #expect(mirrors[0].value.all.allSatisfy { $0.reports > 20 }) }
        reader.performAndWait { _ in #expect(mirrors[1].value.all.allSatisfy { $0.reports > 20 }) }
    }

    @Test func `sections come in order, none is empty, and a broken order is refused`() throws {
        try emptyContext().performAndWait { context in
            let list = try context.list(bySection, sectionedBy: section)
            #expect(list.sections == nil)
            fillWithMoods(context)
            try context.save()
            try list.performFetch()
            #expect(list.sections?.map(\.name) == ["", "250", "276"])
            #expect(list.sections?.map(\.numberOfObjects) == [1, 1, 3])
            #expect(list.object(at: IndexPath(row: 2, section: 2))?.date == day(3))
            let wrong = try context.list(request, sectionedBy: section)
            Mood.insert(into: context, title: "", date: day(0)).country = nil
            try context.save()
            #expect(throws: FetchError.self) { try wrong.performFetch() }
            let flat = context.list(request)
            try flat.performFetch()
            #expect(flat.sections?.map(\.numberOfObjects) == [6])
            let none = context.list(FetchRequest<Mood>(\.title == "none", sortedBy: .ascending(\.date)))
            try none.performFetch()
            #expect(
                none.sections?.map(\.numberOfObjects) == [0], "a flat list has one section when it is empty")
        }
    }

    @Test func `a list without a sort descriptor is refused`() throws {
        try emptyContext().performAndWait { context -> Void in
            #expect(throws: FetchError.self) { try context.list(FetchRequest<Mood>()).performFetch() }
        }
    }

    @Test func `a delegate is told, and not kept`() throws {
        try emptyContext().performAndWait { context in
            let list = context.list(FetchRequest<Mood>(\.rating > 2, sortedBy: .ascending(\.rating)))
            try list.performFetch()
            var recorder: Recorder? = Recorder()
            list.delegate = recorder
            fillWithMoods(context)
            context.processPendingChanges()
            #expect(recorder?.ratings == [[3, 4, 5]])
            weak let watched = recorder
            recorder = nil
            #expect(watched == nil)
            #expect(list.delegate == nil)
        }
    }

    @Test
    func `a row that keeps its place is an update, one that passes others moves, no other row does`()
        throws
    {
        try emptyContext().performAndWait { context in
            fillWithMoods(context)
            try context.save()
            let list = context.list(request), recorder = Recorder()
            list.delegate = recorder
            try list.performFetch()
            let moods = list.fetchedObjects
            moods[1].title = "mist"
            context.processPendingChanges()
            #expect(recorder.batches.last?.changes == [.update(moods[1].objectID, at: row(1), to: row(1))])
            moods[4].date = day(0)
            context.processPendingChanges()
            #expect(recorder.batches.last?.changes == [.move(moods[4].objectID, from: row(4), to: row(0))])
            moods[0].date = day(1.5)
            context.processPendingChanges()
            #expect(recorder.batches.last?.changes == [.update(moods[0].objectID, at: row(1), to: row(1))])
        }
    }

    @Test func `a list follows what one branch alone of its condition looks at`() throws {
        try emptyContext().performAndWait { context in
            fillWithMoods(context)
            try context.save()
            let predicates: [Predicate<Mood>] = [
                #Predicate { ($0.rating > 3 ? 300 : ($0.latitude ?? 100)) > -50 },
                #Predicate { ($0.rating > 3 ? ($0.latitude ?? 100) : 300) > -50 },
            ]
            for (index, predicate) in predicates.enumerated() {
                let request = FetchRequest(Filter(predicate), sortedBy: .ascending(\Mood.date))
                let list = context.list(request), recorder = Recorder()
                list.delegate = recorder
                try list.performFetch()
                let mood = try #require(list.fetchedObjects.first { ($0.rating > 3) == (index == 1) })
                mood.latitude = -60
                context.processPendingChanges()
                #expect(recorder.batches.count == 1, "\(index)")
                #expect(!list.fetchedObjects.contains(mood))
                #expect(try list.fetchedObjects == context.fetch(request))
                context.rollback()
            }
        }
    }

    @Test func `a list follows objects that one branch alone of its condition leads to`() throws {
        try emptyContext().performAndWait { context in
            fillWithMoods(context)
            try context.save()
            let predicates: [Predicate<Mood>] = [
                #Predicate { $0.rating > 3 ? $0.title == "" : $0.country?.name == "Germany" },
                #Predicate { $0.rating < 4 ? $0.country?.name == "Germany" : $0.title == "" },
            ]
            let germany = try #require(try context.fetch(FetchRequest<Country>(\.code == 276)).first)
            for predicate in predicates {
                let request = FetchRequest(Filter(predicate), sortedBy: .ascending(\Mood.date))
                let list = context.list(request)
                try list.performFetch()
                #expect(list.fetchedObjects.map(\.title) == ["fog", "Foggy harbour", ""])
                germany.name = "Deutschland"
                context.processPendingChanges()
                #expect(list.fetchedObjects.map(\.title) == [""])
                context.rollback()
                context.processPendingChanges()
                #expect(list.fetchedObjects.map(\.title) == ["fog", "Foggy harbour", ""])
            }
        }
    }

    @Test func `a stream starts with a reload and counts its batches by one`() async throws {
        let context = try emptyContext()
        let stream = try await context.changes(
            of: FetchRequest<Country>(\.code > 2, sortedBy: .ascending(\.code))
        ) { $0.code }
        for code: Int16 in [1, 3, 4] {
            await context.perform { _ = Country.insert(into: $0, code: code, name: "") }
        }
        var batches = stream.makeAsyncIterator(), codes: [Int16] = []
        for generation in 0...2 {
            let batch = try #require(await batches.next())
            #expect(batch.generation == UInt64(generation))
            for case .insert(let code, _, _) in batch.changes { codes.append(code) }
        }
        #expect(codes == [3, 4])
    }

    @Test func `an observation tells what a deleted row held, and ends when it is released`() async throws {
        let coordinator = try emptyCoordinator(testModel())
        let writer = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        let reader = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        try writer.performAndWait { context in
            fillWithMoods(context)
            try context.save()
        }
        let box = Box()
        var observation: ListObservation? = try reader.performAndWait { context in
            try context.observe(request, as: { $0.title }) { changes in
                for case .delete(let title, _, _) in changes.changes { box.titles.append(title) }
            }
        }
        try writer.performAndWait { context in
            let moods = try context.fetch(FetchRequest<Mood>(\.title == "fog"))
            let ids = moods.map(\.objectID)
            reader.performAndWait { $0.prepareForDeletion(of: ids) }
            for mood in moods { context.delete(mood) }
            let note = try context.save()
            try reader.performAndWait { try $0.mergeChanges(from: note) }
        }
        #expect(box.titles == ["fog"])
        #expect(observation != nil)
        observation = nil
        try writer.performAndWait { context in
            for mood in try context.fetch(FetchRequest<Mood>(\.title == "")) { context.delete(mood) }
            let note = try context.save()
            try reader.performAndWait { try $0.mergeChanges(from: note) }
        }
        #expect(box.titles == ["fog"])
    }
}

private let request = FetchRequest<Mood>(sortedBy: .ascending(\.date))
private let rated = FetchRequest<Mood>(\.rating > 2, sortedBy: .descending(\.rating), .ascending(\.title))
private let bySection = FetchRequest<Mood>(sortedBy: .ascending(\.country?.code), .ascending(\.date))
private var section: SectionName<Mood> {
    get throws { try SectionName(\.country?.code) { "\($0 ?? 0)" } }
}

private func row(_ row: Int) -> IndexPath { IndexPath(row: row, section: 0) }

/// A few random changes.
private func change(_ context: isolated ManagedObjectContext, _ random: inout SplitMix64) throws {
    for _ in 0...(random.next() % 5) {
        let moods = try context.fetch(FetchRequest<Mood>(sortedBy: .ascending(\.title), .ascending(\.date)))
        let countries = try context.fetch(FetchRequest<Country>(sortedBy: .ascending(\.name)))
        let number = Double(random.next() % 40)
        switch (random.next() % 8, moods.isEmpty) {
        case (0...2, _), (_, true):
            let mood = Mood.insert(into: context, title: "m\(random.next() % 1000)", date: day(number))
            mood.rating = Int16(random.next() % 6)
            mood.country = countries.isEmpty ? nil : countries[Int(random.next() % UInt64(countries.count))]
        case (3, _): context.delete(moods[Int(random.next() % UInt64(moods.count))])
        case (4, _): moods[Int(random.next() % UInt64(moods.count))].date = day(number)
        case (5, _): moods[Int(random.next() % UInt64(moods.count))].rating = Int16(random.next() % 6)
        case (6, _):
            if countries.count < 4 {
                Country.insert(
                    into: context, code: Int16(random.next() % 900), name: "c\(random.next() % 1000)")
            } else {
                // The moods of a renumbered country move, though none of them changed.
                countries[Int(random.next() % 4)].code = Int16(random.next() % 900)
            }
        default:
            moods[Int(random.next() % UInt64(moods.count))].country = countries.randomElement(using: &random)
        }
    }
}

/// A list of IDs by section that is kept up to date by what is reported and nothing else.
private final class Mirrored: FetchedResultsControllerDelegate {
    let list: FetchedResultsController<Mood>
    var sections: [(name: String, ids: [ManagedObjectID])] = []
    var reports = 0

    init(_ list: FetchedResultsController<Mood>) throws {
        self.list = list
        try list.performFetch()
        sections = Self.sections(of: list)
        list.delegate = self
    }

    static func sections(of list: FetchedResultsController<Mood>) -> [(name: String, ids: [ManagedObjectID])]
    {
        var ids = list.fetchedObjectIDs[...]
        return (list.sections ?? []).map { section in
            defer { ids = ids.dropFirst(section.numberOfObjects) }
            return (section.name, Array(ids.prefix(section.numberOfObjects)))
        }
    }

    func controller(_ controller: FetchedResultsController<Mood>, didChange batch: FetchedResultsBatch) {
        reports += 1
        var leaving: [IndexPath] = [], entering: [(IndexPath, ManagedObjectID)] = []
        for change in batch.changes {
            switch change {
            case .insert(let id, let indexPath): entering.append((indexPath, id))
            case .delete(_, let indexPath): leaving.append(indexPath)
            case .move(let id, let old, let new):
                #expect(old != new || !batch.sections.isEmpty || batch.changes.count > 1)
                leaving.append(old)
                entering.append((new, id))
            case .update: break
            }
        }
        #expect(Set(leaving).count == leaving.count, "no row is taken out twice")
        for indexPath in leaving.sorted(by: >) { sections[indexPath.section].ids.remove(at: indexPath.row) }
        for case .delete(let name, let index) in batch.sections {
            #expect(sections[index].name == name && sections[index].ids.isEmpty)
            sections.remove(at: index)
        }
        for case .insert(let name, let index) in batch.sections { sections.insert((name, []), at: index) }
        for (indexPath, id) in entering.sorted(by: { $0.0 < $1.0 }) {
            sections[indexPath.section].ids.insert(id, at: indexPath.row)
        }
        for case .update(let id, _, let indexPath) in batch.changes {
            #expect(sections[indexPath.section].ids[indexPath.row].now == id.now)
        }
    }

    func check(_ seed: UInt64) {
        let now = Self.sections(of: list)
        #expect(sections.map(\.name) == now.map(\.name), "seed \(seed)")
        #expect(sections.map { $0.ids.map(\.now) } == now.map { $0.ids.map(\.now) }, "seed \(seed)")
        #expect(list.fetchedObjects.map(\.objectID.now) == list.fetchedObjectIDs.map(\.now), "seed \(seed)")
    }
}

extension ManagedObjectID {
    /// Temporary and permanent IDs of one object are not equal: compared by what they name.
    fileprivate var now: String { current.description }
}

private final class Mirrors {
    let all: [Mirrored]
    init(_ all: Mirrored...) { self.all = all }
    func check(_ seed: UInt64) { for mirrored in all { mirrored.check(seed) } }
    /// The rows of each list, as the reports have them.
    var told: [[String]] { all.map { $0.sections.flatMap { $0.ids.map(\.now) } } }
}

/// Keeps what belongs to a context between two visits to it, where the compiler would not let it stay.
private final class Smuggler: @unchecked Sendable {
    // @unchecked Sendable because it is looked at on the context's queue only.
    let value: Mirrors
    init(_ value: Mirrors) { self.value = value }
}

private final class Box: @unchecked Sendable {
    // @unchecked Sendable because one thread at a time writes to it.
    var titles: [String?] = []
}

private final class Recorder: FetchedResultsControllerDelegate {
    var ratings: [[Int16]] = []
    var batches: [FetchedResultsBatch] = []
    func controller(_ controller: FetchedResultsController<Mood>, didChange batch: FetchedResultsBatch) {
        batches.append(batch)
        ratings.append(controller.fetchedObjects.map(\.rating))
    }
}
