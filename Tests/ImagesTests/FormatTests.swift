import Foundation
import Testing

@testable import Images

/// WebP, HEIC, AVIF, TIFF, GIF and raw files, against what decoders that are not ours see; see
/// `Fixtures/make-formats.py`.
@Suite struct FormatTests {
    /// The scripts build with all traits, and then no kind may be missing. MOODY_TRAITS='' is the other
    /// build.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["MOODY_TRAITS"] != ""))
    func `a build with all traits reads every kind`() {
        let missing = ImageFormat.allCases.filter { !$0.isBuiltIn }
        #expect(missing == [], "swift test $(scripts/lib/traits)")
    }

    @Test(arguments: FormatGolden.files.keys.sorted())
    func `every tile of a picture of another kind has the color another decoder sees`(name: String) throws {
        try compare(
            name, try #require(FormatGolden.files[name]), bytes: try Fixture.bytes("formats/\(name)"))
    }

    @Test(
        .enabled(if: Fixture.shared != nil, "MOODY_DATA is not set"),
        arguments: Fixture.shared == nil ? [] : FormatGolden.shared.keys.sorted())
    func `every tile of the shared pictures has the color another decoder sees`(name: String) throws {
        try compare(name, try #require(FormatGolden.shared[name]), bytes: try Fixture.sharedBytes(name))
    }

    private func compare(_ name: String, _ golden: FormatGolden.File, bytes: [UInt8]) throws {
        let format = try #require(ImageFormat(bytes: bytes), "no kind is known for \(name)")
        guard format.isBuiltIn else {
            #expect(throws: ImageError.notBuiltIn(format)) { try Picture(bytes: bytes) }
            return
        }
        let picture = try Picture(bytes: bytes)
        #expect(picture.format == format)
        #expect([picture.width, picture.height] == golden.size)
        let (colors, alpha) = picture.image.weightedGrid
        for (tile, (ours, theirs)) in zip(colors, golden.grid).enumerated() {
            // A tile that can hardly be seen has no color to speak of.
            let worst = golden.alpha[tile] < 8 ? 0 : zip(ours, theirs).map { abs($0 - Double($1)) }.max() ?? 0
            #expect(worst <= golden.tolerance(name), "\(name), tile \(tile): \(ours), not \(theirs)")
            #expect(abs(alpha[tile] - Double(golden.alpha[tile])) <= 4, "\(name), alpha of tile \(tile)")
        }
        if let metadata = golden.metadata { picture.metadata.expect(metadata, name) }
    }

    @Test func `kinds are told by content, and raw files from the TIFF they are built like`() throws {
        for (name, format) in [
            ("lossy.webp", ImageFormat.webp), ("animated.webp", .webp), ("orientation-6.heic", .heic),
            ("display-p3.avif", .avif), ("big.tiff", .tiff), ("jpeg.tiff", .tiff), ("planes.tiff", .tiff),
            ("ycbcr_jpeg_8bit.tif", .tiff), ("plain.gif", .gif), ("jpeg-preview.dng", .raw),
            ("bitmap-preview.dng", .raw),
        ] {
            #expect(ImageFormat(bytes: try Fixture.bytes("formats/\(name)")) == format, "\(name)")
        }
        #expect(ImageFormat(bytes: [0xFF, 0x0A, 0, 0]) == .jxl)
        #expect(ImageFormat(bytes: try Fixture.bytes("jxl/metadata.jxl")) == .jxl)
        func format(_ text: String) -> ImageFormat? {
            ImageFormat(bytes: Array(text.utf8) + [UInt8](repeating: 0, count: 16))
        }
        for raw in [
            "FUJIFILMCCD-RAW 0201", "II*\0\u{10}\0\0\0CR\u{2}\0", "IIRO\u{8}\0\0\0", "IIU\0\u{18}\0\0\0",
            "\0\0\0\u{18}ftypcrx \0\0\0\u{1}crx isom",
        ] { #expect(format(raw) == .raw, "\(raw)") }
        #expect(format("\0\0\0\u{18}ftypisom\0\0\0\u{1}isommp41") == nil, "a film")
        #expect(format("\0\0\0\u{18}ftypmif1\0\0\0\u{1}mif1avif") == .avif)
        #expect(format("RIFF\0\0\0\0WAVEfmt ") == nil, "sound")
    }

    /// ISO/IEC 14496-12, 4.3: the size of the box, its type, a brand, a version, then other brands, four
    /// characters each; nothing behind the box counts.
    @Test func `a file is of the kind that its brands name`() {
        func format(_ size: Int, _ brands: String...) -> ImageFormat? {
            let text = "ftyp" + brands[0] + "\0\0\0\0" + brands.dropFirst().joined()
            return ImageFormat(bytes: TIFFBuilder.number(size, 4).reversed() + Array(text.utf8))
        }
        for brand in ["heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1"] {
            #expect(format(16, brand) == .heic && format(20, "isom", brand) == .heic, "\(brand)")
        }
        for brand in ["avif", "avis"] {
            #expect(format(16, brand) == .avif && format(24, "heic", "mif1", brand) == .avif, "\(brand)")
        }
        #expect(format(20, "isom", "heic") == .heic && format(19, "isom", "heic") == nil)
        #expect(format(24, "isom", "abcd", "heic") == .heic && format(20, "isom", "abcd", "heic") == nil)
        #expect(format(24, "mif1", "abcd", "avif") == .avif && format(23, "mif1", "abcd", "avif") == .heic)
        #expect(format(1_000, "isom", "heic") == .heic && format(20, "isom", "hei") == nil)
        #expect(format(16, "crx ") == .raw && format(20, "isom", "crx ") == nil)
        #expect(format(20, "isom", "zzhe", "iczz") == nil, "not across two")
    }

    /// Fujifilm; Canon's first and second kind; Olympus; Panasonic and Leica; Minolta; Sigma.
    @Test(arguments: [
        ("FUJIFILMCCD-RAW", 0), ("HEAPCCDR", 6), ("CR\u{2}", 8), ("IIRO", 0), ("IIRS", 0), ("MMOR", 0),
        ("IIU\0", 0), ("\0MRM", 0), ("FOVb", 0),
    ])
    func `a maker's mark at its place tells a raw file`(mark: String, offset: Int) {
        let before = [UInt8](repeating: 1, count: offset), bytes = before + Array(mark.utf8)
        #expect(ImageFormat(bytes: bytes) == .raw && ImageFormat(bytes: Array(bytes.dropLast())) == nil)
        #expect(ImageFormat(bytes: [1] + bytes) == nil)
    }

    @Test func `a signature is all of its bytes`() {
        let starts: [([UInt8], ImageFormat)] = [
            ([0xFF, 0xD8], .jpeg), ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], .png),
            (Array("GIF87a".utf8), .gif), (Array("GIF89a".utf8), .gif), (Array("RIFFabcdWEBP".utf8), .webp),
        ]
        for (start, format) in starts {
            #expect(ImageFormat(bytes: start) == format && ImageFormat(bytes: Array(start.dropLast())) == nil)
            for index in start.indices where !(format == .webp && (4..<8).contains(index)) {
                var wrong = start
                wrong[index] ^= 1
                #expect(ImageFormat(bytes: wrong) == nil, "\(format) \(index)")
            }
        }
        #expect(Array("abc".utf8).hasText("bc", at: 1) && Array("abc".utf8).hasText("", at: 3))
        #expect(!Array("abc".utf8).hasText("bc", at: 2) && !Array("abc".utf8).hasText("bcd", at: 1))
    }

    @Test func `of several pictures the first is read`() throws {
        for name in ["animated.webp", "two-pages.tiff", "animated.gif"] where try isBuiltIn(name) {
            let picture = try Picture(bytes: try Fixture.bytes("formats/\(name)"))
            let first = try #require(FormatGolden.files["uncompressed.tiff"])
            #expect(picture.image.weightedGrid.colors.distance(to: first.grid) <= 16, "\(name)")
        }
    }

    /// irot and imir say how it lies, and EXIF says the same once more.
    @Test(arguments: 1...8) func `a turned picture is turned once`(orientation: Int) throws {
        for name in ["orientation-\(orientation).heic", "orientation-\(orientation).tiff"]
        where try isBuiltIn(name) {
            let picture = try Picture(bytes: try Fixture.bytes("formats/\(name)"))
            #expect((picture.width, picture.height) == (orientation >= 5 ? (48, 64) : (64, 48)), "\(name)")
            let golden = try #require(FormatGolden.files[name])
            #expect(picture.image.weightedGrid.colors.distance(to: golden.grid) <= 5, "\(name)")
        }
    }

    /// ISO/IEC 14496-12, 4.2: a size of 0 goes on to the end of the file, one of 1 stands in 64 bits behind.
    @Test func `a box of any size is whole as long as the file has it`() {
        func box(_ size: UInt8, _ name: String, _ body: Int) -> [UInt8] {
            [0, 0, 0, size] + Array(name.utf8) + [UInt8](repeating: 0, count: body)
        }
        let start = box(16, "ftyp", 8), large = box(1, "mdat", 7) + [40] + [UInt8](repeating: 9, count: 24)
        for (boxes, isCut) in [
            (start, false), (start + box(0, "mdat", 40), false), (start + large, false),
            (start + box(48, "mdat", 40), false),
            (start + box(48, "mdat", 39), true), (start + large.dropLast(), true),
            (start + large.prefix(12), true), (start + large.prefix(15), true),
            (start + large.prefix(16), true),
            (start + large + box(9, "free", 0), true), (start + large + box(8, "free", 0), false),
        ] { #expect(ISOBoxes.isCut(boxes) == isCut, "\(boxes)") }
    }

    @Test func `a file larger than the limit is refused before its pixels`() throws {
        var options = DecodingOptions()
        options.pixelLimit = 1_000
        for name in [
            "lossy.webp", "display-p3.heic", "display-p3.avif", "uncompressed.tiff", "tiled.tiff",
            "plain.gif",
            "bitmap-preview.dng",
        ] where try isBuiltIn(name) {
            let bytes = try Fixture.bytes("formats/\(name)")
            #expect(throws: ImageError.tooLarge(width: 64, height: 48, limit: 1_000), "\(name)") {
                try Picture(bytes: bytes, options: options)
            }
        }
        options = DecodingOptions()
        options.wholeMemoryLimit = 10_000
        for name in ["alpha-lossless.webp", "display-p3.heic"] where try isBuiltIn(name) {
            let bytes = try Fixture.bytes("formats/\(name)")
            #expect(throws: ImageError.pastLimit("64x48 in one piece needs too much memory"), "\(name)") {
                try Picture(bytes: bytes, options: options)
            }
        }
    }

