import DataStacks
import Foundation
import ManagedObjects
import Synchronization

/// Keeps what its monitors tell it. It is called on the reader's queue, and so is `Sendable`.
final class Screen: ListSectionObserver, ObjectObserver {
    typealias Object = Person
    private let kept = Mutex<[String]>([])
    var lines: [String] { kept.withLock { $0 } }

    private func say(_ line: String) { kept.withLock { $0.append(line) } }

    func listMonitor(
        _ monitor: ListMonitor<Person>, didInsertObject object: Person, toIndexPath path: IndexPath
    ) { say("+ \(object.name) \(Array(path))") }

    func objectMonitor(
        _ monitor: ObjectMonitor<Person>, didUpdateObject object: Person,
        changedPersistentKeys keys: Set<String>
    ) { say("~ \(keys.sorted())") }
}

/// Logs through the program's own output.
struct ServerLogger: CoreStoreLogger {
    let say: @Sendable (String) -> Void

    func log(
        level: LogLevel, message: String, fileName: StaticString, lineNumber: Int, functionName: StaticString
    ) { if level >= .warning { say("\(level): \(message)") } }

    func handleError(
        error: StackError, message: String, fileName: StaticString, lineNumber: Int,
        functionName: StaticString
    ) { say("\(fileName):\(lineNumber): \(message): \(error)") }
}

/// CoreStore's way through a program: set up, migrate, save, fetch, query, observe.
///
/// - Parameters:
///   - folder: with People.xcdatamodeld, and the store of an earlier version to be migrated.
///   - say: gets what the tour prints.
/// - Returns: the newest snapshot of the list at the end.
func tour(
    _ folder: URL, _ rows: [Row], _ screen: Screen, say: @escaping @Sendable (String) -> Void
) async throws -> ListSnapshot<Person> {
    // Set up: a model of four versions, and the tree in which stores are migrated.
    let history = try SchemaHistory(
        modelFile: folder.appending(path: "People.xcdatamodeld"), classes: [Person.self, Visit.self],
        migrationChain: ["People": "People 3", "People 2": "People 4", "People 3": "People 4"])
    let stack = try DataStack(history, logger: ServerLogger(say: say))
    let people = SQLiteStore(fileURL: folder.appending(path: "People.sqlite"), configuration: "People")
    for step in try stack.requiredMigrations(for: people) { say("\(step)") }
    try await stack.addStorage(people) { progress in
        say("\(progress.localizedDescription), \(progress.localizedAdditionalDescription)")
    }
    // Never migrates.
    try stack.addStorageAndWait(
        SQLiteStore(fileURL: folder.appending(path: "Log.sqlite"), configuration: "Log"))

    // Observers are held weakly; there may be any number of them.
    let list = try stack.monitorSectionedList(
        From<Person>(), SectionBy(\.age) { "\($0) years old" },
        OrderBy(.ascending(\.age), .ascending(\.name)))
    list.addObserver(screen)

    // Save: `perform` commits when its block returns, and keeps nothing when it throws.
    let ann = try await stack.perform { transaction in
        let ann = transaction.create(Into<Person>())
        (ann.number, ann.name, ann.age) = (1, "Ann", 42)
        transaction.create(Into<Visit>("Log")).place = "Oslo"
        return ann.reference
    }
    let monitor = try stack.monitorObject(ann)
    monitor.addObserver(screen)
    // The forms of 2016 keep nothing without `commit`.
    stack.beginAsynchronous { transaction in
        transaction.edit(ann)?.age += 1
        transaction.commit { say("committed: \($0)") }
    }
    try stack.beginSynchronous { transaction in transaction.create(Into<Person>()).name = "never saved" }
    // A draft is committed as often as one likes; the compiler keeps it in one task.
    let draft = stack.beginUnsafe(supportsUndo: true)
    draft.create(Into<Person>()).name = "Bob"
    draft.undo()
    _ = try draft.commit()
    // One fetch for all rows; of equal numbers the last wins.
    let count = try await stack.perform { transaction in
        let all = try transaction.importUniqueObjects(Into<Person>(), sourceArray: rows)
        if all.isEmpty { try transaction.cancel() }
        transaction.delete(try transaction.fetchOne(From<Person>(), Where(\.name == "Eve")))
        return try transaction.deleteAll(From<Person>().where(\.age > 150)) + all.count
    }
    say("\(count) people")

    // Fetch: values, or objects inside `read`.
    let names = try stack.fetchAll(
        From<Person>(), Where("%K > %d", "age", 30), OrderBy(.ascending(\.name)),
        Tweak { $0.fetchBatchSize = 20 }, as: \.name)
    let eldest = try stack.fetchOne(
        From<Person>().orderBy(.descending(\.age), .ascending(\.name)), as: { ($0.name, $0.age) })
    let number = try stack.fetchCount(
        From<Person>("People"), Where(\.age > 3) && Where("city", isEqualTo: "Oslo"))
    let ids = try stack.fetchObjectIDs(From<Person>())
    let first = try stack.fetchObjectID(From<Person>(), OrderBy(.ascending("name")))
    let ages = try stack.read { view in try view.fetchAll(From<Person>()).map(\.age) }
    say("\(names.count) older than 30, \(eldest?.0 ?? "nobody") is the eldest, \(number) in Oslo")
    say("\(ids.count) in all, \(first == nil ? "none" : "one") first, \(ages.reduce(0, +)) years together")

    // Query: straight from the stores.
    let oldest = try stack.queryValue(From<Person>(), Select<Person, Int>(.maximum(\.age)))
    let cities = try stack.queryAttributes(
        From<Person>(), Select("city", .count(\.name, as: "people"), .average(\.age)), GroupBy("city"))
    say("the oldest is \(oldest ?? 0)")
    for city in cities { say("\(city["city"] ?? "no city"): \(city["people"] ?? 0)") }
    say("first in the list: \(list.read { $0[0, 0].name })")

    // Observe: the newest state; a slow reader misses states, never changes.
    let published = try stack.publishList(From<Person>(), OrderBy(.ascending(\.name)))
    var shown = published.snapshot
    try await stack.perform { $0.edit(ann)?.name = "Zoe" }
    for await snapshot in published.snapshots where snapshot != shown {
        say("\(snapshot.difference(from: shown).changes.count) change")
        shown = snapshot
        break
    }
    try stack.close()
    return shown
}
