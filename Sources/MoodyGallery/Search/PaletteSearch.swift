import DataStacks
import Foundation
import ManagedObjects
import MoodyModel
import Palettes

/// A search for photos like one in the index of swatches.
///
/// What was read within some difference of each colour says of every mood how much it is worth at least, and
/// at most: what was not read is farther away than that. When so many are sure to be worth more than any
/// other may be, only these are looked at; else the search goes farther.
struct PaletteSearch {
    private let search: MoodSearch, palette: [SearchSwatch]
    private var near: [NearCells]
    /// The cells that were read, and by each colour of the palette the difference that is the least there.
    private var read = Set<Int16>()
    private var least: [[Int16: Double]]
    /// A mood's place in `best`, by its key.
    private var places: [Int64: Int] = [:]
    private var moods: [ManagedObjectID] = []
    /// Of each mood for each colour the most that was found.
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
            let far = search.within * 2 * step
            try read(within: far, in: stack)
            guard let some = candidates(count, beyond: (1 - step) * (1 - step)) else { continue }
            let (ids, known) = try SearchMood.of(some, in: stack)
            let matches = search.matches(in: known)
            // Fewer where some are left out of lists.
            if matches.count >= count {
                return matches.map { IndexSearch.Match(id: ids[$0.index], total: $0.total) }
            }
        }
        try read(within: search.within * 2, in: stack)
        return moods.indices.compactMap { place in
            let value = worth(place)
            let total = (value * 1e6).rounded(.toNearestOrAwayFromZero)
            return total == 0 ? nil : IndexSearch.Match(id: moods[place], total: total)
        }
    }

    /// - Parameter beyond: what a swatch that was not read counts at most.
    private func worth(_ place: Int, beyond: Double = 0) -> Double {
        MoodSearch.likeness(of: palette) { max(best[place * palette.count + $0], beyond) }
    }

    /// The moods that may be among those that are wanted; nil when that may be one of which nothing was read,
    /// or too many.
    ///
    /// - Parameter beyond: what a swatch that was not read counts at most.
    private func candidates(_ count: Int, beyond: Double) -> [ManagedObjectID]? {
        let worths = moods.indices.map { worth($0) }.filter { $0 > beyond }.sorted(by: >)
        // As rounded as totals are.
        guard count <= worths.count, worths[count - 1] - 3e-6 > beyond else { return nil }
        let wanted = worths[count - 1] - 3e-6
        var some: [ManagedObjectID] = []
        for place in moods.indices where worth(place, beyond: beyond) >= wanted {
            some.append(moods[place])
            if some.count > Self.mostLookedAt { return nil }
        }
        return some
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
        self = try stack.reader.performAndWait { context in
            var found = before
            try found.read(numbers, within: far, in: context)
            return found
        }
    }

    private mutating func read(
        _ cells: [Int16], within far: Double, in context: isolated ManagedObjectContext
    ) throws {
        let (palette, search, width) = (palette, search, palette.count)
        // Of each cell, what a swatch in it counts for each colour at most. It is not read again.
        let most = Dictionary(
            uniqueKeysWithValues: cells.map { cell in
                (cell, palette.indices.map { Self.nearness(of: least[$0][cell] ?? far, search.within) })
            })
        var (places, moods, best) = (places, moods, best)
        (self.places, self.moods, self.best) = ([:], [], [])
        defer { (self.places, self.moods, self.best) = (places, moods, best) }
        try context.scan(
            FetchRequest<Swatch>(#Predicate { cells.contains($0.hueBin) }), \.mood?.row, \.share, \.l,
            \.a, \.b, \.hueBin, inAnyOrder: true
        ) { row in
            let key = row.key(0)
            let place: Int
            if let known = places[key] {
                place = known
            } else {
                guard let id = row.id(0) else { return }
                place = moods.count
                places[key] = place
                moods.append(id)
                best.append(contentsOf: repeatElement(0, count: width))
            }
            guard let most = most[Int16(truncatingIfNeeded: row.int(5))] else { return }
            let share = rounded(row.double(1), 1e6)
            var lab: Lab?
            for color in 0..<width {
                let at = place * width + color
                if most[color] * min(1, share / palette[color].share) <= best[at] { continue }
                let own = lab ?? Lab(RGB(Oklab(lightness: row.double(2), a: row.double(3), b: row.double(4))))
                lab = own
                best[at] = max(
                    best[at],
                    MoodSearch.likeness(of: palette[color], to: own, share: share, within: search.within))
            }
        }
    }

    /// What a swatch of that difference counts, if there is enough of it.
    private static func nearness(of difference: Double, _ within: Double) -> Double {
        let near = max(0, 1 - difference / (2 * within))
        return near * near
    }
}
