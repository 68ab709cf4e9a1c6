import Foundation
import Glibc
import TestSupport
import Testing

@testable import ManagedObjects

/// A store that is opened to be read: its folder stays as it is, byte by byte, and others may go on writing.
@Suite struct ReadOnlyStoreTests {
    private func open(_ url: URL, readOnly: Bool) throws -> ManagedObjectContext {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try testModel())
        try coordinator.addPersistentStore(ofType: .sqlite, at: url, isReadOnly: readOnly)
        return ManagedObjectContext(persistentStoreCoordinator: coordinator)
    }

    private func add(_ title: String, _ context: ManagedObjectContext) throws {
        try context.performAndWait { context throws -> Void in
            Mood.insert(into: context, title: title, date: day(1))
            try context.save()
        }
    }

    private func titles(_ context: ManagedObjectContext) throws -> [String] {
        try context.performAndWait { context in
            context.refreshAllObjects()
            return try context.fetch(FetchRequest<Mood>(sortedBy: .ascending(\.title))).map(\.title)
        }
    }

    /// Names, bytes and times of all files.
    private func state(_ folder: ScratchFolder) throws -> String {
        try shell(
            """
            cd '\(folder.url.path)'
            find . -printf '%p %s %T@ %i\\n' | sort; find . -type f -exec md5sum {} + | sort
            """
        )
    }

    /// A store whose last save is in a `-wal`, as a process leaves it that is killed.
    private func killed(_ folder: ScratchFolder) throws -> URL {
        let other = try ScratchFolder(), original = other.url.appending(path: "Moody.sqlite")
        let context = try open(original, readOnly: false)
        try add("first", context)
        try context.persistentStoreCoordinator.close()
        let again = try open(original, readOnly: false)
        try add("in the log", again)
        let url = folder.url.appending(path: "Moody.sqlite")
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: original.path + suffix, toPath: url.path + suffix)
        }
        return url
    }

    @Test(arguments: [false, true])
    func `reading changes no byte and no file, with and without a log that must be replayed`(hasLog: Bool)
        throws
    {
        let folder = try ScratchFolder()
        let url = try hasLog ? killed(folder) : folder.url.appending(path: "Moody.sqlite")
        if !hasLog {
            let context = try open(url, readOnly: false)
            try add("first", context)
            try context.persistentStoreCoordinator.close()
        }
        let before = try state(folder)
        let context = try open(url, readOnly: true)
        #expect(try titles(context) == (hasLog ? ["first", "in the log"] : ["first"]))
        #expect(try context.persistentStoreCoordinator.report().isSound)
        #expect(try context.persistentStoreCoordinator.changesByOthers().isEmpty)
        #expect(throws: StoreError.readOnly) { try add("never", context) }
        #expect(try state(folder) == before)
        try context.persistentStoreCoordinator.close()
        #expect(try state(folder) == before)
        #expect(try Migration(versions: [testModel()]).steps(forStoreAt: url).isEmpty)
        #expect(try state(folder) == before)
    }

    /// Bytes of the log: of no header, a header, half a page. Another program may be about to write the rest.
    @Test(arguments: [4, 32, 2_000])
    func `a log that holds no whole transaction stays where it is`(size: Int) throws {
        let folder = try ScratchFolder(), url = try killed(folder)
        try shell("truncate -s \(size) '\(url.path)-wal'")
        let before = try state(folder)
        let context = try open(url, readOnly: true)
        #expect(try titles(context) == ["first"])
        try context.persistentStoreCoordinator.close()
        #expect(try state(folder) == before)
    }

    /// A process that closes a file gives up all locks that it has of it.
    @Test(arguments: [false, true])
    func `a stack that writes keeps its locks when a reader of a left log ends`(isClosed: Bool) throws {
        let folder = try ScratchFolder(), url = try killed(folder), reader = try open(url, readOnly: true)
        #expect(try titles(reader) == ["first", "in the log"])
        let writer = try open(url, readOnly: false)
        try add("second", writer)
        if isClosed {
            try reader.persistentStoreCoordinator.close()
        } else {
            #expect(try titles(reader) == ["first", "in the log", "second"])
        }
        // A program that takes itself for the last one moves the log into the store, and removes it.
        func count() throws -> String { try shell("sqlite3 '\(url.path)' 'SELECT COUNT(*) FROM ZMOOD'") }
        #expect(try count() == "3\n")
        try add("third", writer)
        #expect(try count() == "4\n")
        try writer.persistentStoreCoordinator.close()
    }

    @Test func `rows of a store with a left log are read to their end when a program writes meanwhile`()
        throws
    {
        let folder = try ScratchFolder(), url = try killed(folder), reader = try open(url, readOnly: true)
        #expect(try titles(reader) == ["first", "in the log"])
        let count = try reader.performAndWait { context in
            var count = 0
            try context.scan(FetchRequest<Mood>(), \.title) { _ in
                count += 1
                try shell("sqlite3 '\(url.path)' \"UPDATE ZMOOD SET ZTITLE = 'new \(count)'\"")
            }
            return count
        }
        #expect(count == 2)
        #expect(try titles(reader) == ["new 2", "new 2"])
        try reader.persistentStoreCoordinator.close()
    }

    /// As root every folder can be written: then only that it is not.
    @Test func `a store with a log can be read in a folder that may not be written`() throws {
        let folder = try ScratchFolder(), url = try killed(folder)
        try shell("chmod 444 '\(url.path)'*; chmod 555 '\(folder.url.path)'")
        defer { _ = unsafe chmod(folder.url.path, 0o755) }
        let before = try state(folder)
        let context = try open(url, readOnly: true)
        #expect(try titles(context) == ["first", "in the log"])
        try context.persistentStoreCoordinator.close()
        #expect(try state(folder) == before)
    }

    @Test(arguments: [512, 4_096])
    func `who reads a store at rest sees what others write later, and hears of it`(pageSize: Int) throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "Moody.sqlite")
        var writer = try open(url, readOnly: false)
        try add("a", writer)
        try writer.persistentStoreCoordinator.close()
        let size = try shell(
            """
            sqlite3 '\(url.path)' 'PRAGMA journal_mode = DELETE; PRAGMA page_size = \(pageSize); VACUUM;
            PRAGMA journal_mode = WAL; PRAGMA page_size'
            """)
        #expect(size == "delete\nwal\n\(pageSize)\n")
        let reader = try open(url, readOnly: true), coordinator = reader.persistentStoreCoordinator
        #expect(try titles(reader) == ["a"])
        for (number, title) in ["b", "c", "d"].enumerated() {
            writer = try open(url, readOnly: false)
            try add(title, writer)
            #expect(try titles(reader) == Array(["a", "b", "c", "d"][...(number + 1)]))
            #expect(try !coordinator.changesByOthers().isEmpty)
            #expect(try coordinator.changesByOthers().isEmpty)
            try writer.persistentStoreCoordinator.close()
            #expect(try titles(reader) == Array(["a", "b", "c", "d"][...(number + 1)]))
        }
        // A program that knows nothing of locks beside stores.
        try shell("sqlite3 '\(url.path)' \"UPDATE ZMOOD SET ZTITLE = 'z' WHERE ZTITLE = 'a'\"")
        #expect(try titles(reader) == ["b", "c", "d", "z"])
        #expect(try coordinator.changesByOthers().isIncomplete)
        try coordinator.close()
    }

    @Test func `the history of a store that is only read goes on across openings`() throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "Moody.sqlite")
        func writer() throws -> ManagedObjectContext {
            let coordinator = PersistentStoreCoordinator(managedObjectModel: try testModel())
            try coordinator.addPersistentStore(ofType: .sqlite, at: url, keepsHistory: true)
            return ManagedObjectContext(persistentStoreCoordinator: coordinator)
        }
        try writer().persistentStoreCoordinator.close()
        let reader = try open(url, readOnly: true), coordinator = reader.persistentStoreCoordinator
        for title in ["a", "b"] {
            let context = try writer()
            try add(title, context)
            try context.persistentStoreCoordinator.close()
            let changes = try coordinator.changesByOthers()
            #expect(!changes.isIncomplete && changes.saved.insertedObjectIDs.count == 1)
        }
        try coordinator.close()
    }
}
