import Foundation
import MoodyModel
import Palettes

/// What a run will do, worked out from what was found and what the store knows, before any file is opened.
struct IngestPlan {
    struct Item: Sendable {
        let found: FoundFile
        /// Whether the store has the file already, with a mood or without.
        let isKnown: Bool
        /// The contents of which there is a palette as it is asked for.
        let knownHash: Data?
        /// Its mood was deleted, and it is to get one again.
        var isRestored = false
    }

    struct Outcome: Sendable {
        let item: Item
        let result: PhotoReader.Outcome
    }

    let stored: StoredPhotos
    /// In the order they were found.
    private(set) var work: [Item] = []
    /// Photos of the store that should have been found and were not.
    private(set) var missing: Set<PhotoPlace> = []
    private(set) var unchanged = 0, leftOut = 0, failedBefore = 0, others = 0
    /// Files that are known to be no pictures and that the user named.
    private(set) var namedOthers: [FoundFile] = []
    /// Files that are still being written, it seems: left for a later look.
    private(set) var unsettled: [BytePath] = []
    /// Folders that were named, hold nothing, and held photos once: not mounted, it may be.
    private(set) var emptyRoots: [BytePath] = []

    init(_ found: FoundFiles, _ stored: StoredPhotos, _ ingest: Ingest) {
        self.stored = stored
        let request = PaletteRequest(ingest.settings.palette)
        for file in found.files { sort(file, request, ingest) }
        findMissing(found, ingest)
    }

    private mutating func sort(_ file: FoundFile, _ request: PaletteRequest, _ ingest: Ingest) {
        guard let known = stored.known[file.place] else {
            guard isSettled(file, ingest) else { return }
            work.append(Item(found: file, isKnown: false, knownHash: nil))
            return
        }
        let isAsked = ingest.askedAnew?.contains(file.path) ?? true
        let recompute = isAsked && ingest.recompute, retry = isAsked && ingest.retry
        let isSame = known.file == file.file && !recompute
        switch known.state {
        case .removed where !(isAsked && ingest.restore): leftOut += 1
        case .kept where isSame && known.request == request: unchanged += 1
        case .failed where isSame && !retry: failedBefore += 1
        // One whose name says that this build reads it was seen by a build that did not.
        case .notPicture where isSame && !retry && !isNamedAsPicture(file.name):
            if file.isNamed { namedOthers.append(file) } else { others += 1 }
        case .kept, .failed, .notPicture, .missing, .removed:
            guard isSettled(file, ingest) else { return }
            // A file whose times changed but not its bytes needs no new palette.
            let hash = recompute || known.request != request ? nil : known.contentHash
            work.append(
                Item(
                    found: file, isKnown: known.state != .removed, knownHash: hash,
                    isRestored: known.state == .removed))
        }
    }

    private mutating func isSettled(_ file: FoundFile, _ ingest: Ingest) -> Bool {
        if ingest.isSettled(file) { return true }
        unsettled.append(file.path)
        return false
    }

    private mutating func findMissing(_ found: FoundFiles, _ ingest: Ingest) {
        let there = Set(found.files.map(\.place))
        for root in found.empty
        where stored.known.contains(where: { $1.state == .kept && path(of: $0).isBelow(root.path) }) {
            // One that holds something that was not looked at, as what was left out, is no empty folder.
            if (try? root.path.entries())?.isEmpty != false { emptyRoots.append(root.shown) }
        }
        for (place, known) in stored.known where known.state != .removed {
            // Those that were missing before are taken out too, when they are to be.
            if known.state == .missing && !ingest.prune { continue }
            if there.contains(place) { continue }
            let path = path(of: place)
            guard let root = found.searched.first(where: { path.isBelow($0) }) else { continue }
            if let places = found.places, !places.contains(where: { path.isBelow($0) }) { continue }
            if found.unreadable.contains(where: { path.isBelow($0) }) { continue }
            let below = path.bytes.dropFirst(root.bytes.count).split(separator: slash).map(Array.init)
            guard ingest.filter.admitsAll(below) else { continue }
            // Behind a link that is not followed this time it is still there.
            if !ingest.filter.followsLinks, (try? FileStatus(at: path))?.kind == .regular { continue }
            missing.insert(place)
        }
    }
}

/// From the root.
func path(of place: PhotoPlace) -> BytePath {
    BytePath(place.folder).appending([UInt8](place.name))
}
