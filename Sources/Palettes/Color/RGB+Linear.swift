extension RGB {
    /// Red, green and blue as linear light, 0...1; the fourth lane is 0.
    var linear: SIMD4<Double> {
        SIMD4(linearLight[Int(red)], linearLight[Int(green)], linearLight[Int(blue)], 0)
    }

    /// The 8-bit color nearest to a linear one, channel by channel; what lies outside 0...1 is cut off.
    ///
    /// Nearest in sRGB's own scale: the same as raising to 1/2.4 and rounding, without the power.
    init(linear light: SIMD4<Double>) {
        self.init(red: Self.encode(light.x), green: Self.encode(light.y), blue: Self.encode(light.z))
    }

    /// Counts the turning points at or below `light`: eight halvings of the table.
    private static func encode(_ light: Double) -> UInt8 {
        var low = 0, high = roundingTurns.count
        while low < high {
            let middle = (low + high) / 2
            if roundingTurns[middle] <= light { low = middle + 1 } else { high = middle }
        }
        return UInt8(low)
    }
}

extension RGB {
    /// Red, green and blue as one number, 0xRRGGBB: an order that never ties.
    var code: Int { Int(red) << 16 | Int(green) << 8 | Int(blue) }
}
