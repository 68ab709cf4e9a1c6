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

/// Names with their places in Lab.
private struct NamedColors {
    private let names: [String]
    private let colors: NearestColors

    init(_ names: [ColorName]) {
        self.names = names.map(\.name)
        colors = NearestColors(names.map { Lab($0.color) })
    }

    static let display = NamedColors(ColorName.display)
    static let basic = NamedColors(
        BasicColor.allCases.flatMap { basic in
            ColorName.survey.filter { basic.typicalNames.contains($0.name) }
                .map { ColorName(name: basic.rawValue, color: $0.color) }
        })

    func nearest(to color: RGB) -> String { colors.nearest(to: Lab(color)).map { names[$0.index] } ?? "" }
}
