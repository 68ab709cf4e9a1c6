package import DataStacks
import Foundation
import ManagedObjects
import Palettes

/// The colors of all moods, packed: some 24 bytes per mood, from which a search tells what each mood is worth
/// at most, before it reads any.
///
/// A page has the swatches of some thousand rows, is never changed, and is as right as it must be: a swatch
/// that is gone makes its mood look worth more than it is, and what came later is read from its rows.
/// Runs and the opening of a store to be written add pages.
package enum ColorPages {
    /// Swatches in a page at least.
    package static let size = 4_096

    /// Packs what is not packed yet, if it fills a page.
    ///
    /// A snapshot has all swatches of a mood or none: those of one save, with keys that follow each other.
    ///
    /// - Parameter size: see ``size``.
    /// - Throws: ``StoreError``.
    package static func fill(in stack: DataStack, size: Int = size) throws {
        let coordinator = stack.coordinator
        var last = try coordinator.lastPage(), seen: Set<Int64> = []
        while try coordinator.lastKey(of: "Swatch") - last >= size {
            let behind = last
            let (pages, moods) = try stack.read { try packed(after: behind, size, in: $0) }
            // A mood in two places: whose swatches these are is not ours to say.
            guard let moods, moods.isDisjoint(with: seen), !pages.isEmpty else { return }
            for page in pages {
                guard try coordinator.addPage(page.bytes, upTo: page.last, after: last) else { return }
                last = page.last
            }
            seen = moods
        }
    }

    /// Calls `body` with all swatches that the store has, page by page, and some that it had.
    ///
    /// - Throws: ``StoreError``.
    package static func forEach(in stack: DataStack, _ body: (ColorPage) -> Void) throws {
        var last: Int64 = 0
        try stack.coordinator.scanPages { row in
            last = row.int(0)
            body(ColorPage(row.numbers(1)))
        }
        let behind = last
        for page in try stack.read({ try notPacked(after: behind, in: $0) }) { body(page) }
    }

    private static func notPacked(after last: Int64, in view: StackView) throws -> [ColorPage] {
        var pages: [ColorPage] = [], page = ColorPage.Builder()
        try scan(after: last, limit: nil, in: view) { _, mood, cell, share in
            if mood != page.mood && (page.count >= size || !page.takes(mood)) {
                pages.append(page.page)
                page = ColorPage.Builder()
            }
            page.add(mood, cell, share)
        }
        return pages + (page.count > 0 ? [page.page] : [])
    }

    /// - Returns: full pages, and the moods in them; nil for moods that stand in two places.
    private static func packed(after last: Int64, _ size: Int, in view: StackView) throws
        -> (pages: [(bytes: Data, last: Int64)], moods: Set<Int64>?)
    {
        var pages: [(bytes: Data, last: Int64)] = [], packed: Set<Int64> = [], moods = packed
        var page = ColorPage.Builder(), end: Int64 = 0, isOdd = false
        try scan(after: last, limit: 64 * size, in: view) { key, mood, cell, share in
            if mood != page.mood {
                if page.count >= size {
                    pages.append((page.page.bytes, end))
                    packed = moods
                    page = ColorPage.Builder()
                }
                if !moods.insert(mood).inserted || !page.takes(mood) { isOdd = true }
            }
            page.add(mood, cell, share)
            end = key
        }
        return (pages, isOdd ? nil : packed)
    }

    private static func scan(
        after last: Int64, limit: Int?, in view: StackView,
        _ body: (_ key: Int64, _ mood: Int64, _ cell: Int64, _ share: Double) -> Void
    ) throws {
        // Stores without pages know keys of their own kind.
        var request =
            last == 0 ? FetchRequest() : FetchRequest(\Swatch.row > MoodKey(storedValue: .int(last)))
        request.fetchLimit = limit
        try view.scan(request, \.row, \.mood?.row, \.hueBin, \.share) { row in
            body(row.key(0), row.key(1), row.int(2), row.double(3))
        }
    }
}

/// Swatches as numbers of 32 bits: of each mood first its key, then its swatches.
package struct ColorPage {
    /// Two numbers with the key that is called 0, then of each mood ``isMood`` and its key, and of each of
    /// its swatches cell and share.
    package let numbers: [UInt32]

    package static let isMood: UInt32 = 1 << 31
    /// A cell that no color has: a swatch whose numbers are none of a palette's.
    package static let oddCell = (1 << 15) - 1
    /// What a share is multiplied by, and rounded up.
    package static let whole = 65_535.0

    init(_ numbers: [UInt32]) { self.numbers = numbers }

    /// The key that a mood's number is added to.
    package var first: Int64 {
        numbers.count < 2 ? 0 : Int64(truncatingIfNeeded: UInt64(numbers[0]) | UInt64(numbers[1]) << 32)
    }

    var bytes: Data {
        var bytes = Data(capacity: numbers.count * 4)
        for number in numbers {
            for shift in stride(from: UInt32(0), to: 32, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: number >> shift))
            }
        }
        return bytes
    }

    struct Builder {
        /// The mood that was added last.
        private(set) var mood: Int64?
        /// The number of swatches.
        private(set) var count = 0
        private var keys: [Int64] = []
        /// A mood's number is its place in `keys`.
        private var numbers: [UInt32] = [0, 0]
        private var (least, most) = (Int64.max, Int64.min)

        /// Whether the keys of a page with this mood lie near enough to each other.
        func takes(_ mood: Int64) -> Bool {
            // Keys are above 0.
            keys.isEmpty || max(most, mood) - min(least, mood) < 1 << 31
        }

        mutating func add(_ mood: Int64, _ cell: Int64, _ share: Double) {
            if mood != self.mood {
                self.mood = mood
                numbers.append(ColorPage.isMood | UInt32(keys.count))
                keys.append(mood)
                (least, most) = (min(least, mood), max(most, mood))
            }
            let isOdd = !(0...1).contains(share) || !(0..<Int64(ColorCell.count)).contains(cell)
            numbers.append(
                isOdd
                    ? UInt32(ColorPage.oddCell) << 16
                    : UInt32(cell) << 16 | UInt32((share * ColorPage.whole).rounded(.up)))
            count += 1
        }

        var page: ColorPage {
            let start = UInt64(bitPattern: least)
            var numbers = numbers
            numbers[0] = UInt32(truncatingIfNeeded: start)
            numbers[1] = UInt32(truncatingIfNeeded: start >> 32)
            for at in numbers.indices.dropFirst(2) where numbers[at] & ColorPage.isMood != 0 {
                let key = keys[Int(numbers[at] & ~ColorPage.isMood)]
                numbers[at] = ColorPage.isMood | UInt32(truncatingIfNeeded: key - least)
            }
            return ColorPage(numbers)
        }
    }
}
