import Foundation

/// An expression that a store computes a derived attribute from, whenever it writes a row that it depends on.
///
/// | expression | value |
/// |---|---|
/// | `name`, `country.name` | the attribute's value, over relationships to one |
/// | `canonical:(name)` | a text without case and marks, to sort and search by |
/// | `uppercase:(name)`, `lowercase:(country.name)` | a text in one case |
/// | `swatches.@count` | how many are related |
/// | `swatches.@sum.share`, `swatches.share.@sum` | the sum of an attribute over them; 0 of none |
/// | `now()` | when the row was written last |
///
/// - Source: Apple, NSDerivedAttributeDescription, `derivationExpression`.
public struct Derivation: Sendable, Equatable {
    /// As it was given.
    public let expression: String
    let source: Source

    enum Source: Sendable, Equatable {
        case now
        case path([String], Function?)
        case count(String)
        case sum(String, attribute: String)
    }

    enum Function: String, Sendable {
        case canonical, uppercase, lowercase

        func callAsFunction(_ text: String) -> String {
            switch self {
            case .canonical:
                text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
            case .uppercase: text.uppercased()
            case .lowercase: text.lowercased()
            }
        }
    }

    /// Nil for what is no such expression.
    public init?(_ expression: String) {
        self.expression = expression
        let text = expression.filter { !$0.isWhitespace }
        func names(_ text: Substring) -> [String]? {
            let names = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            let isPath = names.allSatisfy { name in
                name.first?.isLetter == true && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
            }
            return isPath ? names : nil
        }
        if text == "now()" {
            source = .now
        } else if let parts = text.wholeMatch(of: /(\w+):\((.+)\)/) {
            guard let function = Function(rawValue: String(parts.1)), let path = names(parts.2) else {
                return nil
            }
            source = .path(path, function)
        } else if let parts = text.wholeMatch(of: /(\w+)\.@count/) {
            source = .count(String(parts.1))
        } else if let parts = text.wholeMatch(of: /(\w+)\.@sum\.(\w+)/)
            ?? text.wholeMatch(of: /(\w+)\.(\w+)\.@sum/)
        {
            source = .sum(String(parts.1), attribute: String(parts.2))
        } else if let path = names(text[...]) {
            source = .path(path, nil)
        } else {
            return nil
        }
    }
}

/// A derived attribute and where its sources are.
struct DerivedProperty: Sendable {
    let entity: EntityDescription
    let slot: Int
    let attribute: AttributeDescription
    let source: Source

    enum Source: Sendable {
        case now
        /// Each step an entity and a slot of it, the last one the attribute's.
        case path(PropertyPath, steps: [(entity: EntityDescription, slot: Int)], Derivation.Function?)
        /// Counts the objects of a relationship to many, or adds up an attribute of them.
        case members(slot: Int, target: EntityDescription, inverseSlot: Int, sumOf: Int?)
    }

    /// - Parameter values: what the source has: one value of a path, one a member.
    func value(_ values: [StoredValue], _ now: Date) -> StoredValue {
        switch source {
        case .now: return now.storedValue
        case .path(_, _, let function):
            guard let value = values.first else { return .null }
            guard let function, case .text(let text) = value else { return value }
            return .text(function(text))
        case .members(_, _, _, nil): return attribute.type.storedValue(values.count) ?? .null
        case .members(_, _, _, _?):
            let isDecimal = attribute.type == .decimal
            let sum = Aggregation(columns: [.init(function: .sum, path: PropertyPath(), isDecimal: isDecimal)]
            )
            // A sum that does not fit is none.
            guard let value = try? sum.results(values.map { CompactValues([$0]) }).first?.first else {
                return .null
            }
            return attribute.type.typed(value) ?? .null
        }
    }
}

