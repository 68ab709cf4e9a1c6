extension PixelSample {
    /// The samples of one picture without its border, and the border's share of the pixels; nil when it has
    /// none or no sample is of known width.
    ///
    /// The border is looked for in the first sample of known width. Pixels of other samples have no place, so
    /// of those that look like the border as many are left out, by lowering their alpha, as in that one.
    static func withoutBorder(_ samples: [PixelSample]) -> (samples: [PixelSample], share: Double)? {
        guard let index = samples.firstIndex(where: { $0.width ?? 0 > 0 && $0.pixelCount > 0 }),
            let width = samples[index].width
        else { return nil }
        let whole = samples[index], border = Border(of: whole.rgba, width: width)
        guard !border.isEmpty else { return nil }
        let height = whole.pixelCount / width
        var inner: [UInt8] = []
        for row in border.top..<(height - border.bottom) {
            let start = (row * width + border.left) * 4, end = ((row + 1) * width - border.right) * 4
            inner += whole.rgba[start..<end]
        }
        let kept = keptAlpha(whole: whole.rgba, inner: inner)
        var cut = samples
        let share = 1 - Double(inner.count) / Double(width * height * 4)
        for other in cut.indices {
            if other == index {
                cut[other].rgba = inner
                cut[other].width = width - border.left - border.right
            } else {
                for pixel in 0..<cut[other].pixelCount {
                    let kept = kept[cell(cut[other].rgba, pixel)]
                    cut[other].rgba[pixel * 4 + 3] = UInt8(Int(cut[other].rgba[pixel * 4 + 3]) * kept / 255)
                }
            }
        }
        return (cut, share)
    }

    /// For each of 4,096 colors, how much of 255 to keep: its pixels inside over all its pixels.
    private static func keptAlpha(whole: [UInt8], inner: [UInt8]) -> [Int] {
        var all = [Int](repeating: 0, count: 4_096), inside = all
        for pixel in 0..<(whole.count / 4) { all[cell(whole, pixel)] += 1 }
        for pixel in 0..<(inner.count / 4) { inside[cell(inner, pixel)] += 1 }
        return zip(all, inside).map { all, inside in all == 0 ? 255 : 255 * inside / all }
    }

    private static func cell(_ rgba: [UInt8], _ pixel: Int) -> Int {
        Int(rgba[pixel * 4] >> 4) << 8 | Int(rgba[pixel * 4 + 1] >> 4) << 4 | Int(rgba[pixel * 4 + 2] >> 4)
    }
}
