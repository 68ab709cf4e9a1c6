package import DataStacks
import ManagedObjects
import Palettes

/// The swatches of a store as an index of its moods' colors: what keeps them right.
///
/// Every save of a mood's colors saves its swatches. A store of an earlier version has others, and gets
/// these when it is first opened to be written.
package enum SwatchIndex {
    /// Makes all swatches anew.
    package static let upkeep = StoreUpkeep(
        key: "moody.swatches", version: "3", purpose: "indexing the colors of"
    ) { stack, willBegin in
        let ids = try stack.read { try $0.fetchObjectIDs(FetchRequest<Mood>()) }
        if !ids.isEmpty { willBegin(ids.count) }
        try stack.coordinator.removePages()
        try stack.editEach(Mood.self, ids) { $0.indexColors(in: $1) }
        try ColorPages.fill(in: stack)
    }

    /// Counts the moods whose swatches do not match their colors; nil for a store of an earlier version.
    ///
    /// - Complexity: reads all swatches and all colors, those of 256 moods at a time.
    /// - Throws: ``StoreError``.
    package static func countOfWrong(in stack: DataStack) throws -> Int? {
        guard try upkeep.isDone(in: stack) else { return nil }
        // Of one moment: a mood and its swatches are saved together.
        return try stack.coordinator.withSnapshot { snapshot in
            try ManagedObjectContext(persistentStoreCoordinator: snapshot, isReadOnly: true)
                .performAndWait { try countOfWrong(in: $0) }
        }
    }

    private static func countOfWrong(in context: isolated ManagedObjectContext) throws -> Int {
        let ids = try context.fetchObjectIDs(FetchRequest<Mood>())
        var wrong = 0, seen = 0
        for some in ids.parts(of: 256) {
            let kept = try entries(of: some, in: context)
            for entries in kept.values { seen += entries.count }
            for mood in try context.objects(Mood.self, with: some) {
                let wanted = zip(mood.colors, mood.shares).map { color, share in
                    Entry(cell: ColorCell(Oklab(color)).number, color: Oklab(color), share: share)
                }
                let stored = kept[mood.row] ?? []
                if wanted.count != stored.count || Set(wanted) != Set(stored) { wrong += 1 }
            }
        }
        if try context.count(FetchRequest<Swatch>()) == seen { return wrong }
        // Swatches of moods that are not there.
        let owners = try context.fetchValues(FetchRequest<Swatch>(), \.mood?.row).compactMap(\.self)
        return wrong + Set(owners).subtracting(ids.map(MoodKey.init)).count
    }

    private static func entries(
        of moods: [ManagedObjectID], in context: isolated ManagedObjectContext
    ) throws -> [MoodKey: [Entry]] {
        var kept: [MoodKey: [Entry]] = [:]
        let request = FetchRequest<Swatch>(Filter(\.mood?.row, isIn: moods.map(MoodKey.init)))
        for (cell, l, a, b, share, mood) in try context.fetchValues(
            request, \.hueBin, \.l, \.a, \.b, \.share, \.mood?.row)
        {
            guard let mood else { continue }
            kept[mood, default: []].append(
                Entry(cell: cell, color: Oklab(lightness: l, a: a, b: b), share: share))
        }
        return kept
    }

    private struct Entry: Hashable {
        let cell: Int16, color: Oklab, share: Double
    }
}
