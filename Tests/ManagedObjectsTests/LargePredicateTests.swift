import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// Predicates of a size that nobody writes by hand: programs and users' scripts do.
@Suite(.everyStore) struct LargePredicateTests {
    /// Moods with ratings 0 to 9, saved or not.
    private func filled(isSaved: Bool) throws -> ManagedObjectContext {
        let context = ManagedObjectContext(persistentStoreCoordinator: try emptyCoordinator(testModel()))
        try context.performAndWait { context throws -> Void in
            for rating: Int16 in 0..<10 {
                let mood = Mood.insert(into: context, title: "t\(rating)", date: day(Double(rating)))
                mood.rating = rating
                if rating % 3 > 0 { mood.latitude = Double(rating) / 2 }
            }
            if isSaved { try context.save() }
        }
        return context
    }

    private func ratings(_ context: ManagedObjectContext, _ filter: Filter<Mood>) throws -> [Int16] {
        try context.performAndWait { context in
            try context.fetch(FetchRequest<Mood>(filter, sortedBy: .ascending(\.date))).map(\.rating)
        }
    }

    @Test(arguments: [true, false])
    func `chains of a hundred thousand terms are answered, by the store and in memory`(isSaved: Bool) throws {
        // Elsewhere than in these two, predicates are read as in memory.
        let isTried = [.sqlite, .memory].contains(StoreKind.current)
        let context = try filled(isSaved: isSaved), count = isTried ? 100_000 : 1_000
        // Of one property, by which a list can stand for it.
        let equal = (5..<count).reduce(\Mood.rating == 4) { $0 || \.rating == Int16(clamping: $1) }
        #expect(try ratings(context, equal) == [4, 5, 6, 7, 8, 9])
        // Of tests that nothing can be made of.
        let mixed = (0..<count).reduce(\Mood.rating == 2) { filter, number in
            number % 2 == 0 ? filter || \.rating > Int16(clamping: 5 + number) : filter || \.title == "t7"
        }
        #expect(try ratings(context, mixed) == [2, 6, 7, 8, 9])
        let all = (0..<count).reduce(\Mood.rating > 1) { $0 && \.rating < Int16(clamping: 5 + $1) }
        #expect(try ratings(context, all) == [2, 3, 4])
        #expect(try ratings(context, !all) == [0, 1, 5, 6, 7, 8, 9])
    }

