import TestSupport
import Testing

@testable import Palettes

/// The same photo in another form has the same palette.
@Suite struct SteadinessTests {
    /// A sky, a meadow, a house with a door, and noise on all of it: opaque pixels, row by row.
    static func scene(width: Int, height: Int, seed: UInt64, scale: Int = 1) -> [RGB] {
        var random = SplitMix64(seed: seed)
        let small = (0..<(width / scale) * (height / scale)).map { index -> RGB in
            let x = index % (width / scale) * scale, y = index / (width / scale) * scale
            var color = SIMD3(90 + y * 60 / height, 140 + y * 60 / height, 220)
            if y * 2 > height { color = SIMD3(70 + x * 40 / width, 120, 50) }
            if abs(x * 8 - width * 3) < width, y * 3 > height, y * 4 < height * 3 {
                color = SIMD3(200, 190, 170)
            }
            if abs(x * 40 - width * 15) < width, y * 2 > height, y * 4 < height * 3 {
                color = SIMD3(170, 30, 40)
            }
            let noise = Int.random(in: -18...18, using: &random)
            func value(_ channel: Int) -> UInt8 { UInt8(min(max(channel + noise, 0), 255)) }
            return RGB(red: value(color.x), green: value(color.y), blue: value(color.z))
        }
        if scale == 1 { return small }
        return (0..<width * height).map { small[$0 / width / scale * (width / scale) + $0 % width / scale] }
    }

    static func sample(_ pixels: [RGB], width: Int) -> PixelSample {
        var sample = PixelSample(pixels)
        sample.width = width
        return sample
    }

    /// The largest CIEDE2000 move of a color to the nearest one, both ways.
    static func move(_ first: Palette, _ second: Palette) -> Double {
        let a = first.entries.map { Lab($0.color) }, b = second.entries.map { Lab($0.color) }
        let there = a.map { color in b.map { color.difference(to: $0) }.min() ?? 100 }
        let back = b.map { color in a.map { color.difference(to: $0) }.min() ?? 100 }
        return (there + back).max() ?? 100
    }

    @Test(arguments: [5, 8], [1, 2, 3] as [UInt64])
    func `a picture that is flipped or turned has the very same palette`(count: Int, seed: UInt64) {
        let (width, height) = (500, 330), pixels = Self.scene(width: width, height: height, seed: seed)
        let options = PaletteTests.options(count, .representative)
        let palette = Palette([Self.sample(pixels, width: width)], options: options)
        let flipped = (0..<pixels.count).map { pixels[$0 / width * width + width - 1 - $0 % width] }
        let turned = (0..<pixels.count).map { pixels[$0 % height * width + $0 / height] }
        #expect(palette.entries.count == count)
        #expect(Palette([Self.sample(flipped, width: width)], options: options) == palette)
        #expect(Palette([Self.sample(pixels.reversed(), width: width)], options: options) == palette)
        #expect(Palette([Self.sample(turned, width: height)], options: options) == palette)
    }

    /// Twice and three times the size, and with another noise of its own.
    @Test(arguments: [5, 8])
    func `a picture at another size moves no color by more than 2`(count: Int) {
        let options = PaletteTests.options(count, .representative)
        let small = Self.scene(width: 400, height: 300, seed: 4)
        let palette = Palette([Self.sample(small, width: 400)], options: options)
        for scale in [2, 3] {
            let large = Self.scene(width: 400 * scale, height: 300 * scale, seed: 4, scale: scale)
            let other = Palette([Self.sample(large, width: 400 * scale)], options: options)
            #expect(Self.move(palette, other) <= 2, "\(scale) times")
        }
    }

    /// What a sample of other pixels, or another coding, is to an area palette.
    @Test(arguments: [5, 8], [11, 12, 13] as [UInt64])
    func `a picture with another noise moves no color of an area palette by more than 2`(
        count: Int, seed: UInt64
    ) {
        let options = PaletteTests.options(count, .area)
        let first = Palette([PixelSample(Self.scene(width: 400, height: 300, seed: 10))], options: options)
        let other = Palette([PixelSample(Self.scene(width: 420, height: 310, seed: seed))], options: options)
        #expect(first.entries.count == count)
        #expect(Self.move(first, other) <= 2)
    }

