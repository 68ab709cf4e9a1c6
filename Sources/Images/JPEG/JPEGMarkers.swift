/// Reads a JPEG's markers in file order: what the header says, then one scan after the other.
///
/// It reads what it understands and stops at the first thing that does not add up; whether that is damage is
/// libjpeg's to say. ``JPEGHeader`` reads metadata, and goes on where libjpeg does.
///
/// - Source: ITU-T T.81 B.1 and B.2.
struct JPEGMarkers {
    /// A result of ``next()``.
    enum Event: Equatable {
        /// A scan's header; its data begins at ``JPEGMarkers/position``.
        case scan(JPEGScan)
        /// The end marker.
        case end
        /// The file ends without one.
        case cut
        /// Something libjpeg has to judge.
        case irregular
    }

    let bytes: [UInt8]
    /// The next byte to read.
    var position = 2

    private(set) var frame: JPEGFrame?
    /// Steps of the four quantisation tables in zig-zag order; empty where undefined.
    private(set) var quantization = [[UInt16]](repeating: [], count: 4)
    /// Huffman tables, by class (0 DC, 1 AC) * 4 + destination.
    private(set) var huffman = [HuffmanCode?](repeating: nil, count: 8)
    /// MCUs between restart markers; 0: none.
    private(set) var restartInterval = 0
    /// The transform byte of an Adobe marker.
    private(set) var adobeTransform: UInt8?
    private(set) var hasJFIF = false

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Reads on to the next scan or the end. After a scan the caller sets ``position`` behind its data, or
    /// calls ``skipData()``.
    mutating func next() -> Event {
        while true {
            guard position < bytes.count else { return .cut }
            guard bytes[position] == 0xFF else { return .irregular }
            while position < bytes.count, bytes[position] == 0xFF { position += 1 }
            guard position < bytes.count else { return .cut }
            let marker = bytes[position]
            position += 1
            if marker == 0xD9 { return .end }
            guard marker >= 0xC0, !(0xD0...0xD8).contains(marker) else { return .irregular }
            guard position + 2 <= bytes.count else { return .cut }
            let length = number(at: position)
            guard length >= 2 else { return .irregular }
            let body = position + 2..<position + length
            guard body.upperBound <= bytes.count else { return .cut }
            position = body.upperBound
            if marker == 0xDA {
                guard let frame, let scan = JPEGScan(bytes[body], frame: frame) else { return .irregular }
                return .scan(scan)
            }
            guard read(marker, body) else { return .irregular }
        }
    }

    /// Steps over entropy-coded data to the next marker that is none of its own.
    mutating func skipData() {
        while let found = bytes.nextFF(from: position) {
            guard found + 1 < bytes.count else { break }
            switch bytes[found + 1] {
            case 0x00, 0xD0...0xD7: position = found + 2
            case 0xFF: position = found + 1
            default:
                position = found
                return
            }
        }
        position = bytes.count
    }

    private func number(at: Int) -> Int { Int(bytes[at]) << 8 | Int(bytes[at + 1]) }

    private mutating func read(_ marker: UInt8, _ body: Range<Int>) -> Bool {
        switch marker {
        case 0xC4: return readHuffman(body)
        case 0xC0...0xCF:
            guard frame == nil, let read = JPEGFrame(bytes[body], marker: marker) else { return false }
            frame = read
        case 0xDB: return readQuantization(body)
        case 0xDC: return false  // DNL: the height comes late
        case 0xDD:
            guard body.count == 2 else { return false }
            restartInterval = number(at: body.lowerBound)
        case 0xE0:
            guard bytes[body].starts(with: Array("JFIF\0".utf8)) else { break }
            // Another major version than 1 is for libjpeg to wonder at.
            guard body.count >= 14, bytes[body.lowerBound + 5] == 1 else { return false }
            hasJFIF = true
        case 0xEE:
            if body.count >= 12, bytes[body].starts(with: Array("Adobe".utf8)) {
                adobeTransform = bytes[body.lowerBound + 11]
            }
        default: break
        }
        return true
    }

    private mutating func readQuantization(_ body: Range<Int>) -> Bool {
        var at = body.lowerBound
        while at < body.upperBound {
            let wide = bytes[at] >> 4, table = Int(bytes[at] & 15)
            let size = wide == 0 ? 64 : 128
            guard wide <= 1, table < 4, at + 1 + size <= body.upperBound else { return false }
            quantization[table] = (0..<64).map {
                wide == 0 ? UInt16(bytes[at + 1 + $0]) : UInt16(number(at: at + 1 + 2 * $0))
            }
            at += 1 + size
        }
        return true
    }

    private mutating func readHuffman(_ body: Range<Int>) -> Bool {
        var at = body.lowerBound
        while at < body.upperBound {
            guard at + 17 <= body.upperBound, bytes[at] & 0xEC == 0 else { return false }
            let slot = Int(bytes[at] >> 4) * 4 + Int(bytes[at] & 15)
            let counts = Array(bytes[at + 1..<at + 17])
            let symbols = counts.reduce(0) { $0 + Int($1) }
            guard at + 17 + symbols <= body.upperBound,
                let code = HuffmanCode(counts: counts, symbols: Array(bytes[at + 17..<at + 17 + symbols]))
            else { return false }
            huffman[slot] = code
            at += 17 + symbols
        }
        return true
    }
}
