import DataStacks
import Foundation
import ManagedObjects
import Palettes
import Testing

@testable import MoodyModel

@Suite struct MoodTests {
    private let stack: DataStack

    init() throws {
        stack = DataStack(model: try .moody())
        try stack.addInMemoryStorage()
    }

    @Test func `a photo's mood keeps its colors, shares, facts, thumbnail and swatches`() throws {
        try stack.performAndWait { _ = try $0.importUniqueObject(Photo.self, from: source("a.jpg")) }
        try stack.reader.performAndWait { context in
            let mood = try #require(try context.fetch(FetchRequest<Mood>()).first)
            #expect(mood.colors == [RGB(red: 255, green: 0, blue: 0), RGB(red: 0, green: 0, blue: 255)])
            #expect(mood.shares == [0.75, 0.25])
            #expect((mood.mode, mood.k, mood.algorithm) == (.area, 5, Palette.algorithmVersion))
            #expect((mood.day, mood.timeZoneOffset, mood.dateSource) == (20_240_131, 540, .original))
            #expect(mood.date == Date(timeIntervalSince1970: 1_706_711_400), "half past 23 at +09:00")
            #expect(mood.thumbnail?.jpeg == Data([1, 2, 3]))
            #expect(mood.photo?.mood === mood)
            #expect(mood.notes == "odd")
            // Oklab of red, and the cell of that and of three quarters of a photo.
            let red = try #require(mood.swatches.first { $0.share == 0.75 })
            #expect(abs(red.l - 0.62796) < 1e-4 && abs(red.a - 0.22486) < 1e-4 && abs(red.b - 0.12585) < 1e-4)
            #expect(red.hueBin == ColorCell(Oklab(RGB(red: 255, green: 0, blue: 0))).number)
        }
    }

    /// Large bytes lie in an entity of their own, and are read when somebody asks for them.
    @Test func `a list of moods reads no thumbnail`() throws {
        try stack.performAndWait { _ = try $0.importUniqueObject(Photo.self, from: source("a.jpg")) }
        try stack.reader.performAndWait { context in
            context.reset()
            let mood = try #require(try context.fetch(FetchRequest<Mood>()).first)
            #expect(mood.colors.count == 2)
            let thumbnail = try #require(mood.thumbnail)
            #expect(thumbnail.isFault)
            #expect(thumbnail.jpeg == Data([1, 2, 3]) && !thumbnail.isFault)
        }
    }

    /// 0-95: a changed file rewrites its mood; the mood stays the same object.
    @Test func `a changed file rewrites its mood, a broken one keeps it`() throws {
        let first = try stack.performAndWait { transaction in
            try transaction.importUniqueObject(Photo.self, from: source("a.jpg"))?.mood?.reference
        }
        var changed = source("a.jpg")
        changed.file.size = 9
        if case .kept(var mood) = changed.result {
            mood.palette = Palette(entries: [.init(color: RGB(red: 0, green: 255, blue: 0), share: 1)])
            changed.result = .kept(mood)
        }
        let rewritten = changed
        try stack.performAndWait { _ = try $0.importUniqueObject(Photo.self, from: rewritten) }
        var broken = rewritten
        for reason in ["file ends before row 1", "file ends after row 3 of 9"] {
            broken.result = .failed(reason)
            let failure = broken
            try stack.performAndWait { _ = try $0.importUniqueObject(Photo.self, from: failure) }
        }
        try stack.reader.performAndWait { context in
            let photos = try context.fetch(FetchRequest<Photo>())
            #expect(photos.count == 1)
            #expect(photos[0].state == .failed)
            #expect(photos[0].failure == "file ends after row 3 of 9", "the last reason")
            #expect(photos[0].mood?.colors == [RGB(red: 0, green: 255, blue: 0)])
            #expect(photos[0].mood?.objectID.current == first?.objectID.current)
            #expect(try context.count(FetchRequest<Swatch>()) == 1, "the old swatches are gone")
            #expect(try context.count(FetchRequest<Thumbnail>()) == 1)
        }
    }

