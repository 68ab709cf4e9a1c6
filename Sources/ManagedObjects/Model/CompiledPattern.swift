import Foundation
import Synchronization

/// A regular expression, compiled once a process.
final class CompiledPattern: Sendable {
    private static let known = Mutex<[String: CompiledPattern]>([:])
    private let expression: NSRegularExpression?

    private init(_ pattern: String) { expression = try? NSRegularExpression(pattern: "(?:\(pattern))\\z") }

    static func of(_ pattern: String) -> CompiledPattern {
        known.withLock { known in
            if let compiled = known[pattern] { return compiled }
            let compiled = CompiledPattern(pattern)
            known[pattern] = compiled
            return compiled
        }
    }

    /// Whether all of `text` is what the pattern says.
    func matches(_ text: String) -> Bool {
        let all = NSRange(text.startIndex..., in: text)
        guard let expression else { return true }
        // The pattern ends in `\z`: alternatives are tried until one reaches the end.
        return expression.firstMatch(in: text, options: .anchored, range: all).map {
            $0.range == all
        } ?? false
    }
}
