import Foundation

/// An expression of a mapping model: where the value of a property comes from.
///
/// - Source: the archives of `NSExpression` in the mapping models of CoreStore and CoreDataPlus.
indirect enum MappingExpression: Sendable {
    case constant(StoredValue)
    /// `$source.maker.name`
    case path([String])
    /// The new targets of relationships of the source, and the name of the entity mapping that they went by.
    case targets([String], mapping: String?)
    case arithmetic(Arithmetic, MappingExpression, MappingExpression)
    case lowercase(MappingExpression)
    case uppercase(MappingExpression)

    enum Arithmetic: String, Sendable {
        case plus = "add:to:"
        case minus = "from:subtract:"
        case times = "multiply:by:"
        case divided = "divide:by:"
    }

    private static let deepest = 64

    /// - Parameter bytes: of a keyed archive.
    /// - Throws: ``ArchiveError``.
    init(_ bytes: [UInt8]) throws(ArchiveError) {
        guard let root = try KeyedArchive(bytes).root else { throw ArchiveError("has an empty expression") }
        self = try Self.expression(root, depth: 0)
    }

    private static func expression(_ value: ArchivedValue, depth: Int) throws(ArchiveError) -> Self {
        if depth > deepest { throw ArchiveError("has an expression that nests too deep") }
        if value.isKind(of: "NSConstantValueExpression") {
            guard let constant = value["NSConstantValue"] else { return .constant(.null) }
            guard let stored = stored(constant) else {
                throw ArchiveError("has a constant of the class \(constant.className ?? "unknown")")
            }
            return .constant(stored)
        }
        guard let selector = value["NSSelectorName"]?.text, let operand = value["NSOperand"] else {
            throw ArchiveError("has an expression that is not supported: \(value.className ?? "unknown")")
        }
        let arguments = value["NSArguments"]?.elements ?? []
        let variable = operand["NSVariable"]?.text
        switch (selector, variable) {
        case ("valueForKeyPath:", "source"), ("valueForKey:", "source"):
            let path = arguments.first.flatMap { $0["NSKeyPath"]?.text ?? $0["NSConstantValue"]?.text }
            guard let path, !path.isEmpty else { throw ArchiveError("has an expression without a key path") }
            return .path(try names(of: path))
        case ("destinationInstancesForEntityMappingNamed:sourceInstances:", "manager"),
            ("destinationInstancesForSourceRelationshipNamed:sourceInstances:", "manager"):
            if arguments.count == 2, let name = arguments[0]["NSConstantValue"]?.text ?? arguments[0].text,
                case .path(let names) = try expression(arguments[1], depth: depth + 1)
            {
                if selector.contains("EntityMapping") { return .targets(names, mapping: name) }
                if name == names.last { return .targets(names, mapping: nil) }
            }
            throw ArchiveError("has an expression that does not lead to a relationship of the source")
        case (_, nil) where operand["NSConstantValueClassName"]?.text == "_NSPredicateUtilities":
            return try function(selector, arguments, depth: depth)
        default:
            throw ArchiveError(
                "calls \(selector) of \(variable.map { "$\($0)" } ?? operand.className ?? "unknown"), which "
                    + "is a method of Objective-C")
        }
    }

    /// The names of a key path. Operators that make one set of several say nothing more: targets are a set.
    ///
    /// - Throws: ``ArchiveError`` for another operator.
    static func names(of path: String) throws(ArchiveError) -> [String] {
        let all = path.split(separator: ".").map(String.init)
        let unions: Set<String> = [
            "@distinctUnionOfSets", "@distinctUnionOfObjects", "@distinctUnionOfArrays", "@unionOfObjects",
            "@unionOfArrays",
        ]
        let names = all.filter { !unions.contains($0) }
        if let other = names.first(where: { $0.hasPrefix("@") || $0.hasPrefix("$") }) {
            throw ArchiveError("has the key path \(path), whose \(other) is not supported")
        }
        guard let last = all.last, last == names.last else {
            throw ArchiveError("has the key path \(path), which ends in no property")
        }
        return names
    }

    private static func function(_ selector: String, _ arguments: [ArchivedValue], depth: Int)
        throws(ArchiveError) -> Self
    {
        var operands: [MappingExpression] = []
        for argument in arguments { operands.append(try expression(argument, depth: depth + 1)) }
        switch (selector, operands.count) {
        case ("lowercase:", 1): return .lowercase(operands[0])
        case ("uppercase:", 1): return .uppercase(operands[0])
        case (_, 2):
            if let arithmetic = Arithmetic(rawValue: selector) {
                return .arithmetic(arithmetic, operands[0], operands[1])
            }
        default: break
        }
        throw ArchiveError("calls the function \(selector), which is not supported")
    }

    private static func stored(_ value: ArchivedValue) -> StoredValue? {
        if let text = value.text { return .text(text) }
        if let date = value.date { return date.storedValue }
        if let bytes = value.bytes { return .blob(Data(bytes)) }
        if !value.isReal, let number = value.int { return .int(number) }
        return value.double?.storedValue ?? value.decimal?.storedValue
    }

    /// The path to the objects of the source whose successors are meant, and the name of an entity mapping.
    var targets: (path: [String], mapping: String?)? {
        switch self {
        case .targets(let names, let mapping): (names, mapping)
        case .path(let names): (names, nil)
        default: nil
        }
    }

    /// A function from an object before to the value of an attribute after, as its own type.
    func computation(of attribute: AttributeDescription, _ entity: EntityDescription)
        -> @Sendable (MigrationSource) throws -> any PredicateValue
    {
        let entity = entity.name
        let name = attribute.name
        let type = attribute.type
        return { source in
            let value = try self.value(of: source)
            if let fitting = value.fitting(type) { return Computed(storedValue: fitting) }
            throw MigrationError.mapping([
                .init(entity: entity, property: name, reason: "gets \(value), which is no \(type)")
            ])
        }
    }

    private struct Computed: PredicateValue {
        let storedValue: StoredValue
    }

    /// - Throws: ``ArchiveError`` for a key path that the entity does not have.
    func check(_ entity: EntityDescription, _ model: ManagedObjectModel) throws(ArchiveError) {
        switch self {
        case .constant: break
        case .targets(let names, _):
            throw ArchiveError("gets the objects of \(names.joined(separator: ".")), and is no relationship")
        case .lowercase(let operand), .uppercase(let operand): try operand.check(entity, model)
        case .arithmetic(_, let first, let second):
            try first.check(entity, model)
            try second.check(entity, model)
        case .path(let names):
            var current = entity
            for (index, name) in names.enumerated() {
                guard let slot = current.slot(of: name) else {
                    throw ArchiveError("is to come from \(names.joined(separator: ".")), which is not there")
                }
                let relationship = current.relationship(at: slot)
                let isLast = index == names.count - 1
                guard (relationship == nil) == isLast, !(relationship?.isToMany ?? false) else {
                    throw ArchiveError(
                        "is to come from \(names.joined(separator: ".")), which is no attribute of one object"
                    )
                }
                if let relationship { current = model.destination(of: relationship) }
            }
        }
    }

    func value(of source: MigrationSource) throws -> StoredValue {
        switch self {
        case .constant(let value): return value
        case .targets: return .null
        case .path(let names):
            var current = source
            for name in names.dropLast() {
                guard let next = try current.target(name) else { return .null }
                current = next
            }
            return try current.storedValue(names.last ?? "")
        case .lowercase(let operand): return try operand.value(of: source).mapText { $0.lowercased() }
        case .uppercase(let operand): return try operand.value(of: source).mapText { $0.uppercased() }
        case .arithmetic(let arithmetic, let first, let second):
            return arithmetic.result(try first.value(of: source), try second.value(of: source))
        }
    }
}

