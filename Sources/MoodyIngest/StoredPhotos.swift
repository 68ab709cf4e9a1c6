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
        /// Its palette is what this run would ask for.
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
    private static let page = 8192

    /// - Parameter request: what is asked of palettes.
    init(in stack: DataStack, asking request: PaletteRequest) throws {
        let context = stack.reader
        let leftOut =
            try LeftOutMark.isSet(in: stack) || !request.leftOut.isEmpty ? Self.leftOut(in: context) : [:]
        var folders: [Data: BytePath] = [:], rest = true
        while rest {
            let (offset, known) = (photos.count, folders)
            let page = try context.performAndWait {
                try Self.rows(from: offset, in: $0, asking: request, leftOut, folders: known)
            }
            (rest, folders) = (page.photos.count == Self.page, page.folders)
            photos += page.photos
        }
        // Most came into the store in this order.
        photos.sort { a, b in
            a.folder == b.folder
                ? precedes(a.name, b.name) : precedes(a.folder.bytes, b.folder.bytes)
        }
        var start = 0
        while start < photos.count {
            let folder = photos[start].folder
            let end = photos[start...].firstIndex { $0.folder != folder } ?? photos.count
            ranges[folder] = start..<end
            start = end
        }
    }

    /// - Parameter folders: one copy of a folder's path for all that is in it.
    private static func rows(
        from offset: Int, in context: isolated ManagedObjectContext, asking request: PaletteRequest,
        _ leftOut: [BytePath: LeftOutColors], folders: [Data: BytePath]
    ) throws -> (photos: [Known], folders: [Data: BytePath]) {
        var fetch = FetchRequest<Photo>(), folders = folders
        (fetch.fetchLimit, fetch.fetchOffset) = (page, offset)
        let rows = try context.fetchValues(
            fetch, \.folder, \.name, \.size, \.mtimeNs, \.inode, \.state, \.contentHash, \.mood?.mode,
            \.mood?.k)
        let photos = rows.map { folder, name, size, mtime, inode, state, hash, mode, k in
            let path = folders[folder] ?? BytePath(folder)
            folders[folder] = path
            let left = leftOut.isEmpty ? nil : leftOut[path.appending([UInt8](name))]
            let asked = mode.flatMap { mode in
                k.map { PaletteRequest(mode: mode.paletteMode, count: $0, leftOut: left ?? LeftOutColors()) }
            }
            return Known(
                folder: path, name: [UInt8](name),
                file: PhotoFile(size: size, mtimeNs: mtime, inode: inode), state: state,
                contentHash: hash.flatMap { ContentHash($0) }, hasMood: asked != nil,
                isAsAsked: asked == request)
        }
        return (photos, folders)
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
    func index(of name: [UInt8], in range: Range<Int>) -> Int? {
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
