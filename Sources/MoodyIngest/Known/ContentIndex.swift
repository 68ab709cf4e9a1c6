import Foundation
import Glibc
import MoodyModel
import Synchronization

/// Photos of the store by the bytes that their moods were made of: a new file with the bytes of a photo that
/// is gone is that photo, moved; one with the bytes of another photo has its palette. Any thread may ask.
final class ContentIndex: Sendable {
    /// The store's answer for some contents, without reading the picture.
    enum Answer { case none, photo, palette }

    private let stored: PhotoCatalog
    /// The catalog's photos by contents.
    private let indices: HashIndex
    private let restores: Bool
    /// Bytes of the photos that may have moved.
    private let sizes: Set<Int64>
    private let presence: Presence
    private let sharesPalettes: Bool
    private let missingThisRun: Set<Int>
    private let state: Mutex<State>

    private struct State {
        /// Not found where they should be, and not claimed yet.
        var missing: Set<Int>
        /// Missing since an earlier run, and not claimed yet.
        var missingBefore: Set<Int>
        /// Photos that were found at another path.
        var claimed: Set<Int> = []
        /// Fingerprints of contents that this run has a palette of, in the store or about to be written. Of
        /// two contents with the same one the second is read when there is nothing to copy from, and comes
        /// into the store behind others of its batch.
        var kept: Set<UInt64> = []
        /// The missing ones in order, once nothing can turn up any more.
        var lost: ArraySlice<Int> = []
        /// Photos that a partial catalog lacks; their indexes follow on those of the catalog.
        var more: [PhotoCatalog.Known] = []
        /// The indexes in ``more`` by contents, of those that were looked for in the store.
        var looked: [ContentHash: [Int]] = [:]
    }

    init(_ plan: IngestPlan, _ options: IngestOptions, _ presence: Presence) {
        stored = plan.stored
        (self.presence, sharesPalettes, restores) = (presence, options.sharesPalettes, options.restore)
        var sizes: Set<Int64> = []
        let photos = stored.photos
        func isOffered(_ index: Int) -> Bool {
            let state = photos.state(at: index)
            return photos.hash(at: index) != nil && state != .sidecar
                && !(state == .removed && options.restore)
        }
        // Nobody asks of a run that has nothing to read.
        if plan.work.isEmpty {
            indices = HashIndex()
        } else {
            indices = HashIndex(of: photos, where: isOffered)
            for index in photos.indices where isOffered(index) {
                // The size is that of the bytes seen last: of a damaged photo not the palette's.
                let state = photos.state(at: index)
                if ![.failed, .notPicture, .sidecar].contains(state) {
                    sizes.insert(photos.stamp(at: index).size)
                }
            }
        }
        missingThisRun = plan.missing.filter { photos.state(at: $0) != .missing }
        self.sizes = sizes
        state = Mutex(State(missing: plan.missing, missingBefore: plan.missingBefore))
    }

    /// Whether a photo had a sidecar where it was.
    func hasSidecar(_ photo: PhotoCatalog.Known) -> Bool {
        // What is not known is taken for so: the photo is read once more.
        if !stored.isWhole { return true }
        return Sidecar(of: photo.path) != nil
            || Sidecar.paths(for: photo.path).contains(where: stored.holdsWords)
    }

    /// Whether a file of so many bytes may be one of these photos.
    func mayHold(size: Int64) -> Bool { sizes.contains(size) }

    /// The photos with these contents.
    private func indexes(of hash: ContentHash) throws -> [Int] {
        let held = indices.indexes(of: hash, in: stored.photos)
        if let known = state.withLock({ $0.looked[hash] }) { return held + known }
        guard let found = try stored.photos(of: hash) else { return held }
        return state.withLock { state in
            // Another thread may have looked at the same moment.
            if let known = state.looked[hash] { return held + known }
            // What the catalog holds counts as it was when the run was planned.
            let new = found.filter { !stored.holds($0.path) && !($0.state == .removed && restores) }
            let first = stored.photos.count + state.more.count
            state.more += new
            let indexes = Array(first..<first + new.count)
            state.looked[hash] = indexes
            return held + indexes
        }
    }

    private func photo(_ index: Int) -> PhotoCatalog.Known {
        let own = stored.photos.count
        return index < own ? stored.photos[index] : state.withLock { $0.more[index - own] }
    }

    /// Returns what the store can provide for a file with these contents, before the picture is read. Another
    /// file may claim it first.
    ///
    /// - Parameter recomputes: whether palettes that the store has do not count.
    /// - Throws: ``StoreError``.
    func look(for hash: ContentHash, recomputes: Bool) throws -> Answer {
        let all = try indexes(of: hash)
        let (indexes, isKept) = state.withLock { state in
            (all.filter { !state.claimed.contains($0) }, state.kept.contains(hash.fingerprint))
        }
        let hasMood = hasMood(all)
        func isAnswer(_ index: Int) -> Bool {
            isRemoved(index) ? !hasMood : photo(index).isAsAsked && !recomputes
        }
        if indexes.contains(where: { isAnswer($0) && isGone($0) }) { return .photo }
        let isShared = sharesPalettes && (isKept || indexes.contains { photo($0).isAsAsked })
        return isShared ? .palette : .none
    }

