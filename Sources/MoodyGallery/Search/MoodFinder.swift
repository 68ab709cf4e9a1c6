package import DataStacks
import Foundation
package import ManagedObjects
import MoodyModel
package import Palettes
import Texts

/// Finds moods of a store by colors and words: what `moody find` prints, and the page shows.
///
/// Colors are looked up in the index of swatches, names by a look at names alone; the answer is the one that
/// a look at all moods would give.
package struct MoodFinder: Sendable {
    /// What is asked for, as people type it: `teal harbour`.
    package var query: String
    /// Palettes that a photo's must be like.
    package var likes: [Palette]
    /// The moods that `likes` are of: they are left out.
    package var excepts: Set<ManagedObjectID> = []
    /// The distance up to which a color is near another: CIEDE2000, from 5 on HyAB joins in.
    package var within: Double
    /// The least share of a photo, 0...1, that a color must have.
    package var share: Double
    package var limit: Int?
    /// Whether folders and places are searched.
    package var privacy = PagePrivacy(showsPaths: true, showsPlaces: true)

    package init(
        query: String, likes: [Palette] = [], within: Double = 10, share: Double = 0, limit: Int? = nil
    ) {
        (self.query, self.likes, self.within, self.share, self.limit) = (query, likes, within, share, limit)
    }

    /// The words of the query that are no colors, and for each the color word that is spelled nearly so: they
    /// are looked for in names, months, places, cameras.
    package var texts: [(text: String, suggestion: String?)] {
        SearchTerm.all(in: query).filter { $0.color == nil && !$0.isDate }.map {
            ($0.typed, ColorWords.suggestion(for: $0.text))
        }
    }

    /// The query without `like:12`, and the numbers that stood there.
    package static func likes(in query: String) -> (query: String, numbers: [String]) {
        var rest: [Substring] = [], numbers: [String] = []
        for word in query.split(whereSeparator: { $0.unicodeScalars.allSatisfy(\.isSpace) }) {
            let number = word.hasPrefix("like:") ? word.dropFirst(5) : ""
            if Int64(number) != nil { numbers.append(String(number)) } else { rest.append(word) }
        }
        return (rest.joined(separator: " "), numbers)
    }

    private static let fewMoods = 1_000

    var search: MoodSearch {
        var terms = SearchTerm.all(in: query)
        let clauses = (terms.last?.clause ?? -1) + 1
        for (number, like) in likes.enumerated() {
            terms.append(
                SearchTerm(
                    like: like.entries.map { SearchSwatch($0.color, share: $0.share) },
                    clause: clauses + number))
        }
        return MoodSearch(terms: terms, within: within, share: share, privacy: privacy)
    }

    /// The moods, most first; where two have as much, those that are called so, then the newest first.
    ///
    /// - Throws: ``StoreError``.
    package func find(in stack: DataStack) throws -> [ManagedObjectID] { try find(search, limit, in: stack) }

    /// The nearest beyond the tolerance, when a search for colors that are meant exactly finds few.
    ///
    /// - Parameter found: what ``find(in:)`` gave.
    /// - Throws: ``StoreError``.
    package func findFarther(than found: [ManagedObjectID], in stack: DataStack) throws -> [ManagedObjectID] {
        let wanted = min(MoodSearch.enough, limit ?? .max) - found.count
        guard wanted > 0, let farther = search.farther else { return [] }
        let known = Set(found)
        return Array(
            try find(farther, wanted + found.count, in: stack).filter { !known.contains($0) }.prefix(wanted))
    }

    /// The first of what is asked for that no photo has, when nothing is found; nil when it is only all of it
    /// together that none has.
    ///
    /// - Throws: ``StoreError``.
    package func failing(in stack: DataStack) throws -> String? {
        for term in search.terms where !term.isNegated && !term.typed.isEmpty {
            var alone = term
            alone.clause = 0
            let one = MoodSearch(terms: [alone], within: within, share: share, privacy: privacy)
            if try find(one, 1, in: stack).isEmpty { return term.typed }
        }
        return nil
    }

    private func find(_ search: MoodSearch, _ limit: Int?, in stack: DataStack) throws -> [ManagedObjectID] {
        var found =
            try indexed(search, limit.map { min($0, .max - excepts.count) + excepts.count }, in: stack)
            ?? all(search, in: stack)
        if !excepts.isEmpty { found.removeAll(where: excepts.contains) }
        return limit.map { Array(found.prefix($0)) } ?? found
    }

    /// All that are found, without the index: what the index is held against.
    private func all(_ search: MoodSearch, in stack: DataStack) throws -> [ManagedObjectID] {
        let (ids, moods) = try SearchMood.all(of: MoodList().request, search.privacy, in: stack)
        return search.matches(in: moods).map { ids[$0.index] }
    }

    /// Nil when the index has no answer: that of an earlier version, or a search for what no index has.
    private func indexed(_ search: MoodSearch, _ wanted: Int?, in stack: DataStack) throws
        -> [ManagedObjectID]?
    {
        guard let wanted, try SwatchIndex.upkeep.isDone(in: stack) else { return nil }
        // To find the cells near each color of a palette takes as long as to look at a thousand moods.
        if !likes.isEmpty, try MoodList().count(in: stack) <= Self.fewMoods { return nil }
        var index = IndexSearch(search)
        return try index?.best(wanted, in: stack)
    }
}

