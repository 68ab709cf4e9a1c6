import Foundation
import Testing

@testable import ManagedObjects

/// A name that tunes lead to without a way back, and labels that they are paired with.
private final class Genre: ManagedObject {
    @Attribute var name: String = ""
    override class var uniquenessConstraints: [[String]] { [["name"]] }
}

private final class Tune: ManagedObject {
    @Attribute var title: String = ""
    @Transient var plays: Int?
    @Relationship(inverse: nil) var genre: Genre?
    @Relationship(inverse: \Label.tunes) var labels: Set<Label>
}

private final class Label: ManagedObject {
    @Attribute var name: String = ""
    @Relationship(inverse: "labels") var tunes: Set<Tune>
}

/// A code that no two items share, whatever they are; each kind has a relationship of its own.
private class Item: ManagedObject {
    @Attribute var code: Int64 = 0
    @Attribute var title: String = ""
    override class var uniquenessConstraints: [[String]] { self == Item.self ? [["code"]] : [] }
}

private final class Record: Item {
    @Attribute var speed: Int64 = 0
    @Relationship(inverse: "record") var sides: Set<Side>
}

private final class Side: ManagedObject {
    @Relationship(inverse: \Record.sides) var record: Record?
}

private final class Tape: Item {
    @Attribute var length: Int64 = 0
    @Relationship(inverse: "tape") var copies: Set<Copy>
}

private final class Copy: ManagedObject {
    @Relationship(inverse: \Tape.copies) var tape: Tape?
}

/// Subentities are declared before what they inherit from.
private func tuneContext() throws -> ManagedObjectContext {
    ManagedObjectContext(
        persistentStoreCoordinator: try emptyCoordinator(
            ManagedObjectModel(
                Record.self, Tape.self, Item.self, Tune.self, Genre.self, Label.self, Side.self, Copy.self)))
}

/// Conflicts that one object alone does not show: within one save, of several objects, of objects with
/// relationships.
@Suite struct ConflictTests {
    private static let policies: [(name: String, policy: MergePolicy)] = [
        ("error", .error), ("storeTrump", .mergeByPropertyStoreTrump),
        ("objectTrump", .mergeByPropertyObjectTrump), ("overwrite", .overwrite), ("rollback", .rollback),
    ]

    private func titles(_ context: ManagedObjectContext) throws -> [String] {
        try another(context).performAndWait { fresh in
            try fresh.fetch(FetchRequest<Product>(sortedBy: .ascending(\.code))).map {
                "\($0.code) \($0.title) \($0.crate?.name ?? "-")"
            }
        }
    }