    /// A photo with these contents that is not where it was, once; nil when every such photo is.
    ///
    /// Prefers the same file by its inode, then photos that this run misses, then those missing before;
    /// a photo with a mood before a deleted one, and a palette as asked before others. Called by the thread
    /// that writes, one file after the other.
    ///
    /// - Parameters:
    ///   - path: where the file is now.
    ///   - file: what the file system says of it.
    /// - Throws: ``StoreError``.
    func claim(_ hash: ContentHash?, for path: BytePath, _ file: FileStamp) throws -> PhotoCatalog.Known? {
        guard let hash else { return nil }
        // Copies by the hundred: only those that are gone are put in order.
        let all = try indexes(of: hash), hasMood = hasMood(all)
        let gone = all.filter { index in
            let known = photo(index)
            if known.path == path { return false }
            // Where a copy has a mood the file may be that one: unless it is the very file that was deleted.
            let isSame = known.seen.inode == file.inode && known.seen.mtimeNs == file.mtimeNs
            if known.state == .removed && hasMood && !isSame { return false }
            return isGone(index)
        }
        func rank(_ index: Int) -> [Int] {
            let known = photo(index)
            return [
                known.state == .removed ? 1 : 0, known.seen.inode == file.inode ? 0 : 1,
                missingThisRun.contains(index) ? 0 : known.state == .missing ? 1 : 2,
                known.isAsAsked ? 0 : 1, index,
            ]
        }
        guard let index = gone.min(by: { rank($0).lexicographicallyPrecedes(rank($1)) }) else { return nil }
        state.withLock { state in
            state.claimed.insert(index)
            state.missing.remove(index)
            state.missingBefore.remove(index)
        }
        return photo(index)
    }

    /// What is written from now on finds a palette of these contents, as this run asks for it: in the store,
    /// or before it in its transaction.
    func keep(_ source: PhotoImport) {
        guard case .kept = source.result, let hash = source.contentHash.flatMap({ ContentHash($0) }) else {
            return
        }
        state.withLock { _ = $0.kept.insert(hash.fingerprint) }
    }

    /// Whether any of these photos has a mood, wherever its file is.
    private func hasMood(_ indexes: [Int]) -> Bool {
        indexes.contains { index in
            let known = photo(index)
            return known.state != .removed && known.hasMood
        }
    }

    private func isRemoved(_ index: Int) -> Bool { photo(index).state == .removed }

    /// Whether a photo is not where it was, a file elsewhere having its bytes.
    private func isGone(_ index: Int) -> Bool {
        if state.withLock({ $0.claimed.contains(index) }) { return false }
        if state.withLock({ $0.missing.contains(index) }) { return true }
        let photo = photo(index)
        switch presence.state(of: photo.path, hasTwin: true) {
        case .there, .unknown(.unreadable): return false
        case .missing: return true
        // An earlier run saw that it was gone.
        case .unknown: return photo.state == .missing
        }
    }

    /// Whether there are missing photos that have not turned up.
    var hasMissing: Bool { state.withLock { !$0.missing.isEmpty } }

    /// How many photos that an earlier run found to be missing have not turned up.
    var missingBefore: Int { state.withLock { $0.missingBefore.count } }

    /// Takes out missing photos, at most so many, in the order of their folders and names.
    func consumeMissing(_ count: Int) -> [PhotoCatalog.Known] {
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

/// Photos of a catalog by their contents: chains of indexes, 8 to 12 bytes per photo.
private struct HashIndex: Sendable {
    /// The first photo of each bucket; -1 for none. A power of two of them.
    private var heads: [Int32] = []
    /// The next photo of the same bucket; -1 for none.
    private var nexts: [Int32] = []

    init() {}

    init(of photos: PackedPhotos, where isOffered: (Int) -> Bool) {
        var buckets = 1
        while buckets < photos.count { buckets *= 2 }
        heads = Array(repeating: -1, count: buckets)
        nexts = Array(repeating: -1, count: photos.count)
        // Backwards, so that a chain goes forwards.
        for index in photos.indices.reversed() where isOffered(index) {
            guard let hash = photos.hash(at: index) else { continue }
            let bucket = Int(truncatingIfNeeded: hash.fingerprint) & (buckets - 1)
            (nexts[index], heads[bucket]) = (heads[bucket], Int32(index))
        }
    }

    /// The photos with these contents, in the order of the catalog.
    func indexes(of hash: ContentHash, in photos: PackedPhotos) -> [Int] {
        if heads.isEmpty { return [] }
        var found: [Int] = [], index = heads[Int(truncatingIfNeeded: hash.fingerprint) & (heads.count - 1)]
        while index >= 0 {
            if photos.hash(at: Int(index)) == hash { found.append(Int(index)) }
            index = nexts[Int(index)]
        }
        return found
    }
}
