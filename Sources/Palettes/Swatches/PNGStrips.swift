/// A PNG of strips: rows that are made of few runs of one color, and are the same many times over.
///
/// The rows are compressed as they come, with DEFLATE's fixed codes: a run is its first pixel and copies of
/// it, the same row again a copy of the one above. So a strip takes some hundred bytes and no library.
struct PNGStrips {
    private let width: Int
    private var height = 0
    private var stream = DeflateStream()

    init(width: Int) { self.width = width }

    var isEmpty: Bool { height == 0 }

    /// - Parameter runs: colors and how many pixels each; together the width.
    mutating func add(_ runs: [(RGB, Int)], rows: Int) {
        stream.literal(0)  // No filter.
        for (color, count) in runs where count > 0 {
            for channel in [color.red, color.green, color.blue] { stream.literal(channel) }
            stream.copy(3 * (count - 1), from: 3)
        }
        stream.copy((rows - 1) * (1 + 3 * width), from: 1 + 3 * width)
        height += rows
    }

    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    /// Behind the header, which has to come first and is 25 bytes: who wrote the file.
    private static let software = chunk("tEXt", Array("Software".utf8) + [0] + Array("moody palettes".utf8))

    /// Whether a file begins as these do.
    static func wrote(_ head: [UInt8]) -> Bool {
        head.starts(with: signature) && head.dropFirst(signature.count + 25).starts(with: software)
    }

    static func marked(_ png: [UInt8]) -> [UInt8] {
        let head = signature.count + 25
        return Array(png.prefix(head)) + software + png.dropFirst(head)
    }

    private static func number(_ value: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
    }

    private static func chunk(_ kind: String, _ data: [UInt8]) -> [UInt8] {
        let body = Array(kind.utf8) + data
        return number(data.count) + body + number(Int(crc32(body)))
    }

    /// Eight bits a channel, RGB, sRGB by perceptual intent.
    var bytes: [UInt8] {
        Self.signature + Self.chunk("IHDR", Self.number(width) + Self.number(height) + [8, 2, 0, 0, 0])
            + Self.software + Self.chunk("sRGB", [0]) + Self.chunk("IDAT", stream.finished())
            + Self.chunk("IEND", [])
    }
}

/// Bytes compressed by DEFLATE with its fixed codes, in one block, as zlib wraps it.
///
/// - Source: RFC 1951, 3.2.5 and 3.2.6; RFC 1950.
private struct DeflateStream {
    private var bytes: [UInt8] = [0x78, 0x01]
    private var bits: UInt64 = 0b011, count = 3  // The last block, fixed codes.
    private var plain: [UInt8] = []
    private var sum: (UInt32, UInt32) = (1, 0)

    private mutating func put(_ value: Int, _ length: Int) {
        bits |= UInt64(value) << UInt64(count)
        count += length
        while count >= 8 {
            bytes.append(UInt8(truncatingIfNeeded: bits))
            bits >>= 8
            count -= 8
        }
    }

    /// Huffman codes begin with their highest bit.
    private mutating func putCode(_ code: Int, _ length: Int) {
        var turned = 0
        for bit in 0..<length where code & 1 << bit != 0 { turned |= 1 << (length - 1 - bit) }
        put(turned, length)
    }

    private mutating func symbol(_ symbol: Int) {
        switch symbol {
        case 0..<144: putCode(0x30 + symbol, 8)
        case 144..<256: putCode(0x190 + symbol - 144, 9)
        case 256..<280: putCode(symbol - 256, 7)
        default: putCode(0xC0 + symbol - 280, 8)
        }
    }

    /// The checksum of what comes out, and the last bytes of it, which copies are made from.
    private mutating func note(_ byte: UInt8) {
        sum.0 = (sum.0 + UInt32(byte)) % 65_521
        sum.1 = (sum.1 + sum.0) % 65_521
        plain.append(byte)
        if plain.count > 1 << 16 { plain.removeFirst(plain.count - 1 << 15) }
    }

    mutating func literal(_ byte: UInt8) {
        symbol(Int(byte))
        note(byte)
    }

    /// - Parameter distance: at most 32,768, and no more than has come so far.
    mutating func copy(_ length: Int, from distance: Int) {
        var left = length
        while left > 0 {
            if left < 3 {
                literal(plain[plain.count - distance])
                left -= 1
                continue
            }
            // Not so that one or two bytes are left.
            let part = left > 258 ? (left - 258 < 3 ? 255 : 258) : left
            let (code, extra, least) = Self.lengthCode(part)
            symbol(code)
            put(part - least, extra)
            let (distanceCode, distanceExtra, distanceLeast) = Self.distanceCode(distance)
            putCode(distanceCode, 5)
            put(distance - distanceLeast, distanceExtra)
            for _ in 0..<part { note(plain[plain.count - distance]) }
            left -= part
        }
    }

    private static func lengthCode(_ length: Int) -> (code: Int, extra: Int, least: Int) {
        if length == 258 { return (285, 0, 258) }
        if length < 11 { return (254 + length, 0, length) }
        var extra = 1, least = 11, code = 265
        while length >= least + 4 << extra {
            least += 4 << extra
            code += 4
            extra += 1
        }
        let step = (length - least) >> extra
        return (code + step, extra, least + step << extra)
    }

    private static func distanceCode(_ distance: Int) -> (code: Int, extra: Int, least: Int) {
        if distance < 5 { return (distance - 1, 0, distance) }
        var extra = 1, least = 5, code = 4
        while distance >= least + 2 << extra {
            least += 2 << extra
            code += 2
            extra += 1
        }
        let step = (distance - least) >> extra
        return (code + step, extra, least + step << extra)
    }

    func finished() -> [UInt8] {
        var end = self
        end.symbol(256)
        if end.count > 0 { end.put(0, 8 - end.count) }
        return end.bytes + (0..<4).map { UInt8(truncatingIfNeeded: (sum.1 << 16 | sum.0) >> (24 - 8 * $0)) }
    }
}

/// PNG's check of a chunk, bit by bit: chunks are small.
private func crc32(_ bytes: [UInt8]) -> UInt32 {
    var crc: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
        crc ^= UInt32(byte)
        for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    return ~crc
}
