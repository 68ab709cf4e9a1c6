import DataStacks
import Foundation
import ManagedObjects
import Testing

/// Which store a new object goes to.
@Suite struct IntoTests {
    private let logger = RecordingLogger()

    private func counts(_ stack: DataStack) throws -> [String?: Int] {
        var counts: [String?: Int] = [:]
        for store in stack.coordinator.persistentStores {
            counts[store.configuration] = try stack.fetchCount(From<Sample>(store.configuration))
        }
        return counts
    }

    @Test func `of one store of the entity a new object goes there`() throws {
        let stack = try Fixture.emptyStack("Config1", "Config2", logger: logger)
        try stack.performAndWait { transaction throws in
            transaction.create(Into<Sample>()).testEntityID = 1
            transaction.create(Into(Sample.self)).testEntityID = 2
        }
        #expect(try stack.fetchCount(From<Sample>("Config1")) == 2)
        #expect(logger.assertions.isEmpty)
    }

    @Test func `without a store of the entity creating is a mistake`() throws {
        let stack = try Fixture.emptyStack("Config2", logger: logger)
        #expect(throws: StackError.noStore(entity: "TestEntity1", configuration: nil)) {
            try stack.performAndWait { transaction throws in
                transaction.create(Into<Sample>()).testEntityID = 1
                #expect(logger.assertions.count == 1, "at creation")
            }
        }
        try stack.performAndWait { $0.create(Into<OtherSample>()).testEntityID = 1 }
        #expect(try stack.fetchCount(From<OtherSample>()) == 1)
    }

    @Test func `with several stores of the entity creating without a name is a mistake`() throws {
        let stack = try Fixture.emptyStack(nil, "Config1", logger: logger)
        #expect(throws: StackError.ambiguousStore(entity: "TestEntity1", configurations: [nil, "Config1"])) {
            try stack.performAndWait { transaction throws in
                transaction.create(Into<Sample>()).testEntityID = 1
                #expect(logger.assertions.count == 1, "at creation")
            }
        }
        #expect(try counts(stack) == [nil: 0, "Config1": 0])
    }

    @Test func `a named store is taken, and no other in its place`() throws {
        let stack = try Fixture.emptyStack(nil, "Config1", logger: logger)
        try stack.performAndWait { $0.create(Into<Sample>("Config1")).testEntityID = 1 }
        #expect(try counts(stack) == [nil: 0, "Config1": 1])
        try stack.performAndWait { transaction throws in
            transaction.create(Into<Sample>(nil)).testEntityID = 2
            transaction.create(Into(Sample.self, "Config1")).testEntityID = 3
        }
        #expect(try counts(stack) == [nil: 1, "Config1": 2])
        #expect(throws: StackError.noStore(entity: "TestEntity1", configuration: "Config2")) {
            try stack.performAndWait { $0.create(Into<Sample>("Config2")).testEntityID = 4 }
        }
        #expect(try counts(stack) == [nil: 1, "Config1": 2])
        #expect(logger.assertions.count == 1)
    }

    @Test func `two configurations in two files, each row in its own`() throws {
        let scratch = try Scratch()
        let stack = DataStack(model: try Fixture.model(), logger: logger)
        for name in ["Config1", "Config2"] {
            let added = try stack.addStorageAndWait(
                SQLiteStore(fileURL: scratch.file("\(name).sqlite"), configuration: name))
            #expect(added.isNew && added.configuration == name && added.oldVersionKeptAt == nil)
            try Fixture.populate(stack, name, number: name == "Config1" ? 1 : 2)
        }
        try stack.close()
        func count(_ file: String, _ table: String) throws -> String {
            try shell("sqlite3 '\(scratch.file(file).path)' 'SELECT COUNT(*) FROM \(table)'")
        }
        #expect(try count("Config1.sqlite", "ZTESTENTITY1") == "5\n")
        #expect(try count("Config2.sqlite", "ZTESTENTITY2") == "5\n")
        #expect(throws: (any Error).self) { try count("Config1.sqlite", "ZTESTENTITY2") }
        let again = DataStack(model: try Fixture.model(), logger: logger)
        try again.addStorageAndWait(
            SQLiteStore(fileURL: scratch.file("Config2.sqlite"), configuration: "Config2"))
        #expect(try again.fetchAll(From<OtherSample>(), as: \.testEntityID) == [201, 202, 203, 204, 205])
        try again.close()
    }

    @Test func `stores in memory take the entities of their configurations, and stacks are apart`() throws {
        let one = try Fixture.stack(nil, "Config1", "Config2"), other = try Fixture.stack("Config1")
        #expect(try one.fetchAll(From<Sample>(nil), as: \.testEntityID) == [101, 102, 103, 104, 105])
        #expect(try one.fetchAll(From<Sample>("Config1"), as: \.testEntityID) == [201, 202, 203, 204, 205])
        #expect(
            try one.fetchAll(From<OtherSample>("Config2"), as: \.testEntityID) == [301, 302, 303, 304, 305])
        #expect(try other.fetchCount(From<Sample>()) == 5)
        #expect(try one.fetchCount(From<Sample>()) == 10)
    }
}

/// What a command prints; throws when it fails.
func shell(_ command: String) throws -> String {
    let process = Process(), output = Pipe()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", command]
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    if process.terminationStatus != 0 { throw Refusal() }
    return String(decoding: data, as: UTF8.self)
}
