import DataStacks
import Foundation
import ManagedObjects
import MoodyModel
import Palettes

/// A search for one color in the index of swatches.
///
/// A mood is worth what the best of its swatches is: its nearness times its share. So for a worth that is
/// wanted each cell says, by its least difference, how large a share must be, and the index, sorted by cell
/// and share, has only those read. What is wanted begins high and is lowered until enough moods have it.
struct SwatchSearch {
    private let search: MoodSearch, lab: Lab
    private var near: NearCells
    /// What each mood of which a swatch was read is worth at least.
    private var known: [ManagedObjectID: Double] = [:]

    init(_ search: MoodSearch, color: RGB, lab: Lab) {
        (self.search, self.lab) = (search, lab)
        near = NearCells(to: color, within: search.within)
    }

    /// The moods that are worth most, as many as are wanted and those that are worth as much as the last of
    /// them, where so many are found.
    ///
    /// - Returns: nil when so many are worth about as much that to read all that are near costs no more.
    consuming func best(_ count: Int, in stack: DataStack) throws -> [IndexSearch.Match]? {
        var wanted = 0.9
        while true {
            let keys = try moods(worth: wanted, in: stack)
            if keys.count > 20_000 { return nil }
            if keys.count >= count || wanted == 0 {
                // As a look at all sees them: what is marked for deletion or has too little of the color
                // left out.
                let (ids, moods) = try SearchMood.of(keys.map(\.key), in: stack)
                // One that was not read is worth less than `wanted`, which may be rounded up to it.
                let sure = (wanted * 1e6).rounded() + 1
                let matches = search.matches(in: moods).filter { wanted == 0 || $0.total >= sure }
                if matches.count >= count || wanted == 0 {
                    let least = matches.count < count ? 0 : matches[count - 1].total
                    return matches.prefix { $0.total >= least }.map {
                        IndexSearch.Match(id: ids[$0.index], total: $0.total)
                    }
                }
            }
            // What was read and is worth less tells how low one has to go at most: as many moods as are
            // wanted are worth that.
            let least = known.count < count ? 0 : known.values.sorted(by: >)[count - 1] - 3e-6
            wanted = least > 0 && least < wanted ? least : wanted * 0.4
            if wanted < 0.02 { wanted = 0 }
        }
    }

    /// Those that have a swatch that is worth so much.
    private mutating func moods(worth wanted: Double, in stack: DataStack) throws -> [ManagedObjectID] {
        let within = search.within
        let farthest = min(within, 2 * within * (1 - wanted.squareRoot().squareRoot()))
        // Cells of about the same difference are read together, with the share that the nearest of them must
        // have.
        let cells = near.cells(within: farthest + 1e-9).sorted { $0.least < $1.least }
        var groups: [(numbers: [Int16], share: Double)] = [], least = 0.0
        for cell in cells {
            let most = MoodSearch.nearness(of: cell.least, within: within)
            if groups.isEmpty || most < 0.85 * least {
                // As a search rounds shares.
                groups.append(([], wanted / most - 1e-6))
                least = most
            }
            groups[groups.count - 1].numbers.append(cell.number)
        }
        let (lab, all, before) = (lab, groups, known)
        known = try stack.read { view in
            var known = before
            for (numbers, least) in all {
                try view.scan(
                    FetchRequest<Swatch>(
                        #Predicate { numbers.contains($0.hueBin) && $0.share >= least }),
                    \.mood?.row, \.share, \.l, \.a, \.b, inAnyOrder: true
                ) { row in
                    let color = Oklab(lightness: row.double(2), a: row.double(3), b: row.double(4))
                    guard let near = MoodSearch.nearness(lab, Lab(RGB(color)), within: within),
                        let mood = row.id(0)
                    else { return }
                    known[mood] = max(known[mood] ?? 0, near * rounded(row.double(1), 1e6))
                }
            }
            return known
        }
        return known.filter { $0.value >= wanted }.map(\.key)
    }
}
