import Foundation
import ManagedObjects
import MoodyModel
import Palettes

/// What the store knows of the files, read in one go and without making an object of any.
struct StoredPhotos {
    struct Known {
        let file: PhotoFile
        let state: PhotoState
        let contentHash: Data?
        /// What the palette was asked for; nil without a mood.
        let request: PaletteRequest?
    }

    private(set) var known: [PhotoPlace: Known] = [:]

    init(in context: ManagedObjectContext) throws {
        known = try context.performAndWait { context in
            var known: [PhotoPlace: Known] = [:]
            let rows = try context.fetchValues(
                FetchRequest<Photo>(), \.folder, \.name, \.path, \.size, \.mtimeNs, \.inode, \.state,
                \.contentHash, \.mood?.mode, \.mood?.k)
            known.reserveCapacity(rows.count)
            for (folder, name, path, size, mtime, inode, state, hash, mode, k) in rows {
                let request = mode.flatMap { mode in
                    k.map { PaletteRequest(mode: mode.paletteMode, count: $0) }
                }
                known[PhotoPlace(folder: folder, name: name, path: path)] = Known(
                    file: PhotoFile(size: size, mtimeNs: mtime, inode: inode), state: state,
                    contentHash: hash,
                    request: request)
            }
            return known
        }
    }
}
