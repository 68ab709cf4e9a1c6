import DataStacks
public import ManagedObjects
import Palettes

/// One colour of a mood, as a search looks for it. Derived from `Mood.colors`, which is what counts.
public final class Swatch: ManagedObject {
    /// Oklab.
    @Attribute public private(set) var l: Double
    @Attribute public private(set) var a: Double
    @Attribute public private(set) var b: Double
    /// 0...1
    @Attribute public private(set) var share: Double
    /// Which of 24 hues, 15 degrees each from Oklab's +a towards +b; -1 for greys.
    @Attribute public private(set) var hueBin: Int16
    @Relationship(inverse: \Mood.swatches, isOptional: false) public private(set) var mood: Mood?

    @discardableResult
    static func insert(into transaction: Transaction, _ entry: Palette.Entry, mood: Mood) -> Swatch {
        let swatch = transaction.create(Swatch.self)
        let (a, b) = (Double(entry.oklab.a), Double(entry.oklab.b))
        (swatch.l, swatch.a, swatch.b) = (Double(entry.oklab.lightness), a, b)
        swatch.share = entry.share
        swatch.hueBin = hueBin(a: a, b: b)
        swatch.mood = mood
        return swatch
    }

    /// Colours with a chroma under 0.02 count as grey.
    static func hueBin(a: Double, b: Double) -> Int16 {
        if a * a + b * b < 0.02 * 0.02 { return -1 }
        // Each bin's edge is a line through the origin: on which side is (a, b)?
        let edges = (0..<24).map { edge in hueEdges[edge] }
        for (bin, edge) in edges.enumerated() {
            let next = edges[(bin + 1) % 24]
            if edge.a * b - edge.b * a >= 0 && next.a * b - next.b * a < 0 { return Int16(bin) }
        }
        return 0
    }
}

/// Cosine and sine of 0, 15, 30 ... 345 degrees, as numbers, so that a bin is the same everywhere.
private let hueEdges: [(a: Double, b: Double)] = {
    let first: [(Double, Double)] = [
        (1, 0), (0.9659258262890683, 0.25881904510252074), (0.8660254037844387, 0.5),
        (0.7071067811865476, 0.7071067811865476), (0.5, 0.8660254037844387),
        (0.25881904510252074, 0.9659258262890683),
    ]
    let quarter = first.map { (a: $0.0, b: $0.1) }
    return quarter + quarter.map { (a: -$0.b, b: $0.a) } + quarter.map { (a: -$0.a, b: -$0.b) }
        + quarter.map { (a: $0.b, b: -$0.a) }
}()
