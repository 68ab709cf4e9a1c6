import DataStacks
import Foundation
import ManagedObjects
import Testing

/// Lists as values, and what leads from one to another.
@Suite(.timeLimit(.minutes(10))) struct SnapshotTests {
    @Test func `a publisher's snapshot is the list, and its stream has the newest`() async throws {
        let stack = try Fixture.stack("Config1")
        let published = try stack.publishList(
            From<Sample>(), SectionBy(\.testBoolean),
            OrderBy(.ascending("testBoolean"), .ascending(\.testEntityID)))
        let shown = published.snapshot
        #expect(shown.sectionIDs == ["0", "1"] && shown.numberOfItems == 5)
        #expect(shown.numberOfItems(inSectionIndex: 1) == 3)
        #expect(try stack.fetchExisting(shown.itemIDs, as: \.testEntityID) == [102, 104, 101, 103, 105])
        #expect(shown[1, 0] == shown[2] && shown[1, 2] == shown[4] && shown[0, 1] == shown[1])
        var stream = published.snapshots.makeAsyncIterator()
        #expect(await stream.next() == shown)
        for number in 1...3 {
            try await stack.perform { transaction in
                try transaction.fetchOne(From<Sample>(), Where(\.testEntityID == 102))?.testNumber = Int64(
                    number)
            }
        }
        let newest = try #require(await stream.next())
        #expect(newest.generation == shown.generation + 3, "steps between were passed over")
        #expect(newest != shown && newest.itemIDs == shown.itemIDs)
        let difference = newest.difference(from: shown)
        #expect(difference.knowsUpdates && difference.changes.count == 1)
        #expect(difference.changes == [.update(shown[0].objectID, at: [0, 0], to: [0, 0])])
        #expect(shown.applying(difference) == newest)
    }

    /// Of the samples 101, 103 and 105 are true; 106 says nothing, and comes before both.
    @Test func `a chain has sections, by a boolean that may be missing too, either way round`() throws {
        let stack = try Fixture.stack("Config1")
        try stack.performAndWait { $0.create(Into<Sample>("Config1")).testEntityID = 106 }
        let rising = try stack.publishList(
            From<Sample>().sectionBy(\.testBoolean)
                .orderBy(.ascending(\.testBoolean), .ascending(\.testEntityID))
        ).snapshot
        #expect(rising.sectionIDs == ["", "0", "1"])
        #expect(
            try stack.fetchExisting(rising.itemIDs, as: \.testEntityID) == [106, 102, 104, 101, 103, 105])
        let falling = try stack.publishList(
            From<Sample>().sectionBy("testBoolean")
                .orderBy(.descending(\.testBoolean), .descending(\.testEntityID))
        ).snapshot
        #expect(falling.sectionIDs == ["1", "0", ""])
        #expect(falling.itemIDs == rising.itemIDs.reversed())
    }

    /// What a program sorts by itself: nil before all else, as in a fetch.
    @Test func `descriptors sort objects in memory as a store does`() throws {
        let stack = try Fixture.stack("Config1")
        try stack.performAndWait { transaction in
            let names = ["ä", "B", "a", nil, "Z", nil, "A"]
            for (number, name) in names.enumerated() {
                let sample = transaction.create(Into<Sample>("Config1"))
                (sample.testEntityID, sample.testString) = (Int64(number), name)
            }
        }
        let last = SortDescriptor<Sample>.ascending(\.testEntityID)
        for first in [
            .ascending(\.testString, comparing: .caseInsensitive),
            .descending(\.testString, comparing: .caseInsensitive),
            .ascending(\.testBoolean), .descending(\.testBoolean),
        ] as [SortDescriptor<Sample>] {
            var request = FetchRequest<Sample>()
            request.sortDescriptors = [first, last]
            let (found, sorted) = try stack.performAndWait { [request] transaction in
                (
                    try transaction.fetchAll(request).map(\.testEntityID),
                    try transaction.fetchAll(FetchRequest<Sample>()).shuffled().sorted(using: [first, last])
                        .map(\.testEntityID)
                )
            }
            #expect(found.count == 12 && sorted == found)
        }
    }

    @Test func `an order by name goes up and down in the order of texts that it says`() throws {
        let stack = try Fixture.emptyStack("Config1")
        try stack.performAndWait { transaction in
            for name in ["b", "C", "a", "B"] { transaction.create(Into<Sample>()).testString = name }
        }
        func names(_ key: OrderBy<Sample>.SortKey) throws -> [String?] {
            try stack.fetchAll(From<Sample>(), OrderBy(key, .ascending("testString")), as: \.testString)
        }
        #expect(try names(.ascending("testString", comparing: .caseInsensitive)) == ["a", "B", "b", "C"])
        #expect(try names(.descending("testString", comparing: .caseInsensitive)) == ["C", "B", "b", "a"])
        #expect(try names(.descending("testString")) == ["b", "a", "C", "B"])
        // No property of the store.
        #expect(throws: StackError.self) { try names(.ascending(\.twice)) }
    }

    /// 10,000 steps where `MOODY_SEEDS` is set, as in `scripts/check seeds`.
    @Test func `a difference applied to the old list is the new one, on thousands of seeded steps`() throws {
        let most = ProcessInfo.processInfo.environment["MOODY_SEEDS"] == nil ? 2_000 : 10_000
        let stack = DataStack(model: try Fixture.model(), logger: QuietLogger())
        try stack.addInMemoryStorage()
        let published = try stack.publishList(
            From<Sample>(), SectionBy("testBoolean"),
            OrderBy(.ascending("testBoolean"), .ascending(\.testNumber), .ascending(\.testEntityID)))
        let byString = try stack.publishList(
            From<Sample>(), SectionBy(\.testString),
            OrderBy(.ascending(\.testString), .descending(\.testNumber)))
        var state: UInt64 = 2026
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        var olds = [published.snapshot], others = [byString.snapshot], steps = 0
        var edited: [UInt64: Set<ObjectReference<Sample>>] = [:]
        while steps < most {
            let edits = (0..<(1 + next(4))).map { _ in (next(6), next(1000), next(8), next(2) == 0, next(4)) }
            let touched = try stack.performAndWait { transaction in
                var touched: Set<ObjectReference<Sample>> = []
                for (kind, which, number, flag, letter) in edits {
                    let all = try transaction.fetchObjectIDs(From<Sample>())
                    if all.isEmpty || kind < 2 && all.count < 40 {
                        let object = transaction.create(Into<Sample>())
                        (object.testEntityID, object.testNumber) = (Int64(which), Int64(number))
                        (object.testBoolean, object.testString) = (flag, "\(letter)")
                        continue
                    }
                    let reference = all[which % all.count]
                    guard let object = transaction.edit(reference) else { continue }
                    touched.insert(reference)
                    switch kind {
                    case 0, 1, 2: transaction.delete(object)
                    case 3: object.testNumber = Int64(number)
                    case 4: (object.testBoolean, object.testString) = (flag, "\(letter)")
                    default: object.testDate = Date(timeIntervalSinceReferenceDate: Double(which))
                    }
                }
                return touched
            }
            steps += edits.count
            let new = published.snapshot, old = olds[next(olds.count)]
            let difference = new.difference(from: old)
            #expect(old.applying(difference) == new)
            edited[new.generation, default: []].formUnion(touched)
            let since = edited.filter { $0.key > old.generation }.values.reduce(into: Set()) {
                $0.formUnion($1)
            }
            #expect(Self.problem(of: difference, from: old, to: new, edited: since) == nil)
            let other = byString.snapshot, before = others[next(others.count)]
            #expect(before.applying(other.difference(from: before)) == other)
            // As a fresh fetch has it.
            if steps % 50 == 0 {
                let fresh = try stack.fetchObjectIDs(
                    From<Sample>(),
                    OrderBy(.ascending("testBoolean"), .ascending(\.testNumber), .ascending(\.testEntityID)))
                #expect(new.itemIDs == fresh)
            }
            olds = olds.suffix(20) + [new]
            others = others.suffix(20) + [other]
        }
    }

    /// What is wrong with a difference, by looking at each object of both lists.
    private static func problem(
        of difference: ListDifference<Sample>, from old: ListSnapshot<Sample>, to new: ListSnapshot<Sample>,
        edited: Set<ObjectReference<Sample>>
    ) -> String? {
        func paths(_ list: ListSnapshot<Sample>) -> [ManagedObjectID: (name: String, path: IndexPath)] {
            var paths: [ManagedObjectID: (name: String, path: IndexPath)] = [:]
            for section in list.sectionIDs.indices {
                for (row, item) in list.itemIDs(inSectionIndex: section).enumerated() {
                    paths[item.objectID] = (list.sectionIDs[section], IndexPath(row: row, section: section))
                }
            }
            return paths
        }
        let before = paths(old), after = paths(new)
        var told: Set<ManagedObjectID> = [], updated: Set<ManagedObjectID> = [], moves = 0
        for change in difference.changes {
            guard told.insert(change.objectID).inserted else { return "\(change) comes twice" }
            let (from, to) = (before[change.objectID]?.path, after[change.objectID]?.path)
            switch change {
            case .insert(_, let path): if to != path { return "\(change), which is at \(to as Any)" }
            case .delete(_, let path): if from != path { return "\(change), which was at \(from as Any)" }
            case .move(_, let first, let second):
                moves += 1
                if first != from || second != to { return "\(change), which was at \(from as Any)" }
            case .update(let id, let first, let second):
                updated.insert(id)
                if first != from || second != to { return "\(change), which was at \(from as Any)" }
            }
        }
        // Sections that go and come take their objects with them.
        guard difference.sections.isEmpty else { return nil }
        let common = after.filter { before[$0.key] != nil }
        let edits = Set(edited.map(\.objectID)).intersection(common.keys).subtracting(
            told.subtracting(updated))
        if difference.knowsUpdates, updated != edits { return "updates \(updated) for \(edits)" }
        // The longest row of objects that keep their order, by comparing each pair.
        var fewest = common.count
        for name in new.sectionIDs {
            let here = common.filter { $0.value.name == name && before[$0.key]?.name == name }
            let rows = here.sorted { $0.value.path < $1.value.path }.map { before[$0.key]?.path.row ?? 0 }
            var lengths: [Int] = []
            for (index, row) in rows.enumerated() {
                lengths.append(1 + (zip(lengths, rows[..<index]).filter { $0.1 < row }.map(\.0).max() ?? 0))
            }
            fewest -= lengths.max() ?? 0
        }
        return moves == fewest ? nil : "\(moves) moves where \(fewest) do"
    }

    @Test func `updates are known over 64 steps, and said to be unknown beyond`() throws {
        let stack = try Fixture.stack("Config1")
        let published = try stack.publishList(From<Sample>(), OrderBy(.ascending(\.testEntityID)))
        let old = published.snapshot
        var middle = old, beyond = old
        for number in 0..<70 {
            if number == 5 { beyond = published.snapshot }
            if number == 6 { middle = published.snapshot }
            try stack.performAndWait { transaction in
                let id = Int64(101 + number % 5)
                try transaction.fetchOne(From<Sample>(), Where(\.testEntityID == id))?.testNumber = Int64(
                    number)
            }
        }
        let new = published.snapshot
        #expect(new.difference(from: middle).knowsUpdates)
        #expect(new.difference(from: middle).changes.count == 5)
        #expect(!new.difference(from: beyond).knowsUpdates && !new.difference(from: old).knowsUpdates)
        #expect(old.applying(new.difference(from: old)) == new)
        #expect(Set([old, new, middle]).count == 3)
    }
}

extension Sample {
    fileprivate var twice: Int64 { 2 * (testNumber ?? 0) }
}