    @Test func `a shrunk picture has the means of what each pixel covers`() {
        let (width, height) = (517, 233), pixels = Self.scene(width: width, height: height, seed: 9)
        let shrunk = Self.sample(pixels, width: width).shrunk(longSide: 96)
        #expect((shrunk.width, shrunk.pixelCount) == (96, 96 * 43))
        // The definition, in floating point.
        for (x, y) in [(0, 0), (95, 42), (17, 20), (50, 3), (95, 0)] {
            let left = Double(x) * 517 / 96, right = Double(x + 1) * 517 / 96
            let top = Double(y) * 233 / 43, bottom = Double(y + 1) * 233 / 43
            var sum = 0.0, area = 0.0
            for row in Int(top)..<min(height, Int(bottom.rounded(.up))) {
                for column in Int(left)..<min(width, Int(right.rounded(.up))) {
                    let wide = min(right, Double(column + 1)) - max(left, Double(column))
                    let tall = min(bottom, Double(row + 1)) - max(top, Double(row))
                    sum += wide * tall * Double(pixels[row * width + column].green)
                    area += wide * tall
                }
            }
            #expect(abs(Double(shrunk.rgba[(y * 96 + x) * 4 + 1]) - sum / area) <= 0.5001, "\(x), \(y)")
        }
        let unplaced = PixelSample(pixels)
        #expect(unplaced.shrunk(longSide: 96).rgba == unplaced.rgba)
        #expect(Self.sample(pixels, width: width).shrunk(longSide: 517).rgba == unplaced.rgba)
    }

    @Test func `alpha weighs what is shrunk, and clear pixels lend no color`() {
        var sample = PixelSample(rgba: [200, 0, 0, 255, 0, 0, 200, 0, 0, 100, 0, 51, 0, 0, 0, 0], width: 4)
        sample = sample.shrunk(longSide: 2)
        #expect(sample.rgba == [200, 0, 0, 128, 0, 100, 0, 26])
        #expect(sample.width == 2)
    }

    @Test func `a fine pattern is counted as it is, not as the grey of its means`() {
        let board = (0..<600 * 400).map { ($0 / 600 + $0) % 2 == 0 ? RGB.black : RGB.white }
        let palette = Palette(
            [Self.sample(board, width: 600)], options: PaletteTests.options(2, .representative))
        #expect(Set(palette.entries.map(\.color)) == [.black, .white])
    }

    /// Bezdek's formulas, in floating point of 64 bits, point by point.
    @Test(arguments: [1, 7, 8, 9, 100], [FuzzyMeans.Edges.soft, .sharp])
    func `a pass of fuzzy means is what its definition says`(count: Int, edges: FuzzyMeans.Edges) {
        var random = SplitMix64(seed: UInt64(count))
        let raw = (0..<count).map { _ in
            SIMD4<Float>(
                .random(in: 0...1, using: &random), .random(in: -1...1, using: &random),
                .random(in: -1...1, using: &random), .random(in: 0.001...1, using: &random))
        }
        let total = raw.reduce(0) { $0 + $1.w }
        let points = raw.map { SIMD4($0.x, $0.y, $0.z, $0.w / total) }
        let centers = [SIMD4<Float>(0.2, 0, 0, 0), SIMD4(0.5, 0.3, -0.2, 0), SIMD4(0.9, -0.5, 0.4, 0)]
        let (sums, error) = FuzzyMeans.pass(centers, over: ColorPoints(points), edges)
        var expected = [SIMD4<Double>](repeating: .zero, count: 3), expectedError = 0.0
        for point in points {
            let squares = centers.map { Double(squaredDistance($0, point)) + 1e-6 }
            for (index, square) in squares.enumerated() {
                // u = 1 / sum of (d_i / d_j)^(2 / (m - 1)), with m = 1.5 or 1.25 and d squared
                let share =
                    1
                    / squares.reduce(0) { sum, other in
                        let ratio = (square / other) * (square / other)
                        return sum + (edges == .soft ? ratio : ratio * ratio)
                    }
                let root = edges == .soft ? share.squareRoot() : share.squareRoot().squareRoot()
                let weight = Double(point.w) * share * root
                expected[index] += SIMD4(Double(point.x), Double(point.y), Double(point.z), 1) * weight
                expectedError += weight * square
            }
        }
        #expect(abs(error - expectedError) < 1e-5 * expectedError)
        for (sum, expected) in zip(sums, expected) {
            let offset = sum - expected
            #expect((offset * offset).sum() < 1e-9)
        }
    }

