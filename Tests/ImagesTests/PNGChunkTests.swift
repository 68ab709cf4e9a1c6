import Testing

@testable import Images

/// What the chunks beside the pixels of a PNG come to.
@Suite struct PNGChunkTests {
    /// Four pixels of (200, 100, 50), or of gray 100, with chunks before them.
    private func png(_ chunks: (String, [UInt8])..., isGray: Bool = false) -> [UInt8] {
        func number(_ value: UInt32) -> [UInt8] {
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
        }
        func chunk(_ type: String, _ body: [UInt8]) -> [UInt8] {
            let inside = Array(type.utf8) + body
            var sum: UInt32 = 0xFFFF_FFFF
            for byte in inside {
                sum ^= UInt32(byte)
                for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
            }
            return number(UInt32(body.count)) + inside + number(~sum)
        }
        let header = number(2) + number(2) + [8, isGray ? 0 : 2, 0, 0, 0]
        let row: [UInt8] = isGray ? [0, 100, 100] : [0, 200, 100, 50, 200, 100, 50]
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", header)
            + chunks.flatMap { chunk($0.0, $0.1) } + chunk("IDAT", deflated(row + row)) + chunk("IEND", [])
    }

    /// In one stored block.
    private func deflated(_ bytes: [UInt8]) -> [UInt8] {
        let count = UInt16(bytes.count)
        var a: UInt32 = 1, b: UInt32 = 0
        for byte in bytes {
            a = (a + UInt32(byte)) % 65_521
            b = (b + a) % 65_521
        }
        let sum = [b >> 8, b & 255, a >> 8, a & 255].map { UInt8($0) }
        let lengths = [count & 255, count >> 8, ~count & 255, ~count >> 8].map { UInt8($0) }
        return [0x78, 1, 1] + lengths + bytes + sum
    }

    private static let displayP3 = [
        31_270, 32_900, 68_000, 32_000, 26_500, 69_000, 15_000, 6_000,
    ].flatMap { (value: UInt32) in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }

    private func expect(_ bytes: [UInt8], _ red: Int, _ green: Int, _ blue: Int) throws {
        let color = try Picture(bytes: bytes).image.rgba.prefix(3).map { Int($0) }
        let isNear = zip(color, [red, green, blue]).allSatisfy { abs($0 - $1) <= 1 }
        #expect(isNear, "\(color)")
    }

    @Test func `code points win over everything else`() throws {
        try expect(png(("cICP", [12, 13, 0, 1])), 215, 93, 32)
        try expect(png(("cICP", [12, 13, 0, 1]), ("sRGB", [0])), 215, 93, 32)
        try expect(png(("cICP", [1, 13, 0, 1]), ("cHRM", Self.displayP3)), 200, 100, 50)
    }

