import Foundation
import GRDB
import Glibc
import TestSupport
import Testing

@testable import ManagedObjects

/// Migrations that are killed, and others who have the store open.
@Suite struct MigrationSafetyTests {
    private func filled(_ url: URL, _ kind: StoreKind = .sqlite, count: Int = 0) throws -> ManagedObjectModel
    {
        let model = try MigrationTests.first()
        let context = try MigrationTests.open(kind, url, model)
        _ = try MigrationTests.fill(context)
        try context.performAndWait { context throws -> Void in
            for number in 0..<count {
                try context.insert(entityNamed: "Reader").setValue("\(number)", forKey: "name")
            }
            try context.save()
        }
        try context.persistentStoreCoordinator.close()
        return model
    }

    /// What a store has, whichever version it is of.
    private func version(_ url: URL, _ kind: StoreKind) throws -> Int {
        let (first, second) = (try MigrationTests.first(), try MigrationTests.second())
        let isOld = try !Migration(versions: [first, second]).steps(forStoreAt: url, ofType: kind.type)
            .isEmpty
        let context = try MigrationTests.open(kind, url, isOld ? first : second)
        let readers = try context.performAndWait { context in
            try context.count(FetchRequest<ManagedObject>(entityName: "Reader"))
        }
        #expect(readers == 1_201)
        #expect(try context.persistentStoreCoordinator.report().isSound)
        if !isOld {
            let told = try MigrationTests.told(context)
            #expect(
                told.filter { $0.hasPrefix("Book") }
                    == MigrationTests.expected.filter { $0.hasPrefix("Book") })
        }
        try context.persistentStoreCoordinator.close()
        return isOld ? 1 : 2
    }

    @Test(arguments: [StoreKind.sqlite, .xml])
    func `killed at any instant, a migration leaves the old store or the new one`(kind: StoreKind)
        async throws
    {
        let folder = try ScratchFolder(), original = folder.url.appending(path: "original.store")
        _ = try filled(original, kind, count: 1_200)
        var seen: Set<Int> = []
        // The first die at a step of their work, the others by the clock, up to the time a whole one takes.
        for number in 0..<8 {
            let url = folder.url.appending(path: "\(kind.rawValue)-\(number).store")
            try FileManager.default.copyItem(at: original, to: url)
            let files = ExternalFiles(storeAt: original).folder
            if FileManager.default.fileExists(atPath: files.path) {
                try FileManager.default.createDirectory(
                    at: ExternalFiles(storeAt: url).supportFolder, withIntermediateDirectories: true)
                try FileManager.default.copyItem(at: files, to: ExternalFiles(storeAt: url).folder)
            }
            let (path, name) = (url.path, kind.rawValue)
            _ = await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = path as String, name = name as String, number = number as Int] in
                let kind = StoreKind(rawValue: name) ?? .sqlite
                let migration = Migration(
                    versions: [try MigrationTests.first(), try MigrationTests.second()])
                if number >= 3 {
                    let delay = UInt32(number - 3) * 20_000
                    Thread.detachNewThread {
                        usleep(delay)
                        kill(getpid(), SIGKILL)
                    }
                }
                var calls = 0
                try migration.migrateStore(at: URL(filePath: path), ofType: kind.type) { _ in
                    calls += 1
                    if number < 3 && calls > 2 * number { kill(getpid(), SIGKILL) }
                }
                // Through before its time.
                kill(getpid(), SIGKILL)
            }
            seen.insert(try version(url, kind))
            // What a killed one left is gone once somebody has opened the store to write.
            let support = ExternalFiles(storeAt: url).supportFolder.path
            let left = (try? FileManager.default.contentsOfDirectory(atPath: support)) ?? []
            #expect(!left.contains { $0.hasPrefix(SQLiteStore.migrationPrefix) })
            // And the next one ends.
            let migration = Migration(versions: [try MigrationTests.first(), try MigrationTests.second()])
            try migration.migrateStore(at: url, ofType: kind.type)
            #expect(try version(url, kind) == 2)
        }
        #expect(seen.contains(1))
    }

    /// flock(2): a conversion that is refused gives the lock of before up.
    @Test func `who asks in vain to be alone still keeps others from being it`() throws {
        let folder = try ScratchFolder()
        let files = ExternalFiles(storeAt: folder.url.appending(path: "A.sqlite"))
        var first: StoreLock? = try StoreLock(files), second: StoreLock? = try StoreLock(files)
        #expect(first?.alone {} == false)
        withExtendedLifetime(second) {}
        second = nil
        let third = try StoreLock(files)
        #expect(!(third.alone {}))
        withExtendedLifetime(first) {}
        first = nil
        #expect(third.alone {})
    }

    @Test func `while somebody can write to the store, it is not migrated`() throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "a.sqlite")
        let first = try filled(url)
        let migration = Migration(versions: [first, try MigrationTests.second()])
        let writer = try MigrationTests.open(.sqlite, url, first)
        #expect(throws: StoreError.inUse) { try migration.migrateStore(at: url) }
        try writer.performAndWait { context throws -> Void in
            try context.insert(entityNamed: "Tag").setValue("green", forKey: "word")
            try context.save()
        }
        try writer.persistentStoreCoordinator.close()
        #expect(try migration.migrateStore(at: url) != nil)
        let after = try MigrationTests.open(.sqlite, url, MigrationTests.second())
        #expect(try MigrationTests.told(after).contains(#"["blue", "green", "red"]"#))
    }

    /// As between fork and exec, when another thread starts a process: its descriptors are copies.
    @Test func `a copy of a closed store's descriptors keeps nobody from it`() throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "a.sqlite")
        let first = try filled(url)
        let writer = try MigrationTests.open(.sqlite, url, first)
        let copies = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
            name -> Int32? in
            let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
            return path?.hasPrefix(folder.url.path) == true ? Int32(name).map { dup($0) } : nil
        }
        defer { for copy in copies { close(copy) } }
        #expect(copies.count >= 2)
        try writer.persistentStoreCoordinator.close()
        let migration = Migration(versions: [first, try MigrationTests.second()])
        #expect(try migration.migrateStore(at: url) != nil)
    }

    @Test func `who reads meanwhile has the old rows to the end of a read, and then an error`() throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "a.sqlite")
        let first = try filled(url)
        let coordinator = PersistentStoreCoordinator(managedObjectModel: first)
        try coordinator.addPersistentStore(ofType: .sqlite, at: url, isReadOnly: true)
        let reader = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        let faults = try reader.performAndWait { context in
            try context.fetch(FetchRequest<ManagedObject>(entityName: "Book")).count
        }
        #expect(faults == 5)
        try Migration(versions: [first, MigrationTests.second()]).migrateStore(at: url)
        // Entities have other numbers now: without a look at the version these would be wrong or empty.
        for entity in ["Shelf", "Book", "Atlas", "Reader", "Tag", "Old"] {
            #expect(throws: StoreError.modelChanged, "\(entity)") {
                try reader.performAndWait { context in
                    _ = try context.fetch(FetchRequest<ManagedObject>(entityName: entity))
                }
            }
            #expect(throws: StoreError.modelChanged, "\(entity)") {
                try reader.performAndWait { context in
                    _ = try context.count(FetchRequest<ManagedObject>(entityName: entity))
                }
            }
        }
    }

    /// A transaction that another program began before the migration and ends after it.
    @Test func `a transaction that is under way sees one version only`() throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "a.sqlite")
        let first = try filled(url)
        let queue = try sqliteQueue(url)
        try queue.unsafeRead { database in
            try database.execute(sql: "BEGIN")
            let before = try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM ZSHELF")
            try Migration(versions: [first, MigrationTests.second()]).migrateStore(at: url)
            #expect(try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM ZSHELF") == before)
            #expect(try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM ZBOOK WHERE ZTITLE = 'a'") == 1)
            try database.execute(sql: "COMMIT")
            #expect(try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM ZBOOK WHERE ZNAME = 'a'") == 1)
        }
        try queue.close()
    }

    @Test func `large values keep their files, the copy has links to them, and a sweep takes neither`() throws
    {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "a.sqlite")
        let first = try filled(url)
        let files = ExternalFiles(storeAt: url)
        let before = try files.names()
        #expect(before.count == 1)
        let kept = try #require(
            try Migration(versions: [first, MigrationTests.second()]).migrateStore(at: url))
        // Opened to write: what no row names is swept.
        let after = try MigrationTests.open(.sqlite, url, MigrationTests.second())
        #expect(try files.names() == before)
        #expect(try MigrationTests.told(after) == MigrationTests.expected)
        // The value goes, and its file with it; the copy still has it.
        try after.performAndWait { context throws -> Void in
            let request = FetchRequest<ManagedObject>(entityName: "Book", Filter("name", .equal, "b"))
            try context.fetch(request).first?.setValue(nil, forKey: "scan")
            try context.save()
        }
        try after.persistentStoreCoordinator.close()
        #expect(try files.names().isEmpty)
        let old = try MigrationTests.open(.sqlite, kept, first)
        let size = try old.performAndWait { context in
            let request = FetchRequest<ManagedObject>(entityName: "Book", Filter("title", .equal, "b"))
            return (try context.fetch(request).first?.value(forKey: "scan") as? Data)?.count
        }
        #expect(size == 200_000)
        #expect(try old.persistentStoreCoordinator.report().isSound)
    }
}

private func sqliteQueue(_ url: URL) throws -> DatabaseQueue {
    try DatabaseQueue(path: url.path)
}
