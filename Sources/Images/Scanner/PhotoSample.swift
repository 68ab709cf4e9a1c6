/// Pixels that stand for all of a photo's, though few of its blocks were decoded.
///
/// Of every block the mean is known, and of some blocks every sample. A pixel of a block is made of its own mean and
/// what a pixel of the most similar decoded block nearby differs from that block's mean: similar in its mean, and in
/// how many bits its details take. So the colours of the whole photo come as they are, and what varies inside blocks
/// (foliage, fabric, stars) as it varies thereabouts. Merely counted together, means and decoded blocks give palettes
/// a multiple as far off (docs/PALETTES.md).
///
/// Components stay apart until the last step: a block of colour with half the resolution covers four blocks of
/// luma, and its mean is over all of them.
struct PhotoSample {
    private let patches: Patches
    private let means: BlockMeans
    private let activity: BlockActivity
    /// By region, the decoded blocks around it.
    private let regions: [Region]
    /// Sixteen a region: the patch of each block, times 16, plus its place in it.
    private let places: [Int32]
    private let regionColumns: Int

    init(_ patches: Patches, of picture: DCPicture) {
        self.patches = patches
        means = BlockMeans(picture, patches.shares)
        activity = picture.activity
        let plan = patches.plan
        regionColumns = plan.tileColumns + 1
        // A region lies between the centres of up to four tiles.
        var regions: [Region] = [], places: [Int32] = []
        for row in 0...plan.tileRows {
            let near = [max(row - 1, 0), min(row, plan.tileRows - 1)]
            for column in 0...plan.tileColumns {
                let beside = [max(column - 1, 0), min(column, plan.tileColumns - 1)]
                var region = Region(), lane = 0
                for patch in near.flatMap({ row in beside.map { row * plan.tileColumns + $0 } }) {
                    for quarter in 0..<4 {
                        // A patch has four blocks, of rare subsamplings up to 16.
                        let part = quarter * plan.blocks / 4, place = plan.patches[patch]
                        let x = place.x * plan.columns + part % plan.columns,
                            y = place.y * plan.rows + part / plan.columns
                        region.set(lane, means.mean(x: x, y: y) &>> 3, activity: activity.key(x: x, y: y))
                        places.append(Int32(truncatingIfNeeded: patch << 4 | part))
                        lane += 1
                    }
                }
                regions.append(region)
            }
        }
        self.regions = regions
        self.places = places
    }

    /// Makes the pixels: R G B 255 each.
    ///
    /// - Parameters:
    ///   - colors: how components become colours.
    ///   - wanted: pixels, about: two of every so many blocks, or up to four of each.
    /// - Complexity: O(pixels).
    func pixels(_ colors: DCPicture.Colors, wanted: Int) -> [UInt8] {
        let plan = patches.plan, (width, height) = (means.width, means.height), blocks = width * height
        let each = min(max((wanted + blocks / 2) / blocks, 2), 4)
        // From one block to the next, in 1/256 of a block.
        let step = max(256 * blocks * each / max(wanted, 1), 256)
        let maker = PixelMaker(patches, colors, each: each)
        var row = [SIMD4<Int32>](repeating: .zero, count: width)
        var next = [UInt8](repeating: 0, count: plan.patches.count * plan.blocks)
        var result = [UInt8](repeating: 255, count: (256 * blocks / step + height) * each * 4)
        var output = result.mutableSpan, turns = next.mutableSpan, at = 0
        let places = places.span
        for y in 0..<height {
            means.read(row: y, into: &row)
            var way = RegionWay(row: regionIndex(y / plan.rows, of: plan.tileRows) * regionColumns)
            // Another column to begin with in each row, or the pixels would stand in columns.
            var position = Int(SplitMix64.hash(y) % UInt64(step))
            while position < width << 8 {
                let x = position >> 8
                position += step
                if x >= way.edge { enter(&way, at: x, of: width) }
                let similar = way.region.nearest(row[x] &>> 3, activity: activity.key(x: x, y: y))
                maker.write(
                    Int(places[way.firstPlace &+ similar]), mean: SIMD4<Float>(row[x]) * 0.125, &turns,
                    to: &output,
                    at: &at)
            }
        }
        result.removeLast(result.count - at)
        return result
    }

    /// The region that a row of blocks is passing.
    private struct RegionWay {
        /// The first region of the row.
        let row: Int
        var region = Region()
        /// The first block behind it.
        var edge = -1
        /// Where its sixteen places begin.
        var firstPlace = 0

        init(row: Int) { self.row = row }
    }

