/// Pixels that stand for all of a photo's, though few of its blocks were decoded.
///
/// The mean of every block is known, and every sample of some blocks. A pixel of a block is made of its own
/// mean and what a pixel of the most similar decoded block nearby differs from that block's mean: similar in
/// its mean, and in how many bits its details take. So the colors of the whole photo come as they are, and
/// what varies inside blocks (foliage, fabric, stars) as it varies thereabouts. Merely counted together,
/// means and decoded blocks give palettes a multiple as far off (docs/measurements/PALETTES.md).
///
/// Components stay apart until the last step: a block of color with half the resolution covers four blocks
/// of luma, and its mean is over all of them.
struct PhotoSample {
    private let patches: Patches
    private let means: BlockMeans
    private let activity: BlockActivity
    /// By region, the decoded blocks around it.
    private let regions: [SampleRegion]
    /// Sixteen a region: the patch of each block, times 16, plus its place in it.
    private let blockIDs: [Int32]
    private let regionColumns: Int
    /// By column and by row of blocks, the region they are in.
    private let columnRegions: [Int], rowRegions: [Int]

    init(_ patches: Patches, of picture: DCPicture) {
        self.patches = patches
        means = BlockMeans(picture, patches.shares)
        activity = picture.activity
        let plan = patches.plan, columns = plan.across.tiles, rows = plan.down.tiles
        regionColumns = columns + 1
        columnRegions = plan.across.regions(means.width)
        rowRegions = plan.down.regions(means.height)
        // A region lies between the centers of up to four tiles.
        var regions: [SampleRegion] = [], blockIDs: [Int32] = []
        for row in 0...rows {
            let near = [max(row - 1, 0), min(row, rows - 1)]
            for column in 0...columns {
                let beside = [max(column - 1, 0), min(column, columns - 1)]
                var blocks: [SampleRegion.Block] = []
                for patch in near.flatMap({ row in beside.map { row * columns + $0 } }) {
                    for quarter in 0..<4 {
                        // A patch has four blocks, of rare subsamplings up to 16.
                        let part = quarter * plan.blocks / 4
                        let (x, y) = plan.block(part, of: plan.patches[patch])
                        blocks.append(
                            SampleRegion.Block(
                                mean: means.mean(x: x, y: y) &>> 3, activity: activity.key(x: x, y: y),
                                energy: patches.energy(of: part, in: patch),
                                blockID: Int32(truncatingIfNeeded: patch << 4 | part)))
                    }
                }
                // The first of equally similar blocks is taken: the same one however the photo is
                // turned.
                blocks.sort { $0.comesBefore($1) }
                regions.append(SampleRegion(blocks))
                blockIDs += blocks.map(\.blockID)
            }
        }
        self.regions = regions
        self.blockIDs = blockIDs
    }

    /// Makes the pixels: R G B 255 each.
    ///
    /// - Parameters:
    ///   - colors: how components become colors.
    ///   - wanted: pixels, about: two of every so many blocks, or up to four of each.
    /// - Complexity: O(pixels).
    func pixels(_ colors: DCPicture.Colors, wanted: Int) -> [UInt8] {
        let plan = patches.plan, (width, height) = (means.width, means.height), blocks = width * height
        let each = min(max((wanted + blocks / 2) / blocks, 2), 4)
        // From one block to the next, in 1/256 of a block.
        let step = UInt32(truncatingIfNeeded: max(256 * blocks * each / max(wanted, 1), 256))
        let maker = PixelMaker(patches, colors, each: each)
        var row = [SIMD4<Int32>](repeating: .zero, count: width)
        var result = [UInt8](repeating: 255, count: blocks * each * 4)
        var output = result.mutableSpan, at = 0
        let blockIDs = blockIDs.span
        let ways = (0..<width).map { plan.across.fromMiddle($0) }
        for y in 0..<height {
            means.read(row: y, into: &row)
            let firstRegion = rowRegions[y] * regionColumns, down = plan.down.fromMiddle(y)
            var current = -1, region = SampleRegion(), firstID = 0
            for x in 0..<width {
                let position = plan.order.position(ways[x], down)
                // Another one to begin with in each line, or the pixels would stand in columns.
                let start = UInt32(truncatingIfNeeded: SplitMix64.hash(position.short)) % step
                guard (UInt32(truncatingIfNeeded: position.long << 8) &+ start) % step < 256 else { continue }
                if current != columnRegions[x] {
                    current = columnRegions[x]
                    region = regions[firstRegion + current]
                    firstID = (firstRegion + current) * 16
                }
                let similar = region.nearest(row[x] &>> 3, activity: activity.key(x: x, y: y))
                maker.write(
                    Int(blockIDs[firstID &+ similar]), mean: SIMD4<Float>(row[x]) * 0.125,
                    turn: position.long &* 47 &+ position.short &* 37, to: &output, at: &at)
            }
        }
        result.removeLast(result.count - at)
        return result
    }
}
