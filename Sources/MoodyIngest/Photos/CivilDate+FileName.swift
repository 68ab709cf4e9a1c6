import Foundation
import Images
import MoodyModel

extension CivilDate {
    /// The date in a file's name, as cameras, telephones and screens write it: `IMG_20240131_142536.jpg`,
    /// `2024-01-31 14.25.36.png`, `PXL_20240131_142536123.jpg`, `Screenshot 2024-01-31 at 2.25.36 PM.png`.
    ///
    /// Eight digits that are a day up to tomorrow, from 1826 with two separators of a kind, from 1900
    /// without, and behind them six that are a time, likewise. Else a year and a month that the name begins
    /// with: the first day. Nil when there are none.
    ///
    /// - Parameter now: what "tomorrow" is meant from.
    init?(fileName: [UInt8], now: Date = Date()) {
        if let day = CivilDate(dayOf: fileName, now: now) {
            self = day
        } else if let month = CivilDate(monthOf: fileName),
            month.dayNumber <= CivilDate(now + 86_400).dayNumber
        {
            self = month
        } else {
            return nil
        }
    }

    /// A date in a file's name that has a day.
    init?(dayOf fileName: [UInt8], now: Date = Date()) {
        let tomorrow = CivilDate(now + 86_400)
        for start in fileName.indices
        where DigitReader.isDigit(fileName[start])
            && (start == 0 || !DigitReader.isDigit(fileName[start - 1]))
        {
            var reader = DigitReader(fileName[start...])
            guard let (year, month, day) = reader.numbers(4...4, between: "-_. :") else { continue }
            let date = CivilDate(year: year, month: month, day: day)
            let isApart = !DigitReader.isDigit(fileName[start + 4])
            guard date.isValid, year >= (isApart ? 1826 : 1900), date.dayNumber <= tomorrow.dayNumber else {
                continue
            }
            if let time = reader.time(of: date) {
                self = time
            } else if let next = reader.next, DigitReader.isDigit(next) {
                // Nine digits in a row and more are a number, not a day.
                continue
            } else {
                self = date
            }
            return
        }
        return nil
    }

    /// `1998-07 holiday.jpg`: the first day.
    private init?(monthOf fileName: [UInt8]) {
        var reader = DigitReader(fileName[...])
        guard let year = reader.number(digits: 4), year >= 1826, reader.skip(oneOf: "-_."),
            let month = reader.number(digits: 2), !(reader.next.map(DigitReader.isDigit) ?? false)
        else { return nil }
        // What goes on as a day and is none was no month either.
        if reader.skip(oneOf: "-_."), reader.next.map(DigitReader.isDigit) ?? false { return nil }
        self.init(year: year, month: month, day: 1)
        guard isValid else { return nil }
    }
}

extension DigitReader {
    /// The text after the day.
    fileprivate func time(of date: CivilDate) -> CivilDate? {
        var reader = self
        _ = reader.skip(" at ") || reader.skip(oneOf: "-_. :T")
        guard let (hour, minute, second) = reader.numbers(1...2, between: "-_. :") else { return nil }
        // A narrow space without a break stands before them since macOS 13.
        _ = reader.skip(" ") || reader.skip("\u{202F}")
        var shown = hour
        if hour <= 12 {
            if reader.skip("PM") || reader.skip("pm") { shown = hour % 12 + 12 }
            if reader.skip("AM") || reader.skip("am") { shown = hour % 12 }
        }
        let full = CivilDate(
            year: date.year, month: date.month, day: date.day, hour: shown, minute: minute, second: second)
        return full.isValid ? full : nil
    }

    /// Three numbers, the second and third of two digits, with the same separator twice or none.
    fileprivate mutating func numbers(_ first: ClosedRange<Int>, between separators: String) -> (
        Int, Int, Int
    )? {
        for digits in first.reversed() {
            var reader = self
            guard let a = reader.number(digits: digits) else { continue }
            let separator = reader.next.flatMap { next in
                separators.utf8.contains(next) ? String(decoding: [next], as: UTF8.self) : nil
            }
            // A single digit is an hour only if something follows it.
            if digits < first.upperBound, separator == nil { continue }
            guard reader.skip(separator ?? ""), let b = reader.number(digits: 2),
                reader.skip(separator ?? ""), let c = reader.number(digits: 2)
            else { continue }
            self = reader
            return (a, b, c)
        }
        return nil
    }
}
