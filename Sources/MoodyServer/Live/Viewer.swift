#if Server
import NIOCore
import Synchronization

/// An open event stream, with a bounded queue of buffers to write.
///
/// Whoever sends never waits: a viewer whose queue is full is cut off, comes back by itself and is resumed.
final class Viewer: Sendable {
    enum Kind: String, Sendable { case rows, records }

    let id: UInt64
    let kind: Kind
    private let mostWaiting: Int
    private let channel: any Channel
    private let state = Mutex<State>(State())

    private struct State {
        var waiting: [ByteBuffer] = []
        var reader: CheckedContinuation<[ByteBuffer], Never>?
        var isEnded = false
        /// The list's generation that it has, or will have with what waits.
        var generation: UInt64 = 0
        /// Since when a write is under way.
        var writingSince: ContinuousClock.Instant?
    }

    init(id: UInt64, kind: Kind, mostWaiting: Int, channel: any Channel) {
        (self.id, self.kind, self.mostWaiting, self.channel) = (id, kind, mostWaiting, channel)
    }

    /// From here on frames up to this generation are not for it.
    func begin(at generation: UInt64) { state.withLock { $0.generation = generation } }

    /// Queues a frame of the list, if it is the next one for this viewer.
    func send(_ frame: ByteBuffer, generation: UInt64) {
        let isNext = state.withLock { state in
            if generation <= state.generation { return false }
            state.generation = generation
            return true
        }
        if isNext { send([frame]) }
    }

    /// - Parameter isOptional: whether it may be left out for a viewer that has enough to read.
    func send(_ buffers: [ByteBuffer], isOptional: Bool = false) {
        let (reader, isFull) = state.withLock { state -> (CheckedContinuation<[ByteBuffer], Never>?, Bool) in
            if state.isEnded || buffers.isEmpty { return (nil, false) }
            if let reader = state.reader {
                state.reader = nil
                state.writingSince = .now
                return (reader, false)
            }
            if isOptional, !state.waiting.isEmpty { return (nil, false) }
            // A stream may begin with the whole ring.
            if !state.waiting.isEmpty, state.waiting.count + buffers.count > mostWaiting {
                return (nil, true)
            }
            state.waiting += buffers
            return (nil, false)
        }
        reader?.resume(returning: buffers)
        if isFull { cutOff() }
    }

    /// Returns the queued buffers as soon as there are some; an empty array ends the stream.
    func next() async -> [ByteBuffer] {
        await withCheckedContinuation { continuation in
            let ready = state.withLock { state -> [ByteBuffer]? in
                state.writingSince = nil
                if !state.waiting.isEmpty {
                    defer { state.waiting = [] }
                    state.writingSince = .now
                    return state.waiting
                }
                if state.isEnded { return [] }
                state.reader = continuation
                return nil
            }
            if let ready { continuation.resume(returning: ready) }
        }
    }

    /// Ends the stream when what waits is written.
    func end() {
        let reader = state.withLock { state in
            state.isEnded = true
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(returning: [])
    }

    /// Ends the stream now. A writer that waits for the viewer hears of nothing but its channel's end.
    func cutOff() {
        state.withLock { ($0.waiting, $0.isEnded) = ([], true) }
        end()
        channel.close(promise: nil)
    }

    /// Whether a write takes longer than it may.
    func isStuck(for seconds: Double, at now: ContinuousClock.Instant = .now) -> Bool {
        state.withLock { state in state.writingSince.map { now - $0 > .seconds(seconds) } ?? false }
    }
}
#endif
