// Cube roots from + - * / alone. The C library's `cbrt` may differ in the last bit from one system to the
// next, and a last bit can decide to which of two colors a pixel goes.

/// The cube root of `x` >= 0, to about one unit in the last place; 0 for 0 and below.
///
/// A third of the exponent gives 3 % accuracy, each Halley step triples the digits.
func cubeRoot(_ x: Double) -> Double {
    guard x > 0 else { return 0 }
    var root = Double(bitPattern: x.bitPattern / 3 + 0x2A9F_7893_0000_0000)
    for _ in 0..<3 {
        let cube = root * root * root
        root = root * (cube + 2 * x) / (2 * cube + x)
    }
    return root
}

/// Eight cube roots at once, for arguments in 0...2, to 2 units in the last place.
func cubeRoot(_ x: SIMD8<Float>) -> SIMD8<Float> {
    // Dividing bit patterns by 3 needs integers; 1/3 in fixed point is exact enough for a first guess.
    var guess = SIMD8<UInt32>()
    for lane in 0..<8 { guess[lane] = x[lane].bitPattern / 3 + 0x2A51_37A0 }
    // SAFETY: same size, and every bit pattern is a Float.
    var root = unsafe unsafeBitCast(guess, to: SIMD8<Float>.self)
    for _ in 0..<2 {
        let cube = root * root * root
        root = root * (cube + 2 * x) / (2 * cube + x)
    }
    return root.replacing(with: 0, where: x .<= 0)
}
