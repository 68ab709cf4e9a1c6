import Foundation
import Testing

@testable import ManagedObjects

final class Task_: ManagedObject {
    override class var entityName: String { "Task" }
    @Attribute var title: String = ""
    @Attribute var count: Int64
    @Attribute var weight: Double
    @Attribute var isDone: Bool
    @Attribute var isUrgent: Bool?
    @Attribute var key: UUID?
    @Relationship(inverse: "parts") var whole: Task_?
    @Relationship(inverse: \Task_.whole) var parts: Set<Task_>
}

/// What Core Data's users write without thinking.
@Suite struct ConvenienceTests {
    private func context() throws -> ManagedObjectContext {
        ManagedObjectContext(
            persistentStoreCoordinator: try emptyCoordinator(ManagedObjectModel(Task_.self)))
    }

    @Test(.everyStore) func `numbers and truth values that nobody set are saved as the zero they read as`()
        throws
    {
        let context = try context()
        try context.performAndWait { context in
            let task = context.insert(Task_.self)
            #expect(task.count == 0 && task.weight == 0 && !task.isDone)
            try context.save()
        }
        let values = try another(context).performAndWait { fresh in
            try fresh.fetch(FetchRequest<Task_>(\.count == 0 && \.weight == 0 && \.isDone == false)).count
        }
        #expect(values == 1)
    }

    @Test(.everyStore) func `truth values filter and sort by themselves, objects stand for themselves`()
        throws
    {
        try context().performAndWait { context in
            let whole = context.insert(Task_.self)
            whole.title = "whole"
            for (number, urgent) in [true, false, nil].enumerated() {
                let part = context.insert(Task_.self)
                (part.title, part.isUrgent, part.isDone) = ("\(number)", urgent, number == 1)
                (part.whole, part.count) = (whole, Int64(number))
                part.key = UUID(uuidString: "0000000\(2 - number)-0000-0000-0000-000000000000")
            }
            for isSaved in [false, true] {
                if isSaved { try context.save() }
                func titles(_ request: FetchRequest<Task_>) throws -> [String] {
                    try context.assumeIsolated { try $0.fetch(request).map(\.title) }
                }
                #expect(try titles(FetchRequest(\.isDone)) == ["1"])
                #expect(try titles(FetchRequest(!\.isDone && \Task_.count > 0)) == ["2"])
                #expect(
                    try titles(FetchRequest(Filter(\Task_.isDone) || \.count == 2)).sorted() == ["1", "2"])
                #expect(try titles(FetchRequest(\Task_.whole == whole)).sorted() == ["0", "1", "2"])
                #expect(try titles(FetchRequest(\Task_.whole != whole)) == ["whole"])
                let parts: Filter<Task_> = \.whole != nil
                #expect(try titles(FetchRequest(parts, sortedBy: .ascending(\.isUrgent))) == ["2", "1", "0"])
                #expect(
                    try titles(FetchRequest(parts, sortedBy: .descending(\.isDone), .descending(\.title)))
                        == ["1", "2", "0"])
                #expect(try titles(FetchRequest(parts, sortedBy: .ascending(\.key))) == ["2", "1", "0"])
            }
        }
    }

    @Test(.timeLimit(.minutes(10))) func `saves come as a stream, in their order, whichever context saves`()
        async throws
    {
        let context = try context()
        let coordinator = context.persistentStoreCoordinator
        let other = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        var notes = coordinator.saves.makeAsyncIterator()
        let first = try await context.perform { context in
            _ = context.insert(Task_.self)
            return try context.save()
        }
        let second = try await other.perform { other in
            try #require(other.fetch(FetchRequest<Task_>()).first).title = "other"
            return try other.save()
        }
        #expect(await notes.next() == first)
        #expect(await notes.next() == second)
        try coordinator.close()
        #expect(await notes.next() == nil)
    }

    @Test(.timeLimit(.minutes(10))) func `one object's values come as a stream, which ends with the object`()
        async throws
    {
        let context = try context()
        let other = another(context)
        await context.perform { $0.automaticallyMergesChangesFromParent = true }
        let reference = try await context.perform { context in
            let task = context.insert(Task_.self)
            task.title = "one"
            try context.save()
            return task.reference
        }
        var titles = try await context.perform { try $0.values(of: reference, as: \.title) }
            .makeAsyncIterator()
        #expect(await titles.next() == "one")
        try await other.perform { other in
            try #require(other[reference]).title = "two"
            try other.save()
        }
        #expect(await titles.next() == "two")
        // A reader who is late gets the newest.
        await context.perform { context in
            for title in ["three", "four"] {
                context[reference]?.title = title
                context.processPendingChanges()
            }
            context.rollback()
        }
        #expect(await titles.next() == "two")
        try await other.perform { other in
            other.delete(try #require(other[reference]))
            try other.save()
        }
        #expect(await titles.next() == nil)
        await #expect(throws: StoreError.objectGone(reference.objectID)) {
            try await context.perform { _ = try $0.values(of: reference, as: \.title) }
        }
    }

    @Test(.timeLimit(.minutes(10))) func `the changes of a list come with its sections`() async throws {
        let context = try context()
        let stream = try await context.perform { context in
            try context.changes(
                of: FetchRequest<Task_>(sortedBy: .ascending(\.count), .ascending(\.title)),
                sectionedBy: SectionName(\.count), as: \.title)
        }
        var changes = stream.makeAsyncIterator()
        #expect(await changes.next()?.changes.count == 1)
        try await context.perform { context in
            for number in 0..<2 {
                let task = context.insert(Task_.self)
                (task.title, task.count) = ("\(number)", Int64(number))
            }
            try context.save()
        }
        let batch = await changes.next()
        #expect(batch?.sections == [.insert(name: "0", at: 0), .insert(name: "1", at: 1)])
        #expect(batch?.changes.count == 2)
    }
}
