import Testing

@testable import Images

/// What is wrong in a file is said, also where a library passes it over.
@Suite struct DamageTests {
    /// Every so manieth byte of the data is changed. A code that is in no table, or a block past its end, is
    /// what our scanner stops at; libjpeg's fast loop reads it as zeros without a word.
    @Test func `a JPEG with an impossible code is noted or refused`() throws {
        var exact = DecodingOptions(), impossible = 0
        exact.exact = true
        for name in ["optimized-420", "restart-420", "testorig"] {
            let bytes = try Fixture.bytes("jpeg/\(name).jpg")
            var markers = JPEGMarkers(bytes)
            _ = markers.next()
            for position in stride(from: markers.position + 40, to: bytes.count - 40, by: bytes.count / 40) {
                var damaged = bytes
                damaged[position] ^= 0x24
                guard damaged[position] != 0xFF, bytes[position] != 0xFF, damaged[position - 1] != 0xFF else {
                    continue
                }
                guard DCPicture(JPEGMarkers(damaged), scanLimit: 1) == nil else { continue }
                guard let picture = try? Picture(bytes: damaged, options: exact) else { continue }
                impossible += 1
                #expect(picture.notes != [], "\(name), byte \(position)")
            }
        }
        #expect(impossible > 5)
    }

    @Test func `rows that are missing are told in rows of the photo`() throws {
        let jpeg = try Fixture.bytes("jpeg/optimized-420.jpg")
        var options = DecodingOptions()
        options.side = 1
        let half = Array(jpeg.prefix(jpeg.count / 2))
        let error = #expect(throws: ImageError.self) { try Picture(bytes: half, options: options) }
        guard case .truncated(let rows, 420, 1) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect((100...320).contains(rows))
    }

    @Test func `no error ends in nothing`() {
        for error in [ImageError.corrupt(""), .unsupported(""), .pastLimit("")] {
            #expect(!error.description.hasSuffix(": ") && error.description.count > 12, "\(error)")
        }
    }

    #if GIF
    /// Near the end, where what giflib takes a wrong code for makes no picture larger than it is.
    @Test func `a GIF with a code that is not in its table is noted`() throws {
        let bytes = try Fixture.bytes("formats/plain.gif")
        #expect(try Picture(bytes: bytes).notes == [])
        var noted = 0
        for position in bytes.count - 120..<bytes.count - 8 {
            var damaged = bytes
            damaged[position] ^= 0xFF
            let notes = (try? Picture(bytes: damaged))?.notes ?? []
            if notes.contains(where: { $0.hasPrefix("damaged: ") }) { noted += 1 }
        }
        #expect(noted > 10)
    }

    /// GIF89a, 24: any number of comments may stand in front of a picture.
    @Test func `a code that is not in its table counts behind comments, too`() throws {
        let sound = try Fixture.bytes("formats/plain.gif"), comment: [UInt8] = [0x21, 0xFE, 1, 0x61, 0]
        let start = 13 + (3 << (Int(sound[10] & 7) + 1))
        var counts = 0
        for position in sound.count - 120..<sound.count - 8 {
            var damaged = sound
            damaged[position] ^= 0xFF
            let count = GIFStructure.impossibleCodes(damaged)
            damaged.insert(contentsOf: comment + comment, at: start)
            #expect(GIFStructure.impossibleCodes(damaged) == count, "\(position)")
            counts += count
        }
        #expect(counts > 10)
    }

    @Test(arguments: [
        "plain", "interlaced", "animated", "transparent", "offset",
    ]) func `a sound GIF has no such code`(name: String) throws {
        #expect(GIFStructure.impossibleCodes(try Fixture.bytes("formats/\(name).gif")) == 0)
    }

    @Test(arguments: [5, 7]) func `a GIF whose first picture has no pixels is refused`(side: Int) throws {
        var bytes = try Fixture.bytes("formats/plain.gif")
        let start = 13 + (3 << (Int(bytes[10] & 7) + 1))
        let descriptor = try #require(bytes[start...].firstIndex(of: 0x2C))
        (bytes[descriptor + side], bytes[descriptor + side + 1]) = (0, 0)
        #expect(throws: ImageError.corrupt("a first picture without pixels")) { try Picture(bytes: bytes) }
    }
    #endif

