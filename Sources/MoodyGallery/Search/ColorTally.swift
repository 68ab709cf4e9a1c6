import DataStacks
import Foundation
import ManagedObjects
import MoodyModel
import Palettes

/// What each mood has of each color of a search, summed over the swatches of the cells where the color may
/// be: the others are not read.
struct ColorTally {
    /// What a mood has of one color so far.
    private struct Part {
        var phrase = PhrasePart()
        /// Of a color as a point, as MoodSearch has it before it is cut to 1.
        var value = 0.0
        /// How much of the photo is near that point.
        var amount = 0.0
    }

    private let search: MoodSearch
    /// A mood's index in `parts`, by its key, and the mood.
    private var indices: [Int64: Int] = [:]
    private(set) var moods: [ManagedObjectID] = []
    /// Of each term of the search one per mood.
    private var parts: [[Part]]

    /// - Parameter moods: those that may be found whatever their colors are.
    init(_ search: MoodSearch, with moods: [ManagedObjectID]) {
        self.search = search
        self.moods = moods
        for (index, mood) in moods.enumerated() { indices[mood.key] = index }
        parts = search.terms.map { _ in Array(repeating: Part(), count: moods.count) }
    }

    /// Reads the swatches of all colors; those that fewest cells have first, for a mood that has nothing of
    /// one color is not found, and nothing of it is kept for the others.
    ///
    /// - Parameter isOpen: whether a mood may be found that was not named from the beginning.
    /// - Throws: ``StoreError``.
    mutating func read(isOpen: Bool, in view: StackView) throws {
        let colors = search.terms.indices.compactMap { term in
            Self.cells(search.terms[term], search.within).map { (term: term, cells: $0) }
        }
        var isOpen = isOpen
        for (term, cells) in colors.sorted(by: { ($0.cells.count, $0.term) < ($1.cells.count, $1.term) }) {
            try read(term, cells, isOpen: isOpen, in: view)
            isOpen = false
        }
    }

    /// What a mood is worth to the search; nil for nothing.
    ///
    /// - Parameter hasText: whether the mood has the words of a term.
    func total(_ index: Int, hasText: (Int) -> Bool) -> (total: Double, names: Int)? {
        search.total(worth: { value(of: search.terms[$0], parts[$0][index]) }, hasText: hasText)
    }

    private func value(of term: SearchTerm, _ part: Part) -> Double {
        switch term.color {
        case nil, .like: 0
        case .phrase(let phrase): part.phrase.value(of: phrase, search.share)
        case .point: part.amount < search.share ? 0 : min(1, part.value)
        }
    }

    /// Nil for a term that is no color.
    private static func cells(_ term: SearchTerm, _ within: Double) -> [Int16]? {
        switch term.color {
        case nil, .like: nil
        case .phrase(let phrase): phrase.bounds.map(\.cell)
        case .point(let color, _): near(color, within)
        }
    }

    private static func near(_ color: RGB, _ within: Double) -> [Int16] {
        var near = NearCells(to: color, within: within + 1e-9)
        return near.cells(within: within + 1e-9).map(\.number)
    }

    private mutating func read(
        _ number: Int, _ cells: [Int16], isOpen: Bool, in view: StackView
    ) throws {
        let search = search, terms = search.terms
        // Handed over and taken back, so that the closure changes them where they are.
        var (indices, moods, parts) = (self.indices, self.moods, self.parts)
        (self.indices, self.moods, self.parts) = ([:], [], [])
        defer { (self.indices, self.moods, self.parts) = (indices, moods, parts) }

        func index(_ row: ScannedRow) -> Int? {
            let key = row.key(0)
            if let known = indices[key] { return known }
            guard isOpen, let id = row.id(0) else { return nil }
            indices[key] = moods.count
            moods.append(id)
            for other in terms.indices { parts[other].append(Part()) }
            return moods.count - 1
        }
        let add: (ScannedRow, Oklab, Double) -> Void
        switch terms[number].color {
        case nil, .like: return
        case .phrase(let phrase):
            let asksForHue = phrase.asksForHue
            add = { row, color, share in
                let much = phrase.membership(
                    lightness: color.lightness, chroma: color.chroma, hue: asksForHue ? color.hue : 0)
                guard much > 0, let index = index(row) else { return }
                parts[number][index].phrase.add(much, share)
            }
        case .point(_, let lab):
            add = { row, color, share in
                guard let worth = search.worth(of: lab, Lab(RGB(color)), share: share), let index = index(row)
                else { return }
                parts[number][index].value = max(parts[number][index].value, worth)
                parts[number][index].amount += share
            }
        }
        try view.scan(
            FetchRequest<Swatch>(#Predicate { cells.contains($0.hueBin) }), \.mood?.row, \.share, \.l, \.a,
            \.b,
            inAnyOrder: true
        ) { row in
            let color = Oklab(lightness: row.double(2), a: row.double(3), b: row.double(4))
            add(row, color, rounded(row.double(1), 1e6))
        }
    }
}
