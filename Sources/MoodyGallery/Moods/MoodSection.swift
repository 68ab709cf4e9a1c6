import Foundation
import ManagedObjects
import MoodyModel
import Palettes

/// The property by which moods are grouped into sections.
package enum MoodSection: String, Sendable, CaseIterable {
    /// The month of the photo's own day: "2024-05". Photos of which only their file's time is known come
    /// last, as on the page, in whatever order the months are.
    case month
    /// The name of the country, empty where it is not known.
    case country
    /// The folder that the photo lies in.
    case folder
    /// The family of the color that the photo is remembered by ("Blue"), round the circle; grays last.
    case hue

    /// "month, country, folder or hue"
    package static var names: String {
        let all = allCases.map(\.rawValue)
        return all.dropLast().joined(separator: ", ") + " or " + (all.last ?? "")
    }

    /// The section of photos whose day is not known.
    static let undated = "Undated"

    /// The key that keeps sections together; nil where no column tells them: the list reads every mood when
    /// it begins, and sorts itself.
    var sortKey: SortKey? {
        switch self {
        case .country: .ascending("country.name")
        case .folder: .ascending("photo.folder")
        case .month, .hue: nil
        }
    }

    /// - Parameter isDescending: whether the last month comes first.
    func name(_ isDescending: Bool) throws(FetchError) -> SectionName<Mood> {
        switch self {
        case .month: SectionName(computed: { Self.month(of: $0, isDescending) })
        case .country: try SectionName(\.country?.name)
        case .folder: try SectionName(\.photo?.folder) { $0.map(Self.shown) ?? "" }
        case .hue: SectionName(computed: { Self.hue(of: $0) })
        }
    }

    private static func month(of mood: Mood, _ isDescending: Bool) -> SectionKey {
        if !mood.dateSource.isDayTaken { return SectionKey(order: .max, name: undated) }
        let number = Int(mood.day) / 100, month = number % 100
        return SectionKey(
            order: isDescending ? -number : number,
            name: "\(number / 100)-\(month < 10 ? "0" : "")\(month)")
    }

    private static func hue(of mood: Mood) -> SectionKey {
        let swatches = zip(mood.colors, mood.shares).map { SearchSwatch($0, share: $1) }
        guard let accent = Accent(swatches) else {
            return SectionKey(order: Accent.families.count, name: Accent.gray)
        }
        return SectionKey(order: accent.familyNumber, name: accent.family)
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
