/// Which of a picture's pixels stand for all of them: one of every so many by so many.
///
/// The squares are counted from the picture's middle, and which of its pixels each gives depends on how far
/// it is from there along the longer and the shorter side: so a picture that is flipped or turned gives the
/// same pixels.
struct ChosenPixels {
    /// Pixels on a square's side.
    let side: Int
    private let width: Int, height: Int
    private let order: SampleOrder
    /// The row of squares that `chosen` is of, counted from the middle; -1: none yet.
    private var squareRow = -1
    /// By square of that row, from the middle on, which column and row of it is chosen.
    private var chosen: [(column: Int, row: Int)] = []

    /// - Parameter wanted: pixels, at least, where the picture has them; 0: none matter.
    init(width: Int, height: Int, wanted: Int) {
        (self.width, self.height) = (width, height)
        order = SampleOrder(width: width, height: height)
        var side = 1
        while wanted > 0, (side + 1) * (side + 1) <= width * height / wanted { side += 1 }
        self.side = side
    }

    /// The chosen columns of a row, in no particular order.
    ///
    /// - Complexity: O(squares along the row).
    mutating func columns(ofRow y: Int) -> [Int] {
        let down = Self.fromMiddle(y, of: height), row = down % side
        if squareRow != down / side { enter(down / side) }
        var columns: [Int] = []
        for (square, pixel) in chosen.enumerated() where pixel.row == row {
            let across = square * side + pixel.column
            // The middle column of an odd number is its own mirror.
            let left = (width - 1) / 2 - across, right = width / 2 + across
            if left >= 0 { columns.append(left) }
            if right < width, right != left { columns.append(right) }
        }
        return columns
    }

    private mutating func enter(_ row: Int) {
        squareRow = row
        let squares = (width / 2 + side) / side
        chosen = (0..<squares).map { column in
            let position = order.position(column, row), side = UInt64(side)
            let hash = SplitMix64.hash(position.long << 32 | position.short)
            let long = Int((hash & 0xFFFF_FFFF) % side)
            // On the diagonal of a square picture both ways are the same.
            let short = order.isSquare && column == row ? long : Int((hash >> 32) % side)
            return position.isTurned ? (short, long) : (long, short)
        }
    }

    /// How far a row is from the middle, 0 beside it.
    private static func fromMiddle(_ row: Int, of rows: Int) -> Int {
        row < rows / 2 ? (rows - 1) / 2 - row : row - rows / 2
    }
}
