import DataStacks
import Foundation
import ManagedObjects
import MoodyModel
import Palettes

/// A search for photos like one in the index of swatches.
///
/// What was read within some distance of each color says of every mood how much of the palette it has at
/// most: what was not read is farther away than that. A mood is worth no more than that, since what the
/// palette has of the mood only lessens it. So moods are looked at in the order of what they are worth at
/// most, until enough are worth more than any that is left may be; else the search goes farther.
struct PaletteSearch {
    private let search: MoodSearch, palette: [SearchSwatch]
    private var near: [NearCells]
    /// The cells that were read, and by each color of the palette the difference that is the least there.
    private var read = Set<Int16>()
    private var least: [[Int16: Double]]
    /// A mood's index in `best`, by its key.
    private var indices: [Int64: Int] = [:]
    private var moods: [ManagedObjectID] = []
    /// Of each mood for each color the most that was found.
    private var best: [Double] = []

    /// What is read before it is asked whether that will do: parts of the difference beyond which nothing
    /// counts.
    private static let steps = [0.25, 0.35, 0.5, 0.7]
    /// To look at a mood takes as long as some hundred swatches.
    private static let mostLookedAt = 2_000

    init(_ search: MoodSearch, like palette: [SearchSwatch]) {
        (self.search, self.palette) = (search, palette)
        near = palette.map {
            let color = RGB(Oklab(lightness: $0.lightness, a: $0.a, b: $0.b))
            return NearCells(to: color, within: search.within * 2 + 1e-9)
        }
        least = palette.map { _ in [:] }
    }

    /// The moods that are worth most, those that are worth as much as the last of them, and some more.
    ///
    /// - Throws: ``StoreError``.
    consuming func best(_ count: Int, in stack: DataStack) throws -> [IndexSearch.Match] {
        for step in Self.steps {
            try read(within: search.within * 2 * step, in: stack)
            if let found = try best(count, beyond: 1 - step, most: Self.mostLookedAt, in: stack) {
                return found
            }
        }
        try read(within: search.within * 2, in: stack)
        return try best(count, beyond: 0, most: .max, in: stack) ?? []
    }

    /// - Parameters:
    ///   - beyond: what a swatch that was not read counts at most.
    ///   - most: the number of moods to look at.
    /// - Returns: nil when others may be worth as much.
    private func best(_ count: Int, beyond: Double, most: Int, in stack: DataStack) throws
        -> [IndexSearch.Match]?
    {
        let atMost = moods.indices.map { worth($0, beyond: beyond) }
        let order = moods.indices.sorted { (atMost[$0], $1) > (atMost[$1], $0) }
        var found: [IndexSearch.Match] = [], looked = 0
        while looked < order.count {
            // As totals are rounded.
            let next = (atMost[order[looked]] + 3e-6) * MoodSearch.million
            if next < MoodSearch.leastLikeness * MoodSearch.million { break }
            let totals = found.map(\.total).sorted(by: >)
            if totals.count >= count && totals[count - 1] > next {
                return totals[count - 1] > beyond * MoodSearch.million ? found : nil
            }
            if looked >= most { return nil }
            let some = order[looked..<min(looked + 200, order.count)]
            looked += some.count
            let (ids, known) = try SearchMood.of(some.map { moods[$0] }, in: stack)
            found += search.matches(in: known).map {
                IndexSearch.Match(id: ids[$0.index], total: $0.total)
            }
        }
        let totals = found.map(\.total).sorted(by: >)
        let least = totals.count >= count ? totals[count - 1] : 0
        // Of a mood of which nothing was read nothing is known, but that it is worth no more than that.
        return least > beyond * MoodSearch.million || beyond < MoodSearch.leastLikeness ? found : nil
    }

    /// - Parameter beyond: what a swatch that was not read counts at most.
    private func worth(_ index: Int, beyond: Double) -> Double {
        let width = palette.count
        return MoodSearch.likeness(
            of: palette, best: best[index * width..<(index + 1) * width].lazy.map { max($0, beyond) })
    }

    private mutating func read(within far: Double, in stack: DataStack) throws {
        var new = Set<Int16>()
        for color in palette.indices {
            for cell in near[color].cells(within: far + 1e-9) {
                least[color][cell.number] = cell.least
                if !read.contains(cell.number) { new.insert(cell.number) }
            }
        }
        read.formUnion(new)
        let before = self, numbers = new.sorted()
        self = try stack.read { view in
            var found = before
            try found.read(numbers, within: far, in: view)
            return found
        }
    }

    private mutating func read(
        _ cells: [Int16], within far: Double, in view: StackView
    ) throws {
        let (palette, search, width) = (palette, search, palette.count)
        // Of each cell, what a swatch in it counts for each color at most. It is not read again.
        let most = Dictionary(
            uniqueKeysWithValues: cells.map { cell in
                (cell, palette.indices.map { Self.nearness(of: least[$0][cell] ?? far, search.within) })
            })
        var (indices, moods, best) = (indices, moods, best)
        (self.indices, self.moods, self.best) = ([:], [], [])
        defer { (self.indices, self.moods, self.best) = (indices, moods, best) }
        try view.scan(
            FetchRequest<Swatch>(#Predicate { cells.contains($0.hueBin) }), \.mood?.row, \.l, \.a, \.b,
            \.hueBin, inAnyOrder: true
        ) { row in
            let key = row.key(0)
            let index: Int
            if let known = indices[key] {
                index = known
            } else {
                guard let id = row.id(0) else { return }
                index = moods.count
                indices[key] = index
                moods.append(id)
                best.append(contentsOf: repeatElement(0, count: width))
            }
            guard let most = most[Int16(truncatingIfNeeded: row.int(4))] else { return }
            var lab: Lab?
            for color in 0..<width {
                let at = index * width + color
                if most[color] <= best[at] { continue }
                let own = lab ?? Lab(RGB(Oklab(lightness: row.double(1), a: row.double(2), b: row.double(3))))
                lab = own
                best[at] = max(
                    best[at], MoodSearch.likeness(of: palette[color].lab, to: own, within: search.within))
            }
        }
    }

    /// What a swatch of that distance counts.
    private static func nearness(of distance: Double, _ within: Double) -> Double {
        max(0, 1 - distance / (2 * within))
    }
}
