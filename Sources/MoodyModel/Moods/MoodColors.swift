package import Palettes

/// The colors of a mood, largest share first, and for those outside sRGB their Display P3 values.
package struct MoodColors: RandomAccessCollection, ExpressibleByArrayLiteral, Equatable, Sendable {
    private let colors: [RGB]
    /// By the color's index; most moods have none.
    let wide: [Int: DisplayP3]
    /// The colors that the palette leaves out.
    package let leftOut: LeftOutColors

    package init(
        _ colors: [RGB], displayP3 wide: [Int: DisplayP3] = [:],
        leavingOut leftOut: LeftOutColors = LeftOutColors()
    ) {
        (self.colors, self.wide, self.leftOut) = (colors, wide, leftOut)
    }

    package init(arrayLiteral colors: RGB...) { self.init(colors) }

    init(_ palette: Palette, leavingOut leftOut: LeftOutColors = LeftOutColors()) {
        let wide = palette.entries.enumerated().compactMap { index, entry in
            entry.displayP3.map { (index, $0) }
        }
        self.init(
            palette.entries.map(\.color), displayP3: Dictionary(uniqueKeysWithValues: wide),
            leavingOut: leftOut)
    }

    package var startIndex: Int { 0 }
    package var endIndex: Int { colors.count }
    package subscript(index: Int) -> RGB { colors[index] }

    /// The color where sRGB has it not; nil where it has.
    package func displayP3(at index: Int) -> DisplayP3? { wide[index] }
}