extension MappingExpression.Arithmetic {
    /// Whole numbers stay whole, but for quotients, which Core Data computes as fractions, and decimals stay
    /// decimals; what overflows or is no number is null.
    func result(_ first: StoredValue, _ second: StoredValue) -> StoredValue {
        if case .int(let a) = first, case .int(let b) = second {
            let (value, overflows): (Int64, Bool)
            switch self {
            case .plus: (value, overflows) = a.addingReportingOverflow(b)
            case .minus: (value, overflows) = a.subtractingReportingOverflow(b)
            case .times: (value, overflows) = a.multipliedReportingOverflow(by: b)
            case .divided:
                if b == 0 { return .null }
                return (Double(a) / Double(b)).storedValue
            }
            return overflows ? .null : .int(value)
        }
        if let a = first.double, let b = second.double {
            let value = result(a, b)
            return value.isFinite ? value.storedValue : .null
        }
        guard let a = first.decimal, let b = second.decimal else { return .null }
        if self == .divided && b == 0 { return .null }
        // NaN, for what does not fit, is null.
        return decimal(a, b).storedValue
    }

    private func result(_ a: Double, _ b: Double) -> Double {
        switch self {
        case .plus: a + b
        case .minus: a - b
        case .times: a * b
        case .divided: a / b
        }
    }

    private func decimal(_ a: Decimal, _ b: Decimal) -> Decimal {
        switch self {
        case .plus: a + b
        case .minus: a - b
        case .times: a * b
        case .divided: a / b
        }
    }
}

extension StoredValue {
    fileprivate func mapText(_ body: (String) -> String) -> StoredValue {
        if case .text(let text) = self { .text(body(text)) } else { .null }
    }

    fileprivate var double: Double? {
        switch self {
        case .int(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }

    /// A number of any kind; the bytes of what is no decimal are none.
    fileprivate var decimal: Decimal? {
        switch self {
        case .int(let value): Decimal(value)
        case .double(let value): Decimal(nearest: value)
        case .blob(let key): DecimalKey.decimal(key)
        default: nil
        }
    }
}

extension StoredValue {
    /// The value as an attribute of a type takes it: numbers become the attribute's kind of number, a
    /// fraction loses its places. Nil for another kind of value.
    func fitting(_ type: AttributeType) -> StoredValue? {
        switch (type, self) {
        case (_, .null): return .null
        case (.integer16, .int(let value)): return Int16(exactly: value) == nil ? nil : self
        case (.integer32, .int(let value)): return Int32(exactly: value) == nil ? nil : self
        case (.integer16, .double(let value)), (.integer32, .double(let value)),
            (.integer64, .double(let value)):
            return Int64(exactly: value.rounded(.towardZero)).flatMap { StoredValue.int($0).fitting(type) }
        case (.boolean, .int(let value)): return .int(value == 0 ? 0 : 1)
        case (.double, .int(let value)), (.float, .int(let value)): return Double(value).storedValue
        case (.decimal, .int(let value)): return Decimal(value).storedValue
        case (.decimal, .double(let value)): return Decimal(nearest: value)?.storedValue
        case (.decimal, .blob(let key)): return DecimalKey.decimal(key)?.storedValue
        case (.decimal, .text(let text)): return Decimal(string: text, locale: nil)?.storedValue
        case (.double, .blob(let key)), (.float, .blob(let key)):
            return DecimalKey.decimal(key).flatMap { Double("\($0)")?.storedValue }
        case (.integer64, .int), (.double, .double), (.float, .double), (.date, .double), (.string, .text),
            (.uri, .text), (.uuid, .blob), (.binaryData, .blob), (.transformable, .blob),
            (.undefined, _), (.composite, _):
            return self
        default: return nil
        }
    }
}
