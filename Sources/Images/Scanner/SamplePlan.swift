/// Which parts of a JPEG are decoded in full, when not all of it is.
///
/// The picture is divided into tiles; of each one patch is decoded, 16 x 16 pixels for the usual
/// subsamplings, at a place in the tile that a hash chooses: evenly spread, the same on every machine, and
/// without a regular grid that would beat against patterns in the picture.
struct SamplePlan {
    /// MCUs of a patch, across and down.
    let mcuColumns: Int, mcuRows: Int
    /// Blocks of 8 x 8 pixels of a patch, across and down.
    let columns: Int, rows: Int
    /// Patches on a tile's side.
    let side: Int
    let tileColumns: Int, tileRows: Int
    /// The patch of each tile, row by row, counted in patches.
    let patches: [(x: Int, y: Int)]

    /// Nil when there is not one whole patch.
    ///
    /// - Parameter pixels: to decode, about.
    init?(frame: JPEGFrame, pixels: Int) {
        let isAlone = frame.components.count == 1
        let horizontal = isAlone ? 1 : frame.maxHorizontal, vertical = isAlone ? 1 : frame.maxVertical
        (mcuColumns, mcuRows) = (max(1, 2 / horizontal), max(1, 2 / vertical))
        (columns, rows) = (mcuColumns * horizontal, mcuRows * vertical)
        // Those at the right and lower edges may hold less than they seem to.
        let across = frame.width / (8 * columns), down = frame.height / (8 * rows)
        guard pixels > 0, across > 0, down > 0 else { return nil }
        let wanted = max(1, pixels / (64 * columns * rows))
        var side = 1
        while ((across + side - 1) / side) * ((down + side - 1) / side) > wanted { side += 1 }
        self.side = side
        let tileColumns = (across + side - 1) / side, tileRows = (down + side - 1) / side
        (self.tileColumns, self.tileRows) = (tileColumns, tileRows)
        patches = (0..<tileColumns * tileRows).map { tile in
            let left = tile % tileColumns * side, top = tile / tileColumns * side
            let hash = SplitMix64.hash(tile)
            return (
                left + Int(hash & 0xFFFF_FFFF) % min(side, across - left),
                top + Int(hash >> 32) % min(side, down - top)
            )
        }
    }

    /// Blocks of 8 x 8 pixels in a patch.
    var blocks: Int { columns * rows }
}
