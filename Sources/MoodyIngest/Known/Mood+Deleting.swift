package import DataStacks
package import Foundation
package import ManagedObjects
import MoodyModel

extension DataStack {
    /// Removes the moods with these numbers; their photos are remembered, so that the next run leaves them
    /// out.
    ///
    /// - Returns: the numbers there was no mood for.
    /// - Throws: ``StoreError``.
    package func deleteMoods(_ ids: [ManagedObjectID]) throws -> [ManagedObjectID] {
        try performAndWait(attempts: 8) { transaction in
            let unknown = ids.filter { id in
                guard let mood = transaction.edit(Mood.self, id: id), !mood.isDeleted else { return true }
                if let photo = mood.photo { photo.remove(in: transaction) } else { transaction.delete(mood) }
                return false
            }
            try Country.recountChanges(in: transaction)
            return unknown
        }
    }
}

// Deletion in two steps: a marked mood is in no list and can be unmarked; a purged one is gone.
extension DataStack {
    /// Marks moods for deletion: they leave all lists and keep all that they hold.
    ///
    /// - Parameter date: when; a mood that is marked already keeps its date.
    /// - Returns: since when each is marked, in their order; nil for a mood that is not there.
    /// - Throws: ``StoreError``.
    package func markMoods(_ ids: [ManagedObjectID], at date: Date) throws -> [Date?] {
        try performAndWait(attempts: 8) { transaction in
            ids.map { id in
                guard let mood = transaction.edit(Mood.self, id: id), !mood.isDeleted else { return nil }
                if mood.markedForDeletionDate == nil { mood.mark(forDeletion: date) }
                return mood.markedForDeletionDate
            }
        }
    }

    /// Puts marked moods back into the lists.
    ///
    /// - Returns: whether each is there, in their order.
    /// - Throws: ``StoreError``.
    package func unmarkMoods(_ ids: [ManagedObjectID]) throws -> [Bool] {
        try performAndWait(attempts: 8) { transaction in
            ids.map { id in
                guard let mood = transaction.edit(Mood.self, id: id), !mood.isDeleted else { return false }
                mood.mark(forDeletion: nil)
                return true
            }
        }
    }

    /// Returns the marked moods with the dates of their marks. Reads every mood.
    ///
    /// - Throws: ``StoreError``.
    package func markedMoods() throws -> [ManagedObjectID: Date] {
        let request = FetchRequest<Mood>(\Mood.markedForDeletionDate != nil)
        return try read { view in
            try view.fetchAll(request).reduce(into: [:]) { $0[$1.objectID] = $1.markedForDeletionDate }
        }
    }

    /// Deletes the moods that were marked before a moment, as ``deleteMoods(_:)`` does.
    ///
    /// - Parameter ids: the moods to look at; nil for all, which reads every mood.
    /// - Returns: the deleted moods.
    /// - Throws: ``StoreError``.
    @discardableResult
    package func purgeMarks(before date: Date, of ids: [ManagedObjectID]? = nil) throws
        -> [ManagedObjectID]
    {
        let ids = try ids ?? markedMoods().filter { $0.value < date }.map(\.key)
        if ids.isEmpty { return [] }
        return try performAndWait(attempts: 8) { transaction in
            var purged: [ManagedObjectID] = []
            for mood in ids.compactMap({ transaction.edit(Mood.self, id: $0) }) where !mood.isDeleted {
                guard let marked = mood.markedForDeletionDate, marked < date else { continue }
                purged.append(mood.objectID)
                if let photo = mood.photo { photo.remove(in: transaction) } else { transaction.delete(mood) }
            }
            if !purged.isEmpty { try Country.recountChanges(in: transaction) }
            return purged
        }
    }

    /// How long a deletion can be taken back, in seconds.
    package static var markLifetime: Double { 120 }
}
