// Managed objects beside GRDB's records: the same columns and indexes, one transaction, prepared statements.
//
// usage: object-bench [N [RUNS]]            medians of the processor's seconds, and their ratios; lists in seconds
//        object-bench growth               costs per step at two sizes
//        object-bench fetches N             fetches N objects, fifteen times
//        object-bench members N             N objects into one to-many, nine times
//        object-bench memory ours|grdb N    resident bytes that N fetched objects take
import Foundation
import GRDB
import ManagedObjects

let arguments = CommandLine.arguments.dropFirst()
let scratch = FileManager.default.temporaryDirectory.appending(path: "object-bench-\(getpid())")
try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: scratch) }

if arguments.first == "memory" {
    let rest = Array(arguments.dropFirst())
    try memory(rest.first == "ours", Int(rest.last ?? "") ?? 100_000)
} else if arguments.first == "growth" {
    try growth()
} else if arguments.first == "fetches" {
    try Comparison(count: arguments.last.flatMap { Int($0) } ?? 100_000, runs: 15).fetches()
} else if arguments.first == "members" {
    try Comparison(count: arguments.last.flatMap { Int($0) } ?? 100_000, runs: 9).members()
} else {
    try Comparison(
        count: arguments.first.flatMap { Int($0) } ?? 100_000,
        runs: arguments.dropFirst().first.flatMap { Int($0) } ?? 5
    ).run()
    try reports()
    try keptLists()
    try growth()
}

func stack(_ name: String) throws -> PersistentStoreCoordinator {
    let coordinator = PersistentStoreCoordinator(
        managedObjectModel: try ManagedObjectModel(Item.self, Box.self))
    try coordinator.addPersistentStore(ofType: .sqlite, at: scratch.appending(path: name))
    return coordinator
}

func seconds(_ body: () throws -> Void) rethrows -> Double {
    let clock = ContinuousClock(), start = clock.now
    try body()
    return Double((clock.now - start) / .nanoseconds(1)) / 1e9
}

func processorSeconds(_ body: () throws -> Void) rethrows -> Double {
    let start = clock()
    try body()
    return Double(clock() - start) / Double(CLOCKS_PER_SEC)
}

func median(_ times: [Double]) -> Double { times.sorted()[times.count / 2] }

struct Comparison {
    let count: Int
    let runs: Int
    private let unique = 40_000

    func run() throws {
        var times: [String: (ours: [Double], rival: [Double])] = [:]
        func note(_ name: String, _ ours: Double, _ rival: Double) {
            times[name, default: ([], [])].ours.append(ours)
            times[name, default: ([], [])].rival.append(rival)
        }
        for run in 0..<runs {
            let coordinator = try stack("ours-\(run).sqlite")
            let pool = try Record.table(at: scratch.appending(path: "grdb-\(run).sqlite"))
            let context = ManagedObjectContext(persistentStoreCoordinator: coordinator)
            note("insert \(count)", try processorSeconds { try insert(context) }, try processorSeconds { try insert(pool) })
            let fresh = ManagedObjectContext(persistentStoreCoordinator: coordinator)
            note("fetch \(count)", try processorSeconds { try fetch(fresh) }, try processorSeconds { try fetch(pool) })
            note(
                "count a third of \(count)", try processorSeconds { try countSome(fresh) },
                try processorSeconds { try countSome(pool) })
            note(
                "sum \(count) by groups", try processorSeconds { try sums(fresh) },
                try processorSeconds { try sums(pool) })
            let changing = ManagedObjectContext(persistentStoreCoordinator: coordinator)
            note("update \(count)", try update(changing), try update(pool))
            let faults = ManagedObjectContext(persistentStoreCoordinator: coordinator)
            note("fill \(count) faults", try fill(faults), try fill(pool))
            try coordinator.close()
            try pool.close()
            let imports = try stack("imports-\(run).sqlite")
            let rival = try Record.table(at: scratch.appending(path: "imports-grdb-\(run).sqlite"))
            let importing = ManagedObjectContext(persistentStoreCoordinator: imports)
            note(
                "import \(unique) unique", try processorSeconds { try importUnique(importing) },
                try processorSeconds { try importUnique(rival) })
            for size in [count / 10, count] {
                let members = ManagedObjectContext(persistentStoreCoordinator: imports)
                note(
                    "\(size) into one to-many", try processorSeconds { try gather(members, size) },
                    try processorSeconds { try gather(rival, size) })
            }
            try imports.close()
            try rival.close()
        }
        print("| what | managed objects, processor s | GRDB records, s | ratio |\n|---|---|---|---|")
        for (name, both) in times.sorted(by: { $0.key < $1.key }) {
            let (ours, rival) = (median(both.ours), median(both.rival))
            print("| \(name) | \(format(ours)) | \(format(rival)) | \(format(ours / rival)) |")
        }
    }

