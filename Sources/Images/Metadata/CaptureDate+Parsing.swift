extension CaptureDate {
    /// Reads `YYYY:MM:DD HH:MM:SS` (EXIF) or `YYYY-MM-DDTHH:MM:SS[.fff][Z|±HH:MM]` (XMP, EXIF by programs
    /// that did not read the specification). Seconds may be missing.
    ///
    /// - Parameters:
    ///   - text: the date, as stored.
    ///   - fraction: digits after the decimal point of the second, when they are stored apart.
    ///   - offset: `±HH:MM` or `Z`, when it is stored apart.
    ///   - source: what it will say of itself.
    /// Nil for what is not a date of this world: month 13, 30 February, hour 24, the year 9999.
    /// - Source: CIPA DC-008-2019 (EXIF 2.32) 4.6.5 tags 36867, 36881, 37521; XMP part 1, 8.2.1.1.
    init?(_ text: String, fraction: String = "", offset: String = "", source: Source) {
        var reader = DigitReader(Array(text.utf8)[...])
        guard let year = reader.number(digits: 4), reader.skip(oneOf: ":-/"),
            let month = reader.number(digits: 2), reader.skip(oneOf: ":-/"),
            let day = reader.number(digits: 2), reader.skip(oneOf: " T:"),
            let hour = reader.number(digits: 2), reader.skip(oneOf: ":"),
            let minute = reader.number(digits: 2)
        else { return nil }
        var second = 0
        if reader.skip(oneOf: ":") {
            guard let read = reader.number(digits: 2) else { return nil }
            second = read
        }
        var digits = fraction
        if reader.skip(oneOf: ".") { digits = reader.digits() }
        let zone = reader.rest.isEmpty ? offset : reader.rest
        self.init(
            year: year, month: month, day: day, hour: hour, minute: minute, second: second,
            nanosecond: CaptureDate.nanoseconds(digits), offsetMinutes: CaptureDate.minutes(zone),
            source: source)
        guard isPlausible else { return nil }
        if self.second == 60 { self.second = 59 }
    }

    /// Reads a day without a time, in either form; it begins at midnight.
    init?(day: String, source: Source) { self.init(day + "T00:00", source: source) }

    /// Reads a date with a time, or a day, or what is known of one: `1975:00:00` is the first day of that
    /// year.
    init?(any text: String, fraction: String = "", offset: String = "", source: Source) {
        if let date = CaptureDate(text, fraction: fraction, offset: offset, source: source)
            ?? CaptureDate(day: text, source: source)
        {
            self = date
            return
        }
        var reader = DigitReader(Array(text.utf8)[...])
        guard let year = reader.number(digits: 4), year > 0, reader.skip(oneOf: ":-/"),
            let month = reader.number(digits: 2), reader.skip(oneOf: ":-/"),
            let day = reader.number(digits: 2), month == 0 || day == 0
        else { return nil }
        self.init(
            year: year, month: max(1, month), day: month == 0 ? 1 : max(1, day), hour: 0, minute: 0,
            second: 0,
            nanosecond: 0, offsetMinutes: nil, source: source)
        guard isPlausible else { return nil }
    }

    /// Reads `YYYY` or `YYYY-MM`, of which the first day stands: a year that is known says more than the time
    /// of the file.
    ///
    /// - Source: XMP part 1, 8.2.1.1.
    init?(year text: String, source: Source) {
        guard text.utf8.count == 4 || text.utf8.count == 7 else { return nil }
        self.init(day: text.utf8.count == 4 ? text + "-01-01" : text + "-01", source: source)
    }

    /// Within the ranges the properties promise.
    var isPlausible: Bool {
        guard (1826...2200).contains(year), (1...12).contains(month), (0...23).contains(hour),
            (0...59).contains(minute), (0...60).contains(second)
        else { return false }
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return (1...days[month - 1]).contains(day)
    }

    /// "31" is 310,000,000 ns; what follows the ninth digit is dropped.
    private static func nanoseconds(_ digits: String) -> Int {
        var value = 0, count = 0
        for byte in digits.utf8 {
            guard count < 9, DigitReader.isDigit(byte) else { break }
            value = value * 10 + Int(byte - 48)
            count += 1
        }
        while count < 9 {
            value *= 10
            count += 1
        }
        return value
    }

    /// "+02:00" is 120, "Z" is 0.
    static func minutes(_ text: String) -> Int? {
        var reader = DigitReader(Array(text.utf8)[...])
        if reader.skip(oneOf: "Z") { return 0 }
        let west = reader.next == UInt8(ascii: "-")
        guard reader.skip(oneOf: "+-"), let hours = reader.number(digits: 2) else { return nil }
        _ = reader.skip(oneOf: ":")
        let rest = reader.number(digits: 2) ?? 0, minutes = hours * 60 + rest
        return rest < 60 && minutes <= 14 * 60 ? (west ? -minutes : minutes) : nil
    }
}
