import Testing

@testable import Images

/// The segments of a JPEG, field by field.
@Suite struct JPEGTableTests {
    /// ITU-T T.81, B.2.2: precision, height, width, and three bytes for each component.
    private func made(
        _ width: Int, _ height: Int, _ factors: [UInt8], precision: UInt8 = 8, marker: UInt8 = 0xC0,
        ids: [UInt8] = [1, 2, 3, 4], table: UInt8 = 0
    ) -> JPEGFrame? {
        let sides = [UInt8(height >> 8), UInt8(height & 255), UInt8(width >> 8), UInt8(width & 255)]
        let components = factors.indices.flatMap { [ids[$0], factors[$0], table] }
        return JPEGFrame(([precision] + sides + [UInt8(factors.count)] + components)[...], marker: marker)
    }

    /// A.1.1 and A.2: a component has its part of the size, rounded up, in blocks of 8; one that stands with
    /// others as many as whole MCUs have.
    @Test(
        arguments: [
            (17, 17, [0x22, 0x11, 0x11], [(3, 3), (2, 2), (2, 2)], (2, 2)),
            (16, 16, [0x22, 0x11, 0x11], [(2, 2), (1, 1), (1, 1)], (1, 1)),
            (33, 8, [0x41, 0x11, 0x21], [(5, 1), (2, 1), (3, 1)], (2, 1)),
            (8, 33, [0x14, 0x11, 0x12], [(1, 5), (1, 2), (1, 3)], (1, 2)),
            (1, 1, [0x11], [(1, 1)], (1, 1)), (9, 8, [0x22], [(2, 1)], (1, 1)),
            (25, 17, [0x31, 0x11, 0x21], [(4, 3), (2, 3), (3, 3)], (2, 3)),
            (65_535, 65_535, [0x11], [(8192, 8192)], (8192, 8192)),
        ] as [(Int, Int, [UInt8], [(Int, Int)], (Int, Int))])
    func `components have the blocks that hold their pixels`(
        width: Int, height: Int, factors: [UInt8], blocks: [(Int, Int)], units: (Int, Int)
    ) throws {
        let frame = try #require(made(width, height, factors))
        #expect((frame.width, frame.height) == (width, height))
        #expect((frame.mcuColumns, frame.mcuRows) == units)
        for (component, expected) in zip(frame.components, blocks) {
            #expect(frame.blocks(of: component) == expected)
        }
        #expect(frame.components.map(\.horizontal) == factors.map { Int($0 >> 4) })
        #expect(frame.components.map(\.vertical) == factors.map { Int($0 & 15) })
    }

