extension DCPicture {
    /// The means of areas of the picture, row by row, R G B 255 each, with `longSide` of them on the longer
    /// side, or as many as there are blocks of 8 x 8 pixels, or quarters of such, if that is fewer.
    ///
    /// Means of the blocks' colors as 8-bit values, cut where they lie beyond, as a picture saved without
    /// loss has them; in whole numbers, so that a photo that is flipped or turned has the same. Where what it
    /// takes for 1/4 was read, light is that of the blocks' quarters. A block of color with less resolution
    /// counts for all blocks of pixels that it covers; ``image(_:)`` interpolates between such, which looks
    /// better and takes 5 to 10 % of the colors' variance away.
    ///
    /// Nil when a component's blocks do not evenly divide the largest's.
    ///
    /// - Parameter longSide: at least 1.
    /// - Complexity: O(blocks).
    func means(_ colors: Colors, longSide: Int) -> Means? {
        guard isEvenlyDivided else { return nil }
        // None of red, green, and blue may be coarser than the others.
        let finer = low.component == 0 && colors != .rgb ? 2 : 1, cell = 8 / finer
        let width = (frame.width + cell - 1) / cell, height = (frame.height + cell - 1) / cell
        let long = max(width, height), side = min(longSide, long)
        // Rounded to nearest, halves up.
        let across = AreaShares(from: width, to: max(1, (2 * width * side + long) / (2 * long)))
        let down = AreaShares(from: height, to: max(1, (2 * height * side + long) / (2 * long)))
        let areas = (0..<across.target).map { AreaShares.Area($0, of: across) }
        var blocks = BlockColors(self, colors, width: width, finer: finer)
        var rgba = [UInt8](repeating: 255, count: across.target * down.target * 4)
        var sums = [UInt32](repeating: 0, count: width * 4)
        for y in 0..<down.target {
            for index in sums.indices { sums[index] = 0 }
            for row in down.blocks(of: y) {
                blocks.move(to: row)
                DCPicture.add(blocks.line, times: down.share(of: row, in: y), to: &sums)
            }
            // Sums of 32 bits are quicker; only pictures of a gigapixel have larger ones.
            let isLarge = 255 * width * height > Int(UInt32.max)
            for (x, area) in areas.enumerated() {
                let sum =
                    isLarge
                    ? SIMD4<Double>(area.sum(of: sums.span, UInt64.self, whole: across.target))
                    : SIMD4<Double>(area.sum(of: sums.span, UInt32.self, whole: across.target))
                // Below 2^53.
                let mean = sum / Double(width * height) + 0.5, at = (y * across.target + x) * 4
                rgba[at] = UInt8(mean.x)
                rgba[at + 1] = UInt8(mean.y)
                rgba[at + 2] = UInt8(mean.z)
            }
        }
        let scale = SIMD2(
            Float(across.target) / Float(across.source), Float(down.target) / Float(down.source))
        return Means(width: across.target, rgba: rgba, resolution: resolution(colors, finer: finer) * scale)
    }

    struct Means {
        /// Areas across.
        let width: Int
        let rgba: [UInt8]
        let resolution: SampleResolution
    }

    /// How large what has one value is, in cells.
    private func resolution(_ colors: Colors, finer: Int) -> SampleResolution {
        var sides = frame.components.indices.map { index -> SIMD2<Float> in
            let blocks = blocks(of: index)
            return SIMD2(Float(blocks.wide), Float(blocks.tall)) * Float(finer)
        }
        if finer > 1 { sides[0] = SIMD2(1, 1) }
        let color = sides.dropFirst().reduce(sides[0], pointwiseMax)
        return SampleResolution(light: colors == .rgb ? color : sides[0], color: color)
    }

    /// The blocks of pixels that one of a component's covers, across and down.
    fileprivate func blocks(of index: Int) -> (wide: Int, tall: Int) {
        let component = frame.components[index]
        return frame.components.count == 1
            ? (1, 1)
            : (frame.maxHorizontal / component.horizontal, frame.maxVertical / component.vertical)
    }

    /// At most 16,384 rows of bytes by shares that add up to their number.
    private static func add(_ line: [UInt8], times share: Int, to sums: inout [UInt32]) {
        let line = line.span
        var output = sums.mutableSpan
        if share <= 257 {
            // Products of 16 bits: eight go through at once.
            let factor = UInt16(share)
            for index in output.indices { output[index] &+= UInt32(UInt16(line[index]) &* factor) }
        } else {
            for index in output.indices { output[index] &+= UInt32(line[index]) &* UInt32(share) }
        }
    }
}

/// Which blocks an area covers along one axis. In units of which a block has as many as there are areas, and
/// an area as many as there are blocks, every edge is a whole number.
private struct AreaShares {
    /// Blocks there are, and areas, at most as many.
    let source: Int, target: Int

