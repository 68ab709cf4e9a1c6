extension DCPicture {
    /// Full-resolution pixels, R G B 255, of a sample of MCUs.
    ///
    /// Block means lack what varies inside blocks: foliage, fabric, stars. The scanner knows where every
    /// block begins, so a few can be decoded in full for a fraction of what all would cost.
    ///
    /// - Parameters:
    ///   - colors: how components become colours.
    ///   - wanted: pixels, about.
    /// - Returns: the pixels; none when the file is not a baseline file with all components in one scan.
    /// - Complexity: O(`wanted`), and a hash for each MCU.
    func detail(_ colors: Colors, pixels wanted: Int) -> [UInt8] {
        guard wanted > 0, let baseline else { return [] }
        let layout = baseline.layout, isAlone = layout.parts.count == 1
        let mcuWidth = 8 * (isAlone ? 1 : frame.maxHorizontal),
            mcuHeight = 8 * (isAlone ? 1 : frame.maxVertical)
        let decoders = layout.parts.indices.map { index in
            BlockDecoder(
                dc: baseline.dc[index], ac: baseline.ac[index], steps: steps[layout.parts[index].component])
        }
        let sample = BlockSample(wanted: wanted / (mcuWidth * mcuHeight), of: layout.columns * layout.rows)
        let chosen = (0..<layout.columns * layout.rows).filter { sample.contains($0) }
        var mcu = MCU(picture: self, baseline: baseline, width: mcuWidth, height: mcuHeight)
        var output = [UInt8](repeating: 255, count: chosen.count * mcuWidth * mcuHeight * 4), count = 0
        for index in chosen {
            let column = index % layout.columns, row = index / layout.columns
            guard mcu.read(index, column: column, row: row, decoders) else { return [] }
            let right = min(mcuWidth, frame.width - column * mcuWidth)
            let bottom = min(mcuHeight, frame.height - row * mcuHeight)
            if right == mcuWidth {
                mcu.write(0..<mcuWidth * bottom, colors, to: &output, at: &count)
            } else {
                for y in 0..<bottom {
                    mcu.write(y * mcuWidth..<y * mcuWidth + right, colors, to: &output, at: &count)
                }
            }
        }
        output.removeLast(output.count - count)
        return output
    }
}

/// The samples of one MCU at full resolution, component by component.
private struct MCU {
    private let picture: DCPicture
    private let baseline: BaselineScan
    private let width: Int
    /// Samples by component, `width` a row; those of lesser resolution repeated.
    private var samples: [[Float]]

    init(picture: DCPicture, baseline: BaselineScan, width: Int, height: Int) {
        self.picture = picture
        self.baseline = baseline
        self.width = width
        samples = Array(repeating: Array(repeating: 0, count: width * height), count: picture.planes.count)
    }

    /// Decodes an MCU's blocks.
    mutating func read(_ index: Int, column: Int, row: Int, _ decoders: [BlockDecoder]) -> Bool {
        let layout = baseline.layout
        var rows = InlineArray<8, SIMD8<Float>>(repeating: .zero)
        for (number, part) in layout.parts.enumerated() {
            let wide = width / (8 * part.horizontal), plane = picture.planes[part.component]
            let tall = samples[part.component].count / width / (8 * part.vertical)
            for v in 0..<part.vertical {
                for h in 0..<part.horizontal {
                    let block = index * layout.mcuBlocks + part.first + v * part.horizontal + h
                    let place = (row * part.vertical + v) * plane.columns + column * part.horizontal + h
                    let isRead = decoders[number].decode(
                        at: baseline.starts[block], value: plane.values[place],
                        data: unsafe baseline.data.bytes.span.bytes, end: baseline.data.count * 8, into: &rows
                    )
                    guard isRead else { return false }
                    place8(rows, component: part.component, left: h * 8 * wide, top: v * 8 * tall, wide, tall)
                }
            }
        }
        return true
    }

    /// Puts 8 x 8 samples down, each `wide` x `tall` times.
    private mutating func place8(
        _ rows: InlineArray<8, SIMD8<Float>>, component: Int, left: Int, top: Int, _ wide: Int, _ tall: Int
    ) {
        var output = samples[component].mutableSpan
        for y in 0..<8 {
            let row = rows[y]
            for repeated in 0..<tall {
                let start = (top + y * tall + repeated) * width + left
                if wide == 1 {
                    for x in 0..<8 { output[start + x] = row[x] }
                } else {
                    for x in 0..<8 * wide { output[start + x] = row[x / wide] }
                }
            }
        }
    }

    /// Writes a range of its pixels, row by row, to the output from `count` on.
    func write(_ range: Range<Int>, _ colors: DCPicture.Colors, to output: inout [UInt8], at count: inout Int)
    {
        let (second, third) = samples.count == 3 ? (samples[1], samples[2]) : (samples[0], samples[0])
        var bytes = output.mutableSpan
        DCPicture.write((samples[0], second, third), range, colors, to: &bytes, at: count)
        count += range.count * 4
    }
}
