package import DataStacks
import Foundation
import Images
import ManagedObjects
import MoodyModel

/// The hashes of pictures that stores of earlier versions lack: made of thumbnails, without opening a photo.
package enum PictureHashes {
    private static let key = "moody.pictureHashes", version = "1"

    /// Makes the hashes that are missing. The mark that none is comes last, so that the next run repeats what
    /// was interrupted.
    ///
    /// - Throws: ``StoreError``.
    package static func fill(in stack: DataStack) throws {
        if try stack.coordinator.metadata(key) == version { return }
        let ids = try stack.reader.performAndWait { context in
            try context.fetchObjectIDs(FetchRequest<Mood>(\Mood.pictureHash == nil))
        }
        try stack.editEach(Mood.self, ids) { mood, _ in mood.findPictureHash() }
        try stack.coordinator.setMetadata([key: version])
    }
}

extension Mood {
    /// Makes the hash of the thumbnail; none where there is no thumbnail, or a damaged one.
    func findPictureHash() {
        guard let jpeg = thumbnail?.jpeg, let hash = MoodyIngest.pictureHash(ofThumbnail: jpeg) else {
            return
        }
        setPictureHash(hash)
    }
}

/// Nil for what is no picture.
func pictureHash(ofThumbnail jpeg: Data) -> Data? {
    jpeg.isEmpty ? nil : (try? Picture(bytes: [UInt8](jpeg)))?.image.pictureHash
}
