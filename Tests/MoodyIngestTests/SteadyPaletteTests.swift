import Images
import MoodyIngest
import Palettes
import Testing

/// The palette of a photo as it is read from a file, in one form and another.
@Suite struct SteadyPaletteTests {
    /// Hills, a sky and a red roof with noise on them, 8 x 8 pixels at a time and within.
    private func picture(width: Int, height: Int, isFlipped: Bool = false) throws -> Image {
        var rgba: [UInt8] = []
        rgba.reserveCapacity(width * height * 4)
        for y in 0..<height {
            for column in 0..<width {
                let x = isFlipped ? width - 1 - column : column
                var color = (80 + y * 80 / height, 130 + y * 60 / height, 215)
                if (y * 2 + x / 3) % height > height / 2 { color = (60 + x * 60 / width, 110, 50) }
                if abs(x - width / 3) < width / 20, abs(y - height / 2) < height / 12 {
                    color = (180, 40, 35)
                }
                let noise = (x &* 7_919 ^ y &* 104_729) % 23 - 11
                for value in [color.0, color.1, color.2] {
                    rgba.append(UInt8(min(max(value + noise, 0), 255)))
                }
                rgba.append(255)
            }
        }
        return try #require(Image(width: width, height: height, rgba: rgba))
    }

    private func palette(_ bytes: [UInt8], count: Int) throws -> Palette {
        var settings = PaletteSettings()
        settings.palette.size = .colors(count)
        return try ExtractedPalette(bytes: bytes, settings: settings).palette
    }

    private func move(_ first: Palette, _ second: Palette) -> Double {
        let a = first.entries.map { Lab($0.color) }, b = second.entries.map { Lab($0.color) }
        let there = a.map { color in b.map { color.difference(to: $0) }.min() ?? 100 }
        let back = b.map { color in a.map { color.difference(to: $0) }.min() ?? 100 }
        return (there + back).max() ?? 100
    }

    /// Read at 1/4, by the means of its blocks.
    @Test(arguments: [5, 8])
    func `a photo that is flipped keeps its colors`(count: Int) throws {
        let (width, height) = (1_312, 480)
        let usual = try palette(picture(width: width, height: height).jpeg(quality: 92), count: count)
        let flipped = try picture(width: width, height: height, isFlipped: true).jpeg(quality: 92)
        #expect(usual.entries.count == count)
        #expect(move(usual, try palette(flipped, count: count)) <= 2)
    }

    /// Its reader says how sharp they are; if they were coarser than all others they would stay as they are.
    @Test(arguments: [1_312, 2_624])
    func `a palette is of a photo's means, blurred by what these are sharper than others`(width: Int) throws {
        let bytes = try picture(width: width, height: 480).jpeg(quality: 92)
        var options = DecodingOptions()
        (options.samplePixels, options.meansSide) = (0, 128)
        let means = try Picture(bytes: bytes, options: options)
        let resolution = try #require(means.sampleResolution), found = try palette(bytes, count: 5)
        #expect(abs(resolution.light.x - (width < 2_560 ? 4 : 8) * 128 / Float(width)) < 1e-6)
        func read(_ resolution: PixelSample.Resolution) -> Palette {
            var options = PaletteOptions()
            options.size = .colors(5)
            return Palette(
                [PixelSample(rgba: means.sample, width: means.sampleWidth, resolution: resolution)],
                options: options)
        }
        #expect(read(PixelSample.Resolution(light: resolution.light, color: resolution.color)) == found)
        #expect(read(PixelSample.Resolution(light: SIMD2(9, 9), color: SIMD2(9, 9))) != found)
    }

    /// At 1/8, 1/4 and 1/2 its means are one gray.
    @Test(arguments: [700, 1_300, 2_700])
    func `of a fine pattern the colors are shown, not their mean`(side: Int) throws {
        let rgba = (0..<200).flatMap { y in
            (0..<side).flatMap { x -> [UInt8] in
                (x + y) % 2 == 0 ? [0, 0, 0, 255] : [255, 255, 255, 255]
            }
        }
        let jpeg = try #require(Image(width: side, height: 200, rgba: rgba)).jpeg(quality: 95)
        for entry in try palette(jpeg, count: 2).entries {
            let nearest = [RGB.black, .white].map { Lab($0).difference(to: Lab(entry.color)) }.min()
            #expect(nearest ?? 100 < 6, "\(entry.color)")
        }
    }
}
