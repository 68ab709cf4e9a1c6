import DataStacks
import Foundation
import Glibc
import ManagedObjects
import Testing

/// Stores, and places that are none.
@Suite struct StorageTests {
    private let scratch: Scratch
    private let stack: DataStack

    init() throws {
        scratch = try Scratch()
        stack = DataStack(model: try Fixture.model(), logger: QuietLogger())
    }

    @Test func `a SQLite store has a file, a name, a configuration, and options`() throws {
        let plain = SQLiteStore()
        #expect(plain.fileURL?.lastPathComponent == "\(ProcessInfo.processInfo.processName).sqlite")
        #expect(plain.configuration == nil && plain.localStorageOptions == .none && !plain.isReadOnly)
        let named = SQLiteStore(fileName: "A.sqlite", configuration: "Config1")
        #expect(named.fileURL == SQLiteStore.defaultDirectory.appending(path: "A.sqlite"))
        #expect(named.configuration == "Config1")
        let url = scratch.file("B.sqlite")
        let other = SQLiteStore(
            fileURL: url, configuration: "Config2", localStorageOptions: .recreateStoreOnModelMismatch)
        #expect(other.fileURL == url && other.localStorageOptions == .recreateStoreOnModelMismatch)
        #expect(InMemoryStore(configuration: "Config1").configuration == "Config1")
    }

    @Test func `what is no store, or cannot be one, is refused and left as it is`() throws {
        let nowhere = scratch.file("none/A.sqlite")
        #expect(throws: StackError.self) { try stack.addStorageAndWait(SQLiteStore(fileURL: nowhere)) }
        let text = scratch.file("text.sqlite")
        try Data(String(repeating: "no store ", count: 1000).utf8).write(to: text)
        #expect(throws: StackError.unreadable(text, .notAStore)) {
            try stack.addStorageAndWait(SQLiteStore(fileURL: text))
        }
        let foreign = scratch.file("foreign.sqlite")
        _ = try shell("sqlite3 '\(foreign.path)' 'CREATE TABLE a (b)'")
        let before = try Data(contentsOf: foreign)
        #expect(throws: StackError.unreadable(foreign, .notAStore)) {
            try stack.addStorageAndWait(SQLiteStore(fileURL: foreign))
        }
        #expect(try Data(contentsOf: foreign) == before)
        #expect(throws: StackError.self) { try stack.addStorageAndWait(SQLiteStore(fileURL: scratch.url)) }
        #expect(throws: StackError.self) {
            try stack.addStorageAndWait(InMemoryStore(configuration: "None"))
        }
        let absent = SQLiteStore(fileURL: scratch.file("absent.sqlite"), isReadOnly: true)
        #expect(throws: StackError.self) { try stack.addStorageAndWait(absent) }
        #expect(stack.coordinator.persistentStores.isEmpty)
        #expect(try scratch.names == ["foreign.sqlite", "text.sqlite"])
    }

    @Test func `a completion is not called for a store that cannot be read`() throws {
        let text = scratch.file("text.sqlite"), results = Collected<SetupResult>()
        try Data(String(repeating: "no store ", count: 1000).utf8).write(to: text)
        #expect(throws: StackError.unreadable(text, .notAStore)) {
            try stack.addStorage(SQLiteStore(fileURL: text)) { results.add($0) }
        }
        let good = SQLiteStore(fileURL: scratch.file("A.sqlite"))
        try stack.addStorage(good) { results.add($0) }
        #expect(results.wait(for: 1).count == 1)
        #expect(throws: StackError.self) {
            try stack.addStorage(SQLiteStore(fileURL: good.location, configuration: "Config1")) {
                results.add($0)
            }
        }
        usleep(50_000)
        #expect(results.values.count == 1)
        try stack.close()
    }

    @Test func `one file twice is the same store, or an error when it is added in another way`() throws {
        let url = scratch.file("A.sqlite")
        let first = try stack.addStorageAndWait(SQLiteStore(fileURL: url))
        let second = try stack.addStorageAndWait(SQLiteStore(fileURL: url))
        #expect(first.identifier == second.identifier && stack.coordinator.persistentStores.count == 1)
        #expect(throws: StackError.differentStorage(url)) {
            try stack.addStorageAndWait(SQLiteStore(fileURL: url, configuration: "Config1"))
        }
        #expect(throws: StackError.differentStorage(url)) {
            try stack.addStorageAndWait(SQLiteStore(fileURL: url, isReadOnly: true))
        }
        let hard = scratch.file("hard.sqlite")
        #expect(unsafe link(url.path, hard.path) == 0)
        #expect(throws: StackError.differentStorage(hard)) {
            try stack.addStorageAndWait(SQLiteStore(fileURL: hard))
        }
        let soft = scratch.file("soft.sqlite")
        #expect(unsafe symlink(url.path, soft.path) == 0)
        let third = try stack.addStorageAndWait(SQLiteStore(fileURL: soft))
        #expect(third.identifier == first.identifier)
        try stack.close()
    }

    @Test func `a store in a file of XML is read, written, and kept`() throws {
        let url = scratch.file("A.xml")
        try stack.addStorageAndWait(FileStore(fileURL: url))
        try stack.performAndWait { $0.create(Into<Sample>()).testEntityID = 7 }
        try stack.close()
        let again = DataStack(model: try Fixture.model(), logger: QuietLogger())
        #expect(try again.addStorageAndWait(FileStore(fileURL: url)).isNew == false)
        #expect(try again.fetchAll(From<Sample>(), as: \.testEntityID) == [7])
        try again.close()
    }

    @Test func `a read-only store is read, and transactions fail`() throws {
        let url = scratch.file("A.sqlite")
        try stack.addStorageAndWait(SQLiteStore(fileURL: url))
        try stack.performAndWait { $0.create(Into<Sample>()).testEntityID = 7 }
        try stack.close()
        let reader = DataStack(model: try Fixture.model(), logger: QuietLogger())
        try reader.addStorageAndWait(SQLiteStore(fileURL: url, isReadOnly: true))
        #expect(try reader.fetchAll(From<Sample>(), as: \.testEntityID) == [7])
        #expect(throws: StackError.store(.readOnly)) {
            try reader.performAndWait { $0.create(Into<Sample>()).testEntityID = 8 }
        }
        try reader.close()
    }

    @Test func `a store that another stack migrates or holds is in use`() throws {
        let versions = try Versions(), url = scratch.file("Books.sqlite")
        try versions.makeStore(url, version: 1)
        let holder = DataStack(model: versions.models[0], logger: QuietLogger())
        try holder.addStorageAndWait(SQLiteStore(fileURL: url))
        let migrating = try DataStack(versions.history(["V1", "V2", "V3", "V4"]), logger: QuietLogger())
        #expect(throws: StackError.store(.inUse)) {
            try migrating.upgradeStorageAndWait(SQLiteStore(fileURL: url))
        }
        try holder.close()
        #expect(try migrating.upgradeStorageAndWait(SQLiteStore(fileURL: url)) != nil)
        try migrating.close()
    }
}
