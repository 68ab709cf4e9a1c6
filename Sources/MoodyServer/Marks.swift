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

    private let stack: DataStack
    private let lifetime: Double
    private let purged = Mutex<Set<Int64>>([])
    /// The moods that this server marked, and when: a search for marks in the store reads every mood. Another
    /// process purges its own marks; if it was killed, the next ingest of folders does.
    private let marked = Mutex<[ManagedObjectID: Date]>([:])
    private let hasLooked = Mutex(false)
    /// May wait for the writer.
    private let queue = DispatchQueue(label: "moody.marks")
    private let timer: Mutex<Timer?>

    /// @unchecked Sendable: a dispatch source may be used from any thread, and this one is only kept and
    /// ended.
    private struct Timer: @unchecked Sendable { let source: any DispatchSourceTimer }

    private let onPurge: @Sendable ([Int64]) -> Void

    /// - Parameter onPurge: told the numbers of moods that are gone for good.
    init(_ stack: DataStack, lifetime: Double, onPurge: @escaping @Sendable ([Int64]) -> Void) {
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

    private func purge() {
        // A store that is busy is asked again in a moment.
        if !hasLooked.withLock({ $0 }) {
            guard let found = try? stack.markedMoods() else { return }
            marked.withLock { $0.merge(found) { $1 } }
            hasLooked.withLock { $0 = true }
        }
        let date = Date() - lifetime
        let due = marked.withLock { marked in marked.filter { $0.value < date }.map(\.key) }
        guard !due.isEmpty, let gone = try? stack.purgeMarks(before: date, of: due) else { return }
        purged.withLock { $0.formUnion(gone.map(\.key)) }
        onPurge(gone.map(\.key))
        marked.withLock { marked in for id in due { marked[id] = nil } }
    }

    /// Deletes; again, the same answer.
    func mark(_ number: Int64) async throws -> Answer {
        try await queue.run { [self] in
            guard let id = stack.moodID(number) else { return missing(number) }
            guard let since = try stack.markMoods([id], at: Date())[0] else { return missing(number) }
            marked.withLock { $0[id] = since }
            return .marked(until: since + lifetime)
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