    /// The first counts as the one that is there.
    @Test(.everyStore, arguments: 0..<5)
    func `two new objects with one unique value`(number: Int) throws {
        let (name, policy) = Self.policies[number]
        let context = try edgeContext()
        try context.performAndWait { context in
            context.mergePolicy = policy
            let crate = context.insert(Crate.self)
            crate.name = "crate"
            for title in ["first", "second"] {
                let product = context.insert(Product.self)
                (product.code, product.title) = (1, title)
                if title == "second" { product.crate = crate }
            }
            context.insert(Product.self).code = 2
            if name == "error" {
                #expect(
                    throws: StoreError.notUnique(entity: "Product", properties: ["code"], values: [.int(1)])
                ) {
                    try context.save()
                }
            } else {
                try context.save()
            }
        }
        let wanted: [String] =
            switch name {
            case "error": []
            case "objectTrump", "overwrite": ["1 second crate", "2  -"]
            default: ["1 first -", "2  -"]
            }
        #expect(try titles(context) == wanted)
    }

    @Test(.everyStore, arguments: 1..<5)
    func `an import with duplicates of its own and of the store's`(number: Int) throws {
        let (name, policy) = Self.policies[number]
        let context = try edgeContext()
        try context.performAndWait { context in
            for code in 0..<50 {
                let product = context.insert(Product.self)
                (product.code, product.title) = (Int64(code), "old")
            }
            try context.save()
        }
        try another(context).performAndWait { context in
            context.mergePolicy = policy
            for number in 0..<200 {
                let product = context.insert(Product.self)
                (product.code, product.title) = (Int64(number % 100), "new \(number)")
            }
            try context.save()
        }
        let wanted = (0..<100).map { code in
            switch name {
            case "objectTrump", "overwrite": "\(code) new \(code + 100) -"
            default: code < 50 ? "\(code) old -" : "\(code) new \(code) -"
            }
        }
        #expect(try titles(context) == wanted)
    }

    @Test(.everyStore, arguments: 1..<5)
    func `an object that gives its value up is no rival`(number: Int) throws {
        let context = try edgeContext()
        try context.performAndWait { context in
            context.mergePolicy = Self.policies[number].policy
            let a = context.insert(Product.self), b = context.insert(Product.self)
            (a.code, a.title, b.code, b.title) = (1, "a", 2, "b")
            try context.save()
            (a.code, b.code) = (2, 1)
            let new = context.insert(Product.self)
            (new.code, new.title) = (3, "c")
            try context.save()
        }
        #expect(try titles(context) == ["1 b -", "2 a -", "3 c -"])
    }

    /// The rollback policy turns the object into a fault, whose relationships are not looked at.
    @Test(.everyStore, arguments: 0..<5)
    func `a plain conflict of an object with a relationship to one`(number: Int) throws {
        let (name, policy) = Self.policies[number]
        let context = try edgeContext()
        let note = try context.performAndWait { context in
            let note = context.insert(Note.self), binder = context.insert(Binder.self)
            (note.text, note.binder) = ("old", binder)
            try context.save()
            return note.reference
        }
        try another(context).performAndWait { context in
            context.mergePolicy = policy
            let mine = try #require(context[note])
            mine.text = "mine"
            try another(context).performAndWait { other in
                try #require(other[note]).text = "theirs"
                try other.save()
            }
            if name == "error" {
                #expect(throws: StoreError.conflict(note.objectID)) { try context.save() }
            } else {
                try context.save()
                #expect(mine.text == (["objectTrump", "overwrite"].contains(name) ? "mine" : "theirs"))
                #expect(mine.binder != nil)
            }
        }
    }

    @Test func `a policy that refuses one of several names that one`() throws {
        let context = try edgeContext()
        try context.performAndWait { context in
            let notes = (0..<3).map { _ in context.insert(Note.self) }
            try context.save()
            let refused = notes[2].objectID
            context.mergePolicy = .custom { conflict in
                conflict.sourceObject.objectID == refused ? .error : .mergeByPropertyObjectTrump
            }
            for note in notes { note.text = "mine" }
            try another(context).performAndWait { other in
                for note in try other.fetch(FetchRequest<Note>()) { note.price = 1 }
                try other.save()
            }
            #expect(throws: StoreError.conflict(refused)) { try context.save() }
        }
    }

    @Test(.everyStore) func `a child saves again after its parent saved derived values`() throws {
        let parent = try edgeContext()
        let child = ManagedObjectContext(parent: parent)
        try child.performAndWait { child in
            let rack = child.insert(Rack.self)
            rack.name = "Été"
            try child.save()
            try parent.performAndWait { _ = try $0.save() }
            rack.name = "Hiver"
            try child.save()
            try parent.performAndWait { _ = try $0.save() }
        }
        let names = try another(parent).performAndWait { try $0.fetch(FetchRequest<Rack>()).map(\.sortName) }
        #expect(names == ["hiver"])
    }

    /// The first product takes the code of the second, which changes otherwise: the second has the code.
    @Test(.everyStore, arguments: 1..<5, [true, false])
    func `a unique value that is taken is that of the row that had it`(number: Int, isFirst: Bool) throws {
        let context = try edgeContext()
        try context.performAndWait { context in
            for (code, title) in [(1, "a"), (2, "b")] {
                let product = context.insert(Product.self)
                (product.code, product.title) = (Int64(code), title)
            }
            try context.save()
        }
        let (name, policy) = Self.policies[number]
        try another(context).performAndWait { context in
            context.mergePolicy = policy
            let all = try context.fetch(FetchRequest<Product>(sortedBy: .ascending(\.code)))
            if !isFirst { all[1].title = "B" }
            (all[0].code, all[0].title) = (2, "A")
            all[1].title = "B"
            try context.save()
            let hasChanges = context.hasChanges
            #expect(!hasChanges)
        }
        let wanted =
            switch name {
            case "storeTrump": ["1 A -", "2 B -"]
            case "rollback": ["1 a -", "2 B -"]
            default: ["2 A -"]
            }
        #expect(try titles(context) == wanted)
    }

    @Test(.everyStore, arguments: 1..<5)
    func `who led to a duplicate of a duplicate leads to the one that is left`(number: Int) throws {
        let context = try tuneContext()
        try context.performAndWait { context in
            context.insert(Genre.self).name = "rock"
            try context.save()
        }
        try another(context).performAndWait { context in
            context.mergePolicy = Self.policies[number].policy
            for title in ["a", "b", "c"] {
                let genre = context.insert(Genre.self), tune = context.insert(Tune.self)
                genre.name = "rock"
                (tune.title, tune.genre) = (title, genre)
            }
            try context.save()
        }
        let found = try another(context).performAndWait { fresh in
            try fresh.fetch(FetchRequest<Tune>(sortedBy: .ascending(\.title))).map {
                "\($0.title) \($0.genre?.name ?? "-")"
            } + ["\(fresh.count(FetchRequest<Genre>()))"]
        }
        #expect(found == ["a rock", "b rock", "c rock", "1"])
    }

    /// What the two kinds have in common goes over, and nothing else, whatever slot it has.
    @Test(.everyStore, arguments: 0..<5, [true, false])
    func `a constraint that is inherited binds objects of all subentities`(number: Int, isSaved: Bool) throws
    {
        let context = try tuneContext(), (name, policy) = Self.policies[number]
        try context.performAndWait { context in
            if !isSaved { return }
            let record = context.insert(Record.self)
            (record.code, record.title, record.speed) = (1, "old", 33)
            try context.save()
        }
        try another(context).performAndWait { context in
            context.mergePolicy = policy
            let record = context.insert(Record.self), tape = context.insert(Tape.self)
            (record.code, record.title, record.speed) = (1, "record", 45)
            (tape.code, tape.title, tape.length) = (1, "tape", 90)
            context.insert(Copy.self).tape = tape
            if name == "error" {
                #expect(throws: StoreError.self) { try context.save() }
            } else {
                try context.save()
            }
        }
        let found = try another(context).performAndWait { fresh in
            let items = try fresh.fetch(FetchRequest<Item>())
            let records = try fresh.fetch(FetchRequest<Record>()),
                copies = try fresh.fetch(FetchRequest<Copy>())
            var found = items.map { "\($0.entity.name) \($0.code) \($0.title)" }
            found += records.map { "\($0.speed) \($0.sides.count)" }
            found += copies.map { $0.tape == nil ? "free" : "of a tape" }
            return found
        }
        let wanted: [String] =
            switch name {
            case "error": isSaved ? ["Record 1 old", "33 0"] : []
            case "objectTrump", "overwrite": ["Record 1 tape", "45 0", "free"]
            default: isSaved ? ["Record 1 old", "33 0", "free"] : ["Record 1 record", "45 0", "free"]
            }
        #expect(found == wanted)
    }

    /// Members that were read before the conflict are read again.
    @Test(.everyStore, arguments: 1..<5)
    func `owners have the members that the store has once a conflict is settled`(number: Int) throws {
        let context = try edgeContext(), (name, policy) = Self.policies[number]
        try context.performAndWait { context in
            for crate in ["p", "q"] { context.insert(Crate.self).name = crate }
            for code in 1...3 as ClosedRange<Int64> {
                let product = context.insert(Product.self)
                (product.code, product.title) = (code, "old")
                product.crate = try context.fetch(FetchRequest<Crate>(\.name == "p")).first
            }
            try context.save()
        }
        try another(context).performAndWait { context in
            context.mergePolicy = policy
            let crates = try context.fetch(FetchRequest<Crate>(sortedBy: .ascending(\.name)))
            #expect(crates.map(\.products.count) == [3, 0])
            let product = try #require(try context.fetch(FetchRequest<Product>(\.code == 1)).first)
            product.title = "mine"
            try another(context).performAndWait { other in
                let product = try #require(try other.fetch(FetchRequest<Product>(\.code == 1)).first)
                product.crate = try other.fetch(FetchRequest<Crate>(\.name == "q")).first
                try other.save()
            }
            try context.save()
            // The row is written whole by one policy, and as it was read it was in the first crate.
            let wanted = name == "overwrite" ? [3, 0] : [2, 1]
            #expect(crates.map(\.products.count) == wanted)
            #expect(product.crate === crates[name == "overwrite" ? 0 : 1])
        }
        let there = try another(context).performAndWait { fresh in
            try fresh.fetch(FetchRequest<Crate>(sortedBy: .ascending(\.name))).map(\.products.count)
        }
        #expect(there == (name == "overwrite" ? [3, 0] : [2, 1]))
    }

    @Test(.everyStore) func `an object that is written again is paired with what its row is paired with`()
        throws
    {
        try tuneContext().performAndWait { context in
            let tune = context.insert(Tune.self), label = context.insert(Label.self)
            (tune.title, label.name) = ("old", "label")
            tune.labels = [label]
            try context.save()
            context.mergePolicy = .mergeByPropertyObjectTrump
            #expect(tune.labels.count == 1 && label.tunes.count == 1)
            tune.title = "mine"
            try another(context).performAndWait { other in
                for tune in try other.fetch(FetchRequest<Tune>()) { other.delete(tune) }
                try other.save()
            }
            try context.save()
            let there = try another(context).performAndWait { fresh in
                try fresh.fetch(FetchRequest<Tune>()).map { "\($0.title) \($0.labels.count)" }
            }
            #expect(there == ["mine 0"])
            #expect(tune.labels.isEmpty && label.tunes.isEmpty)
        }
    }

    /// More than the rounds in which a save settles conflicts.
    @Test(
        .everyStore, arguments: [true, false], 0..<2)
    func `many objects of a child lead to what its parent deleted`(isSaved: Bool, number: Int) throws {
        let parent = try edgeContext(), child = ManagedObjectContext(parent: parent)
        try parent.performAndWait { parent in
            for number in 0..<25 as Range<Int64> {
                parent.insert(Crate.self).name = "\(number)"
                parent.insert(Product.self).code = number
            }
            try parent.save()
        }
        try child.performAndWait { child in
            child.mergePolicy = [.mergeByPropertyObjectTrump, .rollback][number]
            let crates = try child.fetch(FetchRequest<Crate>(sortedBy: .ascending(\.name)))
            let products = try child.fetch(FetchRequest<Product>(sortedBy: .ascending(\.code)))
            for (crate, product) in zip(crates, products) { (product.crate, product.title) = (crate, "mine") }
        }
        try parent.performAndWait { parent in
            for crate in try parent.fetch(FetchRequest<Crate>()) where crate.name != "7" {
                parent.delete(crate)
            }
            if isSaved { try parent.save() }
        }
        try child.performAndWait { child in
            try child.save()
            let products = try child.fetch(FetchRequest<Product>())
            #expect(products.count == 25 && products.allSatisfy { $0.title == "mine" })
            #expect(products.compactMap(\.crate?.name) == ["7"])
        }
    }

    /// What they deleted besides is not led to: no key is left that leads nowhere.
    @Test(.everyStore, arguments: 2..<4)
    func `an object that is written again leads to what is there, and nowhere else`(number: Int) throws {
        let context = try edgeContext()
        try context.performAndWait { context in
            for code in 1...3 as ClosedRange<Int64> {
                let product = context.insert(Product.self), crate = context.insert(Crate.self)
                (product.code, product.title, crate.name) = (code, "old", "\(code)")
                product.crate = crate
            }
            try context.save()
        }
        try another(context).performAndWait { context in
            context.mergePolicy = Self.policies[number].policy
            for product in try context.fetch(FetchRequest<Product>()) { product.title = "mine" }
            try another(context).performAndWait { other in
                for product in try other.fetch(FetchRequest<Product>()) { other.delete(product) }
                for crate in try other.fetch(FetchRequest<Crate>(\.name != "2")) { other.delete(crate) }
                try other.save()
            }
            try context.save()
        }
        #expect(try titles(context) == ["1 mine -", "2 mine 2", "3 mine -"])
        let keys = try another(context).performAndWait { fresh in
            try fresh.fetch(FetchRequest<Product>(sortedBy: .ascending(\.code))).map { product in
                product.entity.slot(of: "crate").flatMap { product.values[$0].target } == nil
            }
        }
        #expect(keys == [true, false, true])
        let free = try another(context).performAndWait {
            try $0.fetch(FetchRequest<Product>(\.crate == nil)).map(\.code)
        }
        #expect(free.sorted() == [1, 3])
    }

    @Test(.everyStore, arguments: [1, 4])
    func `what is not deleted after all is still paired`(number: Int) throws {
        let context = try tuneContext()
        try context.performAndWait { context in
            let tunes = ["a", "b"].map { title in
                let tune = context.insert(Tune.self)
                tune.title = title
                return tune
            }
            let label = context.insert(Label.self)
            (label.name, label.tunes) = ("label", Set(tunes))
            try context.save()
        }
        func pairs(_ context: ManagedObjectContext) throws -> [String] {
            try context.performAndWait { context in
                try context.fetch(FetchRequest<Tune>(sortedBy: .ascending(\.title))).map { tune in
                    "\(tune.title) \(tune.labels.map { "\($0.name) \($0.tunes.count)" }.joined())"
                }
            }
        }
        let mine = another(context)
        try mine.performAndWait { mine in
            mine.mergePolicy = Self.policies[number].policy
            let label = try #require(try mine.fetch(FetchRequest<Label>()).first)
            #expect(label.tunes.allSatisfy { $0.labels.count == 1 })
            mine.delete(label)
            for tune in try mine.fetch(FetchRequest<Tune>()) { #expect(tune.labels.isEmpty) }
        }
        try another(context).performAndWait { other in
            for label in try other.fetch(FetchRequest<Label>()) { label.name = "theirs" }
            try other.save()
        }
        try mine.performAndWait { _ = try $0.save() }
        #expect(try pairs(another(context)) == ["a theirs 2", "b theirs 2"])
        #expect(try pairs(mine) == ["a theirs 2", "b theirs 2"])
    }

    /// Asked again until it names a policy that decides.
    @Test func `a policy of one's own may hand over to another one of one's own`() throws {
        let context = try edgeContext()
        try context.performAndWait { context in
            let note = context.insert(Note.self)
            try context.save()
            let inner = MergePolicy.custom { _ in .mergeByPropertyStoreTrump }
            context.mergePolicy = .custom { _ in .custom { _ in inner } }
            note.text = "mine"
            try another(context).performAndWait { other in
                for note in try other.fetch(FetchRequest<Note>()) { note.text = "theirs" }
                try other.save()
            }
            try context.save()
        }
        let texts = try another(context).performAndWait { try $0.fetch(FetchRequest<Note>()).map(\.text) }
        #expect(texts == ["theirs"])
    }

    /// A large value of before, and that of the store, are read for whoever decides.
    @Test func `a conflict shows what was read and what is there, large values too`() throws {
        let folder = StoreKind.folder.appending(path: "\(UUID().uuidString).sqlite")
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try edgeModel())
        try coordinator.addPersistentStore(ofType: .sqlite, at: folder)
        let context = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        @Sendable func photo(_ byte: UInt8) -> Data { Data(repeating: byte, count: 150_000) }
        try context.performAndWait { context in
            let note = context.insert(Note.self)
            (note.text, note.photo) = ("old", photo(1))
            try context.save()
            context.mergePolicy = .custom { conflict in
                let values = try ["text", "photo"].flatMap {
                    [try conflict.cachedValue(forKey: $0), try conflict.persistedValue(forKey: $0)]
                }
                #expect(
                    values == [.text("old"), .text("theirs"), .blob(photo(1)), .blob(photo(2))])
                return .mergeByPropertyStoreTrump
            }
            (note.text, note.photo) = ("mine", photo(3))
            try another(context).performAndWait { other in
                for note in try other.fetch(FetchRequest<Note>()) {
                    (note.text, note.photo) = ("theirs", photo(2))
                }
                try other.save()
            }
            try context.save()
            #expect(note.text == "theirs" && note.photo == photo(2))
        }
        try coordinator.close()
    }

    @Test(.everyStore, arguments: 1..<5)
    func `what both deleted is gone, and no conflict`(number: Int) throws {
        let context = try edgeContext()
        try context.performAndWait { context in
            context.mergePolicy = Self.policies[number].policy
            let notes = (0..<3).map { _ in context.insert(Note.self) }
            try context.save()
            context.delete(notes[0])
            notes[1].text = "mine"
            let gone = notes[0].reference
            try another(context).performAndWait { other in
                other.delete(try #require(other[gone]))
                try other.save()
            }
            try context.save()
            let hasChanges = context.hasChanges
            #expect(!hasChanges)
            #expect(try context.count(FetchRequest<Note>()) == 2)
        }
        let texts = try another(context).performAndWait { try $0.fetch(FetchRequest<Note>()).map(\.text) }
        #expect(texts.sorted() == ["", "mine"])
    }

    @Test(.everyStore, arguments: [true, false])
    func `a transient value stays when its object's row is read again`(isChanged: Bool) throws {
        try tuneContext().performAndWait { context in
            let tune = context.insert(Tune.self), reference: ObjectReference<Tune>
            tune.title = "old"
            try context.save()
            reference = tune.reference
            tune.plays = 3
            if isChanged { tune.title = "mine" } else { try context.save() }
            let note = try another(context).performAndWait { other in
                try #require(other[reference]).genre = other.insert(Genre.self)
                return try other.save()
            }
            try context.mergeChanges(from: note)
            #expect(tune.plays == 3 && tune.genre != nil && tune.title == (isChanged ? "mine" : "old"))
        }
    }
}
