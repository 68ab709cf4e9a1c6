import Images
import Testing

@Suite struct ImageTests {
    /// Pillow's bicubic on linear light, a channel at a time: `Fixtures/make.py`.
    @Test(arguments: [80, 50, 7])
    func `resizing agrees with another implementation of the same filter`(side: Int) throws {
        let golden = try #require(Fixture.golden?.resized["\(side)"])
        let raw = try Picture(bytes: try Fixture.bytes("icc/display-p3.png").withoutProfile).image
        let small = raw.resized(longSide: side)
        #expect((small.width, small.height) == (side, golden.height))
        let rgb = small.rgba.enumerated().filter { $0.offset % 4 != 3 }.map { Int($0.element) }
        let worst = zip(rgb, golden.rgb).map { abs($0 - $1) }.max()
        #expect(rgb.count == golden.rgb.count)
        #expect(worst ?? 255 <= 1)
    }

    @Test func `a fine black and white pattern becomes the grey of half the light`() throws {
        let pixels: [UInt8] = (0..<64 * 64).flatMap { (index: Int) -> [UInt8] in
            let value: UInt8 = (index + index / 64) % 2 == 0 ? 255 : 0
            return [value, value, value, 255]
        }
        let image = try #require(Image(width: 64, height: 64, rgba: pixels))
        let small = image.resized(longSide: 8)
        // Half the light is stored as 188 (IEC 61966-2-1).
        #expect(small.rgba.pixels.allSatisfy { abs(Int($0[0]) - 188) <= 1 && $0[3] == 255 })
    }

    @Test func `transparent pixels lend no color`() throws {
        let pixels: [UInt8] = (0..<32 * 32).flatMap {
            $0 % 2 == 0 ? [255, 0, 0, 255] : [0, 255, 0, 0] as [UInt8]
        }
        let small = try #require(Image(width: 32, height: 32, rgba: pixels)).resized(longSide: 4)
        #expect(small.rgba.pixels.allSatisfy { $0[0] >= 254 && $0[1] == 0 && abs(Int($0[3]) - 128) <= 12 })
    }

    @Test func `resizing never enlarges and keeps a pixel on the short side`() throws {
        let line = try #require(Image(width: 1_000, height: 1, rgba: [UInt8](repeating: 200, count: 4_000)))
        #expect(line.resized(longSide: 2_000) == line)
        #expect(line.resized(longSide: 0) == line)
        let short = line.resized(longSide: 10)
        #expect((short.width, short.height) == (10, 1))
    }

    @Test func `a thumbnail says sRGB, and reading it back gives the picture`() throws {
        let image = try Picture(bytes: try Fixture.bytes("icc/untagged.jpg")).image
        let thumbnail = try image.jpeg(quality: 95)
        #expect(thumbnail.contains(Array("ICC_PROFILE\0".utf8)))
        let back = try Picture(bytes: thumbnail)
        #expect(back.notes == [])
        let worst = zip(back.image.rgba, image.rgba).map { abs(Int($0) - Int($1)) }.max()
        #expect(worst ?? 255 < 24)
        #expect(try image.jpeg(quality: 10).count < thumbnail.count)
        #expect(try image.jpeg(quality: -5).count <= image.jpeg(quality: 1).count)
    }

