package import DataStacks
import Foundation
import ManagedObjects
import MoodyModel
import Palettes

/// The stored photos, read without creating objects: all of them, or those that a few files may concern.
struct PhotoCatalog {
    struct Known: Sendable {
        let folder: BytePath
        let name: [UInt8]
        /// The file as it was seen last, whatever its bytes were then.
        let seen: FileStamp
        let state: PhotoState
        /// The bytes that the mood was made of, or that a deleted mood was made of; of a sidecar what it
        /// says. Nil when there never was a mood, or when they are not known.
        let paletteHash: ContentHash?
        let hasMood: Bool
        /// Its palette is what this run would ask for, found as it would be found now.
        let isAsAsked: Bool
        /// It is what was asked for, and an older version found it wrong.
        var isOutdated = false

        var path: BytePath { folder.appending(name) }
        var location: FileLocation {
            FileLocation(folder: folder.data, name: Data(name))
        }
    }

    /// By folder, and in it by name: the order of bytes.
    private(set) var photos = PackedPhotos()
    private var ranges: [BytePath: Range<Int>] = [:]
    /// The store, of a catalog that holds some of its photos.
    private var rest: Rest?

    /// Reads photos that a partial catalog does not hold.
    private struct Rest {
        let stack: DataStack
        let request: PaletteRequest
        let knowsHashes: Bool, looksAtLeftOut: Bool

        func photos(_ filter: Filter<Photo>) throws -> PackedPhotos {
            try stack.read { view in
                let leftOut = looksAtLeftOut ? try PhotoCatalog.leftOut(of: filter, in: view) : [:]
                return try PhotoCatalog.rows(
                    filter, in: view, asking: request, leftOut, knowsHashes: knowsHashes)
            }
        }
    }

    /// Whether every photo of the store is in the catalog.
    var isWhole: Bool { rest == nil }

    /// Creates an empty list.
    init() {}

    /// Most places of a partial catalog: to look for more of them takes longer than to read all photos.
    static let maximumPaths = 512

    /// Reads the photos at some paths and below them, and no other. Photos with some contents are read when
    /// they are asked for.
    ///
    /// - Parameter request: what is asked of palettes.
    /// - Complexity: O(paths + photos at them), however many photos the store has.
    init(at paths: [BytePath], in stack: DataStack, asking request: PaletteRequest) throws {
        let rest = Rest(
            stack: stack, request: request, knowsHashes: try PaletteHashes.upkeep.isDone(in: stack),
            looksAtLeftOut: try LeftOutMark.isSet(in: stack) || !request.leftOut.isEmpty)
        self.rest = rest
        // SQLite takes no tree of more than 1,000 conditions.
        for some in paths.parts(of: 64) {
            let filters = some.map(Self.filter(at:))
            guard let first = filters.first else { continue }
            photos.append(
                contentsOf: try rest.photos(filters.dropFirst().reduce(first) { $0 || $1 }))
        }
        ranges = photos.sort()
    }

    /// The photo at a path, and the photos below it.
    private static func filter(at path: BytePath) -> Filter<Photo> {
        let folder = path.folder.data, name = Data(path.name)
        return \Photo.folder == folder && \Photo.name == name || filter(below: path)
    }

    private static func filter(below path: BytePath) -> Filter<Photo> {
        let (first, end) = bounds(below: path), folder = path.data
        return \Photo.folder == folder
            || Filter(
                deferring: "folder >= %@ AND folder < %@", arguments: [Data(first), Data(end)])
    }

    /// Folders below `/a` begin with `/a/`, and lie before `/a0`: a slash stands before the digit.
    private static func bounds(below path: BytePath) -> (first: [UInt8], end: [UInt8]) {
        let inside = path.bytes == [slash] ? [slash] : path.bytes + [slash]
        return (inside, inside.dropLast() + [slash + 1])
    }

    /// The photos whose moods were made of these contents, and that this catalog may lack; nil when it holds
    /// all photos.
    ///
    /// - Throws: ``StoreError``.
    func photos(of contents: ContentHash) throws -> [Known]? {
        guard let rest else { return nil }
        let hash = contents.data
        return try rest.photos(\Photo.contentHash == hash).filter {
            $0.paletteHash == contents && $0.state != .sidecar
        }
    }

    /// Whether the catalog has the photo at a path.
    func holds(_ path: BytePath) -> Bool {
        index(of: path.name, in: range(of: path.folder), next: -1) != nil
    }

