extension DCPicture {
    /// How components become colors; nil for what libjpeg has to convert.
    enum Colors { case gray, rgb, yCbCr }

    /// - Source: JFIF 1.02; Adobe Technical Note 5116, 18 (transform byte); libjpeg's documentation of its
    ///   guesses for files that say neither.
    func colors(hasJFIF: Bool, adobeTransform: UInt8?) -> Colors? {
        let ids = frame.components.map(\.id)
        switch ids.count {
        case 1: return .gray
        case 3:
            if hasJFIF { return .yCbCr }
            if let adobeTransform { return adobeTransform == 0 ? .rgb : .yCbCr }
            return ids == Array("RGB".utf8) ? .rgb : .yCbCr
        default: return nil
        }
    }

    /// The picture at 1/8: each block's mean, colors with less resolution interpolated between block
    /// centers.
    ///
    /// Nil when a component's blocks do not evenly divide the largest's.
    ///
    /// - Complexity: O(blocks).
    func image(_ colors: Colors) -> (width: Int, height: Int, rgba: [UInt8])? {
        guard isEvenlyDivided else { return nil }
        let width = (frame.width + 7) / 8, height = (frame.height + 7) / 8
        var rgba = [UInt8](repeating: 255, count: width * height * 4)
        var rows = planes.indices.map { MeanRows(self, component: $0, width: width) }
        var output = rgba.mutableSpan
        for y in 0..<height {
            for index in rows.indices { rows[index].move(to: y) }
            // All three are equal in a gray picture.
            let (second, third) =
                rows.count == 3 ? (rows[1].values, rows[2].values) : (rows[0].values, rows[0].values)
            DCPicture.write(
                (rows[0].values, second, third), 0..<width, colors, to: &output, at: y * width * 4)
        }
        return (width, height, rgba)
    }

    /// The picture at 1/4: the first component's means over 4 x 4 pixels, the others interpolated between
    /// block centers.
    ///
    /// Nil when the coefficients for it were not read, or do not fit together.
    ///
    /// - Complexity: O(blocks).
    func quarterImage(_ colors: Colors) -> (width: Int, height: Int, rgba: [UInt8])? {
        // None of red, green, and blue may be coarser than the others.
        guard isEvenlyDivided, low.component == 0, colors != .rgb else { return nil }
        let width = (frame.width + 3) / 4, height = (frame.height + 3) / 4
        var rgba = [UInt8](repeating: 255, count: width * height * 4)
        var first = LowRows(self, width: width)
        var others = planes.indices.dropFirst().map { MeanRows(self, component: $0, width: width, finer: 2) }
        var output = rgba.mutableSpan
        for y in 0..<height {
            first.move(to: y)
            for index in others.indices { others[index].move(to: y) }
            let (second, third) =
                others.count == 2 ? (others[0].values, others[1].values) : (first.values, first.values)
            DCPicture.write(
                (first.values, second, third), 0..<width, colors, to: &output, at: y * width * 4)
        }
        return (width, height, rgba)
    }

    var isEvenlyDivided: Bool {
        frame.components.count == 1
            || frame.components.allSatisfy {
                frame.maxHorizontal % $0.horizontal == 0 && frame.maxVertical % $0.vertical == 0
            }
    }

    /// Writes a range of pixels of three components, 0 for mid-gray, as R G B 255 from `start` on.
    static func write(
        _ components: ([Float], [Float], [Float]), _ range: Range<Int>, _ colors: Colors,
        to output: inout MutableSpan<UInt8>, at start: Int
    ) {
        let (a, b, c) = components
        let first = a.span.extracting(range), second = b.span.extracting(range),
            third = c.span.extracting(range)
        // SAFETY: any bytes are numbers.
        var bytes = unsafe output.mutableBytes, at = start, x = 0
        while x + 8 <= first.count {
            let pixels = pixels(first.eight(x), second.eight(x), third.eight(x), colors: colors)
            bytes.storeBytes(of: pixels, toByteOffset: at, as: SIMD8<UInt32>.self)
            x += 8
            at += 32
        }
        while x < first.count {
            let one = pixels(
                SIMD8(repeating: first[x]), SIMD8(repeating: second[x]), SIMD8(repeating: third[x]),
                colors: colors)
            bytes.storeBytes(of: one[0], toByteOffset: at, as: UInt32.self)
            x += 1
            at += 4
        }
    }

