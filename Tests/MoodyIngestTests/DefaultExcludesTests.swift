import Foundation
import MoodyModel
import TestSupport
import Testing

@testable import MoodyIngest

/// Folders of other programs: Synology and QNAP, Windows, desktops, digiKam, Lightroom, exiftool, Photos,
/// Android.
@Suite struct DefaultExcludesTests {
    private let folder: ScratchFolder

    init() throws {
        folder = try ScratchFolder()
        for path in [
            "a.jpg", "@eaDir/a.jpg/SYNOPHOTO_THUMB_M.jpg", "#recycle/old.jpg", "#snapshot/a.jpg",
            "@Recycle/x.jpg",
            "$RECYCLE.BIN/$R1.jpg", "System Volume Information/x.jpg", ".Trash-1000/files/x.jpg",
            "sub/lost+found/x.jpg", ".thumbnails/x.jpg", ".dtrash/x.jpg", "My Previews.lrdata/0/x.jpg",
            "My.lrlibrary/x.jpg", "a.jpg_original", "L.photoslibrary/originals/0/o.jpg",
            "L.photoslibrary/resources/derivatives/o.jpg", "private/p.jpg", "private/deep/p.jpg",
        ] { try folder.write(Data("x".utf8), to: path) }
        try folder.write(Data(), to: "private/.nomedia")
    }

    private func found(_ change: (inout FileFilter) -> Void = { _ in }) -> FoundFiles {
        var filter = FileFilter()
        change(&filter)
        return FileFinder.find([BytePath(folder.url.path)], filter: filter, namingOthers: true)
    }

    private func names(_ found: FoundFiles) -> [String] {
        found.files.map { $0.path.description.split(separator: "/").suffix(2).joined(separator: "/") }
    }

    @Test func `what other programs put beside photos is left out, counted, and named`() {
        let found = found()
        #expect(names(found).count == 2 && names(found).contains("0/o.jpg"))
        // Eleven that are not hidden, and the folder with the mark.
        #expect(found.excluded == 12 && found.excludedPaths.count == 12)
        let all = self.found { $0.includesHidden = true }
        #expect(names(all).count == 2 && all.excluded == 15)
    }

    @Test func `a flag or a pattern reads it`() {
        #expect(found { $0.skipsDefaults = false }.files.count == 15)
        #expect(found { $0.include = [Glob("*.jpg")] }.files.count == 14)
        #expect(found { $0.skipsDefaults = false }.excluded == 0)
    }

    @Test func `what is named is meant`() {
        let named = ["@eaDir", "private", "a.jpg_original"].map {
            BytePath(folder.url.appending(path: $0).path)
        }
        #expect(FileFinder.find(named, filter: FileFilter()).files.count == 4)
    }

    @Test func `names that only look like them are read`() throws {
        let other = try ScratchFolder()
        for path in [
            "eaDir/a.jpg", "@eaDir2/a.jpg", "_original", "x.lrdata.jpg", "@recycle", ".lrdata.d/x.jpg",
        ] {
            try other.write(Data("x".utf8), to: path)
        }
        let found = FileFinder.find([BytePath(other.url.path)], filter: FileFilter())
        #expect(found.files.count == 5 && found.excluded == 0)
    }
}
