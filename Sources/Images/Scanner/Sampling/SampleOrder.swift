/// How a picture's two directions are told apart, however it is flipped or turned.
struct SampleOrder {
    let isSquare: Bool
    private let isUpright: Bool

    init(width: Int, height: Int) {
        isSquare = width == height
        isUpright = height > width
    }

    /// Two numbers counted across and down as those along the longer and the shorter side; of a square, the
    /// larger one and the smaller.
    func position(_ across: Int, _ down: Int) -> (long: Int, short: Int, isTurned: Bool) {
        let isTurned = isSquare ? down > across : isUpright
        return isTurned ? (down, across, true) : (across, down, false)
    }
}

/// Which way round the pixels of a patch are counted.
struct Facing {
    let isFlippedAcross: Bool, isFlippedDown: Bool, isTurned: Bool

    static let all: [Facing] = (0..<8).map {
        Facing(isFlippedAcross: $0 & 1 != 0, isFlippedDown: $0 & 2 != 0, isTurned: $0 & 4 != 0)
    }

    var number: Int { (isFlippedAcross ? 1 : 0) | (isFlippedDown ? 2 : 0) | (isTurned ? 4 : 0) }

    /// Where in its block a pixel is that is this one of an unflipped, unturned block; both row by row.
    func pixel(_ pixel: Int) -> Int {
        let (x, y) = isTurned ? (pixel / 8, pixel % 8) : (pixel % 8, pixel / 8)
        return (isFlippedDown ? 7 - y : y) * 8 + (isFlippedAcross ? 7 - x : x)
    }
}
