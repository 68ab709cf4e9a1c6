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
        let knownHash: ContentHash?
        /// Its mood was deleted, and it is to get one again.
        var isRestored = false
        var hasMood = false
    }

    let stored: StoredPhotos
    /// In the order they were found.
    private(set) var work: [Item] = []
    /// Photos of the store that should have been found and were not: their places in `stored`.
    private(set) var missing: Set<Int> = []
    /// Photos that an earlier run found to be missing, and that still are.
    private(set) var missingBefore = 0
    private(set) var unchanged = 0
    /// Files that nothing is done with.
    private(set) var passedOver: [(file: FoundFile, why: PassedOver)] = []
    /// Files that are known to be no pictures and that the user named.
    private(set) var namedOthers: [FoundFile] = []
    /// Files that are still being written, it seems: left for a later look.
    private(set) var unsettled: [BytePath] = []
    /// Folders that were named, hold nothing, and held photos once: not mounted, it may be.
    private(set) var emptyRoots: [BytePath] = []

    private let options: IngestOptions
    private let inputs: IngestInputs

    init(_ inputs: IngestInputs, _ stored: StoredPhotos, _ options: IngestOptions) {
        (self.stored, self.options, self.inputs) = (stored, options, inputs)
        var isThere = [Bool](repeating: false, count: stored.photos.count)
        let looksTwice = options.recompute || options.verify
        var folder: FoundFolder?, range = 0..<0, next = 0
        // Files come folder by folder.
        for file in inputs.found.files {
            if file.folder !== folder {
                (folder, range) = (file.folder, stored.range(of: file.folder.path))
                next = range.lowerBound
            }
            let index = stored.index(of: file.name, in: range, next: next)
            guard let index else {
                sort(file, nil)
                continue
            }
            isThere[index] = true
            next = index + 1
            // What most are needs nothing that has to be copied.
            if !looksTwice && stored.isUnchanged(index, file.file) {
                unchanged += 1
            } else {
                sort(file, stored.photos[index])
            }
        }
        findEmptyRoots()
        findMissing(isThere)
    }

    private mutating func sort(_ file: FoundFile, _ known: StoredPhotos.Known?) {
        guard let known else {
            if isSettled(file) { work.append(Item(found: file, isKnown: false, knownHash: nil)) }
            return
        }
        let isAsked = inputs.askedAnew?.contains(file.path) ?? true
        let recompute = isAsked && options.recompute, retry = isAsked && options.retry
        let isSame = known.file == file.file && !recompute && !(isAsked && options.verify)
        switch known.state {
        case .removed where !(isAsked && options.restore): passedOver.append((file, .leftOut))
        case .kept where isSame && known.isAsAsked: unchanged += 1
        case .failed where isSame && !retry: passedOver.append((file, .failedBefore))
        // One whose name says that this build reads it was seen by a build that did not.
        case .notPicture where isSame && !retry && !isNamedAsPicture(file.name):
            if file.isNamed { namedOthers.append(file) } else { passedOver.append((file, .other)) }
        case .kept, .failed, .notPicture, .missing, .removed:
            guard isSettled(file) else { return }
            // A file whose times changed but not its bytes needs no new palette.
            let hash = recompute || !known.isAsAsked ? nil : known.contentHash
            work.append(
                Item(
                    found: file, isKnown: known.state != .removed, knownHash: hash,
                    isRestored: known.state == .removed, hasMood: known.hasMood))
        }
    }

    private mutating func isSettled(_ file: FoundFile) -> Bool {
        if inputs.isSettled(file) { return true }
        unsettled.append(file.path)
        return false
    }

    private mutating func findEmptyRoots() {
        for root in inputs.found.empty
        where stored.photos.contains(where: { $0.state == .kept && $0.path.isBelow(root.path) }) {
            // One that holds something that was not looked at, as what was left out, is no empty folder.
            if (try? root.path.entries())?.isEmpty != false { emptyRoots.append(root.shown) }
        }
    }

    private mutating func findMissing(_ isThere: [Bool]) {
        let found = inputs.found
        for (index, known) in stored.photos.enumerated() where !isThere[index] && known.state != .removed {
            let path = known.path
            guard let root = found.searched.first(where: { path.isBelow($0) }) else { continue }
            if let places = found.places, !places.contains(where: { path.isBelow($0) }) { continue }
            if found.unreadable.contains(where: { path.isBelow($0) }) { continue }
            let below = path.bytes.dropFirst(root.bytes.count).split(separator: slash).map(Array.init)
            guard options.filter.admitsAll(below) else { continue }
            // Behind a link that is not followed this time it is still there.
            if !options.filter.followsLinks, (try? FileStatus(at: path))?.kind == .regular { continue }
            // Those that were missing before are taken out too, when they are to be.
            if known.state == .missing && !options.prune {
                missingBefore += 1
            } else {
                missing.insert(index)
            }
        }
    }
}
