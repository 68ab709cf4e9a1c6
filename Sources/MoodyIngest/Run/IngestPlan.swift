import Foundation
import Images
import MoodyModel
import Palettes

/// The plan of a run, computed from the files found and the stored photos, before any file is opened.
struct IngestPlan {
    /// A file to open.
    struct Item: Sendable {
        let found: FoundFile
        /// The store's photo at the file's path; nil for none.
        var state: PhotoState?
        var hasMood = false
        /// The bytes of which the store has a palette, as it is asked for now, at this path.
        var paletteHash: ContentHash?
        /// The bytes of which the mood at this path was made, whatever is asked for now: a file that has them
        /// keeps its own mood.
        var ownHash: ContentHash?
        /// The bytes of which the mood at this path was deleted.
        var deletedHash: ContentHash?
        /// A deleted mood of the same bytes is to come back.
        var restores = false
        /// The palette is asked for anew, also of a photo that was moved here.
        var recomputes = false

        /// Its sidecar changed.
        var isReread = false

        /// Whether the store has a file at the path that was not left out.
        var isKnown: Bool { state != nil && state != .removed }
    }

    let stored: PhotoCatalog
    /// The files to open, in the order they were found.
    private(set) var work: WorkList
    /// Photos whose files should have been found and are not there: their indexes in `stored`.
    private(set) var missing: Set<Int> = []
    /// Like `missing`, of photos that an earlier run found to be missing.
    private(set) var missingBefore: Set<Int> = []
    /// Files, by their indexes, that need not be opened, except for unchanged ones.
    private var decided: [(file: Int, verdict: FileVerdict)] = []
    private(set) var unchanged = 0
    /// Files to open again only since an older version found their palettes wrong.
    private(set) var outdated = 0
    /// Files that are still being written, it seems: left for a later look.
    private(set) var unsettled: [BytePath] = []
    /// Folders that were named, hold nothing, and held photos once: perhaps not mounted.
    private(set) var emptyRoots: [BytePath] = []

    /// Sidecars that are new or changed, by their indexes, and the store's photos at their paths.
    private var sidecars: [(file: Int, photo: Int?)] = []
    /// Sidecars that are gone: the store's photos at their paths.
    private var goneSidecars: [Int] = []

    private let options: IngestOptions
    private let inputs: IngestInputs

    /// - Throws: ``StoreError``.
    init(_ inputs: IngestInputs, stored: PhotoCatalog, options: IngestOptions, presence: Presence)
        throws
    {
        (self.stored, self.options, self.inputs) = (stored, options, inputs)
        work = WorkList(inputs, stored.photos, options)
        var isFound = [Bool](repeating: false, count: stored.photos.count)
        let looksTwice = options.recompute || options.verify
        var folder: FoundFolder?, range = 0..<0, next = 0
        // Files come folder by folder.
        for (number, file) in inputs.found.files.enumerated() {
            if file.folder !== folder {
                (folder, range) = (file.folder, stored.range(of: file.folder.path))
                next = range.lowerBound
            }
            guard let index = stored.index(of: file.name, in: range, next: next) else {
                decide(file, number, nil)
                continue
            }
            isFound[index] = true
            next = index + 1
            // The fast path of a second run: nothing is copied.
            if !looksTwice && stored.isUnchanged(index, file.file) {
                unchanged += 1
            } else {
                decide(file, number, index)
            }
        }
        try findEmptyRoots(presence)
        findMissing(isFound, presence)
        planSidecars()
    }

    /// Plans the sidecars that are new, changed or gone, behind the photos that they tell of.
    ///
    /// One of which not all photos are read in this run, as they are away, still being written, or not asked
    /// for, stays as the store has it: the next run finds it changed again.
    private mutating func planSidecars() {
        let files = inputs.found.files
        takeSidecarsThatSayTheSame()
        let changed = sidecars.map { files[$0.file].path } + goneSidecars.map { stored.photos[$0].path }
        if changed.isEmpty { return }
        var unread: Set<BytePath> = []
        for index in Set(changed.map(\.folder)).flatMap({ stored.range(of: $0) }) {
            let known = stored.photos[index]
            if known.hasMood && known.state != .removed { unread.insert(known.path) }
        }
        unread.subtract(rereadPhotos(of: changed))
        let left = Set(unread.flatMap(Sidecar.stems)), waiting = Set(unsettled.flatMap(Sidecar.stems))
        // Of a part of the store nobody knows what other photos of the stem it has: those that are there
        // count.
        let known = stored.isWhole ? [] : Set(files.map(\.path))
        func isDone(_ sidecar: BytePath) -> Bool {
            (stored.isWhole || Sidecar.photos(beside: [sidecar]).isSubset(of: known))
                && !left.contains(Sidecar.stem(of: sidecar))
        }
        for sidecar in sidecars {
            let file = files[sidecar.file]
            if isDone(file.path) {
                work.append(file: sidecar.file, photo: sidecar.photo)
            } else if file.isNamed {
                decided.append((sidecar.file, .failed(reason: "\(ImageError.unknownFormat)")))
            } else if waiting.contains(Sidecar.stem(of: file.path)) {
                unsettled.append(file.path)
            } else {
                decided.append((sidecar.file, .other))
            }
        }
        for index in goneSidecars where !isDone(stored.photos[index].path) { missing.remove(index) }
    }

