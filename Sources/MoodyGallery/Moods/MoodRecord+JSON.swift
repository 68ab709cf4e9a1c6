import Foundation
package import MoodyModel
package import Palettes

extension MoodRecord {
    /// A JSON object on one line. Keys stand in a fixed order; equal records give equal bytes. The path is
    /// ``PhotoPath/json``.
    package var json: JSON { json(PagePrivacy(showsPaths: true, showsPlaces: true)) }

    /// Like ``json``, each color with the nearest of the user's own list.
    package func json(_ names: NearestNames?) -> JSON {
        var record = self
        record.name(by: names)
        return record.json
    }

    /// Like ``json``. Where folders are not told, `"path"` is the file's name; where places are not told,
    /// there is neither `"place"` nor `"country"`.
    package func json(_ privacy: PagePrivacy) -> JSON {
        var fields: [(String, JSON)] = [
            ("v", 1), ("id", .number(id)),
        ]
        fields += privacy.showsPaths ? photoPath.json : [("path", .string(name))]
        fields += [
            ("date", .string(dateText)), ("dateSource", .string("\(dateSource)")), ("day", .string(dayText)),
            ("width", .number(Int64(width))), ("height", .number(Int64(height))),
            ("colors", .array(colors.map(\.json))), ("mode", .string(mode.rawValue)),
            ("count", count == 0 ? "auto" : .number(Int64(count))), ("algorithm", .number(Int64(algorithm))),
        ]
        if !leftOut.ignore.isEmpty {
            let kinds = leftOut.ignore.map(\.rawValue).sorted()
            fields.append(("ignore", .array(kinds.map { .string($0) })))
        }
        if let background = leftOut.background { fields.append(("background", .string(background.hex))) }
        if privacy.showsPlaces, let latitude, let longitude {
            fields.append(
                ("place", .object([("latitude", .real(latitude)), ("longitude", .real(longitude))])))
        }
        if privacy.showsPlaces, let country { fields.append(("country", country.json)) }
        if let camera { fields.append(("camera", .string(camera))) }
        if let rating { fields.append(("rating", .number(Int64(rating)))) }
        if !notes.isEmpty { fields.append(("notes", .array(notes.map { .string($0) }))) }
        if isMissing { fields.append(("missing", true)) }
        if let failure { fields.append(("failure", .string(failure))) }
        if let contentHash { fields.append(("contentHash", .string(contentHash))) }
        return .object(fields)
    }
}

extension CountryFacts {
    /// In English, whatever the user speaks.
    fileprivate var json: JSON {
        var fields: [(String, JSON)] = [("code", .number(Int64(number))), ("name", .string(name))]
        if !continentName.isEmpty { fields.append(("continent", .string(continentName))) }
        return .object(fields)
    }
}

extension MoodRecord.Color {
    var json: JSON { paletteColor(color, share: share, displayP3: displayP3, near: near) }
}

/// A color of a palette: `{"hex","share","oklab","name"}`, and `"displayP3"`, as CSS writes it, where it
/// lies outside sRGB. Shares to six digits, Oklab to four.
///
/// - Parameter near: the nearest of the user's own list, as `"near"`.
package func paletteColor(
    _ color: RGB, share: Double, displayP3: DisplayP3? = nil, near: NearestNames.Match? = nil
) -> JSON {
    let lab = Oklab(color)
    let values = [lab.lightness, lab.a, lab.b].map { JSON.real(rounded(Double($0), 1e4)) }
    var fields: [(String, JSON)] = [
        ("hex", .string(color.hex)), ("share", .real(rounded(share, 1e6))), ("oklab", .array(values)),
        ("name", .string(color.name)),
    ]
    if let displayP3 { fields.append(("displayP3", .string(displayP3.css))) }
    if let near { fields.append(("near", near.json)) }
    return .object(fields)
}

func rounded(_ number: Double, _ scale: Double) -> Double { (number * scale).rounded() / scale }
