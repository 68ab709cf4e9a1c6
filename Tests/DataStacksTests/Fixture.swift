import DataStacks
import Foundation
import Glibc
import ManagedObjects
import Synchronization
import Testing

/// CoreStore's fixture: two entities whose classes bear other names, each in a configuration of its own.
final class Sample: ManagedObject {
    override class var entityName: String { "TestEntity1" }
    @Attribute(.indexed) var testEntityID: Int64
    @Attribute var testNumber: Int64?
    @Attribute var testDate: Date?
    @Attribute var testBoolean: Bool?
    @Attribute var testDecimal: Decimal?
    @Attribute var testString: String?
    @Attribute var testNil: String?
}

final class OtherSample: ManagedObject {
    override class var entityName: String { "TestEntity2" }
    @Attribute(.indexed) var testEntityID: Int64
    @Attribute var testNumber: Int64?
    @Attribute var testString: String?
}

struct Refusal: Error, Equatable {}

/// A folder that goes with the test.
final class Scratch: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "stacks-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func file(_ name: String) -> URL { url.appending(path: name) }

    /// The names of files, but for hidden ones such as the folder with a store's lock.
    var names: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: url.path).filter { !$0.hasPrefix(".") }
                .sorted()
        }
    }
}

enum Fixture {
    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(
            Sample.self, OtherSample.self, Entry.self, Note.self, Pair.self, Page.self, Person.self,
            Friendship.self, Swap.self,
            configurations: [
                "Config1": ["TestEntity1", "Entry", "Note", "Pair", "Page", "Swap"],
                "Config2": ["TestEntity2"],
            ])
    }

    /// A stack with a store in memory for each configuration, empty.
    static func emptyStack(
        _ configurations: String?..., logger: any CoreStoreLogger = QuietLogger()
    ) throws -> DataStack {
        let stack = DataStack(model: try model(), logger: logger)
        for configuration in configurations {
            try stack.addStorageAndWait(InMemoryStore(configuration: configuration))
        }
        return stack
    }

    /// The same, with five objects in each store: of `TestEntity2` in Config2, else of `TestEntity1`.
    static func stack(
        _ configurations: String?..., logger: any CoreStoreLogger = QuietLogger()
    ) throws -> DataStack {
        let stack = DataStack(model: try model(), logger: logger)
        for (number, configuration) in configurations.enumerated() {
            try stack.addStorageAndWait(InMemoryStore(configuration: configuration))
            try populate(stack, configuration, number: number + 1)
        }
        return stack
    }

    static func populate(_ stack: DataStack, _ configuration: String?, number: Int = 1) throws {
        try stack.performAndWait { transaction in
            for k in 1...5 {
                let name = "\(configuration ?? "nil"):TestEntity\(configuration == "Config2" ? 2 : 1):\(k)"
                if configuration == "Config2" {
                    let object = transaction.create(Into<OtherSample>("Config2"))
                    (object.testEntityID, object.testNumber) = (Int64(100 * number + k), Int64(k))
                    object.testString = name
                    continue
                }
                let object = transaction.create(Into<Sample>(configuration))
                (object.testEntityID, object.testNumber) = (Int64(100 * number + k), Int64(k))
                object.testDate = date(number, k)
                (object.testBoolean, object.testDecimal) = (k % 2 == 1, Decimal(k))
                object.testString = name
            }
        }
    }

    /// Two stacks of one file, as two processes have them: five objects, which the first has taken in.
    static func twoStacks(at url: URL) throws -> (ours: DataStack, theirs: DataStack) {
        let ours = DataStack(model: try model(), logger: QuietLogger())
        try ours.addStorageAndWait(SQLiteStore(fileURL: url))
        try populate(ours, nil)
        let theirs = DataStack(model: try model(), logger: QuietLogger())
        try theirs.addStorageAndWait(SQLiteStore(fileURL: url))
        ours.takeInOthers()
        return (ours, theirs)
    }

    static func date(_ month: Int, _ day: Int) -> Date? {
        DateComponents(
            calendar: Calendar(identifier: .gregorian), timeZone: TimeZone(secondsFromGMT: 0), year: 2000,
            month: month, day: day
        ).date
    }
}

/// Logs nothing, and lets mistakes pass.
struct QuietLogger: CoreStoreLogger {
    func log(
        level: LogLevel, message: String, fileName: StaticString, lineNumber: Int, functionName: StaticString
    ) {}
    func handleError(
        error: StackError, message: String, fileName: StaticString, lineNumber: Int,
        functionName: StaticString
    ) {}
    func assert(
        _ condition: @autoclosure () -> Bool, message: String, fileName: StaticString, lineNumber: Int,
        functionName: StaticString
    ) {}
}

/// Keeps what it is told, with the place and the thread.
final class RecordingLogger: CoreStoreLogger {
    struct Entry: Sendable {
        var kind: String
        var level: LogLevel?
        var error: StackError?
        var message: String
        var file: String
        var line: Int
        var function: String
        var thread: UInt
    }

    private let kept = Mutex<[Entry]>([])
    var entries: [Entry] { kept.withLock { $0 } }
    var assertions: [String] { entries.filter { $0.kind == "assert" }.map(\.message) }
    var errors: [StackError] { entries.compactMap(\.error) }

    func log(
        level: LogLevel, message: String, fileName: StaticString, lineNumber: Int, functionName: StaticString
    ) { note("log", level, nil, message, fileName, lineNumber, functionName) }

