internal import CImage

/// The color space of a PNG, from its color chunks.
///
/// Code points (cICP) win, then an embedded profile, then an sRGB chunk, then gamma and chromaticities, then
/// the assumption of sRGB.
/// The gamma 0.45455 is what sRGB files carry for readers that know no better, so it stands for sRGB's own
/// curve.
///
/// - Source: PNG 3rd edition, 4.3 (precedence), 11.3.2 (cHRM, gAMA, iCCP, sRGB, cICP).
struct PNGColors {
    /// For what a table cannot do.
    let source: ColorSource
    let note: String?
    /// stored = light ^ gamma, for `table`.
    private let gamma: Double?

    init(_ header: cimage_png_header, codePoints: CodePoints?, profile: [UInt8]) {
        // Matrix coefficients other than RGB's are not allowed, nor is what is unspecified a statement.
        if let codePoints, codePoints.matrix == 0, codePoints.saysPrimaries {
            let colors = CodePointColors(codePoints)
            (source, note, gamma) = (colors.source, colors.note, nil)
            return
        }
        note = nil
        if !profile.isEmpty {
            source = .profile(profile)
            gamma = nil
            return
        }
        let isUsable = header.has_gamma && header.gamma > 0.01 && header.gamma < 100
        let own = !header.srgb && isUsable && abs(header.gamma - 1 / 2.2) > 0.005 ? header.gamma : nil
        let p = header.primaries
        let primaries = [p.0, p.1, p.2, p.3, p.4, p.5, p.6, p.7]
        if !header.srgb, header.has_primaries, PNGColors.isOther(primaries) {
            let exponent = own.map { 1 / $0 }
            source = .primaries(primaries, exponent: exponent)
            gamma = nil
        } else {
            source = .srgb
            gamma = own
        }
    }

    /// Neither sRGB's (white x y, red, green, blue; ITU-R BT.709) nor nonsense.
    private static func isOther(_ primaries: [Double]) -> Bool {
        let srgb = [0.3127, 0.3290, 0.64, 0.33, 0.30, 0.60, 0.15, 0.06]
        let isSane =
            primaries.allSatisfy { $0 >= 0 && $0 <= 1 }
            && stride(from: 1, to: 8, by: 2).allSatisfy {
                primaries[$0] > 0.001
            }
        return isSane && zip(primaries, srgb).contains { abs($0 - $1) > 0.002 }
    }

    /// The sRGB byte of each sample value; nil when samples are sRGB, or `source` sees to it.
    func table(depth: Int) -> [UInt8]? {
        gamma.map { SRGBCurve.table(gamma: $0, count: depth == 16 ? 65_536 : 256) }
    }
}

extension ColorSource {
    var isProfile: Bool {
        if case .profile = self { true } else { false }
    }
}
