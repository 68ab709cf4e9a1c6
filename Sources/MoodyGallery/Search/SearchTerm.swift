import Foundation
import Palettes

/// One of the things a search asks for; all of them must be there.
struct SearchTerm: Sendable {
    enum Color: Sendable {
        /// "teal", "dark red"
        case phrase(ColorPhrase)
        /// "#36c", "ocean blue"
        case point(RGB, Lab)
        /// Photos like one: its palette.
        case like([SearchSwatch])
    }

    /// As it was asked for, in ``SearchText/plain(_:)``; of a plural or a foreign word the color that it is.
    let text: String
    /// As it was typed, in ``SearchText/plain(_:)``.
    let typed: String
    let color: Color?
    /// What a text is looked for by; a color that is written in signs is in no text.
    let words: [String]
    /// Whether a photo must not have it.
    var isNegated = false
    /// Terms of one number are alternatives.
    var clause = 0

    /// Between two terms.
    private enum Conjunction: String {
        case and, or, not, without
    }

    /// The terms of a search as people type it: of up to three words that stand together the most that are a
    /// color are one term, any other word is a text. A word that is a color may be in a photo's name too.
    ///
    /// "teal or navy" are alternatives; "not green", "without green" and "-green" say that there must be
    /// none; "and", "&" and "+" say nothing.
    static func all(in query: String) -> [SearchTerm] {
        let split = Self.split(SearchText.plain(query))
        var terms: [SearchTerm] = [], at = 0, clause = -1, isNegated = false, isAlternative = false
        while at < split.count {
            var rest = Array(split[at..<min(at + 3, split.count)])
            let bare = String(rest[0].drop { $0 == "-" }), isNegative = bare != rest[0] && !bare.isEmpty
            if isNegative { rest[0] = bare }
            var found = color(rest)
            if found == nil, at < split.count - 1, !isNegative, let word = Conjunction(rawValue: rest[0]) {
                let isNot = word == .not || word == .without
                // At the beginning "or" is a word of a name.
                if isNot || !terms.isEmpty {
                    if isNot { isNegated = true } else { isAlternative = word == .or }
                    at += 1
                    continue
                }
            }
            let (text, count) = found.map { ($0.text, $0.count) } ?? (rest[0], 1)
            if found == nil { found = (text, nil, 1) }
            var term = SearchTerm(
                text, typed: rest[..<count].joined(separator: " "), found?.color)
            term.isNegated = isNegated || isNegative
            if !isAlternative { clause += 1 }
            term.clause = clause
            (isNegated, isAlternative) = (false, false)
            terms.append(term)
            at += count
        }
        return terms
    }

    /// Whether it is a color by name or in signs, not a palette.
    var isColor: Bool {
        switch color {
        case .phrase, .point: true
        case .like, nil: false
        }
    }

    /// "2024-06", "2024-06-28": any part of a date that ends where a part ends.
    var isDate: Bool {
        let shape = text.utf8.map { (48...57).contains($0) ? UInt8(ascii: "0") : $0 }
        return shape == Array("0000-00".utf8) || shape == Array("0000-00-00".utf8)
    }

    /// Whether a mood's word is the one that is looked for: a text is the beginning of it, a color all of
    /// it.
    func holds(_ word: String, in own: String) -> Bool {
        color == nil ? own.utf8.starts(with: word.utf8) : own == word
    }

    /// Photos whose palettes are like this one.
    init(like swatches: [SearchSwatch], clause: Int = 0) {
        (text, typed, color, words, self.clause) = ("", "", .like(swatches), [], clause)
    }

    private init(_ text: String, typed: String, _ color: Color?) {
        (self.text, self.typed, self.color) = (text, typed, color)
        let isWritten = typed.unicodeScalars.allSatisfy {
            $0 == " " || $0 == "-" || $0.properties.isAlphabetic || $0.properties.numericType != nil
        }
        words = color != nil && !isWritten ? [] : SearchText.words(typed, taken: false)
    }

    /// The color that the first of some words are, as many of them as make one.
    private static func color(_ rest: [String]) -> (text: String, color: Color?, count: Int)? {
        for count in stride(from: rest.count, to: 0, by: -1) {
            let words = Array(rest[..<count]), typed = words.joined(separator: " ")
            if let phrase = ColorPhrase(words) {
                let last = words.last.flatMap(ColorWords.region) ?? words[count - 1]
                return ((words.dropLast() + [last]).joined(separator: " "), .phrase(phrase), count)
            }
            let spelled = count == 1 ? RGB(cssText: typed) : nil
            if let point = spelled ?? ColorWords.names[typed] ?? ColorWords.names[words.joined()] {
                return (typed, .point(point, Lab(point)), count)
            }
        }
        return nil
    }

    /// At spaces, commas, semicolons, `&` and `+`, but not inside `rgb(...)`.
    private static func split(_ query: String) -> [String] {
        let scalars = Array(query.unicodeScalars)
        var split: [String] = [], at = 0
        while at < scalars.count {
            if isSeparator(scalars[at]) {
                at += 1
                continue
            }
            let end =
                endOfFunction(scalars, from: at)
                ?? scalars[at...].firstIndex(where: isSeparator) ?? scalars.count
            var word = String.UnicodeScalarView()
            word.append(contentsOf: scalars[at..<end])
            split.append(String(word))
            at = end
        }
        return split
    }

    /// Behind `rgb(...)` or `-rgb(...)`; nil where no such thing begins.
    private static func endOfFunction(_ scalars: [Unicode.Scalar], from start: Int) -> Int? {
        let first = scalars[start] == "-" ? start + 1 : start
        guard let open = scalars[first...].firstIndex(where: { !("a"..."z").contains($0) }), open > first,
            scalars[open] == "(",
            let close = scalars[(open + 1)...].firstIndex(where: { $0 == "(" || $0 == ")" }),
            scalars[close] == ")"
        else { return nil }
        return close + 1
    }

    private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isSpace || scalar == "," || scalar == ";" || scalar == "&" || scalar == "+"
    }
}