    private func enter(_ way: inout RegionWay, at x: Int, of width: Int) {
        let plan = patches.plan, index = regionIndex(x / plan.columns, of: plan.tileColumns)
        way.region = regions[way.row + index]
        way.firstPlace = (way.row + index) * 16
        way.edge = index == plan.tileColumns ? width : endOfRegion(index) * plan.columns
    }

    /// The region a patch is in: 0 is before the first tile's centre, `tiles` behind the last one's.
    private func regionIndex(_ patch: Int, of tiles: Int) -> Int {
        let side = patches.plan.side
        return min((2 * patch + 1 + side) / (2 * side), tiles)
    }

    /// The first patch behind a region.
    private func endOfRegion(_ index: Int) -> Int { (2 * patches.plan.side * index + patches.plan.side) / 2 }
}

/// The means of a picture's blocks of pixels, component by component.
private struct BlockMeans {
    /// Blocks of pixels, across and down.
    let width: Int, height: Int
    private let first: Component, second: Component, third: Component

    private struct Component {
        let plane: DCPlane
        /// The quantisation step.
        let step: Int
        /// Columns and rows to one of the plane's.
        let wide: Int, tall: Int
    }

    init(_ picture: DCPicture, _ shares: [PatchShare]) {
        (width, height) = ((picture.frame.width + 7) / 8, (picture.frame.height + 7) / 8)
        let components = shares.indices.map { index in
            Component(
                plane: picture.planes[index], step: Int(picture.steps[index][0]), wide: shares[index].wide,
                tall: shares[index].tall)
        }
        // Of a grey picture all three are the same.
        first = components[0]
        second = components.count == 3 ? components[1] : first
        third = components.count == 3 ? components[2] : first
    }

    /// Of one block of pixels, times 8.
    func mean(x: Int, y: Int) -> SIMD4<Int32> {
        func value(_ component: Component) -> Int32 {
            let place = y / component.tall * component.plane.columns + x / component.wide
            return Int32(truncatingIfNeeded: Int(component.plane.values[place]) &* component.step)
        }
        return SIMD4(value(first), value(second), value(third), 0)
    }

    /// Of a row of blocks of pixels, times 8.
    ///
    /// - Parameter means: `width` of them; the fourth numbers stay.
    func read(row y: Int, into means: inout [SIMD4<Int32>]) {
        var output = means.mutableSpan
        for (lane, component) in [first, second, third].enumerated() {
            let start = y / component.tall * component.plane.columns
            let values = component.plane.values.span.extracting(start..<start + component.plane.columns)
            var x = 0
            for value in values.indices {
                let mean = Int32(truncatingIfNeeded: Int(values[value]) &* component.step)
                for _ in 0..<component.wide where x < output.count {
                    output[x][lane] = mean
                    x += 1
                }
            }
        }
    }
}

/// Makes pixels of a block from its mean and what the pixels of a decoded one differ by from theirs.
private struct PixelMaker {
    private let first: Differences, second: Differences, third: Differences
    private let combine: Combination
    /// Blocks of a patch, and pixels of each block to make.
    private let blocks: Int, each: Int

    init(_ patches: Patches, _ colors: DCPicture.Colors, each: Int) {
        let isGray = patches.shares.count == 1
        first = Differences(patches, component: 0)
        second = Differences(patches, component: isGray ? 0 : 1)
        third = Differences(patches, component: isGray ? 0 : 2)
        combine = Combination(colors)
        (blocks, self.each) = (patches.plan.blocks, each)
    }

    /// - Parameters:
    ///   - place: the decoded block: its patch, times 16, plus its place in it.
    ///   - turns: for each decoded block the pixel that is taken next.
    ///   - at: moves on by four bytes a pixel.
    @inline(__always)
    func write(
        _ place: Int, mean: SIMD4<Float>, _ turns: inout MutableSpan<UInt8>,
        to output: inout MutableSpan<UInt8>,
        at: inout Int
    ) {
        let patch = place >> 4, part = place & 15
        var turn = turns[patch &* blocks &+ part]
        for _ in 0..<each {
            let pixel = part &* 64 &+ Int(turn)
            turn = (turn &+ 1) & 63
            let color = combine(
                mean.x + first.value(patch, pixel), mean.y + second.value(patch, pixel),
                mean.z + third.value(patch, pixel))
            output[at] = color.x
            output[at &+ 1] = color.y
            output[at &+ 2] = color.z
            at &+= 4
        }
        turns[patch &* blocks &+ part] = turn
    }
}

