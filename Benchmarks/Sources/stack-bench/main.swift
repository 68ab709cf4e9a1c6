// Stacks beside managed objects without one, and beside GRDB's records: the same columns and index.
//
// usage: stack-bench [N [RUNS]]     N: rows, default 100000; medians of RUNS, default 5, in processor seconds
import DataStacks
import Foundation
import GRDB
import ManagedObjects

final class Line: ManagedObject {
    @ManagedObjects.Attribute(.indexed) var number: Int64
    @ManagedObjects.Attribute var name: String = ""
    @ManagedObjects.Attribute var age: Int
}

extension Line: ImportableUniqueObject {
    static var uniqueIDKeyPath: ReferenceWritableKeyPath<Line, Int64> { \.number }
    static func uniqueID(from source: Int, in transaction: DataStacks.Transaction) -> Int64? { Int64(source) }
    func shouldUpdate(from source: Int, in transaction: DataStacks.Transaction) -> Bool {
        name != "line \(source)" || age != source % 90
    }
    func update(from source: Int, in transaction: DataStacks.Transaction) {
        (name, age) = ("line \(source)", source % 90)
    }
}

final class Silent: ListObserver {
    typealias Object = Line
}

let arguments = CommandLine.arguments.dropFirst()
let count = arguments.first.flatMap { Int($0) } ?? 100_000
let runs = arguments.dropFirst().first.flatMap { Int($0) } ?? 5
let scratch = FileManager.default.temporaryDirectory.appending(path: "stack-bench-\(getpid())")
try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: scratch) }

func seconds(_ body: () throws -> Void) rethrows -> Double {
    let start = clock()
    try body()
    return Double(clock() - start) / Double(CLOCKS_PER_SEC)
}

func median(_ times: [Double]) -> Double { times.sorted()[times.count / 2] }

nonisolated(unsafe) var names: [String] = []
nonisolated(unsafe) var times: [String: (ours: [Double], rival: [Double])] = [:]

func note(_ name: String, _ ours: () throws -> Void, _ rival: () throws -> Void) throws {
    if times[name] == nil { names.append(name) }
    times[name, default: ([], [])].ours.append(try seconds(ours))
    times[name, default: ([], [])].rival.append(try seconds(rival))
}

func stack(_ name: String) throws -> DataStack {
    let stack = DataStack(model: try ManagedObjectModel(Line.self))
    try stack.addStorageAndWait(SQLiteStore(fileURL: scratch.appending(path: name)))
    return stack
}

func plain(_ name: String) throws -> ManagedObjectContext {
    let coordinator = PersistentStoreCoordinator(managedObjectModel: try ManagedObjectModel(Line.self))
    // As a stack's stores do: what other processes write is found by it.
    try coordinator.addPersistentStore(
        ofType: .sqlite, at: scratch.appending(path: name), keepsHistory: true)
    return ManagedObjectContext(persistentStoreCoordinator: coordinator)
}

func pool(_ name: String) throws -> DatabasePool {
    let pool = try DatabasePool(path: scratch.appending(path: name).path)
    try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    try pool.write { database in
        try database.execute(
            sql: """
                CREATE TABLE line (id INTEGER PRIMARY KEY, number INTEGER, name TEXT, age INTEGER);
                CREATE UNIQUE INDEX lineByNumber ON line (number)
                """)
    }
    return pool
}

func fill(_ context: ManagedObjectContext, _ count: Int) throws {
    try context.performAndWait { context in
        for place in 0..<count {
            let line = context.insert(Line.self)
            (line.number, line.name, line.age) = (Int64(place), "line \(place)", place % 90)
        }
        try context.save()
    }
}