    /// Eight pixels of three components, 0 for mid-gray: R G B 255 each, the lowest byte first.
    @inline(__always)
    private static func pixels(
        _ first: SIMD8<Float>, _ second: SIMD8<Float>, _ third: SIMD8<Float>, colors: Colors
    ) -> SIMD8<UInt32> {
        let light = first + middle
        let color = colors == .yCbCr ? rgb(light, second, third) : (light, second + middle, third + middle)
        let (red, green, blue) = (byte(color.0), byte(color.1), byte(color.2))
        return red | green &<< 8 | blue &<< 16 | 0xFF00_0000
    }

    /// Mid-gray, and a little: adding 2^23 rounds halves to even numbers, and means, eighths of a step, are
    /// often halves. They go up.
    private static var middle: Float { 128.000_25 }

    /// - Source: JFIF 1.02: ITU-R BT.601 with full range.
    @inline(__always)
    private static func rgb(
        _ y: SIMD8<Float>, _ cb: SIMD8<Float>, _ cr: SIMD8<Float>
    ) -> (SIMD8<Float>, SIMD8<Float>, SIMD8<Float>) {
        (y + 1.402 * cr, y - 0.344_136 * cb - 0.714_136 * cr, y + 1.772 * cb)
    }

    /// Rounded to nearest, at the ends where it lies beyond.
    @inline(__always)
    private static func byte(_ value: SIMD8<Float>) -> SIMD8<UInt32> {
        var inside = value.replacing(with: 0, where: value .< 0)
        inside.replace(with: 255, where: inside .> 255)
        // A float of 2^23 and more has no fraction: adding it rounds, and the low bits are the number.
        // SAFETY: 32 bytes each, and any bits are numbers.
        return unsafe unsafeBitCast(inside + 8_388_608, to: SIMD8<UInt32>.self) & 0xFF
    }
}

/// Rows of the first component's means over 4 x 4 pixels, 0 for mid-gray.
///
/// Summed up so that a photo that is flipped or turned has the same to the last bit.
struct LowRows {
    private let plane: DCPlane
    private let low: LowFrequencyCoefficients
    private let dc: Float, across: Float, down: Float, diagonal: Float
    private(set) var values: [Float]

    init(_ picture: DCPicture, width: Int) {
        plane = picture.planes[0]
        low = picture.low
        let steps = picture.steps[0], weights = LowFrequencyCoefficients.weights
        // Zig-zag order: 1 lies right of DC, 2 below, 4 diagonally.
        dc = Float(steps[0]) * weights.dc
        across = Float(steps[1]) * weights.side
        down = Float(steps[2]) * weights.side
        diagonal = Float(steps[4]) * weights.diagonal
        values = [Float](repeating: 0, count: (width + 1) / 2 * 2)
    }

    mutating func move(to y: Int) {
        let row = y / 2, sign: Float = y % 2 == 0 ? 1 : -1
        let plane = plane, low = low
        let means = plane.values.span.extracting(row * plane.columns..<row * plane.columns + low.columns)
        let details = low.values.span.extracting(row * low.columns..<(row + 1) * low.columns)
        let (dc, across, down, diagonal) = (dc, across, down * sign, diagonal * sign)
        var output = values.mutableSpan
        for column in means.indices where 2 * column + 1 < output.count {
            let detail = details[column], mean = Float(means[column]) * dc
            let x = Float(detail[0]) * across, y = Float(detail[1]) * down, xy = Float(detail[3]) * diagonal
            output[2 * column] = (mean + xy) + (y + x)
            output[2 * column + 1] = (mean - xy) + (y - x)
        }
    }
}

