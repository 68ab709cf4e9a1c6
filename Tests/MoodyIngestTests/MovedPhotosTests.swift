import DataStacks
import Foundation
import Images
import ManagedObjects
import Palettes
import Synchronization
import TestSupport
import Testing

@testable import MoodyIngest
@testable import MoodyModel

/// Photos that are known by their contents, wherever they are.
@Suite struct MovedPhotosTests {
    private let folder: ScratchFolder
    private let stack: DataStack
    private let redBlue: Data, green: Data

    init() throws {
        folder = try ScratchFolder()
        stack = DataStack(model: try .moody())
        try stack.addStorage(sqlite: folder.url.appending(path: "Moody.moody"))
        redBlue = try fixture("red-blue-24x16.png")
        green = try fixture("green-24x16.png")
        try folder.write(redBlue, to: "photos/sub/a.png")
        try folder.write(green, to: "photos/b.png")
    }

    private func url(_ name: String) -> URL { folder.url.appending(path: name) }
    private func path(_ name: String) -> BytePath { BytePath(url(name).path) }
    private func move(_ name: String, to other: String) throws {
        try FileManager.default.moveItem(at: url(name), to: url(other))
    }
    private func remove(_ name: String) throws { try FileManager.default.removeItem(at: url(name)) }

    private func run(_ names: String..., change: (inout Ingest) -> Void = { _ in }) throws -> String {
        var ingest = Ingest(stack: stack)
        change(&ingest)
        let folders = names.isEmpty ? ["photos"] : names
        return try ingest.run(folders.map(path)).description
    }

    /// Number and name of each mood, and how long its thumbnail is, by name.
    private func moods() throws -> [String] {
        try stack.reader.performAndWait { context in
            try context.fetch(FetchRequest<Mood>(sortedBy: .ascending(\.photo?.path))).map {
                "\($0.objectID.key) \($0.photo?.path.split(separator: "/").last ?? "")"
            }
        }
    }

    /// A thumbnail that no decoder makes.
    private func mark(_ jpeg: Data) throws {
        try stack.performAndWait { transaction in
            for mood in try transaction.fetchAll(FetchRequest<Mood>()) { mood.thumbnail?.set(jpeg: jpeg) }
        }
    }

    private func thumbnails() throws -> [Int] {
        try stack.reader.performAndWait { context in
            try context.fetch(FetchRequest<Mood>(sortedBy: .ascending(\.photo?.path)))
                .map { $0.thumbnail?.jpeg.count ?? 0 }
        }
    }

    private func delete(_ name: String) throws {
        let ids = try stack.reader.performAndWait { context in
            try context.fetch(FetchRequest<Mood>()).filter { $0.photo?.path.hasSuffix(name) == true }.map {
                $0.objectID
            }
        }
        #expect(ids.count == 1)
        #expect(try stack.deleteMoods(ids) == [])
    }

    /// A store of the first release has no hash of some photos.
    @Test func `a deleted photo of unknown contents stays left out when its file is touched`() throws {
        _ = try run()
        try stack.performAndWait { transaction in
            for photo in try transaction.fetchAll(FetchRequest<Photo>()) { photo.setContents(nil) }
        }
        try delete("a.png")
        try folder.write(redBlue, to: "photos/sub/a.png", time: 981_173_106)
        #expect(try run() == "2 photos: 1 unchanged, 1 left out")
        #expect(try run { $0.options.restore = true } == "2 photos: 1 new, 1 unchanged")
    }

