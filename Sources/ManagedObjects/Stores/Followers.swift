import Foundation
import Synchronization

/// What takes in by itself what others save: a context.
protocol SaveFollower: AnyObject, Sendable {
    /// Takes it in on its own queue, later; nobody waits.
    func mergeSoon(_ note: SaveNotification)
}

/// Contexts that take in by themselves what is saved to their parent or their coordinator.
///
/// Any thread may call.
final class Followers: Sendable {
    private struct Follower {
        weak var context: (any SaveFollower)?
    }

    private let followers = Mutex<[Follower]>([])
    private let streams = Mutex<[UUID: AsyncStream<SaveNotification>.Continuation]>([:])

    /// A new stream of what is saved from now on.
    func makeStream() -> AsyncStream<SaveNotification> {
        let (stream, continuation) = AsyncStream.makeStream(of: SaveNotification.self)
        let key = UUID()
        streams.withLock { $0[key] = continuation }
        continuation.onTermination = { [weak self] _ in
            self?.streams.withLock { _ = $0.removeValue(forKey: key) }
        }
        return stream
    }

    func endStreams() {
        let ended = streams.withLock { streams in
            defer { streams = [:] }
            return streams
        }
        for stream in ended.values { stream.finish() }
    }

    deinit { endStreams() }

    func contains(_ context: any SaveFollower) -> Bool {
        followers.withLock { $0.contains { $0.context === context } }
    }

    func set(_ context: any SaveFollower, isFollowing: Bool) {
        followers.withLock { followers in
            followers.removeAll { $0.context == nil || $0.context === context }
            if isFollowing { followers.append(Follower(context: context)) }
        }
    }

    /// Hands on what was saved; nobody is waited for.
    func tell(_ note: SaveNotification, by saver: (any SaveFollower)?) {
        for stream in streams.withLock({ Array($0.values) }) { stream.yield(note) }
        let contexts = followers.withLock { $0.compactMap(\.context) }
        for context in contexts where context !== saver { context.mergeSoon(note) }
    }
}
