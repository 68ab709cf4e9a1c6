import Foundation
import ManagedObjects

extension FetchedResultsBatch {
    /// What the batch makes of a list, by the rules that its documentation states: rows leave by their old
    /// places, sections go and come, rows enter at their new places.
    func applied(to list: [[ManagedObjectID]]) -> [[ManagedObjectID]] {
        var list = list
        var leaving: [IndexPath] = [], entering: [(indexPath: IndexPath, id: ManagedObjectID)] = []
        for change in changes {
            switch change {
            case .insert(let id, let indexPath): entering.append((indexPath, id))
            case .delete(_, let indexPath): leaving.append(indexPath)
            case .move(let id, let old, let new):
                leaving.append(old)
                entering.append((new, id))
            case .update: break
            }
        }
        for indexPath in leaving.sorted(by: >) where list.indices.contains(indexPath.section) {
            if list[indexPath.section].indices.contains(indexPath.row) {
                list[indexPath.section].remove(at: indexPath.row)
            }
        }
        for case .delete(_, let section) in sections where list.indices.contains(section) {
            // Rows that nobody took out stay behind, so that a report that forgets them shows.
            let rest = list.remove(at: section)
            if !rest.isEmpty { list.append(rest) }
        }
        for case .insert(_, let section) in sections where section <= list.count {
            list.insert([], at: section)
        }
        for (indexPath, id) in entering.sorted(by: { $0.indexPath < $1.indexPath })
        where list.indices.contains(indexPath.section) {
            if indexPath.row <= list[indexPath.section].count {
                list[indexPath.section].insert(id, at: indexPath.row)
            }
        }
        return list
    }
}
