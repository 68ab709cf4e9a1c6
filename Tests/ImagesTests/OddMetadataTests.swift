import Testing

@testable import Images

/// What programs write that did not read the specification, and what is left of damaged structures.
@Suite struct OddMetadataTests {
    private typealias Field = TIFFBuilder.Field

    private func metadata(_ fields: [TIFFBuilder.Field]) throws -> PhotoMetadata {
        let jpeg = try Fixture.bytes("quadrants-64x48.jpg").with(exif: TIFFBuilder.file(fields))
        return try Picture(bytes: jpeg).metadata
    }

    /// BYTE, SHORT, LONG, SSHORT, SLONG.
    @Test(arguments: [1, 3, 4, 8, 9])
    func `an orientation counts in whichever type of whole number it stands`(type: Int) throws {
        #expect(try metadata([Field(0x112, type, 6)]).orientation == 6)
    }

    /// RATIONAL and SRATIONAL.
    @Test(arguments: [5, 10]) func `a place counts whether its fractions have signs or not`(type: Int) throws
    {
        let place = [
            Field(1, text: "S"), Field(2, type, fractions: [(33, 1), (51, 1), (3540, 100)]),
            Field(3, text: "E"), Field(4, type, fractions: [(151, 1), (12, 1), (0, 1)]),
        ]
        let metadata = try metadata([Field(0x8825, directory: place)])
        #expect(abs((metadata.latitude ?? 0) + 33.8598333) < 1e-6)
        #expect(abs((metadata.longitude ?? 0) - 151.2) < 1e-9)
    }

    /// LONG, SLONG, IFD: exiv2's own FurnaceCreekInn.jpg has its place behind a SLONG.
    @Test(arguments: [4, 9, 13]) func `a pointer leads to its directory in whichever type it stands`(
        type: Int
    ) throws {
        let place = [
            Field(1, text: "N"), Field(2, 5, fractions: [(36, 1), (26, 1), (54, 1)]),
            Field(3, text: "W"), Field(4, 5, fractions: [(116, 1), (51, 1), (18, 1)]),
        ]
        let date = [Field(0x9003, text: "2008:05:08 09:54:28")]
        let metadata = try metadata([
            Field(0x8769, type: type, directory: date), Field(0x8825, type: type, directory: place),
        ])
        #expect(metadata.captured?.year == 2008)
        #expect(abs((metadata.latitude ?? 0) - 36.44833333) < 1e-6)
        #expect(abs((metadata.longitude ?? 0) + 116.855) < 1e-6)
    }

    private func picture(
        latitude: [(Int, Int)], letter: String = "N"
    ) throws -> (metadata: PhotoMetadata, notes: [String]) {
        let place = [
            Field(1, text: letter), Field(2, 5, fractions: latitude), Field(3, text: "E"),
            Field(4, 5, fractions: [(12, 1), (15, 1), (0, 0)]),
        ]
        let structure = TIFFBuilder.file([Field(0x8825, directory: place)])
        let picture = try Picture(bytes: try Fixture.bytes("quadrants-64x48.jpg").with(exif: structure))
        return (picture.metadata, picture.notes)
    }

    @Test func `minutes and seconds of 0/0 count as none`() throws {
        let (metadata, notes) = try picture(latitude: [(37, 1), (30, 1), (0, 0)])
        #expect(metadata.latitude == 37.5 && metadata.longitude == 12.25 && notes.isEmpty)
        #expect(try picture(latitude: [(37, 1), (0, 0), (0, 0)]).metadata.latitude == 37)
    }

    @Test func `a note says why a place is ignored`() throws {
        func note(_ latitude: [(Int, Int)], _ letter: String = "N") throws -> [String] {
            let (metadata, notes) = try picture(latitude: latitude, letter: letter)
            #expect(metadata.latitude == nil)
            return notes
        }
        #expect(try note([(91, 1), (0, 1), (0, 1)]) == ["EXIF place ignored: not on Earth"])
        #expect(try note([(37, 1), (0, 1), (0, 1)], "?") == ["EXIF place ignored: no N, S, E or W"])
        #expect(try note([(0, 0), (0, 1), (0, 1)]) == ["EXIF place ignored: not a number"])
    }

