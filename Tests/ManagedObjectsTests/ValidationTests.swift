import Foundation
import ManagedObjects
import Testing

/// What a value must be for its object to be saved.
@Suite(.everyStore) struct ValidationTests {
    private func context() throws -> ManagedObjectContext {
        ManagedObjectContext(
            persistentStoreCoordinator: try emptyCoordinator(ManagedObjectModel(Ticket.self)))
    }

    @Test func `all broken rules are told at once, with object, key, value and rule`() throws {
        try context().performAndWait { context throws -> Void in
            let good = context.insert(Ticket.self), bad = context.insert(Ticket.self)
            (bad.rating, bad.code, bad.note) = (9, "x1", "too long")
            (bad.price, bad.seats) = (Decimal(-1), 3)
            let error = #expect(throws: ValidationError.self) { try context.save() }
            let failures = error?.failures ?? []
            #expect(failures.allSatisfy { $0.object == bad.objectID })
            #expect(failures.map(\.property) == ["rating", "code", "note", "price", "seats", ""])
            #expect(
                failures.map(\.rule) == [
                    .tooLarge(maximum: .int(5)), .noMatch(pattern: "[A-Z]+[0-9]|none"),
                    .tooLong(maximum: 5), .tooSmall(minimum: Decimal(0).storedValue), .custom("odd seats"),
                    .custom("nine and x1"),
                ])
            #expect(failures.first?.value == .int(9))
            #expect("\(try #require(error))".contains("rating is 9, more than 5"))
            (bad.rating, bad.code, bad.note, bad.price, bad.seats) = (5, "AB7", nil, 0, 2)
            try context.save()
            good.rating = -1
            let later = #expect(throws: ValidationError.self) { try context.save() }
            #expect(later?.failures.map(\.rule) == [.tooSmall(minimum: .int(0)), .custom("changed")])
            context.rollback()
            context.delete(bad)
            let kept = #expect(throws: ValidationError.self) { try context.save() }
            #expect(kept?.failures.map(\.rule) == [.custom("paid")])
        }
    }

    @Test func `a value can be looked at before it is set`() throws {
        try context().performAndWait { context throws -> Void in
            let ticket = context.insert(Ticket.self)
            try ticket.validateValue(Int16(5), forKey: "rating")
            #expect(throws: ValidationError.self) { try ticket.validateValue(6, forKey: "rating") }
            #expect(throws: ValidationError.self) { try ticket.validateValue(nil, forKey: "rating") }
            #expect(throws: ValidationError.self) { try ticket.validateValue("AB78", forKey: "code") }
            try ticket.validateValue("none", forKey: "code")
            #expect(throws: FetchError.self) { try ticket.validateValue("six", forKey: "rating") }
            #expect(throws: FetchError.self) { try ticket.validateValue(6, forKey: "nothing") }
            #expect(throws: Ticket.Refusal.self) { try ticket.validateValue(3, forKey: "seats") }
        }
    }

    @Test func `a relationship has as many members as its counts say, in entities without classes`() throws {
        let team = EntityDeclaration(
            "Team",
            properties: [
                .attribute(
                    AttributeDescription(
                        "share", .double, defaultValue: .double(0.5), validation: [.range(0...1)])),
                .relationship(
                    RelationshipDescription(
                        "players", to: "Player", isToMany: true, inverse: "team", minCount: 2, maxCount: 3)),
            ])
        let player = EntityDeclaration(
            "Player",
            properties: [.relationship(RelationshipDescription("team", to: "Team", inverse: "players"))])
        let model = try ManagedObjectModel(entities: [team, player])
        let context = ManagedObjectContext(persistentStoreCoordinator: try emptyCoordinator(model))
        try context.performAndWait { context throws -> Void in
            let team = try context.insert(entityNamed: "Team")
            try context.save()
            for count in 1...4 {
                try context.insert(entityNamed: "Player").setValue(team, forKey: "team")
                switch count {
                case 1, 4:
                    let error = #expect(throws: ValidationError.self) { try context.save() }
                    #expect(
                        error?.failures.map(\.rule) == [
                            count == 1 ? .tooFew(minimum: 2) : .tooMany(maximum: 3)
                        ])
                default: try context.save()
                }
            }
            try team.setValue(1.5, forKey: "share")
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.failures.first?.rule == .tooLarge(maximum: .int(1)))
        }
    }

    @Test func `lengths are of characters in a text, and of bytes in data`() throws {
        let rule = ValidationRule.length(2...3)
        let model = try ManagedObjectModel(entities: [
            EntityDeclaration(
                "Note",
                properties: [
                    .attribute(AttributeDescription("text", .string, isOptional: true, validation: [rule])),
                    .attribute(
                        AttributeDescription("data", .binaryData, isOptional: true, validation: [rule])),
                ])
        ])
        let context = ManagedObjectContext(persistentStoreCoordinator: try emptyCoordinator(model))
        try context.performAndWait { context in
            let note = try context.insert(entityNamed: "Note")
            for count in 0...4 {
                let broken: [ValidationError.Rule] =
                    count < 2 ? [.tooShort(minimum: 2)] : count > 3 ? [.tooLong(maximum: 3)] : []
                // A family is one character, of several scalars and more bytes.
                let values: [(any Sendable, String)] = [
                    (String(repeating: "👩‍👧", count: count), "text"),
                    (Data(repeating: 0xFF, count: count), "data"),
                ]
                for (value, key) in values {
                    try note.setValue(value, forKey: key)
                    var found: [ValidationError.Rule] = []
                    do { try context.save() } catch let error as ValidationError {
                        found = error.failures.map(\.rule)
                    }
                    #expect(found == broken, "\(key) \(count)")
                    try note.setValue(nil, forKey: key)
                }
            }
        }
    }

    /// The team itself is not changed: its members go to another one by their own side.
    @Test func `an owner that must have members and loses all of them fails the save, by its name`() throws {
        let team = EntityDeclaration(
            "Team",
            properties: [
                .relationship(
                    RelationshipDescription(
                        "players", to: "Player", isToMany: true, isOptional: false, inverse: "team"))
            ])
        let player = EntityDeclaration(
            "Player",
            properties: [.relationship(RelationshipDescription("team", to: "Team", inverse: "players"))])
        let model = try ManagedObjectModel(entities: [team, player])
        let context = ManagedObjectContext(persistentStoreCoordinator: try emptyCoordinator(model))
        try context.performAndWait { context throws -> Void in
            let teams = try (0..<2).map { _ in try context.insert(entityNamed: "Team") }
            let players = try teams.map { team in
                let player = try context.insert(entityNamed: "Player")
                try player.setValue(team, forKey: "team")
                return player
            }
            try context.save()
            try players[0].setValue(teams[1], forKey: "team")
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.failures.map(\.rule) == [.missingValue])
            #expect(error?.failures.map(\.property) == ["players"])
            #expect(error?.failures.map(\.object) == [teams[0].objectID])
            try players[1].setValue(teams[0], forKey: "team")
            try context.save()
        }
    }

    @Test func `a rule that no value can meet is refused with the model`() throws {
        for (type, rule) in [
            (AttributeType.integer16, ValidationRule.length(1...2)), (.string, .matches("(")),
            (.date, .range("a"..."b")),
        ] {
            let entity = EntityDeclaration(
                "A", properties: [.attribute(AttributeDescription("a", type, validation: [rule]))])
            #expect(throws: ModelError.unfitRule(entity: "A", property: "a")) {
                try ManagedObjectModel(entities: [entity])
            }
        }
    }
}

final class Ticket: ManagedObject {
    @Attribute(.range(0...5)) var rating: Int16 = 3
    @Attribute(.length(2...), .matches("[A-Z]+[0-9]|none")) var code: String = "none"
    @Attribute(.length(...5)) var note: String?
    @Attribute(.indexed, .range(Decimal(0)...)) var price: Decimal = 1
    @Attribute var seats: Int16 = 2

    override class var validatedKeys: [String] { ["seats"] }

    override func validateValue(_ value: Any?, forKey key: String) throws {
        try super.validateValue(value, forKey: key)
        if key == "seats", let seats = value as? any BinaryInteger, !Int(seats).isMultiple(of: 2) {
            throw Refusal(description: "odd seats")
        }
    }
    override func validateForInsert() throws {
        if rating == 9 && code == "x1" { throw Refusal(description: "nine and x1") }
    }
    override func validateForUpdate() throws { throw Refusal(description: "changed") }
    override func validateForDelete() throws { throw Refusal(description: "paid") }

    struct Refusal: Error, CustomStringConvertible { let description: String }
}
