/// Rows that stand together under a month.
struct Section {
    /// "June 2024", "No date"; empty when the rows are not in order of date, and the section is the only one.
    var title: String
    var range: Range<Int>

    static func all(of rows: [MoodRow]) -> [Section] {
        if rows.isEmpty { return [] }
        return areDated(rows) ? runs(in: rows) : [Section(title: "", range: rows.indices)]
    }

    /// True when no month begins twice: the rows go by date, or it looks so.
    static func areDated(_ rows: [MoodRow]) -> Bool {
        let titles = runs(in: rows).map(\.title)
        return Set(titles).count == titles.count
    }

    private static func runs(in rows: [MoodRow]) -> [Section] {
        var sections: [Section] = []
        for (index, row) in rows.enumerated() {
            let title = Day(row.day)?.monthTitle ?? "No date"
            if sections.last?.title == title {
                sections[sections.count - 1].range = sections[sections.count - 1].range.lowerBound..<index + 1
            } else {
                sections.append(Section(title: title, range: index..<index + 1))
            }
        }
        return sections
    }

    /// Opens the section, with the palette of its part of `rows`, those of the whole page.
    func heading(of rows: [MoodRow]) -> HTML {
        if title.isEmpty { return "<section aria-label=\"Photos\">\n<div class=\"rows\">\n" }
        let palette = strip(of: MonthPalette(of: rows[range]).swatches, class: "month")
        return "<section>\n<h2>\(title) <small>\(range.count)</small>\(palette)</h2>\n<div class=\"rows\">\n"
    }

    var end: HTML { "</div>\n</section>\n" }
}
