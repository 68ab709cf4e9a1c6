import MoodyModel

/// A row of a live list: a mood's number and the facts that the page knows of it, encoded once.
package struct LiveRow: Sendable, Equatable {
    package let id: Int64
    /// A JSON array without a line break: the facts of `GalleryPage+Data`, with names inline, whether the
    /// photo is dated in place of a section, and behind them ``version(of:)``.
    package let json: [UInt8]

    package init(id: Int64, json: [UInt8]) { (self.id, self.json) = (id, json) }

    package init(_ record: MoodRecord, _ privacy: PagePrivacy) {
        var row = MoodRow(record, privacy)
        let side = max(record.width, record.height)
        (row.hasSharp, row.hasLarge) = (side > Self.pictureSide, side > Self.pictureSide * 2)
        var facts = PageData.facts(of: row, section: Section.isDated(row) ? 1 : 0, hasPicture: true) {
            PageData.text($0)
        }
        facts.append(.string(Self.version(of: record.pictureTag)))
        self.init(id: record.id, json: Array(JSON.array(facts).text.utf8))
    }

    /// The first 8 digits of a picture's tag: its address changes with its photo.
    package static func version(of tag: String?) -> String { String((tag ?? "").prefix(8)) }

    /// Pixels on the long side of a stored thumbnail.
    private static let pictureSide: Int32 = 320
}
