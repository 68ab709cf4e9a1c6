// Powers from + - * / alone, for the reason given in Roots.swift. Accurate to some 1e-15.

/// The `exponent`-th power of `base`, for a base of 0...1 and an exponent above 0.
func power(_ base: Double, _ exponent: Double) -> Double {
    base <= 0 ? 0 : exponentialDecay(-exponent * logarithm(base))
}

/// The natural logarithm of `x` > 0, a normal number.
///
/// The exponent of 2 times ln 2, and the series of the area tangent of a significand within the square root
/// of 2 around 1: every term is below 3 % of the one before it.
func logarithm(_ x: Double) -> Double {
    var significand = x.significand
    var exponent = Double(x.exponent)
    if significand > 1.4142135623730951 {
        significand /= 2
        exponent += 1
    }
    let tangent = (significand - 1) / (significand + 1)
    let square = tangent * tangent
    var sum = 0.0
    for odd in stride(from: 23, through: 1, by: -2) { sum = 1 / Double(odd) + square * sum }
    return exponent * 0.6931471805599453 + 2 * tangent * sum
}
