#if TIFF
import Foundation
import Testing

@testable import Images

/// TIFF files by their structure: byte orders, strips and tiles, pages, and what tells raw files apart.
@Suite struct TIFFTests {
    private typealias Field = TIFFBuilder.Field

    /// 20 x 18 pixels, no two rows or columns alike.
    private static let width = 20, height = 18

    private static func sample(_ x: Int, _ y: Int, _ channel: Int) -> Int {
        [x * 12, y * 13, (x + y) * 6, 255 - x * 5][channel]
    }

    /// The fields and the bytes of a picture of `colors` channels, in strips of 5 rows or tiles of 16 x 16.
    private static func picture(
        photometric: Int, colors: Int, isWide: Bool, isTiled: Bool, extra: Int? = nil, isPlanar: Bool = false,
        _ layout: TIFFBuilder.Layout = .init()
    ) -> [UInt8] {
        let channels = colors + (extra == nil ? 0 : 1)
        func pixel(_ x: Int, _ y: Int, _ part: Range<Int>) -> [UInt8] {
            part.flatMap { channel -> [UInt8] in
                let inside = x < width && y < height
                let value = inside ? sample(x, y, extra == nil || channel < colors ? channel : 3) : 99
                return isWide ? layout.number(value * 257, 2) : [UInt8(value)]
            }
        }
        var parts: [[UInt8]] = []
        for part in isPlanar ? (0..<channels).map({ $0..<$0 + 1 }) : [0..<channels] {
            guard isTiled else {
                for top in stride(from: 0, to: height, by: 5) {
                    let rows = top..<min(height, top + 5)
                    parts.append(rows.flatMap { y in (0..<width).flatMap { x in pixel(x, y, part) } })
                }
                continue
            }
            for (top, left) in [(0, 0), (0, 16), (16, 0), (16, 16)] {
                let columns = left..<left + 16
                parts.append((top..<top + 16).flatMap { y in columns.flatMap { x in pixel(x, y, part) } })
            }
        }
        let sizes = parts.map(\.count), starts = sizes.indices.map { sizes[..<$0].reduce(0, +) }
        func longs(_ tag: Int, _ numbers: [Int]) -> Field {
            Field(tag, 4, numbers.flatMap { TIFFBuilder.number($0, 4) })
        }
        var fields = [
            Field(256, 3, width), Field(257, 3, height),
            Field(258, 3, (0..<channels).flatMap { _ in TIFFBuilder.number(isWide ? 16 : 8, 2) }),
            Field(259, 3, 1), Field(262, 3, photometric),
        ]
        if !isTiled { fields.append(longs(273, starts)) }
        fields.append(Field(277, 3, channels))
        if !isTiled { fields += [Field(278, 3, 5), longs(279, sizes)] }
        fields.append(Field(284, 3, isPlanar ? 2 : 1))
        if isTiled {
            fields += [Field(322, 3, 16), Field(323, 3, 16), longs(324, starts), longs(325, sizes)]
        }
        if let extra { fields.append(Field(338, 3, extra)) }
        return TIFFBuilder.file(fields, pixels: parts.flatMap { $0 }, layout)
    }

    @Test(arguments: TIFFBuilder.Layout.allCases)
    func `every pixel of strips and tiles lies where it belongs`(layout: TIFFBuilder.Layout) throws {
        for (isWide, isTiled) in [(false, false), (true, false), (false, true), (true, true)] {
            let file = Self.picture(
                photometric: 2, colors: 3, isWide: isWide, isTiled: isTiled, layout)
            let picture = try Picture(bytes: file), rgba = picture.image.rgba
            #expect((picture.image.width, picture.image.height) == (Self.width, Self.height))
            let expected = (0..<Self.height * Self.width * 4).map { index -> UInt8 in
                let pixel = index / 4
                return index % 4 == 3
                    ? 255 : UInt8(Self.sample(pixel % Self.width, pixel / Self.width, index % 4))
            }
            #expect(rgba == expected && picture.notes == [], "\(isWide) \(isTiled)")
        }
    }

