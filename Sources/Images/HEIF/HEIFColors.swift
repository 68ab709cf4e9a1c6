#if HEIF
extension HEIFItems {
    /// The code points of an item, and its profile; the latter is left out when it is larger than the limit.
    func colors(of item: Int, profileLimit: Int) -> (points: CodePoints?, profile: [UInt8]) {
        var points: CodePoints?, profile: [UInt8] = []
        for property in properties(of: item, "colr") where property.body.count > 4 {
            let body = property.body, start = body.lowerBound + 4
            if bytes.hasText("nclx", at: body.lowerBound), body.count >= 11, points == nil {
                points = CodePoints(
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
            // ISO/IEC 23008-12, A.2.1: four bytes say how far behind them the structure begins. Some programs
            // write 0 there, and JPEG's signature before the structure.
            let start = 4 + exif.number(at: 0, 4, bigEndian: true)
            if start < exif.count { metadata = PhotoMetadata(exif: exif[start...], notes: &notes) }
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
        let describing = Set(described.map(\.from))
        let free = items.keys.sorted().filter { !describing.contains($0) }
        let found = (own + (own.contains { items[$0].map(isWanted) ?? false } ? [] : free)).first {
            items[$0].map(isWanted) ?? false
        }
        guard let found, items[found]?.extents.reduce(0, { $0 + $1.count }) ?? 0 <= limit else { return nil }
        return contents(of: found)
    }
}
#endif
