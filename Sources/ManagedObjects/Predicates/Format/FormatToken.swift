/// A piece of a predicate's text.
struct FormatToken: Equatable {
    enum Kind: Equatable {
        /// A name or a keyword: `country`, `AND`, `@count`.
        case word(String)
        case text(String)
        case integer(Int64)
        case number(Double)
        /// `==`, `(`, `,` ...
        case symbol(String)
        /// `%@` and its like: the next argument as a value.
        case argument
        /// `%K`: the next argument as a name.
        case key
        case end
    }

    let kind: Kind
    /// How many characters stand before it.
    let place: Int

    private static let symbols = [
        "&&", "||", "==", "!=", "<>", "<=", ">=", "=<", "=>", "=", "<", ">", "!", "(", ")", "{", "}", "[",
        "]", ",", ":",
        ".", "+", "-", "*", "/", "**",
    ].sorted { $0.count > $1.count }

    /// - Throws: ``FetchError/format(_:at:reason:)``.
    static func tokens(_ text: String) throws(FetchError) -> [FormatToken] {
        var tokens: [FormatToken] = []
        let characters = Array(text)
        var place = 0
        while place < characters.count {
            let start = place
            let character = characters[place]
            if character.isWhitespace {
                place += 1
                continue
            }
            let kind: Kind
            if character == "\"" || character == "'" {
                kind = .text(try quoted(characters, &place, text))
            } else if character.isNumber {
                kind = try number(characters, &place, text)
            } else if isName(character) {
                while place < characters.count, isName(characters[place]) || characters[place].isNumber {
                    place += 1
                }
                kind = .word(String(characters[start..<place]))
            } else if character == "%" {
                kind = try argument(characters, &place, text)
            } else if let symbol = symbols.first(where: { characters[place...].starts(with: $0) }) {
                place += symbol.count
                kind = .symbol(symbol)
            } else {
                throw .format(text, at: place, reason: "\"\(character)\" means nothing here")
            }
            tokens.append(FormatToken(kind: kind, place: start))
        }
        return tokens + [FormatToken(kind: .end, place: place)]
    }

    private static func isName(_ character: Character) -> Bool {
        character.isLetter || character == "_" || character == "@" || character == "#"
    }

    private static func quoted(_ characters: [Character], _ place: inout Int, _ text: String)
        throws(FetchError)
        -> String
    {
        let start = place, quote = characters[place]
        var result = ""
        place += 1
        while place < characters.count, characters[place] != quote {
            if characters[place] == "\\" {
                place += 1
                guard place < characters.count else { break }
                let escapes: [Character: Character] = ["n": "\n", "t": "\t", "r": "\r"]
                result.append(escapes[characters[place]] ?? characters[place])
            } else {
                result.append(characters[place])
            }
            place += 1
        }
        if place >= characters.count { throw .format(text, at: start, reason: "the quote is not closed") }
        place += 1
        return result
    }

    private static func number(_ characters: [Character], _ place: inout Int, _ text: String)
        throws(FetchError)
        -> Kind
    {
        let start = place
        while place < characters.count {
            let isExponentSign =
                "+-".contains(characters[place]) && "eE".contains(characters[place - 1])
            guard
                characters[place].isNumber || characters[place] == "." || "eE".contains(characters[place])
                    || isExponentSign
            else { break }
            place += 1
        }
        let digits = String(characters[start..<place])
        if let integer = Int64(digits) { return .integer(integer) }
        if let number = Double(digits) { return .number(number) }
        throw .format(text, at: start, reason: "\(digits) is no number")
    }

    private static func argument(_ characters: [Character], _ place: inout Int, _ text: String)
        throws(FetchError)
        -> Kind
    {
        let start = place
        place += 1
        while place < characters.count, "lqh".contains(characters[place]) { place += 1 }
        guard place < characters.count else { throw .format(text, at: start, reason: "% ends the text") }
        defer { place += 1 }
        if characters[place] == "K" { return .key }
        if "@dDiuUxXfFgGeEaAsc".contains(characters[place]) { return .argument }
        throw .format(text, at: start, reason: "%\(characters[place]) is unknown")
    }
}
