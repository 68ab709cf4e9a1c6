import DataStacks
import Foundation
import Images
import ManagedObjects
import Palettes
import TestSupport
import Testing

@testable import MoodyIngest
@testable import MoodyModel

/// Imports of many records, seen by plain SQL.
@Suite struct RecordImportTests {
    private let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    private func url(_ name: String) -> URL { folder.url.appending(path: name) }

    private func sql(_ text: String, _ name: String) throws -> String {
        let process = Process(), pipe = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["sqlite3", url(name).path, text]
        process.standardOutput = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return String(decoding: output, as: UTF8.self)
    }

    private func indexes(_ name: String) throws -> String {
        try sql("SELECT name, sql FROM sqlite_master WHERE type = 'index' ORDER BY 1", name)
    }

    private static let swatchIndex = "Z_Swatch_byHueBinAndShare"

    private func stack(_ name: String) throws -> DataStack {
        let stack = DataStack(model: try .moody())
        try stack.addStorage(sqlite: url(name))
        return stack
    }

    private func writeRecords(_ numbers: Range<Int>, to name: String) throws {
        var lines = Data()
        for number in numbers {
            let colors = [(40 * number) % 255, 200].map { level in
                [
                    "hex": "#" + String(0x100_0000 | level << 16 | 0x3366, radix: 16).suffix(6), "share": 0.5,
                    "lightness": 0.5, "a": 0.0, "b": 0.0, "name": "blue",
                ] as [String: Any]
            }
            let record: [String: Any] = [
                "v": 1, "path": "photos/\(number).jpg", "size": 9, "mtimeNs": 5, "algorithm": 8, "count": 2,
                "mode": "representative", "width": 3, "height": 2, "taken": "2024-05-06T07:08:09",
                "dateSource": "original", "colors": colors, "notes": [String](),
                "contentHash": String(repeating: "0a", count: 14) + String(1000 + number),
            ]
            lines += try JSONSerialization.data(withJSONObject: record) + Data("\n".utf8)
        }
        try folder.write(lines, to: name)
    }

    /// - Parameter looking: called after each transaction.
    private func load(
        _ records: String, into stack: DataStack, many: Int, runBytes: Int = 64 << 20,
        under root: String? = nil,
        until isStopped: @escaping () -> Bool = { false },
        looking: (Int) throws -> Void = { _ in }
    ) throws -> RecordImport.Report {
        var all = RecordImport(
            besideStoreIn: BytePath(folder.url.path),
            roots: root.map { [(Array("photos".utf8), Array($0.utf8))] } ?? [],
            runBytes: runBytes, many: many,
            isStopped: isStopped,
            onWrongLine: { Issue.record("\($0):\($1): \($2)") })
        let file = try FileHandle(forReadingFrom: url(records))
        try all.read(file.fileDescriptor, named: records)
        return try all.write(to: { _ in stack }, onProgress: { try? looking($0) })
    }

