#if GIF
import Testing

@testable import Images

/// The blocks and the codes of GIF files, written one by one.
@Suite struct GIFTests {
    /// Codes of the widths that they have, as bytes.
    private static func bytes(_ codes: [(code: Int, width: Int)]) -> [UInt8] {
        var bytes: [UInt8] = [], held = 0, count = 0
        for (code, width) in codes {
            held |= code << count
            count += width
            while count >= 8 {
                bytes.append(UInt8(held & 255))
                (held, count) = (held >> 8, count - 8)
            }
        }
        return count > 0 ? bytes + [UInt8(held)] : bytes
    }

    /// Sub-blocks of at most so many bytes, and the empty one.
    private static func blocks(_ bytes: [UInt8], of most: Int = 255) -> [UInt8] {
        stride(from: 0, to: bytes.count, by: most).flatMap { start -> [UInt8] in
            let part = bytes[start..<min(bytes.count, start + most)]
            return [UInt8(part.count)] + part
        } + [0]
    }

    /// Header, screen, and the colors of 4 indexes: of index i, (i, 10 i, 200 - i).
    private static func start(_ width: Int, _ height: Int, colors: Int = 4) -> [UInt8] {
        let bits = (1...8).first { 1 << $0 >= colors } ?? 8
        let table = (0..<1 << bits).flatMap { (index: Int) -> [UInt8] in
            [UInt8(index), UInt8(index * 10 & 255), UInt8((200 - index) & 255)]
        }
        let sides = TIFFBuilder.number(width, 2) + TIFFBuilder.number(height, 2)
        return Array("GIF89a".utf8) + sides + [0x80 | UInt8(bits - 1), 0, 0] + table
    }

    private static func picture(
        _ width: Int, _ height: Int, _ data: [UInt8], minimum: UInt8 = 2, flags: UInt8 = 0,
        colors: [UInt8] = []
    ) -> [UInt8] {
        [0x2C, 0, 0, 0, 0] + TIFFBuilder.number(width, 2) + TIFFBuilder.number(height, 2) + [flags] + colors
            + [minimum] + data
    }

    /// GIF89a, appendix F: an encoder that looks for the longest run in a list, the slow way. At 4,096 codes
    /// it clears, or goes on with the codes it has.
    private static func encoded(_ pixels: [Int], minimum: Int, clears: Bool) -> [(code: Int, width: Int)] {
        let clear = 1 << minimum
        var table: [[Int]: Int] = [:], free = clear + 2, width = minimum + 1
        var codes = [(clear, width)], run: [Int] = []
        func code(_ run: [Int]) -> Int { run.count == 1 ? run[0] : table[run] ?? 0 }
        for pixel in pixels {
            let longer = run + [pixel]
            if longer.count == 1 || table[longer] != nil {
                run = longer
                continue
            }
            codes.append((code(run), width))
            if free < 4096 {
                table[longer] = free
                free += 1
                if free > 1 << width, width < 12 { width += 1 }
            } else if clears {
                codes.append((clear, width))
                (table, free, width) = ([:], clear + 2, minimum + 1)
            }
            run = [pixel]
        }
        codes.append((code(run), width))
        // The decoder has one code more by now.
        if free == 1 << width, width < 12 { width += 1 }
        return codes + [(clear + 1, width)]
    }

    /// More codes than there is room for.
    @Test(arguments: [false, true]) func `codes of all widths are read and none is impossible`(clears: Bool)
        throws
    {
        let pixels = (0..<80 * 90).map { Int(SplitMix64.hash($0) % 200) }
        let data = Self.blocks(Self.bytes(Self.encoded(pixels, minimum: 8, clears: clears)))
        let file = Self.start(80, 90, colors: 256) + Self.picture(80, 90, data, minimum: 8) + [0x3B]
        #expect(GIFStructure.impossibleCodes(file) == 0 && GIFStructure.end(of: file) == .whole)
        let picture = try Picture(bytes: file)
        #expect(picture.notes == [])
        #expect((0..<pixels.count).allSatisfy { Int(picture.image.rgba[$0 * 4]) == pixels[$0] })
    }