    /// Plans the sidecars in which nothing changed but moody's own words: no photo is read for them.
    private mutating func takeSidecarsThatSayTheSame() {
        sidecars.removeAll { file, photo in
            let found = inputs.found.files[file]
            if found.isNamed { return false }
            let known = photo.map { stored.photos[$0] }
            let said =
                known?.state == .sidecar ? known?.paletteHash : photo == nil ? Sidecar.hashOfNothing : nil
            guard let said, let bytes = try? readFile(found.path, limit: SidecarText.largest + 1),
                Sidecar.hash(of: bytes) == said
            else { return false }
            work.append(file: file, photo: photo)
            return true
        }
        goneSidecars.removeAll { stored.photos[$0].paletteHash == Sidecar.hashOfNothing }
    }

    /// Plans to read the photos anew that changed sidecars tell of.
    ///
    /// - Returns: their paths.
    private mutating func rereadPhotos(of changed: [BytePath]) -> Set<BytePath> {
        let files = inputs.found.files
        let waiting = Set(unsettled)
        var read: Set<BytePath> = []
        let stems = Set(changed.map(Sidecar.stem)), folders = Set(changed.map(\.folder))
        for (number, file) in files.enumerated() where folders.contains(file.folder.path) {
            guard Sidecar.stems(of: file.path).contains(where: stems.contains) else { continue }
            let range = stored.range(of: file.folder.path)
            guard let index = stored.index(of: file.name, in: range, next: -1) else { continue }
            let known = stored.photos[index]
            guard known.hasMood, known.state != .removed, !waiting.contains(file.path) else { continue }
            // Also one that is back, or is to be read for another reason. What failed before is not read.
            work.reread(photo: index)
            if known.state != .failed || known.seen != file.file {
                read.insert(file.path)
            }
            let isAsked = inputs.askedAnew?.contains(file.path) ?? true
            let looksTwice = isAsked && (options.recompute || options.verify)
            if known.state == .kept, known.seen == file.file, known.isAsAsked, !looksTwice {
                unchanged -= 1
                work.append(file: number, photo: index)
            }
        }
        return read
    }

    /// The files that need not be opened, with their verdicts, except for unchanged ones.
    var verdicts: some Sequence<(file: FoundFile, verdict: FileVerdict)> {
        decided.lazy.map { (inputs.found.files[$0.file], $0.verdict) }
    }

    private mutating func decide(_ file: FoundFile, _ number: Int, _ index: Int?) {
        guard let index else { return add(file, number, nil) }
        let known = stored.photos[index]
        let isAsked = inputs.askedAnew?.contains(file.path) ?? true
        let recompute = isAsked && options.recompute, retry = isAsked && options.retry
        let restores = isAsked && options.restore
        let isSame = known.seen == file.file
        let isDone = isSame && !recompute && !(isAsked && options.verify)
        switch known.state {
        // Other bytes may be another photo; of a mood whose bytes are not known nothing can be said.
        case .removed where !restores && (isSame || known.paletteHash == nil):
            decided.append((number, .leftOut))
        case .kept where isDone && known.isAsAsked: unchanged += 1
        case .failed where isDone && !retry: decided.append((number, .failedBefore))
        // A name of a kind that this build reads: a build that does not read it called it no picture.
        case .notPicture
        where isDone && !retry && !isNamedAsPicture(file.name) && !Sidecar.isNamedSo(file.name),
            .sidecar where isDone && !retry:
            decided.append((number, .other))
        case .kept where isDone && known.isOutdated:
            if PaletteVersion.isAVIF(file.name) { outdated += 1 }
            add(file, number, index)
        case .removed, .kept, .failed, .notPicture, .missing, .sidecar: add(file, number, index)
        }
    }

    private mutating func add(_ file: FoundFile, _ number: Int, _ index: Int?) {
        if inputs.isSettled(file) {
            if Sidecar.isNamedSo(file.name) {
                sidecars.append((number, index))
            } else {
                work.append(file: number, photo: index)
            }
        } else {
            unsettled.append(file.path)
        }
    }

    private mutating func findEmptyRoots(_ presence: Presence) throws {
        emptyRoots = try inputs.found.roots.filter { root in
            try presence.folder(root.path) == .empty && stored.keepsPhotos(below: root.path)
        }.map(\.shown)
    }

    private mutating func findMissing(_ isFound: [Bool], _ presence: Presence) {
        let changed = inputs.found.changed ?? inputs.found.searched
        var isSeen = isFound
        for index in changed.flatMap(stored.indexes(below:)).joined() where !isSeen[index] {
            // A folder that was named may lie in another one.
            isSeen[index] = true
            let known = stored.photos[index]
            guard known.state != .removed, presence.state(of: known.path) == .missing else { continue }
            if known.state == .sidecar { goneSidecars.append(index) }
            // Photos that were missing before are pruned too.
            if known.state == .missing && !options.prune {
                missingBefore.insert(index)
            } else {
                missing.insert(index)
            }
        }
    }
}
