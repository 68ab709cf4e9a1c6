/// An HTML file that shows moods to people: it needs no network, no script to be read, and no other file.
package struct GalleryPage: Sendable {
    /// Where the pictures are.
    package enum Pictures: Sendable, Equatable {
        /// In the page, which is one file then. Good for about 900 rows, 20 MB.
        case inside
        /// In files beside the page, which the browser opens as they come near the window. Good for 10,000
        /// rows. Whoever writes the page writes each row's thumbnail to the row's ``MoodRow/pictureName``,
        /// relative to the page, and a larger picture to ``MoodRow/largeName`` where the row says that it has
        /// one; the rows' own `thumbnail` is not looked at and may be left empty.
        case beside
    }

    package var title: String
    package var rows: [MoodRow]
    package var pictures: Pictures
    /// Photos that show the same by the numbers of their rows, the best of each group first.
    package var similar: [[Int64]] = []
    var kind = Kind.export

    /// A comment near the top of every page; a file that has it was written by moody and may be replaced.
    package static let marker = "<!-- Written by moody, which may replace this file. -->"

    /// - Parameters:
    ///   - title: a few words for the top of the page.
    ///   - rows: in the order wanted. When each month's rows are together, every month has its heading;
    ///     otherwise the page is one section. IDs are unique.
    ///   - pictures: in the page, or in files beside it.
    package init(title: String, rows: [MoodRow], pictures: Pictures = .inside) {
        self.title = title
        self.rows = rows
        self.pictures = pictures
    }

    /// Hands the page over piece by piece, a few kilobytes each, in order. Linear in rows and thumbnails;
    /// throws only what `sink` throws, and stops there.
    package func write<Failure>(to sink: (String) throws(Failure) -> Void) throws(Failure) {
        try sink(head.text)
        // To browsers that run scripts all of this is text, and the script makes rows of the data when they
        // are needed.
        if kind != .export {
            try sink(Self.liveNoscript.text)
            return try writeData([], to: sink)
        }
        try sink("<noscript>\n")
        let rows = Section.sorted(rows)
        if rows.isEmpty {
            try sink("<p class=\"empty\">No moods yet. Make some: <code>moody ingest PATH</code></p>\n")
        }
        for section in Section.all(of: rows) {
            try sink(section.heading(of: rows).text)
            for index in section.range {
                // Browsers lay out a block at a time, and none that is far from the window.
                if index > section.range.lowerBound, (index - section.range.lowerBound) % 100 == 0 {
                    try sink("</div>\n<div class=\"rows\">\n")
                }
                try sink(rows[index].figure(pictures).text)
            }
            try sink(section.end.text)
        }
        try sink("</noscript>\n")
        try writeData(rows, to: sink)
    }

    private func writeData<Failure>(_ rows: [MoodRow], to sink: (String) throws(Failure) -> Void)
        throws(Failure)
    {
        try sink(foot.text)
        let countries = PageData.countries(of: rows, isLive: kind != .export)
        try PageData.write(rows, pictures, more: liveData + countries + similarData(rows)) {
            html throws(Failure) in
            try sink(html.text)
        }
        try sink(end.text)
    }
}
