package import DataStacks
package import Foundation
package import ManagedObjects
package import Palettes

/// The contents of a photo, read from a file.
package struct PhotoImport: Sendable {
    package var location: FileLocation
    package var file: FileStamp
    /// XXH3-128; nil when the file could not be read.
    package var contentHash: Data?
    /// When the file was looked at.
    package var seen: Date
    package var result: Result
    /// Whether a photo whose mood was deleted gets one again.
    package var restores = false

    package enum Result: Sendable {
        case kept(MoodSource)
        case failed(String)
        case notPicture
        case sidecar

        /// Whether the file is no picture.
        package var isOther: Bool {
            switch self {
            case .kept, .failed: false
            case .notPicture, .sidecar: true
            }
        }
    }

    package init(location: FileLocation, file: FileStamp, contentHash: Data?, seen: Date, result: Result) {
        (self.location, self.file, self.contentHash) = (location, file, contentHash)
        (self.seen, self.result) = (seen, result)
    }
}

/// The contents of a mood.
package struct MoodSource: Sendable {
    package var palette: Palette
    package var request: PaletteRequest
    package var facts: CaptureInfo
    /// A JPEG.
    package var thumbnail: Data
    package var preview: ExternalData?
    /// See ``Mood/pictureHash``.
    package var pictureHash: Data?
    /// The version of the algorithm that found the colors.
    package var algorithm = Palette.algorithmVersion

    package init(
        palette: Palette, request: PaletteRequest, facts: CaptureInfo, thumbnail: Data,
        preview: ExternalData?, pictureHash: Data? = nil
    ) {
        self.pictureHash = pictureHash
        (self.palette, self.request, self.facts) = (palette, request, facts)
        (self.thumbnail, self.preview) = (thumbnail, preview)
    }
}

extension Photo: ImportableUniqueObject {
    package typealias ImportSource = PhotoImport
    package typealias UniqueID = FileLocation

    package static func uniqueID(from source: PhotoImport, in transaction: Transaction) -> FileLocation? {
        source.location
    }

    /// The name first: unsaved photos are found by the first value, and many have one folder.
    package static func filter(uniqueID location: FileLocation) -> Filter<Photo> {
        \Photo.name == location.name && \Photo.folder == location.folder
    }

    /// May find photos at other locations, too: of the folders and the names of these.
    package static func filter(uniqueIDs locations: [FileLocation]) -> Filter<Photo> {
        if locations.count == 1 { return filter(uniqueID: locations[0]) }
        let folders = Set(locations.map(\.folder)), names = Set(locations.map(\.name))
        return Filter(\.name, isIn: names) && Filter(\.folder, isIn: folders)
    }

    package static var uniqueIDKeyPath: ReferenceWritableKeyPath<Photo, FileLocation> { \.location }

    /// Without the key path, which reads the old location before it sets the new one.
    package var uniqueIDValue: FileLocation {
        get { location }
        set { location = newValue }
    }

    /// A file that cannot be read any more keeps the mood it had, and the hash of the bytes that the mood was
    /// made of: a file that is being copied just now loses nothing.
    ///
    /// A photo whose mood was deleted stays as it is, unless it is to be restored: somebody may have deleted
    /// it while it was being read.
    package func update(from source: PhotoImport, in transaction: Transaction) throws {
        if state == .removed && !source.restores { return }
        setFile(source.file)
        setSeen(source.seen)
        if mood == nil { setContents(source.contentHash) }
        switch source.result {
        case .kept(let new):
            // Deleted was the picture that was here before, or somebody wants it after all.
            if source.restores || contentHash != source.contentHash { mood?.mark(forDeletion: nil) }
            setContents(source.contentHash)
            setState(.kept)
            if let mood {
                try mood.set(
                    new.palette, new.request, new.facts, thumbnail: new.thumbnail, preview: new.preview,
                    in: transaction)
            } else {
                setMood(
                    try Mood.insert(
                        into: transaction, palette: new.palette, request: new.request, facts: new.facts,
                        thumbnail: new.thumbnail, preview: new.preview))
            }
            mood?.setAlgorithm(new.algorithm)
            mood?.setPictureHash(new.pictureHash)
            setRating(new.facts.rating)
        case .failed(let reason): setState(.failed, failure: reason)
        case .notPicture: setState(.notPicture)
        case .sidecar: setState(.sidecar)
        }
    }
}

extension Photo {
    /// The file was moved, unchanged: it keeps its mood, or goes on being left out.
    package func move(to location: FileLocation, file: FileStamp, date: FileDate, seen: Date) {
        setLocation(location)
        _ = touch(file: file, date: date, seen: seen)
    }

    /// Records that the file has the bytes that the mood was made of; its times or its number may be others.
    ///
    /// - Returns: whether the photo has another date now.
    package func touch(file: FileStamp, date: FileDate, seen: Date) -> Bool {
        setFile(file)
        setSeen(seen)
        guard let mood else { return false }
        if state != .kept { setState(.kept) }
        return mood.setFileDate(date)
    }

    /// The file is gone. Its mood stays.
    package func markMissing() { setState(.missing) }

    /// The photo is left out from now on: its mood goes, and what is remembered is that it went.
    package func remove(in transaction: Transaction) {
        if let mood { transaction.delete(mood) }
        setState(.removed)
    }

    /// The next look at the file makes a mood again.
    package func restore() {
        setFile(FileStamp(size: -1, mtimeNs: 0, inode: 0))
        setState(.failed, failure: "not looked at since it was restored")
    }
}