extension ManagedObjectModel {
    /// Finds the sources of all derived attributes.
    ///
    /// - Throws: ``ModelError/unfitDerivation(entity:property:reason:)``.
    static func derivedProperties(
        _ entities: [EntityDescription], isRecovered: Bool, _ inheritedSlots: (EntityDescription) -> Int
    )
        throws(ModelError) -> [DerivedProperty]
    {
        var found: [DerivedProperty] = []
        for entity in entities {
            for slot in inheritedSlots(entity)..<entity.slots.count {
                guard case .attribute(let attribute) = entity.slots[slot],
                    let expression = attribute.derivationExpression
                else { continue }
                do {
                    guard let derivation = Derivation(expression) else {
                        throw Unfit("“\(expression)” is no derivation expression")
                    }
                    if attribute.isTransient { throw Unfit("a transient attribute has no row") }
                    found.append(
                        DerivedProperty(
                            entity: entity, slot: slot, attribute: attribute,
                            source: try source(
                                derivation.source, entity: entity, attribute: attribute, entities: entities)))
                } catch {
                    if isRecovered { continue }
                    throw .unfitDerivation(
                        entity: entity.name, property: attribute.name, reason: (error as? Unfit)?.reason ?? ""
                    )
                }
            }
        }
        return found
    }

    private struct Unfit: Error {
        let reason: String
        init(_ reason: String) { self.reason = reason }
    }

    private static func source(
        _ source: Derivation.Source, entity: EntityDescription, attribute: AttributeDescription,
        entities: [EntityDescription]
    ) throws -> DerivedProperty.Source {
        func stored(_ name: String, of entity: EntityDescription) throws -> (Int, AttributeDescription) {
            guard let slot = entity.slot(of: name), case .attribute(let source) = entity.slots[slot],
                !source.isTransient, source.derivationExpression == nil,
                !source.options.contains(.externalStorage)
            else { throw Unfit("\(entity.name).\(name) is no attribute that is kept in a row") }
            return (slot, source)
        }
        func related(_ name: String, of entity: EntityDescription, isToMany: Bool) throws
            -> (Int, RelationshipDescription)
        {
            guard let slot = entity.slot(of: name), let relationship = entity.relationship(at: slot),
                relationship.isToMany == isToMany
            else { throw Unfit("\(entity.name).\(name) is no relationship to \(isToMany ? "many" : "one")") }
            return (slot, relationship)
        }
        switch source {
        case .now:
            if attribute.type != .date { throw Unfit("now() is a date") }
            return .now
        case .path(let names, let function):
            var steps: [(entity: EntityDescription, slot: Int)] = [], home = entity
            for name in names.dropLast() {
                let (slot, relationship) = try related(name, of: home, isToMany: false)
                steps.append((home, slot))
                home = entities[relationship.destination]
            }
            let (slot, source) = try stored(names[names.count - 1], of: home)
            if function != nil && source.type != .string { throw Unfit("\(source.name) is no text") }
            if source.type != attribute.type { throw Unfit("\(source.name) is of another type") }
            return .path(PropertyPath(names: names), steps: steps + [(home, slot)], function)
        case .count(let name):
            let (slot, relationship) = try related(name, of: entity, isToMany: true)
            guard [.integer16, .integer32, .integer64].contains(attribute.type) else {
                throw Unfit("a count is an integer")
            }
            return .members(
                slot: slot, target: entities[relationship.destination], inverseSlot: relationship.inverseSlot,
                sumOf: nil)
        case .sum(let name, let summed):
            let (slot, relationship) = try related(name, of: entity, isToMany: true)
            let target = entities[relationship.destination]
            let (sumSlot, source) = try stored(summed, of: target)
            let integers: [AttributeType] = [.integer16, .integer32, .integer64]
            let isFit =
                integers.contains(source.type)
                ? integers.contains(attribute.type)
                : [.double, .float, .decimal].contains(source.type) && source.type == attribute.type
            if !isFit { throw Unfit("a sum of \(source.type) is no \(attribute.type)") }
            return .members(
                slot: slot, target: target, inverseSlot: relationship.inverseSlot, sumOf: sumSlot)
        }
    }
}
