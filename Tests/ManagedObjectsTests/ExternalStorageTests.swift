import Foundation
import Glibc
import ManagedObjects
import TestSupport
import Testing

@Suite struct ExternalStorageTests {
    private let large = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    private let small = Data([1, 2, 3])

    @Test func `a large value of an attribute without external storage stays in its row`() throws {
        let folder = try ScratchFolder()
        let coordinator = try folder.open("Moody.moody", testModel())
        let colors = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait {
            context throws -> Void in
            Mood.insert(into: context, title: "fog", date: day(1)).colors = colors
            try context.save()
        }
        #expect(folder.externalFiles.isEmpty)
        #expect(try coordinator.report().externalBytes == 0)
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait {
            context throws -> Void in
            #expect(try context.fetch(FetchRequest<Mood>()).map(\.colors) == [colors])
        }
    }

    /// 4-14
    @Test func `a large value is a file, a small one stays in the row, and shrinking removes the file`()
        throws
    {
        let folder = try ScratchFolder(), model = try testModel()
        let coordinator = try folder.open("Moody.moody", model)
        let context = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        let large = large, small = small
        let reference = try context.performAndWait { context in
            let mood = Mood.insert(into: context, title: "fog", date: day(1))
            mood.preview = large
            try context.save()
            #expect(mood.preview == large)
            Mood.insert(into: context, title: "mist", date: day(2)).preview = small
            try context.save()
            return mood.reference
        }
        #expect(folder.externalFiles.count == 1)
        #expect(try coordinator.report().externalBytes == 1_000_000)
        // From the disk, in another context.
        let reader = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        #expect(reader.performAndWait { $0[reference]?.preview } == large)
        try context.performAndWait { context in
            context[reference]?.preview = small
            try context.save()
        }
        // The reader has the row of before, and can read its value to the end.
        #expect(folder.externalFiles.count == 1)
        #expect(
            reader.performAndWait { context in
                context.refreshAllObjects()
                return context[reference]?.preview
            } == small)
        #expect(folder.externalFiles.isEmpty)
        let report = try coordinator.report()
        #expect((report.missingFiles, report.leftOverFiles) == ([], []))
    }

    @Test(arguments: [(102_399, 0), (102_400, 1)])
    func `a value of 100 KiB is a file, one byte less is not`(count: Int, files: Int) throws {
        let folder = try ScratchFolder(), coordinator = try folder.open("Moody.moody", testModel())
        let value = Data(repeating: 7, count: count)
        let reference = try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait {
            context in
            let mood = Mood.insert(into: context, title: "fog", date: day(1))
            mood.preview = value
            try context.save()
            return mood.reference
        }
        #expect(folder.externalFiles.count == files)
        let reader = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        #expect(reader.performAndWait { $0[reference]?.preview } == value)
    }

    /// By the place of the link, as the kernel reads it, and not by the folder that the program runs in.
    @Test func `a store behind a relative link has its files beside it, and none beside the link`() throws {
        let folder = try ScratchFolder(), files = FileManager.default
        for name in ["links", "stores"] {
            try files.createDirectory(at: folder.url.appending(path: name), withIntermediateDirectories: true)
        }
        for (link, target) in [("links/a.moody", "../stores/b.moody"), ("stores/b.moody", "Moody.moody")] {
            try files.createSymbolicLink(
                atPath: folder.url.appending(path: link).path, withDestinationPath: target)
        }
        let coordinator = try folder.open("links/a.moody", testModel()), value = large
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
            Mood.insert(into: context, title: "fog", date: day(1)).preview = value
            try context.save()
        }
        try coordinator.close()
        func names(_ folder: URL) throws -> [String] {
            try files.contentsOfDirectory(atPath: folder.path).sorted()
        }
        #expect(try names(folder.url.appending(path: "links")) == ["a.moody"])
        let beside = try names(folder.url.appending(path: "stores"))
        #expect(
            beside.filter { !$0.hasPrefix("Moody.moody-") } == [".Moody_SUPPORT", "Moody.moody", "b.moody"])
    }

    @Test func `deleting the object deletes its file, a rollback keeps it`() throws {
        let folder = try ScratchFolder(), coordinator = try folder.open("Moody.moody", testModel())
        let context = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        let staged = try coordinator.stage(large)
        #expect(folder.externalFiles.count == 1, "written before any save")
        try context.performAndWait { context in
            let mood = Mood.insert(into: context, title: "fog", date: day(1))
            mood.setStaged(staged, for: \.preview)
            try context.save()
            context.delete(mood)
            context.rollback()
            #expect(mood.preview?.count == 1_000_000)
            context.delete(mood)
            try context.save()
        }
        #expect(folder.externalFiles.isEmpty)
    }

    @Test func `what a killed process left behind is reported, and swept at the next opening for writing`()
        throws
    {
        let folder = try ScratchFolder(), model = try testModel()
        var coordinator = try folder.open("Moody.moody", model)
        let staged = try coordinator.stage(large)
        defer { withExtendedLifetime(staged) {} }
        #expect(try coordinator.report().leftOverFiles.count == 1)
        // While another has the store open, its files may be about to be named.
        let other = try folder.open("Moody.moody", model)
        #expect(folder.externalFiles.count == 1)
        try other.close()
        try coordinator.close()
        coordinator = try folder.open("Moody.moody", model, isReadOnly: true)
        #expect(try coordinator.report().leftOverFiles.count == 1, "reading sweeps nothing")
        try coordinator.close()
        coordinator = try folder.open("Moody.moody", model)
        #expect(folder.externalFiles.isEmpty)
    }

    /// It would wait for somebody to write to it.
    @Test(.timeLimit(.minutes(10))) func `a pipe beside a store is no other store`() throws {
        let folder = try ScratchFolder()
        let made = unsafe mkfifo(folder.url.appending(path: "Moody.pipe").path, 0o600)
        try #require(made == 0)
        let coordinator = try folder.open("Moody.moody", testModel())
        _ = try coordinator.stage(large)
        try coordinator.close()
        _ = try folder.open("Moody.moody", testModel())
        #expect(folder.externalFiles.isEmpty)
    }

    @Test func `a file that was lost is reported by name`() throws {
        let folder = try ScratchFolder(), coordinator = try folder.open("Moody.moody", testModel())
        let context = ManagedObjectContext(persistentStoreCoordinator: coordinator), large = large
        try context.performAndWait { context in
            Mood.insert(into: context, title: "fog", date: day(1)).preview = large
            try context.save()
            context.reset()
        }
        let name = try #require(folder.externalFiles.first)
        try FileManager.default.removeItem(at: folder.externalFolder.appending(path: name))
        let report = try coordinator.report()
        #expect(report.missingFiles == [name])
        #expect(!report.isSound)
        try context.performAndWait { context in
            let mood = try #require(try context.fetch(FetchRequest<Mood>()).first)
            #expect(mood.preview == nil)
            #expect(throws: StoreError.file(name, errno: ENOENT)) { try context.fetch(FetchRequest<Mood>()) }
        }
    }
}

extension ScratchFolder {
    var externalFolder: URL { url.appending(path: ".Moody_SUPPORT/_EXTERNAL_DATA") }
    var externalFiles: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: externalFolder.path)) ?? []
    }
}
