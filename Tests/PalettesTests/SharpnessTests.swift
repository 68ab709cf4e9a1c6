import Foundation
import TestSupport
import Testing

@testable import Palettes

/// Representative palettes are of pictures that are all as sharp as each other.
@Suite struct SharpnessTests {
    /// Any colors; a third of the pixels opaque, a third clear to a part, a third clear.
    private static func noise(width: Int, height: Int, seed: UInt64, isOpaque: Bool) -> PixelSample {
        var random = SplitMix64(seed: seed)
        var rgba: [UInt8] = []
        for _ in 0..<width * height {
            for _ in 0..<3 { rgba.append(.random(in: 0...255, using: &random)) }
            rgba.append(
                isOpaque
                    ? 255 : [255, .random(in: 1...254, using: &random), 0].randomElement(using: &random)!)
        }
        return PixelSample(rgba: rgba, width: width)
    }

    /// A row and a column of three taps for light, others for Cb and Cr, in floating point of 64 bits.
    ///
    /// Twelve times the variance: of what is read, 2 g^2; of three taps, 24 a. 1.5 and 6 are wanted.
    @Test(
        arguments: [
            PixelSample.Resolution(light: SIMD2(0.5, 0.25), color: SIMD2(1, 0.5)),
            PixelSample.Resolution(light: SIMD2(0.1, 0.9), color: SIMD2(2, 0.3)),
            PixelSample.Resolution(light: .zero, color: .zero),
        ], [true, false])
    func `what is sharper than others is blurred by the difference`(
        resolution: PixelSample.Resolution, isOpaque: Bool
    ) {
        let (width, height) = (17, 9)
        var sample = Self.noise(width: width, height: height, seed: 4, isOpaque: isOpaque)
        sample.resolution = resolution
        let blurred = sample.evenlySharp.rgba
        func taps(_ spread: Double, _ resolution: Float) -> [Double] {
            let outer = max(0, spread - 2 * Double(resolution) * Double(resolution)) / 24
            return [outer, 1 - 2 * outer, outer]
        }
        func value(_ x: Int, _ y: Int, _ channel: Int) -> Double {
            let x = min(max(x, 0), width - 1), y = min(max(y, 0), height - 1)
            return Double(sample.rgba[(y * width + x) * 4 + channel])
        }
        /// The weighted mean around a pixel of what its channels are mixed to.
        func mean(_ x: Int, _ y: Int, _ spread: Double, _ resolution: SIMD2<Float>, _ mix: [Double]) -> Double
        {
            let across = taps(spread, resolution.x), down = taps(spread, resolution.y)
            var sum = 0.0, weight = 0.0
            for i in -1...1 {
                for j in -1...1 {
                    let share = across[i + 1] * down[j + 1] * value(x + i, y + j, 3)
                    for channel in 0..<3 { sum += share * mix[channel] * value(x + i, y + j, channel) }
                    weight += share
                }
            }
            return sum / weight
        }
        for y in 0..<height {
            for x in 0..<width {
                let at = (y * width + x) * 4
                #expect(blurred[at + 3] == sample.rgba[at + 3])
                guard sample.rgba[at + 3] > 0 else { continue }
                let light = mean(x, y, 1.5, resolution.light, [0.299, 0.587, 0.114])
                let blue = mean(x, y, 6, resolution.color, [-0.299 / 1.772, -0.587 / 1.772, 0.886 / 1.772])
                let red = mean(x, y, 6, resolution.color, [0.701 / 1.402, -0.587 / 1.402, -0.114 / 1.402])
                let expected = [
                    light + 1.402 * red, light - 0.344_136 * blue - 0.714_136 * red, light + 1.772 * blue,
                ]
                for channel in 0..<3 {
                    let cut = min(max(expected[channel], 0), 255)
                    #expect(abs(Double(blurred[at + channel]) - cut) < 0.51, "\(x), \(y), \(channel)")
                }
            }
        }
    }

