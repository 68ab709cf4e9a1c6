/// Which parts of a JPEG are decoded in full, when not all of it is.
///
/// The picture is divided into tiles; of each one patch is decoded, 16 x 16 pixels for the usual
/// subsamplings, at a position in the tile that a hash chooses: evenly spread, the same on every machine, and
/// without a regular grid that would beat against patterns in the picture.
///
/// Tiles and positions lie symmetrically about the picture's middle, and depend on its longer and shorter
/// side instead of on its columns and rows: so a photo that is flipped or turned without loss, which moves
/// whole MCUs, has the same patches, flipped and turned.
struct SamplePlan {
    /// A patch: its first MCU, and which way round its pixels are counted.
    struct Patch {
        let x: Int, y: Int
        let facing: Facing
    }

    /// MCUs of a patch, across and down.
    let mcuColumns: Int, mcuRows: Int
    /// Blocks of 8 x 8 pixels of a patch, across and down.
    let columns: Int, rows: Int
    /// Patches on a tile's side, about.
    let side: Int
    let across: SampleAxis, down: SampleAxis
    /// The patch of each tile, row by row.
    let patches: [Patch]
    /// How columns and rows become positions that a flipped or turned picture has too.
    let order: SampleOrder

    /// Nil when there is not one whole patch.
    ///
    /// - Parameter pixels: to decode, about.
    init?(frame: JPEGFrame, pixels: Int) {
        let isAlone = frame.components.count == 1
        let horizontal = isAlone ? 1 : frame.maxHorizontal, vertical = isAlone ? 1 : frame.maxVertical
        let (mcuColumns, mcuRows) = (max(1, 2 / horizontal), max(1, 2 / vertical))
        (self.mcuColumns, self.mcuRows) = (mcuColumns, mcuRows)
        (columns, rows) = (mcuColumns * horizontal, mcuRows * vertical)
        // Blocks at the right and lower edges may hold less than they seem to.
        let wide = frame.width / (8 * columns), tall = frame.height / (8 * rows)
        guard pixels > 0, wide > 0, tall > 0 else { return nil }
        let wanted = max(1, pixels / (64 * columns * rows))
        var side = 1
        while ((wide + side - 1) / side) * ((tall + side - 1) / side) > wanted { side += 1 }
        self.side = side
        let across = SampleAxis(
            mcus: frame.width / (8 * horizontal), patch: mcuColumns, blocks: horizontal, side: side)
        let down = SampleAxis(
            mcus: frame.height / (8 * vertical), patch: mcuRows, blocks: vertical, side: side)
        let order = SampleOrder(width: frame.width, height: frame.height)
        (self.across, self.down, self.order) = (across, down, order)
        patches = (0..<across.tiles * down.tiles).map { tile in
            let column = across.folded(tile: tile % across.tiles)
            let row = down.folded(tile: tile / across.tiles)
            let position = order.position(column.index, row.index)
            let hash = SplitMix64.hash(position.long << 32 | position.short)
            let first = Int(hash & 0xFFFF_FFFF)
            // On the diagonal of a square both ways are the same.
            let second = order.isSquare && position.long == position.short ? first : Int(hash >> 32)
            return Patch(
                x: across.position(in: column, position.isTurned ? second : first),
                y: down.position(in: row, position.isTurned ? first : second),
                facing: Facing(
                    isFlippedAcross: column.isFlipped, isFlippedDown: row.isFlipped,
                    isTurned: position.isTurned))
        }
    }

    /// Blocks of 8 x 8 pixels in a patch.
    var blocks: Int { columns * rows }

    /// Where in the picture a block of pixels of a patch lies, both in blocks; those of a patch are counted
    /// row by row.
    func block(_ block: Int, of patch: Patch) -> (x: Int, y: Int) {
        (
            patch.x * (columns / mcuColumns) + block % columns,
            patch.y * (rows / mcuRows) + block / columns
        )
    }
}
