import Foundation

/// Text as a search compares it. The twin of the first functions of search.js.
enum SearchText {
    /// Letters that people type as others; decomposition takes only accents off.
    private static let folded: [Unicode.Scalar: String] = [
        "ς": "σ", "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th",
        "ı": "i", "ħ": "h", "ŧ": "t",
    ]

    /// Lower case without accents, in the letters that are easily typed; grey and color so spelled, for
    /// people write them in two ways.
    static func plain(_ text: String) -> String {
        var plain = stripped(text).lowercased()
        if plain.unicodeScalars.contains(where: { folded[$0] != nil }) {
            plain = plain.unicodeScalars.map { folded[$0] ?? String($0) }.joined()
        }
        for (other, ours) in [("gray", "grey"), ("colour", "color")] where plain.utf8.holds(other.utf8) {
            plain = plain.replacingOccurrences(of: other, with: ours)
        }
        return plain
    }

    /// In compatible letters, without marks. Unicode's NFKD and category M.
    private static func stripped(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 128 }) { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.decomposedStringWithCompatibilityMapping.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .spacingMark, .enclosingMark: continue
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    /// The words of a text, each once, in order: runs of letters and digits; and, of what is written
    /// together, the parts as well, when `taken` apart: "DarkIvy_0012" is darkivy, dark, ivy and 0012.
    static func words(_ text: String, taken: Bool = true) -> [String] {
        var found: [String] = [], known = Set<String>()
        func add(_ scalars: ArraySlice<Unicode.Scalar>) {
            var view = String.UnicodeScalarView()
            view.append(contentsOf: scalars)
            let word = plain(String(view))
            if known.insert(word).inserted { found.append(word) }
        }
        let scalars = Array(stripped(text).unicodeScalars)
        for run in scalars.split(whereSeparator: { $0.kind == .other }) {
            add(run)
            if taken { for part in parts(of: run) { add(part) } }
        }
        return found
    }

    /// Digits; a capital with the small letters behind it; small letters; capitals that no small letter
    /// follows; others.
    private static func parts(of run: ArraySlice<Unicode.Scalar>) -> [ArraySlice<Unicode.Scalar>] {
        var parts: [ArraySlice<Unicode.Scalar>] = [], at = run.startIndex
        func end(of kind: Unicode.Scalar.Kind, from start: Int) -> Int {
            run[start...].firstIndex { $0.kind != kind } ?? run.endIndex
        }
        while at < run.endIndex {
            var next: Int
            switch run[at].kind {
            case .digit: next = end(of: .digit, from: at)
            case .small: next = end(of: .small, from: at)
            case .capital:
                let capitals = end(of: .capital, from: at)
                let small = end(of: .small, from: capitals)
                next = capitals
                if small > capitals {
                    // The last capital begins a word.
                    next = capitals - at == 1 ? small : capitals - 1
                }
            default: next = run[at...].firstIndex { !$0.kind.isLetter } ?? run.endIndex
            }
            if next == at { next += 1 }
            parts.append(run[at..<next])
            at = next
        }
        return parts
    }
}

extension String.UTF8View {
    /// Foundation's way to look for text takes some microseconds, and names are many.
    fileprivate func holds(_ part: String.UTF8View) -> Bool {
        guard let first = part.first else { return true }
        var rest = self[...]
        while let at = rest.firstIndex(of: first) {
            rest = rest[at...]
            if rest.starts(with: part) { return true }
            rest = rest.dropFirst()
        }
        return false
    }
}

extension Unicode.Scalar {
    fileprivate enum Kind {
        case digit, small, capital, letter, other
        var isLetter: Bool { self == .small || self == .capital || self == .letter }
    }

    fileprivate var kind: Kind {
        if isASCII {
            return switch value {
            case 48...57: .digit
            case 65...90: .capital
            case 97...122: .small
            default: .other
            }
        }
        return switch properties.generalCategory {
        case .decimalNumber, .letterNumber, .otherNumber: .digit
        case .lowercaseLetter: .small
        case .uppercaseLetter: .capital
        case .titlecaseLetter, .modifierLetter, .otherLetter: .letter
        default: .other
        }
    }
}