    /// libtiff takes the second sample of tiles of gray for more than it is: 60 of alpha 120 came as 128.
    @Test(arguments: [0, 1], [false, true])
    func `gray with alpha is the same in strips and in tiles`(photometric: Int, isWide: Bool) throws {
        for extra in [1, 2] {
            let pixels = try [false, true].map { isTiled in
                try Picture(
                    bytes: Self.picture(
                        photometric: photometric, colors: 1, isWide: isWide, isTiled: isTiled, extra: extra)
                ).image.rgba
            }
            #expect(pixels[0] == pixels[1])
            // Column 1 of row 3: 12 of 255, alpha 250.
            let gray = photometric == 0 ? 243 : 12, at = (3 * Self.width + 1) * 4
            let seen = extra == 2 ? gray : min(255, (gray * 255 + 125) / 250)
            #expect(pixels[1][at..<at + 4] == [UInt8(seen), UInt8(seen), UInt8(seen), 250])
        }
    }

    /// libtiff multiplies by alpha what it reads of planes, and colors lose a little.
    @Test(arguments: [0, 1, 2], [false, true])
    func `planes with a fourth sample are what the file says`(extra: Int, isTiled: Bool) throws {
        for isWide in [false, true] {
            let rgba = try [false, true].map { isPlanar in
                try Picture(
                    bytes: Self.picture(
                        photometric: 2, colors: 3, isWide: isWide, isTiled: isTiled, extra: extra,
                        isPlanar: isPlanar)
                ).image.rgba
            }
            #expect(rgba[0].count == Self.width * Self.height * 4)
            let differences = zip(rgba[0], rgba[1]).map { abs(Int($0) - Int($1)) }
            #expect((differences.max() ?? 255) <= 1, "\(isWide)")
            // Column 1 of row 3: alpha 250 of green 39.
            let seen = [extra == 1 ? 40 : 39, extra == 0 ? 255 : 250], at = (3 * Self.width + 1) * 4
            #expect([rgba[0][at + 1], rgba[0][at + 3]].map { Int($0) } == seen)
        }
    }

    /// Plain inks filter light one after the other.
    @Test(arguments: [false, true], [false, true])
    func `inks of either depth are read from strips and from tiles`(isWide: Bool, isTiled: Bool) throws {
        let file = Self.picture(photometric: 5, colors: 4, isWide: isWide, isTiled: isTiled)
        let rgba = try Picture(bytes: file).image.rgba
        for (x, y) in [(0, 0), (15, 15), (16, 3), (3, 16), (19, 17)] {
            let black = 255 - Self.sample(x, y, 3), at = (y * Self.width + x) * 4
            for channel in 0..<3 {
                let light = Double((255 - Self.sample(x, y, channel)) * black) / 255
                #expect(abs(Double(rgba[at + channel]) - light) <= 0.5, "\(x) \(y) \(channel)")
            }
        }
    }

    /// TIFF 6.0, section 23 (8: a and b with signs), and Adobe's ICCLab (9: above 128). By hand, with
    /// Bradford's matrix: L 100, a 80, b 80 is more red than there is, and L 50 is 119 of 255.
    @Test(arguments: [8, 9], [false, true])
    func `colors of Lab beyond sRGB end at its edge`(photometric: Int, isWide: Bool) throws {
        let colors = [(100, 80, 80), (0, 0, 0), (100, 0, 0), (50, 0, 0), (50, -100, 0), (20, 60, -110)]
        let pixels = colors.flatMap { light, a, b -> [UInt8] in
            let start = photometric == 9 ? 128 : 0
            return isWide
                ? TIFFBuilder.number(light * 65_535 / 100, 2) + TIFFBuilder.number((a + start) * 256, 2)
                    + TIFFBuilder.number((b + start) * 256, 2)
                : [
                    UInt8((light * 255 + 50) / 100), UInt8(truncatingIfNeeded: a + start),
                    UInt8(truncatingIfNeeded: b + start),
                ]
        }
        let bits = (0..<3).flatMap { _ in TIFFBuilder.number(isWide ? 16 : 8, 2) }
        let file = TIFFBuilder.file(
            [
                .init(256, 3, colors.count), .init(257, 3, 1), .init(258, 3, bits), .init(259, 3, 1),
                .init(262, 3, photometric), .init(273, 4, 0), .init(277, 3, 3), .init(278, 3, 1),
                .init(279, 4, pixels.count), .init(284, 3, 1),
            ], pixels: pixels)
        let rgba = try Picture(bytes: file).image.rgba
        for (index, (light, a, b)) in colors.enumerated() {
            let seen = (0..<4).map { Int(rgba[index * 4 + $0]) }, expected = Self.color(light, a, b)
            #expect(zip(seen, expected).allSatisfy { abs($0 - $1) <= 3 }, "\(seen), not \(expected)")
        }
        #expect(zip(Self.color(100, 80, 80), [255, 178, 101, 255]).allSatisfy { abs($0 - $1) <= 1 })
    }

