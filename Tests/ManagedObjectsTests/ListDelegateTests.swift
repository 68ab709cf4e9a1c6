import Foundation
import Testing

@testable import ManagedObjects

/// What delegates and providers are told, and in which order.
@Suite(.everyStore) struct ListDelegateTests {
    @Test func `callbacks come section by section and row by row, in the order of the law`() throws {
        let context = try emptyContext()
        try context.performAndWait { context throws -> Void in
            fillWithMoods(context)
            let list = FetchedResultsController(
                fetchRequest: FetchRequest<Mood>(sortedBy: .ascending(\.country?.code), .ascending(\.date)),
                managedObjectContext: context, sectionNameKeyPath: try SectionName(\.country?.name))
            let table = Table()
            list.delegate = table
            try list.performFetch()
            #expect(list.sections?.map(\.name) == ["", "France", "Germany"])
            #expect(list.objects(inSection: 2).map(\.title) == ["fog", "Foggy harbour", ""])
            let moods = list.fetchedObjects
            // France goes, Peru comes, a row of Germany moves, one is updated, one goes, one comes.
            context.delete(moods[1])
            let peru = Country.insert(into: context, code: 300, name: "Peru")
            let new = Mood.insert(into: context, title: "new", date: day(9))
            new.country = peru
            moods[2].date = day(8)
            moods[3].rating = 1
            context.delete(moods[0])
            context.processPendingChanges()
            #expect(
                table.told == [
                    "will 5 rows", "section insert 1 Peru 1", "delete [1, 0] café",
                    "delete [0, 0] cafe\u{301}",
                    "update [2, 1] > [0, 0] Foggy harbour", "move [2, 0] > [0, 2] fog", "insert [1, 0] new",
                    "section delete 1 France 1", "section delete 0  1", "batch 5", "did 4 rows",
                ])
        }
    }

    @Test func `index titles are the sections' first letters, or what the delegate says`() throws {
        let context = try emptyContext()
        try context.performAndWait { context throws -> Void in
            for (index, name) in ["ägypten", "Austria", "france", "Germany", "ghana"].enumerated() {
                let country = Country.insert(into: context, code: Int16(index), name: name)
                Mood.insert(into: context, title: name, date: day(1)).country = country
            }
            let list = context.list(
                FetchRequest<Mood>(sortedBy: .ascending(\.country?.code)),
                sectionedBy: try SectionName(\.country?.name))
            #expect(list.sectionIndexTitles == [])
            try list.performFetch()
            #expect(list.sectionIndexTitles == ["Ä", "A", "F", "G"])
            #expect(list.section(forSectionIndexTitle: "G", at: 3) == 3)
            #expect(list.section(forSectionIndexTitle: "F", at: 2) == 2)
            let table = Table()
            table.indexTitle = { String($0.unicodeScalars.count) }
            list.delegate = table
            #expect(list.sectionIndexTitles == ["7", "6", "5"])
            #expect(list.section(forSectionIndexTitle: "5", at: 2) == 4)
        }
    }

    @Test func `a section of nothing has no name, whatever names the others`() throws {
        try emptyContext().performAndWait { context throws -> Void in
            fillWithMoods(context)
            let list = context.list(
                FetchRequest<Mood>(sortedBy: .ascending(\.country?.name), .ascending(\.date)),
                sectionedBy: try SectionName(\.country?.name) { "<\($0 ?? "none")>" })
            try list.performFetch()
            #expect(list.sections?.map(\.name) == ["", "<France>", "<Germany>"])
            try context.save()
            try list.performFetch()
            #expect(list.sections?.map(\.name) == ["", "<France>", "<Germany>"])
        }
    }

    @Test func `an object that got a member and another name in one round moves its rows`() throws {
        let context = try emptyContext(), other = another(context)
        try context.performAndWait { context throws -> Void in
            fillWithMoods(context)
            try context.save()
            let list = context.list(
                FetchRequest<Mood>(sortedBy: .ascending(\.country?.name), .ascending(\.date)))
            try list.performFetch()
            let lost = try #require(try context.fetch(FetchRequest<Mood>(\.country == nil)).first)
            let france = try #require(try context.fetch(FetchRequest<Country>(\.code == 250)).first)
            lost.country = france
            let note = try other.performAndWait { other in
                try #require(try other.fetch(FetchRequest<Country>(\.code == 250)).first).name = "Zaire"
                return try other.save()
            }
            try context.mergeChanges(from: note)
            let names = list.fetchedObjects.map { $0.country?.name }
            #expect(names == ["Germany", "Germany", "Germany", "Zaire", "Zaire"])
        }
    }

    @Test func `a title that is not there stops the program with a sentence`() async throws {
        let result = try #require(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let context = try emptyContext()
                try context.performAndWait { context in
                    let list = context.list(FetchRequest<Mood>(sortedBy: .ascending(\.title)))
                    try list.performFetch()
                    _ = list.section(forSectionIndexTitle: "Q", at: 0)
                }
            })
        #expect(
            String(decoding: result.standardErrorContent, as: UTF8.self)
                .contains("a list has no section index title \"Q\" at 0"))
    }

    @Test func `a list without a sort descriptor, or by an unknown key, is an error`() throws {
        let context = try emptyContext()
        context.performAndWait { context in
            #expect(throws: FetchError.unsupported("a list without a sort descriptor")) {
                try context.list(FetchRequest<Mood>()).performFetch()
            }
            #expect(throws: FetchError.self) {
                try context.list(FetchRequest<Mood>(entityName: "Mood", sortedBy: .ascending("nothing")))
                    .performFetch()
            }
            // A computed property is no key path of a section.
            #expect(throws: FetchError.self) { try SectionName<Mood>(\.heading) }
        }
    }

    @Test func `a request that was changed is read anew, and nothing of that is reported`() throws {
        let context = try emptyContext()
        try context.performAndWait { context throws -> Void in
            fillWithMoods(context)
            let list = context.list(FetchRequest<Mood>(sortedBy: .ascending(\.date))), table = Table()
            list.delegate = table
            try list.performFetch()
            context.processPendingChanges()
            list.fetchRequest.filter = \.rating > 2
            list.fetchRequest.sortDescriptors = [.descending(\.date)]
            #expect(list.count == 5)
            try list.performFetch()
            #expect(list.fetchedObjects.map(\.title) == ["cafe\u{301}", "", "Foggy harbour"])
            #expect(table.told == [])
            // From now on it follows the new request, once.
            list.fetchedObjects[0].rating = 1
            context.processPendingChanges()
            #expect(table.told == ["will 3 rows", "delete [0, 0] cafe\u{301}", "batch 1", "did 2 rows"])
        }
    }

    @Test func `a delegate that goes in a callback, and one that saves in it`() throws {
        let context = try emptyContext()
        try context.performAndWait { context throws -> Void in
            fillWithMoods(context)
            try context.save()
            let list = context.list(FetchRequest<Mood>(sortedBy: .ascending(\.date)))
            try list.performFetch()
            var table: Table? = Table()
            list.delegate = table
            table?.onChange = { table = nil }
            list.fetchedObjects[0].rating = 1
            context.processPendingChanges()
            #expect(table == nil && list.delegate == nil)
            let saver = Table()
            list.delegate = saver
            let core = context.withObjects { $0 }
            saver.onChange = {
                saver.onChange = nil; _ = try? core.save()
            }
            list.fetchedObjects[1].rating = 1
            list.fetchedObjects[2].date = day(20)
            context.processPendingChanges()
            #expect(saver.told.contains("batch 2") && !core.hasChanges)
            let fresh = try context.fetch(list.fetchRequest).map(\.objectID)
            #expect(list.fetchedObjectIDs == fresh)
        }
    }

    @Test func `a provider fetches by itself and hands each step over as one array`() throws {
        let context = try emptyContext()
        try context.performAndWait { context throws -> Void in
            fillWithMoods(context)
            let table = Shown()
            #expect(throws: FetchError.self) {
                try FetchedResultsDataProvider(context.list(FetchRequest<Mood>()), delegate: table)
            }
            let provider = try FetchedResultsDataProvider(
                context.list(
                    FetchRequest<Mood>(sortedBy: .ascending(\.country?.code), .ascending(\.date)),
                    sectionedBy: SectionName(\.country?.name)), delegate: table)
            #expect(provider.numberOfSections == 3 && provider.numberOfItems(inSection: 2) == 3)
            #expect(provider.object(at: IndexPath(row: 1, section: 2)).title == "Foggy harbour")
            let rows = provider.fetchedResultsController.fetchedObjects
            rows[0].country = rows[2].country
            rows[2].rating = 0
            context.delete(rows[1])
            context.processPendingChanges()
            #expect(
                table.updates == [
                    [
                        "delete [1, 0]", "delete [0, 0]", "update [2, 0] fog", "insert [0, 3]",
                        "delete section 1", "delete section 0",
                    ]
                ])
            table.updates = []
            rows[2].date = day(2.5)
            context.processPendingChanges()
            #expect(table.updates == [["move [0, 0] [0, 1]"]])
            let peru = Country.insert(into: context, code: 900, name: "Peru")
            rows[2].country = peru
            context.processPendingChanges()
            #expect(table.updates.last == ["insert section 1", "delete [0, 1]", "insert [1, 0]"])
            rows[2].country = rows[3].country
            context.processPendingChanges()
            #expect(table.updates.last == ["delete [1, 0]", "insert [0, 1]", "delete section 1"])
            try provider.reconfigureFetchRequest { $0.filter = \.rating == 0 }
            #expect(table.updates.last == ["reload"] && provider.numberOfItems(inSection: 0) == 1)
            #expect(throws: FetchError.self) {
                try provider.reconfigureFetchRequest { $0.sortDescriptors = [] }
            }
            #expect(provider.fetchedResultsController.fetchRequest.sortDescriptors.count == 2)
        }
    }
}

