internal import Synchronization

/// A cache of transforms for recent color spaces.
///
/// Making a transform takes lcms 2 ms, a fifth of what a photo takes, and the photos of a folder share a few
/// profiles, most of them sRGB. Sixteen are remembered, profiles by their hash: some hundred KB each at most,
/// for tables.
final class ColorConversions: Sendable {
    enum Conversion: Sendable {
        case nothingToDo
        case useful(ColorTransform)
        /// It has colors that sRGB has not.
        case wide(ColorTransform, toDisplayP3: ColorTransform)
        case useless(String)
    }

    static let shared = ColorConversions()

    private let known = Mutex<[(key: [UInt8], conversion: Conversion)]>([])

    func conversion(of source: ColorSource, _ layout: PixelLayout, or find: () -> Conversion) -> Conversion {
        let key = source.key + layout.key
        if let found = known.withLock({ $0.first { $0.key == key }?.conversion }) { return found }
        let found = find()
        known.withLock {
            if $0.count == 16 { $0.removeFirst() }
            $0.append((key, found))
        }
        return found
    }
}

extension ColorSource {
    /// Bytes that two sources share when they are the same.
    fileprivate var key: [UInt8] {
        switch self {
        case .srgb: []
        case .profile(let profile): contentHash(profile)
        case .primaries(let primaries, let exponent):
            (primaries + [exponent ?? 0]).flatMap { number in
                (0..<8).map { UInt8(truncatingIfNeeded: number.bitPattern >> ($0 * 8)) }
            }
        }
    }
}

extension PixelLayout {
    fileprivate var key: [UInt8] {
        switch self {
        case .rgba: [0]
        case .gray: [1]
        case .cmyk(let inverted): [inverted ? 2 : 3]
        }
    }
}
