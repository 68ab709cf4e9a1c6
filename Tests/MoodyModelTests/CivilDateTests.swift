import Foundation
import MoodyModel
import Testing

@Suite struct CivilDateTests {
    /// Foundation's Gregorian calendar is the oracle: every 37th day of four centuries, and their ends.
    @Test func `days are Foundation's`() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
        for days in stride(from: -50_000, to: 96_097, by: 37) {
            let instant = Date(timeIntervalSince1970: Double(days) * 86_400 + 3_723)
            let parts = calendar.dateComponents(
                [.year, .month, .day, .hour, .minute, .second], from: instant)
            let civil = CivilDate(instant)
            #expect(
                [civil.year, civil.month, civil.day, civil.hour, civil.minute, civil.second]
                    == [parts.year, parts.month, parts.day, parts.hour, parts.minute, parts.second])
            #expect(civil.instant() == instant)
        }
    }

    @Test func `an offset moves the clock, not the instant`() {
        let taken = CivilDate(year: 2024, month: 1, day: 31, hour: 23, minute: 30)
        let instant = taken.instant(offset: 9 * 60)
        #expect(instant == Date(timeIntervalSince1970: 1_706_711_400))
        #expect(CivilDate(instant, offset: 9 * 60) == taken)
        #expect(taken.dayNumber == 20_240_131)
        #expect(CivilDate(instant).clock == "14:30")
    }

    /// Foundation's zones are the oracle: the westernmost and the easternmost that are in use, and the widest
    /// that a photo may have.
    @Test(arguments: [-1080, -720, -210, 345, 765, 840, 1080])
    func `a clock in any zone shows what Foundation's calendar does`(offset: Int) throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(secondsFromGMT: offset * 60))
        for seconds in [1_709_164_799.0, 1_709_251_200, -1, 951_782_400] {
            let instant = Date(timeIntervalSince1970: seconds)
            let parts = calendar.dateComponents(
                [.year, .month, .day, .hour, .minute, .second], from: instant)
            let civil = CivilDate(instant, offset: offset)
            #expect(
                [civil.year, civil.month, civil.day, civil.hour, civil.minute, civil.second]
                    == [parts.year, parts.month, parts.day, parts.hour, parts.minute, parts.second])
            #expect(civil.instant(offset: offset) == instant)
        }
    }

    @Test(arguments: [(1, "0001"), (964, "0964"), (9999, "9999")])
    func `a year has four digits in text`(year: Int, digits: String) {
        let date = CivilDate(year: year, month: 2, day: 3)
        #expect(date.text == "\(digits)-02-03T00:00:00" && CivilDate(text: date.text) == date)
    }

    @Test(arguments: [
        "2024-05-06T07:08:09.", "2024-05-06T07:08:09.1234567890", "2024-05-06 07:08:09",
        "2024-05-06T07:08:09Z", "2024-05-06T07:08:61", "2024-05-06T07:60:09", "2024-05-06T24:00:00",
        "2024-5-06T07:08:09", "0000-01-01T00:00:00", "2024-05-06T07:08", "",
    ])
    func `other texts are no dates`(text: String) { #expect(CivilDate(text: text) == nil) }

    @Test(arguments: [
        (0, ""), (1, ".000000001"), (7_000_000, ".007"), (120_000_000, ".12"), (999_999_999, ".999999999"),
    ])
    func `the text of a date has the digits of its second, and is read back`(nanosecond: Int, digits: String)
    {
        let date = CivilDate(
            year: 2024, month: 5, day: 6, hour: 7, minute: 8, second: 9, nanosecond: nanosecond)
        #expect(date.text == "2024-05-06T07:08:09\(digits)")
        #expect(CivilDate(text: date.text) == date)
    }

    /// 2024-01-05T06:07:08Z is 1,704,434,828 s; a 512th of a second is 1,953,125 ns.
    @Test func `an instant keeps the parts of its second`() {
        let date = CivilDate(Date(timeIntervalSince1970: 1_704_434_828 + 1 / 512))
        #expect(date.text == "2024-01-05T06:07:08.001953125")
        #expect(CivilDate(Date(timeIntervalSince1970: -1 / 512)).text == "1969-12-31T23:59:59.998046875")
    }

    @Test func `whole numbers of JSON have no point, and every number is read back`() {
        let values = [
            0, -2, 0.5, 999_999_999_999_999, -999_999_999_999_999, 1e15, 9.3e18, -1e20, 1e300, 1e-300,
        ]
        let texts = values.map { JSON.real($0).text }
        #expect(texts.prefix(5) == ["0", "-2", "0.5", "999999999999999", "-999999999999999"])
        #expect(texts.map { Double($0) } == values)
        #expect(JSON.real(.infinity).text == "null" && JSON.real(.nan).text == "null")
    }

    @Test(arguments: [(2023, 2, 29), (2024, 13, 1), (0, 1, 1), (2024, 4, 31), (1900, 2, 29)])
    func `there is no such day`(year: Int, month: Int, day: Int) {
        #expect(!CivilDate(year: year, month: month, day: day).isValid)
    }

    /// A clock in Tokyo at half past eleven at night, and one in Denver: what the calendar beside them said.
    @Test func `a photo's day is that of its own zone, its date the instant`() {
        let evening = CivilDate(year: 2024, month: 1, day: 31, hour: 23, minute: 30)
        for (offset, seconds) in [(540, 1_706_711_400.0), (-420, 1_706_769_000.0), (0, 1_706_743_800.0)] {
            let facts = CaptureInfo(taken: evening, offset: offset, source: .original, width: 1, height: 1)
            #expect(facts.day == 20_240_131)
            #expect(facts.date.timeIntervalSince1970 == seconds)
            #expect(facts.timeZoneOffset == Int16(offset))
        }
    }

    @Test func `there is such a day`() {
        #expect(CivilDate(year: 2000, month: 2, day: 29).isValid)
        #expect(CivilDate(year: 9999, month: 12, day: 31, hour: 23, minute: 59, second: 59).isValid)
        // A leap second, as that before 2017, and none after it.
        let last = CivilDate(year: 2016, month: 12, day: 31, hour: 23, minute: 59, second: 60)
        #expect(last.isValid && CivilDate(text: "2016-12-31T23:59:60") == last)
        #expect(last.instant() == Date(timeIntervalSince1970: 1_483_228_800))
    }
}