    @Test func `passes never raise the error of fuzzy means`() {
        let field = ColorField(attention: ColorCells(pixels: clouds(7, pixels: 4_000, noise: 40, seed: 3)))
        let points = ColorPoints(field.points)
        var random = SplitMix64(seed: 5)
        for _ in 0..<10 {
            var means = FuzzyMeans(
                startingAt: (0..<6).map { _ in points.point(.random(in: 0..<points.count, using: &random)) })
            var last = Double.infinity
            for _ in 0..<30 {
                means.run(over: points, tolerance: 0, limit: 1)
                #expect(means.error <= last * 1.00001)
                last = means.error
            }
            #expect(FuzzyMeans.best(6, of: points).error <= last * 1.00001)
        }
    }

    /// Clouds of more kinds than there are centers, so that many answers are nearly as good: a start now and
    /// then finds the best one, most do not.
    @Test(arguments: [2, 3, 5] as [UInt64], [FuzzyMeans.Edges.soft, .sharp])
    func `of thirty other starts none leads to a better answer of fuzzy means`(
        seed: UInt64, edges: FuzzyMeans.Edges
    ) {
        let pixels = clouds(13, pixels: 6_000, noise: 24, seed: seed)
        let points = ColorPoints(ColorField(attention: ColorCells(pixels: pixels)).points)
        var random = SplitMix64(seed: seed &+ 77)
        var errors: [Double] = []
        for _ in 0..<30 {
            var means = FuzzyMeans(
                startingAt: (0..<8).map { _ in points.point(.random(in: 0..<points.count, using: &random)) },
                edges)
            means.run(over: points, tolerance: 1e-4, limit: 120)
            errors.append(means.error)
        }
        errors.sort()
        var best = edges == .soft ? FuzzyMeans.best(8, of: points) : FuzzyMeans.bestSharp(8, of: points)
        #expect(best.error <= errors[0] * 1.001, "\(best.error / errors[0]) \(errors[15] / errors[0])")
        // Or it would be no test.
        #expect(errors[15] > errors[0] * 1.002)
        let centers = best.centers
        best.run(over: points, tolerance: 0, limit: 1)
        // They stand still, by less than can be seen.
        let most: Float = edges == .soft ? 1e-7 : 1e-5
        for (before, after) in zip(centers, best.centers) { #expect(squaredDistance(before, after) < most) }
    }

    @Test func `points taken together weigh what they weighed, where they lay in the mean`() {
        let pixels = clouds(9, pixels: 4_000, noise: 60, seed: 12)
        let points = ColorPoints(ColorField(attention: ColorCells(pixels: pixels)).points)
        let merged = points.merged(pitch: 0.08)
        #expect(merged.count > 10 && merged.count < points.count / 2)
        let sum = points.moments.reduce(SIMD4<Float>.zero, +)
        let offset = merged.moments.reduce(SIMD4<Float>.zero, +) - sum
        #expect((offset * offset).sum() < 1e-10)
        // By the definition, node by node.
        for index in 0..<merged.count {
            let own = merged.point(index)
            let node = SIMD3(own.x, own.y, own.z) / 0.08
            let near = (0..<points.count).map { points.point($0) }.filter {
                let offset = SIMD3($0.x, $0.y, $0.z) / 0.08 - node
                return (offset * offset).max() < 2.25
            }
            #expect(near.contains { $0.w <= own.w } && near.map(\.w).reduce(0, +) >= own.w * 0.999)
        }
    }

    @Test func `a field weighs 1 and lies where the colors lie`() {
        let pixels = clouds(4, pixels: 3_000, noise: 30, seed: 2)
        let field = ColorField(attention: ColorCells(pixels: pixels))
        #expect(abs(field.points.reduce(0) { $0 + $1.w } - 1) < 1e-4)
        let colors = pixels.map { PaletteSpace.point($0) }
        for point in field.points {
            // A node's mean is at most a cell's diagonal from the nearest color that lent it something.
            let nearest = colors.map { squaredDistance($0, point) }.min() ?? 9
            #expect(nearest.squareRoot() < ColorField.pitch * 1.75)
        }
    }
}

extension ColorCells {
    fileprivate init(pixels: [RGB]) {
        var workspace = PaletteWorkspace()
        self.init(counting: [PixelSample(pixels)], levels: .even, using: &workspace)
    }
}
