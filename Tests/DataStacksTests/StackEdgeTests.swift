import DataStacks
import Foundation
import ManagedObjects
import Synchronization
import Testing

private final class Refetcher: ListObserver {
    typealias Object = Sample
    let lines = Mutex<[String]>([])
    let asked = Mutex(false)
    func listMonitorWillRefetch(_ monitor: ListMonitor<Sample>) {
        lines.withLock { $0.append("will") }
        let first = asked.withLock { asked in
            defer { asked = true }
            return !asked
        }
        if first {
            try? monitor.refetch(Where(\.testNumber == 1), OrderBy(.ascending(\.testEntityID)))
        }
    }
    func listMonitorDidRefetch(_ monitor: ListMonitor<Sample>) { lines.withLock { $0.append("did") } }
}

/// Second runs, closed stacks, failures and observers that act: what a fresh reader of the module proved.
@Suite(.timeLimit(.minutes(10))) struct StackEdgeTests {
    let order = OrderBy<Sample>(.ascending(\.testEntityID))

    @Test func `a draft that met a conflict goes on after a rollback`() throws {
        let stack = try Fixture.stack("Config1")
        let id = try #require(try stack.fetchObjectID(From<Sample>(), Where(\.testEntityID == 101)))
        let draft = stack.beginUnsafe()
        let sample = try #require(draft.edit(id))
        sample.testNumber = 50
        try stack.performAndWait { $0.edit(id)?.testNumber = 60 }
        #expect(throws: StackError.self) { try draft.commit() }
        draft.rollback()
        #expect(draft.edit(id)?.testNumber == 60)
        sample.testNumber = 70
        #expect(try draft.commit())
        #expect(try stack.fetchAll(From<Sample>(), Where(\.testEntityID == 101), as: \.testNumber) == [70])
    }

    @Test func `what another process causes while a retry is prepared is retried, too`() throws {
        var steps: [String] = []
        let value = try retryingWhatOthersCause(onRetry: { _ in
            steps.append("again")
            if steps.count < 4 { throw StoreError.inUse }
        }) {
            steps.append("try")
            if steps.count < 6 { throw StoreError.changedByOthers }
            return 7
        }
        #expect(value == 7 && steps == ["try", "again", "again", "again", "try", "again", "try"])
        #expect(throws: StackError.store(.readOnly)) {
            try retryingWhatOthersCause(onRetry: { _ in throw StoreError.readOnly }) {
                throw StoreError.inUse
            }
        }
    }

    @Test func `a refetch that an observer asks for during a refetch is the last`() throws {
        let stack = try Fixture.stack("Config1")
        let list = try stack.monitorList(From<Sample>(), order)
        let observer = Refetcher()
        list.addObserver(observer)
        try list.refetch(Where(\.testNumber > 2), order)
        #expect(list.numberOfObjects() == 1)
        #expect(observer.lines.withLock { $0 } == ["will", "did", "will", "did"])
    }

    @Test func `a refetch that fails leaves the list as it was, and tells both of its ends`() throws {
        let stack = try Fixture.stack("Config1")
        let list = try stack.monitorSectionedList(
            From<Sample>(), SectionBy(\.testBoolean),
            OrderBy(.ascending("testBoolean"), .ascending(\.testEntityID)))
        let observer = Refetcher()
        observer.asked.withLock { $0 = true }
        list.addObserver(observer)
        #expect(throws: StackError.self) { try list.refetch(OrderBy<Sample>(.ascending(\.testEntityID))) }
        #expect(list.numberOfSections() == 2)
        #expect(list.numberOfObjects() == 5)
        try stack.performAndWait { t in
            let new = t.create(Into<Sample>())
            (new.testEntityID, new.testBoolean) = (1, true)
        }
        #expect(list.numberOfObjects(in: 1) == 4)
        #expect(observer.lines.withLock { $0 } == ["will", "did"])
    }

    @Test func `snapshots of a monitor do not claim to know updates`() throws {
        let stack = try Fixture.stack("Config1")
        let list = try stack.monitorList(From<Sample>(), order)
        let old = list.snapshot
        try stack.performAndWait { t in
            try t.fetchOne(From<Sample>(), Where(\.testEntityID == 102))?.testNumber = 99
        }
        let difference = list.snapshot.difference(from: old)
        #expect(!difference.knowsUpdates || !difference.changes.isEmpty)
    }

    @Test func `snapshots of two lists do not claim to know updates`() throws {
        let stack = try Fixture.stack("Config1")
        let a = try stack.publishList(From<Sample>(), order).snapshot
        func change(_ number: Int64) throws {
            try stack.performAndWait { t in
                try t.fetchOne(From<Sample>(), Where(\.testEntityID == 102))?.testNumber = number
            }
        }
        try change(50)
        let other = try stack.publishList(From<Sample>(), order)
        #expect(!other.snapshot.difference(from: a).knowsUpdates, "same generation")
        try stack.performAndWait { t in
            try t.fetchOne(From<Sample>(), Where(\.testEntityID == 103))?.testNumber = 60
        }
        #expect(!other.snapshot.difference(from: a).knowsUpdates, "later generation")
    }

    @Test func `after a close, references and monitors throw noStore`() throws {
        let scratch = try Scratch()
        let stack = DataStack(model: try Fixture.model(), logger: QuietLogger())
        let store = SQLiteStore(fileURL: scratch.file("A.sqlite"))
        try stack.addStorageAndWait(store)
        try stack.performAndWait { $0.create(Into<Sample>()).testEntityID = 1 }
        let id = try #require(try stack.fetchObjectID(From<Sample>()))
        let list = try stack.monitorList(From<Sample>(), order)
        let draft = stack.beginUnsafe()
        draft.edit(id)?.testNumber = 5
        try stack.close()
        try stack.close()
        #expect(throws: StackError.store(.noStore)) { try stack.fetchExisting(id, as: \.testEntityID) }
        #expect(throws: StackError.store(.noStore)) { try stack.monitorObject(id) }
        #expect(throws: StackError.store(.noStore)) {
            try stack.performAndWait { t in t.edit(id)?.testNumber = 1 }
        }
        #expect(throws: StackError.store(.noStore)) { try draft.commit() }
        #expect(throws: StackError.self) { try list.refetch(order) }
        try stack.addStorageAndWait(store)
        #expect(try draft.commit())
        #expect(list.numberOfObjects() == 1)
        #expect(list.read { $0[0].testNumber } == 5)
        try stack.performAndWait { $0.create(Into<Sample>()).testEntityID = 2 }
        #expect(list.numberOfObjects() == 2)
    }

    @Test func `a cancelled task adds no store`() async throws {
        let scratch = try Scratch()
        let stack = DataStack(model: try Fixture.model(), logger: QuietLogger())
        let store = SQLiteStore(fileURL: scratch.file("A.sqlite"))
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await stack.addStorage(store)
        }
        task.cancel()
        await #expect(throws: StackError.cancelled) { try await task.value }
        #expect(try scratch.names == [])
    }

    @Test func `a store that is only read is not put aside`() throws {
        let scratch = try Scratch(), versions = try Versions(), url = scratch.file("B.sqlite")
        let other = DataStack(model: try ManagedObjectModel(BookX.self), logger: QuietLogger())
        try other.addStorageAndWait(SQLiteStore(fileURL: url))
        try other.close()
        let before = try scratch.names
        let stack = try DataStack(
            try versions.history(["V1", "V2", "V3", "V4"]), logger: QuietLogger())
        #expect(throws: StackError.self) {
            try stack.addStorageAndWait(
                SQLiteStore(
                    fileURL: url, localStorageOptions: .recreateStoreOnModelMismatch, isReadOnly: true))
        }
        #expect(try scratch.names == before)
    }

    @Test func `an older store that is only read asks for a migration`() throws {
        let scratch = try Scratch(), versions = try Versions(), url = scratch.file("B.sqlite")
        try versions.makeStore(url, version: 1, books: 2)
        let stack = try DataStack(
            try versions.history(["V1", "V2", "V3", "V4"]), logger: QuietLogger())
        #expect(throws: StackError.migrationRequired(from: "V1", to: "V4")) {
            try stack.addStorageAndWait(SQLiteStore(fileURL: url, isReadOnly: true))
        }
    }

    private struct Refusal: Error, CustomStringConvertible { let description: String }
    private struct Objection: Error, CustomStringConvertible { let description: String }

    @Test func `two errors are equal when all that they tell is`() {
        let a = URL(fileURLWithPath: "/a"), b = URL(fileURLWithPath: "/b")
        let errors: [StackError] = [
            .noModel("M"), .noModel("N"), .unreadable(a, .notAStore), .unreadable(a, .inUse),
            .unreadable(b, .notAStore), .migrationRequired(from: "1", to: "2"),
            .migrationRequired(from: "1", to: "3"), .migrationRequired(from: "2", to: "2"),
            .migration(from: "1", to: "2", .noModel(entities: [])),
            .migration(from: "1", to: "3", .noModel(entities: [])),
            .migration(from: "0", to: "2", .noModel(entities: [])),
            .migration(from: "1", to: "2", .noModel(entities: ["A"])),
            .unknownVersion(a, entities: ["A"]), .unknownVersion(a, entities: ["B"]),
            .unknownVersion(b, entities: ["A"]), .invalidChain("M"), .differentStorage(a),
            .differentStorage(b),
            .noStore(entity: "E", configuration: "C"), .noStore(entity: "E", configuration: nil),
            .noStore(entity: "F", configuration: "C"), .ambiguousStore(entity: "E", configurations: ["C"]),
            .ambiguousStore(entity: "E", configurations: []),
            .ambiguousStore(entity: "F", configurations: ["C"]), .nested,
            .cancelled, .alreadyCommitted,
            .user(Refusal(description: "no")), .user(Refusal(description: "never")),
            .user(Objection(description: "no")),
        ]
        for (index, error) in errors.enumerated() {
            #expect(error == error)
            for other in errors[..<index] { #expect(error != other && other != error, "\(error)") }
        }
    }

    @Test func `a hook of an import may delete an unsaved object and make another`() throws {
        let stack = try Fixture.emptyStack("Config1")
        let sources = [
            SampleSource(id: 1, number: 1, word: "a"),
            SampleSource(id: 2, number: 2, word: "delete 1"),
            SampleSource(id: 3, number: 3, word: "parent 4"),
            SampleSource(id: 4, number: 4, word: "d"),
        ]
        try stack.performAndWait { t in
            _ = try t.importUniqueObjects(Into<Sample>(), sourceArray: sources)
        }
        #expect(try stack.fetchAll(From<Sample>(), order, as: \.testEntityID) == [2, 3, 4])
        // Both at once: the count of insertions stays the same.
        let swap = [
            SampleSource(id: 11, number: 1, word: "a"), SampleSource(id: 12, number: 2, word: "swap 11 13"),
            SampleSource(id: 13, number: 3, word: "c"),
        ]
        try stack.performAndWait { t in
            _ = try t.importUniqueObjects(Into<Swap>(), sourceArray: swap)
        }
        #expect(try stack.fetchAll(From<Swap>(), as: \.number).sorted() == [12, 13])
    }

    @Test func `streams begin with the newest and never go back`() throws {
        let stack = try Fixture.stack("Config1")
        let published = try stack.publishList(From<Sample>(), order)
        let stale = Collected<UInt64>(), done = Atomic(false)
        let group = DispatchGroup()
        for _ in 0..<3 {
            DispatchQueue.global().async(group: group) {
                while !done.load(ordering: .relaxed) {
                    let streams = (0..<200).map { _ in published.snapshots }
                    let now = published.snapshot.generation
                    // Past the report under way.
                    stack.reader.performAndWait { _ in }
                    for stream in streams {
                        let first = Mutex<UInt64?>(nil), semaphore = DispatchSemaphore(value: 0)
                        Task {
                            for await snapshot in stream {
                                first.withLock { $0 = snapshot.generation }
                                break
                            }
                            semaphore.signal()
                        }
                        semaphore.wait()
                        if let got = first.withLock({ $0 }), got < now { stale.add(now - got) }
                    }
                }
            }
        }
        let end = Date().addingTimeInterval(3)
        var number: Int64 = 0
        while Date() < end {
            number += 1
            let value = number
            try stack.performAndWait { t in
                try t.fetchOne(From<Sample>(), Where(\.testEntityID == 102))?.testNumber = value
            }
        }
        done.store(true, ordering: .relaxed)
        group.wait()
        #expect(stale.values.isEmpty, "\(stale.values.count)")
    }

    @Test func `sections of one name are one`() throws {
        let stack = try Fixture.stack("Config1")
        let list = try stack.publishList(From<Sample>(), SectionBy(\.testEntityID) { _ in "x" }, order)
        #expect(list.snapshot.sectionIDs == ["x"])
        let old = list.snapshot
        try stack.performAndWait { t in t.delete(try t.fetchOne(From<Sample>(), order)) }
        let new = list.snapshot
        #expect(old.applying(new.difference(from: old)) == new)
    }

    @Test func `deleting twice and editing an unsaved object change nothing else`() throws {
        let stack = try Fixture.stack("Config1")
        let draft = stack.beginUnsafe()
        let unsaved = draft.create(Into<Sample>()).reference
        try stack.performAndWait { t in
            #expect(t.edit(unsaved) == nil)
            let mine = t.create(Into<Sample>())
            #expect(t.edit(unsaved) == nil)
            t.delete(mine, mine)
            let first = try t.fetchOne(From<Sample>(), order)
            t.delete(first, first)
            t.delete(first)
        }
        #expect(try stack.fetchCount(From<Sample>()) == 4)
    }

    /// As everywhere else texts are compared by their bytes.
    @Test func `names that differ in how a letter is composed are two`() throws {
        let stack = DataStack(model: try ManagedObjectModel(Named.self), logger: QuietLogger())
        try stack.addInMemoryStorage()
        let sources = ["caf\u{E9} 1", "cafe\u{301} 2", "caf\u{E9} 3"]
        for _ in 0..<2 {
            try stack.performAndWait { transaction in
                let objects = try transaction.importUniqueObjects(Into<Named>(), sourceArray: sources)
                #expect(objects.map(\.number) == ["3", "2"])
                #expect(try transaction.importUniqueObject(Into<Named>(), source: sources[1])?.number == "2")
            }
            #expect(try stack.fetchCount(From<Named>()) == 2)
        }
    }
}

