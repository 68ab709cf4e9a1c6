#if Server
import DataStacks
import Dispatch
import Glibc
import ManagedObjects
import NIOCore
import Synchronization

/// Answers what may take long to find, `where` and `q`, one question after the other,
/// and opens lists that are followed: each has a limit of time, and ends when its caller leaves or
/// the server ends.
final class Questions: Sendable {
    private struct State {
        var asked: [ObjectIdentifier: Question] = [:]
        var isStopped = false
    }

    /// TCP_CLOSE_WAIT of tcp(7): the other side has closed.
    private static let closeWait: UInt8 = 8

    private let stack: DataStack
    private let seconds: Double
    private let mostWaiting: Int
    private let state = Mutex<State>(State())
    private let queue = DispatchQueue(label: "moody.questions")

    init(_ stack: DataStack, limits: ServerLimits) {
        self.stack = stack
        (seconds, mostWaiting) = (limits.question, limits.questions)
    }

    /// The questions that are answered or wait.
    var count: Int { state.withLock { $0.asked.count } }

    /// - Parameter channel: the caller's.
    /// - Throws: ``Refusal`` 503 for a question that takes too long, or when too many wait.
    func answer<Value: Sendable>(
        for channel: any Channel, _ find: @escaping @Sendable (DataStack) throws -> Value
    ) async throws -> Value {
        let stack = stack
        return try await ask(for: channel, on: queue) {
            try find(stack)
        }
    }

    /// Runs on a queue what may take long to find, under the limits of a question.
    ///
    /// - Throws: as ``answer(for:_:)``.
    func ask<Value: Sendable>(
        for channel: any Channel, on queue: DispatchQueue, _ find: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        let question = Question()
        let isTaken = state.withLock { state in
            if state.isStopped || state.asked.count >= mostWaiting { return false }
            state.asked[ObjectIdentifier(question)] = question
            return true
        }
        if !isTaken { throw Refusal(503, "too many questions are waiting", retryAfter: 5) }
        let ear = InputEnd.hear(on: channel) { question.end() }
        // One who left before that is not heard.
        (channel as? any SocketOptionProvider)?.getTCPInfo().whenSuccess { info in
            if info.tcpi_state == Self.closeWait { question.end() }
        }
        defer {
            ear.leave(channel)
            state.withLock { $0.asked[ObjectIdentifier(question)] = nil }
        }
        let seconds = seconds
        return try await queue.run {
            guard let limit = question.begin(seconds: seconds) else { throw CancellationError() }
            do {
                return try ReadLimit.$current.withValue(limit) { try find() }
            } catch  where limit.isOver && !(error is Refusal) {
                if question.wasEnded { throw CancellationError() }
                throw Refusal(503, "to find that takes longer than \(Int(seconds)) seconds")
            }
        }
    }

    /// Waits until the last question has ended.
    func stop() {
        end()
        queue.sync {}
    }

    /// Ends all questions.
    func end() {
        let asked = state.withLock { state in
            state.isStopped = true
            return Array(state.asked.values)
        }
        for question in asked { question.end() }
    }

    private final class Question: Sendable {
        private struct State {
            var limit: ReadLimit?
            var wasEnded = false
        }

        private let state = Mutex<State>(State())

        var wasEnded: Bool { state.withLock { $0.wasEnded } }

        /// - Returns: nil when nobody waits for the answer any more.
        func begin(seconds: Double) -> ReadLimit? {
            state.withLock { state in
                if state.wasEnded { return nil }
                let limit = ReadLimit(seconds: seconds)
                state.limit = limit
                return limit
            }
        }

        func end() {
            state.withLock { state in
                state.wasEnded = true
                state.limit?.end()
            }
        }
    }
}
#endif
