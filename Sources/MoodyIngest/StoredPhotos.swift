public import DataStacks
import Foundation
import ManagedObjects
import MoodyModel
import Palettes

/// What the store knows of the files, read without making an object of any.
struct StoredPhotos {
    struct Known {
        let folder: BytePath
        let name: [UInt8]
        let file: PhotoFile
        let state: PhotoState
        let contentHash: ContentHash?
        let hasMood: Bool
        /// Its palette is what this run would ask for, found as it would be found now.
        let isAsAsked: Bool

        var path: BytePath { folder.appending(name) }
        var place: PhotoPlace {
            PhotoPlace(folder: folder.data, name: Data(name), path: path.description)
        }
    }

    /// By folder, and in it by name: the order of bytes.
    private(set) var photos: [Known] = []
    private var ranges: [BytePath: Range<Int>] = [:]

    /// Rows read at once: each is some hundred bytes for a while.
    private static let page = 16384

    /// - Parameter request: what is asked of palettes.
    init(in stack: DataStack, asking request: PaletteRequest) throws {
        let context = stack.reader
        let leftOut =
            try LeftOutMark.isSet(in: stack) || !request.leftOut.isEmpty ? Self.leftOut(in: context) : [:]
        var folders: [Data: BytePath] = [:]
        func add(_ read: (Int, [Data: BytePath]) throws -> Page) throws {
            let first = photos.count
            var rest = true
            while rest {
                let page = try read(photos.count - first, folders)
                (rest, folders) = (page.photos.count == Self.page, page.folders)
                photos += page.photos
            }
        }
        var others: Filter<Photo>?
        if try request.leftOut.isEmpty && leftOut.isEmpty && Self.areAllAsAsked(request, in: context) {
            // One look at the moods has spared one at the mood of each photo.
            let kept: Filter<Photo> = \Photo.state == PhotoState.kept && \Photo.mood != nil
            others = !kept
            try add { offset, folders in
                try context.performAndWait { try Self.kept(kept, from: offset, in: $0, folders: folders) }
            }
        }
        try add { [others] offset, folders in
            try context.performAndWait {
                try Self.rows(others, from: offset, in: $0, asking: request, leftOut, folders: folders)
            }
        }
        sort()
    }

    private mutating func sort() {
        // Most came into the store in this order.
        photos.sort { a, b in
            a.folder == b.folder
                ? precedes(a.name, b.name) : precedes(a.folder.bytes, b.folder.bytes)
        }
        var start = 0
        while start < photos.count {
            let folder = photos[start].folder
            var end = start + 1
            while end < photos.count, photos[end].folder == folder {
                // Another process changed it while it was read: it came twice.
                if photos[end].name == photos[end - 1].name { photos.remove(at: end) } else { end += 1 }
            }
            ranges[folder] = start..<end
            start = end
        }
    }

    /// Whether every mood's palette was asked for as it is now, and found as it would be now.
    private static func areAllAsAsked(_ request: PaletteRequest, in context: ManagedObjectContext) throws
        -> Bool
    {
        let mode: MoodMode = request.mode == .area ? .area : .representative
        let others = FetchRequest<Mood>(
            \Mood.mode != mode || \Mood.k != request.count || \Mood.algorithm != Palette.algorithmVersion)
        return try context.performAndWait { try $0.count(others) } == 0
    }

    private struct Page {
        var photos: [Known] = []
        /// One copy of a folder's path for all that is in it.
        var folders: [Data: BytePath]
        private var last: (data: Data, path: BytePath)?

        init(_ folders: [Data: BytePath], room: Int) {
            self.folders = folders
            photos.reserveCapacity(room)
        }

        mutating func path(_ folder: Data) -> BytePath {
            if let last, last.data == folder { return last.path }
            let path = folders[folder] ?? BytePath(folder)
            folders[folder] = path
            last = (folder, path)
            return path
        }
    }

