import DataStacks
import Foundation
import ManagedObjects
import Palettes
import Testing

@testable import MoodyModel

@Suite struct SwatchIndexTests {
    private let stack: DataStack

    init() throws {
        stack = DataStack(model: try .moody())
        try stack.addInMemoryStorage()
    }

    private func source(_ colors: [String]) -> PhotoImport {
        let entries = colors.map { Palette.Entry(color: RGB(hex: $0)!, share: 1 / Double(colors.count)) }
        let facts = CaptureInfo(
            taken: CivilDate(year: 2024, month: 6, day: 28), offset: nil, source: .original, width: 1,
            height: 1)
        let mood = MoodSource(
            palette: Palette(entries: entries), request: PaletteRequest(PaletteOptions()), facts: facts,
            thumbnail: Data([1]), preview: nil)
        let name = colors.joined()
        return PhotoImport(
            location: FileLocation(folder: Data("/p".utf8), name: Data(name.utf8), path: "/p/" + name),
            file: FileStamp(size: 1, mtimeNs: 1, inode: 1), contentHash: Data(count: 16), seen: Date(),
            result: .kept(mood))
    }

    private func insert(_ colors: [String]) throws -> ObjectReference<Mood> {
        try stack.performAndWait { transaction in
            try #require(
                try transaction.importUniqueObject(Photo.self, from: source(colors))?.mood?.reference)
        }
    }

    @Test func `every save keeps the index, and a look at all agrees`() throws {
        try SwatchIndex.upkeep.run(in: stack)
        _ = try insert(["#3366cc", "#ffffff"])
        let second = try insert(["#102030"])
        _ = try insert([])
        #expect(try SwatchIndex.countOfWrong(in: stack) == 0)
        try stack.performAndWait { transaction in
            if let mood = transaction.edit(second) { transaction.delete(mood) }
        }
        #expect(try SwatchIndex.countOfWrong(in: stack) == 0)
    }

    @Test func `swatches that another program left are found wrong, and made anew`() throws {
        #expect(try !SwatchIndex.upkeep.isDone(in: stack))
        #expect(try SwatchIndex.countOfWrong(in: stack) == nil)
        let mood = try insert(["#3366cc", "#ffffff"])
        _ = try insert(["#102030"])
        var told = 0
        try SwatchIndex.upkeep.run(in: stack) { told = $0 }
        #expect(told == 2)
        #expect(try SwatchIndex.upkeep.isDone(in: stack))
        try stack.performAndWait { transaction in
            if let swatch = transaction.edit(mood)?.swatches.first { transaction.delete(swatch) }
        }
        #expect(try SwatchIndex.countOfWrong(in: stack) == 1)
        try SwatchIndex.upkeep.run(in: stack)
        #expect(try SwatchIndex.countOfWrong(in: stack) == 0)
        #expect(try stack.reader.performAndWait { try $0.count(FetchRequest<Swatch>()) } == 3)
    }

    /// More moods than are read in one go.
    @Test func `of many moods none is left out`() throws {
        let moods = try stack.performAndWait { transaction in
            try (0..<257).map { number in
                let photo = source([String(format: "#%06x", number)])
                return try #require(
                    try transaction.importUniqueObject(Photo.self, from: photo)?.mood?.reference)
            }
        }
        func countOfSwatches() throws -> Int {
            try stack.reader.performAndWait { try $0.count(FetchRequest<Swatch>()) }
        }
        try SwatchIndex.upkeep.run(in: stack)
        #expect(try countOfSwatches() == 257)
        try stack.performAndWait { transaction in
            for mood in moods {
                for swatch in transaction.edit(mood)?.swatches ?? [] { transaction.delete(swatch) }
            }
        }
        #expect(try countOfSwatches() == 0)
        #expect(try SwatchIndex.countOfWrong(in: stack) == 257)
        try SwatchIndex.upkeep.run(in: stack)
        #expect(try countOfSwatches() == 257)
        #expect(try SwatchIndex.countOfWrong(in: stack) == 0)

        #expect(try OddNumbers.counts(in: stack).isEmpty)
        try stack.performAndWait { transaction in
            for mood in moods {
                let mood = transaction.edit(mood)
                mood?.setAlgorithm(-1)
                try mood?.setValue(Data(), forKey: "shares")
            }
        }
        #expect(
            try OddNumbers.counts(in: stack).map { "\($0.what) \($0.count)" }
                == ["number of colors 257", "shares 257"])
    }

    /// Of a mood that is not there, and once more of one that is.
    @Test(arguments: ["77", "ZMOOD"]) func `swatches that are too many are counted by their mood`(
        owner: String
    ) throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).sqlite")
        defer {
            for end in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: url.path + end)
            }
        }
        let stack = DataStack(model: try .moody())
        try stack.addStorageAndWait(SQLiteStore(fileURL: url))
        let photo = source(["#3366cc", "#ffffff"])
        try stack.performAndWait { _ = try $0.importUniqueObject(Photo.self, from: photo) }
        try SwatchIndex.upkeep.run(in: stack)
        #expect(try SwatchIndex.countOfWrong(in: stack) == 0)
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        shell.arguments = [
            "sqlite3", url.path,
            "INSERT INTO ZSWATCH (Z_PK, Z_ENT, Z_OPT, ZA, ZB, ZHUEBIN, ZL, ZMOOD, ZSHARE) "
                + "SELECT Z_PK + 10, Z_ENT, Z_OPT, ZA, ZB, ZHUEBIN, ZL, \(owner), ZSHARE FROM ZSWATCH",
        ]
        try shell.run()
        shell.waitUntilExit()
        #expect(shell.terminationStatus == 0)
        let other = DataStack(model: try .moody())
        try other.addStorageAndWait(SQLiteStore(fileURL: url))
        #expect(try SwatchIndex.countOfWrong(in: other) == 1)
    }

    /// SQL sorts null before every number.
    @Test func `moods are in the order of their rows, behind what is none`() throws {
        for color in ["#000001", "#000002", "#000003"] { _ = try insert([color]) }
        let moods = try stack.reader.performAndWait { context in
            try context.fetch(FetchRequest<Photo>(sortedBy: .ascending(\.path))).compactMap { $0.mood?.row }
        }
        let none = MoodKey(storedValue: .null)
        #expect([moods[2], none, moods[0], moods[1]].sorted() == [none] + moods)
        #expect(!(none < none))
    }
}
