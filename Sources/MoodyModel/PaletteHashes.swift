import DataStacks
import Foundation
import ManagedObjects

/// The hashes of the bytes that palettes were made of, and the texts of paths, in stores of earlier versions.
///
/// The first releases recorded the bytes that were read last, also those of a photo that had become
/// unreadable. Such a hash says nothing of the photo's mood, and is forgotten before the first write. They
/// wrote paths as people see them: escaped ones get their own characters.
package enum PaletteHashes {
    /// Forgets the hashes that may be others' bytes: those of photos with a mood that are not as they were
    /// when it was made.
    package static let upkeep = StoreUpkeep(key: "moody.paletteHashes", version: "1") { stack, _ in
        let ids = try stack.read { view in
            try view.fetchObjectIDs(
                FetchRequest<Photo>(\Photo.state != PhotoState.kept && \Photo.mood != nil))
        }
        try stack.editEach(Photo.self, ids) { photo, _ in photo.setContents(nil) }
        try repairPaths(in: stack)
    }

    private static func repairPaths(in stack: DataStack) throws {
        let escaped = try Filter<Photo>(format: "path CONTAINS %@", "\\")
        let ids = try stack.read { try $0.fetchObjectIDs(FetchRequest<Photo>(escaped)) }
        try stack.editEach(Photo.self, ids) { photo, _ in
            let path = FileLocation(folder: photo.folder, name: photo.name).path
            if path != photo.path { photo.setPath(path) }
        }
    }
}
