import Foundation
package import ManagedObjects
import MoodyModel

/// Which moods somebody wants, in words: `date >= "2024-01-01" && country.name == "France"`.
///
/// The language is that of ``ManagedObjects/Filter/init(format:_:)``. A day in quotes means the photo's own
/// day, whatever the zone of the machine.
package struct MoodFilter: Sendable {
    let filter: Filter<Mood>
    /// The names of properties in the condition, of photos and countries too.
    package let names: Set<String>

    /// - Parameter allowsMatches: false for a condition from the network: one regular expression could keep
    ///   all others waiting.
    /// - Throws: ``FetchError``: where the text cannot be read, and why; which key is unknown.
    package init(_ text: String, allowsMatches: Bool = true) throws(FetchError) {
        var names: Set<String> = []
        let words = PredicateWords(
            aliases: Self.aliases, defaults: [["photo", "rating"]: .int(0)], allowsMatches: allowsMatches,
            onNames: { names.formUnion($0) },
            rewrite: Self.rewrite, refuse: Self.refuse)
        filter = try Filter(format: text, words: words)
        self.names = names
    }

    /// The keys of a condition.
    package static let keys = [
        "date", "day", "path", "camera", "rating", "width", "height", "latitude", "longitude", "mode",
        "colors", "count", "notes", "state", "country.name", "continent.name",
    ]

    /// Explanations of ``keys`` whose names do not say enough.
    package static let explanation = """
        colors is the number of colors in the palette, count the number asked for (0: auto). state is kept, \
        missing, or failed for a photo that cannot be read any more; rating is XMP's, 1 to 5, 0 for unrated \
        (rating == nil where nothing says even that), -1 for rejected; mode is area or representative. A day \
        in quotes is the photo's own; a time of day needs a zone, as in "2024-05-31T20:00:00+02:00".
        """

    private static let aliases = [
        "path": ["photo", "path"], "state": ["photo", "state"],
        "rating": ["photo", "rating"], "colors": ["swatches", "@count"],
        "count": ["k"],
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

    private static func refuse(_ names: [String], _ text: String) -> String? {
        func oneOf(_ words: [String]) -> String? {
            words.contains(text)
                ? nil : "\(names.last ?? "") is \(words.joined(separator: ", ")), not \(text)"
        }
        switch names {
        case ["date"], ["day"]:
            if day(text) != nil { return nil }
            // Without a zone it would be a clock that nobody knows; a zone stands behind the time.
            guard let time = text.split(separator: "T", maxSplits: 1).dropFirst().first, names == ["date"]
            else {
                return "\(text) is no day such as 2024-05-31"
            }
            let hasZone = time.contains { "Z+-".contains($0) }
            return hasZone ? nil : "\(text) needs a zone, as in 2024-05-31T20:00:00+02:00 or ...Z"
        case ["mode"]: return oneOf(["area", "representative"])
        case ["photo", "state"]: return oneOf(PhotoState.allCases.map { "\($0)" })
        default: return nil
        }
    }

    /// 2024-05-31 as 20240531; nil for what is no day.
    private static func day(_ text: String) -> Int32? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts.map(\.utf8.count) == [4, 2, 2],
            parts.joined().utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let year = Int32(parts[0]), let month = Int32(parts[1]), let day = Int32(parts[2]),
            CivilDate(year: Int(year), month: Int(month), day: Int(day)).isValid
        else { return nil }
        return year * 10_000 + month * 100 + day
    }

    private static func state(_ text: String) -> PhotoState? {
        PhotoState.allCases.first { "\($0)" == text }
    }
}
