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
    static let marker = ".moody-export"
    static let markerText = "Written by moody, which may replace this folder.\n"

    /// As the user wrote it, for people.
    let shown: String
    /// Without links and without a slash at its end.
    let target: BytePath
    let temporary: BytePath
    let exists: Bool

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
                target = try asked.resolved()
            } else {
                var folder = asked
                while folder.bytes.count > 1 && folder.bytes.last == UInt8(ascii: "/") {
                    folder.bytes.removeLast()
                }
                let above = folder.bytes.contains(UInt8(ascii: "/")) ? folder.folder : BytePath(".")
                target = try above.resolved().appending(folder.name)
            }
        } catch { throw OutputError(name: asked.description, error: error) }
        temporary = Replacement.temporary(beside: target)
        try ProtectedFile.refuseStore(target, shown: shown)
        do throws(FileError) { try OutputFile.checkFolder(target.folder) } catch {
            throw OutputError(name: shown, error: error)
        }
        if exists { try check() }
    }

    /// - Throws: ``OutputError``.
    func check() throws {
        do throws(FileError) {
            guard try FileStatus(at: target).kind == .folder else { throw FileError(code: ENOTDIR) }
        } catch { throw OutputError(name: shown, error: error) }
        let all = names(in: target), written = WrittenPictures(in: target, marker: Self.marker)
        func refuse(_ stranger: [UInt8]?) throws {
            guard let stranger else { return }
            throw OutputError("\(shown): holds \(displayText(stranger)), which moody did not write")
        }
        try refuse(all.first { !Self.isOurs($0) })
        if !all.isEmpty && !written.text.hasPrefix(Self.markerText) {
            throw OutputError("\(shown): exists and does not say that moody wrote it")
        }
        try refuse(all.first { Self.isPicture($0) && !written.contains($0, in: target) })
    }

    static func isPicture(_ name: [UInt8]) -> Bool {
        name.contains(UInt8(ascii: "/")) && name.last != UInt8(ascii: "/")
    }

    /// Whether a path below the folder is one that moody writes.
    static func isOurs(_ name: [UInt8]) -> Bool {
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

    /// The contents of a page folder: relative paths, folders before their contents.
    func names(in folder: BytePath) -> [[UInt8]] {
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
}

/// The rows that a page shows.
struct PageContent {
    var title = "Palettes"
    var privacy = PagePrivacy()
    /// The user's own names of colors.
    var names: NearestNames?
    /// Pixels on the long side of its pictures, as far as their photos can be read; 320 are the stored ones.
    var thumbnail = SharpPicture.stored
}