    @Test func `what is flipped or turned is the same to the last bit`() {
        let (width, height) = (23, 14)
        for isOpaque in [true, false] {
            var sample = Self.noise(width: width, height: height, seed: 8, isOpaque: isOpaque)
            sample.resolution = PixelSample.Resolution(light: SIMD2(0.3, 0.6), color: SIMD2(0.7, 1.1))
            func pixels(_ sample: PixelSample) -> [[UInt8]] {
                (0..<sample.pixelCount).map { Array(sample.rgba[$0 * 4..<$0 * 4 + 4]) }
            }
            func moved(_ from: [[UInt8]], _ width: Int, _ source: (Int) -> Int) -> [[UInt8]] {
                from.indices.map { from[source($0)] }
            }
            let own = pixels(sample), blurred = pixels(sample.evenlySharp)
            let flip = { (index: Int) in index / width * width + width - 1 - index % width }
            var flipped = sample
            flipped.rgba = moved(own, width, flip).flatMap(\.self)
            #expect(pixels(flipped.evenlySharp) == moved(blurred, width, flip))
            let turn = { (index: Int) in (height - 1 - index % height) * width + index / height }
            var turned = sample
            turned.rgba = moved(own, height, turn).flatMap(\.self)
            turned.width = height
            turned.resolution = PixelSample.Resolution(light: SIMD2(0.6, 0.3), color: SIMD2(1.1, 0.7))
            #expect(pixels(turned.evenlySharp) == moved(blurred, height, turn))
        }
    }

    @Test func `what is as blurred as others, or is looked at pixel by pixel, is left as it is`() {
        var sample = Self.noise(width: 40, height: 30, seed: 3, isOpaque: true)
        #expect(sample.evenlySharp.rgba == sample.rgba)
        let overview = PixelSample.overview(of: [sample])
        #expect(overview?.searched.rgba == sample.rgba)
        #expect(overview?.shown.rgba == sample.rgba)
        sample.resolution = PixelSample.Resolution(light: SIMD2(0.9, 0.9), color: SIMD2(1.8, 2))
        for (own, other) in zip(sample.evenlySharp.rgba, sample.rgba) {
            #expect(abs(Int(own) - Int(other)) <= 1)
        }
        sample.width = nil
        #expect(sample.evenlySharp.rgba == sample.rgba)
    }

