import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import ManagedObjects

/// A large value's file stays until nothing can name it any more, and goes then.
@Suite final class ExternalValueTests: @unchecked Sendable {
    // @unchecked Sendable because each test uses it from one thread.
    private let folder: ScratchFolder
    private let coordinator: PersistentStoreCoordinator

    init() throws {
        folder = try ScratchFolder()
        coordinator = try folder.open("store.sqlite", edgeModel())
    }

    private func context() -> ManagedObjectContext {
        ManagedObjectContext(persistentStoreCoordinator: coordinator)
    }

    private func large(_ byte: UInt8) -> Data { Data(repeating: byte, count: 150_000) }

    /// Where large values lie.
    private var values: URL { folder.url.appending(path: ".store_SUPPORT/_EXTERNAL_DATA") }

    /// What lies in the folder, by the file system.
    private var files: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: values.path))?.count ?? 0
    }

    /// A note whose large value was 1 and is 2, each saved, the change to be undone.
    private func savedChange(in context: isolated ManagedObjectContext) throws -> Note {
        context.undoManager = UndoManager()
        let note = context.insert(Note.self)
        note.photo = large(1)
        try context.save()
        context.undoManager?.removeAllActions()
        note.photo = large(2)
        context.processPendingChanges()
        try context.save()
        return note
    }

    private func insert(_ byte: UInt8) throws -> ObjectReference<Note> {
        try context().performAndWait { context in
            let note = context.insert(Note.self)
            note.photo = large(byte)
            try context.save()
            return note.reference
        }
    }

    private func photo(_ note: ObjectReference<Note>) -> UInt8? {
        context().performAndWait { $0[note]?.photo?.first }
    }

    /// 100 KB and more lie in a file, whether the row is new or changed.
    @Test(arguments: [102_399, 102_400, 102_401], [true, false])
    func `a value lies in a file from its size on`(count: Int, isNew: Bool) throws {
        let url = StoreKind.folder.appending(path: "\(UUID().uuidString).sqlite")
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try edgeModel())
        try coordinator.addPersistentStore(ofType: .sqlite, at: url)
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
            let note = context.insert(Note.self)
            if !isNew { try context.save() }
            note.photo = Data(count: count)
            try context.save()
            #expect(note.photo?.count == count)
        }
        #expect(try coordinator.report().externalFiles == (count < 102_400 ? 0 : 1))
        try coordinator.close()
    }

    @Test func `an undo behind a save brings a large value back, and redo the other`() throws {
        try context().performAndWait { context in
            let note = try savedChange(in: context)
            context.undo()
            #expect(note.photo == large(1))
            try context.save()
            #expect(photo(note.reference) == 1)
            context.redo()
            try context.save()
            #expect(photo(note.reference) == 2)
            #expect(try coordinator.report().missingFiles.isEmpty)
        }
        try coordinator.close()
        #expect(try folder.open("store.sqlite", edgeModel()).report().leftOverFiles.isEmpty)
        #expect(files == 1)
    }

    @Test func `a deletion that was saved and is undone has its large value`() throws {
        let reference = try insert(3)
        try context().performAndWait { context in
            context.undoManager = UndoManager()
            let note = try #require(context[reference])
            context.delete(note)
            context.processPendingChanges()
            try context.save()
            context.undo()
            try context.save()
            #expect(note.photo == large(3))
            #expect(photo(note.reference) == 3)
        }
        #expect(try coordinator.report().missingFiles.isEmpty)
    }

    @Test(arguments: ["overwrite", "objectTrump"])
    func `a merge policy that writes a row again writes its large value`(policy: String) throws {
        let reference = try insert(1)
        try context().performAndWait { context in
            context.mergePolicy = policy == "overwrite" ? .overwrite : .mergeByPropertyObjectTrump
            let note = try #require(context[reference])
            note.text = "mine"
            try self.context().performAndWait { other in
                let theirs = try #require(other[reference])
                if policy == "overwrite" { theirs.photo = large(2) } else { other.delete(theirs) }
                try other.save()
            }
            try context.save()
            #expect(note.photo == large(1))
        }
        #expect(photo(reference) == 1)
        #expect(try coordinator.report().missingFiles.isEmpty)
    }

    @Test func `a context that read the row before still reads the value it read, and saves something else`()
        throws
    {
        let reference = try insert(1)
        try context().performAndWait { context in
            let note = try #require(context[reference])
            #expect(note.text == "")
            let other = context.insert(Note.self)
            try self.context().performAndWait { theirs in
                try #require(theirs[reference]).photo = large(2)
                try theirs.save()
            }
            #expect(note.photo == large(1))
            other.text = "kept"
            try context.save()
            #expect(files == 2)
        }
        // Nothing names the old one any more once the context has ended, on its queue behind its last holder.
        #expect(photo(reference) == 2)
        try context().performAndWait { context in
            context.insert(Note.self).photo = large(9)
            try context.save()
        }
        for _ in 0..<1000 where files > 2 { usleep(10_000) }
        #expect(files == 2)
    }

    /// By undo, which does not read it. The save says so, and the row keeps what it has.
    @Test func `a value whose file is gone does not come back`() throws {
        try context().performAndWait { context in
            let note = try savedChange(in: context)
            let old = try FileManager.default.contentsOfDirectory(at: values, includingPropertiesForKeys: nil)
                .filter { try Data(contentsOf: $0).contains(1) }
            try #require(old.count == 1)
            try FileManager.default.removeItem(at: old[0])
            context.undo()
            #expect(throws: StoreError.self) { try context.save() }
            context.rollback()
            #expect(photo(note.reference) == 2 && files == 1)
            #expect(try coordinator.report().missingFiles.isEmpty)
        }
    }

    @Test func `a value that is thrown away before the save leaves no file, nor does one that was replaced`()
        throws
    {
        context().performAndWait { context in
            let note = context.insert(Note.self), team = context.insert(Team.self)
            note.photo = large(1)
            context.insert(Member.self).team = team
            // Large values are written before the rest of the save is refused.
            #expect(throws: ValidationError.self) { try context.save() }
            context.rollback()
        }
        #expect(files == 0)
        let reference = try insert(1), context = context()
        for byte in 2..<5 {
            try context.performAndWait { context in
                try #require(context[reference]).photo = large(UInt8(byte))
                try context.save()
            }
            #expect(files == 1)
        }
        try context.performAndWait { context in
            context.delete(try #require(context[reference]))
            try context.save()
        }
        #expect(files == 0)
    }

    @Test func `another stack that has the store open keeps the file, and the last one sweeps it`() throws {
        let reference = try insert(1)
        let other = try folder.open("store.sqlite", edgeModel())
        try ManagedObjectContext(persistentStoreCoordinator: other).performAndWait { theirs in
            let note = try #require(theirs[reference])
            try context().performAndWait { context in
                try #require(context[reference]).photo = large(2)
                try context.save()
            }
            #expect(note.photo == large(1))
        }
        #expect(files == 2)
        try other.close()
        try coordinator.close()
        try folder.open("store.sqlite", edgeModel()).close()
        #expect(files == 1)
    }

    @Test func `a child saves again after its parent moved a large value to a file`() throws {
        let parent = context(), child = ManagedObjectContext(parent: parent)
        try child.performAndWait { child in
            let rack = child.insert(Rack.self)
            rack.photo = large(1)
            try child.save()
            try parent.performAndWait { _ = try $0.save() }
            rack.name = "again"
            try child.save()
            try parent.performAndWait { _ = try $0.save() }
            #expect(rack.photo == large(1))
        }
        #expect(try coordinator.report().missingFiles.isEmpty)
    }

    @Test(.everyStore, arguments: [3, 150_000])
    func `a large value is refused in filters and orders, and read by value fetches`(count: Int) throws {
        let context = try edgeContext()
        let data = Data(repeating: 7, count: count)
        try context.performAndWait { context in
            context.insert(Note.self).photo = data
            context.insert(Note.self).text = "without"
            for isSaved in [false, true] {
                if isSaved { try context.save() }
                #expect(throws: FetchError.self) { try context.fetch(FetchRequest<Note>(\.photo == data)) }
                #expect(throws: FetchError.self) {
                    try context.fetch(FetchRequest<Note>(try Filter(format: "photo IN %@", [data])))
                }
                #expect(try context.fetch(FetchRequest<Note>(\.photo == nil)).map(\.text) == ["without"])
                #expect(try context.fetch(FetchRequest<Note>(\.photo != nil)).map(\.photo) == [data])
                #expect(try context.fetch(FetchRequest<Note>(!(\.photo == nil))).map(\.photo) == [data])
                #expect(
                    try context.fetch(FetchRequest<Note>(!(\.photo != nil && \.text == ""))).map(\.text) == [
                        "without"
                    ])
            }
            let photos = try context.fetchValues(
                FetchRequest<Note>(sortedBy: .ascending(\.text)), \.photo)
            #expect(photos.count == 2 && photos[0] == data && photos[1] == nil)
            let rows = try context.fetchDictionaries(
                FetchRequest<Note>(\.text == ""), of: [.property("photo"), .property("text")])
            #expect(rows.map { $0.value("photo", as: Data?.self) } == [data])
            #expect(throws: FetchError.self) {
                try context.fetchDictionaries(FetchRequest<Note>(), of: [.count()], groupedBy: ["photo"])
            }
            #expect(try context.fetch(FetchRequest<Note>(\.text == ""))[0].matches(\.photo == data))
        }
    }
    /// Stores whose names differ in the extension only share the folder.
    @Test func `a copy beside its store has files of its own, and so has the next`() throws {
        let note = try insert(1)
        _ = try insert(2)
        let url = folder.url.appending(path: "store.sqlite")
        for (number, name) in ["store.copy", "store.second", "other.sqlite"].enumerated() {
            try StoreContents(url).copy(to: folder.url.appending(path: name))
            #expect(files == min(number + 2, 3) * 2)
        }
        let named = try ["store.sqlite", "store.copy", "store.second"].map { name in
            try shell(
                "sqlite3 '\(folder.url.appending(path: name).path)' 'SELECT hex(ZPHOTO) FROM ZNOTE'")
        }
        let names = named.flatMap { $0.split(separator: "\n").filter { $0.count == 76 } }
        #expect(names.count == 6 && Set(names).count == 6)
        let copies = ["store.copy", "other.sqlite"].map { folder.url.appending(path: $0) }
        for copy in copies {
            let coordinator = PersistentStoreCoordinator(managedObjectModel: try edgeModel())
            try coordinator.addPersistentStore(ofType: .sqlite, at: copy)
            try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
                let notes = try context.fetch(FetchRequest<Note>())
                #expect(notes.map { $0.photo?.first }.sorted { ($0 ?? 0) < ($1 ?? 0) } == [1, 2])
                for note in notes { context.delete(note) }
                try context.save()
            }
            try coordinator.close()
        }
        #expect(files == 6, "who shares a folder removes nothing")
        #expect(photo(note) == 1)
        let second = try StoreContents(folder.url.appending(path: "store.second"))
        let report = try second.store.report()
        #expect(report.missingFiles.isEmpty && report.externalFiles == 2 && report.leftOverFiles.isEmpty)
    }
    @Test func `a copy is whole while a program changes its store, but for what was lost before`() throws {
        let note = try insert(1), lost = try insert(2)
        let names = try shell(
            "sqlite3 '\(folder.url.path)/store.sqlite' 'SELECT SUBSTR(ZPHOTO, 2) FROM ZNOTE'")
        let last = try #require(names.split(separator: "\n").last)
        try FileManager.default.removeItem(at: values.appending(path: String(last.prefix(36))))
        let isOver = Atomic(false), ended = DispatchSemaphore(value: 0)
        DispatchQueue.global().async { [self] in
            var number: UInt8 = 1
            while !isOver.load(ordering: .relaxed) {
                number = number % 100 + 1
                let now = large(number)
                do {
                    try context().performAndWait { context in
                        try #require(context[note]).photo = now
                        try context.save()
                    }
                } catch { Issue.record(error) }
            }
            ended.signal()
        }
        for number in 1...30 {
            let copy = folder.url.appending(path: "copies/\(number).sqlite")
            try FileManager.default.createDirectory(
                at: copy.deletingLastPathComponent(), withIntermediateDirectories: true)
            try StoreContents(folder.url.appending(path: "store.sqlite")).copy(to: copy)
            let report = try StoreContents(copy).store.report()
            #expect(report.missingFiles == [String(last.prefix(36))] && report.externalFiles == 1)
        }
        isOver.store(true, ordering: .relaxed)
        ended.wait()
        _ = lost
    }

    @Test func `a copy is not made where the log of another store lies`() throws {
        let late = folder.url.appending(path: "late.sqlite"), log = URL(filePath: late.path + "-wal")
        try Data("a log".utf8).write(to: log)
        #expect(throws: StoreError.file("late.sqlite-wal", errno: EEXIST)) {
            try StoreContents(folder.url.appending(path: "store.sqlite")).copy(to: late)
        }
        #expect(try Data(contentsOf: log) == Data("a log".utf8))
        #expect(!FileManager.default.fileExists(atPath: late.path))
    }

    /// What a user does with `cp`.
    @Test func `a copy by another program has its large values whatever becomes of the store's`() throws {
        let note = try insert(1)
        try coordinator.close()
        let copy = folder.url.appending(path: "store.copy")
        try FileManager.default.copyItem(at: folder.url.appending(path: "store.sqlite"), to: copy)
        let again = try folder.open("store.sqlite", edgeModel())
        try ManagedObjectContext(persistentStoreCoordinator: again).performAndWait { context in
            context.delete(try #require(try context.fetch(FetchRequest<Note>()).first))
            try context.save()
        }
        try again.close()
        let copied = try folder.open("store.copy", edgeModel())
        let found = ManagedObjectContext(persistentStoreCoordinator: copied).performAndWait {
            (try? $0.fetch(FetchRequest<Note>()))?.first?.photo
        }
        #expect(found == large(1))
        _ = note
    }

    @Test func `a value that another stack wrote again stays`() throws {
        let reference = try insert(1)
        let second = try folder.open("store.sqlite", edgeModel())
        try ManagedObjectContext(persistentStoreCoordinator: second).performAndWait { context in
            context.mergePolicy = .overwrite
            let note = try #require(context[reference])
            note.text = "mine"
            try self.context().performAndWait { theirs in
                try #require(theirs[reference]).photo = large(2)
                try theirs.save()
            }
            try context.save()
        }
        try second.close()
        try coordinator.close()
        let report = try folder.open("store.sqlite", edgeModel()).report()
        #expect(report.missingFiles.isEmpty && report.externalFiles == 1)
    }

    @Test func `a large value that becomes two in a migration is two files`() throws {
        func model(_ names: [String]) throws -> ManagedObjectModel {
            try ManagedObjectModel(
                entities: names.map {
                    EntityDeclaration(
                        $0,
                        properties: [
                            .attribute(
                                AttributeDescription(
                                    "photo", .binaryData, isOptional: true, options: [.externalStorage]))
                        ])
                })
        }
        let url = folder.url.appending(path: "p.sqlite")
        let (first, second) = (try model(["Person"]), try model(["Contact", "Employee"]))
        let before = try folder.open("p.sqlite", first)
        try ManagedObjectContext(persistentStoreCoordinator: before).performAndWait { context in
            try context.insert(entityNamed: "Person").setValue(large(3), forKey: "photo")
            try context.save()
        }
        try before.close()
        let mapping = try MappingModel(
            from: first, to: second,
            entities: [
                EntityMapping(from: "Person", to: "Contact"), EntityMapping(from: "Person", to: "Employee"),
            ])
        try Migration(versions: [first, second], mappings: [mapping]).migrateStore(at: url)
        let after = try folder.open("p.sqlite", second)
        try ManagedObjectContext(persistentStoreCoordinator: after).performAndWait { context in
            _ = try context.execute(
                BatchDeleteRequest(FetchRequest<ManagedObject>(entityName: "Contact")))
        }
        let report = try after.report()
        #expect(report.missingFiles.isEmpty && report.externalFiles == 1)
        let found = try ManagedObjectContext(persistentStoreCoordinator: after).performAndWait { context in
            try context.fetch(FetchRequest<ManagedObject>(entityName: "Employee")).first?
                .value(forKey: "photo") as? Data
        }
        #expect(found == large(3))
    }

    /// Two stores of one coordinator share the folder, and each counts what it is about to write.
    @Test func `a file that one store staged and another names stays`() throws {
        let model = try ManagedObjectModel(
            Scan.self, Plan.self, configurations: ["scans": ["Scan"], "plans": ["Plan"]])
        let both = PersistentStoreCoordinator(managedObjectModel: model)
        for name in ["scans", "plans"] {
            try both.addPersistentStore(
                ofType: .sqlite, configuration: name, at: folder.url.appending(path: "both.\(name)"))
        }
        let context = ManagedObjectContext(persistentStoreCoordinator: both)
        try context.performAndWait { context in
            let staged = try both.stage(large(4))
            let (one, other) = (context.insert(Plan.self), context.insert(Plan.self))
            one.drawing = large(5)
            other.setStaged(staged, for: \.drawing)
            try context.save()
            context.reset()
        }
        let report = try both.report()
        #expect(report.missingFiles.isEmpty && report.externalFiles == 2)
    }

    /// The store's log, if it was killed, would be played into the next store of that name, and its large
    /// values are named by none of that one's rows.
    @Test func `a store that is made where another was takes nothing from it and nothing away`() throws {
        let note = try insert(1)
        let path = folder.url.appending(path: "store.sqlite").path
        let log = try Data(contentsOf: URL(filePath: path + "-wal"))
        #expect(!log.isEmpty && photo(note) == 1)
        try coordinator.close()
        let (aside, manager) = (folder.url.appending(path: "aside").path, FileManager.default)
        try manager.moveItem(atPath: path, toPath: aside)
        try log.write(to: URL(filePath: path + "-wal"))
        for number in 1...2 {
            let new = try folder.open("store.sqlite", edgeModel())
            try ManagedObjectContext(persistentStoreCoordinator: new).performAndWait { context in
                #expect(try context.count(FetchRequest<Note>()) == number - 1)
                context.insert(Note.self).photo = large(UInt8(number))
                try context.save()
            }
            try new.close()
        }
        #expect(try shell("sqlite3 '\(path)' 'PRAGMA integrity_check'") == "ok\n")
        #expect(try Data(contentsOf: URL(filePath: path + "-wal.~1~")) == log)
        // Each has its values when it has the name.
        let other = folder.url.appending(path: "other").path
        for (away, back, count) in [(other, aside, 1), (aside, other, 2), (other, aside, 1)] {
            try manager.moveItem(atPath: path, toPath: away)
            try manager.moveItem(atPath: back, toPath: path)
            // Who only reads finds them where they were put.
            let reader = try folder.open("store.sqlite", edgeModel(), isReadOnly: true)
            #expect(try reader.report().missingFiles == [])
            try reader.close()
            let store = try folder.open("store.sqlite", edgeModel())
            let found = try ManagedObjectContext(persistentStoreCoordinator: store).performAndWait {
                try $0.fetch(FetchRequest<Note>()).map(\.photo)
            }
            #expect(found == (1...count).map { large(UInt8($0)) })
            #expect(try store.report().missingFiles == [] && store.report().leftOverFiles == [])
            try store.close()
        }
    }
}

private final class Scan: ManagedObject {
    @Attribute(.externalStorage) var image: Data?
}

private final class Plan: ManagedObject {
    @Attribute(.externalStorage) var drawing: Data?
}
