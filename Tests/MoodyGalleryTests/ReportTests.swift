import DataStacks
import Foundation
import ManagedObjects
import Palettes
import Synchronization
import Testing

@testable import MoodyGallery
@testable import MoodyModel

@Suite struct ReportTests {
    private let stack: DataStack

    init() throws {
        stack = DataStack(model: try .moody())
        try stack.addInMemoryStorage()
    }

    private func keep(_ name: String, day: Int, red: UInt8 = 200, offset: Int? = 540) throws {
        let source = source(name, day: day, red: red, offset: offset)
        try stack.performAndWait { _ = try $0.importUniqueObject(Photo.self, from: source) }
    }

    /// Nepal, Newfoundland, the Marquesas; RFC 3339, section 5.6.
    @Test(arguments: [
        (345, "+05:45"), (-210, "-03:30"), (-570, "-09:30"), (0, "+00:00"), (-30, "-00:30"), (840, "+14:00"),
        (nil, ""),
    ])
    func `a date is the photographer's clock and its offset to the minute`(offset: Int?, zone: String) throws
    {
        try keep("1.jpg", day: 1, offset: offset)
        let dates = try stack.reader.performAndWait { context in
            try context.fetch(FetchRequest<Mood>()).map { MoodRecord($0).dateText }
        }
        #expect(dates == ["2024-01-01T23:30:00" + zone])
    }

    /// A slash and an accent behind it are one character, and yet two parts of a path.
    @Test func `a name that begins with an accent is no part of its folder's`() throws {
        try keep("\u{301}.jpg", day: 1)
        let records = try stack.reader.performAndWait { context in
            try context.fetch(FetchRequest<Mood>()).map { MoodRecord($0) }
        }
        #expect(records.map { Array("/photos/\($0.name)".utf8) } == records.map { Array($0.path.utf8) })
        #expect(records.count == 1 && records[0].name != records[0].path)
    }

    /// C-5: the list of before, and what was reported, give the list of after.
    @Test func `the change report applied to the list of before gives the list of after`() throws {
        for day in [3, 9, 5] { try keep("\(day).jpg", day: day) }
        var list = try lines()
        let heard = Mutex<[[MoodChange]]>([])
        let report = try ChangeReport(in: stack) { changes in heard.withLock { $0.append(changes) } }
        try keep("1.jpg", day: 1)
        try keep("7.jpg", day: 7)
        try keep("9.jpg", day: 2)
        try keep("5.jpg", day: 5, red: 10)
        try stack.performAndWait { transaction in
            for mood in try transaction.fetchAll(FetchRequest(\Mood.photo?.path == "/photos/3.jpg")) {
                mood.photo?.remove(in: transaction)
            }
        }
        report.stop()
        for batch in heard.withLock({ $0 }) { apply(batch, to: &list) }
        #expect(try lines() == list)
        #expect(list.count == 4)
        let signs = heard.withLock { $0.map { $0.map { $0.sign } } }
        #expect(signs == [["+"], ["+"], [">"], ["~"], ["-"]])
        let gone = heard.withLock { $0.last?.first?.record?.path }
        #expect(gone == "/photos/3.jpg", "a deleted mood's record is what it was")
    }

    private func apply(_ changes: [MoodChange], to list: inout [String]) {
        for index in changes.compactMap({ $0.kind == .update ? nil : $0.from }).sorted(by: >) {
            list.remove(at: index)
        }
        for change in changes.filter({ $0.kind != .update && $0.to != nil }).sorted(by: { $0.to! < $1.to! }) {
            list.insert(change.record?.json.text ?? "?", at: change.to!)
        }
        for change in changes where change.kind == .update {
            list[change.to!] = change.record?.json.text ?? "?"
        }
    }

