public import DataStacks
import Foundation
import ManagedObjects

/// Numbers in a store that no photo can have: a flipped bit, or another program's work.
public enum OddNumbers {
    /// How many moods have such a number, by what it is of.
    ///
    /// - Throws: ``StoreError``.
    public static func counts(in stack: DataStack) throws -> [(what: String, count: Int)] {
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
        return try stack.reader.performAndWait { context in
            try odd.map { ($0, try context.count(FetchRequest($1))) }.filter { $0.1 > 0 }
        }
    }
}
