import DataStacks
import Foundation
import ManagedObjects
import MoodyModel
import Palettes
import Testing

@testable import MoodyGallery

@Suite struct SimilarTests {
    private struct Made {
        var name: String
        /// Bits of the hash that are flipped, from the first on.
        var bits = 0
        var isMirrored = false
        /// Seconds behind noon; nil where only the file tells a date.
        var clock: Int? = 0
        var offset: Int?
        var source = DateSource.original
        var width = 400
        var height: Int?
        var size: Int64 = 1000
        var isMissing = false
        var hash: Data?
        var place: Double?
        var mtime: Int64 = 1
    }

    private static let base = PictureHash(
        words: SIMD4(
            0x1234_5678_9ABC_DEF0, 0x0F1E_2D3C_4B5A_6978, 0x1122_3344_5566_7788, 0x99AA_BBCC_DDEE_FF00))

    private func stack(_ photos: [Made]) throws -> DataStack {
        let stack = DataStack(model: try .moody())
        try stack.addInMemoryStorage()
        try stack.performAndWait { transaction in
            for made in photos {
                var words = Self.base.words
                for bit in 0..<made.bits { words[bit / 64] ^= 1 << UInt64(63 - bit % 64) }
                let hash = PictureHash(words: words)
                var facts = CaptureInfo(
                    taken: CivilDate(year: 2024, month: 5, day: 6, hour: 12), offset: made.offset,
                    source: made.clock == nil ? .fileTime : made.source, width: made.width,
                    height: made.height ?? made.width * 3 / 4,
                    latitude: made.place, longitude: made.place)
                facts.date += Double(made.clock ?? 0)
                let mood = MoodSource(
                    palette: Palette(entries: [.init(color: .black, share: 1)]),
                    request: PaletteRequest(PaletteOptions()), facts: facts, thumbnail: Data(), preview: nil,
                    pictureHash: made.hash ?? Data((made.isMirrored ? hash.mirrored : hash).bytes))
                let photo = try transaction.importUniqueObject(
                    Photo.self,
                    from: PhotoImport(
                        location: FileLocation(folder: Data("/p".utf8), name: Data(made.name.utf8)),
                        file: FileStamp(size: made.size, mtimeNs: made.mtime, inode: 1), contentHash: nil,
                        seen: Date(), result: .kept(mood)))
                if made.isMissing { photo?.markMissing() }
            }
        }
        return stack
    }

    /// The groups as names, each with the distance behind it.
    private func groups(
        _ kind: SimilarGroups.Kind, _ photos: [Made],
        _ list: MoodList = MoodList(by: .path, isDescending: false)
    ) throws -> [[String]] {
        let stack = try stack(photos)
        let names = try stack.reader.performAndWait { context in
            try Dictionary(
                uniqueKeysWithValues: context.fetch(FetchRequest<Mood>()).map {
                    ($0.objectID, String(decoding: $0.photo?.name ?? Data(), as: UTF8.self))
                })
        }
        return try SimilarGroups(kind, of: list, in: stack).groups.map { group in
            group.map { "\(names[$0.id] ?? "") \($0.distance)\($0.isMirrored ? " mirrored" : "")" }
        }
    }

