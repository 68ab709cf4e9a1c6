import DataStacks
import Foundation
import ManagedObjects
import Synchronization
import Testing

private final class Sections: ListSectionObserver {
    typealias Object = Sample
    let name: String
    let lines: Collected<String>
    init(_ name: String = "", _ lines: Collected<String> = Collected()) {
        (self.name, self.lines) = (name, lines)
    }

    private func say(_ line: String) { lines.add("\(name)\(line)") }
    func listMonitorWillChange(_ monitor: ListMonitor<Sample>) { say("will \(monitor.numberOfObjects())") }
    func listMonitorDidChange(_ monitor: ListMonitor<Sample>) { say("did \(monitor.numberOfObjects())") }
    func listMonitorWillRefetch(_ monitor: ListMonitor<Sample>) { say("will refetch") }
    func listMonitorDidRefetch(_ monitor: ListMonitor<Sample>) { say("did refetch") }
    func listMonitor(
        _ monitor: ListMonitor<Sample>, didInsertObject object: Sample, toIndexPath path: IndexPath
    ) { say("+ \(object.testEntityID) \(Array(path))") }
    func listMonitor(
        _ monitor: ListMonitor<Sample>, didDeleteObject object: Sample, fromIndexPath path: IndexPath
    ) { say("- \(object.testEntityID) \(Array(path))") }
    func listMonitor(
        _ monitor: ListMonitor<Sample>, didUpdateObject object: Sample, atIndexPath path: IndexPath
    ) { say("~ \(object.testEntityID) \(Array(path))") }
    func listMonitor(
        _ monitor: ListMonitor<Sample>, didMoveObject object: Sample, fromIndexPath old: IndexPath,
        toIndexPath new: IndexPath
    ) { say("> \(object.testEntityID) \(Array(old)) \(Array(new))") }
    func listMonitor(
        _ monitor: ListMonitor<Sample>, didInsertSection section: String, toSectionIndex index: Int
    ) { say("+ section \(section) \(index)") }
    func listMonitor(
        _ monitor: ListMonitor<Sample>, didDeleteSection section: String, fromSectionIndex index: Int
    ) { say("- section \(section) \(index)") }
}

private final class Objects: ListObjectObserver {
    typealias Object = Sample
    let lines = Collected<String>()
    func listMonitorWillChange(_ monitor: ListMonitor<Sample>) { lines.add("will") }
    func listMonitor(
        _ monitor: ListMonitor<Sample>, didInsertObject object: Sample, toIndexPath path: IndexPath
    ) { lines.add("+ \(object.testEntityID)") }
}

private final class Plain: ListObserver {
    typealias Object = Sample
    let lines = Collected<String>()
    func listMonitorDidChange(_ monitor: ListMonitor<Sample>) { lines.add("did") }
}

/// Hears more by its methods than by its protocol.
private final class Modest: ListObserver {
    typealias Object = Sample
    let lines = Collected<String>()
    func listMonitorDidChange(_ monitor: ListMonitor<Sample>) { lines.add("did") }
    func listMonitor(
        _ monitor: ListMonitor<Sample>, didInsertObject object: Sample, toIndexPath path: IndexPath
    ) { lines.add("+ \(object.testEntityID)") }
}

/// A list's changes: CoreStore's events in their order.
@Suite struct ListMonitorTests {
    private let stack: DataStack

    init() throws { stack = try Fixture.stack("Config1") }

    /// By truth value: 102 and 104 in section "0", 101, 103 and 105 in section "1".
    private func list() throws -> ListMonitor<Sample> {
        try stack.monitorSectionedList(
            From<Sample>(), SectionBy(\.testBoolean),
            OrderBy(.ascending("testBoolean"), .ascending(\.testEntityID)))
    }

    private func edit(_ change: @escaping @Sendable ([Sample]) -> Void) throws {
        try stack.performAndWait { transaction in
            change(try transaction.fetchAll(From<Sample>(), OrderBy(.ascending(\.testEntityID))))
        }
    }

