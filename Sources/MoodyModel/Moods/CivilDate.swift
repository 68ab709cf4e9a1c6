package import Foundation

/// A date and a time as a clock on the wall shows them, without a zone.
package struct CivilDate: Sendable, Equatable {
    package var year: Int, month: Int, day: Int
    package var hour: Int, minute: Int, second: Int
    package var nanosecond: Int

    package init(
        year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0, nanosecond: Int = 0
    ) {
        (self.year, self.month, self.day) = (year, month, day)
        (self.hour, self.minute, self.second, self.nanosecond) = (hour, minute, second, nanosecond)
    }

    /// Creates the date that a clock `offset` minutes east of Greenwich showed at an instant.
    package init(_ instant: Date, offset: Int = 0) {
        // No store of ours has others; a flipped bit may, and no number of days is that large.
        let time = instant.timeIntervalSince1970
        let seconds =
            time.isNaN
            ? 0 : min(max(time, Self.first), Self.last) + Double(min(max(offset, -1080), 1080)) * 60
        let whole = seconds.rounded(.down)
        let days = Int((whole / 86_400).rounded(.down))
        let rest = Int(whole) - days * 86_400
        (year, month, day) = civil(fromDays: days)
        (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60)
        nanosecond = min(Int(((seconds - whole) * 1e9).rounded()), 999_999_999)
    }

    /// The first and the last second of the years 1 to 9999, with a day to spare for zones.
    private static let first = -62_135_510_400.0, last = 253_402_214_400.0

    /// The instants that a photo's date may be.
    package static let instants =
        Date(timeIntervalSince1970: first)...Date(timeIntervalSince1970: last)

    /// The instant at which a clock `offset` minutes east of Greenwich shows this.
    package func instant(offset: Int = 0) -> Date {
        let days = daysFromCivil(year, month, day)
        let seconds = days * 86_400 + hour * 3600 + (minute - offset) * 60 + second
        return Date(timeIntervalSince1970: Double(seconds) + Double(nanosecond) / 1e9)
    }

    /// yyyymmdd, 20240628.
    package var dayNumber: Int32 { Int32(truncatingIfNeeded: year * 10_000 + month * 100 + day) }

    /// Whether there is such a day and such a time, between the years 1 and 9999.
    package var isValid: Bool {
        guard (1...9999).contains(year), (1...12).contains(month), (1...31).contains(day),
            (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second)
        else { return false }
        return civil(fromDays: daysFromCivil(year, month, day)) == (year, month, day)
    }

    /// "14:03"
    package var clock: String { twoDigits(hour) + ":" + twoDigits(minute) }
}

/// "07"
func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

// The Gregorian calendar by arithmetic: eras of 400 years have 146,097 days each, and a year that begins in
// March has its leap day at the end.

private func daysFromCivil(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
}

private func civil(fromDays days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
}
