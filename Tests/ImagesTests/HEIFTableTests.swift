#if HEIF
internal import CImage
import Testing

@testable import Images

/// The tables of HEIF files in every form that the standards allow, and what is made of them.
@Suite struct HEIFTableTests {
    private typealias B = HEIFBuilder

    /// A file of these boxes inside `meta`.
    private func items(_ boxes: [UInt8]..., behind: [UInt8] = []) -> HEIFItems {
        HEIFItems(
            B.box("ftyp", Array("heic\0\0\0\0mif1heic".utf8))
                + B.box("meta", B.number(0, 4) + boxes.flatMap { $0 }) + behind)
    }

    private func full(_ type: String, _ version: Int, _ flags: Int, _ body: [UInt8]) -> [UInt8] {
        B.box(type, [UInt8(version)] + B.number(flags, 3) + body)
    }

    // MARK: Items

    /// ISO/IEC 14496-12, 8.11.3.2: three versions, and offsets, lengths, base, and index of 0, 4, or 8 bytes.
    @Test(arguments: [0, 1, 2], [0, 4, 8]) func `an item lies where iloc says`(version: Int, base: Int) {
        let data = (0..<200).map { UInt8($0) }
        for (offset, length, index) in [(4, 4, 0), (8, 4, 4), (4, 8, 8), (8, 8, 0)]
        where version > 0 || index == 0 {
            // Two items of two extents each; numbers in the data, which is in `idat`, or the file.
            let extents = [[(3, 5), (100, 2)], [(7, 1), (190, 10)]]
            func location(_ start: Int, _ method: Int) -> [UInt8] {
                var body =
                    B.number(offset << 12 | length << 8 | base << 4 | (version > 0 ? index : 0), 2)
                    + B.number(2, version < 2 ? 2 : 4)
                for (item, pieces) in extents.enumerated() {
                    body += B.number(item + 1, version < 2 ? 2 : 4)
                    if version > 0 { body += B.number(method, 2) }
                    body += B.number(0, 2) + B.number(base == 0 ? 0 : start - 1, base)
                    body += B.number(pieces.count, 2)
                    for (at, count) in pieces {
                        if version > 0 { body += B.number(99, index) }
                        body += B.number(at + (base == 0 ? start : 1), offset) + B.number(count, length)
                    }
                }
                return full("iloc", version, 0, body)
            }
            let expected: [[UInt8]] = [[3, 4, 5, 6, 7, 100, 101], [7] + (190...199)]
            // Behind the boxes: the place depends on how large they are, and not on what they say.
            let size = items(location(1, 0)).bytes.count
            let inFile = items(location(size, 0), behind: data)
            #expect((1...2).map { inFile.contents(of: $0) } == expected, "\(offset) \(length) \(index)")
            #expect(inFile.contents(of: 1, limit: 6) == [3, 4, 5, 6, 7, 100])
            let cut = items(location(size, 0), behind: data.dropLast())
            #expect(cut.items[1]?.isCut == false && cut.items[2]?.isCut == true)
            #expect(cut.contents(of: 2) == nil)
            // The base is one less than where the data begins, here as there.
            guard version > 0, base == 0 else { continue }
            let inData = items(location(0, 1), B.box("idat", data))
            #expect((1...2).map { inData.contents(of: $0) } == expected, "\(offset) \(length) \(index)")
            let inItem = items(location(0, 2), B.box("idat", data))
            #expect(inItem.items[1]?.isElsewhere == true && inItem.contents(of: 1) == nil)
        }
    }

    /// 8.11.3.2: a data reference other than 0 is another file.
    @Test func `an item in another file has no contents`() {
        for (reference, contents) in [(0, [7] as [UInt8]?), (1, nil)] {
            let location =
                B.number(0x4400, 2) + B.number(1, 2) + B.number(1, 2) + B.number(1, 2)
                + B.number(reference, 2) + B.number(1, 2) + B.number(0, 4) + B.number(1, 4)
            let file = items(full("iloc", 1, 0, location), B.box("idat", [7, 8]))
            #expect(file.contents(of: 1) == contents)
        }
    }

