import TestSupport
import Testing

@testable import ManagedObjects

/// Fetches by equal values, against an array: memory stores and unsaved objects are found by indexes.
@Suite(.everyStore) struct ValueIndexTests {
    final class Leaf: ManagedObject {
        @Attribute var code: Int64
        @Attribute var word: String?
        @Attribute var number: Int64
        override class var uniquenessConstraints: [[String]] { [["number"]] }
    }

    typealias Rows = [Int64: (code: Int64, word: String?)]

    @Test func `a value that is asked for twice is found once`() throws {
        try edgeContext().performAndWait { context throws -> Void in
            for number in 0..<40 { context.insert(Song.self).name = "s\(number)" }
            for isSaved in [false, true] {
                if isSaved { try context.save() }
                let some = Filter<Song>(\.name, isIn: ["s1", "s2", "s1"])
                let found = try context.fetch(FetchRequest(some, sortedBy: .ascending(\.name))).map(\.name)
                #expect(found == ["s1", "s2"])
            }
        }
    }

    /// More rows than are looked at one by one; a save that fails and a rollback among the changes.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func `fetches by value find what an array has, whatever was saved, undone or refused`(seed: UInt64) throws
    {
        let coordinator = try emptyCoordinator(try ManagedObjectModel(Leaf.self))
        let context = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        try context.performAndWait { context in
            var random = SplitMix64(seed: seed), rows: Rows = [:], next: Int64 = 0
            for step in 0..<24 {
                try change(&rows, &next, context, &random)
                try look(rows, context, "seed \(seed), step \(step), unsaved")
                try context.save()
                try look(rows, context, "seed \(seed), step \(step), saved")
                guard step % 5 == 3 else { continue }
                var lost = rows
                try change(&lost, &next, context, &random)
                let number = try #require(lost.keys.min())
                context.insert(Leaf.self).number = number
                #expect(throws: StoreError.self) { try context.save() }
                context.rollback()
                try look(rows, context, "seed \(seed), step \(step), refused")
            }
            #expect(rows.count > 64)
        }
    }

    private func change(
        _ rows: inout Rows, _ next: inout Int64, _ context: isolated ManagedObjectContext,
        _ random: inout SplitMix64
    ) throws {
        for _ in 0..<Int.random(in: 5...20, using: &random) {
            let code = Int64.random(in: 0..<6, using: &random)
            let word = Bool.random(using: &random) ? "w\(code % 3)" : nil
            let known = rows.keys.sorted().randomElement(using: &random)
            let kind = Int.random(in: 0..<5, using: &random)
            if let known, kind < 2 {
                let found = try context.fetch(FetchRequest<Leaf>(\.number == known))
                #expect(found.count == 1)
                if kind == 0 {
                    context.delete(found[0])
                    rows[known] = nil
                } else {
                    (found[0].code, found[0].word) = (code, word)
                    rows[known] = (code, word)
                }
            } else {
                next += 1
                let leaf = context.insert(Leaf.self)
                (leaf.number, leaf.code, leaf.word) = (next, code, word)
                rows[next] = (code, word)
            }
        }
    }

    private func look(_ rows: Rows, _ context: isolated ManagedObjectContext, _ moment: String) throws {
        func check(_ filter: Filter<Leaf>, _ holds: (Int64, String?) -> Bool) throws {
            let found = try context.fetch(FetchRequest<Leaf>(filter)).map(\.number).sorted()
            #expect(found == rows.filter { holds($1.code, $1.word) }.keys.sorted(), "\(moment)")
        }
        for value in 0..<6 as Range<Int64> {
            try check(\.code == value) { code, _ in code == value }
            // A fraction is compared as a number: 2.0 is 2.
            try check(Filter(format: "code == %@", Double(value))) { code, _ in code == value }
            try check(Filter(format: "code == %@", Double(value) + 0.5)) { _, _ in false }
        }
        for word in ["w0", "w1", "W1"] {
            try check(\.word == word) { _, own in own == word }
            try check(\.word == word && \.code == 1) { code, own in own == word && code == 1 }
        }
        try check(\.word == nil) { _, own in own == nil }
        try check(Filter(\.code, isIn: [1, 4, 9])) { code, _ in code == 1 || code == 4 }
        try check(Filter(format: "word ==[c] %@", "W1")) { _, own in own == "w1" }
    }
}
