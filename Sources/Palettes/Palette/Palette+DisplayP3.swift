/// Pixels of a picture twice: as sRGB shows them, and in Display P3.
public struct WidePixels: Sendable {
    /// R, G, B, A; the same pixels in the same order.
    public var srgb: [UInt8], displayP3: [UInt8]

    public init(srgb: [UInt8], displayP3: [UInt8]) { (self.srgb, self.displayP3) = (srgb, displayP3) }
}

extension Palette {
    /// Gives the colors that lie outside sRGB their Display P3 values. The colors themselves stay as they
    /// are.
    ///
    /// A palette is found on pixels cut to sRGB. What the pixels that a color stands for lost by that, on
    /// average, is added to the color. In representative mode these are the pixels like it, as it need not be
    /// the mean of what it stands for.
    ///
    /// - Complexity: O(pixels x colors).
    public mutating func findWideColors(_ pixels: WidePixels, mode: PaletteMode) {
        let points = entries.map { PaletteSpace.point($0.color) }
        guard !points.isEmpty else { return }
        // Of each color: what its pixels lost (lightness, a, b) and how many they are; all, and those like
        // it.
        var all = [SIMD4<Double>](repeating: .zero, count: points.count), near = all
        for at in stride(from: 0, to: min(pixels.srgb.count, pixels.displayP3.count) - 3, by: 4) {
            let alpha = Double(pixels.srgb[at + 3])
            guard alpha >= Double(PixelSample.leastAlpha) else { continue }
            let color = RGB(red: pixels.srgb[at], green: pixels.srgb[at + 1], blue: pixels.srgb[at + 2])
            let point = PaletteSpace.point(color)
            var nearest = 0, distance = Float.infinity
            for (index, other) in points.enumerated() {
                let offset = other - point
                let squared = (offset * offset).sum()
                if squared < distance { (nearest, distance) = (index, squared) }
            }
            let lost = Palette.lost(color, pixels.displayP3[at..<at + 3])
            let part = SIMD4(lost, 1) * alpha
            all[nearest] += part
            if distance <= Palette.likeness { near[nearest] += part }
        }
        for index in entries.indices {
            let sum = mode == .representative && near[index].w > 0 ? near[index] : all[index]
            guard sum.w > 0 else { continue }
            entries[index].setWide(SIMD3(sum.x, sum.y, sum.z) / sum.w)
        }
    }

    /// The square of 0.06 in ``PaletteSpace``: some three times the least visible difference.
    private static let likeness: Float = 0.0036

    private static func lost(_ color: RGB, _ displayP3: ArraySlice<UInt8>) -> SIMD3<Double> {
        let at = displayP3.startIndex
        let wide = DisplayP3(red: displayP3[at], green: displayP3[at + 1], blue: displayP3[at + 2])
        let light = wide.linearSRGB
        guard isOutsideSRGB(light) else { return .zero }
        let exact = Oklab(linear: light), shown = Oklab(color)
        return SIMD3(exact.lightness - shown.lightness, exact.a - shown.a, exact.b - shown.b)
    }
}

extension Palette.Entry {
    fileprivate mutating func setWide(_ lost: SIMD3<Double>) {
        guard lost != .zero else { return }
        let light = Oklab(lightness: oklab.lightness + lost.x, a: oklab.a + lost.y, b: oklab.b + lost.z)
            .linear
        if isOutsideSRGB(light) { displayP3 = DisplayP3(linearSRGB: light) }
    }
}
