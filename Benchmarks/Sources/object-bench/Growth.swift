import Foundation
import ManagedObjects

/// Costs that should grow with what changes, not with what is there: each at two sizes, four times apart.
///
/// A step costs O(1) or O(log n) when both sizes take about the same per step.
func growth() throws {
    print("\n| what | microseconds per step at n | at 4 n | ratio |\n|---|---|---|---|")
    try row("box.items.insert(item), n = 5,000", 5_000) { count in
        try filled(0) { context in
            let box = context.insert(Box.self)
            box.name = "box"
            return seconds { for place in 0..<count { box.items.insert(item(place, context)) } }
        }
    }
    try row("findOrCreate of a new number in one save, n = 5,000", 5_000) { count in
        try filled(0) { context in
            try seconds {
                for place in 0..<count {
                    _ = try Item.findOrCreate(in: context, \.number == Int64(place)) { $0.fill(place) }
                }
                try context.save()
            }
        }
    }
    for kind in ["SQLite", "memory"] {
        try row("a fetch by number, rows in \(kind), n = 20,000", 20_000) { count in
            try filled(count, inMemory: kind == "memory") { context in
                let start = try context.fetch(FetchRequest<Item>(\.number == 0))
                precondition(start.count == 1)
                return try seconds {
                    for place in 0..<1_000 {
                        let found = try context.fetch(FetchRequest<Item>(\.number == Int64(place * 7 % count)))
                        precondition(found.count == 1)
                    }
                } * Double(count) / 1_000
            }
        }
    }
    try row("one insert and save under a list by a related name, n = 10,000", 10_000) { count in
        try filled(count) { context in
            let list = context.list(
                FetchRequest<Item>(sortedBy: .ascending(\.box?.name), .ascending(\.number)))
            try list.performFetch()
            return try seconds {
                for place in 0..<20 {
                    _ = item(count + place, context)
                    try context.save()
                }
            } * Double(count) / 20
        }
    }
    try row("a term of an || chain, n = 5,000", 5_000) { count in
        try filled(100) { context in
            let chain = (1..<count).reduce(\Item.number == 0) { $0 || \Item.number == Int64($1) }
            return try seconds {
                let found = try context.count(FetchRequest<Item>(chain))
                precondition(found == 100)
            }
        }
    }
    try row("a value of an IN list, n = 50,000", 50_000) { count in
        try filled(100) { context in
            let filter = Filter<Item>(\.number, isIn: (0..<count).map { Int64($0) })
            return try seconds {
                let found = try context.count(FetchRequest<Item>(filter))
                precondition(found == 100)
            }
        }
    }
    try row("an object of a cascade in a row, n = 10,000", 10_000) { count in
        try filled(0) { context in
            let box = context.insert(Box.self)
            box.name = "box"
            for place in 0..<count { item(place, context).box = box }
            try context.save()
            return try seconds {
                for item in box.items { context.delete(item) }
                try context.save()
            }
        }
    }
}

private func item(_ place: Int, _ context: isolated ManagedObjectContext) -> Item {
    let item = context.insert(Item.self)
    item.fill(place)
    return item
}

private func filled(
    _ count: Int, inMemory: Bool = false, _ body: @Sendable (isolated ManagedObjectContext) throws -> Double
) throws -> Double {
    let coordinator = PersistentStoreCoordinator(
        managedObjectModel: try ManagedObjectModel(Item.self, Box.self))
    let url = scratch.appending(path: "growth-\(UUID().uuidString).sqlite")
    try coordinator.addPersistentStore(ofType: inMemory ? .inMemory : .sqlite, at: url)
    defer { try? coordinator.close() }
    return try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
        for place in 0..<count { _ = item(place, context) }
        try context.save()
        return try body(context)
    }
}

private func row(_ name: String, _ size: Int, _ cost: (Int) throws -> Double) throws {
    func perStep(_ size: Int) throws -> Double {
        median(try (0..<3).map { _ in try cost(size) / Double(size) * 1e6 })
    }
    let (few, many) = (try perStep(size), try perStep(4 * size))
    print("| \(name) | \(format(few)) | \(format(many)) | \(format(many / few)) |")
}

extension Item: Managed {}
