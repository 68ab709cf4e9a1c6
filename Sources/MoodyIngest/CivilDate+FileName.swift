import Foundation
import MoodyModel

extension CivilDate {
    /// The date in a file's name, as cameras, telephones and screens write it: `IMG_20240131_142536.jpg`,
    /// `2024-01-31 14.25.36.png`, `PXL_20240131_142536123.jpg`, `Screenshot 2024-01-31 at 2.25.36 PM.png`.
    ///
    /// Eight digits that are a day from 1990 to tomorrow, without separators or with two of a kind, and behind them six
    /// that are a time, likewise. Nil when there are none.
    ///
    /// - Parameter now: what "tomorrow" is meant from.
    init?(fileName: [UInt8], now: Date = Date()) {
        let tomorrow = CivilDate(now + 86_400)
        for start in fileName.indices
        where isDigit(fileName[start]) && (start == 0 || !isDigit(fileName[start - 1])) {
            var reader = DigitReader(text: fileName, place: start)
            guard let (year, month, day) = reader.numbers(4...4, 2...2, between: "-_. :") else { continue }
            let date = CivilDate(year: year, month: month, day: day)
            guard date.isValid, year >= 1990, date.dayNumber <= tomorrow.dayNumber else { continue }
            if let time = reader.time(of: date) {
                self = time
            } else if reader.isAtDigit {
                // Nine digits in a row and more are a number, not a day.
                continue
            } else {
                self = date
            }
            return
        }
        return nil
    }
}

private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

private struct DigitReader {
    let text: [UInt8]
    var place: Int

    var isAtDigit: Bool { place < text.count && isDigit(text[place]) }

    /// What stands behind the day.
    func time(of date: CivilDate) -> CivilDate? {
        var reader = self
        _ = reader.skip(" at ") || reader.skipOne(of: "-_. :T")
        guard let (hour, minute, second) = reader.numbers(1...2, 2...2, between: "-_. :") else { return nil }
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
    mutating func numbers(_ first: ClosedRange<Int>, _ others: ClosedRange<Int>, between separators: String)
        -> (Int, Int, Int)?
    {
        let start = place
        for digits in first.reversed() {
            place = start
            guard let a = number(digits) else { continue }
            let separator = place < text.count && separators.utf8.contains(text[place]) ? text[place] : nil
            // One digit alone is an hour only when something stands behind it.
            if digits < first.upperBound, separator == nil { continue }
            guard skip(separator), let b = number(others.lowerBound), skip(separator),
                let c = number(others.lowerBound)
            else { continue }
            return (a, b, c)
        }
        place = start
        return nil
    }

    private mutating func number(_ digits: Int) -> Int? {
        guard place + digits <= text.count, text[place..<(place + digits)].allSatisfy(isDigit) else {
            return nil
        }
        defer { place += digits }
        return text[place..<(place + digits)].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    /// True without one.
    private mutating func skip(_ separator: UInt8?) -> Bool {
        guard let separator else { return true }
        guard place < text.count, text[place] == separator else { return false }
        place += 1
        return true
    }

    private mutating func skip(_ words: String) -> Bool {
        guard text[place...].starts(with: words.utf8) else { return false }
        place += words.utf8.count
        return true
    }

    private mutating func skipOne(of characters: String) -> Bool {
        guard place < text.count, characters.utf8.contains(text[place]) else { return false }
        place += 1
        return true
    }
}
