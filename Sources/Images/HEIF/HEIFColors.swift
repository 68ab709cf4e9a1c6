#if HEIF
internal import CImage

/// What the colour properties of a HEIF picture come to: a profile wins, then the coding-independent code
/// points, then the assumption of sRGB.
///
/// - Source: ISO/IEC 23008-12, 6.5.5; ITU-T H.273, tables 2 (primaries) and 3 (transfer characteristics).
struct HEIFColors {
    let source: ColorSource
    let note: String?

    init(_ header: cimage_heif_header, profile: [UInt8]) {
        if !profile.isEmpty {
            source = .profile(profile)
            note = nil
            return
        }
        // 1: BT.709, whose primaries are sRGB's; 2: not said.
        let other = header.has_nclx && header.primaries != 1 && header.primaries != 2
        let c = header.chromaticities
        let primaries = [c.0, c.1, c.2, c.3, c.4, c.5, c.6, c.7]
        let isSane = primaries.allSatisfy { $0 > 0 && $0 < 1 }
        let exponent: Double?
        var note: String?
        switch header.has_nclx ? header.transfer : 2 {
        case 4: exponent = 2.2
        case 5: exponent = 2.8
        case 8: exponent = 1
        case 16, 18:
            exponent = nil
            note = "high dynamic range read as if it were standard"
        default: exponent = nil
        }
        let srgb = [0.3127, 0.3290, 0.64, 0.33, 0.30, 0.60, 0.15, 0.06]
        if other, isSane {
            source = .primaries(primaries, exponent: exponent)
        } else {
            source = exponent.map { .primaries(srgb, exponent: $0) } ?? .srgb
        }
        self.note = note
    }
}
#endif
