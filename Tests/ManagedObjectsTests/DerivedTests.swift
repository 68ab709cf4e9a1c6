import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// Attributes that the store works out of others. The oracle is Swift, over the objects of a fresh context.
@Suite(.everyStore) struct DerivedTests {
    private func context() throws -> ManagedObjectContext {
        let coordinator = try emptyCoordinator(
            ManagedObjectModel(Shop.self, Town.self, Item.self, Tag.self))
        return ManagedObjectContext(persistentStoreCoordinator: coordinator)
    }

    fileprivate final class Town: ManagedObject {
        @Attribute var name: String
        @Relationship(inverse: "town") var shops: Set<Shop>
        override class var entityName: String { "DerivedTown" }
    }

    fileprivate final class Shop: ManagedObject {
        @Attribute var name: String
        @Relationship(inverse: \Town.shops) var town: Town?
        @Relationship(inverse: "shop", deleteRule: .cascade) var items: Set<Item>
        @Relationship(inverse: "shops") var tags: Set<Tag>
        @Derived("town.name", .indexed) var townName: String?
        @Derived("canonical:(name)") var sortName: String?
        @Derived("uppercase:(town.name)") var sign: String?
        @Derived("items.@count") var itemCount: Int16
        @Derived("items.@sum.pieces") var pieces: Int64
        @Derived("items.price.@sum") var worth: Decimal
        @Derived("tags.@count") var tagCount: Int64?
        @Derived("tags.@sum.weight") var weight: Double
        @Derived("now()") var writtenAt: Date?
    }

    fileprivate final class Item: ManagedObject {
        @Attribute var pieces: Int32 = 0
        @Attribute var price: Decimal = 0
        @Relationship(inverse: \Shop.items) var shop: Shop?
        /// Over two relationships.
        @Derived("shop.town.name") var townName: String?
        @Derived("lowercase:(shop.name)") var shopName: String?
        override class var entityName: String { "DerivedItem" }
    }

    fileprivate final class Tag: ManagedObject {
        @Attribute var weight: Double
        @Relationship(inverse: \Shop.tags) var shops: Set<Shop>
        @Derived("shops.@count") var shopCount: Int32
        override class var entityName: String { "DerivedTag" }
    }