    /// Extents are counted for the whole table: 65,536 of them.
    @Test(arguments: [(65_535, true), (65_536, false)]) func `a table has no more than so many pieces`(
        extents: Int, isRead: Bool
    ) {
        // Two items: one piece, then the others, of one byte each.
        var location = B.number(0x4400, 2) + B.number(2, 2)
        location += B.number(1, 2) + B.number(1, 2) + B.number(0, 2) + B.number(1, 2)
        location += B.number(0, 4) + B.number(1, 4)
        for (item, count) in [(2, min(65_535, extents)), (3, extents - 65_535)] where count > 0 {
            location += B.number(item, 2) + B.number(1, 2) + B.number(0, 2) + B.number(count, 2)
            for _ in 0..<count { location += B.number(0, 4) + B.number(1, 4) }
        }
        location.replaceSubrange(2..<4, with: B.number(extents > 65_535 ? 3 : 2, 2))
        let file = items(full("iloc", 1, 0, location), B.box("idat", [7]))
        #expect((file.refusal == nil) == isRead)
        if isRead { #expect(file.items[2]?.extents.count == extents) }
    }

    /// 8.11.4 (pitm), 8.11.6 (infe: a protection index behind the number, the type, a name), 8.11.12 (iref).
    @Test(arguments: [false, true]) func `numbers of items have two bytes or four`(isWide: Bool) {
        let size = isWide ? 4 : 2, id = isWide ? 70_000 : 258, other = isWide ? 0x0102_0304 : 0x0304
        func entry(_ id: Int, _ type: String, _ rest: [UInt8]) -> [UInt8] {
            full("infe", isWide ? 3 : 2, 0, B.number(id, size) + [0, 0] + Array(type.utf8) + rest)
        }
        let kind = "application/rdf+xml"
        let entries =
            entry(id, "hvc1", [0]) + entry(other, "mime", Array("A name\0\(kind)\0gzip\0".utf8))
        let references =
            B.box("cdsc", B.number(other, size) + B.number(2, 2) + B.number(1, size) + B.number(id, size))
            + B.box("dimg", B.number(id, size) + B.number(1, 2) + B.number(other, size))
        let file = items(
            full("pitm", isWide ? 1 : 0, 0, B.number(id, size)),
            full("iinf", isWide ? 1 : 0, 0, B.number(2, size) + entries),
            full("iref", isWide ? 1 : 0, 0, references))
        #expect(file.primary == id)
        #expect(file.items.mapValues(\.type) == [id: "hvc1", other: "mime"])
        #expect(file.items[other]?.contentType == kind)
        #expect(file.references.map(\.type) == ["cdsc", "dimg"])
        #expect(file.references.map(\.from) == [other, id])
        #expect(file.references.map(\.to) == [[1, id], [other]])
    }

    /// References of all boxes together.
    @Test func `no more than so many references are kept`() {
        let many = B.number(1, 2) + B.number(65_535, 2) + [UInt8](repeating: 7, count: 2 * 65_535)
        let file = items(full("iref", 0, 0, B.box("dimg", many) + B.box("cdsc", many) + B.box("auxl", many)))
        #expect(file.references.map(\.to.count) == [65_535, 1, 0])
    }

    /// What is announced and lies nowhere is damage; what lies there and has a type of its own may be new.
    @Test func `a picture that cannot be read is damaged or unknown`() {
        func error(_ item: HEIFBuilder.Item) -> ImageError? {
            let file = HEIFBuilder(items: [item], properties: [B.size(64, 48), B.box("abcd", [1])]).file
            do throws(ImageError) {
                _ = try Picture(bytes: file)
                return nil
            } catch { return error }
        }
        for (item, isUnknown) in [
            (HEIFBuilder.Item(id: 1, type: "xyz1", properties: [1], data: [1, 2, 3]), true),
            (HEIFBuilder.Item(id: 1, type: "hvc1", properties: [], data: [1, 2, 3]), false),
            (HEIFBuilder.Item(id: 1, type: "hvc1", properties: [1], data: [1, 2, 3]), false),
        ] {
            switch error(item) {
            case .unsupported(let words):
                #expect(isUnknown && words == "a HEIF picture of the kind 'xyz1'", "\(words)")
            case .corrupt(let words): #expect(!isUnknown, "\(words)")
            case let other: Issue.record("\(String(describing: other))")
            }
        }
    }

    /// 8.11.6: entries of versions 0 and 1 have no type.
    @Test func `an entry without a type is passed over`() {
        let old = full("infe", 1, 0, B.number(1, 2) + [0, 0] + Array("hvc1".utf8) + [0])
        let new = full("infe", 2, 0, B.number(2, 2) + [0, 0] + Array("Exif".utf8))
        let cut = full("infe", 2, 0, B.number(3, 2) + [0, 0] + Array("Exi".utf8))
        let file = items(full("iinf", 0, 0, B.number(3, 2) + old + new + cut))
        #expect(file.items.mapValues(\.type) == [2: "Exif"])
    }

    /// 4.2: a size of 1 stands in eight bytes behind the type, one of 0 goes to the end.
    @Test func `boxes inside have any size`() {
        let size = B.size(3, 4),
            long = B.number(1, 4) + size[4..<8] + B.number(size.count + 8, 8) + size[8...]
        let last = B.number(0, 4) + size[4...]
        let properties = B.box("iprp", B.box("ipco", long + size + last))
        let file = items(properties)
        #expect(file.properties.map(\.type) == ["ispe", "ispe", "ispe"])
        for property in file.properties {
            #expect(file.number(property.body.lowerBound + 8, 4, in: property.body) == 4)
        }
        let empty = items(B.box("iprp", B.box("ipco", B.box("free", []) + size + B.box("skip", []))))
        #expect(empty.properties.map(\.type) == ["free", "ispe", "skip"])
        // A head is 8 or 16 bytes.
        for wrong in [
            B.number(7, 4) + size[4...], B.number(1, 4) + size[4..<8] + B.number(15, 8) + size[8...],
        ] {
            #expect(items(B.box("iprp", B.box("ipco", size + wrong))).properties.count == 1)
        }
    }

    /// Numbers of eight bytes are beyond every file as those of four are.
    @Test func `a number is at most what no file is long`() {
        let file = HEIFItems([0, 0, 0, 5, 0xFF, 0xFF, 0xFF, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0])
        #expect(file.number(0, 4) == 5 && file.number(1, 3) == 5 && file.number(2, 2) == 5)
        #expect(file.number(4, 4) == 0x7FFF_FFFF && file.number(8, 8) == 0x7FFF_FFFF)
        #expect(file.number(15, 1) == 0 && file.number(16, 1) == nil && file.number(13, 4) == nil)
        #expect(file.number(2, 2, in: 3..<16) == nil && file.number(2, 2, in: 0..<3) == nil)
        #expect(file.number(2, 2, in: 2..<4) == 5)
    }

    // MARK: Descriptions

    private func described(_ references: [(from: Int, to: [Int])], _ types: [Int: String], xmp: Set<Int> = [])
        -> HEIFItems
    {
        // Each item says its own number: as an orientation of EXIF, or as a year of XMP.
        var entries: [UInt8] = [], locations: [UInt8] = [], data: [UInt8] = []
        for (id, type) in types.sorted(by: { $0.key < $1.key }) {
            let name =
                type == "mime" ? Array("\0application/\(xmp.contains(id) ? "rdf+" : "")xml\0".utf8) : [0]
            entries += full("infe", 2, 0, B.number(id, 2) + [0, 0] + Array(type.utf8) + name)
            let body =
                type == "mime"
                ? Array("<x exif:DateTimeOriginal='\(2000 + id)'/>".utf8)
                : B.number(0, 4) + TIFFBuilder.file([.init(0x112, 3, id)])
            locations += B.number(id, 2) + B.number(1, 2) + B.number(0, 2) + B.number(1, 2)
            locations += B.number(data.count, 4) + B.number(body.count, 4)
            data += body
        }
        let described = references.flatMap {
            B.box(
                "cdsc",
                B.number($0.from, 2) + B.number($0.to.count, 2) + $0.to.flatMap { B.number($0, 2) })
        }
        return items(
            full("iinf", 0, 0, B.number(types.count, 2) + entries),
            full("iloc", 1, 0, B.number(0x4400, 2) + B.number(types.count, 2) + locations),
            full("iref", 0, 0, described), B.box("idat", data))
    }

    /// ISO/IEC 23008-12, 6.6.3: `cdsc` leads from metadata to what it describes.
    @Test func `a picture has the metadata that describes it, else what describes nothing`() {
        let all = [1: "hvc1", 2: "Exif", 3: "Exif", 4: "Exif", 5: "mime", 6: "mime", 7: "mime", 8: "mime"]
        func metadata(_ references: [(from: Int, to: [Int])], _ types: [Int: String]) -> [Int?] {
            var notes: [String] = []
            let metadata = described(references, types, xmp: [6, 7, 8]).metadata(
                of: 1, limit: 1_000, notes: &notes)
            return [metadata.statedOrientation, metadata.captured.map { $0.year - 2000 }]
        }
        #expect(metadata([(3, [9, 1]), (7, [1])], all) == [3, 7])
        #expect(metadata([(2, [9]), (3, [9])], all) == [4, 6])
        #expect(metadata([], all) == [2, 6])
        #expect(metadata([(4, [1]), (2, [1]), (7, [9]), (6, [9])], all) == [4, 8])
        // EXIF that describes the picture says nothing of where XMP is.
        #expect(metadata([(3, [1])], all) == [3, 6])
        #expect(metadata([(2, [9]), (3, [9]), (4, [9])], all) == [nil, 6])
        #expect(metadata([], [1: "hvc1", 5: "mime"]) == [nil, nil])
    }

    @Test func `metadata larger than the limit is left out`() {
        let file = described([], [1: "hvc1", 2: "Exif", 6: "mime"], xmp: [6])
        var notes: [String] = []
        let exif = file.items[2]?.extents[0].count ?? 0, xmp = file.items[6]?.extents[0].count ?? 0
        #expect(xmp > exif && exif > 0)
        for (limit, hasExif, hasXMP) in [(xmp, true, true), (xmp - 1, true, false), (exif - 1, false, false)]
        {
            let metadata = file.metadata(of: 1, limit: limit, notes: &notes)
            #expect((metadata.statedOrientation == 2) == hasExif && (metadata.captured != nil) == hasXMP)
        }
    }

    // MARK: Colors

    private func colors(_ boxes: [[UInt8]], limit: Int = 100) -> (points: CodePoints?, profile: [UInt8]) {
        var builder = HEIFBuilder(
            items: [.init(id: 1, type: "hvc1", properties: boxes.indices.map { $0 + 1 })])
        builder.properties = boxes
        return HEIFItems(builder.file).colors(of: 1, profileLimit: limit)
    }

    private func nclx(_ numbers: [Int], _ range: UInt8) -> [UInt8] {
        B.box("colr", Array("nclx".utf8) + numbers.flatMap { B.number($0, 2) } + [range])
    }

    /// ISO/IEC 14496-12, 12.1.5: primaries, transfer, matrix, and the highest bit of a byte.
    @Test func `a picture has its first code points and its first profile`() {
        let first = nclx([12, 13, 6], 0x80), second = nclx([9, 16, 9], 0x7F)
        let profiles = ["prof", "rICC"].map { B.box("colr", Array($0.utf8) + Array("\($0)!".utf8)) }
        for (boxes, primaries, profile) in [
            ([first, second], 12, ""), ([second, first], 9, ""), ([profiles[0], first], 12, "prof!"),
            ([first, profiles[1], profiles[0]], 12, "rICC!"), (profiles, nil, "prof!"), ([], nil, ""),
        ] as [([[UInt8]], Int?, String)] {
            let (points, found) = colors(boxes)
            #expect(points?.primaries == primaries && found == Array(profile.utf8))
            #expect(points?.isFullRange == primaries.map { $0 == 12 })
            #expect(points?.matrix == primaries.map { $0 == 12 ? 6 : 9 })
            #expect(points?.transfer == primaries.map { $0 == 12 ? 13 : 16 })
        }
        #expect(
            colors([profiles[0]], limit: 5).profile.count == 5
                && colors([profiles[0]], limit: 4).profile == [])
        #expect(colors([B.box("colr", Array("nclx".utf8) + [0, 12, 0, 13, 0, 6])]).points == nil, "no range")
        #expect(colors([B.box("colr", Array("abcd!".utf8))]).profile == [])
    }

