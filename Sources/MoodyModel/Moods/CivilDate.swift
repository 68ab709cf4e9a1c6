package import Foundation
import Texts

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
        (year, month, day) = GregorianDay.date(days)
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
        let days = GregorianDay.number(year, month, day)
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
        return GregorianDay.date(GregorianDay.number(year, month, day)) == (year, month, day)
    }

    /// "14:03"
    package var clock: String { ISOText.digits(hour, 2) + ":" + ISOText.digits(minute, 2) }
}
