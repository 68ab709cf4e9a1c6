import DataStacks
import Foundation
import ManagedObjects
import MoodyModel
import Palettes

/// A search in the index of swatches, and in the names.
///
/// One colour as a point, and photos like one, are looked for outward, as far as must be. Of any other
/// colours all swatches that may be such are read and summed; moods of which one has nothing are left out.
struct IndexSearch: Sendable {
    /// A mood, and what it is worth to the search.
    struct Match: Sendable {
        let id: ManagedObjectID
        let total: Double
    }

    private let search: MoodSearch
    private var names: NameSearch

    /// Nil for a search that asks for nothing, or for more words than anybody types.
    init?(_ search: MoodSearch) {
        guard !search.terms.isEmpty, let names = NameSearch(search.terms) else { return nil }
        (self.search, self.names) = (search, names)
    }

    /// The moods that are worth most, as many as are wanted; where two are worth as much, the newest first.
    ///
    /// - Throws: ``StoreError``.
    mutating func best(_ count: Int, in stack: DataStack) throws -> [ManagedObjectID] {
        let before = names
        names = try stack.reader.performAndWait { context in
            var names = before
            try names.look(in: context)
            return names
        }
        if let best = try bestOfOnePoint(count, in: stack) { return best }
        if search.terms.count == 1, case .like(let palette) = search.terms[0].color {
            return try Self.first(
                count, of: PaletteSearch(search, like: palette).best(count, in: stack), in: stack)
        }
        let known = self, matches = try stack.reader.performAndWait { try known.matches(in: $0) }
        return try Self.first(count, of: matches, in: stack)
    }

    private func bestOfOnePoint(_ count: Int, in stack: DataStack) throws -> [ManagedObjectID]? {
        guard search.terms.count == 1, case .point(let color, let lab) = search.terms[0].color else {
            return nil
        }
        // Those that are called so are all of it.
        let called = names.found.values.filter { names.holds(0, $0.id.key) }.map {
            Match(id: $0.id, total: 1e6)
        }
        let known = Set(called.map(\.id))
        guard
            let near = try SwatchSearch(search, color: color, lab: lab).best(count + called.count, in: stack)
        else { return nil }
        return try Self.first(count, of: called + near.filter { !known.contains($0.id) }, in: stack)
    }

    private func matches(in context: isolated ManagedObjectContext) throws -> [Match] {
        let texts = search.terms.indices.filter { search.terms[$0].color == nil }
        // What is no colour must be in the names.
        var named = names.found.values.filter { mood in texts.allSatisfy { names.holds($0, mood.id.key) } }
        if texts.count == search.terms.count { return named.map { Match(id: $0.id, total: 1) } }
        if texts.isEmpty {
            named.removeAll { mood in !search.terms.indices.contains { names.holds($0, mood.id.key) } }
        }
        var tally = ColorTally(search, with: named.map(\.id))
        if !texts.isEmpty && named.isEmpty { return [] }
        try tally.read(isOpen: texts.isEmpty, in: context)
        return tally.moods.indices.compactMap { place in
            let id = tally.moods[place]
            return tally.total(place) { names.holds($0, id.key) }.map { Match(id: id, total: $0) }
        }
    }

    // MARK: Order

    /// Those that are worth most, without the moods that are left out of lists.
    private static func first(_ count: Int, of matches: [Match], in stack: DataStack) throws
        -> [ManagedObjectID]
    {
        let worths = matches.map(\.total).sorted(by: >)
        var wanted = count
        while true {
            // The last that is wanted and all that are worth as much: which of those come first, days say.
            let least = wanted < worths.count ? worths[wanted - 1] : 0
            let some = matches.filter { $0.total >= least }
            let dated = try stack.reader.performAndWait { try Self.dated(some, in: $0) }
            if dated.count >= count || some.count == matches.count {
                return dated.sorted().prefix(count).map(\.match.id)
            }
            wanted = some.count + count - dated.count
        }
    }

    private struct Dated: Comparable {
        let match: Match, day: Int64, date: Double

        static func == (a: Self, b: Self) -> Bool { a.match.id == b.match.id }

        static func < (a: Self, b: Self) -> Bool {
            (a.match.total, a.day, a.date, b.match.id.key) > (b.match.total, b.day, b.date, a.match.id.key)
        }
    }

    /// The days of moods that are in lists.
    private static func dated(_ matches: [Match], in context: isolated ManagedObjectContext) throws -> [Dated]
    {
        if matches.count <= 500 {
            let moods = try Mood.all(matches.map(\.id), in: context)
            let totals = Dictionary(matches.map { ($0.id, $0) }) { first, _ in first }
            return moods.compactMap { mood in
                guard mood.markedForDeletionDate == nil, let match = totals[mood.objectID] else { return nil }
                return Dated(
                    match: match, day: Int64(mood.day), date: mood.date.timeIntervalSinceReferenceDate)
            }
        }
        // To look at all in a row is faster than to look each up.
        let wanted = Dictionary(matches.map { ($0.id.key, $0) }) { first, _ in first }
        var found: [Dated] = []
        try context.scan(
            FetchRequest<Mood>(), \.row, \.markedForDeletionDate, \.day, \.date, inAnyOrder: true
        ) { row in
            guard row.isNull(1), let match = wanted[row.key(0)] else { return }
            found.append(Dated(match: match, day: row.int(2), date: row.double(3)))
        }
        return found
    }
}