    /// By hand: light of v / 255 to the power of 1 / gamma, then sRGB's curve, which 1/2.2 comes near to.
    @Test(arguments: [
        (50_000, 206, 109, 55), (45_455, 200, 100, 50), (1_000, 200, 100, 50), (1_100, 0, 0, 0),
        (10_000_000, 200, 100, 50), (9_999_999, 255, 254, 253), (45_700, 200, 100, 50),
        (47_619, 203, 105, 51),
    ])
    func `a gamma counts unless it is nearly sRGB's own, or none`(
        gamma: UInt32, red: Int, green: Int, blue: Int
    )
        throws
    {
        let body = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: gamma >> $0) }
        try expect(png(("gAMA", body)), red, green, blue)
    }

    /// ITU-T H.273, table 3: 4 is a gamma of 2.2, 5 one of 2.8, 8 is linear. By hand: light of v / 255 to
    /// that power, then sRGB's curve.
    @Test(arguments: [(4, 201, 100, 46), (5, 189, 76, 26), (8, 229, 168, 122), (13, 200, 100, 50)])
    func `the transfer characteristics of code points count`(
        transfer: UInt8, red: Int, green: Int, blue: Int
    ) throws {
        try expect(png(("cICP", [1, transfer, 0, 1])), red, green, blue)
    }

    /// No length, matrix coefficients that are none of RGB's, primaries that are not known.
    @Test(arguments: [[12, 13, 0], [12, 13, 1, 1], [2, 2, 0, 1], [200, 13, 0, 1]] as [[UInt8]])
    func `code points that say nothing leave the other chunks in force`(points: [UInt8]) throws {
        try expect(
            png(("cICP", points), ("cHRM", Self.displayP3), ("gAMA", [0, 0, 0xB1, 0x8F])), 215, 93, 32)
    }

    @Test(arguments: [16, 18] as [UInt8])
    func `high dynamic range is noted`(transfer: UInt8) throws {
        let notes = try Picture(bytes: png(("cICP", [9, transfer, 0, 1]))).notes
        #expect(notes == ["high dynamic range read as if it were standard"])
    }

    @Test func `a profile that cannot be used is noted`() throws {
        let body: [UInt8] = Array("name\0".utf8) + [0] + deflated([UInt8](repeating: 7, count: 150))
        let notes = try Picture(bytes: png(("iCCP", body))).notes
        #expect(notes.count == 1 && notes[0].hasPrefix("color profile ignored: "), "\(notes)")
        // Code points take its place.
        #expect(try Picture(bytes: png(("cICP", [1, 13, 0, 1]), ("iCCP", body))).notes == [])
    }

    /// littlecms takes a profile for gray only for pixels of gray. sGrey's curve is sRGB's.
    @Test func `gray has a profile of gray, or primaries that say nothing of it`() throws {
        let profile = try #require(JPEGHeader(try Fixture.bytes("icc/gray-sgrey.jpg")).profile)
        let body = Array("name\0".utf8) + [0] + deflated(profile)
        for chunk in [("iCCP", body), ("cHRM", Self.displayP3), ("cICP", [12, 13, 0, 1])]
            as [(String, [UInt8])]
        {
            let bytes = png(chunk, isGray: true)
            #expect(try Picture(bytes: bytes).notes == [], "\(chunk.0)")
            try expect(bytes, 100, 100, 100)
        }
        #expect(try Picture(bytes: png(("iCCP", body))).notes.count == 1)
    }

    /// 11.3.3.4: the keyword, whether the text is packed, and how, its language, the keyword in it, the text.
    @Test func `XMP counts in a text that is packed or not, the first of two`() throws {
        func text(_ year: Int, isPacked: Bool, keyword: String = "XML:com.adobe.xmp", language: String = "")
            -> (String, [UInt8])
        {
            let words = Array("<x xmp:CreateDate='\(year)-08-07T06:05:04'/>".utf8)
            let start =
                Array("\(keyword)\0".utf8) + [isPacked ? 1 : 0, 0] + Array("\(language)\0\(language)\0".utf8)
            return ("iTXt", start + (isPacked ? deflated(words) : words))
        }
        func year(_ chunks: (String, [UInt8])...) throws -> Int? {
            let bytes = chunks.count == 1 ? png(chunks[0]) : png(chunks[0], chunks[1])
            return try Picture(bytes: bytes).metadata.captured?.year
        }
        for isPacked in [false, true] {
            for language in ["", "de"] {
                #expect(try year(text(2019, isPacked: isPacked, language: language)) == 2019)
            }
            let two = (text(2019, isPacked: isPacked), text(2018, isPacked: isPacked))
            #expect(try year(two.0, two.1) == 2019)
            #expect(try year(text(2019, isPacked: isPacked, keyword: "XML:com.adobe.xmq")) == nil)
        }
        #expect(
            try year(text(2018, isPacked: true), text(2019, isPacked: false)) == 2019, "a chunk of its own")
    }

    /// A chunk of EXIF, then EXIF in digits, then XMP.
    @Test func `a date of EXIF counts before one of XMP, the chunk's before all`() throws {
        func exif(_ year: Int) -> [UInt8] {
            TIFFBuilder.file([
                .init(0x110, text: "Camera \(year)"),
                .init(0x8769, directory: [.init(0x9003, text: "\(year):02:03 04:05:06")]),
            ])
        }
        let digits = (Array("Exif\0\0".utf8) + exif(2001)).map {
            ($0 < 16 ? "0" : "") + String($0, radix: 16)
        }
        let text = "Raw profile type exif\0\nexif\n\(String(digits.count).leftPadded)\n\(digits.joined())\n"
        let xmp = Array("XML:com.adobe.xmp\0\0\0\0\0<x xmp:CreateDate='2009-08-07'/>".utf8)
        let chunks = [("eXIf", exif(2005)), ("tEXt", Array(text.utf8)), ("iTXt", xmp)]
        func year(_ numbers: [Int]) throws -> Int? {
            let some = numbers.map { chunks[$0] }
            let bytes =
                some.count == 1
                ? png(some[0]) : some.count == 2 ? png(some[0], some[1]) : png(some[0], some[1], some[2])
            let metadata = try Picture(bytes: bytes).metadata
            #expect(metadata.camera == (numbers == [2] ? nil : "Camera \(numbers.contains(0) ? 2005 : 2001)"))
            return metadata.captured?.year
        }
        for order in [[0, 1], [1, 0], [0, 1, 2], [2, 1, 0], [0, 2], [2, 0]] {
            #expect(try year(order) == 2005)
        }
        for order in [[1], [1, 2], [2, 1]] { #expect(try year(order) == 2001) }
        #expect(try year([2]) == 2009)
    }

    /// White, red, green, blue; a y of 0 has no color, and nothing lies beyond 1.
    @Test(arguments: [(1, 100), (3, 0), (5, 100), (7, 50), (0, 100_001), (4, 200_000)])
    func `primaries that make no sense leave the pixels as they are`(index: Int, value: UInt32) throws {
        var primaries = [31_270, 32_900, 68_000, 32_000, 26_500, 69_000, 15_000, 6_000] as [UInt32]
        primaries[index] = value
        let body = primaries.flatMap { value in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
        }
        try expect(png(("cHRM", body)), 200, 100, 50)
    }

    @Test func `EXIF counts with its signature and without it`() throws {
        let exif = TIFFBuilder.file([.init(0x112, 3, 6)])
        for start in [[], Array("Exif\0\0".utf8)] {
            #expect(try Picture(bytes: png(("eXIf", start + exif))).metadata.orientation == 6)
        }
    }

    /// PNG 3rd edition, 4.3: an sRGB chunk has precedence over gAMA and cHRM.
    @Test func `an sRGB chunk wins over a gamma and over primaries`() throws {
        let gamma: [UInt8] = [0, 0, 0xC3, 0x50]
        try expect(png(("gAMA", gamma), ("sRGB", [0])), 200, 100, 50)
        try expect(png(("sRGB", [0]), ("gAMA", gamma), ("cHRM", Self.displayP3)), 200, 100, 50)
        try expect(png(("cHRM", Self.displayP3), ("sRGB", [0])), 200, 100, 50)
    }

    @Test func `of two chunks of EXIF the first counts`() throws {
        let (first, second) = (TIFFBuilder.file([.init(0x112, 3, 6)]), TIFFBuilder.file([.init(0x112, 3, 3)]))
        #expect(try Picture(bytes: png(("eXIf", first), ("eXIf", second))).metadata.orientation == 6)
    }

    /// ImageMagick writes small letters, libpng's other users capitals, 36 bytes per line or all in one; and
    /// behind the bytes that are counted nothing is read.
    @Test(arguments: [true, false], ["\n", ""])
    func `EXIF in digits counts in letters of either case`(isUpper: Bool, end: String) throws {
        for name in ["Exif\0\0", ""] { try expectDigits(end, isUpper, name) }
    }

    private func expectDigits(_ end: String, _ isUpper: Bool, _ name: String) throws {
        let exif =
            Array(name.utf8) + TIFFBuilder.file([.init(0x112, 3, 6), .init(0x110, text: "OneZ/")])
        var digits = exif.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: isUpper) }
        for at in stride(from: digits.count - digits.count % 36, to: 0, by: -36) {
            digits.insert(end, at: at)
        }
        let text = "\nexif\n\(String(exif.count).leftPadded)\n" + digits.joined() + "ff\n"
        for type in ["exif", "APP1"] {
            let body = Array("Raw profile type \(type)\0".utf8) + Array(text.utf8)
            let metadata = try Picture(bytes: png(("tEXt", body))).metadata
            #expect(metadata.orientation == 6 && metadata.camera == "OneZ/", "\(type)")
        }
    }

    /// As libpng's users pack what they found in a JPEG: with the name of the segment before it, or without.
    @Test(arguments: ["xmp", "APP1"], ["http://ns.adobe.com/xap/1.0/\0", ""])
    func `XMP in digits counts, the first of two, and less than EXIF`(type: String, name: String) throws {
        func packed(_ type: String, _ bytes: [UInt8]) -> (String, [UInt8]) {
            let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            let text = "Raw profile type \(type)\0\n\(type)\n\(String(bytes.count).leftPadded)\n\(digits)\n"
            return ("tEXt", Array(text.utf8))
        }
        func xmp(_ year: Int) -> (String, [UInt8]) {
            packed(type, Array("\(name)<x xmp:CreateDate='\(year)-08-07T06:05:04'/>".utf8))
        }
        let date = try #require(try Picture(bytes: png(xmp(2019), xmp(2018))).metadata.captured)
        #expect(date.year == 2019 && date.source == .xmp)
        let exif = TIFFBuilder.file([
            .init(0x8769, directory: [.init(0x9003, text: "2001:02:03 04:05:06")])
        ])
        let other = packed("exif", Array("Exif\0\0".utf8) + exif)
        for chunks in [[xmp(2019), other], [other, xmp(2019)]] {
            let date = try #require(try Picture(bytes: png(chunks[0], chunks[1])).metadata.captured)
            #expect(date.year == 2001 && date.source != .xmp)
        }
    }

    /// IIM 4.2, 2:55 and 2:60, as ImageMagick and exiftool store them: in Photoshop's resource 0x0404.
    @Test func `the date of IPTC in digits counts`() throws {
        let sets =
            [0x1C, 2, 55, 0, 8] + Array("20140506".utf8) + [0x1C, 2, 60, 0, 11] + Array("070809+0000".utf8)
        let resource = Array("8BIM".utf8) + [4, 4, 0, 0, 0, 0, 0, UInt8(sets.count)] + sets + [0]
        for bytes in [resource, sets] {
            let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            let text = "Raw profile type iptc\0\niptc\n\(String(bytes.count).leftPadded)\n\(digits)\n"
            let date = try #require(try Picture(bytes: png(("tEXt", Array(text.utf8)))).metadata.captured)
            #expect((date.year, date.month, date.hour, date.source) == (2014, 5, 7, .iptc))
        }
    }

    /// sRGB's, one of the numbers a twentieth off: white, red, green, blue, x and y each.
    @Test(arguments: 0..<8) func `each of the primaries counts by itself`(index: Int) throws {
        var primaries = [31_270, 32_900, 64_000, 33_000, 30_000, 60_000, 15_000, 6_000] as [UInt32]
        func color() throws -> [UInt8] {
            let body = primaries.flatMap { value in
                [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
            }
            return Array(try Picture(bytes: png(("cHRM", body))).image.rgba[..<3])
        }
        #expect(try color() == [200, 100, 50])
        primaries[index] -= 5_000
        #expect(try color() != [200, 100, 50])
    }

    @Test func `with other primaries the usual gamma stands for sRGB's curve`() throws {
        try expect(png(("cHRM", Self.displayP3), ("gAMA", [0, 0, 0xB1, 0x8F])), 215, 93, 32)
    }
}

extension String {
    /// In eight columns, as ImageMagick writes a number of bytes.
    fileprivate var leftPadded: String { String(repeating: " ", count: max(0, 8 - count)) + self }
}
