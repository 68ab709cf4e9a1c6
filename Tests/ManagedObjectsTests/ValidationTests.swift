import Foundation
import Testing

@testable import ManagedObjects

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

    @Test func `a failure of a whole object names the object alone`() throws {
        try edgeContext().performAndWait { context throws -> Void in
            let id = context.insert(Song.self).objectID
            let whole = ValidationError.Failure(object: id, property: "", rule: .custom("odd"))
            let part = ValidationError.Failure(object: id, property: "name", rule: .missingValue)
            let error = ValidationError(failures: [whole, part])
            #expect("\(error)" == "\(id): odd; \(id).name must have a value")
        }
    }

    private final class Checked: ManagedObject {
        @Attribute(.range(1...5)) var rating: Int16 = 3
        override class var validatedKeys: [String] { ["rating"] }
    }

    @Test func `a rule that is looked at twice is told once`() throws {
        let coordinator = try emptyCoordinator(ManagedObjectModel(Checked.self))
        ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
            context.insert(Checked.self).rating = 6
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.failures.map(\.rule) == [.tooLarge(maximum: .int(5))])
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
                    let end = count == 1 ? ".players has fewer than 2" : ".players has more than 3"
                    #expect("\(try #require(error))".hasSuffix(end))
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

    @Test(
        arguments: [
            (
                ValidationRule.range(1...5 as ClosedRange<Int64>), [0, 1, 5, 6].map { StoredValue.int($0) },
                "<..>"
            ),
            (.range((1 as Int64)...), [0, 1, 5, 6].map { .int($0) }, "<..."),
            (.range(...(5 as Int64)), [0, 1, 5, 6].map { .int($0) }, "...>"),
            (.range(0.5...0.75), [0.25, 0.5, 0.75, 0.8125].map { .double($0) }, "<..>"),
            (.range("b"..."d"), ["a\u{10FFFF}", "b", "d", "d "].map { .text($0) }, "<..>"),
            (.length(2...3), ["a", "ab", "abc", "abcd"].map { .text($0) }, "<..>"),
            (.length(2...), ["a", "ab", "abc", "abcd"].map { .text($0) }, "<..."),
            (.length(...3), ["a", "ab", "abc", "abcd"].map { .text($0) }, "...>"),
            (.length(2...3), (1...4).map { .blob(Data(count: $0)) }, "<..>"),
            (.range(5...5 as ClosedRange<Int64>), [.int(4), .int(5), .int(6), .null], "<.>."),
            (.matches("a|ab"), ["a", "ab", "abc", ""].map { .text($0) }, "..##"),
            (
                .range(Decimal(1)...Decimal(2)),
                ["0.99", "1", "2", "2.01"].map {
                    Decimal(string: $0)?.storedValue ?? .null
                }, "<..>"
            ),
        ] as [(ValidationRule, [StoredValue], String)])
    func `a value at the end of a rule is within it, and the next one is not`(
        rule: ValidationRule, values: [StoredValue], wanted: String
    ) {
        let found = values.map { value -> String in
            rule.broken(by: value).map { broken in
                switch broken {
                case .tooSmall, .tooShort: "<"
                case .tooLarge, .tooLong: ">"
                default: "#"
                }
            }.joined()
        }
        #expect(found.map { $0.isEmpty ? "." : $0 }.joined() == wanted)
    }

    @Test(arguments: AttributeType.allCases)
    func `a rule fits the types whose values have what it asks of`(type: AttributeType) {
        let hasLength: [AttributeType] = [.string, .uri, .binaryData, .transformable]
        #expect((ValidationRule.lengths(1, 2).typed(type) != nil) == hasLength.contains(type))
        #expect((ValidationRule.matches("a").typed(type) != nil) == [.string, .uri].contains(type))
        #expect(ValidationRule.matches("(").typed(type) == nil)
        // Each end alone, and both: one that does not fit is enough.
        let isText = [AttributeType.string, .uri].contains(type)
        for rule in [ValidationRule.bounds(.text("a"), nil), .bounds(nil, .text("a"))] {
            #expect((rule.typed(type) != nil) == isText, "\(rule)")
        }
        #expect(ValidationRule.bounds(nil, nil).typed(type) != nil)
    }

    /// A team has two or three members, or none: however they come, and whatever else changes of it.
    @Test(arguments: 0...5, [true, false])
    func `a relationship has no more and no fewer than its counts say`(count: Int, isByMember: Bool) throws {
        try edgeContext().performAndWait { context in
            let team = context.insert(Team.self)
            let members = (0..<5).map { _ in context.insert(Member.self) }
            try context.save()
            if isByMember {
                for member in members.prefix(count) { member.team = team }
            } else {
                team.name = "changed"
                team.members = Set(members.prefix(count))
            }
            var rules: [ValidationError.Rule] = []
            do { try context.save() } catch let error as ValidationError {
                rules = error.failures.map(\.rule)
                #expect(error.failures.map(\.property) == ["members"])
            }
            #expect(
                rules == (count == 1 ? [.tooFew(minimum: 2)] : count > 3 ? [.tooMany(maximum: 3)] : []))
            // A member that is deleted is none.
            if count == 4 {
                context.delete(members[0])
                try context.save()
                #expect(team.members.count == 3)
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
