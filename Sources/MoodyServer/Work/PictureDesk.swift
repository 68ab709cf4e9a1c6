import DataStacks
import Foundation
import MoodyGallery
import MoodyIngest
import Synchronization

/// Hands out pictures: stored thumbnails, and larger ones that are made of their photos when they are asked
/// for. What is made is kept for a while; the same picture is made once, however many ask for it.
final class PictureDesk: Sendable {
    struct Key: Hashable, Sendable {
        let kind: Route.Picture
        let id: Int64
    }

    struct Picture: Sendable {
        let jpeg: [UInt8]
        /// See ``MoodRecord/pictureTag``.
        let tag: String
        /// Whether it is what was asked for, and not a thumbnail in the place of a photo that is gone.
        let isExact: Bool
    }

    private typealias Waiter = CheckedContinuation<Picture?, any Error>

    private struct State {
        var kept: [Key: Picture] = [:]
        /// The least recently used first.
        var order: [Key] = []
        var bytes = 0
        var waiters: [Key: [Waiter]] = [:]

        mutating func forget(_ key: Key) {
            guard let old = kept.removeValue(forKey: key) else { return }
            bytes -= old.jpeg.count
            order.removeAll { $0 == key }
        }
    }

    private let stack: DataStack
    private let limits: ServerLimits
    private let state = Mutex<State>(State())
    private let makers: OperationQueue
    private let reads = DispatchQueue(label: "moody.pictures")

    init(_ stack: DataStack, limits: ServerLimits) {
        (self.stack, self.limits) = (stack, limits)
        makers = OperationQueue()
        makers.maxConcurrentOperationCount = limits.makers
    }

    /// A picture of a mood; nil when there is no such mood, or nothing to show of it.
    ///
    /// - Parameter version: the digits that the address has of the picture's tag; nil for none.
    /// - Throws: ``Refusal`` 503 when too many wait; ``StoreError``.
    func picture(_ kind: Route.Picture, _ id: Int64, version: String?) async throws -> Picture? {
        let key = Key(kind: kind, id: id)
        if let version, let known = kept(key), LiveRow.version(of: known.tag) == version { return known }
        if kind == .pictures {
            return try await reads.run { [self] in
                guard let stored = try stack.pictures(id), !stored.thumbnail.isEmpty else { return nil }
                let picture = Picture(jpeg: stored.thumbnail, tag: stored.tag, isExact: true)
                keep(picture, key)
                return picture
            }
        }
        return try await made(key)
    }

    private func made(_ key: Key) async throws -> Picture? {
        try await withCheckedThrowingContinuation { (waiter: Waiter) in
            let (isFirst, isFull) = state.withLock { state -> (Bool, Bool) in
                if state.waiters[key] != nil {
                    state.waiters[key, default: []].append(waiter)
                    return (false, false)
                }
                if state.waiters.count >= limits.pictures { return (false, true) }
                state.waiters[key] = [waiter]
                return (true, false)
            }
            if isFull {
                waiter.resume(throwing: Refusal(503, "too many pictures are being made", retryAfter: 1))
            }
            guard isFirst else { return }
            makers.addOperation { [self] in
                let result = Result { try make(key) }
                if case .success(let picture?) = result, picture.isExact { keep(picture, key) }
                let waiters = state.withLock { $0.waiters.removeValue(forKey: key) ?? [] }
                for waiter in waiters { waiter.resume(with: result) }
            }
        }
    }

    private func make(_ key: Key) throws -> Picture? {
        guard let stored = try stack.pictures(key.id) else { return nil }
        let tag = stored.tag
        if let known = kept(key), known.tag == tag { return known }
        if key.kind == .large, let preview = try stack.preview(key.id) {
            return Picture(jpeg: preview, tag: tag, isExact: true)
        }
        let side = key.kind == .sharp ? SharpPicture.stored * 2 : SharpPicture.large
        if let made = SharpPicture(
            of: .init(path: stored.path, hash: stored.hash), side: side, isConfined: true)
        {
            return Picture(jpeg: made.sharp, tag: tag, isExact: true)
        }
        return stored.thumbnail.isEmpty ? nil : Picture(jpeg: stored.thumbnail, tag: tag, isExact: false)
    }

    private func kept(_ key: Key) -> Picture? {
        state.withLock { state in
            guard let picture = state.kept[key] else { return nil }
            // Looked up from the end: what was used last is asked for again.
            if state.order.last != key, let index = state.order.lastIndex(of: key) {
                state.order.remove(at: index)
                state.order.append(key)
            }
            return picture
        }
    }

    private func keep(_ picture: Picture, _ key: Key) {
        state.withLock { state in
            state.forget(key)
            state.kept[key] = picture
            state.order.append(key)
            state.bytes += picture.jpeg.count
            while state.bytes > limits.pictureBytes, let oldest = state.order.first { state.forget(oldest) }
        }
    }

    /// Lets go of what is kept of a mood that changed or went.
    func forget(_ ids: [Int64]) {
        state.withLock { state in
            for id in ids {
                for kind in [Route.Picture.pictures, .sharp, .large] {
                    state.forget(Key(kind: kind, id: id))
                }
            }
        }
    }
}
