import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// Predicates written as text: what they find by SQL, in memory and by a closure in Swift is the same.
@Suite(.everyStore) struct PredicateFormatTests {
    typealias Case = (format: String, arguments: [Any?], oracle: (Mood) -> Bool)

    private func cases(_ germany: ManagedObjectID) -> [Case] {
        let cutoff = day(2.5)
        let cases: [Case] = [
            ("rating > 2", [], { $0.rating > 2 }),
            ("rating >= 3 AND latitude != nil", [], { $0.rating >= 3 && $0.latitude != nil }),
            ("rating == 0 || title = ''", [], { $0.rating == 0 || $0.title.isEmpty }),
            ("NOT rating < 3", [], { $0.rating >= 3 }),
            ("!(rating < 3) && latitude < 50.5", [], { $0.rating >= 3 && ($0.latitude ?? 99) < 50.5 }),
            ("NOT latitude > 0", [], { !(($0.latitude ?? -1) > 0) }),
            ("date > %@", [cutoff], { $0.date > cutoff }),
            ("%@ <= date", [cutoff], { $0.date >= cutoff }),
            ("date >= '2001-01-04' and date < \"2001-01-05\"", [], { $0.date == day(3) }),
            ("date = '2001-01-04T00:00:00Z'", [], { $0.date == day(3) }),
            ("%K == %d", ["rating", 4], { $0.rating == 4 }),
            ("%K.%K == %@", ["country", "name", "France"], { $0.country?.name == "France" }),
            ("country.name == 'Germany'", [], { $0.country?.name == "Germany" }),
            ("country == nil", [], { $0.country == nil }),
            ("country = %@", [germany], { $0.country?.name == "Germany" }),
            ("country.code BETWEEN {250, 260}", [], { (250...260).contains($0.country?.code ?? 0) }),
            ("rating BETWEEN %@", [[2, 3]], { (2...3).contains($0.rating) }),
            ("rating =< 3", [], { $0.rating <= 3 }), ("rating => 3", [], { $0.rating >= 3 }),
            ("#rating > 2", [], { $0.rating > 2 }), ("latitude < -2.5", [], { ($0.latitude ?? 0) < -2.5 }),
            // Long chains are put together, whichever side a bound stands on.
            ((0..<12).map { "\($0) < rating" }.joined(separator: " OR "), [], { $0.rating > 0 }),
            ((0..<12).map { "rating >= \($0 % 4)" }.joined(separator: " && "), [], { $0.rating >= 3 }),
            ((0..<12).map { "\($0 % 4) <= rating" }.joined(separator: " && "), [], { $0.rating >= 3 }),
            ("rating IN {0, 2, 5}", [], { [0, 2, 5].contains($0.rating) }),
            ("title IN %@", [["fog", ""]], { ["fog", ""].contains($0.title) }),
            ("latitude IN {nil, 0}", [], { $0.latitude == nil || $0.latitude == 0 }),
            ("title CONTAINS 'og'", [], { $0.title.contains("og") }),
            ("title CONTAINS[c] 'FOG'", [], { $0.title.lowercased().contains("fog") }),
            ("title BEGINSWITH 'fo'", [], { $0.title.hasPrefix("fo") }),
            ("title BEGINSWITH[c] 'fo'", [], { $0.title.lowercased().hasPrefix("fo") }),
            ("title ENDSWITH 'our'", [], { $0.title.hasSuffix("our") }),
            ("title ENDSWITH[cd] 'FÉ'", [], { $0.title.hasPrefix("caf") }),
            // Two forms of é are one text with [d], and two without it.
            ("title ==[d] 'cafe'", [], { $0.title.hasPrefix("caf") }),
            ("title == 'caf\u{E9}'", [], { $0.title.utf8.elementsEqual("caf\u{E9}".utf8) }),
            ("title ==[c] 'CAFÉ'", [], { $0.title.hasPrefix("caf") }),
            ("title !=[c] 'FOG'", [], { $0.title != "fog" }),
            ("title ==[n] 'fog'", [], { $0.title == "fog" }),
            ("title BEGINSWITH[n] 'Fog'", [], { $0.title == "Foggy harbour" }),
            ("title LIKE 'f?g*'", [], { $0.title == "fog" }),
            ("title LIKE[c] 'f?g*'", [], { $0.title.lowercased().hasPrefix("fog") }),
            ("title LIKE 'caf?'", [], { $0.title.hasPrefix("caf") }),
            ("title LIKE[d] 'cafe'", [], { $0.title.hasPrefix("caf") }),
            ("title MATCHES[d] '.*f\u{E9}'", [], { $0.title.hasPrefix("caf") }),
            ("title MATCHES '[a-z]+'", [], { $0.title == "fog" }),
            ("title MATCHES[c] 'F.*R?'", [], { $0.title.lowercased().hasPrefix("fog") }),
            ("ANY swatches.share > 0.3", [], { $0.swatches.contains { $0.share > 0.3 } }),
            ("SOME swatches.share > 0.3", [], { $0.swatches.contains { $0.share > 0.3 } }),
            ("NONE swatches.share > 0.3", [], { !$0.swatches.contains { $0.share > 0.3 } }),
            ("ALL swatches.share > 0.3", [], { $0.swatches.allSatisfy { $0.share > 0.3 } }),
            ("ANY swatches.share == 0.5 AND rating > 3", [], { $0.swatches.count == 2 && $0.rating > 3 }),
            ("ANY country.moods.rating == 2", [], { $0.country?.name == "Germany" }),
            (
                "ANY country.moods.rating < rating", [],
                { mood in
                    mood.country?.moods.contains { $0.rating < mood.rating } ?? false
                }
            ),
            ("swatches.@count >= 3", [], { $0.swatches.count >= 3 }),
            ("rating * 2 + 1 > 6", [], { $0.rating * 2 + 1 > 6 }),
            ("(rating + 1) * 2 == 10 - 2", [], { $0.rating == 3 }),
            ("-rating < -3", [], { $0.rating > 3 }),
            ("rating == 3E+0", [], { $0.rating == 3 }), ("rating > 25E-1", [], { $0.rating > 2 }),
            (
                "((rating > 1) AND (rating < 4)) OR (title == 'caf\u{E9}')", [],
                {
                    (2...3).contains($0.rating) || $0.title.utf8.elementsEqual("caf\u{E9}".utf8)
                }
            ),
            ("SUBQUERY(swatches, $s, $s.share > 0.2 AND $s.share < 0.4).@count >= 4", [], { $0.rating == 5 }),
            ("subquery(SELF.swatches, $s, $s.share > %@).@count == 2", [0.4], { $0.rating == 4 }),
            (
                "SUBQUERY(swatches, $s, $s.share < 0.3).@count == swatches.@count", [],
                { $0.swatches.allSatisfy { $0.share < 0.3 } }
            ),
            // A name without the variable is the fetched object's.
            (
                "SUBQUERY(country.moods, $m, $m.rating < rating).@count == 1", [],
                { $0.title == "Foggy harbour" }
            ),
            ("SUBQUERY(country.moods, $m, $m == SELF).@count == 1", [], { $0.country != nil }),
            (
                "SUBQUERY(country.moods, $m, ANY $m.swatches.share > 0.4).@count == 2 AND rating > 2", [],
                { $0.country?.name == "Germany" && $0.rating > 2 }
            ),
            (
                "SUBQUERY(country.moods, $m, SUBQUERY($m.swatches, $s, $s.share < 1 && $m.rating > rating)"
                    + ".@count == 2).@count > 0", [], { $0.country?.name == "Germany" && $0.rating < 4 }
            ),
            (
                "ANY country.moods.rating == SUBQUERY(swatches, $s, $s.share > 0).@count + 2", [],
                { $0.country?.name == "Germany" }
            ),
            (
                "SUBQUERY(swatches, $a, $a.share > 0.9).@count + SUBQUERY(swatches, $a, $a.share < 0.3)"
                    + ".@count IN {1, 4}", [], { [3, 5].contains($0.rating) }
            ),
            ("TRUEPREDICATE", [], { _ in true }), ("FALSEPREDICATE OR rating = 5", [], { $0.rating == 5 }),
            ("SELF.rating = 5", [], { $0.rating == 5 }),
        ]
        return cases + listCases(germany) + aggregateCases
    }