    #if TIFF
    /// libtiff goes on behind what it cannot read of a fax, most of the time, and says so to who listens; of
    /// a JPEG libjpeg says so, when it is asked.
    @Test(arguments: [
        ("bw-gopher_ccittGroup3.tiff", 2), ("bw-gopher_ccittGroup4.tiff", 2), ("jpeg.tiff", 2),
        ("ycbcr_jpeg_8bit.tif", 2),
    ])
    func `a TIFF of which libtiff guesses a part is noted or refused`(name: String, oneIn: Int) throws {
        let bytes = try Fixture.bytes("formats/\(name)"), sound = try Picture(bytes: bytes)
        #expect(sound.notes == [])
        let structure = try #require(TIFFStructure(bytes))
        let directory = try #require(structure.directory(at: structure.first))
        let start = try #require(structure.number(directory.fields[273]))
        let size = try #require(structure.number(directory.fields[279]))
        var noticed = 0, noted = 0, changed = 0
        for position in stride(from: start + size / 3, to: start + size - 8, by: max(1, size / 16)) {
            var damaged = bytes
            for offset in 0..<4 { damaged[position + offset] = 0xAA }
            guard let picture = try? Picture(bytes: damaged) else {
                (noticed, changed) = (noticed + 1, changed + 1)
                continue
            }
            if picture.image != sound.image { changed += 1 }
            if picture.notes.contains(where: { $0.hasPrefix("damaged: ") }) {
                (noticed, noted) = (noticed + 1, noted + 1)
            }
        }
        #expect(noted > 0)
        #expect(noticed * oneIn >= changed && changed > 5, "\(noticed) of \(changed)")
    }

    /// libtiff gives a fax up with a warning and no error.
    @Test func `a fax that cannot be read is refused with libtiff's words`() throws {
        var bytes = try Fixture.bytes("formats/bw-gopher_ccittGroup3.tiff")
        for position in 280..<320 { bytes[position] ^= 0xFF }
        let error = #expect(throws: ImageError.self) { try Picture(bytes: bytes) }
        #expect(error?.description.contains("at line ") == true, "\(String(describing: error))")
    }

    /// libtiff hands over a strip in one piece, and libjpeg's fast loop says nothing of such codes in it.
    @Test func `a TIFF whose JPEG has an impossible code is noted or refused`() throws {
        let jpeg = try Fixture.bytes("jpeg/optimized-420.jpg")
        func file(_ strip: [UInt8]) throws -> [UInt8] {
            var markers = JPEGMarkers(strip)
            _ = markers.next()
            let frame = try #require(markers.frame)
            return TIFFBuilder.file(
                [
                    .init(256, 3, frame.width), .init(257, 3, frame.height), .init(258, 3, 8, 8, 8),
                    .init(259, 3, 7), .init(262, 3, 6), .init(273, 4, 0), .init(277, 3, 3),
                    .init(278, 3, frame.height), .init(279, 4, strip.count), .init(530, 3, 2, 2),
                ], pixels: strip)
        }
        #expect(try Picture(bytes: file(jpeg)).notes == [])
        var markers = JPEGMarkers(jpeg), impossible = 0
        _ = markers.next()
        for position in stride(from: markers.position + 40, to: jpeg.count - 40, by: jpeg.count / 40) {
            var damaged = jpeg
            damaged[position] ^= 0x24
            guard damaged[position] != 0xFF, jpeg[position] != 0xFF, damaged[position - 1] != 0xFF,
                DCPicture(JPEGMarkers(damaged), scanLimit: 1) == nil,
                let picture = try? Picture(bytes: file(damaged))
            else { continue }
            impossible += 1
            #expect(picture.notes != [], "byte \(position)")
        }
        #expect(impossible > 2)
    }

    /// White, then sRGB's red and blue in CIELAB with D50: littlecms's and B. Lindbloom's numbers.
    @Test(arguments: [8, 16])
    func `Lab's white is white, whichever its lamp`(bits: Int) throws {
        let colors = [(100.0, 0.0, 0.0), (54.29, 80.81, 69.89), (29.57, 68.30, -112.03), (50, 0, 0)]
        let pixels = colors.flatMap { l, a, b -> [UInt8] in
            bits == 8
                ? [
                    UInt8(l * 2.55 + 0.5), UInt8(bitPattern: Int8(a.rounded())),
                    UInt8(bitPattern: Int8(b.rounded())),
                ]
                : [Int(l * 655.35), Int(a * 256), Int(b * 256)].flatMap { TIFFBuilder.number($0, 2) }
        }
        let file = TIFFBuilder.file(
            [
                .init(256, 3, 4), .init(257, 3, 1), .init(258, 3, bits, bits, bits), .init(259, 3, 1),
                .init(262, 3, 8), .init(273, 4, 0), .init(277, 3, 3), .init(278, 3, 1),
                .init(279, 4, pixels.count),
            ], pixels: pixels)
        let seen = try Picture(bytes: file).image.rgba
        let expected = [255, 255, 255, 255, 0, 0, 0, 0, 255, 119, 119, 119]
        for (index, value) in expected.enumerated() {
            #expect(abs(Int(seen[index / 3 * 4 + index % 3]) - value) <= 3, "\(seen)")
        }
    }

