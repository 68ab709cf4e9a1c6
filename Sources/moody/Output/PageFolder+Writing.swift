import DataStacks
import Glibc
import MoodyGallery
import MoodyIngest

// Writing the folder: beside its place, then as a whole.
extension PageFolder {
    /// Writes the page and puts it in its place.
    ///
    /// - Returns: how many moods are on it, and the paths of those whose larger picture is lost, for people:
    ///   they are shown by their thumbnails.
    /// - Throws: ``StoreError``, ``OutputError``.
    func write(_ list: MoodList, of stack: DataStack, _ page: PageContent, _ messages: Messages) throws -> (
        count: Int, lost: [String]
    ) {
        // An interrupted replacement may leave the old contents beside the page: they stay.
        Replacement.sweep(beside: target) { path in
            if !path.bytes.suffix(4).elementsEqual(".old".utf8) { remove(path) }
        }
        Unfinished.add(temporary) { removeUnfinished() }
        defer { Unfinished.done(temporary) }
        do {
            let written = try writeBeside(list, of: stack, page, messages)
            // From here on it is a matter of two renames.
            Unfinished.done(temporary)
            try putInPlace()
            return written
        } catch {
            remove(temporary)
            throw error
        }
    }

    private func writeBeside(_ list: MoodList, of stack: DataStack, _ page: PageContent, _ messages: Messages)
        throws -> (
            count: Int, lost: [String]
        )
    {
        try make(temporary)
        // First of all, so that a watch that sees the folder come knows that it is no place for photos.
        try save(Array(Self.markerText.utf8), Self.marker)
        try make(temporary.appending(Array(MoodRow.pictureFolder.utf8)))
        var rows: [MoodRow] = [], lost: [String] = [], written = ""
        var sources: [SharpPicture.Source] = []
        try list.forEachPictured(in: stack, page.privacy) { row, preview, source in
            var row = row
            try save(row.thumbnail, row.pictureName)
            if !row.thumbnail.isEmpty { written += WrittenPictures.line(row.pictureName, row.thumbnail) }
            row.thumbnail = []
            switch preview {
            case .none: break
            case .lost: lost.append(source.path.shown)
            case .jpeg(let preview):
                try makeOnce(MoodRow.largeFolder)
                row.hasLarge = true
                try save(preview, row.largeName)
                written += WrittenPictures.line(row.largeName, preview)
            }
            // Where larger ones are not wanted those that are there serve all the same.
            let isRead = page.thumbnail > SharpPicture.stored
            sources.append(
                .init(
                    path: BytePath(source.path.bytes), hash: isRead ? source.contentHash : nil,
                    wantsLarge: !row.hasLarge && page.thumbnail < SharpPicture.large))
            rows.append(row)
        }
        written += try writeSharp(sources, &rows, side: page.thumbnail, messages)
        page.names?.name(&rows)
        var whole = GalleryPage(title: page.title, rows: rows, pictures: .beside)
        whole.similar = try SimilarGroups.copies(among: rows, of: list, in: stack)
        try savePage(whole)
        try append(Array(written.utf8), Self.marker)
        return (rows.count, lost)
    }