    /// Photos with a palette, of which each is as asked.
    private static func kept(
        _ filter: Filter<Photo>, from offset: Int, in context: isolated ManagedObjectContext,
        folders: [Data: BytePath]
    ) throws -> Page {
        var fetch = FetchRequest<Photo>(filter)
        (fetch.fetchLimit, fetch.fetchOffset) = (page, offset)
        let rows = try context.fetchValues(fetch, \.folder, \.name, \.size, \.mtimeNs, \.inode, \.contentHash)
        var page = Page(folders, room: rows.count)
        for (folder, name, size, mtime, inode, hash) in rows {
            page.photos.append(
                Known(
                    folder: page.path(folder), name: [UInt8](name),
                    file: PhotoFile(size: size, mtimeNs: mtime, inode: inode), state: .kept,
                    contentHash: hash.flatMap { ContentHash($0) }, hasMood: true, isAsAsked: true))
        }
        return page
    }

    private static func rows(
        _ filter: Filter<Photo>?, from offset: Int, in context: isolated ManagedObjectContext,
        asking request: PaletteRequest, _ leftOut: [BytePath: LeftOutColors], folders: [Data: BytePath]
    ) throws -> Page {
        var fetch = FetchRequest<Photo>(filter)
        (fetch.fetchLimit, fetch.fetchOffset) = (page, offset)
        let rows = try context.fetchValues(
            fetch, \.folder, \.name, \.size, \.mtimeNs, \.inode, \.state, \.contentHash, \.mood?.mode,
            \.mood?.k, \.mood?.algorithm)
        var page = Page(folders, room: rows.count)
        for (folder, name, size, mtime, inode, state, hash, mode, k, algorithm) in rows {
            let path = page.path(folder)
            let left = leftOut.isEmpty ? nil : leftOut[path.appending([UInt8](name))]
            let asked = mode.flatMap { mode in
                k.map { PaletteRequest(mode: mode.paletteMode, count: $0, leftOut: left ?? LeftOutColors()) }
            }
            page.photos.append(
                Known(
                    folder: path, name: [UInt8](name),
                    file: PhotoFile(size: size, mtimeNs: mtime, inode: inode), state: state,
                    contentHash: hash.flatMap { ContentHash($0) }, hasMood: asked != nil,
                    isAsAsked: asked == request && algorithm == Palette.algorithmVersion))
        }
        return page
    }

    /// What palettes were asked to leave out, by the photo's path: of those that were asked to. A look at
    /// each mood.
    private static func leftOut(in context: ManagedObjectContext) throws -> [BytePath: LeftOutColors] {
        let ids = try context.performAndWait { try $0.fetchObjectIDs(FetchRequest<Mood>()) }
        var all: [BytePath: LeftOutColors] = [:]
        for start in stride(from: 0, to: ids.count, by: 256) {
            let some = Array(ids[start..<min(start + 256, ids.count)])
            let read = try context.performAndWait { context in
                try context.objects(Mood.self, with: some, prefetching: [\Mood.photo]).compactMap {
                    mood -> (BytePath, LeftOutColors)? in
                    guard let photo = mood.photo, !mood.colors.leftOut.isEmpty else { return nil }
                    return (BytePath(photo.folder).appending([UInt8](photo.name)), mood.colors.leftOut)
                }
            }
            all.merge(read) { $1 }
        }
        return all
    }

    /// The places of a folder's photos.
    func range(of folder: BytePath) -> Range<Int> { ranges[folder] ?? 0..<0 }

    /// The place of a photo in the range of its folder; nil when the store does not know it.
    ///
    /// - Parameter next: where it probably is.
    func index(of name: [UInt8], in range: Range<Int>, next: Int) -> Int? {
        if range.contains(next), photos[next].name == name { return next }
        var low = range.lowerBound, high = range.upperBound
        while low < high {
            let middle = (low + high) / 2
            if precedes(photos[middle].name, name) { low = middle + 1 } else { high = middle }
        }
        return low < range.upperBound && photos[low].name == name ? low : nil
    }
}

/// Whether a run over this store has ever been asked to leave colours out: else there is no need to look at
/// its moods.
public enum LeftOutMark {
    private static let key = "moody.leavesOut"

    /// - Throws: ``StoreError``.
    public static func isSet(in stack: DataStack) throws -> Bool {
        try stack.coordinator.metadata(key) != nil
    }

    /// - Throws: ``StoreError``.
    static func set(in stack: DataStack) throws {
        if try !isSet(in: stack) { try stack.coordinator.setMetadata([key: "1"]) }
    }
}
