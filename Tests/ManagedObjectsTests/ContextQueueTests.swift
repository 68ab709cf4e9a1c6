import Dispatch
import Foundation
import ManagedObjects
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10))) struct ContextQueueTests {
    @Test func `perform returns what its body returns`() async throws {
        let context = try emptyContext()
        let count = try await context.perform { context in
            fillWithMoods(context)
            return try context.fetch(FetchRequest<Mood>()).count
        }
        #expect(count == 5)
    }

    @Test func `performAndWait inside performAndWait and inside perform runs at once`() async throws {
        let context = try emptyContext()
        #expect(context.performAndWait { $0.performAndWait { _ in 42 } } == 42)
        #expect(await context.perform { $0.performAndWait { $0.performAndWait { _ in 42 } } } == 42)
    }

    @Test func `two contexts entered on one thread each know it`() throws {
        let outer = try emptyContext(), inner = try emptyContext()
        let counts = try outer.performAndWait { outer in
            fillWithMoods(outer)
            let inside = try inner.performAndWait { inner in
                fillWithMoods(inner)
                return try inner.fetch(FetchRequest<Mood>()).count
            }
            return [inside, try outer.fetch(FetchRequest<Mood>()).count]
        }
        #expect(counts == [5, 5])
    }

    @Test func `performChanges calls from one thread keep their order`() throws {
        let context = try emptyContext()
        for code in 0..<100 {
            context.performChanges { context in
                let before = (try? context.count(FetchRequest<Country>())) ?? -1
                Country.insert(into: context, code: Int16(code), name: "\(before)")
            }
        }
        // Each saw those that were called before it, whatever order a fetch has them in.
        let names = try context.performAndWait { context in
            try context.fetch(FetchRequest<Country>(sortedBy: .ascending(\.code))).map(\.name)
        }
        #expect(names == (0..<100).map(String.init))
    }

    /// 64 threads enter by all three doors at once; a lost update or a trap would show.
    @Test func `callers on many threads wait for each other`() async throws {
        let context = try emptyContext()
        DispatchQueue.concurrentPerform(iterations: 64) { index in
            context.performAndWait { _ = Country.insert(into: $0, code: Int16(index), name: "") }
            context.performChanges { _ = Country.insert(into: $0, code: Int16(index), name: "") }
        }
        await withTaskGroup { group in
            for index in 0..<64 {
                group.addTask {
                    await context.perform { _ = Country.insert(into: $0, code: Int16(index), name: "") }
                }
            }
        }
        let count = try context.performAndWait { try $0.fetch(FetchRequest<Country>()).count }
        #expect(count == 192)
    }

    @Test func `what is delivered runs before the next block, and never inside one`() async throws {
        let context = try emptyContext()
        let order = Mutex<[Int]>([])
        @Sendable func note(_ number: Int) { order.withLock { $0.append(number) } }
        context.deliver(wakesThread: false) { _ in note(1) }
        context.deliver(wakesThread: false) { _ in note(2) }
        context.performAndWait { context in
            note(3)
            context.deliver(wakesThread: false) { _ in note(5) }
            context.performAndWait { _ in note(4) }
        }
        await context.perform { _ in note(6) }
        #expect(order.withLock { $0 } == [1, 2, 3, 4, 5, 6])
        // Nobody enters: a thread is woken.
        context.deliver(wakesThread: true) { _ in note(7) }
        for _ in 0..<1000 where order.withLock({ $0.count }) < 7 {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(order.withLock { $0.last } == 7)
    }

    @Test func `what is delivered stands between the blocks before and after it`() throws {
        let context = try emptyContext()
        let order = Mutex<[Int]>([])
        let isInside = DispatchSemaphore(value: 0), mayLeave = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            context.performAndWait { _ in
                isInside.signal()
                mayLeave.wait()
            }
        }
        isInside.wait()
        for number in 0..<300 {
            if number % 3 == 1 {
                context.deliver(wakesThread: number % 2 == 0) { _ in order.withLock { $0.append(number) } }
            } else {
                context.enqueue { _ in order.withLock { $0.append(number) } }
            }
        }
        mayLeave.signal()
        context.performAndWait { _ in }
        #expect(order.withLock { $0 } == Array(0..<300))
    }

    @Test func `an error comes out of both forms`() async throws {
        let context = try emptyContext()
        #expect(throws: Refusal.self) { try context.performAndWait { _ in throw Refusal() } }
        await #expect(throws: Refusal.self) { try await context.perform { _ in throw Refusal() } }
    }

    @Test func `a reference names its object until the object is deleted`() async throws {
        let context = try emptyContext()
        let germany = await context.perform { Country.insert(into: $0, code: 276, name: "Germany").reference }
        #expect(await context.perform { $0[germany]?.name } == "Germany")
        await context.perform { context in context.delete(context[germany]!) }
        #expect(await context.perform { $0[germany] == nil })
    }

    @Test func `a context ends with its last holder, and its objects with it`() async throws {
        let box = Smuggled()
        do {
            let context = try emptyContext()
            context.performAndWait { context in
                fillWithMoods(context)
                box.watched = try? context.fetch(FetchRequest<Mood>()).first
            }
            #expect(box.watched != nil)
        }
        for _ in 0..<100 where box.watched != nil { try await Task.sleep(for: .milliseconds(10)) }
        #expect(box.watched == nil)
    }
}

private struct Refusal: Error {}

/// Carries an object past the compiler, which refuses every honest way.
final class Smuggled: @unchecked Sendable {
    // @unchecked Sendable because breaking the rule is what the tests are about.
    var object: Mood?
    weak var watched: Mood?
}
