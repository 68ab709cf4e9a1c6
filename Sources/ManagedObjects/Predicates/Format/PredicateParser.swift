/// Reads a predicate that is written as text: the language of `NSPredicate`, and Swift's operators beside it.
///
///     date > %@ AND ANY swatches.share > 0.3
///     country.name == "France" && !(title CONTAINS[cd] 'fog')
///
/// By recursive descent, in time that grows with the text's length. Everything that recurses has a limit:
/// parentheses, braces, signs and `NOT` nest 25 deep at most, so that SQLite's parser can follow, and a value
/// is worked out in two hundred steps at most. Chains of `AND` and `OR` have no limit.
///
/// - Source: Apple, Predicate Programming Guide, "Predicate Format String Syntax".
struct PredicateParser {
    let text: String
    let schema: any PredicateSchema
    let words: PredicateWords?
    var tokens: ArraySlice<FormatToken>
    var arguments: ArraySlice<Any?>
    private var depth = 0
    /// The variables of the subqueries around here: their places among the objects of a ``PropertyPath``, and
    /// what they stand for.
    var variables: [String: (index: Int, schema: any PredicateSchema)] = [:]
    /// How many objects have names: the fetched one, and those that `ANY` and subqueries go through.
    var named = 1
    static let deepest = 25
    static let mostSteps = 200

    /// A side of a comparison.
    struct Expression {
        var node: PredicateNode
        /// A property that a row holds.
        var type: AttributeType?
        var path: PropertyPath?
        /// A path through a to-many relationship, with the test of each object.
        var many: Many?
        /// A list of values: `{1, 2}`, or an array given for `%@`.
        var list: [StoredValue]?
        /// A list in which not all are values: `{low, high + 1}`.
        var items: [Expression]?
        var isList: Bool { list != nil || items != nil }
        /// How deep the arithmetic in `node` is.
        var steps = 0
    }

    struct Many {
        let path: PropertyPath
        var rest: [String]
        let schema: any PredicateSchema
    }

    private enum Quantifier { case some, all, nothing }

    /// - Throws: ``FetchError/format(_:at:reason:)``, ``FetchError/unknownKey(entity:key:)``,
    ///   ``FetchError/wrongType(entity:key:type:)``.
    static func parse(
        _ text: String, _ arguments: [Any?], _ schema: any PredicateSchema, words: PredicateWords? = nil
    ) throws(FetchError) -> PredicateNode {
        var parser = PredicateParser(
            text: text, schema: schema, words: words, tokens: try FormatToken.tokens(text)[...],
            arguments: arguments[...])
        let node = try parser.or()
        if parser.next.kind != .end { throw parser.failure("something is left over") }
        if !parser.arguments.isEmpty {
            throw parser.failure("\(parser.arguments.count) arguments are left over")
        }
        return node
    }

    init(
        text: String, schema: any PredicateSchema, words: PredicateWords?,
        tokens: ArraySlice<FormatToken>,
        arguments: ArraySlice<Any?>
    ) {
        (self.text, self.schema, self.words) = (text, schema, words)
        (self.tokens, self.arguments) = (tokens, arguments)
    }

    // MARK: Tokens

    var next: FormatToken { tokens.first ?? FormatToken(kind: .end, position: text.count) }

    func failure(_ reason: String) -> FetchError { .format(text, at: next.position, reason: reason) }

    mutating func consume(_ symbols: String...) -> String? {
        guard case .symbol(let symbol) = next.kind, symbols.contains(symbol) else { return nil }
        tokens.removeFirst()
        return symbol
    }

    mutating func consumeWord(_ words: String...) -> String? {
        guard case .word(let word) = next.kind, words.contains(word.uppercased()) else { return nil }
        tokens.removeFirst()
        return word.uppercased()
    }

    mutating func expect(_ symbol: String) throws(FetchError) {
        if consume(symbol) == nil { throw failure("\(symbol) is missing") }
    }

    mutating func argument() throws(FetchError) -> Any? {
        guard let argument = arguments.popFirst() else { throw failure("an argument is missing") }
        return argument
    }

    // MARK: And, or, not

    private mutating func or() throws(FetchError) -> PredicateNode {
        var node = try and()
        while consume("||") != nil || consumeWord("OR") != nil { node = .or(node, try and()) }
        return node
    }

    private mutating func and() throws(FetchError) -> PredicateNode {
        var node = try not()
        while consume("&&") != nil || consumeWord("AND") != nil { node = .and(node, try not()) }
        return node
    }

