extension ColorWords {
    /// The word for a color that is spelled nearly as another word: "purpel" may be meant as "purple".
    ///
    /// Words for parts of the colors come before sides of them, and those before names.
    package static func suggestion(for word: String) -> String? {
        let tables = [Array(regions.keys), Array(modifiers.keys), Array(names.keys)]
        return nearest(to: word, in: tables.flatMap { $0.sorted().filter { !$0.contains(" ") } })
    }

    /// The first of the names that are spelled most like a word; nil where none is like it.
    ///
    /// Words of fewer than four letters are like too many; of four or five one step is allowed, of more two.
    package static func nearest(to word: String, in names: [String]) -> String? {
        let letters = Array(word.utf16)
        var best: String?
        var least = letters.count < 4 ? 1 : letters.count < 6 ? 2 : 3
        for name in names {
            let other = Array(name.utf16)
            if abs(other.count - letters.count) >= least { continue }
            let steps = editSteps(letters, other)
            if steps < least { (best, least) = (name, steps) }
        }
        return best
    }

    /// The number of letters left out, put in, changed, or changed in places with the next.
    private static func editSteps(_ from: [UInt16], _ to: [UInt16]) -> Int {
        var before: [Int] = [], last = Array(0...to.count)
        for i in from.indices {
            var row = [i + 1]
            for j in to.indices {
                var steps = min(last[j + 1] + 1, row[j] + 1, last[j] + (from[i] == to[j] ? 0 : 1))
                if i > 0, j > 0, from[i] == to[j - 1], from[i - 1] == to[j] {
                    steps = min(steps, before[j - 1] + 1)
                }
                row.append(steps)
            }
            (before, last) = (last, row)
        }
        return last[to.count]
    }
}
