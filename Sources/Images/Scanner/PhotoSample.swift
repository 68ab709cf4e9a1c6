/// Pixels that stand for all of a photo's, though few of its blocks were decoded.
///
/// Of every block the mean is known, and of some blocks every sample. A pixel of a block is made of its own
/// mean and what a pixel of the most similar decoded block nearby differs from that block's mean: similar in
/// its mean, and in how many bits its details take. So the colours of the whole photo come as they are, and
/// what varies inside blocks (foliage, fabric, stars) as it varies thereabouts. Merely counted together,
/// means and decoded blocks give palettes a multiple as far off (docs/PALETTES.md).
///
/// Components stay apart until the last step: a block of colour with half the resolution covers four blocks
/// of luma, and its mean is over all of them.
struct PhotoSample {
    private let patches: Patches
    private let means: BlockMeans
    private let activity: BlockActivity
    /// By region, the decoded blocks around it.
    private let regions: [SampleRegion]
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
        var regions: [SampleRegion] = [], places: [Int32] = []
        for row in 0...plan.tileRows {
            let near = [max(row - 1, 0), min(row, plan.tileRows - 1)]
            for column in 0...plan.tileColumns {
                let beside = [max(column - 1, 0), min(column, plan.tileColumns - 1)]
                var region = SampleRegion(), lane = 0
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
        var region = SampleRegion()
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