    func fetches() throws {
        let coordinator = try stack("fetches.sqlite")
        try insert(ManagedObjectContext(persistentStoreCoordinator: coordinator))
        let pool = try Record.table(at: scratch.appending(path: "fetches-grdb.sqlite"))
        try insert(pool)
        var ours: [Double] = [], rival: [Double] = []
        for _ in 0..<runs {
            let context = ManagedObjectContext(persistentStoreCoordinator: coordinator)
            ours.append(try processorSeconds { try fetch(context) })
            rival.append(try processorSeconds { try fetch(pool) })
        }
        tell(ours, rival)
    }

    func members() throws {
        var ours: [Double] = [], rival: [Double] = []
        for run in 0..<runs {
            let context = ManagedObjectContext(persistentStoreCoordinator: try stack("members-\(run).sqlite"))
            let pool = try Record.table(at: scratch.appending(path: "members-grdb-\(run).sqlite"))
            ours.append(try processorSeconds { try gather(context, count) })
            rival.append(try processorSeconds { try gather(pool, count) })
        }
        tell(ours, rival)
    }

    private func tell(_ ours: [Double], _ rival: [Double]) {
        let ratio = format(median(ours) / median(rival))
        print("processor seconds: \(format(median(ours))), \(format(median(rival))), ratio \(ratio)")
    }

    private func insert(_ context: ManagedObjectContext) throws {
        try context.performAndWait { context in
            for place in 0..<count { context.insert(Item.self).fill(place) }
            try context.save()
        }
    }

    private func insert(_ pool: DatabasePool) throws {
        try pool.write { database in
            for place in 0..<count {
                var record = Record(place)
                try record.insert(database)
            }
        }
    }

    private func fetch(_ context: ManagedObjectContext) throws {
        try context.performAndWait { context in
            let items = try context.fetch(FetchRequest<Item>(sortedBy: .ascending(\.number)))
            precondition(items.count == count)
        }
    }

    private func fetch(_ pool: DatabasePool) throws {
        let records = try pool.read { try Record.order(Column("number")).fetchAll($0) }
        precondition(records.count == count)
    }

    /// Ten times, as each takes a few milliseconds.
    private func countSome(_ context: ManagedObjectContext) throws {
        try context.performAndWait { context in
            for turn in 0..<10 {
                let few = try context.count(FetchRequest<Item>(\.share > Double(count + turn) / 10.5))
                precondition(few > 0)
            }
        }
    }

    private func countSome(_ pool: DatabasePool) throws {
        try pool.read { database in
            for turn in 0..<10 {
                let few = try Record.filter(Column("share") > Double(count + turn) / 10.5).fetchCount(database)
                precondition(few > 0)
            }
        }
    }

    private func sums(_ context: ManagedObjectContext) throws {
        try context.performAndWait { context in
            for _ in 0..<10 {
                let rows = try context.fetchDictionaries(
                    FetchRequest<Item>(), of: [.property("isKept"), .count(), .average("share"), .sum("number")],
                    groupedBy: ["isKept"])
                precondition(rows.count == 2)
            }
        }
    }

    private func sums(_ pool: DatabasePool) throws {
        try pool.read { database in
            for _ in 0..<10 {
                let sql = "SELECT isKept, COUNT(*), AVG(share), SUM(number) FROM item GROUP BY isKept"
                let rows = try Row.fetchAll(database, sql: sql)
                precondition(rows.count == 2)
            }
        }
    }

    private func update(_ context: ManagedObjectContext) throws -> Double {
        try context.performAndWait { context in
            let items = try context.fetch(FetchRequest<Item>())
            return try processorSeconds {
                for item in items { item.share += 1 }
                try context.save()
            }
        }
    }

    private func update(_ pool: DatabasePool) throws -> Double {
        var records = try pool.read { try Record.fetchAll($0) }
        return try processorSeconds {
            try pool.write { database in
                for place in records.indices {
                    records[place].share += 1
                    try records[place].update(database, columns: ["share"])
                }
            }
        }
    }

    private func fill(_ context: ManagedObjectContext) throws -> Double {
        try context.performAndWait { context in
            let list = context.list(FetchRequest<Item>(sortedBy: .ascending(\.number)))
            try list.performFetch()
            let items = list.fetchedObjects
            return processorSeconds {
                var sum = 0.0
                for item in items { sum += item.share }
                precondition(sum > 0)
            }
        }
    }

    /// In reads of 256 by key, as faults are.
    private func fill(_ pool: DatabasePool) throws -> Double {
        try processorSeconds {
            var sum = 0.0
            for start in stride(from: 1, through: count, by: 256) {
                let keys = Array(start..<min(start + 256, count + 1)).map { Int64($0) }
                for record in try pool.read({ try Record.fetchAll($0, keys: keys) }) { sum += record.share }
            }
            precondition(sum > 0)
        }
    }

    private func importUnique(_ context: ManagedObjectContext) throws {
        try context.performAndWait { context in
            for place in 0..<unique {
                var request = FetchRequest<Item>(\.number == Int64(place))
                request.fetchLimit = 1
                if let item = try context.fetch(request).first {
                    item.fill(place)
                } else {
                    context.insert(Item.self).fill(place)
                }
            }
            try context.save()
        }
    }

