import MoodyModel

extension CivilDate {
    /// The date in a file's name, as cameras and telephones write it: `IMG_20240131_142536.jpg`,
    /// `2024-01-31 14.25.36.png`, `PXL_20240131_142536123.jpg`, `signal-2024-01-31-142536.jpg`.
    ///
    /// Eight digits that are a day since 1826, when the first photo was taken, with or without separators,
    /// and behind them six that are a time. Nil when there are none.
    init?(fileName: [UInt8]) {
        let text = fileName
        for start in text.indices where isDigit(text[start]) && (start == 0 || !isDigit(text[start - 1])) {
            var reader = DigitReader(text: text, place: start)
            guard let year = reader.number(4), let month = reader.numberAfterSeparator(2),
                let day = reader.numberAfterSeparator(2)
            else { continue }
            var date = CivilDate(year: year, month: month, day: day)
            guard date.isValid, (1826...2100).contains(year) else { continue }
            var time = reader
            if let hour = time.numberAfterSeparator(2), let minute = time.numberAfterSeparator(2),
                let second = time.numberAfterSeparator(2)
            {
                let full = CivilDate(
                    year: year, month: month, day: day, hour: hour, minute: minute, second: second)
                if full.isValid { date = full }
            } else if reader.isAtDigit {
                // Nine digits in a row and more are a number, not a day.
                continue
            }
            self = date
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

    mutating func number(_ digits: Int) -> Int? {
        guard place + digits <= text.count, text[place..<(place + digits)].allSatisfy(isDigit) else {
            return nil
        }
        defer { place += digits }
        return text[place..<(place + digits)].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    /// One of `-_. :T` may stand before it.
    mutating func numberAfterSeparator(_ digits: Int) -> Int? {
        let before = place
        if place < text.count, Array("-_. :T".utf8).contains(text[place]) { place += 1 }
        if let number = number(digits) { return number }
        place = before
        return nil
    }
}
