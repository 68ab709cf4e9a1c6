import Foundation

/// The names that a predicate may use.
protocol PredicateSchema {
    var entityName: String { get }
    /// Nil for what is not there, or what no fetch can look at.
    func property(_ name: String) -> PredicateProperty?
    /// By name.
    var fetchIndexes: [FetchIndexDescription] { get }
}

enum PredicateProperty {
    case attribute(AttributeType)
    case toOne(any PredicateSchema)
    case toMany(any PredicateSchema)
}

/// An entity that may have no class.
struct EntitySchema: PredicateSchema {
    let entity: EntityDescription
    let model: ManagedObjectModel
    var entityName: String { entity.name }
    var fetchIndexes: [FetchIndexDescription] {
        sequence(first: entity) { [model] in model.superentity(of: $0) }.flatMap {
            $0.declaration.fetchIndexes
        }
    }

    func property(_ name: String) -> PredicateProperty? {
        guard let slot = entity.slot(of: name), !entity.slots[slot].isHidden else { return nil }
        switch entity.slots[slot] {
        case .attribute(let attribute): return attribute.isTransient ? nil : .attribute(attribute.type)
        case .relationship(let relationship):
            let target = EntitySchema(entity: model.destination(of: relationship), model: model)
            return relationship.isToMany ? .toMany(target) : .toOne(target)
        }
    }
}

extension AttributeType {
    /// A value as attributes of the type have it: a text as the date or the UUID that it names. Nil for one
    /// that no attribute of the type can have.
    func typed(_ value: StoredValue) -> StoredValue? {
        switch (self, value) {
        case (_, .null): value
        case (.integer16, .int), (.integer32, .int), (.integer64, .int), (.boolean, .int), (.double, .int),
            (.float, .int), (.date, .int):
            value
        case (.integer16, .double), (.integer32, .double), (.integer64, .double), (.double, .double),
            (.float, .double), (.date, .double):
            value
        case (.string, .text), (.binaryData, .blob), (.uuid, .blob), (.transformable, .blob): value
        case (.decimal, .int(let number)): Decimal(number).storedValue
        case (.decimal, .double(let number)): Decimal(nearest: number)?.storedValue
        case (.decimal, .blob): value
        case (.decimal, .text(let text)): Decimal(string: text, locale: nil)?.storedValue
        case (.uri, .text): value
        // The text that stands for NaN.
        case (.double, .text), (.float, .text): value == Double.nan.storedValue ? value : nil
        case (.date, .text) where value == Double.nan.storedValue: value
        case (.date, .text(let text)): Date(writtenAs: text)?.storedValue
        case (.uuid, .text(let text)): UUID(uuidString: text)?.storedValue
        default: nil
        }
    }
}

extension Date {
    /// ISO 8601: `2024-01-01`, `2024-01-01T12:30:00`, both in Greenwich, or with a zone behind.
    fileprivate init?(writtenAs text: String) {
        // A form is content with the beginning of a text: the one for a day must not see a time.
        let forms: [Date.ISO8601FormatStyle] =
            text.contains("T") || text.contains(" ")
            ? [
                .iso8601, Date.ISO8601FormatStyle(includingFractionalSeconds: true),
                .iso8601.year().month().day().time(includingFractionalSeconds: true),
                .iso8601.year().month().day().time(includingFractionalSeconds: false),
            ] : [.iso8601.year().month().day()]
        for form in forms {
            if let date = try? form.parse(text) {
                self = date
                return
            }
        }
        return nil
    }
}

extension StoredValue {
    /// As it would be written.
    var literal: String {
        switch self {
        case .null: "nil"
        case .int(let value): "\(value)"
        case .double(let value): "\(value)"
        case .text(let text): "\"\(text)\""
        case .blob(let data): "\(data.count) bytes"
        case .id(let id): "\(id)"
        case .external(let file): "the file \(file.name)"
        }
    }
}
