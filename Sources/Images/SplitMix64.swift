/// A hash of numbers that stands in for chance: the same on every machine and in every run.
///
/// - Source: the finalizer of SplitMix64; G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number
///   generators", OOPSLA 2014.
enum SplitMix64 {
    static func hash(_ number: Int) -> UInt64 {
        var hash = UInt64(truncatingIfNeeded: number) &+ 0x9E37_79B9_7F4A_7C15
        hash = (hash ^ hash >> 30) &* 0xBF58_476D_1CE4_E5B9
        hash = (hash ^ hash >> 27) &* 0x94D0_49BB_1331_11EB
        return hash ^ hash >> 31
    }
}
