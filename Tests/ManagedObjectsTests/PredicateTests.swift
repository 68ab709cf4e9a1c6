import Foundation
import ManagedObjects
import Testing

/// A predicate in the table below, with the titles' days it must find: a number from outside, so that two
/// readers that are wrong together do not pass.
struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let filter: Filter<Mood>
    let days: [Int]

    init(_ description: String, _ filter: Filter<Mood>, _ days: [Int]) {
        (testDescription, self.filter, self.days) = (description, filter, days)
    }
    init(_ description: String, _ predicate: Predicate<Mood>, _ days: [Int]) {
        self.init(description, Filter(predicate), days)
    }
}

private let cutoff = day(2)
private let codes: [Int16] = [0, 5]
private let places: [Double?] = [nil, 0]
private let missing: Double? = nil
private let word = "FOG"

private let cases: [Case] = [
    Case("date >", \.date > cutoff, [3, 4, 5]),
    Case("date <=", \.date <= cutoff, [1, 2]),
    Case("nil equals nil", \.latitude == nil, [2]),
    Case("nil is not 0", \.latitude != 0.0, [1, 2, 4, 5]),
    Case("not (latitude == 0) keeps nil", !(\.latitude == 0.0), [1, 2, 4, 5]),
    Case("not (latitude > 0) keeps nil", !(\.latitude > 0.0), [2, 3, 5]),
    Case("not (a or b), both nil", !(\.latitude > 0.0 || \.latitude < 0.0), [2, 3]),
    Case("not (nil and false)", !(\.latitude > 0.0 && \.rating > 9), [1, 2, 3, 4, 5]),
    Case("a truth as a value", #Predicate { ($0.rating > 3) == ($0.title == "") }, [1, 2, 3, 4]),
    Case("through a relationship", \.country?.code == 276, [1, 2, 3]),
    Case("not through a missing relationship", \.country?.code != 276, [4, 5]),
    Case("no country", \.country == nil, [5]),
    Case("texts by bytes", \.title == "caf\u{E9}", [4]),
    Case("and, or", \.rating > 3 && \.latitude == 0.0 || \.title == "fog", [1, 3]),
    Case("#Predicate and nil", #Predicate { $0.date > cutoff && $0.country != nil }, [3, 4]),
    Case("captured nil", #Predicate { $0.latitude == missing }, [2]),
    Case("??", #Predicate { ($0.latitude ?? 60) > 45 }, [1, 2, 4]),
    Case("optional chain", #Predicate { $0.country?.name == "France" }, [4]),
    Case("forced", #Predicate { $0.country!.code == 250 }, [4]),
    Case("if let", #Predicate { if let c = $0.country { c.code != 276 } else { false } }, [4]),
    Case("flatMap is nil for nil", #Predicate { $0.country.flatMap { $0.code != 276 } ?? true }, [4, 5]),
    Case("contains {}", #Predicate { $0.swatches.contains { $0.share > 0.4 } }, [2, 3]),
    Case("allSatisfy", #Predicate { $0.swatches.allSatisfy { $0.share < 0.3 } }, [1, 5]),
    Case("to many through to one", #Predicate { $0.country!.moods.contains { $0.rating == 2 } }, [1, 2, 3]),
    Case(
        "outer name inside", #Predicate { m in m.swatches.contains { $0.mood!.rating == m.rating } },
        [2, 3, 4, 5]),
    Case("count", #Predicate { $0.swatches.count > 2 }, [4, 5]),
    Case("filter, count", #Predicate { $0.swatches.filter { $0.share < 0.4 }.count > 3 }, [5]),
    Case("filter, isEmpty", #Predicate { $0.swatches.filter { $0.share < 0.6 }.isEmpty }, [1, 2]),
    Case(
        "filter over an outer name",
        #Predicate { m in m.country!.moods.filter { $0.rating < m.rating }.count == 1 }, [2]),
    Case("isEmpty", #Predicate { !$0.swatches.isEmpty }, [2, 3, 4, 5]),
    Case("in a list", #Predicate { codes.contains($0.rating) }, [4, 5]),
    Case("in a list with nil", #Predicate { places.contains($0.latitude) }, [2, 3]),
    Case("not in a list with nil", #Predicate { !places.contains($0.latitude) }, [1, 4, 5]),
    Case("closed range", #Predicate { (2...4).contains($0.rating) }, [1, 2, 3]),
    Case("range", #Predicate { (2..<4).contains($0.rating) }, [1, 2]),
    Case("arithmetic", #Predicate { $0.rating * 2 - 1 > 5 }, [3, 5]),
    Case("a negative number", #Predicate { ($0.latitude ?? -13) < -12.5 }, [2]),
    Case("a negated property", #Predicate { -$0.rating < -3 }, [3, 5]),
    Case("a negated sum", #Predicate { -($0.rating + 1) * 2 == -10 }, [3]),
    Case("contains text", #Predicate { $0.title.contains("harb") }, [2]),
    Case("contains nothing", #Predicate { $0.title.contains("") }, [1, 2, 3, 4, 5]),
    Case("starts with", #Predicate { $0.title.starts(with: "fo") }, [1]),
    Case("localized", #Predicate { $0.title.localizedStandardContains(word) }, [1, 2]),
    Case("localized, accents", #Predicate { $0.title.localizedStandardContains("CAFE") }, [4, 5]),
    Case("?:", #Predicate { $0.rating > 3 ? $0.title == "" : $0.title == "fog" }, [1, 3]),
]

@Suite(.everyStore) struct PredicateTests {
    @Test(arguments: cases)
    func `SQL and memory find the same moods, and the right ones`(_ example: Case) throws {
        let context = try emptyContext()
        let (inMemory, inSQL) = try context.performAndWait { context in
            fillWithMoods(context)
            let request = FetchRequest(example.filter, sortedBy: SortDescriptor(\.date))
            // Before the save nothing is in the store: memory alone answers. After it, SQL alone.
            let inMemory = try context.fetch(request).map(\.date)
            try context.save()
            context.reset()
            return (inMemory, try context.fetch(request).map(\.date))
        }
        #expect(inMemory == example.days.map { day(Double($0)) })
        #expect(inSQL == inMemory)
    }

    @Test func `an ordered relationship is counted and filtered as a set is`() throws {
        let expected: [(Predicate<Playlist>, [String])] = [
            (#Predicate { $0.tracks.count > 1 }, ["two", "three"]),
            (#Predicate { $0.tracks.isEmpty }, ["none"]),
            (#Predicate { $0.tracks.filter { $0.stars > 1 }.count == 1 }, ["one", "two", "three"]),
            (#Predicate { $0.tracks.filter { $0.stars < 2 }.isEmpty }, ["none", "one"]),
            (#Predicate { $0.tracks.contains { $0.stars == 1 } }, ["two", "three"]),
            (#Predicate { $0.tracks.allSatisfy { $0.stars > 1 } }, ["none", "one"]),
        ]
        try edgeContext().performAndWait { context in
            for (name, stars) in [("none", []), ("one", [3]), ("two", [1, 2]), ("three", [0, 2, 1])] {
                let playlist = context.insert(Playlist.self)
                playlist.name = name
                playlist.tracks = stars.map { stars in
                    let song = context.insert(Song.self)
                    song.stars = Int64(stars)
                    return song
                }
            }
            for (predicate, names) in expected {
                let inMemory = try context.fetch(FetchRequest(predicate)).map(\.name)
                #expect(Set(inMemory) == Set(names), "in memory: \(predicate)")
            }
            try context.save()
            context.reset()
            for (predicate, names) in expected {
                let inStore = try context.fetch(FetchRequest(predicate)).map(\.name)
                #expect(Set(inStore) == Set(names), "\(predicate)")
            }
        }
    }

    @Test func `a reference stands for its object`() throws {
        let context = try emptyContext()
        let titles = try context.performAndWait { context in
            fillWithMoods(context)
            let france = try #require(try context.fetch(FetchRequest<Country>(\.code == 250)).first).reference
            return [
                try context.fetch(FetchRequest(#Predicate<Mood> { $0.country?.reference == france })).map(
                    \.title),
                try context.fetch(FetchRequest<Mood>(\.country == france)).map(\.title),
            ]
        }
        #expect(titles == [["caf\u{E9}"], ["caf\u{E9}"]])
    }

    @Test func `a computed property is refused, in both forms`() throws {
        let context = try emptyContext()
        let requests = [
            FetchRequest<Mood>(\.heading == "FOG"), FetchRequest(#Predicate { $0.heading == "FOG" }),
        ]
        for request in requests {
            #expect(throws: FetchError.notModeled(root: "Mood", value: "String")) {
                try context.performAndWait { _ = try $0.fetch(request) }
            }
        }
    }
}
