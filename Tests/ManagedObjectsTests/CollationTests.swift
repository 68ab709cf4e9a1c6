import Foundation
import Testing

@testable import ManagedObjects

/// Texts in the orders of people. The oracle is Foundation's comparison over an array.
@Suite(.everyStore) struct CollationTests {
    private static let words = [
        "b10", "B2", "a", "A", "É", "e", "E", "e\u{301}", "ß", "ss", "SS", "Z", "z", "ä", "o\u{308}", "ö",
        "i",
        "İ", "I", "ı", "_x", "10", "2", "", "\u{212B}", "Å", "日本", "いろは", "\u{1F3A8}",
    ]

    private func compare(_ order: Collation) -> (String, String) -> ComparisonResult {
        switch order {
        case .caseInsensitive: { $0.compare($1, options: .caseInsensitive) }
        case .localized: { $0.localizedCompare($1) }
        case .localizedCaseInsensitive: { $0.localizedCaseInsensitiveCompare($1) }
        case .localizedStandard: { $0.localizedStandardCompare($1) }
        }
    }

    /// Sorted by the order, equals by number.
    private func wanted(_ order: Collation, descending: Bool) -> [String] {
        let compare = compare(order)
        return Self.words.enumerated().sorted { a, b in
            switch compare(a.element, b.element) {
            case .orderedSame: a.offset < b.offset
            case .orderedAscending: !descending
            case .orderedDescending: descending
            }
        }.map(\.element)
    }

    private func fill(_ context: isolated ManagedObjectContext) throws {
        for (index, word) in Self.words.enumerated() {
            Mood.insert(into: context, title: word, date: day(Double(index)))
        }
        try context.save()
    }

    @Test(arguments: Collation.allCases)
    func `an order is the same in the store, over what is not saved, in a list and by name`(order: Collation)
        throws
    {
        try emptyContext().performAndWait { context throws -> Void in
            try fill(context)
            for descending in [false, true] {
                let wanted = wanted(order, descending: descending)
                let sort: SortDescriptor<Mood> =
                    descending
                    ? .descending(\.title, comparing: order) : .ascending(\.title, comparing: order)
                let request = FetchRequest<Mood>(sortedBy: sort, .ascending(\.date))
                let stored = try context.fetch(request).map(\.title)
                #expect(stored.map(Array.init) == wanted.map(Array.init), "\(order), stored")
                let name: SortKey =
                    descending
                    ? .descending("title", comparing: order) : .ascending("title", comparing: order)
                let named = try context.fetch(
                    FetchRequest<Mood>(entityName: "Mood", sortedBy: name, .ascending("date"))
                ).map(\.title)
                #expect(named == stored)
                let list = context.list(request)
                try list.performFetch()
                #expect(list.fetchedObjects.map(\.title) == stored)
                // One that changes its word goes where a fetch puts it; the fetch is one in memory now.
                let first = try #require(list.fetchedObjects.first)
                first.title = "m7"
                context.processPendingChanges()
                let moved = try context.fetch(request).map(\.objectID)
                #expect(list.fetchedObjectIDs == moved)
                #expect(list.indexPath(for: first)?.row != 0)
                context.rollback()
                let all = try context.fetchDictionaries(
                    request, of: [.property("title"), .minimum("date", as: "date")], groupedBy: ["title"]
                ).map { String(storedValue: $0["title"]) }
                // Bytes tell groups apart: e with an accent is two.
                #expect(all.count == Set(Self.words.map { Array($0.utf8) }).count)
                for (one, next) in zip(all, all.dropFirst()) {
                    #expect(
                        compare(order)(one, next) != (descending ? .orderedAscending : .orderedDescending))
                }
            }
        }
    }

    /// The words at even places are stored, the others are not.
    @Test(arguments: Collation.allCases)
    func `what is not saved stands among what is, in the order`(order: Collation) throws {
        try emptyContext().performAndWait { context throws -> Void in
            for isStored in [true, false] {
                for (index, word) in Self.words.enumerated() where index.isMultiple(of: 2) == isStored {
                    Mood.insert(into: context, title: word, date: day(Double(index)))
                }
                if isStored { try context.save() }
            }
            for descending in [false, true] {
                let sort: SortDescriptor<Mood> =
                    descending
                    ? .descending(\.title, comparing: order) : .ascending(\.title, comparing: order)
                let found = try context.fetch(FetchRequest<Mood>(sortedBy: sort, .ascending(\.date)))
                #expect(
                    found.map { Array($0.title) } == wanted(order, descending: descending).map(Array.init))
            }
        }
    }

    @Test func `a limit counts in the order, over relationships and nil`() throws {
        try emptyContext().performAndWait { context throws -> Void in
            for (index, name) in ["b10", "B9", "a"].enumerated() {
                let country = Country.insert(into: context, code: Int16(index), name: name)
                Mood.insert(into: context, title: name, date: day(0)).country = country
            }
            Mood.insert(into: context, title: "nowhere", date: day(0))
            try context.save()
            var request = FetchRequest<Mood>(
                sortedBy: .ascending(\.country?.name, comparing: .localizedStandard))
            let all = try context.fetch(request).map(\.title)
            #expect(all == ["nowhere", "a", "B9", "b10"])
            (request.fetchOffset, request.fetchLimit) = (1, 2)
            let some = try context.fetch(request).map(\.title)
            #expect(some == ["a", "B9"])
        }
    }
}