    /// Whether the catalog has a file at a path that may be a sidecar with other words than moody's.
    func holdsWords(_ path: BytePath) -> Bool {
        let index = index(of: path.name, in: range(of: path.folder), next: -1)
        return index.map { photos.hash(at: $0) != Sidecar.hashOfNothing } ?? false
    }

    /// Whether there are photos with files below a path.
    ///
    /// - Throws: ``StoreError``.
    func keepsPhotos(below path: BytePath) throws -> Bool {
        guard let rest else {
            return indexes(below: path).joined().contains { photos.state(at: $0) == .kept }
        }
        let below = Self.filter(below: path), kept: Filter<Photo> = \Photo.state == PhotoState.kept
        var request = FetchRequest<Photo>(below && kept)
        request.fetchLimit = 1
        return try rest.stack.read { [request] in try !$0.fetchObjectIDs(request).isEmpty }
    }

    /// Reads all photos.
    ///
    /// - Parameter request: what is asked of palettes.
    init(in stack: DataStack, asking request: PaletteRequest) throws {
        let leftOut =
            try LeftOutMark.isSet(in: stack) || !request.leftOut.isEmpty ? Self.leftOut(in: stack) : [:]
        var others: Filter<Photo>?
        if try request.leftOut.isEmpty && leftOut.isEmpty && Self.areAllAsAsked(request, in: stack) {
            // Reading all moods at once replaces a look at the mood of each photo.
            let kept: Filter<Photo> = \Photo.state == PhotoState.kept && \Photo.mood != nil
            others = !kept
            photos = try stack.read { try Self.kept(kept, in: $0) }
            // Of some of these the version matters.
            if photos.hasAVIF, try PaletteVersion.areSomeOlder(in: stack) {
                photos = PackedPhotos()
                others = nil
            }
        }
        let knowsHashes = try PaletteHashes.upkeep.isDone(in: stack)
        let rows = try stack.read { [others] in
            try Self.rows(others, in: $0, asking: request, leftOut, knowsHashes: knowsHashes)
        }
        photos.append(contentsOf: rows)
        ranges = photos.sort()
    }

    /// Whether every mood's palette was asked for as it is now, and found as it would be now.
    private static func areAllAsAsked(_ request: PaletteRequest, in stack: DataStack) throws -> Bool {
        let mode: MoodMode = request.mode == .area ? .area : .representative
        let others = FetchRequest<Mood>(
            \Mood.mode != mode || \Mood.k != request.count
                || (\Mood.algorithm != PaletteVersion.usable[0]
                    && \Mood.algorithm != PaletteVersion.usable[1])
        )
        return try stack.read { try $0.fetchCount(others) } == 0
    }

    /// A single copy of a folder's path for all its photos.
    private struct Folders {
        private var paths: [[UInt8]: BytePath] = [:]
        private var last = BytePath([])

        mutating func path(_ row: ScannedRow) -> BytePath {
            if row.holds(last.bytes, at: 0) { return last }
            let folder = row.bytes(0)
            last = paths[folder] ?? BytePath(folder)
            paths[folder] = last
            return last
        }
    }

    private static func file(_ row: ScannedRow) -> FileStamp {
        FileStamp(size: row.int(2), mtimeNs: row.int(3), inode: row.int(4))
    }

    /// Photos with a palette, of which each is as asked.
    private static func kept(_ filter: Filter<Photo>, in view: StackView) throws
        -> PackedPhotos
    {
        var photos = PackedPhotos(), folders = Folders()
        try view.scan(
            FetchRequest(filter), \.folder, \.name, \.size, \.mtimeNs, \.inode, \.contentHash
        ) { row in
            photos.append(
                Known(
                    folder: folders.path(row), name: row.bytes(1), seen: file(row), state: .kept,
                    paletteHash: row.words(5).map { ContentHash(words: $0) }, hasMood: true, isAsAsked: true))
        }
        return photos
    }

