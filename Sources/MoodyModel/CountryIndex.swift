package import DataStacks
import Foundation
import ManagedObjects

/// The countries of a store's moods, by where their photos were taken: what brings a store of an earlier
/// version up to date. Later ones get theirs with each mood.
package enum CountryIndex {
    private static let key = "moody.countries", version = "1"

    /// Whether the store's moods have their countries by this version's map.
    ///
    /// - Throws: ``StoreError``.
    package static func isCurrent(in stack: DataStack) throws -> Bool {
        try stack.metadata(key) == version
    }

    /// Looks for the countries of all moods that have a place, some hundred a transaction; the mark that they
    /// are right comes last, so that what is killed is begun again.
    ///
    /// - Throws: ``StoreError``.
    package static func rebuild(in stack: DataStack) throws {
        let ids = try stack.read { view in
            try view.fetchObjectIDs(FetchRequest<Mood>(\Mood.latitude != nil && \Mood.longitude != nil))
        }
        try stack.editEach(Mood.self, ids) { try $0.findCountry(in: $1) }
        if !ids.isEmpty { try stack.performAndWait { try Country.recount(in: $0) } }
        try stack.setMetadata([key: version])
    }
}