extension SearchMood {
    /// The moods of a request, in its order, those whose day is only their file's last; where the index is
    /// right without an object of any.
    static func all(
        of request: FetchRequest<Mood>,
        _ privacy: PagePrivacy = PagePrivacy(showsPaths: true, showsPlaces: true), in stack: DataStack
    ) throws -> ([ManagedObjectID], [SearchMood]) {
        let isIndexed = try SwatchIndex.upkeep.isDone(in: stack)
        return try stack.read { view in
            let swatches = isIndexed ? try indexed(in: view) : try stored(in: view)
            let rows = try view.fetchValues(
                request, \.row, \.photo?.path, \.camera, \.day, \.dateSource, \.country?.name)
            let folder = commonFolder(rows.compactMap(\.1))
            // Names are looked for as people see them, as on a page.
            func shown(_ path: String) -> String {
                privacy.showsPaths
                    ? ShownText.of(path.utf8.dropFirst(folder.utf8.count))
                    : ShownText.of(path.utf8.split(separator: UInt8(ascii: "/")).last ?? path.utf8[...])
            }
            var ids: [ManagedObjectID] = [], moods: [SearchMood] = []
            let (dated, undated) = (rows.filter(\.4.isDayTaken), rows.filter { !$0.4.isDayTaken })
            for (row, path, camera, day, source, country) in dated + undated {
                guard let id = row.id else { continue }
                ids.append(id)
                let place = privacy.showsPlaces ? country.map { CountryTable.searchedName($0) } : nil
                moods.append(
                    SearchMood(
                        swatches: swatches[row] ?? [],
                        texts: [shown(path ?? ""), camera ?? "", place ?? ""],
                        day: source.isDayTaken ? day : 0))
            }
            return (ids, moods)
        }
    }

    private static func indexed(in view: StackView) throws -> [MoodKey: [SearchSwatch]] {
        var swatches: [MoodKey: [SearchSwatch]] = [:]
        for (l, a, b, share, mood) in try view.fetchValues(
            FetchRequest<Swatch>(), \.l, \.a, \.b, \.share, \.mood?.row)
        {
            guard let mood else { continue }
            swatches[mood, default: []].append(
                SearchSwatch(RGB(Oklab(lightness: l, a: a, b: b)), share: share))
        }
        return swatches
    }

    private static func stored(in view: StackView) throws -> [MoodKey: [SearchSwatch]] {
        var swatches: [MoodKey: [SearchSwatch]] = [:]
        let ids = try view.fetchObjectIDs(FetchRequest<Mood>())
        for some in ids.parts(of: 256) {
            for mood in try view.objects(Mood.self, with: some) {
                swatches[mood.row] = zip(mood.colors, mood.shares).map { SearchSwatch($0, share: $1) }
            }
        }
        return swatches
    }

    /// The colors of some moods, in no order, those that are left out of lists left out, without texts.
    static func of(_ keys: [Int64], in stack: DataStack) throws -> ([ManagedObjectID], [SearchMood]) {
        let rows = try keys.map { MoodKey(try stack.coordinator.objectID("Mood", key: $0)) }
        return try stack.read { view in
            let wanted = Filter(\Mood.row, isIn: rows)
            let moods = try view.fetchAll(FetchRequest(wanted && \Mood.markedForDeletionDate == nil))
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
