import DataStacks
import Foundation
import ManagedObjects

/// The countries of a store's moods, by where their photos were taken: what brings a store of an earlier
/// version up to date. Later ones get theirs with each mood.
package enum CountryIndex {
    package static let upkeep = StoreUpkeep(key: "moody.countries", version: "1") { stack, _ in
        let ids = try stack.read { view in
            try view.fetchObjectIDs(FetchRequest<Mood>(\Mood.latitude != nil && \Mood.longitude != nil))
        }
        try stack.editEach(Mood.self, ids) { try $0.findCountry(in: $1) }
        if !ids.isEmpty { try stack.performAndWait { try Country.recount(in: $0) } }
    }
}
