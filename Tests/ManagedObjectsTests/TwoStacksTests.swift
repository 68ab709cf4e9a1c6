import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// Two stacks on one store in this process, and other processes beside them.
@Suite struct TwoStacksTests {
    /// A second look at an open store must not let go of this process's locks on it: the next process to
    /// close the store would take it for unused and remove its live `-wal`, and what is committed afterwards
    /// would be lost.
    ///
    /// - Source: <https://www.sqlite.org/howtocorrupt.html>, 2.2.
    @Test func `a look at an open store loses no commit`() throws {
        let folder = try ScratchFolder(), model = try testModel()
        let coordinator = try folder.open("A.moody", model)
        let context = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        func insert(_ code: Int16) throws {
            try context.performAndWait { context in
                Country.insert(into: context, code: code, name: "")
                try context.save()
            }
        }
        try insert(1)
        // As each opening of a store looks at its file, and at those beside it.
        #expect(isSQLite(folder.url.appending(path: "A.moody")))
        try folder.open("A.moody", model).close()
        try folder.open("A.sqlite", model).close()
        let path = folder.url.appending(path: "A.moody").path
        let before = try shell("sqlite3 '\(path)' 'SELECT COUNT(*) FROM ZCOUNTRY'")
        #expect(before == "1\n")
        try insert(2)
        #expect(try shell("sqlite3 '\(path)' 'SELECT COUNT(*) FROM ZCOUNTRY'") == "2\n")
        try insert(3)
        try coordinator.close()
        #expect(try shell("sqlite3 '\(path)' 'SELECT COUNT(*) FROM ZCOUNTRY'") == "3\n")
    }

    @Test func `a file that is smaller than a database, or another kind of file, is no SQLite`() throws {
        let folder = try ScratchFolder()
        for (name, data) in [
            ("empty", Data()), ("short", Data("SQLite format 3\0".utf8)), ("text", Data(count: 4096)),
        ] {
            let url = folder.url.appending(path: name)
            try data.write(to: url)
            #expect(!isSQLite(url), "\(name)")
        }
        #expect(!isSQLite(folder.url))
    }

    @Test func `two stacks on one store are each other's readers and writers`() throws {
        let folder = try ScratchFolder(), model = try testModel()
        let contexts = try (0..<2).map { _ in
            ManagedObjectContext(persistentStoreCoordinator: try folder.open("A.moody", model))
        }
        for round in 0..<20 {
            let (writer, reader) = (contexts[round % 2], contexts[1 - round % 2])
            let note = try writer.performAndWait { context in
                Country.insert(into: context, code: Int16(round), name: "c\(round)")
                try context.fetch(FetchRequest<Country>(\.code == 0)).first?.name = "first \(round)"
                return try context.save()
            }
            try reader.performAndWait { context in
                try context.mergeChanges(from: note)
                let names = try context.fetch(FetchRequest<Country>(sortedBy: .ascending(\.code))).map(\.name)
                #expect(names.count == round + 1)
                #expect(names.first == "first \(round)")
            }
        }
    }

    @Test func `an opening waits for a sweep, and sweeps nothing that another stack may name`() async throws {
        let folder = try ScratchFolder(), model = try testModel()
        let first = try folder.open("A.moody", model)
        let staged = try first.stage(Data(count: 300_000))
        // The second stack finds a file that no row names, and leaves it alone.
        let second = try folder.open("A.moody", model)
        let context = ManagedObjectContext(persistentStoreCoordinator: first)
        try context.performAndWait { context in
            let mood = Mood.insert(into: context, title: "fog", date: day(1))
            mood.setStaged(staged, for: \.preview)
            try context.save()
            #expect(mood.preview?.count == 300_000)
        }
        #expect(try second.report().missingFiles == [])
        try first.close()
        try second.close()
        // Somebody else has the lock alone for a moment.
        let lock = folder.url.appending(path: ".A_SUPPORT/A.moody/lock").path
        let holder = Process()
        holder.executableURL = URL(fileURLWithPath: "/bin/sh")
        holder.arguments = ["-c", "flock '\(lock)' sh -c 'echo held; sleep 0.5'"]
        let pipe = Pipe()
        holder.standardOutput = pipe
        try holder.run()
        _ = try pipe.fileHandleForReading.read(upToCount: 5)
        let third = try folder.open("A.moody", model)
        #expect(try third.report().counts["Mood"] == 1)
        holder.waitUntilExit()
        try third.close()
    }

