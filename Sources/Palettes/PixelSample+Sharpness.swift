extension PixelSample {
    /// How blurred every overview is, in light and in chroma: twelve times the variance of what one value is
    /// spread over, in pixels squared. About what the blocks of a photo of one or two megapixels do.
    private static let lightSpread: Float = 1.5, colorSpread: Float = 6

    /// The picture blurred by what it is sharper than others.
    ///
    /// A photo of half the size has blocks twice as large beside it, and another palette for that alone: of
    /// what varies within a block nothing is left. So what was read finely is blurred until all are alike
    /// (docs/PALETTES.md, "Steady"). Means over areas of side b, each held over its area, spread a value by
    /// 2 b^2 / 12; three taps, a, 1 - 2 a, a, along each axis spread it by 2 a more. Chroma, Cb and Cr of
    /// JPEG, more than light.
    ///
    /// A picture that has fewer pixels than overviews have is left as it is: it is looked at pixel by pixel.
    ///
    /// - Complexity: O(pixels).
    var evenlySharp: PixelSample {
        guard let width, width > 0, case let height = pixelCount / width, height > 0, grain != .pixel
        else { return self }
        let across = Taps(light: grain.light.x, color: grain.color.x)
        let down = Taps(light: grain.light.y, color: grain.color.y)
        // All nine at once, and those that change places together: a picture that is flipped or turned gives
        // the same to the last bit.
        let middle = across.inner * down.inner, corner = across.outer * down.outer
        let beside = across.outer * down.inner, above = across.inner * down.outer
        let values = (0..<pixelCount).map { weighted($0) }, pixels = values.span
        var sharp = self
        for y in 0..<height {
            // Beyond its edges a picture goes on as it ends.
            let here = y * width, up = max(y - 1, 0) * width, under = min(y + 1, height - 1) * width
            for x in 0..<width where pixels[here + x][3] > 0 {
                let left = max(x - 1, 0), right = min(x + 1, width - 1)
                let sides = (pixels[here + left] + pixels[here + right]) * beside
                let others = (pixels[up + x] + pixels[under + x]) * above
                let falling = pixels[up + left] + pixels[under + right]
                let rising = pixels[up + right] + pixels[under + left]
                let sum = pixels[here + x] * middle + (sides + others) + (falling + rising) * corner
                sharp.store(sum, at: (here + x) * 4)
            }
        }
        return sharp
    }

    /// Y, Cb, Cr times alpha; then alpha as light has it, twice as chroma has it, and 0.
    ///
    /// - Source: JFIF 1.02: ITU-R BT.601 with full range.
    private func weighted(_ pixel: Int) -> SIMD8<Float> {
        let at = pixel * 4, alpha = Float(rgba[at + 3])
        let red = Float(rgba[at]), green = Float(rgba[at + 1]), blue = Float(rgba[at + 2])
        let light = 0.299 * red + 0.587 * green + 0.114 * blue
        return SIMD8(light, (blue - light) / 1.772, (red - light) / 1.402, 1, 1, 1, 0, 0) * alpha
    }

    /// The color of sums of colors times alpha; alpha stays.
    private mutating func store(_ sum: SIMD8<Float>, at: Int) {
        let light = sum[0] / sum[3], blue = sum[1] / sum[4], red = sum[2] / sum[4]
        rgba[at] = Self.byte(light + 1.402 * red)
        rgba[at + 1] = Self.byte(light - 0.344_136 * blue - 0.714_136 * red)
        rgba[at + 2] = Self.byte(light + 1.772 * blue)
    }

    private static func byte(_ value: Float) -> UInt8 { UInt8(min(max(value + 0.5, 0), 255)) }

    /// Three taps for each lane, of which the outer two are alike.
    private struct Taps {
        let outer: SIMD8<Float>, inner: SIMD8<Float>

        /// - Parameters: the grain along an axis.
        init(light: Float, color: Float) {
            let light = Self.outer(lightSpread, light), color = Self.outer(colorSpread, color)
            outer = SIMD8(light, color, color, light, color, color, 0, 0)
            inner = 1 - 2 * outer
        }

        private static func outer(_ spread: Float, _ grain: Float) -> Float {
            max(0, spread - 2 * grain * grain) / 24
        }
    }
}
