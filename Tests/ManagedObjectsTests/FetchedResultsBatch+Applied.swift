import Foundation
import ManagedObjects

extension FetchedResultsBatch {
    /// What the batch makes of a list, by the rules that its documentation states: rows leave by their old
    /// places, sections go and come, rows enter at their new places.
    func applied(to list: [[ManagedObjectID]]) -> [[ManagedObjectID]] {
        var list = list
        var leaving: [IndexPath] = [], entering: [(place: IndexPath, id: ManagedObjectID)] = []
        for change in changes {
            switch change {
            case .insert(let id, let place): entering.append((place, id))
            case .delete(_, let place): leaving.append(place)
            case .move(let id, let old, let new):
                leaving.append(old)
                entering.append((new, id))
            case .update: break
            }
        }
        for place in leaving.sorted(by: >) where list.indices.contains(place.section) {
            if list[place.section].indices.contains(place.row) { list[place.section].remove(at: place.row) }
        }
        for case .delete(_, let section) in sections where list.indices.contains(section) {
            // Rows that nobody took out stay behind, so that a report that forgets them shows.
            let rest = list.remove(at: section)
            if !rest.isEmpty { list.append(rest) }
        }
        for case .insert(_, let section) in sections where section <= list.count {
            list.insert([], at: section)
        }
        for (place, id) in entering.sorted(by: { $0.place < $1.place })
        where list.indices.contains(place.section) {
            if place.row <= list[place.section].count { list[place.section].insert(id, at: place.row) }
        }
        return list
    }
}
