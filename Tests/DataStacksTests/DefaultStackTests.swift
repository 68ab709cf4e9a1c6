import DataStacks
import Foundation
import Glibc
import ManagedObjects
import Testing

/// The default stack, in a process of its own.
@Suite struct DefaultStackTests {
    @Test func `each static method does what the stack's does`() async throws {
        await #expect(processExitsWith: .success) {
            let stack = DataStack(model: try Fixture.model(), logger: QuietLogger())
            CoreStore.defaultStack = stack
            #expect(CoreStore.defaultStack === stack)
            try CoreStore.addStorageAndWait(InMemoryStore(configuration: "Config1"))
            _ = try await CoreStore.addStorage(InMemoryStore(configuration: "Config2"))
            try Fixture.populate(stack, "Config1")
            try CoreStore.performAndWait { $0.create(Into<Sample>()).testEntityID = 106 }
            try await CoreStore.perform { $0.create(Into<Sample>()).testEntityID = 107 }
            try CoreStore.beginSynchronous { transaction in
                transaction.create(Into<Sample>()).testEntityID = 108
                try transaction.commit()
            }
            let results = Collected<SaveResult>()
            CoreStore.beginAsynchronous { transaction in
                transaction.create(Into<Sample>()).testEntityID = 109
                transaction.commit { results.add($0) }
            }
            #expect(results.wait(for: 1) == [.success(true)])
            let draft = CoreStore.beginUnsafe()
            draft.create(Into<Sample>()).testEntityID = 110
            try draft.commit()
            let order = OrderBy<Sample>(.descending(\.testEntityID))
            #expect(try CoreStore.fetchCount(From<Sample>()) == 10)
            #expect(try CoreStore.fetchAll(From<Sample>(), order, as: \.testEntityID).first == 110)
            #expect(try CoreStore.fetchOne(From<Sample>(), order, as: \.testEntityID) == 110)
            let ids = try CoreStore.fetchObjectIDs(From<Sample>(), order)
            #expect(try CoreStore.fetchObjectID(From<Sample>(), order) == ids[0])
            #expect(try CoreStore.fetchExisting(ids[0], as: \.testEntityID) == 110)
            #expect(try CoreStore.fetchExisting(ids, as: \.testEntityID).count == 10)
            #expect(
                try CoreStore.queryValue(From<Sample>(), Select<Sample, Int>(.maximum(\.testNumber))) == 5)
            #expect(try CoreStore.queryAttributes(From<Sample>(), Select("testNumber")).count == 10)
            #expect(try CoreStore.read { try $0.fetchCount(From<Sample>()) } == 10)
            #expect(try CoreStore.monitorObject(ids[0]).object == ids[0])
            #expect(try CoreStore.monitorList(From<Sample>(), order).numberOfObjects() == 10)
            let sections = try CoreStore.monitorSectionedList(
                From<Sample>(), SectionBy(\.testEntityID), order)
            #expect(sections.numberOfSections() == 10)
            #expect(try CoreStore.publishList(From<Sample>(), order).snapshot.numberOfItems == 10)
            #expect(try CoreStore.requiredMigrations(for: InMemoryStore()).isEmpty)
            #expect(CoreStore.modelVersion == "1")
        }
    }

    /// This program has no model of its name.
    @Test func `without a model the default stack refuses, and says so once`() async throws {
        await #expect(processExitsWith: .success) {
            let logger = RecordingLogger()
            CoreStore.logger = logger
            #expect(throws: StackError.self) { try CoreStore.fetchCount(From<Sample>(), Where<Sample>(true)) }
            #expect(throws: StackError.self) { try CoreStore.fetchCount(From<Sample>()) }
            let heard = logger.entries.map(\.message)
            #expect(heard.filter { $0.hasPrefix("there is no model for the default stack") }.count == 1)
        }
    }

    @Test func `one line makes the default store in the program's data folder`() async throws {
        await #expect(processExitsWith: .success) {
            let folder = FileManager.default.temporaryDirectory.appending(path: "xdg-\(UUID().uuidString)")
            #expect(unsafe setenv("XDG_DATA_HOME", folder.path, 1) == 0)
            CoreStore.defaultStack = DataStack(model: try Fixture.model(), logger: QuietLogger())
            let added = try CoreStore.addStorageAndWait()
            let name = ProcessInfo.processInfo.processName
            #expect(added.url == folder.appending(path: "\(name)/\(name).sqlite"))
            #expect(added.isNew && FileManager.default.fileExists(atPath: added.url?.path ?? ""))
            try CoreStore.defaultStack.close()
            try FileManager.default.removeItem(at: folder)
            // A file where the folder should be.
            try Data().write(to: folder)
            let other = DataStack(model: try Fixture.model(), logger: QuietLogger())
            let error = #expect(throws: StackError.self) { try other.addStorageAndWait() }
            guard case .unreadable = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            try FileManager.default.removeItem(at: folder)
        }
    }
}