    @Test func `what a text finds by SQL is what it finds in memory, and what Swift finds`() throws {
        let context = try emptyContext()
        try context.performAndWait { context in
            fillWithMoods(context)
            try context.save()
            let moods = try context.fetch(FetchRequest<Mood>(sortedBy: .ascending(\.date)))
            let germany = try #require(moods[0].country)
            for (format, arguments, oracle) in cases(germany.objectID) {
                let wanted = moods.filter(oracle).map(\.objectID)
                do {
                    let filter = try Filter<Mood>(format: format, arguments: arguments)
                    let found = try context.fetch(FetchRequest<Mood>(filter, sortedBy: .ascending(\.date)))
                    #expect(found.map(\.objectID) == wanted, "\(format), by the store")
                    let inMemory = try moods.filter { try $0.matches(filter) }.map(\.objectID)
                    #expect(inMemory == wanted, "\(format), in memory")
                } catch { Issue.record("\(format): \(error)") }
            }
        }
    }

    /// How many of none to four swatches a mood has decides, whichever way it is asked.
    @Test func `a subquery's count is compared with every number in every way`() throws {
        let context = try emptyContext()
        try context.performAndWait { context in
            fillWithMoods(context)
            try context.save()
            let moods = try context.fetch(FetchRequest<Mood>(sortedBy: .ascending(\.date)))
            let ways: [(String, (Int, Int) -> Bool)] = [
                ("==", { $0 == $1 }), ("!=", { $0 != $1 }), ("<", { $0 < $1 }), ("<=", { $0 <= $1 }),
                (">", { $0 > $1 }), (">=", { $0 >= $1 }),
            ]
            for (symbol, holds) in ways {
                for number in -1...3 {
                    let wanted = moods.filter { mood in
                        holds(mood.swatches.count { $0.share > 0.3 }, number)
                    }
                    let count = "SUBQUERY(swatches, $s, $s.share > 0.3).@count"
                    for format in ["\(count) \(symbol) \(number)", "NOT NOT \(count) \(symbol) \(number)"] {
                        let filter = try Filter<Mood>(format: format)
                        let found = try context.fetch(
                            FetchRequest<Mood>(filter, sortedBy: .ascending(\.date)))
                        #expect(found == wanted, "\(format), by the store")
                        #expect(try moods.filter { try $0.matches(filter) } == wanted, "\(format), in memory")
                    }
                }
            }
        }
    }

