import DataStacks
import Foundation
import Images
import ManagedObjects
import MoodyModel
import Palettes
import TestSupport
import Testing

@testable import MoodyIngest

/// What is asked of a run, and what is remembered of it.
@Suite struct RunOptionsTests {
    private let folder: ScratchFolder
    private let stack: DataStack

    init() throws {
        folder = try ScratchFolder()
        stack = DataStack(model: try .moody())
        try stack.addStorage(sqlite: folder.url.appending(path: "Moody.moody"))
        for name in ["photos/one/a.png", "photos/two/b.png"] {
            try folder.write(fixture("red-blue-24x16.png") + Data(name.utf8), to: name)
        }
    }

    private func path(_ name: String) -> BytePath { BytePath(folder.url.appending(path: name).path) }

    private func run(_ name: String = "photos", change: (inout IngestOptions) -> Void = { _ in }) throws
        -> String
    {
        var ingest = Ingest(stack: stack)
        change(&ingest.options)
        return try ingest.run([path(name)]).description
    }

    @Test func `two runs at once over different folders are both remembered`() throws {
        let first = try SearchRoots(searched: [path("photos/one")], in: stack)
        let second = try SearchRoots(searched: [path("photos/two")], in: stack)
        try second.keep(in: stack)
        try first.keep(in: stack)
        let all = try SearchRoots(searched: [], in: stack).all
        #expect(all == [path("photos/one"), path("photos/two")])
    }

