import Palettes

extension ColorList {
    /// GIMP's palette: a line per color, "r g b name".
    mutating func readGPL(_ text: String) {
        for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .enumerated()
        where number > 0 {
            let parts = line.split(maxSplits: 3, whereSeparator: \.isWhitespace)
            guard let first = parts.first, first.first != "#", first != "Name:", first != "Columns:" else {
                continue
            }
            let channels = parts.prefix(3).compactMap { UInt8($0) }
            if channels.count == 3 {
                let name = parts.count > 3 ? parts[3].trimmed : ""
                add(name, RGB(red: channels[0], green: channels[1], blue: channels[2]))
            } else {
                note("line \(number + 1) has no r, g, b")
            }
        }
    }

    /// A table: with a head that names `name` and `hex`, or `r`, `g`, `b`, or `L`, `a`, `b` (D65), in any
    /// case; without one the first cell that is a color, and the first that is none, is its name.
    ///
    /// - Returns: whether there is a color in it.
    mutating func readTable(_ text: String) -> Bool {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let separator = Self.separator(lines.first ?? "")
        var columns: Columns?
        for (number, line) in lines.enumerated() where !line.allSatisfy(\.isWhitespace) {
            let cells = Self.cells(line, separator)
            if entries.isEmpty, columns == nil, let head = Columns(cells) {
                columns = head
                continue
            }
            let found = columns?.entry(cells).map { [$0] } ?? Self.entries(cells)
            for entry in found { add(entry) }
            if entries.count > Self.most { break }
            if !found.isEmpty { continue }
            if !entries.isEmpty || columns != nil {
                note("line \(number + 1): neither a hex, nor r, g, b, nor L, a, b")
            } else if number > 100 {
                return false
            }
        }
        return !entries.isEmpty
    }

    private static func separator(_ line: Substring) -> Character {
        "\t;,".max { first, second in
            line.count { $0 == first } < line.count { $0 == second }
        } ?? ","
    }

    /// Cells without the quotation marks around them, in which two stand for one.
    private static func cells(_ line: Substring, _ separator: Character) -> [String] {
        var cells: [String] = []
        var cell = ""
        var isQuoted = false
        var endedQuote = false
        for character in line {
            let isMark = character == "\""
            if isMark {
                if endedQuote { cell.append(character) }
                isQuoted.toggle()
            } else if character == separator && !isQuoted {
                cells.append(cell.trimmed)
                cell = ""
            } else {
                cell.append(character)
            }
            endedQuote = isMark && !isQuoted
        }
        return cells + [cell.trimmed]
    }

    /// The color of a row and its name; all of a row that has nothing but colors.
    private static func entries(_ cells: [String]) -> [Entry] {
        let filled = cells.filter { !$0.isEmpty }
        let colors = filled.compactMap(color)
        guard let first = colors.first else { return [] }
        if colors.count == filled.count { return colors.map { Entry(name: "", $0) } }
        return [Entry(name: filled.first { color($0) == nil } ?? "", first)]
    }

    /// Six digits are a color without a number sign, too.
    fileprivate static func color(_ cell: String) -> RGB? {
        RGB(cssText: cell.lowercased()) ?? (cell.utf8.count == 6 ? RGB(hex: cell) : nil)
    }

    /// Which column is what.
    private struct Columns {
        private var name: [Int] = []
        private var hex: Int?
        private var rgb: [Int] = []
        private var lab: [Int] = []

        /// Nil for cells that are no head.
        init?(_ cells: [String]) {
            let words = cells.map { $0.lowercased() }
            func place(_ names: String...) -> Int? { words.firstIndex { names.contains($0) } }
            hex = place("hex", "hex code", "html", "rgb hex")
            rgb = [place("r", "red"), place("g", "green"), place("b", "blue")].compactMap(\.self)
            lab = [place("l", "l*"), place("a", "a*"), place("b", "b*")].compactMap(\.self)
            // A thread has a number and a description.
            name =
                [place("floss", "code", "number", "no"), place("name", "description", "title", "color name")]
                .compactMap(\.self)
            if hex == nil && rgb.count < 3 && lab.count < 3 { return nil }
        }

        func entry(_ cells: [String]) -> Entry? {
            func numbers(_ places: [Int]) -> [Double]? {
                let values = places.compactMap { $0 < cells.count ? Double(cells[$0]) : nil }
                return values.count == 3 && values.allSatisfy(\.isFinite) ? values : nil
            }
            let words = name.filter { $0 < cells.count }.map { cells[$0] }.joined(separator: " ")
            if let hex, hex < cells.count, let color = ColorList.color(cells[hex]) {
                return Entry(name: words, color)
            }
            if rgb.count == 3, let channels = numbers(rgb), channels.allSatisfy({ (0...255).contains($0) }) {
                let bytes = channels.map { UInt8($0.rounded()) }
                return Entry(name: words, RGB(red: bytes[0], green: bytes[1], blue: bytes[2]))
            }
            if lab.count == 3, let values = numbers(lab), (0...100).contains(values[0]) {
                return Entry(name: words, Lab(lightness: values[0], a: values[1], b: values[2]))
            }
            return nil
        }
    }
}

extension StringProtocol {
    fileprivate var trimmed: String {
        let end = lastIndex { !$0.isWhitespace }.map { index(after: $0) } ?? startIndex
        return String(self[..<end].drop(while: \.isWhitespace))
    }
}
