package import MoodyModel
package import Palettes

extension Palette {
    /// `{"dark":{"background":"#...",...},"light":{...}}`: the roles and the hues of both themes.
    package var rolesJSON: JSON {
        .object(
            Theme.Variant.allCases.map { variant in
                let theme = Theme(self, variant)
                let roles = Theme.Role.allCases.map { ($0.rawValue, theme.color($0)) }
                let hues = Theme.hues.map { ($0.name, theme[$0.slot]) }
                return (variant.rawValue, .object((roles + hues).map { ($0.0, .string($0.1.hex)) }))
            })
    }
}

extension PaletteCheck {
    /// One object on a line.
    ///
    /// - Parameters:
    ///   - name: of what was checked.
    ///   - palette: that was checked.
    ///   - names: the user's own names of colors.
    package func json(of name: String, _ palette: Palette, _ names: NearestNames? = nil) -> JSON {
        let hexes = palette.entries.map(\.color.hex)
        func colors(_ first: Int, _ second: Int) -> JSON {
            .array([.string(hexes[first]), .string(hexes[second])])
        }
        let alike = pairs.map { pair -> JSON in
            .object([
                ("colors", colors(pair.first, pair.second)), ("vision", .string(pair.vision.rawValue)),
                ("difference", .real(rounded(pair.difference, 10))),
                ("severity", .real(rounded(pair.severity, 100))),
                ("from", .real(rounded(pair.from, 100))), ("normal", .real(rounded(pair.normal, 10))),
            ])
        }
        let readable = contrasts.map { contrast -> JSON in
            .object([
                ("text", .string(hexes[contrast.text])), ("ground", .string(hexes[contrast.ground])),
                ("ratio", .real(rounded(contrast.ratio, 100))), ("level", .string(contrast.level)),
            ])
        }
        return .object([
            ("v", 1), ("check", .string(name)),
            (
                "colors",
                .array(
                    palette.entries.map {
                        .object(
                            [("hex", .string($0.color.hex)), ("name", .string($0.color.name))]
                                + (names?.match($0.color).map { [("near", $0.json)] } ?? []))
                    })
            ),
            ("alike", .array(alike)), ("apart", .array(apart.map { .string(hexes[$0]) })),
            ("contrast", .array(readable)), ("roles", palette.rolesJSON),
        ])
    }

    /// For people: what stays apart, pairs that do not, and the best texts.
    package func lines(of name: String, _ palette: Palette) -> [String] {
        let hexes = palette.entries.map(\.color.hex)
        let count = hexes.count == 1 ? "1 color" : "\(hexes.count) colors"
        let number = apart.count == 1 ? "1 stays" : "\(apart.count) stay"
        let together = pairs.isEmpty ? "all stay" : number
        var lines = [
            "\(name): \(count); \(together) apart for all: " + apart.map { hexes[$0] }.joined(separator: " ")
        ]
        for pair in pairs {
            let who = pair.vision == .normal ? "all" : pair.vision.rawValue
            let start = who + String(repeating: " ", count: max(0, 7 - who.count))
            let difference = PaletteFormat.fixed(pair.difference, digits: 1)
            let gap = String(repeating: " ", count: max(0, 6 - difference.count))
            var line = "  \(start) \(hexes[pair.first]) \(hexes[pair.second])\(gap)\(difference)  "
            line += pair.isAlike ? "alike" : "near"
            if pair.vision != .normal {
                line += " from severity \(PaletteFormat.fixed(pair.from, digits: 2)) on"
                line += " (\(PaletteFormat.fixed(pair.normal, digits: 1)) without)"
            }
            lines.append(line)
        }
        if !contrasts.isEmpty {
            let texts = contrasts.prefix(4).map { contrast in
                "\(hexes[contrast.text]) on \(hexes[contrast.ground]) "
                    + "\(PaletteFormat.fixed(contrast.ratio, digits: 1)) \(contrast.level)"
            }
            lines.append("  text    " + texts.joined(separator: "; "))
        }
        return lines
    }
}