    /// Of two copies one was deleted; the other and a third photo then exchange their names, or the names go
    /// up by one.
    @Test(arguments: ["exchanged", "renumbered", "restored"])
    func `a photo is not taken for a copy of it that was deleted`(how: String) throws {
        if how != "restored" { try folder.write(redBlue, to: "photos/c.png") }
        _ = try run()
        try delete("a.png")
        if how == "restored" {
            // The deleted one has another name and is wanted again: what is remembered is of no use.
            try move("photos/sub/a.png", to: "photos/c.png")
            #expect(try run { $0.options.restore = true } == "2 photos: 1 new, 1 unchanged")
            try folder.write(redBlue, to: "photos/d.png")
            #expect(try run() == "3 photos: 1 new, 2 unchanged")
            try remove("photos/d.png")
        } else {
            try remove("photos/sub/a.png")
            #expect(try run() == "2 photos: 2 unchanged")
        }
        if how == "renumbered" {
            try move("photos/c.png", to: "photos/d.png")
            try move("photos/b.png", to: "photos/c.png")
        } else {
            try move("photos/c.png", to: "x")
            try move("photos/b.png", to: "photos/c.png")
            try move("x", to: "photos/b.png")
        }
        #expect(!(try run().contains("left out")))
        let colors = try stack.reader.performAndWait { context in
            try context.fetch(FetchRequest<Mood>(sortedBy: .ascending(\.photo?.path))).map { mood in
                "\(mood.photo?.path.split(separator: "/").last ?? "") \(mood.colors.count)"
            }
        }
        // Red and blue are two colors, green is one.
        #expect(colors == (how == "renumbered" ? ["c.png 1", "d.png 2"] : ["b.png 2", "c.png 1"]))
    }

    /// For as long as a deletion can be taken back.
    @Test func `a mark goes when another picture is put there, or the photo is asked for again`() throws {
        _ = try run()
        func mark() throws -> [Bool] {
            try stack.reader.performAndWait { context in
                try context.fetch(FetchRequest<Mood>(sortedBy: .ascending(\.photo?.path))).map {
                    $0.markedForDeletionDate != nil
                }
            }
        }
        let ids = try stack.reader.performAndWait { try $0.fetchObjectIDs(FetchRequest<Mood>()) }
        _ = try stack.markMoods(ids, at: Date())
        #expect(try run() == "2 photos: 2 unchanged")
        #expect(try mark() == [true, true])
        try folder.write(redBlue, to: "photos/b.png")
        _ = try run()
        #expect(try mark() == [false, true])
        _ = try stack.markMoods(ids, at: Date())
        #expect(try mark() == [true, true])
        _ = try run { $0.options.restore = true }
        #expect(try mark() == [false, false])
    }

    @Test func `a deleted photo that a copy of another was written over has that one's palette`() throws {
        _ = try run()
        try delete("a.png")
        try folder.write(green, to: "photos/sub/a.png")
        let plan = try run { $0.options.isDryRun = true }
        #expect(try run() == "2 photos: 1 new, 1 unchanged")
        #expect(plan == "2 photos: 1 new, 1 unchanged")
        let colors = try stack.reader.performAndWait { try $0.fetch(FetchRequest<Mood>()).map(\.colors) }
        #expect(colors.count == 2 && colors[0] == colors[1])
    }

    /// The disk may be away now: an earlier run saw it without the photo.
    @Test func `a photo that was missing before turns up while its folder is away`() throws {
        _ = try run()
        try move("photos/sub/a.png", to: "a.png")
        #expect(try run() == "2 photos: 1 unchanged, 1 missing")
        try move("photos", to: "unplugged")
        try folder.write(redBlue, to: "elsewhere/a.png")
        #expect(try run("elsewhere") == "1 photo: 1 moved")
        #expect(try moods() == ["2 a.png", "1 b.png"])
    }

    /// `y.png` comes first, and is what `2.png` was.
    @Test func `of copies that are moved each keeps its own mood`() throws {
        for name in ["1", "2"] { try folder.write(redBlue + Data([1]), to: "copies/\(name).png") }
        #expect(try run("copies") == "2 photos: 2 new")
        let before = try moods()
        try move("copies/1.png", to: "copies/z.png")
        try move("copies/2.png", to: "copies/y.png")
        #expect(try run("copies") == "2 photos: 2 moved")
        #expect(before == ["1 1.png", "2 2.png"])
        #expect(try moods() == ["2 y.png", "1 z.png"])
    }

    /// A run over some files leaves palettes of an earlier version at the others.
    @Test func `a copy has the palette that this version found, not that of an earlier one`() throws {
        try folder.write(redBlue, to: "photos/c.png")
        _ = try run()
        try stack.performAndWait { transaction in
            for mood in try transaction.fetchAll(FetchRequest<Mood>())
            where mood.photo?.name == Data("c.png".utf8) {
                mood.setAlgorithm(Palette.algorithmVersion - 2)
                mood.thumbnail?.set(jpeg: Data([7]))
            }
        }
        try folder.write(redBlue, to: "photos/d.png")
        #expect(try run("photos/d.png") == "1 photo: 1 new")
        #expect(try thumbnails().map { $0 > 1 } == [true, false, true, true], "b, c, d, sub/a")
    }

