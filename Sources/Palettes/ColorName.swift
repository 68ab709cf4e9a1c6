/// A color that has a name.
public struct ColorName: Hashable, Sendable {
    public var name: String
    public var color: RGB

    /// CSS's 148 keywords, in alphabetical order. Some colors have two: `aqua` and `cyan`, `gray` and `grey`.
    public static let css = read(cssTable)

    /// The 949 names of the xkcd survey, in alphabetical order, as people gave them.
    public static let survey = read(surveyTable)

    /// Reads a table of "rrggbb name" lines.
    private static func read(_ table: String) -> [ColorName] {
        table.split(separator: "\n").compactMap { line in
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

    /// What to call this color: the nearest by CIEDE2000 of CSS's keywords and the survey's names, less those of
    /// the latter that nobody would print under a photo. CSS's wins when two are as near.
    public var name: String { NamedColors.display.nearest(to: self) }

    /// What to file this color under, one of ``basicNames``: the nearest by CIEDE2000 of several typical
    /// colors of each.
    public var basicName: String { NamedColors.basic.nearest(to: self) }

    /// The sixteen words that ``basicName`` chooses from: the eleven that Berlin and Kay (1969) found in
    /// every developed language, and five that photos need. Not HTML's sixteen, among which there is no orange, no
    /// brown and no pink.
    public static let basicNames = BasicColor.allCases.map(\.rawValue)
}

/// Names with their places in Lab, for nearest-name searches.
private struct NamedColors {
    private var entries: [(lab: Lab, name: String)]

    init(_ names: [ColorName]) {
        entries = names.map { (Lab($0.color), $0.name) }
    }

    static let display = NamedColors(
        ColorName.css + ColorName.survey.filter { !ColorName.isIndelicate($0.name) })
    static let basic = NamedColors(
        BasicColor.allCases.flatMap { basic in
            ColorName.survey.filter { basic.typicalNames.contains($0.name) }
                .map { ColorName(name: basic.rawValue, color: $0.color) }
        })

    /// - Complexity: O(names), but most are passed over for their lightness: no CIEDE2000 difference is smaller
    ///   than that of the lightnesses divided by 1.75, the largest its scale can be.
    func nearest(to color: RGB) -> String {
        let lab = Lab(color)
        var best = Double.infinity, name = ""
        for entry in entries where abs(entry.lab.lightness - lab.lightness) < best * 1.75 {
            let difference = lab.difference(to: entry.lab)
            if difference < best { (best, name) = (difference, entry.name) }
        }
        return name
    }
}
