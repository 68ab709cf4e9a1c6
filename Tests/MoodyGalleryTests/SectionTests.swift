import MoodyGallery
import Testing

@Suite struct SectionTests {
    private func headings(_ days: [Int32]) -> [String] {
        let rows = days.enumerated().map { MoodRow.sample(id: Int64($0), day: $1) }
        return written(GalleryPage(title: "Moods", rows: rows)).split(separator: "\n")
            .filter { $0.hasPrefix("<h2>") && !$0.contains("view") }.map {
                $0.split(separator: "<svg")[0] + ""
            }
    }

    @Test func `every month has a heading with the number of its photos`() {
        #expect(
            headings((0..<11).map { 20_240_628 - $0 / 6 * 100 - $0 % 5 } + [0]) == [
                "<h2>June 2024 <small>6</small>", "<h2>May 2024 <small>5</small>",
                "<h2>Undated <small>1</small>",
            ])
    }

    @Test func `photos of a single month stand under it, however few they are`() {
        #expect(headings([20_240_630, 20_240_602]) == ["<h2>June 2024 <small>2</small>"])
    }

    /// No month of these begins twice, as in a list by date.
    @Test func `photos of several years have all of them in their heading, in any order`() {
        #expect(headings([20_110_601, 20_040_101, 20_110_101]) == ["<h2>2004 to 2011 <small>3</small>"])
        #expect(headings([20_040_101, 20_190_601, 20_110_101]) == ["<h2>2004 to 2019 <small>3</small>"])
    }

    @Test func `a file's time is no day: such photos stand at the end, undated`() {
        var rows = (1...3).map { MoodRow.sample(id: $0, name: "\($0).jpg", day: 20_240_600 + Int32(9 - $0)) }
        rows[0].isDated = false
        let page = written(GalleryPage(title: "Moods", rows: rows))
        let order = page.split(separator: "<figure id=\"m").dropFirst().map { $0.prefix(1) }
        #expect(order == ["2", "3", "1"])
        #expect(page.contains("<h2>Undated <small>1</small>"))
        #expect(!page.contains("<bdi title=\"1.jpg\">1.jpg</bdi><time"))
    }

    @Test func `months of few photos are joined into seasons, and those into years`() {
        let months: [Int32] = (1...12).reversed().map { (month: Int32) -> Int32 in 20_240_001 + month * 100 }
        // Three a month: nine a season.
        #expect(
            headings(months.flatMap { (day: Int32) -> [Int32] in [day + 2, day + 1, day] }) == [
                "<h2>December 2024 to February 2025 <small>3</small>",
                "<h2>September to November 2024 <small>9</small>",
                "<h2>June to August 2024 <small>9</small>", "<h2>March to May 2024 <small>9</small>",
                "<h2>December 2023 to February 2024 <small>6</small>",
            ])
        #expect(headings(months).map { $0.prefix(8) } == ["<h2>2024"])
        #expect(
            headings([20_110_113, 20_040_629, 0]) == [
                "<h2>2004 to 2011 <small>2</small>", "<h2>Undated <small>1</small>",
            ])
        // Five a month fill their rows.
        #expect(headings(months.flatMap { Array(repeating: $0, count: 5) }).count == 12)
    }

    @Test func `long sections come in blocks of a hundred photos`() {
        let rows = (1...201).map { MoodRow.sample(id: $0) }
        let page = written(GalleryPage(title: "Moods", rows: rows))
        #expect(
            page.split(separator: "<div class=\"rows\">").map { $0.split(separator: "<figure id=").count - 1 }
                == [0, 100, 100, 1])
    }

    @Test func `rows that do not go by date stand in one section and have their own order`() {
        let days: [Int32] = [20_240_628, 20_240_501, 20_240_601]
        #expect(headings(days).isEmpty)
        let rows = days.enumerated().map { MoodRow.sample(id: Int64($0), day: $1) }
        let page = written(GalleryPage(title: "Moods", rows: rows))
        #expect(page.contains("<button aria-pressed=\"true\" value=\"given\">As given</button>"))
        #expect(page.contains("<main class=\"mixed\">"))
    }

    @Test(arguments: [20_241_301, 20_240_632, 1, -20_240_101, Int32.max, Int32.min])
    func `what is no day stands under no day`(day: Int32) {
        #expect(headings([day]) == ["<h2>Undated <small>1</small>"])
    }
}