    @Test func `a removed photo loses its mood and is remembered`() throws {
        try stack.performAndWait { transaction in
            try transaction.importUniqueObject(Photo.self, from: source("a.jpg"))?.remove(in: transaction)
        }
        try stack.reader.performAndWait { context in
            let moods = try context.count(FetchRequest<Mood>()),
                swatches = try context.count(FetchRequest<Swatch>())
            #expect((moods, swatches) == (0, 0))
            let states = try context.fetch(FetchRequest<Photo>()).map(\.state)
            #expect(states == [.removed])
        }
    }

    @Test func `a removed photo has a mood again only when that is asked for`() throws {
        try stack.performAndWait { transaction in
            try transaction.importUniqueObject(Photo.self, from: source("a.jpg"))?.remove(in: transaction)
        }
        for restores in [false, true] {
            var again = source("a.jpg")
            again.restores = restores
            let next = again
            try stack.performAndWait { _ = try $0.importUniqueObject(Photo.self, from: next) }
            try stack.reader.performAndWait { context in
                let moods = try context.count(FetchRequest<Mood>())
                #expect(moods == (restores ? 1 : 0))
                let states = try context.fetch(FetchRequest<Photo>()).map(\.state)
                #expect(states == [restores ? .kept : .removed])
            }
        }
    }

    @Test func `a mood's date is required and indexed, its colors are required`() throws {
        let mood = try #require(try ManagedObjectModel.moody().entity(named: "Mood"))
        func attribute(_ name: String) -> AttributeDescription? {
            mood.properties.lazy.compactMap { property in
                if case .attribute(let attribute) = property, attribute.name == name {
                    attribute
                } else {
                    nil
                }
            }.first
        }
        #expect(attribute("date") == AttributeDescription("date", .date, options: .indexed))
        #expect(attribute("colors") == AttributeDescription("colors", .transformable))
    }

