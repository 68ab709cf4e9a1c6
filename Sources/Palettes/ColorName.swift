import CTables

/// A color that has a name.
public struct ColorName: Hashable, Sendable {
    public var name: String
    public var color: RGB

    /// CSS's 148 keywords, in alphabetical order. Some colors have two: `aqua` and `cyan`, `gray` and `grey`.
    public static let css = unsafe read(moody_color_names_css())

    /// The 949 names of the xkcd survey, in alphabetical order, as people gave them.
    public static let survey = unsafe read(moody_color_names_survey())

    /// Reads a table of "rrggbb name" lines.
    private static func read(_ table: moody_table) -> [ColorName] {
        // SAFETY: a table has that many bytes, and stays.
        let bytes = unsafe UnsafeBufferPointer(start: table.bytes, count: table.count)
        return unsafe String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { line in
            RGB(hex: String(line.prefix(6))).map { ColorName(name: String(line.dropFirst(7)), color: $0) }
        }
    }
}

extension RGB {
    /// Reads a CSS keyword such as "rebeccapurple", in any case; nil for other words.
    public init?(cssName: String) {
        let name = cssName.lowercased()
        guard let match = ColorName.css.first(where: { $0.name == name }) else { return nil }
        self = match.color
    }

    /// The name of this color: the nearest by CIEDE2000 of ``ColorName/display``.
    public var name: String { NamedColors.display.nearest(to: self) }

    /// What to file this color under, one of ``basicNames``: the nearest by CIEDE2000 of several typical
    /// colors of each.
    public var basicName: String { NamedColors.basic.nearest(to: self) }

    /// The sixteen words that ``basicName`` chooses from: the eleven that Berlin and Kay (1969) found in
    /// every developed language, and five that photos need. Not HTML's sixteen, among which there is no
    /// orange, no brown and no pink.
    public static let basicNames = BasicColor.allCases.map(\.rawValue)
}

/// Names with their places in Lab, for nearest-name searches.
private struct NamedColors {
    private struct Entry {
        let lab: Lab
        let chroma: Double
        /// Its place in the list: of two that are as near the first is taken.
        let rank: Int
        let name: String
    }

    /// The dark ones first.
    private let entries: [Entry]

    init(_ names: [ColorName]) {
        entries = names.enumerated().map { rank, name in
            let lab = Lab(name.color)
            return Entry(lab: lab, chroma: lab.chroma, rank: rank, name: name.name)
        }.sorted { ($0.lab.lightness, $0.rank) < ($1.lab.lightness, $1.rank) }
    }

    static let display = NamedColors(ColorName.display)
    static let basic = NamedColors(
        BasicColor.allCases.flatMap { basic in
            ColorName.survey.filter { basic.typicalNames.contains($0.name) }
                .map { ColorName(name: basic.rawValue, color: $0.color) }
        })

    /// Goes from the color's own lightness outwards, and stops where none can be nearer.
    ///
    /// - Complexity: O(names), but most are passed over: no CIEDE2000 difference is smaller than that of the
    ///   lightnesses divided by 1.75, the largest its scale can be, and few are looked at closely: ``isFar``.
    func nearest(to color: RGB) -> String {
        let lab = Lab(color), chroma = lab.chroma
        var above = entries.partitioningIndex { $0.lab.lightness >= lab.lightness }, below = above - 1
        var best = Double.infinity, rank = Int.max, name = ""
        while true {
            let up = above < entries.count ? entries[above].lab.lightness - lab.lightness : .infinity
            let down = below >= 0 ? lab.lightness - entries[below].lab.lightness : .infinity
            let step = min(up, down)
            if step == .infinity || step > best * 1.75 { return name }
            let entry = entries[up <= down ? above : below]
            if up <= down { above += 1 } else { below -= 1 }
            if Self.isFar(lab, chroma: chroma, entry: entry, best: best) { continue }
            let difference = lab.difference(to: entry.lab)
            if difference < best || (difference == best && entry.rank < rank) {
                (best, rank, name) = (difference, entry.rank, entry.name)
            }
        }
    }

    /// Whether a color is seen to be farther than `best` without its exact difference.
    ///
    /// The chroma and hue steps make up the way from one color to the other in the plane of a and b, which
    /// the formula only lengthens before it divides each by a scale, neither above 1 + 0.045 x 1.5 x the mean
    /// chroma. Its last term takes at most sin(60 degrees) of what is left, and next to nothing where no mean
    /// hue can lie among the blues.
    private static func isFar(_ lab: Lab, chroma: Double, entry: Entry, best: Double) -> Bool {
        let a = lab.a - entry.lab.a, b = lab.b - entry.lab.b
        let lightness = (lab.lightness - entry.lab.lightness) / 1.75
        let scale = 1 + 0.03375 * (chroma + entry.chroma)
        let kept = lab.b >= 0 && entry.lab.b >= 0 ? 0.999 : 0.133
        return lightness * lightness + kept * (a * a + b * b) / (scale * scale) > best * best
    }
}

extension Lab {
    fileprivate var chroma: Double { (a * a + b * b).squareRoot() }
}

extension Array {
    /// The first place of which `isSecond` holds, which holds of all behind it.
    fileprivate func partitioningIndex(_ isSecond: (Element) -> Bool) -> Int {
        var low = 0, high = count
        while low < high {
            let middle = (low + high) / 2
            if isSecond(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
