import Foundation

/// How texts are put in order, where that is not byte by byte.
public enum Collation: String, Sendable, Hashable, CaseIterable {
    /// `a` and `A` are equal.
    case caseInsensitive
    /// As the user's language has it: `ä` beside `a` in German, behind `z` in Swedish.
    case localized
    case localizedCaseInsensitive
    /// As a file manager has it: also, numbers by value, so that `b2` comes before `b10`.
    case localizedStandard

    func compare(_ a: String, _ b: String) -> ComparisonResult {
        switch self {
        case .caseInsensitive: a.caseInsensitiveCompare(b)
        case .localized: a.localizedCompare(b)
        case .localizedCaseInsensitive: a.localizedCaseInsensitiveCompare(b)
        case .localizedStandard: a.localizedStandardCompare(b)
        }
    }

    /// The name of the collation in SQL, which runs the same code.
    var collationName: String { "MOODY_\(rawValue)" }
}
