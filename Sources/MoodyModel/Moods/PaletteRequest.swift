package import Palettes

/// The settings of a palette, as far as a mood remembers them.
package struct PaletteRequest: Sendable, Hashable {
    package var mode: PaletteMode
    /// 1...32, or 0 for as many as the picture has.
    package var count: Int16
    package var leftOut = LeftOutColors()

    package init(_ options: PaletteOptions) {
        mode = options.mode
        switch options.size {
        case .colors(let count): self.count = Int16(clamping: count)
        case .auto: count = 0
        }
        leftOut = LeftOutColors(ignore: options.ignore, background: options.background)
    }

    package init(mode: PaletteMode, count: Int16, leftOut: LeftOutColors = LeftOutColors()) {
        (self.mode, self.count, self.leftOut) = (mode, count, leftOut)
    }
}

/// Colors that do not count.
package struct LeftOutColors: Sendable, Hashable {
    package var ignore: Set<PaletteIgnore>
    package var background: RGB?

    package init(ignore: Set<PaletteIgnore> = [], background: RGB? = nil) {
        (self.ignore, self.background) = (ignore, background)
    }

    package var isEmpty: Bool { ignore.isEmpty && background == nil }
}

extension Mood {
    /// The settings of the palette.
    package var request: PaletteRequest {
        PaletteRequest(mode: mode.paletteMode, count: k, leftOut: colors.leftOut)
    }
}
