import Foundation
import Glibc
import Images
import MoodyModel
import TestSupport
import Testing

@testable import MoodyIngest

@Suite struct GlobTests {
    @Test(arguments: [
        ("*.jpg", "a.jpg", true), ("*.jpg", "x/y/a.JPG", true), ("*.jpg", "a.jpeg", false),
        ("raw/", "x/raw", false), ("IMG_????.png", "img_0012.PNG", true),
        ("IMG_????.png", "img_012.png", false),
        ("/a.jpg", "a.jpg", true), ("/a.jpg", "x/a.jpg", false), ("x/*.jpg", "x/a.jpg", true),
        ("x/*.jpg", "x/y/a.jpg", false), ("x/**/a.jpg", "x/a.jpg", true), ("x/**/a.jpg", "x/y/z/a.jpg", true),
        ("**/thumbs/*", "a/thumbs/b.png", true), ("[a-c]*.png", "b1.png", true),
        ("[a-c]*.png", "c1.png", true), ("[a-c]*.png", "d1.png", false),
        ("[!a-c]*.png", "b1.png", false), ("[^a]*.png", "b1.png", true), ("[^a]*.png", "a1.png", false),
        ("[^]]*.png", "]1.png", false), ("[!]a]*.png", "b1.png", true), ("[!]a]*.png", "a1.png", false),
        ("[]a]*.png", "]1.png", true), ("[a^]*.png", "^1.png", true),
        ("*a*b*c*", "xxaxxbxxc", true), ("*a*b*c*", "xxaxxcxxb", false), ("", "a", false), ("a[", "a[", true),
        ("*.ZIP", "a.zip", true), ("azAZ.png", "AZaz.PNG", true), ("[A-Z]1.png", "z1.png", true),
        ("[a-c]1.png", "-1.png", false), ("[a-cx]1.png", "x1.png", true), ("[a-cx-z]1.png", "y1.png", true),
        ("[a-cx-z]1.png", "w1.png", false),
        // A hyphen at either end is one of the class.
        ("[a-]1.png", "-1.png", true), ("[a-]1.png", "a1.png", true), ("[a-]1.png", "b1.png", false),
        ("[-a]1.png", "-1.png", true), ("[-a]1.png", "b1.png", false),
        // All that is inside, not the folder itself.
        ("x/**", "x", false), ("x/**", "x/a.jpg", true), ("x/**", "x/y/a.jpg", true), ("**/x", "x", true),
        ("\\*.jpg", "*.jpg", true), ("\\*.jpg", "a.jpg", false), ("a\\", "a\\", true),
    ])
    func `a pattern matches as gitignore(5) says, in any case`(pattern: String, path: String, matches: Bool) {
        let parts = path.split(separator: "/").map { Array($0.utf8) }
        #expect(Glob(pattern).matches(parts, isFolder: false) == matches)
    }

    @Test func `a slash at the end wants a folder`() {
        #expect(Glob("raw/").matches([Array("x".utf8), Array("raw".utf8)], isFolder: true))
    }

    @Test func `a hostile pattern takes no time to speak of`() {
        let name = Array(String(repeating: "a", count: 255).utf8)
        let pattern = String(repeating: "*a", count: 40) + "b"
        #expect(!Glob(pattern).matches([name], isFolder: false))
    }
}

@Suite struct BytePathTests {
    @Test(arguments: [
        ("plain name.jpg", "plain name.jpg"), ("new\nline", "new\\nline"), ("esc\u{1B}[31m", "esc\\x1b[31m"),
        ("\u{202E}gpj.exe", "\\u{202e}gpj.exe"), ("caf\u{E9}", "caf\u{E9}"), ("tab\t", "tab\\t"), ("", ""),
        ("\u{2028}", "\\u{2028}"),
        ("\u{1F468}\u{200D}\u{1F467}", "\u{1F468}\u{200D}\u{1F467}"),
        ("\u{6CC}\u{200C}\u{633}", "\u{6CC}\u{200C}\u{633}"), ("\u{7F}", "\\x7f"),
    ])
    func `a name is shown so that it can steer nothing`(name: String, shown: String) {
        #expect(displayText(Array(name.utf8)) == shown)
    }

    @Test func `bytes that are not UTF-8 are shown by number, what stands around them as it is`() {
        #expect(displayText([0x61, 0xFF, 0x62, 0xC3, 0x28, 0xE2, 0x82]) == "a\\xffb\\xc3(\\xe2\\x82")
        #expect(displayText(Array("é".utf8) + [0x80] + Array("é".utf8)) == "é\\x80é")
    }

