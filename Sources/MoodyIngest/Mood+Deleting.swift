public import DataStacks
public import ManagedObjects
import MoodyModel

extension DataStack {
    /// Removes the moods with these numbers; their photos are remembered, so that the next run leaves them
    /// out.
    ///
    /// - Returns: the numbers there was no mood for.
    /// - Throws: ``StoreError``.
    public func deleteMoods(_ ids: [ManagedObjectID]) throws -> [ManagedObjectID] {
        try performAndWait { transaction in
            let unknown = ids.filter { id in
                guard let mood = transaction.edit(Mood.self, id: id), !mood.isDeleted else { return true }
                if let photo = mood.photo { photo.remove(in: transaction) } else { transaction.delete(mood) }
                return false
            }
            try Country.recount(in: transaction)
            return unknown
        }
    }
}
