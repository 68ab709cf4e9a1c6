import Foundation
import MoodyGallery
import Testing

@Suite struct GalleryPageTests {
    /// A file's time is no year of a photo.
    @Test func `what is said of a page counts its photos and their years`() {
        for (days, words) in [
            ([20_240_628], "1 photo, 2024, with"),
            ([20_240_628, 20_220_101], "2 photos, 2022 to 2024, with"),
            ([20_240_628, 20_240_101], "2 photos, 2024, with"), ([], "0 photos, with"),
        ] as [([Int32], String)] {
            var rows = days.map { MoodRow.sample(day: $0) }
            #expect(
                written(GalleryPage(title: "a", rows: rows)).contains("content=\"\(words) their palettes"))
            if rows.isEmpty { continue }
            rows.append(.sample(day: 19_990_101))
            rows[rows.count - 1].isDated = false
            let years = words.drop { $0 != "," }
            #expect(written(GalleryPage(title: "a", rows: rows)).contains("photos\(years) their palettes"))
        }
    }

    @Test func `a page says near its top that moody wrote it`() {
        let page = written(GalleryPage(title: "Trip", rows: [.sample()]))
        #expect(page.hasPrefix("<!doctype html>"))
        #expect(page.prefix(200).contains(GalleryPage.marker))
    }

    @Test func `a photo stands with its picture, palette, day and facts without any script`() {
        let page = written(GalleryPage(title: "Trip", rows: [.sample()]))
        #expect(page.contains("<img src=\"data:image/jpeg;base64,/9j/\" alt=\"lake.jpg\""))
        #expect(page.contains("<rect x=\"0%\" width=\"75%\" height=\"100%\" fill=\"#001970\"/>"))
        #expect(page.contains("<rect x=\"75%\" width=\"25%\" height=\"100%\" fill=\"#011970\"/>"))
        #expect(page.contains("<li><b>#001970</b> midnight blue, 75 %</li>"))
        #expect(
            page.contains("<time datetime=\"2024-06-28T14:03\">28<span> June</span><span> 2024</span></time>")
        )
        for fact in ["Iceland", "Canon EOS 5D", "3000 × 2000", "trip/lake.jpg", "no EXIF date"] {
            #expect(page.contains("<dd><bdi>\(fact)</bdi>"))
        }
    }

    @Test(arguments: [
        "<img src=x onerror=alert(1)>.jpg", "\" onload=\"alert(1)", "'><script>alert(1)</script>",
        "a&lt;b&amp;c",
    ])
    func `a name that looks like markup is text everywhere`(name: String) {
        var row = MoodRow.sample(name: name)
        row.place = name
        row.camera = name
        row.time = name
        row.notes = [name]
        for at in row.swatches.indices { row.swatches[at].name = name }
        let plain = written(GalleryPage(title: "lake.jpg", rows: [.sample()]))
        let page = written(GalleryPage(title: name, rows: [row]))
        // Neither an element nor an attribute more than the page of a harmless name has.
        for mark in ["<", ">", "\"", "'"] {
            #expect(page.count(of: mark) == plain.count(of: mark), "\(mark)")
        }
    }

    @Test func `control characters of a name are replaced and its length does not matter`() {
        let long = String(repeating: "ñ", count: 127) + "\u{0}\u{7}\u{1b}[31m"
        let page = written(GalleryPage(title: "x", rows: [.sample(name: long)]))
        #expect(page.contains(String(repeating: "ñ", count: 127) + "\u{fffd}\u{fffd}\u{fffd}[31m"))
        #expect(!page.unicodeScalars.contains { $0.value < 32 && $0 != "\n" })
    }

    @Test func `an empty page says how to fill it`() {
        let page = written(GalleryPage(title: "Moods", rows: []))
        #expect(
            page.contains(
                "<noscript>\n<p class=\"empty\">No moods yet. Make some: <code>moody ingest PATH</code></p>"))
    }

    @Test func `a bar of one color is none`() {
        let one = written(GalleryPage(title: "a", rows: [.sample(shares: [1])]))
        #expect(one.contains("id=\"bar\" hidden></div>"))
        var row = MoodRow.sample()
        (row.swatches[0].red, row.swatches[0].green, row.swatches[0].blue) = (255, 0, 0)
        let two = written(GalleryPage(title: "a", rows: [row]))
        #expect(two.contains("id=\"bar\"><button value=\"red\" title=\"red\""))
    }

    @Test(arguments: [
        (2000, 3000, "a65 tall"), (3000, 2000, "a150"), (1000, 1000, "a100"), (980, 1000, "a100"),
        (1000, 9000, "a50 tall"), (9000, 1000, "a300"),
    ])
    func `a photo that is taller than wide is marked so`(width: Int, height: Int, mark: String) {
        var row = MoodRow.sample()
        (row.width, row.height) = (width, height)
        #expect(written(GalleryPage(title: "Moods", rows: [row])).contains("class=\"\(mark)\">"))
    }

    @Test func `a photo without a palette says so`() {
        let page = written(GalleryPage(title: "Moods", rows: [.sample(shares: [])]))
        #expect(page.contains("No palette") && !page.contains("<rect") && !page.contains("<ol><li>"))
    }

    @Test func `a photo without a picture shows its name in its place`() {
        var row = MoodRow.sample()
        row.thumbnail = []
        let page = written(GalleryPage(title: "Moods", rows: [row]))
        #expect(!page.contains("<img") && page.contains("<span class=\"blank\">lake.jpg</span>"))
    }

    @Test func `pictures can lie beside the page, which then opens no others`() {
        var row = MoodRow.sample(id: 12)
        row.thumbnail = []
        let page = written(GalleryPage(title: "Moods", rows: [row], pictures: .beside))
        #expect(row.pictureName == "pictures/12.jpg")
        #expect(page.contains("<img src=\"pictures/12.jpg\" alt=\"lake.jpg\" loading=\"lazy\""))
        #expect(page.contains("img-src &#39;self&#39; data:;") && !page.contains("src=\"data:"))
    }

    /// Of the Open Graph protocol; an icon has room for four colors.
    @Test func `a page whose address is sent has its largest picture, and an icon of at most four colors`() {
        for (hasSharp, hasLarge, name) in [
            (false, false, "pictures/1.jpg"), (true, false, "sharp/1.jpg"), (true, true, "large/1.jpg"),
        ] {
            var row = MoodRow.sample()
            (row.hasSharp, row.hasLarge) = (hasSharp, hasLarge)
            let page = written(GalleryPage(title: "a", rows: [row], pictures: .beside))
            #expect(page.contains("<meta property=\"og:image\" content=\"\(name)\">"))
        }
        #expect(!written(GalleryPage(title: "a", rows: [.sample()])).contains("og:image"))
        var row = MoodRow.sample(shares: Array(repeating: 0.125, count: 8))
        let colors: [[UInt8]] = [
            [255, 0, 0], [0, 128, 0], [0, 0, 255], [255, 255, 0], [128, 0, 128], [0, 128, 128], [0, 0, 0],
            [255, 255, 255],
        ]
        for (at, color) in colors.enumerated() {
            (row.swatches[at].red, row.swatches[at].green, row.swatches[at].blue) = (
                color[0], color[1], color[2]
            )
        }
        let page = written(GalleryPage(title: "a", rows: [row]))
        #expect(page.count(of: "%3Crect x=") == 4 && page.contains("viewBox=&#39;0 0 16 16&#39;"))
        #expect(page.contains("%3Crect x=&#39;12&#39; ") && !page.contains("%3Crect x=&#39;16&#39;"))
    }

    @Test func `photos of several years under one heading have their years, without a script too`() {
        let rows = [MoodRow.sample(id: 1, day: 20_110_601), .sample(id: 2, day: 20_040_101)]
        let page = written(GalleryPage(title: "a", rows: rows))
        #expect(page.contains("<section class=\"years\">\n<h2>2004 to 2011 <small>2</small>"))
        #expect(!written(GalleryPage(title: "a", rows: [.sample()])).contains("<section class="))
    }

    @Test func `a file's day and pixels that are not known are nowhere on the page`() {
        var row = MoodRow.sample(day: 20_240_628)
        (row.isDated, row.width) = (false, 0)
        let page = written(GalleryPage(title: "a", rows: [row]))
        #expect(!page.contains("<time") && !page.contains("<dt>Size"))
    }

    /// A page in another order has its sections by date for the order that is one click away.
    @Test func `of rows in another order those without a day of their own come last by date`() throws {
        var rows = [20_240_101, 20_230_101, 20_240_102, 20_250_101].enumerated().map {
            MoodRow.sample(id: Int64($0 + 1), day: Int32($1))
        }
        rows[3].isDated = false
        let page = written(GalleryPage(title: "a", rows: rows))
        let data = try #require(
            page.firstMatch(of: /<script type="application\/json" id="data">(.*?)<\/script>/))
        let json = try JSONSerialization.jsonObject(with: Data(data.1.utf8)) as? [String: Any]
        let titles = (json?["sections"] as? [[Any]])?.compactMap { $0.first as? String }
        #expect(titles == ["2020 to 2029", "Undated"] && json?["undated"] as? Int == 1)
        let sections = (json?["rows"] as? [[Any]])?.map { $0[11] as? Int }
        #expect(sections == [0, 0, 0, 1])
    }

    @Test func `writing stops at the first error of the sink and hands it on`() {
        struct Full: Error {}
        var pieces = 0
        #expect(throws: Full.self) {
            try GalleryPage(title: "Moods", rows: [.sample(id: 1), .sample(id: 2)]).write { _ in
                pieces += 1
                if pieces == 3 { throw Full() }
            }
        }
        #expect(pieces == 3)
    }

    @Test(arguments: [GalleryPage.Pictures.inside, .beside])
    func `a name can end no attribute and begin no element, wherever the pictures are`(
        pictures: GalleryPage.Pictures
    ) {
        let row = MoodRow.sample(name: "\"><script>alert(1)<b>'&.jpg")
        let page = written(GalleryPage(title: "<i>", rows: [row], pictures: pictures))
        #expect(page.contains("alt=\"&quot;&gt;&lt;script&gt;alert(1)&lt;b&gt;&#39;&amp;.jpg\""))
        #expect(!page.contains("<script>alert") && !page.contains("<b>'") && !page.contains("<i>"))
    }

    @Test func `the data of the script cannot end its element, and reads back as it was`() throws {
        let name = "</script><!--\\\"'&\u{2028}.jpg"
        var row = MoodRow.sample(name: name)
        row.notes = ["\\", "\"", "\\\""]
        let page = written(GalleryPage(title: "x", rows: [row]))
        let text = try #require(
            page.components(separatedBy: "id=\"data\">").last?.components(separatedBy: "</script>").first)
        #expect(!text.contains { "<>&'".contains($0) })
        let data = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        let first = (data?["rows"] as? [[Any]])?.first
        #expect(first?[4] as? String == name && first?[10] as? [String] == row.notes)
        #expect((first?[5] as? [Any])?.count == 8 && (data?["words"] as? [String: Any])?.count == 4)
    }

    @Test func `nothing in the page names another place to load from`() {
        let page = written(GalleryPage(title: "Moods", rows: [.sample()]))
            // A name, never fetched.
            .split(separator: "'http://www.w3.org/2000/svg'").joined()
            .split(separator: "xmlns=&#39;http://www.w3.org/2000/svg&#39;").joined()
        for other in ["http://", "https://", "//cdn", "@import", "url(", " style=\"", "onclick", "eval("] {
            #expect(page.count(of: other) == 0, "\(other)")
        }
    }
}

extension String {
    fileprivate func count(of part: String) -> Int {
        split(separator: part, omittingEmptySubsequences: false).count - 1
    }
}
