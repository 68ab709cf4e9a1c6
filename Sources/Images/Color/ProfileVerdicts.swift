internal import Synchronization

/// What became of the profiles met lately.
///
/// Making a transform takes lcms 2 ms, longer than reading a photo, and the photos of a folder share a few
/// profiles, most of them sRGB. Sixteen are remembered, by hash.
final class ProfileVerdicts: Sendable {
    enum Verdict: Equatable {
        /// wide: it has colours that sRGB has not.
        case nothingToDo, useful, wide
        case useless(String)
    }

    static let shared = ProfileVerdicts()

    private let known = Mutex<[(key: [UInt8], verdict: Verdict)]>([])

    func verdict(on source: ColorSource, _ layout: PixelLayout, or find: () -> Verdict) -> Verdict {
        guard case .profile(let profile) = source else { return find() }
        let key = contentHash(profile) + [layout == .rgba ? 0 : layout == .gray ? 1 : 2]
        if let verdict = known.withLock({ $0.first { $0.key == key }?.verdict }) { return verdict }
        let verdict = find()
        known.withLock {
            if $0.count == 16 { $0.removeFirst() }
            $0.append((key, verdict))
        }
        return verdict
    }
}