    /// ITU-T H.273, 8.3: by hand, in doubles. Luma and two differences of color of one pixel; matrix 0 is
    /// green, blue, and red.
    @Test(arguments: [
        (0, 0.0, 0.0), (1, 0.2126, 0.0722), (2, 0.299, 0.114), (4, 0.30, 0.11), (5, 0.299, 0.114),
        (6, 0.299, 0.114), (7, 0.212, 0.087), (9, 0.2627, 0.0593),
    ])
    func `colors are what their matrix makes of luma and differences`(matrix: Int, red: Double, blue: Double)
        throws
    {
        for (depth, isFull) in [
            (8, true), (8, false), (9, true), (10, true), (10, false), (12, false), (16, true),
        ] {
            let unit = Double(1 << (depth - 8)), most = Double(1 << depth) - 1
            let samples = try #require(HEIFSamples(matrix: matrix, isFullRange: isFull, depth: depth))
            for (y, b, r) in [
                (120.0, 100.0, 150.0), (60, 140, 120), (200, 128, 128), (235, 128, 128), (16, 128, 128),
            ] {
                let stored = [y, b, r].map { $0 * unit }
                let luma = isFull ? stored[0] / most : (stored[0] - 16 * unit) / (219 * unit)
                let (blueness, redness) =
                    matrix == 0
                    ? (
                        isFull ? stored[1] / most : (stored[1] - 16 * unit) / (219 * unit),
                        isFull ? stored[2] / most : (stored[2] - 16 * unit) / (219 * unit)
                    )
                    : (
                        isFull ? (stored[1] - 128 * unit) / most : (stored[1] - 128 * unit) / (224 * unit),
                        isFull ? (stored[2] - 128 * unit) / most : (stored[2] - 128 * unit) / (224 * unit)
                    )
                let redLight = matrix == 0 ? redness : luma + 2 * (1 - red) * redness
                let blueLight = matrix == 0 ? blueness : luma + 2 * (1 - blue) * blueness
                let greenLight =
                    matrix == 0 ? luma : (luma - red * redLight - blue * blueLight) / (1 - red - blue)
                let expected = [redLight, greenLight, blueLight].map { min(max($0 * 255, 0), 255) }
                let seen = pixel(samples, stored.map { Int($0) }, depth)
                #expect(seen[3] == 255)
                for channel in 0..<3 {
                    #expect(abs(Double(seen[channel]) - expected[channel]) <= 0.51, "\(depth) \(isFull) \(y)")
                }
            }
        }
        #expect(HEIFSamples(matrix: matrix, isFullRange: true, depth: 7) == nil)
        #expect(HEIFSamples(matrix: matrix, isFullRange: true, depth: 17) == nil)
        #expect(HEIFSamples(matrix: 8, isFullRange: true, depth: 8) == nil)
    }