    #if RAW
    /// TIFF's 274: 3 is upside down, 6 and 8 lie on their sides.
    @Test(arguments: [1, 3, 6, 8]) func `a preview in pixels lies as the raw file says`(orientation: Int)
        throws
    {
        var bytes = try Fixture.bytes("formats/bitmap-preview.dng")
        let plain = try Picture(bytes: bytes)
        let structure = try #require(TIFFStructure(bytes))
        let field = try #require(structure.directory(at: structure.first)?.fields[274])
        #expect(plain.metadata.orientation == 1 && structure.number(field) == 1)
        bytes[field.range.lowerBound + (structure.isBigEndian ? 1 : 0)] = UInt8(orientation)
        let turned = try Picture(bytes: bytes)
        #expect(turned.metadata.orientation == orientation)
        #expect(turned.image == plain.image.upright(orientation: orientation))
        let sides = [plain.width, plain.height]
        #expect([turned.width, turned.height] == (orientation > 4 ? sides.reversed() as [Int] : sides))
    }

    /// Another preview behind the file, which the first directory names: it lies as it says itself, and tells
    /// what the raw file does not.
    @Test(arguments: [nil, 1, 8]) func `a preview's own words count`(orientation: Int?) throws {
        let bytes = try Fixture.bytes("formats/jpeg-preview.dng"), plain = try Picture(bytes: bytes)
        let place: [TIFFBuilder.Field] = [
            .init(1, text: "S"), .init(2, 5, fractions: [(33, 1), (30, 1), (0, 1)]), .init(3, text: "E"),
            .init(4, 5, fractions: [(151, 1), (0, 1), (0, 1)]),
        ]
        let words: [TIFFBuilder.Field] = [
            .init(0x110, text: "Another"),
            .init(0x8769, directory: [.init(0x9003, text: "2001:02:03 04:05:06")]),
            .init(0x8825, directory: place),
        ]
        let turn = orientation.map { [TIFFBuilder.Field(0x112, 3, $0)] } ?? []
        let jpeg = try Fixture.bytes("quadrants-64x48.jpg").withoutSegments([0xE1])
            .with(exif: TIFFBuilder.file(words.prefix(1) + turn + words.dropFirst()))
        let structure = try #require(TIFFStructure(bytes))
        let directory = try #require(structure.directory(at: structure.first))
        var file = bytes + jpeg
        for (tag, value) in [(256, 64), (257, 48), (273, bytes.count), (279, jpeg.count), (278, 48)] {
            let field = try #require(directory.fields[tag])
            let number = TIFFBuilder.number(value, field.range.count)
            file.replaceSubrange(field.range, with: structure.isBigEndian ? number.reversed() : number)
        }
        let picture = try Picture(bytes: file)
        #expect(plain.metadata.orientation == 6 && picture.metadata.orientation == orientation ?? 6)
        #expect((picture.width, picture.height) == (orientation == 1 ? (64, 48) : (48, 64)))
        #expect(
            picture.metadata.captured == plain.metadata.captured
                && picture.metadata.camera == plain.metadata.camera)
        #expect(picture.metadata.latitude == -33.5 && picture.metadata.longitude == 151)
    }

    @Test func `of a cut raw file the preview is kept, with a note`() throws {
        let bytes = try Fixture.bytes("formats/jpeg-preview.dng"), cut = Array(bytes.dropLast())
        let kept = try Picture(bytes: cut)
        #expect(kept.image == (try Picture(bytes: bytes).image))
        #expect(kept.notes == ["the file ends early, behind the picture"])
    }

    /// exiftool's tables of RAF: the preview, the directory, and the sensor's data, each an offset and a size
    /// at 84, 92, and 100.
    @Test func `a file of Fujifilm's is cut when a part of it lies beyond the end`() {
        func isCut(_ part: Int, _ offset: Int, _ size: Int, count: Int = 200) -> Bool {
            var bytes = Array("FUJIFILMCCD-RAW ".utf8) + [UInt8](repeating: 0, count: count - 16)
            if part + 8 <= count {
                bytes.replaceSubrange(part..<part + 4, with: TIFFBuilder.number(offset, 4).reversed())
                bytes.replaceSubrange(part + 4..<part + 8, with: TIFFBuilder.number(size, 4).reversed())
            }
            do throws(ImageError) {
                _ = try Picture(bytes: bytes)
                return false
            } catch { return error == .truncated(rows: 0, height: 0, scan: 1) }
        }
        for part in [84, 92, 100] {
            #expect(isCut(part, 150, 51) && !isCut(part, 150, 50) && isCut(part, 201, 0))
        }
        #expect(isCut(150, 0, 0, count: 107) && !isCut(76, 900, 900))
    }
    #endif

    /// LibRaw 0.20 reads that length into memory for the picture: a file that the fuzzer found.
    @Test func `a preview in layers that is longer than its picture is refused`() throws {
        let name = "jpeg-preview.dng"
        guard try isBuiltIn(name) else { return }
        var bytes = try Fixture.bytes("formats/\(name)")
        // Of the preview's directory: its width, 320, and its compression, JPEG.
        #expect(bytes[15_330...15_331] == [0x40, 1] && bytes[15_366] == 7)
        bytes.replaceSubrange(15_330...15_331, with: [6, 0])
        bytes[15_366] = 0
        #expect(throws: ImageError.self) { try Picture(bytes: bytes) }
    }

    @Test func `large pictures are shrunk by means of what they are shrunk from`() throws {
        var options = DecodingOptions()
        (options.wholePixels, options.side) = (300, 16)
        for name in [
            "lossy.webp", "alpha-lossy.webp", "alpha-lossless.webp", "animated-offset.webp",
            "display-p3.heic",
            "alpha.avif", "uncompressed.tiff", "cmyk.tiff", "alpha.tiff", "alpha-associated.tiff",
            "tiled.tiff",
            "plain.gif", "interlaced.gif", "transparent.gif", "offset.gif", "bitmap-preview.dng",
        ] where try isBuiltIn(name) {
            let picture = try Picture(bytes: try Fixture.bytes("formats/\(name)"), options: options)
            #expect(picture.image.width <= 20 && picture.image.height <= 20, "\(name)")
            let golden = try #require(FormatGolden.files[name])
            #expect([picture.width, picture.height] == golden.size, "\(name)")
            // The last column and row may hang over the edge.
            #expect(picture.image.weightedGrid.colors.distance(to: golden.grid) <= 16, "\(name)")
        }
    }

    /// Pillow and Go's decoder refuse the second, too.
    @Test(arguments: [
        ("invalid-palette-ref.tiff", "file ends before its end marker")
    ])
    func `a TIFF that cannot be read is refused in words`(name: String, words: String) throws {
        guard try isBuiltIn(name) else { return }
        let bytes = try Fixture.bytes("formats/\(name)")
        do throws(ImageError) {
            _ = try Picture(bytes: bytes)
            Issue.record("read")
        } catch { #expect(error.description == words) }
    }

    #if TIFF
    /// Two pixels, uncompressed, of one Y Cb Cr. The colors are T.871's for what a file without coefficients
    /// means.
    @Test(arguments: [[0, 0, 0], [299, 587, 114]] as [[UInt32]])
    func `Y Cb Cr without usable coefficients has the usual ones`(coefficients: [UInt32]) throws {
        func number(_ value: UInt32, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
        }
        func field(_ tag: UInt32, _ type: UInt32, _ count: UInt32, _ value: UInt32) -> [UInt8] {
            number(tag, 2) + number(type, 2) + number(count, 4) + number(value, 4)
        }
        // A header of 8 bytes, 11 fields, the values that do not fit a field, the pixels.
        let values: UInt32 = 8 + 2 + 11 * 12 + 4
        var bytes: [UInt8] = Array("II*\0".utf8) + number(8, 4) + number(11, 2)
        bytes += field(256, 3, 1, 2) + field(257, 3, 1, 1) + field(258, 3, 3, values) + field(259, 3, 1, 1)
        bytes += field(262, 3, 1, 6) + field(273, 4, 1, values + 30) + field(277, 3, 1, 3)
        bytes += field(278, 3, 1, 1) + field(279, 4, 1, 6) + field(529, 5, 3, values + 6)
        bytes += field(530, 3, 2, 0x0001_0001) + number(0, 4)
        bytes += number(8, 2) + number(8, 2) + number(8, 2)
        for coefficient in coefficients { bytes += number(coefficient, 4) + number(1000, 4) }
        bytes += [120, 90, 200, 120, 90, 200]
        let pixel = try Picture(bytes: bytes).image.rgba[0..<3]
        #expect(zip(pixel, [221, 82, 53] as [UInt8]).allSatisfy { abs(Int($0) - Int($1)) <= 2 }, "\(pixel)")
    }
    #endif

    /// GIF89a, 18 and 20. Codes of three bits, of four from the last pixel on: clear, 1, 0, 0, 1, end.
    @Test(arguments: [(0, 0, 2, 2), (3, 1, 5, 3), (1, 0, 3, 2), (0, 5, 2, 7)])
    func `the canvas of a GIF grows to hold its first picture where that lies`(
        left: Int, top: Int, width: Int, height: Int
    ) throws {
        guard ImageFormat.gif.isBuiltIn else { return }
        let codes = 4 | 1 << 3 | 0 << 6 | 0 << 9 | 1 << 12 | 5 << 16
        var bytes = Array("GIF89a".utf8) + [2, 0, 2, 0, 0x80, 0, 0] + [10, 20, 30, 200, 100, 50]
        bytes += [0x2C, UInt8(left), 0, UInt8(top), 0, 2, 0, 2, 0, 0, 2, 3]
        bytes += [codes & 255, codes >> 8 & 255, codes >> 16].map { UInt8($0) } + [0, 0x3B]
        let picture = try Picture(bytes: bytes)
        #expect([picture.width, picture.height] == [width, height] && picture.notes == [])
        for (index, color) in [[200, 100, 50], [10, 20, 30], [10, 20, 30], [200, 100, 50]].enumerated() {
            let at = ((top + index / 2) * width + left + index % 2) * 4
            #expect(picture.image.rgba[at..<at + 4].map { Int($0) } == color + [255], "\(index)")
        }
        let opaque = stride(from: 3, to: width * height * 4, by: 4).count { picture.image.rgba[$0] > 0 }
        #expect(opaque == 4)
    }

    /// GIF89a, 20.c.iv and 23: a picture's own colors replace the file's; what a control block says is of the
    /// picture behind it. Codes as above.
    @Test(
        arguments: [
            ([], [255, 255]), ([0], [0, 255]), ([1], [255, 0]), ([nil], [255, 255]), ([0, nil], [255, 255]),
            ([nil, 1], [255, 0]), ([0, 1], [255, 0]),
        ] as [([Int?], [UInt8])])
    func `a GIF has its picture's own colors, and is clear where its last control block says so`(
        controls: [Int?], alphas: [UInt8]
    ) throws {
        guard ImageFormat.gif.isBuiltIn else { return }
        let codes = 4 | 1 << 3 | 0 << 6 | 0 << 9 | 1 << 12 | 5 << 16
        for own in [[], [1, 2, 3, 4, 5, 6]] as [[UInt8]] {
            var bytes = Array("GIF89a".utf8) + [2, 0, 2, 0, 0x80, 0, 0] + [10, 20, 30, 200, 100, 50]
            for clear in controls {
                bytes += [0x21, 0xF9, 4, clear == nil ? 0 : 1, 0, 0, UInt8(clear ?? 0), 0]
            }
            bytes += [0x2C, 0, 0, 0, 0, 2, 0, 2, 0, own.isEmpty ? 0 : 0x80] + own
            bytes += [2, 3] + [codes & 255, codes >> 8 & 255, codes >> 16].map { UInt8($0) } + [0, 0x3B]
            let colors: [[UInt8]] =
                own.isEmpty ? [[10, 20, 30], [200, 100, 50]] : [[1, 2, 3], [4, 5, 6]]
            let rgba = try Picture(bytes: bytes).image.rgba
            for (pixel, index) in [1, 0, 0, 1].enumerated() {
                let got = Array(rgba[pixel * 4..<pixel * 4 + 4])
                #expect(got == (alphas[index] == 0 ? [0, 0, 0, 0] : colors[index] + [255]), "\(pixel)")
            }
        }
    }

    /// TIFF 6.0, ExtraSamples: one meaning for each, in their order.
    @Test(arguments: [(2, [50, 100, 25, 100]), (1, [128, 255, 64, 100]), (0, [50, 100, 25, 255])])
    func `of several samples behind the colors of a TIFF the first says what it is`(first: Int, seen: [UInt8])
        throws
    {
        guard ImageFormat.tiff.isBuiltIn else { return }
        let bits = (0..<5).flatMap { _ in TIFFBuilder.number(8, 2) }
        let file = TIFFBuilder.file(
            [
                .init(256, 3, 1), .init(257, 3, 1), .init(258, 3, bits), .init(259, 3, 1), .init(262, 3, 2),
                .init(273, 4, 0), .init(277, 3, 5), .init(278, 3, 1), .init(279, 4, 5), .init(284, 3, 1),
                .init(338, 3, first, 0),
            ], pixels: [50, 100, 25, 100, 7])
        let rgba = try Picture(bytes: file).image.rgba
        #expect(zip(rgba, seen).allSatisfy { abs(Int($0) - Int($1)) <= 1 }, "\(rgba)")
    }

    /// TIFF 6.0, ExtraSamples: 1 is alpha that colors were multiplied by, 2 is alpha by itself, 0 says
    /// nothing; and PhotometricInterpretation: 0 is white at 0, 1 black at 0, 2 RGB.
    @Test(arguments: [
        (1, 1, [50, 100], [128, 128, 128, 100]), (1, 2, [50, 100], [50, 50, 50, 100]),
        (1, 0, [50, 100], [50, 50, 50, 255]), (0, 2, [50, 100], [205, 205, 205, 100]),
        (2, 1, [50, 100, 25, 100], [128, 255, 64, 100]), (2, 2, [50, 100, 25, 100], [50, 100, 25, 100]),
        (2, 0, [50, 100, 25, 100], [50, 100, 25, 255]), (2, 1, [50, 100, 25, 0], [0, 0, 0, 0]),
    ])
    func `the sample behind the colors of a TIFF is what the file says`(
        photometric: Int, extra: Int, pixel: [UInt8], seen: [UInt8]
    ) throws {
        guard ImageFormat.tiff.isBuiltIn else { return }
        for isWide in [false, true] {
            let samples = isWide ? pixel.flatMap { [$0, $0] } : pixel, bits = isWide ? 16 : 8
            var fields: [TIFFBuilder.Field] = [
                .init(256, 3, 3), .init(257, 3, 2),
                .init(258, 3, pixel.flatMap { _ in TIFFBuilder.number(bits, 2) }), .init(259, 3, 1),
                .init(262, 3, photometric), .init(273, 4, 0), .init(277, 3, pixel.count), .init(278, 3, 2),
            ]
            fields += [.init(279, 4, samples.count * 6), .init(284, 3, 1), .init(338, 3, extra)]
            let file = TIFFBuilder.file(fields, pixels: Array(repeating: samples, count: 6).flatMap { $0 })
            let rgba = try Picture(bytes: file).image.rgba
            // Of a pixel that cannot be seen the colors do not matter.
            let first = seen[3] == 0 ? [0, 0, 0, rgba[3]] : Array(rgba[..<4])
            #expect(zip(first, seen).allSatisfy { abs(Int($0) - Int($1)) <= 1 }, "\(first), \(bits) bits")
            #expect(rgba.suffix(4) == rgba.prefix(4) && rgba.count == 24)
        }
    }

    @Test func `an error says which trait reads the file`() {
        #expect(
            ImageError.notBuiltIn(.webp).description == "WebP is not built in: swift build --traits WebP")
        #expect(
            ImageError.notBuiltIn(.avif).description == "AVIF is not built in: swift build --traits AVIF")
    }

    /// Of a kind that is not, that it is refused for that reason.
    private func isBuiltIn(_ name: String) throws -> Bool {
        let bytes = try Fixture.bytes("formats/\(name)"), format = try #require(ImageFormat(bytes: bytes))
        if !format.isBuiltIn {
            #expect(throws: ImageError.notBuiltIn(format)) { try Picture(bytes: bytes) }
        }
        return format.isBuiltIn
    }
}

