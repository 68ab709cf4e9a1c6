import DataStacks
import ManagedObjects
import MoodyModel
import Palettes

/// A search for colors in the pages of packed colors.
///
/// All pages are read, and say what each mood is worth at most. The moods that may be worth most are then
/// looked at themselves, in that order, until enough are worth more than any that is left may be.
struct PageSearch {
    private let search: MoodSearch
    private let bounds: [CellBounds]

    /// Moods that are looked at at once.
    private static let batch = 256
    /// To look at more takes longer than to read all swatches that may count; of palettes too, in other ways.
    private static let mostLookedAt = 4_096
    /// What rounding may add to a bound: shares and totals are whole numbers of a million.
    fileprivate static let rest: Float = 2e-5

    /// Nil for a search that asks for anything but colors.
    init?(_ search: MoodSearch) {
        let bounds = search.terms.compactMap { CellBounds($0, of: search) }
        if bounds.count < search.terms.count { return nil }
        (self.search, self.bounds) = (search, bounds)
    }

    /// The moods that are worth most, as many as are wanted, and those that are worth as much as the last of
    /// them; fewer where fewer are worth anything.
    ///
    /// - Parameter atAnyCost: whether very many moods may be looked at.
    /// - Returns: nil when very many may be worth as much.
    /// - Throws: ``StoreError``.
    func best(_ count: Int, atAnyCost: Bool, in stack: DataStack) throws -> [IndexSearch.Match]? {
        var kept = max(Self.mostLookedAt, count * 2)
        while true {
            var pass = Pass(bounds, keeping: kept)
            try ColorPages.forEach(in: stack) { pass.read($0) }
            let (candidates, isAll) = (pass.sorted(), pass.isAll)
            let alike = candidates.count { $0.most >= 1 - Self.rest }
            if !atAnyCost, alike > Self.mostLookedAt { return nil }
            // One whose swatches were made anew stands in two pages.
            var found: [IndexSearch.Match] = [], known: Set<Int64> = [], at = 0
            while at < candidates.count {
                let some = candidates[at..<min(at + Self.batch, candidates.count)]
                at += some.count
                let keys = some.map(\.key).filter { known.insert($0).inserted }
                found += try Self.matches(search, keys, in: stack)
                // Those that are left are worth no more than the next, or than any that was not kept.
                let next = at < candidates.count ? candidates[at].most : isAll ? -1 : candidates[at - 1].most
                let least = Double(next + Self.rest) * MoodSearch.million
                found.sort { $0.total > $1.total }
                if found.count < count { continue }
                let last = found[count - 1].total
                found.removeLast(found.count - (found.firstIndex { $0.total < last } ?? found.count))
                if last > least { return found }
            }
            if isAll { return found }
            if !atAnyCost { return nil }
            kept *= 8
        }
    }

    /// What some moods are worth as they are now, without those that lists leave out.
    private static func matches(_ search: MoodSearch, _ keys: [Int64], in stack: DataStack) throws
        -> [IndexSearch.Match]
    {
        let (ids, moods) = try SearchMood.of(keys, in: stack)
        return search.matches(in: moods).map { IndexSearch.Match(id: ids[$0.index], total: $0.total) }
    }
}

/// A pass through all pages that keeps some thousand moods, those that may be worth most.
private struct Pass {
    /// A mood's key, and what it is worth at most.
    struct Candidate {
        let key: Int64, most: Float
    }

    private var bounds: [CellBounds]
    private var found: [Candidate] = []
    /// What a mood must be worth more than.
    private var floor: Float = 0
    private let kept: Int
    /// Whether no mood was left out.
    private(set) var isAll = true

    /// - Parameter kept: the number of moods that are kept at least.
    init(_ bounds: [CellBounds], keeping kept: Int) { (self.bounds, self.kept) = (bounds, kept) }

    /// Those first that may be worth more.
    func sorted() -> [Candidate] { found.sorted { ($0.most, $0.key) > ($1.most, $1.key) } }

    mutating func read(_ page: ColorPage) {
        let numbers = page.numbers, first = page.first
        var at = 2
        while at < numbers.count {
            let start = at + 1
            var isOdd = false
            let key = first + Int64(numbers[at] & ~ColorPage.isMood)
            at = start
            while at < numbers.count, numbers[at] & ColorPage.isMood == 0 {
                if Int(numbers[at] >> 16) >= ColorCell.count { isOdd = true }
                at += 1
            }
            var worth: Float = 1
            if !isOdd {
                for number in bounds.indices where worth > floor {
                    worth *= bounds[number].most(numbers[start..<at], above: floor)
                }
            }
            if worth > floor { add(Candidate(key: key, most: worth)) }
        }
    }

    private mutating func add(_ candidate: Candidate) {
        found.append(candidate)
        if found.count < kept * 8 { return }
        found.sort { $0.most > $1.most }
        floor = found[kept].most
        found.removeLast(found.count - kept)
        isAll = false
    }
}
