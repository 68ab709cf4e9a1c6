/// A flat graphic without its antialiased edges: pixels that mix the areas on either side, of colors that the
/// graphic does not have.
///
/// A graphic is flat when nearly all of its pixels lie in squares of 2 x 2 that are all alike. Of the others
/// those beside such squares count only if they are like a neighbor and not between two: lines and small
/// print, not the edges of areas. What lies further inside, a photo on white paper, counts.
struct FlatGraphic {
    /// The least part of the pixels that lie in squares all alike.
    private static let leastFlat = 0.9

    /// The pixels with the edges cleared.
    let rgba: [UInt8]

    /// Nil when the picture is not flat.
    ///
    /// - Complexity: O(pixels) for a flat one, else some 16,384 of them.
    init?(_ rgba: [UInt8], width: Int) {
        let height = width > 0 ? rgba.count / 4 / width : 0
        guard width > 1, height > 1 else { return nil }
        guard Pixels.areFlat(rgba, width: width, height: height, atLeast: Self.leastFlat) else { return nil }
        let pixels = Pixels(rgba, width: width, height: height)
        let isSolid = pixels.solids
        var cleared = rgba
        for y in 0..<height {
            for x in 0..<width where !isSolid[y * width + x] && pixels.isEdge(x, y, isSolid) {
                cleared[(y * width + x) * 4 + 3] = 0
            }
        }
        self.rgba = cleared
    }
}

/// A picture as one code per pixel, by position; all clear pixels have code 0.
private struct Pixels {
    private let codes: [UInt32]
    private let width: Int, height: Int

    init(_ rgba: [UInt8], width: Int, height: Int) {
        (self.width, self.height) = (width, height)
        codes = (0..<width * height).map { Self.code(rgba, at: $0 * 4) }
    }

    private static func code(_ rgba: [UInt8], at index: Int) -> UInt32 {
        if rgba[index + 3] == 0 { return 0 }
        return UInt32(rgba[index]) << 24 | UInt32(rgba[index + 1]) << 16 | UInt32(rgba[index + 2]) << 8
            | UInt32(rgba[index + 3])
    }

    /// Whether at least this share of some squares of 2 x 2, evenly from all over, are of one color each;
    /// clear squares count for nothing.
    ///
    /// - Complexity: O(1): some 16,384 squares.
    static func areFlat(_ rgba: [UInt8], width: Int, height: Int, atLeast least: Double) -> Bool {
        let step = max(1, Int(Double(width * height / 16_384).squareRoot()))
        var alike = 0, all = 0
        for y in stride(from: 0, to: height - 1, by: step) {
            for x in stride(from: 0, to: width - 1, by: step) {
                let index = (y * width + x) * 4, code = code(rgba, at: index)
                if code == 0 { continue }
                all += 1
                let others = [index + 4, index + width * 4, index + width * 4 + 4]
                alike += others.allSatisfy { Self.code(rgba, at: $0) == code } ? 1 : 0
            }
        }
        return all > 0 && Double(alike) >= least * Double(all)
    }

    /// Whether each pixel lies in a square that is all alike.
    var solids: [Bool] {
        var solids = [Bool](repeating: false, count: codes.count)
        for y in 0..<height - 1 {
            for x in 0..<width - 1 where isSquare(x, y, codes[y * width + x]) {
                let at = y * width + x
                for index in [at, at + 1, at + width, at + width + 1] { solids[index] = true }
            }
        }
        return solids
    }

    /// Whether a pixel that lies in no such square mixes the areas beside it.
    func isEdge(_ x: Int, _ y: Int, _ isSolid: [Bool]) -> Bool {
        let code = codes[y * width + x]
        guard code != 0, isNear(x, y, isSolid) else { return false }
        return isBetween(x, y, code) || !hasLike(x, y, code)
    }

    private func isNear(_ x: Int, _ y: Int, _ isSolid: [Bool]) -> Bool {
        for row in max(0, y - 2)...min(height - 1, y + 2) {
            for column in max(0, x - 2)...min(width - 1, x + 2) where isSolid[row * width + column] {
                return true
            }
        }
        return false
    }

