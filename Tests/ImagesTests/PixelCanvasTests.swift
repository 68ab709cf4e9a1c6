import Testing

@testable import Images

/// Rows of a decoder on their way to a smaller picture.
@Suite struct PixelCanvasTests {
    /// Pixels that differ in every channel, some of them clear.
    private static func pixel(_ x: Int, _ y: Int) -> [Int] {
        [x * 37 & 255, y * 53 & 255, (x + y) * 29 & 255, (x * y) % 5 == 0 ? 0 : (x * 91 + y * 17) & 255]
    }

    private static func row(_ y: Int, _ columns: StrideTo<Int>) -> [UInt8] {
        columns.flatMap { x in pixel(x, y).map { UInt8($0) } }
    }

    /// By hand: alpha weighs colors; halves are rounded up.
    private static func mean(_ columns: Range<Int>, _ rows: Range<Int>, hasAlpha: Bool) -> [UInt8] {
        var sums = [0, 0, 0, 0], count = 0
        for y in rows {
            for x in columns {
                let pixel = pixel(x, y)
                for channel in 0..<3 { sums[channel] += pixel[channel] * (hasAlpha ? pixel[3] : 1) }
                sums[3] += pixel[3]
                count += 1
            }
        }
        let alpha = UInt8((2 * sums[3] + count) / (2 * count))
        if !hasAlpha { return sums[0..<3].map { UInt8((2 * $0 + count) / (2 * count)) } + [alpha] }
        if sums[3] == 0 { return [0, 0, 0, 0] }
        return sums[0..<3].map { UInt8((2 * $0 + sums[3]) / (2 * sums[3])) } + [alpha]
    }

    private static func means(_ width: Int, _ height: Int, _ shrink: Int, hasAlpha: Bool) -> [UInt8] {
        stride(from: 0, to: height, by: shrink).flatMap { top in
            stride(from: 0, to: width, by: shrink).flatMap { left in
                mean(
                    left..<min(width, left + shrink), top..<min(height, top + shrink), hasAlpha: hasAlpha)
            }
        }
    }

    private static func options(_ width: Int, _ height: Int, _ shrink: Int) -> DecodingOptions {
        var options = DecodingOptions()
        options.side = 1
        options.wholePixels = ((width + shrink - 1) / shrink) * ((height + shrink - 1) / shrink)
        return options
    }

    @Test(arguments: [(7, 5, 2), (8, 8, 4), (9, 4, 3), (5, 11, 5), (6, 6, 1), (1, 9, 2)], [false, true])
    func `a shrunk picture has the means of its pixels`(size: (Int, Int, Int), hasAlpha: Bool) throws {
        let (width, height, shrink) = size, options = Self.options(width, height, shrink)
        for inAnyOrder in [false, true] {
            var canvas = try PixelCanvas(
                width: width, height: height, inAnyOrder: inAnyOrder, hasAlpha: hasAlpha, options: options)
            #expect(canvas.shrink == shrink && !canvas.hasPixels)
            if inAnyOrder {
                // Odd rows and columns apart from even ones, from below.
                for y in (0..<height).reversed() {
                    for first in [1, 0] where first < width {
                        canvas.add(
                            Self.row(y, stride(from: first, to: width, by: 2)), x: first, step: 2, y: y)
                    }
                }
            } else {
                for y in 0..<height {
                    canvas.add(Self.row(y, stride(from: 0, to: width, by: 1)), x: 0, step: 1, y: y)
                }
            }
            #expect(canvas.hasPixels == (!inAnyOrder || shrink > 1) && canvas.rowsSeen == height)
            var notes: [String] = []
            let pixels = canvas.finish(notes: &notes)
            #expect((pixels.fullWidth, pixels.fullHeight) == (width, height) && notes == [])
            #expect(pixels.width * pixels.height * 4 == pixels.image.count)
            let expected =
                shrink == 1
                ? (0..<height).flatMap { Self.row($0, stride(from: 0, to: width, by: 1)) }
                : Self.means(width, height, shrink, hasAlpha: hasAlpha)
            #expect(pixels.image == expected, "\(inAnyOrder)")
        }
    }