    @Test func `an insertion is told with its section, and the list is as it was before and is after`() throws
    {
        let stack = try Fixture.emptyStack("Config1")
        let list = try stack.monitorSectionedList(
            From<Sample>(), SectionBy("testBoolean"), OrderBy(.ascending("testBoolean")))
        let observer = Sections()
        list.addObserver(observer)
        try stack.performAndWait { transaction in
            let object = transaction.create(Into<Sample>())
            (object.testEntityID, object.testBoolean) = (1, true)
        }
        #expect(observer.lines.values == ["will 0", "+ section 1 0", "+ 1 [0, 0]", "did 1"])
    }

    @Test func `updates, moves, and deletions are told in their order`() throws {
        let list = try list(), observer = Sections()
        list.addObserver(observer)
        #expect(list.sections().map(\.name) == ["0", "1"])
        try edit { all in
            all[0].testNumber = 11
            all[1].testNumber = 22
        }
        #expect(observer.lines.values == ["will 5", "~ 102 [0, 0]", "~ 101 [1, 0]", "did 5"])
        try edit { $0[1].testBoolean = true }
        #expect(observer.lines.values.dropFirst(4) == ["will 5", "> 102 [0, 0] [1, 1]", "did 5"])
        try edit { $0[1].testBoolean = false }
        try stack.performAndWait {
            _ = try $0.deleteAll(From<Sample>(), Where("testBoolean", isEqualTo: false))
        }
        #expect(
            observer.lines.values.suffix(5)
                == ["will 5", "- 104 [0, 1]", "- 102 [0, 0]", "- section 0 0", "did 3"])
    }

    @Test func `an observer hears what its level hears, and each event goes to all first`() throws {
        let list = try list(), lines = Collected<String>()
        let first = Sections("a", lines), second = Sections("b", lines)
        let objects = Objects(), plain = Plain(), modest = Modest()
        list.addObserver(first)
        list.addObserver(second)
        list.addObserver(objects)
        list.addObserver(plain)
        list.addObserver(modest)
        try stack.performAndWait { transaction in
            for id: Int64 in [106, 108] {
                let object = transaction.create(Into<Sample>())
                (object.testEntityID, object.testBoolean) = (id, false)
            }
        }
        #expect(
            lines.values == [
                "awill 5", "bwill 5", "a+ 106 [0, 2]", "b+ 106 [0, 2]", "a+ 108 [0, 3]", "b+ 108 [0, 3]",
                "adid 7", "bdid 7",
            ])
        #expect(objects.lines.values == ["will", "+ 106", "+ 108"])
        #expect(plain.lines.values == ["did"] && modest.lines.values == ["did"])
        list.removeObserver(first)
        try edit { $0[0].testNumber = 9 }
        #expect(lines.values.suffix(3) == ["bwill 7", "b~ 101 [1, 0]", "bdid 7"])
    }

    @Test func `an observer that was released is told no more`() throws {
        let list = try list(), lines = Collected<String>()
        do {
            let observer = Sections("", lines)
            list.addObserver(observer)
            try edit { $0[0].testNumber = 9 }
            withExtendedLifetime(observer) {}
        }
        #expect(lines.values.count == 3)
        try edit { $0[0].testNumber = 10 }
        #expect(lines.values.count == 3)
    }

    @Test func `a list without an order is a mistake, and an error`() throws {
        let logger = RecordingLogger()
        let stack = try Fixture.stack("Config1", logger: logger)
        #expect(throws: StackError.fetch(.unsupported("a list without an OrderBy"))) {
            try stack.monitorList(From<Sample>())
        }
        #expect(throws: StackError.self) {
            try stack.monitorSectionedList(From<Sample>(), SectionBy("testBoolean"), Where(true))
        }
        #expect(logger.assertions.count == 2)
        let some = try stack.monitorList(
            From<Sample>(), Where(\.testNumber > 2), OrderBy(.descending(\.testNumber)),
            Tweak { $0.fetchLimit = 2 })
        #expect(some.numberOfObjects() == 2 && some.read { $0[0].testNumber } == 5)
    }

    @Test func `sections are called by a closure, and must lie together`() throws {
        let list = try stack.monitorSectionedList(
            From<Sample>(), SectionBy(\.testNumber) { "\($0) years old" }, OrderBy(.ascending(\.testNumber)))
        #expect(list.numberOfSections() == 5)
        #expect(list.sectionInfoAtIndex(1).name == "2 years old")
        #expect(list.sectionInfo(at: 0).numberOfObjects == 1 && list.numberOfObjects(in: 4) == 1)
        let named = try stack.monitorSectionedList(
            From<Sample>(), SectionBy(\.testNumber) { $0 == "2" ? nil : $0 },
            OrderBy(.ascending(\.testNumber)))
        #expect((0..<3).map { named.sectionInfoAtIndex($0).name } == ["1", "", "3"])
        let error = #expect(throws: StackError.self) {
            try stack.monitorSectionedList(
                From<Sample>(), SectionBy("testBoolean"), OrderBy(.ascending(\.testNumber)))
        }
        guard case .fetch(.sectionsNotTogether(let section, let row, let object, _)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(section == "1" && row == 2)
        let third = try stack.fetchObjectID(From<Sample>(), Where(\.testEntityID == 103))
        #expect(object == third?.objectID)
    }

    @Test func `sections of fractions are called by them, and whole ones as fractions are`() throws {
        let stack = DataStack(model: try ManagedObjectModel(Weight.self), logger: QuietLogger())
        try stack.addStorageAndWait(InMemoryStore())
        try stack.performAndWait { transaction in
            for kilograms in [1.25, 1.5, 1.5, 2, -0.1] {
                transaction.create(Into<Weight>()).kilograms = kilograms
            }
        }
        let list = try stack.monitorSectionedList(
            From<Weight>(), SectionBy(\.kilograms), OrderBy(.ascending(\.kilograms)))
        let sections = (0..<list.numberOfSections()).map { list.sectionInfo(at: $0) }
        #expect(sections.map(\.name) == ["-0.1", "1.25", "1.5", "2.0"])
        #expect(sections.map(\.numberOfObjects) == [1, 1, 2, 1])
    }

    @Test func `an object is found by its place, by two numbers or an index path`() throws {
        let one = try stack.monitorList(From<Sample>(), OrderBy(.descending(\.testEntityID)))
        let ids = try stack.fetchObjectIDs(From<Sample>(), OrderBy(.descending(\.testEntityID)))
        #expect(one[0] == ids[0] && one[4] == ids[4] && one[0, 2] == ids[2])
        #expect(one[safe: 5] == nil && one[safe: 0, 9] == nil && one[safe: 3] == ids[3])
        #expect(one[safe: -1] == nil && one[safe: 0, -1] == nil && one[safe: 0, 5] == nil)
        #expect(one[safe: -1, 0] == nil && one[safe: 1, 0] == nil && one[safe: 0, 4] == ids[4])
        let list = try list()
        #expect(list[1, 2] == list[[1, 2] as IndexPath] && list[1, 2] == ids[0])
        #expect(list[4] == ids[0] && list[0] == ids[3])
        #expect((0...5).map { list[safe: $0] } == [ids[3], ids[1], ids[4], ids[2], ids[0], nil])
        #expect(list[safe: [1, 2] as IndexPath] == ids[0] && list[safe: [1, 3] as IndexPath] == nil)
        #expect(list[safe: [1] as IndexPath] == nil && list[safe: [1, 2, 0] as IndexPath] == nil)
        #expect(list.indexPath(of: ids[0]) == [1, 2] as IndexPath)
        #expect(list.read { $0[1, 2].testEntityID } == 105)
        #expect(list.read { $0.objects.map(\.testEntityID) } == [102, 104, 101, 103, 105])
        #expect(list.sectionIndexTitles() == ["0", "1"])
    }

    @Test func `a refetch reads the list for other clauses, in a step behind the step`() throws {
        let list = try stack.monitorList(From<Sample>(), OrderBy(.ascending(\.testEntityID)))
        let observer = Sections()
        list.addObserver(observer)
        try list.refetch(Where(\.testNumber > 3), OrderBy(.descending(\.testEntityID)))
        #expect(observer.lines.values == ["will refetch", "did refetch"])
        #expect(list.read { $0.objects.map(\.testEntityID) } == [105, 104])
        let restless = Restless()
        list.addObserver(restless)
        try edit { $0[4].testNumber = 50 }
        #expect(
            observer.lines.values.dropFirst(2)
                == ["will 2", "~ 105 [0, 0]", "did 2", "will refetch", "did refetch"])
        #expect(list.numberOfObjects() == 5)
        #expect(throws: StackError.self) { try list.refetch(Where(true)) }
        #expect(list.numberOfObjects() == 5)
    }

    @Test func `a list of one configuration hears of its store alone`() throws {
        let stack = try Fixture.stack(nil, "Config1")
        let list = try stack.monitorList(From<Sample>("Config1"), OrderBy(.ascending(\.testEntityID)))
        let observer = Plain()
        list.addObserver(observer)
        try stack.performAndWait { $0.create(Into<Sample>(nil)).testEntityID = 106 }
        #expect(list.numberOfObjects() == 5 && observer.lines.values.isEmpty)
        try stack.performAndWait { $0.create(Into<Sample>("Config1")).testEntityID = 206 }
        #expect(list.numberOfObjects() == 6 && observer.lines.values == ["did"])
    }

    /// Of one list, by what the other process did: nothing of it is an update, whoever leads to it.
    @Test func `what another process inserts and deletes is no update, though others say it changed`() throws
    {
        let scratch = try Scratch()
        let (ours, theirs) = try Fixture.twoStacks(at: scratch.file("A.sqlite"))
        let list = try ours.monitorList(From<Sample>(), OrderBy(.ascending(\.testEntityID)))
        let observer = Sections()
        list.addObserver(observer)
        try theirs.performAndWait { transaction throws in
            _ = try transaction.deleteAll(From<Sample>(), Where(\.testEntityID == 103))
            transaction.create(Into<Sample>()).testEntityID = 106
        }
        ours.takeInOthers(updating: { note, context in
            try context.fetch(FetchRequest<Sample>(\.testEntityID == 101)).map(\.objectID)
                + note.insertedObjectIDs + note.deletedObjectIDs
        })
        #expect(
            observer.lines.values.map { $0.split(separator: " ").first.map(String.init) ?? "" }.sorted() == [
                "+", "-", "did", "will", "~",
            ])
        #expect(observer.lines.values.contains("~ 101 [0, 0]"))
        #expect(list.numberOfObjects() == 5)
        try ours.close()
        try theirs.close()
    }

    @Test func `a row that another process deletes is told with an object, in memory or not`() throws {
        let scratch = try Scratch()
        let (ours, theirs) = try Fixture.twoStacks(at: scratch.file("A.sqlite"))
        let list = try ours.monitorList(From<Sample>(), OrderBy(.ascending(\.testEntityID)))
        let observer = Sections()
        list.addObserver(observer)
        try theirs.performAndWait { _ = try $0.deleteAll(From<Sample>(), Where(\.testEntityID == 103)) }
        ours.takeInOthers()
        let told = observer.lines.values
        #expect(told.count == 3 && told[1].hasSuffix("[0, 2]"))
        #expect(ours.reader.performAndWait { $0.takeFaultErrors().isEmpty })
        try ours.close()
        try theirs.close()
    }
}

private final class Restless: ListObserver {
    typealias Object = Sample
    func listMonitorDidChange(_ monitor: ListMonitor<Sample>) {
        try? monitor.refetch(OrderBy(.ascending(\.testEntityID)))
    }
}

private final class Weight: ManagedObject { @Attribute var kilograms: Double }