    func handleError(
        error: StackError, message: String, fileName: StaticString, lineNumber: Int,
        functionName: StaticString
    ) { note("handleError", nil, error, message, fileName, lineNumber, functionName) }

    func assert(
        _ condition: @autoclosure () -> Bool, message: String, fileName: StaticString, lineNumber: Int,
        functionName: StaticString
    ) { if !condition() { note("assert", nil, nil, message, fileName, lineNumber, functionName) } }

    private func note(
        _ kind: String, _ level: LogLevel?, _ error: StackError?, _ message: String, _ file: StaticString,
        _ line: Int, _ function: StaticString
    ) {
        let entry = Entry(
            kind: kind, level: level, error: error, message: message, file: "\(file)", line: line,
            function: "\(function)", thread: UInt(pthread_self()))
        kept.withLock { $0.append(entry) }
    }
}

/// Values that other threads add to.
final class Collected<Value: Sendable>: Sendable {
    private let kept = Mutex<[Value]>([])
    var values: [Value] { kept.withLock { $0 } }
    func add(_ value: Value) { kept.withLock { $0.append(value) } }

    /// Waits until there are so many, five seconds at most.
    func wait(for count: Int) -> [Value] {
        let end = Date().addingTimeInterval(5)
        while values.count < count, Date() < end { usleep(1000) }
        return values
    }
}

// Classes to import.

struct SampleSource: Sendable {
    var id: Int64?
    var number: Int64
    var word: String
}

extension Sample: ImportableUniqueObject {
    /// How many filters were made for imports.
    static let filters = Atomic(0)

    static var uniqueIDKeyPath: ReferenceWritableKeyPath<Sample, Int64> { \.testEntityID }

    static func uniqueID(from source: SampleSource, in transaction: Transaction) throws -> Int64? {
        if source.word == "throw on ID" { throw Refusal() }
        return source.id
    }

    static func filter(uniqueIDs: [Int64]) -> Filter<Sample> {
        filters.add(1, ordering: .relaxed)
        return Filter(\.testEntityID, isIn: uniqueIDs)
    }

    static func shouldInsert(from source: SampleSource, in transaction: Transaction) -> Bool {
        source.word != "skip insert"
    }

    func didInsert(from source: SampleSource, in transaction: Transaction) throws {
        if source.word == "throw on insert" { throw Refusal() }
        if source.word.hasPrefix("parent "), let id = Int64(source.word.dropFirst(7)) {
            let parent = SampleSource(id: id, number: source.number, word: "parent")
            _ = try transaction.importUniqueObject(Into<Sample>(), source: parent)
        }
        if source.word.hasPrefix("delete "), let id = Int64(source.word.dropFirst(7)) {
            transaction.delete(try transaction.fetchOne(From<Sample>(), Where(\.testEntityID == id)))
        }
        testNumber = source.number
        testString = "inserted \(source.word)"
    }

    func shouldUpdate(from source: SampleSource, in transaction: Transaction) -> Bool {
        source.word != "skip update"
    }

    func update(from source: SampleSource, in transaction: Transaction) throws {
        if source.word == "throw on update" { throw Refusal() }
        testNumber = source.number
        testString = "updated \(source.word)"
    }
}

final class Entry: ManagedObject, ImportableObject {
    @Attribute var number: Int64?
    @Attribute var title: String?

    static func shouldInsert(from source: [String: Any], in transaction: Transaction) -> Bool {
        source["skip"] == nil
    }

    func didInsert(from source: [String: Any], in transaction: Transaction) throws {
        if source["throw"] != nil { throw Refusal() }
        number = (source["number"] as? Int).map(Int64.init)
        title = source["title"] as? String
    }
}

final class Note: ManagedObject, ImportableObject {
    @Attribute var text: String?
    func didInsert(from source: Data, in transaction: Transaction) throws {
        text = String(decoding: source, as: UTF8.self)
    }
}

final class Pair: ManagedObject, ImportableObject {
    @Attribute var number: Int64
    @Attribute var word: String?
    func didInsert(from source: (Int64, String), in transaction: Transaction) throws {
        (number, word) = (source.0, source.1)
    }
}

struct PagePlace: Hashable, Sendable {
    var book: String
    var number: Int64
}

final class Page: ManagedObject, ImportableUniqueObject {
    struct Source: Sendable {
        var place: PagePlace
        var text: String
    }

    @Attribute var book: String
    @Attribute var number: Int64
    @Attribute var text: String

    var place: PagePlace {
        get { PagePlace(book: book, number: number) }
        set { (book, number) = (newValue.book, newValue.number) }
    }

    static var uniqueIDKeyPath: ReferenceWritableKeyPath<Page, PagePlace> { \.place }
    static func uniqueID(from source: Source, in transaction: Transaction) throws -> PagePlace? {
        source.place
    }
    static func filter(uniqueIDs: [PagePlace]) -> Filter<Page> {
        Filter(\.book, isIn: uniqueIDs.map(\.book)) && Filter(\.number, isIn: uniqueIDs.map(\.number))
    }
    typealias ImportSource = Source
    func update(from source: Source, in transaction: Transaction) throws { text = source.text }
}

/// For relationships in queries.
final class Person: ManagedObject {
    @Attribute var name: String
    @Attribute var age: Int64
    @Attribute var city: String?
    @Relationship(inverse: "person") var friends: Set<Friendship>
}

final class Friendship: ManagedObject {
    @Attribute var since: Int64
    @Relationship(inverse: \Person.friends) var person: Person?
}
