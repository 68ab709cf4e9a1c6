import Texts

/// A day of the calendar as moods keep it: yyyymmdd, without a time zone.
struct Day: Equatable {
    var year: Int, month: Int, day: Int

    /// Nil when the number names no day of a year 1...9999; a 31 February is let through as written.
    init?(_ number: Int32) {
        (year, month, day) = (Int(number / 10000), Int(number / 100 % 100), Int(number % 100))
        guard (1...9999).contains(year), (1...12).contains(month), (1...31).contains(day) else { return nil }
    }

    init(year: Int, month: Int) { (self.year, self.month, day) = (year, month, 1) }

    /// "June 2024"
    var monthTitle: String { "\(monthName) \(year)" }
    /// "June"
    var monthName: String { months[month - 1] }
    /// "2024-06-28", for `datetime`.
    var iso: String { ISOText.day(year, month, day) }
}

private let months = [
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
]
