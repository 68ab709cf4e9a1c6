import DataStacks
import Foundation
import ManagedObjects
import MoodyGallery
import MoodyIngest
import MoodyModel

/// A mood as a request finds it.
struct FoundMood: Sendable {
    let record: MoodRecord
    let isMarked: Bool
}

// For threads that may wait.
extension DataStack {
    /// The ID of the mood with a number, whether it is there or not; nil without a store.
    func moodID(_ number: Int64) -> ManagedObjectID? {
        number > 0 ? try? coordinator.objectID("Mood", key: number) : nil
    }

    /// The mood with a number, also one that is marked for deletion; nil when there is none.
    func mood(_ number: Int64) throws -> FoundMood? {
        guard let id = moodID(number) else { return nil }
        return try read { view in
            let moods = try view.objects(
                Mood.self, with: [id], prefetching: [\Mood.photo, \Mood.country])
            return moods.first.map { FoundMood($0) }
        }
    }

    /// The mood of the photo at a location.
    func mood(at location: FileLocation) throws -> FoundMood? {
        try read { view in
            try view.fetchAll(FetchRequest(Photo.filter(uniqueID: location))).first?.mood.map {
                FoundMood($0)
            }
        }
    }

    /// The moods of photos with these contents that were there when they were last seen.
    func moods(of contents: [UInt8]) throws -> [FoundMood] {
        let hash = Data(contents)
        return try read { view in
            let photos = try view.fetchAll(FetchRequest<Photo>(\Photo.contentHash == hash))
            return photos.filter { $0.state == .kept }.compactMap(\.mood).map { FoundMood($0) }
        }
    }

    /// The stored thumbnail of a mood, and the rest that there is to know of its pictures.
    func pictures(_ number: Int64) throws -> StoredPictures? {
        guard let id = moodID(number) else { return nil }
        return try read { view in
            let moods = try view.objects(
                Mood.self, with: [id], prefetching: [\Mood.photo, \Mood.thumbnail])
            return moods.first.map { mood in
                let record = MoodRecord(mood)
                return StoredPictures(
                    thumbnail: [UInt8](mood.thumbnail?.jpeg ?? Data()), hash: record.contentHash,
                    tag: record.pictureTag ?? "",
                    path: BytePath(record.photoPath.bytes))
            }
        }
    }

    /// The larger picture that the store keeps; nil when it keeps none, or has lost it.
    func preview(_ number: Int64) throws -> [UInt8]? {
        guard let id = moodID(number) else { return nil }
        return try read { view in
            let preview = try view.objects(Mood.self, with: [id]).first?.preview.map { [UInt8]($0) }
            _ = view.takeFaultErrors()
            return preview
        }
    }
}

extension FoundMood {
    init(_ mood: Mood) {
        self.init(record: MoodRecord(mood), isMarked: mood.markedForDeletionDate != nil)
    }
}

/// The pictures that a store keeps of a mood.
struct StoredPictures: Sendable {
    /// A JPEG; empty when there is none.
    let thumbnail: [UInt8]
    /// XXH3-128 of the photo, in hexadecimal.
    let hash: String?
    /// See ``MoodRecord/pictureTag``.
    let tag: String
    let path: BytePath
}
