import Images
import Testing

/// Every fixture with pixels against Pillow's view of it.
@Suite struct PictureTests {
    @Test(arguments: (Fixture.golden?.grids ?? [:]).keys.sorted())
    func `every tile of a picture has the color another decoder sees`(name: String) throws {
        let golden = try #require(Fixture.golden?.grids[name])
        for side in [1, 320] {
            var options = DecodingOptions()
            options.side = side
            let picture = try Picture(bytes: try Fixture.bytes(name), options: options)
            #expect([picture.width, picture.height] == golden.size)
            // At 1/8 blocks that hang over the edge count whole, so tiny pictures are only compared at their
            // size.
            guard side == 320 || picture.width >= 600 else { continue }
            #expect(picture.image.distance(to: golden) <= (side == 1 ? 8 : 4), "side \(side)")
        }
    }

    @Test(arguments: [
        (side: 640, width: 640, height: 420), (320, 320, 210), (161, 320, 210), (160, 160, 105),
        (81, 160, 105),
        (80, 80, 53), (1, 80, 53), (5_000, 640, 420),
    ])
    func `the scale is the smallest that still has the side asked for`(side: Int, width: Int, height: Int)
        throws
    {
        var options = DecodingOptions()
        (options.side, options.samplePixels) = (side, 0)
        let picture = try Picture(bytes: try Fixture.bytes("jpeg/optimized-420.jpg"), options: options)
        #expect((picture.image.width, picture.image.height) == (width, height))
        #expect((picture.width, picture.height) == (640, 420))
        #expect(picture.image.rgba.count == width * height * 4)
    }

    /// Black and white pixel by pixel, in every coding and size at which other ways of reading begin: what is
    /// counted, the picture or its sample, holds both, and no gray.
    @Test(arguments: [(400, 1), (700, 1), (700, 3), (1_300, 1), (1_300, 3), (2_700, 3)])
    func `a fine pattern is not taken for the grey of its means`(side: Int, period: Int) throws {
        var rgba: [UInt8] = []
        rgba.reserveCapacity(side * 200 * 4)
        for y in 0..<200 {
            for x in 0..<side {
                rgba += (x / period + y / period) % 2 == 0 ? [0, 0, 0, 255] : [255, 255, 255, 255]
            }
        }
        let jpeg = try #require(Image(width: side, height: 200, rgba: rgba)).jpeg(quality: 95)
        let picture = try Picture(bytes: jpeg)
        let counted = picture.sample.isEmpty ? picture.image.rgba : picture.sample
        var gray = 0
        for at in stride(from: 0, to: counted.count, by: 4) where (60...196).contains(counted[at]) {
            gray += 1
        }
        #expect(gray * 50 < counted.count / 4, "\(gray) of \(counted.count / 4)")
    }

    @Test func `exact keeps every pixel`() throws {
        var options = DecodingOptions()
        options.side = 1
        options.exact = true
        let picture = try Picture(bytes: try Fixture.bytes("jpeg/optimized-420.jpg"), options: options)
        #expect((picture.image.width, picture.image.height) == (640, 420))
        #expect(picture.sample.isEmpty)
        #expect(picture.notes == [])
    }

    @Test
    func `a picture too large to keep whole is shrunk even when every pixel was asked for, with a note`()
        throws
    {
        var options = DecodingOptions()
        options.exact = true
        options.imagePixelLimit = 320 * 210
        let jpeg = try Picture(bytes: try Fixture.bytes("jpeg/optimized-420.jpg"), options: options)
        #expect(jpeg.image.width == 320)
        #expect(jpeg.notes == ["read at 1/2: too large to keep every pixel"])
        options.imagePixelLimit = 5_000
        let png = try Picture(bytes: try Fixture.bytes("icc/display-p3.png"), options: options)
        #expect((png.image.width, png.image.height) == (80, 60))
        #expect(png.notes == ["read at 1/2: too large to keep every pixel"])
    }

    @Test func `orientation 5 to 8 swaps the sides of picture and image alike`() throws {
        for orientation in 1...8 {
            let picture = try Picture(bytes: try Fixture.bytes("orientation/f\(orientation)t.jpg"))
            #expect(picture.metadata.orientation == orientation)
            #expect((picture.width, picture.height) == (picture.image.width, picture.image.height))
            #expect(picture.width < picture.height, "the letter F is tall")
        }
    }

    @Test func `nonsense is told from photos by its first bytes`() {
        for bytes: [UInt8] in [
            [], [0xFF], Array("GIF".utf8), Array("Hello".utf8), [0x89, 0x50, 0x4E, 0x47],
        ] {
            #expect(throws: ImageError.unknownFormat) { try Picture(bytes: bytes) }
        }
    }

    @Test func `a header past the limit is refused before any pixel is read`() throws {
        var options = DecodingOptions()
        options.pixelLimit = 10_000
        let jpeg = try Fixture.bytes("jpeg/testorig.jpg"), png = try Fixture.bytes("icc/display-p3.png")
        #expect(throws: ImageError.tooLarge(width: 227, height: 149, limit: 10_000)) {
            try Picture(bytes: jpeg, options: options)
        }
        #expect(throws: ImageError.tooLarge(width: 160, height: 120, limit: 10_000)) {
            try Picture(bytes: png, options: options)
        }
    }
}
