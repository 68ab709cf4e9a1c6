import Foundation
import Testing

@testable import ManagedObjects

/// Something with a name that nobody else has, and parts that go with it.
private final class Shelf: ManagedObject {
    @Attribute var label: String = ""
    @Attribute var height: Int64 = 0
    @Attribute var width: Int64 = 0
    @Relationship(inverse: "shelf") var books: Set<Book>
    @Relationship(inverse: "of", deleteRule: .cascade) var labels: Set<Sticker>
    override class var uniquenessConstraints: [[String]] { [["label"]] }
}

private final class Book: ManagedObject {
    @Attribute var title: String = ""
    @Relationship(inverse: \Shelf.books) var shelf: Shelf?
}

private final class Sticker: ManagedObject {
    @Attribute var text: String = ""
    @Relationship(inverse: \Shelf.labels) var of: Shelf?
}

/// Two contexts on a store, or two children of one context, that change the same shelf: ours saves last.
@Suite(.everyStore) struct MergePolicyTests {
    enum Ground: CaseIterable { case store, parent }

    enum Named: CaseIterable {
        case error, storeTrump, objectTrump, overwrite, rollback
        var policy: MergePolicy {
            switch self {
            case .error: .error
            case .storeTrump: .mergeByPropertyStoreTrump
            case .objectTrump: .mergeByPropertyObjectTrump
            case .overwrite: .overwrite
            case .rollback: .rollback
            }
        }
    }

    private struct Pair {
        let ours: ManagedObjectContext, theirs: ManagedObjectContext, below: ManagedObjectContext
        /// What a reader finds who knows neither.
        func found() throws -> [String] {
            let fresh = ManagedObjectContext(parent: below)
            return try fresh.performAndWait { context in
                try context.fetch(FetchRequest<Shelf>(sortedBy: .ascending(\.label))).map { shelf in
                    let books = shelf.books.map(\.title).sorted().joined(separator: "+")
                    return "\(shelf.label) \(shelf.height) \(shelf.width) \(books)"
                }
            }
        }
    }

    private func pair(_ ground: Ground) throws -> Pair {
        let coordinator = try emptyCoordinator(ManagedObjectModel(Shelf.self, Book.self, Sticker.self))
        func context() -> ManagedObjectContext {
            ManagedObjectContext(persistentStoreCoordinator: coordinator)
        }
        let below = context()
        let pair =
            switch ground {
            case .store: Pair(ours: context(), theirs: context(), below: context())
            case .parent:
                Pair(
                    ours: ManagedObjectContext(parent: below), theirs: ManagedObjectContext(parent: below),
                    below: below)
            }
        try below.performAndWait { context in
            let shelf = context.insert(Shelf.self)
            (shelf.label, shelf.height, shelf.width) = ("a", 1, 1)
            let book = context.insert(Book.self)
            (book.title, book.shelf) = ("b", shelf)
            try context.save()
        }
        return pair
    }

    private func shelf(_ context: isolated ManagedObjectContext) throws -> Shelf {
        let shelf = try #require(try context.fetch(FetchRequest<Shelf>(\.label == "a")).first)
        _ = shelf.books.map(\.title)
        return shelf
    }

    /// Height is changed by both, width by them alone.
    @Test(arguments: Named.allCases, Ground.allCases)
    func `changed by both`(named: Named, ground: Ground) throws {
        let pair = try pair(ground)
        let id = try pair.ours.performAndWait { context in
            context.mergePolicy = named.policy
            let shelf = try shelf(context)
            shelf.height = 2
            return shelf.objectID
        }
        try pair.theirs.performAndWait { context in
            let shelf = try shelf(context)
            (shelf.height, shelf.width) = (3, 3)
            try context.save()
        }
        func save() throws { try pair.ours.performAndWait { _ = try $0.save() } }
        if named == .error {
            #expect(throws: StoreError.conflict(id)) { try save() }
        } else {
            try save()
        }
        let wanted =
            switch named {
            case .error, .storeTrump, .rollback: "a 3 3 b"
            case .objectTrump: "a 2 3 b"
            case .overwrite: "a 2 1 b"
            }
        #expect(try pair.found() == [wanted])
        if named == .error { return }
        try pair.ours.performAndWait { context in
            let shelf = try shelf(context)
            #expect("a \(shelf.height) \(shelf.width) b" == wanted, "what is here is what is there")
            let hasChanges = context.hasChanges
            #expect(!hasChanges)
        }
    }

    /// Of two properties that each changed one of, both are kept.
    @Test(arguments: [Named.storeTrump, .objectTrump], Ground.allCases)
    func `different properties are both kept`(named: Named, ground: Ground) throws {
        let pair = try pair(ground)
        try pair.ours.performAndWait { context in
            context.mergePolicy = named.policy
            try shelf(context).height = 2
        }
        try pair.theirs.performAndWait { context in
            try shelf(context).width = 3
            try context.save()
        }
        try pair.ours.performAndWait { _ = try $0.save() }
        #expect(try pair.found() == ["a 2 3 b"])
    }

