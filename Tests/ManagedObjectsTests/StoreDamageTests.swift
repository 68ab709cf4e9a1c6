import Foundation
import Glibc
import TestSupport
import Testing

@testable import ManagedObjects

/// Stores that are cut, overwritten, killed at their writing, written by several: an error or rows, and what
/// was saved stays saved.
@Suite struct StoreDamageTests {
    private static func open(_ kind: StoreKind, _ url: URL, isReadOnly: Bool = false) throws
        -> ManagedObjectContext
    {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try testModel())
        try coordinator.addPersistentStore(ofType: kind.type, at: url, isReadOnly: isReadOnly)
        return ManagedObjectContext(persistentStoreCoordinator: coordinator)
    }

    /// A store of 64 KiB and more.
    private func filled(_ url: URL) throws {
        let context = try Self.open(.sqlite, url)
        try context.performAndWait { context throws -> Void in
            fillWithMoods(context)
            let country = Country.insert(into: context, code: 1, name: "Peru")
            for number in 0..<400 {
                let mood = Mood.insert(into: context, title: "title of \(number)", date: day(Double(number)))
                mood.country = country
            }
            try context.save()
        }
        try context.persistentStoreCoordinator.close()
    }

    /// Everything that can be asked of a store.
    ///
    /// - Returns: how many rows there are.
    @discardableResult
    private func read(_ url: URL, isReadOnly: Bool, writes: Bool = false) throws -> Int {
        let context = try Self.open(.sqlite, url, isReadOnly: isReadOnly)
        defer { try? context.persistentStoreCoordinator.close() }
        return try context.performAndWait { context in
            var count = 0
            for mood in try context.fetch(FetchRequest<Mood>(sortedBy: .ascending(\.date))) {
                _ = (mood.title, mood.country?.name, mood.swatches.count)
                count += 1
            }
            _ = try context.count(FetchRequest<Mood>(\.country?.code == 1))
            _ = try context.persistentStoreCoordinator.report()
            if writes {
                Mood.insert(into: context, title: "more", date: day(0))
                try context.save()
            }
            return count
        }
    }

    @Test func `every cut of a store is an error or rows, and looking changes no byte`() throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "A.moody")
        try filled(url)
        let whole = try Data(contentsOf: url)
        #expect(whole.count >= 65_536)
        var refused = 0, answered = 0
        for length in stride(from: 0, to: whole.count, by: 512) {
            let data = whole.prefix(length)
            try data.write(to: url)
            do {
                #expect(try read(url, isReadOnly: true) == 405, "cut at \(length)")
                answered += 1
            } catch let error as StoreError {
                #expect(!"\(error)".isEmpty)
                refused += 1
            }
            #expect(try Data(contentsOf: url) == data, "cut at \(length)")
        }
        #expect(refused > 100 && refused + answered == (whole.count + 511) / 512)
        try whole.write(to: url)
        #expect(try read(url, isReadOnly: true) == 405, "what the cuts are compared with")
    }

    @Test func `a page of zeros and bytes that are turned are an error or rows, also for who writes`() throws
    {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "A.moody")
        try filled(url)
        let whole = try Data(contentsOf: url)
        var random = SplitMix64(seed: 1), refused = 0
        let pages = whole.count / 4096
        for round in 0..<(pages + 80) {
            var data = whole
            if round < pages {
                data.replaceSubrange(round * 4096..<(round + 1) * 4096, with: Data(count: 4096))
            } else {
                for _ in 0..<8 {
                    data[Int(random.next() % UInt64(whole.count))] = UInt8(truncatingIfNeeded: random.next())
                }
            }
            try data.write(to: url)
            do { try read(url, isReadOnly: true) } catch is StoreError { refused += 1 }
            #expect(try Data(contentsOf: url) == data, "round \(round)")
            do { try read(url, isReadOnly: false, writes: true) } catch is StoreError {}
            for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + suffix) }
        }
        #expect(refused > 0)
    }

    /// What lay in the `-wal` is gone with it; what was in the store before is there, whole.
    @Test func `a store whose wal is missing has what it had before, and can be written`() throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "A.moody")
        try filled(url)
        let context = try Self.open(.sqlite, url)
        try context.performAndWait { context throws -> Void in
            for number in 0..<5 { Mood.insert(into: context, title: "late \(number)", date: day(0)) }
            try context.save()
        }
        let copy = folder.url.appending(path: "B.moody")
        try FileManager.default.copyItem(at: url, to: copy)
        #expect(try read(copy, isReadOnly: true) == 405)
        #expect(try read(copy, isReadOnly: false, writes: true) == 405)
        #expect(try read(copy, isReadOnly: true) == 406)
        #expect(try read(url, isReadOnly: true) == 410)
        try context.persistentStoreCoordinator.close()
    }

    @Test func `an empty file is a store that was never made, and of a newer model is said so`() throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "A.moody")
        try Data().write(to: url)
        #expect(throws: StoreError.notAStore) { try Self.open(.sqlite, url, isReadOnly: true) }
        #expect(try Data(contentsOf: url).isEmpty)
        #expect(try read(url, isReadOnly: false, writes: true) == 0)
        try shell("sqlite3 '\(url.path)' \"UPDATE Z_METADATA SET Z_PLIST = x'00'\"")
        let error = #expect(throws: StoreError.self) { try Self.open(.sqlite, url) }
        #expect(error?.description.hasPrefix("cannot be read: its metadata: ") == true)
    }

    /// Children add one mood after the other and note each that was saved in a file of their own, until they
    /// are killed. What was noted is there, and nothing else is left.
    @Test(arguments: [StoreKind.xml, .binary, .lines, .sqlite])
    func `who is killed while saving loses nothing that was saved`(kind: StoreKind) async throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "store.moody")
        let notes = folder.url.deletingLastPathComponent().appending(path: "notes-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: notes) }
        try Data().write(to: notes)
        for round in 0..<6 {
            let (path, name, told) = (url.path, kind.rawValue, notes.path)
            _ = await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = path as String, name = name as String, told = told as String, round = round as Int] in
                let context = try StoreDamageTests.open(
                    StoreKind(rawValue: name) ?? .xml, URL(filePath: path))
                Thread.detachNewThread {
                    usleep(UInt32(20_000 + round * 17_000))
                    kill(getpid(), SIGKILL)
                }
                let log = try #require(FileHandle(forWritingAtPath: told))
                try log.seekToEnd()
                while true {
                    try context.performAndWait { context throws -> Void in
                        let count = try context.count(FetchRequest<Mood>())
                        let mood = Mood.insert(into: context, title: "m\(count)", date: day(0))
                        let swatch = context.insert(Swatch.self)
                        (swatch.share, swatch.mood) = (1, mood)
                        try context.save()
                        try log.write(contentsOf: Data([1]))
                    }
                }
            }
            let saved = try Data(contentsOf: notes).count
            let context = try Self.open(kind, url)
            let titles = try context.performAndWait { context in
                let moods = try context.fetch(FetchRequest<Mood>())
                #expect(moods.map(\.swatches.count).allSatisfy { $0 == 1 })
                return moods.map(\.title)
            }
            #expect(
                Set(titles) == Set((0..<titles.count).map { "m\($0)" }) && Set(titles).count == titles.count)
            #expect(titles.count >= saved && titles.count <= saved + round + 1)
            try context.persistentStoreCoordinator.close()
            let left = folder.names.filter { $0 != "store.moody" && $0 != ".store_SUPPORT" }
            #expect(left == [], "round \(round)")
        }
        #expect(try Data(contentsOf: notes).count > 0)
    }

    /// Each adds its own, and takes in what the others did whenever a save is refused.
    @Test(arguments: [StoreKind.xml, .binary, .lines])
    func `several processes write one file, and nothing of any is lost`(kind: StoreKind) async throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "store.moody")
        let context = try Self.open(kind, url)
        try context.persistentStoreCoordinator.close()
        let children = (0..<3).map { number in
            let (path, name) = (url.path, kind.rawValue)
            return Task {
                await #expect(processExitsWith: .success) {
                    [path = path as String, name = name as String, number = number as Int] in
                    let context = try StoreDamageTests.open(
                        StoreKind(rawValue: name) ?? .xml, URL(filePath: path))
                    let coordinator = context.persistentStoreCoordinator
                    for index in 0..<15 {
                        try context.performAndWait { context throws -> Void in
                            Mood.insert(into: context, title: "\(number)-\(index)", date: day(0))
                            while true {
                                do {
                                    try context.save()
                                    return
                                } catch StoreError.changedByOthers {
                                    try context.mergeChanges(byOthers: coordinator.changesByOthers())
                                }
                            }
                        }
                    }
                }
            }
        }
        for child in children { _ = await child.value }
        let titles = try Self.open(kind, url).performAndWait { context in
            try context.fetch(FetchRequest<Mood>()).map(\.title)
        }
        let wanted = (0..<3).flatMap { number in (0..<15).map { "\(number)-\($0)" } }
        #expect(titles.sorted() == wanted.sorted())
        #expect(folder.names == ["store.moody"])
    }
}
