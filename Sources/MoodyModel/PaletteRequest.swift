public import Palettes

/// The settings of a palette, as far as a mood remembers them.
public struct PaletteRequest: Sendable, Hashable {
    public var mode: PaletteMode
    /// 1...32, or 0 for as many as the picture has.
    public var count: Int16
    public var leftOut = LeftOutColors()

    public init(_ options: PaletteOptions) {
        mode = options.mode
        switch options.size {
        case .colors(let count): self.count = Int16(clamping: count)
        case .auto: count = 0
        }
        leftOut = LeftOutColors(ignore: options.ignore, background: options.background)
    }

    public init(mode: PaletteMode, count: Int16, leftOut: LeftOutColors = LeftOutColors()) {
        (self.mode, self.count, self.leftOut) = (mode, count, leftOut)
    }
}

/// Colors that do not count.
public struct LeftOutColors: Sendable, Hashable {
    public var ignore: Set<PaletteIgnore>
    public var background: RGB?

    public init(ignore: Set<PaletteIgnore> = [], background: RGB? = nil) {
        (self.ignore, self.background) = (ignore, background)
    }

    public var isEmpty: Bool { ignore.isEmpty && background == nil }
}

extension Mood {
    /// The settings of the palette.
    public var request: PaletteRequest {
        PaletteRequest(mode: mode.paletteMode, count: k, leftOut: colors.leftOut)
    }
}
