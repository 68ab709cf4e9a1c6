import Foundation

/// The pattern of `LIKE`: `?` is one character, `*` any number of them, also none.
///
/// Matched from the left; after a `*` the first place is taken where the rest up to the next `*` fits. That
/// is enough, since what a piece matches ends the later the later it begins. A regular expression would try
/// all ways to share the text among the stars, and gives up on thirty of them.
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
        var place = 0, piece = 0
        /// Behind the last `*`, and the place from which what follows it was tried last.
        var star: (piece: Int, place: Int)?
        while true {
            if piece == pieces.count {
                if place == scalars.count { return true }
            } else {
                switch pieces[piece] {
                case .many:
                    piece += 1
                    star = (piece, place)
                    continue
                case .scalar(let scalar) where place < scalars.count && scalars[place] == scalar:
                    (place, piece) = (place + 1, piece + 1)
                    continue
                case .character where place < scalars.count:
                    (place, piece) = (ends[place], piece + 1)
                    continue
                case .scalar, .character: break
                }
            }
            guard let last = star, last.place < scalars.count else { return false }
            (piece, place) = (last.piece, last.place + 1)
            star = (piece, place)
        }
    }
}
