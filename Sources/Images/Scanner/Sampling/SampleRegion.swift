/// The means of sixteen decoded blocks, and how busy they are.
struct SampleRegion {
    private var first = SIMD16<Float>.zero, second = SIMD16<Float>.zero, third = SIMD16<Float>.zero,
        busy = SIMD16<Float>.zero

    /// A decoded block: its mean, how busy it is, and where it is kept.
    struct Block {
        let mean: SIMD4<Int32>, activity: Int, energy: Int, blockID: Int32

        func comesBefore(_ other: Block) -> Bool {
            (mean.x, mean.y, mean.z, activity, energy)
                < (other.mean.x, other.mean.y, other.mean.z, other.activity, other.energy)
        }
    }

    init() {}

    /// - Parameter blocks: sixteen, a lane each.
    init(_ blocks: [Block]) {
        for (lane, block) in blocks.enumerated() {
            busy[lane] = Float(block.activity)
            first[lane] = Float(block.mean.x)
            second[lane] = Float(block.mean.y)
            third[lane] = Float(block.mean.z)
        }
    }

    /// The lane of the most similar block.
    @inline(__always)
    func nearest(_ mean: SIMD4<Int32>, activity: Int) -> Int {
        let x = first - Float(mean.x), y = second - Float(mean.y), z = third - Float(mean.z),
            w = busy - Float(activity)
        // Whole numbers below 2^23: with the lane in the lowest four bits the least of them tells which it
        // is.
        let distance = (x * x + y * y + z * z + w * w) * 16 + SampleRegion.lanes
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