    @Test func `folder, name, below`() {
        #expect(BytePath("/a/b/c.jpg").folder == BytePath("/a/b"))
        #expect(BytePath("/a").folder == BytePath("/"))
        #expect(BytePath("a").folder == BytePath("."))
        #expect(BytePath("/a/b/").name == Array("b".utf8))
        #expect(BytePath("/a/b").isBelow(BytePath("/a")))
        #expect(!BytePath("/ab").isBelow(BytePath("/a")))
        #expect(BytePath("/ab").isBelow(BytePath("/")))
    }
}

@Suite struct FileNameDateTests {
    @Test(arguments: [
        ("IMG_20240131_142536.jpg", "2024-01-31 14:25:36"),
        ("PXL_20240131_142536123.jpg", "2024-01-31 14:25:36"),
        ("2024-01-31 14.25.36.png", "2024-01-31 14:25:36"),
        ("signal-2024-01-31-142536.jpg", "2024-01-31 14:25:36"),
        ("20240131.jpg", "2024-01-31 0:0:0"), ("Screenshot 2024-02-29.png", "2024-02-29 0:0:0"),
        ("VID-19991231-WA0001.jpg", "1999-12-31 0:0:0"),
        ("Screenshot 2019-05-21 at 10.45.52.png", "2019-05-21 10:45:52"),
        ("Screen Shot 2019-05-21 at 3.05.09 PM.png", "2019-05-21 15:5:9"),
        ("Screenshot 2023-05-21 at 12.05.09\u{202F}AM.png", "2023-05-21 0:5:9"),
        ("WhatsApp Image 2020-11-30 at 09.08.07.jpeg", "2020-11-30 9:8:7"),
        ("Photo_2021_03_04_05_06_07.jpg", "2021-03-04 5:6:7"), ("20210304050607.jpg", "2021-03-04 5:6:7"),
        ("Screen Shot 2019-05-21 at 12.05.09 PM.png", "2019-05-21 12:5:9"),
        ("Screen Shot 2019-05-21 at 3.05.09 pm.png", "2019-05-21 15:5:9"),
        ("Screen Shot 2019-05-21 at 12.05.09 am.png", "2019-05-21 0:5:9"),
        ("Screenshot 2019-05-21 at 23.59.59.png", "2019-05-21 23:59:59"),
        ("19900101.jpg", "1990-01-01 0:0:0"), ("19891231.jpg", "1989-12-31 0:0:0"),
        ("1985-07-04 picnic.jpg", "1985-07-04 0:0:0"), ("1874-05-12.jpg", "1874-05-12 0:0:0"),
        ("1998-07 holiday.jpg", "1998-07-01 0:0:0"), ("1998-07 001.jpg", "1998-07-01 0:0:0"),
        ("1998-07.jpg", "1998-07-01 0:0:0"), ("1998-07 of 2001-02-03.jpg", "2001-02-03 0:0:0"),
    ])
    func `a date in a name is found`(name: String, expected: String) throws {
        let date = try #require(CivilDate(fileName: Array(name.utf8)))
        let day =
            "\(date.year)-\(date.month < 10 ? "0" : "")\(date.month)-\(date.day < 10 ? "0" : "")\(date.day)"
        #expect("\(day) \(date.hour):\(date.minute):\(date.second)" == expected)
    }

    @Test(arguments: [
        "DSC01234.jpg", "2023-02-29.jpg", "99999999.jpg", "123456789.jpg", "16000101.jpg", ".jpg", "",
        "IMG_1994_1024_2.jpg", "2021-03_04.jpg", "18991231.jpg", "21001231.jpg", "1998-13.jpg",
        "a 1998-07.jpg", "DSC_2012_11-10.jpg",
    ])
    func `and nothing else is taken for one`(name: String) {
        #expect(CivilDate(fileName: Array(name.utf8)) == nil)
    }
}

@Suite struct FileDateTests {
    @Test func `tomorrow is the last day that a name can tell`() {
        let now = CivilDate(year: 2024, month: 2, day: 28, hour: 23).instant()
        func date(_ name: String) -> CivilDate? { CivilDate(fileName: Array(name.utf8), now: now) }
        #expect(date("20240229.jpg") == CivilDate(year: 2024, month: 2, day: 29))
        #expect(date("20240301.jpg") == nil)
    }

