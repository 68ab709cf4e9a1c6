package import DataStacks
import Foundation
import Images
import ManagedObjects
import MoodyModel

/// The hashes of pictures that stores of earlier versions lack: made of thumbnails, without opening a photo.
package enum PictureHashes {
    private static let key = "moody.pictureHashes", version = "1"

    /// Whether the hashes were made, or the store was never without them.
    ///
    /// - Throws: ``StoreError``.
    package static func areMade(in stack: DataStack) throws -> Bool {
        try stack.metadata(key) == version
    }

    /// Makes the hashes that are missing, some hundred moods a transaction; the mark that none is comes last,
    /// so that what is killed is begun again.
    ///
    /// - Parameter willBegin: called with the number of moods before the first.
    /// - Throws: ``StoreError``.
    package static func fill(in stack: DataStack, willBegin: (Int) -> Void = { _ in }) throws {
        let ids = try stack.read { view in
            try view.fetchObjectIDs(FetchRequest<Mood>(\Mood.pictureHash == nil))
        }
        if !ids.isEmpty { willBegin(ids.count) }
        for some in ids.parts(of: 256) {
            let hashes = try hashes(of: some, in: stack)
            try retryingWhatOthersCause {
                try stack.editEach(Mood.self, Array(hashes.keys)) { mood, _ in
                    // Another process may have read the photo anew.
                    if mood.pictureHash == nil { mood.setPictureHash(hashes[mood.objectID]) }
                }
            }
        }
        try stack.setMetadata([key: version])
    }

    /// Those of moods with a thumbnail that can be read.
    private static func hashes(
        of ids: [ManagedObjectID], in stack: DataStack
    ) throws -> [ManagedObjectID: Data] {
        let thumbnails = try stack.read { view in
            try view.objects(Mood.self, with: Array(ids), prefetching: [\Mood.thumbnail]).map {
                ($0.objectID, $0.thumbnail?.jpeg ?? Data())
            }
        }
        var hashes: [ManagedObjectID: Data] = [:]
        try pipeline(
            count: thumbnails.count, width: ProcessInfo.processInfo.activeProcessorCount,
            window: thumbnails.count,
            work: { (thumbnails[$0].0, pictureHash(ofThumbnail: thumbnails[$0].1)) },
            sink: { id, hash in if let hash { hashes[id] = hash } })
        return hashes
    }
}

/// Nil for what is no picture.
func pictureHash(ofThumbnail jpeg: Data) -> Data? {
    jpeg.isEmpty ? nil : (try? Picture(bytes: [UInt8](jpeg)))?.image.pictureHash
}
