import Testing

@testable import Images

/// Which of a photo's dates counts. The order is that of `CaptureDate.Source`; exiftool reads the same of
/// each.
@Suite struct DateOrderTests {
    private static func dataSet(_ number: UInt8, _ text: String) -> [UInt8] {
        [0x1C, 2, number, 0, UInt8(text.utf8.count)] + Array(text.utf8)
    }

    private static func photoshop(_ iptc: [UInt8]) -> [UInt8] {
        let size = TIFFBuilder.number(iptc.count, 4).reversed()
        return Array("8BIM".utf8) + [4, 4, 0, 0] + size + iptc + (iptc.count % 2 == 1 ? [0] : [])
    }

    private static func iptc(_ day: String, _ time: String? = nil) -> [UInt8] {
        photoshop(dataSet(55, day) + (time.map { dataSet(60, $0) } ?? []))
    }

    private func date(_ metadata: PhotoMetadata) -> String? {
        metadata.captured.map {
            "\($0.year)-\($0.month)-\($0.day) \($0.hour):\($0.minute):\($0.second) "
                + "\($0.offsetMinutes ?? -1) \($0.source)"
        }
    }

    @Test(
        arguments: [
            ("20010405", "141530+0200", "2001-4-5 14:15:30 120 iptc"),
            ("20010405", "141530", "2001-4-5 14:15:30 -1 iptc"),
            ("20010405", nil, "2001-4-5 0:0:0 -1 iptc"), ("19750000", nil, "1975-1-1 0:0:0 -1 iptc"),
            ("00000000", nil, nil), ("2001", nil, nil), ("20011305", nil, nil),
        ] as [(String, String?, String?)])
    func `IPTC tells a day, and may tell a time`(day: String, time: String?, expected: String?) {
        var metadata = PhotoMetadata()
        metadata.fill(fromPhotoshop: Self.photoshop([1, 2, 3]) + Self.iptc(day, time)[...])
        #expect(date(metadata) == expected)
    }

    /// The last byte fills it up.
    @Test func `IPTC that is cut is no trap`() {
        let whole = Self.iptc("20010405", "141530+0200")
        for count in 0..<whole.count - 1 {
            var metadata = PhotoMetadata()
            metadata.fill(fromPhotoshop: whole.prefix(count))
            #expect(metadata.captured == nil, "\(count)")
        }
    }

    private func metadata(
        main: [TIFFBuilder.Field] = [], exif: [TIFFBuilder.Field] = [], gps: [TIFFBuilder.Field] = []
    ) -> PhotoMetadata {
        var fields = main
        if !exif.isEmpty { fields.append(.init(0x8769, directory: exif)) }
        if !gps.isEmpty { fields.append(.init(0x8825, directory: gps)) }
        var notes: [String] = []
        return PhotoMetadata(exif: TIFFBuilder.file(fields)[...], notes: &notes)
    }

    @Test func `the better source counts, in whichever order they are met`() {
        let modified = TIFFBuilder.Field(0x132, text: "2007:02:19 01:02:03")
        let original = TIFFBuilder.Field(0x9003, text: "2001:01:01 01:01:01")
        let blank = TIFFBuilder.Field(0x9003, text: "0000:00:00 00:00:00")
        let digitized = TIFFBuilder.Field(0x9004, text: "2002:01:01 01:01:01")
        let gps: [TIFFBuilder.Field] = [
            .init(7, 5, fractions: [(3, 1), (4, 1), (5, 1)]), .init(0x1D, text: "2005:01:01"),
        ]
        let xmp = Array("<x exif:DateTimeOriginal='2003-01-01T01:01:01'/>".utf8)
        func year(_ metadata: PhotoMetadata, _ isXMP: Bool = false, _ isIPTC: Bool = false) -> Int? {
            var metadata = metadata
            if isIPTC { metadata.fill(fromPhotoshop: Self.iptc("20040101")[...]) }
            if isXMP { metadata.fill(fromXMP: xmp) }
            return metadata.captured?.year
        }
        let all = metadata(main: [modified], exif: [original, digitized], gps: gps)
        #expect(year(all, true, true) == 2001)
        #expect(year(metadata(main: [modified], exif: [blank, digitized], gps: gps), true, true) == 2002)
        let late = metadata(main: [modified], exif: [blank], gps: gps)
        #expect(year(late, true, true) == 2003 && year(late, false, true) == 2004 && year(late) == 2005)
        #expect(date(metadata(main: [modified], exif: [blank])) == "2007-2-19 1:2:3 -1 modified")
        // All in one directory.
        #expect(date(metadata(main: [modified, original])) == "2001-1-1 1:1:1 -1 original")
    }

    @Test(arguments: [
        ("1975:00:00", "1975-1-1"), ("1975:06:00", "1975-6-1"), ("1975:00:00 00:00:00", "1975-1-1"),
        ("0000:00:00 00:00:00", nil), ("1975:13:00", nil), ("1700:00:00", nil),
    ])
    func `a year or a month without a day is kept`(text: String, expected: String?) {
        let read = metadata(exif: [.init(0x9003, text: text)])
        #expect(date(read) == expected.map { "\($0) 0:0:0 -1 original" })
    }
}
