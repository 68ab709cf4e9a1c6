/// Rows that stand together under a heading: a month, or several where each would have few.
struct Section {
    /// "June 2024", "June to August 2024", "2024", "Undated"; empty when the rows are not in order of date,
    /// and the section is the only one.
    var title: String
    var range: Range<Int>
    /// Whether it holds several years: its photos' days are then written with theirs.
    var hasYears = false

    static let undated = MoodSection.undated

    /// How many months a heading stands for.
    private enum Span: Int, CaseIterable {
        case month = 1, season = 3, year = 12, decade = 120

        func title(_ day: Day) -> String {
            switch self {
            case .month: return day.monthTitle
            case .year: return "\(day.year)"
            case .decade: return "\(day.year / 10 * 10) to \(day.year / 10 * 10 + 9)"
            case .season:
                // From March, June, September or December, whose season ends in the next year.
                let months = day.year * 12 + day.month - 1, first = (months + 1) / 3 * 3 - 1
                let begin = Day(year: first / 12, month: first % 12 + 1)
                let end = Day(year: (first + 2) / 12, month: (first + 2) % 12 + 1)
                return begin.year == end.year
                    ? "\(begin.monthName) to \(end.monthTitle)" : "\(begin.monthTitle) to \(end.monthTitle)"
            }
        }
    }

    /// Of rows that ``sorted(_:)`` gave.
    static func all(of rows: [MoodRow]) -> [Section] {
        if rows.isEmpty { return [] }
        return areDated(rows) ? dated(rows) : [Section(title: "", range: rows.indices)]
    }

    /// The rows with those of unknown day at the end, if they go by date; else as they are.
    static func sorted(_ rows: [MoodRow]) -> [MoodRow] {
        areDated(rows) ? rows.filter(isDated) + rows.filter { !isDated($0) } : rows
    }

    /// Rows by date, whatever their order: months, or seasons or years where months would be a row of two.
    static func dated(_ rows: [MoodRow]) -> [Section] {
        let spans = Span.allCases.map { span in
            var sections = runs(in: rows) { isDated($0) ? Day($0.day).map(span.title) : nil }
            if span == .decade {
                for at in sections.indices where sections[at].title != undated {
                    sections[at].hasYears = true
                }
            }
            return sections
        }
        return spans.first(where: areFull) ?? together(spans[0], in: rows)
    }

    /// Half of the sections have at least five photos.
    private static func areFull(_ sections: [Section]) -> Bool {
        let counts = sections.filter { $0.title != undated }.map(\.range.count).sorted()
        return counts.count < 2 || counts[counts.count / 2] >= 5
    }

    /// "2004 to 2011", and those without a day.
    private static func together(_ sections: [Section], in rows: [MoodRow]) -> [Section] {
        let dated = sections.filter { $0.title != undated }
        // The rows may be in another order, and the first and the last of one year.
        let years = rows.filter(isDated).compactMap { Day($0.day)?.year }
        guard let first = dated.first, let last = dated.last, let from = years.min(), let to = years.max()
        else { return sections }
        let all = Section(
            title: "\(from) to \(to)", range: first.range.lowerBound..<last.range.upperBound, hasYears: true)
        return [all] + sections.filter { $0.title == undated }
    }

    /// True when no month begins twice: the rows go by date, or it looks so.
    static func areDated(_ rows: [MoodRow]) -> Bool {
        let titles = runs(in: rows.filter(isDated)) { Day($0.day)?.monthTitle }.map(\.title)
        return Set(titles).count == titles.count
    }

    /// A file's time is no day on which a photo was taken.
    static func isDated(_ row: MoodRow) -> Bool { row.isDated && Day(row.day) != nil }

    private static func runs(in rows: [MoodRow], by title: (MoodRow) -> String?) -> [Section] {
        var sections: [Section] = []
        for (index, row) in rows.enumerated() {
            let title = title(row) ?? undated
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
        return """
            <section\(hasYears ? years : "")>
            <h2>\(title) <small>\(range.count)</small>\(palette)</h2>
            <div class="rows">

            """
    }

    var end: HTML { "</div>\n</section>\n" }
}

private let years: HTML = " class=\"years\""