    /// Singapore's meridian, London, the equator in Kenya; 0 N 0 E is what receivers without a fix write.
    @Test(arguments: [
        (0, 103.8, true), (51.5, 0, true), (0, -180, true), (90, 0, true), (0, 0, false), (0, 180.5, false),
    ])
    func `a place may lie on the equator or on the meridian of Greenwich, not where they meet`(
        north: Double, east: Double, isPlace: Bool
    ) {
        var metadata = PhotoMetadata()
        #expect(metadata.setPlace(latitude: north, longitude: east) == isPlace)
        #expect(metadata.latitude == (isPlace ? north : nil) && metadata.longitude == (isPlace ? east : nil))
    }

    /// XMP part 2, 1.2.7.4: `DDD,MM,SSk` or `DDD,MM.mmk`; programs write other numbers of parts as well.
    @Test(arguments: [
        ("48,12,30N", "16,22.5E", 48.2083333, 16.375), ("33,51.59S", "151,12,0E", -33.8598333, 151.2),
        ("0,30N", "78,30,36W", 0.5, -78.51), ("12.5N", "13.25E", 12.5, 13.25),
    ])
    func `a place of XMP is degrees, minutes, and seconds, as many as there are`(
        north: String, east: String, latitude: Double, longitude: Double
    ) throws {
        for text in [
            "<x exif:GPSLatitude='\(north)' exif:GPSLongitude='\(east)'/>",
            "<exif:GPSLatitude>\(north)</exif:GPSLatitude><exif:GPSLongitude>\(east)</exif:GPSLongitude>",
            "<x exif:GPSLatitudeRef='N' exif:GPSLatitude='\(north)' exif:GPSLongitudeRef='E' "
                + "exif:GPSLongitude='\(east)'/>",
            "<exif:GPSLatitudeRef/><exif:GPSLatitude>\(north)</exif:GPSLatitude>"
                + "<exif:GPSLongitude>\(east)</exif:GPSLongitude>",
            "<x exif:GPSLatitude =\n\t\"\(north)\" exif:GPSLongitude\r\n= \"\(east)\"/>",
        ] {
            var metadata = PhotoMetadata()
            metadata.fill(fromXMP: Array(text.utf8))
            #expect(abs(try #require(metadata.latitude) - latitude) < 1e-6, "\(text)")
            #expect(abs(try #require(metadata.longitude) - longitude) < 1e-6, "\(text)")
        }
        for wrong in ["48,12,30,5N", "48,12,30", "48,x,30N", "-48,12N", "N", ""] {
            var metadata = PhotoMetadata()
            metadata.fill(fromXMP: Array("<x exif:GPSLatitude='\(wrong)' exif:GPSLongitude='\(east)'/>".utf8))
            #expect(metadata.latitude == nil && metadata.longitude == nil, "\(wrong)")
        }
    }

