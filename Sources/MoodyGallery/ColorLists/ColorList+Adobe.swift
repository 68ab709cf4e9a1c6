import Palettes

extension ColorList {
    /// Adobe Swatch Exchange: blocks of a type, a length, and a payload; groups mean nothing here.
    ///
    /// - Source: the layout of 22 files of other programs; no specification is published.
    mutating func readASE(_ bytes: [UInt8]) {
        var reader = BigEndianBytes(bytes, at: 8)
        guard let count = reader.u32() else { return }
        var left = 0
        for _ in 0..<count {
            guard let type = reader.u16(), let length = reader.u32() else { break }
            let end = reader.at + Int(length)
            if type == 1, let size = reader.u16(), let name = reader.name(Int(size)),
                let model = reader.ascii(4)
            {
                if let entry = Self.entry(name, model, &reader) { add(entry) } else { left += 1 }
            }
            if end > bytes.count || entries.count > Self.most { break }
            reader.skip(to: end)
        }
        noteLeft(left)
    }

    private static func entry(_ name: String, _ model: String, _ reader: inout BigEndianBytes) -> Entry? {
        switch model {
        case "RGB ":
            guard let red = reader.float(), let green = reader.float(), let blue = reader.float() else {
                return nil
            }
            return Entry(name: name, RGB(red: channel(red), green: channel(green), blue: channel(blue)))
        case "Gray":
            return reader.float().map { Entry(name: name, gray(channel($0))) }
        case "LAB ":
            guard let lightness = reader.float(), let a = reader.float(), let b = reader.float() else {
                return nil
            }
            return Entry(name: name, Lab(d50: Lab(lightness: lightness * 100, a: a, b: b)))
        default: return nil
        }
    }

    static func channel(_ value: Double) -> UInt8 { UInt8((min(1, max(0, value)) * 255).rounded()) }

    /// Photoshop's swatches begin with a version and a count, which tell how long they are.
    static func isACO(_ bytes: [UInt8]) -> Bool {
        var reader = BigEndianBytes(bytes)
        guard let version = reader.u16(), let count = reader.u16(), count > 0 else { return false }
        let first = 4 + 10 * Int(count)
        if version == 2 { return bytes.count >= 4 + 16 * Int(count) }
        return version == 1 && (bytes.count == first || bytes.count > first + 4 && bytes[first + 1] == 2)
    }

    /// Version 1 without names, and behind it version 2 with them.
    ///
    /// - Source: Adobe Photoshop File Formats Specification, "Color swatches".
    mutating func readACO(_ bytes: [UInt8]) {
        var reader = BigEndianBytes(bytes)
        let version = reader.u16() ?? 0
        let count = Int(reader.u16() ?? 0)
        var hasNames = version == 2
        if version == 1, bytes.count > 4 + 10 * count {
            reader.skip(to: 4 + 10 * count + 4)
            hasNames = true
        }
        var left = 0
        for number in 0..<count {
            guard let space = reader.u16() else { break }
            let values = (0..<4).compactMap { _ in reader.u16() }
            guard values.count == 4 else { break }
            var name = "color \(number + 1)"
            if hasNames {
                guard let size = reader.u32(), size < 1 << 16, let text = reader.name(Int(size)) else {
                    break
                }
                name = text
            }
            if let entry = Self.entry(name, space, values) { add(entry) } else { left += 1 }
        }
        noteLeft(left)
    }

    private static func gray(_ channel: UInt8) -> RGB { RGB(red: channel, green: channel, blue: channel) }

    private static func entry(_ name: String, _ space: UInt16, _ values: [UInt16]) -> Entry? {
        switch space {
        case 0:
            return Entry(
                name: name,
                RGB(red: UInt8(values[0] >> 8), green: UInt8(values[1] >> 8), blue: UInt8(values[2] >> 8)))
        case 7:
            let (a, b) = (Int16(bitPattern: values[1]), Int16(bitPattern: values[2]))
            return Entry(
                name: name,
                Lab(d50: Lab(lightness: Double(values[0]) / 100, a: Double(a) / 100, b: Double(b) / 100)))
        case 8:
            return Entry(name: name, gray(channel(Double(values[0]) / 10_000)))
        default: return nil
        }
    }

    private mutating func noteLeft(_ count: Int) {
        if count > 0 { note("\(count) of CMYK or another kind left out") }
    }
}
