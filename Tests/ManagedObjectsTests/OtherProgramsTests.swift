import Foundation
import Glibc
import TestSupport
import Testing

@testable import ManagedObjects

/// Stores that other programs use, or that strangers made. What a program sees is asked of sqlite3 and the
/// shell.
@Suite struct OtherProgramsTests {
    private let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    private func url(_ name: String) -> URL { folder.url.appending(path: name) }
    private func large(_ byte: UInt8) -> Data { Data(repeating: byte, count: 150_000) }

    private func addNote(_ byte: UInt8, to store: PersistentStoreCoordinator) throws {
        try ManagedObjectContext(persistentStoreCoordinator: store).performAndWait { context in
            context.insert(Note.self).photo = large(byte)
            try context.save()
        }
    }

    // MARK: Links

    @Test(arguments: ["", "/n.sqlite", "/n.sqlite/lock", "/_EXTERNAL_DATA"].map { ".n_SUPPORT" + $0 })
    func `a link beside a store leads nowhere`(link: String) throws {
        let model = try edgeModel()
        let store = try folder.open("n.sqlite", model)
        try addNote(1, to: store)
        try store.close()
        let name = UUID().uuidString
        _ = try shell(
            """
            cd '\(folder.url.path)'; mkdir -p victim/migration-2026 victim/n.sqlite victim/_EXTERNAL_DATA
            for f in victim victim/n.sqlite victim/_EXTERNAL_DATA
            do echo precious > $f/\(name); echo precious > $f/new-photo.jpg; done
            echo precious > precious; rm -r '\(link)'
            case \(link) in
            */lock) ln -s ../../precious \(link) ;;
            */*) ln -s ../victim \(link) ;;
            *) ln -s victim \(link) ;;
            esac
            """)
        let list = "cd '\(folder.url.path)'; find victim precious -type f | sort | xargs md5sum; ls -R victim"
        let before = try shell(list)
        #expect(throws: (any Error).self) {
            let store = try folder.open("n.sqlite", model)
            defer { try? store.close() }
            // A link in place of the values is met when one is to be written.
            try addNote(2, to: store)
        }
        #expect(try shell(list) == before)
    }

    @Test func `an identifier that is a path names no folder`() throws {
        let model = try testModel()
        try folder.open("l.sqlite", model).close()
        _ = try shell(
            """
            cd '\(folder.url.path)'; mkdir -p victim
            echo precious > victim/a.list; echo precious > victim/epoch
            sqlite3 l.sqlite "UPDATE Z_METADATA SET Z_UUID = '../../victim'"
            """)
        let store = try folder.open("l.sqlite", model)
        try ManagedObjectContext(persistentStoreCoordinator: store).performAndWait { context in
            let list = FetchedResultsController(
                fetchRequest: FetchRequest<Mood>(sortedBy: .ascending(\.title)),
                managedObjectContext: context,
                cacheName: "all")
            try list.performFetch()
        }
        FetchedResultsController<Mood>.deleteCache(name: nil, in: store)
        try store.close()
        let victim = try shell("cd '\(folder.url.path)/victim'; cat a.list epoch; ls")
        #expect(victim == "precious\nprecious\na.list\nepoch\n")
    }

    @Test func `a folder that cannot be made is named with the reason`() throws {
        _ = try shell("cd '\(folder.url.path)'; touch .n_SUPPORT")
        #expect(throws: StoreError.file(".n_SUPPORT", errno: ENOTDIR)) {
            try folder.open("n.sqlite", edgeModel())
        }
    }

    // MARK: Locks

    /// fcntl(2): a process that closes any descriptor of a file gives up all of its locks on it.
    @Test func `to ask a store for its model leaves the locks of those who write it`() throws {
        let store = try folder.open("p.sqlite", edgeModel())
        try addNote(1, to: store)
        _ = try ManagedObjectModel(ofStoreAt: url("p.sqlite"))
        _ = try PersistentStoreCoordinator(readingStoreAt: url("p.sqlite"))
        let path = url("p.sqlite").path
        // As the last to close, sqlite3 would move the log into the store and remove it.
        #expect(try shell("sqlite3 '\(path)' 'SELECT COUNT(*) FROM ZNOTE'") == "1\n")
        try addNote(2, to: store)
        #expect(try shell("sqlite3 '\(path)' 'SELECT COUNT(*) FROM ZNOTE'") == "2\n")
        #expect(FileManager.default.fileExists(atPath: path + "-wal"))
        try store.close()
    }

    /// The kernel's own list, of the store and what SQLite has beside it.
    private func locks(_ path: String) throws -> String {
        try shell(
            """
            for f in '\(path)' '\(path)-shm'; do
            grep " POSIX .* \(getpid()) .*:$(stat -c %i "$f") " /proc/locks | cut -d: -f2-; done | sort
            """)
    }

    @Test func `nothing that looks at a store takes the locks from who has it open`() throws {
        let model = try edgeModel(), url = url("p.sqlite")
        let store = try folder.open("p.sqlite", model)
        try addNote(1, to: store)
        let before = try locks(url.path)
        #expect(before.contains("READ"))
        func looks(_ name: String, _ body: () throws -> Void) throws {
            try body()
            #expect(try locks(url.path) == before, "\(name)")
        }
        try looks("model") { _ = try ManagedObjectModel(ofStoreAt: url) }
        try looks("contents") {
            let contents = try StoreContents(url)
            _ = try contents.summary()
            _ = try contents.verification()
            _ = try contents.report()
            try contents.copy(to: self.url("copy.sqlite"))
        }
        try looks("difference") { _ = try Migration.difference(ofStoreAt: url, .sqlite, model, nil) }
        try looks("copies") {
            try store.copyStore(to: self.url("c.xml"), ofType: .xml)
            try store.copyStore(to: self.url("c.sqlite"), ofType: .sqlite)
        }
        try looks("check") { _ = try store.report() }
        for isReadOnly in [true, false] {
            try looks("another stack") {
                let other = PersistentStoreCoordinator(managedObjectModel: model)
                try other.addPersistentStore(ofType: .sqlite, at: url, isReadOnly: isReadOnly)
                try other.close()
            }
        }
        try store.close()
    }

    // MARK: Migrations

    @Test(arguments: ["wal", "delete"], [512, 4096, 65_536])
    func `no other program writes a store while it is migrated`(mode: String, pageSize: Int) throws {
        let first = try MigrationTests.first(), path = url("m.sqlite").path
        let context = try MigrationTests.open(.sqlite, url("m.sqlite"), first)
        try context.performAndWait { context in
            for word in ["red", "green"] {
                try context.insert(entityNamed: "Tag").setValue(word, forKey: "word")
            }
            try context.save()
        }
        try context.persistentStoreCoordinator.close()
        _ = try shell(
            """
            sqlite3 '\(path)' 'PRAGMA journal_mode = delete; PRAGMA page_size = \(pageSize); VACUUM; \
            PRAGMA journal_mode = \(mode)'
            """)
        let migration = Migration(versions: [first, try MigrationTests.second()])
        var answers: Set<String> = []
        let kept = try migration.migrateStore(at: url("m.sqlite")) { _ in
            let update = "UPDATE ZTAG SET ZWORD = 'lost'"
            answers.insert(try shell("sqlite3 '\(path)' \"\(update)\" 2>&1 | grep -o locked"))
        }
        #expect(answers == ["locked\n"] && kept != nil)
        let old = try #require(kept)
        #expect(try shell("sqlite3 '\(old.path)' 'SELECT COUNT(*) FROM ZTAG'") == "2\n")
        let state = try shell(
            "sqlite3 '\(path)' 'PRAGMA integrity_check; PRAGMA journal_mode; PRAGMA page_size'")
        #expect(state == "ok\n\(mode)\n\(pageSize)\n")
        #expect(try shell("ls -A '\(folder.url.path)' | grep -c part; true") == "0\n")
    }

    @Test func `a store with two names is not migrated`() throws {
        let first = try MigrationTests.first()
        try MigrationTests.open(.sqlite, url("m.sqlite"), first).persistentStoreCoordinator.close()
        _ = try shell("ln '\(url("m.sqlite").path)' '\(url("h.db").path)'")
        let migration = Migration(versions: [first, try MigrationTests.second()])
        #expect(throws: SQLiteStore.hasOtherName) { try migration.migrateStore(at: url("m.sqlite")) }
        // The name of a draft, as a copy left it that was killed.
        let draft = ".m_SUPPORT/m.sqlite/new-\(UUID().uuidString)"
        _ = try shell("cd '\(folder.url.path)'; mkdir -p .m_SUPPORT/m.sqlite; mv h.db \(draft)")
        #expect(try migration.migrateStore(at: url("m.sqlite")) != nil)
    }

    // MARK: Readers

    @Test func `who only reads keeps the large values of the rows it has read`() throws {
        let model = try edgeModel()
        let writer = try folder.open("r.sqlite", model)
        for byte in 1...3 as ClosedRange<UInt8> { try addNote(byte, to: writer) }
        let reader = try folder.open("r.sqlite", model, isReadOnly: true)
        try ManagedObjectContext(persistentStoreCoordinator: reader).performAndWait { context in
            let notes = try context.fetch(FetchRequest<Note>())
            try ManagedObjectContext(persistentStoreCoordinator: writer).performAndWait { context in
                for note in try context.fetch(FetchRequest<Note>()) { note.photo = large(9) }
                try context.save()
            }
            #expect(notes.map { $0.photo?.first } == [1, 2, 3])
        }
        try reader.close()
        try writer.close()
    }

    @Test func `who only reads does not take another store's rows for its own`() throws {
        let model = try edgeModel()
        for (name, byte) in [("a.sqlite", 1), ("b.sqlite", 2)] as [(String, UInt8)] {
            let store = try folder.open(name, model)
            try addNote(byte, to: store)
            try store.close()
        }
        let reader = try folder.open("a.sqlite", model, isReadOnly: true)
        let context = ManagedObjectContext(persistentStoreCoordinator: reader)
        #expect(try context.performAndWait { try $0.count(FetchRequest<Note>()) } == 1)
        _ = try shell("cd '\(folder.url.path)'; mv a.sqlite c.sqlite; mv b.sqlite a.sqlite")
        #expect(throws: StoreError.replaced) {
            try context.performAndWait { _ = try $0.fetch(FetchRequest<Note>()) }
        }
    }

    // MARK: Moments

    @Test(arguments: [StoreKind.xml, .binary, .sqlite])
    func `a copy is of one moment`(kind: StoreKind) throws {
        let model = try ManagedObjectModel(Roll.self, Frame.self)
        let store = try folder.open("s.sqlite", model)
        let isDone = DispatchSemaphore(value: 0)
        let writer = ManagedObjectContext(persistentStoreCoordinator: store)
        Thread.detachNewThread {
            for _ in 0..<150 {
                try? writer.performAndWait { context in
                    let roll = context.insert(Roll.self)
                    for _ in 0..<5 { context.insert(Frame.self).roll = roll }
                    try context.save()
                }
            }
            isDone.signal()
        }
        for number in 0..<12 {
            let copy = url("copy-\(kind)-\(number)")
            try store.copyStore(to: copy, ofType: kind.type)
            let other = PersistentStoreCoordinator(managedObjectModel: model)
            try other.addPersistentStore(ofType: kind.type, at: copy)
            try ManagedObjectContext(persistentStoreCoordinator: other).performAndWait { context in
                let orphans = FetchRequest<Frame>(try Filter(format: "roll == nil"))
                #expect(try context.count(orphans) == 0)
                let (rolls, frames) = (
                    try context.count(FetchRequest<Roll>()), try context.count(FetchRequest<Frame>())
                )
                #expect(frames == 5 * rolls)
            }
            try other.close()
        }
        isDone.wait()
    }
}

private final class Roll: ManagedObject {
    @Relationship(inverse: \Frame.roll) var frames: Set<Frame>
}

private final class Frame: ManagedObject {
    @Relationship(inverse: "frames") var roll: Roll?
}
