import Foundation

/// Values and names, and what is made of them.
extension PredicateParser {
    mutating func sum() throws(FetchError) -> Expression {
        var left = try product()
        while let symbol = consume("+", "-") {
            try join(&left, symbol == "+" ? .add : .subtract, try product())
        }
        return left
    }

    private func join(_ left: inout Expression, _ operation: PredicateNode.Arithmetic, _ right: Expression)
        throws(FetchError)
    {
        if left.isList || right.isList { throw failure("a list is no number") }
        if case .constant(let a) = left.node, case .constant(let b) = right.node {
            left.node = .constant(operation.result(a, b))
            return
        }
        left.steps = max(left.steps, right.steps) + 1
        if left.steps > Self.mostSteps { throw failure("more than \(Self.mostSteps) steps of arithmetic") }
        left.node = .arithmetic(left.node, operation, right.node)
        (left.type, left.path) = (nil, nil)
    }

    private mutating func product() throws(FetchError) -> Expression {
        var left = try factor()
        while let symbol = consume("*", "/", "**") {
            if symbol != "*" { throw failure("\(symbol) is not supported") }
            try join(&left, .multiply, try factor())
        }
        return left
    }

    private mutating func factor() throws(FetchError) -> Expression {
        let token = next
        switch token.kind {
        case .integer(let value): return constant(.int(value))
        case .number(let value): return constant(.double(value))
        case .text(let value): return constant(.text(value))
        case .argument:
            tokens.removeFirst()
            return try value(of: try argument())
        case .word("indexed") where isIndexCall: return try indexed()
        case .word(let word) where word.uppercased() == "SUBQUERY" && isCall: return try subquery()
        case .word(let word) where isCall || isSelectorCall:
            throw failure("the function \(word) is not supported")
        case .key, .word: return try property()
        case .symbol("("):
            tokens.removeFirst()
            let inner = try nested { parser throws(FetchError) in try parser.sum() }
            try expect(")")
            return inner
        case .symbol("{"): return try nested { parser throws(FetchError) in try parser.list() }
        case .symbol("-"):
            tokens.removeFirst()
            let inner = try nested { parser throws(FetchError) in try parser.factor() }
            if case .constant(.int(let value)) = inner.node, value != .min { return folded(.int(-value)) }
            if case .constant(.double(let value)) = inner.node { return folded(.double(-value)) }
            var negative = Expression(node: .constant(.int(0)))
            try join(&negative, .subtract, inner)
            return negative
        case .symbol, .end: throw failure("a value or a name is missing")
        }
    }

    private var isIndexCall: Bool {
        let kinds: [FormatToken.Kind] = [
            .word("indexed"), .symbol(":"), .word("by"), .symbol(":"), .symbol("("),
        ]
        return tokens.prefix(kinds.count).map(\.kind) == kinds
    }

    /// `indexed:by:(latitude, "byPlace")`: the property. Stores go by the index where it helps, so that only
    /// its name is looked at.
    private mutating func indexed() throws(FetchError) -> Expression {
        tokens.removeFirst(5)
        let inner = try property()
        try expect(",")
        guard case .text(let name) = next.kind else { throw failure("the name of an index is missing") }
        let property = inner.path?.names.last ?? ""
        let isThere = schema.fetchIndexes.contains { index in
            index.name == name && index.elements.contains { $0.property == property }
        }
        if !isThere { throw failure("\(schema.entityName) has no index \"\(name)\" of \(property)") }
        tokens.removeFirst()
        try expect(")")
        return inner
    }

    /// `uppercase:(name)`, `add:to:(a, b)`.
    private var isSelectorCall: Bool {
        tokens.dropFirst().first?.kind == .symbol(":")
    }

    private var isCall: Bool { tokens.dropFirst().first?.kind == .symbol("(") }

    /// `SUBQUERY(tracks, $each, $each.stars > 3).@count`: how many objects pass a test. Names without the
    /// variable in front are the fetched object's.
    private mutating func subquery() throws(FetchError) -> Expression {
        if words != nil, !variables.isEmpty { throw failure("a SUBQUERY in a SUBQUERY is not allowed here") }
        tokens.removeFirst(2)
        guard let many = try property().many, many.rest.isEmpty else {
            throw failure("SUBQUERY wants a relationship to many")
        }
        try expect(",")
        guard case .word(let variable) = next.kind, variable.hasPrefix("$") else {
            throw failure("SUBQUERY wants a variable, as in $each")
        }
        if variables[variable] != nil { throw failure("\(variable) is the variable of a SUBQUERY around") }
        tokens.removeFirst()
        try expect(",")
        variables[variable] = (named, many.schema)
        named += 1
        let test = try condition()
        named -= 1
        variables[variable] = nil
        try expect(")")
        try expect(".")
        guard consumeWord("@COUNT") != nil else { throw failure("only .@count may follow a SUBQUERY") }
        return Expression(node: .count(many.path, where: test))
    }

    private func folded(_ value: StoredValue) -> Expression { Expression(node: .constant(value)) }

    private mutating func constant(_ value: StoredValue) -> Expression {
        tokens.removeFirst()
        return Expression(node: .constant(value))
    }

    private mutating func list() throws(FetchError) -> Expression {
        tokens.removeFirst()
        var items: [Expression] = []
        while consume("}") == nil {
            let item = try sum()
            if item.isList || item.many != nil { throw failure("a list holds single values only") }
            items.append(item)
            if consume(",") == nil {
                try expect("}")
                break
            }
        }
        var values: [StoredValue] = []
        for item in items { if case .constant(let value) = item.node { values.append(value) } }
        return values.count == items.count
            ? Expression(node: .constant(.null), list: values)
            : Expression(node: .constant(.null), items: items)
    }