    /// Whatever a reader makes of the terms of one property.
    @Test(arguments: [true, false])
    func `a long chain answers what its terms answer one by one`(isSaved: Bool) throws {
        let context = try filled(isSaved: isSaved)
        var random = SplitMix64(seed: 11), answers = Set<[Int16]>()
        func draw(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
        func term() -> Filter<Mood> {
            let whole = Int16(draw(13) - 2), double = Double(draw(14) - 3) / 2
            let latitude: Double? = draw(6) == 0 ? nil : double
            return switch draw(14) {
            case 0, 1: \.rating == whole
            case 2: \.rating != whole
            case 3: \.rating < whole
            case 4: \.rating <= whole
            case 5: \.rating > whole
            case 6: \.rating >= whole
            case 7: \.latitude == latitude
            case 8: \.latitude != latitude
            case 9: \.latitude < double
            case 10: \.latitude <= double
            case 11: \.latitude > double
            case 12: \.latitude >= double
            default: !(\.title == "t\(whole)")
            }
        }
        let all = Set(0..<10 as Range<Int16>)
        for round in 0..<60 {
            let isOr = round % 2 == 0
            // Few kinds of term at a time, so that the answer is not always all or nothing.
            let kinds = (0...(round / 2 % 3)).map { _ in term() }
            let terms = (0..<(9 + draw(30))).map { _ in kinds[draw(kinds.count)] } + [term()]
            let sets = try terms.map { Set(try ratings(context, $0)) }
            let chain = terms.dropFirst().reduce(terms[0]) { isOr ? $0 || $1 : $0 && $1 }
            let wanted = sets.dropFirst().reduce(sets[0]) { isOr ? $0.union($1) : $0.intersection($1) }
            #expect(try ratings(context, chain) == wanted.sorted())
            #expect(try ratings(context, !chain) == all.subtracting(wanted).sorted())
            answers.insert(wanted.sorted())
        }
        // Values of one property that differ, tried with each test in turn.
        for (comparison, isOr) in [
            Filter<Mood>.Comparison.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
        ].flatMap({ [($0, true), ($0, false)] }) {
            for key in ["rating", "latitude"] {
                let terms = (0..<20).map { _ -> Filter<Mood> in
                    let value: any PredicateValue =
                        key == "rating" ? Int16(2 + draw(6)) : Double(draw(5)) + 0.5
                    return Filter(key, comparison, value)
                }
                let sets = try terms.map { Set(try ratings(context, $0)) }
                let chain = terms.dropFirst().reduce(terms[0]) { isOr ? $0 || $1 : $0 && $1 }
                let wanted = sets.dropFirst().reduce(sets[0]) { isOr ? $0.union($1) : $0.intersection($1) }
                #expect(try ratings(context, chain) == wanted.sorted(), "\(key) \(comparison) \(isOr)")
                answers.insert(wanted.sorted())
            }
        }
        #expect(answers.count > 10)
    }

    @Test(arguments: [true, false])
    func `text of a long chain is answered, and what nests as deep as may be`(isSaved: Bool) throws {
        let context = try filled(isSaved: isSaved)
        func answer(_ format: String) throws -> [Int16] { try ratings(context, Filter(format: format)) }
        let count = StoreKind.current == .sqlite ? 20_000 : 1_000
        let chain = (0..<count).map { "rating == \($0 % 7 + 3) || title == 't1'" }.joined(separator: " || ")
        #expect(try answer(chain) == [1, 3, 4, 5, 6, 7, 8, 9])
        #expect(
            try answer("rating == " + (0..<150).map { _ in "0" }.joined(separator: " + ") + " + 4") == [4])
        #expect(try answer("rating == --4") == [4])
        #expect(try answer("((((rating)))) == ((4))") == [4])
        #expect(try answer("rating == -(-4) * 1 * 1") == [4])
        #expect(try answer("rating + 2 * 3 - 1 - 1 * 2 + (1 - (2 - 3) * 2) == 8") == [2])
        // As deep as may be, in the ways that take most of SQLite's parser.
        let deep = 22
        for (head, middle, tail, wanted) in [
            ("rating == 4 AND (rating < 9 OR ", "rating == 1", ")", [4]),
            ("NOT (rating == 3 AND NOT ", "rating == 3", ")", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]),
            ("rating == 4 AND (", "rating == 4", ")", [4]),
        ] as [(String, String, String, [Int16])] {
            // Each NOT and each parenthesis is one deeper.
            let count = head.hasPrefix("NOT") ? deep / 3 : deep
            let text = String(repeating: head, count: count) + middle + String(repeating: tail, count: count)
            #expect(try answer(text) == wanted, "\(head)")
        }
        let right = String(repeating: "0 + (", count: deep) + "4" + String(repeating: ")", count: deep)
        #expect(try answer("rating == \(right)") == [4])
    }

    @Test(arguments: [true, false])
    func `hundreds of negations are one or none`(isSaved: Bool) throws {
        let context = try filled(isSaved: isSaved)
        for count in [2, 3, 500, 501] {
            let wanted: [Int16] = count % 2 == 0 ? [4] : [0, 1, 2, 3, 5, 6, 7, 8, 9]
            let filter = (0..<count).reduce(\Mood.rating == 4) { filter, _ in !filter }
            #expect(try ratings(context, filter) == wanted)
            for word in ["NOT ", "!", "NOT (", "!("] {
                let end = word.hasSuffix("(") ? String(repeating: ")", count: count) : ""
                if !end.isEmpty && count > 22 { continue }
                let text = String(repeating: word, count: count) + "rating == 4" + end
                #expect(try ratings(context, Filter(format: text)) == wanted, "\(count) \(word)")
            }
        }
    }

    @Test(arguments: [true, false])
    func `a list of a million values is one argument`(isSaved: Bool) throws {
        let context = try filled(isSaved: isSaved)
        let count = StoreKind.current == .sqlite && isSaved ? 1_000_000 : 10_000
        let numbers = (5..<count).map { Int64($0) }
        #expect(try ratings(context, Filter(format: "rating IN %@", numbers)) == [5, 6, 7, 8, 9])
        #expect(try ratings(context, Filter(format: "NOT rating IN %@", numbers)) == [0, 1, 2, 3, 4])
        #expect(try ratings(context, Filter(format: "rating IN {}")) == [])
    }

    /// Each kind of value, and of each those that differ by the least: as one by one with `==`.
    @Test func `a list finds what comparing with each of its values finds`() throws {
        let model = try ManagedObjectModel(OddValue.self)
        let context = ManagedObjectContext(persistentStoreCoordinator: try emptyCoordinator(model))
        let doubles = [
            0.1, 0.1.nextUp, -0.0, .leastNonzeroMagnitude, 1.7976931348623157e308, .infinity, -.infinity,
            1e23, 2.5, 3, .nan, 9007199254740992,
        ]
        let texts = [
            "", "a", "\"", "\\", "\u{1}\u{1F}\n\t", "é", "e\u{301}", "\u{FEFF}", "\u{301}a", "😀", "null", "t",
            "d0", "1",
            "n61", "[1]", "'",
        ]
        let blobs = [Data(), Data([0]), Data([0, 255, 7]), Data("a".utf8)]
        let integers: [Int64] = [.min, .max, -1, 0, 1, 9_007_199_254_740_993]
        try context.performAndWait { context throws -> Void in
            for index in 0..<max(doubles.count, texts.count) {
                let object = context.insert(OddValue.self)
                object.double = doubles[index % doubles.count]
                object.text = texts[index % texts.count]
                object.data = blobs[index % blobs.count]
                object.int64 = integers[index % integers.count]
            }
            try context.save()
            context.reset()
            func check<Value: PredicateValue>(
                _ name: String, _ values: [Value], _ context: isolated ManagedObjectContext
            ) throws {
                for list in [
                    values, Array(values.prefix(1)), Array(values.suffix(2)), Array(values.dropFirst(3)),
                ] {
                    let one = try list.flatMap {
                        try context.fetch(FetchRequest<OddValue>(Filter(format: "\(name) == %@", $0)))
                    }
                    let all = try context.fetch(FetchRequest<OddValue>(Filter(format: "\(name) IN %@", list)))
                    #expect(Set(all.map(\.objectID)) == Set(one.map(\.objectID)), "\(name) IN \(list)")
                    #expect(list.isEmpty || !all.isEmpty)
                }
            }
            try check("double", doubles, context)
            try check("text", texts, context)
            try check("data", blobs, context)
            try check("int64", integers, context)
            // Kinds together.
            let mixed: [any PredicateValue] = [1, 2.5, Optional<Int64>.none]
            #expect(try !context.fetch(FetchRequest<OddValue>(Filter(format: "double IN %@", mixed))).isEmpty)
        }
    }

    @Test func `a text with NUL in a list is not the text before the NUL`() throws {
        let context = try filled(isSaved: true)
        #expect(try ratings(context, Filter(format: "title IN %@", ["t1\u{0}x", "t2"])) == [2])
    }

    @Test func `a list holds objects, and their IDs, and nothing that is no value`() throws {
        let context = try emptyContext()
        try context.performAndWait { context throws -> Void in
            fillWithMoods(context)
            try context.save()
            let countries = try context.fetch(FetchRequest<Country>(sortedBy: .ascending(\.code)))
            func count(_ list: Any, _ context: isolated ManagedObjectContext) throws -> Int {
                try context.count(FetchRequest<Mood>(Filter(format: "country IN %@", list)))
            }
            for (list, wanted) in [
                (countries, 4), (Set(countries), 4), ([countries[0]], 1), ([countries[0].objectID], 1),
            ] as [(Any, Int)] {
                let found = try count(list, context)
                #expect(found == wanted)
            }
            for list in [Set<AnyHashable>([1, Date.now, [2]]), [countries, countries], [Thread.self]] as [Any]
            {
                #expect(throws: FetchError.self) { try Filter<Mood>(format: "country IN %@", list) }
            }
        }
    }

    @Test func `thirty stars find what one star does`() throws {
        let context = try filled(isSaved: true), stars = String(repeating: "*", count: 30)
        let long = String(repeating: "ab", count: 20_000)
        try context.performAndWait { context throws -> Void in
            Mood.insert(into: context, title: long + "c", date: day(20)).rating = 20
            try context.save()
        }
        #expect(try ratings(context, Filter(format: "title LIKE %@", "\(stars)5\(stars)")) == [5])
        let spread = Array(repeating: "ab", count: 30).joined(separator: "*")
        #expect(try ratings(context, Filter(format: "title LIKE %@", "*\(spread)*c")) == [20])
        #expect(try ratings(context, Filter(format: "title LIKE %@", "*\(spread)*d")) == [])
        #expect(try ratings(context, Filter(format: "title LIKE[c] %@", "*\(spread.uppercased())*C")) == [20])
    }

    /// Compared with trying every way to share the text among the pieces.
    @Test func `LIKE is what the plainest definition of it says`() throws {
        func plain(_ pattern: [Character], _ text: [Character]) -> Bool {
            guard let first = pattern.first else { return text.isEmpty }
            let rest = Array(pattern.dropFirst())
            if first == "*" { return (0...text.count).contains { plain(rest, Array(text.dropFirst($0))) } }
            return !text.isEmpty && (first == "?" || first == text[0]) && plain(rest, Array(text.dropFirst()))
        }
        var random = SplitMix64(seed: 7), found = 0
        for _ in 0..<3_000 {
            func draw(_ letters: String, _ most: Int) -> [Character] {
                (0..<Int(random.next() % UInt64(most))).map { _ in
                    Array(letters)[Int(random.next() % UInt64(letters.count))]
                }
            }
            let pattern = draw("ab*?é", 7), text = draw("abé", 8)
            let wanted = plain(pattern, text)
            #expect(LikePattern(String(pattern)).matches(String(text)) == wanted, "\(pattern) \(text)")
            if wanted { found += 1 }
        }
        #expect(found > 300)
    }

    /// 0 means all, as in Core Data; what is less is no limit and no offset.
    @Test(arguments: [true, false])
    func `limits and offsets of any size are answered`(isSaved: Bool) throws {
        let context = try filled(isSaved: isSaved), all: [Int16] = Array(0..<10)
        try context.performAndWait { context throws -> Void in
            for limit in [nil, 0, -1, Int.min, 3, Int.max] {
                for offset in [0, -1, Int.min, 4, 10, Int.max - 1, Int.max] {
                    var request = FetchRequest<Mood>(sortedBy: .ascending(\.date))
                    (request.fetchLimit, request.fetchOffset) = (limit, offset)
                    let rest = all.dropFirst(max(0, offset))
                    let wanted = Array(limit.map { $0 > 0 ? rest.prefix($0) : rest } ?? rest)
                    #expect(try context.fetch(request).map(\.rating) == wanted, "\(limit ?? -9) \(offset)")
                    #expect(try context.count(request) == wanted.count, "\(limit ?? -9) \(offset)")
                }
            }
        }
    }

    /// One statement for lists of all lengths, and none that is kept for chains that are asked once.
    @Test func `lists of all lengths are one statement`() throws {
        let model = try testModel(), entity = try #require(model.entity(named: "Mood"))
        let scope = SQLScope(
            schema: SQLSchema(model, entities: model.entities), storeIdentifier: "", tables: [entity])
        for values: [StoredValue] in [[.int(1)], [.double(0.5)], [.text("a")], [.blob(Data([1]))]] {
            let node = PredicateNode.property(PropertyPath(names: ["title"]))
            let lengths = [1, 2, 1_000].map { count in
                PredicateNode.isIn(node, Array(repeating: values[0], count: count)).sql(scope)
            }
            #expect(Set(lengths.map(\.text)).count == 1)
            #expect(lengths.allSatisfy { $0.arguments.count == 1 })
        }
    }
}

