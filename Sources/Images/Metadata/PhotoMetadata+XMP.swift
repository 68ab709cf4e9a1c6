extension PhotoMetadata {
    /// Takes the rating from an XMP packet, and date and place where EXIF had none.
    ///
    /// The packet is searched, not parsed: nine property names, as attribute or as element. Nothing in it is
    /// expanded, followed or executed, so entity bombs and external entities stay text.
    ///
    /// - Source: XMP part 2, exif and photoshop schemas; part 1, 7.9.2 (attribute and element forms).
    mutating func fill(fromXMP packet: [UInt8]) {
        fill(from: .xmp) { PhotoMetadata.value(of: $0, in: packet) }
    }

    /// Takes date, place, rating, and orientation from an XMP file beside the photo.
    ///
    /// - Parameter value: the value of a property by its name with the usual prefix.
    package mutating func fill(fromSidecar value: (String) -> String?) {
        fill(from: .sidecar, value)
        if let number = value("tiff:Orientation").flatMap({ Int($0) }), (1...8).contains(number) {
            statedOrientation = number
        }
    }

    private mutating func fill(from source: CaptureDate.Source, _ value: (String) -> String?) {
        if captured.map({ $0.source.rawValue > source.rawValue }) ?? true {
            for name in [
                "exif:DateTimeOriginal", "photoshop:DateCreated", "xmp:CreateDate", "xap:CreateDate",
                "exif:GPSTimeStamp",
            ] where source != .sidecar || name != "exif:GPSTimeStamp" {
                // Satellites tell Greenwich's time: no program corrects a clock with it.
                guard let text = value(name) else { continue }
                let date = CaptureDate(any: text, source: source) ?? CaptureDate(year: text, source: source)
                consider(date)
                if date != nil { break }
            }
        }
        // A real number, of which programs write whole ones.
        let stars = (value("xmp:Rating") ?? value("xap:Rating")).flatMap { Double($0) }
        if rating == nil, let stars, (-1...5).contains(stars) { rating = Int(stars) }
        if latitude == nil, let north = value("exif:GPSLatitude"), let east = value("exif:GPSLongitude") {
            _ = setPlace(
                latitude: PhotoMetadata.degrees(north, positive: "N", negative: "S"),
                longitude: PhotoMetadata.degrees(east, positive: "E", negative: "W"))
        }
    }

    /// At most 64 bytes of a property's value, the first that occurs, without white space around it.
    private static func value(of name: String, in packet: [UInt8]) -> String? {
        let name = Array(name.utf8)
        func isSpace(_ byte: UInt8) -> Bool { byte == 32 || byte == 10 || byte == 13 || byte == 9 }
        var at = packet.startIndex
        while let found = packet[at...].firstRange(of: name) {
            at = found.upperBound
            var rest = packet[at...].drop(while: isSpace)
            guard let first = rest.first else { return nil }
            let close: UInt8
            if first == UInt8(ascii: "=") {
                rest = rest.dropFirst().drop(while: isSpace)
                guard let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
                    continue
                }
                close = quote
            } else if first == UInt8(ascii: ">") {
                close = UInt8(ascii: "<")
            } else {
                continue
            }
            let value = rest.dropFirst().prefix(64).prefix { $0 != close }
            let end = value.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? value.startIndex
            if value.count < 64 { return String(decoding: value[..<end].drop(while: isSpace), as: UTF8.self) }
        }
        return nil
    }

    /// "37,46.4946N" or "37,46,29N" in degrees.
    private static func degrees(_ text: String, positive: Character, negative: Character) -> Double? {
        guard let letter = text.last, letter == positive || letter == negative else { return nil }
        let parts = text.dropLast().split(separator: ",").map { Double($0) ?? .nan }
        guard (1...3).contains(parts.count) else { return nil }
        var degrees = 0.0, unit = 1.0
        for part in parts {
            degrees += part / unit
            unit *= 60
        }
        return degrees.isFinite && degrees >= 0 ? (letter == positive ? degrees : -degrees) : nil
    }
}

extension ArraySlice<UInt8> {
    /// The first place where `pattern` occurs.
    func firstRange(of pattern: [UInt8]) -> Range<Int>? {
        guard let first = pattern.first, count >= pattern.count else { return nil }
        var at = startIndex
        while let next = self[at...(endIndex - pattern.count)].firstIndex(of: first) {
            if self[next...].starts(with: pattern) { return next..<(next + pattern.count) }
            at = next + 1
            if at > endIndex - pattern.count { return nil }
        }
        return nil
    }
}
