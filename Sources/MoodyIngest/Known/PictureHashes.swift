import DataStacks
import Foundation
import Images
import ManagedObjects
package import MoodyModel

/// The hashes of pictures that stores of earlier versions lack: made of thumbnails, without opening a photo.
package enum PictureHashes {
    package static let upkeep = StoreUpkeep(
        key: "moody.pictureHashes", version: "1", purpose: "making the picture hashes of"
    ) { stack, willBegin in
        let ids = try stack.read { view in
            try view.fetchObjectIDs(FetchRequest<Mood>(\Mood.pictureHash == nil))
        }
        if !ids.isEmpty { willBegin(ids.count) }
        for some in ids.parts(of: 256) {
            let hashes = try hashes(of: some, in: stack)
            try stack.editEach(Mood.self, Array(hashes.keys)) { mood, _ in
                // Another process may have read the photo anew.
                if mood.pictureHash == nil { mood.setPictureHash(hashes[mood.objectID]) }
            }
        }
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