/// Writes down what it is told.
private final class Table: FetchedResultsControllerDelegate {
    var told: [String] = []
    var indexTitle: ((String) -> String)?
    var onChange: (() -> Void)?

    func controllerWillChangeContent(_ list: FetchedResultsController<Mood>) {
        told.append("will \(list.count) rows")
    }
    func controllerDidChangeContent(_ list: FetchedResultsController<Mood>) {
        told.append("did \(list.count) rows")
    }
    func controller(
        _ list: FetchedResultsController<Mood>, didChange section: FetchedResultsSectionInfo,
        atSectionIndex index: Int, for type: FetchedResultsChangeType
    ) { told.append("section \(type) \(index) \(section.name) \(section.numberOfObjects)") }
    func controller(
        _ list: FetchedResultsController<Mood>, didChange object: Mood?, at old: IndexPath?,
        for type: FetchedResultsChangeType, newIndexPath new: IndexPath?
    ) {
        let indexPaths = [old, new].compactMap { $0.map { "[\($0.section), \($0.row)]" } }
        told.append("\(type) \(indexPaths.joined(separator: " > ")) \(object?.title ?? "-")")
        onChange?()
    }
    func controller(_ list: FetchedResultsController<Mood>, didChange batch: FetchedResultsBatch) {
        told.append("batch \(batch.changes.count)")
    }
    func controller(_ list: FetchedResultsController<Mood>, sectionIndexTitleForSectionName name: String)
        -> String?
    {
        indexTitle?(name)
    }
}

/// As a table view of the book.
private final class Shown: DataProviderDelegate {
    var updates: [[String]] = []

    func dataProviderDidUpdate(_ updates: [DataProviderUpdate<Mood>]?) {
        self.updates.append(
            updates?.map { update in
                switch update {
                case .insert(let indexPath): "insert \(text(indexPath))"
                case .delete(let indexPath): "delete \(text(indexPath))"
                case .move(let old, let new): "move \(text(old)) \(text(new))"
                case .update(let indexPath, let mood): "update \(text(indexPath)) \(mood.title)"
                case .insertSection(let indexPath): "insert section \(indexPath)"
                case .deleteSection(let indexPath): "delete section \(indexPath)"
                }
            } ?? ["reload"])
    }

    private func text(_ indexPath: IndexPath) -> String { "[\(indexPath.section), \(indexPath.row)]" }
}
