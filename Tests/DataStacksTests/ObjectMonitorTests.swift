import DataStacks
import Foundation
import ManagedObjects
import Synchronization
import Testing

private final class Watcher: ObjectObserver {
    typealias Object = Sample
    let lines = Collected<String>()

    func objectMonitor(_ monitor: ObjectMonitor<Sample>, willUpdateObject object: Sample) {
        lines.add("will \(object.testNumber ?? -1)")
    }
    func objectMonitor(
        _ monitor: ObjectMonitor<Sample>, didUpdateObject object: Sample,
        changedPersistentKeys keys: Set<String>
    ) { lines.add("did \(object.testNumber ?? -1) \(keys.sorted())") }
    func objectMonitor(_ monitor: ObjectMonitor<Sample>, didDeleteObject object: Sample) {
        lines.add("gone \(object.testEntityID) \(monitor.object == nil)")
    }
}

/// One object's changes: CoreStore's events.
@Suite struct ObjectMonitorTests {
    private let stack: DataStack
    private let reference: ObjectReference<Sample>
    private let monitor: ObjectMonitor<Sample>

    init() throws {
        stack = try Fixture.stack("Config1")
        reference = try #require(try stack.fetchObjectID(From<Sample>(), Where(\.testEntityID == 101)))
        monitor = try stack.monitorObject(reference)
    }

    private func update(_ number: Int64, _ text: String) throws {
        try stack.performAndWait { transaction in
            guard let object = transaction.edit(reference) else { return }
            (object.testNumber, object.testString) = (number, text)
        }
    }

