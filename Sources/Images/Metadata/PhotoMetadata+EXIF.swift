extension PhotoMetadata {
    /// Reads an EXIF structure, with or without "Exif\0\0" in front. What is malformed is left out and noted,
    /// never an error.
    ///
    /// - Source: CIPA DC-008-2019 (EXIF 2.32) 4.6.4 (orientation), 4.6.5 (dates), 4.6.6 (GPS).
    init(exif bytes: ArraySlice<UInt8>, notes: inout [String]) {
        self.init()
        let hasSignature = bytes.starts(with: Array("Exif\0".utf8))
        guard let structure = TIFFStructure(Array(hasSignature ? bytes.dropFirst(6) : bytes)) else { return }
        let exif = EXIFStructure(structure)
        if exif.isDamaged { notes.append("EXIF damaged: it names what is not in it") }
        read(exif, notes: &notes)
    }

    /// Takes what the structure says.
    mutating func read(_ exif: EXIFStructure, notes: inout [String]) {
        switch exif.wholeNumber(exif.main, 0x112) {
        case .some(let number) where (1...8).contains(number): orientation = number
        case nil, 0: break
        case .some(let number): notes.append("EXIF orientation ignored: \(number)")
        }
        // Some HTC phones put maker and model into the wrong directory.
        camera = PhotoMetadata.camera(
            make: exif.text(0x10F, in: [exif.main, exif.exif]),
            model: exif.text(0x110, in: [exif.main, exif.exif]))
        consider(PhotoMetadata.captured(exif, notes: &notes))
        consider(PhotoMetadata.satellites(exif))
        consider(
            CaptureDate(
                any: exif.text(0x132, in: [exif.main]), fraction: exif.text(0x9290, in: [exif.exif]),
                offset: exif.text(0x9010, in: [exif.exif]), source: .modified))
        readPlace(exif, notes: &notes)
        // DCF 2.0, 3.3.3 and exiftool's table: the option file of Adobe RGB.
        isAdobeRGB = exif.text(1, in: [exif.interoperability]) == "R03"
    }

    static func camera(make: String, model: String) -> String? {
        if model.isEmpty || make.isEmpty { return make.isEmpty && model.isEmpty ? nil : make + model }
        let brand = make.prefix { $0 != " " }.lowercased()
        return model.lowercased().hasPrefix(brand) ? model : "\(make) \(model)"
    }

    private static func captured(_ exif: EXIFStructure, notes: inout [String]) -> CaptureDate? {
        let candidates: [(tag: Int, fraction: Int, offset: Int, source: CaptureDate.Source)] = [
            (0x9003, 0x9291, 0x9011, .original), (0x9004, 0x9292, 0x9012, .digitized),
        ]
        for (tag, fractionTag, offsetTag, source) in candidates {
            // Some programs write all into one directory.
            let date = exif.text(tag, in: [exif.exif, exif.main])
            let fraction = exif.text(fractionTag, in: [exif.exif])
            let offset = exif.text(offsetTag, in: [exif.exif])
            let read = CaptureDate(any: date, fraction: fraction, offset: offset, source: source)
            if let read { return read }
            // Cameras without a clock write blanks or zeros; that is no date rather than a wrong one.
            let isBlank = date.utf8.allSatisfy {
                [UInt8(ascii: " "), UInt8(ascii: ":"), UInt8(ascii: "0")].contains($0)
            }
            if !isBlank { notes.append("EXIF date ignored: not a date") }
        }
        return nil
    }

    private static func satellites(_ exif: EXIFStructure) -> CaptureDate? {
        guard let (hour, minute, second) = exif.fractions(exif.gps, 7),
            (0..<24).contains(hour), (0..<60).contains(minute), (0..<61).contains(second)
        else { return nil }
        let day = exif.text(0x1D, in: [exif.gps]).prefix(10)
        var date = CaptureDate("\(day) 00:00:00", offset: "Z", source: .gps)
        // Some cameras store fractions of hours or minutes; a whole number of seconds since midnight is the
        // same.
        let seconds = hour * 3600 + minute * 60 + second
        let whole = min(Int(seconds), 86_399)
        date?.hour = whole / 3600
        date?.minute = whole / 60 % 60
        date?.second = whole % 60
        date?.nanosecond = min(999_999_999, Int((seconds - Double(whole)) * 1000 + 0.5) * 1_000_000)
        return date
    }

    private mutating func readPlace(_ exif: EXIFStructure, notes: inout [String]) {
        guard let latitude = exif.fractions(exif.gps, 2), let longitude = exif.fractions(exif.gps, 4) else {
            return
        }
        let reason: String
        if PhotoMetadata.degrees(latitude) == nil || PhotoMetadata.degrees(longitude) == nil {
            reason = "not a number"
        } else if let north = PhotoMetadata.latitude(latitude, reference: exif.letter(1)),
            let east = PhotoMetadata.longitude(longitude, reference: exif.letter(3))
        {
            if setPlace(latitude: north, longitude: east) { return }
            reason = "not on Earth"
        } else {
            reason = "no N, S, E or W"
        }
        notes.append("EXIF place ignored: \(reason)")
    }

    /// Keeps a place unless it is none: beyond the poles, not a number, or 0 N 0 E, which is what receivers
    /// without a fix write, in the sea where few take photos.
    mutating func setPlace(latitude north: Double?, longitude east: Double?) -> Bool {
        guard let north, let east, abs(north) <= 90, abs(east) <= 180, north != 0 || east != 0 else {
            return false
        }
        (latitude, longitude) = (north, east)
        return true
    }

    /// Degrees of degrees, minutes and seconds. Minutes and seconds of 0/0 count as 0: some cameras write
    /// that where they do not know them.
    private static func degrees(_ parts: (Double, Double, Double)) -> Double? {
        let minutes = parts.1.isNaN ? 0 : parts.1, seconds = parts.2.isNaN ? 0 : parts.2
        let degrees = parts.0 + minutes / 60 + seconds / 3600
        return degrees.isFinite && minutes <= 60 && seconds <= 60 ? degrees : nil
    }

    /// Degrees north; nil without a letter N or S.
    static func latitude(_ parts: (Double, Double, Double), reference: UInt8) -> Double? {
        guard let sign = sign(reference, positive: "N", negative: "S") else { return nil }
        return degrees(parts).map { sign * $0 }
    }

    /// Degrees east; nil without a letter E or W.
    static func longitude(_ parts: (Double, Double, Double), reference: UInt8) -> Double? {
        guard let sign = sign(reference, positive: "E", negative: "W") else { return nil }
        return degrees(parts).map { sign * $0 }
    }

    /// 1 or -1 by a letter, in either case; nil for any other.
    private static func sign(
        _ letter: UInt8, positive: Unicode.Scalar, negative: Unicode.Scalar
    ) -> Double? {
        switch letter & 0xDF {
        case UInt8(ascii: positive): 1
        case UInt8(ascii: negative): -1
        default: nil
        }
    }
}

/// The text in a C struct's fixed field.
func text<Field>(_ field: Field) -> String {
    // SAFETY: the bytes of a value that lives as long as the closure, all of them initialized.
    unsafe withUnsafeBytes(of: field) { unsafe printable(Array($0)[...]) }
}

/// A text of a file: up to its NUL, one line, without spaces at its ends, UTF-8 repaired.
func printable(_ bytes: ArraySlice<UInt8>) -> String {
    let printable = bytes.prefix { $0 != 0 }.map { $0 < 32 || $0 == 127 ? UInt8(ascii: " ") : $0 }
    let ends = printable.drop { $0 == 32 }.reversed().drop { $0 == 32 }.reversed()
    return String(decoding: ends, as: UTF8.self)
}
