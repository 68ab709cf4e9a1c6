/// Chooses blocks of a picture by a hash of their index: a fixed sample, the same on every machine, run and
/// thread count, without the regular grid that would beat against patterns in the picture.
struct BlockSample {
    /// A block is chosen when the upper half of its hash is below.
    private let threshold: UInt64

    /// - Parameters:
    ///   - wanted: blocks to choose, about.
    ///   - total: blocks there are.
    init(wanted: Int, of total: Int) {
        threshold = wanted >= total ? 1 << 32 : UInt64(max(wanted, 0)) << 32 / UInt64(max(total, 1))
    }

    /// - Source: the finalizer of SplitMix64; G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom
    ///   number generators", OOPSLA 2014.
    func contains(_ index: Int) -> Bool {
        var hash = UInt64(truncatingIfNeeded: index) &+ 0x9E37_79B9_7F4A_7C15
        hash = (hash ^ hash >> 30) &* 0xBF58_476D_1CE4_E5B9
        hash = (hash ^ hash >> 27) &* 0x94D0_49BB_1331_11EB
        return (hash ^ hash >> 31) >> 32 < threshold
    }
}