    /// Runs `body` one level deeper.
    mutating func nested<Result>(_ body: (inout PredicateParser) throws(FetchError) -> Result)
        throws(FetchError) -> Result
    {
        depth += 1
        defer { depth -= 1 }
        if depth > Self.deepest { throw failure("the parentheses nest too deep") }
        return try body(&self)
    }

    /// The predicate behind a subquery's variable.
    mutating func condition() throws(FetchError) -> PredicateNode {
        try nested { parser throws(FetchError) in try parser.or() }
    }

    private mutating func not() throws(FetchError) -> PredicateNode {
        try nested { parser throws(FetchError) in try parser.test() }
    }

    private mutating func isNegation() -> Bool { consume("!") != nil || consumeWord("NOT") != nil }

    private mutating func test() throws(FetchError) -> PredicateNode {
        if isNegation() {
            var isOdd = true
            while isNegation() { isOdd.toggle() }
            let node = try not()
            return isOdd ? .not(node) : node
        }
        if consumeWord("TRUEPREDICATE") != nil { return .constant(.int(1)) }
        if consumeWord("FALSEPREDICATE") != nil { return .constant(.int(0)) }
        if consumeWord("ANY", "SOME") != nil { return try comparison(.some) }
        if consumeWord("ALL") != nil { return try comparison(.all) }
        if consumeWord("NONE") != nil { return try comparison(.nothing) }
        if let group = try group() { return group }
        return try comparison(nil)
    }

    /// A predicate in parentheses; nil where they hold an expression: `(width + 1) * 2 > 7`.
    private mutating func group() throws(FetchError) -> PredicateNode? {
        guard case .symbol("(") = next.kind else { return nil }
        let before = (tokens, arguments)
        tokens.removeFirst()
        do throws(FetchError) {
            let node = try or()
            try expect(")")
            if case .symbol(let symbol) = next.kind, ![")", "&&", "||", "!"].contains(symbol) {
                throw failure("")
            }
            if case .word(let word) = next.kind, !["AND", "OR"].contains(word.uppercased()) {
                throw failure("")
            }
            return node
        } catch {
            let groupError = error, end = tokens
            (tokens, arguments) = before
            // If it is no expression either, the error of the predicate is thrown.
            var trial = self
            if (try? trial.sum()) == nil {
                tokens = end
                throw groupError
            }
            return nil
        }
    }

    // MARK: Comparisons

    private mutating func comparison(_ quantifier: Quantifier?) throws(FetchError) -> PredicateNode {
        let left = try sum()
        if left.many != nil { named += 1 }
        defer { if left.many != nil { named -= 1 } }
        if let many = left.many, quantifier == nil, left.type == nil, consumeWord("CONTAINS") != nil {
            return .any(many.path, .compare(left.node, .equal, try object(in: many)))
        }
        let node = try test(left)
        guard let many = left.many else {
            if quantifier != nil { throw failure("ANY, ALL and NONE want a relationship to many") }
            return node
        }
        switch quantifier {
        case .some(.some): return .any(many.path, node)
        case .nothing?: return .not(.any(many.path, node))
        case .all?: return .not(.any(many.path, .not(node)))
        case nil: throw failure("a relationship to many wants ANY, ALL or NONE in front of it")
        }
    }

    /// The object that a relationship to many is asked for.
    private mutating func object(in many: Many) throws(FetchError) -> PredicateNode {
        let right = try sum()
        switch right.node {
        case .constant(.id) where !right.isList, .property where right.type == nil && right.many == nil:
            return right.node
        default:
            let name = many.path.names.joined(separator: ".")
            throw failure("\(name) has objects: CONTAINS wants one, a test of each wants ANY, ALL or NONE")
        }
    }

    /// `value IN tags.name`: whether an object of a relationship to many has the value, or is it.
    private func membership(_ left: Expression, _ right: Expression, _ many: Many) throws(FetchError)
        -> PredicateNode
    {
        if left.many != nil || left.isList { throw failure("one value is IN a relationship to many") }
        guard case .constant(let value) = left.node else {
            return .any(many.path, .compare(left.node, .equal, right.node))
        }
        let (node, typed) = try fitting(value, right)
        return .any(many.path, .compare(node, .equal, .constant(typed)))
    }

    /// `{1, 2} CONTAINS stars`: the same as `stars IN {1, 2}`.
    private mutating func test(list: Expression) throws(FetchError) -> PredicateNode {
        guard consumeWord("CONTAINS") != nil, try textOptions().isEmpty else {
            throw failure("a list stands in front of CONTAINS, or behind IN or BETWEEN")
        }
        let right = try sum()
        if right.many != nil || right.isList { throw failure("a list contains one value") }
        return try isIn(right, list)
    }

