import Foundation
import Synchronization

/// A test of texts that may leave case and marks out of account. SQL calls the same code, so that both answer
/// alike.
struct FoldedTest: Hashable, Sendable {
    enum Kind: String, Sendable { case equal, contains, beginsWith, endsWith, like, matches }

    let kind: Kind
    /// `[c]`
    let ignoresCase: Bool
    /// `[d]`
    let ignoresMarks: Bool

    /// - Parameter options: `c`, `d`, both or none.
    init(_ kind: Kind, _ options: String) {
        (self.kind, ignoresCase, ignoresMarks) = (kind, options.contains("c"), options.contains("d"))
    }

    var options: String { (ignoresCase ? "c" : "") + (ignoresMarks ? "d" : "") }

    /// - Complexity: O(length); of a regular expression what it takes.
    func holds(_ text: String, _ pattern: String) -> Bool {
        switch kind {
        case .equal: folded(text).elementsEqual(folded(pattern))
        case .contains: pattern.isEmpty || folded(text).firstRange(of: folded(pattern)) != nil
        case .beginsWith: folded(text).starts(with: folded(pattern))
        case .endsWith: folded(text).reversed().starts(with: folded(pattern).reversed())
        case .like: LikePattern(pattern, folding: normalized).matches(normalized(text))
        case .matches: matches(text, pattern)
        }
    }

    private func folded(_ text: String) -> [UInt8] { Array(normalized(text).utf8) }

    /// Without what is left out of account, in one normal form: `É` is `é` with `[c]`, `E` with `[cd]`.
    private func normalized(_ text: String) -> String {
        var options: String.CompareOptions = []
        if ignoresCase { options.insert(.caseInsensitive) }
        if ignoresMarks { options.insert(.diacriticInsensitive) }
        if options.isEmpty { return text }
        return text.folding(options: options, locale: nil).decomposedStringWithCanonicalMapping
    }

    private func matches(_ text: String, _ expression: String) -> Bool {
        let text = ignoresMarks ? text.folding(options: .diacriticInsensitive, locale: nil) : text
        let expression =
            ignoresMarks ? expression.folding(options: .diacriticInsensitive, locale: nil) : expression
        guard let compiled = Self.compiled(expression, ignoresCase: ignoresCase) else { return false }
        return compiled.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
    }

    private struct Compiled {
        var pattern = "", ignoresCase = false
        var expression: NSRegularExpression?
    }

    /// The last one is kept: a fetch asks each row the same. Not a tuple, see ``EntityName``.
    private static let last = Mutex(Compiled())

    private static func compiled(_ pattern: String, ignoresCase: Bool) -> NSRegularExpression? {
        last.withLock { last in
            if last.expression != nil && last.pattern == pattern && last.ignoresCase == ignoresCase {
                return last.expression
            }
            var options: NSRegularExpression.Options = [.dotMatchesLineSeparators]
            if ignoresCase { options.insert(.caseInsensitive) }
            let expression = try? NSRegularExpression(pattern: "\\A(?:\(pattern))\\z", options: options)
            last = Compiled(pattern: pattern, ignoresCase: ignoresCase, expression: expression)
            return expression
        }
    }

    static func isExpression(_ text: String) -> Bool { (try? NSRegularExpression(pattern: text)) != nil }
}
