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

    private func insert(_ colors: [String]) throws -> ObjectReference<Mood> {
        try stack.performAndWait { transaction in
            let entries = colors.map { Palette.Entry(color: RGB(hex: $0)!, share: 1 / Double(colors.count)) }
            let facts = CaptureInfo(
                taken: CivilDate(year: 2024, month: 6, day: 28), offset: nil, source: .original, width: 1,
                height: 1)
            let mood = MoodSource(
                palette: Palette(entries: entries), request: PaletteRequest(PaletteOptions()), facts: facts,
                thumbnail: Data([1]), preview: nil)
            let name = colors.joined()
            let source = PhotoImport(
                location: FileLocation(folder: Data("/p".utf8), name: Data(name.utf8), path: "/p/" + name),
                file: FileStamp(size: 1, mtimeNs: 1, inode: 1), contentHash: Data(count: 16), seen: Date(),
                result: .kept(mood))
            return try #require(try transaction.importUniqueObject(Photo.self, from: source)?.mood?.reference)
        }
    }

    @Test func `every save keeps the index, and a look at all agrees`() throws {
        try SwatchIndex.rebuild(in: stack)
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
        #expect(try !SwatchIndex.isCurrent(in: stack))
        #expect(try SwatchIndex.countOfWrong(in: stack) == nil)
        let mood = try insert(["#3366cc", "#ffffff"])
        _ = try insert(["#102030"])
        var told = 0
        try SwatchIndex.rebuild(in: stack) { told = $0 }
        #expect(told == 2)
        #expect(try SwatchIndex.isCurrent(in: stack))
        try stack.performAndWait { transaction in
            if let swatch = transaction.edit(mood)?.swatches.first { transaction.delete(swatch) }
        }
        #expect(try SwatchIndex.countOfWrong(in: stack) == 1)
        try SwatchIndex.rebuild(in: stack)
        #expect(try SwatchIndex.countOfWrong(in: stack) == 0)
        #expect(try stack.reader.performAndWait { try $0.count(FetchRequest<Swatch>()) } == 3)
    }
}
