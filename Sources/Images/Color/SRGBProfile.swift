/// An ICC profile that says sRGB, in 500 bytes, for the thumbnails.
///
/// - Source: ICC.1:2010 (4.3) 7 (header, tag table), 9.2 (required tags), 10 (types); IEC 61966-2-1 for the
///   curve; colorants are sRGB's primaries adapted to D50 with the Bradford matrix, as published by the ICC.
enum SRGBProfile {
    static let bytes: [UInt8] = {
        let description = localized("sRGB"), copyright = localized("No copyright")
        let curve =
            signature("para") + [0, 0, 0, 0, 0, 3, 0, 0]
            + [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045].flatMap(fixed)
        let tags: [(String, [UInt8])] = [
            ("desc", description), ("cprt", copyright), ("wtpt", xyz(0.9642, 1, 0.8249)),
            ("rXYZ", xyz(0.4360, 0.2225, 0.0139)), ("gXYZ", xyz(0.3851, 0.7169, 0.0971)),
            ("bXYZ", xyz(0.1431, 0.0606, 0.7139)), ("rTRC", curve), ("gTRC", curve), ("bTRC", curve),
        ]
        var table = number(tags.count), data: [UInt8] = [], curveAt = 0
        let dataStart = 128 + 4 + tags.count * 12
        for (name, content) in tags {
            let shared = name == "gTRC" || name == "bTRC"
            if !shared {
                curveAt = dataStart + data.count
                data += content
            }
            table += signature(name) + number(curveAt) + number(content.count)
        }
        let size = dataStart + data.count
        var header = number(size) + number(0) + [4, 0x30, 0, 0] + signature("mntr") + signature("RGB ")
        header += signature("XYZ ") + [0x07, 0xEA, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0] + signature("acsp")
        header += [UInt8](repeating: 0, count: 28) + [0.9642, 1, 0.8249].flatMap(fixed)
        header += [UInt8](repeating: 0, count: 128 - header.count)
        return header + table + data
    }()

    private static func signature(_ text: String) -> [UInt8] { Array(text.utf8) }

    private static func number(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    /// s15Fixed16Number.
    private static func fixed(_ value: Double) -> [UInt8] { number(Int((value * 65_536).rounded())) }

    private static func xyz(_ x: Double, _ y: Double, _ z: Double) -> [UInt8] {
        signature("XYZ ") + number(0) + fixed(x) + fixed(y) + fixed(z)
    }

    /// multiLocalizedUnicodeType with one English record, padded to four bytes.
    private static func localized(_ text: String) -> [UInt8] {
        let characters = text.utf16.flatMap {
            [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)]
        }
        let record = signature("mluc") + number(0) + number(1) + number(12) + signature("enUS")
        let padding = [UInt8](repeating: 0, count: (4 - characters.count % 4) % 4)
        return record + number(characters.count) + number(28) + characters + padding
    }
}
