package import DataStacks
import Foundation
import ManagedObjects

/// A check for numbers in a store that no photo can have: a flipped bit, or another program's work.
package enum OddNumbers {
    /// Counts the moods with such a number, by property; only properties with at least one.
    ///
    /// - Complexity: O(moods): the shares are read one by one.
    /// - Throws: ``StoreError``.
    package static func counts(in stack: DataStack) throws -> [(what: String, count: Int)] {
        let first = CivilDate.instants.lowerBound, last = CivilDate.instants.upperBound
        let odd: [(String, Filter<Mood>)] = [
            ("date", \Mood.date < first || \Mood.date > last),
            ("day", \Mood.day < 10_101 || \Mood.day > 99_991_231),
            ("time zone", \Mood.timeZoneOffset < -1080 || \Mood.timeZoneOffset > 1080),
            ("size", \Mood.width < 1 || \Mood.height < 1),
            ("latitude", \Mood.latitude < -90 || \Mood.latitude > 90),
            ("longitude", \Mood.longitude < -180 || \Mood.longitude > 180),
            ("number of colors", \Mood.k < 0 || \Mood.algorithm < 0),
        ]
        var counts = try stack.read { view in
            try odd.map { ($0, try view.fetchCount(FetchRequest($1))) }
        }
        counts.append(("shares", try countOfOddShares(in: stack)))
        return counts.filter { $0.1 > 0 }
    }

    /// Counts the moods whose shares are not as many as their colors, are outside of 0...1, or do not add up
    /// to 1.
    private static func countOfOddShares(in stack: DataStack) throws -> Int {
        try stack.read { view in
            var count = 0
            let ids = try view.fetchObjectIDs(FetchRequest<Mood>())
            for some in ids.parts(of: 256) {
                for mood in try view.objects(Mood.self, with: some) where !isSound(mood) { count += 1 }
            }
            return count
        }
    }

    private static func isSound(_ mood: Mood) -> Bool {
        let shares = mood.shares
        if shares.count != mood.colors.count { return false }
        if shares.isEmpty { return true }
        // The sum of some rounded shares; NaN fails every comparison.
        return shares.allSatisfy { (0...1).contains($0) } && abs(shares.reduce(0, +) - 1) < 0.001
    }
}
