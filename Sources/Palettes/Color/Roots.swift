// Cube roots from + - * / alone. The C library's `cbrt` may differ in the last bit from one system to the
// next, and a last bit can decide to which of two colors a pixel goes.

internal import CLanes

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
    // SAFETY: same size, and every bit pattern is a Float and an integer.
    let bits = unsafe unsafeBitCast(x, to: SIMD8<UInt32>.self)
    var root = unsafe unsafeBitCast(lanes_thirds(bits) &+ 0x2A51_37A0, to: SIMD8<Float>.self)
    for _ in 0..<2 {
        let cube = root * root * root
        root = root * (cube + 2 * x) / (2 * cube + x)
    }
    return root.replacing(with: 0, where: x .<= 0)
}