    @Test func `a frame that breaks a rule is none`() {
        #expect(made(8, 8, [0x11, 0x44, 0x11, 0x11]) != nil && made(8, 8, []) == nil)
        #expect(made(8, 8, [0x11, 0x11, 0x11, 0x11, 0x11], ids: [1, 2, 3, 4, 5]) == nil)
        #expect(made(0, 8, [0x11]) == nil && made(8, 0, [0x11]) == nil, "DNL says the height later")
        for factor in [0x01, 0x10, 0x51, 0x15] as [UInt8] { #expect(made(8, 8, [factor]) == nil) }
        #expect(
            made(8, 8, [0x11, 0x11], ids: [7, 7]) == nil && made(8, 8, [0x11, 0x11], ids: [7, 0]) != nil)
        #expect(made(8, 8, [0x11], table: 3) != nil && made(8, 8, [0x11], table: 4) == nil)
        let body: [UInt8] = [8, 0, 8, 0, 8, 1, 1, 0x11, 0]
        #expect(
            JPEGFrame(body[...], marker: 0xC0) != nil && JPEGFrame((body + [0])[...], marker: 0xC0) == nil)
        #expect(
            JPEGFrame(body.dropLast(), marker: 0xC0) == nil
                && JPEGFrame([8, 0, 8, 0, 8], marker: 0xC0) == nil)
    }

    /// B.1.1.3, table B.1: C0 and C1 are sequential with Huffman codes, C2 progressive; others are lossless,
    /// differential, or arithmetic.
    @Test func `the coding is the marker's, of eight bits`() {
        for marker in 0xC0...0xCF as ClosedRange<UInt8> {
            let known: [UInt8: JPEGFrame.Coding] = [0xC0: .baseline, 0xC1: .baseline, 0xC2: .progressive]
            #expect(made(8, 8, [0x11], marker: marker)?.coding == known[marker] ?? .other)
            #expect(made(8, 8, [0x11], precision: 12, marker: marker)?.coding == .other)
        }
    }

    /// B.2.3: components with their tables, the first and last coefficient, and two bit positions.
    @Test func `a scan names components of its frame, each once`() throws {
        let frame = try #require(made(8, 8, [0x11, 0x11, 0x11], ids: [9, 5, 7]))
        let scan = try #require(JPEGScan([2, 7, 0x13, 9, 0x20, 1, 63, 0x21], frame: frame))
        #expect(scan.components == [.init(index: 2, dc: 1, ac: 3), .init(index: 0, dc: 2, ac: 0)])
        #expect((scan.first, scan.last, scan.previousBit, scan.bit) == (1, 63, 2, 1))
        for wrong in [
            [0, 1, 63, 0], [1, 8, 0, 0, 63, 0], [2, 7, 0, 7, 0, 0, 63, 0], [1, 7, 0x40, 0, 63, 0],
            [1, 7, 0x04, 0, 63, 0], [1, 7, 0, 0, 63], [1, 7, 0, 0, 63, 0, 0], [2, 7, 0, 0, 63, 0], [],
            [5, 7, 0, 9, 0, 5, 0, 7, 0, 7, 0, 0, 63, 0],
        ] as [[UInt8]] { #expect(JPEGScan(wrong[...], frame: frame) == nil, "\(wrong)") }
        #expect(JPEGScan([3, 9, 0, 5, 0x11, 7, 0x33, 0, 63, 0], frame: frame)?.components.count == 3)
    }

    /// T.81, annex K.3.1, table K.3: the code of the differences of luma that most files have.
    @Test func `codes are those of the standard's example`() throws {
        let code = try #require(
            HuffmanCode(
                counts: [0, 1, 5, 1, 1, 1, 1, 1, 1] + [UInt8](repeating: 0, count: 7), symbols: Array(0...11))
        )
        let words = [
            "00", "010", "011", "100", "101", "110", "1110", "11110", "111110", "1111110", "11111110",
            "111111110",
        ]
        #expect(code.words.map(\.symbol) == Array(0...11) && code.isDC)
        for (symbol, word) in words.enumerated() {
            let value = Int(word, radix: 2) ?? 0, rest = 16 - word.count
            #expect(code.words[symbol].word == value && code.words[symbol].length == word.count)
            for end in [0, (1 << rest) - 1] {
                let found = code.symbol(at: value << rest | end)
                #expect(found?.symbol == UInt8(symbol) && found?.length == word.count)
            }
        }
        #expect(code.symbol(at: 0xFF80) == nil && code.symbol(at: 0xFFFF) == nil)
        #expect(code.symbol(at: 0xFF7F)?.symbol == 11)
    }

    /// One word of each length: 0, 10, 110, and so on to fifteen ones and a zero.
    @Test func `words have from 1 to 16 bits`() throws {
        let code = try #require(
            HuffmanCode(counts: [UInt8](repeating: 1, count: 16), symbols: (0..<16).map { UInt8($0 + 40) }))
        for length in 1...16 {
            let word = 0xFFFF << (17 - length) & 0xFFFF
            #expect(code.symbol(at: word)?.symbol == UInt8(39 + length), "\(length)")
            #expect(code.symbol(at: word)?.length == length)
        }
        #expect(code.symbol(at: 0xFFFF) == nil && code.words.map(\.length) == Array(1...16))
    }

    @Test func `counts that make no prefix code are none`() {
        func code(_ counts: [UInt8], _ symbols: Int) -> HuffmanCode? {
            let all = counts + [UInt8](repeating: 0, count: max(0, 16 - counts.count))
            return HuffmanCode(counts: all, symbols: (0..<symbols).map { UInt8($0 & 255) })
        }
        #expect(
            code([2], 2) != nil && code([3], 3) == nil && code([1, 2], 3) != nil && code([1, 3], 4) == nil)
        #expect(code([0, 4], 4) != nil && code([0, 5], 5) == nil && code([1, 1, 2], 4) != nil)
        #expect(code([2], 1) == nil && code([2], 3) == nil && code([], 0) == nil)
        #expect(
            code([0, 0, 0, 0, 0, 0, 0, 255, 1], 256) != nil
                && code([0, 0, 0, 0, 0, 0, 0, 255, 2], 257) == nil)
        #expect(HuffmanCode(counts: [2] + [UInt8](repeating: 0, count: 14), symbols: [0, 1]) == nil)
        #expect(HuffmanCode(counts: [2] + [UInt8](repeating: 0, count: 16), symbols: [0, 1]) == nil)
        let zeros = [UInt8](repeating: 0, count: 15)
        #expect(HuffmanCode(counts: [2] + zeros, symbols: [0, 15])?.isDC == true)
        #expect(HuffmanCode(counts: [2] + zeros, symbols: [0, 16])?.isDC == false)
    }

    private func segment(_ marker: UInt8, _ body: [UInt8]) -> [UInt8] {
        [0xFF, marker, UInt8((body.count + 2) >> 8), UInt8((body.count + 2) & 255)] + body
    }

    private let small: [UInt8] = [8, 0, 8, 0, 8, 1, 1, 0x11, 0]
    private let scan: [UInt8] = [1, 1, 0, 0, 63, 0]

    /// B.2.4: tables may stand several in a segment, and again; what was said last counts.
    @Test func `tables, intervals and marks are those before the scan`() throws {
        let steps = (1...64).map { UInt8($0) }, wide = (1...64).flatMap { [UInt8($0), UInt8(64 - $0)] }
        let code: [UInt8] = [0, 2] + [UInt8](repeating: 0, count: 14) + [3, 4]
        let bytes =
            [0xFF, 0xD8] + segment(0xDB, [0] + steps + [0x11] + wide + [3] + steps.reversed())
            + segment(0xDB, [3] + steps) + segment(0xC4, [0x00] + code + [0x13] + code)
            + segment(0xDD, [1, 2]) + segment(0xFE, []) + [0xFF, 0xFF] + segment(0xE5, [1, 2, 3])
            + segment(0xE0, Array("JFIF\0".utf8) + [1, 2, 0, 0, 1, 0, 1, 0, 0])
            + segment(0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 2]) + segment(0xC0, small)
            + segment(0xDA, scan) + [1, 2, 0xFF, 0, 0xFF, 0xD0, 0xFF, 0xD7, 0xFF, 0xFF, 0xD9, 7]
        var markers = JPEGMarkers(bytes)
        guard case .scan(let found) = markers.next() else {
            Issue.record("no scan")
            return
        }
        #expect(found.last == 63 && markers.restartInterval == 258 && markers.hasJFIF)
        #expect(markers.adobeTransform == 2)
        #expect(markers.quantization[0] == steps.map { UInt16($0) } && markers.quantization[2] == [])
        let both = (1...64).map { (step: Int) -> UInt16 in UInt16(step * 256 + 64 - step) }
        #expect(markers.quantization[1] == both)
        #expect(markers.quantization[3] == steps.map { UInt16($0) })
        #expect(markers.huffman.map { $0 != nil } == [true, false, false, false, false, false, false, true])
        #expect(markers.huffman[7]?.symbols == [3, 4])
        #expect(bytes[markers.position] == 1)
        markers.skipData()
        #expect(bytes[markers.position...].starts(with: [0xFF, 0xD9]) && markers.next() == .end)
        #expect(markers.position == bytes.count - 1 && ImageFormat.end(in: bytes) == bytes.count - 1)
        #expect(ImageFormat.end(in: Array(bytes.dropLast(2))) == nil)
    }

    /// Everything that is left to libjpeg to judge, and what is cut off.
    @Test func `what is out of order is irregular, what is missing is cut`() {
        let start: [UInt8] = [0xFF, 0xD8]
        func event(_ bytes: [UInt8]) -> JPEGMarkers.Event {
            var markers = JPEGMarkers(start + bytes)
            return markers.next()
        }
        let frame = segment(0xC0, small), steps = [UInt8](repeating: 1, count: 64)
        let zeros = [UInt8](repeating: 0, count: 15)
        for wrong in [
            [0], [0xFF, 0xD8], [0xFF, 0xD0], [0xFF, 0xD7], [0xFF, 0xBF, 0, 2], [0xFF, 0xC0, 0, 1],
            [0xFF, 0xC0, 0, 0],
            frame + frame, segment(0xC0, small + [0]), segment(0xDA, scan), frame + segment(0xDA, scan + [0]),
            segment(0xDC, [0, 8]), segment(0xDD, [1]), segment(0xDD, [0, 1, 2]),
            segment(0xE0, Array("JFIF\0".utf8) + [2, 2, 0, 0, 1, 0, 1, 0, 0]),
            segment(0xE0, Array("JFIF\0".utf8) + [1, 2, 0, 0, 1, 0, 1, 0]),
            segment(0xDB, [0] + steps.dropLast()), segment(0xDB, [4] + steps),
            segment(0xDB, [0x20] + steps + steps),
            segment(0xDB, [0x10] + steps), segment(0xDB, [0x10] + steps + steps.dropLast()),
            segment(0xDB, [0] + steps + [1]),
            segment(0xC4, [0] + zeros + [1]), segment(0xC4, [4, 1] + zeros + [5]),
            segment(0xC4, [0x20, 1] + zeros + [5]),
            segment(0xC4, [0, 1] + zeros), segment(0xC4, [0, 3] + zeros + [5, 6, 7]),
            segment(0xC4, [0] + zeros),
        ] as [[UInt8]] { #expect(event(wrong + [0xFF, 0xD9]) == .irregular, "\(wrong)") }
        for right in [
            [], [0xFF], frame, segment(0xE0, Array("JFXX\0".utf8)), segment(0xE0, []),
            segment(0xDB, [3] + steps),
            segment(0xDB, [0x13] + steps + steps), segment(0xC4, [0x13, 1] + zeros + [5]),
            segment(0xDD, [0, 0]),
            segment(0xEE, Array("Adobe".utf8)), segment(0xDB, []),
        ] as [[UInt8]] {
            #expect(event(right + [0xFF, 0xD9]) == .end, "\(right)")
            if !right.isEmpty { #expect(event(right.dropLast()) == .cut, "\(right)") }
        }
        #expect(event([]) == .cut && event([0xFF]) == .cut && event([0xFF, 0xE1]) == .cut)
        #expect(event([0xFF, 0xE1, 0, 3]) == .cut && event([0xFF, 0xE1, 0, 3, 9]) == .cut)
    }

    @Test func `data goes on over stuffed bytes and restarts, to the next marker`() {
        func rest(_ data: [UInt8]) -> Int {
            var markers = JPEGMarkers([0xFF, 0xD8] + data)
            markers.skipData()
            return data.count + 2 - markers.position
        }
        for (data, left) in [
            ([1, 0xFF, 0xD9], 2), ([0xFF, 0, 0xFF, 0xD0, 0xFF, 0xD7, 0xFF, 0xD8], 2), ([1, 2, 3], 0),
            ([1, 0xFF], 0), ([0xFF, 0xFF, 0xFF, 0xC4, 1], 3), ([0xFF, 1], 2), ([0xFF, 0xCF, 1], 3), ([], 0),
        ] as [([UInt8], Int)] { #expect(rest(data) == left, "\(data)") }
    }

    /// As libjpeg, which steps over what it does not know.
    @Test func `metadata is found behind anything that stands between segments`() throws {
        let exif = segment(0xE1, Array("Exif\0\0".utf8) + [UInt8](repeating: 7, count: 8))
        let packet = Array("http://ns.adobe.com/xap/1.0/\0".utf8), xmp = segment(0xE1, packet + [1, 2, 3])
        let part = segment(0xE2, Array("ICC_PROFILE\0".utf8) + [1, 1, 42])
        let adobe = segment(0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 1])
        let all = exif + xmp + part + adobe + segment(0xC0, small)
        for between in [
            [], [0], [0xFF], [0xFF, 0], [0xFF, 1], [0xFF, 0xD0], [0xFF, 0xD7], [9, 0xFF, 0xFF],
        ] as [[UInt8]] {
            let bytes = [0xFF, 0xD8] + between + all, header = JPEGHeader(bytes)
            #expect(
                header.exif.map { bytes[$0].count } == 14 && header.xmp.map { Array(bytes[$0]) } == [1, 2, 3])
            #expect(header.profile == [42] && header.adobeTransform == 1 && header.frame?.width == 8)
        }
        for end in [
            [0xFF, 0xD8], [0xFF, 0xD9], segment(0xDA, scan), [0xFF, 0xE5, 0, 1], [0xFF, 0xE5, 0xFF, 0xFF],
        ]
            as [[UInt8]]
        {
            let header = JPEGHeader([0xFF, 0xD8] + end + all)
            #expect(header.exif == nil && header.profile == nil && header.frame == nil, "\(end)")
        }
        // An empty structure, one of seven bytes, and another name.
        for body in [
            Array("Exif\0\0".utf8), Array("Exif\0\0".utf8) + [1, 2, 3, 4, 5, 6, 7], Array("Exit\0\0".utf8),
        ] {
            #expect(JPEGHeader([0xFF, 0xD8] + segment(0xE1, body)).exif == nil)
        }
        #expect(JPEGHeader([0xFF, 0xD8] + segment(0xE1, packet)).xmp?.isEmpty == true)
        #expect(JPEGHeader([0xFF, 0xD8] + segment(0xE1, packet.dropLast())).xmp == nil)
        for length in [11, 12, 13, 14] {
            let name = Array("ICC_PROFILE\0\u{1}\u{1}".utf8.prefix(length))
            #expect(JPEGHeader([0xFF, 0xD8] + segment(0xE2, name)).hasProfileParts == (length == 14))
        }
        #expect(
            JPEGHeader([0xFF, 0xD8] + segment(0xEE, Array("Adobe".utf8) + [0, 1, 0, 0, 0, 0])).adobeTransform
                == nil)
        // Codes and tables for arithmetic coding are no frames.
        for marker in [0xC4, 0xC8, 0xCC] as [UInt8] {
            #expect(JPEGHeader([0xFF, 0xD8] + segment(marker, small)).frame == nil)
        }
        #expect(
            JPEGHeader([0xFF, 0xD8] + segment(0xC1, small) + segment(0xC2, small)).frame?.coding == .baseline)
    }

    /// 1/8, 1/4, 1/2 or 1/1: the smallest that has the side wanted, unless more pixels than allowed come.
    @Test func `the scale is the smallest that suffices and fits`() {
        func shrink(_ width: Int, _ height: Int, _ change: (inout DecodingOptions) -> Void) -> Int {
            var options = DecodingOptions()
            (options.side, options.samplePixels) = (100, 0)
            change(&options)
            return JPEGReader(bytes: [], options: options).shrink(width: width, height: height)
        }
        for (side, expected) in [
            (99, 1), (198, 1), (199, 2), (396, 2), (397, 4), (792, 4), (793, 8), (9_000, 8),
        ] {
            #expect(shrink(side, 10) { _ in } == expected && shrink(10, side) { _ in } == expected, "\(side)")
        }
        #expect(shrink(9_000, 100) { $0.exact = true } == 1)
        // 400 x 200 pixels are 80,000, 20,000, 5,000, and 1,250.
        for (limit, expected) in [
            (80_000, 1), (79_999, 2), (20_000, 2), (19_999, 4), (5_000, 4), (4_999, 8), (1, 8),
        ] {
            #expect(
                shrink(400, 200) { ($0.exact, $0.imagePixelLimit) = (true, limit) } == expected, "\(limit)")
        }
        #expect(
            shrink(400, 200) { $0.imagePixelLimit = 5_000 } == 4
                && shrink(793, 8) { $0.imagePixelLimit = 1 } == 8)
        // At 1/2 a photo is read whole for its sample, if it is small.
        for (pixels, samples, expected) in [(2_000, 9, 1), (1_999, 9, 2), (2_000, 0, 2)] {
            #expect(shrink(200, 10) { ($0.wholePixels, $0.samplePixels) = (pixels, samples) } == expected)
        }
        #expect(shrink(400, 10) { $0.samplePixels = 9 } == 4)
        // All of a photo of up to so many pixels is decoded for its sample, from four times the side on.
        for (width, pixels, expected) in [(400, 4_000, 1), (399, 4_000, 4), (400, 3_999, 4)] {
            #expect(
                shrink(width, 10) { ($0.decodedJPEGPixels, $0.samplePixels) = (pixels, 9) } == expected,
                "\(width)")
        }
        #expect(
            shrink(400, 10) { ($0.decodedJPEGPixels, $0.samplePixels, $0.meansSide) = (4_000, 9, 5) } == 4)
    }
}
