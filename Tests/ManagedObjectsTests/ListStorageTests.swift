import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// What lists are kept in, compared with arrays and dictionaries.
@Suite struct ListStorageTests {
    private static let home = StoreEntity.of(EntityName("X"), in: "storage")

    private static let values: [StoredValue] = [
        .null, .int(0), .int(.min), .int(.max), .int(-1), .double(0), .double(-0.0), .double(.infinity),
        .double(1.5), .double(.leastNonzeroMagnitude), .text(""), .text("longer than what fits into words"),
        .blob(Data()), .blob(Data([0, 255])), .id(ManagedObjectID(home, key: 7)),
    ]

    private static func any(_ random: inout SplitMix64) -> StoredValue {
        values[Int(random.next() % UInt64(values.count))]
    }

    @Test func `few values are those of an array, whatever they are`() {
        var random = SplitMix64(seed: 3)
        #expect(CompactValues().isEmpty && CompactValues([StoredValue]()).isEmpty)
        for count in 0...5 {
            for _ in 0..<400 {
                let plain = (0..<count).map { _ in Self.any(&random) }
                let other = (0..<count).map { _ in Self.any(&random) }
                let few = CompactValues(plain)
                #expect(few.count == count && few.indices == 0..<count)
                #expect(zip(few, plain).allSatisfy { $0.isIdentical(to: $1) })
                #expect((few == CompactValues(other)) == (plain == other), "\(plain) \(other)")
                #expect(few != CompactValues(plain + [.null]))
            }
        }
        // Numbers that are equal, and yet not the same bits.
        #expect(CompactValues([.int(1)]) == CompactValues([.double(1)]))
        #expect(CompactValues([.double(0)]) == CompactValues([.double(-0.0)]))
    }

    @Test func `rows are found by their objects as in a dictionary, whatever comes and goes`() throws {
        let order = FetchOrder(terms: [.init(path: PropertyPath(names: ["x"]), isDescending: true)])
        for seed in 1...30 as ClosedRange<UInt64> {
            var random = SplitMix64(seed: seed), plain: [ManagedObjectID: ListRow] = [:]
            func row(_ key: Int64) -> ListRow {
                let value = Self.any(&random)
                return ListRow(
                    id: ManagedObjectID(Self.home, key: key), values: [value],
                    section: String(repeating: "section ", count: Int(random.next() % 4)))
            }
            for key in 0..<Int64(seed % 5 * 8) {
                let new = row(key)
                plain[new.id] = new
            }
            var rows = OrderedRows(
                plain.values.sorted {
                    order.precedes($0.values, of: $0.id, before: $1.values, of: $1.id)
                }, by: order)
            for step in 0..<300 as Range<Int64> {
                if random.next() % 2 == 0, let victim = plain.values.min(by: { $0.id.key < $1.id.key }) {
                    let wasThere = rows.remove(victim)
                    #expect(wasThere)
                    plain[victim.id] = nil
                } else {
                    let new = row(1000 + step)
                    rows.insert(new)
                    plain[new.id] = new
                }
                for id in (0..<1300).map({ ManagedObjectID(Self.home, key: $0) }) {
                    guard rows[id].map({ [$0.section] }) == plain[id].map({ [$0.section] }),
                        rows[id]?.values == plain[id]?.values, rows[id] == nil || rows[id]?.id == id
                    else {
                        Issue.record("seed \(seed), step \(step), \(id)")
                        return
                    }
                }
            }
            #expect(Set(rows.map(\.id)) == Set(plain.keys))
        }
    }

    /// A list that is watched for months.
    @Test func `a list whose rows come and go takes no more room than its rows`() throws {
        let order = FetchOrder(terms: [.init(path: PropertyPath(names: ["x"]), isDescending: false)])
        var rows = OrderedRows([], by: order)
        for key in 0..<20_000 as Range<Int64> {
            rows.insert(
                ListRow(id: ManagedObjectID(Self.home, key: key), values: [.int(key)], section: "\(key)"))
            if key >= 10 {
                let oldest = ManagedObjectID(Self.home, key: key - 10)
                let wasThere = rows.remove(
                    ListRow(id: oldest, values: [.int(key - 10)], section: "\(key - 10)"))
                #expect(wasThere)
            }
        }
        let mirror = Mirror(reflecting: rows)
        let nodes = try #require(mirror.descendant("nodes") as? any Collection)
        let entries = try #require(mirror.descendant("table", "entries") as? [Int32])
        let names = try #require(mirror.descendant("sections", "names") as? [String])
        #expect(rows.count == 10 && nodes.count <= 16 && entries.count <= 16 && names.count <= 16)
    }

    /// Few places for many rows: entries lie one behind the other, and around the table's end.
    @Test func `a table of nodes forgets none that it should keep`() {
        var random = SplitMix64(seed: 11)
        for size in [1, 2, 5, 6, 7, 40, 700] {
            var table = NodeTable(), ids: [Int32: ManagedObjectID] = [:], last: Int32 = 0
            func check(_ node: Int32) -> Bool {
                let id = ManagedObjectID(Self.home, key: Int64(node))
                return table.node(of: id) { ids[$0] } == (ids[node] == nil ? nil : node)
            }
            for _ in 0..<2_000 {
                let isFull = ids.count >= size || random.next() % 2 == 0
                if isFull, let victim = ids.keys.randomElement(using: &random) {
                    table.remove(victim) { ids[$0] }
                    ids[victim] = nil
                } else {
                    last += 1
                    ids[last] = ManagedObjectID(Self.home, key: Int64(last))
                    table.insert(last, ManagedObjectID(Self.home, key: Int64(last))) { ids[$0] }
                }
            }
            #expect((1...last).allSatisfy(check), "\(size)")
        }
    }
}
