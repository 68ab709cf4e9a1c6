import Foundation
import ManagedObjects
import Testing

/// Exit status alone would not do: `precondition` stops a release build too, but without its sentence.
@Suite struct MisuseTests {
    @Test func `reading an object off its context's queue stops the program with a sentence`() async throws {
        let result = try #require(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let context = try emptyContext(), box = Smuggled()
                context.performAndWait { context in
                    fillWithMoods(context)
                    box.object = try? context.fetch(FetchRequest<Mood>()).first
                }
                _ = box.object!.title
            })
        #expect(
            String(decoding: result.standardErrorContent, as: UTF8.self)
                .contains("a managed object context was used off its queue; call perform or performAndWait"))
    }

    @Test func `writing from another context's queue stops the program with a sentence`() async throws {
        let result = try #require(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let context = try emptyContext(), other = try emptyContext(), box = Smuggled()
                await context.perform { context in
                    fillWithMoods(context)
                    box.object = try? context.fetch(FetchRequest<Mood>()).first
                }
                await other.perform { _ in box.object!.title = "stolen" }
            })
        #expect(
            String(decoding: result.standardErrorContent, as: UTF8.self)
                .contains("a managed object context was used off its queue; call perform or performAndWait"))
    }

    @Test func `deleting another context's object stops the program, not another row`() async throws {
        let result = try #require(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let context = try emptyContext(), other = try emptyContext(), box = Smuggled()
                context.performAndWait { context in
                    fillWithMoods(context)
                    box.object = try? context.fetch(FetchRequest<Mood>()).first
                    other.performAndWait { $0.delete(box.object!) }
                }
            })
        #expect(
            String(decoding: result.standardErrorContent, as: UTF8.self)
                .contains("was deleted from a context it is not in"))
    }

    @Test func `inserting a class that is not in the model stops the program with its name`() async throws {
        let result = try #require(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let context = ManagedObjectContext(
                    persistentStoreCoordinator: try emptyCoordinator(ManagedObjectModel(Region.self)))
                context.performAndWait { _ = Country.insert(into: $0, code: 1, name: "") }
            })
        #expect(
            String(decoding: result.standardErrorContent, as: UTF8.self)
                .contains("Country is not a class of this context's model"))
    }
}