    @Test func `a store of many records has the rows and indexes of one that grew record by record`() throws {
        try writeRecords(0..<300, to: "records")
        var seen: [String] = []
        for (name, many) in [("late.moody", 300), ("soon.moody", 301)] {
            let stack = try stack(name), before = try indexes(name)
            #expect(before.contains(Self.swatchIndex) && before.contains("Z_Photo_byContentHash"))
            let report = try load(
                "records", into: stack, many: many,
                looking: { _ in
                    let meanwhile = try indexes(name)
                    seen.append(meanwhile.contains(Self.swatchIndex) ? "indexed" : "bare")
                    // What holds a constraint or leads from row to row is never missing.
                    #expect(meanwhile.contains("Z_Photo_UNIQUE_folder_name"))
                    #expect(meanwhile.contains("ZSWATCH_ZMOOD_INDEX"))
                })
            #expect(report.new == 300)
            #expect(try indexes(name) == before && sql("PRAGMA integrity_check", name) == "ok\n")
            // A store that has as many photos keeps its indexes.
            seen.append("again")
            _ = try load(
                "records", into: stack, many: many,
                looking: { _ in
                    seen.append(try indexes(name).contains(Self.swatchIndex) ? "indexed" : "bare")
                })
            try stack.coordinator.close()
        }
        #expect(
            seen == [
                "bare", "bare", "again", "indexed", "indexed", "indexed", "indexed", "again", "indexed",
                "indexed",
            ])
        let rows = """
            SELECT p.ZNAME, m.Z_PK, s.ZHUEBIN, s.ZSHARE, s.ZL, s.ZA, s.ZB
            FROM ZSWATCH s JOIN ZMOOD m ON m.Z_PK = s.ZMOOD JOIN ZPHOTO p ON p.Z_PK = m.ZPHOTO
            ORDER BY 2, s.Z_PK
            """
        let late = try sql(rows, "late.moody")
        #expect(try late == sql(rows, "soon.moody") && late.split(separator: "\n").count == 600)
    }

    /// Records that do not fit into memory are sorted in runs beside the store.
    @Test(arguments: [1, 2_000, 64 << 20])
    func `of several records of a path the latest counts, in whichever run it is`(runBytes: Int) throws {
        try writeRecords(0..<4, to: "some")
        let lines = try String(contentsOf: url("some"), encoding: .utf8).split(separator: "\n")
        func line(_ number: Int, _ time: Int, width: Int) -> String {
            String(lines[number]).replacing("\"mtimeNs\":5", with: "\"mtimeNs\":\(time)")
                .replacing("\"width\":3", with: "\"width\":\(width)")
        }
        let all = [
            line(0, 9, width: 90), line(1, 5, width: 15), line(2, 4, width: 42), line(0, 7, width: 70),
            line(2, 6, width: 62), line(1, 8, width: 18), line(0, 5, width: 50), line(3, -5, width: 35),
            // Before 1970, and further from it.
            line(3, -900, width: 39),
        ]
        try folder.write(Data((all.joined(separator: "\n") + "\n").utf8), to: "records")
        let stack = try stack("Moody.moody")
        let report = try load("records", into: stack, many: 1_000, runBytes: runBytes)
        #expect(report.new == 4 && report.duplicates == 5)
        try stack.coordinator.close()
        let widths = "SELECT p.ZNAME, m.ZWIDTH FROM ZMOOD m JOIN ZPHOTO p ON p.Z_PK = m.ZPHOTO ORDER BY 1"
        #expect(
            try sql(widths, "Moody.moody").split(separator: "\n") == [
                "0.jpg|90", "1.jpg|18", "2.jpg|62", "3.jpg|35",
            ])
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(!left.contains { $0.hasPrefix(".moody-import") })
    }

    /// Each run is longer than what is gathered before it is written, some lines too, and the last has one.
    @Test func `long runs give back each line that was put in, in order of the paths`() throws {
        var sorter = RecordSorter(folder: BytePath(Array(folder.url.path.utf8)), runBytes: 300_000)
        var lines: [(path: String, line: Data, time: Int64)] = []
        for number in 0..<401 {
            let path = "\(number * 277 % 401)/\(number).jpg"
            let width = number % 50 == 0 ? 90_000 : 700
            let line = Data((String(number) + String(repeating: "x", count: width)).utf8)
            lines.append((path, line, Int64(number - 200) << 40))
        }
        for (path, line, time) in lines {
            try sorter.append(
                line,
                RecordKey(
                    path: Array(path.utf8), mtimeNs: time, algorithm: -3, hash: "abc\(time)", isMood: time > 0
                ))
        }
        var found: [(path: String, line: Data, time: Int64)] = [], whole = 0
        try sorter.forEach { key, line in
            found.append((String(decoding: key.path, as: UTF8.self), line, key.mtimeNs))
            if key.algorithm == -3, key.hash == "abc\(key.mtimeNs)", key.isMood == (key.mtimeNs > 0) {
                whole += 1
            }
        }
        // No path has a slash where another has a dot.
        let sorted = lines.sorted { Array($0.path.utf8).lexicographicallyPrecedes(Array($1.path.utf8)) }
        #expect(found.map(\.path) == sorted.map(\.path) && found.map(\.line) == sorted.map(\.line))
        #expect(found.map(\.time) == sorted.map(\.time) && whole == 401 && sorter.count == 401)
    }

    /// As members of a tar stream of some files have them.
    @Test func `records of names without a folder are known when they come again`() throws {
        try writeRecords(0..<2, to: "some")
        let lines = try String(contentsOf: url("some"), encoding: .utf8).replacing("photos\\/", with: "")
        try folder.write(Data(lines.utf8), to: "records")
        let stack = try stack("Moody.moody")
        #expect(try load("records", into: stack, many: 10).new == 2)
        #expect(try load("records", into: stack, many: 10).unchanged == 2)
        #expect(try sql("SELECT ZPATH FROM ZPHOTO ORDER BY 1", "Moody.moody") == "0.jpg\n1.jpg\n")
        try stack.coordinator.close()
    }

    /// Of two records of one import a mood counts before an error; of two imports as well.
    @Test func `an error says nothing of a mood of the same bytes, and of other bytes that it is unreadable`()
        throws
    {
        try writeRecords(0..<1, to: "records")
        let stack = try stack("Moody.moody")
        #expect(try load("records", into: stack, many: 10).new == 1)
        let own = String(repeating: "0a", count: 14) + "1000", other = String(repeating: "0b", count: 16)
        func counts(_ name: String, _ time: Int, _ hash: String?, _ kind: String) throws -> String {
            let hash = hash.map { #""contentHash":"\#($0)","# } ?? ""
            let line =
                #"{"v":1,"path":"photos/\#(name)","size":9,"mtimeNs":\#(time),"# + hash
                + #""error":"no","errorKind":"\#(kind)"}"# + "\n"
            try folder.write(Data(line.utf8), to: "errors")
            let report = try load("errors", into: stack, many: 10)
            return "\(report.unchanged) \(report.failed) \(report.others) \(report.older)"
        }
        func states() throws -> String {
            try sql("SELECT ZNAME, ZSTATE, ZFAILURE FROM ZPHOTO ORDER BY 1", "Moody.moody")
        }
        for (time, hash) in [(5, own), (6, own), (5, nil)] as [(Int, String?)] {
            #expect(try counts("0.jpg", time, hash, "limit") == "1 0 0 0", "\(time) \(hash ?? "-")")
        }
        #expect(try counts("0.jpg", 4, other, "photo") == "0 0 0 1")
        #expect(try states() == "0.jpg|0|\n")
        // Something else was written over it, as ingest would find: it keeps its mood, and is marked.
        #expect(try counts("0.jpg", 6, other, "notPicture") == "0 1 0 0")
        #expect(try counts("1.txt", 6, other, "notPicture") == "0 0 1 0")
        #expect(try states() == "0.jpg|1|no\n1.txt|2|\n")
        try stack.coordinator.close()
    }

    /// A copy may have the time of what it was put in the place of.
    @Test func `a record of the same time with other contents is a change, one of an earlier time is none`()
        throws
    {
        try writeRecords(0..<2, to: "some")
        let lines = try String(contentsOf: url("some"), encoding: .utf8).split(separator: "\n").map(
            String.init)
        let stack = try stack("Moody.moody")
        func load(_ line: String) throws -> RecordImport.Report {
            try folder.write(Data((line + "\n").utf8), to: "one")
            return try self.load("one", into: stack, many: 1_000)
        }
        // The greater hash, as of two records of one import.
        let other = lines[1].replacing("photos/1.jpg", with: "photos/0.jpg").replacing(
            "photos\\/1.jpg", with: "photos\\/0.jpg")
        let (first, second) = (try load(lines[0]), try load(other))
        let third = try load(lines[0].replacing("\"mtimeNs\":5", with: "\"mtimeNs\":4"))
        let fourth = try load(other)
        #expect(first.new == 1 && second.changed == 1 && third.older == 1 && fourth.unchanged == 1)
        try stack.coordinator.close()
    }

    /// 2001-02-03, 9 bytes each: the file that the record is of is here, and one that was changed since.
    @Test func `of a file that was changed since its record nothing is known`() throws {
        let nanoseconds = 981_173_106 * 1_000_000_000
        try writeRecords(0..<2, to: "some")
        let lines = try String(contentsOf: url("some"), encoding: .utf8)
            .replacing("\"mtimeNs\":5", with: "\"mtimeNs\":\(nanoseconds)")
        try folder.write(Data(lines.utf8), to: "records")
        try folder.write(Data(count: 9), to: "here/0.jpg", time: 981_173_106)
        try folder.write(Data(count: 9), to: "here/1.jpg", time: 981_173_107)
        let stack = try stack("Moody.moody")
        #expect(try load("records", into: stack, many: 10, under: url("here").path).new == 2)
        let inode = try FileStatus(at: BytePath(url("here/0.jpg").path)).file.inode
        #expect(
            try sql("SELECT ZNAME, ZMTIMENS, ZINODE FROM ZPHOTO ORDER BY 1", "Moody.moody")
                == "0.jpg|\(nanoseconds)|\(inode)\n1.jpg|\(nanoseconds)|0\n")
        try stack.coordinator.close()
    }

    /// Of all photos, and of some.
    @Test func `an imported palette that left colors out is not what a plain run asks for`() throws {
        try writeRecords(0..<1, to: "some")
        let lines = try String(contentsOf: url("some"), encoding: .utf8)
        try folder.write(
            Data(lines.replacing("\"count\":2", with: "\"count\":2,\"ignore\":[\"white\"]").utf8),
            to: "records")
        let stack = try stack("Moody.moody")
        #expect(try load("records", into: stack, many: 10, under: "/photos").new == 1)
        for ignored: Set<PaletteIgnore> in [[], [.white]] {
            let asked = PaletteRequest(
                mode: .representative, count: 2, leftOut: LeftOutColors(ignore: ignored))
            let all = try PhotoCatalog(in: stack, asking: asked)
            let some = try PhotoCatalog(at: [BytePath("/photos/0.jpg")], in: stack, asking: asked)
            for photos in [all.photos, some.photos] {
                #expect(photos.map(\.isAsAsked) == [!ignored.isEmpty], "\(ignored)")
            }
        }
        try stack.coordinator.close()
    }

    /// A frame of several scans takes more memory: its marker is FF C2 (T.81, table B.1).
    @Test func `a record says whether a limit or damage stopped its photo`() throws {
        var jpeg = try [UInt8](fixture("red-blue-24x16.jpg"))
        let frame = try #require(jpeg.indices.dropLast().first { jpeg[$0...$0 + 1] == [0xFF, 0xC0] })
        jpeg[frame + 1] = 0xC2
        var settings = PaletteSettings()
        settings.limits.progressivePixelLimit = 24 * 16 - 1
        let reader = RecordReader(settings: settings, makesThumbnails: false)
        for (bytes, wanted) in [(jpeg, "limit"), (Array(jpeg.prefix(frame)), "photo")] {
            let record = reader.record(
                of: ArchiveMember(
                    path: Array("a.jpg".utf8), size: Int64(bytes.count), mtimeNs: 0, bytes: .success(bytes)),
                in: nil)
            guard case .failed(_, let kind) = record.result else {
                Issue.record("\(record.result)")
                continue
            }
            #expect(kind.rawValue == wanted)
        }
    }

    /// One transaction marks five hundred.
    @Test func `hundreds of photos that are not there are missing, all of them, and pruned`() throws {
        let photos = url("gone").path
        try folder.write(Data("so that the folder holds something".utf8), to: "gone/notes.txt")
        try writeRecords(0..<501, to: "records")
        let stack = try stack("Moody.moody")
        #expect(try load("records", into: stack, many: 10, under: photos).new == 501)
        var ingest = Ingest(stack: stack)
        #expect(try ingest.run([BytePath(photos)]).missing == 501)
        // 2: the notes; 3: missing.
        #expect(
            try sql("SELECT ZSTATE, COUNT(*) FROM ZPHOTO GROUP BY 1", "Moody.moody") == "2|1\n3|501\n")
        ingest.options.prune = true
        #expect(try ingest.run([BytePath(photos)]).pruned == 501)
        #expect(try sql("SELECT COUNT(*) FROM ZPHOTO WHERE ZSTATE != 2", "Moody.moody") == "0\n")
        try stack.coordinator.close()
    }

    @Test
    func `an import that is stopped leaves all indexes, and one that is killed leaves them to the next`()
        throws
    {
        try writeRecords(0..<600, to: "records")
        let stack = try stack("Moody.moody"), before = try indexes("Moody.moody")
        var transactions = 0
        let report = try load(
            "records", into: stack, many: 10, until: { transactions > 0 },
            looking: { _ in transactions += 1 })
        #expect(report.wasStopped && report.new == 256)
        // While it still reads lines as well.
        var looks = 0
        let read = try load(
            "records", into: stack, many: 10,
            until: {
                looks += 1
                return looks > 400
            })
        #expect(read.wasStopped)
        #expect(try indexes("Moody.moody") == before)
        // A failure of a transaction as well.
        struct Failure: Error {}
        #expect(throws: Failure.self) {
            try stack.coordinator.withoutFetchIndexes { throw Failure() }
        }
        #expect(try indexes("Moody.moody") == before)
        try stack.coordinator.close()
        _ = try sql("DROP INDEX \(Self.swatchIndex); DROP INDEX Z_Mood_byDayAndDate", "Moody.moody")
        let next = try self.stack("Moody.moody")
        #expect(try indexes("Moody.moody") == before)
        try next.coordinator.close()
    }
}