    /// Everything derived against what Swift makes of its sources.
    private func wrong(_ context: isolated ManagedObjectContext) throws -> [String] {
        var wrong: [String] = []
        func compare<Value: Equatable>(_ what: String, _ has: Value, _ wants: Value) {
            if has != wants { wrong.append("\(what) is \(has), not \(wants)") }
        }
        for shop in try context.fetch(FetchRequest<Shop>()) {
            compare("townName", shop.townName, shop.town?.name)
            compare("sign", shop.sign, shop.town?.name.uppercased())
            compare(
                "sortName", shop.sortName,
                shop.name.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil))
            compare("itemCount", Int(shop.itemCount), shop.items.count)
            compare("pieces", shop.pieces, shop.items.reduce(0) { $0 + Int64($1.pieces) })
            compare("worth", shop.worth, shop.items.reduce(Decimal(0)) { $0 + $1.price })
            compare("tagCount", shop.tagCount, Int64(shop.tags.count))
            compare("weight", shop.weight, shop.tags.reduce(0) { $0 + $1.weight })
        }
        for item in try context.fetch(FetchRequest<Item>()) {
            compare("an item's townName", item.townName, item.shop?.town?.name)
            compare("an item's shopName", item.shopName, item.shop?.name.lowercased())
        }
        for tag in try context.fetch(FetchRequest<Tag>()) {
            compare("shopCount", Int(tag.shopCount), tag.shops.count)
        }
        return wrong
    }

    @Test func `after every save derived values are what their sources make them`() throws {
        for seed in 1...12 as ClosedRange<UInt64> {
            let context = try context(), coordinator = context.persistentStoreCoordinator
            var random = SplitMix64(seed: seed)
            for step in 0..<20 {
                let next = random.next()
                let own = try context.performAndWait { context in
                    var random = SplitMix64(seed: next)
                    for _ in 0..<1 + random.next() % 4 { try edit(context, &random) }
                    try context.save()
                    return try wrong(context)
                }
                let fresh = ManagedObjectContext(persistentStoreCoordinator: coordinator)
                let others = try fresh.performAndWait { try wrong($0) }
                if !own.isEmpty || !others.isEmpty {
                    Issue.record("seed \(seed), step \(step): here \(own), elsewhere \(others)")
                    return
                }
            }
        }
    }

    private func edit(_ context: isolated ManagedObjectContext, _ random: inout SplitMix64) throws {
        func some<Object: ManagedObject>(_ objects: [Object]) -> Object? {
            objects.isEmpty ? nil : objects[Int(random.next() % UInt64(objects.count))]
        }
        let number = Int(random.next() % 9)
        let town = some(try context.fetch(FetchRequest<Town>(sortedBy: .ascending(\.name))))
        let shop = some(try context.fetch(FetchRequest<Shop>(sortedBy: .ascending(\.name))))
        let item = some(try context.fetch(FetchRequest<Item>(sortedBy: .ascending(\.pieces))))
        let tag = some(try context.fetch(FetchRequest<Tag>(sortedBy: .ascending(\.weight))))
        switch random.next() % 16 {
        case 0: context.insert(Town.self).name = "Évian \(random.next() % 1000)"
        case 1, 2:
            let new = context.insert(Shop.self)
            (new.name, new.town) = ("Äpfel \(random.next() % 1000)", town)
        case 3, 4, 5:
            let new = context.insert(Item.self)
            (new.pieces, new.price, new.shop) = (Int32(number), Decimal(number) / 10, shop)
        case 6: context.insert(Tag.self).weight = Double(number) / 4
        case 7: town?.name = "Ostheim \(random.next() % 1000)"
        case 8: shop?.town = number < 2 ? nil : town
        case 9: item?.shop = number < 2 ? nil : shop
        case 10: item?.pieces = Int32(number)
        case 11: item?.price = Decimal(number) / 100
        case 12:
            if let tag, let shop {
                if shop.tags.contains(tag) { shop.tags.remove(tag) } else { tag.shops.insert(shop) }
            }
        case 13: tag?.weight = Double(number)
        case 14:
            let victims: [ManagedObject?] = [town, shop, item, tag]
            if let victim = victims[number % 4] { context.delete(victim) }
        default: shop?.name = "Zwölf \(random.next() % 1000)"
        }
    }

    @Test func `a count falls with a pair that the other side keeps`() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDeclaration(
                "Alpha",
                properties: [.relationship(.init("zeds", to: "Zed", isToMany: true, inverse: "alphas"))]),
            EntityDeclaration(
                "Zed",
                properties: [
                    .attribute(.init("count", .integer64, derivedBy: "alphas.@count")),
                    .relationship(.init("alphas", to: "Alpha", isToMany: true, inverse: "zeds")),
                ]),
        ])
        let context = ManagedObjectContext(persistentStoreCoordinator: try emptyCoordinator(model))
        try context.performAndWait { context throws -> Void in
            let zed = try context.insert(entityNamed: "Zed")
            let alphas = [try context.insert(entityNamed: "Alpha"), try context.insert(entityNamed: "Alpha")]
            let members = try zed.mutableSetValue(forKey: "alphas")
            for alpha in alphas { try members.add(alpha) }
            try context.save()
            #expect(try zed.value(forKey: "count") as? Int64 == 2)
            members.remove(alphas[0])
            try context.save()
            #expect(try zed.value(forKey: "count") as? Int64 == 1)
        }
        try another(context).performAndWait { context throws -> Void in
            let zed = try context.fetch(FetchRequest<ManagedObject>(entityName: "Zed")).first
            #expect(try zed?.value(forKey: "count") as? Int64 == 1)
        }
    }

    @Test func `batch requests are followed too`() throws {
        let context = try context(), coordinator = context.persistentStoreCoordinator
        try context.performAndWait { context throws -> Void in
            let town = context.insert(Town.self), shop = context.insert(Shop.self),
                other = context.insert(Shop.self), tag = context.insert(Tag.self)
            (town.name, shop.name, shop.town, other.name, tag.weight) = ("Ulm", "a", town, "b", 2)
            (shop.tags, other.tags) = ([tag], [tag])
            try context.save()
            let rows: [[String: any Sendable]] = (1...5).map { ["pieces": $0, "shop": shop.objectID] }
            try context.execute(BatchInsertRequest(Item.self, objects: rows))
            #expect(shop.itemCount == 5 && shop.pieces == 15)
            try context.execute(
                BatchUpdateRequest(
                    FetchRequest<Item>(\.pieces >= 4), propertiesToUpdate: ["shop": other.objectID]))
            #expect(shop.itemCount == 3 && other.pieces == 9)
            try context.execute(BatchDeleteRequest(FetchRequest<Item>(\.pieces == 1)))
            try context.execute(
                BatchUpdateRequest(FetchRequest<Town>(), propertiesToUpdate: ["name": "Jena"]))
            try context.execute(BatchDeleteRequest(FetchRequest<Tag>()))
            #expect(shop.tagCount == 0 && shop.townName == "Jena")
            #expect(try wrong(context) == [])
            #expect(throws: FetchError.self) {
                try context.execute(
                    BatchUpdateRequest(FetchRequest<Shop>(), propertiesToUpdate: ["itemCount": 7]))
            }
        }
        let fresh = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        #expect(try fresh.performAndWait { try wrong($0) } == [])
    }

    /// A shop's count is nobody's change: who renames the shop meanwhile has no conflict, and keeps both.
    @Test func `two contexts add to one owner without a conflict`() throws {
        let context = try context(), coordinator = context.persistentStoreCoordinator
        let other = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        try context.performAndWait { context throws -> Void in
            let shop = context.insert(Shop.self)
            shop.name = "a"
            try context.save()
            context.insert(Item.self).shop = shop
            try other.performAndWait { other throws -> Void in
                let same = try #require(try other.fetch(FetchRequest<Shop>()).first)
                same.name = "b"
                other.insert(Item.self).shop = same
                try other.save()
                #expect(same.itemCount == 1)
            }
            try context.save()
            #expect(shop.itemCount == 2 && shop.name == "b" && shop.sortName == "b")
        }
    }

    @Test func `lists and fetches go by derived values, and hear of them`() throws {
        let context = try context()
        try context.performAndWait { context throws -> Void in
            let shops = ["one", "two", "three"].map { name in
                let shop = context.insert(Shop.self)
                shop.name = name
                return shop
            }
            try context.save()
            let list = context.list(
                FetchRequest<Shop>(\.itemCount < 3, sortedBy: .descending(\.itemCount), .ascending(\.name)))
            try list.performFetch()
            #expect(list.fetchedObjects.map(\.name) == ["one", "three", "two"])
            for count in 1...2 { for _ in 0..<count { context.insert(Item.self).shop = shops[count] } }
            #expect(shops[2].itemCount == 0, "until the save")
            try context.save()
            #expect(shops.map(\.itemCount) == [0, 1, 2])
            #expect(list.fetchedObjects.map(\.name) == ["three", "two", "one"])
            context.insert(Item.self).shop = shops[2]
            try context.save()
            #expect(list.fetchedObjects.map(\.name) == ["two", "one"])
            let names = try context.fetch(FetchRequest<Shop>(\.sortName == "two")).map(\.name)
            #expect(names == ["two"])
        }
    }

    @Test func `now is the time of the last save that wrote the row`() throws {
        let context = try context()
        try context.performAndWait { context throws -> Void in
            let shop = context.insert(Shop.self), other = context.insert(Shop.self)
            (shop.name, other.name) = ("a", "b")
            let before = Date()
            try context.save()
            let first = try #require(shop.writtenAt), second = try #require(other.writtenAt)
            #expect(first >= before && first <= Date())
            shop.name = "c"
            try context.save()
            #expect(try #require(shop.writtenAt) > first)
            #expect(other.writtenAt == second)
            #expect(throws: FetchError.self) { try shop.setValue(Date(), forKey: "writtenAt") }
            #expect(throws: FetchError.self) { try shop.setPrimitiveValue(1, forKey: "itemCount") }
        }
    }

    @Test(arguments: [
        ("nothing", "Note.nothing is no attribute"), ("folder.count()", "no derivation expression"),
        ("folder.@avg.size", "no derivation expression"), ("notes.@count", "is no relationship to many"),
        ("folder", "is no attribute"), ("canonical:(size)", "is no text"), ("size", "is of another type"),
        ("now()", "is a date"), ("folder.notes.name", "is no relationship to one"),
        ("derived", "is no attribute"),
    ])
    func `what cannot be derived is refused with its reason`(expression: String, reason: String) throws {
        let note = EntityDeclaration(
            "Note",
            properties: [
                .attribute(AttributeDescription("size", .double)),
                .attribute(AttributeDescription("derived", .string, derivedBy: expression)),
                .relationship(RelationshipDescription("folder", to: "Folder", inverse: "notes")),
            ])
        let folder = EntityDeclaration(
            "Folder",
            properties: [
                .relationship(
                    RelationshipDescription("notes", to: "Note", isToMany: true, inverse: "folder"))
            ])
        let error = #expect(throws: ModelError.self) { try ManagedObjectModel(entities: [note, folder]) }
        #expect("\(try #require(error))".contains(reason), "\(String(describing: error))")
        #expect("\(try #require(error))".hasPrefix("Note.derived cannot be derived: "))
    }

    @Test(arguments: [
        ("canonical: (name)", "canonical:(name)"), ("swatches . @count", "swatches.@count"),
        ("swatches.share.@sum", "swatches.@sum.share"), (" now() ", "now()"),
        ("canonical: (first_name2)", "canonical:(first_name2)"), (" last_name", "last_name"),
    ])
    func `an expression is the same in another way to write it`(_ one: String, _ other: String) throws {
        let source = try #require(Derivation(other)).source
        #expect(Derivation(one)?.source == source)
    }
}