    /// Moods are read some hundred at a time.
    @Test func `of hundreds of moods each is in the list once, and each section is told once`() throws {
        let counts = [290, 256, 3]
        try stack.performAndWait { transaction in
            for (month, count) in zip(1..., counts) {
                for number in 0..<count {
                    let name = "\(month)-\(1_000 + number).jpg"
                    let photo = source(name, day: 1 + number % 28, red: 9, offset: nil, month: month)
                    _ = try transaction.importNewObject(Photo.self, from: photo)
                }
            }
        }
        var list = MoodList(by: .path, isDescending: false), names: [String] = []
        try list.forEach(in: stack) { names += $0.map(\.name) }
        #expect(names == zip(1..., counts).flatMap { m, c in (0..<c).map { "\(m)-\(1_000 + $0).jpg" } })
        for isDescending in [false, true] {
            (list.isDescending, list.section) = (isDescending, .month)
            let snapshot = try MoodSnapshot(of: list, in: stack)
            var heads: [String] = [], found = [0, 0, 0], ids: [ManagedObjectID] = []
            try snapshot.forEach(in: stack) { index, section, records in
                if let section { heads.append("\(index) \(section.name) \(section.count)") }
                found[index] += records.count
                ids += records.map(\.objectID)
            }
            let months = ["2024-01", "2024-02", "2024-03"], order = isDescending ? [2, 1, 0] : [0, 1, 2]
            #expect(heads == order.enumerated().map { "\($0) \(months[$1]) \(counts[$1])" })
            #expect(found == order.map { counts[$0] } && ids == snapshot.ids && Set(ids).count == 549)
        }
    }

    @Test(arguments: [(1, "0001"), (826, "0826"), (1826, "1826"), (9999, "9999")])
    func `a year has four digits`(year: Int, digits: String) throws {
        let photo = source("a.jpg", day: 2, red: 9, offset: nil, year: year)
        try stack.performAndWait { _ = try $0.importNewObject(Photo.self, from: photo) }
        try MoodList().forEach(in: stack) { records in
            #expect(records.map(\.dayText) == [digits + "-01-02"])
            #expect(records.map(\.dateText) == [digits + "-01-02T23:30:00"])
        }
    }

    @Test func `a photo below the root has one slash in its path`() throws {
        var photo = source("a.jpg", day: 2, red: 9, offset: nil)
        photo.location = FileLocation(folder: Data("/".utf8), name: Data("a.jpg".utf8), path: "/a.jpg")
        let root = photo
        try stack.performAndWait { _ = try $0.importNewObject(Photo.self, from: root) }
        try MoodList().forEach(in: stack) { records in
            #expect(records.map(\.photoPath) == [PhotoPath(bytes: Array("/a.jpg".utf8), shown: "/a.jpg")])
        }
    }

    /// Another process that deletes a mood leaves nothing to read of it.
    @Test func `a mood that another process deletes is told as it was shown last`() throws {
        try keep("1.jpg", day: 1)
        try keep("2.jpg", day: 2)
        var records: [MoodRecord] = []
        try MoodList(by: .id, isDescending: false).forEach(in: stack) { records += $0 }
        try keep("2.jpg", day: 3)
        var later: [MoodRecord] = []
        try MoodList(by: .id, isDescending: false).forEach(in: stack) { later += $0 }
        let shown = ShownMoods()
        shown.add([records[0]])
        func told(_ kind: MoodChange.Kind, _ mood: MoodRecord, knows: Bool = true) -> MoodRecord? {
            let change = MoodChange(
                kind: kind, objectID: mood.objectID, from: 0, to: 0, record: knows ? mood : nil, batch: 1)
            return shown.completed([change]).first?.record
        }
        #expect(told(.delete, records[0], knows: false) == records[0])
        #expect(told(.insert, records[1]) == records[1] && told(.move, later[1]) == later[1])
        #expect(records[1] != later[1] && told(.delete, records[1], knows: false) == later[1])
        #expect(told(.delete, records[1], knows: false) == nil)
    }

    private func lines() throws -> [String] {
        var lines: [String] = []
        try MoodList().forEach(in: stack) { lines += $0.map(\.json.text) }
        return lines
    }

    @Test func `a list comes in the order that is asked for, and no longer than that`() throws {
        for (name, day) in [("b.jpg", 3), ("a.jpg", 9), ("c.jpg", 5)] { try keep(name, day: day) }
        func names(_ list: MoodList) throws -> [String] {
            var names: [String] = []
            try list.forEach(in: stack) { names += $0.map(\.name) }
            return names
        }
        #expect(try names(MoodList()) == ["a.jpg", "c.jpg", "b.jpg"])
        #expect(try names(MoodList(by: .date, isDescending: false)) == ["b.jpg", "c.jpg", "a.jpg"])
        #expect(try names(MoodList(by: .path, isDescending: false)) == ["a.jpg", "b.jpg", "c.jpg"])
        #expect(try names(MoodList(by: .id, isDescending: false)) == ["b.jpg", "a.jpg", "c.jpg"])
        #expect(try names(MoodList(by: .id, isDescending: true)) == ["c.jpg", "a.jpg", "b.jpg"])
        #expect(try names(MoodList(limit: 2)) == ["a.jpg", "c.jpg"])
        #expect(try MoodList().count(in: stack) == 3)
    }