    /// Version 8 read AVIF of limited range wrong, and the others as this version does.
    @Test func `palettes of AVIF by the version before are found anew, others are not`() throws {
        try folder.write(redBlue + Data([1]), to: "photos/c.avif")
        _ = try run()
        func age(_ version: Int16) throws {
            try stack.performAndWait { transaction in
                for mood in try transaction.fetchAll(FetchRequest<Mood>()) { mood.setAlgorithm(version) }
            }
        }
        try age(8)
        let words = "1 AVIF read again, which older versions read wrong"
        #expect(try run() == "3 photos: 1 changed, 2 unchanged; \(words)")
        #expect(try run() == "3 photos: 3 unchanged")
        try age(7)
        #expect(try run().hasPrefix("3 photos: 3 changed"))
    }

    @Test func `a photo that was moved is read again where every palette is asked for anew`() throws {
        _ = try run()
        try mark(Data([1, 2, 3]))
        try move("photos/sub/a.png", to: "photos/y.png")
        var ingest = Ingest(stack: stack)
        ingest.options.recompute = true
        // A watch asks once: of what it found at first.
        var inputs = IngestInputs(found: FileFinder.find([path("photos")], filter: FileFilter()))
        inputs.askedAnew = []
        #expect(try ingest.run(inputs).report.description == "2 photos: 1 moved, 1 unchanged")
        #expect(try thumbnails() == [3, 3])
        try move("photos/y.png", to: "photos/z.png")
        #expect(try run { $0.options.recompute = true } == "2 photos: 1 changed, 1 moved")
        #expect(try thumbnails().allSatisfy { $0 > 3 })
        #expect(try moods() == ["1 b.png", "2 z.png"])
    }

    @Test(arguments: [false, true])
    func `a photo that was moved and cannot be read any more keeps its mood`(prune: Bool) throws {
        _ = try run()
        try move("photos/sub/a.png", to: "photos/z.png")
        func strict(_ ingest: inout Ingest) {
            (ingest.options.recompute, ingest.options.prune) = (true, prune)
            ingest.options.settings.limits.pixelLimit = 1
        }
        #expect(try run(change: strict) == "2 photos: 2 failed")
        #expect(try moods() == ["1 b.png", "2 z.png"])
        #expect(try run { $0.options.retry = true } == "2 photos: 2 back")
        // Asked for otherwise, too.
        try move("photos/z.png", to: "photos/y.png")
        let report = try run { ingest in
            strict(&ingest)
            (ingest.options.recompute, ingest.options.settings.palette.size) = (false, .colors(1))
        }
        #expect(report == "2 photos: 2 failed")
        #expect(try moods() == ["1 b.png", "2 y.png"])
    }

    @Test func `copies that are dated by their names have each its own date`() throws {
        for name in ["IMG_20150607_080910", "IMG_20160708_091011"] {
            try folder.write(redBlue, to: "copies/\(name).png")
            _ = try run("copies")
        }
        let days = try stack.reader.performAndWait { context in
            try context.fetch(FetchRequest<Mood>(sortedBy: .ascending(\.photo?.path))).map(\.day)
        }
        #expect(days == [20_150_607, 20_160_708])
    }

    @Test func `a photo that was moved is not decoded again`() throws {
        _ = try run()
        try move("photos/sub/a.png", to: "photos/z.png")
        // A decoder that may read nothing: what it is asked for fails.
        #expect(try run { $0.options.settings.limits.pixelLimit = 1 } == "2 photos: 1 moved, 1 unchanged")
        #expect(try moods() == ["2 z.png", "1 b.png"].sorted { $0.dropFirst(2) < $1.dropFirst(2) })
    }

