import DataStacks
import Foundation
import ManagedObjects
import MoodyModel

/// One change to the store, inside a transaction.
enum IngestStep: Sendable {
    case write(PhotoSource)
    /// The same bytes at another path.
    case move(from: PhotoPlace, to: PhotoPlace, PhotoFile)
    /// The same bytes at the same path; the file system says something else of them.
    case touch(PhotoPlace, PhotoFile)
    /// The file is gone.
    case lose(PhotoPlace, prune: Bool)

    /// - Returns: what became of a photo that was lost; nil for the other steps.
    func run(in transaction: Transaction, seen: Date) throws -> Loss? {
        switch self {
        case .write(let source): _ = try transaction.importUniqueObject(Photo.self, from: source)
        case .move(let old, let new, let file):
            try Self.photo(old, transaction)?.move(to: new, file: file, seen: seen)
        case .touch(let place, let file): try Self.photo(place, transaction)?.touch(file: file, seen: seen)
        case .lose(let place, let prune): return try Self.lose(place, in: transaction, prune: prune)
        }
        return nil
    }

    enum Loss: Sendable { case marked, pruned, forgotten }

    /// The file is gone. A photo without a mood is forgotten: there is nothing of it to keep.
    private static func lose(_ place: PhotoPlace, in transaction: Transaction, prune: Bool) throws -> Loss {
        guard let photo = try photo(place, transaction) else { return .forgotten }
        if photo.mood == nil {
            transaction.delete(photo)
            return .forgotten
        }
        if prune {
            transaction.delete(photo)
            return .pruned
        }
        photo.markMissing()
        return .marked
    }

    private static func photo(_ place: PhotoPlace, _ transaction: Transaction) throws -> Photo? {
        try transaction.fetchOne(FetchRequest(Photo.filter(uniqueID: place)))
    }
}