private final class Named: ManagedObject, ImportableUniqueObject {
    @Attribute(.indexed) var name: String
    @Attribute var number: String
    static var uniqueIDKeyPath: ReferenceWritableKeyPath<Named, String> { \.name }
    static func uniqueID(from source: String, in transaction: Transaction) throws -> String? {
        source.split(separator: " ").first.map(String.init)
    }
    func update(from source: String, in transaction: Transaction) throws {
        number = source.split(separator: " ").last.map(String.init) ?? ""
    }
}

/// Its hook changes other objects.
final class Swap: ManagedObject, ImportableUniqueObject {
    @Attribute(.indexed) var number: Int64
    static var uniqueIDKeyPath: ReferenceWritableKeyPath<Swap, Int64> { \.number }
    static func uniqueID(from source: SampleSource, in transaction: Transaction) throws -> Int64? {
        source.id
    }
    func update(from source: SampleSource, in transaction: Transaction) throws {
        let words = source.word.split(separator: " ").map(String.init)
        guard words.count == 3, let old = Int64(words[1]), let new = Int64(words[2]) else { return }
        let found = try transaction.fetchOne(From<Swap>(), Where(\.number == old))
        if words[0] == "rename" {
            found?.number = new
        } else {
            transaction.delete(found)
            transaction.create(Into<Swap>()).number = new
        }
    }
}
