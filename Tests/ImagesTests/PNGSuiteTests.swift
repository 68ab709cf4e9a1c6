import Images
import Testing

/// PngSuite by Willem van Schaik: every color type, depth, filter, interlacing and ancillary chunk of PNG
/// 1.2.
@Suite struct PNGSuiteTests {
    static let names = Fixture.names(in: "pngsuite").filter { $0.hasSuffix(".png") }
    static let corrupt = names.filter { $0.hasPrefix("x") }
    static let sound = names.filter { !$0.hasPrefix("x") }

    @Test func `the suite is all there`() {
        #expect(PNGSuiteTests.corrupt.count == 14)
        #expect(PNGSuiteTests.sound.count == 161)
    }

    /// Pixels written once with pypng, gamma by numpy: `Fixtures/make.py`.
    @Test(arguments: sound)
    func `every pixel is as another decoder sees it`(name: String) throws {
        let golden = try #require(Fixture.golden?.pngsuite[name])
        let picture = try Picture(bytes: try Fixture.bytes("pngsuite/\(name)"))
        #expect((picture.width, picture.height) == (golden.width, golden.height))
        #expect(picture.image.rgba.fnv == golden.hash)
        #expect(picture.sample.isEmpty)
    }

    @Test(arguments: corrupt)
    func `a corrupt file is refused`(name: String) throws {
        let bytes = try Fixture.bytes("pngsuite/\(name)")
        #expect(throws: ImageError.self) { try Picture(bytes: bytes) }
    }

    /// Means of 2 x 2 of what the whole file gives, interlaced and plain.
    @Test(arguments: [
        "basn2c08.png", "basi2c08.png", "basn6a16.png", "basi6a16.png", "s39n3p04.png", "s39i3p04.png",
    ])
    func `shrinking takes means`(name: String) throws {
        let bytes = try Fixture.bytes("pngsuite/\(name)")
        let whole = try Picture(bytes: bytes).image
        var options = DecodingOptions()
        options.side = 8
        options.wholePixels = (whole.width + 1) / 2 * ((whole.height + 1) / 2)
        let small = try Picture(bytes: bytes, options: options).image
        try #require((small.width, small.height) == ((whole.width + 1) / 2, (whole.height + 1) / 2))
        for y in 0..<small.height {
            for x in 0..<small.width {
                #expect(
                    Array(small.rgba[(y * small.width + x) * 4..<(y * small.width + x) * 4 + 4])
                        == whole.mean2(x, y))
            }
        }
    }

    private static func isBefore(_ a: [UInt8], _ b: [UInt8]) -> Bool { a.lexicographicallyPrecedes(b) }

    @Test func `a shrunk picture brings some of its pixels along`() throws {
        var options = DecodingOptions()
        (options.side, options.wholePixels, options.samplePixels) = (40, 80 * 60, 160 * 120)
        let bytes = try Fixture.bytes("icc/display-p3.png")
        let all = try Picture(bytes: bytes, options: options)
        #expect(all.image.width == 80)
        let whole = try Picture(bytes: bytes).image
        // A row's pixels come from its middle outwards.
        let isAll = all.sample.pixels.sorted(by: Self.isBefore) == whole.rgba.pixels.sorted(by: Self.isBefore)
        #expect(isAll)
        options.samplePixels = 160 * 120 / 4
        let some = try Picture(bytes: bytes, options: options).sample
        #expect(some.count / 4 == 160 * 120 / 4)
        #expect(Set(some.pixels).isSubset(of: Set(whole.rgba.pixels)))
        // From all over it, not from its left columns or upper rows.
        #expect(Set(some.pixels).count > Set(whole.rgba.pixels).count / 8)
        options.samplePixels = 0
        #expect(try Picture(bytes: bytes, options: options).sample.isEmpty)
    }
}

extension [UInt8] {
    var pixels: [[UInt8]] { stride(from: 0, to: count, by: 4).map { Array(self[$0..<$0 + 4]) } }
}

extension Image {
    /// The alpha-weighted mean of the 2 x 2 pixels from (2x, 2y) that exist.
    fileprivate func mean2(_ x: Int, _ y: Int) -> [UInt8] {
        var sum = [0, 0, 0, 0], count = 0
        for row in 2 * y..<min(2 * y + 2, height) {
            for column in 2 * x..<min(2 * x + 2, width) {
                let at = (row * width + column) * 4, alpha = Int(rgba[at + 3])
                for channel in 0..<3 { sum[channel] += Int(rgba[at + channel]) * alpha }
                sum[3] += alpha
                count += 1
            }
        }
        guard sum[3] > 0 else { return [0, 0, 0, 0] }
        return sum[0..<3].map { UInt8(($0 + sum[3] / 2) / sum[3]) } + [UInt8((sum[3] + count / 2) / count)]
    }
}
