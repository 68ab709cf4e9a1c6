#if AVIF
import Foundation
import Testing

@testable import Images

/// Four flat colors as an outside encoder writes them, and as Pillow sees them: `Fixtures/make-avif.py`.
@Suite struct AVIFTests {
    private static let colors = [[240, 210, 40], [200, 30, 40], [40, 160, 60], [30, 60, 190]]

    /// R G B A in the middle of the four quarters, away from where colors blend.
    private func middles(_ image: Image) -> [[Int]] {
        [(1, 1), (5, 1), (1, 3), (5, 3)].map { x, y in
            let start = (y * image.height / 4 * image.width + x * image.width / 8) * 4
            return image.rgba[start..<start + 4].map { Int($0) }
        }
    }

    private func distance(_ seen: [[Int]], _ colors: [[Int]]) -> Int {
        zip(seen, colors).flatMap { zip($0, $1).map { abs($0 - $1) } }.max() ?? 255
    }

    @Test(arguments: Fixture.names(in: "avif").filter { $0.hasPrefix("4") })
    func `a picture has its colors in each chroma, depth, range and matrix`(name: String) throws {
        let picture = try Picture(bytes: try Fixture.bytes("avif/\(name)"))
        #expect((picture.width, picture.height) == (96, 64) && picture.notes == [])
        let seen = try JSONDecoder().decode(
            [String: [[Int]]].self, from: Data(try Fixture.bytes("avif/colors.json")))
        let expected = try #require(seen[name])
        #expect(distance(middles(picture.image), expected) <= 3, "\(middles(picture.image))")
        let alphas = stride(from: 3, to: 96 * 4, by: 4).map { picture.image.rgba[32 * 96 * 4 + $0] }
        #expect(alphas == (0..<96).map { name.contains("plain") || $0 < 72 ? 255 : 160 })
    }

    @Test func `there are fixtures of each kind`() {
        #expect(Fixture.names(in: "avif").count == 16)
    }

    /// irot 1: a quarter against the clock; then imir 1: left and right change places.
    @Test func `a picture is turned and mirrored as it says`() throws {
        let image = try Picture(bytes: try Fixture.bytes("avif/turned.avif")).image
        #expect((image.width, image.height) == (64, 96))
        let colors = Self.colors
        #expect(distance(middles(image), [colors[3], colors[1], colors[2], colors[0]]) <= 3)
    }

    /// 40 columns about a center that lies 20 left of the picture's: 8 to 47.
    @Test func `of a picture the clean aperture is shown`() throws {
        let image = try Picture(bytes: try Fixture.bytes("avif/cropped.avif")).image
        #expect((image.width, image.height) == (40, 64))
        let colors = Self.colors
        #expect(distance(middles(image), [colors[0], colors[0], colors[2], colors[2]]) <= 3)
    }

    @Test func `a grid is one picture, with its alpha`() throws {
        let bytes = try Fixture.bytes("avif/grid.avif"), image = try Picture(bytes: bytes).image
        #expect((image.width, image.height) == (256, 128))
        #expect(distance(middles(image), Self.colors) <= 3)
        let last = (64 * 256 + 255) * 4 + 3
        #expect(image.rgba[last] == 160 && image.rgba[(64 * 256 + 100) * 4 + 3] == 255)
    }

    /// Four bytes of luma and alpha for two of color, and one of what the decoder knows of its blocks.
    @Test func `a picture past the limit on memory is refused, and read at it`() throws {
        let bytes = try Fixture.bytes("avif/420-12-limited-1-alpha.avif")
        var options = DecodingOptions()
        options.wholeMemoryLimit = 96 * 64 * 6
        #expect(try Picture(bytes: bytes, options: options).width == 96)
        options.wholeMemoryLimit -= 1
        #expect(throws: ImageError.pastLimit("96x64 in one piece needs too much memory")) {
            try Picture(bytes: bytes, options: options)
        }
    }

    /// Nothing of the picture is missing.
    @Test func `a file that is cut behind its picture is read, with a note`() throws {
        let bytes = try Fixture.bytes("avif/420-8-full-6-plain.avif"), whole = try Picture(bytes: bytes)
        let cut = try Picture(bytes: bytes + [0, 0, 1, 0] + Array("free".utf8) + [1, 2, 3])
        #expect(cut.image == whole.image && cut.notes == ["the file ends early, behind the picture"])
        #expect(throws: ImageError.truncated(rows: 0, height: 64, scan: 1)) {
            try Picture(bytes: Array(bytes.dropLast(20)))
        }
    }
}
#endif