    @Test func `an update is told before and after, with the keys that changed`() throws {
        let watcher = Watcher()
        monitor.addObserver(watcher)
        #expect(monitor.object == reference && !monitor.isObjectDeleted)
        try update(10, "ten")
        #expect(watcher.lines.values == ["will 1", "did 10 [\"testNumber\", \"testString\"]"])
        try update(10, "eleven")
        try update(10, "eleven")
        #expect(
            watcher.lines.values.dropFirst(2) == [
                "will 10", "did 10 [\"testString\"]", "will 10", "did 10 []",
            ])
        #expect(monitor.read { $0.testString } == "eleven")
        try stack.performAndWait { transaction in
            try transaction.fetchOne(From<Sample>(), Where(\.testEntityID == 102))?.testNumber = 7
        }
        #expect(watcher.lines.values.count == 6, "another object is no news")
        try stack.performAndWait { $0.edit(reference)?.testString = nil }
        #expect(watcher.lines.values.dropFirst(6) == ["will 10", "did 10 [\"testString\"]"])
    }

    @Test func `an observer that is added twice hears once, and nothing once it is removed`() throws {
        let watcher = Watcher()
        monitor.addObserver(watcher)
        monitor.addObserver(watcher)
        try update(10, "ten")
        #expect(watcher.lines.values == ["will 1", "did 10 [\"testNumber\", \"testString\"]"])
        monitor.removeObserver(watcher)
        try update(11, "eleven")
        #expect(watcher.lines.values.count == 2)
    }

    @Test func `a deletion is told once, and then nothing`() throws {
        let watcher = Watcher()
        monitor.addObserver(watcher)
        try stack.performAndWait { $0.delete([reference]) }
        #expect(watcher.lines.values == ["gone 101 true"])
        #expect(monitor.object == nil && monitor.isObjectDeleted && monitor.read { $0.testNumber } == nil)
        try stack.performAndWait { $0.create(Into<Sample>()).testEntityID = 101 }
        #expect(watcher.lines.values.count == 1)
        #expect(throws: StackError.self) { try stack.monitorObject(reference) }
    }

    @Test func `several observers hear of it, as long as they live or until they are removed`() throws {
        let first = Watcher(), lines: Collected<String>
        monitor.addObserver(first)
        do {
            let second = Watcher()
            lines = second.lines
            monitor.addObserver(second)
            try update(10, "ten")
            #expect(lines.values == first.lines.values && lines.values.count == 2)
            withExtendedLifetime(second) {}
        }
        try update(11, "eleven")
        #expect(lines.values.count == 2 && first.lines.values.count == 4)
        monitor.removeObserver(first)
        try update(12, "twelve")
        #expect(first.lines.values.count == 4)
    }

    /// A program that writes past the history: what it did is looked for, and nobody knows what it was.
    @Test func `what a program without a history changes and deletes is told, too`() throws {
        let scratch = try Scratch(), url = scratch.file("A.sqlite")
        let ours = DataStack(model: try Fixture.model(), logger: QuietLogger())
        try ours.addStorageAndWait(SQLiteStore(fileURL: url))
        try Fixture.populate(ours, nil)
        ours.takeInOthers()
        let reference = try #require(try ours.fetchObjectID(From<Sample>(), Where(\.testEntityID == 101)))
        let monitor = try ours.monitorObject(reference), watcher = Watcher()
        monitor.addObserver(watcher)
        func change(_ sql: String) throws {
            _ = try shell("sqlite3 '\(url.path)' \"\(sql)\"")
            ours.takeInOthers()
        }
        try change("UPDATE ZTESTENTITY1 SET ZTESTNUMBER = 9, Z_OPT = Z_OPT + 1 WHERE ZTESTENTITYID = 101")
        #expect(watcher.lines.values == ["will 1", "did 9 [\"testNumber\"]"])
        try change("DELETE FROM ZTESTENTITY1 WHERE ZTESTENTITYID = 101")
        // What it had is not known any more.
        #expect(watcher.lines.values.dropFirst(2) == ["will 9", "gone 0 true"] && monitor.isObjectDeleted)
        let count = watcher.lines.values.count
        try change("UPDATE ZTESTENTITY1 SET ZTESTNUMBER = 7, Z_OPT = Z_OPT + 1")
        #expect(watcher.lines.values.count == count)
        try ours.close()
    }

    @Test func `what another process changes and deletes is told, too`() throws {
        let scratch = try Scratch()
        let (ours, theirs) = try Fixture.twoStacks(at: scratch.file("A.sqlite"))
        let reference = try #require(try ours.fetchObjectID(From<Sample>(), Where(\.testEntityID == 101)))
        let monitor = try ours.monitorObject(reference), watcher = Watcher()
        monitor.addObserver(watcher)
        try theirs.performAndWait {
            try $0.fetchOne(From<Sample>(), Where(\.testEntityID == 101))?.testNumber = 9
        }
        ours.takeInOthers()
        #expect(watcher.lines.values == ["will 1", "did 9 [\"testNumber\"]"])
        try theirs.performAndWait { _ = try $0.deleteAll(From<Sample>(), Where(\.testEntityID == 101)) }
        ours.takeInOthers()
        #expect(watcher.lines.values.last == "gone 101 true")
        try ours.close()
        try theirs.close()
    }

    /// The look has moved on when the reading fails: the next one reads everything.
    @Test func `what could not be taken in is taken in by the next look`() throws {
        let scratch = try Scratch()
        let (ours, theirs) = try Fixture.twoStacks(at: scratch.file("A.sqlite"))
        let reference = try #require(try ours.fetchObjectID(From<Sample>(), Where(\.testEntityID == 101)))
        let monitor = try ours.monitorObject(reference), watcher = Watcher()
        monitor.addObserver(watcher)
        try theirs.performAndWait {
            try $0.fetchOne(From<Sample>(), Where(\.testEntityID == 101))?.testNumber = 9
        }
        ours.takeInOthers(updating: { _, _ in throw StoreError.notAStore })
        #expect(watcher.lines.values == [])
        ours.takeInOthers()
        #expect(watcher.lines.values.last == "did 9 [\"testNumber\"]")
        let count = watcher.lines.values.count
        ours.takeInOthers()
        #expect(watcher.lines.values.count == count)
        try ours.close()
        try theirs.close()
    }
}