    /// CIE 15, 8.2.1.1, and IEC 61966-2-1, in doubles.
    private static func color(_ light: Int, _ a: Int, _ b: Int) -> [Int] {
        func cube(_ t: Double) -> Double { t > 6 / 29.0 ? t * t * t : (t - 4 / 29.0) * 108 / 841 }
        let y = (Double(light) + 16) / 116
        let xyz = [0.9642 * cube(y + Double(a) / 500), cube(y), 0.8249 * cube(y - Double(b) / 200)]
        let matrix = [
            [3.1338561, -1.6168667, -0.4906146], [-0.9787684, 1.9161415, 0.0334540],
            [0.0719453, -0.2289914, 1.4052427],
        ]
        return matrix.map { row in
            let linear = min(max(row[0] * xyz[0] + row[1] * xyz[1] + row[2] * xyz[2], 0), 1)
            let stored = linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055
            return Int(stored * 255 + 0.5)
        } + [255]
    }

    /// v * 255 / 65,535, rounded to nearest.
    @Test func `samples of sixteen bits are rounded`() throws {
        let values = (0..<300).map { $0 * 219 + ($0 % 2) } + [128, 129, 385, 386, 65_406, 65_407, 65_535]
        let file = TIFFBuilder.file(
            [
                .init(256, 3, values.count), .init(257, 3, 1), .init(258, 3, 16), .init(259, 3, 1),
                .init(262, 3, 1), .init(273, 4, 0), .init(277, 3, 1), .init(278, 3, 1),
                .init(279, 4, values.count * 2), .init(284, 3, 1),
            ], pixels: values.flatMap { TIFFBuilder.number($0, 2) })
        let rgba = try Picture(bytes: file).image.rgba
        for (index, value) in values.enumerated() {
            #expect(Int(rgba[index * 4]) == Int(Double(value) * 255 / 65_535 + 0.5), "\(value)")
        }
    }

    /// A tile of more than the limit is left to libtiff, which says so; a row of tiles that fits is read.
    @Test func `tiles take memory for a row of them`() throws {
        let file = Self.picture(photometric: 2, colors: 3, isWide: true, isTiled: true)
        var options = DecodingOptions()
        // 16 rows of 20 pixels, or a tile, of six bytes a pixel.
        options.rowMemoryLimit = 16 * 20 * 6
        #expect(try Picture(bytes: file, options: options).image.rgba[4..<7] == [12, 0, 6])
        options.rowMemoryLimit = 16 * 16 * 4
        #expect(throws: ImageError.self) { try Picture(bytes: file, options: options) }
    }

