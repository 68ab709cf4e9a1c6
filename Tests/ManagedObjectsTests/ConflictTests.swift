import Foundation
import Testing

@testable import ManagedObjects

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
}
