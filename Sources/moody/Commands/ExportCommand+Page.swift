import DataStacks
import MoodyGallery
import MoodyIngest

// Pages: a file, or a folder.
extension ExportCommand {
    /// Bytes, which a telephone opens in a second or two: some 900 photos with their thumbnails.
    private static let usualOfOneFile = 20_000_000

    /// Most moods on a page: browsers take some ten seconds to open the 110 MB of so many.
    private static let mostOfPage = 100_000

    /// Says why a page of so many moods is not written; nil when it is.
    static func refusal(ofPageOf count: Int) -> String? {
        if count <= mostOfPage { return nil }
        return """
            a page of \(grouped(count)) moods is too large for browsers (at most \(grouped(mostOfPage))); \
            moody export html --where or --limit selects fewer, and moody serve shows them all
            """
    }

    /// More would be read for nothing: they do not fit.
    private static let sharpInOneFile = 300
    /// The limit for pictures in one file: base64 adds a third, so the file stays below 20 MB.
    private static let mostInOneFile = 14_000_000

    /// - Returns: false when a picture of the page is lost, which is said.
    @discardableResult
    static func writePage(
        _ path: BytePath, of stack: DataStack, list: MoodList,
        content: PageContent = PageContent(), overwrite: Bool, messages: Messages,
        isStopped: () -> Bool = { false }
    ) throws -> Bool {
        if let refusal = try refusal(ofPageOf: list.count(in: stack)) {
            throw OutputError("\(path): \(refusal)")
        }
        if PageFolder.isMeant(by: path) {
            let (count, lost) = try PageFolder(path).write(list, of: stack, content, messages)
            for photo in lost {
                messages.problem(photo, "its preview is missing (moody ingest --recompute makes it anew)")
            }
            messages.note("moody: wrote \(path): \(count) \(count == 1 ? "mood" : "moods")")
            return lost.isEmpty
        }
        var rows: [MoodRow] = [], sources: [SharpPicture.Source] = [], thumbnails = 0
        try list.forEachRow(in: stack, content.privacy) { pairs in
            let before = thumbnails
            thumbnails += pairs.reduce(0) { $0 + $1.0.thumbnail.count }
            // As soon as it is certain: base64 adds a third. The rest of a large store takes minutes.
            let limit = usualOfOneFile / 4 * 3, megabytes = usualOfOneFile / 1_000_000
            if before <= limit && thumbnails > limit {
                messages.note(
                    """
                    moody: note: a page of more than \(megabytes) MB opens slowly in browsers; \
                    a folder (a name that ends with /) keeps the pictures beside the page, and --where or \
                    --limit selects fewer moods
                    """)
            }
            rows += pairs.map(\.0)
            sources += pairs.map { .init(path: BytePath($0.1.path.bytes), hash: $0.1.contentHash) }
        }
        if content.thumbnail > SharpPicture.stored && rows.count <= sharpInOneFile {
            var bytes = rows.reduce(0) { $0 + $1.thumbnail.count }
            try SharpPictures(side: content.thumbnail).read(sources, messages) { index, made in
                guard let picture = made?.sharp,
                    bytes + picture.count - rows[index].thumbnail.count < mostInOneFile
                else {
                    return
                }
                bytes += picture.count - rows[index].thumbnail.count
                rows[index].thumbnail = picture
            }
        }
        content.names?.name(&rows)
        var page = GalleryPage(title: content.title, rows: rows)
        page.similar = try SimilarGroups.copies(among: rows, of: list, in: stack)
        if path == .standard {
            page.write { StandardOutput.shared.write($0) }
            try StandardOutput.shared.flush()
            return true
        }
        let file = try OutputFile(path, overwrite: overwrite, isStopped: isStopped)
        page.write { file.write($0) }
        try file.finish()
        messages.note("moody: wrote \(path): \(rows.count) \(rows.count == 1 ? "mood" : "moods")")
        return true
    }
}