    /// 73 is "I", and the pixels stand where Phase One writes four of them.
    @Test func `gray pixels that spell a maker's mark make no raw file`() throws {
        let directory = TIFFBuilder.file([
            .init(256, 3, 4), .init(257, 3, 4), .init(258, 3, 8), .init(259, 3, 1), .init(262, 3, 1),
            .init(273, 4, 8), .init(277, 3, 1), .init(278, 3, 4), .init(279, 4, 16),
        ]).dropFirst(8)
        let file = Array("II*\0".utf8) + [24, 0, 0, 0] + [UInt8](repeating: 73, count: 16) + directory
        #expect(ImageFormat(bytes: file) == .tiff)
        #expect(
            try Picture(bytes: file).image.rgba == (0..<16).flatMap { _ in [73, 73, 73, 255] as [UInt8] })
        #expect(ImageFormat(bytes: Array("II*\0\u{10}\0\0\0IIII\u{1}waR".utf8)) == .raw)
        #expect(ImageFormat(bytes: Array("II*\0\u{10}\0\0\0IIII\u{1}waS".utf8)) == .tiff)
        #expect(ImageFormat(bytes: Array("II*\0\u{10}\0\0\0IIIJ\u{1}waR".utf8)) == .tiff)
    }

    /// What cameras write of a photo, in every byte order and size of offsets.
    @Test(arguments: TIFFBuilder.Layout.allCases)
    func `date, place, camera and orientation are read in every layout`(layout: TIFFBuilder.Layout) throws {
        let dates: [Field] = [
            Field(0x9003, text: "2019:08:07 06:05:04"), Field(0x9004, text: "2018:01:02 03:04:05"),
            Field(0x9011, text: "+05:30"), Field(0x9012, text: "-03:00"), Field(0x9291, text: "25"),
            Field(0x9292, text: "75"),
        ]
        let place = [
            Field(1, text: "S"), Field(2, 5, fractions: [(33, 1), (51, 1), (3540, 100)]),
            Field(3, text: "E"), Field(4, 5, fractions: [(151, 1), (12, 1), (0, 1)]),
        ]
        func metadata(_ dates: [Field], _ place: [Field]) throws -> PhotoMetadata {
            let file = TIFFBuilder.file(
                [
                    Field(0x10F, text: "Make"), Field(0x110, text: "Cam"), Field(0x112, 3, 6),
                    Field(0x8769, directory: dates), Field(0x8825, directory: place),
                ], layout)
            var notes: [String] = []
            let metadata = try #require(TIFFStructure(file)).metadata(notes: &notes)
            #expect(notes == [])
            return metadata
        }
        let whole = try metadata(dates, place)
        #expect((whole.camera, whole.orientation) == ("Make Cam", 6))
        #expect(abs((whole.latitude ?? 0) + 33.8598333) < 1e-6 && whole.longitude == 151.2)
        let original = try #require(whole.captured)
        #expect((original.year, original.second, original.nanosecond) == (2019, 4, 250_000_000))
        #expect((original.offsetMinutes, original.source) == (330, .original))
        let digitized = try #require(
            try metadata(dates.filter { $0.tag != 0x9003 }, place).captured)
        #expect((digitized.year, digitized.second, digitized.nanosecond) == (2018, 5, 750_000_000))
        #expect((digitized.offsetMinutes, digitized.source) == (-180, .digitized))
        let time = [Field(7, 5, fractions: [(23, 1), (1, 1), (30, 1)]), Field(0x1D, text: "2017:12:31")]
        let gps = try #require(try metadata([], place + time).captured)
        #expect((gps.year, gps.day, gps.hour, gps.minute, gps.second) == (2017, 31, 23, 1, 30))
    }

    @Test func `of a text 63 bytes count`() throws {
        for (count, kept) in [(62, 62), (63, 63), (64, 63), (2_000, 63)] {
            let file = TIFFBuilder.file([Field(0x110, text: String(repeating: "a", count: count))])
            var notes: [String] = []
            let metadata = try #require(TIFFStructure(file)).metadata(notes: &notes)
            #expect(metadata.camera?.count == kept)
        }
    }

    /// The second page is cut, and the first has all of its rows: the last row of means is of one row.
    @Test func `a page that is whole keeps its last rows`() throws {
        var file = Self.picture(photometric: 2, colors: 3, isWide: false, isTiled: false)
        let fields = Int(file[8]) + Int(file[9]) << 8, next = 10 + 12 * fields
        file.replaceSubrange(next..<next + 4, with: TIFFBuilder.number(file.count, 4))
        file +=
            TIFFBuilder.number(1, 2) + TIFFBuilder.number(270, 2) + [
                2, 0, 99, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0,
            ]
        var options = DecodingOptions()
        (options.acceptsTruncated, options.side, options.wholePixels) = (true, 1, 4 * 4)
        let kept = try Picture(bytes: file, options: options)
        // 20 x 18 pixels in squares of five.
        #expect((kept.image.width, kept.image.height) == (4, 4))
        #expect(kept.notes == ["the file ends early, behind the picture"])
        options.acceptsTruncated = false
        #expect(try Picture(bytes: file, options: options).image == kept.image)
    }

    /// TIFF 6.0, section 2, and BigTIFF: 1, 3, 4, 13, 16 and 18 are whole numbers of 1, 2, 4, 4, 8 and 8
    /// bytes without a sign; 2, 5, 6 and 9 are something else.
    @Test(arguments: TIFFBuilder.Layout.allCases) func `whole numbers of every type count`(
        layout: TIFFBuilder.Layout
    ) throws {
        for (type, size) in [(1, 1), (3, 2), (4, 4), (13, 4), (16, 8), (18, 8)] {
            let values = [5, 200, 17].map { $0 << (8 * (size - 1)) }.map { $0 < 0 ? 5 : $0 }
            let bytes = values.flatMap { TIFFBuilder.number($0, size) }
            let structure = try #require(TIFFStructure(TIFFBuilder.file([Field(273, type, bytes)], layout)))
            let directory = try #require(structure.directory(at: structure.first))
            #expect(structure.numbers(directory.fields[273]) == values, "type \(type)")
            #expect(structure.numbers(directory.fields[273], limit: 2) == Array(values[..<2]))
            #expect(structure.number(directory.fields[273]) == values[0])
        }
        for type in [2, 5, 6, 9] {
            let file = TIFFBuilder.file([Field(273, type, [UInt8](repeating: 1, count: 24))], layout)
            let structure = try #require(TIFFStructure(file))
            let directory = try #require(structure.directory(at: structure.first))
            #expect(directory.fields[273] != nil && structure.numbers(directory.fields[273]) == [])
        }
    }

    /// What is inside ends with the last byte; one byte further, or earlier, it does not.
    @Test(arguments: TIFFBuilder.Layout.allCases) func `what lies beyond the end is missing`(
        layout: TIFFBuilder.Layout
    ) throws {
        func isWhole(_ offsets: Int, _ start: [Int], _ size: [Int]) throws -> Bool {
            let tags = [273: 279, 324: 325, 513: 514]
            func longs(_ tag: Int, _ numbers: [Int]) -> Field {
                Field(tag, 4, numbers.flatMap { TIFFBuilder.number($0, 4) })
            }
            let file = TIFFBuilder.file(
                [longs(offsets, start), longs(try #require(tags[offsets]), size)], layout)
            return try #require(TIFFStructure(file + [UInt8](repeating: 0, count: 1_000 - file.count)))
                .isWhole
        }
        for tag in [273, 324, 513] {
            #expect(try isWhole(tag, [900], [100]) && isWhole(tag, [1_000], [0]))
            #expect(try !isWhole(tag, [900], [101]) && !isWhole(tag, [1_001], [0]))
            #expect(try isWhole(tag, [10, 990], [5, 10]) && !isWhole(tag, [10, 990], [5, 11]))
            // All ones: elsewhere, and no matter how much.
            #expect(try isWhole(tag, [0xFFFF_FFFF], [2_000]) && !isWhole(tag, [0xFFFF_FFFE], [2]))
        }
        // The values of a field.
        let text = TIFFBuilder.file([Field(0x10F, text: "A maker of cameras")], layout)
        #expect(try #require(TIFFStructure(text)).isWhole)
        let empty = try #require(TIFFStructure(TIFFBuilder.file([Field(700, 1, [])], layout)))
        #expect(empty.isWhole && empty.directory(at: empty.first)?.fields[700]?.range.isEmpty == true)
        let cut = try #require(TIFFStructure(Array(text.dropLast())))
        #expect(!cut.isWhole && cut.directory(at: cut.first)?.fields[0x10F] == nil)
    }

    @Test(arguments: TIFFBuilder.Layout.allCases) func `of a directory that is cut the whole fields count`(
        layout: TIFFBuilder.Layout
    ) throws {
        let file = TIFFBuilder.file([Field(256, 3, 7), Field(257, 3, 8)], layout)
        let size = 4 + 2 * layout.pointer
        func directory(_ count: Int) throws -> TIFFStructure.Directory? {
            let structure = try #require(TIFFStructure(Array(file[..<count])))
            return structure.directory(at: structure.first)
        }
        let fields = (layout.isBigTIFF ? 16 : 8) + layout.counter
        #expect(try directory(fields - 1) == nil && directory(fields + size - 1) == nil)
        let one = try #require(try directory(fields + size))
        #expect(one.isCut && Array(one.fields.keys) == [256])
        let both = try #require(try directory(file.count - 1))
        #expect(both.isCut && both.fields.count == 2 && both.next == 0)
        let whole = try #require(try directory(file.count))
        #expect(!whole.isCut && whole.fields.count == 2)
    }

    /// A value of as many bytes as an offset stands in the field itself.
    @Test(arguments: TIFFBuilder.Layout.allCases) func `short values stand in the field`(
        layout: TIFFBuilder.Layout
    ) throws {
        let room = layout.pointer
        for (length, isInside) in [(1, true), (room, true), (room + 1, false)] {
            let file = TIFFBuilder.file([Field(700, 1, [UInt8](repeating: 7, count: length))], layout)
            let structure = try #require(TIFFStructure(file))
            let field = try #require(structure.directory(at: structure.first)?.fields[700])
            let start = structure.first + layout.counter + 4 + room
            #expect((field.range.lowerBound == start) == isInside && field.range.count == length)
            #expect(file[field.range].allSatisfy { $0 == 7 })
        }
    }

    @Test(arguments: TIFFBuilder.Layout.allCases)
    func `of a field that stands twice the first counts, and 4,096 fields are read`(
        layout: TIFFBuilder.Layout
    ) throws {
        let twice = TIFFBuilder.file([Field(0x112, 3, 6), Field(0x112, 3, 3)], layout)
        let structure = try #require(TIFFStructure(twice))
        #expect(structure.number(structure.directory(at: structure.first)?.fields[0x112]) == 6)
        for (count, isRead) in [(4_096, true), (4_097, false)] {
            let many = TIFFBuilder.file((0..<count).map { Field($0 + 1_000, 3, $0) }, layout)
            let structure = try #require(TIFFStructure(many))
            let last = structure.directory(at: structure.first)?.fields[999 + count]
            #expect(structure.number(last) == (isRead ? count - 1 : nil))
        }
    }

    /// Adobe's DNGVersion, sensor data, and compressions of makers, wherever they stand; TIFF/EP, and Sony,
    /// Nikon, Samsung, Pentax.
    @Test(arguments: [
        (50706, 1, true), (262, 32803, true), (262, 34892, true), (262, 32804, false), (259, 34713, true),
        (259, 32767, true), (259, 32769, true), (259, 32770, true), (259, 32772, true), (259, 65535, true),
        (259, 32773, false), (259, 32771, false), (259, 7, false),
    ])
    func `a field of any directory tells a raw file`(tag: Int, value: Int, isRaw: Bool) {
        let field = Field(tag, 3, value), plain = Field(256, 3, 1)
        for layout in TIFFBuilder.Layout.allCases {
            let below = TIFFBuilder.file(
                [plain, Field(330, directory: [plain, Field(330, directory: [field])])], layout)
            for file in [TIFFBuilder.file([field], layout), below] {
                #expect(ImageFormat(bytes: file) == (isRaw ? .raw : .tiff))
            }
            // The second page: the number behind the fields of the first says where it is.
            var pages = TIFFBuilder.file([plain], layout)
            let next = pages.count - layout.pointer, second = pages.count
            pages.replaceSubrange(next..., with: layout.number(second, layout.pointer))
            pages += TIFFBuilder.file([field], layout).dropFirst(layout.isBigTIFF ? 16 : 8)
            #expect(ImageFormat(bytes: pages) == (isRaw ? .raw : .tiff))
        }
    }

    @Test func `pages that lead back to themselves are looked at once`() throws {
        var file = TIFFBuilder.file([Field(256, 3, 1)])
        file.replaceSubrange((file.count - 4)..., with: TIFFBuilder.number(8, 4))
        let structure = try #require(TIFFStructure(file))
        #expect(structure.directories.count == 1 && structure.isWhole)
        // 100 pages of 18 bytes, of which 64 are looked at.
        var pages = Array(file[..<8])
        for page in 1...100 {
            pages += file[8..<file.count - 4] + TIFFBuilder.number(page == 100 ? 0 : 8 + 18 * page, 4)
        }
        #expect(try #require(TIFFStructure(pages)).directories.count == 64)
    }

    @Test(arguments: [
        ("II", [42, 0], true), ("MM", [0, 42], true), ("MM", [42, 0], false), ("II", [0x52, 0x4F], true),
        ("II", [0x52, 0x53], true), ("II", [0x55, 0], true), ("II", [41, 0], false), ("IM", [42, 0], false),
        ("JJ", [42, 0], false),
    ])
    func `a structure begins with its byte order and a number`(order: String, magic: [UInt8], isOne: Bool) {
        let start = Array(order.utf8) + magic
        #expect((TIFFStructure(start + [8, 0, 0, 0]) != nil) == isOne)
        #expect(TIFFStructure(start + [8, 0, 0]) == nil, "seven bytes")
    }

    /// BigTIFF: 43, offsets of 8 bytes, 0, then the first offset.
    @Test func `a BigTIFF has offsets of eight bytes`() {
        let start = Array("II".utf8) + [43, 0, 8, 0, 0, 0], first: [UInt8] = [0x34, 0x12, 0, 0, 0, 0, 0, 0]
        #expect(TIFFStructure(start + first)?.first == 0x1234)
        #expect(TIFFStructure(start + first.dropLast()) == nil)
        #expect(TIFFStructure(Array("II".utf8) + [43, 0, 4, 0, 0, 0] + first) == nil)
    }

    /// libjpeg's guesses are looked for in strips that lie apart, and not in the same bytes again and again.
    @Test func `strips that are together longer than the file are not looked at one by one`() throws {
        let sound = try Fixture.bytes("jpeg/optimized-420.jpg")
        func guesses(_ jpeg: [UInt8], _ strips: [Int], areTiles: Bool = false) throws -> String? {
            let offsets = strips.flatMap { TIFFBuilder.number($0, 4) }
            let sizes = strips.flatMap { _ in TIFFBuilder.number(jpeg.count, 4) }
            let tags = areTiles ? (324, 325) : (273, 279)
            let file = TIFFBuilder.file(
                [.init(259, 3, 7), .init(tags.0, 4, offsets), .init(tags.1, 4, sizes)], pixels: jpeg + jpeg)
            let reader = TIFFReader(bytes: file, options: DecodingOptions())
            return reader.guessesOfJPEG(in: try #require(TIFFStructure(file)))
        }
        var damaged = sound, noted: String?
        for position in stride(from: sound.count / 2, to: sound.count - 40, by: 97) where noted == nil {
            damaged = sound
            damaged[position] = 0xAA
            damaged[position + 1] = 0x55
            noted = try guesses(damaged, [0])
        }
        #expect(noted?.isEmpty == false)
        // Some writers leave out the end marker.
        #expect(try guesses(damaged.dropLast(2), [0]) == noted)
        #expect(try guesses(damaged, [0, damaged.count]) == "2 of 2 parts: \(noted ?? "")")
        #expect(try guesses(damaged, [0], areTiles: true) == noted)
        #expect(try guesses(damaged, [0, 0, 0, 0]) == nil && guesses(sound, [0]) == nil)
    }
}
#endif