    /// A press whose darkest mix has a lightness of 20 in CIELAB: shown as it is, shadows would be #303030.
    @Test func `the black of inks is black`() throws {
        let pixels: [UInt8] = [255, 255, 255, 255, 0, 0, 0, 0]
        let file = TIFFBuilder.file(
            [
                .init(256, 3, 2), .init(257, 3, 1), .init(258, 3, 8, 8, 8, 8), .init(259, 3, 1),
                .init(262, 3, 5),
                .init(273, 4, 0), .init(277, 3, 4), .init(278, 3, 1), .init(279, 4, pixels.count),
                .init(34675, 7, DamageTests.press(darkest: 20)),
            ], pixels: pixels)
        let picture = try Picture(bytes: file), seen = picture.image.rgba
        #expect(picture.notes == [])
        #expect(seen[0..<3].allSatisfy { $0 <= 4 } && seen[4..<7].allSatisfy { $0 >= 251 }, "\(seen)")
    }

    /// A profile of four inks, each of which takes a quarter of the way from 100 to the darkest.
    ///
    /// - Source: ICC.1:2001-04, 6.1 (header), 6.5.7 (lut8Type): 2 grid points an ink.
    private static func press(darkest: Int) -> [UInt8] {
        func number(_ value: Int, _ size: Int) -> [UInt8] {
            size > 8 ? [UInt8](repeating: 0, count: size) : TIFFBuilder.number(value, size).reversed()
        }
        func xyz(_ x: Int, _ y: Int, _ z: Int) -> [UInt8] { [x, y, z].flatMap { number($0, 4) } }
        let straight = (0...255).map { UInt8($0) }
        var table = Array("mft1".utf8) + number(0, 4) + [4, 3, 2, 0]
        for cell in 0..<9 { table += number(cell % 4 == 0 ? 65_536 : 0, 4) }
        for _ in 0..<4 { table += straight }
        for mix in 0..<16 {
            let lightness = 100 - (100 - darkest) * mix.nonzeroBitCount / 4
            table += [UInt8(lightness * 255 / 100), 128, 128]
        }
        for _ in 0..<3 { table += straight }
        let words = Array("desc".utf8) + number(0, 4) + number(6, 4) + Array("press\0".utf8) + number(0, 78)
        let rights = Array("text".utf8) + number(0, 4) + Array("none".utf8)
        let white = Array("XYZ ".utf8) + number(0, 4) + xyz(63_190, 65_536, 54_061)
        let tags = [("A2B0", table), ("desc", words), ("cprt", rights), ("wtpt", white)]
        var list = number(tags.count, 4), data: [UInt8] = []
        for (name, body) in tags {
            list +=
                Array(name.utf8) + number(128 + 4 + 12 * tags.count + data.count, 4) + number(body.count, 4)
            data += body + [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
        }
        var header = number(128 + list.count + data.count, 4) + Array("lcms".utf8) + [2, 0x10, 0, 0]
        header += Array("prtrCMYKLab ".utf8) + number(0, 12) + Array("acsp".utf8) + number(0, 28)
        header += xyz(63_190, 65_536, 54_061)
        return header + [UInt8](repeating: 0, count: 128 - header.count) + list + data
    }

    @Test func `libtiff's words stand without the name it was not told`() throws {
        let file = TIFFBuilder.file(
            [
                .init(256, 3, 2), .init(257, 3, 1), .init(258, 3, 8), .init(259, 3, 1), .init(262, 3, 1),
                .init(273, 4, 0), .init(277, 3, 0), .init(278, 3, 1), .init(279, 4, 2),
            ], pixels: [1, 2])
        let error = #expect(throws: ImageError.self) { try Picture(bytes: file) }
        let words = try #require(error?.description)
        #expect(!words.contains(": :") && !words.hasSuffix(": "), "\(words)")
    }
    #endif
}
