/// Coding-independent code points: what a HEIF file and a PNG say about their colors in numbers.
///
/// Matrix coefficients and range say how colors became samples.
///
/// - Source: ITU-T H.273, tables 2 (primaries), 3 (transfer characteristics) and 4 (matrix coefficients).
struct CodePoints {
    var primaries = 2, transfer = 2, matrix = 2
    var isFullRange = true

    /// The primaries are known here: sRGB's, or others.
    var saysPrimaries: Bool { primaries == 1 || CodePointColors.primaries[primaries] != nil }
}

/// The color source of a file by its profile, else by its code points, else sRGB.
///
/// - Source: ISO/IEC 23008-12, 6.5.5.
struct CodePointColors {
    let source: ColorSource
    let note: String?

    /// - Parameters:
    ///   - points: nil when the file has none.
    ///   - profile: empty when the file has none.
    init(_ points: CodePoints?, profile: [UInt8] = []) {
        if !profile.isEmpty {
            source = .profile(profile)
            note = nil
            return
        }
        let exponent: Double?
        var note: String?
        switch points?.transfer ?? 2 {
        case 4: exponent = 2.2
        case 5: exponent = 2.8
        case 8: exponent = 1
        case 16, 18:
            exponent = nil
            note = "high dynamic range read as if it were standard"
        default: exponent = nil
        }
        self.note = note
        if let primaries = CodePointColors.primaries[points?.primaries ?? 2] {
            source = .primaries(primaries, exponent: exponent)
        } else {
            source = exponent.map { .primaries(CodePointColors.srgb, exponent: $0) } ?? .srgb
        }
    }

    private static let srgb = [0.3127, 0.3290, 0.64, 0.33, 0.30, 0.60, 0.15, 0.06]

    /// White, red, green, blue: x y each. sRGB's, number 1, and reserved numbers are not listed.
    fileprivate static let primaries: [Int: [Double]] = [
        4: [0.310, 0.316, 0.67, 0.33, 0.21, 0.71, 0.14, 0.08],
        5: [0.3127, 0.3290, 0.64, 0.33, 0.29, 0.60, 0.15, 0.06],
        6: [0.3127, 0.3290, 0.630, 0.340, 0.310, 0.595, 0.155, 0.070],
        7: [0.3127, 0.3290, 0.630, 0.340, 0.310, 0.595, 0.155, 0.070],
        8: [0.310, 0.316, 0.681, 0.319, 0.243, 0.692, 0.145, 0.049],
        9: [0.3127, 0.3290, 0.708, 0.292, 0.170, 0.797, 0.131, 0.046],
        11: [0.314, 0.351, 0.680, 0.320, 0.265, 0.690, 0.150, 0.060],
        12: [0.3127, 0.3290, 0.680, 0.320, 0.265, 0.690, 0.150, 0.060],
        22: [0.3127, 0.3290, 0.630, 0.340, 0.295, 0.605, 0.155, 0.077],
    ]
}