    @Test func `two photos cannot have one path`() throws {
        let second = source("b.jpg")
        #expect {
            try stack.performAndWait { transaction in
                _ = try transaction.importUniqueObject(Photo.self, from: source("a.jpg"))
                let photo = try transaction.importUniqueObject(Photo.self, from: second)
                let date = FileDate(taken: CivilDate(year: 2024, month: 6, day: 28), source: .fileTime)
                photo?.move(to: source("a.jpg").location, file: second.file, date: date, seen: Date())
            }
        } throws: { error in
            if case StackError.store(.notUnique("Photo", ["folder", "name"], _)) = error {
                true
            } else {
                false
            }
        }
    }

    @Test func `a renamed photo's date is the name's, even where it is the file's to the second`() throws {
        let day = CivilDate(year: 2024, month: 5, day: 6)
        var old = source("a.jpg")
        if case .kept(var mood) = old.result {
            mood.facts = CaptureInfo(taken: day, offset: nil, source: .fileTime, width: 4, height: 3)
            old.result = .kept(mood)
        }
        let photo = old
        let renamed = try stack.performAndWait { transaction in
            let object = try #require(try transaction.importUniqueObject(Photo.self, from: photo))
            let named = FileDate(taken: day, source: .fileName)
            return (0..<2).map { _ in object.touch(file: photo.file, date: named, seen: Date()) }
        }
        #expect(renamed == [true, false], "the second time nothing changes")
        let sources = try stack.reader.performAndWait { try $0.fetch(FetchRequest<Mood>()).map(\.dateSource) }
        #expect(sources == [.fileName])
    }

    @Test func `numbers that no photo has are counted, each by its name`() throws {
        #expect(try OddNumbers.counts(in: stack).isEmpty)
        let changes: [(inout CaptureInfo) -> Void] = [
            { $0.width = 0 }, { $0.height = 0 }, { $0.day = 10_100 }, { $0.day = 99_991_232 },
            { $0.timeZoneOffset = -1081 }, { $0.timeZoneOffset = 1081 }, { $0.latitude = -90.5 },
            { $0.latitude = 90.5 },
            { $0.longitude = -180.5 }, { $0.longitude = 180.5 },
            { $0.date = CivilDate.instants.upperBound + 1 },
            { $0.date = CivilDate.instants.lowerBound - 1 }, { _ in },
        ]
        for (number, change) in changes.enumerated() {
            var odd = source("\(number).jpg")
            if case .kept(var mood) = odd.result {
                change(&mood.facts)
                odd.result = .kept(mood)
            }
            let photo = odd
            try stack.performAndWait { _ = try $0.importUniqueObject(Photo.self, from: photo) }
        }
        #expect(
            try OddNumbers.counts(in: stack).map { "\($0.what) \($0.count)" }
                == ["date 2", "day 2", "time zone 2", "size 2", "latitude 2", "longitude 2"])
    }

    @Test func `shares that are not one per color, or not a whole, are counted`() throws {
        for (number, shares) in [[0.75, 0.25], [1.0], [0.5, 0.25, 0.25], [0.5, 0.49], [1.5, -0.5], []]
            .enumerated()
        {
            let photo = source("\(number).jpg")
            try stack.performAndWait { transaction in
                let mood = try transaction.importUniqueObject(Photo.self, from: photo)?.mood
                try mood?.setValue(SharesTransformer.encode(shares), forKey: "shares")
            }
        }
        #expect(try OddNumbers.counts(in: stack).map { "\($0.what) \($0.count)" } == ["shares 5"])
    }

    /// The hash says of which bytes the mood is: those that could not be read made none.
    @Test func `a photo that cannot be read any more keeps the hash of its mood`() throws {
        for (name, hasMood) in [("a.jpg", true), ("b.jpg", false)] {
            var broken = source(name)
            (broken.contentHash, broken.result) = (Data(repeating: 9, count: 16), .failed("no"))
            let failure = broken
            try stack.performAndWait { transaction in
                if hasMood { _ = try transaction.importUniqueObject(Photo.self, from: source(name)) }
                _ = try transaction.importUniqueObject(Photo.self, from: failure)
            }
        }
        let hashes = try stack.reader.performAndWait { context in
            try context.fetch(FetchRequest<Photo>(sortedBy: .ascending(\.path))).map { $0.contentHash?.first }
        }
        #expect(hashes == [7, 9])
    }

    @Test func `a file that comes again is kept again, and a removed photo stays removed`() throws {
        let date = FileDate(taken: CivilDate(year: 2024, month: 6, day: 28), source: .fileTime)
        let states = try stack.performAndWait { transaction in
            try ["a.jpg", "b.jpg", "c.jpg"].map { name in
                let photo = try #require(try transaction.importUniqueObject(Photo.self, from: source(name)))
                switch name {
                case "a.jpg": photo.markMissing()
                case "b.jpg": photo.setState(.failed, failure: "no")
                default: photo.remove(in: transaction)
                }
                _ = photo.touch(file: source(name).file, date: date, seen: Date())
                return "\(photo.state) \(photo.failure ?? "-")"
            }
        }
        #expect(states == ["kept -", "kept -", "removed -"])
    }

    /// The first releases recorded the bytes that were read last.
    @Test func `hashes of photos that changed since their moods are forgotten, once`() throws {
        let states: [(PhotoState, hasMood: Bool)] = [
            (.kept, true), (.failed, true), (.missing, true), (.notPicture, true), (.failed, false),
        ]
        try stack.performAndWait { transaction in
            for (number, (state, hasMood)) in states.enumerated() {
                let photo = try #require(
                    try transaction.importUniqueObject(Photo.self, from: source("\(number).jpg")))
                if !hasMood { photo.remove(in: transaction) }
                photo.setState(state)
            }
        }
        func hashes() throws -> [Bool] {
            try stack.reader.performAndWait { context in
                try context.fetch(FetchRequest<Photo>(sortedBy: .ascending(\.path))).map {
                    $0.contentHash != nil
                }
            }
        }
        #expect(try !PaletteHashes.upkeep.isDone(in: stack))
        try PaletteHashes.upkeep.run(in: stack)
        #expect(try hashes() == [true, false, false, false, true])
        #expect(try PaletteHashes.upkeep.isDone(in: stack))
    }

    @Test func `a record of a stored photo has the version of its algorithm, and its path`() throws {
        let (path, version) = try stack.performAndWait { transaction in
            var photo = source("a.jpg")
            photo.location = FileLocation(folder: Data("/".utf8), name: Data("a.jpg".utf8))
            let stored = try #require(try transaction.importUniqueObject(Photo.self, from: photo))
            stored.mood?.setAlgorithm(3)
            let record = try #require(PhotoRecord(stored, withThumbnail: false))
            guard case .mood(let mood) = record.result else { return ("", Int16(0)) }
            return (String(decoding: record.path, as: UTF8.self), mood.algorithm)
        }
        #expect((path, version) == ("/a.jpg", 3))
    }

    /// A list of moods shows where their photos are.
    @Test func `a photo that is moved is a change of its mood`() throws {
        try stack.performAndWait { _ = try $0.importUniqueObject(Photo.self, from: source("a.jpg")) }
        let seen = Date(timeIntervalSince1970: 1_700_000_000)
        let changed = try stack.performAndWait { transaction in
            let photo = try #require(try transaction.fetchAll(FetchRequest<Photo>()).first)
            let date = FileDate(taken: CivilDate(year: 2024, month: 1, day: 31), source: .fileTime)
            photo.move(to: source("b.jpg").location, file: source("b.jpg").file, date: date, seen: seen)
            return transaction.unsavedObjects(Mood.self).updated.map { $0.photo?.path }
        }
        #expect(changed == ["/photos/b.jpg"])
        let dates = try stack.reader.performAndWait { try $0.fetch(FetchRequest<Photo>()).map(\.lastSeen) }
        #expect(dates == [seen])
    }

    @Test func `a palette has the version that found it, one that replaces another too`() throws {
        for version: Int16 in [3, 7] {
            var photo = source("a.jpg")
            if case .kept(var mood) = photo.result {
                mood.algorithm = version
                photo.result = .kept(mood)
            }
            let stored = photo
            try stack.performAndWait { _ = try $0.importUniqueObject(Photo.self, from: stored) }
            let versions = try stack.reader.performAndWait { context in
                try context.fetch(FetchRequest<Mood>()).map(\.algorithm)
            }
            #expect(versions == [version])
        }
    }

    @Test func `notes of the photo stand before notes of its palette`() throws {
        var photo = source("a.jpg")
        if case .kept(var mood) = photo.result {
            mood.palette.notes = ["palette of 1x1+0+0"]
            photo.result = .kept(mood)
        }
        let stored = photo,
            record = PhotoRecord(
                path: Array("/a.jpg".utf8), size: 1, mtimeNs: 2, contentHash: nil,
                result: .mood(try mood(stored)))
        try stack.performAndWait { _ = try $0.importUniqueObject(Photo.self, from: stored) }
        let notes = try stack.reader.performAndWait { try $0.fetch(FetchRequest<Mood>()).map(\.notes) }
        #expect(notes == ["odd\npalette of 1x1+0+0"])
        let line = record.json(withThumbnail: false).text
        #expect(line.contains(#""notes":["odd","palette of 1x1+0+0"]"#), "\(line)")
    }

    private func mood(_ photo: PhotoImport) throws -> MoodSource {
        guard case .kept(let mood) = photo.result else { throw CancellationError() }
        return mood
    }

    /// The last second of 2016: an instant of the next year.
    @Test func `the record of a stored photo of a leap second has the photo's day`() throws {
        var photo = source("a.jpg")
        if case .kept(var mood) = photo.result {
            let second = CivilDate(year: 2016, month: 12, day: 31, hour: 23, minute: 59, second: 60)
            mood.facts = CaptureInfo(taken: second, offset: 0, source: .original, width: 4, height: 3)
            photo.result = .kept(mood)
        }
        let leap = photo
        let line = try stack.performAndWait { transaction in
            let stored = try #require(try transaction.importUniqueObject(Photo.self, from: leap))
            return try #require(PhotoRecord(stored, withThumbnail: false)).json(withThumbnail: false).text
        }
        #expect(line.contains(#""taken":"2017-01-01T00:00:00","day":20161231"#), "\(line)")
    }

    /// A copy has other bytes in its name and the same in its file.
    @Test(arguments: [DateSource.original, .digitized, .gps, .xmp, .fileName, .fileTime])
    func `a copy has its photo's colors and date, and its own where the photo says no date`(
        dateSource: DateSource
    ) throws {
        let wide = DisplayP3(red: 1, green: 2, blue: 3)
        var photo = source("a.jpg")
        if case .kept(var mood) = photo.result {
            mood.palette.entries[1].displayP3 = wide
            let taken = CivilDate(year: 2015, month: 6, day: 7, hour: 23, minute: 30)
            mood.facts = CaptureInfo(taken: taken, offset: -300, source: dateSource, width: 4, height: 3)
            photo.result = .kept(mood)
        }
        let stored = photo
        let copy = try stack.performAndWait { transaction in
            let mood = try #require(try transaction.importUniqueObject(Photo.self, from: stored)?.mood)
            let own = FileDate(taken: CivilDate(year: 2020, month: 2, day: 3), source: .fileName)
            return mood.source(dated: own)
        }
        #expect(copy.palette.entries.map(\.displayP3) == [nil, wide])
        let isOwn = dateSource == .fileName || dateSource == .fileTime
        #expect(copy.facts.day == (isOwn ? 20_200_203 : 20_150_607))
        #expect(copy.facts.dateSource == (isOwn ? .fileName : dateSource))
        #expect(copy.facts.timeZoneOffset == (isOwn ? nil : -300))
        // 23:30 five hours west of Greenwich is 4:30 of the next day.
        let seconds = copy.facts.date.timeIntervalSince1970
        #expect(seconds == (isOwn ? 1_580_688_000 : 1_433_737_800))
    }

    /// They wrote paths as people see them. One transaction repairs 256 of them.
    @Test func `paths that the first releases wrote with escapes get their own characters, all of them`()
        throws
    {
        try stack.performAndWait { transaction in
            for number in 0..<513 {
                var photo = source("\(number)\t.jpg")
                photo.location.path = "/photos/\(number)\\t.jpg"
                _ = try transaction.importUniqueObject(Photo.self, from: photo)
            }
        }
        try PaletteHashes.upkeep.run(in: stack)
        let paths = try stack.reader.performAndWait { try $0.fetch(FetchRequest<Photo>()).map(\.path) }
        #expect(Set(paths) == Set((0..<513).map { "/photos/\($0)\t.jpg" }))
    }

    @Test func `only the time of a file is no day on which a photo was taken`() {
        let days: [DateSource] = [.original, .digitized, .gps, .xmp, .fileName]
        #expect(days.allSatisfy(\.isDayTaken) && !DateSource.fileTime.isDayTaken)
    }

    /// Earlier versions take three bytes a color and as many as there are shares: theirs come first.
    @Test func `Display P3 values are stored behind the colors, for any number of either`() {
        for count in 0...32 {
            let colors = (0..<count).map { RGB(red: UInt8($0), green: 0x50, blue: 0x33) }
            for wideCount in 0...count {
                let wide = (0..<wideCount).map { ($0, DisplayP3(red: UInt8($0), green: 0x50, blue: 0x33)) }
                let all = MoodColors(colors, displayP3: Dictionary(uniqueKeysWithValues: wide))
                let stored = ColorsTransformer.encode(all)
                #expect(ColorsTransformer.decode(stored) == all, "\(count), \(wideCount)")
                #expect(stored.prefix(count * 3) == ColorsTransformer.encode(MoodColors(colors)))
            }
        }
        let one = MoodColors([.black], displayP3: [0: DisplayP3(red: 9, green: 8, blue: 7)])
        #expect(ColorsTransformer.encode(one) == Data([0, 0, 0, 0, 9, 8, 7, 1, 0x50, 0x33]))
        let two = MoodColors(
            [.black, .black],
            displayP3: [
                1: DisplayP3(red: 6, green: 5, blue: 4), 0: DisplayP3(red: 9, green: 8, blue: 7),
            ])
        #expect(ColorsTransformer.encode(two).dropFirst(6) == Data([0, 9, 8, 7, 1, 6, 5, 4, 2, 0x50, 0x33]))
        for cut in 0..<10 {
            #expect(ColorsTransformer.decode(ColorsTransformer.encode(one).prefix(cut)).wide == [:])
        }
    }

    @Test func `stored bytes read back, and what is cut off is left out`() throws {
        let colors = [RGB(red: 1, green: 2, blue: 3), RGB(red: 255, green: 0, blue: 128)]
        #expect(ColorsTransformer.encode(MoodColors(colors)) == Data([1, 2, 3, 255, 0, 128]))
        #expect(ColorsTransformer.decode(Data([1, 2, 3, 255, 0])) == [colors[0]])
        let shares = [0.1, 1, .pi]
        #expect(SharesTransformer.encode([1]) == Data([0, 0, 0, 0, 0, 0, 0xF0, 0x3F]))
        #expect(SharesTransformer.decode(SharesTransformer.encode(shares) + [7]) == shares)
    }

    /// What the tables are called and in which order their columns stand does not change without a migration.
    @Test func `what was left out of a palette is kept behind its colors, whatever stands between`() {
        let kinds: [Set<PaletteIgnore>] = [
            [], [.white], [.black, .grey], [.border], Set(PaletteIgnore.allCases),
        ]
        for count in 0...4 {
            let colors = (0..<count).map { RGB(red: UInt8($0), green: 73, blue: 71) }
            for wideCount in 0...count {
                let wide = (0..<wideCount).map { ($0, DisplayP3(red: 73, green: UInt8($0), blue: 71)) }
                for background in [nil, RGB.black, RGB(red: 73, green: 71, blue: 80)] {
                    for kind in kinds {
                        let left = LeftOutColors(ignore: kind, background: background)
                        let all = MoodColors(
                            colors, displayP3: Dictionary(uniqueKeysWithValues: wide), leavingOut: left)
                        let stored = ColorsTransformer.encode(all)
                        #expect(ColorsTransformer.decode(stored) == all, "\([UInt8](stored))")
                        #expect(stored.prefix(count * 3) == ColorsTransformer.encode(MoodColors(colors)))
                    }
                }
            }
        }
        // The first version's: colors alone, the last of which looks like a mark.
        let plain = Data([1, 2, 3, 4, 5, 6, 7, 73, 71])
        #expect(ColorsTransformer.decode(plain).count == 3 && ColorsTransformer.decode(plain).leftOut.isEmpty)
    }

    @Test func `the model of version 1 has these hashes`() throws {
        let hashes = try ManagedObjectModel.moody().entityVersionHashes.mapValues { $0.base64EncodedString() }
        #expect(hashes.keys.sorted() == ["Continent", "Country", "Mood", "Photo", "Swatch", "Thumbnail"])
        #expect(hashes["Thumbnail"] == Self.thumbnailHash)
    }

    /// By the formula of docs/development/ARCHITECTURE.md, computed with Python's hashlib.
    private static let thumbnailHash = "WxVgT/58EaMmz/LwydpNpXzOIqkOfsYl80W6gRagfaM="
}

private func source(_ name: String) -> PhotoImport {
    let palette = Palette(entries: [
        .init(color: RGB(red: 255, green: 0, blue: 0), share: 0.75),
        .init(color: RGB(red: 0, green: 0, blue: 255), share: 0.25),
    ])
    let facts = CaptureInfo(
        taken: CivilDate(year: 2024, month: 1, day: 31, hour: 23, minute: 30), offset: 540, source: .original,
        width: 40, height: 30, notes: ["odd"])
    return PhotoImport(
        location: FileLocation(folder: Data("/photos".utf8), name: Data(name.utf8), path: "/photos/\(name)"),
        file: FileStamp(size: 1, mtimeNs: 2, inode: 3), contentHash: Data(repeating: 7, count: 16),
        seen: Date(),
        result: .kept(
            MoodSource(
                palette: palette, request: PaletteRequest(mode: .area, count: 5), facts: facts,
                thumbnail: Data([1, 2, 3]), preview: nil)))
}
