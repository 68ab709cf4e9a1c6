#if WebP
import Testing

@testable import Images

/// WebP files put together chunk by chunk.
@Suite struct WebPTests {
    /// RFC 9649, 2.3: a name, a size, and an even number of bytes.
    private func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
        Array(name.utf8) + TIFFBuilder.number(body.count, 4) + body + (body.count % 2 == 1 ? [0] : [])
    }

    private func riff(_ chunks: [UInt8]) -> [UInt8] { chunk("RIFF", Array("WEBP".utf8) + chunks) }

    /// 2.7: flags (2 an animation, 4 XMP, 8 EXIF, 16 alpha, 32 a profile), and the canvas.
    private func extended(_ flags: UInt8, _ width: Int, _ height: Int) -> [UInt8] {
        chunk(
            "VP8X", [flags, 0, 0, 0] + TIFFBuilder.number(width - 1, 3) + TIFFBuilder.number(height - 1, 3))
    }

    /// Offsets count pairs of pixels.
    private func frame(_ left: Int, _ top: Int, _ width: Int, _ height: Int, _ chunks: [UInt8]) -> [UInt8] {
        let numbers = [left / 2, top / 2, width - 1, height - 1, 40].flatMap { TIFFBuilder.number($0, 3) }
        return chunk("ANMF", numbers + [2] + chunks)
    }

    /// The picture chunk of a file, and what it shows alone.
    private func simple(_ name: String) throws -> (chunk: [UInt8], image: Image) {
        let bytes = try Fixture.bytes("formats/\(name)")
        let start = try #require(
            bytes.indices.first { bytes.hasText("VP8 ", at: $0) || bytes.hasText("VP8L", at: $0) })
        let size = bytes.number(at: start + 4, 4, bigEndian: false)
        let part = chunk(
            name.contains("lossless") ? "VP8L" : "VP8 ", Array(bytes[start + 8..<start + 8 + size]))
        return (part, try Picture(bytes: riff(part), options: .everyPixel).image)
    }

    @Test(arguments: [
        (0, 0, 0, 0), (2, 0, 4, 0), (0, 4, 0, 6), (6, 2, 10, 2), (10, 8, 10, 8),
    ])
    func `the first frame lies on its canvas, and around it is nothing`(
        left: Int, top: Int, right: Int, bottom: Int
    ) throws {
        for name in ["lossy.webp", "gopher-doc.1bpp.lossless.webp"] {
            let (part, image) = try simple(name)
            let width = image.width + right, height = image.height + bottom
            let second = frame(0, 0, image.width, image.height, part)
            let file = riff(
                extended(2 | 16, width, height) + chunk("ANIM", [0, 0, 0, 255, 0, 0])
                    + frame(left, top, image.width, image.height, part) + second)
            let picture = try Picture(bytes: file, options: .everyPixel)
            #expect((picture.image.width, picture.image.height) == (width, height) && picture.notes == [])
            var wrong = 0
            for y in 0..<height {
                for x in 0..<width {
                    let isInside =
                        (left..<left + image.width).contains(x) && (top..<top + image.height).contains(y)
                    let from = isInside ? ((y - top) * image.width + x - left) * 4 : 0
                    let expected = isInside ? Array(image.rgba[from..<from + 4]) : [0, 0, 0, 0]
                    let at = (y * width + x) * 4
                    if Array(picture.image.rgba[at..<at + 4]) != expected { wrong += 1 }
                }
            }
            #expect(wrong == 0, "\(name)")
        }
    }

    @Test func `a frame that does not fit its canvas is refused`() throws {
        let (part, image) = try simple("lossy.webp")
        for (left, top, width, height) in [(2, 0, 0, 0), (0, 2, 0, 0), (0, 0, -1, 0), (0, 0, 0, -1)] {
            let file = riff(
                extended(2, image.width + width, image.height + height)
                    + chunk("ANIM", [0, 0, 0, 255, 0, 0])
                    + frame(left, top, image.width, image.height, part))
            #expect(throws: ImageError.self) { try Picture(bytes: file) }
        }
    }

    /// 2.7.1.4 and 2.7.1.5: EXIF and XMP stand behind the picture.
    @Test func `metadata stands in chunks, with or without JPEG's signature`() throws {
        let (part, image) = try simple("lossy.webp")
        let structure = TIFFBuilder.file([
            .init(0x112, 3, 6), .init(0x8769, directory: [.init(0x9003, text: "2019:08:07 06:05:04")]),
        ])
        let packet = Array(
            "<x exif:DateTimeOriginal='2018-08-07' exif:GPSLatitude='1N' exif:GPSLongitude='2E'/>".utf8)
        for (exif, xmp) in [
            (structure, packet), (Array("Exif\0\0".utf8) + structure, packet), (structure, []), ([], packet),
        ] as [([UInt8], [UInt8])] {
            let file = riff(
                extended((exif.isEmpty ? 0 : 8) | (xmp.isEmpty ? 0 : 4), image.width, image.height) + part
                    + (exif.isEmpty ? [] : chunk("EXIF", exif)) + (xmp.isEmpty ? [] : chunk("XMP ", xmp)))
            let picture = try Picture(bytes: file)
            #expect(picture.metadata.captured?.year == (exif.isEmpty ? 2018 : 2019))
            #expect(picture.metadata.latitude == (xmp.isEmpty ? nil : 1))
            #expect(picture.metadata.orientation == (exif.isEmpty ? 1 : 6) && picture.notes == [])
            let sides = [picture.width, picture.height]
            #expect(sides == (exif.isEmpty ? [image.width, image.height] : [image.height, image.width]))
        }
    }

    /// libwebp holds a lossless picture besides the pixels that it hands over.
    @Test func `a picture in one piece takes four bytes a pixel, a lossless one eight`() throws {
        for (name, bytes) in [("lossy.webp", 4), ("gopher-doc.1bpp.lossless.webp", 8)] {
            let (part, image) = try simple(name), pixels = image.width * image.height
            var options = DecodingOptions()
            options.wholeMemoryLimit = pixels * bytes
            #expect(throws: Never.self) { try Picture(bytes: riff(part), options: options) }
            options.wholeMemoryLimit -= 1
            let words = "\(image.width)x\(image.height) in one piece needs too much memory"
            #expect(throws: ImageError.pastLimit(words)) { try Picture(bytes: riff(part), options: options) }
        }
    }

    /// What is clear lends no color, and a frame lies where it lies, whether a sample is wanted or not.
    @Test(arguments: ["alpha-lossy.webp", "alpha-lossless.webp", "animated-offset.webp"])
    func `a shrunk picture is the same without a sample`(name: String) throws {
        let bytes = try Fixture.bytes("formats/\(name)")
        var options = DecodingOptions()
        (options.wholePixels, options.side, options.samplePixels) = (300, 16, 0)
        let plain = try Picture(bytes: bytes, options: options)
        options.samplePixels = 100
        let sampled = try Picture(bytes: bytes, options: options)
        #expect(plain.image == sampled.image && plain.image.width < plain.width)
        #expect(plain.sample.isEmpty && !sampled.sample.isEmpty)
    }

    /// One byte less than a picture takes unpacked, and libwebp scales it, without a sample.
    @Test func `a picture too large to hold is scaled while it is read`() throws {
        for (name, unpacked) in [("lossy.webp", 4), ("gopher-doc.1bpp.lossless.webp", 8)] {
            let (part, image) = try simple(name), pixels = image.width * image.height
            var options = DecodingOptions()
            (options.wholePixels, options.side, options.samplePixels) = (pixels / 3, 8, 100)
            for (limit, hasSample) in [(pixels * unpacked, true), (pixels * unpacked - 1, false)] {
                options.wholeMemoryLimit = limit
                let picture = try Picture(bytes: riff(part), options: options)
                #expect(picture.sample.isEmpty != hasSample && picture.image.width * 2 >= image.width)
                #expect((picture.width, picture.image.width) == (image.width, (image.width + 1) / 2))
            }
        }
    }

    /// Rows are those of the photo, however it was read.
    @Test func `how much of a cut picture there is does not depend on how small it is wanted`() throws {
        let bytes = Array(
            try Fixture.bytes("formats/blue-purple-pink-large.no-filter.lossy.webp").prefix(12_000))
        func rows(_ options: DecodingOptions) throws -> Int {
            let error = #expect(throws: ImageError.self) { try Picture(bytes: bytes, options: options) }
            guard case .truncated(let rows, 400, _) = error else {
                Issue.record("\(String(describing: error))")
                return -1
            }
            return rows
        }
        let whole = try rows(.everyPixel)
        var options = DecodingOptions()
        (options.wholePixels, options.side, options.samplePixels) = (300, 16, 0)
        let small = try rows(options)
        // libwebp decodes and scales blocks of 16 rows.
        #expect((100...390).contains(whole) && abs(whole - small) <= 32, "\(whole) \(small)")
    }

    /// Scaled by libwebp without a sample, of a picture that has no alpha; else by means, with one.
    @Test(arguments: [("lossy.webp", true), ("alpha-lossless.webp", false)])
    func `a shrunk picture says so when every pixel was wanted`(name: String, isScaled: Bool) throws {
        let bytes = try Fixture.bytes("formats/\(name)"), whole = try Picture(bytes: bytes)
        var options = DecodingOptions()
        (options.wholePixels, options.side, options.samplePixels) = (300, 16, 0)
        let small = try Picture(bytes: bytes, options: options)
        #expect((small.width, small.height) == (whole.width, whole.height) && small.notes == [])
        #expect(small.image.width < whole.width && small.sample.isEmpty)
        options.samplePixels = 100
        #expect(try Picture(bytes: bytes, options: options).sample.count >= 100 * 4)
        (options.exact, options.imagePixelLimit) = (true, 1_000)
        for samples in [0, 100] {
            options.samplePixels = samples
            let exact = try Picture(bytes: bytes, options: options)
            let shrink = (whole.width + exact.image.width - 1) / exact.image.width
            #expect(shrink > 1 && exact.notes == ["read at 1/\(shrink): too large to keep every pixel"])
        }
    }

    /// At full size, and at a half with its sample.
    @Test(arguments: [1, 2]) func `of a cut picture the whole rows are kept`(shrink: Int) throws {
        let (part, image) = try simple("blue-purple-pink.lossless.webp"), file = riff(part)
        var options = DecodingOptions.everyPixel
        if shrink > 1 { options.imagePixelLimit = image.width * image.height / 3 }
        let whole = try Picture(bytes: file, options: options).image
        #expect(whole.width == (image.width + shrink - 1) / shrink)
        let cut = Array(file.dropLast(part.count / 3))
        #expect(throws: ImageError.self) { try Picture(bytes: cut, options: options) }
        options.acceptsTruncated = true
        let kept = try Picture(bytes: cut, options: options)
        #expect((kept.width, kept.height) == (image.width, image.height))
        #expect((20..<whole.height).contains(kept.image.height))
        #expect(kept.image.rgba == Array(whole.rgba.prefix(kept.image.rgba.count)))
        #expect(kept.notes.contains { $0.hasPrefix("truncated: ") })
    }
}
#endif
