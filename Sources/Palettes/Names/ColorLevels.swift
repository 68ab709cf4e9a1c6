/// How the 256 values of each channel are put into 64 levels: the edges of a ``ColorHistogram``'s cells.
struct ColorLevels {
    /// For red, green, blue in turn, for each value its level with the bits spread three apart, in the places
    /// of an octree number: bit 5 of red's at bit 17, of green's at 16, of blue's at 15.
    let octreeBits: [UInt32]

    /// - Parameter levels: for red, green and blue, for each value its level, 0..<64, rising.
    private init(_ levels: [[UInt32]]) {
        octreeBits = (0..<768).map { index in
            let level = levels[index / 256][index % 256], shift = UInt32(2 - index / 256)
            var spread: UInt32 = 0
            for bit in 0..<6 as Range<UInt32> where level >> bit & 1 == 1 { spread |= 1 << (bit * 3 + shift) }
            return spread
        }
    }

    /// Levels even in the lightness that ``PaletteSpace`` gives a gray: two to six values wide.
    static let even: ColorLevels = {
        let levels = linearLight.map { light in
            let lightness = light > 216.0 / 24389 ? cubeRoot(light) : 841.0 / 108 * light + 4.0 / 29
            return UInt32(min(63, 64 * (lightness - 4.0 / 29) / (25.0 / 29)))
        }
        return ColorLevels([levels, levels, levels])
    }()

    /// Levels that are narrow where a picture has most of its pixels, or nil when even ones do.
    ///
    /// A picture whose pixels crowd into a few cells, a sheet of paper or a night sky, has clusters no wider
    /// than these. The error of a quantizer is least when its steps are as dense as the cube root of
    /// what it quantizes (Bennett 1948); here each channel by itself.
    ///
    /// - Parameter cells: the picture counted with even levels.
    init?(refinedFor cells: ColorCells) {
        var crowding = 0.0
        for weight in cells.weights {
            let share = weight / cells.weight
            crowding += share * share
        }
        // The reciprocal is as many cells as there would be if all held the same.
        guard crowding * 150 > 1, (2..<12_000).contains(cells.count) else { return nil }
        var densities = [[Double]](repeating: Array(repeating: 0, count: 256), count: 3)
        for index in 0..<cells.count {
            for channel in 0..<3 {
                let share = cells.weights[index] / cells.weight
                densities[channel][Int(cells.means[index][channel])] += share
            }
        }
        self.init(densities.map(Self.levels))
    }

    /// Levels for one channel of which each value has its share.
    private static func levels(_ shares: [Double]) -> [UInt32] {
        // The shares are those of cells, gathered at their means: each is spread over its neighbors.
        let steps = shares.indices.map { value in
            let near = max(0, value - 3)...min(255, value + 3)
            var density = 0.0
            for neighbor in near { density += shares[neighbor] }
            return cubeRoot(density / Double(near.count)) + 0.004
        }
        var total = 0.0
        for step in steps { total += step }
        var passed = 0.0
        return steps.map { step in
            let level = UInt32(min(63, 64 * (passed + step / 2) / total))
            passed += step
            return level
        }
    }
}
