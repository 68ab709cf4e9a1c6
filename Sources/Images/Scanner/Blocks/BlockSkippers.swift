internal import Synchronization

/// A cache of tables for stepping through the data of photos with recent codes.
///
/// A camera, or a program that saves photos, mostly uses the same codes for all of them. Codes that come a
/// second time get large tables, which are kept: 64 KB for each of a photo's two pairs, of sixteen photos at
/// most.
final class BlockSkippers: Sendable {
    static let shared = BlockSkippers()

    private struct Known {
        let blocks: [BlockSkipper.Codes]
        /// Nil until they are met again.
        var skipper: BlockSkipper?
    }

    private let known = Mutex<[Known]>([])
    private static let limit = 16

    /// - Parameter blocks: the codes of each block of an MCU, in order.
    func skipper(_ blocks: [BlockSkipper.Codes]) -> BlockSkipper {
        let entry = known.withLock { known in
            let index = known.firstIndex { $0.blocks == blocks }
            // The latest is last.
            let found = index.map { known.remove(at: $0) }
            if known.count == BlockSkippers.limit { known.removeFirst() }
            known.append(found ?? Known(blocks: blocks))
            return found
        }
        guard let entry else { return BlockSkipper(blocks: blocks) }
        if let skipper = entry.skipper { return skipper }
        let skipper = BlockSkipper(blocks: blocks, width: SkipTable.largeWidth)
        known.withLock { known in
            guard let index = known.lastIndex(where: { $0.blocks == blocks }) else { return }
            known[index].skipper = skipper
        }
        return skipper
    }
}
