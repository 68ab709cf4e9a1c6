/// A test of a text attribute, for filters by key path.
///
///     Filter(\Note.title, .contains("fog", ignoring: .case))
public struct TextMatch: Sendable, Hashable {
    /// What a comparison of texts leaves out of account.
    public struct Options: OptionSet, Sendable, Hashable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        /// `E` is `e`: `[c]` in a predicate's text.
        public static let `case` = Options(rawValue: 1)
        /// `é` is `e`: `[d]` in a predicate's text.
        public static let diacritics = Options(rawValue: 2)

        fileprivate var letters: String {
            (contains(.case) ? "c" : "") + (contains(.diacritics) ? "d" : "")
        }
    }

    let test: PredicateNode.TextTest
    let text: String

    private init(_ kind: FoldedTest.Kind, _ text: String, _ options: Options) {
        test =
            switch kind {
            case .contains where options.isEmpty: .contains
            case .beginsWith where options.isEmpty: .beginsWith
            default: .folded(FoldedTest(kind, options.letters))
            }
        self.text = text
    }

    /// The same text.
    public static func equals(_ text: String, ignoring options: Options = []) -> TextMatch {
        TextMatch(.equal, text, options)
    }

    /// A text that contains another; every text contains the empty one.
    public static func contains(_ text: String, ignoring options: Options = []) -> TextMatch {
        TextMatch(.contains, text, options)
    }

    /// A text that begins with another.
    public static func hasPrefix(_ text: String, ignoring options: Options = []) -> TextMatch {
        TextMatch(.beginsWith, text, options)
    }

    /// A text that ends with another.
    public static func hasSuffix(_ text: String, ignoring options: Options = []) -> TextMatch {
        TextMatch(.endsWith, text, options)
    }

    /// A text that fits a pattern: `?` is one character, `*` any number of them.
    public static func like(_ pattern: String, ignoring options: Options = []) -> TextMatch {
        TextMatch(.like, pattern, options)
    }
}

extension Filter {
    /// The objects whose text passes a test.
    public init(_ path: KeyPath<Object, String>, _ match: TextMatch) { self.init(text: path, match) }

    /// The objects that have a text which passes a test.
    public init(_ path: KeyPath<Object, String?>, _ match: TextMatch) { self.init(text: path, match) }

    private init(text path: KeyPath<Object, some Any>, _ match: TextMatch) {
        self.init(
            Result { () throws(FetchError) in
                let property = PropertyPath(names: try path.propertyNames())
                return .text(.property(property), match.test, .constant(.text(match.text)))
            })
    }
}