    @Test func `a store that somebody else made another model's is not written any more`() throws {
        let folder = try ScratchFolder(), model = try testModel()
        try folder.open("B.moody", ManagedObjectModel(Everything.self)).close()
        let coordinator = try folder.open("A.moody", model)
        let context = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        func insert() throws {
            try context.performAndWait { context in
                Country.insert(into: context, code: 1, name: "")
                try context.save()
            }
        }
        try insert()
        let (a, b) = (folder.url.appending(path: "A.moody").path, folder.url.appending(path: "B.moody").path)
        // As a migration does: other tables, and the hashes of another model.
        try shell(
            """
            sqlite3 '\(a)' "ATTACH '\(b)' AS b; CREATE TABLE ZEVERYTHING (Z_PK INTEGER PRIMARY KEY); \
            UPDATE Z_METADATA SET Z_PLIST = (SELECT Z_PLIST FROM b.Z_METADATA)"
            """)
        #expect(throws: StoreError.modelChanged) { try insert() }
        #expect(try shell("sqlite3 '\(a)' 'SELECT COUNT(*) FROM ZCOUNTRY'") == "1\n")
    }

    @Test func `a store beside another of its name sweeps none of its files`() throws {
        let folder = try ScratchFolder(), model = try testModel()
        let coordinator = try folder.open("A.moody", model)
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
            Mood.insert(into: context, title: "fog", date: day(1)).preview = Data(count: 300_000)
            try context.save()
        }
        try coordinator.close()
        for _ in 0..<2 { try folder.open("A.sqlite", model).close() }
        let report = try folder.open("A.moody", model).report()
        #expect(report.externalFiles == 1 && report.missingFiles == [])
    }

    @Test func `one store is added once`() throws {
        let folder = try ScratchFolder(), model = try testModel()
        let coordinator = try folder.open("A.moody", model)
        #expect(throws: StoreError.alreadyAdded) {
            try coordinator.addPersistentStore(ofType: .sqlite, at: folder.url.appending(path: "A.moody"))
        }
        let context = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        try context.performAndWait { context in
            Country.insert(into: context, code: 1, name: "")
            try context.save()
        }
    }

    @Test func `indexes of other programs stay`() throws {
        let folder = try ScratchFolder(), model = try testModel()
        try folder.open("A.moody", model).close()
        let path = folder.url.appending(path: "A.moody").path
        try shell(
            "sqlite3 '\(path)' 'CREATE INDEX Z_Mood_newestFirst ON ZMOOD (ZDATE COLLATE BINARY DESC); "
                + "CREATE INDEX mine ON ZMOOD (ZTITLE)'"
        )
        try folder.open("A.moody", model).close()
        let names = try shell("sqlite3 '\(path)' \"SELECT name FROM sqlite_master WHERE type = 'index'\"")
        #expect(names.contains("Z_Mood_newestFirst") && names.contains("mine"))
    }

    @Test func `staged data that a rollback or a reset gave back may be used again`() throws {
        let folder = try ScratchFolder()
        let coordinator = try folder.open("A.moody", testModel())
        let staged = try coordinator.stage(Data(count: 300_000))
        let context = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        try context.performAndWait { context in
            for isReset in [true, false] {
                Mood.insert(into: context, title: "lost", date: day(1)).setStaged(staged, for: \.preview)
                if isReset { context.reset() } else { context.rollback() }
            }
            Mood.insert(into: context, title: "kept", date: day(1)).setStaged(staged, for: \.preview)
            try context.save()
        }
        #expect(try coordinator.report().externalFiles == 1)
        #expect(try coordinator.report().leftOverFiles == [])
        try coordinator.close()
    }

    @Test func `a file is not removed by a save that fails`() throws {
        let folder = try ScratchFolder()
        let coordinator = try folder.open("A.moody", testModel())
        let first = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        let second = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        try first.performAndWait { context in
            let mood = Mood.insert(into: context, title: "fog", date: day(1))
            mood.preview = Data(repeating: 7, count: 300_000)
            mood.country = Country.insert(into: context, code: 1, name: "")
            try context.save()
        }
        try second.performAndWait { context in
            let mood = try #require(try context.fetch(FetchRequest<Mood>()).first)
            let country = try #require(mood.country)
            #expect(country.code == 1)
            try first.performAndWait { context in
                try context.fetch(FetchRequest<Country>()).first?.code = 2
                try context.save()
            }
            mood.preview = nil
            country.code = 3
            #expect(throws: StoreError.conflict(country.objectID)) { try context.save() }
        }
        #expect(try coordinator.report().missingFiles == [])
        #expect(try coordinator.report().externalFiles == 1)
    }
}
