import TestSupport

@testable import Palettes

extension RGB {
    static func random(using random: inout some RandomNumberGenerator) -> RGB {
        RGB(
            red: .random(in: 0...255, using: &random), green: .random(in: 0...255, using: &random),
            blue: .random(in: 0...255, using: &random))
    }
}

extension PixelSample {
    /// Opaque pixels, in order.
    init(_ colors: [RGB], weight: Double = 1, width: Int? = nil) {
        self.init(rgba: colors.flatMap { [$0.red, $0.green, $0.blue, 255] }, weight: weight, width: width)
    }

    init(_ color: RGB, count: Int) { self.init(Array(repeating: color, count: count)) }
}

/// Some noisy clouds of color: a picture with `clouds` subjects.
func clouds(_ clouds: Int, pixels: Int, noise: Int, seed: UInt64) -> [RGB] {
    var random = SplitMix64(seed: seed)
    let centers = (0..<clouds).map { _ in RGB.random(using: &random) }
    return (0..<pixels).map { _ in
        let center = centers.randomElement(using: &random)!
        func near(_ value: UInt8, _ random: inout SplitMix64) -> UInt8 {
            UInt8(min(max(Int(value) + Int.random(in: -noise...noise, using: &random), 0), 255))
        }
        return RGB(
            red: near(center.red, &random), green: near(center.green, &random),
            blue: near(center.blue, &random))
    }
}
