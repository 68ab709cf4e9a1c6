import Foundation
import MoodyGallery
import Testing

/// A page of everything odd at once. `scripts/browser-test` without an argument looks at this one in a
/// browser.
@Suite struct OddRowsTests {
    @Test func `a page of odd rows is written, to the file MOODY_PAGE names if it does`() throws {
        let page = GalleryPage(title: "Odd <b>moods</b> & others", rows: Self.rows)
        let text = written(page)
        #expect(text.split(separator: "<figure id=").count == Self.rows.count + 1)
        if let path = ProcessInfo.processInfo.environment["MOODY_PAGE"] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        }
        var similar = page
        similar.similar = [[1, 4, 6], [3, 2]]
        let other = written(similar)
        #expect(other.contains("\"similar\":[[0,3,5],[2,1]]") && !text.contains("similar"))
        if let path = ProcessInfo.processInfo.environment["MOODY_SIMILAR_PAGE"] {
            try Data(other.utf8).write(to: URL(fileURLWithPath: path))
        }
    }

    /// The script takes a width of nothing for one that is not known.
    @Test(arguments: [(1, 10_000, "0.001"), (10_000, 1, "10000,"), (3000, 2000, "1.5")])
    func `a picture that is a line has a width on the page`(width: Int, height: Int, aspect: String) throws {
        var row = MoodRow.sample()
        (row.width, row.height) = (width, height)
        let text = written(GalleryPage(title: "A line", rows: [row]))
        let rows = try #require(text.range(of: "\"rows\":[[1,"))
        #expect(text[rows.upperBound...].hasPrefix(aspect), "\(text[rows.upperBound...].prefix(20))")
    }

    static let rows: [MoodRow] = {
        let names = [
            "<img src=x onerror=alert(1)>.jpg", "\"><script>alert(2)</script>.jpg",
            "صورة البحر عند الغروب.jpg",
            "תמונה \u{202e}gpj.exe", "夜の東京.jpg", String(repeating: "ünbreakable", count: 21) + ".jpg",
            "--- two\nlines */ .jpg", "plain grey.jpg",
        ]
        var rows = names.enumerated().map { index, name in
            var row = MoodRow.sample(
                id: Int64(index + 1), name: name, day: 20_240_628 - Int32(index / 3) * 100,
                shares: shares[index])
            row.thumbnail = [UInt8](Data(base64Encoded: picture)!)
            (row.width, row.height) = sizes[index % sizes.count]
            for at in row.swatches.indices {
                let (red, green, blue, name) = colors[(index + at) % colors.count]
                (row.swatches[at].red, row.swatches[at].green, row.swatches[at].blue) = (red, green, blue)
                row.swatches[at].name = name
            }
            return row
        }
        rows[3].notes = ["<b>note</b>", "profile not read"]
        rows[4].thumbnail = []
        rows[7].day = 0
        var undated = MoodRow.sample(id: 9, name: "of its file.jpg", day: 20_200_105, shares: [0.6, 0.4])
        undated.thumbnail = rows[0].thumbnail
        (undated.isDated, undated.path, undated.camera) = (false, "/a/of its file.jpg", "Canon")
        return rows + [undated]
    }()

    private static let shares: [[Double]] = [
        [0.6, 0.2, 0.1, 0.06, 0.04], [1], [0.985, 0.005, 0.005, 0.004, 0.001], [0.5, 0.5], [0.7, 0.3], [],
        Array(repeating: 1 / 32, count: 32), [0.4, 0.3, 0.3],
    ]
    private static let sizes = [(3000, 2000), (2000, 3000), (4000, 3000), (9000, 1000), (1000, 9000), (0, 0)]
    private static let colors: [(UInt8, UInt8, UInt8, String)] = [
        (0, 128, 128, "teal"), (255, 255, 255, "white"), (25, 25, 112, "midnight blue"),
        (255, 69, 0, "orange red"),
        (0, 0, 0, "<i>black</i>"), (128, 128, 128, ""), (240, 230, 140, "khaki"),
    ]
    /// A gray ramp of 24 x 16 pixels.
    private static let picture = """
        /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDACgcHiMeGSgjISMtKygwPGRBPDc3PHtYXUlkkYCZlo+AjIqgtObDoKrarY\
        qMyP/L2u71////m8H/\
        ///6/+b9//j/wAALCAAQABgBAREA/8QAFQABAQAAAAAAAAAAAAAAAAAABAX/xAAVEAEBAAAAAAAAAAAAAAAAAAAAA/\
        /aAAgBAQAAPwCZE6J8\
        UKJ0T4v/2Q==
        """
}