    @Test func `of a picture that was cut the rows of means that are whole are kept`() throws {
        for (rows, kept) in [(0, 0), (1, 0), (2, 0), (3, 1), (5, 1), (6, 2), (7, 2)] {
            var canvas = try PixelCanvas(
                width: 6, height: 8, inAnyOrder: false, options: Self.options(6, 8, 3))
            for y in 0..<rows { canvas.add(Self.row(y, stride(from: 0, to: 6, by: 1)), x: 0, step: 1, y: y) }
            #expect(canvas.hasPixels == (rows >= 3))
            var notes: [String] = []
            let pixels = canvas.finish(isCut: true, notes: &notes)
            #expect(
                pixels.height == kept
                    && pixels.image == Array(Self.means(6, 8, 3, hasAlpha: true)[..<(kept * 8)]))
        }
    }

    /// Of an interlaced file that was cut: what is missing is as what stands to its left, or above.
    @Test func `means of nothing are those beside them`() throws {
        var canvas = try PixelCanvas(
            width: 6, height: 6, inAnyOrder: true, hasAlpha: false, options: Self.options(6, 6, 2))
        canvas.add(Self.row(1, stride(from: 0, to: 6, by: 4)), x: 0, step: 4, y: 1)
        var notes: [String] = []
        let image = canvas.finish(notes: &notes).image
        let first = Self.mean(0..<1, 1..<2, hasAlpha: false), last = Self.mean(4..<5, 1..<2, hasAlpha: false)
        let row = first + first + last
        // The first of a row is as the one above it.
        #expect(image == row + first + first + first + first + first + first)
    }

    /// The least that brings a picture down to so many pixels, but for its longer side, and at most 128.
    @Test func `pictures are shrunk as little as possible`() {
        func shrink(
            _ width: Int, _ height: Int, _ pixels: Int, side: Int = 1, exact: Bool = false,
            streamed: Bool = true
        )
            -> Int
        {
            var options = DecodingOptions()
            (options.side, options.exact) = (side, exact)
            (options.wholePixels, options.imagePixelLimit) = exact ? (1, pixels) : (pixels, 1)
            if exact, !streamed { (options.wholePixels, options.imagePixelLimit) = (pixels, 1) }
            return options.shrink(width: width, height: height, isStreamed: streamed)
        }
        for exact in [false, true] {
            for streamed in [false, true] {
                #expect(shrink(100, 50, 5_000, exact: exact, streamed: streamed) == 1)
                #expect(shrink(100, 50, 4_999, exact: exact, streamed: streamed) == 2)
                #expect(shrink(100, 50, 1_250, exact: exact, streamed: streamed) == 2)
                #expect(shrink(100, 50, 1_249, exact: exact, streamed: streamed) == 3)
                #expect(shrink(101, 50, 1_275, exact: exact, streamed: streamed) == 2, "51 x 25")
                #expect(shrink(10_000, 10_000, 1, exact: exact, streamed: streamed) == 128)
            }
        }
        // The longer side keeps what is wanted, unless every pixel is.
        #expect(shrink(100, 50, 1, side: 50) == 2 && shrink(100, 50, 1, side: 51) == 1)
        #expect(shrink(50, 100, 1, side: 33) == 3 && shrink(50, 100, 1, side: 200) == 1)
        #expect(shrink(100, 50, 1, side: 0) == 100 && shrink(100, 50, 800, side: 50, exact: true) == 3)
    }

    @Test func `a picture of no pixels or too many is refused`() {
        var options = DecodingOptions()
        options.pixelLimit = 100
        func error(_ width: Int, _ height: Int) -> ImageError? {
            do throws(ImageError) {
                _ = try PixelCanvas(width: width, height: height, inAnyOrder: false, options: options)
                return nil
            } catch { return error }
        }
        #expect(error(10, 10) == nil && error(100, 1) == nil && error(1, 100) == nil)
        #expect(error(11, 10) == .tooLarge(width: 11, height: 10, limit: 100))
        #expect(error(1, 101) == .tooLarge(width: 1, height: 101, limit: 100))
        for (width, height) in [(0, 5), (5, 0), (-1, 5), (5, -1)] {
            #expect(error(width, height) == .corrupt("a picture of no pixels"))
        }
    }

    @Test func `a note says when every pixel was wanted and there are too many`() throws {
        var options = DecodingOptions()
        (options.exact, options.imagePixelLimit) = (true, 9)
        for (side, notes) in [(3, []), (4, ["read at 1/2: too large to keep every pixel"])] {
            var canvas = try PixelCanvas(width: side, height: side, inAnyOrder: false, options: options)
            for y in 0..<side {
                canvas.add(Self.row(y, stride(from: 0, to: side, by: 1)), x: 0, step: 1, y: y)
            }
            var got: [String] = []
            _ = canvas.finish(notes: &got)
            #expect(got == notes)
        }
    }

    /// Colors over alpha, rounded to nearest; a color above its alpha is none.
    @Test func `colors that alpha has multiplied are divided by it`() {
        let pixels: [[UInt8]] = [
            [10, 20, 30, 0], [10, 20, 30, 255], [10, 20, 30, 100], [200, 100, 99, 100], [1, 1, 1, 2],
        ]
        let expected: [[UInt8]] = [
            [10, 20, 30, 0], [10, 20, 30, 255], [26, 51, 77, 100], [255, 255, 252, 100], [128, 128, 128, 2],
        ]
        #expect(pixels.flatMap { $0 }.unmultiplied == expected.flatMap { $0 } && [UInt8]().unmultiplied == [])
    }
}