    @Test func `a mood remembers what was left out of it, so that a run over a part leaves none behind`()
        throws
    {
        _ = try run()
        func ignoring(_ options: inout IngestOptions) { options.settings.palette.ignore = [.white, .border] }
        #expect(try run("photos/one", change: ignoring) == "1 photo: 1 changed")
        #expect(try run(change: ignoring) == "2 photos: 1 changed, 1 unchanged")
        #expect(try run(change: ignoring) == "2 photos: 2 unchanged")
        let background = RGB(red: 20, green: 40, blue: 180)
        func behind(_ options: inout IngestOptions) { options.settings.palette.background = background }
        #expect(try run("photos/two", change: behind) == "1 photo: 1 changed")
        let asked = try stack.reader.performAndWait { context in
            try context.fetch(FetchRequest<Mood>(sortedBy: .ascending(\.photo?.path))).map(\.request.leftOut)
        }
        #expect(
            asked == [LeftOutColors(ignore: [.white, .border]), LeftOutColors(background: background)])
        #expect(try run() == "2 photos: 2 changed")
        #expect(try run() == "2 photos: 2 unchanged")
    }

    /// A run over files alone reads only their rows.
    @Test func `what was left out of a palette counts in a run over its file alone`() throws {
        let file = "photos/one/a.png"
        func ignoring(_ options: inout IngestOptions) { options.settings.palette.ignore = [.white] }
        #expect(try run(change: ignoring) == "2 photos: 2 new")
        #expect(try run(file, change: ignoring) == "1 photo: 1 unchanged")
        #expect(try run(file) == "1 photo: 1 changed")
        #expect(try run(file) == "1 photo: 1 unchanged")
    }

    @Test func `verify compares contents where size and time are what they were`() throws {
        _ = try run()
        let file = folder.url.appending(path: "photos/one/a.png").path
        let time = try #require(
            try FileManager.default.attributesOfItem(atPath: file)[.modificationDate] as? Date)
        var bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: file)))
        bytes[bytes.count - 1] ^= 1
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: file))
        try handle.write(contentsOf: bytes)
        try handle.close()
        try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: file)
        // The clock's last digits may be lost on the way: the store is told what the file says now.
        try stack.performAndWait { transaction in
            for photo in try transaction.fetchAll(FetchRequest<Photo>()) where photo.path.hasSuffix("a.png") {
                let status = try FileStatus(at: BytePath(file))
                let name = CivilDate(year: 2000, month: 1, day: 1)
                _ = photo.touch(
                    file: status.file, date: FileDate(taken: name, source: .fileTime), seen: Date())
            }
        }
        #expect(try run() == "2 photos: 2 unchanged")
        #expect(try run { $0.verify = true } == "2 photos: 1 changed, 1 unchanged")
        #expect(try run { $0.verify = true } == "2 photos: 2 unchanged")
    }

    @Test
    func `a preview that cannot be put beside the store ends the run once, and keeps what was finished`()
        throws
    {
        _ = try run("photos/one")
        // Noise is large whatever the quality: it is no value for a row.
        var random = SystemRandomNumberGenerator()
        let noise = (0..<(512 * 512 * 4)).map {
            $0 % 4 == 3 ? UInt8(255) : .random(in: 0...255, using: &random)
        }
        let photo = try #require(Image(width: 512, height: 512, rgba: noise)).jpeg(quality: 95)
        try folder.write(Data(photo), to: "photos/one/noise.jpg")
        // A file where the folder of large values should be.
        let support = folder.url.appending(path: ".Moody_SUPPORT")
        try? FileManager.default.removeItem(at: support)
        try folder.write(Data(), to: ".Moody_SUPPORT")
        var problems = 0
        var ingest = Ingest(stack: stack)
        ingest.callbacks.onProblem = { _, _ in problems += 1 }
        ingest.options.recompute = true
        ingest.options.settings.previewSide = 512
        #expect(throws: StoreError.self) { try ingest.run([path("photos")]) }
        #expect(problems == 0)
        #expect(try run("photos/one") == "2 photos: 1 new, 1 unchanged")
    }

    /// What is excluded says nothing of whether it is there: only a run that looks at it can miss it.
    @Test func `a photo that is left out this time and is gone does not become missing`() throws {
        for name in ["one/c.jpg", "two/d.jpg"] {
            try folder.write(fixture("red-blue-24x16.png") + Data(name.utf8), to: "photos/" + name)
        }
        _ = try run()
        for name in ["a.png", "c.jpg"] {
            try FileManager.default.removeItem(at: folder.url.appending(path: "photos/one/" + name))
        }
        #expect(try run { $0.filter.exclude = [Glob("one/")] } == "2 photos: 2 unchanged")
        #expect(try run { $0.filter.exclude = [Glob("*.jpg")] } == "2 photos: 1 unchanged, 1 missing")
        func pruning(_ options: inout IngestOptions) {
            options.filter.exclude = [Glob("*.png")]
            options.prune = true
        }
        #expect(try run(change: pruning) == "2 photos: 1 unchanged, 1 pruned")
        #expect(try run() == "3 photos: 2 unchanged, 1 missing")
    }

    @Test func `what is passed over is told to who wants to hear of it`() throws {
        try folder.write(Data("hello".utf8), to: "photos/notes.txt")
        try folder.write(Data("hello".utf8), to: "photos/broken.jpg")
        try FileManager.default.createSymbolicLink(
            atPath: folder.url.appending(path: "photos/link.jpg").path, withDestinationPath: "one/a.png")
        var ingest = Ingest(stack: stack), told: [String] = []
        ingest.callbacks.onSkip = { told.append("\($0.split(separator: "/").last ?? ""): \($1)") }
        _ = try ingest.run([path("photos")])
        #expect(told == [])
        ingest.callbacks.wantsAllSkips = true
        _ = try ingest.run([path("photos")])
        #expect(told.sorted() == ["broken.jpg: failedBefore", "link.jpg: other", "notes.txt: other"])
    }

    /// sqlite3(1) holds the store until its standard input ends.
    @Test func `who is kept from the store waits for it, says so, and writes again`() throws {
        let holder = Process(), orders = Pipe(), answers = Pipe()
        holder.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        holder.arguments = ["sqlite3", folder.url.appending(path: "Moody.moody").path]
        (holder.standardInput, holder.standardOutput) = (orders, answers)
        try holder.run()
        defer { holder.terminate() }
        var ingest = Ingest(stack: stack), reasons: [RetryReason] = []
        ingest.callbacks.willWrite = { _ in
            try orders.fileHandleForWriting.write(contentsOf: Data("BEGIN IMMEDIATE; SELECT 1;\n".utf8))
            _ = answers.fileHandleForReading.availableData
        }
        ingest.callbacks.onRetry = { reason in
            reasons.append(reason)
            try? orders.fileHandleForWriting.close()
            holder.waitUntilExit()
        }
        let report = try ingest.run([path("photos")])
        #expect(reasons == [.heldByOthers])
        #expect(report.new > 0 && report.failed == 0)
        let names = try stack.reader.performAndWait { try $0.fetch(FetchRequest<Mood>()).count }
        #expect(names == report.new)
    }

    @Test(arguments: [
        (0, 0, "0 photos"), (1, 0, "1 photo: 1 new"), (2, 1, "2 photos: 2 new; 1 other file"),
        (1_000, 2, "1000 photos: 1000 new; 2 other files"),
    ])
    func `a report counts photos and other files`(new: Int, others: Int, text: String) {
        var report = IngestReport()
        (report.new, report.others) = (new, others)
        #expect(report.description == text)
    }

    /// What is as it was, or was said before, is nothing new.
    @Test func `a run has something to say when anything changed or failed`() {
        let all: [(WritableKeyPath<IngestReport, Int>, Bool)] = [
            (\.new, true), (\.changed, true), (\.moved, true), (\.back, true), (\.missing, true),
            (\.replaced, true), (\.pruned, true), (\.failed, true), (\.problems, true), (\.unchanged, false),
            (\.missingBefore, false), (\.leftOut, false), (\.failedBefore, false), (\.others, false),
            (\.unsettled, false), (\.planned, false), (\.done, false),
        ]
        for (count, isNews) in all {
            var report = IngestReport()
            report[keyPath: count] = 1
            #expect(report.hasChanges == isNews, "\(report)")
        }
    }

    @Test func `a run that was stopped says how far it came`() {
        var report = IngestReport()
        (report.done, report.planned) = (9467, 20_000)
        #expect(report.interruption == nil)
        report.wasStopped = true
        #expect(
            report.interruption
                == "interrupted: 9,467 of 20,000 files are done; the next run goes on from there")
        (report.done, report.planned) = (1_002_003, 12)
        #expect(report.interruption?.contains(" 1,002,003 of 12 ") == true)
    }

    @Test func `of patterns that match the last counts, and one that begins with ! takes back`() throws {
        var filter = FileFilter()
        filter.exclude = ["*.png", "!keep*", "keep-not.png", "sub/", "\\!x"].map { Glob($0) }
        func admits(_ path: String, isFolder: Bool = false) -> Bool {
            filter.admits(path.split(separator: "/").map { Array($0.utf8) }, isFolder: isFolder)
        }
        #expect(!admits("a.png") && admits("keep.png") && !admits("keep-not.png") && admits("a.jpg"))
        #expect(!admits("sub", isFolder: true) && admits("sub"))
        #expect(!admits("!x") && admits("x"))
        filter.exclude = []
        filter.include = ["*.png", "!b*"].map { Glob($0) }
        #expect(admits("a.png") && !admits("b.png") && !admits("a.jpg"))
        filter.include = [Glob("!b*")]
        #expect(admits("a.png") && !admits("b.png"))
    }

    @Test func `what is named twice, or lies in what was named, counts once in any order`() throws {
        let names = ["photos", "photos/one", "photos/one/a.png", "photos/two/b.png"]
        for shift in names.indices {
            let order = Array(names[shift...] + names[..<shift])
            #expect(FileFinder.find(order.map(path), filter: FileFilter()).files.count == 2, "\(order)")
        }
        let apart = FileFinder.find([path("photos/two"), path("photos/one")], filter: FileFilter())
        #expect(apart.files.map(\.name) == [Array("b.png".utf8), Array("a.png".utf8)])
        #expect(apart.searched.count == 2)
    }

    /// Photos are being read by then; the store is empty, so that nothing is known of any.
    @Test(arguments: [nil, 64, 400])
    func `a store that is to be made is made once, and gets what another would get`(
        preview: Int?
    ) throws {
        func options(_ options: inout IngestOptions) { options.settings.previewSide = preview }
        #expect(try run(change: options) == "2 photos: 2 new")
        var made: [DataStack] = [], isListed = false
        var ingest = Ingest(making: {
            let stack = DataStack(model: try .moody())
            try stack.addStorage(sqlite: folder.url.appending(path: "Made.moody"))
            made.append(stack)
            return stack
        })
        options(&ingest.options)
        ingest.callbacks.willWrite = { isListed = $0 === made.first }
        #expect(try ingest.run([path("photos")]).description == "2 photos: 2 new")
        let other = try #require(made.first)
        #expect(made.count == 1 && isListed)
        let kept = try [stack, other].map { (stack: DataStack) -> [String] in
            try stack.reader.performAndWait { context in
                try context.fetch(FetchRequest<Mood>(sortedBy: .ascending(\.photo?.path))).map {
                    let colors = $0.colors.map(\.hex)
                    return "\($0.photo?.path ?? "") \(colors) \($0.shares) \($0.preview?.count ?? 0)"
                }
            }
        }
        #expect(kept[0] == kept[1] && kept[0].count == 2)
        #expect(kept[0].allSatisfy { $0.hasSuffix(" 0") == (preview == nil) })
        #expect(
            try Ingest(stack: other, options: ingest.options).run([path("photos")]).description
                == "2 photos: 2 unchanged")
    }

    @Test func `a store that cannot be made ends the run with its error`() throws {
        struct Full: Error {}
        var ingest = Ingest(making: { throw Full() })
        ingest.callbacks.willWrite = { _ in Issue.record("there is nothing to write to") }
        #expect(throws: Full.self) { try ingest.run([path("photos")]) }
        // Also when there is nothing to read.
        #expect(throws: Full.self) { try ingest.run([path("nothing")]) }
    }

    @Test func `a run says how far it came, and what other files there are`() {
        var report = IngestReport()
        #expect(report.description == "0 photos" && report.interruption == nil)
        (report.new, report.others) = (1, 1)
        #expect(report.description == "1 photo: 1 new; 1 other file")
        (report.new, report.unchanged, report.others) = (0, 2, 2)
        #expect(report.description == "2 photos: 2 unchanged; 2 other files")
        (report.wasStopped, report.done, report.planned) = (true, 999, 1_000)
        #expect(
            report.interruption
                == "interrupted: 999 of 1,000 files are done; the next run goes on from there")
        #expect([0, 1_001, 1_000_000].map(grouped) == ["0", "1,001", "1,000,000"])
    }
}
