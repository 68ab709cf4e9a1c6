/// A strong color that a palette lacks: the one orange star in green moss.
///
/// Clusters have no room for less than a hundredth of a picture, but a small accent is what a person names
/// first. It is light and strong, and no color of the palette has a similar hue.
struct MissedAccent {
    /// The least lightness and chroma of an accent, Oklab's.
    private static let leastLightness: Float = 0.45, leastChroma: Float = 0.09
    /// The cosine of the least angle to the hues of the palette: 30 degrees.
    private static let otherHue: Float = 0.866
    /// Oklab's chroma below which a color of the palette has no hue, and below which it is nearly a gray.
    private static let noChroma: Float = 0.03, littleChroma: Float = 0.04
    /// The least part of the picture, and how far in ``PaletteSpace`` its colors lie apart. At half of it
    /// palettes of a photo in other forms differ more often (docs/measurements/PALETTES.md, "Steady").
    private static let leastShare: Float = 0.002, reach: Float = 0.2
    /// The cosine of the angle up to which one hue stands for another: 20 degrees.
    private static let sameHue: Float = 0.94
    /// A color makes room when it is nearer to another than this part of the accent's distance.
    private static let closeness: Float = 0.8
    /// A palette of fewer colors has no room.
    private static let leastCount = 4

    private let color: RGB
    /// To the nearest color of the palette, in ``PaletteSpace``.
    private let distance: Float

    /// Nil when the palette lacks no accent.
    ///
    /// - Complexity: O(cells x colors), and the square of the number of missing colors at 4 bits per channel.
    init?(_ colors: [Palette.Entry], of cells: ColorCells) {
        guard colors.count >= Self.leastCount else { return nil }
        let shown = colors.map { PaletteSpace.point($0.color) }
        let missing = Self.missing(from: shown, in: cells)
        guard let middle = Self.fullest(missing, cells) else { return nil }
        var mean = SIMD4<Float>.zero, center = mean, sum: Float = 0
        for index in missing where squaredDistance(cells.point(index), middle) <= Self.reach * Self.reach {
            let point = cells.point(index), chroma = point.y * point.y + point.z * point.z
            // Strong colors weigh more: a person sees the accent's strongest color, not its rim.
            let weight = cells.shares[index] * chroma * chroma * chroma
            mean += cells.means[index] * weight
            center += point * weight
            sum += weight
        }
        (mean, center) = (mean / sum, center / sum)
        color = RGB(
            red: UInt8(mean.x.rounded()), green: UInt8(mean.y.rounded()), blue: UInt8(mean.z.rounded()))
        distance = (shown.map { squaredDistance($0, center) }.min() ?? 0).squareRoot()
    }

    /// The cells of strong colors whose hue no color of the palette has.
    private static func missing(from shown: [SIMD4<Float>], in cells: ColorCells) -> [Int] {
        let least = leastChroma * PaletteSpace.chromaScale
        let hues = shown.map { (point: $0, chroma: chroma($0)) }
            .filter { $0.chroma >= noChroma * PaletteSpace.chromaScale }
        var missing: [Int] = []
        for block in cells.x.indices {
            let y = cells.y[block], z = cells.z[block], squared = y * y + z * z
            var isMissing = squared .>= least * least .& (cells.x[block] .>= leastLightness)
            if !any(isMissing) { continue }
            let own = squared.squareRoot()
            for (point, chroma) in hues {
                isMissing .&= y * point.y + z * point.z .< otherHue * chroma * own
            }
            if !any(isMissing) { continue }
            for lane in 0..<min(8, cells.count - 8 * block) where isMissing[lane] {
                missing.append(8 * block + lane)
            }
        }
        return missing
    }

    /// The point with the largest share of these cells around it; nil when that share is too small.
    private static func fullest(_ missing: [Int], _ cells: ColorCells) -> SIMD4<Float>? {
        var sums: [SIMD4<Float>] = [], last = UInt32.max
        for index in missing {
            // Numbers rise, so cells that are the same at 4 bits per channel follow each other.
            if cells.numbers[index] >> 6 != last { sums.append(.zero) }
            last = cells.numbers[index] >> 6
            var moment = cells.point(index)
            moment.w = 1
            sums[sums.count - 1] += moment * cells.shares[index]
        }
        let points = sums.map { SIMD4($0.x / $0.w, $0.y / $0.w, $0.z / $0.w, 0) }
        var best: SIMD4<Float>?, most = leastShare
        for point in points {
            var share: Float = 0
            for (other, sum) in zip(points, sums) where squaredDistance(point, other) <= reach * reach {
                share += sum.w
            }
            if share > most { (best, most) = (point, share) }
        }
        return best
    }

    /// The palette with the accent in place of the rarer of two colors of about one hue, the closest ones;
    /// the palette as it is when no two are much closer than the accent is to any.
    func replacingOne(of colors: [Palette.Entry], in cells: ColorCells) -> [Palette.Entry] {
        let points = colors.map { PaletteSpace.point($0.color) }
        var closest = (first: 0, second: 0, distance: distance * Self.closeness)
        for first in points.indices {
            for second in points.indices where second > first {
                let apart = squaredDistance(points[first], points[second]).squareRoot()
                if apart < closest.distance, Self.isOneHue(points[first], points[second]) {
                    closest = (first, second, apart)
                }
            }
        }
        guard closest.first < closest.second else { return colors }
        let shares = Palette.shares(of: colors, in: cells)
        var replaced = colors
        let rarer = shares[closest.first] < shares[closest.second] ? closest.first : closest.second
        replaced[rarer] = Palette.Entry(color: color, share: 0)
        return replaced
    }

    private static func isOneHue(_ first: SIMD4<Float>, _ second: SIMD4<Float>) -> Bool {
        let one = chroma(first), two = chroma(second), little = littleChroma * PaletteSpace.chromaScale
        if one < little || two < little { return one < little && two < little }
        return first.y * second.y + first.z * second.z > sameHue * one * two
    }

    private static func chroma(_ point: SIMD4<Float>) -> Float {
        (point.y * point.y + point.z * point.z).squareRoot()
    }
}