    @Test(arguments: 1...4) func `of copies as many are listed as are asked for`(limit: Int) throws {
        for (name, day) in [("b.jpg", 3), ("a.jpg", 9), ("c.jpg", 5)] { try keep(name, day: day) }
        // The newest of all is no copy.
        try stack.performAndWait { transaction in
            var other = source("d.jpg", day: 20, red: 9, offset: 0)
            other.contentHash = Data(repeating: 8, count: 16)
            _ = try transaction.importUniqueObject(Photo.self, from: other)
        }
        var list = MoodList(limit: limit), names: [String] = []
        list.isDuplicatesOnly = true
        try list.forEach(in: stack) { names += $0.map(\.name) }
        #expect(names == Array(["a.jpg", "c.jpg", "b.jpg"].prefix(limit)))
    }

    private func firstLine(width: Int, depth: ColorDepth) throws -> String {
        var records: [MoodRecord] = []
        try MoodList().forEach(in: stack) { records += $0 }
        var lines = try MoodLines(of: stack, depth: depth)
        lines.width = width
        return lines.lines(records)[0]
    }

    /// A number, a day and their spaces are 19 columns, a bar 26, and a path has at least 24.
    @Test(arguments: [(68, false), (69, true), (70, true)])
    func `a bar stands in front of a path that has room`(width: Int, hasBar: Bool) throws {
        try keep(String(repeating: "n", count: 80) + ".jpg", day: 31)
        let line = try firstLine(width: width, depth: .full)
        #expect(line.contains("\u{258C}") == hasBar)
        let shown = line.replacing(/\u{1B}\[[0-9;]*m/, with: "")
        #expect(TextWidth.columns(shown) == width, "\(shown)")
    }

    /// Letters of two columns each.
    @Test(arguments: [79, 80, 81, 120]) func `a line of a wide name fits into the terminal`(width: Int) throws
    {
        try keep(String(repeating: "\u{5E83}", count: 40) + ".jpg", day: 31)
        let line = try firstLine(width: width, depth: .none)
        // Cut where there is no room for all of it, between letters of two columns.
        let whole = 19 + 80 + 4
        #expect((min(width, whole) - 1...width).contains(TextWidth.columns(line)), "\(line)")
        #expect(line.hasSuffix("\u{5E83}.jpg"), "\(line)")
    }

    private func records(_ photos: [(name: String, folder: String, colors: [String])]) throws -> [MoodRecord]
    {
        let facts = CaptureInfo(
            taken: CivilDate(year: 2024, month: 1, day: 1), offset: nil, source: .original, width: 3,
            height: 2)
        try stack.performAndWait { transaction in
            for (number, photo) in photos.enumerated() {
                let swatches = photo.colors.map { (hex: $0, share: 1 / Double(photo.colors.count)) }
                try transaction.importPhoto(photo.name, in: photo.folder, number: number, of: swatches, facts)
            }
        }
        var records: [MoodRecord] = []
        try MoodList(by: .id, isDescending: false).forEach(in: stack) { records += $0 }
        return records
    }

    /// By their bytes `/p/a-b` lies between `/p/a` and `/p/a/c`, which are both in `/p/a`.
    @Test func `paths begin below a folder that holds all photos`() throws {
        let records = try records(
            ["/p/a", "/p/a-b", "/p/a/c"].map { (name: "x.jpg", folder: $0, colors: ["#336699"]) })
        var lines = try MoodLines(of: stack, depth: .none)
        #expect(
            lines.lines(records)
                == ["a/x.jpg", "a-b/x.jpg", "a/c/x.jpg"].enumerated().map {
                    "    \($0 + 1)  2024-01-01  #336699  \($1)"
                })
    }

