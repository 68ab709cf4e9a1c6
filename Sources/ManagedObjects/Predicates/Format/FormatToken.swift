/// A piece of a predicate's text.
struct FormatToken: Equatable {
    enum Kind: Equatable {
        /// A name or a keyword: `country`, `AND`, `@count`, `$each`.
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
    let position: Int

    private static let symbols: Set<String> = [
        "&&", "||", "==", "!=", "<>", "<=", ">=", "=<", "=>", "=", "<", ">", "!", "(", ")", "{", "}", "[",
        "]", ",", ":",
        ".", "+", "-", "*", "/", "**",
    ]

    /// - Throws: ``FetchError/format(_:at:reason:)``.
    static func tokens(_ text: String) throws(FetchError) -> [FormatToken] {
        var tokens: [FormatToken] = []
        let characters = Array(text)
        var position = 0
        while position < characters.count {
            let start = position
            let character = characters[position]
            if character.isWhitespace {
                position += 1
                continue
            }
            let kind: Kind
            if character == "\"" || character == "'" {
                kind = .text(try quoted(characters, &position, text))
            } else if character.isNumber {
                kind = try number(characters, &position, text)
            } else if isName(character)
                || character == "$" && position + 1 < characters.count
                    && isName(characters[position + 1])
            {
                position += 1
                while position < characters.count,
                    isName(characters[position]) || characters[position].isNumber
                {
                    position += 1
                }
                kind = .word(String(characters[start..<position]))
            } else if character == "%" {
                kind = try argument(characters, &position, text)
            } else if let symbol = symbol(characters[position...]) {
                position += symbol.count
                kind = .symbol(symbol)
            } else {
                throw .format(text, at: position, reason: "\"\(character)\" means nothing here")
            }
            tokens.append(FormatToken(kind: kind, position: start))
        }
        return tokens + [FormatToken(kind: .end, position: position)]
    }

    /// The longest that these begin with.
    private static func symbol(_ characters: ArraySlice<Character>) -> String? {
        [2, 1].lazy.map { String(characters.prefix($0)) }.first(where: symbols.contains)
    }

    private static func isName(_ character: Character) -> Bool {
        character.isLetter || character == "_" || character == "@" || character == "#"
    }

    private static func quoted(_ characters: [Character], _ position: inout Int, _ text: String)
        throws(FetchError)
        -> String
    {
        let start = position, quote = characters[position]
        var result = ""
        position += 1
        while position < characters.count, characters[position] != quote {
            if characters[position] == "\\" {
                position += 1
                guard position < characters.count else { break }
                let escapes: [Character: Character] = ["n": "\n", "t": "\t", "r": "\r"]
                result.append(escapes[characters[position]] ?? characters[position])
            } else {
                result.append(characters[position])
            }
            position += 1
        }
        if position >= characters.count { throw .format(text, at: start, reason: "the quote is not closed") }
        position += 1
        return result
    }

    private static func number(_ characters: [Character], _ position: inout Int, _ text: String)
        throws(FetchError)
        -> Kind
    {
        let start = position
        let prefix = String(characters[start...].prefix(2)).lowercased()
        if let radix = ["0x": 16, "0o": 8, "0b": 2][prefix] {
            position += 2
            while position < characters.count, characters[position].isLetter || characters[position].isNumber
            {
                position += 1
            }
            let digits = String(characters[start..<position])
            if let integer = Int64(digits.dropFirst(2), radix: radix) { return .integer(integer) }
            throw .format(text, at: start, reason: "\(digits) is no number")
        }
        while position < characters.count {
            let isExponentSign =
                "+-".contains(characters[position]) && "eE".contains(characters[position - 1])
            guard
                characters[position].isNumber || characters[position] == "."
                    || "eE".contains(characters[position])
                    || isExponentSign
            else { break }
            position += 1
        }
        let digits = String(characters[start..<position])
        if let integer = Int64(digits) { return .integer(integer) }
        if let number = Double(digits) { return .number(number) }
        throw .format(text, at: start, reason: "\(digits) is no number")
    }

    private static func argument(_ characters: [Character], _ position: inout Int, _ text: String)
        throws(FetchError)
        -> Kind
    {
        let start = position
        position += 1
        while position < characters.count, "lqh".contains(characters[position]) { position += 1 }
        guard position < characters.count else { throw .format(text, at: start, reason: "% ends the text") }
        defer { position += 1 }
        if characters[position] == "K" { return .key }
        if "@dDiuUxXfFgGeEaAsc".contains(characters[position]) { return .argument }
        throw .format(text, at: start, reason: "%\(characters[position]) is unknown")
    }
}
