import DataStacks
import Foundation
import MoodyModel
import Palettes
import Synchronization
import Testing

@testable import MoodyGallery

/// What programs read: the path that the file has, whatever it is, and all of the date.
@Suite struct PhotoPathTests {
    /// Names that people are shown escaped, and two that they are shown alike.
    private static let names = [
        "plain.jpg", "a\nb.jpg", "a\\nb.jpg", "tab\t.jpg", "esc\u{1B}[31m.jpg", "\u{202E}gpj.exe",
        "نی\u{200C}ها.jpg",
        "👩\u{200D}👧.jpg", "quote\".jpg", "back\\slash.jpg", "del\u{7F}\u{85}.jpg", "e\u{301}.jpg", "é.jpg",
        "\u{FFFD}.jpg", "line\u{2028}.jpg",
    ]

    private func path(_ name: some Sequence<UInt8>) -> PhotoPath {
        PhotoPath(bytes: Array("/photos/".utf8) + name, shown: "/photos/shown")
    }

    private func fields(_ path: PhotoPath) throws -> [String: String] {
        let text = JSON.object(path.json).text
        #expect(!text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F || $0.value == 0x202E })
        return try JSONDecoder().decode([String: String].self, from: Data(text.utf8))
    }

    @Test(arguments: names)
    func `a path in JSON is the file's own, whatever characters it has`(name: String) throws {
        let read = try fields(path(name.utf8))
        // By scalars: two ways to write é are two files.
        #expect(read["path"]?.unicodeScalars.elementsEqual("/photos/\(name)".unicodeScalars) == true)
        #expect(read.count == 1, "bytes stand there only for what is not UTF-8")
    }

    @Test(
        arguments: [
            ([0x61, 0xFF], "a\u{FFFD}", "L3Bob3Rvcy9h/w=="), ([0xE9, 0x2E], "\u{FFFD}.", "L3Bob3Rvcy/pLg=="),
            ([0xED, 0xA0, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}", "L3Bob3Rvcy/toIA="),
        ] as [([UInt8], String, String)])
    func `a path that is not UTF-8 has its bytes beside it`(name: [UInt8], text: String, base64: String)
        throws
    {
        let read = try fields(path(name))
        #expect(read == ["path": "/photos/" + text, "pathBytes": base64])
        #expect(path(name).cell == .text("/photos/shown"))
        #expect(Data(base64Encoded: base64) == Data("/photos/".utf8) + name)
    }

    @Test func `a path in a table is the file's own, too`() {
        for name in Self.names { #expect(path(name.utf8).cell == .text("/photos/\(name)")) }
        let palette = Palette(entries: [.init(color: .white, share: 1)])
        let odd = PhotoPath(bytes: Array("=a\nb.jpg".utf8), shown: "=a\\nb.jpg")
        #expect(
            PaletteTable.photo(odd, width: 1, height: 1, palette)
                == "\"'=a\nb.jpg\",1,1,1,#ffffff,1,1,0,0,white,\r\n")
    }

    @Test func `lists and change reports name files by their own paths, people see others`() throws {
        let stack = DataStack(model: try .moody())
        try stack.addInMemoryStorage()
        let heard = Mutex<[String]>([])
        let report = try ChangeReport(in: stack) { changes in
            heard.withLock { $0 += changes.map(\.json.text) }
        }
        for name in [Data("a\nb.jpg".utf8), Data("a\\nb.jpg".utf8), Data([0xFF])] {
            try stack.keep(name, shown: "/photos/a\\nb.jpg")
        }
        report.stop()
        var lists: [String] = [], tables: [String] = [], pages: [String] = []
        try MoodList(by: .id, isDescending: false).forEach(in: stack) { records in
            lists += records.map(\.json.text)
            tables += records.map({ PaletteTable.mood($0) })
            #expect(records.prefix(2).allSatisfy { $0.path == "/photos/a\\nb.jpg" && $0.name == "a\\nb.jpg" })
        }
        try MoodList().forEachRow(in: stack, PagePrivacy(showsPaths: true)) { pages += $0.map(\.0.path) }
        for texts in [lists, heard.withLock { $0 }] {
            #expect(texts.count == 3)
            #expect(texts[0].contains(#""path":"/photos/a\nb.jpg","date""#))
            #expect(texts[1].contains(#""path":"/photos/a\\nb.jpg","date""#))
            #expect(
                texts[2].contains("\"path\":\"/photos/\u{FFFD}\",\"pathBytes\":\"L3Bob3Rvcy//\",\"date\""))
        }
        #expect(tables[0].hasPrefix("1,\"/photos/a\nb.jpg\","))
        #expect(tables[1].hasPrefix("2,/photos/a\\nb.jpg,") && tables[2].hasPrefix("3,/photos/\\xff,"))
        #expect(pages == ["/photos/a\\nb.jpg", "/photos/a\\nb.jpg", "/photos/\\xff"])
    }

