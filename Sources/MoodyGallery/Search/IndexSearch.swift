import DataStacks
import Foundation
import ManagedObjects
import MoodyModel
import Palettes

/// A search in the index of swatches, and in the names.
///
/// One color as a point, and photos like one, are looked for outward, as far as must be. Of any other
/// colors all swatches that may be such are read and summed; moods of which one has nothing are left out.
struct IndexSearch: Sendable {
    /// A mood, and what it is worth to the search.
    struct Match: Sendable {
        let id: ManagedObjectID
        let total: Double
        /// The number of the search's colors that it is called by.
        var names = 0
    }

    private let search: MoodSearch
    private var names: NameSearch

    /// Nil for a search that asks for nothing, for more words than anybody types, or for what no index has:
    /// what must not be there, alternatives, and likeness together with anything else.
    init?(_ search: MoodSearch) {
        let isPlain = search.terms.enumerated().allSatisfy { !$1.isNegated && $1.clause == $0 }
        let likes = search.terms.count { if case .like = $0.color { true } else { false } }
        guard isPlain, !search.terms.isEmpty, likes == 0 || search.terms.count == 1,
            let names = NameSearch(search.terms, search.privacy)
        else { return nil }
        (self.search, self.names) = (search, names)
    }

    /// The moods that are worth most, as many as are wanted; where two are worth as much, those that are
    /// called so, then the newest first.
    ///
    /// - Throws: ``StoreError``.
    mutating func best(_ count: Int, in stack: DataStack) throws -> [ManagedObjectID] {
        let before = names
        names = try stack.read { view in
            var names = before
            try names.look(in: view)
            return names
        }
        if let best = try bestOfOnePoint(count, in: stack) { return best }
        if case .like(let palette) = search.terms[0].color {
            return try Self.first(
                count, of: PaletteSearch(search, like: palette).best(count, in: stack), in: stack)
        }
        let known = self, matches = try stack.read { try known.matches(in: $0) }
        return try Self.first(count, of: matches, in: stack)
    }

    private func bestOfOnePoint(_ count: Int, in stack: DataStack) throws -> [ManagedObjectID]? {
        guard !search.isFarther, search.terms.count == 1,
            case .point(let color, let lab) = search.terms[0].color
        else { return nil }
        guard var near = try SwatchSearch(search, color: color, lab: lab).best(count, in: stack) else {
            return nil
        }
        for at in near.indices { near[at].names = names.holds(0, near[at].id.key) ? 1 : 0 }
        // Those that are called so follow, whatever their colors are.
        let known = Set(near.map(\.id))
        let called = names.found.values.filter { names.holds(0, $0.id.key) && !known.contains($0.id) }
        return try Self.first(
            count, of: near + called.map { Match(id: $0.id, total: 1, names: 1) }, in: stack)
    }

    private func matches(in view: StackView) throws -> [Match] {
        let texts = search.terms.indices.filter { search.terms[$0].color == nil }
        // What is no color must be in the names.
        var named = names.found.values.filter { mood in texts.allSatisfy { names.holds($0, mood.id.key) } }
        if texts.count == search.terms.count {
            return named.map { Match(id: $0.id, total: MoodSearch.million) }
        }
        if texts.isEmpty {
            named.removeAll { mood in !search.terms.indices.contains { names.holds($0, mood.id.key) } }
        }
        var tally = ColorTally(search, with: named.map(\.id))
        if !texts.isEmpty && named.isEmpty { return [] }
        try tally.read(isOpen: texts.isEmpty, in: view)
        return tally.moods.indices.compactMap { index in
            let id = tally.moods[index]
            return tally.total(index) { names.holds($0, id.key) }.map {
                Match(id: id, total: $0.total, names: $0.names)
            }
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
            let least = wanted < worths.count ? worths[max(wanted, 1) - 1] : 0
            let some = matches.filter { $0.total >= least }
            let dated = try stack.read { try Self.dated(some, in: $0) }
            if dated.count >= count || some.count == matches.count {
                return dated.sorted().prefix(count).map(\.match.id)
            }
            wanted = some.count + count - dated.count
        }
    }

    private struct Dated: Comparable {
        let match: Match, isDayTaken: Bool, day: Int64, date: Double

        private var order: (Double, Int, Int) { (match.total, match.names, isDayTaken ? 1 : 0) }

        static func == (a: Self, b: Self) -> Bool { a.match.id == b.match.id }

        static func < (a: Self, b: Self) -> Bool {
            a.order != b.order
                ? a.order > b.order
                : (a.day, a.date, b.match.id.key) > (b.day, b.date, a.match.id.key)
        }
    }

    /// The days of moods that are in lists.
    private static func dated(_ matches: [Match], in view: StackView) throws -> [Dated] {
        if matches.count <= 500 {
            let moods = try view.objects(Mood.self, with: matches.map(\.id))
            let totals = Dictionary(matches.map { ($0.id, $0) }) { first, _ in first }
            return moods.compactMap { mood in
                guard mood.markedForDeletionDate == nil, let match = totals[mood.objectID] else { return nil }
                return Dated(
                    match: match, isDayTaken: mood.dateSource.isDayTaken, day: Int64(mood.day),
                    date: mood.date.timeIntervalSinceReferenceDate)
            }
        }
        // To look at all in a row is faster than to look each up.
        let wanted = Dictionary(matches.map { ($0.id.key, $0) }) { first, _ in first }
        var found: [Dated] = []
        try view.scan(
            FetchRequest<Mood>(), \.row, \.markedForDeletionDate, \.day, \.date, \.dateSource,
            inAnyOrder: true
        ) { row in
            guard row.isNull(1), let match = wanted[row.key(0)] else { return }
            found.append(
                Dated(
                    match: match, isDayTaken: row.int(4) != Int64(DateSource.fileTime.rawValue),
                    day: row.int(2), date: row.double(3)))
        }
        return found
    }
}
