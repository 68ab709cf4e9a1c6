import DataStacks
import Dispatch
import Foundation
import ManagedObjects
import MoodyIngest
import MoodyModel
import Synchronization

/// Deletions that can be taken back for a while: a deleted mood is marked, and purged when its time is up.
final class Marks: Sendable {
    /// The state of a mood, looked up by its number.
    enum Answer: Equatable, Sendable {
        case marked(until: Date)
        case restored(ManagedObjectID)
        case tooLate, unknown
    }

    /// The date that the store has, and the moment from which the time to take it back is counted: a clock
    /// that is set says nothing about that, nor about what an earlier server marked.
    private struct Mark {
        let date: Date
        let since: ContinuousClock.Instant
    }

    private let stack: DataStack
    private let lifetime: Double
    private let purged = Mutex<Set<Int64>>([])
    /// The moods that this server marked, and when: a search for marks in the store reads every mood. Another
    /// process purges its own marks; if it was killed, the next ingest of folders does.
    private let marked = Mutex<[ManagedObjectID: Mark]>([:])
    private let hasLooked = Mutex(false)
    /// May wait for the writer.
    private let queue = DispatchQueue(label: "moody.marks")
    private let timer: Mutex<Timer?>

    /// @unchecked Sendable: a dispatch source may be used from any thread, and this one is only kept and
    /// ended.
    private struct Timer: @unchecked Sendable { let source: any DispatchSourceTimer }

    private let onPurge: @Sendable ([Int64]) -> Void

    private let clock: @Sendable () -> Date

    /// - Parameters:
    ///   - clock: the time of the machine.
    ///   - onPurge: told the numbers of moods that are gone for good.
    init(
        _ stack: DataStack, lifetime: Double, clock: @escaping @Sendable () -> Date = { Date() },
        onPurge: @escaping @Sendable ([Int64]) -> Void
    ) {
        self.clock = clock
        self.stack = stack
        self.lifetime = lifetime
        self.onPurge = onPurge
        timer = Mutex(nil)
    }

    /// Purges marks as they become due, also those of an earlier server that was killed.
    func start() {
        let source = DispatchSource.makeTimerSource(queue: queue)
        source.schedule(deadline: .now(), repeating: max(0.1, min(5, lifetime / 4)))
        source.setEventHandler { [weak self] in self?.purge() }
        source.resume()
        let kept = Timer(source: source)
        timer.withLock { $0 = kept }
    }

    func stop() {
        timer.withLock { timer in
            timer?.source.cancel()
            timer = nil
        }
        // Wait for the transaction under way.
        queue.sync {}
    }

    func purge(at now: ContinuousClock.Instant = .now) {
        // A store that is busy is asked again in a moment.
        if !hasLooked.withLock({ $0 }) {
            guard let found = try? stack.markedMoods() else { return }
            marked.withLock { $0.merge(found.mapValues { Mark(date: $0, since: now) }) { known, _ in known } }
            hasLooked.withLock { $0 = true }
        }
        for (id, mark) in marked.withLock({ $0 }) where now - mark.since > .seconds(lifetime) {
            // One that was taken back and deleted again has a later date.
            guard let gone = try? stack.purgeMarks(before: mark.date + 0.001, of: [id]) else { return }
            purged.withLock { $0.formUnion(gone.map(\.key)) }
            onPurge(gone.map(\.key))
            marked.withLock { $0[id] = nil }
        }
    }

    /// Deletes; again, the same answer.
    func mark(_ number: Int64) async throws -> Answer {
        try await queue.run { [self] in
            guard let id = stack.moodID(number) else { return missing(number) }
            guard let date = try stack.markMoods([id], at: clock())[0] else { return missing(number) }
            let since = marked.withLock { marked in
                if let known = marked[id], known.date == date { return known.since }
                marked[id] = Mark(date: date, since: .now)
                return .now
            }
            return .marked(until: clock() + lifetime - (ContinuousClock.now - since) / .seconds(1))
        }
    }

    /// Takes a deletion back; of a mood that is not deleted, nothing.
    func restore(_ number: Int64) async throws -> Answer {
        try await queue.run { [self] in
            guard let id = stack.moodID(number), try stack.unmarkMoods([id])[0] else {
                return missing(number)
            }
            return .restored(id)
        }
    }

    private func missing(_ number: Int64) -> Answer {
        purged.withLock { $0.contains(number) } ? .tooLate : .unknown
    }

    /// Whether a mood with this number was here and is gone for good.
    func isPurged(_ number: Int64) -> Bool { purged.withLock { $0.contains(number) } }
}