    @Test(arguments: [
        (0, ""), (630_000_000, ".63"), (7_000_000, ".007"), (123_456_000, ".123456"), (1_000, ".000001"),
        (400, ""), (999_999_400, ".999999"), (500_000_000, ".5"),
    ])
    func `a date has as much of a second as the photo says`(nanosecond: Int, fraction: String) throws {
        let stack = DataStack(model: try .moody())
        try stack.addInMemoryStorage()
        try stack.keep(Data("a.jpg".utf8), shown: "/photos/a.jpg") { $0.nanosecond = nanosecond }
        var texts: [String] = []
        try MoodList().forEach(in: stack) { texts += $0.flatMap { [$0.json.text, PaletteTable.mood($0)] } }
        let date = "2024-06-28T23:59:59\(fraction)+09:00"
        #expect(texts[0].contains("\"date\":\"\(date)\"") && texts[1].contains(",\(date),2024-06-28,"))
    }

    /// <https://owasp.org/www-community/attacks/CSV_Injection>
    @Test(arguments: ["=1+1", "+1", "-2+3", "@SUM(1)", "\t=1", "\r=1"])
    func `no text of a photo runs as a formula in any column of its table`(text: String) throws {
        let stack = DataStack(model: try .moody())
        try stack.addInMemoryStorage()
        try stack.keep(Data("a.jpg".utf8), shown: "/photos/a.jpg", camera: text)
        var lines: [String] = []
        try MoodList().forEach(in: stack) { lines += $0.map({ PaletteTable.mood($0) }) }
        let cell = text == "\r=1" ? "\"'\r=1\"" : "'" + text
        // Control characters of a camera's name are shown as escapes, and a backslash begins no formula.
        let camera = ["\t=1": "\\t=1", "\r=1": "\\r=1"][text] ?? cell
        #expect(lines[0].contains(",,,\(camera),false,1,#c80000,"))
        let path = PhotoPath(bytes: Array(text.utf8), shown: text)
        let palette = Palette(entries: [.init(color: .white, share: 1)])
        #expect(PaletteTable.photo(path, width: 1, height: 1, palette).hasPrefix(cell + ",1,1,"))
    }
}

extension DataStack {
    fileprivate func keep(
        _ name: Data, shown: String, camera: String? = nil, taken change: (inout CivilDate) -> Void = { _ in }
    ) throws {
        var taken = CivilDate(year: 2024, month: 6, day: 28, hour: 23, minute: 59, second: 59)
        change(&taken)
        let palette = Palette(entries: [.init(color: RGB(red: 200, green: 0, blue: 0), share: 1)])
        let mood = MoodSource(
            palette: palette, request: PaletteRequest(mode: .area, count: 5),
            facts: CaptureInfo(
                taken: taken, offset: 540, source: .original, width: 4, height: 3, camera: camera),
            thumbnail: Data([1]), preview: nil)
        let source = PhotoImport(
            location: FileLocation(folder: Data("/photos".utf8), name: name, path: shown),
            file: FileStamp(size: 1, mtimeNs: 2, inode: 3), contentHash: nil,
            seen: Date(timeIntervalSince1970: 0), result: .kept(mood))
        try performAndWait { _ = try $0.importUniqueObject(Photo.self, from: source) }
    }
}