    init(from source: Int, to target: Int) { (self.source, self.target) = (source, target) }

    /// The blocks that an area covers, at least in part.
    func blocks(of area: Int) -> ClosedRange<Int> {
        area * source / target...((area + 1) * source - 1) / target
    }

    /// How much of an area a block covers.
    @inline(__always)
    func share(of block: Int, in area: Int) -> Int {
        min((block + 1) * target, (area + 1) * source) - max(block * target, area * source)
    }

    /// The blocks of one area, and how much of it the first and the last cover: those between lie in it
    /// whole.
    struct Area {
        private let first: Int, last: Int
        private let firstShare: Int, lastShare: Int

        init(_ area: Int, of shares: AreaShares) {
            let span = shares.blocks(of: area)
            (first, last) = (span.lowerBound, span.upperBound)
            firstShare = shares.share(of: first, in: area)
            lastShare = shares.share(of: last, in: area)
        }

        /// Adds up four numbers a block, by how much of the area the blocks cover.
        ///
        /// - Parameter whole: how much a block does that lies in it whole.
        @inline(__always)
        func sum<Number: FixedWidthInteger & SIMDScalar>(
            of blocks: Span<UInt32>, _: Number.Type, whole: Int
        ) -> SIMD4<Number> {
            var sum = four(blocks, first) &* Number(truncatingIfNeeded: firstShare)
            if last > first {
                var between = SIMD4<Number>.zero, block = first &+ 1
                while block < last {
                    between &+= four(blocks, block)
                    block &+= 1
                }
                sum &+= between &* Number(truncatingIfNeeded: whole)
                sum &+= four(blocks, last) &* Number(truncatingIfNeeded: lastShare)
            }
            return sum
        }

        @inline(__always)
        private func four<Number: FixedWidthInteger & SIMDScalar>(
            _ blocks: Span<UInt32>, _ block: Int
        ) -> SIMD4<Number> {
            // SAFETY: checked against the span's bounds; any bytes are numbers.
            let numbers = unsafe blocks.bytes.unsafeLoadUnaligned(
                fromByteOffset: block &* 16, as: SIMD4<UInt32>.self)
            return SIMD4<Number>(truncatingIfNeeded: numbers)
        }
    }
}

/// Rows of the colors that blocks of pixels, or their quarters, have in the mean.
private struct BlockColors {
    private let picture: DCPicture
    private let colors: DCPicture.Colors
    /// Cells across a block: 1, or 2 where the first component is known by its quarters.
    private let finer: Int
    private var light: LowRows?
    /// The mean of each component, 0 for mid-gray.
    private var rows: [[Float]]
    /// R G B 255 each.
    private(set) var line: [UInt8]
    private var row = -1

    init(_ picture: DCPicture, _ colors: DCPicture.Colors, width: Int, finer: Int) {
        (self.picture, self.colors, self.finer) = (picture, colors, finer)
        light = finer > 1 ? LowRows(picture, width: width) : nil
        rows = picture.planes.map { _ in [Float](repeating: 0, count: width) }
        line = [UInt8](repeating: 255, count: width * 4)
    }

    mutating func move(to y: Int) {
        if y == row { return }
        row = y
        light?.move(to: y)
        for index in rows.indices where index > 0 || light == nil {
            picture.read(row: y, component: index, finer: finer, into: &rows[index])
        }
        // All three are equal in a gray picture.
        let first = light?.values ?? rows[0], colors = colors, width = line.count / 4
        let (second, third) = rows.count == 3 ? (rows[1], rows[2]) : (first, first)
        var output = line.mutableSpan
        DCPicture.write((first, second, third), 0..<width, colors, to: &output, at: 0)
    }
}

extension DCPicture {
    /// A component's means of a row of cells, `finer` of them to a block of pixels; 0 for mid-gray.
    fileprivate func read(row: Int, component index: Int, finer: Int, into values: inout [Float]) {
        let plane = planes[index], blocks = blocks(of: index)
        let (wide, tall) = (finer * blocks.wide, finer * blocks.tall)
        let scale = Float(steps[index][0]) / 8, start = row / tall * plane.columns
        let means = plane.values.span.extracting(start..<start + plane.columns)
        var output = values.mutableSpan
        switch wide {
        case 1: for x in output.indices { output[x] = Float(means[x]) * scale }
        case 2:
            var x = 0
            while x + 1 < output.count {
                let value = Float(means[x &>> 1]) * scale
                output[x] = value
                output[x &+ 1] = value
                x += 2
            }
            if x < output.count { output[x] = Float(means[x &>> 1]) * scale }
        default: for x in output.indices { output[x] = Float(means[x / wide]) * scale }
        }
    }
}