/// No store is asked: the text is refused before.
@Suite struct DeepPredicateTests {
    @Test func `text that nests too deep is refused, and no stack runs over`() {
        for (piece, end) in [
            ("(", "rating == 1"), ("{", "1"), ("-", "1"), ("!", "rating == 1"), ("NOT ", "rating == 1"),
            ("rating == (", "1"), ("rating IN {", "1"), ("-(", "1"), ("rating + (", "1"),
        ] {
            for count in [1_000, 20_000] {
                let text = String(repeating: piece, count: count)
                // A chain of negations is one or none.
                if piece == "!" || piece == "NOT " {
                    #expect(throws: Never.self) { try Filter<Mood>(format: text + end) }
                } else {
                    #expect(throws: FetchError.self, "\(piece)") { try Filter<Mood>(format: text + end) }
                }
                #expect(throws: FetchError.self, "\(piece)") {
                    try Filter<Mood>(format: "rating == " + text + end)
                }
            }
        }
        for sign in ["+", "-", "*"] {
            // Numbers are worked out as they are read; names are not.
            let numbers = Array(repeating: "1", count: 100_000).joined(separator: sign)
            #expect(throws: Never.self) { try Filter<Mood>(format: "rating == \(numbers)") }
            let sum = Array(repeating: "rating", count: 100_000).joined(separator: sign)
            #expect(throws: FetchError.self) { try Filter<Mood>(format: "rating == \(sum)") }
            // A sum in a sum in a sum, none of them long.
            let nested = (0..<90).reduce("1") { text, _ in
                "(" + text + String(repeating: "\(sign)rating", count: 150) + ")"
            }
            #expect(throws: FetchError.self) { try Filter<Mood>(format: "rating == \(nested)") }
        }
    }
}