    private func importUnique(_ pool: DatabasePool) throws {
        try pool.write { database in
            for place in 0..<unique {
                if var record = try Record.filter(Column("number") == Int64(place)).fetchOne(database) {
                    record.share = 0
                    try record.update(database)
                } else {
                    var record = Record(place)
                    try record.insert(database)
                }
            }
        }
    }

    private func gather(_ context: ManagedObjectContext, _ size: Int) throws {
        try context.performAndWait { context in
            let box = context.insert(Box.self)
            box.name = "box"
            for place in 0..<size {
                let item = context.insert(Item.self)
                item.fill(place)
                item.box = box
            }
            try context.save()
        }
    }

    private func gather(_ pool: DatabasePool, _ size: Int) throws {
        try pool.write { database in
            for place in 0..<size {
                var record = Record(place, box: 1)
                try record.insert(database)
            }
        }
    }
}

func format(_ number: Double) -> String { String(format: "%.3f", number) }

/// A list's report of c changes, at two lengths.
func reports() throws {
    print("\n| rows | changes | microseconds a report |\n|---|---|---|")
    for rows in [1_000, 100_000] {
        let coordinator = try stack("list-\(rows).sqlite")
        let context = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        try context.performAndWait { context in
            for place in 0..<rows { context.insert(Item.self).fill(place) }
            try context.save()
            let list = context.list(
                FetchRequest<Item>(sortedBy: .ascending(\.share)),
                sectionedBy: try SectionName(\.isKept) { _ in "all" })
            try list.performFetch()
            for changes in [1, 100] {
                let items = (0..<changes).compactMap {
                    list.object(at: IndexPath(row: $0 * (rows / changes), section: 0))
                }
                for item in items { item.share += 0 }
                context.processPendingChanges()
                var times: [Double] = []
                for round in 0..<201 {
                    for (place, item) in items.enumerated() {
                        item.share = Double((place * 7919 + round * 104_729) % rows) / 7
                    }
                    times.append(seconds { context.processPendingChanges() })
                }
                print("| \(rows) | \(changes) | \(format(median(times) * 1e6)) |")
            }
        }
        try coordinator.close()
    }
}

func memory(_ isOurs: Bool, _ count: Int) throws {
    @Sendable func resident() -> Int {
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")[
            1]
        return (pages.flatMap { Int($0) } ?? 0) * 4096
    }
    let name = "memory"
    if isOurs {
        let coordinator = try stack(name)
        // Filled a thousand at a time, so that what is left over of the filling is little.
        let filling = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        for start in stride(from: 0, to: count, by: 1000) {
            try filling.performAndWait { context in
                for place in start..<start + 1000 { context.insert(Item.self).fill(place) }
                try context.save()
                context.reset()
            }
        }
        let context = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        try context.performAndWait { context in
            let before = resident()
            let items = try context.fetch(FetchRequest<Item>())
            print((resident() - before) / items.count)
        }
    } else {
        let pool = try Record.table(at: scratch.appending(path: name))
        for start in stride(from: 0, to: count, by: 1000) {
            try pool.write { database in
                for place in start..<start + 1000 {
                    var record = Record(place)
                    try record.insert(database)
                }
            }
        }
        let before = resident()
        let records = try pool.read { try Record.fetchAll($0) }
        print((resident() - before) / records.count)
    }
}

/// The first look at a list of 100,000 rows in 200 sections, read and from its cache.
func keptLists() throws {
    let url = scratch.appending(path: "kept.sqlite")
    func open() throws -> PersistentStoreCoordinator {
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel(Item.self, Box.self))
        try coordinator.addPersistentStore(ofType: .sqlite, at: url)
        return coordinator
    }
    let filling = try open()
    try ManagedObjectContext(persistentStoreCoordinator: filling).performAndWait { context in
        for place in 0..<100_000 { context.insert(Item.self).fill(place) }
        try context.save()
    }
    try filling.close()
    var times: [Bool: [Double]] = [:]
    for _ in 0..<9 {
        for isKept in [false, true] {
            let coordinator = try open()
            let time = try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait {
                context in
                let list = FetchedResultsController(
                    fetchRequest: FetchRequest<Item>(sortedBy: .ascending(\.number)),
                    managedObjectContext: context,
                    sectionNameKeyPath: try SectionName(\.number) { "\($0 / 500)" },
                    cacheName: isKept ? "all" : nil)
                return try seconds {
                    try list.performFetch()
                    precondition(list.sections?.count == 200 && list.count == 100_000)
                    precondition(list.object(at: IndexPath(row: 7, section: 100))?.number == 50_007)
                }
            }
            times[isKept, default: []].append(time)
            try coordinator.close()
        }
    }
    let (read, kept) = (median(times[false] ?? []), median(times[true] ?? []))
    print(
        "\na list of 100000 in 200 sections: read \(format(read)) s, from its cache \(format(kept)) s, \(format(kept / read))"
    )
}
