import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// Weak relationships that are fetches. The oracle is a filter in Swift.
@Suite(.everyStore) struct FetchedPropertyTests {
    class Author: ManagedObject {
        @Attribute var alias: String
        @Attribute var least: Int16 = 0
        @FetchedProperty("alias == $FETCH_SOURCE.alias", sortedBy: .descending(\.rating)) var feedbacks:
            [Feedback]
        @FetchedProperty("alias == $FETCH_SOURCE.alias AND rating >= $FETCH_SOURCE.least", limit: 2)
        var praise: [Feedback]
    }

    final class Critic: Author {
        @FetchedProperty("author == $FETCH_SOURCE") var own: [Feedback]
    }

    final class Feedback: ManagedObject {
        @Attribute var alias: String
        @Attribute var rating: Int16
        @Relationship(inverse: nil) var author: Author?
    }

    private func context() throws -> ManagedObjectContext {
        let coordinator = try emptyCoordinator(
            ManagedObjectModel(Author.self, Critic.self, Feedback.self))
        return ManagedObjectContext(persistentStoreCoordinator: coordinator)
    }

    private func add(_ context: isolated ManagedObjectContext, _ alias: String, _ rating: Int16) -> Feedback {
        let feedback = context.insert(Feedback.self)
        (feedback.alias, feedback.rating) = (alias, rating)
        return feedback
    }

    @Test func `a fetched property is what its fetch finds, kept until the object is refreshed`() throws {
        try context().performAndWait { context throws -> Void in
            let author = context.insert(Author.self), critic = context.insert(Critic.self)
            (author.alias, author.least, critic.alias) = ("ann", 3, "bob")
            for rating: Int16 in 1...5 { _ = add(context, rating == 2 ? "bob" : "ann", rating) }
            // What is not saved is there too.
            #expect(author.feedbacks.map(\.rating) == [5, 4, 3, 1])
            #expect(author.praise.count == 2)
            #expect(critic.feedbacks.map(\.rating) == [2])
            try context.save()
            let late = add(context, "ann", 9)
            late.author = critic
            #expect(author.feedbacks.count == 4, "kept")
            #expect(critic.own.map(\.rating) == [9])
            try context.save()
            context.refresh(author, mergeChanges: false)
            #expect(author.feedbacks.map(\.rating) == [9, 5, 4, 3, 1])
            #expect(try author.value(forKey: "feedbacks") as? [Feedback] == author.feedbacks)
            #expect(try critic.value(forKeyPath: "own.rating") as? [Int64] == [9])
            let hasChanges = context.hasChanges
            #expect(!hasChanges, "to look is no change")
            #expect(throws: FetchError.self) { try author.setValue([], forKey: "feedbacks") }
        }
    }

    @Test func `fetched properties are in the description, and in no hash, row or property`() throws {
        let model = try context().persistentStoreCoordinator.managedObjectModel
        let entity = try #require(model.entity(named: "Author"))
        #expect(entity.declaration.fetchedProperties.map(\.name) == ["feedbacks", "praise"])
        #expect(entity.properties.map(\.name) == ["alias", "least"])
        let plain = try ManagedObjectModel(entities: [
            EntityDeclaration(
                "Author",
                properties: [
                    .attribute(AttributeDescription("alias", .string)),
                    .attribute(AttributeDescription("least", .integer16)),
                ])
        ])
        #expect(plain.entity(named: "Author")?.versionHash == entity.versionHash)
    }

    /// CoreDataPlus has one in SampleModel2; the editor writes it so.
    @Test func `entities without a class have those of the model's file by name`() throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "M.xml")
        try Data(
            """
            <model>
            <entity name="Base"><attribute name="size" attributeType="Integer 16" defaultValueString="0"/>
            <fetchedProperty name="alike"><fetchRequest name="r" entity="Base" predicateString="size == \
            $FETCH_SOURCE.size" fetchLimit="2"/></fetchedProperty></entity>
            <entity name="Part" parentEntity="Base">
            <fetchedProperty name="larger"><fetchRequest name="r" entity="Part" predicateString="size &gt; \
            $FETCH_SOURCE.size"/></fetchedProperty>
            <fetchedProperty name="every"><fetchRequest name="r" entity="Base"/></fetchedProperty></entity>
            <entity name="Odd"><fetchedProperty name="lost"><fetchRequest name="r" entity="Base" \
            predicateString="size == $OTHER"/></fetchedProperty></entity>
            </model>
            """.utf8
        ).write(to: url)
        let coordinator = try emptyCoordinator(ManagedObjectModel(contentsOf: url))
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait {
            context throws -> Void in
            let parts = try (0..<9).map { number in
                let part = try context.insert(entityNamed: "Part")
                try part.setValue(number % 3, forKey: "size")
                return part
            }
            try context.save()
            func sizes(_ part: ManagedObject, _ key: String) throws -> [Int64] {
                try (part.value(forKeyPath: "\(key).size") as? [Int64] ?? []).sorted()
            }
            #expect(try sizes(parts[0], "larger") == [1, 1, 1, 2, 2, 2])
            #expect(try sizes(parts[1], "alike") == [1, 1], "its limit is 2")
            #expect(try sizes(parts[1], "larger") == [2, 2, 2], "each property is kept by itself")
            #expect(try sizes(parts[2], "larger") == [])
            #expect(try sizes(parts[2], "every").count == 9)
            let odd = try context.insert(entityNamed: "Odd")
            #expect(throws: FetchError.unsupported("no value for $OTHER")) { try odd.value(forKey: "lost") }
            #expect(throws: FetchError.unknownKey(entity: "Odd", key: "alike")) {
                try odd.value(forKey: "alike")
            }
        }
    }

    @Test func `how many may be related is said in the class and looked at by each save`() throws {
        let coordinator = try emptyCoordinator(ManagedObjectModel(Crate.self, Bottle.self))
        let crate = try #require(
            coordinator.managedObjectModel.entity(named: "Crate")?.relationship("bottles"))
        #expect(crate.minCount == 2 && crate.maxCount == 3)
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait {
            context throws -> Void in
            let crate = context.insert(Crate.self)
            #expect(try Self.rules(context) == [])
            crate.bottles = [context.insert(Bottle.self)]
            #expect(try Self.rules(context) == [.tooFew(minimum: 2)])
            for _ in 0..<3 { crate.bottles.insert(context.insert(Bottle.self)) }
            #expect(try Self.rules(context) == [.tooMany(maximum: 3)])
            crate.bottles.removeFirst()
            #expect(try Self.rules(context) == [])
        }
    }

    /// What the save finds.
    private static func rules(_ context: isolated ManagedObjectContext) throws -> [ValidationError.Rule] {
        do {
            try context.save()
            return []
        } catch let error as ValidationError { return error.failures.map(\.rule) }
    }

    final class Crate: ManagedObject {
        @Relationship(inverse: "crate", minCount: 2, maxCount: 3) var bottles: Set<Bottle>
    }

    final class Bottle: ManagedObject {
        @Relationship(inverse: \Crate.bottles) var crate: Crate?
    }
}
