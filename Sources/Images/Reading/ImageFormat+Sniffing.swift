extension ImageFormat {
    /// Tells the kind by content, never by a name.
    ///
    /// Many raw files are TIFF files with sensor data in one of their directories: those are told apart by
    /// what the directories say, whatever the first page looks like.
    ///
    /// - Source: ITU-T T.81 B.1.1.3 (SOI); PNG 1.2, 3.1; RFC 9649, 2.4 (WebP); GIF89a, 17; TIFF 6.0, section
    ///   2; ISO/IEC 14496-12, 4.3 (ftyp) and 23008-12, 10 (brands), AVIF 1.1, 6; ISO/IEC 18181-2, 9.1 (JPEG
    ///   XL). Makers' own signatures are those that LibRaw and exiftool look for.
    public init?(bytes: [UInt8]) {
        if bytes.starts(with: [0xFF, 0xD8]) {
            self = .jpeg
        } else if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if bytes.starts(with: [0xFF, 0x0A]) || bytes.starts(with: ImageFormat.jxlContainer) {
            self = .jxl
        } else if bytes.hasText("GIF87a", at: 0) || bytes.hasText("GIF89a", at: 0) {
            self = .gif
        } else if bytes.hasText("RIFF", at: 0), bytes.hasText("WEBP", at: 8) {
            self = .webp
        } else if bytes.hasText("ftyp", at: 4) {
            guard let format = ImageFormat(brandsOf: bytes) else { return nil }
            self = format
        } else if ImageFormat.rawSignatures.contains(where: { bytes.hasText($0.text, at: $0.offset) }) {
            self = .raw
        } else if let structure = TIFFStructure(bytes) {
            self = structure.isRaw ? .raw : .tiff
        } else {
            return nil
        }
    }

    private static let jxlContainer: [UInt8] =
        [0, 0, 0, 12, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A]

    /// Fujifilm, Canon's first and second kind, Olympus, Panasonic and Leica, Minolta, Sigma.
    private static let rawSignatures = [
        ("FUJIFILMCCD-RAW", 0), ("HEAPCCDR", 6), ("CR\u{2}", 8), ("IIRO", 0), ("IIRS", 0), ("MMOR", 0),
        ("IIU\0", 0), ("\0MRM", 0), ("FOVb", 0),
    ].map { (text: $0.0, offset: $0.1) }

    /// Brands beyond so many are not looked at: files have some ten.
    private static let brandLimit = 256

    private init?(brandsOf bytes: [UInt8]) {
        let end = min(bytes.number(at: 0, 4, bigEndian: true), bytes.count, 16 + 4 * Self.brandLimit)
        // The major brand, a version, then the compatible ones.
        let offsets = [8] + Array(stride(from: 16, to: end - 3, by: 4))
        func hasBrand(_ names: [String]) -> Bool {
            offsets.contains { offset in names.contains { bytes.hasText($0, at: offset) } }
        }
        if hasBrand(["avif", "avis"]) {
            self = .avif
        } else if bytes.hasText("crx ", at: 8) {
            self = .raw
        } else if hasBrand(["heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1"]) {
            self = .heic
        } else {
            return nil
        }
    }
}

extension [UInt8] {
    /// Whether these characters, one byte each, stand there.
    func hasText(_ text: String, at offset: Int) -> Bool {
        count >= offset + text.utf8.count && self[offset...].starts(with: text.utf8)
    }
}