    /// Half of it opaque, half of it half so, a quarter of each; the rest lets everything through.
    @Test func `what is transparent lies on a checkerboard`() throws {
        let color: [UInt8] = [200, 40, 120], alphas: [UInt8] = [255, 128, 0, 0]
        let pixels = (0..<320 * 160).flatMap { color + [alphas[$0 % 320 / 80]] }
        let image = try #require(Image(width: 320, height: 160, rgba: pixels))
        let back = try Picture(bytes: image.jpeg(quality: 95)).image
        // Squares of 8 pixels, in whose middle a JPEG's blocks of 8 are quite as they were.
        for y in stride(from: 4, to: 160, by: 8) {
            for x in stride(from: 4, to: 320, by: 8) where x % 80 != 76 && x % 80 != 4 {
                let ground = (x / 8 + y / 8) % 2 == 0 ? 255.0 : 204, alpha = Double(alphas[x / 80]) / 255
                let got = back.rgba[(y * 320 + x) * 4..<(y * 320 + x) * 4 + 4]
                let wanted = color.map { Double($0) * alpha + ground * (1 - alpha) } + [255]
                let isNear = zip(got, wanted).allSatisfy { abs(Double($0) - $1) < 6 }
                #expect(isNear, "\(x), \(y): \(Array(got)), not \(wanted)")
            }
        }
        // The squares are as large in a picture that stands.
        let tall = try #require(Image(width: 160, height: 320, rgba: [UInt8](repeating: 0, count: 204_800)))
        #expect([0, 7, 8, 15, 16].map { tall.opaque.rgba[$0 * 4] } == [255, 255, 204, 204, 255])
        // Of one pixel, too.
        let hole = try #require(Image(width: 1, height: 1, rgba: [0, 0, 0, 0]))
        #expect(try Picture(bytes: hole.jpeg(quality: 95)).image.rgba == [255, 255, 255, 255])
    }

    @Test func `a picture a JPEG cannot hold is refused`() throws {
        let line = try #require(
            Image(width: 65_501, height: 1, rgba: [UInt8](repeating: 0, count: 65_501 * 4)))
        #expect(throws: ImageError.unsupported("a JPEG of 65501x1")) { try line.jpeg(quality: 80) }
        let column = try #require(Image(width: 1, height: 65_501, rgba: line.rgba))
        #expect(throws: ImageError.unsupported("a JPEG of 1x65501")) { try column.jpeg(quality: 80) }
        for (width, height) in [(65_500, 1), (1, 65_500)] {
            let image = try #require(Image(width: width, height: height, rgba: Array(line.rgba.dropLast(4))))
            #expect(try Picture(bytes: image.jpeg(quality: 1)).width == width)
        }
    }

    @Test(arguments: [(0, 1, 0), (1, 1, 3), (2, 2, 12), (Int.max, 2, 8), (-1, -1, 4)])
    func `a picture has as many bytes as its size says`(width: Int, height: Int, count: Int) {
        #expect(Image(width: width, height: height, rgba: [UInt8](repeating: 0, count: count)) == nil)
    }

    /// From PyPI's xxhash: `xxhash.xxh3_128_hexdigest(b"")` and `b"moody"`.
    @Test func `the content hash is XXH3-128 in canonical order`() {
        #expect(contentHash([]).hex == "99aa06d3014798d86001c324468d497f")
        #expect(contentHash(Array("moody".utf8)).hex == "bd5589503d430d5c801474ccdfdbff91")
    }

    @Test func `every library behind the room tells its version`() {
        let always = ["libjpeg-turbo", "libpng", "lcms2", "xxHash"]
        let others = [
            (ImageFormat.webp, "libwebp"), (.heic, "libde265"), (.avif, "libavif"), (.jxl, "libjxl"),
            (.tiff, "libtiff"),
            (.gif, "giflib"),
            (.raw, "LibRaw"),
        ]
        #expect(
            Codecs.versions.map(\.name) == always + others.filter { $0.0.isBuiltIn }.map { $0.1 }
                + (ArchiveStream.isBuiltIn ? ["libarchive"] : []))
        #expect(Codecs.versions.allSatisfy { $0.version.first?.isNumber == true })
    }
}

extension [UInt8] {
    var hex: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }

    func contains(_ pattern: [UInt8]) -> Bool { indices.contains { self[$0...].starts(with: pattern) } }

    /// A PNG with its iCCP chunk renamed to one nobody knows (its checksum is not looked at then).
    var withoutProfile: [UInt8] {
        guard let at = indices.first(where: { self[$0...].starts(with: Array("iCCP".utf8)) }) else {
            return self
        }
        var copy = self
        let length = self[at - 4..<at].reduce(0) { $0 << 8 | Int($1) }
        copy.removeSubrange(at - 4..<at + 8 + length)
        return copy
    }
}