    private func pixel(_ samples: HEIFSamples, _ values: [Int], _ depth: Int) -> [UInt8] {
        let size = depth > 8 ? 2 : 1, planes = values.map { TIFFBuilder.number($0, size) }
        return read(samples, planes, across: 1, down: 1, stride: (size, size), row: 0, columns: 0..<1)
    }

    private func read(
        _ samples: HEIFSamples, _ planes: [[UInt8]], across: Int, down: Int, stride: (luma: Int, color: Int),
        row: Int, columns: Range<Int>
    ) -> [UInt8] {
        var output = [UInt8](repeating: 7, count: columns.count * 4 + 4)
        // SAFETY: the planes outlive the call, and hold the row that is read.
        unsafe planes[0].withUnsafeBufferPointer { luma in
            unsafe planes[1].withUnsafeBufferPointer { blue in
                unsafe planes[2].withUnsafeBufferPointer { red in
                    var all = unsafe cimage_planes()
                    unsafe all.across = CInt(across)
                    unsafe all.down = CInt(down)
                    unsafe all.luma_stride = .init(stride.luma)
                    unsafe all.color_stride = .init(stride.color)
                    unsafe all.luma = luma.baseAddress
                    unsafe all.blue = blue.baseAddress
                    unsafe all.red = red.baseAddress
                    var span = output.mutableSpan
                    unsafe samples.read(all, row: row, columns: columns, into: &span, at: 4)
                }
            }
        }
        #expect(output[..<4] == [7, 7, 7, 7])
        return Array(output[4...])
    }

