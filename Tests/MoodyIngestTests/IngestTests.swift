import DataStacks
import Foundation
import ManagedObjects
import MoodyModel
import Palettes
import Synchronization
import TestSupport
import Testing

@testable import MoodyIngest

@Suite struct IngestTests {
    private let folder: ScratchFolder
    private let stack: DataStack
    private let redBlue: Data, green: Data

    init() throws {
        folder = try ScratchFolder()
        stack = DataStack(model: try .moody())
        try stack.addStorage(sqlite: folder.url.appending(path: "Moody.moody"))
        redBlue = try fixture("red-blue-24x16.png")
        green = try fixture("green-24x16.png")
        for name in ["photos/a.png", "photos/sub/b.jpg"] {
            try folder.write(name.hasSuffix("png") ? redBlue : fixture("red-blue-24x16.jpg"), to: name)
        }
        try folder.write(Data("notes".utf8), to: "photos/notes.txt")
    }

    private var photos: BytePath { BytePath(folder.url.appending(path: "photos").path) }

    private func run(_ change: (inout Ingest) -> Void = { _ in }) throws -> (IngestReport, problems: [String])
    {
        var ingest = Ingest(stack: stack)
        let problems = Problems()
        ingest.callbacks.onProblem = { problems.lines.append("\($0): \($1)") }
        ingest.callbacks.onRetry = { Issue.record("nobody else writes, and yet: \($0.rawValue)") }
        change(&ingest)
        return (try ingest.run([photos]), problems.lines)
    }

    private func day(of name: String) throws -> Int32? {
        try stack.reader.performAndWait { context in
            try context.fetch(FetchRequest<Mood>()).first { $0.photo?.name == Data(name.utf8) }?.day
        }
    }

    @Test func `a photo that is renamed gets the date of its new name`() throws {
        _ = try run()
        let root = folder.url.appending(path: "photos")
        try FileManager.default.moveItem(
            at: root.appending(path: "a.png"), to: root.appending(path: "IMG_20150607_080910.png"))
        #expect(try run().0.moved == 1)
        #expect(try day(of: "IMG_20150607_080910.png") == 20_150_607)
        // Now from one name with a date to another.
        try FileManager.default.moveItem(
            at: root.appending(path: "IMG_20150607_080910.png"),
            to: root.appending(path: "IMG_20140607_080910.png"))
        #expect(try run().0.moved == 1)
        #expect(try day(of: "IMG_20140607_080910.png") == 20_140_607)
    }

    @Test func `a photo of 2014 that is ingested today stands in 2014`() throws {
        _ = try run()
        for (name, data) in [("IMG_20140607_080910.png", green), ("IMG_20200101_000000.png", redBlue + [0])] {
            try folder.write(data, to: "photos/\(name)")
        }
        _ = try run()
        let dated = try stack.reader.performAndWait { context in
            try context.fetch(FetchRequest<Mood>(sortedBy: .ascending(\.date))).map {
                (String(decoding: $0.photo?.name ?? Data(), as: UTF8.self), $0.dateSource)
            }
        }
        #expect(dated.map(\.0).prefix(2) == ["IMG_20140607_080910.png", "IMG_20200101_000000.png"])
        #expect(dated.map(\.1) == [.fileName, .fileName, .fileTime, .fileTime])
    }