    /// Of codes of 2 bits 4 clears, 5 ends, and 6 is the first that a decoder adds: with the second code.
    @Test(
        arguments: [
            ([(4, 3), (1, 3), (0, 3), (0, 3), (1, 4), (5, 4)], 0),
            ([(1, 3), (0, 3), (0, 3), (1, 4), (5, 4)], 0),
            ([(4, 3), (1, 3), (6, 3), (0, 3), (5, 4)], 0), ([(4, 3), (1, 3), (7, 3), (1, 3), (5, 4)], 1),
            ([(4, 3), (6, 3), (1, 3), (1, 3), (5, 4)], 1), ([(4, 3), (7, 3), (7, 3), (0, 3), (1, 4)], 2),
            ([(4, 3), (1, 3), (4, 3), (6, 3), (1, 3), (1, 3)], 1),
            ([(4, 3), (1, 3), (5, 3), (7, 3), (7, 3)], 0),
            ([(4, 3), (4, 3), (1, 3), (6, 3), (7, 3), (7, 4)], 0),
            ([(4, 3), (1, 3), (6, 3), (7, 3), (10, 4)], 0),
            ([(4, 3), (1, 3), (6, 3), (1, 3), (10, 4), (1, 4)], 0),
            ([(4, 3), (1, 3), (0, 3), (0, 3), (9, 4)], 1),
            ([(4, 3), (1, 3), (0, 3), (0, 3), (8, 4)], 0), ([(4, 3), (3, 3), (3, 3), (6, 3), (15, 4)], 0),
        ] as [([(Int, Int)], Int)])
    func `codes that stand for nothing are counted up to the last pixel`(codes: [(Int, Int)], count: Int) {
        let data = Self.bytes(codes.map { (code: $0.0, width: $0.1) })
        for most in [1, 255] {
            let plain = Self.picture(2, 2, Self.blocks(data, of: most))
            let own = Self.picture(
                2, 2, Self.blocks(data, of: most), flags: 0x81, colors: [UInt8](repeating: 9, count: 12))
            let words: [UInt8] = [0x21, 0xFE, 2, 0x2C, 0x2C, 1, 0x3B, 0],
                bare = Array(Self.start(2, 2)[..<10]) + [0, 0, 0]
            for picture in [
                Self.start(2, 2) + plain, Self.start(2, 2) + words + own, bare + words + words + own,
            ] {
                #expect(GIFStructure.impossibleCodes(picture + [0x3B]) == count, "\(codes)")
                #expect(
                    GIFStructure.end(of: picture + [0x3B]) == .whole
                        && GIFStructure.end(of: picture) == .missing)
            }
        }
    }

    @Test func `impossible codes are noted`() throws {
        let data = Self.blocks(Self.bytes([(4, 3), (1, 3), (7, 3), (1, 3), (1, 4), (1, 4), (5, 4)]))
        let file = Self.start(2, 2) + Self.picture(2, 2, data) + [0x3B]
        #expect(try Picture(bytes: file).notes == ["damaged: 1 codes that stand for nothing"])
        #expect(GIFStructure.impossibleCodes(file) == 1)
    }

    /// Widths of codes from 2 to 8 bits.
    @Test func `a picture whose codes have an impossible width has none`() {
        let data = Self.blocks(Self.bytes([(4, 3), (7, 3), (7, 3)]))
        func count(_ minimum: UInt8) -> Int {
            GIFStructure.impossibleCodes(
                Self.start(2, 2) + Self.picture(2, 2, data, minimum: minimum) + [0x3B])
        }
        #expect(count(2) == 2 && count(1) == 0 && count(9) == 0 && count(0) == 0 && count(255) == 0)
        // Of eight bits, of which 256 clears.
        let wide = Self.blocks(Self.bytes([(256, 9), (300, 9), (300, 9)]))
        #expect(
            GIFStructure.impossibleCodes(Self.start(2, 2) + Self.picture(2, 2, wide, minimum: 8) + [0x3B])
                == 2)
    }

    /// GIF89a, 17 to 27: a file is cut wherever it ends before its trailer; what is no block ends the walk.
    @Test func `a file is cut until its trailer is there`() throws {
        let data = Self.blocks(Self.bytes([(4, 3), (1, 3), (0, 3), (0, 3), (1, 4), (5, 4)]))
        let own = Self.picture(2, 2, data, flags: 0x80, colors: [1, 2, 3, 4, 5, 6])
        let control: [UInt8] = [0x21, 0xF9, 4, 0, 0, 0, 0, 0],
            words: [UInt8] = [0x21, 0xFE, 1, 65, 2, 66, 67, 0]
        let file = Self.start(2, 2) + control + own + words + Self.picture(2, 2, data) + [0x3B]
        for end in 0..<file.count {
            #expect(GIFStructure.end(of: Array(file[..<end])) == .missing, "\(end)")
            #expect(GIFStructure.impossibleCodes(Array(file[..<end])) == 0, "\(end)")
        }
        #expect(GIFStructure.end(of: file) == .whole && GIFStructure.end(of: file + [1, 2]) == .whole)
        #expect(GIFStructure.end(of: file.dropLast() + [0]) == .damaged, "no block")
        // Eight colors and none.
        #expect(GIFStructure.end(of: Self.start(2, 2, colors: 8) + own + [0x3B]) == .whole)
        #expect(GIFStructure.end(of: Array(Self.start(2, 2)[..<10]) + [0x07, 0, 0] + own + [0x3B]) == .whole)
    }

    /// GIF89a, appendix E: rows 0, 8, ..., then 4, 12, ..., then 2, 6, ..., then 1, 3, ...
    @Test(arguments: 1...17) func `interlaced rows lie where they belong`(height: Int) throws {
        let order =
            Array(stride(from: 0, to: height, by: 8)) + Array(stride(from: 4, to: height, by: 8))
            + Array(stride(from: 2, to: height, by: 4)) + Array(stride(from: 1, to: height, by: 2))
        let pixels = order.flatMap { [$0, $0, 31 - $0] }
        let data = Self.blocks(Self.bytes(Self.encoded(pixels, minimum: 5, clears: true)))
        let file =
            Self.start(3, height, colors: 32) + Self.picture(3, height, data, minimum: 5, flags: 0x40) + [
                0x3B
            ]
        let rgba = try Picture(bytes: file).image.rgba
        for y in 0..<height {
            let seen = (0..<3).map { Int(rgba[(y * 3 + $0) * 4]) }
            #expect(seen == [y, y, 31 - y] && rgba[y * 12 + 1] == UInt8(y * 10 & 255), "\(y)")
        }
    }

    @Test func `a picture without colors is refused, and one without a picture`() {
        let data = Self.blocks(Self.bytes([(4, 3), (1, 3), (0, 3), (0, 3), (1, 4), (5, 4)]))
        let bare = Array(Self.start(2, 2)[..<10]) + [0, 0, 0]
        #expect(throws: ImageError.corrupt("no color table")) {
            try Picture(bytes: bare + Self.picture(2, 2, data) + [0x3B])
        }
        #expect(throws: ImageError.self) { try Picture(bytes: Self.start(2, 2) + [0x3B]) }
    }

    /// What a cut file still holds: the rows that came, on the canvas; of an interlaced one nothing.
    @Test func `of a cut picture the whole rows are kept`() throws {
        var options = DecodingOptions()
        options.acceptsTruncated = true
        let pixels = (0..<60).flatMap { [Int](repeating: $0 % 4, count: 7) }
        let codes = Self.bytes(Self.encoded(pixels, minimum: 2, clears: true))
        let whole = Self.start(7, 60) + Self.picture(7, 60, Self.blocks(codes, of: 8)) + [0x3B]
        let cut = Array(whole.dropLast(codes.count / 2))
        #expect(throws: ImageError.self) { try Picture(bytes: cut) }
        let kept = try Picture(bytes: cut, options: options)
        #expect((5..<55).contains(kept.image.height) && kept.width == 7 && kept.height == 60)
        #expect(
            kept.notes.contains { $0.hasPrefix("truncated: file ends after row \(kept.image.height) of 60") })
        #expect((0..<kept.image.height).allSatisfy { Int(kept.image.rgba[$0 * 28]) == $0 % 4 })
        let crossed = Self.start(7, 60) + Self.picture(7, 60, Self.blocks(codes, of: 8), flags: 0x40)
        #expect(throws: ImageError.self) {
            try Picture(bytes: Array(crossed.dropLast(codes.count / 2)), options: options)
        }
        // All rows, and no trailer.
        let open = try Picture(bytes: Array(whole.dropLast()), options: options)
        #expect(open.image.height == 60 && open.notes == ["the file ends early, behind the picture"])
    }
}
#endif
