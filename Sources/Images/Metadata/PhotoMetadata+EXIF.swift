internal import CImage

extension PhotoMetadata {
    /// Reads an EXIF structure, "Exif\0\0" first. What is malformed is left out and noted, never an error.
    ///
    /// - Source: CIPA DC-008-2019 (EXIF 2.32) 4.6.4 (orientation), 4.6.5 (dates), 4.6.6 (GPS).
    init(exif bytes: [UInt8], notes: inout [String]) {
        self.init()
        let isDamaged = read(bytes, notes: &notes)
        guard isDamaged, let structure = TIFFStructure(Array(bytes.dropFirst(6))) else { return }
        // libexif leaves a directory where it first stumbles: what is wanted may stand behind it.
        var nothing: [String] = []
        let rest = structure.metadata(notes: &nothing)
        fill(from: rest)
        statedOrientation = statedOrientation ?? rest.statedOrientation
    }

    /// Takes what the structure says, and whether it is damaged.
    @discardableResult
    mutating func read(_ bytes: [UInt8], notes: inout [String]) -> Bool {
        // SAFETY: libexif copies what it keeps out of `count` bytes, and the result is a value.
        let exif = unsafe bytes.withUnsafeBufferPointer { unsafe cimage_exif_read($0.baseAddress, $0.count) }
        if exif.damaged { notes.append("EXIF damaged: \(text(exif.message))") }
        switch Int(exif.orientation) {
        case 1...8: orientation = Int(exif.orientation)
        case 0: break
        default: notes.append("EXIF orientation ignored: \(exif.orientation)")
        }
        camera = PhotoMetadata.camera(make: text(exif.make), model: text(exif.model))
        consider(PhotoMetadata.captured(exif, notes: &notes))
        consider(PhotoMetadata.satellites(exif))
        consider(
            CaptureDate(
                any: text(exif.modified), fraction: text(exif.modified_fraction),
                offset: text(exif.modified_offset), source: .modified))
        readPlace(exif, notes: &notes)
        // DCF 2.0, 3.3.3 and exiftool's table: the option file of Adobe RGB.
        isAdobeRGB = text(exif.interoperability) == "R03"
        return exif.damaged
    }

    static func camera(make: String, model: String) -> String? {
        if model.isEmpty || make.isEmpty { return make.isEmpty && model.isEmpty ? nil : make + model }
        let brand = make.prefix { $0 != " " }.lowercased()
        return model.lowercased().hasPrefix(brand) ? model : "\(make) \(model)"
    }

    private static func captured(_ exif: cimage_exif, notes: inout [String]) -> CaptureDate? {
        let candidates: [(String, String, String, CaptureDate.Source)] = [
            (text(exif.original), text(exif.original_fraction), text(exif.original_offset), .original),
            (text(exif.digitized), text(exif.digitized_fraction), text(exif.digitized_offset), .digitized),
        ]
        for (date, fraction, offset, source) in candidates {
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

    private static func satellites(_ exif: cimage_exif) -> CaptureDate? {
        guard exif.has_gps_time else { return nil }
        let (hour, minute, second) = exif.gps_time
        guard (0..<24).contains(hour), (0..<60).contains(minute), (0..<61).contains(second) else {
            return nil
        }
        var date = CaptureDate("\(text(exif.gps_date).prefix(10)) 00:00:00", offset: "Z", source: .gps)
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

    private mutating func readPlace(_ exif: cimage_exif, notes: inout [String]) {
        guard exif.has_latitude, exif.has_longitude else { return }
        let reason: String
        if PhotoMetadata.degrees(exif.latitude) == nil || PhotoMetadata.degrees(exif.longitude) == nil {
            reason = "not a number"
        } else if let north = PhotoMetadata.latitude(exif.latitude, reference: exif.latitude_ref),
            let east = PhotoMetadata.longitude(exif.longitude, reference: exif.longitude_ref)
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
    static func latitude(_ parts: (Double, Double, Double), reference: CChar) -> Double? {
        guard let sign = sign(reference, positive: "N", negative: "S") else { return nil }
        return degrees(parts).map { sign * $0 }
    }

    /// Degrees east; nil without a letter E or W.
    static func longitude(_ parts: (Double, Double, Double), reference: CChar) -> Double? {
        guard let sign = sign(reference, positive: "E", negative: "W") else { return nil }
        return degrees(parts).map { sign * $0 }
    }

    /// 1 or -1 by a letter, in either case; nil for any other.
    private static func sign(
        _ letter: CChar, positive: Unicode.Scalar, negative: Unicode.Scalar
    ) -> Double? {
        switch UInt8(bitPattern: letter) & 0xDF {
        case UInt8(ascii: positive): 1
        case UInt8(ascii: negative): -1
        default: nil
        }
    }
}

/// The text in a C struct's fixed field: up to its NUL, one line, without spaces at its ends, UTF-8 repaired.
func text<Field>(_ field: Field) -> String {
    // SAFETY: the bytes of a value that lives as long as the closure, all of them initialized.
    let bytes = unsafe withUnsafeBytes(of: field) { unsafe Array($0.prefix { $0 != 0 }) }
    let printable = bytes.map { $0 < 32 || $0 == 127 ? UInt8(ascii: " ") : $0 }
    let ends = printable.drop { $0 == 32 }.reversed().drop { $0 == 32 }.reversed()
    return String(decoding: ends, as: UTF8.self)
}
