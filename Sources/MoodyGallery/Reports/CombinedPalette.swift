package import Palettes

/// The palette of many photos as one, from their stored colors.
///
/// Each color counts with its share of its photo, and each photo the same: as if a picture were made of a
/// strip of every palette, 256 pixels of each.
package struct CombinedPalette: Sendable {
    private var pixels: [UInt8] = []

    package init() {}

    package mutating func add(_ palette: Palette) {
        for entry in palette.entries {
            let count = max(1, Int((entry.share * 256).rounded()))
            for _ in 0..<count { pixels += [entry.color.red, entry.color.green, entry.color.blue, 255] }
        }
    }

    /// Without colors there is none.
    package func palette(_ options: PaletteOptions) -> Palette {
        pixels.isEmpty ? Palette(entries: []) : Palette([PixelSample(rgba: pixels)], options: options)
    }
}
