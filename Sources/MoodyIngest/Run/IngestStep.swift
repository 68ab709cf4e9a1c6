import DataStacks
import Foundation
import ManagedObjects
import MoodyModel
import Palettes

/// A change of the store, inside a transaction.
enum IngestStep: Sendable {
    /// - Parameter isNew: whether the store had nothing at the file's path when the run was planned.
    case write(PhotoImport, isNew: Bool)
    /// The bytes of another photo, whose palette it has.
    case copy(PhotoCopy)
    /// A moved photo: the same bytes at another path.
    case move(from: FileLocation, to: FileLocation, FileStamp, FileDate)
    /// The file is gone, and another photo's file is in its place.
    case replace(FileLocation)
    /// A touched photo: the same bytes at the same path, with another time or inode.
    case touch(FileLocation, FileStamp, FileDate)
    /// The file is gone.
    case markMissing(FileLocation, prune: Bool)

    /// The outcome of a step.
    enum Outcome: Sendable {
        case done
        case markedMissing, pruned
        /// There was nothing to keep of a photo whose file is gone.
        case forgotten
        /// A mood whose photo gave way to another went.
        case replaced
        /// The mood was deleted on purpose.
        case leftOut
        /// The photo is dated by its file, and that has another time.
        case redated
        /// The photo was missing or unreadable.
        case back
        /// There is no photo with the same bytes any more.
        case isAlone
    }

    /// - Parameter checksForExisting: whether to look for rows that were not there when the run was planned:
    ///   another process may have written them since. Without a look the save reports them.
    func run(in transaction: Transaction, seen: Date, checksForExisting: Bool) throws -> Outcome {
        switch self {
        case .write(let source, let isNew):
            return try Self.write(source, in: transaction, isNew: isNew && !checksForExisting)
        case .copy(let copy):
            guard let source = try copy.source(in: transaction, seen: seen) else { return .isAlone }
            return try Self.write(source, in: transaction, isNew: copy.isNew && !checksForExisting)
        case .move(let old, let new, let file, let date):
            guard let photo = try Self.photo(old, transaction) else { return .done }
            if checksForExisting, let other = try Self.photo(new, transaction), other !== photo {
                transaction.delete(other)
            }
            photo.move(to: new, file: file, date: date, seen: seen)
            return photo.state == .removed ? .leftOut : .done
        case .replace(let location):
            guard let photo = try Self.photo(location, transaction) else { return .done }
            let hadMood = photo.mood != nil
            transaction.delete(photo)
            return hadMood ? .replaced : .done
        case .touch(let location, let file, let date):
            guard let photo = try Self.photo(location, transaction) else { return .done }
            let wasAway = photo.mood != nil && photo.state != .kept
            if photo.touch(file: file, date: date, seen: seen) { return .redated }
            return photo.state == .removed ? .leftOut : wasAway ? .back : .done
        case .markMissing(let location, let prune):
            return try Self.markMissing(location, in: transaction, prune: prune)
        }
    }

    private static func write(_ source: PhotoImport, in transaction: Transaction, isNew: Bool) throws
        -> Outcome
    {
        let photo =
            try isNew
            ? transaction.importNewObject(Photo.self, from: source)
            : transaction.importUniqueObject(Photo.self, from: source)
        return photo?.state == .removed ? .leftOut : .done
    }

    /// The file is gone. A photo without a mood is forgotten: there is nothing of it to keep. That a mood was
    /// deleted is kept, also when another process deleted it a moment ago.
    private static func markMissing(_ location: FileLocation, in transaction: Transaction, prune: Bool) throws
        -> Outcome
    {
        guard let photo = try photo(location, transaction) else { return .forgotten }
        if photo.state == .removed { return .leftOut }
        if photo.mood == nil || prune {
            let hadMood = photo.mood != nil
            transaction.delete(photo)
            return hadMood ? .pruned : .forgotten
        }
        photo.markMissing()
        return .markedMissing
    }

    private static func photo(_ location: FileLocation, _ transaction: Transaction) throws -> Photo? {
        try transaction.fetchOne(FetchRequest(Photo.filter(uniqueID: location)))
    }
}

/// A file with the bytes of a photo that the store has a palette of.
struct PhotoCopy: Sendable {
    let location: FileLocation
    let file: FileStamp
    let contentHash: Data
    /// The date of the file, for a photo that has none.
    let date: FileDate
    let request: PaletteRequest
    /// Whether a photo whose mood was deleted gets one again.
    let restores: Bool
    /// Whether the store had nothing at the file's path when the run was planned.
    let isNew: Bool

    /// Returns the contents to store; nil if the photo no longer exists.
    func source(in transaction: Transaction, seen: Date) throws -> PhotoImport? {
        let photos = try transaction.fetchAll(FetchRequest<Photo>(\Photo.contentHash == contentHash))
        let mood = photos.compactMap(\.mood).first {
            $0.request == request && !Self.isSpecial($0)
                && PaletteVersion.isCurrent($0.algorithm, named: [UInt8]($0.photo?.name ?? Data()))
        }
        // What a sidecar says is of the photo beside it, and of no copy.
        if let photo = mood?.photo, try Self.hasSidecar(photo, in: transaction) { return nil }
        guard let mood else { return nil }
        var source = PhotoImport(
            location: location, file: file, contentHash: contentHash, seen: seen,
            result: .kept(mood.source(dated: date)))
        source.restores = restores
        return source
    }

    /// Whether a file beside a photo tells of it, or did when its mood was made.
    private static func hasSidecar(_ photo: Photo, in transaction: Transaction) throws -> Bool {
        let path = BytePath(photo.folder).appending([UInt8](photo.name))
        if Sidecar(of: path) != nil { return true }
        let names = Sidecar.paths(for: path).map { Data($0.name) }
        let folder = photo.folder
        let stored = try transaction.fetchAll(
            FetchRequest<Photo>(Filter(\.name, isIn: names) && \Photo.folder == folder))
        return stored.contains { $0.contentHash != Sidecar.hashOfNothing?.data }
    }

    /// Whether a palette is of a part of the photo, or of one that was cut short: by rules of that run only.
    private static func isSpecial(_ mood: Mood) -> Bool {
        mood.notes?.split(separator: "\n").contains { note in
            note.hasPrefix("palette of ") || note.hasPrefix("truncated: ")
        } == true
    }
}
