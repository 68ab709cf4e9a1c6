public import Palettes

/// Palettes as a table: a line a colour, so that statistics programs can group and count; a photo without a colour
/// has one line without one.
public enum PaletteTable {
    /// What every line ends with.
    private static let colorHeads = ["rank", "hex", "share", "lightness", "a", "b", "name"]

    /// Columns of a photo that is in no store.
    public static let photoHead = head(["path", "width", "height"])

    public static func photo(path: String, width: Int, height: Int, _ palette: Palette) -> String {
        lines(
            [.text(path), .number(Int64(width)), .number(Int64(height))],
            palette.entries.map { ($0.color, $0.share) })
    }

    /// Columns of a mood.
    public static let moodHead = head([
        "id", "path", "date", "day", "width", "height", "latitude", "longitude", "camera", "missing",
    ])

    public static func mood(_ record: MoodRecord) -> String {
        let cells: [CSV.Cell] = [
            .number(record.id), .text(record.path), .text(record.dateText), .text(record.dayText),
            .number(Int64(record.width)), .number(Int64(record.height)),
            record.latitude.map { .real($0) } ?? .empty, record.longitude.map { .real($0) } ?? .empty,
            record.camera.map { .text($0) } ?? .empty, .text(record.isMissing ? "true" : "false"),
        ]
        return lines(cells, record.colors.map { ($0.color, $0.share) })
    }

    private static func head(_ names: [String]) -> String { CSV.line((names + colorHeads).map { .text($0) }) }

    /// Shares to six digits, Oklab to four, as in JSON.
    private static func lines(_ cells: [CSV.Cell], _ colors: [(color: RGB, share: Double)]) -> String {
        if colors.isEmpty { return CSV.line(cells + colorHeads.map { _ in .empty }) }
        return colors.enumerated().map { rank, entry in
            let lab = Oklab(entry.color)
            let numbers = [lab.lightness, lab.a, lab.b].map { CSV.Cell.real(rounded($0, 1e4)) }
            return CSV.line(
                cells + [.number(Int64(rank + 1)), .text(entry.color.hex), .real(rounded(entry.share, 1e6))]
                    + numbers + [.text(entry.color.name)])
        }.joined()
    }
}
