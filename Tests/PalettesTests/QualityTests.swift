import TestSupport
import Testing

@testable import Palettes

/// Whole palettes against what can be said of them from outside.
@Suite struct QualityTests {
    /// Mean squared distance of the pixels to the nearest of `centers`.
    private func error(_ points: [SIMD4<Float>], _ centers: [SIMD4<Float>]) -> Double {
        points.reduce(0.0) { sum, point in
            sum + Double(centers.map { squaredDistance($0, point) }.min() ?? .infinity)
        } / Double(points.count)
    }

    /// k-means as a textbook has it, from pixels taken at random; the best of many starts.
    private func textbook(_ points: [SIMD4<Float>], _ count: Int, starts: Int) -> Double {
        var random = SplitMix64(seed: 1), best = Double.infinity
        for _ in 0..<starts {
            var centers = Array(points.shuffled(using: &random).prefix(count))
            for _ in 0..<20 {
                var sums = [SIMD4<Float>](repeating: .zero, count: count)
                for point in points {
                    var nearest = 0
                    for index in 1..<count
                    where squaredDistance(centers[index], point) < squaredDistance(centers[nearest], point) {
                        nearest = index
                    }
                    sums[nearest] += SIMD4(point.x, point.y, point.z, 1)
                }
                for index in 0..<count where sums[index].w > 0 {
                    centers[index] = sums[index] / sums[index].w
                }
            }
            best = min(best, error(points, centers))
        }
        return best
    }

    /// Colors are shown in 8 bits and counted in cells, hence the 3 %.
    @Test(arguments: [(1, 3), (2, 4), (3, 5), (4, 6), (5, 8)] as [(UInt64, Int)])
    func `an area palette is as near to the pixels as the best of many starts`(seed: UInt64, count: Int) {
        let pixels = clouds(7, pixels: 500, noise: 30, seed: seed)
        let points = pixels.map { PaletteSpace.point($0) }
        let palette = Palette([PixelSample(pixels)], options: PaletteTests.options(count, .area))
        let found = error(points, palette.entries.map { PaletteSpace.point($0.color) })
        #expect(found < 1.03 * textbook(points, count, starts: 12))
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func `a share is the part of the pixels that is nearest to its color`(seed: UInt64) {
        let pixels = clouds(5, pixels: 4_000, noise: 25, seed: seed)
        let palette = Palette([PixelSample(pixels)], options: PaletteTests.options(5, .area))
        let centers = palette.entries.map { PaletteSpace.point($0.color) }
        var counts = [Int](repeating: 0, count: centers.count)
        for pixel in pixels {
            let point = PaletteSpace.point(pixel)
            let distances = centers.map { squaredDistance($0, point) }
            counts[distances.firstIndex(of: distances.min()!)!] += 1
        }
        #expect(palette.entries.count == 5)
        for (entry, count) in zip(palette.entries, counts) {
            // Pixels between two colors may be counted with their cell.
            #expect(abs(entry.share - Double(count) / 4_000) < 0.02)
        }
    }

    /// One pixel in two hundred, which area mode has no room for.
    @Test(arguments: ["#e02020", "#1060e0", "#20b040", "#e0b000"])
    func `a small accent on grey ground is kept in representative mode`(hex: String) throws {
        let accent = try #require(RGB(hex: hex))
        let pixels = (0..<10_000).map { index in
            let value = UInt8(20 + index % 200)
            return index % 200 == 7 ? accent : RGB(red: value, green: value, blue: value)
        }
        let kept = Palette([PixelSample(pixels)], options: PaletteTests.options(5, .representative))
        #expect(kept.entries.contains { Lab($0.color).difference(to: Lab(accent)) < 3 })
        #expect(kept.entries.count == 5)
    }

    @Test(arguments: PaletteMode.allCases)
    func `noisy clouds far apart come back as their means`(mode: PaletteMode) {
        let grounds = [
            RGB(red: 40, green: 120, blue: 50), RGB(red: 120, green: 170, blue: 230),
            RGB(red: 200, green: 60, blue: 40),
        ]
        var random = SplitMix64(seed: 12)
        let pixels = (0..<6_000).map { index in
            let ground = grounds[index % 3]
            func near(_ value: UInt8) -> UInt8 {
                UInt8(Int(value) + Int.random(in: -12...12, using: &random))
            }
            return RGB(red: near(ground.red), green: near(ground.green), blue: near(ground.blue))
        }
        let palette = Palette([PixelSample(pixels)], options: PaletteTests.options(3, mode))
        for ground in grounds {
            let near = palette.entries.filter { Lab($0.color).difference(to: Lab(ground)) < 6 }
            #expect(near.count == 1)
            #expect(near.allSatisfy { abs($0.share - 1 / 3.0) < 0.01 })
        }
    }
}