    private static func rows(
        _ filter: Filter<Photo>?, in view: StackView,
        asking request: PaletteRequest, _ leftOut: [BytePath: LeftOutColors], knowsHashes: Bool
    ) throws -> PackedPhotos {
        var photos = PackedPhotos(), folders = Folders()
        try view.scan(
            FetchRequest(filter), \.folder, \.name, \.size, \.mtimeNs, \.inode, \.contentHash, \.state,
            \.mood?.mode,
            \.mood?.k, \.mood?.algorithm, inAnyOrder: filter != nil
        ) { row in
            let path = folders.path(row), name = row.bytes(1)
            let left = leftOut.isEmpty ? nil : leftOut[path.appending(name)]
            var asked: PaletteRequest?
            if !row.isNull(7), let mode = MoodMode(rawValue: Int16(truncatingIfNeeded: row.int(7))) {
                asked = PaletteRequest(
                    mode: mode.paletteMode, count: Int16(truncatingIfNeeded: row.int(8)),
                    leftOut: left ?? LeftOutColors())
            }
            let state = PhotoState(rawValue: Int16(truncatingIfNeeded: row.int(6))) ?? .failed
            let hash = row.words(5).map { ContentHash(words: $0) }
            let isCurrent = PaletteVersion.isCurrent(Int16(truncatingIfNeeded: row.int(9)), named: name)
            let isKnown =
                state == .removed || state == .sidecar || (asked != nil && (knowsHashes || state == .kept))
            photos.append(
                Known(
                    folder: path, name: name, seen: file(row), state: state,
                    paletteHash: isKnown ? hash : nil, hasMood: asked != nil,
                    isAsAsked: asked == request && isCurrent,
                    isOutdated: asked == request && !isCurrent))
        }
        return photos
    }

    /// Returns the colors that palettes leave out, by photo path, if any. Reads
    /// every mood.
    private static func leftOut(in stack: DataStack) throws -> [BytePath: LeftOutColors] {
        let ids = try stack.read { try $0.fetchObjectIDs(FetchRequest<Mood>()) }
        var all: [BytePath: LeftOutColors] = [:]
        for some in ids.parts(of: 256) {
            let read = try stack.read { view in
                try view.objects(Mood.self, with: some, prefetching: [\Mood.photo]).compactMap {
                    mood -> (BytePath, LeftOutColors)? in
                    guard let photo = mood.photo, !mood.colors.leftOut.isEmpty else { return nil }
                    return (BytePath(photo.folder).appending([UInt8](photo.name)), mood.colors.leftOut)
                }
            }
            all.merge(read) { $1 }
        }
        return all
    }

    /// Like ``leftOut(in:)``, of some photos.
    private static func leftOut(of filter: Filter<Photo>, in view: StackView) throws
        -> [BytePath: LeftOutColors]
    {
        var all: [BytePath: LeftOutColors] = [:]
        for photo in try view.fetchAll(FetchRequest(filter)) {
            guard let mood = photo.mood, !mood.colors.leftOut.isEmpty else { continue }
            all[BytePath(photo.folder).appending([UInt8](photo.name))] = mood.colors.leftOut
        }
        return all
    }

    /// Whether the file is what it was, and has the palette that is asked for.
    func isUnchanged(_ index: Int, _ file: FileStamp) -> Bool {
        photos.isUnchanged(index, file)
    }

    /// The indexes of the photos at a path or below it, in ranges that do not overlap.
    func indexes(below path: BytePath) -> [Range<Int>] {
        let folder = ranges[path] ?? 0..<0
        let own = index(of: path.name, in: range(of: path.folder), next: -1)
        let (first, end) = Self.bounds(below: path)
        let deeper = position(of: first)..<position(of: end)
        return (own.map { [$0..<$0 + 1] } ?? []) + [folder, deeper]
    }

    /// Where the first photo stands whose folder does not come before `bytes`.
    private func position(of bytes: [UInt8]) -> Int {
        var low = 0, high = photos.count
        while low < high {
            let middle = (low + high) / 2
            if precedes(photos.folder(at: middle).bytes, bytes) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The places of a folder's photos.
    func range(of folder: BytePath) -> Range<Int> { ranges[folder] ?? 0..<0 }

    /// The index of a photo in the range of its folder; nil when the store does not know it.
    ///
    /// - Parameter next: where it probably is.
    func index(of name: [UInt8], in range: Range<Int>, next: Int) -> Int? {
        if range.contains(next), photos.hasName(name, at: next) { return next }
        let index = photos.index(of: name, in: range)
        return index < range.upperBound && photos.hasName(name, at: index) ? index : nil
    }
}

/// Whether a run over this store has ever been asked to leave colors out: else there is no need to look at
/// its moods.
package enum LeftOutMark {
    private static let key = "moody.leavesOut"

    /// - Throws: ``StoreError``.
    package static func isSet(in stack: DataStack) throws -> Bool {
        try stack.metadata(key) != nil
    }

    /// - Throws: ``StoreError``.
    static func set(in stack: DataStack) throws {
        if try !isSet(in: stack) { try stack.setMetadata([key: "1"]) }
    }
}