/// How components become a colour.
private struct Combination {
    private let first: SIMD4<Float>, second: SIMD4<Float>, third: SIMD4<Float>

    /// - Source: JFIF 1.02: ITU-R BT.601 with full range.
    init(_ colors: DCPicture.Colors) {
        switch colors {
        case .yCbCr:
            first = SIMD4(1, 1, 1, 0)
            second = SIMD4(0, -0.344_136, 1.772, 0)
            third = SIMD4(1.402, -0.714_136, 0, 0)
        case .rgb, .gray:
            // Of a grey picture all three are the same.
            (first, second, third) = (SIMD4(1, 0, 0, 0), SIMD4(0, 1, 0, 0), SIMD4(0, 0, 1, 0))
        }
    }

    /// Rounded to nearest, at the ends where it lies beyond.
    @inline(__always)
    func callAsFunction(_ a: Float, _ b: Float, _ c: Float) -> SIMD4<UInt8> {
        var color = first * a + second * b + third * c + 128
        color.replace(with: 0, where: color .< 0)
        color.replace(with: 255, where: color .> 255)
        // A float of 2^23 and more has no fraction: adding it rounds, and the low bits are the number.
        // SAFETY: 16 bytes each, and any bits are numbers.
        return unsafe SIMD4(truncatingIfNeeded: unsafeBitCast(color + 8_388_608, to: SIMD4<UInt32>.self))
    }
}

/// Differences of one component, by pixel.
private struct Differences {
    private let blocks: [BlockRows]
    /// For each pixel of a patch, block of pixels after block, the sample of the patch that covers it. Those that
    /// follow one another lie far apart, and every pixel of a block has its turn before one comes again.
    private let samples: [Int32]
    /// Of a patch.
    private let count: Int

    init(_ patches: Patches, component: Int) {
        blocks = patches.differences[component]
        let plan = patches.plan, share = patches.shares[component]
        samples = (0..<plan.blocks).flatMap { block in
            let inOrder = share.samples(x: block % plan.columns, y: block / plan.columns)
            return (0..<64).map { inOrder[$0 * 37 & 63] }  // 37 is odd
        }
        count = share.blocks * 64
    }

    @inline(__always)
    func value(_ patch: Int, _ pixel: Int) -> Float {
        let sample = patch &* count &+ Int(samples[pixel])
        // SAFETY: checked against the span's bounds; a block is 64 floats and nothing else.
        return unsafe blocks.span.bytes.unsafeLoadUnaligned(fromByteOffset: sample &* 4, as: Float.self)
    }
}

/// The means of sixteen decoded blocks, and how busy they are.
private struct Region {
    private var first = SIMD16<Float>.zero, second = SIMD16<Float>.zero, third = SIMD16<Float>.zero,
        busy = SIMD16<Float>.zero

    mutating func set(_ lane: Int, _ mean: SIMD4<Int32>, activity: Int) {
        busy[lane] = Float(activity)
        first[lane] = Float(mean.x)
        second[lane] = Float(mean.y)
        third[lane] = Float(mean.z)
    }

    /// The lane of the most similar block.
    @inline(__always)
    func nearest(_ mean: SIMD4<Int32>, activity: Int) -> Int {
        let x = first - Float(mean.x), y = second - Float(mean.y), z = third - Float(mean.z),
            w = busy - Float(activity)
        // Whole numbers below 2^23: with the lane in the lowest four bits the least of them tells which it is.
        let distance = (x * x + y * y + z * z + w * w) * 16 + Region.lanes
        let eight = distance.lowHalf.least(distance.highHalf)
        let four = eight.lowHalf.least(eight.highHalf)
        let two = four.lowHalf.least(four.highHalf)
        let least = (two.x < two.y ? two.x : two.y) + 8_388_608
        return Int(least.bitPattern & 15)
    }

    @inline(__always)
    private static var lanes: SIMD16<Float> { SIMD16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) }
}

extension SIMD8<Float> {
    @inline(__always)
    fileprivate func least(_ other: SIMD8<Float>) -> SIMD8<Float> {
        replacing(with: other, where: other .< self)
    }
}

extension SIMD4<Float> {
    @inline(__always)
    fileprivate func least(_ other: SIMD4<Float>) -> SIMD4<Float> {
        replacing(with: other, where: other .< self)
    }
}

extension SIMD2<Float> {
    @inline(__always)
    fileprivate func least(_ other: SIMD2<Float>) -> SIMD2<Float> {
        replacing(with: other, where: other .< self)
    }
}
