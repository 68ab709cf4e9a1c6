import MoodyModel
import Palettes

/// The words that page and command know in common, as search.js reads them.
enum SearchTable {
    /// `{"aliases":{...},"regions":{...},"modifiers":{...},"names":{...}}`, keys in order.
    static let json: JSON = .object([
        ("aliases", table(ColorWords.aliases) { .string($0) }),
        ("regions", table(ColorWords.regions) { .array($0.map(region)) }),
        ("modifiers", table(ColorWords.modifiers, region)),
        ("names", table(ColorWords.names) { .string($0.hex) }),
    ])

    private static func table<Value>(_ words: [String: Value], _ json: (Value) -> JSON) -> JSON {
        .object(words.sorted { $0.key < $1.key }.map { ($0.key, json($0.value)) })
    }

    private static func region(_ region: ColorRegion) -> JSON {
        func edges(_ edges: ColorRegion.Edges) -> JSON {
            .array([edges.begins, edges.isFull, edges.isFullUntil, edges.ends].map { .real($0) })
        }
        return .object(
            [("hue", region.hue), ("lightness", region.lightness), ("chroma", region.chroma)].compactMap {
                name, value in
                value.map { (name, edges($0)) }
            })
    }
}
