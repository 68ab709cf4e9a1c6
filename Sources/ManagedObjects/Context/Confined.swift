/// A handle on a value that belongs to a context's queue, for any thread.
///
/// The value is used on the queue alone, and released there when the last handle goes.
package final class Confined<Value>: @unchecked Sendable {
    // @unchecked Sendable because the value is touched on the context's queue alone, its release included.
    private let context: ManagedObjectContext
    private let value: Value
    private let onRelease: (Value) -> Void

    /// - Parameter onRelease: called on the queue when the last handle has gone.
    package init(
        _ value: Value, in context: ManagedObjectContext, onRelease: @escaping (Value) -> Void = { _ in }
    ) {
        (self.value, self.context, self.onRelease) = (value, context, onRelease)
    }

    deinit {
        let last = Last(value: value, onRelease: onRelease)
        context.executor.async { last.onRelease(last.value) }
    }

    /// Runs `body` on the context's queue and waits.
    package func withValue<Result: Sendable>(_ body: (Value) throws -> Result) rethrows -> Result {
        try context.executor.sync { try body(value) }
    }

    private struct Last: @unchecked Sendable {
        // @unchecked Sendable because it goes to the queue, and nowhere else.
        let value: Value
        let onRelease: (Value) -> Void
    }
}

extension ManagedObjectContext {
    /// Runs `body` on this context's queue and waits, for what belongs to the queue but is no part of the
    /// context.
    package nonisolated func onQueue<Value>(_ body: () throws -> Value) rethrows -> Value {
        try executor.sync(body)
    }

    /// Hands `body` to this context's queue and returns at once, like ``enqueue(_:)`` and in order with it.
    ///
    /// - Parameter wakesThread: false when the caller enters the queue at once, and waits there anyway:
    ///   then it runs `body`, or whoever enters before it.
    package nonisolated func deliver(
        wakesThread: Bool, _ body: @escaping @Sendable (isolated ManagedObjectContext) -> Void
    ) {
        executor.deliver(wakesThread: wakesThread) {
            self.assumeIsolated { context in
                body(context)
                context.processPendingChanges()
            }
        }
    }

    /// Hands `body` to this context's queue and returns at once. Calls keep their order.
    package nonisolated func enqueue(_ body: @escaping @Sendable (isolated ManagedObjectContext) -> Void) {
        executor.async {
            self.assumeIsolated { context in
                body(context)
                context.processPendingChanges()
            }
        }
    }
}

extension ManagedObject {
    /// The values of the object's row by property name; empty for a fault. To-many relationships
    /// are not part of a row.
    package final var storedValues: [String: StoredValue] {
        if values.isEmpty { return [:] }
        let columns = entity.columnSlots.map { (entity.slots[$0].name, values[$0]) }
        return Dictionary(columns) { first, _ in first }
    }
}
