import DataStacks
import Foundation
import ManagedObjects
import Testing

private enum Level: Int16, AttributeEnumeration { case high = 10, none = 0, low = 2, below = -3 }
private enum Tone: String, AttributeEnumeration { case warm = "b", cold = "a" }
/// With an order of its own, which a store does not know.
private enum Size: Int16, AttributeEnumeration, Comparable {
    case small = 9, large = 1
    static func < (a: Size, b: Size) -> Bool { a == .small && b == .large }
}
private enum Only: Int16, AttributeEnumeration { case one = 7 }

private final class Swatch: ManagedObject {
    @Attribute var number: Int64
    @Attribute var level: Level
    @Attribute var tone: Tone?
    @Attribute var size: Size
    @Attribute var only: Only
}

/// Sorting by enumerations; the oracle is the order of their raw values, written by hand.
@Suite struct EnumerationTests {
    private static let rows: [(Level, Tone?, Size)] = [
        (.high, .warm, .small), (.none, nil, .large), (.low, .cold, .small), (.below, .warm, .large),
    ]

    private func stack() throws -> DataStack {
        let stack = DataStack(model: try ManagedObjectModel(Swatch.self))
        try stack.addStorageAndWait(InMemoryStore())
        try stack.performAndWait { transaction in
            for (number, row) in Self.rows.enumerated() {
                let swatch = transaction.create(Into<Swatch>())
                (swatch.number, swatch.level, swatch.tone, swatch.size) = (Int64(number), row.0, row.1, row.2)
                swatch.only = .one
            }
        }
        return stack
    }

    @Test func `stores sort enumerations by raw value, nil first`() throws {
        let stack = try stack()
        func numbers(_ order: OrderBy<Swatch>.SortKey) throws -> [Int64] {
            try stack.fetchAll(From<Swatch>(), OrderBy(order, .ascending(\.number)), as: \.number)
        }
        #expect(try numbers(.ascending(\.level)) == [3, 1, 2, 0])
        #expect(try numbers(.descending(\.level)) == [0, 2, 1, 3])
        #expect(try numbers(.ascending(\.tone)) == [1, 2, 0, 3])
        #expect(try numbers(.descending(\.tone)) == [0, 3, 2, 1])
        #expect(try numbers(.ascending(\.size)) == [1, 3, 0, 2])
        #expect(try numbers(.descending(\.only)) == [0, 1, 2, 3])
        #expect(try stack.fetchCount(From<Swatch>(), Where(\.only == .one)) == 4)
    }

    @Test func `descriptors sort them so in a store, before a save, and in memory`() throws {
        let stack = try stack()
        let cases: [(SortDescriptor<Swatch>, [Int64])] = [
            (.ascending(\.level), [3, 4, 1, 2, 0]), (.descending(\.level), [0, 2, 1, 3, 4]),
            (.ascending(\.tone), [1, 2, 4, 0, 3]), (.descending(\.tone), [0, 3, 2, 4, 1]),
        ]
        for (first, expected) in cases {
            try stack.performAndWait { transaction in
                let swatch = transaction.create(Into<Swatch>())
                (swatch.number, swatch.level, swatch.tone) = (4, .below, .cold)
                (swatch.size, swatch.only) = (.small, .one)
                let order = [first, .ascending(\.number)]
                var request = FetchRequest<Swatch>()
                request.sortDescriptors = order
                let found = try transaction.fetchAll(request).map(\.number)
                let sorted = try transaction.fetchAll(FetchRequest<Swatch>()).shuffled().sorted(using: order)
                #expect(found == expected && sorted.map(\.number) == expected)
                transaction.delete(swatch)
            }
        }
    }
}
