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

    /// The key that keeps sections together.
    func sortKey(_ isDescending: Bool) -> SortKey {
        switch self {
        case .month: isDescending ? .descending("day") : .ascending("day")
        case .country: .ascending("country.name")
        case .folder: .ascending("photo.folder")
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
        }
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