let imports = 40_000
for run in 0..<runs {
    let ours = try stack("a\(run)"), rows = try plain("b\(run)"), records = try pool("c\(run)")
    let sources = Array(0..<imports)
    try note("import \(imports) new, over insert and save") {
        _ = try ours.performAndWait { try $0.importUniqueObjects(Into<Line>(), sourceArray: sources).count }
    } _: {
        try fill(rows, imports)
    }
    try note("import \(imports) equal ones again, over a fetch of them") {
        _ = try ours.performAndWait { try $0.importUniqueObjects(Into<Line>(), sourceArray: sources).count }
    } _: {
        let fresh = ManagedObjectContext(persistentStoreCoordinator: rows.persistentStoreCoordinator)
        try fresh.performAndWait { context in
            let found = try context.fetch(FetchRequest<Line>())
            precondition(found.allSatisfy { $0.age >= 0 })
        }
    }
    let upserts = try stack("d\(run)")
    try note("import \(imports) new, over GRDB's upsert") {
        _ = try upserts.performAndWait {
            try $0.importUniqueObjects(Into<Line>(), sourceArray: sources).count
        }
    } _: {
        try records.write { database in
            let statement = try database.makeStatement(
                sql: """
                    INSERT INTO line (number, name, age) VALUES (?, ?, ?) \
                    ON CONFLICT (number) DO UPDATE SET name = excluded.name, age = excluded.age
                    """)
            for source in sources {
                try statement.execute(arguments: [source, "line \(source)", source % 90])
            }
        }
    }
    try note("2,000 fetches of one object, over a context's") {
        for place in 0..<2_000 {
            _ = try ours.read { try $0.fetchOne(From<Line>(), Where(\.number == Int64(place)))?.age }
        }
    } _: {
        for place in 0..<2_000 {
            _ = try rows.performAndWait { context in
                var request = FetchRequest<Line>(\.number == Int64(place))
                request.fetchLimit = 1
                return try context.fetch(request).first?.age
            }
        }
    }
    try note("20,000 empty transactions, over empty blocks") {
        for _ in 0..<20_000 { try ours.performAndWait { _ in } }
    } _: {
        for _ in 0..<20_000 { rows.performAndWait { _ in } }
    }
    let follower = ManagedObjectContext(persistentStoreCoordinator: rows.persistentStoreCoordinator)
    try note("1,000 transactions of one insert, over save and merge") {
        for place in 0..<1_000 {
            try ours.performAndWait { $0.create(Into<Line>()).number = Int64(1_000_000 + place) }
        }
    } _: {
        for place in 0..<1_000 {
            let saved = try rows.performAndWait { context in
                context.insert(Line.self).number = Int64(1_000_000 + place)
                return try context.save()
            }
            try follower.performAndWait { try $0.mergeChanges(from: saved) }
        }
    }
    let monitor = try ours.monitorList(From<Line>(), OrderBy(.ascending(\.age), .ascending(\.number)))
    let observers = (0..<4).map { _ in Silent() }
    for observer in observers { monitor.addObserver(observer) }
    let list = try follower.performAndWait { context in
        let list = FetchedResultsController(
            fetchRequest: FetchRequest<Line>(sortedBy: .ascending(\.age), .ascending(\.number)),
            managedObjectContext: context)
        try list.performFetch()
        return Confining(list)
    }
    try note("200 changes under a monitor with four observers, over a list's") {
        for place in 0..<200 {
            try ours.performAndWait { $0.create(Into<Line>()).number = Int64(2_000_000 + place) }
        }
    } _: {
        for place in 0..<200 {
            let saved = try rows.performAndWait { context in
                context.insert(Line.self).number = Int64(2_000_000 + place)
                return try context.save()
            }
            try follower.performAndWait { try $0.mergeChanges(from: saved) }
        }
    }
    withExtendedLifetime((monitor, observers, list)) {}
    let before = monitor.snapshot
    try ours.performAndWait { $0.create(Into<Line>()).number = 3_000_000 }
    let after = monitor.snapshot, (a, b) = (before.itemIDs, after.itemIDs)
    try note("the difference of a step, \(b.count) rows, over the standard library's") {
        precondition(!after.difference(from: before).isEmpty)
    } _: {
        precondition(!b.difference(from: a).isEmpty)
    }
    // Each age is a run of numbers in one, and spread over the whole of the other.
    let turned = try ours.monitorList(From<Line>(), OrderBy(.descending(\.number))).snapshot
    try note("the difference of two orders, \(b.count) rows, over sorting both") {
        precondition(!turned.difference(from: after).isEmpty)
    } _: {
        let keys = [b, turned.itemIDs].map { $0.map(\.objectID.key).sorted() }
        precondition(keys[0] == keys[1])
    }

    let many = try stack("e\(run)"), all = try plain("e\(run)"), others = try pool("f\(run)")
    try fill(all, count)
    try others.write { database in
        let statement = try database.makeStatement(
            sql: "INSERT INTO line (number, name, age) VALUES (?, ?, ?)")
        for place in 0..<count { try statement.execute(arguments: [place, "line \(place)", place % 90]) }
    }
    let select = Select<Line, QueryRow>("age", .count(\.name, as: "lines"), .average(\.number, as: "mean"))
    try note("group \(count) rows, over a dictionary fetch") {
        let groups = try many.queryAttributes(From<Line>(), select, GroupBy("age")).count
        precondition(groups == 90)
    } _: {
        let found = try all.performAndWait {
            try $0.fetchDictionaries(
                FetchRequest<Line>(), of: [.property("age"), .count(), .average("number")], groupedBy: ["age"]
            )
        }
        precondition(found.count == 90)
    }
    try note("group \(count) rows, over GRDB's rows") {
        let groups = try many.queryAttributes(From<Line>(), select, GroupBy("age")).count
        precondition(groups == 90)
    } _: {
        let found = try others.read {
            try Row.fetchAll($0, sql: "SELECT age, COUNT(name), AVG(number) FROM line GROUP BY age")
        }
        precondition(found.count == 90)
    }
    for stack in [ours, upserts, many] { try stack.close() }
}

/// Keeps a list that lives in a context.
struct Confining: @unchecked Sendable {
    let list: FetchedResultsController<Line>
    init(_ list: FetchedResultsController<Line>) { self.list = list }
}

print("| what | stack, processor s | rival, s | ratio |\n|---|---|---|---|")
for name in names {
    guard let both = times[name] else { continue }
    let (ours, rival) = (median(both.ours), median(both.rival))
    print("| \(name) | \(String(format: "%.4f | %.4f | %.2f", ours, rival, ours / rival)) |")
}
