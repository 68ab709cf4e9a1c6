/// Dates and times as ISO 8601 writes them.
package enum ISOText {
    /// "2024-06-28"
    package static func day(_ year: Int, _ month: Int, _ day: Int) -> String {
        "\(digits(year, 4))-\(digits(month, 2))-\(digits(day, 2))"
    }

    /// "14:03:07.63"; of a whole second "14:03:07".
    ///
    /// - Parameter fraction: of the second, in units of 10 to the minus `places`.
    package static func clock(
        _ hour: Int, _ minute: Int, _ second: Int, fraction: Int = 0, places: Int = 9
    ) -> String {
        let clock = "\(digits(hour, 2)):\(digits(minute, 2)):\(digits(second, 2))"
        if fraction == 0 { return clock }
        var decimals = digits(fraction, places)
        while decimals.last == "0" { decimals.removeLast() }
        return "\(clock).\(decimals)"
    }

    /// A number with zeros in front.
    package static func digits(_ number: Int, _ width: Int) -> String {
        let digits = String(number.magnitude)
        let zeros = String(repeating: "0", count: max(0, width - digits.count))
        return (number < 0 ? "-" : "") + zeros + digits
    }
}
