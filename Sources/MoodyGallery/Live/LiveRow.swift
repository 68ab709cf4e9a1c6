import MoodyModel

/// A row of a live list: the facts that the page knows of a mood.
package enum LiveRow {
    /// A JSON array without a line break: the facts of `GalleryPage+Data`, with names inline, whether the
    /// photo is dated in place of a section, and behind them ``version(of:)``.
    package static func json(_ record: MoodRecord, _ privacy: PagePrivacy) -> [UInt8] {
        var row = MoodRow(record, privacy)
        let side = max(record.width, record.height)
        (row.hasSharp, row.hasLarge) = (side > pictureSide, side > pictureSide * 2)
        return json(row, isDated: Section.isDated(row), hasPicture: true, record.pictureTag)
    }

    /// A mood of which nothing is known.
    static func empty(_ id: Int64) -> [UInt8] {
        json(
            MoodRow(id: id, name: "", path: "", width: 0, height: 0, swatches: [], thumbnail: []),
            isDated: false, hasPicture: false, nil)
    }

    private static func json(_ row: MoodRow, isDated: Bool, hasPicture: Bool, _ tag: String?) -> [UInt8] {
        var facts = PageData.facts(of: row, section: isDated ? 1 : 0, hasPicture: hasPicture) {
            PageData.text($0)
        }
        facts.append(.string(version(of: tag)))
        return Array(JSON.array(facts).text.utf8)
    }

    /// The first 8 digits of a picture's tag: its address changes with its photo.
    package static func version(of tag: String?) -> String { String((tag ?? "").prefix(8)) }

    /// Pixels on the long side of a stored thumbnail.
    private static let pictureSide: Int32 = 320
}
