extension Image {
    /// The picture with its longer side at `longSide`, the other in proportion; never larger than it is.
    ///
    /// Catmull-Rom over as many source pixels as one new pixel covers, in linear light, alpha-weighted: a
    /// fine black-and-white pattern becomes the grey the eye sees from afar, and transparent pixels lend no
    /// colour.
    ///
    /// - Parameter longSide: pixels, at least 1.
    /// - Returns: a picture of at most that size; itself when it is no larger.
    /// - Complexity: O(*w h* + source pixels read a new pixel * new pixels).
    public func resized(longSide: Int) -> Image {
        guard longSide >= 1, longSide < max(width, height) else { return self }
        let scale = Double(longSide) / Double(max(width, height))
        let newWidth = max(1, Int((Double(width) * scale).rounded()))
        let newHeight = max(1, Int((Double(height) * scale).rounded()))
        let columns = ResizingTaps(from: width, to: newWidth),
            rows = ResizingTaps(from: height, to: newHeight)
        let opaque = isOpaque

        // Rows narrowed so far, a ring just long enough for the taps of one new row.
        let depth = rows.width + 1
        var ring = [SIMD4<Float>](repeating: .zero, count: depth * newWidth)
        var line = [SIMD4<Float>](repeating: .zero, count: width)
        var narrowed = 0
        var output = [UInt8](repeating: 0, count: newWidth * newHeight * 4)
        let stored = SRGBCurve.stored
        for y in 0..<newHeight {
            let first = rows.first[y]
            while narrowed < first + rows.width {
                readLight(row: narrowed, into: &line, opaque: opaque)
                columns.apply(to: line, into: &ring, at: (narrowed % depth) * newWidth)
                narrowed += 1
            }
            for x in 0..<newWidth {
                var sum = SIMD4<Float>.zero
                var slot = first % depth
                for tap in 0..<rows.width {
                    sum += ring[slot * newWidth + x] * rows.weights[y * rows.width + tap]
                    slot = slot + 1 == depth ? 0 : slot + 1
                }
                sum.store(in: &output, at: (y * newWidth + x) * 4, stored)
            }
        }
        return Image(checkedWidth: newWidth, height: newHeight, rgba: output)
    }

    private var isOpaque: Bool {
        var least: UInt8 = 255
        for at in stride(from: 3, to: rgba.count, by: 4) { least = min(least, rgba[at]) }
        return least == 255
    }

    /// Light times alpha, and alpha, 0...1.
    private func readLight(row: Int, into line: inout [SIMD4<Float>], opaque: Bool) {
        let light = SRGBCurve.light
        var at = row * width * 4
        for x in 0..<width {
            let color = SIMD4(light[Int(rgba[at])], light[Int(rgba[at + 1])], light[Int(rgba[at + 2])], 1)
            line[x] = opaque ? color : color * (Float(rgba[at + 3]) / 255)
            at += 4
        }
    }
}

extension SIMD4<Float> {
    /// Writes four stored bytes of light times alpha.
    ///
    /// - Parameters:
    ///   - output: the bytes at `place` are 0, as transparent black has them.
    ///   - stored: ``SRGBCurve/stored``, looked up once a picture and not once a pixel.
    fileprivate func store(in output: inout [UInt8], at place: Int, _ stored: [UInt8]) {
        let alpha = Swift.min(Swift.max(w, 0), 1)
        guard alpha > 0 else { return }
        let straight = alpha == 1 ? self : self / w
        // Lane by lane: `clamped` is a call of generic code, slower than everything else here.
        var index = straight * 4095 + 0.5
        index.replace(with: 0, where: index .< 0)
        index.replace(with: 4095, where: index .> 4095)
        output[place] = stored[Int(index.x)]
        output[place + 1] = stored[Int(index.y)]
        output[place + 2] = stored[Int(index.z)]
        output[place + 3] = UInt8(alpha * 255 + 0.5)
    }
}