    @Test func `copies are within 31 bits of the best, crops within 63, in a mirror too`() throws {
        let photos = [
            Made(name: "a.jpg", width: 4000), Made(name: "b.jpg", bits: 31), Made(name: "c.jpg", bits: 32),
            Made(name: "d.jpg", bits: 63), Made(name: "e.jpg", bits: 64),
            Made(name: "f.jpg", bits: 7, isMirrored: true), Made(name: "g.jpg", bits: 200),
        ]
        // e is 32 bits from c, and 1 from d; of those that are left the best takes what is near it.
        #expect(
            try groups(.copies, photos) == [
                ["a.jpg 0", "b.jpg 31", "f.jpg 7 mirrored"], ["c.jpg 0", "d.jpg 31"],
            ])
        #expect(
            try groups(.crops, photos) == [
                ["a.jpg 0", "b.jpg 31", "c.jpg 32", "d.jpg 63", "f.jpg 7 mirrored"]
            ])
    }

    @Test func `other clocks of their own are no copies but a series, within a minute`() throws {
        let photos = [
            Made(name: "a.jpg", width: 4000), Made(name: "b.jpg", clock: 1), Made(name: "c.jpg", clock: nil),
            Made(name: "d.jpg", clock: 60), Made(name: "e.jpg", clock: 61),
            Made(name: "f.jpg", clock: -60, source: .sidecar),
            Made(name: "g.jpg", clock: 5, source: .modified),
            Made(name: "h.jpg", clock: 7200, offset: 120), Made(name: "i.jpg", bits: 64, clock: 3),
        ]
        // As the clocks showed it, h is two hours later, or four with its offset.
        #expect(try groups(.copies, photos) == [["a.jpg 0", "c.jpg 0", "g.jpg 0"]])
        #expect(try groups(.series, photos) == [["a.jpg 0", "b.jpg 0", "d.jpg 0", "f.jpg 0"]])
    }

    @Test func `a photo without a clock is a copy of one moment's photos, the nearest's`() throws {
        let photos = [
            Made(name: "export.png", clock: nil, width: 4000), Made(name: "a.jpg", bits: 9, clock: 0),
            Made(name: "b.jpg", bits: 3, clock: 5), Made(name: "c.jpg", bits: 12, clock: 0),
            Made(name: "d.jpg", bits: 20, clock: nil), Made(name: "e.jpg", bits: 21, clock: 5),
        ]
        let found = try groups(.copies, photos).map(Set.init)
        #expect(
            Set(found) == [
                ["export.png 0", "b.jpg 3", "d.jpg 20", "e.jpg 21"], ["a.jpg 0", "c.jpg 3"],
            ])
    }

    @Test func `clocks are compared as they were read, whatever the zone, to the second`() throws {
        var utc = Made(name: "utc.jpg", width: 4000)
        utc.offset = 0
        // Its clock showed the same, two hours earlier.
        let east = Made(name: "east.jpg", offset: 120)
        #expect(try groups(.copies, [utc, east]) == [["utc.jpg 0", "east.jpg 0"]])
    }

    /// Each is better than the next, for one reason.
    @Test func `the best is there, has more pixels, is raw, knows more, has more bytes, is older`() throws {
        let photos = [
            Made(name: "8.jpg", width: 4000, isMissing: true),
            Made(name: "1.jpg", width: 500),
            Made(name: "2.nef"), Made(name: "3.png"),
            Made(name: "4.jpg", place: 50), Made(name: "5.jpg", size: 2000),
            Made(name: "6.jpg"), Made(name: "7.jpg"), Made(name: "6b.jpg", mtime: 0),
        ]
        #expect(
            try groups(.copies, photos) == [
                ["1.jpg", "2.nef", "3.png", "4.jpg", "5.jpg", "6b.jpg", "6.jpg", "7.jpg", "8.jpg"].map {
                    "\($0) 0"
                }
            ])
    }

    @Test func `groups come in the order of the list, of the moods that it has`() throws {
        let photos = [
            Made(name: "z.jpg", width: 4000), Made(name: "y.jpg"),
            Made(name: "b.jpg", bits: 100, width: 4000),
            Made(name: "a.jpg", bits: 100), Made(name: "narrow.jpg", width: 10),
        ]
        #expect(
            try groups(.copies, photos) == [["b.jpg 0", "a.jpg 0"], ["z.jpg 0", "y.jpg 0", "narrow.jpg 0"]])
        var list = MoodList(by: .path, isDescending: true)
        list.filter = try MoodFilter("width >= 400")
        #expect(try groups(.copies, photos, list) == [["z.jpg 0", "y.jpg 0"], ["b.jpg 0", "a.jpg 0"]])
    }

    @Test func `moods without a hash and plain pictures are counted, and in no group`() throws {
        let stack = try stack([
            Made(name: "a.jpg", hash: Data()), Made(name: "b.jpg", hash: Data()), Made(name: "c.jpg"),
            Made(name: "d.jpg", hash: Data([1, 2, 3])),
        ])
        try stack.performAndWait { transaction in
            for mood in try transaction.fetchAll(FetchRequest<Mood>(\Mood.photo?.path == "/p/c.jpg")) {
                mood.setPictureHash(nil)
            }
        }
        let similar = try SimilarGroups(.copies, of: MoodList(), in: stack)
        #expect(similar.groups.isEmpty && similar.unknown == 1 && similar.plain == 3)
    }

    @Test func `copies have nearly the same shape: 5 % stretched is one, 3:1 is none`() throws {
        let photos = [
            Made(name: "a.jpg", width: 4000), Made(name: "b.jpg", width: 1050, height: 750),
            Made(name: "c.jpg", width: 3000, height: 1000), Made(name: "d.jpg", width: 1000, height: 825),
            // Half a pixel is much of a small picture.
            Made(name: "e.jpg", width: 12, height: 8), Made(name: "f.jpg", width: 300, height: 400),
        ]
        #expect(try groups(.copies, photos) == [["a.jpg 0", "d.jpg 0", "b.jpg 0", "e.jpg 0"]])
        #expect(try groups(.crops, photos) == [["a.jpg 0", "d.jpg 0", "b.jpg 0", "e.jpg 0"]])
        let cropped = [Made(name: "a.jpg", width: 4000), Made(name: "b.jpg", width: 1200, height: 750)]
        #expect(try groups(.copies, cropped).isEmpty)
        #expect(try groups(.crops, cropped) == [["a.jpg 0", "b.jpg 0"]])
    }

    @Test func `photos of one clock are no series, however many, and each is of one with another`() throws {
        var photos = (0..<40).map { Made(name: "\($0).jpg", bits: $0 % 8) }
        #expect(try groups(.series, photos).isEmpty)
        photos.append(Made(name: "later.jpg", clock: 30, width: 4000))
        #expect(try groups(.series, photos).map(\.count) == [41])
    }

    @Test func `more than a million pairs are not kept, and the groups are the same`() throws {
        // 1,440 pictures of one scene have 1,036,080 pairs.
        var random = SystemRandomNumberGenerator()
        let photos = (0..<1_600).map { number in
            var words = Self.base.words
            for bit in [number % 64, 64 + number / 64, 128 + number % 60] {
                words[bit / 64] ^= 1 << UInt64(bit % 64)
            }
            // Each tenth is another scene.
            if number % 10 == 0 { words ^= SIMD4(0, 0, .max, .max) }
            return Made(
                name: "\(number).jpg", width: 400 + 4 * Int.random(in: 0..<4, using: &random),
                hash: Data(PictureHash(words: words).bytes))
        }
        let found = try groups(.copies, photos)
        #expect(found.map(\.count).sorted() == [160, 1_440])
        let tenths = found.map { Set($0.compactMap { Int($0.prefix { $0 != "." }).map { $0 % 10 == 0 } }) }
        #expect(tenths.allSatisfy { $0.count == 1 })
    }
}
