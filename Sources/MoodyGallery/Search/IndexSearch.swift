import DataStacks
import Foundation
import ManagedObjects
import MoodyModel
import Palettes

/// A search in the pages of colors, in the index of swatches, and in the names.
///
/// A search for colors alone looks at the moods that may be worth most (``PageSearch``), and at names only
/// where those decide. For words of names, for very many moods, and where few have the colors, names are
/// looked at first, and all swatches that may be of the colors are read and summed.
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
    /// Whether all matches say what they are called by.
    private var isNamed = false

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

    /// More are found faster by a look at all swatches of the colors.
    private static let most = 2_000

    /// The moods that are worth most, as many as are wanted; where two are worth as much, those that are
    /// called so, then the newest first.
    ///
    /// - Throws: ``StoreError``.
    mutating func best(_ count: Int, in stack: DataStack) throws -> [ManagedObjectID] {
        if let best = try bestByColor(count, in: stack) { return try first(count, of: best, in: stack) }
        let before = names
        names = try stack.read { view in
            var names = before
            try names.look(in: view)
            return names
        }
        isNamed = true
        let known = self, matches = try stack.read { try known.matches(in: $0) }
        return try first(count, of: matches, in: stack)
    }

    /// Nil when moods that are only called so may be among the best, or very many are worth as much.
    private func bestByColor(_ count: Int, in stack: DataStack) throws -> [Match]? {
        if !search.isFarther, search.terms.count == 1,
            case .point(let color, let lab) = search.terms[0].color,
            let near = try SwatchSearch(search, color: color, lab: lab).best(count, in: stack)
        {
            return isEnough(near, count) ? near : nil
        }
        let isLike = if case .like = search.terms[0].color { true } else { false }
        guard count <= Self.most || isLike, let pages = PageSearch(search),
            let found = try pages.best(count, atAnyCost: isLike, in: stack)
        else { return nil }
        return isEnough(found, count) ? found : nil
    }

    private func isEnough(_ found: [Match], _ count: Int) -> Bool {
        // A name is worth a millionth.
        names.isEmpty || search.isFarther || found.count { $0.total > 1 } >= count
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
    private func first(_ count: Int, of matches: [Match], in stack: DataStack) throws
        -> [ManagedObjectID]
    {
        let worths = matches.map(\.total).sorted(by: >)
        var wanted = count
        while true {
            // The last that is wanted and all that are worth as much: which of those come first, days say.
            let least = wanted < worths.count ? worths[max(wanted, 1) - 1] : 0
            let some = try named(matches.filter { $0.total >= least }, in: stack)
            let dated = try stack.read { try Self.dated(some, in: $0) }
            if dated.count >= count || some.count == matches.count {
                return dated.sorted().prefix(count).map(\.match.id)
            }
            wanted = some.count + count - dated.count
        }
    }

    /// The moods with the number of colors that they are called by, where that says which comes first.
    private func named(_ matches: [Match], in stack: DataStack) throws -> [Match] {
        if names.isEmpty || isNamed { return matches }
        let counts = Dictionary(matches.map { ($0.total, 1) }, uniquingKeysWith: +)
        let alike = matches.filter { counts[$0.total, default: 0] > 1 }.map(\.id)
        if alike.isEmpty { return matches }
        let (search, before) = (search, names)
        let known = try stack.read { view in
            var names = before
            try names.look(at: alike, in: view)
            return names
        }
        return matches.map { match in
            var match = match
            match.names = search.terms.indices.count {
                search.terms[$0].isColor && known.holds($0, match.id.key)
            }
            return match
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
