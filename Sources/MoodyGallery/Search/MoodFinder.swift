public import DataStacks
import Foundation
public import ManagedObjects
import MoodyModel
public import Palettes

/// Finds moods of a store by colours and words: what `moody find` prints, and the page shows.
///
/// Colours are looked up in the index of swatches, names by a look at names alone; the answer is the one that
/// a look at all moods would give.
public struct MoodFinder: Sendable {
    /// What is asked for, as people type it: `teal harbour`.
    public var query: String
    /// Photos whose palettes are like this one, its largest colours counting most.
    public var like: Palette?
    /// The mood that `like` is of: it is left out.
    public var except: ManagedObjectID?
    /// CIEDE2000 up to which a colour is near another.
    public var within: Double
    /// The least share of a photo, 0...1, that a colour must have.
    public var share: Double
    public var limit: Int?

    public init(
        query: String, like: Palette? = nil, within: Double = 10, share: Double = 0, limit: Int? = nil
    ) {
        (self.query, self.like, self.within, self.share, self.limit) = (query, like, within, share, limit)
    }

    /// The words of the query that are no colours: they are looked for in names, months, places, cameras.
    public var texts: [String] { SearchTerm.all(in: query).filter { $0.color == nil }.map(\.text) }

    /// Whether it asks for a colour as a point: the tolerance matters then.
    public var hasPoints: Bool {
        SearchTerm.all(in: query).contains { if case .point = $0.color { true } else { false } }
    }

    private static let fewMoods = 1_000

    var search: MoodSearch {
        var terms = SearchTerm.all(in: query)
        if let like {
            terms.append(SearchTerm(like: like.entries.map { SearchSwatch($0.color, share: $0.share) }))
        }
        return MoodSearch(terms: terms, within: within, share: share)
    }

    /// The moods, most first; where two have as much, the newest first.
    ///
    /// - Throws: ``StoreError``.
    public func find(in stack: DataStack) throws -> [ManagedObjectID] {
        let wanted = limit.map { $0 + (except == nil ? 0 : 1) }
        var found = try indexed(wanted, in: stack) ?? findByLookingAtAll(in: stack)
        if let except { found.removeAll { $0 == except } }
        return limit.map { Array(found.prefix($0)) } ?? found
    }

    /// All that are found, without the index: what the index is held against.
    func findByLookingAtAll(in stack: DataStack) throws -> [ManagedObjectID] {
        let (ids, moods) = try SearchMood.all(of: MoodList().request, in: stack)
        return search.matches(in: moods).map { ids[$0.index] }
    }

    /// Nil when the index has no answer: that of an earlier version, or a search for nothing.
    private func indexed(_ wanted: Int?, in stack: DataStack) throws -> [ManagedObjectID]? {
        guard let wanted, try SwatchIndex.isCurrent(in: stack) else { return nil }
        // To find the cells near each colour of a palette takes as long as to look at a thousand moods.
        if like != nil, try MoodList().count(in: stack) <= Self.fewMoods { return nil }
        var index = IndexSearch(search)
        return try index?.best(wanted, in: stack)
    }
}

extension SearchMood {
    /// The moods of a request, in its order; where the index is right without an object of any.
    static func all(of request: FetchRequest<Mood>, in stack: DataStack) throws -> (
        [ManagedObjectID], [SearchMood]
    ) {
        let isIndexed = try SwatchIndex.isCurrent(in: stack)
        return try stack.reader.performAndWait { context in
            let swatches = isIndexed ? try indexed(in: context) : try stored(in: context)
            let rows = try context.fetchValues(request, \.row, \.photo?.path, \.camera, \.day, \.dateSource)
            let folder = commonFolder(rows.compactMap(\.1))
            // Names are looked for as people see them, as on a page.
            func shown(_ path: String) -> String { ShownText.of(path.utf8.dropFirst(folder.utf8.count)) }
            var ids: [ManagedObjectID] = [], moods: [SearchMood] = []
            for (row, path, camera, day, source) in rows {
                guard let id = row.id else { continue }
                ids.append(id)
                moods.append(
                    SearchMood(
                        swatches: swatches[row] ?? [],
                        texts: [shown(path ?? ""), camera ?? ""],
                        day: source.isDayTaken ? day : 0))
            }
            return (ids, moods)
        }
    }

    private static func indexed(in context: isolated ManagedObjectContext) throws -> [MoodKey: [SearchSwatch]]
    {
        var swatches: [MoodKey: [SearchSwatch]] = [:]
        for (l, a, b, share, mood) in try context.fetchValues(
            FetchRequest<Swatch>(), \.l, \.a, \.b, \.share, \.mood?.row)
        {
            guard let mood else { continue }
            swatches[mood, default: []].append(
                SearchSwatch(RGB(Oklab(lightness: l, a: a, b: b)), share: share))
        }
        return swatches
    }

    private static func stored(in context: isolated ManagedObjectContext) throws -> [MoodKey: [SearchSwatch]]
    {
        var swatches: [MoodKey: [SearchSwatch]] = [:]
        let ids = try context.fetchObjectIDs(FetchRequest<Mood>())
        for start in stride(from: 0, to: ids.count, by: 256) {
            for mood in try Mood.all(Array(ids[start..<min(start + 256, ids.count)]), in: context) {
                swatches[mood.row] = zip(mood.colors, mood.shares).map { SearchSwatch($0, share: $1) }
            }
        }
        return swatches
    }

    /// The colours of some moods, the newest first, those that are left out of lists left out. Texts do not
    /// count where one colour alone is asked for.
    static func of(_ ids: [ManagedObjectID], in stack: DataStack) throws -> ([ManagedObjectID], [SearchMood])
    {
        try stack.reader.performAndWait { context in
            let moods = try Mood.all(ids, in: context).filter { $0.markedForDeletionDate == nil }
                .sorted { ($0.day, $0.date, $1.objectID.key) > ($1.day, $1.date, $0.objectID.key) }
            return (
                moods.map(\.objectID),
                moods.map { mood in
                    SearchMood(
                        swatches: zip(mood.colors, mood.shares).map { SearchSwatch($0, share: $1) },
                        texts: [], day: 0)
                }
            )
        }
    }

    /// How the paths of all begin, up to a slash: what is above the named folders is in no search.
    private static func commonFolder(_ paths: [String]) -> Substring {
        guard let first = paths.first else { return "" }
        var common = Array(first.utf8)
        for path in paths {
            let same = zip(common, path.utf8).prefix { $0 == $1 }.count
            common.removeSubrange(same...)
        }
        let end = common.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
        return first.utf8.prefix(end).count == 0
            ? "" : Substring(String(decoding: common[..<end], as: UTF8.self))
    }
}
