// The little trigonometry that color differences need, from + - * / alone, for the reason given in
// Roots.swift. Accurate to 1e-12 or better, which is far more than any difference formula deserves.

/// The direction of (x, y) in degrees, counter-clockwise from the x axis, 0..<360; 0 for the origin.
func degrees(x: Double, y: Double) -> Double {
    if x == 0 && y == 0 { return 0 }
    let steep = abs(y) > abs(x)
    var angle = arcTangent(steep ? abs(x) / abs(y) : abs(y) / abs(x)) * 57.29577951308232
    if steep { angle = 90 - angle }
    if x < 0 { angle = 180 - angle }
    if y < 0 { angle = 360 - angle }
    return angle >= 360 ? 0 : angle
}

/// The arc tangent of 0...1 in radians.
///
/// Halving the angle twice, tan(t/2) = x / (1 + sqrt(1 + x^2)), leaves at most 0.2, where the power series
/// gains more than a digit a term.
private func arcTangent(_ x: Double) -> Double {
    var x = x
    for _ in 0..<2 { x = x / (1 + (1 + x * x).squareRoot()) }
    let square = x * x
    var sum = 0.0
    for odd in stride(from: 19, through: 1, by: -2) { sum = 1 / Double(odd) - square * sum }
    return 4 * x * sum
}

/// The sine of -2...2 radians, by its power series.
func sine(_ x: Double) -> Double {
    var sum = 1.0
    for n in stride(from: 20, through: 2, by: -2) { sum = 1 - x * x * sum / Double(n * (n + 1)) }
    return x * sum
}

/// e to the power -`x`, for `x` >= 0; 0 beyond 40, where it is below 1e-17.
func exponentialDecay(_ x: Double) -> Double {
    if x > 40 { return 0 }
    let part = x / 64  // at most 0.625: the series of e^part, then six squarings
    var sum = 1.0
    for n in stride(from: 16, through: 1, by: -1) { sum = 1 + part * sum / Double(n) }
    for _ in 0..<6 { sum *= sum }
    return 1 / sum
}