    @Test(arguments: Named.allCases, Ground.allCases)
    func `changed here, deleted there`(named: Named, ground: Ground) throws {
        let pair = try pair(ground)
        let id = try pair.ours.performAndWait { context in
            context.mergePolicy = named.policy
            let shelf = try shelf(context)
            shelf.height = 2
            return shelf.objectID
        }
        try pair.theirs.performAndWait { context in
            context.delete(try shelf(context))
            try context.save()
        }
        func save() throws { try pair.ours.performAndWait { _ = try $0.save() } }
        if named == .error {
            #expect(throws: StoreError.conflict(id)) { try save() }
            #expect(try pair.found() == [])
            return
        }
        try save()
        // The book was let go of by them.
        let isBack = named == .objectTrump || named == .overwrite
        #expect(try pair.found() == (isBack ? ["a 2 1 "] : []))
        let here = try pair.ours.performAndWait { context in
            try context.fetch(FetchRequest<Shelf>()).map(\.objectID)
        }
        #expect(here == (isBack ? [id] : []))
        if ground == .store { return }
        // The parent writes it back, and nothing of the deletion is left in it.
        let failure = try pair.below.performAndWait { below in
            try below.save()
            return below.withObjects { $0.checkInvariants() }
        }
        #expect(failure == nil)
        let count = try ManagedObjectContext(
            persistentStoreCoordinator: pair.below.persistentStoreCoordinator
        ).performAndWait { try $0.count(FetchRequest<Shelf>()) }
        #expect(count == (isBack ? 1 : 0))
    }

    @Test(arguments: Named.allCases, Ground.allCases)
    func `deleted here, changed there`(named: Named, ground: Ground) throws {
        let pair = try pair(ground)
        let id = try pair.ours.performAndWait { context in
            context.mergePolicy = named.policy
            let shelf = try shelf(context)
            context.delete(shelf)
            return shelf.objectID
        }
        try pair.theirs.performAndWait { context in
            try shelf(context).width = 3
            try context.save()
        }
        func save() throws { try pair.ours.performAndWait { _ = try $0.save() } }
        switch named {
        case .error:
            #expect(throws: StoreError.conflict(id)) { try save() }
            #expect(try pair.found() == ["a 1 3 b"])
        case .objectTrump, .overwrite:
            try save()
            #expect(try pair.found() == [])
        case .storeTrump, .rollback:
            try save()
            #expect(try pair.found() == ["a 1 3 b"], "with its book")
            let here = try pair.ours.performAndWait { context in
                try shelf(context).books.map(\.title) + ["\(context.hasChanges)"]
            }
            #expect(here == ["b", "false"])
        }
    }

    @Test(arguments: [Named.storeTrump, .rollback], Ground.allCases)
    func `what was put elsewhere stays there when its old place comes back`(named: Named, ground: Ground)
        throws
    {
        let pair = try pair(ground)
        try pair.ours.performAndWait { context in
            context.mergePolicy = named.policy
            let old = try shelf(context), new = context.insert(Shelf.self)
            (new.label, new.height, new.width) = ("c", 4, 5)
            for book in old.books { book.shelf = new }
            context.delete(old)
            let hasChanges = old.hasChanges
            #expect(hasChanges, "until it is saved")
        }
        try pair.theirs.performAndWait { context in
            try shelf(context).width = 3
            try context.save()
        }
        try pair.ours.performAndWait { _ = try $0.save() }
        #expect(try pair.found() == ["a 1 3 ", "c 4 5 b"])
        let here = try pair.ours.performAndWait { context in
            try context.fetch(FetchRequest<Book>()).map { $0.shelf?.label ?? "" } + ["\(context.hasChanges)"]
        }
        #expect(here == ["c", "false"])
    }