extension DerivedTests {
    /// Entities without classes, from a file, and a store that is brought to another expression.
    @Test func `a model's file says what is derived, and a migration works it out anew`() throws {
        func model(_ expression: String) throws -> ManagedObjectModel {
            let folder = try ScratchFolder(), url = folder.url.appending(path: "M.xml")
            try Data(
                """
                <model><entity name="Album">
                <attribute name="title" attributeType="String" optional="YES"/>
                <attribute name="key" attributeType="String" optional="YES" derived="YES" \
                derivationExpression="\(expression)"/>
                </entity></model>
                """.utf8
            ).write(to: url)
            return try ManagedObjectModel(contentsOf: url)
        }
        let folder = try ScratchFolder(), url = folder.url.appending(path: "S.sqlite")
        func keys(_ model: ManagedObjectModel, _ migration: Migration? = nil, adding: String? = nil) throws
            -> [String?]
        {
            let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
            try coordinator.addPersistentStore(ofType: .sqlite, at: url, migration: migration)
            defer { try? coordinator.close() }
            return try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait {
                context in
                if let adding {
                    try context.insert(entityNamed: "Album").setValue(adding, forKey: "title")
                    try context.save()
                }
                return try context.fetch(FetchRequest<ManagedObject>(entityName: "Album")).map {
                    try $0.value(forKey: "key") as? String
                }
            }
        }
        let first = try model("canonical:(title)"), second = try model("uppercase:(title)")
        #expect(try keys(first, adding: "Été") == ["ete"])
        #expect(throws: StoreError.self) { try keys(second) }
        #expect(try keys(second, Migration(versions: [first, second])) == ["ÉTÉ"])
        let error = #expect(throws: ModelFileError.self) { try model("average:(title)") }
        #expect(error?.line == 3 && error?.reason.contains("average:(title)") == true)
    }
}

