/// Where decoded rows go: a picture of means of n x n pixels, and a sample of them.
struct PixelCanvas {
    private let options: DecodingOptions
    let fullWidth: Int, fullHeight: Int
    private let inAnyOrder: Bool
    let shrink: Int
    let width: Int
    private(set) var height: Int
    /// Empty until the first row: while a library decodes a picture whole it needs the room for itself.
    private var image: [UInt8] = []
    private var sums: PixelSums
    /// The index after the lowest row received.
    private(set) var rowsSeen = 0
    private var sample: [UInt8] = []
    private var chosen: ChosenPixels

    /// Checks the limit on pixels and makes room.
    ///
    /// - Parameters:
    ///   - inAnyOrder: rows come in several passes, or in parts: more is held then.
    ///   - hasAlpha: the fourth byte weighs the others; else it is a color like them.
    /// - Throws: ``ImageError/tooLarge(width:height:limit:)``, ``ImageError/corrupt(_:)`` for no pixels at
    ///   all.
    init(
        width fullWidth: Int, height fullHeight: Int, inAnyOrder: Bool, hasAlpha: Bool = true,
        options: DecodingOptions
    ) throws(ImageError) {
        guard fullWidth > 0, fullHeight > 0 else { throw .corrupt("a picture of no pixels") }
        guard fullWidth <= options.pixelLimit / fullHeight else {
            throw .tooLarge(width: fullWidth, height: fullHeight, limit: options.pixelLimit)
        }
        self.options = options
        (self.fullWidth, self.fullHeight, self.inAnyOrder) = (fullWidth, fullHeight, inAnyOrder)
        shrink = options.shrink(width: fullWidth, height: fullHeight, isStreamed: !inAnyOrder)
        width = (fullWidth + shrink - 1) / shrink
        height = (fullHeight + shrink - 1) / shrink
        sums = PixelSums(width: shrink > 1 ? width : 0, rows: inAnyOrder ? height : 1, hasAlpha: hasAlpha)
        chosen = ChosenPixels(width: fullWidth, height: fullHeight, wanted: options.samplePixels)
    }

    /// Takes the pixels `x`, `x + step`, ... of row `y`, R G B A each, all inside the picture.
    mutating func add(_ pixels: [UInt8], x: Int, step: Int, y: Int) {
        rowsSeen = max(rowsSeen, y + 1)
        makeRoom()
        if shrink == 1 {
            place(pixels, x: x, step: step, y: y)
            return
        }
        let line = inAnyOrder ? y / shrink : 0
        if step == 1, x == 0 {
            sums.add(pixels, line: line, shrink: shrink)
        } else {
            sums.add(pixels, x: x, step: step, line: line, shrink: shrink)
        }
        keepSample(pixels, x: x, step: step, y: y)
        if !inAnyOrder, y % shrink == shrink - 1 || y == fullHeight - 1 {
            sums.write(line: 0, to: &image, at: y / shrink * width * 4)
        }
    }

    private mutating func makeRoom() {
        if image.isEmpty { image = [UInt8](repeating: 0, count: width * height * 4) }
    }

    private mutating func place(_ pixels: [UInt8], x: Int, step: Int, y: Int) {
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

    private mutating func keepSample(_ pixels: [UInt8], x: Int, step: Int, y: Int) {
        guard options.samplePixels > 0 else { return }
        for column in chosen.columns(ofRow: y) where column >= x && (step == 1 || (column - x) % step == 0) {
            let pixel = (column - x) / step * 4
            guard pixel + 4 <= pixels.count else { continue }
            sample.append(pixels[pixel])
            sample.append(pixels[pixel + 1])
            sample.append(pixels[pixel + 2])
            sample.append(pixels[pixel + 3])
        }
    }

    /// There is something to show of a file that was cut.
    var hasPixels: Bool { rowsSeen >= shrink && (!inAnyOrder || shrink > 1) }

    /// The finished picture.
    ///
    /// - Parameter isCut: the file ended early; the picture ends with the rows that came.
    mutating func finish(isCut: Bool = false, notes: inout [String]) -> StoredPixels {
        makeRoom()
        if inAnyOrder, shrink > 1 {
            for line in 0..<height { sums.write(line: line, to: &image, at: line * width * 4) }
        }
        if isCut {
            height = rowsSeen / shrink
            image.removeLast(image.count - width * height * 4)
        }
        if options.exact, shrink > 1 { notes.append("read at 1/\(shrink): too large to keep every pixel") }
        let pixels = image
        image = []
        return StoredPixels(
            fullWidth: fullWidth, fullHeight: fullHeight, width: width, height: height, image: pixels,
            sample: sample)
    }
}

extension DecodingOptions {
    /// 1 when a picture may stay whole; else the least n that brings it down to ``wholePixels`` (when
    /// ``exact``, to ``imagePixelLimit``), without making its longer side shorter than wanted. At most 128,
    /// so that sums fit.
    ///
    /// - Parameter isStreamed: rows come once and in order, so that few are held.
    func shrink(width: Int, height: Int, isStreamed: Bool = true) -> Int {
        let limit = exact && isStreamed ? imagePixelLimit : wholePixels
        let most = exact ? 128 : min(128, max(1, max(width, height) / max(1, side)))
        var shrink = 1
        while shrink < most, (width + shrink - 1) / shrink * ((height + shrink - 1) / shrink) > limit {
            shrink += 1
        }
        return shrink
    }
}