    /// The same waves, of 40 to 90 pixels each, in blocks of 8 x 8 and of 15 x 15 pixels: about as a photo
    /// and its half are read.
    @Test func `a photo and one with larger blocks come to more nearly the same picture`() throws {
        let (width, height) = (2_040, 300)
        var random = SplitMix64(seed: 6)
        let waves = (0..<12).map { _ in
            let length = Double.random(in: 40...90, using: &random)
            let direction = Double.random(in: 0...(2 * .pi), using: &random)
            return (x: cos(direction) / length, y: sin(direction) / length)
        }
        let pixels = (0..<width * height).map { index -> RGB in
            let x = Double(index % width), y = Double(index / width)
            let heights = waves.map { sin(2 * .pi * (x * $0.x + y * $0.y)) }
            func level(_ first: Int) -> UInt8 { UInt8(128 + 30 * heights[first..<first + 4].reduce(0, +)) }
            return RGB(red: level(0), green: level(4), blue: level(8))
        }
        func read(_ block: Int) -> PixelSample {
            let whole = SteadinessTests.sample(pixels, width: width).shrunk(longSide: width / block)
            return PixelSample(rgba: whole.rgba, width: width / block)
        }
        func difference(_ a: PixelSample, _ b: PixelSample) -> Double {
            let sum = zip(a.rgba, b.rgba).reduce(0.0) {
                $0 + (Double($1.0) - Double($1.1)) * (Double($1.0) - Double($1.1))
            }
            return (sum / Double(a.rgba.count)).squareRoot()
        }
        let side = 128, fine = read(8).shrunk(longSide: side), coarse = read(15).shrunk(longSide: side)
        #expect((fine.width, coarse.width) == (side, side))
        #expect(fine.resolution.light.x < coarse.resolution.light.x)
        let before = difference(fine, coarse)
        let overviews = try [read(8), read(15)].map { try #require(PixelSample.overview(of: [$0])).searched }
        let after = difference(overviews[0], overviews[1])
        #expect(after < 0.8 * before, "\(after) of \(before)")
    }

    @Test func `shrinking says how sharp the picture is then`() {
        var sample = Self.noise(width: 300, height: 200, seed: 1, isOpaque: true)
        #expect(sample.shrunk(longSide: 100).resolution.light == SIMD2(1 / 3, 67.0 / 200))
        sample.resolution = PixelSample.Resolution(light: SIMD2(1, 2), color: SIMD2(2, 4))
        let resolution = sample.shrunk(longSide: 60).resolution
        #expect((resolution.light, resolution.color) == (SIMD2(0.2, 0.4), SIMD2(0.4, 0.8)))
        #expect(sample.shrunk(longSide: 300).resolution == sample.resolution)
    }

    /// Cells of a drawing, each of one color, that meet in the middle of an overview's pixels.
    @Test(arguments: [(side: 140, cell: 4), (200, 8), (300, 20), (301, 7), (900, 60)])
    func `a drawing's colors are its own, not mixed where they meet`(side: Int, cell: Int) {
        let colors = [
            RGB(red: 230, green: 30, blue: 40), RGB(red: 30, green: 60, blue: 200),
            RGB(red: 250, green: 220, blue: 40), RGB(red: 20, green: 20, blue: 20),
        ]
        var random = SplitMix64(seed: UInt64(side))
        let across = (side + cell - 1) / cell
        let cells = (0..<across * across).map { _ in colors.randomElement(using: &random)! }
        let pixels = (0..<side * side).map { cells[$0 / side / cell * across + $0 % side / cell] }
        var options = PaletteOptions()
        options.mode = .representative
        options.size = .colors(4)
        let palette = Palette([SteadinessTests.sample(pixels, width: side)], options: options)
        #expect(Set(palette.entries.map(\.color.hex)) == Set(colors.map(\.hex)))
        for entry in palette.entries {
            let share = Double(pixels.count { $0 == entry.color }) / Double(pixels.count)
            #expect(abs(entry.share - share) < 0.02, "\(entry.color.hex): \(entry.share), is \(share)")
        }
    }

    /// Half of it is white: with that left out there is room for all others.
    @Test func `what is ignored is not looked for either`() {
        let colors = [
            RGB(red: 200, green: 30, blue: 40), RGB(red: 30, green: 60, blue: 200),
            RGB(red: 230, green: 200, blue: 40), RGB(red: 40, green: 140, blue: 60),
            RGB(red: 110, green: 40, blue: 150), RGB(red: 20, green: 20, blue: 20),
        ]
        let side = 240, white = RGB(red: 255, green: 255, blue: 255)
        let pixels = (0..<side * side).map { pixel in
            let x = pixel % side, y = pixel / side
            return x < side / 2 ? white : colors[(x / 20 + y / 20) % colors.count]
        }
        var options = PaletteOptions()
        options.mode = .representative
        options.size = .colors(6)
        options.ignore = [.white]
        var whole = SteadinessTests.sample(pixels, width: side)
        // As most photos have their chroma: a flat graphic would be counted at its full size.
        whole.resolution.color = SIMD2(2, 2)
        let palette = Palette([whole], options: options)
        #expect(Set(palette.entries.map(\.color.hex)) == Set(colors.map(\.hex)))
        #expect(palette.notes.count == 1)
    }

    /// What is shown has three colors. Where only two are searched there are two clusters, and the third,
    /// which may lie anywhere between them, is none.
    @Test func `clusters are looked for in what is searched, and nowhere else`() {
        let red = RGB(red: 200, green: 30, blue: 40), blue = RGB(red: 30, green: 60, blue: 200)
        let green = RGB(red: 40, green: 160, blue: 60)
        var workspace = PaletteWorkspace()
        func cells(_ counts: [(RGB, Int)]) -> ColorCells {
            let pixels = counts.flatMap { Array(repeating: $0.0, count: $0.1) }
            return ColorCells(
                counting: [SteadinessTests.sample(pixels, width: 10)], levels: .even, using: &workspace)
        }
        let shown = cells([(red, 40), (green, 10), (blue, 50)]), searched = cells([(red, 50), (blue, 50)])
        func found(_ searched: ColorCells) -> Set<String> {
            Set(Palette.representativeColors(3, of: shown, searching: searched).map(\.color.hex))
        }
        #expect(found(searched) == Set([red, blue].map(\.hex)))
        #expect(found(shown) == Set([red, blue, green].map(\.hex)))
    }

    /// As photos come that are looked at closely elsewhere: the whole in small, which counts for nothing
    /// there, and a part.
    @Test func `the whole picture is looked at, though it has no weight`() {
        let red = RGB(red: 200, green: 30, blue: 40), blue = RGB(red: 30, green: 60, blue: 200)
        var whole = SteadinessTests.sample((0..<40_000).map { $0 < 20_000 ? red : blue }, width: 200)
        // As most photos have their chroma: a flat graphic would be counted at its full size.
        (whole.weight, whole.resolution.color) = (0, SIMD2(2, 2))
        let part = PixelSample(rgba: SteadinessTests.sample([red], width: 1).rgba)
        var options = PaletteOptions()
        options.mode = .representative
        let palette = Palette([whole, part], options: options)
        #expect(Set(palette.entries.map(\.color.hex)) == Set([red, blue].map(\.hex)))
    }

    /// Areas in floating point, of a picture of three colors, some clear parts, and others.
    @Test(arguments: [(200, 150), (384, 96), (129, 300), (260, 3)])
    func `an overview shows what most of a pixel's area is of, and else the mean`(
        width: Int, height: Int
    ) throws {
        var random = SplitMix64(seed: UInt64(width))
        var sample = Self.noise(width: width, height: height, seed: 5, isOpaque: true)
        for pixel in 0..<width * height where .random(in: 0..<10, using: &random) > 0 {
            let level = UInt8.random(in: 0...3, using: &random)
            let run = .random(in: 0..<4, using: &random) > 0 && pixel >= width
            let color =
                run
                ? Array(sample.rgba[(pixel - width) * 4..<(pixel - width) * 4 + 4])
                : [80 * level, 30, 200, [255, 128, 255, 0][Int(level)]]
            sample.rgba.replaceSubrange(pixel * 4..<pixel * 4 + 4, with: color)
        }
        let shrunk = sample.shrunk(longSide: PixelSample.overviewSide)
        let shown = try #require(PixelSample.overview(of: [sample])).shown
        let newWidth = try #require(shrunk.width), newHeight = shrunk.pixelCount / newWidth
        #expect((shown.width, shown.pixelCount) == (newWidth, shrunk.pixelCount))
        func overlap(_ new: Int, _ old: Int, _ scale: Double) -> Double {
            max(0, min(Double(new + 1) * scale, Double(old + 1)) - max(Double(new) * scale, Double(old)))
        }
        let scale = (x: Double(width) / Double(newWidth), y: Double(height) / Double(newHeight))
        var changed = 0
        for pixel in 0..<shrunk.pixelCount {
            let x = pixel % newWidth, y = pixel / newWidth
            var areas: [[UInt8]: Double] = [:]
            for row in Int(Double(y) * scale.y)..<min(height, Int(Double(y + 1) * scale.y) + 1) {
                for column in Int(Double(x) * scale.x)..<min(width, Int(Double(x + 1) * scale.x) + 1) {
                    let at = (row * width + column) * 4
                    areas[Array(sample.rgba[at..<at + 4]), default: 0] +=
                        overlap(y, row, scale.y) * overlap(x, column, scale.x)
                }
            }
            let most = try #require(areas.max { $0.value < $1.value })
            let part = most.value / (scale.x * scale.y)
            if abs(part - 0.5) < 1e-9 { continue }
            let own = Array(shown.rgba[pixel * 4..<pixel * 4 + 4])
            let mean = Array(shrunk.rgba[pixel * 4..<pixel * 4 + 4])
            let isShown = part > 0.5 && most.key[3] > 0
            #expect(own == (isShown ? most.key[..<3] + mean[3...] : mean[...]).map(\.self))
            if own != mean { changed += 1 }
        }
        #expect(changed > shrunk.pixelCount / 10)
    }

    @Test func `only what was read pixel by pixel shows such colors`() throws {
        var sample = Self.noise(width: 200, height: 2, seed: 5, isOpaque: true)
        for pixel in 0..<400 where pixel % 10 > 2 {
            sample.rgba.replaceSubrange(pixel * 4..<pixel * 4 + 3, with: [7, 70, 170])
        }
        let sharp = try #require(PixelSample.overview(of: [sample])).shown
        #expect(sharp.rgba != sample.shrunk(longSide: PixelSample.overviewSide).rgba)
        sample.resolution = PixelSample.Resolution(light: SIMD2(1, 1), color: SIMD2(2, 2))
        let coarse = try #require(PixelSample.overview(of: [sample])).shown
        #expect(coarse.rgba == sample.shrunk(longSide: PixelSample.overviewSide).rgba)
    }
}