/// `Fixtures/golden-formats.json`.
struct FormatGolden: Decodable {
    struct File: Decodable {
        let size: [Int]
        /// Mean R G B, weighed by alpha, and mean alpha, of 4 x 3 tiles, row by row.
        let grid: [[Int]], alpha: [Int]
        let metadata: Golden.Metadata?

        /// Upsampling of color differs between decoders where it is stored at half the sides.
        func tolerance(_ name: String) -> Double { name.hasSuffix("jpeg.tiff") ? 6 : 4 }
    }
    let files: [String: File], shared: [String: File]

    static let all: FormatGolden? = {
        guard let bytes = try? Fixture.bytes("golden-formats.json") else { return nil }
        return try? JSONDecoder().decode(FormatGolden.self, from: Data(bytes))
    }()
    static var files: [String: File] { all?.files ?? [:] }
    static var shared: [String: File] { all?.shared ?? [:] }
}

extension Image {
    /// Mean R G B, weighed by alpha, and mean alpha, of 4 x 3 tiles; pixels on a border by the part inside.
    var weightedGrid: (colors: [[Double]], alpha: [Double]) {
        var sums = [[Double]](repeating: [0, 0, 0, 0, 0], count: 12)
        func parts(_ index: Int, _ size: Int, _ tiles: Int) -> [(tile: Int, weight: Double)] {
            let start = Double(index * tiles) / Double(size), end = Double((index + 1) * tiles) / Double(size)
            return (Int(start)...min(tiles - 1, Int(end))).compactMap { tile in
                let weight = min(end, Double(tile + 1)) - max(start, Double(tile))
                return weight > 0 ? (tile, weight) : nil
            }
        }
        let columns = (0..<width).map { parts($0, width, 4) }
        for y in 0..<height {
            for row in parts(y, height, 3) {
                for x in 0..<width {
                    let at = (y * width + x) * 4
                    let alpha = Double(rgba[at + 3]) / 255
                    for column in columns[x] {
                        let weight = row.weight * column.weight, tile = row.tile * 4 + column.tile
                        for channel in 0..<3 {
                            sums[tile][channel] += weight * alpha * Double(rgba[at + channel])
                        }
                        sums[tile][3] += weight * alpha
                        sums[tile][4] += weight
                    }
                }
            }
        }
        return (
            sums.map { sum in sum[0..<3].map { $0 / max(sum[3], 1e-9) } }, sums.map { $0[3] / $0[4] * 255 }
        )
    }
}

extension [[Double]] {
    /// The largest difference of a tile's mean from what another decoder sees.
    fileprivate func distance(to golden: [[Int]]) -> Double {
        zip(self, golden).flatMap { zip($0, $1).map { abs($0 - Double($1)) } }.max() ?? .infinity
    }
}
