#if HEIF
/// What the colour properties of a HEIF picture come to: a profile wins, then the coding-independent code
/// points, then the assumption of sRGB.
///
/// - Source: ISO/IEC 23008-12, 6.5.5; ITU-T H.273, tables 2 (primaries) and 3 (transfer characteristics).
struct HEIFColors {
    /// Numbers of H.273; `matrix` and `isFullRange` say how colours became the samples of the planes.
    struct CodePoints {
        var primaries = 2, transfer = 2, matrix = 2
        var isFullRange = true
    }

    let source: ColorSource
    let note: String?

    /// - Parameters:
    ///   - points: nil when the file has none.
    ///   - profile: empty when the file has none.
    init(_ points: CodePoints?, profile: [UInt8]) {
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
        if let primaries = HEIFColors.primaries[points?.primaries ?? 2] {
            source = .primaries(primaries, exponent: exponent)
        } else {
            source = exponent.map { .primaries(HEIFColors.srgb, exponent: $0) } ?? .srgb
        }
    }

    private static let srgb = [0.3127, 0.3290, 0.64, 0.33, 0.30, 0.60, 0.15, 0.06]

    /// White, red, green, blue: x y each. Of those that are not sRGB's, as 1 is, and stand for something.
    private static let primaries: [Int: [Double]] = [
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

extension HEIFItems {
    /// The code points of an item, and its profile; the latter is left out when it is larger than the limit.
    func colors(of item: Int, profileLimit: Int) -> (points: HEIFColors.CodePoints?, profile: [UInt8]) {
        var points: HEIFColors.CodePoints?, profile: [UInt8] = []
        for property in properties(of: item, "colr") where property.body.count > 4 {
            let body = property.body, start = body.lowerBound + 4
            if bytes.hasText("nclx", at: body.lowerBound), body.count >= 11, points == nil {
                points = HEIFColors.CodePoints(
                    primaries: bytes.number(at: start, 2, bigEndian: true),
                    transfer: bytes.number(at: start + 2, 2, bigEndian: true),
                    matrix: bytes.number(at: start + 4, 2, bigEndian: true),
                    isFullRange: bytes[start + 6] & 0x80 != 0)
            } else if bytes.hasText("prof", at: body.lowerBound)
                || bytes.hasText("rICC", at: body.lowerBound),
                profile.isEmpty, body.count - 4 <= profileLimit
            {
                profile = Array(bytes[start..<body.upperBound])
            }
        }
        return (points, profile)
    }

    /// EXIF and XMP of a picture: of the items that describe it, else of one that describes nothing.
    func metadata(of picture: Int, limit: Int, notes: inout [String]) -> PhotoMetadata {
        var metadata = PhotoMetadata()
        if let exif = description(of: picture, limit: limit, where: { $0.type == "Exif" }), exif.count >= 4 {
            // ISO/IEC 23008-12, A.2.1: four bytes say how far behind them the structure begins.
            let start = 4 + exif.number(at: 0, 4, bigEndian: true)
            if start < exif.count {
                metadata = PhotoMetadata(exif: Array("Exif\0\0".utf8) + exif[start...], notes: &notes)
            }
        }
        if let xmp = description(
            of: picture, limit: limit,
            where: { $0.type == "mime" && $0.contentType == "application/rdf+xml" })
        {
            metadata.fill(fromXMP: xmp)
        }
        return metadata
    }

    private func description(of picture: Int, limit: Int, where isWanted: (Item) -> Bool) -> [UInt8]? {
        let described = references.filter { $0.type == "cdsc" }
        let own = described.filter { $0.to.contains(picture) }.map(\.from)
        let free = items.keys.sorted().filter { item in !described.contains { $0.from == item } }
        let found = (own + (own.contains { items[$0].map(isWanted) ?? false } ? [] : free)).first {
            items[$0].map(isWanted) ?? false
        }
        guard let found, items[found]?.extents.reduce(0, { $0 + $1.count }) ?? 0 <= limit else { return nil }
        return contents(of: found)
    }
}
#endif
