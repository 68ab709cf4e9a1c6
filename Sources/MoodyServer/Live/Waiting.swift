import Dispatch

extension DispatchQueue {
    /// Runs `body` on this queue, where it may wait, while the caller's task waits for it.
    func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            async { continuation.resume(with: Result { try body() }) }
        }
    }
}
