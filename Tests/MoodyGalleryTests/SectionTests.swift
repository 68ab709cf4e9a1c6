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
            headings([20_240_628, 20_240_601, 20_240_531, 0]) == [
                "<h2>June 2024 <small>2</small>", "<h2>May 2024 <small>1</small>",
                "<h2>No date <small>1</small>",
            ])
    }

    @Test func `long sections come in blocks of a hundred photos`() {
        let rows = (1...201).map { MoodRow.sample(id: $0) }
        let page = written(GalleryPage(title: "Moods", rows: rows))
        #expect(
            page.split(separator: "<div class=\"rows\">").map { $0.split(separator: "<figure ").count - 1 }
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
    func `what is no day has no date`(day: Int32) {
        #expect(headings([day]) == ["<h2>No date <small>1</small>"])
    }
}