    private func isIn(_ left: Expression, _ list: Expression) throws(FetchError) -> PredicateNode {
        if let values = list.list {
            let (node, values) = try fitting(values, left)
            return .isIn(node, values)
        }
        let terms = try (list.items ?? []).map { item throws(FetchError) in
            try compare(left, symbol: "==", options: "", right: item)
        }
        return .or(PredicateChain(terms))
    }

    /// Returns the test of `left`, or of each object if it leads to many.
    private mutating func test(_ left: Expression) throws(FetchError) -> PredicateNode {
        if left.isList { return try test(list: left) }
        if let symbol = consume("==", "=", "!=", "<>", "<", ">", "<=", "=<", ">=", "=>") {
            let options = try textOptions()
            let right = try sum()
            if right.many != nil { throw failure("a relationship to many stands on the left only") }
            if right.isList { throw failure("a list stands behind IN or BETWEEN") }
            return try compare(left, symbol: symbol, options: options, right: right)
        }
        if let word = consumeWord("CONTAINS", "BEGINSWITH", "ENDSWITH", "LIKE", "MATCHES") {
            if word == "MATCHES", words?.allowsMatches == false {
                throw failure("MATCHES is not allowed here; LIKE is")
            }
            let options = try textOptions()
            let pattern = try sum()
            let isText = if case .constant(let value) = pattern.node { value.isText } else { true }
            if pattern.isList || pattern.many != nil || !isText { throw failure("\(word) wants a text") }
            if let type = left.type, type != .string, type != .uri {
                let name = left.path?.names.joined(separator: ".") ?? "it"
                throw failure("\(name) is no text, which \(word) asks for")
            }
            return .text(left.node, try textTest(word, options, pattern), pattern.node)
        }
        if consumeWord("BETWEEN") != nil {
            let right = try sum()
            if let items = right.items, items.count == 2 {
                return .and(
                    try compare(left, symbol: ">=", options: "", right: items[0]),
                    try compare(left, symbol: "<=", options: "", right: items[1]))
            }
            guard let list = right.list, list.count == 2 else { throw failure("BETWEEN wants two values") }
            let (node, bounds) = try fitting(list, left)
            return .and(
                .compare(node, .greaterOrEqual, .constant(bounds[0])),
                .compare(node, .lessOrEqual, .constant(bounds[1])))
        }
        if consumeWord("IN") != nil {
            let right = try sum()
            if let many = right.many { return try membership(left, right, many) }
            if !right.isList { throw failure("IN wants a list of values") }
            return try isIn(left, right)
        }
        // A property that is true or false stands for itself.
        if left.type == .boolean { return left.node }
        throw failure("a comparison is missing")
    }

    private mutating func textOptions() throws(FetchError) -> String {
        guard case .symbol("[") = next.kind else { return "" }
        tokens.removeFirst()
        guard case .word(let options) = next.kind, options.allSatisfy({ "cdn".contains($0) }) else {
            throw failure("[c], [d], [cd] or [n] is missing")
        }
        tokens.removeFirst()
        try expect("]")
        return options
    }

    private func compare(_ left: Expression, symbol: String, options: String, right: Expression)
        throws(FetchError) -> PredicateNode
    {
        let comparison: PredicateNode.Comparison =
            switch symbol {
            case "==", "=": .equal
            case "!=", "<>": .notEqual
            case "<": .less
            case ">": .greater
            case "<=", "=<": .lessOrEqual
            default: .greaterOrEqual
            }
        if options.contains("c") || options.contains("d") {
            let test = PredicateNode.TextTest.folded(.init(.equal, options))
            switch comparison {
            case .equal: return .text(left.node, test, right.node)
            case .notEqual: return .not(.text(left.node, test, right.node))
            default: throw failure("[\(options)] goes with == and != only")
            }
        }
        if case .constant(let value) = right.node {
            let (node, value) = try fitting(value, left)
            return compare(node, comparison, value)
        }
        if case .constant(let value) = left.node {
            let (node, value) = try fitting(value, right)
            return .compare(.constant(value), comparison, node)
        }
        return .compare(left.node, comparison, right.node)
    }

    /// A number that is compared with nothing, or with one, says only whether there is any: a store stops at
    /// the first.
    private func compare(_ count: PredicateNode, _ comparison: PredicateNode.Comparison, _ value: StoredValue)
        -> PredicateNode
    {
        guard case .count(let path, let test?) = count else {
            return .compare(count, comparison, .constant(value))
        }
        switch (comparison, value) {
        case (.greater, .int(0)), (.notEqual, .int(0)), (.greaterOrEqual, .int(1)): return .any(path, test)
        case (.equal, .int(0)), (.lessOrEqual, .int(0)), (.less, .int(1)): return .not(.any(path, test))
        default: return .compare(count, comparison, .constant(value))
        }
    }