    @Test func `a copy has the palette and the thumbnail of what it is a copy of`() throws {
        _ = try run()
        try mark(Data([1, 2, 3]))
        try folder.write(redBlue, to: "photos/copy.png")
        #expect(try run() == "3 photos: 1 new, 2 unchanged")
        #expect(try thumbnails() == [3, 3, 3])
        let colors = try stack.reader.performAndWait { context in
            try context.fetch(FetchRequest<Mood>(sortedBy: .ascending(\.photo?.path))).map {
                "\($0.colors.map(\.hex)) \($0.shares) \($0.swatches.count) \($0.width)x\($0.height)"
            }
        }
        #expect(colors[1] == colors[2] && colors[0] != colors[1])
        // What is asked of this run alone is no stored palette's.
        try folder.write(green, to: "photos/other.png")
        #expect(try run { $0.options.settings.exact = true } == "4 photos: 1 new, 3 unchanged")
        #expect(try thumbnails().count { $0 == 3 } == 3)
    }

    /// A JPEG with EXIF's DateTimeOriginal behind its first marker.
    private static func dated(_ jpeg: Data, _ date: String) throws -> Data {
        let directories: [UInt8] =
            [0x4D, 0x4D, 0, 42, 0, 0, 0, 8] + [0, 1, 0x87, 0x69, 0, 4, 0, 0, 0, 1, 0, 0, 0, 26, 0, 0, 0, 0]
            + [0, 1, 0x90, 0x03, 0, 2, 0, 0, 0, 20, 0, 0, 0, 44, 0, 0, 0, 0]
        let exif = Array("Exif".utf8) + [0, 0] + directories + Array(date.utf8) + [0]
        return jpeg.prefix(2) + [0xFF, 0xE1, 0, UInt8(exif.count + 2)] + exif + jpeg.dropFirst(2)
    }

    /// The day is the photo's own, not that of the copy's file or name.
    @Test func `a copy has the day that the photo says`() throws {
        let exif = try Self.dated(fixture("red-blue-24x16.jpg"), "2019:08:07 06:05:04")
        try folder.write(exif, to: "photos/dated.jpg")
        _ = try run()
        try folder.write(exif, to: "photos/IMG_20150607_080910.jpg")
        #expect(try run() == "4 photos: 1 new, 3 unchanged")
        let days = try stack.reader.performAndWait { context in
            try context.fetch(FetchRequest<Mood>()).filter { $0.photo?.path.hasSuffix(".jpg") == true }.map {
                [Int($0.day), Int($0.dateSource.rawValue)]
            }
        }
        #expect(days.count == 2 && days[0] == days[1] && days[0][0] == 20_190_807)
    }

    @Test func `a palette of a part of a photo is not its copy's`() throws {
        _ = try run { $0.options.settings.crop = Crop("6x16+18+0") }
        try folder.write(redBlue, to: "photos/copy.png")
        #expect(try run() == "3 photos: 1 new, 2 unchanged")
        let counts = try stack.reader.performAndWait { context in
            try context.fetch(FetchRequest<Mood>(sortedBy: .ascending(\.photo?.path))).map(\.colors.count)
        }
        #expect(counts == [1, 2, 1], "b.png, copy.png, sub/a.png")
    }

