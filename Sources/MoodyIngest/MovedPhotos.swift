import Foundation
import MoodyModel

/// Photos that are not where they were; a new file with the same bytes is such a photo, moved.
struct MovedPhotos {
    struct Old {
        let place: PhotoPlace
        /// Its mood was deleted: the file goes on being left out.
        let isRemoved: Bool
    }

    private(set) var missing: Set<PhotoPlace>
    private var places: [Data: [Old]] = [:]
    /// Bytes of the photos that may have moved.
    private var sizes: Set<Int64> = []
    /// The missing ones in order, once nothing can turn up any more.
    private var lost: ArraySlice<PhotoPlace> = []

    /// - Parameter restores: whether photos whose moods were deleted come back.
    init(_ missing: Set<PhotoPlace>, _ stored: StoredPhotos, restores: Bool) {
        self.missing = missing
        // Those that were missing before count too, and those elsewhere whose file is gone by now.
        for (place, known) in stored.known {
            guard let hash = known.contentHash else { continue }
            let isRemoved = known.state == .removed
            guard known.request != nil || (isRemoved && !restores) else { continue }
            places[hash, default: []].append(Old(place: place, isRemoved: isRemoved))
            sizes.insert(known.file.size)
        }
        // Of several candidates one with a mood, and then the one whose path comes first.
        for hash in places.keys {
            places[hash]?.sort {
                $0.isRemoved != $1.isRemoved ? $1.isRemoved : $0.place.path < $1.place.path
            }
        }
    }

    /// Whether a file of so many bytes may be one of these photos.
    func mayHold(size: Int64) -> Bool { sizes.contains(size) }

    /// A photo with these contents that is not where it was, once; nil when every such photo is.
    mutating func claim(_ hash: Data?) -> Old? {
        guard let hash, let candidates = places[hash] else { return nil }
        for (index, old) in candidates.enumerated() {
            let isGone = (try? FileStatus(at: path(of: old.place))) == nil
            guard missing.contains(old.place) || isGone else { continue }
            places[hash]?.remove(at: index)
            missing.remove(old.place)
            return old
        }
        return nil
    }

    /// Takes out missing photos, at most so many, in the order of their folders and names.
    mutating func takeMissing(_ count: Int) -> ArraySlice<PhotoPlace> {
        if missing.isEmpty { return [] }
        if lost.isEmpty { lost = missing.sorted { ($0.folder, $0.name) < ($1.folder, $1.name) }[...] }
        let next = lost.prefix(count)
        lost = lost.dropFirst(count)
        missing.subtract(next)
        return next
    }
}

private func < (a: (Data, Data), b: (Data, Data)) -> Bool {
    if a.0 != b.0 { return a.0.lexicographicallyPrecedes(b.0) }
    return a.1.lexicographicallyPrecedes(b.1)
}