    /// A property and a value it is compared with, in the property's own type; both may be put into others'
    /// words.
    private func fitting(_ value: StoredValue, _ property: Expression) throws(FetchError) -> (
        PredicateNode, StoredValue
    ) {
        let (path, typed) = try rewritten(value, property)
        // Whether there is a value is asked of the property itself.
        if typed == .null, case .coalesce(let own, _) = property.node { return (own, typed) }
        return (path.map { .property($0) } ?? property.node, typed)
    }

    /// Like ``fitting(_:_:)``, of the values of a list, which all have to be in one property's type.
    private func fitting(_ values: [StoredValue], _ property: Expression) throws(FetchError) -> (
        PredicateNode, [StoredValue]
    ) {
        let all = try values.map { value throws(FetchError) in try rewritten(value, property) }
        if all.contains(where: { $0.path?.names != all.first?.path?.names }) {
            throw failure("the values of the list are of different kinds")
        }
        let node = all.first?.path.map { PredicateNode.property($0) } ?? property.node
        return (node, all.map(\.value))
    }

    /// A value as a property has it, and the property that it is compared with where the program's own words
    /// name another.
    private func rewritten(_ value: StoredValue, _ property: Expression) throws(FetchError) -> (
        path: PropertyPath?, value: StoredValue
    ) {
        if let path = property.path, case .text(let text) = value, let words {
            if let reason = words.refuse(path.names, text) { throw failure(reason) }
            if let (names, value) = words.rewrite(path.names, text) {
                return (PropertyPath(variable: path.variable, names: names), value)
            }
        }
        return (nil, try typed(value, property))
    }

    private func typed(_ value: StoredValue, _ property: Expression) throws(FetchError) -> StoredValue {
        guard let type = property.type else { return value }
        guard let typed = type.typed(value) else {
            throw .format(
                text, at: next.position,
                reason:
                    "\(property.path?.names.joined(separator: ".") ?? "it") is compared with \(value.literal)"
            )
        }
        return typed
    }

    private func textTest(_ word: String, _ options: String, _ pattern: Expression) throws(FetchError)
        -> PredicateNode.TextTest
    {
        let isPlain = !options.contains("c") && !options.contains("d")
        switch word {
        case "CONTAINS": return isPlain ? .contains : .folded(.init(.contains, options))
        case "BEGINSWITH": return isPlain ? .beginsWith : .folded(.init(.beginsWith, options))
        case "ENDSWITH": return .folded(.init(.endsWith, options))
        case "LIKE": return .folded(.init(.like, options))
        default:
            if case .constant(.text(let expression)) = pattern.node, !FoldedTest.isExpression(expression) {
                throw failure("\"\(expression)\" is no regular expression")
            }
            return .folded(.init(.matches, options))
        }
    }
}

extension StoredValue {
    fileprivate var isText: Bool {
        switch self {
        case .text, .null: true
        default: false
        }
    }
}

/// A program's own words for its users' predicates.
package struct PredicateWords {
    /// Paths of names by the names that users write.
    let aliases: [String: [String]]
    /// What a property counts as where it has no value, by its path of names.
    let defaults: [[String]: StoredValue]
    /// Puts a property that is compared with a text, and the text, into other words; nil leaves them as they
    /// are.
    let rewrite: (_ names: [String], _ text: String) -> (names: [String], value: StoredValue)?
    /// Why a property cannot be compared with a text; nil where it can.
    let refuse: (_ names: [String], _ text: String) -> String?
    /// Whether `MATCHES` may be used: a regular expression may take longer than anybody waits.
    let allowsMatches: Bool
    /// Called with each path of names that is read.
    let onNames: (_ names: [String]) -> Void

    package init(
        aliases: [String: [String]], defaults: [[String]: StoredValue] = [:], allowsMatches: Bool = true,
        onNames: @escaping (_ names: [String]) -> Void = { _ in },
        rewrite: @escaping (_ names: [String], _ text: String) -> (names: [String], value: StoredValue)?,
        refuse: @escaping (_ names: [String], _ text: String) -> String? = { _, _ in nil }
    ) {
        self.aliases = aliases
        self.defaults = defaults
        self.allowsMatches = allowsMatches
        self.onNames = onNames
        self.rewrite = rewrite
        self.refuse = refuse
    }
}
