import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// A relationship to many, changed through its property in every way a set can be changed, against a plain
/// set and against what a fresh context finds after the save.
@Suite struct MemberSetTests {
    private static func mutate<Element: Hashable>(
        _ set: inout Set<Element>, _ step: UInt64, _ all: [Element], _ other: inout Set<Element>
    ) {
        let element = all[Int(step >> 8) % all.count], next = all[Int(step >> 20) % all.count]
        switch step % 14 {
        case 0, 1, 2: set.insert(element)
        case 3: set.remove(element)
        case 4: set.update(with: element)
        case 5: set.formUnion([element, next])
        case 6: set.subtract([element, next])
        case 7: set.formSymmetricDifference([element, next])
        case 8: set.formIntersection(all.prefix(Int(step >> 32) % all.count))
        case 9: set = [element, next]
        case 10: set.removeAll(keepingCapacity: step >> 40 & 1 == 0)
        case 11: swap(&set, &other)
        case 12:
            // Out and in again, and another for it: as many as before.
            set.remove(element)
            set.insert(next)
            set.insert(element)
            set.remove(next)
        default:
            if let index = set.firstIndex(of: element) { set.remove(at: index) }
        }
    }

    @Test(.everyStore, arguments: 1...20 as ClosedRange<UInt64>)
    func `a set of members is what a plain set becomes, and so is the other side`(seed: UInt64) throws {
        let context = try edgeContext()
        let expected: [[String]] = try context.performAndWait { context in
            var random = SplitMix64(seed: seed)
            let binders = (0..<2).map { _ in context.insert(Binder.self) }
            let notes = (0..<12).map { number in
                let note = context.insert(Note.self)
                note.text = "n\(String(number, radix: 16))"
                return note
            }
            var plain: [Set<Note>] = [[], []]
            for round in 0..<60 {
                let step = random.next(), which = Int(step >> 50 & 1)
                // A note lies in one binder: what one takes the other loses. The two are swapped by way of a
                // copy, since one property cannot be changed twice at once.
                var copy = binders[1 - which].notes
                Self.mutate(&binders[which].notes, step, notes, &copy)
                var other = plain[1 - which]
                Self.mutate(&plain[which], step, notes, &other)
                plain[1 - which].subtract(plain[which])
                for index in 0..<2 {
                    #expect(
                        binders[index].notes == plain[index], "seed \(seed), round \(round), \(step % 14)")
                    #expect(binders[index].notes.count == plain[index].count)
                }
                for note in notes {
                    let index = plain.firstIndex { $0.contains(note) }
                    #expect(note.binder === index.map { binders[$0] }, "seed \(seed), round \(round)")
                }
                if step >> 52 & 7 == 0 { try context.save() }
                if step >> 52 & 7 == 1 {
                    let moved = notes[Int(step >> 56) % notes.count]
                    moved.binder = binders[which]
                    plain[which].insert(moved)
                    plain[1 - which].remove(moved)
                }
            }
            binders[0].name = "0"
            binders[1].name = "1"
            try context.save()
            return plain.map { $0.map(\.text).sorted() }
        }
        let found = try another(context).performAndWait { fresh in
            try fresh.fetch(FetchRequest<Binder>(sortedBy: .ascending(\.name))).map {
                $0.notes.map(\.text).sorted()
            }
        }
        #expect(found == expected)
    }

    @Test(.everyStore) func `thousands can be inserted one by one through the property`() throws {
        try edgeContext().performAndWait { context in
            let binder = context.insert(Binder.self)
            for _ in 0..<3_000 { binder.notes.insert(context.insert(Note.self)) }
            #expect(binder.notes.count == 3_000)
            try context.save()
            #expect(try context.count(FetchRequest<Note>(\.binder == binder)) == 3_000)
        }
    }

    /// What the other side and another context do reaches a set that was read, also in the middle of changes.
    @Test(.everyStore) func `a set that is kept has no object that is gone, and each that comes`() throws {
        try edgeContext().performAndWait { context in
            let binder = context.insert(Binder.self), other = context.insert(Binder.self)
            let notes = (0..<4).map { _ in context.insert(Note.self) }
            try context.save()
            let gone = notes[3]
            context.delete(gone)
            try context.save()
            binder.notes.insert(notes[0])
            #expect(binder.notes == [notes[0]])
            // One that is gone is refused, and the save says so, once.
            binder.notes.insert(gone)
            #expect(binder.notes == [notes[0]] && gone.binder == nil)
            #expect(throws: StoreError.objectGone(gone.objectID)) { try context.save() }
            binder.notes.insert(notes[1])
            try context.save()
            #expect(binder.notes == [notes[0], notes[1]])
            // Two sets at once, one inside the change of the other.
            func both(_ first: inout Set<Note>, _ second: inout Set<Note>) {
                first.insert(notes[2])
                second.remove(notes[0])
                first.remove(notes[2])
                first.insert(notes[0])
            }
            both(&other.notes, &binder.notes)
            #expect(binder.notes == [notes[1]] && other.notes == [notes[0]])
            let (reference, home) = (notes[2].reference, binder.reference)
            let note = try another(context).performAndWait { theirs in
                try #require(theirs[reference]).binder = theirs[home]
                return try theirs.save()
            }
            try context.mergeChanges(from: note)
            #expect(binder.notes == [notes[1], notes[2]])
            binder.notes.insert(notes[0])
            #expect(binder.notes.count == 3 && other.notes.isEmpty)
            try context.save()
            let counts = try another(context).performAndWait { fresh in
                try fresh.fetch(FetchRequest<Binder>()).map(\.notes.count).sorted()
            }
            #expect(counts == [0, 3])
        }
    }
}
