extension ColorCells {
    /// Leaves out what the options say is not to count; all cells when nothing would be left.
    ///
    /// - Parameter share: of the picture's pixels that these cells are made of.
    /// - Returns: the cells that count, and a note for each thing that was left out.
    func filtered(by options: PaletteOptions, share: Double = 1) -> (ColorCells, notes: [String]) {
        var tests: [(name: String, matches: (Int) -> Bool)] = []
        for kind in PaletteIgnore.allCases where options.ignore.contains(kind) {
            switch kind {
            case .white: tests.append(("white", { lightness(of: $0) > 0.95 && chroma(of: $0) < 0.03 }))
            case .black: tests.append(("black", { lightness(of: $0) < 0.22 && chroma(of: $0) < 0.04 }))
            case .grey: tests.append(("grey", { chroma(of: $0) < 0.02 }))
            case .border: break  // seen on pixels, before they are counted
            }
        }
        if let background = options.background {
            let lab = Lab(background)
            tests.append(("the background \(background.hex)", { Lab(color($0)).difference(to: lab) < 5 }))
        }
        guard !tests.isEmpty else { return (self, []) }

        var ignored = [Double](repeating: 0, count: tests.count)
        let kept = filter { index in
            guard let first = tests.firstIndex(where: { $0.matches(index) }) else { return true }
            ignored[first] += weights[index]
            return false
        }
        guard kept.count > 0 else {
            let names = tests.map(\.name).joined(separator: ", ")
            return (self, ["ignoring \(names) leaves nothing: all pixels counted"])
        }
        return (
            kept,
            zip(tests, ignored).filter { $0.1 > 0 }.map {
                "ignored \($0.0.name): \(percent(share * $0.1 / weight))"
            }
        )
    }

    private func lightness(of index: Int) -> Float { point(index).x }
    private func chroma(of index: Int) -> Float {
        let point = point(index)
        return (point.y * point.y + point.z * point.z).squareRoot() / PaletteSpace.chromaScale
    }
}

/// A number as text, "4.27"; for numbers from 0 to a million.
func hundredths(_ number: Double) -> String {
    let hundredths = Int((number * 100).rounded())
    return "\(hundredths / 100).\(hundredths / 10 % 10)\(hundredths % 10)"
}

/// A share as text, "41.2 %".
func percent(_ share: Double) -> String {
    let tenths = Int((share * 1000).rounded())
    return "\(tenths / 10).\(tenths % 10) %"
}