    /// Larger pictures, read from the photos; those that the folder has already of the same contents are
    /// taken from there.
    ///
    /// - Returns: lines for the marker: sizes, and behind each sharp picture what it was made of.
    private func writeSharp(
        _ sources: [SharpPicture.Source], _ rows: inout [MoodRow], side: Int, _ messages: Messages
    ) throws -> String {
        let old = WrittenPictures(in: target, marker: Self.marker), target = target, temporary = temporary
        let names = rows.map { (stored: $0.pictureName, sharp: $0.sharpName, large: $0.largeName) }
        // Contents and sizes: one made without a picture for the large view serves where none is wanted.
        // Where rows cut a photo, `side` pixels are of the part that is shown: earlier versions meant the
        // whole.
        let areCut = rows.map { $0.width > 3 * $0.height || $0.height > 2 * $0.width }
        func mark(_ index: Int, _ hasLarge: Bool) -> String? {
            sources[index].hash.map { hash in
                "\(hash)-\(side)\(areCut[index] ? "-cut" : "")\(hasLarge ? "-\(SharpPicture.large)" : "")"
            }
        }
        let marks = sources.indices.map { mark($0, sources[$0].wantsLarge) }
        @Sendable func bytes(_ name: String) -> [UInt8]? {
            let name = Array(name.utf8)
            return old.contains(name, in: target) ? try? readFile(target.appending(name)) : nil
        }
        // Of a photo that is turned otherwise now the thumbnail is another.
        @Sendable func isTurned(_ index: Int) -> Bool {
            let new = try? readFile(temporary.appending(Array(names[index].stored.utf8)))
            return bytes(names[index].stored) != new
        }
        @Sendable func kept(_ index: Int) -> SharpPicture? {
            guard let mark = marks[index], old.mark(of: Array(names[index].sharp.utf8)) == mark,
                !isTurned(index),
                let sharp = bytes(names[index].sharp)
            else { return nil }
            let isLarge = sources[index].wantsLarge && old.lists(Array(names[index].large.utf8))
            let large = isLarge ? bytes(names[index].large) : nil
            return isLarge && large == nil ? nil : .init(sharp: sharp, large: large)
        }
        var written = ""
        try SharpPictures(side: side).read(sources, messages, kept: kept) { index, made in
            guard let made else { return }
            try makeOnce(MoodRow.sharpFolder)
            try save(made.sharp, names[index].sharp)
            rows[index].hasSharp = true
            written += WrittenPictures.line(names[index].sharp, made.sharp)
            if let mark = marks[index] { written += "\(mark) \(names[index].sharp)\n" }
            guard let large = made.large else { return }
            try makeOnce(MoodRow.largeFolder)
            try save(large, names[index].large)
            rows[index].hasLarge = true
            written += WrittenPictures.line(names[index].large, large)
        }
        return written
    }

    private func makeOnce(_ name: String) throws {
        let folder = temporary.appending(Array(name.utf8))
        if (try? FileStatus(at: folder)) == nil { try make(folder) }
    }

    private func save(_ bytes: [UInt8], _ name: String) throws {
        // No picture, no file: the page says so by the photo's name.
        if bytes.isEmpty { return }
        let path = temporary.appending(Array(name.utf8))
        do throws(FileError) { try writeFile(bytes, to: path) } catch { throw failure(of: name, error) }
    }

    /// Writes the page piece by piece: that of 100,000 rows has 110 MB.
    private func savePage(_ page: GalleryPage) throws {
        let name = "index.html"
        do throws(FileError) {
            let file = try makeFile(temporary.appending(Array(name.utf8)))
            var buffer: [UInt8] = []
            do throws(FileError) {
                try page.write { text throws(FileError) in
                    buffer += Array(text.utf8)
                    if buffer.count < 1 << 16 { return }
                    try writeAll(buffer, to: file)
                    buffer.removeAll(keepingCapacity: true)
                }
                try writeAll(buffer, to: file)
            } catch {
                close(file)
                throw error
            }
            if close(file) != 0 { throw FileError(code: errno) }
        } catch { throw failure(of: name, error) }
    }

    private func failure(of name: String, _ error: FileError) -> OutputError {
        let folder = shown.hasSuffix("/") ? shown : shown + "/"
        return OutputError(name: folder + name, error: error)
    }

    private func append(_ bytes: [UInt8], _ name: String) throws {
        let path = temporary.appending(Array(name.utf8))
        let file = unsafe path.withCString { unsafe open($0, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC) }
        defer { close(file) }
        do throws(FileError) {
            guard file >= 0 else { throw FileError(code: errno) }
            try writeAll(bytes, to: file)
        } catch { throw OutputError(name: shown, error: error) }
    }

    private func make(_ folder: BytePath) throws {
        guard unsafe folder.withCString({ unsafe mkdir($0, 0o755) }) == 0 else {
            throw OutputError(name: shown, error: FileError(code: errno))
        }
    }
}
