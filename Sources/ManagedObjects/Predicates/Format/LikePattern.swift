import Foundation

/// The pattern of `LIKE`: `?` is one character, `*` any number of them, also none; what follows a backslash
/// stands for itself.
///
/// Matched from the left; after a `*` the first position is taken where the rest up to the next `*` fits.
/// That is enough, since what a piece matches ends the later the later it begins. A regular expression would
/// try all ways to share the text among the stars, and gives up on thirty of them.
struct LikePattern {
    private enum Piece { case scalar(Unicode.Scalar), character, many }
    private let pieces: [Piece]

    /// - Parameter folding: applied to the texts between `?` and `*`, and by the caller to the text.
    init(_ pattern: String, folding: (String) -> String = { $0 }) {
        var pieces: [Piece] = []
        var literal = String.UnicodeScalarView()
        var isEscaped = false
        func endLiteral() {
            pieces += folding(String(literal)).unicodeScalars.map { .scalar($0) }
            literal = String.UnicodeScalarView()
        }
        for scalar in pattern.unicodeScalars {
            switch scalar {
            case "\\" where !isEscaped:
                isEscaped = true
                continue
            case "?" where !isEscaped:
                endLiteral()
                pieces.append(.character)
            case "*" where !isEscaped:
                endLiteral()
                if case .many? = pieces.last { continue }
                pieces.append(.many)
            default: literal.append(scalar)
            }
            isEscaped = false
        }
        if isEscaped { literal.append("\\") }
        endLiteral()
        self.pieces = pieces
    }

    /// - Complexity: O(length of the text · length of the pattern).
    func matches(_ text: String) -> Bool {
        let scalars = Array(text.unicodeScalars)
        /// By scalar: where the character that begins there ends; nil inside of a character.
        var ends: [Int?] = []
        ends.reserveCapacity(scalars.count)
        for character in text {
            let count = character.unicodeScalars.count
            ends.append(ends.count + count)
            for _ in 1..<count { ends.append(nil) }
        }
        var position = 0, piece = 0
        /// Behind the last `*`, and the position from which what follows it was tried last.
        var star: (piece: Int, position: Int)?
        while true {
            if piece == pieces.count {
                if position == scalars.count { return true }
            } else {
                switch pieces[piece] {
                case .many:
                    piece += 1
                    star = (piece, position)
                    continue
                case .scalar(let scalar) where position < scalars.count && scalars[position] == scalar:
                    position += 1
                    piece += 1
                    continue
                case .character where position < scalars.count:
                    guard let end = ends[position] else { break }
                    position = end
                    piece += 1
                    continue
                case .scalar, .character: break
                }
            }
            guard let last = star, last.position < scalars.count else { return false }
            piece = last.piece
            position = last.position + 1
            star = (piece, position)
        }
    }
}
