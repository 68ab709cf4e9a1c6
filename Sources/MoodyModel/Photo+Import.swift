public import DataStacks
public import Foundation
public import ManagedObjects
public import Palettes

/// The contents of a photo, read from a file.
public struct PhotoImport: Sendable {
    public var place: FileLocation
    public var file: FileStamp
    /// XXH3-128; nil when the file could not be read.
    public var contentHash: Data?
    /// When the file was looked at.
    public var seen: Date
    public var result: Result
    /// Whether a photo whose mood was deleted gets one again.
    public var restores = false

    public enum Result: Sendable {
        case kept(MoodSource)
        case failed(String)
        case notPicture
    }

    public init(place: FileLocation, file: FileStamp, contentHash: Data?, seen: Date, result: Result) {
        (self.place, self.file, self.contentHash) = (place, file, contentHash)
        (self.seen, self.result) = (seen, result)
    }
}

/// The contents of a mood.
public struct MoodSource: Sendable {
    public var palette: Palette
    public var request: PaletteRequest
    public var facts: CaptureInfo
    /// A JPEG.
    public var thumbnail: Data
    public var preview: ExternalData?
    /// The version of the algorithm that found the colors.
    public var algorithm = Palette.algorithmVersion

    public init(
        palette: Palette, request: PaletteRequest, facts: CaptureInfo, thumbnail: Data, preview: ExternalData?
    ) {
        (self.palette, self.request, self.facts) = (palette, request, facts)
        (self.thumbnail, self.preview) = (thumbnail, preview)
    }
}

extension Photo: ImportableUniqueObject {
    public typealias ImportSource = PhotoImport
    public typealias UniqueID = FileLocation

    public static func uniqueID(from source: PhotoImport, in transaction: Transaction) -> FileLocation? {
        source.place
    }

    public static func filter(uniqueID place: FileLocation) -> Filter<Photo> {
        \Photo.folder == place.folder && \Photo.name == place.name
    }

    /// May find photos of other places too: of the folders and the names of these.
    public static func filter(uniqueIDs places: [FileLocation]) -> Filter<Photo> {
        if places.count == 1 { return filter(uniqueID: places[0]) }
        let folders = Set(places.map(\.folder)), names = Set(places.map(\.name))
        return Filter(\.folder, isIn: folders) && Filter(\.name, isIn: names)
    }

    public static var uniqueIDKeyPath: ReferenceWritableKeyPath<Photo, FileLocation> { \.place }

    /// A file that cannot be read any more keeps the mood it had, and the hash of the bytes that the mood was
    /// made of: a file that is being copied just now loses nothing.
    ///
    /// A photo whose mood was deleted stays as it is, unless it is to be restored: somebody may have deleted
    /// it while it was being read.
    public func update(from source: PhotoImport, in transaction: Transaction) throws {
        if state == .removed && !source.restores { return }
        setFile(source.file)
        setSeen(source.seen)
        if mood == nil { setContents(source.contentHash) }
        switch source.result {
        case .kept(let new):
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
        case .failed(let reason): setState(.failed, failure: reason)
        case .notPicture: setState(.notPicture)
        }
    }
}

extension Photo {
    /// The file was moved, unchanged: it keeps its mood, or goes on being left out.
    public func move(to place: FileLocation, file: FileStamp, date: FileDate, seen: Date) {
        setPlace(place)
        _ = touch(file: file, date: date, seen: seen)
    }

    /// Records that the file has the bytes that the mood was made of; its times or its number may be others.
    ///
    /// - Returns: whether the photo has another date now.
    public func touch(file: FileStamp, date: FileDate, seen: Date) -> Bool {
        setFile(file)
        setSeen(seen)
        guard let mood else { return false }
        if state != .kept { setState(.kept) }
        return mood.setFileDate(date)
    }

    /// The file is gone. Its mood stays.
    public func markMissing() { setState(.missing) }

    /// The photo is left out from now on: its mood goes, and what is remembered is that it went.
    public func remove(in transaction: Transaction) {
        if let mood { transaction.delete(mood) }
        setState(.removed)
    }

    /// The next look at the file makes a mood again.
    public func restore() {
        setFile(FileStamp(size: -1, mtimeNs: 0, inode: 0))
        setState(.failed, failure: "not looked at since it was restored")
    }
}
