import Foundation

/// The pattern of `LIKE`: `?` is one character, `*` any number of them, also none.
///
/// Matched from the left; after a `*` the first position is taken where the rest up to the next `*` fits.
/// That is enough, since what a piece matches ends the later the later it begins. A regular expression would
/// try all ways to share the text among the stars, and gives up on thirty of them.
struct LikePattern {
    private enum Piece { case scalar(Unicode.Scalar), character, many }
    private let pieces: [Piece]

    init(_ pattern: String) {
        var pieces: [Piece] = []
        for character in pattern {
            switch character {
            case "?": pieces.append(.character)
            case "*": if case .many? = pieces.last { continue } else { pieces.append(.many) }
            default: pieces += character.unicodeScalars.map { .scalar($0) }
            }
        }
        self.pieces = pieces
    }

    /// - Complexity: O(length of the text · length of the pattern).
    func matches(_ text: String) -> Bool {
        let scalars = Array(text.unicodeScalars)
        /// By scalar: where the character that it is in ends.
        var ends: [Int] = []
        ends.reserveCapacity(scalars.count)
        for character in text {
            let end = ends.count + character.unicodeScalars.count
            while ends.count < end { ends.append(end) }
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
                    (position, piece) = (position + 1, piece + 1)
                    continue
                case .character where position < scalars.count:
                    (position, piece) = (ends[position], piece + 1)
                    continue
                case .scalar, .character: break
                }
            }
            guard let last = star, last.position < scalars.count else { return false }
            (piece, position) = (last.piece, last.position + 1)
            star = (piece, position)
        }
    }
}