    /// The members stay; only what is looked at in them changes.
    @Test(arguments: [
        "SUBQUERY(swatches, $s, $s.share > 0.4).@count > 1", "ANY swatches.share > 0.4",
        "SUBQUERY(country.moods, $m, ANY $m.swatches.share > 0.4).@count == 1",
    ])
    func `a list hears of what its predicate looks at in others`(format: String) throws {
        let context = try emptyContext()
        try context.performAndWait { context in
            fillWithMoods(context)
            try context.save()
            let request = FetchRequest<Mood>(try Filter(format: format), sortedBy: .ascending(\.date))
            let list = context.list(request)
            try list.performFetch()
            let before = list.fetchedObjects.map(\.title)
            for swatch in try context.fetch(FetchRequest<Swatch>()) where swatch.share == 0.5 {
                swatch.share = 0.1
            }
            context.processPendingChanges()
            let after = list.fetchedObjects.map(\.title)
            try context.save()
            let fetched = try context.fetch(request).map(\.title)
            #expect(after == fetched, "\(before)")
            #expect(after != before, "\(before)")
            #expect(list.fetchedObjects.map(\.title) == after)
        }
    }

    @Test func `an escape is its character, and one expression is two by its options`() throws {
        let context = try emptyContext()
        try context.performAndWait { context in
            let titles = ["a\nb", "a\rb", "a\tb", "arb", "a'b", "a\\b", "A\nB", "a b"]
            for title in titles { _ = Mood.insert(into: context, title: title, date: day(1)) }
            try context.save()
            let moods = try context.fetch(FetchRequest<Mood>())
            for (format, wanted) in [
                (#"title == 'a\nb'"#, ["a\nb"]), (#"title == 'a\rb'"#, ["a\rb"]),
                (#"title == 'a\tb'"#, ["a\tb"]),
                (#"title IN {'a\tb', 'a\nb', 'a\\b', 'a\'b'}"#, ["a\tb", "a\nb", "a'b", "a\\b"]),
                (#"title == 'a\'b'"#, ["a'b"]), (#"title == 'a\\b'"#, ["a\\b"]),
                ("title MATCHES 'A.B'", ["A\nB"]),
                ("title MATCHES[c] 'A.B'", titles.sorted()), ("title MATCHES 'A.B'", ["A\nB"]),
            ] {
                let filter = try Filter<Mood>(format: format)
                #expect(
                    try moods.filter { try $0.matches(filter) }.map(\.title).sorted() == wanted, "\(format)")
                #expect(try context.fetch(FetchRequest(filter)).map(\.title).sorted() == wanted, "\(format)")
            }
        }
    }

    /// Letters that are hard to compare, with what is one to whom: by Unicode's case folding and
    /// decomposition.
    @Test func `hard letters are compared alike by SQL and in memory`() throws {
        let context = try emptyContext()
        try context.performAndWait { context in
            let words = [
                "E", "e", "É", "é", "e\u{301}", "ß", "ss", "SS", "İ", "i", "I", "ı", "\u{212B}", "Å",
            ]
            for (index, word) in words.enumerated() {
                Mood.insert(into: context, title: word, date: day(Double(index)))
            }
            try context.save()
            let moods = try context.fetch(FetchRequest<Mood>(sortedBy: .ascending(\.date)))
            for word in words {
                for test in ["==", "==[c]", "==[d]", "==[cd]", "CONTAINS[cd]"] {
                    let filter = try Filter<Mood>(format: "title \(test) %@", word)
                    let found = try context.fetch(FetchRequest<Mood>(filter, sortedBy: .ascending(\.date)))
                    let inMemory = try moods.filter { try $0.matches(filter) }
                    #expect(found == inMemory, "\(test) \(word)")
                    #expect(found.contains { $0.title.utf8.elementsEqual(word.utf8) }, "\(test) \(word)")
                }
            }
            let titles = { (format: String, context: isolated ManagedObjectContext) throws -> [String] in
                try context.fetch(
                    FetchRequest<Mood>(try Filter(format: format), sortedBy: .ascending(\.date))
                ).map(\.title)
            }
            let ignoringCase = try titles("title ==[c] 'é'", context),
                ignoringBoth = try titles("title ==[cd] 'é'", context)
            #expect(ignoringCase.map { $0.unicodeScalars.count } == [1, 1, 2])
            #expect(ignoringBoth.map { $0.unicodeScalars.count } == [1, 1, 1, 1, 2])
            let angstrom = try titles("title ==[c] 'å'", context).count
            #expect(angstrom == 2)
        }
    }

    /// The order of UTF-8's bytes, which that of UTF-16 differs from behind the surrogates. The oracle sorts
    /// bytes.
    @Test func `texts have one order, in the store and over what is not saved`() throws {
        let words = [
            "", "E", "Z", "a", "e", "\u{E9}", "e\u{301}", "\u{D7FF}", "\u{E000}", "\u{FFFD}", "\u{1F3A8}",
            "\u{1F3A8}a",
            "\u{10FFFF}", "\u{7F}", "\u{80}",
        ]
        @Sendable func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
        let sorted = words.sorted { bytes($0).lexicographicallyPrecedes(bytes($1)) }.map(bytes)
        try emptyContext().performAndWait { context in
            for word in words.reversed() { Mood.insert(into: context, title: word, date: day(1)) }
            for isSaved in [false, true] {
                if isSaved { try context.save() }
                let up = try context.fetch(FetchRequest<Mood>(sortedBy: .ascending(\.title)))
                let down = try context.fetch(FetchRequest<Mood>(sortedBy: .descending(\.title)))
                #expect(up.map { bytes($0.title) } == sorted, "saved: \(isSaved)")
                #expect(down.map { bytes($0.title) } == sorted.reversed(), "saved: \(isSaved)")
                for word in words {
                    let place = try #require(sorted.firstIndex(of: bytes(word)))
                    for (test, wanted) in [("<", sorted[..<place]), (">=", sorted[place...])] {
                        let filter = try Filter<Mood>(format: "title \(test) %@", word)
                        let found = try context.fetch(
                            FetchRequest<Mood>(filter, sortedBy: .ascending(\.title)))
                        #expect(found.map { bytes($0.title) } == Array(wanted), "\(test) \(word)")
                        #expect(try up.filter { try $0.matches(filter) } == found, "\(test) \(word)")
                    }
                }
            }
        }
    }

    @Test(
        arguments: [
            ("", 0, "a value or a name is missing"), ("rating >", 8, "a value or a name is missing"),
            ("rating", 6, "a comparison is missing"), ("rating > 1 2", 11, "something is left over"),
            ("(rating > 1", 11, ") is missing"), ("title == 'fog", 9, "the quote is not closed"),
            ("rating ~ 1", 7, "\"~\" means nothing here"), ("rating > %@", 11, "an argument is missing"),
            ("swatches.share > 1", 18, "a relationship to many wants ANY, ALL or NONE in front of it"),
            ("ANY rating > 1", 14, "ANY, ALL and NONE want a relationship to many"),
            ("title MATCHES '['", 17, "\"[\" is no regular expression"),
            ("rating / 2 > 1", 9, "/ is not supported"),
            ("title <[c] 'a'", 14, "[c] goes with == and != only"),
            ("rating == 'five'", 16, "rating is compared with \"five\""),
            ("date > 'yesterday'", 18, "date is compared with \"yesterday\""),
            // ISO 8601 wants a T; the day alone would be another moment.
            ("date < '2001-01-04 12:00:00'", 28, "date is compared with \"2001-01-04 12:00:00\""),
            ("rating BETWEEN {1}", 18, "BETWEEN wants two values"),
            ("SUBQUERY(title, $s, TRUEPREDICATE).@count > 0", 14, "SUBQUERY wants a relationship to many"),
            (
                "SUBQUERY(swatches.share, $s, TRUEPREDICATE).@count > 0", 23,
                "SUBQUERY wants a relationship to many"
            ),
            ("SUBQUERY(swatches, s, TRUEPREDICATE).@count > 0", 19, "SUBQUERY wants a variable, as in $each"),
            ("SUBQUERY(swatches, $s, TRUEPREDICATE) > 0", 38, ". is missing"),
            ("SUBQUERY(swatches, $s, TRUEPREDICATE).@sum > 0", 38, "only .@count may follow a SUBQUERY"),
            ("$s.share > 0", 9, "$s stands for nothing here"),
            (
                "SUBQUERY(swatches, $s, TRUEPREDICATE).@count > $s.share", 55, "$s stands for nothing here"
            ),
            (
                "SUBQUERY(swatches, $s, SUBQUERY($s.mood.swatches, $s, TRUEPREDICATE).@count > 0).@count > 0",
                50,
                "$s is the variable of a SUBQUERY around"
            ),
            ("rating > $", 9, "\"$\" means nothing here"),
            ("date > now()", 7, "the function now is not supported"),
            ("CAST(date, 'NSNumber') > 1", 0, "the function CAST is not supported"),
            ("FUNCTION(date, 'x') > 1", 0, "the function FUNCTION is not supported"),
            ("uppercase:(title) == 'A'", 0, "the function uppercase is not supported"),
            ("{1, 2} == rating", 7, "a list stands in front of CONTAINS, or behind IN or BETWEEN"),
            ("rating == {1, 2}", 16, "a list stands behind IN or BETWEEN"),
            ("title CONTAINS {'a'}", 20, "CONTAINS wants a text"),
            ("title CONTAINS 5", 16, "CONTAINS wants a text"),
            ("rating CONTAINS '5'", 19, "rating is no text, which CONTAINS asks for"),
            ("{1} + 2 > rating", 6, "a list is no number"),
            ("rating IN {{1}}", 14, "a list holds single values only"),
            ("rating > 0x", 9, "0x is no number"),
            (
                "swatches.@median.share > 1", 23,
                "@median is not supported; @count, @max, @min, @sum and @avg are"
            ),
            ("swatches.@max > 1", 14, "@max wants an attribute behind it"),
            ("country.moods.@sum.title > 1", 25, "@sum of title, which is string, is not supported"),
            (
                "swatches CONTAINS 'a'", 21,
                "swatches has objects: CONTAINS wants one, a test of each wants ANY, ALL or NONE"
            ),
            (String(repeating: "(", count: 300) + "1", 25, "the parentheses nest too deep"),
        ] as [(String, Int, String)])
    func `a text that cannot be read says where and why`(format: String, offset: Int, reason: String) {
        #expect(throws: FetchError.format(format, at: offset, reason: reason)) {
            try Filter<Mood>(format: format)
        }
    }

    @Test func `a name that is not there is named, and so is what is left over`() throws {
        #expect(throws: FetchError.unknownKey(entity: "Mood", key: "nothing")) {
            try Filter<Mood>(format: "nothing > 1")
        }
        #expect(throws: FetchError.unknownKey(entity: "Country", key: "nothing")) {
            try Filter<Mood>(format: "country.nothing > 1")
        }
        #expect(throws: FetchError.self) { try Filter<Mood>(format: "rating > %@", 1, 2) }
        #expect(throws: FetchError.self) { try Filter<Mood>(format: "rating > %@", Date.self) }
        let error = FetchError.format("rating >", at: 8, reason: "a value or a name is missing")
        #expect(
            "\(error)"
                == "the predicate rating > cannot be read from character 9 on: a value or a name is missing")
    }

    @Test func `an entity without a class is asked by text`() throws {
        let model = try testModel()
        let context = ManagedObjectContext(persistentStoreCoordinator: try emptyCoordinator(model))
        try context.performAndWait { context in
            fillWithMoods(context)
            try context.save()
            let filter = try Filter<ManagedObject>(
                format: "country.code < 260 AND ANY swatches.share > 0.1", entityName: "Mood", in: model)
            let found = try context.fetch(FetchRequest<ManagedObject>(entityName: "Mood", filter))
            #expect(found.count == 1)
            #expect(throws: FetchError.unknownEntity("Nobody")) {
                try Filter<ManagedObject>(format: "TRUEPREDICATE", entityName: "Nobody", in: model)
            }
        }
    }

    /// RFC 9562: the letters of a UUID are written small, and read in either case.
    @Test func `a UUID is read with small letters and with capitals`() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDeclaration("Thing", properties: [.attribute(AttributeDescription("key", .uuid))])
        ])
        let context = ManagedObjectContext(persistentStoreCoordinator: try emptyCoordinator(model))
        try context.performAndWait { context in
            for last: UInt8 in [246, 247] {
                let key: uuid_t = (248, 29, 79, 174, 125, 236, 17, 208, 167, 101, 0, 160, 201, 30, 107, last)
                try context.insert(entityNamed: "Thing").setValue(UUID(uuid: key), forKey: "key")
            }
            try context.save()
            for key in ["f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6"] {
                let filter = try Filter<ManagedObject>(
                    format: "key == %@", arguments: [key], entityName: "Thing", in: model)
                let found = try context.fetch(FetchRequest<ManagedObject>(entityName: "Thing", filter))
                #expect(found.count == 1, "\(key)")
            }
        }
    }

    @Test func `arithmetic takes two hundred steps, and no more`() throws {
        let two = "rating" + String(repeating: " + 1", count: 200)
        let context = try emptyContext()
        try context.performAndWait { context in
            fillWithMoods(context)
            try context.save()
            let filter = try Filter<Mood>(format: two + " == 205")
            #expect(try context.fetch(FetchRequest(filter)).map(\.rating) == [5])
        }
        #expect(throws: FetchError.self) { try Filter<Mood>(format: two + " + 1 == 206") }
    }

    /// Every start of a text, and texts with a piece changed: an error or a predicate, and no trap.
    @Test func `no text stops the program`() throws {
        var random = SplitMix64(seed: 5)
        let pieces = [
            "rating", "country", ".", "swatches", "@count", "ANY", "(", ")", "{", "}", ",", "==", ">", "[",
            "c", "]", "%@",
            "%K", "'x'", "1", "-", "*", "+", "!", "&&", "OR", "IN", "BETWEEN", "nil", "SELF", "LIKE", "9e999",
            "\\", "é",
        ]
        var read = Set<String>()
        for round in 0..<3000 {
            func piece() -> String { pieces[Int(random.next() % UInt64(pieces.count))] }
            var words = (0..<Int(random.next() % 12)).map { _ in piece() }
            // Every other one is a predicate with a piece changed.
            if round % 2 == 0 {
                words = [
                    "rating", "==", "%@", "&&", "!", "(", "country", "==", "nil", ")", "OR", "%K", ">", "1",
                ]
                words[Int(random.next() % UInt64(words.count))] = piece()
            }
            let text = words.joined(separator: random.next() % 2 == 0 ? " " : "")
            if (try? Filter<Mood>(format: text, arguments: [1, "rating"])) != nil { read.insert(text) }
        }
        let whole =
            "ANY country.moods.rating IN {1, 2} && !(title CONTAINS[cd] 'fog') OR (rating + 1) * 2 > 3"
        #expect(read.count >= 50, "some are predicates")
        let ends = (0...whole.count).filter { (try? Filter<Mood>(format: String(whole.prefix($0)))) != nil }
        // Behind a whole test: after the list, and after each digit of the last number.
        let wanted = [
            "ANY country.moods.rating IN {1, 2}",
            "ANY country.moods.rating IN {1, 2} && !(title CONTAINS[cd] 'fog')",
        ].flatMap { [$0.count, $0.count + 1] }
        #expect(ends == wanted + [whole.count])
    }
}
