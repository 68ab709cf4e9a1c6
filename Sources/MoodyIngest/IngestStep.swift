import DataStacks
import Foundation
import ManagedObjects
import MoodyModel

/// One change to the store, inside a transaction.
enum IngestStep: Sendable {
    /// - Parameter isKnown: whether the store had the file when the run was planned.
    case write(PhotoSource, isKnown: Bool)
    /// The same bytes at another path.
    case move(from: PhotoPlace, to: PhotoPlace, PhotoFile, FileDate)
    /// The same bytes at the same path; the file system says something else of them.
    case touch(PhotoPlace, PhotoFile, FileDate)
    /// The file is gone.
    case lose(PhotoPlace, prune: Bool)

    /// What a step came to, where that was not known before.
    enum Outcome: Sendable {
        case markedMissing, pruned
        /// Somebody deleted the mood meanwhile.
        case leftOut(wasKnown: Bool)
        /// The photo is dated by its file, and that has another time.
        case redated
    }

    func run(in transaction: Transaction, seen: Date) throws -> Outcome? {
        switch self {
        case .write(let source, let isKnown):
            let photo = try transaction.importUniqueObject(Photo.self, from: source)
            return photo?.state == .removed ? .leftOut(wasKnown: isKnown) : nil
        case .move(let old, let new, let file, let date):
            try Self.photo(old, transaction)?.move(to: new, file: file, date: date, seen: seen)
            return nil
        case .touch(let place, let file, let date):
            let isRedated = try Self.photo(place, transaction)?.touch(file: file, date: date, seen: seen)
            return isRedated == true ? .redated : nil
        case .lose(let place, let prune): return try Self.lose(place, in: transaction, prune: prune)
        }
    }

    /// The file is gone. A photo without a mood is forgotten: there is nothing of it to keep.
    private static func lose(_ place: PhotoPlace, in transaction: Transaction, prune: Bool) throws -> Outcome?
    {
        guard let photo = try photo(place, transaction) else { return nil }
        if photo.mood == nil {
            transaction.delete(photo)
            return nil
        }
        if prune {
            transaction.delete(photo)
            return .pruned
        }
        photo.markMissing()
        return .markedMissing
    }

    private static func photo(_ place: PhotoPlace, _ transaction: Transaction) throws -> Photo? {
        try transaction.fetchOne(FetchRequest(Photo.filter(uniqueID: place)))
    }
}
