package import MoodyModel
package import Palettes

/// The names of a list for any color: that of the nearest of the list's.
package struct NearestNames: Sendable {
    package struct Match: Sendable, Equatable {
        package let name: String
        package let color: RGB
        /// CIEDE2000.
        package let distance: Double

        /// `{"name","hex","distance"}`; the distance to a hundredth.
        package var json: JSON {
            .object([
                ("name", .string(name)), ("hex", .string(color.hex)),
                ("distance", .real(rounded(distance, 100))),
            ])
        }

        /// For people: `Sky blue (2.1 away)`.
        package var shown: String { "\(name.inOneLine) (\(PaletteFormat.fixed(distance, digits: 1)) away)" }
    }

    private let entries: [ColorList.Entry]
    private let colors: NearestColors

    package init(_ list: ColorList) {
        entries = list.entries
        colors = NearestColors(list.entries.map(\.lab))
    }

    /// The names of a palette's colors, in its order.
    package func names(of palette: Palette) -> [String] {
        palette.entries.map { match($0.color)?.name ?? $0.color.name }
    }

    /// Names the colors of a page's rows.
    package func name(_ rows: inout [MoodRow]) {
        for row in rows.indices {
            for at in rows[row].swatches.indices {
                let swatch = rows[row].swatches[at]
                let color = RGB(red: swatch.red, green: swatch.green, blue: swatch.blue)
                rows[row].swatches[at].name = match(color)?.name ?? swatch.name
            }
        }
    }

    /// The nearest by CIEDE2000; of two that are as near the first of the list.
    package func match(_ color: RGB) -> Match? {
        colors.nearest(to: Lab(color)).map { found in
            Match(
                name: entries[found.index].name, color: entries[found.index].color, distance: found.distance)
        }
    }
}
