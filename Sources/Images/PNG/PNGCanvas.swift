internal import CImage

/// Where the rows of a PNG go: a picture of means of n x n pixels, and a sample of them.
///
/// A class because C holds a pointer to it while libpng reads.
final class PNGCanvas {
    private let options: DecodingOptions
    private(set) var refusal: ImageError?
    private(set) var fullWidth = 0, fullHeight = 0
    /// The file ended early; see ``finish(notes:)``.
    var isCut = false

    private var shrink = 1
    private var width = 0, height = 0
    private var isInterlaced = false, isGray = false
    private var samples = PNGSamples(depth: 8, table: nil)
    private var source = ColorSource.srgb
    private var image: [UInt8] = []
    private var sums = PixelSums(width: 0, rows: 0)
    /// One past the lowest row that has come.
    private var rowsSeen = 0
    private var sample: [UInt8] = []
    /// Pixels to one of the sample.
    private var interval = 1

    init(options: DecodingOptions) { self.options = options }

    /// Checks the limits and makes room.
    ///
    /// - Returns: false, and ``refusal`` says why, when the file is not to be read.
    func begin(_ header: cimage_png_header, profile: [UInt8]) -> Bool {
        (fullWidth, fullHeight) = (Int(header.width), Int(header.height))
        guard fullWidth > 0, fullHeight > 0, fullWidth <= options.pixelLimit / fullHeight else {
            refusal = .tooLarge(width: fullWidth, height: fullHeight, limit: options.pixelLimit)
            return false
        }
        isInterlaced = header.interlaced
        isGray = header.gray
        shrink = bestShrink
        width = (fullWidth + shrink - 1) / shrink
        height = (fullHeight + shrink - 1) / shrink
        let colors = PNGColors(header, profile: profile)
        source = colors.source
        samples = PNGSamples(depth: Int(header.depth), table: colors.table(depth: Int(header.depth)))
        image = [UInt8](repeating: 0, count: width * height * 4)
        if shrink > 1 {
            sums = PixelSums(width: width, rows: isInterlaced ? height : 1)
            interval = max(1, fullWidth * fullHeight / max(1, options.samplePixels))
        }
        return true
    }

    /// 1 when the picture may stay whole; else the least n that brings it down to `wholePixels` (when
    /// `exact`, to `imagePixelLimit`), without making its longer side shorter than wanted. At most 128, so
    /// that sums fit.
    private var bestShrink: Int {
        let limit = options.exact && !isInterlaced ? options.imagePixelLimit : options.wholePixels
        let most = options.exact ? 128 : min(128, max(1, max(fullWidth, fullHeight) / max(1, options.side)))
        var shrink = 1
        while shrink < most, (fullWidth + shrink - 1) / shrink * ((fullHeight + shrink - 1) / shrink) > limit
        {
            shrink += 1
        }
        return shrink
    }

    /// Takes a row, or a part of one.
    ///
    /// - Parameters:
    ///   - row: which pixels.
    ///   - start: `row.count` pixels of four samples.
    @unsafe func add(_ row: cimage_png_row, samples start: UnsafePointer<UInt8>?) {
        let y = Int(row.y), count = Int(row.count)
        guard y >= 0, y < fullHeight, count > 0, row.step > 0, row.x >= 0,
            Int(row.x) + (count - 1) * Int(row.step) < fullWidth
        else { return }
        // SAFETY: the shim promises `count` pixels of four samples, valid during this call.
        let raw = unsafe UnsafeRawBufferPointer(start: start, count: count * 4 * samples.size)
        let pixels = unsafe samples.pixels(raw)
        rowsSeen = max(rowsSeen, y + 1)
        if shrink == 1 {
            place(pixels, x: Int(row.x), step: Int(row.step), y: y)
            return
        }
        let line = isInterlaced ? y / shrink : 0
        if row.step == 1 {
            sums.add(pixels, line: line, shrink: shrink)
        } else {
            sums.add(pixels, x: Int(row.x), step: Int(row.step), line: line, shrink: shrink)
        }
        keepSample(pixels, x: Int(row.x), step: Int(row.step), y: y)
        if !isInterlaced, y % shrink == shrink - 1 || y == fullHeight - 1 {
            sums.write(line: 0, to: &image, at: y / shrink * width * 4)
        }
    }

    private func place(_ pixels: [UInt8], x: Int, step: Int, y: Int) {
        var at = (y * width + x) * 4
        if step == 1 {
            image.replaceSubrange(at..<at + pixels.count, with: pixels)
            return
        }
        for pixel in stride(from: 0, to: pixels.count, by: 4) {
            for channel in 0..<4 { image[at + channel] = pixels[pixel + channel] }
            at += step * 4
        }
    }

    /// Keeps every so manieth pixel, beginning with another one in each row.
    private func keepSample(_ pixels: [UInt8], x: Int, step: Int, y: Int) {
        guard options.samplePixels > 0 else { return }
        let first = Int(SplitMix64.hash(y) % UInt64(interval))
        var column = x
        for pixel in stride(from: 0, to: pixels.count, by: 4) {
            if column % interval == first { sample.append(contentsOf: pixels[pixel..<pixel + 4]) }
            column += step
        }
    }

    /// There is something to show of a file that was cut.
    var hasPixels: Bool { rowsSeen >= shrink && (!isInterlaced || shrink > 1) }

    /// The finished picture. Of a file that was cut, the rows that came.
    func finish(notes: inout [String]) -> StoredPixels {
        if isInterlaced, shrink > 1 {
            for line in 0..<height { sums.write(line: line, to: &image, at: line * width * 4) }
        }
        if isCut {
            height = rowsSeen / shrink
            image.removeLast(image.count - width * height * 4)
        }
        if options.exact, shrink > 1 { notes.append("read at 1/\(shrink): too large to keep every pixel") }
        return StoredPixels(
            fullWidth: fullWidth, fullHeight: fullHeight, width: width, height: height, image: image,
            sample: sample, layout: isGray && source.isProfile ? .gray : .rgba, source: source)
    }
}
