import MoodyModel
package import Palettes
import Texts

/// Palettes as a table: a line a color, so that statistics programs can group and count; a photo without a
/// color has one line without one. Paths are as ``PhotoPath/cell`` says.
package enum PaletteTable {
    /// The columns that end every line. The last is empty where sRGB has the color.
    private static let colorHeads = ["rank", "hex", "share", "lightness", "a", "b", "name", "displayP3"]

    /// Columns of a photo that is in no store.
    package static let photoHead = head(["path", "width", "height"])

    package static func photo(_ path: PhotoPath, width: Int, height: Int, _ palette: Palette) -> String {
        lines(
            [path.cell, .number(Int64(width)), .number(Int64(height))], palette.entries)
    }

    private static let moodHeads = [
        "id", "path", "date", "day", "width", "height", "latitude", "longitude", "camera", "missing",
    ]
    /// Columns of a mood.
    package static let moodHead = head(moodHeads)
    /// The same with the nearest of a list.
    package static let nearMoodHead = head(moodHeads, ["near", "nearHex", "nearDistance"])

    package static func mood(_ record: MoodRecord, _ names: NearestNames? = nil) -> String {
        let cells: [CSV.Cell] = [
            .number(record.id), record.photoPath.cell, .text(record.dateText),
            // A file's time is no day that the photo was taken on.
            record.isDated ? .text(record.dayText) : .empty,
            .number(Int64(record.width)), .number(Int64(record.height)),
            record.latitude.map { .real($0) } ?? .empty, record.longitude.map { .real($0) } ?? .empty,
            record.camera.map { .text(ShownText.of(Array($0.utf8))) } ?? .empty,
            .text(record.isMissing ? "true" : "false"),
        ]
        return lines(cells, record.palette.entries, names)
    }

    private static func head(_ names: [String], _ last: [String] = []) -> String {
        CSV.line((names + colorHeads + last).map { .text($0) })
    }

    /// Shares to six digits, Oklab to four, as in JSON.
    private static func lines(
        _ cells: [CSV.Cell], _ colors: [Palette.Entry], _ names: NearestNames? = nil
    ) -> String {
        let none = [CSV.Cell](repeating: .empty, count: names == nil ? 0 : 3)
        if colors.isEmpty { return CSV.line(cells + colorHeads.map { _ in .empty } + none) }
        return colors.enumerated().map { rank, entry in
            let lab = Oklab(entry.color)
            let numbers = [lab.lightness, lab.a, lab.b].map { CSV.Cell.real(rounded($0, 1e4)) }
            return CSV.line(
                cells + [.number(Int64(rank + 1)), .text(entry.color.hex), .real(rounded(entry.share, 1e6))]
                    + numbers + [.text(entry.color.name), entry.displayP3.map { .text($0.css) } ?? .empty]
                    + (names?.match(entry.color)?.cells ?? none))
        }.joined()
    }
}

extension NearestNames.Match {
    fileprivate var cells: [CSV.Cell] {
        [.text(name.inOneLine), .text(color.hex), .real(rounded(distance, 100))]
    }
}
