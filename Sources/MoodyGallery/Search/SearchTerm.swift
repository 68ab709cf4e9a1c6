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

    /// As it was asked for, in ``SearchText/plain(_:)``.
    let text: String
    let color: Color?
    /// What a text is looked for by; a colour that is written in signs is in no text.
    let words: [String]

    /// The terms of a search as people type it: of up to three words that stand together the most that are a
    /// colour are one term, any other word is a text. A word that is a colour may be in a photo's name too.
    static func all(in query: String) -> [SearchTerm] {
        let split = Self.split(SearchText.plain(query))
        var terms: [SearchTerm] = [], at = 0
        while at < split.count {
            var length = min(3, split.count - at), color: Color?
            while length > 0 {
                color = self.color(Array(split[at..<at + length]))
                if color != nil { break }
                length -= 1
            }
            length = max(1, length)
            terms.append(SearchTerm(split[at..<at + length].joined(separator: " "), color))
            at += length
        }
        return terms
    }

    /// "2024-06", "2024-06-28": any part of a date that ends where a part ends.
    var isDate: Bool {
        let shape = text.utf8.map { (48...57).contains($0) ? UInt8(ascii: "0") : $0 }
        return shape == Array("0000-00".utf8) || shape == Array("0000-00-00".utf8)
    }

    /// Whether a mood's word is the one that is looked for: a text is the beginning of it, a colour all of
    /// it.
    func holds(_ word: String, in own: String) -> Bool {
        color == nil ? own.utf8.starts(with: word.utf8) : own == word
    }

    /// Photos whose palettes are like this one.
    init(like swatches: [SearchSwatch]) { (text, color, words) = ("", .like(swatches), []) }

    private init(_ text: String, _ color: Color?) {
        (self.text, self.color) = (text, color)
        let isWritten = text.unicodeScalars.allSatisfy {
            $0 == " " || $0 == "-" || $0.properties.isAlphabetic || $0.properties.numericType != nil
        }
        words = color != nil && !isWritten ? [] : SearchText.words(text, taken: false)
    }

    private static func color(_ words: [String]) -> Color? {
        if let phrase = ColorPhrase(words) { return .phrase(phrase) }
        let spelled = words.count == 1 ? RGB(cssText: words[0]) : nil
        let named = { ColorWords.names[words.joined(separator: " ")] ?? ColorWords.names[words.joined()] }
        return (spelled ?? named()).map { .point($0, Lab($0)) }
    }

    /// At spaces, commas and semicolons, but not inside `rgb(...)`.
    private static func split(_ query: String) -> [String] {
        var split: [String] = [], rest = query[...]
        while let start = rest.firstIndex(where: { !isSeparator($0) }) {
            rest = rest[start...]
            let letters = rest.prefix { $0.isASCII && $0.isLowercase }
            let behind = rest[letters.endIndex...]
            var end = rest.firstIndex(where: isSeparator) ?? rest.endIndex
            if !letters.isEmpty, behind.first == "(",
                let close = behind.dropFirst().firstIndex(where: { "()".contains($0) }),
                behind[close] == ")"
            {
                end = behind.index(after: close)
            }
            split.append(String(rest[..<end]))
            rest = rest[end...]
        }
        return split
    }

    private static func isSeparator(_ character: Character) -> Bool {
        character.isWhitespace || character == "," || character == ";"
    }
}