    /// A new shelf with a label that is there already. Only a store looks at that.
    @Test(arguments: Named.allCases)
    func `a new object with somebody else's unique value`(named: Named) throws {
        let pair = try pair(.store)
        let old = try pair.theirs.performAndWait { context in try shelf(context).objectID }
        pair.ours.performAndWait { context in
            context.mergePolicy = named.policy
            let shelf = context.insert(Shelf.self)
            (shelf.label, shelf.height, shelf.width) = ("a", 7, 8)
            let book = context.insert(Book.self)
            (book.title, book.shelf) = ("new", shelf)
            let sticker = context.insert(Sticker.self)
            (sticker.text, sticker.of) = ("part", shelf)
        }
        func save() throws { try pair.ours.performAndWait { _ = try $0.save() } }
        let parts = {
            try ManagedObjectContext(parent: pair.below).performAndWait { context in
                try context.fetch(FetchRequest<Sticker>()).map { $0.of?.label ?? "" }
            }
        }
        switch named {
        case .error:
            #expect(
                throws: StoreError.notUnique(entity: "Shelf", properties: ["label"], values: [.text("a")])
            ) { try save() }
            #expect(try pair.found() == ["a 1 1 b"])
        case .storeTrump, .rollback:
            try save()
            #expect(try pair.found() == ["a 1 1 b+new"], "the store's values, and our book on it")
            #expect(try parts() == [], "what was part of ours goes with it")
        case .objectTrump, .overwrite:
            try save()
            #expect(try pair.found() == ["a 7 8 b+new"])
            #expect(try parts() == ["a"])
        }
        if named == .error { return }
        let ids = try pair.ours.performAndWait { context in
            try context.fetch(FetchRequest<Shelf>()).map(\.objectID)
        }
        #expect(ids == [old])
    }

    @Test(arguments: Named.allCases)
    func `an object renamed to somebody else's unique value`(named: Named) throws {
        let pair = try pair(.store)
        try pair.theirs.performAndWait { context in
            let shelf = context.insert(Shelf.self)
            (shelf.label, shelf.height) = ("z", 9)
            try context.save()
        }
        try pair.ours.performAndWait { context in
            context.mergePolicy = named.policy
            let shelf = try #require(try context.fetch(FetchRequest<Shelf>(\.label == "z")).first)
            (shelf.label, shelf.width) = ("a", 5)
        }
        func save() throws { try pair.ours.performAndWait { _ = try $0.save() } }
        switch named {
        case .error:
            #expect(
                throws: StoreError.notUnique(entity: "Shelf", properties: ["label"], values: [.text("a")])
            ) { try save() }
            #expect(try pair.found() == ["a 1 1 b", "z 9 0 "])
        case .storeTrump:
            try save()
            #expect(try pair.found() == ["a 1 1 b", "z 9 5 "], "but for the label it is as we want it")
        case .rollback:
            try save()
            #expect(try pair.found() == ["a 1 1 b", "z 9 0 "])
        case .objectTrump, .overwrite:
            try save()
            #expect(try pair.found() == ["a 9 5 "], "the other one gives way")
        }
    }

    @Test func `a policy of one's own is asked with both values, and may refuse`() throws {
        let pair = try pair(.store)
        struct Refused: Error {}
        try pair.ours.performAndWait { context in
            context.mergePolicy = .custom { conflict in
                // The greater height wins.
                let (mine, theirs) = (
                    conflict.sourceObject as? Shelf, try conflict.persistedValue(forKey: "height")
                )
                #expect(try conflict.cachedValue(forKey: "height") == .int(1))
                let versions = [conflict.oldVersionNumber, conflict.newVersionNumber]
                #expect(versions == [1, 2])
                #expect(!conflict.isDeletedInStore)
                guard case .int(let height) = theirs, let mine else { throw Refused() }
                if height == 99 { throw Refused() }
                return mine.height > height ? .mergeByPropertyObjectTrump : .mergeByPropertyStoreTrump
            }
            try shelf(context).height = 5
        }
        func change(to height: Int64) throws {
            try pair.theirs.performAndWait { context in
                try shelf(context).height = height
                try context.save()
            }
        }
        try change(to: 99)
        #expect(throws: Refused.self) { try pair.ours.performAndWait { _ = try $0.save() } }
        #expect(try pair.found() == ["a 99 1 b"])
        let mine = try pair.ours.performAndWait { try shelf($0).height }
        #expect(mine == 5, "nothing is lost of what was refused")
    }

    @Test func `a policy of one's own is told that the row is gone`() throws {
        let coordinator = try emptyCoordinator(testModel())
        let ours = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        let theirs = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        try ours.performAndWait { ours throws -> Void in
            let country = Country.insert(into: ours, code: 1, name: "Peru")
            try ours.save()
            let reference = country.reference
            try theirs.performAndWait { theirs throws -> Void in
                theirs.delete(try #require(theirs[reference]))
                try theirs.save()
            }
            country.name = "ours"
            ours.mergePolicy = .custom { conflict in
                #expect(conflict.isDeletedInStore && conflict.newVersionNumber == 0)
                #expect(conflict.oldVersionNumber == 1)
                return .rollback
            }
            try ours.save()
            #expect(country.isDeleted)
        }
    }

    @Test func `many conflicts in one save are all settled`() throws {
        let pair = try pair(.store)
        try pair.theirs.performAndWait { context in
            for number in 0..<50 {
                let shelf = context.insert(Shelf.self)
                (shelf.label, shelf.height) = ("s\(number)", 0)
            }
            try context.save()
        }
        try pair.ours.performAndWait { context in
            context.mergePolicy = .mergeByPropertyObjectTrump
            for shelf in try context.fetch(FetchRequest<Shelf>()) { shelf.height += 10 }
        }
        try pair.theirs.performAndWait { context in
            for shelf in try context.fetch(FetchRequest<Shelf>()) { shelf.width += 1 }
            try context.save()
        }
        try pair.ours.performAndWait { _ = try $0.save() }
        let fresh = ManagedObjectContext(parent: pair.below)
        let sums = try fresh.performAndWait { context in
            let all = try context.fetch(FetchRequest<Shelf>())
            return [all.map(\.height).reduce(0, +), all.map(\.width).reduce(0, +)]
        }
        #expect(sums == [511, 52])
    }
}