    /// Green, blue, and red of 4 x 4 pixels; of half as many across, or across and down, or green alone.
    @Test(arguments: [(1, 1), (2, 1), (2, 2), (0, 0)])
    func `stored colors are repeated over the pixels that they cover`(across: Int, down: Int) throws {
        let samples = try #require(HEIFSamples(matrix: 0, isFullRange: true, depth: 8))
        let luma = (0..<16).map { UInt8($0) }, blue = (100..<116).map { UInt8($0) }
        let red = (200..<216).map { UInt8($0) }
        for y in 0..<4 {
            let seen = read(
                samples, [luma, blue, red], across: across, down: down, stride: (4, 4), row: y, columns: 1..<4
            )
            for x in 1..<4 {
                let green = y * 4 + x, color = across == 0 ? 0 : y / down * 4 + x / across
                let expected =
                    across == 0 ? [green, green, green, 255] : [200 + color, green, 100 + color, 255]
                #expect(seen[(x - 1) * 4..<x * 4].map { Int($0) } == expected, "\(x) \(y)")
            }
        }
    }

    // MARK: Coding

    /// ISO/IEC 14496-15, 8.3.2.1: byte 16 is the chroma format, 17 and 18 the depths less 8, 21 the size of
    /// lengths less 1, 22 the number of lists; each list a type, a count, and units behind their lengths.
    @Test func `parameter sets of HEVC are handed over one by one`() {
        func coding(_ format: UInt8, _ depth: UInt8, _ lengths: UInt8, _ lists: [UInt8], count: UInt8)
            -> HEIFCoding
        {
            var config = [UInt8](repeating: 0, count: 23)
            (config[16], config[17], config[21], config[22]) = (
                0xFC | format, 0xF8 | depth, 0xFC | lengths, count
            )
            let file = HEIFBuilder(
                items: [.init(id: 1, type: "hvc1", properties: [1])],
                properties: [B.box("hvcC", config + lists)]
            ).file
            return HEIFCoding(HEIFItems(file), 1)
        }
        let lists: [UInt8] = [32, 0, 1, 0, 2, 9, 8, 33, 0, 2, 0, 1, 7, 0, 3, 6, 5, 4]
        let sets: [UInt8] = [0, 0, 0, 2, 9, 8, 0, 0, 0, 1, 7, 0, 0, 0, 3, 6, 5, 4]
        let whole = coding(1, 0, 3, lists, count: 2)
        #expect(whole.parameters == sets && whole.lengthSize == 4)
        #expect(coding(1, 0, 0, lists, count: 1).parameters == Array(sets[..<6]))
        #expect(coding(1, 0, 0, lists, count: 1).lengthSize == 1)
        // Cut inside a unit, a length, or a list: what came before is kept.
        #expect(coding(1, 0, 1, lists.dropLast(), count: 2).parameters == Array(sets[..<11]))
        #expect(coding(1, 0, 1, Array(lists[..<14]), count: 2).parameters == Array(sets[..<11]))
        #expect(coding(1, 0, 1, Array(lists[..<9]), count: 2).parameters == Array(sets[..<6]))
        #expect(coding(1, 0, 1, lists, count: 3).parameters == sets)
        // Bytes of a pixel: luma and colors, twice as much of more than eight bits, half more for filters.
        for (format, depth, bytes) in [
            (0, 0, 2.5), (1, 0, 3.25), (2, 0, 4.0), (3, 0, 5.5), (1, 2, 5.5), (3, 2, 10),
        ]
            as [(UInt8, UInt8, Double)]
        {
            #expect(coding(format, depth, 0, [], count: 0).bytesPerPixel == bytes, "\(format) \(depth)")
        }
        let short = HEIFBuilder(
            items: [.init(id: 1, type: "hvc1", properties: [1])],
            properties: [B.box("hvcC", [UInt8](repeating: 0, count: 22))]
        ).file
        #expect(HEIFCoding(HEIFItems(short), 1).parameters == nil)
    }

    // MARK: Parts

    private func parts(
        _ primary: [[UInt8]], type: String = "hvc1", tile: [[UInt8]] = [], data: [UInt8] = [1],
        tiles: [Int] = [], essential: Set<Int> = []
    ) throws -> HEIFParts? {
        var items = [HEIFBuilder.Item(id: 1, type: type, properties: Array(1...primary.count), data: data)]
        if !tile.isEmpty {
            let numbers = tile.indices.map { primary.count + 1 + $0 }
            items.append(.init(id: 2, type: "hvc1", properties: numbers, data: [1]))
        }
        for index in items.indices {
            items[index].properties = items[index].properties.map { $0 | (essential.contains($0) ? 0x80 : 0) }
        }
        let file = HEIFBuilder(items: items, properties: primary + tile, tiles: tiles).file
        do throws(ImageError) { return try HEIFParts(HEIFItems(file)) } catch {
            if error == .corrupt("a grid with tiles outside of its picture") { throw error }
            return nil
        }
    }