    /// WhatsApp's names have a day, and the file its time.
    @Test(arguments: [
        ("IMG-20220528-WA0004.jpg", 1_653_738_315, "11:45:15"),
        ("IMG-20220528-WA0004.jpg", 1_653_782_400, "0:0:0"),
        ("20220528_093000.jpg", 1_653_738_315, "9:30:0"), ("2022-05 a.jpg", 1_653_738_315, "11:45:15"),
        ("2022-04 a.jpg", 1_653_738_315, "0:0:0"),
    ])
    func `a day in a name has the time of a file of that day`(name: String, seconds: Int64, time: String) {
        let date = FileDate(named: Array(name.utf8), mtimeNs: seconds * 1_000_000_000)
        #expect(date.source == .fileName)
        #expect("\(date.taken.hour):\(date.taken.minute):\(date.taken.second)" == time)
    }

    /// Files from a camera whose clock was lost, or from the far future of a file system.
    @Test(arguments: [10_413_792_000, 9_000_000_000_000, -9_300_000_000])
    func `a file's time counts as far as the file system goes`(seconds: Int) throws {
        let folder = try ScratchFolder()
        try folder.write(Data("x".utf8), to: "a.jpg")
        let path = BytePath(folder.url.appending(path: "a.jpg").path)
        let times = [timespec(tv_sec: seconds, tv_nsec: 0), timespec(tv_sec: seconds, tv_nsec: 0)]
        _ = unsafe path.withCString { path in
            unsafe times.withUnsafeBufferPointer { unsafe utimensat(AT_FDCWD, path, $0.baseAddress, 0) }
        }
        // What the file system made of it.
        var status = stat()
        #expect(unsafe path.withCString { unsafe stat($0, &status) } == 0)
        let found = try #require(FileFinder.find([path], filter: FileFilter()).files.first)
        let expected = CivilDate(Date(timeIntervalSince1970: Double(status.st_mtim.tv_sec)))
        #expect(found.date.taken.year == expected.year && found.date.taken.dayNumber == expected.dayNumber)
    }
}

/// Of a file as much is read as it takes.
@Suite struct PhotoReadingTests {
    /// Sparse: it takes no room on the disk, and would take all of the memory.
    private func sparse(_ head: [UInt8], size: Int, in folder: ScratchFolder) throws -> BytePath {
        try folder.write(Data(head), to: "file")
        let path = folder.url.appending(path: "file").path
        let result = unsafe truncate(path, off_t(size))
        #expect(result == 0)
        return BytePath(path)
    }

    @Test(arguments: [1 << 20, 3 << 30]) func `of a film the first 64 KB are read`(size: Int) throws {
        let folder = try ScratchFolder()
        let film = try sparse(
            [0, 0, 0, 24] + Array("ftypisom\0\0\u{2}\0isomavc1".utf8), size: size, in: folder)
        #expect(try readPhoto(film).count == 65_536)
    }

    @Test func `a photo larger than any is refused before it is read`() throws {
        let folder = try ScratchFolder()
        let photo = try sparse([0xFF, 0xD8, 0xFF], size: (2 << 30) + 1, in: folder)
        #expect(throws: FileError.tooLarge) { try readPhoto(photo) }
    }

    @Test func `what stands behind the end of a JPEG is left`() throws {
        let folder = try ScratchFolder()
        let gray = [UInt8](repeating: 99, count: 64 * 64 * 4)
        let jpeg = try #require(Image(width: 64, height: 64, rgba: gray)).jpeg(quality: 90)
        let photo = try sparse(jpeg, size: 100 << 20, in: folder)
        #expect(try readPhoto(photo) == jpeg)
        #expect(try streamed(photo, size: 100 << 20) == jpeg)
        // Where that is little, all of it is read: looking would take longer.
        let other = try sparse(jpeg, size: 1 << 20, in: folder)
        #expect(try readPhoto(other).count == 1 << 20)
        #expect(try streamed(other, size: 1 << 20).count == 1 << 20)
    }

    /// The photo, from a stream that has its bytes.
    private func streamed(_ path: BytePath, size: Int) throws -> [UInt8] {
        let file = try #require(FileHandle(forReadingAtPath: path.description))
        let reading = PhotoReading(size: size)
        var bytes: [UInt8] = []
        while let wanted = reading.count(after: bytes) {
            bytes += try #require(try file.read(upToCount: wanted - bytes.count))
        }
        return try reading.result(bytes).get()
    }