    @Test func `a mood that is deleted while its photo is read stays deleted`() throws {
        _ = try run()
        let id = try stack.reader.performAndWait {
            try #require(
                try $0.fetch(FetchRequest<Mood>(sortedBy: .ascending(\.photo?.path))).first?.objectID)
        }
        let stack = stack, isDeleted = Atomic(false)
        let report = try run { ingest in
            ingest.options.recompute = true
            ingest.read = { path throws(FileError) in
                if !isDeleted.exchange(true, ordering: .relaxed) { _ = try? stack.deleteMoods([id]) }
                return try readFile(path)
            }
        }.0
        #expect(report.description == "2 photos: 1 changed, 1 left out; 1 other file")
        #expect(try moods().map(\.name) == ["b.jpg"])
        #expect(try run().0.description == "2 photos: 1 unchanged, 1 left out; 1 other file")
        #expect(
            try run { $0.options.restore = true }.0.description
                == "2 photos: 1 new, 1 unchanged; 1 other file")
        #expect(try moods().count == 2)
    }

    @Test func `a photo whose mood was deleted goes on being left out under another name`() throws {
        _ = try run()
        let id = try stack.reader.performAndWait {
            try #require(
                try $0.fetch(FetchRequest<Mood>(sortedBy: .ascending(\.photo?.path))).first?.objectID)
        }
        #expect(try stack.deleteMoods([id]) == [])
        let root = folder.url.appending(path: "photos")
        try FileManager.default.moveItem(at: root.appending(path: "a.png"), to: root.appending(path: "z.png"))
        #expect(try run().0.description == "2 photos: 1 unchanged, 1 left out; 1 other file")
        #expect(try run().0.description == "2 photos: 1 unchanged, 1 left out; 1 other file")
        #expect(try run { $0.options.restore = true }.0.new == 1)
    }

    @Test func `a dry run says what the run then does`() throws {
        _ = try run()
        let root = folder.url.appending(path: "photos")
        try FileManager.default.moveItem(at: root.appending(path: "a.png"), to: root.appending(path: "z.png"))
        try FileManager.default.removeItem(at: root.appending(path: "sub/b.jpg"))
        try folder.write(green, to: "photos/new.png")
        for name in ["README", "x.json", "prog"] {
            try folder.write(Data("#!/bin/sh".utf8), to: "photos/" + name)
        }
        try folder.write(Data("no picture".utf8), to: "photos/bad.jpg")
        var plan: [String] = []
        let rehearsal = try run { ingest in
            (ingest.options.isDryRun, ingest.options.prune) = (true, true)
            ingest.callbacks.onPlan = { plan.append("\($2.rawValue) \($1.split(separator: "/").last ?? "")") }
        }
        #expect(plan == ["new new.png", "moved z.png", "prune b.jpg"])
        #expect(rehearsal.0.description == "4 photos: 1 new, 1 moved, 1 pruned, 1 failed; 4 other files")
        let real = try run { $0.options.prune = true }
        #expect(rehearsal.0 == real.0)
        #expect(rehearsal.problems == real.problems)
    }

    @Test func `a dry run tells what was only touched from what is back`() throws {
        _ = try run()
        let root = folder.url.appending(path: "photos"), away = folder.url.appending(path: "away.jpg")
        let (a, b) = (root.appending(path: "a.png"), root.appending(path: "sub/b.jpg"))
        try FileManager.default.moveItem(at: b, to: away)
        #expect(try run().0.missing == 1)
        try FileManager.default.moveItem(at: away, to: b)
        for (file, time) in [(a, 1_500_000_000), (b, 1_500_000_000.25)] {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: time)], ofItemAtPath: file.path)
        }
        func expect(_ report: String) throws {
            let rehearsal = try run { $0.options.isDryRun = true }.0, real = try run().0
            #expect(real.description == report)
            #expect(rehearsal == real)
        }
        // Photos without a date of their own have that of their file.
        try expect("2 photos: 2 changed; 1 other file")
        // Other files of the same bytes and times.
        try FileManager.default.moveItem(at: b, to: away)
        #expect(try run().0.missing == 1)
        try FileManager.default.copyItem(at: away, to: b)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_500_000_000.25)], ofItemAtPath: b.path)
        let copy = root.appending(path: "copy")
        try FileManager.default.copyItem(at: a, to: copy)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_500_000_000)], ofItemAtPath: copy.path)
        try FileManager.default.removeItem(at: a)
        try FileManager.default.moveItem(at: copy, to: a)
        try expect("2 photos: 1 back, 1 unchanged; 1 other file")
    }

    @Test func `a folder of which everything is left out is not taken for an empty one`() throws {
        _ = try run()
        let (report, problems) = try run {
            $0.options.filter.exclude = [Glob("*.png"), Glob("sub/"), Glob("*.txt")]
        }
        #expect(report.isComplete && problems == [])
        #expect(report.missing == 0)
    }

    @Test func `a photo behind a link that is not followed this time is not missing`() throws {
        try FileManager.default.createSymbolicLink(
            at: folder.url.appending(path: "photos/link.png"),
            withDestinationURL: folder.url.appending(path: "photos/a.png"))
        #expect(try run { $0.options.filter.followsLinks = true }.0.new == 3)
        #expect(try run().0.missing == 0)
        try FileManager.default.removeItem(at: folder.url.appending(path: "photos/link.png"))
        #expect(try run().0.missing == 1)
    }

    @Test func `what is named and cannot be read counts`() throws {
        var ingest = Ingest(stack: stack)
        ingest.callbacks.onProblem = { _, _ in }
        let report = try ingest.run([
            photos, BytePath(photos.description + "/nosuch.jpg"), BytePath("/dev/null"),
        ])
        #expect(report.description == "4 photos: 2 new, 2 failed; 1 other file")
    }

    private func moods() throws -> [(id: Int64, name: String, first: String)] {
        try stack.reader.performAndWait { context in
            try context.fetch(FetchRequest<Mood>(sortedBy: .ascending(\.photo?.path))).map {
                ($0.objectID.key, String($0.photo?.path.split(separator: "/").last ?? ""), $0.colors[0].hex)
            }
        }
    }

    @Test func `a first run keeps a mood a photo, a second opens no file`() throws {
        let (report, problems) = try run()
        #expect(report.description == "2 photos: 2 new; 1 other file")
        #expect(problems == [])
        #expect(try moods().map(\.name) == ["a.png", "b.jpg"])
        let shares = try stack.reader.performAndWait {
            try $0.fetch(FetchRequest<Mood>(\.photo?.path != nil)).map(\.shares)
        }
        #expect(shares.allSatisfy { abs($0[0] - 0.75) < 0.02 && abs($0[1] - 0.25) < 0.02 })
        let opened = Atomic(0)
        let (again, _) = try run { ingest in
            ingest.read = { path throws(FileError) in
                opened.add(1, ordering: .relaxed)
                return try readFile(path)
            }
        }
        #expect(again.description == "2 photos: 2 unchanged; 1 other file")
        #expect(opened.load(ordering: .relaxed) == 0)
    }

    @Test func `a changed file is read again, one that was only touched keeps its palette`() throws {
        _ = try run()
        try folder.write(green, to: "photos/a.png")
        #expect(try run().0.description == "2 photos: 1 changed, 1 unchanged; 1 other file")
        let colors = try moods().map(\.first)
        #expect(colors[0] == "#1ea03c")
        // A JPEG's red is not a PNG's to the last bit.
        let red = try #require(RGB(hex: colors[1])), wanted = try #require(RGB(hex: "#c81e1e"))
        #expect(Lab(red).difference(to: Lab(wanted)) < 3, "\(colors)")
        #expect(try moods().map(\.id) == [1, 2], "the mood is the same object")
        let before = try day(of: "a.png")
        try folder.write(green, to: "photos/a.png", time: 981_173_106)
        #expect(
            try run().0.description == "2 photos: 1 changed, 1 unchanged; 1 other file", "another file time")
        #expect(before != 20_010_203)
        #expect(try day(of: "a.png") == 20_010_203, "a photo that says no date of its own has its file's")
        try folder.write(green, to: "photos/a.png", time: 981_173_106)
        #expect(try run().0.description == "2 photos: 2 unchanged; 1 other file")
        #expect(try run { $0.options.recompute = true }.0.changed == 2)
    }

    @Test func `a moved file keeps its mood, a copy gets its own`() throws {
        _ = try run()
        let root = folder.url.appending(path: "photos")
        try FileManager.default.moveItem(at: root.appending(path: "a.png"), to: root.appending(path: "z.png"))
        #expect(try run().0.description == "2 photos: 1 moved, 1 unchanged; 1 other file")
        #expect(try moods().map(\.name) == ["b.jpg", "z.png"])
        #expect(try moods().map(\.id) == [2, 1])
        try folder.write(redBlue, to: "photos/copy.png")
        #expect(try run().0.description == "3 photos: 1 new, 2 unchanged; 1 other file")
        let ids = try moods().map(\.id)
        #expect(ids == [3, 2, 1], "in the order of the paths: copy.png, sub/b.jpg, z.png")
    }

    @Test func `what is gone is marked missing, comes back, or is pruned`() throws {
        _ = try run()
        let file = folder.url.appending(path: "photos/a.png")
        try FileManager.default.removeItem(at: file)
        #expect(try run().0.description == "2 photos: 1 unchanged, 1 missing; 1 other file")
        #expect(try moods().count == 2, "the mood stays")
        let again = try run().0
        #expect(again.description == "2 photos: 1 unchanged, 1 missing; 1 other file", "at each run")
        #expect(again.missing == 0 && again.missingBefore == 1 && !again.hasChanges)
        try folder.write(redBlue, to: "photos/a.png")
        #expect(try run().0.description == "2 photos: 1 changed, 1 unchanged; 1 other file")
        try FileManager.default.removeItem(at: file)
        #expect(
            try run { $0.options.prune = true }.0.description
                == "2 photos: 1 unchanged, 1 pruned; 1 other file")
        #expect(try moods().map(\.name) == ["b.jpg"])
    }

    @Test func `an empty folder, a drive that is not mounted say, makes nothing missing`() throws {
        _ = try run()
        try FileManager.default.removeItem(at: folder.url.appending(path: "photos"))
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "photos"), withIntermediateDirectories: true)
        let (report, problems) = try run { $0.options.prune = true }
        #expect(report.problems == 1 && !report.isComplete)
        #expect(problems == ["\(photos): nothing found in it; nothing below it was marked missing"])
        #expect(try moods().count == 2)
    }

    @Test func `a bad photo never stops the rest, and is left alone until it is asked for`() throws {
        try folder.write(redBlue.prefix(redBlue.count - 20), to: "photos/cut.png")
        try folder.write(Data(), to: "photos/empty.jpg")
        let (report, problems) = try run()
        #expect(report.description == "4 photos: 2 new, 2 failed; 1 other file")
        #expect(
            problems.count == 2 && problems[0].contains("cut.png: ")
                && problems[1].contains("empty.jpg: not a"))
        let again = try run().0
        #expect(again.isComplete)
        #expect(again.description == "4 photos: 2 unchanged, 2 failed before (--retry); 1 other file")
        #expect(try run { $0.options.retry = true }.0.failed == 2)
    }

    /// A byte more than the limit, in a sparse file: the disk holds a block of it.
    @Test func `a photo too large for any run is remembered as one that failed`() throws {
        try folder.write(Data([0xFF, 0xD8, 0xFF]), to: "photos/huge.jpg")
        let file = try FileHandle(forWritingTo: folder.url.appending(path: "photos/huge.jpg"))
        try file.truncate(atOffset: (2 << 30) + 1)
        try file.close()
        let (report, problems) = try run()
        #expect(
            report.failed == 1 && problems.count == 1 && problems[0].contains("huge.jpg: more than 2 GiB"))
        #expect(try run().0.description == "3 photos: 2 unchanged, 1 failed before (--retry); 1 other file")
    }

    /// Fail the n-th read, whichever it is: the others are kept, and the next run keeps that one too.
    @Test(arguments: [0, 1, 2]) func `a disk that fails at the n-th read costs that photo`(n: Int) throws {
        let count = Atomic(0)
        let (report, problems) = try run { ingest in
            ingest.options.jobs = 1
            ingest.read = { path throws(FileError) in
                if count.add(1, ordering: .relaxed).oldValue == n { throw FileError(code: EIO) }
                return try readFile(path)
            }
        }
        #expect(report.failed == 1)
        #expect(problems.count == 1 && problems[0].hasSuffix(": Input/output error"))
        #expect(try run().0.isComplete)
        #expect(try moods().count == 2)
    }

    @Test func `deleted moods are left out until they are restored`() throws {
        _ = try run()
        let ids = try stack.reader.performAndWait { try $0.fetchObjectIDs(FetchRequest<Mood>()) }
        #expect(try stack.deleteMoods([ids[0]]) == [])
        #expect(try stack.deleteMoods([ids[0]]) == [ids[0]], "it is gone already")
        #expect(try run().0.description == "2 photos: 1 unchanged, 1 left out; 1 other file")
        #expect(
            try run { $0.options.restore = true }.0.description
                == "2 photos: 1 new, 1 unchanged; 1 other file")
        #expect(try moods().count == 2)
    }

    @Test func `a mark keeps its date, and marks since a moment are not purged`() throws {
        _ = try run()
        let ids = try stack.reader.performAndWait { try $0.fetchObjectIDs(FetchRequest<Mood>()) }
        let first = Date(timeIntervalSince1970: 1_000), second = first + 60
        #expect(try stack.markMoods([ids[0]], at: first) == [first])
        #expect(try stack.markMoods(ids, at: second) == [first, second])
        #expect(try stack.purgeMarks(before: second, of: ids) == [ids[0]])
        #expect(try stack.markMoods(ids, at: second + 60) == [nil, second])
        #expect(try stack.unmarkMoods(ids) == [false, true])
        #expect(try stack.purgeMarks(before: .distantFuture, of: ids) == [])
        #expect(try moods().count == 1)
    }

    /// The notes and the link are files, and no photos.
    @Test func `progress is told in files, and in photos among them`() throws {
        try FileManager.default.createSymbolicLink(
            at: folder.url.appending(path: "photos/link.png"),
            withDestinationURL: folder.url.appending(path: "photos/a.png"))
        var told: [[Int]] = []
        _ = try run { $0.callbacks.onProgress = { told.append([$0, $1, $2]) } }
        #expect(told.first == [0, 3, 0] && told.last == [3, 3, 2], "\(told)")
    }

    @Test func `another number of colors makes the palettes anew, and only once`() throws {
        _ = try run()
        #expect(try run { $0.options.settings.palette.size = .colors(1) }.0.changed == 2)
        #expect(try run { $0.options.settings.palette.size = .colors(1) }.0.unchanged == 2)
    }

    @Test func `the store is the same for one, two and four jobs`() throws {
        for index in 0..<12 {
            try folder.write(index % 2 == 0 ? redBlue : green, to: "photos/more/\(index).png")
        }
        var stores: [[String]] = []
        for jobs in [1, 2, 4] {
            let stack = DataStack(model: try .moody())
            try stack.addInMemoryStorage()
            var ingest = Ingest(stack: stack)
            ingest.options.jobs = jobs
            _ = try ingest.run([photos])
            stores.append(
                try stack.reader.performAndWait { context in
                    try context.fetch(FetchRequest<Mood>()).map { mood in
                        """
                        \(mood.objectID) \(mood.photo?.path ?? "") \(mood.colors) \(mood.shares) \
                        \(mood.thumbnail?.jpeg.count ?? 0)
                        """
                    }
                })
        }
        #expect(stores[0].count == 14)
        #expect(stores[1] == stores[0] && stores[2] == stores[0])
    }

    /// Each read waits until as many are under way as may be, or a while has passed.
    @Test(arguments: [1, 2, 4]) func `as many photos are in hand at once as there are jobs, never more`(
        jobs: Int
    ) throws {
        for index in 0..<12 {
            try folder.write(index % 2 == 0 ? redBlue : green, to: "photos/more/\(index).png")
        }
        let inHand = Atomic(0), most = Atomic(0)
        let (report, _) = try run { ingest in
            ingest.options.jobs = jobs
            ingest.read = { path throws(FileError) in
                let now = inHand.add(1, ordering: .sequentiallyConsistent).newValue
                _ = most.max(now, ordering: .sequentiallyConsistent)
                defer { inHand.subtract(1, ordering: .sequentiallyConsistent) }
                for _ in 0..<2_000 where most.load(ordering: .sequentiallyConsistent) < jobs { usleep(1_000) }
                // Long enough for one too many to come.
                usleep(5_000)
                return try readFile(path)
            }
        }
        #expect(report.new == 14)
        #expect(most.load(ordering: .sequentiallyConsistent) == jobs)
    }

    /// The first photo fails, which is told when its batch is written: by then the workers are far beyond it.
    @Test func `photos go on being read while a batch is written`() throws {
        for index in 0..<120 { try folder.write(green, to: "photos/more/\(index).png") }
        let begun = Atomic(0), whileWritten = Atomic(0)
        var ingest = Ingest(stack: stack)
        ingest.options.jobs = 2
        ingest.read = { path throws(FileError) in
            if begun.add(1, ordering: .relaxed).oldValue == 0 { throw FileError(code: EIO) }
            return try readFile(path)
        }
        ingest.callbacks.onProblem = { _, _ in
            for _ in 0..<5_000 where begun.load(ordering: .relaxed) < 122 { usleep(1_000) }
            whileWritten.store(begun.load(ordering: .relaxed), ordering: .relaxed)
        }
        var inputs = IngestInputs(
            found: FileFinder.find([photos], filter: ingest.options.filter, skipping: ingest.options.skipped))
        inputs.batchTime = .infinity
        #expect(try ingest.run(inputs).report.failed == 1)
        #expect(whileWritten.load(ordering: .relaxed) >= 122)
    }

    /// chmod(2) changes neither the size nor the time of a file.
    @Test func `a file that could not be opened, and then can, is told as read`() throws {
        let isOpen = Atomic(false), read = Problems()
        func look() throws -> [String] {
            try run { ingest in
                ingest.read = { path throws(FileError) in
                    if path.name == Array("a.png".utf8), !isOpen.load(ordering: .relaxed) {
                        throw FileError(code: EACCES)
                    }
                    return try readFile(path)
                }
                ingest.callbacks.onRead = { read.lines.append(String(decoding: $0.name, as: UTF8.self)) }
            }.problems
        }
        #expect(try look().count == 1)
        #expect(!read.lines.contains("a.png") && read.lines.contains("b.jpg"))
        isOpen.store(true, ordering: .relaxed)
        #expect(try look().isEmpty)
        #expect(read.lines.last == "a.png")
    }

    @Test func `a dry run writes nothing and says what would be done`() throws {
        let plan = Problems()
        let (report, _) = try run { ingest in
            ingest.options.isDryRun = true
            ingest.callbacks.onPlan = { plan.lines.append("\($2) \($1)") }
        }
        #expect(report.description == "2 photos: 2 new; 1 other file")
        #expect(plan.lines.count == 2)
        #expect(try moods().isEmpty)
    }

    @Test func `a run that is stopped has kept what was finished, and the next goes on from there`() throws {
        for index in 0..<30 {
            try folder.write(index % 2 == 0 ? redBlue : green, to: "photos/more/\(index).png")
        }
        let looked = Atomic(0)
        let (report, _) = try run { ingest in
            ingest.options.jobs = 2
            ingest.callbacks.isStopped = { looked.add(1, ordering: .relaxed).oldValue > 10 }
        }
        #expect(report.wasStopped)
        let kept = try moods().count
        #expect(kept > 0 && kept < 32)
        #expect(try run().0.new == 32 - kept)
        #expect(try moods().count == 32)
    }

    @Test func `a large preview is a file beside the store and goes with its mood`() throws {
        _ = try run { $0.options.settings.previewSide = 64 }
        let report = try stack.coordinator.report()
        #expect(report.externalFiles == 0, "a small one stays in its row")
        #expect(report.counts["Mood"] == 2)
        let previews = try stack.reader.performAndWait {
            try $0.fetch(FetchRequest<Mood>()).map { $0.preview?.count ?? 0 }
        }
        #expect(previews.allSatisfy { $0 > 100 })
        // Palettes that are made anew without one have none: it would be of the old file.
        #expect(try run { $0.options.recompute = true }.0.changed == 2)
        let others = try stack.reader.performAndWait { try $0.fetch(FetchRequest<Mood>()).map(\.preview) }
        #expect(others == [nil, nil])
    }
}

private final class Problems {
    var lines: [String] = []
}

func fixture(_ name: String) throws -> Data {
    try Data(contentsOf: #require(Bundle.module.url(forResource: "Fixtures/\(name)", withExtension: nil)))
}
