/// Which colors of a palette cannot be told apart by everybody, and which can be read on which.
public struct PaletteCheck: Sendable {
    /// Two colors that some people take for the same, or nearly.
    public struct Pair: Equatable, Sendable {
        /// Places in the palette, the lower one first.
        public let first: Int, second: Int
        public let vision: ColorVision
        /// CIEDE2000 at the severity where they are nearest.
        public let difference: Double
        public let severity: Double
        /// The first severity, in steps of a twentieth, from which they are near.
        public let from: Double
        /// CIEDE2000 with normal vision.
        public let normal: Double

        /// Below 5, where two colors pass for one.
        public var isAlike: Bool { difference < 5 }
    }

    /// A text and its ground.
    public struct Contrast: Equatable, Sendable {
        public let text: Int, ground: Int
        /// WCAG 2.2's ratio, 4.5 and more.
        public let ratio: Double

        /// What WCAG 2.2 calls it.
        public var level: String { ratio >= 7 ? "AAA" : "AA" }
    }

    /// Colors at most: a bit of a word each.
    public static let most = 64
    /// CIEDE2000 below which two colors are near.
    static let near = 10.0

    /// Nearest first; of a pair normal vision, and each other that is worse off.
    public let pairs: [Pair]
    /// Places of the largest set of colors that all people tell apart; of several the first.
    public let apart: [Int]
    /// Best first.
    public let contrasts: [Contrast]

    /// Compares each color with each other, for all severities. Quadratic in colors.
    ///
    /// - Parameter colors: ``most`` at most, what lies behind is passed over; those that matter most first.
    public init(_ colors: [RGB]) {
        let colors = Array(colors.prefix(Self.most))
        let severities = (0...20).map { Double($0) / 20 }
        var pairs: [Pair] = []
        var conflicts = [UInt64](repeating: 0, count: colors.count)
        let visions = ColorVision.allCases.filter { $0 != .normal }.map { vision in
            (vision, severities.map { severity in colors.map { vision.seen($0, severity: severity) } })
        }
        for first in colors.indices {
            for second in colors.indices.dropFirst(first + 1) {
                let normal = Lab(colors[first]).difference(to: Lab(colors[second]))
                var level = Self.level(normal)
                var found: [Pair] = []
                if level > 0 {
                    found.append(
                        Pair(
                            first: first, second: second, vision: .normal, difference: normal, severity: 0,
                            from: 0, normal: normal))
                }
                let usual = level
                for (vision, seen) in visions {
                    let steps = seen.map { $0[first].difference(to: $0[second]) }
                    let least = steps.min() ?? normal
                    guard Self.level(least) > usual, let worst = steps.firstIndex(of: least),
                        let from = steps.firstIndex(where: { $0 < Self.near })
                    else { continue }
                    level = max(level, Self.level(least))
                    found.append(
                        Pair(
                            first: first, second: second, vision: vision, difference: least,
                            severity: severities[worst], from: severities[from], normal: normal))
                }
                if level > 0 {
                    conflicts[first] |= 1 << UInt64(second)
                    conflicts[second] |= 1 << UInt64(first)
                }
                pairs += found
            }
        }
        self.pairs = pairs.enumerated().sorted {
            ($0.element.difference, $0.offset) < ($1.element.difference, $1.offset)
        }.map(\.element)
        apart = IndependentSet.largest(conflicts)
        contrasts = Self.contrasts(of: colors)
    }

    /// 0 for colors that are told apart, 1 for near ones, 2 for those that pass for one.
    private static func level(_ difference: Double) -> Int { difference < 5 ? 2 : difference < near ? 1 : 0 }

    private static func contrasts(of colors: [RGB]) -> [Contrast] {
        var contrasts: [Contrast] = []
        for first in colors.indices {
            for second in colors.indices.dropFirst(first + 1) {
                let ratio = colors[first].contrast(with: colors[second])
                // The lighter one is the text: of a pair one is named, as both ways have the same ratio.
                let isLighter = colors[first].luminance >= colors[second].luminance
                if ratio >= 4.5 {
                    contrasts.append(
                        Contrast(
                            text: isLighter ? first : second, ground: isLighter ? second : first,
                            ratio: ratio))
                }
            }
        }
        return contrasts.enumerated().sorted { ($1.element.ratio, $0.offset) < ($0.element.ratio, $1.offset) }
            .map(\.element)
    }
}

/// The largest set of vertices of a graph of which no two are neighbors.
private struct IndependentSet {
    private let neighbors: [UInt64]
    private var best: UInt64 = 0

    /// - Parameter neighbors: of each vertex, as bits; 64 vertices at most.
    /// - Returns: the vertices in order; of several sets that are as large, the first one in order.
    static func largest(_ neighbors: [UInt64]) -> [Int] {
        var rest = neighbors.count == 64 ? UInt64.max : (1 << UInt64(neighbors.count)) - 1
        var chosen: UInt64 = 0
        // Parts that have no neighbors in others are searched on their own: the time is that of the largest.
        while rest != 0 {
            var part = rest & (~rest + 1), grown: UInt64 = 0
            while grown != part {
                grown = part
                for vertex in neighbors.indices where part >> UInt64(vertex) & 1 == 1 {
                    part |= neighbors[vertex]
                }
            }
            var search = IndependentSet(neighbors: neighbors)
            search.extend(0, from: part)
            chosen |= search.best
            rest &= ~part
        }
        return neighbors.indices.filter { chosen >> UInt64($0) & 1 == 1 }
    }

    private init(neighbors: [UInt64]) { self.neighbors = neighbors }

    /// Takes the first candidate, or leaves it out where one of its neighbors is taken instead.
    private mutating func extend(_ chosen: UInt64, from candidates: UInt64) {
        if chosen.nonzeroBitCount + candidates.nonzeroBitCount <= best.nonzeroBitCount { return }
        guard candidates != 0 else {
            best = chosen
            return
        }
        let vertex = candidates.trailingZeroBitCount
        let bit: UInt64 = 1 << UInt64(vertex)
        extend(chosen | bit, from: candidates & ~bit & ~neighbors[vertex])
        // Without a neighbor among the candidates a vertex belongs to a largest set.
        if neighbors[vertex] & candidates != 0 { extend(chosen, from: candidates & ~bit) }
    }
}