    /// Its last rows are missing.
    @Test func `the palette of a photo that is cut is not its copy's, which is asked about again`() throws {
        let pixels = (0..<96 * 96).flatMap { (at: Int) -> [UInt8] in
            [UInt8(at % 96), UInt8(at / 96), UInt8(at % 251), 255]
        }
        let jpeg = Data(try #require(Image(width: 96, height: 96, rgba: pixels)).jpeg(quality: 90))
        let cut = jpeg.prefix(jpeg.count * 3 / 4)
        try folder.write(cut, to: "photos/cut.jpg")
        #expect(try run { $0.options.settings.limits.acceptsTruncated = true } == "3 photos: 3 new")
        try folder.write(cut, to: "photos/copy.jpg")
        #expect(try run() == "4 photos: 3 unchanged, 1 failed")
        #expect(try moods().count == 3)
    }

    /// Folders beside one another, one inside another, and one that is named twice.
    @Test(arguments: [
        (["one", "two"], 3), (["two", "one"], 3), (["one", "one"], 2), (["one/sub", "one"], 2),
        (["one", "one/sub"], 2), (["two", "one/sub"], 2), (["one/sub"], 1),
    ])
    func `a photo is missing once, below whichever folder that is named`(names: [String], count: Int) throws {
        for (number, name) in ["one/a", "one/b", "one/sub/c", "one/sub/d", "two/e", "two/f"].enumerated() {
            try folder.write(redBlue + Data([UInt8(number)]), to: name + ".png")
        }
        _ = try run("one", "two")
        for name in ["one/a", "one/sub/c", "two/e"] { try remove(name + ".png") }
        #expect(try run(names[0], names.dropFirst().first ?? names[0]).contains("\(count) missing"))
        let kept = try stack.reader.performAndWait { context in
            try context.count(FetchRequest<Photo>(\Photo.state == PhotoState.missing))
        }
        #expect(kept == count)
    }

    @Test func `all photos lie below the root of all folders`() throws {
        _ = try run()
        let request = PaletteRequest(PaletteOptions())
        let catalog = try PhotoCatalog(at: [BytePath("/")], in: stack, asking: request)
        #expect(catalog.photos.map(\.name) == [Array("b.png".utf8), Array("a.png".utf8)])
        #expect(try catalog.keepsPhotos(below: BytePath("/")))
        #expect(try !catalog.keepsPhotos(below: path("photos/su")))
        let whole = try PhotoCatalog(in: stack, asking: request)
        #expect(whole.indexes(below: BytePath("/")).joined().count == 2)
    }

    @Test func `copies in one run are decoded once, however far apart they are`() throws {
        // A transaction is of 256 photos, and a worker as many ahead at most; "700" is the 669th name.
        for index in 0..<900 {
            try folder.write(
                index % 700 == 0 ? redBlue : green + Data("\(index)".utf8), to: "photos/\(index).png")
        }
        let isMarked = Atomic(false)
        let stack = stack
        #expect(
            try run { ingest in
                ingest.options.jobs = 1
                ingest.read = { path throws(FileError) in
                    // The first is in the store by now.
                    if path.name == Array("700.png".utf8), !isMarked.exchange(true, ordering: .relaxed) {
                        try? stack.performAndWait { transaction in
                            for mood in try transaction.fetchAll(FetchRequest<Mood>()) {
                                mood.thumbnail?.set(jpeg: Data([7]))
                            }
                        }
                    }
                    return try readFile(path)
                }
            } == "902 photos: 902 new")
        let copies = try stack.reader.performAndWait { context in
            try context.fetch(FetchRequest<Photo>()).filter { $0.path.hasSuffix("/700.png") }
                .map { $0.mood?.thumbnail?.jpeg.count }
        }
        #expect(copies == [1])
    }

    @Test func `a copy of a photo that waits to be written is not decoded`() throws {
        let options = IngestOptions(), presence = Presence(named: [])
        let found = FileFinder.find(
            [path("photos")], filter: options.filter, skipping: [], namingOthers: false)
        let inputs = IngestInputs(found: found)
        let plan = try IngestPlan(inputs, stored: PhotoCatalog(), options: options, presence: presence)
        let contents = ContentIndex(plan, options, presence)
        let reader = PhotoReader(settings: options.settings, coordinator: nil) { path throws(FileError) in
            try readFile(path)
        }
        var writer = BatchWriter(contents: contents, reader: reader, inputs: inputs, othersBefore: 0)
        let item = try #require(plan.work.first)
        let result = reader.outcome(of: item, contents)
        if case .read = result {} else { Issue.record("\(result)") }
        writer.add(PhotoOutcome(item: item, result: result))
        let again = reader.outcome(of: item, contents)
        if case .known = again {} else { Issue.record("\(again)") }
    }

    @Test func `a photo that is put where another was keeps its mood, and the other's goes`() throws {
        _ = try run()
        #expect(try moods() == ["1 b.png", "2 a.png"])
        try remove("photos/b.png")
        try move("photos/sub/a.png", to: "photos/b.png")
        let plan = try run { $0.options.isDryRun = true }
        #expect(try run() == "2 photos: 1 moved, 1 replaced".replacing("2 photos", with: "1 photo"))
        #expect(plan == "1 photo: 1 moved, 1 replaced")
        #expect(try moods() == ["2 b.png"])
        #expect(try run() == "1 photo: 1 unchanged")
    }

