package import Foundation
import MoodyModel

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
        let year = String(day / 10_000), month = day / 100 % 100, day = day % 100
        return String(repeating: "0", count: max(0, 4 - year.count)) + year
            + (month < 10 ? "-0" : "-") + "\(month)" + (day < 10 ? "-0" : "-") + "\(day)"
    }

    /// "2024-06-28T14:03:07.63+02:00": parts of a second when there are any, to a millionth, which is all
    /// that a date keeps of them; without a zone when it is not known.
    package var text: String {
        let taken = CivilDate(date, offset: Int(offset ?? 0))
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let clock =
            "\(dayText)T\(two(taken.hour)):\(two(taken.minute)):\(two(taken.second))"
            + fraction(taken.nanosecond)
        guard let offset else { return clock }
        let minutes = abs(Int(offset))
        return clock + (offset < 0 ? "-" : "+") + two(minutes / 60) + ":" + two(minutes % 60)
    }
}

/// ".63"; empty for a whole second. What would round up to the next second stays in its own.
private func fraction(_ nanosecond: Int) -> String {
    let millionths = min((nanosecond + 500) / 1000, 999_999)
    if millionths == 0 { return "" }
    var digits = String(millionths)
    digits = String(repeating: "0", count: 6 - digits.count) + digits
    while digits.last == "0" { digits.removeLast() }
    return "." + digits
}
