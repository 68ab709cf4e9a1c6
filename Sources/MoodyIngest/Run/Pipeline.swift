import Dispatch
import Synchronization

/// Runs `work` for 0..<`count` on `width` threads and hands each result to `sink` in order, on the caller's
/// thread.
///
/// No more than `width` are worked on at once and no more than `window` results exist at once, whatever the
/// count: a slow sink stops the workers. Waits; not to be called on a queue that `work` needs.
///
/// - Parameters:
///   - isStopped: asked before each piece of work. Once true no more is begun, what was begun is finished and
///     handed over, and the rest is left.
///   - meanwhile: run once on the caller's thread, when the workers have begun and before the first result is
///   handed over. When it throws, work already begun is finished and its results are dropped.
///   - sink: the same when it throws.
package func pipeline<Output: Sendable>(
    count: Int, width: Int, window: Int, isStopped: @escaping @Sendable () -> Bool = { false },
    work: @escaping @Sendable (Int) -> Output, meanwhile: () throws -> Void = {},
    sink: (Output) throws -> Void
) rethrows {
    let group = DispatchGroup()
    let state = PipelineState<Output>(window: window)
    for worker in 0..<min(width, count) {
        // A queue each: the global queue has as many threads as cores, and one that waits holds one of them.
        DispatchQueue(label: "moody.worker.\(worker)").async(group: group) {
            while let index = state.next(below: count, isStopped: isStopped) {
                state.put(work(index), at: index)
            }
            state.leave()
        }
    }
    // Whatever happens, nobody is left waiting for a place.
    defer {
        state.stop()
        group.wait()
    }
    try meanwhile()
    for index in 0..<count {
        guard let output = state.consume(index) else { return }
        try sink(output)
        state.release()
    }
}

/// Like ``pipeline(count:width:window:isStopped:work:meanwhile:sink:)`` for inputs that come one after the
/// other, from a stream whose end nobody knows.
///
/// - Parameters:
///   - next: the next input; nil at the end. Called by one thread at a time, and at most `window` inputs
///     ahead of the sink.
package func pipeline<Input: Sendable, Output: Sendable>(
    width: Int, window: Int, next: @escaping @Sendable () -> Input?,
    work: @escaping @Sendable (Input) -> Output, sink: (Output) throws -> Void
) rethrows {
    let group = DispatchGroup()
    let state = PipelineState<Output>(window: window), turn = Mutex(PipelineTurn())
    for worker in 0..<width {
        DispatchQueue(label: "moody.worker.\(worker)").async(group: group) {
            while true {
                // The index and the input belong together: both are taken in one turn.
                let begun: (Int, Input)? = turn.withLock { _ in
                    guard let index = state.next(below: .max, isStopped: { false }) else { return nil }
                    guard let input = next() else {
                        state.end(at: index)
                        return nil
                    }
                    return (index, input)
                }
                guard let (index, input) = begun else { break }
                state.put(work(input), at: index)
            }
            state.leave()
        }
    }
    defer {
        state.stop()
        group.wait()
    }
    var index = 0
    while let output = state.consume(index) {
        try sink(output)
        state.release()
        index += 1
    }
}

/// The right to take the next index and its input; holds no data.
private struct PipelineTurn {}

/// `window` places, each filled by a worker and emptied by the sink in turn.
private final class PipelineState<Output: Sendable>: Sendable {
    private struct State {
        var outputs: [Int: Output] = [:]
        var begun = 0, taken = 0, working = 0
        var isStopped = false
    }

    private let window: Int
    private let state = Mutex(State())
    private let changed = DispatchSemaphoreBroadcast()

    init(window: Int) { self.window = window }

    /// The next index to work on, nil when there is none; waits for a free place.
    func next(below count: Int, isStopped: () -> Bool) -> Int? {
        while true {
            let ticket = changed.ticket
            let answer: Int?? = state.withLock { state in
                if state.isStopped || state.begun >= count { return .some(nil) }
                if isStopped() {
                    state.isStopped = true
                    return .some(nil)
                }
                guard state.begun - state.taken < window else { return nil }
                state.begun += 1
                state.working += 1
                return .some(state.begun - 1)
            }
            if let answer { return answer }
            changed.wait(after: ticket)
        }
    }

    func put(_ output: Output, at index: Int) {
        state.withLock { state in
            state.outputs[index] = output
            state.working -= 1
        }
        changed.signal()
    }

    /// There is nothing at `index`, which was begun, nor behind it.
    func end(at index: Int) {
        state.withLock { state in
            state.begun = index
            state.working -= 1
            state.isStopped = true
        }
        changed.signal()
    }

    func leave() { changed.signal() }

    func stop() {
        state.withLock { $0.isStopped = true }
        changed.signal()
    }

    /// The result of `index`; nil when the pipeline was stopped before it was begun.
    func consume(_ index: Int) -> Output? {
        while true {
            let ticket = changed.ticket
            let answer: Output?? = state.withLock { state in
                if let output = state.outputs.removeValue(forKey: index) { return .some(output) }
                return state.isStopped && index >= state.begun ? .some(nil) : nil
            }
            if let answer { return answer }
            changed.wait(after: ticket)
        }
    }

    /// The sink is done with a result: its place is free.
    func release() {
        state.withLock { $0.taken += 1 }
        changed.signal()
    }
}

/// Wakes everybody who waits, as a condition variable does.
private final class DispatchSemaphoreBroadcast: Sendable {
    private struct State {
        var generation = 0
        var waiting: [DispatchSemaphore] = []
    }
    private let state = Mutex(State())

    /// Taken before looking: a signal between the look and the wait is not lost.
    var ticket: Int { state.withLock { $0.generation } }

    func signal() {
        let waiting = state.withLock { state in
            state.generation += 1
            defer { state.waiting = [] }
            return state.waiting
        }
        for semaphore in waiting { semaphore.signal() }
    }

    func wait(after ticket: Int) {
        let semaphore: DispatchSemaphore? = state.withLock { state in
            guard state.generation == ticket else { return nil }
            let semaphore = DispatchSemaphore(value: 0)
            state.waiting.append(semaphore)
            return semaphore
        }
        semaphore?.wait()
    }
}