/// A history, which only SQLite stores have.
@Suite struct DerivedHistoryTests {
    private typealias Shop = DerivedTests.Shop
    private typealias Town = DerivedTests.Town
    private typealias Item = DerivedTests.Item
    private typealias Tag = DerivedTests.Tag

    /// Who reads in another stack hears of the owner whose count is another one.
    @Test func `the log of changes has the rows that got other derived values`() throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "H.sqlite")
        let model = try ManagedObjectModel(Shop.self, Town.self, Item.self, Tag.self)
        let coordinators = try (0..<2).map { _ in
            let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
            try coordinator.addPersistentStore(ofType: .sqlite, at: url, keepsHistory: true)
            return coordinator
        }
        let ours = ManagedObjectContext(persistentStoreCoordinator: coordinators[0])
        let theirs = ManagedObjectContext(persistentStoreCoordinator: coordinators[1])
        let id = try ours.performAndWait { context in
            let shop = context.insert(Shop.self)
            shop.name = "a"
            try context.save()
            return shop.objectID
        }
        try theirs.performAndWait { context throws -> Void in
            try context.mergeChanges(byOthers: coordinators[1].changesByOthers())
            let shop = try #require(try context.fetch(FetchRequest<Shop>()).first)
            #expect(shop.itemCount == 0)
            try ours.performAndWait { context throws -> Void in
                context.insert(Item.self).shop = try context.fetch(FetchRequest<Shop>()).first
                let note = try context.save()
                #expect(note.updatedObjectIDs == [id])
            }
            try context.mergeChanges(byOthers: coordinators[1].changesByOthers())
            #expect(shop.itemCount == 1)
        }
        for coordinator in coordinators { try coordinator.close() }
    }
}
