import Testing

@testable import Images

/// JPEGs that libjpeg reads without a word and that are not quite what the standard has.
@Suite struct IrregularJPEGTests {
    /// A short JFIF segment, the marker TEM, a byte between segments, a version of JFIF to come.
    static let irregularities: [[UInt8]] = [
        [0xFF, 0xE0, 0, 10] + Array("JFIF".utf8) + [0, 1, 1, 0], [0xFF, 1], [0],
        [0xFF, 0xE0, 0, 16] + Array("JFIF".utf8) + [0, 2, 1, 0, 0, 1, 0, 1, 0, 0],
        [0xFF, 0xCC, 0, 4, 0, 16],
    ]

    /// SOI, then the irregularity, then the rest.
    private func irregular(_ bytes: [UInt8], _ part: [UInt8]) -> [UInt8] {
        bytes[..<2] + part + bytes[2...]
    }

    @Test(arguments: irregularities)
    func `behind an irregular marker orientation, date and profile count`(part: [UInt8]) throws {
        let exif = TIFFBuilder.file([
            .init(0x112, 3, 6), .init(0x8769, directory: [.init(0x9003, text: "2019:08:07 06:05:04")]),
        ])
        let profile: [UInt8] =
            [0xFF, 0xE2, 0, 20] + Array("ICC_PROFILE\0".utf8) + [1, 1] + Array("none".utf8)
        var jpeg = try Fixture.bytes("quadrants-64x48.jpg").with(exif: exif)
        jpeg = irregular(irregular(jpeg, profile), part)
        let picture = try Picture(bytes: jpeg)
        #expect(picture.metadata.orientation == 6)
        #expect(picture.metadata.captured?.year == 2019)
        #expect((picture.width, picture.height) == (48, 64))
        #expect(picture.notes.contains { $0.hasPrefix("color profile ignored") })
    }

    /// 8 x 8 pixels of Adobe's inks: no cyan, all magenta and yellow, no black.
    private var red: [UInt8] {
        let adobe: [UInt8] = [0xFF, 0xEE, 0, 14] + Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 0]
        let steps: [UInt8] = [0xFF, 0xDB, 0, 67, 0] + [UInt8](repeating: 16, count: 64)
        let frame: [UInt8] =
            [0xFF, 0xC0, 0, 20, 8, 0, 8, 0, 8, 4] + (1...4).flatMap { [UInt8($0), 0x11, 0] as [UInt8] }
        // Codes 0 for no difference and 10 for one of six bits; 0 for the end of a block.
        let dc: [UInt8] = [0xFF, 0xC4, 0, 21, 0, 1, 1] + [UInt8](repeating: 0, count: 14) + [0, 6]
        let ac: [UInt8] = [0xFF, 0xC4, 0, 20, 0x10, 1] + [UInt8](repeating: 0, count: 15) + [0]
        let scan: [UInt8] =
            [0xFF, 0xDA, 0, 14, 4] + (1...4).flatMap { [UInt8($0), 0] as [UInt8] } + [0, 63, 0]
        let none = "101111110", all = "100000000"
        return [0xFF, 0xD8] + adobe + steps + frame + dc + ac + scan
            + JPEGBits(none + all + all + none).bytes + [0xFF, 0xD9]
    }

    @Test(arguments: [[]] + irregularities.dropLast())
    func `behind an irregular marker Adobe's inks are still inverted`(part: [UInt8]) throws {
        let image = try Picture(bytes: irregular(red, part)).image
        #expect(image.rgba[0] > 200 && image.rgba[1] < 60 && image.rgba[2] < 60, "\(image.rgba.prefix(4))")
    }

    /// libjpeg's words: of the bytes before the table of steps, then of those before the frame.
    @Test func `of several things that are wrong the first is told`() throws {
        var jpeg = try Fixture.bytes("quadrants-64x48.jpg")
        let frame = try #require(jpeg.indices.first { jpeg[$0...].starts(with: [0xFF, 0xC0, 0, 17]) })
        jpeg.insert(contentsOf: [1, 2, 3], at: frame)
        #expect(try Picture(bytes: irregular(jpeg, [0])).notes.joined().contains("1 extraneous bytes"))
        #expect(try Picture(bytes: jpeg).notes.joined().contains("3 extraneous bytes"))
    }

    @Test func `an empty EXIF segment hides no full one`() throws {
        let exif = TIFFBuilder.file([.init(0x112, 3, 6)])
        let jpeg = try Fixture.bytes("quadrants-64x48.jpg").with(exif: exif).with(exif: [])
        #expect(try Picture(bytes: jpeg).metadata.orientation == 6)
    }

    /// Large quantization steps and long values: the sum of a block's squares is beyond a whole number of 64
    /// bits.
    @Test(arguments: [10, 13, 14, 15])
    func `a progressive JPEG with enormous coefficients is read`(bits: Int) throws {
        let width = 2560, height = 32, blocks = width / 8 * height / 8
        let size = [UInt8(height >> 8), UInt8(height & 255), UInt8(width >> 8), UInt8(width & 255)]
        let jfif: [UInt8] =
            [0xFF, 0xE0, 0, 16] + Array("JFIF".utf8) + [0, 1, 1, 0, 0, 1, 0, 1, 0, 0]
        let steps: [UInt8] = [0xFF, 0xDB, 0, 131, 0x10, 0, 1] + [UInt8](repeating: 0xFF, count: 126)
        let frame: [UInt8] = [0xFF, 0xC2, 0, 11, 8] + size + [1, 1, 0x11, 0]
        func table(_ kind: UInt8, _ symbol: UInt8) -> [UInt8] {
            [0xFF, 0xC4, 0, 20, kind, 1] + [UInt8](repeating: 0, count: 15) + [symbol]
        }
        func scan(_ first: UInt8, _ last: UInt8) -> [UInt8] { [0xFF, 0xDA, 0, 8, 1, 1, 0, first, last, 0] }
        let value = "0" + String(repeating: "1", count: bits)
        let coefficients = JPEGBits(String(repeating: value, count: 63 * blocks)).bytes
        let jpeg =
            [0xFF, 0xD8] + jfif + steps + frame + table(0, 0) + table(0x10, UInt8(bits)) + scan(0, 0)
            + JPEGBits(String(repeating: "0", count: blocks)).bytes + scan(1, 63) + coefficients
            + [0xFF, 0xD9]
        var options = DecodingOptions()
        for side in [0, 100] {
            options.meansSide = side
            #expect(try Picture(bytes: jpeg, options: options).width == width)
        }
    }
}

/// Bits of a scan as bytes: filled up with ones, and a zero behind each 0xFF.
private struct JPEGBits {
    let bytes: [UInt8]

    init(_ bits: String) {
        var bytes: [UInt8] = [], byte = 1
        func add(_ bit: Int) {
            byte = byte << 1 | bit
            guard byte > 0xFF else { return }
            bytes.append(UInt8(byte & 0xFF))
            if byte & 0xFF == 0xFF { bytes.append(0) }
            byte = 1
        }
        for bit in bits.utf8 { add(Int(bit & 1)) }
        while byte != 1 { add(1) }
        self.bytes = bytes
    }
}
