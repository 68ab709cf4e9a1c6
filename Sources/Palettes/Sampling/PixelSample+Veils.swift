extension PixelSample {
    /// The least alpha that counts, 5 %: fainter pixels are veils and specks that no one sees.
    static let leastAlpha: UInt8 = 13

    /// Makes pixels below ``leastAlpha`` clear.
    ///
    /// - Complexity: O(pixels); opaque samples are read, not written.
    mutating func clearVeils() {
        guard !isOpaque else { return }
        for at in stride(from: 3, to: rgba.count, by: 4) where rgba[at] < Self.leastAlpha { rgba[at] = 0 }
    }

    /// Whether every pixel has alpha 255.
    var isOpaque: Bool {
        var alpha = SIMD16<UInt8>(repeating: 255)
        return unsafe rgba.withUnsafeBytes { bytes in
            var index = 0
            while index + 16 <= bytes.count {
                // SAFETY: the 16 bytes from index on are inside.
                alpha &= unsafe bytes.loadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self)
                index += 16
            }
            while index + 4 <= bytes.count {
                unsafe alpha[3] &= bytes[index + 3]
                index += 4
            }
            return alpha[3] & alpha[7] & alpha[11] & alpha[15] == 255
        }
    }
}
