import Foundation
public import ManagedObjects
import MoodyModel

/// Which moods somebody wants, in words: `date >= "2024-01-01" && country.name == "France"`.
///
/// The language is that of ``ManagedObjects/Filter/init(format:_:)``. A day in quotes means the photo's own
/// day, whatever the zone of the machine.
public struct MoodFilter: Sendable {
    let filter: Filter<Mood>

    /// - Throws: ``FetchError``: where the text cannot be read, and why; which key is unknown.
    public init(_ text: String) throws(FetchError) {
        let words = PredicateWords(aliases: Self.aliases, rewrite: Self.rewrite)
        filter = try Filter(format: text, words: words)
    }

    /// What can be asked for.
    public static let keys = [
        "date", "day", "path", "camera", "width", "height", "latitude", "longitude", "mode", "colors",
        "notes",
        "state", "country.name", "continent.name",
    ]

    private static let aliases = [
        "path": ["photo", "path"], "state": ["photo", "state"], "colors": ["k"],
        "continent": ["country", "continent"],
    ]

    private static func rewrite(_ names: [String], _ text: String) -> (names: [String], value: StoredValue)? {
        switch names {
        case ["date"], ["day"]: day(text).map { (["day"], .int(Int64($0))) }
        case ["mode"]: text == "area" ? (names, .int(0)) : text == "representative" ? (names, .int(1)) : nil
        case ["photo", "state"]: state(text).map { (names, .int(Int64($0.rawValue))) }
        default: nil
        }
    }

    /// 2024-05-31 as 20240531; nil for what is no day.
    private static func day(_ text: String) -> Int32? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts.map(\.count) == [4, 2, 2],
            let year = Int32(parts[0]), let month = Int32(parts[1]), let day = Int32(parts[2]),
            (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        return year * 10_000 + month * 100 + day
    }

    private static func state(_ text: String) -> PhotoState? {
        PhotoState.allCases.first { "\($0)" == text }
    }
}