    @Test func `a file of any size up to 64 KB and beyond comes whole`() throws {
        let folder = try ScratchFolder()
        for size in [0, 1, 65_535, 65_536, 65_537, 200_000] {
            let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 * 7) }
            // PNG: a kind that is read with any traits.
            let photo = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + bytes
            try folder.write(Data(photo), to: "\(size)")
            #expect(try readPhoto(BytePath(folder.url.appending(path: "\(size)").path)) == photo, "\(size)")
        }
    }
}

@Suite struct FileFinderTests {
    @Test func `files come in the order of their bytes, hidden ones, exports and links stay out`() throws {
        let folder = try ScratchFolder()
        for name in [
            "b.jpg", "a/z.jpg", "a/B.jpg", ".hidden.jpg", ".git/x.jpg", "page/.moody-export", "page/1.jpg",
            "C.png",
        ] {
            let isMarker = name.hasSuffix(".moody-export")
            try folder.write(Data((isMarker ? "Written by moody" : "").utf8), to: name)
        }
        // Not moody's word: it leaves nothing out.
        try folder.write(Data("mine".utf8), to: "a/.moody-export")
        try FileManager.default.createSymbolicLink(
            at: folder.url.appending(path: "loop"), withDestinationURL: folder.url)
        var filter = FileFilter()
        func names() -> [String] {
            FileFinder.find([BytePath(folder.url.path)], filter: filter).files.map {
                String($0.shown.description.dropFirst(folder.url.path.count + 1))
            }
        }
        #expect(names() == ["C.png", "a/B.jpg", "a/z.jpg", "b.jpg"])
        filter.includesHidden = true
        #expect(
            names() == [
                ".git/x.jpg", ".hidden.jpg", "C.png", "a/.moody-export", "a/B.jpg", "a/z.jpg", "b.jpg",
            ])
        filter = FileFilter()
        filter.followsLinks = true
        #expect(names() == ["C.png", "a/B.jpg", "a/z.jpg", "b.jpg"], "the loop ends")
        filter.exclude = [Glob("a/")]
        #expect(names() == ["C.png", "b.jpg"])
        filter.include = [Glob("*.jpg")]
        #expect(names() == ["b.jpg"])
    }

    @Test func `what is named twice counts once, what is not there is a problem`() throws {
        let folder = try ScratchFolder()
        try folder.write(Data(), to: "a.jpg")
        let root = BytePath(folder.url.path), file = root.appending(Array("a.jpg".utf8))
        let found = FileFinder.find([file, root, BytePath("/nowhere/x.jpg")], filter: FileFilter())
        #expect(found.files.map(\.isNamed) == [true])
        #expect(found.searched == [try root.resolved()])
        #expect(found.problems.map(\.error) == [FileError(code: ENOENT)])
    }

    /// A watcher tells of a folder that came, or of a file in one.
    @Test(arguments: ["new", "new/deep", "new/deep/a.jpg"])
    func `what changed is shown as the user would write it`(changed: String) throws {
        let folder = try ScratchFolder()
        try folder.write(Data(), to: "photos/new/deep/a.jpg")
        let path = try BytePath(folder.url.appending(path: "photos").path).resolved()
        let found = FileFinder.find(
            changed: [BytePath(path.description + "/" + changed)],
            below: [FoundFolder(path: path, shown: BytePath("Photos"))], filter: FileFilter(), skipping: [])
        #expect(found.files.map(\.shown.description) == ["Photos/new/deep/a.jpg"])
    }

    /// A store's name ends before its last dot.
    @Test func `the folder of a store is that of its name`() throws {
        let folder = try ScratchFolder()
        try folder.write(Data("SQLite format 3\0".utf8), to: "a.b.moody")
        try folder.write(Data("SQLite format 3\0".utf8), to: "plain")
        let files = StoreFiles(open: [])
        for (name, isSupport) in [
            (".a.b_SUPPORT", true), (".plain_SUPPORT", true), (".a_SUPPORT", false), ("a.b_SUPPORT", false),
            (".a.b.moody_SUPPORT", false), ("._SUPPORT", false),
        ] {
            let path = BytePath(folder.url.path + "/" + name)
            #expect(files.isSupport(path) == isSupport, "\(name)")
        }
    }

    @Test func `a FIFO is refused without waiting for a writer`() throws {
        let folder = try ScratchFolder()
        let path = folder.url.appending(path: "pipe.jpg").path
        let made = unsafe mkfifo(path, 0o600)
        #expect(made == 0)
        #expect(throws: FileError.notRegular) { try readFile(BytePath(path)) }
        #expect(throws: FileError(code: EISDIR)) { try readFile(BytePath(folder.url.path)) }
    }
}
