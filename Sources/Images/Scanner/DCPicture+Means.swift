extension DCPicture {
    /// The means of areas of the picture, row by row, R G B 255 each, with `longSide` of them on the longer
    /// side, or as many as there are blocks of 8 x 8 pixels if that is fewer.
    ///
    /// Added up as the file has them, before they become colours: in whole numbers, so that a photo that is
    /// flipped or turned has the same. A block of colour with less resolution counts for all blocks of pixels
    /// that it covers; ``image(_:)`` interpolates between such, which looks better and takes 5 to 10 % of the
    /// colours' variance away.
    ///
    /// Nil when a component's blocks do not evenly divide the largest's.
    ///
    /// - Parameter longSide: at least 1.
    /// - Complexity: O(blocks).
    func means(_ colors: Colors, longSide: Int) -> (width: Int, rgba: [UInt8])? {
        guard isEvenlyDivided else { return nil }
        let width = (frame.width + 7) / 8, height = (frame.height + 7) / 8, long = max(width, height)
        let side = min(longSide, long)
        // Rounded to nearest, halves up.
        let across = AreaShares(from: width, to: max(1, (2 * width * side + long) / (2 * long)))
        let down = AreaShares(from: height, to: max(1, (2 * height * side + long) / (2 * long)))
        var rgba = [UInt8](repeating: 255, count: across.target * down.target * 4)
        var rows = planes.indices.map { AreaRows(self, component: $0, across: across, down: down) }
        var output = rgba.mutableSpan
        for y in 0..<down.target {
            for index in rows.indices { rows[index].move(to: y) }
            // Of a grey picture all three are the same.
            let (second, third) =
                rows.count == 3 ? (rows[1].values, rows[2].values) : (rows[0].values, rows[0].values)
            DCPicture.write(
                (rows[0].values, second, third), 0..<across.target, colors, to: &output,
                at: y * across.target * 4)
        }
        return (across.target, rgba)
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
    func share(of block: Int, in area: Int) -> Int {
        min((block + 1) * target, (area + 1) * source) - max(block * target, area * source)
    }
}

/// Rows of a component's means over areas, 0 for mid-grey.
private struct AreaRows {
    private let plane: DCPlane
    private let down: AreaShares
    /// Blocks of pixels that the plane's rows cover, down.
    private let tall: Int
    /// For each area of a row the first of the plane's columns that it covers, and how much each of
    /// ``covered`` has of it.
    private let firsts: [Int], shares: [Int]
    private let covered: Int
    /// From a sum over an area to its mean.
    private let scale: Double
    /// By column of the plane's blocks, the sum over an area's rows.
    private var sums: [Int32]
    private(set) var values: [Float]

    init(_ picture: DCPicture, component index: Int, across: AreaShares, down: AreaShares) {
        let frame = picture.frame, component = frame.components[index]
        let isAlone = frame.components.count == 1
        plane = picture.planes[index]
        self.down = down
        let wide = isAlone ? 1 : frame.maxHorizontal / component.horizontal
        tall = isAlone ? 1 : frame.maxVertical / component.vertical
        scale = Double(picture.steps[index][0]) / (8 * Double(across.source * down.source))
        let columns = (across.source + wide - 1) / wide
        let spans = (0..<across.target).map { across.blocks(of: $0) }
        let covered = spans.map { $0.upperBound / wide - $0.lowerBound / wide + 1 }.max() ?? 1
        let firsts = spans.map { min($0.lowerBound / wide, columns - covered) }
        var shares = [Int](repeating: 0, count: across.target * covered)
        for (area, span) in spans.enumerated() {
            for block in span {
                shares[area * covered + block / wide - firsts[area]] += across.share(of: block, in: area)
            }
        }
        (self.firsts, self.shares, self.covered) = (firsts, shares, covered)
        sums = [Int32](repeating: 0, count: columns)
        values = [Float](repeating: 0, count: across.target)
    }

    mutating func move(to y: Int) {
        addRows(of: y)
        let sums = sums, firsts = firsts, shares = shares, covered = covered, scale = scale
        var output = values.mutableSpan
        for x in output.indices {
            let columns = sums.span.extracting(firsts[x]..<firsts[x] + covered)
            let weights = shares.span.extracting(x * covered..<(x + 1) * covered)
            var sum = 0
            for column in columns.indices { sum &+= Int(columns[column]) &* weights[column] }
            output[x] = Float(Double(sum) * scale)
        }
    }

    /// Sums of at most 8,192 shares of 16 bits.
    private mutating func addRows(of y: Int) {
        let plane = plane, down = down, tall = tall, blocks = down.blocks(of: y)
        var output = sums.mutableSpan
        for column in output.indices { output[column] = 0 }
        var row = blocks.lowerBound
        while row <= blocks.upperBound {
            // All rows of blocks of pixels that one of the plane's covers.
            let own = row / tall
            var share = 0
            while row <= blocks.upperBound, row / tall == own {
                share += down.share(of: row, in: y)
                row += 1
            }
            let factor = Int32(truncatingIfNeeded: share)
            let line = plane.values.span.extracting(own * plane.columns..<own * plane.columns + output.count)
            for column in output.indices { output[column] &+= Int32(line[column]) &* factor }
        }
    }
}
