import DataStacks
package import ManagedObjects
import Palettes

/// A color of a mood in the search index. Derived from `Mood.colors`, the source of truth:
/// ``SwatchIndex`` makes them anew.
package final class Swatch: ManagedObject {
    /// Oklab of the color as it is stored, 8 bits a channel.
    @Attribute package private(set) var l: Double
    @Attribute package private(set) var a: Double
    @Attribute package private(set) var b: Double
    /// 0...1
    @Attribute package private(set) var share: Double
    /// ``ColorCell/number``, by which a search finds it. The first version kept one of 24 hues there, and the
    /// name is still that one's: a store's tables do not change.
    @Attribute package private(set) var hueBin: Int16
    @Relationship(inverse: \Mood.swatches, isOptional: false) package private(set) var mood: Mood?

    /// Orders swatches by cell and share: the best matches of a search are adjacent. The rest of the row
    /// stands in the index too, so that a search reads pages that lie together and not the table's.
    package override class var fetchIndexes: [FetchIndexDescription] {
        [
            FetchIndexDescription(
                "byHueBinAndShare", ["hueBin", "share", "mood", "l", "a", "b"].map { .init($0) })
        ]
    }

    @discardableResult
    static func insert(into transaction: Transaction, _ color: RGB, share: Double, mood: Mood) -> Swatch {
        let swatch = transaction.create(Swatch.self), oklab = Oklab(color)
        (swatch.l, swatch.a, swatch.b) = (oklab.lightness, oklab.a, oklab.b)
        swatch.share = share
        swatch.hueBin = ColorCell(oklab).number
        swatch.mood = mood
        return swatch
    }
}

extension Swatch {
    /// The swatch's own row.
    var row: MoodKey { MoodKey(storedValue: reference.storedValue) }
}

extension Mood {
    /// Makes the swatches that the colors want, in place of those there are.
    func indexColors(in transaction: Transaction) {
        for swatch in swatches { transaction.delete(swatch) }
        for (color, share) in zip(colors, shares) {
            Swatch.insert(into: transaction, color, share: share, mood: self)
        }
    }
}