    @Test func `of two files with a gone photo's contents one has its mood, the other another`() throws {
        _ = try run()
        #expect(try moods() == ["1 b.png", "2 a.png"])
        try remove("photos/sub/a.png")
        try folder.write(redBlue, to: "photos/c.png")
        try folder.write(redBlue, to: "photos/d.png")
        #expect(try run() == "3 photos: 1 new, 1 moved, 1 unchanged")
        let found = try moods()
        #expect(found.map { $0.dropFirst(2) } == ["b.png", "c.png", "d.png"])
        #expect(Set(found.map { $0.prefix(1) }) == ["1", "2", "3"])
        #expect(try run() == "3 photos: 3 unchanged")
    }

    @Test func `a photo that was moved and is asked for otherwise is both`() throws {
        _ = try run()
        try move("photos/sub/a.png", to: "photos/z.png")
        #expect(
            try run { $0.options.settings.palette.size = .colors(1) } == "2 photos: 1 changed, 1 moved")
        let counts = try stack.reader.performAndWait {
            try $0.fetch(FetchRequest<Mood>()).map { ($0.objectID.key, $0.colors.count, $0.k) }
        }
        #expect(counts.count == 2 && counts.allSatisfy { $0.1 == 1 && $0.2 == 1 })
        #expect(try run { $0.options.settings.palette.size = .colors(1) } == "2 photos: 2 unchanged")
    }

    @Test func `copies do not take over the moods of a disk that is not plugged in`() throws {
        _ = try run()
        try FileManager.default.createDirectory(at: url("elsewhere"), withIntermediateDirectories: true)
        try folder.write(redBlue, to: "elsewhere/a.png")
        try move("photos", to: "unplugged")
        #expect(try run("elsewhere") == "1 photo: 1 new")
        // Where a disk was, an empty folder may be left.
        try FileManager.default.createDirectory(at: url("photos"), withIntermediateDirectories: true)
        try folder.write(green, to: "elsewhere/b.png")
        #expect(try run("elsewhere") == "2 photos: 1 new, 1 unchanged")
        try remove("photos")
        try move("unplugged", to: "photos")
        #expect(try run("photos", "elsewhere") == "4 photos: 4 unchanged")
    }

    @Test func `a folder that is moved out of the one that was looked through keeps its moods`() throws {
        _ = try run()
        try FileManager.default.createDirectory(at: url("archive"), withIntermediateDirectories: true)
        try move("photos/sub", to: "archive/sub")
        #expect(try run("archive") == "1 photo: 1 moved")
        #expect(try moods() == ["2 a.png", "1 b.png"])
    }

    @Test(arguments: [false, true])
    func `a photo that is back before the run ends is not missing`(prune: Bool) throws {
        _ = try run()
        try move("photos/b.png", to: "keep.png")
        try folder.write(green + Data([0]), to: "photos/new.png")
        let (from, to) = (url("keep.png"), url("photos/b.png"))
        let report = try run { ingest in
            ingest.options.prune = prune
            ingest.read = { path throws(FileError) in
                if path.name == Array("new.png".utf8) { try? FileManager.default.moveItem(at: from, to: to) }
                return try readFile(path)
            }
        }
        #expect(report == "3 photos: 1 new, 2 unchanged")
        #expect(try moods() == ["1 b.png", "3 new.png", "2 a.png"])
    }

    @Test func `another file at the place of one that is gone is left for the next run`() throws {
        _ = try run()
        try remove("photos/b.png")
        try folder.write(green + Data([0]), to: "photos/new.png")
        let (folder, redBlue) = (folder, redBlue)
        _ = try run { ingest in
            ingest.options.prune = true
            ingest.read = { path throws(FileError) in
                try? folder.write(redBlue, to: "photos/b.png")
                return try readFile(path)
            }
        }
        #expect(try moods() == ["1 b.png", "3 new.png", "2 a.png"])
        #expect(try run() == "3 photos: 1 changed, 2 unchanged")
    }

    @Test func `a file that cannot be looked at is not gone`() throws {
        _ = try run()
        try FileManager.default.createSymbolicLink(
            atPath: url("photos/loop").path, withDestinationPath: "loop")
        try remove("photos/sub/a.png")
        try remove("photos/sub")
        try FileManager.default.createSymbolicLink(
            atPath: url("photos/sub").path, withDestinationPath: "loop")
        try folder.write(redBlue, to: "elsewhere/a.png")
        #expect(try run("elsewhere") == "1 photo: 1 new", "too many links is not gone")
    }
}
