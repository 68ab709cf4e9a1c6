#if HEIF
import Testing

@testable import Images

/// How HEIF files are put together, what is damaged in them, and how much they ask for.
@Suite struct HEIFTests {
    @Test(arguments: ["iovl", "iden", "av01"]) func `a picture of another kind is not read, by name`(
        kind: String
    ) {
        let item = HEIFBuilder.Item(id: 1, type: kind, properties: [1], data: [1, 2, 3])
        let file = HEIFBuilder(items: [item], properties: [HEIFBuilder.size(64, 48)]).file
        #expect(throws: ImageError.unsupported("a HEIF picture of the kind '\(kind)'")) {
            try Picture(bytes: file)
        }
    }

    /// ISO/IEC 14496-12, 8.11.3.3: an extent of length 0 is all that there is.
    @Test(arguments: [(0, 0, [1, 2, 3, 4, 5]), (2, 0, [3, 4, 5]), (1, 3, [2, 3, 4]), (5, 0, [])])
    func `an extent without a length goes to the end`(offset: Int, length: Int, contents: [UInt8]) {
        typealias B = HEIFBuilder
        let location =
            B.number(1, 2) + [0, 1, 0, 0] + B.number(1, 2) + B.number(offset, 4) + B.number(length, 4)
        let meta =
            B.box("iloc", [1, 0, 0, 0, 0x44, 0] + B.number(1, 2) + location) + B.box("idat", [1, 2, 3, 4, 5])
        let file = B.box("ftyp", Array("heic\0\0\0\0mif1heic".utf8)) + B.box("meta", B.number(0, 4) + meta)
        #expect(HEIFItems(file).contents(of: 1) == contents)
    }

    /// ISO/IEC 23008-12, 9.3.2: seven bits of an index, or fifteen where flag 1 is set; above them stands
    /// whether a reader must know the property.
    @Test(arguments: [(false, [1, 127]), (true, [1, 127, 128, 200, 300])])
    func `an item has the properties that are numbered`(isWide: Bool, numbers: [Int]) {
        typealias B = HEIFBuilder
        let properties = (1...300).flatMap { B.size($0, 7) }
        for isEssential in [false, true] {
            let entries = numbers.flatMap {
                B.number($0 | (isEssential ? (isWide ? 0x8000 : 0x80) : 0), isWide ? 2 : 1)
            }
            let association = B.number(1, 2) + [UInt8(numbers.count)] + entries
            let ipma = [0, 0, 0, isWide ? 1 : 0] + B.number(1, 4) + association
            let file = B.box(
                "meta", B.number(0, 4) + B.box("iprp", B.box("ipco", properties) + B.box("ipma", ipma)))
            let items = HEIFItems(file)
            let widths = items.properties(of: 1, "ispe").map { items.number($0.body.lowerBound + 4, 4) }
            #expect(widths == numbers)
            #expect(items.items[1]?.properties.map(\.isEssential) == numbers.map { _ in isEssential })
        }
    }

    /// ISO/IEC 14496-12, 12.1.4: width, height, and offsets of the center, each a fraction.
    @Test(arguments: [
        ([40, 1, 20, 1, 0, 1, 0, 1], 12..<52, 14..<34), ([127, 2, 95, 3, 0, 1, 0, 1], 0..<64, 8..<40),
        ([10_280, 257, 20_000, 1_000, -3_084, 257, 14_000, 1_000], 0..<40, 28..<48),
        ([40, 1, 20, 1, -12, 1, 14, 1], 0..<40, 28..<48), ([64, 1, 48, 1, 0, 1, 0, 1], 0..<64, 0..<48),
    ])
    func `a clean aperture lies where its fractions say`(
        numbers: [Int], columns: Range<Int>, rows: Range<Int>
    ) throws {
        let clap = HEIFBuilder.box("clap", numbers.flatMap { HEIFBuilder.number($0, 4) })
        let file = HEIFBuilder(
            items: [.init(id: 1, type: "hvc1", properties: [1, 2], data: [1])],
            properties: [HEIFBuilder.size(64, 48), clap]
        ).file
        let parts = try HEIFParts(HEIFItems(file))
        #expect(parts.crop.x == columns && parts.crop.y == rows)
    }

    /// Every byte of the boxes of a grid changed in turn, and read: a picture of the size it says, or an
    /// error.
    @Test func `a grid whose boxes are damaged is read or refused`() throws {
        let bytes = try Fixture.bytes("formats/ios18-grid.heic")
        let end = try #require(bytes.indices.first { bytes.hasText("mdat", at: $0) })
        for position in 24..<end {
            for value in [0, 0xFF] as [UInt8] where bytes[position] != value {
                var changed = bytes
                changed[position] = value
                guard let picture = try? Picture(bytes: changed) else { continue }
                #expect(
                    picture.image.rgba.count == picture.image.width * picture.image.height * 4, "\(position)")
            }
        }
    }

    private func number(_ value: Int, _ size: Int) -> [UInt8] {
        (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    private func box(_ type: String, _ body: [UInt8]) -> [UInt8] {
        number(body.count + 8, 4) + Array(type.utf8) + body
    }

    /// Found by fuzzing. The second list is shorter than what was looked up in the first, or longer.
    @Test(arguments: [0, 1, 3])
    func `of two lists of properties the first counts`(others: Int) {
        func size(_ side: Int) -> [UInt8] { box("ispe", number(0, 4) + number(side, 4) + number(side, 4)) }
        let item = box("infe", [2, 0, 0, 0] + number(1, 2) + [0, 0] + Array("hvc1".utf8) + [0])
        let file =
            box("ftyp", Array("heic\0\0\0\0heic".utf8))
            + box(
                "meta",
                number(0, 4) + box("pitm", number(0, 4) + number(1, 2))
                    + box("iinf", number(0, 4) + number(1, 2) + item)
                    + box(
                        "iprp",
                        box("ipco", size(16) + size(64))
                            + box("ipma", number(0, 4) + number(1, 4) + number(1, 2) + [1, 2])
                            + box("ipco", (0..<others).flatMap { size($0) })))
        let items = HEIFItems(file), sizes = items.properties(of: 1, "ispe")
        #expect(sizes.map { items.number($0.body.lowerBound + 4, 4) } == [64])
        #expect(throws: ImageError.self) { try Picture(bytes: file) }
    }

    /// 4 MB of a table whose entries take no room, each 65,535 times; each entry a grid. Looking at each with
    /// each other would take hours.
    @Test func `a table that says much in few bytes is read in one pass`() {
        let count = 60_000
        let entries = (1...count).flatMap { (item: Int) -> [UInt8] in
            box("infe", [2, 0, 0, 0] + number(item, 2) + [0, 0] + Array("grid".utf8) + [0])
        }
        let locations = (1...count).flatMap { (item: Int) -> [UInt8] in number(item, 2) + [0, 0, 0xFF, 0xFF] }
        let file =
            box("ftyp", Array("heic\0\0\0\0heic".utf8))
            + box(
                "meta",
                number(0, 4) + box("pitm", number(0, 4) + number(1, 2))
                    + box("iinf", number(0, 4) + number(count, 2) + entries)
                    + box("iloc", number(0, 4) + [0, 0] + number(count, 2) + locations))
        let items = HEIFItems(file)
        #expect(items.items.count == count)
        #expect(items.items.values.allSatisfy { $0.extents.count <= 1 })
        #expect(items.items[1]?.extents == [0..<file.count], "one piece: the whole file, once")
        #expect(throws: ImageError.self) { try Picture(bytes: file) }
    }

    /// A hundred bytes of brands are many; a gigabyte of them is none of a picture's.
    @Test func `only the first brands of a file are looked at`() {
        func file(_ fillers: Int) -> [UInt8] {
            let size = 16 + 4 * (fillers + 1)
            return [0, 0, UInt8(size >> 8), UInt8(size & 255)] + Array("ftypabcd\0\0\0\0".utf8)
                + (0..<fillers).flatMap { _ in Array("zzzz".utf8) } + Array("heic".utf8)
        }
        #expect(ImageFormat(bytes: file(20)) == .heic)
        #expect(ImageFormat(bytes: file(2_000)) == nil)
    }

    /// A part of a disk that was lost reads as zeros, which no coder writes inside its data.
    @Test(arguments: ["420.heic", "ten-bits.heic", "ios18-grid.heic"])
    func `a HEIC of which a third reads as zeros is refused`(name: String) throws {
        var bytes = try Fixture.bytes("formats/\(name)")
        let start = try #require(bytes.indices.first { bytes.hasText("mdat", at: $0) }) + 4
        let third = (bytes.count - start) / 3
        for position in start + third / 2..<start + third * 3 / 2 { bytes[position] = 0 }
        #expect(throws: ImageError.self) { try Picture(bytes: bytes) }
    }

    /// Arithmetic coding hides many a wrong bit; most of them leave the decoder out of step at the end of a
    /// part.
    @Test func `most single wrong bits in the data of a HEIC are noted`() throws {
        let bytes = try Fixture.bytes("formats/420.heic")
        let start = try #require(bytes.indices.first { bytes.hasText("mdat", at: $0) }) + 12
        var noticed = 0, tried = 0
        for position in stride(from: start, to: bytes.count - 8, by: 13) {
            var damaged = bytes
            damaged[position] ^= 0x10
            tried += 1
            let picture = try? Picture(bytes: damaged)
            if picture?.notes.contains(where: { $0.hasPrefix("damaged: ") }) ?? true { noticed += 1 }
        }
        #expect(tried > 30 && noticed * 3 >= tried * 2, "\(noticed) of \(tried)")
    }

    /// Three bytes, and what they stand for: H.265, 7.4.2.1.
    @Test(
        arguments: [
            ([0x26, 1, 0, 0, 3, 5], true), ([0x26, 1, 0, 0, 2, 5], false), ([0x26, 1, 0, 0, 0, 5], false),
            ([0x26, 1, 7, 9, 0, 0, 1], false), ([0x26, 1, 7, 0, 0, 1, 9], false),
            ([0x26, 1, 7, 8, 0, 0], true),
            ([0x4E, 1, 0, 0, 0, 5], true), ([0x26, 1, 1, 0, 1, 0, 1, 0, 2, 0], true),
        ] as [([UInt8], Bool)])
    func `a unit of HEVC holds no start code`(unit: [UInt8], isPossible: Bool) {
        let part = [0, UInt8(unit.count)] + unit
        #expect(HEVCUnits.arePossible(part, 0..<part.count, lengthSize: 2) == isPossible)
        #expect(!HEVCUnits.arePossible(part + [0], 0..<part.count + 1, lengthSize: 2), "a length of one byte")
    }

    /// Every combination of turns and mirrors of the eight orientations is in `a turned picture is turned
    /// once`.
    @Test func `a picture in one piece is refused past the limit and read when that is lifted`() throws {
        let bytes = try Fixture.bytes("formats/420.heic")
        var options = DecodingOptions()
        options.wholeMemoryLimit = 50_000
        #expect(throws: ImageError.pastLimit("200x150 in one piece needs too much memory")) {
            try Picture(bytes: bytes, options: options)
        }
        options.wholeMemoryLimit = 200_000
        #expect(try Picture(bytes: bytes, options: options).width == 200)
    }

    /// By hand: a byte of brightness, two of colors, as much again by half, one of blocks, and one of alpha.
    /// Its coded pictures are 64 x 64, of which 48 rows are shown.
    @Test func `a picture with alpha takes six bytes and a half for each pixel`() throws {
        let bytes = try Fixture.bytes("formats/alpha.heic"), whole = try Picture(bytes: bytes)
        var options = DecodingOptions()
        options.wholeMemoryLimit = 64 * 64 * 13 / 2
        #expect(try Picture(bytes: bytes, options: options).image == whole.image)
        options.wholeMemoryLimit -= 1
        let words = "\(whole.width)x\(whole.height) in one piece needs too much memory"
        #expect(throws: ImageError.pastLimit(words)) { try Picture(bytes: bytes, options: options) }
    }

    /// The picture and the alpha of a file, put together anew: a grid with a tile, and alpha that is no grid.
    /// The alpha is the grid's, or its tile's.
    @Test(arguments: [1, 2])
    func `a grid has the alpha of a picture that is none`(item: Int) throws {
        let bytes = try Fixture.bytes("formats/alpha.heic"), items = HEIFItems(bytes)
        let color = try #require(items.primary)
        let alpha = try #require(items.references.first { $0.type == "auxl" && $0.to == [color] }?.from)
        let whole = try Picture(bytes: bytes).image
        func box(_ item: Int, _ name: String) throws -> [UInt8] {
            let property = try #require(items.properties(of: item, name).first)
            return Array(bytes[property.box])
        }
        var builder = HEIFBuilder(
            items: [
                .init(
                    id: 1, type: "grid", properties: [1],
                    data: HEIFBuilder.grid(1, 1, whole.width, whole.height)),
                .init(
                    id: 2, type: "hvc1", properties: [1, 2], data: try #require(items.contents(of: color))),
                .init(
                    id: 3, type: "hvc1", properties: [1, 3, 4],
                    data: try #require(items.contents(of: alpha))),
            ],
            properties: [
                HEIFBuilder.size(whole.width, whole.height), try box(color, "hvcC"), try box(alpha, "hvcC"),
                try box(alpha, "auxC"),
            ], tiles: [2])
        builder.alpha = (item: 3, of: item)
        let image = try Picture(bytes: builder.file).image
        func transparency(_ image: Image) -> [Int] {
            stride(from: 3, to: image.rgba.count, by: 4).map { Int(image.rgba[$0]) }
        }
        let expected = transparency(whole), got = transparency(image)
        #expect(Set(expected).count > 1 && got.count == expected.count)
        #expect((zip(got, expected).map { abs($0 - $1) }.max() ?? 255) <= 2)
    }

    /// Its properties say how it lies.
    @Test(arguments: [1, 6, 8]) func `EXIF does not turn a picture with alpha`(orientation: Int) throws {
        let items = HEIFItems(try Fixture.bytes("formats/alpha.heic")), color = try #require(items.primary)
        let alpha = try #require(items.references.first { $0.type == "auxl" && $0.to == [color] }?.from)
        var builder = HEIFBuilder()
        for (id, old) in [(1, color), (2, alpha)] {
            let own = try #require(items.items[old]).properties.map { items.properties[$0.index] }
            let numbers = own.indices.map { $0 + builder.properties.count + 1 }
            builder.properties += own.map { Array(items.bytes[$0.box]) }
            builder.items.append(
                .init(
                    id: id, type: "hvc1", properties: numbers, data: try #require(items.contents(of: old))))
        }
        let exif = HEIFBuilder.number(0, 4) + TIFFBuilder.file([.init(0x112, 3, orientation)])
        builder.items.append(.init(id: 3, type: "Exif", data: exif))
        (builder.alpha, builder.links) = ((item: 2, of: 1), [("cdsc", 3, 1)])
        let picture = try Picture(bytes: builder.file), whole = try Picture(bytes: items.bytes)
        #expect(picture.metadata.orientation == orientation && picture.image == whole.image)
    }

    /// ISO/IEC 23008-12, A.2.1: a number of four bytes says where the structure begins, behind it. Some
    /// programs count JPEG's signature, some do not.
    @Test(arguments: [
        (0, ""), (6, "Exif\0\0"), (0, "Exif\0\0"), (3, "abc"), (9, "abcExif\0\0"), (3, "abcExif\0\0"),
    ])
    func `the structure of an Exif item begins where the item says`(offset: Int, before: String) {
        let structure = TIFFBuilder.file([.init(0x112, 3, 6)])
        let data = HEIFBuilder.number(offset, 4) + Array(before.utf8) + structure
        let file = HEIFBuilder(items: [
            .init(id: 1, type: "hvc1", data: [1]), .init(id: 2, type: "Exif", data: data),
        ]).file
        var notes: [String] = []
        let metadata = HEIFItems(file).metadata(of: 1, limit: data.count, notes: &notes)
        #expect(metadata.orientation == 6 && notes == [])
        #expect(HEIFItems(file).metadata(of: 1, limit: data.count - 1, notes: &notes).orientation == 1)
    }

    /// Of a grid one row of tiles is held: the limit is about that, not about the picture.
    @Test func `a picture of tiles takes no more memory than a row of them`() throws {
        let bytes = try Fixture.bytes("formats/ios18-grid.heic")
        var options = DecodingOptions()
        options.wholeMemoryLimit = 128 * 64 * 4 + 64 * 64 * 6
        #expect(try Picture(bytes: bytes, options: options).height == 128)
    }
}
#endif