    private func value(of argument: Any?) throws(FetchError) -> Expression {
        switch argument.map(unboxed) {
        case nil, is NSNull: return folded(.null)
        case let value as any PredicateValue: return folded(value.storedValue)
        case let object as ManagedObject: return folded(.id(object.objectID))
        case let id as ManagedObjectID: return folded(.id(id))
        case let values as [Any?]: return try list(of: values)
        case let values as Set<AnyHashable>: return try list(of: values.map(\.base))
        case let value?: throw failure("an argument is a \(type(of: value)), which no property can be")
        }
    }

    private func list(of arguments: [Any?]) throws(FetchError) -> Expression {
        var values: [StoredValue] = []
        values.reserveCapacity(arguments.count)
        for argument in arguments {
            guard case let inner = try value(of: argument), inner.list == nil,
                case .constant(let value) = inner.node
            else { throw failure("a list in a list") }
            values.append(value)
        }
        return Expression(node: .constant(.null), list: values)
    }

    mutating func property() throws(FetchError) -> Expression {
        if consumeWord("NIL", "NULL") != nil { return folded(.null) }
        if consumeWord("TRUE", "YES") != nil { return folded(.int(1)) }
        if consumeWord("FALSE", "NO") != nil { return folded(.int(0)) }
        if consumeWord("SELF") != nil, consume(".") == nil {
            return Expression(node: .property(PropertyPath(names: [])))
        }
        var names: [String] = []
        repeat {
            switch next.kind {
            case .word(let word):
                tokens.removeFirst()
                names.append(word.hasPrefix("#") ? String(word.dropFirst()) : word)
            case .key:
                tokens.removeFirst()
                guard let key = try argument() as? String else { throw failure("%K wants a name") }
                names += key.split(separator: ".").map(String.init)
            default: throw failure("a name is missing")
            }
        } while consume(".") != nil
        if let words, let alias = words.aliases[names[0]] { names = alias + names.dropFirst() }
        words?.onNames(names)
        var found = try property(names)
        if let value = words?.defaults[names] { found.node = .coalesce(found.node, .constant(value)) }
        return found
    }

    private func property(_ names: [String]) throws(FetchError) -> Expression {
        var schema = schema, names = names, root = 0
        if names[0].hasPrefix("$") {
            guard let variable = variables[names[0]] else {
                throw failure("\(names[0]) stands for nothing here")
            }
            (root, schema) = variable
            names.removeFirst()
            if names.isEmpty { return Expression(node: .property(PropertyPath(variable: root))) }
        }
        var seen: [String] = []
        for (index, name) in names.enumerated() {
            let isLast = index == names.count - 1
            guard let kind = schema.property(name) else {
                throw .unknownKey(
                    entity: schema.entityName, key: names.dropFirst(seen.count).joined(separator: "."))
            }
            seen.append(name)
            switch kind {
            case .attribute(let type):
                if !isLast {
                    throw .unknownKey(entity: schema.entityName, key: names[index...].joined(separator: "."))
                }
                let path = PropertyPath(variable: root, names: seen)
                return Expression(node: .property(path), type: type, path: path)
            case .toOne(let target):
                if isLast { return Expression(node: .property(PropertyPath(variable: root, names: seen))) }
                schema = target
            case .toMany(let target):
                // Whoever may only ask must not make a store look at all rows for each row.
                if words != nil, root > 0 || seen.count > 1 {
                    throw failure("\(seen.joined(separator: ".")) leads to many other objects")
                }
                let path = PropertyPath(variable: root, names: seen), rest = Array(names[(index + 1)...])
                if rest == ["@count"] { return Expression(node: .count(path)) }
                if let first = rest.first, first.hasPrefix("@") {
                    return try aggregate(first, path, Array(rest.dropFirst()), target)
                }
                return try member(Many(path: path, rest: rest, schema: target))
            }
        }
        throw failure("a name is missing")
    }

    /// `songs.@max.stars`
    private func aggregate(
        _ name: String, _ path: PropertyPath, _ rest: [String], _ target: any PredicateSchema
    ) throws(FetchError) -> Expression {
        guard let function = PredicateAggregate.Function(rawValue: name) else {
            throw failure("\(name) is not supported; @count, @max, @min, @sum and @avg are")
        }
        let parser = PredicateParser(
            text: text, schema: target, words: nil, tokens: tokens, arguments: arguments)
        guard !rest.isEmpty, case let found = try parser.property(rest), let type = found.type,
            let attribute = found.path
        else { throw failure("\(name) wants an attribute behind it") }
        let isNumber = [.integer16, .integer32, .integer64, .double, .float].contains(type)
        if function.isArithmetic && !isNumber {
            throw failure("\(name) of \(rest.joined(separator: ".")), which is \(type), is not supported")
        }
        let value = PropertyPath(variable: named, names: attribute.names)
        let aggregate = PredicateAggregate(function: function, path: path, value: value, type: type)
        return Expression(node: .aggregate(aggregate), type: function == .average ? .double : type)
    }

    /// A test of each object of a to-many relationship.
    private func member(_ many: Many) throws(FetchError) -> Expression {
        var inner = Expression(node: .property(PropertyPath(variable: named)), many: many)
        if many.rest.isEmpty { return inner }
        let parser = PredicateParser(
            text: text, schema: many.schema, words: nil, tokens: tokens, arguments: arguments)
        let found = try parser.property(many.rest)
        guard found.many == nil, case .property(let path) = found.node else {
            throw failure("two relationships to many in one path")
        }
        let shifted = PropertyPath(variable: named, names: path.names)
        inner.node = .property(shifted)
        (inner.type, inner.path) = (found.type, shifted)
        return inner
    }
}
