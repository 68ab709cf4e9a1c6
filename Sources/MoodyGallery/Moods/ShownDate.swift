package import Foundation
import MoodyModel
import Texts

/// A photo's date as outputs write it.
package struct ShownDate {
    private let date: Date
    private let offset: Int16?
    private let day: Int32

    /// - Parameters:
    ///   - offset: minutes east of Greenwich; nil when it is not known.
    ///   - day: yyyymmdd.
    package init(date: Date, offset: Int16?, day: Int32) {
        self.date = date
        self.offset = offset
        self.day = day
    }

    /// "2024-06-28"
    package var dayText: String {
        let day = Int(day)
        return ISOText.day(day / 10_000, day / 100 % 100, day % 100)
    }

    /// "2024-06-28T14:03:07.63+02:00": parts of a second when there are any, to a millionth, which is all
    /// that a date keeps of them; without a zone when it is not known.
    package var text: String {
        let taken = CivilDate(date, offset: Int(offset ?? 0))
        // What would round up to the next second stays in its own.
        let millionths = min((taken.nanosecond + 500) / 1000, 999_999)
        let clock = ISOText.clock(
            taken.hour, taken.minute, taken.second, fraction: millionths, places: 6)
        guard let offset else { return "\(dayText)T\(clock)" }
        let minutes = abs(Int(offset)), sign = offset < 0 ? "-" : "+"
        let zone = ISOText.digits(minutes / 60, 2) + ":" + ISOText.digits(minutes % 60, 2)
        return "\(dayText)T\(clock)\(sign)\(zone)"
    }
}
