extension PhotoMetadata {
    /// Takes the date out of Photoshop's resources.
    ///
    /// - Parameter resources: what follows the name of the segment, or TIFF's tag 34377.
    /// - Source: Adobe Photoshop File Formats Specification, "Image Resource Blocks".
    mutating func fill(fromPhotoshop resources: ArraySlice<UInt8>) {
        var rest = resources
        while rest.count >= 12, rest.starts(with: Array("8BIM".utf8)) {
            let bytes = Array(rest.prefix(12 + 256 + 4)), id = bytes.number(at: 4, 2, bigEndian: true)
            // A name behind its length, an even number of bytes together.
            let name = (Int(bytes[6]) + 2) / 2 * 2
            guard 6 + name + 4 <= bytes.count else { return }
            let size = bytes.number(at: 6 + name, 4, bigEndian: true)
            rest = rest.dropFirst(6 + name + 4)
            guard size <= rest.count else { return }
            if id == 0x0404 { fill(fromIPTC: rest.prefix(size)) }
            rest = rest.dropFirst(size + size % 2)
        }
    }

    /// Takes the date: data sets 2:55 and 2:60.
    ///
    /// - Source: IPTC-NAA Information Interchange Model 4.2, 2:55 (CCYYMMDD), 2:60 (HHMMSS+HHMM); 1.5
    ///   (data sets).
    mutating func fill(fromIPTC record: ArraySlice<UInt8>) {
        var rest = record, day: [UInt8] = [], time: [UInt8] = []
        while rest.count >= 5, rest.first == 0x1C {
            let head = Array(rest.prefix(5)), size = head.number(at: 3, 2, bigEndian: true)
            rest = rest.dropFirst(5)
            // Longer ones have their length behind; no date does.
            guard size <= rest.count else { break }
            if head[1] == 2, head[2] == 55, day.isEmpty { day = Array(rest.prefix(size)) }
            if head[1] == 2, head[2] == 60, time.isEmpty { time = Array(rest.prefix(size)) }
            rest = rest.dropFirst(size)
        }
        func digits(_ bytes: [UInt8], _ range: Range<Int>) -> String {
            bytes.count >= range.upperBound ? String(decoding: bytes[range], as: UTF8.self) : ""
        }
        guard day.count >= 8 else { return }
        let date = "\(digits(day, 0..<4))-\(digits(day, 4..<6))-\(digits(day, 6..<8))"
        let clock = "\(digits(time, 0..<2)):\(digits(time, 2..<4)):\(digits(time, 4..<6))"
        consider(
            CaptureDate("\(date)T\(clock)\(digits(time, 6..<11))", source: .iptc)
                ?? CaptureDate(any: date, source: .iptc))
    }
}
