import Foundation
import Testing

@testable import Images

/// Transforms are kept and shared: none is taken for another's.
@Suite struct ColorConversionTests {
    /// Linear light to XYZ of a space with these primaries, white at Y = 1: columns are the primaries, scaled
    /// so that they add up to the white. IEC 61966-2-1 and SMPTE RP 177 do it so.
    private func matrix(_ primaries: [Double]) -> [SIMD3<Double>] {
        func point(_ at: Int) -> SIMD3<Double> {
            let (x, y) = (primaries[at], primaries[at + 1])
            return SIMD3(x / y, 1, (1 - x - y) / y)
        }
        let columns = [point(2), point(4), point(6)]
        let shares = solve(columns, point(0))
        return (0..<3).map { columns[$0] * shares[$0] }
    }

    /// The x for which the columns, times x, add up to `sum`, by Cramer's rule.
    private func solve(_ columns: [SIMD3<Double>], _ sum: SIMD3<Double>) -> SIMD3<Double> {
        func determinant(_ c: [SIMD3<Double>]) -> Double {
            c[0].x * (c[1].y * c[2].z - c[2].y * c[1].z) - c[1].x * (c[0].y * c[2].z - c[2].y * c[0].z)
                + c[2].x * (c[0].y * c[1].z - c[1].y * c[0].z)
        }
        let whole = determinant(columns)
        return SIMD3(
            determinant([sum, columns[1], columns[2]]) / whole,
            determinant([columns[0], sum, columns[2]]) / whole,
            determinant([columns[0], columns[1], sum]) / whole)
    }

    /// What a color is in sRGB, both with the white D65.
    private func expected(_ color: [UInt8], _ primaries: [Double], _ exponent: Double) -> [Double] {
        let from = matrix(primaries)
        let sRGB = matrix([0.3127, 0.3290, 0.64, 0.33, 0.30, 0.60, 0.15, 0.06])
        var xyz = SIMD3<Double>.zero
        for channel in 0..<3 { xyz += from[channel] * pow(Double(color[channel]) / 255, exponent) }
        let light = solve(sRGB, xyz)
        return (0..<3).map { channel in
            let value = min(max(light[channel], 0), 1)
            return 255 * (value <= 0.0031308 ? value * 12.92 : 1.055 * pow(value, 1 / 2.4) - 0.055)
        }
    }

    private func opaque(_ colors: [[UInt8]]) -> [UInt8] {
        colors.flatMap { (color: [UInt8]) -> [UInt8] in color + [255] }
    }

    @Test func `whatever was converted before, a space's own transform is used`() throws {
        let adobe = [0.3127, 0.3290, 0.64, 0.33, 0.21, 0.71, 0.15, 0.06]
        let wide = [0.3127, 0.3290, 0.70, 0.29, 0.17, 0.79, 0.14, 0.05]
        // More than are kept at once.
        let spaces = (0..<24).map { step -> ([Double], Double) in
            let way = Double(step / 2) / 12
            return (zip(adobe, wide).map { $0 + ($1 - $0) * way }, step % 2 == 0 ? 2.2 : 1.8)
        }
        let colors: [[UInt8]] = [[200, 120, 90], [90, 160, 110], [128, 128, 128], [60, 80, 170]]
        for (primaries, exponent) in spaces + spaces.reversed() {
            var image = opaque(colors), sample = opaque(colors.reversed()), notes: [String] = []
            let source = ColorSource.primaries(primaries, exponent: exponent)
            _ = source.convert(&image, &sample, layout: .rgba, notes: &notes)
            #expect(notes.isEmpty)
            for (index, color) in colors.enumerated() {
                let wanted = expected(color, primaries, exponent)
                for channel in 0..<3 {
                    #expect(abs(Double(image[index * 4 + channel]) - wanted[channel]) < 1.6)
                    let turned = sample[(colors.count - 1 - index) * 4 + channel]
                    #expect(turned == image[index * 4 + channel])
                }
            }
        }
    }

    /// Pixels are handed to the library a million at a time.
    @Test func `every pixel of a large picture is converted`() {
        let count = 1 << 20, color: [UInt8] = [200, 100, 50, 255]
        var image = [UInt8](repeating: 0, count: (count + 2) * 4), sample: [UInt8] = [], notes: [String] = []
        let places = [0, count - 1, count, count + 1]
        for place in places { image.replaceSubrange(place * 4..<place * 4 + 4, with: color) }
        let adobe = [0.3127, 0.3290, 0.64, 0.33, 0.21, 0.71, 0.15, 0.06]
        _ = ColorSource.primaries(adobe, exponent: 2.2).convert(
            &image, &sample, layout: .rgba, notes: &notes)
        let first = Array(image[..<4])
        #expect(first != color)
        for place in places { #expect(Array(image[place * 4..<place * 4 + 4]) == first, "\(place)") }
    }

    @Test func `what is no profile is said, each time`() {
        for _ in 0..<2 {
            var image: [UInt8] = [200, 100, 50, 255], sample: [UInt8] = [], notes: [String] = []
            _ = ColorSource.profile([1, 2, 3]).convert(&image, &sample, layout: .rgba, notes: &notes)
            #expect(image == [200, 100, 50, 255])
            #expect(notes.count == 1 && notes[0].hasPrefix("color profile ignored: ") && notes[0].count > 26)
        }
    }

    @Test func `a profile for colors is none for inks, whichever is asked first`() {
        var (image, sample, notes): ([UInt8], [UInt8], [String]) = ([10, 20, 30, 40], [], [])
        let source = ColorSource.profile(SRGBProfile.bytes)
        _ = source.convert(&image, &sample, layout: .rgba, notes: &notes)
        #expect(notes.isEmpty && image == [10, 20, 30, 40])
        _ = source.convert(&image, &sample, layout: .cmyk(inverted: false), notes: &notes)
        #expect(notes.count == 1)
        notes = []
        image = [10, 20, 30, 255]
        _ = source.convert(&image, &sample, layout: .rgba, notes: &notes)
        #expect(notes.isEmpty && image == [10, 20, 30, 255])
    }
}
