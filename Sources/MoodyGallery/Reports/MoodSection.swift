import Foundation
import ManagedObjects
import MoodyModel

/// What moods are put together by.
public enum MoodSection: String, Sendable, CaseIterable {
    /// The month of the photo's own day: "2024-05".
    case month
    /// The name of the country, empty where it is not known.
    case country
    /// The folder that the photo lies in.
    case folder
    /// The family of the colour that the photo is remembered by ("Blue"), round the circle; greys last. No
    /// column tells it: the list reads every mood's colours when it begins.
    case hue

    /// "month, country, folder or hue"
    public static var names: String {
        let all = allCases.map(\.rawValue)
        return all.dropLast().joined(separator: ", ") + " or " + (all.last ?? "")
    }

    /// The key that keeps sections together; nil where the list itself does.
    func sortKey(_ isDescending: Bool) -> SortKey? {
        switch self {
        case .month: isDescending ? .descending("day") : .ascending("day")
        case .country: .ascending("country.name")
        case .folder: .ascending("photo.folder")
        case .hue: nil
        }
    }

    func name() throws(FetchError) -> SectionName<Mood> {
        switch self {
        case .month:
            try SectionName(\.day) { day in
                let month = day / 100 % 100
                return "\(day / 10_000)-\(month < 10 ? "0" : "")\(month)"
            }
        case .country: try SectionName(\.country?.name)
        case .folder: try SectionName(\.photo?.folder) { $0.map(Self.shown) ?? "" }
        case .hue: SectionName(computed: { Self.hue(of: $0) })
        }
    }

    private static func hue(of mood: Mood) -> SectionPlace {
        let swatches = zip(mood.colors, mood.shares).map { SearchSwatch($0, share: $1) }
        guard let accent = Accent(swatches) else {
            return SectionPlace(order: Accent.families.count, name: Accent.grey)
        }
        return SectionPlace(order: accent.familyNumber, name: accent.family)
    }

    /// For people: what could steer a terminal is left out.
    private static func shown(_ folder: Data) -> String {
        String(
            String(decoding: folder, as: UTF8.self).unicodeScalars.map { scalar in
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator: "\u{FFFD}"
                default: Character(scalar)
                }
            })
    }
}