/// Rows of a component's block means at the picture's 1/8 size, or interpolated at its 1/4, 0 for mid-gray.
private struct MeanRows {
    private let plane: DCPlane
    private let scale: Float
    /// Columns and rows to one of this component's blocks.
    private let horizontal: Int, vertical: Int
    private let usedColumns: Int, usedRows: Int
    /// For each column of the picture the blocks around it and the way from the first to the second; empty
    /// where there is one block a column.
    private let columns: [Neighbors]
    private var line: [Float]
    private(set) var values: [Float]

    /// - Parameter finer: columns and rows to a block of the largest component, 1 or 2.
    init(_ picture: DCPicture, component index: Int, width: Int, finer: Int = 1) {
        let frame = picture.frame, component = frame.components[index]
        let isAlone = frame.components.count == 1
        horizontal = finer * (isAlone ? 1 : frame.maxHorizontal / component.horizontal)
        plane = picture.planes[index]
        scale = Float(picture.steps[index][0]) / 8
        vertical = finer * (isAlone ? 1 : frame.maxVertical / component.vertical)
        let (usedColumns, usedRows) = frame.blocks(of: component)
        (self.usedColumns, self.usedRows) = (usedColumns, usedRows)
        columns =
            horizontal == 1
            ? []
            : (0..<width).map { [horizontal] in Neighbors(of: $0, factor: horizontal, count: usedColumns) }
        line = [Float](repeating: 0, count: usedColumns)
        values = [Float](repeating: 0, count: horizontal == 1 ? usedColumns : width)
    }

    mutating func move(to y: Int) {
        let rows = Neighbors(of: y, factor: vertical, count: usedRows)
        blend(rows)
        if horizontal == 1 {
            (line, values) = (values, line)
            return
        }
        let (row, weights, isDoubled) = (line, columns, horizontal == 2)
        let line = row.span, columns = weights.span
        var output = values.mutableSpan
        var x = 0
        if isDoubled, output.count > 0 {
            output[0] = line[0]
            x = 1
            // Between two blocks lie two pixels, a quarter of the way from either.
            while x + 16 <= output.count, x / 2 + 9 <= line.count {
                let first = line.eight(x / 2), way = line.eight(x / 2 + 1) - first
                var pixels = SIMD16<Float>()
                pixels.evenHalf = first + way * 0.25
                pixels.oddHalf = first + way * 0.75
                output.store(pixels, at: x)
                x += 16
            }
        }
        while x < output.count {
            let pair = columns[x], first = line[pair.first]
            output[x] = first + (line[pair.second] - first) * pair.way
            x += 1
        }
    }

    /// Sets `line` to what lies between two block rows.
    private mutating func blend(_ rows: Neighbors) {
        let plane = plane, scale = scale
        let first = rows.first * plane.columns, second = rows.second * plane.columns
        let upper = plane.values.span.extracting(first..<first + usedColumns)
        let lower = plane.values.span.extracting(second..<second + usedColumns)
        var output = line.mutableSpan
        if rows.way == 0 {
            for x in output.indices { output[x] = Float(upper[x]) * scale }
        } else {
            for x in output.indices {
                let value = Float(upper[x])
                output[x] = (value + (Float(lower[x]) - value) * rows.way) * scale
            }
        }
    }
}

/// The two blocks whose centers lie around a pixel, and how far it is from the first towards the second,
/// 0..<1.
private struct Neighbors {
    let first: Int, second: Int
    let way: Float

    /// - Parameters:
    ///   - position: in columns or rows of the picture.
    ///   - factor: of these to one of the blocks looked for.
    ///   - count: blocks there are.
    init(of position: Int, factor: Int, count: Int) {
        let center = (Float(position) + 0.5) / Float(factor) - 0.5
        let before = center < 0 ? -1 : Int(center)
        first = min(max(before, 0), count - 1)
        second = min(before + 1, count - 1)
        way = before < 0 ? 0 : center - Float(before)
    }
}