    @Test func `lines that come later stand below those with more colors`() throws {
        let records = try records([
            (name: "a.jpg", folder: "/p", colors: ["#ff0000", "#00ff00", "#0000ff"]),
            (name: "b.jpg", folder: "/p", colors: ["#336699"]),
        ])
        var lines = try MoodLines(of: stack, depth: .none)
        let all = lines.lines([records[0]]) + lines.lines([records[1]])
        #expect(
            all == [
                "    1  2024-01-01  #ff0000 #00ff00 #0000ff  a.jpg",
                "    2  2024-01-01  #336699                  b.jpg",
            ])
    }

    @Test func `a photo is shown on the day it was taken on, in its own zone`() throws {
        try keep("a.jpg", day: 31)
        var records: [MoodRecord] = []
        try MoodList().forEach(in: stack) { records += $0 }
        #expect(records[0].dayText == "2024-01-31")
        #expect(records[0].dateText == "2024-01-31T23:30:00+09:00")
        var lines = try MoodLines(of: stack, depth: .none)
        #expect(lines.lines([records[0]]) == ["    1  2024-01-31  #c80000 #0000ff  a.jpg"])
        var rows: [MoodRow] = []
        try MoodList().forEachRow(in: stack, PagePrivacy(showsPaths: true, showsPlaces: true)) {
            rows += $0.map(\.0)
        }
        #expect(rows[0].day == 20_240_131 && rows[0].time == "23:30")
        #expect(rows[0].thumbnail == [1, 2, 3])
        #expect(rows[0].swatches.map(\.share) == [0.75, 0.25])
    }

    @Test(arguments: 40...100 as ClosedRange<Int>)
    func `a line of a photo that is gone or cannot be read fits into the terminal, with its mark`(width: Int)
        throws
    {
        let name = String(repeating: "long name ", count: 12) + "end.jpg"
        try keep(name, day: 31)
        for (isMissing, mark) in [(true, "d.jpg  (missing)"), (false, "d.jpg  (unreadable)")] {
            try stack.performAndWait { transaction in
                for photo in try transaction.fetchAll(FetchRequest<Photo>()) {
                    isMissing ? photo.markMissing() : photo.setState(.failed, failure: "cut")
                }
            }
            let line = try firstLine(width: width, depth: .none)
            #expect(TextWidth.columns(line) <= width && line.hasSuffix(mark), "\(line)")
        }
    }

    @Test func `a live row has a sharp picture beyond 320 pixels and a large one beyond 640`() throws {
        let sides = [(320, 200), (321, 200), (200, 640), (641, 640)]
        for (number, (width, height)) in sides.enumerated() {
            var photo = source("\(number).jpg", day: number + 1, red: 200, offset: nil)
            if case .kept(var mood) = photo.result {
                (mood.facts.width, mood.facts.height) = (Int32(width), Int32(height))
                photo.result = .kept(mood)
            }
            let source = photo
            try stack.performAndWait { _ = try $0.importUniqueObject(Photo.self, from: source) }
        }
        var has: [Int?] = []
        try MoodList(by: .id, isDescending: false).forEach(in: stack) { records in
            for record in records {
                let json = Data(LiveRow.json(record, PagePrivacy()))
                has.append((try JSONSerialization.jsonObject(with: json) as? [Any])?[12] as? Int)
            }
        }
        #expect(has == [1, 3, 3, 7], "1 for a picture, 2 for a sharp one, 4 for a large one")
    }

    /// ISO 6709's letters: Santiago, Greenwich at sea, Tokyo.
    @Test(arguments: [
        (-33.45, -70.66667, "33.45° S 70.6667° W"), (51.5, 0, "51.5° N 0.0° E"),
        (35.68, 139.77, "35.68° N 139.77° E"),
    ])
    func `a place is north or south and east or west`(latitude: Double, longitude: Double, text: String)
        throws
    {
        var photo = source("a.jpg", day: 1, red: 200, offset: nil)
        if case .kept(var mood) = photo.result {
            (mood.facts.latitude, mood.facts.longitude) = (latitude, longitude)
            photo.result = .kept(mood)
        }
        let kept = photo
        try stack.performAndWait { _ = try $0.importUniqueObject(Photo.self, from: kept) }
        var places: [String] = []
        try MoodList().forEachRow(in: stack, PagePrivacy(showsPlaces: true)) { places += $0.map(\.0.place) }
        #expect(places.count == 1 && places[0].hasPrefix(text), "\(places)")
        var records: [MoodRecord] = []
        try MoodList().forEach(in: stack) { records += $0 }
        let hidden = records[0].json(PagePrivacy()).text
        #expect(!hidden.contains("\"place\"") && !hidden.contains("\"country\""))
        let shown = records[0].json(PagePrivacy(showsPlaces: true)).text
        #expect(shown.contains("\"place\"") && shown.contains("\"country\""))
    }

    @Test func `a folder's name as a section steers no terminal`() throws {
        let facts = CaptureInfo(
            taken: CivilDate(year: 2024, month: 1, day: 1), offset: nil, source: .original, width: 3,
            height: 2)
        try stack.performAndWait { transaction in
            try transaction.importPhoto(
                "a.jpg", in: "/p\u{1B}[2J\u{202E}\u{2028}é", number: 1, of: [("#336699", 1)], facts)
        }
        var list = MoodList(by: .path, isDescending: false)
        list.section = .folder
        let sections = try MoodSnapshot(of: list, in: stack).sections
        #expect(sections?.map(\.name) == ["/p\u{FFFD}[2J\u{FFFD}\u{FFFD}é"])
    }

    @Test func `an order is a key, with asc or desc behind a colon or a minus in front`() {
        for text in ["date", "path", "id", "date:asc", "path:desc", "-id"] {
            #expect(MoodList(sort: text) != nil, "\(text)")
        }
        for text in ["", ":", "-", "day", "date:", "date:up", ":asc", "id:asc:desc", "-id:asc", "--id"] {
            #expect(MoodList(sort: text) == nil, "\(text)")
        }
    }

    @Test func `a day of a filter is ten characters, digits and hyphens`() throws {
        for day in ["2024-05-31", "0001-01-01", "9999-12-31"] { _ = try MoodFilter("day == \"\(day)\"") }
        for text in [
            "2024-+5-31", "+024-05-31", "2024-05-+1", "2024-5-31", "2024-02-30", "2024-05-3１", "24-05-31", "",
        ] {
            for key in ["day", "date"] {
                let error = #expect(throws: FetchError.self) { try MoodFilter("\(key) >= \"\(text)\"") }
                #expect("\(error.map { "\($0)" } ?? "")".contains("is no day such as 2024-05-31"), "\(text)")
            }
        }
    }

    /// RFC 8259; the two separators besides, which JavaScript of old took for new lines.
    @Test func `texts are quoted so that any JSON reader reads them back`() throws {
        let text = "a\"b\\c\nd\r\te\u{0}f\u{1F}g\u{2028}h\u{1F3A8}"
        let json = JSON.object([
            ("t", .string(text)), ("n", 1), ("r", .real(0.1)), ("w", .real(2)), ("x", .real(.nan)),
        ])
        #expect(!json.text.contains("\n"))
        let read = try JSONSerialization.jsonObject(with: Data(json.text.utf8)) as? [String: Any]
        #expect(read?["t"] as? String == text)
        #expect(json.text.hasSuffix("\"n\":1,\"r\":0.1,\"w\":2,\"x\":null}"))
    }

    @Test(arguments: [
        [1.0], [0.5, 0.5], [0.9, 0.05, 0.03, 0.02], [0.999, 0.001], [0, 0, 0],
        Array(repeating: 0.125, count: 8),
    ])
    func `a bar's widths fill it in proportion, and none is left out`(shares: [Double]) {
        let widths = PaletteBar.widths(shares, total: 48)
        #expect(widths.reduce(0, +) == 48)
        #expect(widths.allSatisfy { $0 >= 1 })
        let sum = shares.reduce(0, +)
        for (width, share) in zip(widths, shares) where sum > 0 {
            #expect(abs(Double(width) - share / sum * 48) <= Double(shares.count))
        }
    }
}

private func source(
    _ name: String, day: Int, red: UInt8, offset: Int?, month: Int = 1, year: Int = 2024
) -> PhotoImport {
    let palette = Palette(entries: [
        .init(color: RGB(red: red, green: 0, blue: 0), share: 0.75),
        .init(color: RGB(red: 0, green: 0, blue: 255), share: 0.25),
    ])
    let facts = CaptureInfo(
        taken: CivilDate(year: year, month: month, day: day, hour: 23, minute: 30), offset: offset,
        source: .original, width: 40, height: 30)
    return PhotoImport(
        location: FileLocation(folder: Data("/photos".utf8), name: Data(name.utf8), path: "/photos/\(name)"),
        file: FileStamp(size: 1, mtimeNs: Int64(red), inode: 3), contentHash: Data(repeating: 7, count: 16),
        seen: Date(timeIntervalSince1970: 0),
        result: .kept(
            MoodSource(
                palette: palette, request: PaletteRequest(mode: .area, count: 5), facts: facts,
                thumbnail: Data([1, 2, 3]), preview: nil)))
}
