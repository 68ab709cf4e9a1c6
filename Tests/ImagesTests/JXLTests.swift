#if JXL
import Foundation
import Testing

@testable import Images

/// JPEG XL, against what Pillow and djxl see; see `Fixtures/make-jxl.py`.
@Suite struct JXLTests {
    private static let names = Fixture.names(in: "jxl").filter { $0.hasSuffix(".jxl") }

    private func picture(_ name: String) throws -> Picture {
        try Picture(bytes: try Fixture.bytes("jxl/\(name)"))
    }

    /// The middles of the four quarters.
    private func colors(_ image: Image) -> [[Int]] {
        [(12, 16), (60, 16), (12, 48), (60, 48)].map { x, y in
            image.rgba[(y * image.width + x) * 4..<(y * image.width + x) * 4 + 4].map(Int.init)
        }
    }

    private static let plain = [
        [240, 210, 40, 255], [200, 30, 40, 255], [40, 160, 60, 255], [30, 60, 190, 255],
    ]

    private func worst(_ one: [[Int]], _ other: [[Int]]) -> Int {
        zip(one, other).flatMap { zip($0, $1).map { abs($0 - $1) } }.max() ?? 255
    }

    @Test func `colors are those that other decoders see`() throws {
        let expected = try JSONDecoder().decode(
            [String: [[Int]]].self, from: Data(try Fixture.bytes("jxl/colors.json")))
        #expect(expected.count == 29)
        for (name, colors) in expected {
            let picture = try picture(name)
            #expect((picture.width, picture.height, picture.format) == (96, 64, .jxl), "\(name)")
            #expect(picture.notes == [], "\(name)")
            let seen = self.colors(picture.image)
            #expect(worst(seen, colors) <= 3, "\(name): \(seen), not \(colors)")
        }
    }

    @Test func `of a film the first picture counts`() throws {
        #expect(worst(colors(try picture("film.jxl").image), Self.plain) == 0)
    }

    @Test(arguments: ["pq", "hlg"]) func `high dynamic range is read as standard, with a note`(
        name: String
    ) throws {
        let notes = try picture("\(name).jxl").notes
        #expect(notes == ["high dynamic range read as if it were standard"])
    }

    /// The quarter that is seen at the top left, by EXIF's table of orientations.
    @Test(arguments: [(1, 0), (2, 1), (3, 3), (4, 2), (5, 0), (6, 2), (7, 3), (8, 1)])
    func `a picture is turned as its codestream says`(orientation: Int, quarter: Int) throws {
        let picture = try picture("turned-\(orientation).jxl")
        #expect((picture.width, picture.height) == (orientation < 5 ? (96, 64) : (64, 96)))
        #expect(worst([colors(picture.image)[0]], [Self.plain[quarter]]) < 40)
    }

    /// exiftool's words; the orientation of EXIF is a copy for other readers.
    @Test(arguments: ["metadata", "packed"])
    func `EXIF and XMP count before and behind the picture, packed or not`(name: String) throws {
        let picture = try picture("\(name).jxl")
        let metadata = picture.metadata
        #expect(metadata.camera == "Cam")
        #expect(
            (metadata.captured?.year, metadata.captured?.second, metadata.captured?.source) == (
                2019, 4, .original
            ))
        #expect(abs((metadata.latitude ?? 0) - 48.2083333) < 1e-6 && metadata.longitude == 16.375)
        #expect((picture.width, picture.height) == (96, 64))
        #expect(picture.notes == [])
    }

    /// libjxl hands over no rows of a picture that is cut, so it is refused on demand of its rows, too.
    @Test(arguments: ["plain-lossy", "wide", "packed", "from-jpeg", "film", "progressive"])
    func `a file that is cut is refused, or whole`(name: String) throws {
        let bytes = try Fixture.bytes("jxl/\(name).jxl")
        let whole = try Picture(bytes: bytes).image
        var options = DecodingOptions()
        options.acceptsTruncated = true
        for count in stride(from: 12, to: bytes.count, by: 3) {
            do throws(ImageError) {
                let picture = try Picture(bytes: Array(bytes[..<count]), options: options)
                #expect(picture.image == whole, "\(name), \(count) bytes")
            } catch {
                guard case .truncated = error else {
                    Issue.record("\(name), \(count) bytes: \(error)")
                    continue
                }
            }
        }
    }

    @Test func `what follows or is missing behind the picture is a note`() throws {
        let bytes = try Fixture.bytes("jxl/packed.jxl")
        let picture = try Picture(bytes: Array(bytes.dropLast(1)))
        #expect(picture.notes.contains("the file ends early, behind the picture"))
        let plain = try Fixture.bytes("jxl/plain-lossless.jxl")
        #expect(try Picture(bytes: plain + Array("a trailer".utf8)).notes == [])
    }

    /// ISO/IEC 18181-1, SizeHeader: no multiple of 8, height and width of 30 bits, no ratio.
    @Test func `a picture of a billion rows is refused before memory is taken`() {
        var bits: [Bool] = [false]
        func add(_ value: Int, _ count: Int) { for bit in 0..<count { bits.append(value >> bit & 1 == 1) } }
        for ratio in [0, nil] {
            add(3, 2)
            add((1 << 30) - 1, 30)
            if let ratio { add(ratio, 3) }
        }
        // All default.
        add(1, 1)
        bits += [Bool](repeating: false, count: 64)
        let bytes = stride(from: 0, to: bits.count - 7, by: 8).map { at in
            (0..<8).reduce(UInt8(0)) { bits[at + $1] ? $0 | 1 << $1 : $0 }
        }
        #expect(throws: ImageError.tooLarge(width: 1 << 30, height: 1 << 30, limit: 256 << 20)) {
            try Picture(bytes: [0xFF, 0x0A] + bytes)
        }
    }

    @Test func `a file with any byte changed is a picture or an error`() throws {
        for name in ["packed", "plain-lossy", "film"] {
            let bytes = try Fixture.bytes("jxl/\(name).jxl")
            for position in bytes.indices {
                var changed = bytes
                changed[position] ^= 1 << (position % 8)
                var options = DecodingOptions()
                options.pixelLimit = 1 << 20
                options.acceptsTruncated = true
                guard let picture = try? Picture(bytes: changed, options: options) else { continue }
                #expect(picture.image.rgba.count == picture.image.width * picture.image.height * 4)
            }
        }
    }
}
#endif
