import Foundation
import Glibc
import MoodyModel
import Synchronization

/// Photos of the store by their contents: a new file with the bytes of one that is gone is that one, moved;
/// one with the bytes of another has its palette. Any thread may ask.
final class KnownContents: Sendable {
    /// What there is to be had for some contents, without reading the picture.
    enum Answer { case none, photo, palette }

    private let stored: StoredPhotos
    private let places: [ContentHash: [Int]]
    /// Bytes of the photos that may have moved.
    private let sizes: Set<Int64>
    private let roots: StoredRoots
    private let sharesPalettes: Bool
    private let restores: Bool
    private let state: Mutex<State>

    private struct State {
        /// Not found where they should be, and not claimed yet.
        var missing: Set<Int>
        /// Those that are a file elsewhere by now.
        var claimed: Set<Int> = []
        /// Contents that this run has a palette of, in the store.
        var kept: Set<ContentHash> = []
        /// The missing ones in order, once nothing can turn up any more.
        var lost: ArraySlice<Int> = []
    }

    init(_ plan: IngestPlan, _ options: IngestOptions, _ roots: StoredRoots) {
        stored = plan.stored
        (self.roots, sharesPalettes, restores) = (roots, options.sharesPalettes, options.restore)
        var places: [ContentHash: [Int]] = [:], sizes: Set<Int64> = []
        // Nobody asks of a run that has nothing to read.
        if !plan.work.isEmpty {
            for (index, known) in stored.photos.enumerated() {
                guard let hash = known.contentHash else { continue }
                let isRemoved = known.state == .removed
                guard known.hasMood || (isRemoved && !options.restore) else { continue }
                places[hash, default: []].append(index)
                sizes.insert(known.file.size)
            }
        }
        // Of several one with a mood, and then the one whose path comes first.
        let photos = stored.photos
        for (hash, indexes) in places where indexes.count > 1 {
            places[hash] = indexes.sorted {
                let isFirst = photos[$0].state != .removed, isSecond = photos[$1].state != .removed
                return isFirst == isSecond ? $0 < $1 : isFirst
            }
        }
        (self.places, self.sizes) = (places, sizes)
        state = Mutex(State(missing: plan.missing))
    }

    /// Whether a file of so many bytes may be one of these photos.
    func mayHold(size: Int64) -> Bool { sizes.contains(size) }

    /// What a file with these contents may do without: asked before the picture is read. What is said may be
    /// taken by another file until it is claimed.
    func look(for hash: ContentHash) -> Answer {
        let (indexes, isKept) = state.withLock { state in
            ((places[hash] ?? []).filter { !state.claimed.contains($0) }, state.kept.contains(hash))
        }
        if indexes.contains(where: { (isRemoved($0) || stored.photos[$0].isAsAsked) && isGone($0) }) {
            return .photo
        }
        let isShared = sharesPalettes && (isKept || indexes.contains { stored.photos[$0].isAsAsked })
        return isShared ? .palette : .none
    }

    /// A photo with these contents that is not where it was, once; nil when every such photo is.
    ///
    /// - Parameter path: where the file is now.
    func claim(_ hash: ContentHash?, for path: BytePath) -> StoredPhotos.Known? {
        guard let hash, let indexes = places[hash] else { return nil }
        for index in indexes
        where stored.photos[index].path != path && isGone(index)
            && state.withLock({ $0.claimed.insert(index).inserted })
        {
            state.withLock { _ = $0.missing.remove(index) }
            return stored.photos[index]
        }
        return nil
    }

    /// From now on the store has a palette of these contents, as this run asks for it.
    func keep(_ hash: ContentHash) { state.withLock { _ = $0.kept.insert(hash) } }

    private func isRemoved(_ index: Int) -> Bool { stored.photos[index].state == .removed }

    /// Whether a photo is not where it was. Where nothing can be seen, as on a disk that is not plugged in,
    /// nothing is gone.
    private func isGone(_ index: Int) -> Bool {
        if state.withLock({ $0.missing.contains(index) }) { return true }
        let known = stored.photos[index]
        do throws(FileError) {
            _ = try FileStatus(at: known.path)
            return false
        } catch {
            if error.code != ENOENT { return false }
            return known.state == .missing || roots.isThere(above: known.folder)
        }
    }

    /// Whether there are missing photos that have not turned up.
    var hasMissing: Bool { state.withLock { !$0.missing.isEmpty } }

    /// Takes out missing photos, at most so many, in the order of their folders and names.
    func takeMissing(_ count: Int) -> [StoredPhotos.Known] {
        state.withLock { state in
            if state.missing.isEmpty { return [] }
            if state.lost.isEmpty { state.lost = state.missing.sorted()[...] }
            let next = state.lost.prefix(count)
            state.lost = state.lost.dropFirst(count)
            state.missing.subtract(next)
            return next.map { stored.photos[$0] }
        }
    }
}