    /// EXIF 2.32, 4.6.6: GPSTimeStamp and GPSDateStamp are UTC.
    @Test func `a time of GPS alone is a date in UTC`() throws {
        let time = Field(7, 5, fractions: [(23, 1), (59, 1), (58750, 1000)])
        let fields = [time, Field(0x1D, text: "2019:08:07")]
        let date = try #require(try metadata([Field(0x8825, directory: fields)]).captured)
        #expect(
            [date.year, date.month, date.day, date.hour, date.minute, date.second] == [
                2019, 8, 7, 23, 59, 58,
            ])
        #expect((date.nanosecond, date.offsetMinutes, date.source) == (750_000_000, 0, .gps))
        // A leap second is of the day that it ends.
        let leap = [Field(7, 5, fractions: [(23, 1), (59, 1), (60, 1)]), Field(0x1D, text: "2016:12:31")]
        let last = try #require(try metadata([Field(0x8825, directory: leap)]).captured)
        #expect([last.day, last.hour, last.minute, last.second] == [31, 23, 59, 59])
    }

    /// Degrees of hours and minutes that have fractions of their own; milliseconds are kept.
    @Test(
        arguments: [
            ((25, 2), (0, 1), (0, 1), [12, 30, 0, 0]), ((7, 1), (121, 2), (0, 1), []),
            ((7, 1), (59, 2), (5, 2), [7, 29, 32, 500]),
            ((23, 1), (59, 1), (59_999, 1000), [23, 59, 59, 999]), ((24, 1), (0, 1), (0, 1), []),
            ((0, 1), (0, 1), (1, 1000), [0, 0, 0, 1]),
            ((23, 1), (59, 1), (5_999_999, 100_000), [23, 59, 59, 999]),
        ] as [((Int, Int), (Int, Int), (Int, Int), [Int])])
    func `a time of GPS may have fractions of hours and minutes`(
        hour: (Int, Int), minute: (Int, Int), second: (Int, Int), expected: [Int]
    ) throws {
        let time = Field(7, 5, fractions: [hour, minute, second])
        let date = try metadata([Field(0x8825, directory: [time, Field(0x1D, text: "2016:12:31")])]).captured
        let parts = date.map { [$0.hour, $0.minute, $0.second, $0.nanosecond / 1_000_000] }
        #expect(parts ?? [] == expected)
    }

    @Test func `a time of GPS without a day is none, and one with a long day has it`() throws {
        let time = Field(7, 5, fractions: [(1, 1), (2, 1), (3, 1)])
        #expect(try metadata([Field(0x8825, directory: [time])]).captured == nil)
        let long = [time, Field(0x1D, text: "2016:12:31 00:00:00")]
        #expect(try metadata([Field(0x8825, directory: long)]).captured?.day == 31)
        #expect(try metadata([Field(0x8825, directory: [Field(0x1D, text: "2016:12:31")])]).captured == nil)
    }

    @Test(
        arguments: [
            ("Canon", "Canon EOS R5", "Canon EOS R5"), ("NIKON CORPORATION", "NIKON D7500", "NIKON D7500"),
            ("Apple", "iPhone 12", "Apple iPhone 12"), ("canon", "Canon EOS", "Canon EOS"),
            ("SONY", "", "SONY"),
            ("", "DSC", "DSC"), ("", "", nil), ("Leica Camera AG", "LEICA Q2", "LEICA Q2"),
            ("HP", "Photosmart HP", "HP Photosmart HP"),
        ] as [(String, String, String?)])
    func `a camera has its maker in front unless the model begins with it`(
        make: String, model: String, name: String?
    ) {
        #expect(PhotoMetadata.camera(make: make, model: model) == name)
    }

    @Test func `an orientation beyond 8 is noted, 0 is none`() throws {
        for (value, notes) in [(0, []), (8, []), (9, ["EXIF orientation ignored: 9"])] as [(Int, [String])] {
            let structure = TIFFBuilder.file([Field(0x112, 3, value)])
            let picture = try Picture(bytes: try Fixture.bytes("quadrants-64x48.jpg").with(exif: structure))
            #expect(picture.notes == notes && picture.metadata.orientation == (value == 8 ? 8 : 1))
            #expect((picture.width, picture.height) == (value == 8 ? (48, 64) : (64, 48)))
        }
    }

    /// The zone that stands behind the time is the date's, not the one that stands apart.
    @Test(
        arguments: [
            ("2020:05:06 07:08:09", "+02:00", 120), ("2020-05-06T07:08:09-03:30", "+02:00", -210),
            ("2020-05-06T07:08:09Z", "+02:00", 0), ("2020-05-06T07:08Z", "", 0),
            ("2020-05-06T07:08:09.5+01:00", "", 60),
            ("2020:05:06 07:08:09", "   :  ", nil), ("2020:05:06 07:08:09", "", nil),
            ("2020:05:06 07:08:09x", "+02:00", nil),
        ] as [(String, String, Int?)])
    func `a date has its own zone`(text: String, offset: String, minutes: Int?) throws {
        let date = try #require(CaptureDate(text, offset: offset, source: .original))
        #expect((date.year, date.month, date.day, date.hour, date.minute) == (2020, 5, 6, 7, 8))
        #expect(date.offsetMinutes == minutes)
    }

    @Test func `a text that lacks a part of a date is none`() {
        for text in [
            "", "2020", "2020:05", "2020:05:06", "2020:05:06 ", "2020:05:06 07", "2020:05:06 07:",
            "2020:05:06 07:8",
            "2020:05:06 07:08:", "2020:05:06 07:08:9", "20200506 07:08", "2020.05.06 07:08",
            "2020:5:06 07:08",
            "2020:05:06_07:08", "2020:05:06 07-08", " 2020:05:06 07:08", "2020:00:06 07:08",
            "2020:05:00 07:08",
            "2020:13:06 07:08", "2020:04:31 07:08", "2020:05:32 07:08", "2020:05:06 24:00",
            "2020:05:06 07:60",
        ] { #expect(CaptureDate(text, source: .original) == nil, "\(text)") }
        for (month, days) in zip(1...12, [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]) {
            func date(_ day: Int) -> CaptureDate? {
                CaptureDate("2021:\(month < 10 ? "0" : "")\(month):\(day) 23:59", source: .original)
            }
            #expect(date(days)?.month == month && date(days + 1) == nil)
        }
        #expect(
            CaptureDate(year: "2020-05-06", source: .xmp) == nil
                && CaptureDate(year: "20", source: .xmp) == nil)
    }

    /// Values of up to 63 bytes; a name that stands in another, or without a value, says nothing.
    @Test func `of a packet the first value of the name counts`() {
        func year(_ text: String) -> Int? {
            var metadata = PhotoMetadata()
            metadata.fill(fromXMP: Array(text.utf8))
            return metadata.captured?.year
        }
        let name = "xmp:CreateDate", date = "2018-08-07T06:05:04", next = " \(name)='2019-01-01'"
        #expect(year("<x \(name)='\(date).\(String(repeating: "1", count: 63 - 20))'\(next)/>") == 2018)
        #expect(year("<x \(name)='\(date).\(String(repeating: "1", count: 64 - 20))'\(next)/>") == 2019)
        #expect(year("<x \(name)=\(date)\(next)/>") == 2019 && year("<x \(name)2='\(date)'\(next)/>") == 2019)
        #expect(year("<x \(name)") == nil && year("<x \(name) ") == nil && year("<x \(name)=") == nil)
        #expect(year("<x \(name)='") == nil && year("<x \(name)='\(date)") == 2018 && year("\(name)") == nil)
        #expect(year("<\(name) a='b'>\(date)</\(name)>") == nil)
        #expect(year("<x \(name)='nothing' exif:GPSTimeStamp='2017-01-01T00:00Z'/>") == 2017)
        // What EXIF said stays.
        var metadata = PhotoMetadata()
        (metadata.latitude, metadata.longitude) = (1, 2)
        metadata.captured = CaptureDate("2001:02:03 04:05", source: .digitized)
        metadata.fill(
            fromXMP: Array("<x \(name)='2018-08-07' exif:GPSLatitude='3N' exif:GPSLongitude='4E'/>".utf8))
        #expect(metadata.captured?.year == 2001 && metadata.latitude == 1 && metadata.longitude == 2)
    }

    @Test func `a reader takes what is there, or nothing`() {
        var reader = DigitReader(Array("0012ab,c".utf8)[...])
        #expect(reader.number(digits: 5) == nil && reader.number(digits: 3) == 1 && reader.next == 50)
        #expect(reader.digits() == "2" && reader.digits() == "" && reader.number(digits: 1) == nil)
        #expect(
            !reader.skip("ac") && reader.skip("ab") && !reader.skip(oneOf: ";:") && reader.skip(oneOf: ";,"))
        #expect(reader.rest == "c" && !reader.skip("cd") && reader.skip("c") && reader.rest.isEmpty)
        #expect(reader.next == nil && !reader.skip(oneOf: "c") && reader.number(digits: 1) == nil)
        #expect((0...255).filter { DigitReader.isDigit(UInt8($0)) } == Array(48...57))
    }

    @Test func `a pattern is found wherever it begins`() {
        let text = Array("aabaabaaab".utf8)[...]
        func found(_ pattern: String, from: Int = 0) -> Range<Int>? {
            text[from...].firstRange(of: Array(pattern.utf8))
        }
        #expect(found("aab") == 0..<3 && found("aab", from: 1) == 3..<6 && found("aaab") == 6..<10)
        #expect(found("b") == 2..<3 && found("b", from: 6) == 9..<10 && found("ab", from: 8) == 8..<10)
        #expect(found("aab", from: 6) == 7..<10)
        #expect(found("ab", from: 9) == nil && found("aabaabaaab") == 0..<10 && found("aabaabaaabb") == nil)
        #expect(found("c") == nil && found("") == nil && found("ba", from: 7) == nil)
    }

    /// XMP part 3, 1.1.3: one packet per file; programs that add one leave the old.
    @Test func `of two packets of XMP the first counts`() throws {
        func packet(_ year: Int) -> [UInt8] {
            let name = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
            let body = name + Array("<x xmp:CreateDate='\(year)-08-07T06:05:04'/>".utf8)
            return [0xFF, 0xE1, 0, UInt8(body.count + 2)] + body
        }
        let jpeg = try Fixture.bytes("quadrants-64x48.jpg").withoutSegments([0xE1])
        let both = jpeg[..<2] + packet(2018) + packet(2019) + jpeg[2...]
        #expect(try Picture(bytes: Array(both)).metadata.captured?.year == 2018)
    }

    /// EXIF 2.32, 4.6.5: SubSecTimeOriginal belongs to DateTimeOriginal, as SubSecTimeDigitized to its date.
    @Test func `a fraction of a second is of the date that counts`() throws {
        func captured(_ original: String) throws -> CaptureDate? {
            let dates = [
                Field(0x9003, text: original), Field(0x9004, text: "2019:08:07 06:05:04"),
                Field(0x9291, text: "25"), Field(0x9292, text: "75"),
            ]
            return try metadata([Field(0x8769, directory: dates)]).captured
        }
        let original = try #require(try captured("2018:08:07 06:05:04"))
        #expect((original.year, original.nanosecond, original.source) == (2018, 250_000_000, .original))
        let digitized = try #require(try captured("    :  :     :  :  "))
        #expect((digitized.year, digitized.nanosecond, digitized.source) == (2019, 750_000_000, .digitized))
    }

    @Test func `a clock that was never set is no wrong date, a minute 60 is none`() throws {
        for (date, notes) in [
            ("0000:00:00 00:00:00", []), ("    :  :     :  :  ", []),
            ("2019:13:01 00:00:00", ["EXIF date ignored: not a date"]),
        ] {
            let structure = TIFFBuilder.file([Field(0x8769, directory: [Field(0x9003, text: date)])])
            let jpeg = try Fixture.bytes("quadrants-64x48.jpg").with(exif: structure)
            #expect(try Picture(bytes: jpeg).notes == notes, "\(date)")
        }
        for (minute, second, isTime) in [(59, 60, true), (60, 0, false), (0, 61, false)] {
            let time = Field(7, 5, fractions: [(23, 1), (minute, 1), (second, 1)])
            let fields = [time, Field(0x1D, text: "2016:12:31")]
            #expect(try (metadata([Field(0x8825, directory: fields)]).captured != nil) == isTime)
        }
    }

    /// HTC's telephones have maker and model beside the date.
    @Test func `a camera is known by its own directory, or by that of the date`() throws {
        let misplaced = [Field(0x10F, text: "HTC"), Field(0x110, text: "One M8")]
        #expect(try metadata([Field(0x8769, directory: misplaced)]).camera == "HTC One M8")
        let model = [Field(0x110, text: "Desire"), Field(0x8769, directory: misplaced)]
        #expect(try metadata(model).camera == "HTC Desire")
    }

    @Test func `the name of a camera has no character that cannot be printed`() throws {
        let fields = [Field(0x10F, text: "A\u{7F}maker"), Field(0x110, text: "\u{1B}[1mOne\u{7F}")]
        #expect(try metadata(fields).camera == "A maker [1mOne")
    }

    /// ICC.1:2010, B.4: each part says its number, and readers may not assume their order.
    @Test func `the parts of a profile count in any order, all of them or none`() throws {
        let whole = try Image(checkedWidth: 8, height: 8, rgba: [UInt8](repeating: 255, count: 256)).jpeg(
            quality: 90)
        let profile = try #require(JPEGHeader(whole).profile), plain = whole.withoutSegments([0xE2])
        let bounds = [0, 100, 300, profile.count]
        func jpeg(_ order: [Int], of count: UInt8 = 3) -> [UInt8] {
            let segments = order.flatMap { number -> [UInt8] in
                let part = profile[bounds[number - 1]..<bounds[number]], length = part.count + 16
                return [0xFF, 0xE2, UInt8(length >> 8), UInt8(length & 255)] + Array("ICC_PROFILE\0".utf8)
                    + [UInt8(number), count] + part
            }
            return plain[..<2] + segments + plain[2...]
        }
        for order in [[1, 2, 3], [3, 2, 1], [2, 3, 1]] {
            #expect(JPEGHeader(jpeg(order)).profile == profile, "\(order)")
        }
        for (order, count) in [([1, 3], 3), ([1, 2, 2], 3), ([1, 2, 3], 2), ([1, 2, 3], 4)]
            as [([Int], UInt8)]
        {
            #expect(JPEGHeader(jpeg(order, of: count)).profile == nil, "\(order)")
            let notes = try Picture(bytes: jpeg(order, of: count)).notes
            #expect(notes == ["color profile ignored: parts of it are missing"])
        }
    }

    @Test func `minutes of an offset go up to 59`() {
        #expect(CaptureDate.minutes("+05:45") == 345)
        #expect(CaptureDate.minutes("+05:99") == nil)
        #expect(CaptureDate.minutes("-05:60") == nil)
    }

    @Test func `offsets go up to 14 hours, as the zones of Earth do`() {
        #expect(CaptureDate.minutes("+14:00") == 840 && CaptureDate.minutes("-14:00") == -840)
        #expect(CaptureDate.minutes("+14:01") == nil && CaptureDate.minutes("-15:00") == nil)
        #expect(CaptureDate.minutes("+0530") == 330 && CaptureDate.minutes("-03") == -180)
        #expect(CaptureDate.minutes("Z") == 0 && CaptureDate.minutes("") == nil)
    }

    @Test func `a place is degrees, minutes up to 60 and seconds up to 60, with a letter in either case`() {
        func place(_ parts: (Double, Double, Double), _ letter: Unicode.Scalar) -> Double? {
            let reference = UInt8(ascii: letter)
            return PhotoMetadata.latitude(parts, reference: reference)
                ?? PhotoMetadata.longitude(parts, reference: reference)
        }
        for (letter, sign) in [("N", 1.0), ("s", -1), ("E", 1), ("w", -1)] as [(Unicode.Scalar, Double)] {
            let found = place((10, 30, 36), letter) ?? 0
            #expect(abs(found - sign * 10.51) < 1e-12, "\(letter)")
        }
        #expect(place((10, 60, 60), "N") != nil)
        #expect(place((10, 61, 0), "N") == nil && place((10, 0, 61), "N") == nil)
        #expect(place((10, 0, 0), "X") == nil)
    }

    @Test func `years from 1826, when the first photo was taken, to 2200 are dates`() {
        for (year, isDate) in [(1825, false), (1826, true), (2200, true), (2201, false), (9999, false)] {
            let date = CaptureDate("\(year):01:02 03:04:05", source: .original)
            #expect((date != nil) == isDate, "\(year)")
        }
    }

    /// EXIF's colons, XMP's hyphens, and the slashes of programs that read neither specification.
    @Test(arguments: [":", "-", "/"]) func `a day has any of three separators`(mark: String) {
        let date = CaptureDate("2020\(mark)05\(mark)06 07:08", source: .original)
        #expect(date?.year == 2020 && date?.month == 5 && date?.day == 6 && date?.minute == 8)
        // As some scanners write it.
        let joined = CaptureDate("1997\(mark)08\(mark)25:13:12:50", source: .original)
        #expect(joined?.day == 25 && joined?.hour == 13 && joined?.second == 50)
    }

    /// The Gregorian calendar: of the years of a century only every fourth is a leap year.
    @Test(arguments: [(1896, true), (1900, false), (2000, true), (2100, false), (2023, false), (2024, true)])
    func `29 February is a day of leap years alone`(year: Int, isLeap: Bool) {
        #expect((CaptureDate("\(year):02:29 12:00:00", source: .original) != nil) == isLeap)
        #expect(CaptureDate("\(year):02:28 12:00:00", source: .original) != nil)
    }

    @Test func `a leap second is the 59th, a second later is none`() {
        func second(_ text: String) -> Int? {
            CaptureDate("2016:12:31 23:59:\(text)", source: .original)?.second
        }
        #expect(second("59") == 59 && second("60") == 59 && second("61") == nil)
    }

    @Test(arguments: [
        ("", 0), ("5", 500_000_000), ("05", 50_000_000), ("9999996", 999_999_600), ("000000001", 1),
        ("1234567899", 123_456_789), ("99999999999", 999_999_999), ("12x", 120_000_000),
    ])
    func `digits of a second are a fraction, whatever their number`(digits: String, nanoseconds: Int) {
        let apart = CaptureDate("2020:05:06 23:59:59", fraction: digits, source: .original)
        #expect(apart?.nanosecond == nanoseconds)
        if !digits.isEmpty {
            let inside = CaptureDate("2020-05-06T23:59:59.\(digits.prefix { $0 != "x" })Z", source: .xmp)
            #expect(inside?.nanosecond == nanoseconds && inside?.offsetMinutes == 0)
        }
    }

    @Test func `values of XMP stand in quotes of either kind, and hold the other`() throws {
        for text in [
            #"<x exif:DateTimeOriginal="2009-08-07T06:05:04" tiff:Model="it's"/>"#,
            #"<x tiff:Model='"x"' exif:DateTimeOriginal='2009-08-07T06:05:04'/>"#,
        ] {
            var metadata = PhotoMetadata()
            metadata.fill(fromXMP: Array(text.utf8))
            let date = try #require(metadata.captured)
            #expect((date.year, date.hour, date.second) == (2009, 6, 4))
        }
    }

    @Test(arguments: [("2009", 1, 1), ("2009-08", 8, 1), ("2009-08-07", 8, 7)])
    func `a date of XMP may be a year, a month or a day`(text: String, month: Int, day: Int) throws {
        var metadata = PhotoMetadata()
        metadata.fill(fromXMP: Array("<x exif:DateTimeOriginal='\(text)'/>".utf8))
        let date = try #require(metadata.captured)
        #expect((date.year, date.month, date.day, date.hour) == (2009, month, day, 0))
    }

    @Test func `a bare day of EXIF counts`() throws {
        let date = try #require(
            try metadata([Field(0x8769, directory: [Field(0x9003, text: "2020:05:06")])]).captured)
        #expect((date.year, date.month, date.day, date.hour, date.source) == (2020, 5, 6, 0, .original))
        #expect(
            try metadata([Field(0x8769, directory: [Field(0x9003, text: "2020")])]).captured == nil)
    }

    /// The original date before the day of creation, and that before the time of digitization; the order in
    /// the packet says nothing.
    @Test func `of several dates of XMP the original counts`() throws {
        let dates = [
            "exif:GPSTimeStamp='2001-01-01T01:01Z'", "xmp:CreateDate='2002-02-02'",
            "photoshop:DateCreated='2003-03-03'", "exif:DateTimeOriginal='2004-04-04T04:04'",
        ]
        for count in 1...dates.count {
            for order in [dates.prefix(count).map(\.self), dates.prefix(count).reversed()] {
                var metadata = PhotoMetadata()
                metadata.fill(fromXMP: Array("<x \(order.joined(separator: " "))/>".utf8))
                #expect(metadata.captured?.year == 2000 + count, "\(order)")
            }
        }
    }

    /// The name of the schema before 2004.
    @Test func `xap is xmp's old name`() throws {
        var metadata = PhotoMetadata()
        metadata.fill(fromXMP: Array(#"<rdf:Description xap:CreateDate="2003-05-04T03:02:01+02:00"/>"#.utf8))
        let date = try #require(metadata.captured)
        #expect((date.year, date.month, date.day, date.hour, date.offsetMinutes) == (2003, 5, 4, 3, 120))
    }

    /// The directory of the date is sound; the one before it says that it has fields beyond the end of the
    /// structure.
    @Test func `a date is kept when other parts of the structure are damaged`() throws {
        let dates = Field(0x8769, directory: [Field(0x9003, text: "2019:08:07 06:05:04")])
        var structure = TIFFBuilder.file([
            Field(0x10F, text: "A maker"), Field(0x112, 3, 8), dates, Field(0x8298, text: "Somebody"),
        ])
        // Far more fields than there are.
        (structure[8], structure[9]) = (0xFF, 0x0E)
        let jpeg = try Fixture.bytes("quadrants-64x48.jpg").with(exif: structure)
        let picture = try Picture(bytes: jpeg)
        #expect(picture.metadata.captured?.year == 2019)
        #expect(picture.metadata.orientation == 8)
    }

    @Test func `what stands behind a pointer that leads nowhere is found`() throws {
        let structure = TIFFBuilder.file([
            Field(0x8825, 4, 0xFF_FFFF), Field(0x110, text: "A camera"), Field(0x112, 3, 8),
            Field(0x8769, directory: [Field(0x9003, text: "2019:08:07 06:05:04")]),
        ])
        let picture = try Picture(bytes: try Fixture.bytes("quadrants-64x48.jpg").with(exif: structure))
        #expect(picture.metadata.captured?.year == 2019 && picture.metadata.camera == "A camera")
        #expect(picture.metadata.orientation == 8 && (picture.width, picture.height) == (48, 64))
        #expect(picture.notes.count == 1 && picture.notes[0].hasPrefix("EXIF damaged: "), "\(picture.notes)")
    }

    @Test func `half a place is none, without a note`() throws {
        for tags in [[1, 2], [3, 4]] {
            let place = [
                Field(1, text: "N"), Field(2, 5, fractions: [(37, 1), (0, 1), (0, 1)]), Field(3, text: "E"),
                Field(4, 5, fractions: [(12, 1), (0, 1), (0, 1)]),
            ].filter { tags.contains($0.tag) }
            let structure = TIFFBuilder.file([Field(0x8825, directory: place)])
            let picture = try Picture(bytes: try Fixture.bytes("quadrants-64x48.jpg").with(exif: structure))
            #expect(picture.metadata.latitude == nil && picture.metadata.longitude == nil)
            #expect(picture.notes == [])
        }
    }

    /// Every byte of the first directory changed in turn: where it is not part of the date's own entry the
    /// date stays, whatever becomes of the rest.
    @Test func `a date survives a wrong byte in nearly every other place`() throws {
        let structure = TIFFBuilder.file([
            Field(0x10F, text: "A maker"), Field(0x110, text: "A camera"), Field(0x112, 3, 1),
            Field(0x8769, directory: [Field(0x9003, text: "2019:08:07 06:05:04")]),
        ])
        let jpeg = try Fixture.bytes("quadrants-64x48.jpg")
        // The first three entries, 12 bytes each behind the count.
        for position in 10..<10 + 36 {
            var damaged = structure
            damaged[position] = 0xFF
            let date = try Picture(bytes: jpeg.with(exif: damaged)).metadata.captured
            #expect(date?.year == 2019, "byte \(position)")
        }
    }

    /// Cameras that follow DCF write no profile, but this. The numbers are littlecms's, of Adobe RGB.
    @Test func `the interoperability index R03 means Adobe RGB`() throws {
        let index = Field(0xA005, directory: [Field(1, text: "R03")])
        let exif = Field(0x8769, directory: [Field(0xA001, 3, 0xFFFF), index])
        let plain = Image(
            checkedWidth: 16, height: 16, rgba: (0..<256).flatMap { _ in [200, 100, 50, 255] as [UInt8] })
        let jpeg = try plain.jpeg(quality: 100).withoutSegments([0xE2])
        let seen = try Picture(bytes: jpeg.with(exif: TIFFBuilder.file([exif]))).image.rgba.prefix(3)
        #expect(zip(seen, [227, 100, 42] as [Int]).allSatisfy { abs(Int($0) - $1) <= 3 }, "\(seen)")
        let same = try Picture(bytes: jpeg).image.rgba.prefix(3)
        #expect(zip(same, [200, 100, 50] as [Int]).allSatisfy { abs(Int($0) - $1) <= 2 }, "\(same)")
    }
}

extension [UInt8] {
    /// A JPEG without segments of these markers.
    func withoutSegments(_ markers: [UInt8]) -> [UInt8] {
        var kept = Array(self[..<2]), at = 2
        while at + 4 <= count, self[at] == 0xFF, self[at + 1] != 0xDA {
            let length = Int(self[at + 2]) << 8 | Int(self[at + 3])
            if !markers.contains(self[at + 1]) { kept += self[at..<at + 2 + length] }
            at += 2 + length
        }
        return kept + self[at...]
    }
}
