import Testing

@testable import MoodyGallery

/// Columns as terminals count them: Unicode's EastAsianWidth.txt and emoji-data.txt.
@Suite struct TextWidthTests {
    @Test(arguments: [
        ("", 0), ("abc", 3), ("\u{65E5}\u{672C}", 4), ("\u{FF28}", 2), ("\u{FF8A}", 1), ("e\u{301}", 1),
        ("\u{1F680}", 2), ("\u{1F44D}\u{1F3FD}", 2), ("\u{231A}", 2), ("\u{2764}", 1),
        ("\u{2764}\u{FE0F}", 2),
    ])
    func `letters of East Asia and emoji take two columns, a letter with its marks one`(
        text: String, columns: Int
    ) { #expect(TextWidth.columns(text) == columns) }

    @Test(arguments: [
        ("/photos/a.jpg", 13, "/photos/a.jpg"), ("/photos/a.jpg", 12, "\u{2026}hotos/a.jpg"),
        ("/photos/a.jpg", 6, "\u{2026}a.jpg"), ("\u{65E5}\u{672C}\u{8A9E}", 6, "\u{65E5}\u{672C}\u{8A9E}"),
        ("\u{65E5}\u{672C}\u{8A9E}", 5, "\u{2026}\u{672C}\u{8A9E}"),
        ("\u{65E5}\u{672C}\u{8A9E}", 4, "\u{2026}\u{8A9E}"),
    ])
    func `the end of a text fits with its ellipsis`(text: String, columns: Int, shown: String) {
        let ending = TextWidth.ending(text, columns: columns)
        #expect(ending == shown)
        #expect(TextWidth.columns(ending) <= columns)
    }
}