    /// ISO/IEC 23008-12, 6.5.10: quarter turns against the clock; 6.5.12: 0 exchanges top and bottom, 1 left
    /// and right. In their order. EXIF: 6 is to be turned by a quarter with the clock, 5 and 7 are mirrored.
    @Test(arguments: [
        ("", 1), ("r0", 1), ("r1", 8), ("r2", 3), ("r3", 6), ("m1", 2), ("m0", 4), ("r1r1", 3), ("r3r2", 8),
        ("r1m1", 7), ("r1m0", 5), ("r3m1", 5), ("r3m0", 7), ("r2m1", 4), ("r2m0", 2), ("m1r1", 5),
        ("m0r1", 7),
        ("m1r3", 7), ("m1m1", 1), ("m0m0", 1), ("m0m1", 3), ("m1m0", 3), ("m1r1m1", 6), ("m0r1m1", 8),
        ("r1m1r3m0", 1),
    ])
    func `turns and mirrors apply in their order`(turns: String, orientation: Int) throws {
        var boxes = [B.size(6, 4)], left = turns[...]
        while let kind = left.popFirst(), let value = left.popFirst()?.wholeNumberValue {
            // The other bits of the byte are reserved.
            boxes.append(B.box(kind == "r" ? "irot" : "imir", [UInt8(value) | (kind == "r" ? 0xFC : 0xFE)]))
        }
        #expect(try parts(boxes)?.orientation == orientation)
    }