/// What the book says of memory: objects that lead to each other are kept by each other.
@Suite(.everyStore) struct ObjectCycleTests {
    @Test func `two objects that lead to each other are let go once one of them was refreshed`() throws {
        let context = try emptyContext()
        try context.performAndWait { context throws -> Void in
            for number in 0..<600 {
                let mood = Mood.insert(into: context, title: "\(number)", date: day(0))
                mood.country = Country.insert(into: context, code: Int16(number), name: "")
            }
            try context.save()
            context.reset()
            weak var mood: Mood?
            weak var country: Country?
            weak var kept: Mood?
            do {
                let one = try #require(try context.fetch(FetchRequest<Mood>(\.title == "7")).first)
                let other = try #require(one.country)
                // Both ways.
                #expect(other.moods == [one])
                (mood, country) = (one, other)
                context.refresh(one, mergeChanges: false)
                #expect(one.isFault)
                // The control: a pair of which neither is refreshed.
                let loaded = try #require(try context.fetch(FetchRequest<Mood>(\.title == "8")).first)
                #expect(loaded.country?.moods == [loaded])
                kept = loaded
            }
            // Whoever observes is told of it first.
            context.processPendingChanges()
            // Those that were used last are held for a while: others take their places.
            for other in try context.fetch(FetchRequest<Mood>(\.title != "7" && \.title != "8")) {
                _ = other.title
            }
            #expect(kept != nil, "without a refresh the two keep each other")
            #expect(mood == nil)
            #expect(country == nil)
            // And those go once one of them is.
            if let kept { context.refresh(kept, mergeChanges: false) }
            context.processPendingChanges()
            for other in try context.fetch(FetchRequest<Mood>(\.title != "8")) { _ = other.title }
            #expect(kept == nil)
        }
    }

    @Test func `a set of members is a value: to change it changes nothing, to set it does`() throws {
        try emptyContext().performAndWait { context throws -> Void in
            fillWithMoods(context)
            let france = try #require(try context.fetch(FetchRequest<Country>(\.code == 250)).first)
            var moods = france.moods
            #expect(moods.count == 1)
            moods.removeAll()
            #expect(france.moods.count == 1)
            let other = try #require(try context.fetch(FetchRequest<Mood>(\.title == "fog")).first)
            try france.mutableSetValue(forKey: "moods").add(other)
            #expect(france.moods.count == 2 && other.country == france)
            var colors = other.colors
            colors.append(9)
            #expect(other.colors == [1, 2, 3])
            try context.save()
            other.colors = colors
            let changed = try other.changedValues().keys.sorted()
            #expect(changed == ["colors"])
        }
    }
}
