import Testing

@testable import Images

/// What a worker answers, as the program reads it.
@Suite struct PictureRecordTests {
    private let room = 1 << 20

    private func full() throws -> Picture {
        var metadata = PhotoMetadata()
        metadata.captured = CaptureDate("2024-02-29T23:59:58.25+05:30", source: .digitized)
        (metadata.latitude, metadata.longitude) = (-33.85, 151.2)
        metadata.statedOrientation = 6
        metadata.camera = "Kamera Ä 1"
        metadata.rating = 4
        return Picture(
            format: .heic, width: 40, height: 30,
            image: try #require(Image(width: 4, height: 3, rgba: Array(0..<48))),
            sample: Array(100..<124), sampleWidth: 3,
            sampleResolution: SampleResolution(light: SIMD2(8, 8), color: SIMD2(16, 16)), orientation: 6,
            wide: WideSample(srgb: [1, 2, 3, 4], displayP3: [5, 6, 7, 8]), metadata: metadata,
            notes: ["damaged: Ünicode", "second"])
    }

    private func read(_ picture: Picture) throws -> Picture {
        let (record, pixels) = PictureRecord.encoded(.success(picture))
        guard case .picture(let unfinished)? = PictureRecord.answer(record, room: room) else {
            throw ImageError.unknownFormat
        }
        #expect(unfinished.counts == pixels.map(\.count))
        return unfinished.picture(picture.format, pixels)
    }

    private func expectSame(_ a: Picture, _ b: Picture) {
        #expect(a.format == b.format && a.width == b.width && a.height == b.height)
        #expect(a.image == b.image && a.sample == b.sample && a.sampleWidth == b.sampleWidth)
        #expect(a.orientation == b.orientation)
        #expect(a.sampleResolution == b.sampleResolution && a.wide == b.wide)
        #expect(a.metadata == b.metadata && a.notes == b.notes)
    }

    @Test func `a picture comes back as it was sent`() throws {
        expectSame(try read(full()), try full())
        let plain = Picture(
            format: .png, width: 1, height: 1,
            image: try #require(Image(width: 1, height: 1, rgba: [0, 0, 0, 0])), sample: [], sampleWidth: nil,
            sampleResolution: nil, orientation: 1, wide: nil, metadata: PhotoMetadata(), notes: [])
        expectSame(try read(plain), plain)
    }

    @Test func `every fixture comes back as it was decoded`() throws {
        var count = 0
        for name in ["quadrants-64x48.jpg", "icc/display-p3.png", "exif/nikon-fraction-offset.jpg"] {
            let picture = try Picture(bytes: Fixture.bytes(name))
            expectSame(try read(picture), picture)
            count += 1
        }
        #expect(count == 3)
    }

    @Test(
        arguments: [
            ImageError.unknownFormat, .notBuiltIn(.jxl), .tooLarge(width: 7, height: 8, limit: 9),
            .pastLimit("much"), .truncated(rows: 1, height: 2, scan: 3), .corrupt("bad"),
            .unsupported("odd"), .decoderFailed("gone"),
        ])
    func `a refusal comes back as it was sent`(error: ImageError) {
        let (record, pixels) = PictureRecord.encoded(.failure(error))
        guard case .refused(let read)? = PictureRecord.answer(record, room: room) else {
            Issue.record("no refusal")
            return
        }
        #expect(read == error && pixels.isEmpty)
    }

    @Test func `a record that is cut, or longer than it says, is none`() throws {
        let record = PictureRecord.encoded(.success(try full())).record
        let cut = record.indices.filter { PictureRecord.answer(Array(record[..<$0]), room: room) != nil }
        #expect(cut.isEmpty)
        #expect(PictureRecord.answer(record + [0], room: room) == nil)
    }

    @Test func `whatever bytes come, nothing lies outside of what was asked for`() throws {
        let record = PictureRecord.encoded(.success(try full())).record
        var accepted = 0
        for seed in 0..<20_000 {
            var changed = record
            for step in 0...(seed % 3) {
                let hash = SplitMix64.hash(seed * 4 + step)
                let values: [UInt8] = [0, 1, 0x7F, 0x80, 0xFF, UInt8(hash >> 56)]
                changed[Int(hash % UInt64(changed.count))] = values[Int(hash >> 32 % 6)]
            }
            guard case .picture(let picture)? = PictureRecord.answer(changed, room: room) else { continue }
            accepted += 1
            #expect(picture.counts.reduce(0, +) <= room)
            #expect(picture.counts.allSatisfy { $0 >= 0 && $0 % 4 == 0 })
            let place = [picture.metadata.latitude, picture.metadata.longitude].compactMap(\.self)
            #expect(place.allSatisfy { abs($0) <= 180 })
            #expect(picture.metadata.captured?.isPlausible != false)
            #expect(picture.notes.allSatisfy { note in note.unicodeScalars.allSatisfy { $0.value >= 32 } })
        }
        // Most changed bytes are of texts and low digits.
        #expect(accepted > 1_000)
    }

    @Test func `a picture that is larger than was asked for is none`() throws {
        let (record, pixels) = PictureRecord.encoded(.success(try full()))
        let count = pixels.map(\.count).reduce(0, +)
        #expect(PictureRecord.answer(record, room: count) != nil)
        #expect(PictureRecord.answer(record, room: count - 1) == nil)
    }

    /// The largest pictures that options let a decoder make.
    @Test(arguments: [0, 320, 1600, 8192, Int.max]) func `the room for a picture is bounded`(side: Int) {
        var options = DecodingOptions()
        (options.side, options.meansSide) = (side, side == 0 ? Int.max : 0)
        #expect(options.mostPixelBytes >= options.wholePixels * 4)
        #expect(options.mostPixelBytes <= options.pixelLimit * 5 + (64 << 20))
        options.exact = true
        #expect(options.mostPixelBytes >= options.imagePixelLimit * 4)
        #expect(options.mostDecoderMemory(photo: 1 << 31) > options.mostPixelBytes)
    }
}
