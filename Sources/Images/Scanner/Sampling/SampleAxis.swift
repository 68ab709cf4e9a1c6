/// Tiles along one side of a picture, symmetric about its middle.
struct SampleAxis {
    let tiles: Int
    /// MCUs along the side, and along a patch.
    private let mcus: Int, patch: Int
    /// Blocks of 8 pixels along an MCU.
    private let blocks: Int
    /// A patch per tile, side by side.
    private let isFull: Bool

    /// A tile as it is counted from the nearer end.
    struct Tile {
        let index: Int
        let isFlipped: Bool
    }

    /// - Parameter side: patches along a tile.
    init(mcus: Int, patch: Int, blocks: Int, side: Int) {
        (self.mcus, self.patch, self.blocks) = (mcus, patch, blocks)
        isFull = side == 1
        let wanted = (mcus / patch + side - 1) / side
        // An odd number has one in the middle, with nowhere to go.
        tiles = isFull || wanted == 1 ? wanted : wanted + wanted % 2
    }

    func folded(tile: Int) -> Tile {
        let isFlipped = 2 * tile + 1 > tiles
        return Tile(index: isFlipped ? tiles - 1 - tile : tile, isFlipped: isFlipped)
    }

    /// The first MCU of the patch in a tile.
    ///
    /// - Parameter hash: chooses one of the positions it could have.
    func position(in tile: Tile, _ hash: Int) -> Int {
        let range = range(of: tile.index)
        let start = range.lowerBound + hash % max(range.count - patch + 1, 1)
        return tile.isFlipped ? mcus - patch - start : start
    }

    /// The MCUs of a tile of the first half, or of the one in the middle.
    private func range(of tile: Int) -> Range<Int> {
        if isFull { return tile * patch..<(tile + 1) * patch }
        let half = tiles / 2
        if tile == half { return (mcus - patch) / 2..<(mcus + patch) / 2 }
        return tile * (mcus / 2) / half..<(tile + 1) * (mcus / 2) / half
    }

    /// How far a block is from the middle, 0 beside it.
    func fromMiddle(_ block: Int) -> Int {
        let twice = 2 * block + 1 - mcus * blocks
        return (twice < 0 ? -twice : twice) >> 1
    }

    /// How many tiles have their center before a block's, 0...`tiles`.
    ///
    /// - Parameter count: blocks along the side.
    func regions(_ count: Int) -> [Int] {
        let whole = mcus * blocks
        let centers = (0..<tiles / 2).map { tile in
            let range = range(of: tile)
            return (range.lowerBound + range.upperBound) * blocks
        }
        return (0..<count).map { block in
            let isFlipped = 2 * block + 1 > whole, near = isFlipped ? whole - 1 - block : block
            let before = centers.count { $0 < 2 * near + 1 }
            return isFlipped ? tiles - before : before
        }
    }
}