    private func isSquare(_ x: Int, _ y: Int, _ code: UInt32) -> Bool {
        let at = y * width + x
        return codes[at] == code && codes[at + 1] == code && codes[at + width] == code
            && codes[at + width + 1] == code
    }

    private func hasLike(_ x: Int, _ y: Int, _ code: UInt32) -> Bool {
        Self.ways.contains { code == self.code(x + $0.0, y + $0.1) || code == self.code(x - $0.0, y - $0.1) }
    }

    /// Whether it is a mix of two neighbors on opposite sides.
    private func isBetween(_ x: Int, _ y: Int, _ code: UInt32) -> Bool {
        Self.ways.contains { way in
            guard let first = self.code(x + way.0, y + way.1), let second = self.code(x - way.0, y - way.1)
            else { return false }
            return Self.isMix(code, of: first, second)
        }
    }

    private static let ways = [(1, 0), (0, 1), (1, 1), (1, -1)]

    /// Nil outside, and for clear ones.
    private func code(_ x: Int, _ y: Int) -> UInt32? {
        guard x >= 0, y >= 0, x < width, y < height else { return nil }
        let code = codes[y * width + x]
        return code == 0 ? nil : code
    }

    /// Mixed as 8-bit values or as light: each channel about as far on its way as the one that changes most.
    private static func isMix(_ code: UInt32, of first: UInt32, _ second: UInt32) -> Bool {
        if code == first || code == second { return false }
        let own = channels(code), low = channels(first), high = channels(second)
        let change = high &- low, widest = max(abs(change.x), abs(change.y), abs(change.z))
        if widest < 8 { return false }
        let channel = (0..<3).first { abs(change[$0]) == widest } ?? 0
        let way = Float(own[channel] - low[channel]) / Float(change[channel])
        guard way >= 0, way <= 1 else { return false }
        return (0..<3).allSatisfy { channel in
            let mixed = Float(low[channel]) + way * Float(change[channel])
            return abs(Float(own[channel]) - mixed) <= 6 + Float(abs(change[channel])) / 4
        }
    }

    private static func channels(_ code: UInt32) -> SIMD4<Int> {
        SIMD4(Int(code >> 24), Int(code >> 16 & 255), Int(code >> 8 & 255), 0)
    }
}

extension PixelSample {
    /// The samples of a flat graphic without its edges; nil for other pictures, and when the picture was not
    /// read pixel by pixel.
    ///
    /// Reads the first sample whose pixels have positions. A representative palette is made of that sample
    /// alone; for an area palette the pixels of other samples count whose colors are left in it.
    static func withoutEdges(_ samples: [PixelSample], _ mode: PaletteMode) -> [PixelSample]? {
        guard let index = samples.firstIndex(where: { $0.width ?? 0 > 0 && $0.pixelCount > 0 }),
            samples[index].resolution == .pixel, let width = samples[index].width,
            let graphic = FlatGraphic(samples[index].rgba, width: width)
        else { return nil }
        var flat = samples[index]
        flat.rgba = graphic.rgba
        if mode == .representative {
            flat.weight = 1
            return [flat]
        }
        let known = flat.colors
        return samples.indices.map { $0 == index ? flat : samples[$0].keeping(known) }
    }

    /// The colors of the pixels that are not clear.
    private var colors: Set<UInt32> {
        var colors = Set<UInt32>()
        for at in stride(from: 0, to: rgba.count - 3, by: 4) where rgba[at + 3] > 0 {
            colors.insert(color(at))
        }
        return colors
    }

    /// These pixels, those of other colors made clear.
    private func keeping(_ colors: Set<UInt32>) -> PixelSample {
        var kept = self
        for at in stride(from: 0, to: rgba.count - 3, by: 4) where !colors.contains(color(at)) {
            kept.rgba[at + 3] = 0
        }
        return kept
    }

    private func color(_ at: Int) -> UInt32 {
        UInt32(rgba[at]) << 16 | UInt32(rgba[at + 1]) << 8 | UInt32(rgba[at + 2])
    }
}
