import DataStacks
import Foundation
import Glibc
import Images
import MoodyGallery
import MoodyIngest

/// A page as a folder: `index.html`, a file a picture, and `.moody-export`, by which moody knows its own
/// folders: it lists the pictures and their sizes.
///
/// It is written beside its place, whole, and then takes it. Only a folder that is empty, or that moody wrote
/// and that holds nothing else, is replaced: whatever somebody has put there stays, and the folder with it.
struct PageFolder {
    private static let marker = ".moody-export"
    private static let markerText = "Written by moody, which may replace this folder.\n"

    /// As the user wrote it, for people.
    private let shown: String
    /// Without links and without a slash at its end.
    private let place: BytePath
    private let temporary: BytePath
    private let exists: Bool

    /// Whether a user means a folder: one that is there, or a path that ends with a slash.
    static func isMeant(by path: BytePath) -> Bool {
        path.bytes.last == UInt8(ascii: "/") || (try? FileStatus(at: path))?.kind == .folder
    }

    /// - Throws: ``OutputError``, also for a folder that is somebody else's.
    init(_ asked: BytePath) throws {
        shown = asked.description
        exists = (try? FileStatus(at: asked)) != nil
        do throws(FileError) {
            if exists {
                place = try asked.resolved()
            } else {
                var folder = asked
                while folder.bytes.count > 1 && folder.bytes.last == UInt8(ascii: "/") {
                    folder.bytes.removeLast()
                }
                let above = folder.bytes.contains(UInt8(ascii: "/")) ? folder.folder : BytePath(".")
                place = try above.resolved().appending(folder.name)
            }
        } catch { throw OutputError(name: asked.description, error: error) }
        let part = Array(".".utf8) + place.name.prefix(200) + Array(".\(getpid()).part".utf8)
        temporary = place.folder.appending(part)
        try ProtectedFile.refuseStore(place, shown: shown)
        do throws(FileError) { try OutputFile.checkFolder(place.folder) } catch {
            throw OutputError(name: shown, error: error)
        }
        if exists { try check() }
    }

    /// - Throws: ``OutputError``.
    private func check() throws {
        do throws(FileError) {
            guard try FileStatus(at: place).kind == .folder else { throw FileError(code: ENOTDIR) }
        } catch { throw OutputError(name: shown, error: error) }
        let all = names(in: place), written = WrittenPictures(in: place, marker: Self.marker)
        func refuse(_ stranger: [UInt8]?) throws {
            guard let stranger else { return }
            throw OutputError("\(shown): holds \(displayText(stranger)), which moody did not write")
        }
        try refuse(all.first { !Self.isOurs($0) })
        if !all.isEmpty && !written.text.hasPrefix(Self.markerText) {
            throw OutputError("\(shown): exists and does not say that moody wrote it")
        }
        try refuse(all.first { Self.isPicture($0) && !written.contains($0, in: place) })
    }

    private static func isPicture(_ name: [UInt8]) -> Bool {
        name.contains(UInt8(ascii: "/")) && name.last != UInt8(ascii: "/")
    }

    /// Whether a path below the folder is one that moody writes.
    private static func isOurs(_ name: [UInt8]) -> Bool {
        if name == Array(marker.utf8) || name == Array("index.html".utf8) { return true }
        let parts = name.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map(Array.init)
        guard let folder = parts.first, folders.contains(folder) else { return false }
        guard parts.count == 2 else { return parts.count == 1 }
        let end = Array(".jpg".utf8), digits = parts[1].dropLast(end.count)
        return parts[1].suffix(end.count).elementsEqual(end) && !digits.isEmpty
            && digits.allSatisfy(DigitReader.isDigit)
    }

    private static let folders = [MoodRow.pictureFolder, MoodRow.sharpFolder, MoodRow.largeFolder].map {
        Array($0.utf8)
    }

    /// What is in a folder of ours: paths below it, our folders before what is in them.
    private func names(in folder: BytePath) -> [[UInt8]] {
        (try? folder.entries())?.flatMap { name in
            let below = folder.appending(name)
            let isFolder = (try? FileStatus(at: below, followingLinks: false))?.kind == .folder
            guard isFolder, Self.folders.contains(name) else {
                return [isFolder ? name + [UInt8(ascii: "/")] : name]
            }
            let inside = (try? below.entries()) ?? []
            return [name] + inside.map { name + [UInt8(ascii: "/")] + $0 }
        } ?? []
    }