    @Test func `a crop counts before turns alone, and once`() throws {
        func clap(_ numbers: [Int]) -> [UInt8] { B.box("clap", numbers.flatMap { B.number($0, 4) }) }
        let crop = clap([3, 1, 2, 1, 0, 1, 0, 1]), size = B.size(6, 4), turn = B.box("irot", [1])
        func shown(_ crop: [UInt8]) throws -> [Range<Int>] {
            try parts([size, crop]).map { [$0.crop.x, $0.crop.y] } ?? []
        }
        let mirror = B.box("imir", [1]), mirrored = try parts([size, crop, mirror, turn])
        #expect(mirrored?.crop.x.count == 3 && mirrored?.crop.y.count == 2)
        #expect(try parts([size, turn, crop]) == nil && parts([size, mirror, crop]) == nil)
        #expect(try parts([size, B.box("irot", [0]), crop])?.crop.x.count == 3)
        for wrong in [
            [3, 0, 2, 1, 0, 1, 0, 1], [3, 1, 2, 1, 0, 0, 0, 1], [7, 1, 2, 1, 0, 1, 0, 1],
            [3, 1, 5, 1, 0, 1, 0, 1],
            [1, 2, 2, 1, 0, 1, 0, 1], [3, 1, 1, 2, 0, 1, 0, 1], [3, 1, 2, 1, 0, 1, 0],
        ] { #expect(try parts([size, clap(wrong)]) == nil, "\(wrong)") }
        // 6.5.9: the crop of 6 columns to 6 is all of them; one beyond the edge ends there.
        #expect(try shown(clap([6, 1, 4, 1, 0, 1, 0, 1])) == [0..<6, 0..<4])
        #expect(try shown(clap([1, 1, 1, 1, 5, 2, 3, 2])) == [5..<6, 3..<4])
        #expect(try shown(clap([4, 1, 4, 1, 3, 1, 0, 1])) == [4..<6, 0..<4])
        #expect(try shown(clap([4, 1, 4, 1, 90, 1, -90, 1])) == [5..<6, 0..<4])
    }

    /// 6.6.2.3.2: a version, flags, rows and columns less one, and sides of two or four bytes.
    @Test(arguments: [false, true]) func `a grid has rows, columns, and sides of either size`(isLarge: Bool)
        throws
    {
        func grid(_ rows: Int, _ columns: Int, _ width: Int, _ height: Int, drop: Int = 0) -> [UInt8] {
            let size = isLarge ? 4 : 2
            let header = [0, isLarge ? 1 : 0, UInt8(rows - 1), UInt8(columns - 1)] as [UInt8]
            return (header + B.number(width, size) + B.number(height, size)).dropLast(drop)
        }
        func read(_ data: [UInt8], tiles: Int, _ width: Int, _ height: Int) throws -> HEIFParts? {
            try parts(
                [B.size(width, height)], type: "grid", tile: [B.size(64, 48)], data: data,
                tiles: Array(repeating: 2, count: tiles))
        }
        let whole = try #require(try read(grid(2, 3, 150, 70), tiles: 6, 150, 70))
        #expect((whole.rows, whole.columns, whole.tileWidth, whole.tileHeight) == (2, 3, 64, 48))
        #expect((whole.width, whole.height, whole.tiles.count) == (150, 70, 6))
        // Tiles too few or too many, a header that is cut, and sizes that are not those of the picture.
        #expect(try read(grid(2, 3, 150, 70), tiles: 5, 150, 70) == nil)
        #expect(try read(grid(2, 3, 150, 70), tiles: 7, 150, 70) == nil)
        #expect(try read(grid(2, 3, 150, 70, drop: 1), tiles: 6, 150, 70) == nil)
        #expect(try read(grid(2, 3, 150, 70), tiles: 6, 151, 70) == nil)
        #expect(try read(grid(2, 3, 150, 70), tiles: 6, 150, 71) == nil)
        // Tiles have to cover the picture, each of them a part.
        #expect(try read(grid(2, 3, 192, 96), tiles: 6, 192, 96)?.width == 192)
        #expect(try read(grid(2, 3, 193, 96), tiles: 6, 193, 96) == nil)
        #expect(try read(grid(2, 3, 192, 97), tiles: 6, 192, 97) == nil)
        #expect(try read(grid(2, 3, 129, 49), tiles: 6, 129, 49)?.width == 129)
        #expect(throws: ImageError.self) { try read(grid(2, 3, 128, 49), tiles: 6, 128, 49) }
        #expect(throws: ImageError.self) { try read(grid(2, 3, 129, 48), tiles: 6, 129, 48) }
    }

    /// 23008-12, 9.3: a reader may leave out a property unless the file says that it may not.
    @Test func `a property that is not known stops a reader when it is essential`() throws {
        let size = B.size(64, 48), other = B.box("abcd", [1]), turn = B.box("irot", [1])
        #expect(try parts([size, other]) != nil && parts([size, other], essential: [2]) == nil)
        #expect(try parts([size, turn], essential: [1, 2])?.orientation == 8)
        for known in ["pixi", "colr", "hvcC", "pasp", "auxC", "clli", "mdcv", "rloc"] {
            #expect(try parts([size, B.box(known, [0])], essential: [2]) != nil, "\(known)")
        }
        let grid = B.grid(1, 1, 64, 48)
        func tiled(_ property: [UInt8], essential: Set<Int> = []) throws -> HEIFParts? {
            try parts(
                [size], type: "grid", tile: [size, property], data: grid, tiles: [2], essential: essential)
        }
        #expect(try tiled(other) != nil && tiled(other, essential: [3]) == nil && tiled(turn) == nil)
        #expect(try tiled(B.box("imir", [1])) == nil && tiled(B.box("hvcC", []), essential: [2, 3]) != nil)
    }

    // MARK: Pictures

    /// The boxes of a file may stand in any order, and `ipma` twice: 23008-12, 9.3.1.
    @Test func `boxes count in any order`() {
        let entry = full("infe", 2, 0, B.number(1, 2) + [0, 0] + Array("hvc1".utf8) + [0])
        let location = B.number(0x4400, 2) + B.number(1, 2) + B.number(1, 2) + B.number(1, 2) + B.number(0, 2)
        let first = B.number(1, 2) + [2, 1, 2], other = B.number(2, 2) + [1, 2]
        let boxes = [
            full("pitm", 0, 0, B.number(1, 2)), full("iinf", 0, 0, B.number(1, 2) + entry),
            B.box(
                "iprp",
                B.box("ipco", B.size(3, 4) + B.box("irot", [1])) + full("ipma", 0, 0, B.number(1, 4) + first)
                    + full("ipma", 0, 0, B.number(1, 4) + other)),
            full("iloc", 1, 0, location + B.number(1, 2) + B.number(1, 4) + B.number(2, 4)),
            B.box("idat", [7, 8, 9]),
        ]
        for shift in boxes.indices {
            for order in [boxes, boxes.reversed()] {
                let file = items((order[shift...] + order[..<shift]).flatMap { $0 })
                #expect(file.primary == 1 && file.items[1]?.type == "hvc1" && file.contents(of: 1) == [8, 9])
                #expect(file.items[1]?.properties.map(\.index) == [0, 1])
                #expect(file.items[2]?.properties.map(\.index) == [1])
            }
        }
    }

    /// A grid of four times the same coded picture of 200 x 150, with more properties for grid and tile.
    private func grid(
        _ own: [[UInt8]], _ tile: [[UInt8]] = [], rows: Int = 2, width: Int = 390, height: Int = 290
    ) throws -> HEIFBuilder {
        let source = HEIFItems(try Fixture.bytes("formats/420.heic"))
        let primary = try #require(source.primary)
        let config = try #require(source.properties(of: primary, "hvcC").first)
        let boxes = [B.size(width, height), B.size(200, 150), Array(source.bytes[config.box])]
        return HEIFBuilder(
            items: [
                .init(
                    id: 1, type: "grid", properties: [1] + own.indices.map { $0 + 4 },
                    data: B.grid(rows, rows, width, height)),
                .init(
                    id: 2, type: "hvc1", properties: [2, 3] + tile.indices.map { $0 + 4 + own.count },
                    data: try #require(source.contents(of: primary))),
            ], properties: boxes + own + tile, tiles: Array(repeating: 2, count: rows * rows))
    }

    /// A part of a disk that was lost reads as zeros.
    @Test(arguments: 1...4) func `a tile that is damaged is named, from 1 on`(number: Int) throws {
        var builder = try grid([]), item = builder.items[1]
        item.id = 3
        for index in item.data.count / 3..<item.data.count * 2 / 3 { item.data[index] = 0 }
        builder.items.append(item)
        builder.tiles[number - 1] = 3
        let file = builder.file
        #expect(throws: ImageError.corrupt("bytes that no HEVC picture has, tile \(number) of 4")) {
            try Picture(bytes: file)
        }
    }

    @Test func `a crop of a grid is what lies there`() throws {
        let whole = try Picture(bytes: try grid([]).file).image
        #expect((whole.width, whole.height) == (390, 290))
        for (left, top, width, height) in [
            (190, 140, 30, 25), (0, 0, 201, 151), (250, 200, 140, 90), (389, 289, 1, 1),
        ] {
            // Twice the center's offset from the picture's.
            let numbers = [width, 1, height, 1, 2 * left + width - 390, 2, 2 * top + height - 290, 2]
            let clap = B.box("clap", numbers.flatMap { B.number($0, 4) })
            let image = try Picture(bytes: try grid([clap]).file).image
            #expect((image.width, image.height) == (width, height))
            for y in 0..<height {
                let start = ((top + y) * 390 + left) * 4, count = width * 4
                let row = image.rgba[y * count..<(y + 1) * count]
                #expect(row.elementsEqual(whole.rgba[start..<start + count]), "\(left) \(top) \(y)")
            }
        }
        // The coded picture alone, without a row of tiles.
        let crop = B.box("clap", [50, 1, 40, 1, -60, 1, 30, 1].flatMap { B.number($0, 4) })
        let one = try Picture(bytes: try grid([], rows: 1, width: 200, height: 150).file).image
        let part = try Picture(bytes: try grid([crop], rows: 1, width: 200, height: 150).file).image
        #expect((part.width, part.height) == (50, 40))
        let corner = (85 * 200 + 15) * 4
        #expect(part.rgba[..<200].elementsEqual(one.rgba[corner..<corner + 200]))
    }

    /// What a grid says of its colors comes before what its tiles say; of how samples become colors the
    /// tiles know.
    @Test func `a grid's colors are its own, else its tiles'`() throws {
        func pixels(_ own: [[UInt8]], _ tile: [[UInt8]]) throws -> [UInt8] {
            try Picture(bytes: try grid(own, tile, rows: 1, width: 200, height: 150).file).image.rgba
        }
        let plain = nclx([1, 13, 6], 0x80), wide = nclx([12, 13, 6], 0x80)
        let p3 = try pixels([wide], [wide]), srgb = try pixels([plain], [plain])
        #expect(p3 != srgb)
        #expect(try pixels([wide], []) == p3 && pixels([], [wide]) == p3)
        #expect(try pixels([wide], [plain]) == p3 && pixels([plain], [wide]) == srgb)
        let limited = nclx([1, 13, 6], 0), other = try pixels([], [limited])
        #expect(other != srgb)
        #expect(try pixels([plain], [limited]) == other && pixels([limited], [plain]) == srgb)
        #expect(try pixels([limited], []) == other)
        let profile = try #require(JPEGHeader(try Fixture.bytes("icc/display-p3.jpg")).profile)
        let box = B.box("colr", Array("prof".utf8) + profile), profiled = try pixels([box, plain], [])
        #expect(profiled != srgb)
        #expect(try pixels([plain], [box]) == profiled && pixels([], [plain, box]) == profiled)
    }

    /// 23008-12, 6.10.1.2: `prem` leads from the colors to the alpha that has multiplied them.
    @Test func `colors of a grid that alpha has multiplied are divided by it`() throws {
        let bytes = try Fixture.bytes("formats/alpha.heic"), source = HEIFItems(bytes)
        let color = try #require(source.primary)
        let alpha = try #require(source.references.first { $0.type == "auxl" && $0.to == [color] }?.from)
        let whole = try Picture(bytes: bytes).image
        func box(_ item: Int, _ name: String) throws -> [UInt8] {
            Array(source.bytes[try #require(source.properties(of: item, name).first).box])
        }
        var builder = HEIFBuilder(
            items: [
                .init(id: 1, type: "grid", properties: [1], data: B.grid(1, 1, whole.width, whole.height)),
                .init(
                    id: 2, type: "hvc1", properties: [1, 2], data: try #require(source.contents(of: color))),
                .init(
                    id: 3, type: "hvc1", properties: [1, 3, 4], data: try #require(source.contents(of: alpha))
                ),
            ],
            properties: [
                B.size(whole.width, whole.height), try box(color, "hvcC"), try box(alpha, "hvcC"),
                try box(alpha, "auxC"),
            ], tiles: [2])
        builder.alpha = (item: 3, of: 1)
        let plain = try Picture(bytes: builder.file).image.rgba, divided = plain.unmultiplied
        #expect(plain != divided)
        for (from, isDivided) in [(1, true), (2, true), (3, false)] {
            builder.links = [(type: "prem", from: from, to: 3)]
            #expect(try HEIFParts(HEIFItems(builder.file)).tiles == [2])
            #expect(try Picture(bytes: builder.file).image.rgba == (isDivided ? divided : plain), "\(from)")
        }
        builder.links = [(type: "thmb", from: 1, to: 3)]
        #expect(try Picture(bytes: builder.file).image.rgba == plain)
        // The coded picture itself, with its alpha.
        (builder.items, builder.tiles) = (Array(builder.items[1...]), [])
        for index in builder.items.indices {
            let item = builder.items[index]
            builder.items[index] = .init(
                id: index + 1, type: item.type, properties: item.properties, data: item.data)
        }
        builder.properties[0] = try box(color, "ispe")
        (builder.alpha, builder.links) = ((item: 2, of: 1), [])
        let single = try Picture(bytes: builder.file).image.rgba
        builder.links = [(type: "prem", from: 1, to: 2)]
        #expect(try Picture(bytes: builder.file).image.rgba == single.unmultiplied)
        #expect(single != single.unmultiplied)
    }
}
#endif
