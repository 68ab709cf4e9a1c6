/// EXIF, XMP, and IPTC in the text chunks of a PNG: packed XMP, and what ImageMagick and its like write as
/// hexadecimal digits.
///
/// - Source: PNG 3rd edition, 11.3.3; ImageMagick's "Raw profile type": a line with the type, one with the
///   number of bytes, then the digits.
struct PNGWords {
    private var exif: [UInt8] = [], xmp: [UInt8] = [], iptc: [UInt8] = []

    mutating func add(_ keyword: String, _ text: [UInt8]) {
        switch keyword {
        case "XML:com.adobe.xmp": if xmp.isEmpty { xmp = text }
        case "Raw profile type iptc": if iptc.isEmpty { iptc = PNGWords.unpacked(text) }
        case "Raw profile type exif", "Raw profile type APP1", "Raw profile type xmp":
            let bytes = PNGWords.unpacked(text), name = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
            // With the name of JPEG's segment before it, or without.
            if ["Exif\0\0", "II*\0", "MM\0*"].contains(where: { bytes.starts(with: $0.utf8) }) {
                if exif.isEmpty { exif = bytes }
            } else if xmp.isEmpty, keyword != "Raw profile type exif" {
                xmp = bytes.starts(with: name) ? Array(bytes.dropFirst(name.count)) : bytes
            }
        default: break
        }
    }

    /// Takes from it what no chunk of its own has said.
    func fill(_ metadata: inout PhotoMetadata, notes: inout [String]) {
        if !exif.isEmpty {
            let other = PhotoMetadata(exif: exif[...], notes: &notes)
            metadata.fill(from: other)
            metadata.statedOrientation = metadata.statedOrientation ?? other.statedOrientation
        }
        if !xmp.isEmpty { metadata.fill(fromXMP: xmp) }
        if iptc.starts(with: Array("8BIM".utf8)) {
            metadata.fill(fromPhotoshop: iptc[...])
        } else if !iptc.isEmpty {
            metadata.fill(fromIPTC: iptc[...])
        }
    }

    /// The bytes that the digits stand for; as many as the second line says, at most.
    private static func unpacked(_ text: [UInt8]) -> [UInt8] {
        let lines = text.split(separator: 10, maxSplits: 2)
        guard lines.count == 3,
            let count = Int(String(decoding: lines[1].filter { $0 != 32 }, as: UTF8.self)), count >= 0
        else { return [] }
        let digits = lines[2].lazy.compactMap { byte -> UInt8? in
            switch byte {
            case 48...57: byte - 48
            case 65...70: byte - 55
            case 97...102: byte - 87
            default: nil
            }
        }
        var bytes: [UInt8] = [], high: UInt8?
        for digit in digits {
            if bytes.count == count { break }
            if let first = high {
                bytes.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        return bytes
    }
}