    /// Writes the page and puts it in its place.
    ///
    /// - Returns: how many moods are on it, and the paths of those whose larger picture is lost, for people:
    ///   they are shown by their thumbnails.
    /// - Throws: ``StoreError``, ``OutputError``.
    func write(_ list: MoodList, of stack: DataStack, _ page: PageContent, _ messages: Messages) throws -> (
        count: Int, lost: [String]
    ) {
        Unfinished.add(temporary) { remove(temporary) }
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
        var sources: [SharpPictures.Source] = []
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
            let isRead = page.thumbnail > SharpPictures.stored
            sources.append(
                .init(
                    path: BytePath(source.path.bytes), hash: isRead ? source.contentHash : nil,
                    wantsLarge: !row.hasLarge && page.thumbnail < SharpPictures.large))
            rows.append(row)
        }
        written += try writeSharp(sources, &rows, side: page.thumbnail, messages)
        var text: [UInt8] = []
        GalleryPage(title: page.title, rows: rows, pictures: .beside).write { text += Array($0.utf8) }
        try save(text, "index.html")
        try append(Array(written.utf8), Self.marker)
        return (rows.count, lost)
    }

    /// Larger pictures, read from the photos; those that the folder has already of the same contents are taken from
    /// there.
    ///
    /// - Returns: lines for the marker: sizes, and behind each sharp picture what it was made of.
    private func writeSharp(
        _ sources: [SharpPictures.Source], _ rows: inout [MoodRow], side: Int, _ messages: Messages
    ) throws -> String {
        let old = WrittenPictures(in: place, marker: Self.marker), place = place
        let names = rows.map { (sharp: $0.sharpName, large: $0.largeName) }
        // Contents and sizes: one made without a picture for the large view serves where none is wanted.
        func mark(_ index: Int, _ hasLarge: Bool) -> String? {
            sources[index].hash.map { "\($0)-\(side)\(hasLarge ? "-\(SharpPictures.large)" : "")" }
        }
        let marks = sources.indices.map { mark($0, sources[$0].wantsLarge) }
        @Sendable func bytes(_ name: String) -> [UInt8]? {
            let name = Array(name.utf8)
            return old.contains(name, in: place) ? try? readFile(place.appending(name)) : nil
        }
        @Sendable func kept(_ index: Int) -> SharpPictures.Made? {
            guard let mark = marks[index], old.mark(of: Array(names[index].sharp.utf8)) == mark,
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
        do throws(FileError) { try writeFile(bytes, to: path) } catch {
            let folder = shown.hasSuffix("/") ? shown : shown + "/"
            throw OutputError(name: folder + name, error: error)
        }
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

    /// Two renames: between them nothing is at the place, and a kill in that instant leaves the old folder
    /// beside it.
    private func putInPlace() throws {
        guard exists else { return try rename(temporary, to: place) }
        // Somebody may have put a file there meanwhile.
        try check()
        var old = temporary
        old.bytes.append(contentsOf: Array(".old".utf8))
        try rename(place, to: old)
        do { try rename(temporary, to: place) } catch {
            try? rename(old, to: place)
            throw error
        }
        remove(old, WrittenPictures(in: old, marker: Self.marker))
    }

    private func rename(_ path: BytePath, to other: BytePath) throws {
        let result = unsafe path.withCString { path in
            unsafe other.withCString { unsafe Glibc.rename(path, $0) }
        }
        guard result == 0 else {
            throw OutputError(name: shown, error: FileError(code: errno))
        }
    }

    /// Removes what moody writes and nothing else.
    ///
    /// - Parameter written: its pictures; nil where nobody else can have put any.
    private func remove(_ folder: BytePath, _ written: WrittenPictures? = nil) {
        for name in names(in: folder).reversed() where Self.isOurs(name) {
            if let written, Self.isPicture(name), !written.contains(name, in: folder) { continue }
            unsafe folder.appending(name).withCString { path in
                if unsafe unlink(path) != 0 { _ = unsafe rmdir(path) }
            }
        }
        _ = unsafe folder.withCString { unsafe rmdir($0) }
    }
}

/// What a page shows of its rows.
struct PageContent {
    var title = "Palettes"
    var privacy = PagePrivacy()
    /// Pixels on the long side of its pictures, as far as their photos can be read; 320 are the stored ones.
    var thumbnail = SharpPictures.stored
}
