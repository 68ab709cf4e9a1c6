import Foundation
import Glibc
import TestSupport
import Testing

@testable import ManagedObjects

/// Copies of stores, and what lies beside a store: other files are left alone, permissions and links are
/// kept.
@Suite struct StoreCopyTests {
    private static let large = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })

    /// Writes nothing but the store's first, empty state.
    private struct FullDisk: StoreFormat {
        var name: String { "Full" }
        func document(from data: Data, model: ManagedObjectModel) throws -> StoreDocument {
            try BinaryStoreFormat().document(from: data, model: model)
        }
        func data(of document: StoreDocument, model: ManagedObjectModel) throws -> Data {
            if !document.objects.isEmpty { throw StoreError.file("Full", errno: ENOSPC) }
            return try BinaryStoreFormat().data(of: document, model: model)
        }
    }

    private func open(
        _ url: URL, _ type: PersistentStoreCoordinator.StoreType = .sqlite, readOnly: Bool = false
    ) throws -> ManagedObjectContext {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try testModel())
        try coordinator.addPersistentStore(ofType: type, at: url, isReadOnly: readOnly)
        return ManagedObjectContext(persistentStoreCoordinator: coordinator)
    }

    private func addMood(_ context: ManagedObjectContext, _ title: String = "fog") throws {
        try context.performAndWait { context throws -> Void in
            Mood.insert(into: context, title: title, date: day(1)).preview = Self.large
            try context.save()
        }
    }

    private func previews(_ context: ManagedObjectContext) throws -> [Data?] {
        try context.performAndWait { context in
            try context.fetch(FetchRequest<Mood>(sortedBy: .ascending(\.title))).map(\.preview)
        }
    }

    private func files(_ folder: ScratchFolder) throws -> [String] {
        try shell("cd '\(folder.url.path)'; find . -type f ! -name '*-wal' ! -name '*-shm' | sort")
            .split(separator: "\n").map(String.init)
    }

    @Test func `a copy that fails removes nothing of a store that shares the folder of large values`() throws
    {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "Music.sqlite")
        let context = try open(url), coordinator = context.persistentStoreCoordinator
        try addMood(context)
        let before = try files(folder)
        #expect(throws: StoreError.file("Full", errno: ENOSPC)) {
            try coordinator.copyStore(
                to: folder.url.appending(path: "Music.export"), ofType: .file(FullDisk()))
        }
        #expect(try files(folder) == before)
        #expect(try coordinator.report().isSound)
        #expect(try previews(open(url)) == [Self.large])
    }

    /// A large value is staged in the shared folder before the copy meets one that is lost.
    @Test func `a copy into SQLite that fails removes the files that it staged, and itself`() throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "Moody.sqlite")
        let context = try open(url), coordinator = context.persistentStoreCoordinator
        for title in ["a", "b", "c"] { try addMood(context, title) }
        let last = try shell(
            "sqlite3 '\(url.path)' \"SELECT SUBSTR(ZPREVIEW, 2, 36) FROM ZMOOD WHERE ZTITLE = 'c'\"")
        try FileManager.default.removeItem(
            at: folder.externalFolder.appending(path: last.trimmingCharacters(in: .newlines)))
        let before = try files(folder)
        for name in ["Moody.copy", "Other.copy"] {
            #expect(throws: StoreError.self) {
                try coordinator.copyStore(to: folder.url.appending(path: name), ofType: .sqlite)
            }
            #expect(try files(folder) == before, "\(name)")
        }
        #expect(!FileManager.default.fileExists(atPath: folder.url.appending(path: ".Other_SUPPORT").path))
        #expect(try previews(open(url))[..<2] == [Self.large, Self.large])
    }

    @Test(arguments: [StoreKind.sqlite, .xml])
    func `a document that is written elsewhere leaves its own file and its changes as they are`(
        kind: StoreKind
    )
        throws
    {
        let folder = try ScratchFolder(), model = try testModel()
        let url = folder.url.appending(path: "original"), copy = folder.url.appending(path: "copy")
        let document = try PersistentDocument(contentsOf: url, ofType: kind.type, managedObjectModel: model)
        let context = document.managedObjectContext
        try context.performAndWait { context throws -> Void in
            for (code, title) in [(Int16(1), "kept"), (2, "changed"), (3, "deleted")] {
                let mood = Mood.insert(into: context, title: title, date: day(Double(code)))
                mood.country = Country.insert(into: context, code: code, name: title)
                mood.preview = Self.large
            }
            try context.save()
        }
        let bytes = kind == .xml ? try Data(contentsOf: url) : Data()
        try context.performAndWait { context throws -> Void in
            let moods = try context.fetch(FetchRequest<Mood>(sortedBy: .ascending(\.date)))
            moods[1].title = "draft"
            moods[1].country = moods[0].country
            moods[1].preview = Data([1, 2])
            context.delete(moods[2])
            let new = Mood.insert(into: context, title: "new", date: day(9))
            (new.country, new.preview) = (moods[0].country, Self.large + Self.large)
        }
        try document.write(to: copy, ofType: .sqlite)
        #expect(document.isDocumentEdited)
        if kind == .xml { #expect(try Data(contentsOf: url) == bytes) }
        func told(_ url: URL, _ kind: StoreKind) throws -> [String] {
            try open(url, kind.type).performAndWait { context in
                try context.fetch(FetchRequest<Mood>(sortedBy: .ascending(\.date))).map {
                    "\($0.title) \($0.country?.name ?? "none") \($0.preview?.count ?? 0)"
                }
            }
        }
        #expect(try told(copy, .sqlite) == ["kept kept 200000", "draft kept 2", "new kept 400000"])
        if kind == .sqlite {
            let titles = try shell("sqlite3 '\(url.path)' 'SELECT ZTITLE FROM ZMOOD ORDER BY ZDATE'")
            #expect(titles == "kept\nchanged\ndeleted\n")
        }
        // The document goes on: what was unsaved can be saved.
        try document.save()
        #expect(try told(url, kind) == ["kept kept 200000", "draft kept 2", "new kept 400000"])
        try document.close()
    }

    @Test func `a document is not copied over what another program changed`() throws {
        let folder = try ScratchFolder()
        let url = folder.url.appending(path: "a"), copy = folder.url.appending(path: "b")
        let document = try PersistentDocument(
            contentsOf: url, ofType: .sqlite, managedObjectModel: testModel())
        let other = try open(url)
        let id = try document.managedObjectContext.performAndWait { context in
            let mood = Mood.insert(into: context, title: "saved", date: day(1))
            try context.save()
            mood.title = "ours"
            return mood.objectID
        }
        try other.performAndWait { other in
            try #require(try other.fetch(FetchRequest<Mood>()).first).title = "theirs"
            try other.save()
        }
        #expect(throws: StoreError.conflict(id)) { try document.write(to: copy, ofType: .sqlite) }
        #expect(!FileManager.default.fileExists(atPath: copy.path) && document.isDocumentEdited)
        try other.persistentStoreCoordinator.close()
        try document.close()
    }

    @Test(arguments: [StoreKind.sqlite, .xml])
    func `a document whose changes break a rule is not copied, and keeps them`(kind: StoreKind) throws {
        let folder = try ScratchFolder(), copy = folder.url.appending(path: "copy")
        let document = try PersistentDocument(
            contentsOf: folder.url.appending(path: "original"), ofType: kind.type,
            managedObjectModel: testModel())
        document.managedObjectContext.performAndWait { context in
            context.insert(Swatch.self).share = 1
            Mood.insert(into: context, title: "mood", date: day(1)).preview = Self.large
        }
        let error = #expect(throws: ValidationError.self) { try document.write(to: copy, ofType: .sqlite) }
        #expect(error?.failures.map(\.property) == ["mood"])
        #expect(!FileManager.default.fileExists(atPath: copy.path) && document.isDocumentEdited)
        try document.managedObjectContext.performAndWait { context in
            let mood = try #require(try context.fetch(FetchRequest<Mood>()).first)
            #expect(mood.preview == Self.large)
            for swatch in try context.fetch(FetchRequest<Swatch>()) { swatch.mood = mood }
        }
        try document.write(to: copy, ofType: .sqlite)
        #expect(try shell("sqlite3 '\(copy.path)' 'SELECT COUNT(*) FROM ZSWATCH'") == "1\n")
        try document.close()
    }

    /// 666: more than a process with the usual mask gives a new file.
    @Test(arguments: [StoreKind.xml, .binary, .sqlite], [0o600, 0o666] as [mode_t])
    func `a store keeps its permissions, and what lies beside it has them too`(
        kind: StoreKind, mode: mode_t
    ) throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "Moody.store")
        let context = try open(url, kind.type)
        #expect(unsafe chmod(url.path, mode) == 0)
        try addMood(context)
        if kind == .sqlite {
            try context.performAndWait { context throws -> Void in
                let list = FetchedResultsController(
                    fetchRequest: FetchRequest<Mood>(sortedBy: .ascending(\.title)),
                    managedObjectContext: context,
                    cacheName: "all")
                try list.performFetch()
            }
        }
        try context.persistentStoreCoordinator.close()
        let modes = try shell(
            "cd '\(folder.url.path)'; find . -type f ! -name lock ! -name '*-shm' -printf '%m %f\\n' | sort")
        #expect(!modes.isEmpty)
        for line in modes.split(separator: "\n") {
            #expect(line.hasPrefix(String(mode, radix: 8) + " "), "\(line)")
        }
    }

    @Test func `a migrated store's copy has the permissions of the store`() throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "a.sqlite")
        try MigrationTests.open(.sqlite, url, MigrationTests.first()).persistentStoreCoordinator.close()
        #expect(unsafe chmod(url.path, 0o640) == 0)
        let migration = Migration(versions: [try MigrationTests.first(), try MigrationTests.second()])
        let copy = try #require(try migration.migrateStore(at: url))
        let modes = try shell("stat -c %a '\(url.path)' '\(copy.path)'")
        #expect(modes == "640\n640\n")
    }

    @Test(arguments: [StoreKind.xml, .binary, .sqlite])
    func `a store that is opened through a link lies where the link leads`(kind: StoreKind) throws {
        let folder = try ScratchFolder(), other = try ScratchFolder()
        let real = other.url.appending(path: "Moody.store"), link = folder.url.appending(path: "link.store")
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: real.path)
        // The first makes the store at the end of the link, the second finds it there.
        for title in ["one", "two"] {
            let context = try open(link, kind.type)
            try addMood(context, title)
            try context.persistentStoreCoordinator.close()
        }
        #expect(folder.names == ["link.store"])
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == real.path)
        #expect(try previews(open(real, kind.type)) == [Self.large, Self.large])
        if kind == .sqlite { #expect(other.externalFiles.count == 2) }
    }

    @Test func `a store of the same name with another ending does not keep one from being migrated`() throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "a.sqlite")
        try MigrationTests.open(.sqlite, url, MigrationTests.first()).persistentStoreCoordinator.close()
        let other = try open(folder.url.appending(path: "a.moody"))
        try addMood(other)
        let migration = Migration(versions: [try MigrationTests.first(), try MigrationTests.second()])
        #expect(try migration.migrateStore(at: url) != nil)
        #expect(try previews(other) == [Self.large])
        try other.persistentStoreCoordinator.close()
        // And neither sweeps the other's files.
        try MigrationTests.open(.sqlite, url, MigrationTests.second()).persistentStoreCoordinator.close()
        #expect(try previews(open(folder.url.appending(path: "a.moody"))) == [Self.large])
    }
}
