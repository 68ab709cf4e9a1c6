import Foundation
import Testing

@testable import ManagedObjects

/// Results that are values: what every store says is compared with what comes out of the objects, and on
/// SQLite with the shell.
@Suite struct DictionaryFetchTests {
    /// Rows as text: null as nothing, doubles by six places.
    private func text(_ value: StoredValue) -> String {
        switch value {
        case .null: ""
        case .int(let number): "\(number)"
        case .double(let number): String(format: "%.6f", number)
        case .text(let text): text
        case .blob(let data): "\(data.count) bytes"
        case .id(let id): "\(id.entity)"
        case .external: "a file"
        }
    }

    private func lines(_ rows: [FetchedDictionary]) -> [String] {
        rows.map { row in row.names.map { text(row[$0]) }.joined(separator: "|") }
    }

    /// 200 moods in four countries and in none, with and without a latitude.
    private func fill(_ context: isolated ManagedObjectContext) throws {
        let countries = (0..<4).map { Country.insert(into: context, code: Int16($0), name: "land \($0 / 2)") }
        for number in 0..<200 {
            let mood = Mood.insert(into: context, title: "t\(number % 7)", date: day(Double(number % 11)))
            mood.rating = Int16(number % 5) - 1
            mood.latitude = number % 3 == 0 ? nil : Double(number) / 7.0
            mood.country = number % 6 < 4 ? countries[number % 6] : nil
        }
        try context.save()
    }

    private struct Row {
        let title: String, rating: Int16, latitude: Double?, country: String?
    }

    private func rows(_ context: isolated ManagedObjectContext) throws -> [Row] {
        try context.fetch(FetchRequest<Mood>()).map {
            Row(title: $0.title, rating: $0.rating, latitude: $0.latitude, country: $0.country?.name)
        }
    }

    @Test(.everyStore) func `counts, sums and the like are those of the objects, whole and by groups`() throws
    {
        try emptyContext().performAndWait { context in
            try fill(context)
            let rows = try rows(context)
            let columns: [FetchedColumn] = [
                .count(), .count(of: "latitude"), .countDistinct("title"), .sum("rating"), .average("rating"),
                .sum("latitude"), .average("latitude"), .minimum("title"), .maximum("latitude"),
            ]
            func told(_ rows: [Row]) -> String {
                let latitudes = rows.compactMap(\.latitude), ratings = rows.map { Double($0.rating) }
                func number(_ value: Double?) -> String { value.map { String(format: "%.6f", $0) } ?? "" }
                return [
                    "\(rows.count)", "\(latitudes.count)", "\(Set(rows.map(\.title)).count)",
                    "\(rows.reduce(0) { $0 + Int($1.rating) })",
                    number(rows.isEmpty ? nil : ratings.reduce(0, +) / Double(rows.count)),
                    latitudes.isEmpty ? "0" : number(latitudes.reduce(0, +)),
                    number(latitudes.isEmpty ? nil : latitudes.reduce(0, +) / Double(latitudes.count)),
                    rows.map(\.title).min() ?? "", number(latitudes.max()),
                ].joined(separator: "|")
            }
            let whole = try context.fetchDictionaries(FetchRequest<Mood>(), of: columns)
            #expect(lines(whole) == [told(rows)])
            #expect(
                whole[0].names == [
                    "count", "count of latitude", "distinct title", "sum rating", "average rating",
                    "sum latitude", "average latitude", "minimum title", "maximum latitude",
                ])
            let some = try context.fetchDictionaries(FetchRequest(\Mood.rating > 2), of: columns)
            #expect(lines(some) == [told(rows.filter { $0.rating > 2 })])
            // Of nothing: one result, and no group.
            let none = FetchRequest(\Mood.rating > 100)
            #expect(try lines(context.fetchDictionaries(none, of: columns)) == [told([])])
            #expect(
                try context.fetchDictionaries(none, of: [.property("title"), .count()], groupedBy: ["title"])
                    .isEmpty)

            let groups = try context.fetchDictionaries(
                FetchRequest<Mood>(), of: [.property("country.name"), .property("title")] + columns,
                groupedBy: ["country.name", "title"])
            // No country stands before every country.
            let expected = Dictionary(grouping: rows) { "\($0.country ?? "")|\($0.title)" }
                .sorted { $0.key.replacing("|", with: " ") < $1.key.replacing("|", with: " ") }
                .map { "\($0.key)|\(told($0.value))" }
            #expect(lines(groups) == expected)
            #expect(groups.count == 21)
        }
    }

    @Test(.everyStore) func `results are chosen, ordered and cut after they were grouped`() throws {
        try emptyContext().performAndWait { context in
            try fill(context)
            let counts = Dictionary(grouping: try rows(context), by: \.rating).mapValues(\.count)
            var request = FetchRequest<Mood>(
                entityName: "Mood", sortedBy: .descending("n"), .ascending("rating"))
            let columns: [FetchedColumn] = [.property("rating"), .count(as: "n")]
            let all = try context.fetchDictionaries(request, of: columns, groupedBy: ["rating"])
            let expected = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map {
                "\($0.key)|\($0.value)"
            }
            #expect(lines(all) == expected && all.count == 5)
            let few = try context.fetchDictionaries(
                request, of: columns, groupedBy: ["rating"],
                having: { $0.value("rating", as: Int16.self) > 0 })
            #expect(lines(few) == expected.filter { Int($0.prefix { $0 != "|" }) ?? 0 > 0 })
            (request.fetchOffset, request.fetchLimit) = (1, 2)
            let cut = try context.fetchDictionaries(request, of: columns, groupedBy: ["rating"])
            #expect(lines(cut) == Array(expected[1...2]))
        }
    }

    /// As by IEEE 754.
    @Test(
        .everyStore,
        arguments: [
            ([1, .nan, 3], .nan), ([.infinity, -.infinity], .nan), ([.infinity, 1], .infinity),
            ([1, 3.5], 4.5),
        ] as [([Double], Double)])
    func `a sum or average with what is no number is none`(values: [Double], sum: Double) throws {
        try edgeContext().performAndWait { context throws -> Void in
            for value in values {
                let note = context.insert(Note.self)
                (note.text, note.price) = ("some", value)
            }
            context.insert(Note.self).text = "others"
            try context.save()
            let found = try context.fetchDictionaries(
                FetchRequest<Note>(), of: [.property("text"), .sum("price"), .average("price")],
                groupedBy: ["text"])
            let numbers = found.map { row in
                ["sum price", "average price"].map { "\(row.value($0, as: Double?.self) ?? -1)" }
            }
            #expect(numbers == [["0.0", "0.0"], ["\(sum)", "\(sum / Double(values.count))"]])
        }
    }

    @Test(.everyStore) func `groups of equal rank stay in the order of the groups`() throws {
        try edgeContext().performAndWait { context throws -> Void in
            for name in ["c", "b", "d", "a", "d"] { context.insert(Song.self).name = name }
            try context.save()
            let request = FetchRequest<Song>(entityName: "Song", sortedBy: .ascending("n"))
            let found = try context.fetchDictionaries(
                request, of: [.property("name"), .count(as: "n")], groupedBy: ["name"])
            #expect(found.map { $0.value("name", as: String.self) } == ["a", "b", "c", "d"])
            var named = FetchRequest<Song>(entityName: "Song", sortedBy: .ascending("name"))
            (named.fetchOffset, named.fetchLimit) = (1, 3)
            let cut = try context.fetchDictionaries(named, of: [.property("name")], distinct: true)
            #expect(cut.map { $0.value("name", as: String.self) } == ["b", "c", "d"])
        }
    }

    @Test(.everyStore) func `properties without groups come in the order asked for, once if so wanted`()
        throws
    {
        try emptyContext().performAndWait { context in
            try fill(context)
            let moods = try context.fetch(FetchRequest<Mood>(sortedBy: .descending(\.latitude)))
            var request = FetchRequest<Mood>(sortedBy: .descending(\.latitude))
            request.fetchLimit = 50
            let columns: [FetchedColumn] = [
                .property("title"), .property("latitude", as: "north"), .property("country"),
            ]
            let rows = try context.fetchDictionaries(request, of: columns)
            let expected = moods.prefix(50).map { mood in
                "\(mood.title)|\(mood.latitude.map { String(format: "%.6f", $0) } ?? "")|"
                    + (mood.country == nil ? "" : "Country")
            }
            #expect(lines(rows) == expected)
            #expect(rows[0].value("north", as: Double?.self) == moods[0].latitude)
            let titles = try context.fetchDictionaries(
                FetchRequest<Mood>(entityName: "Mood", sortedBy: .descending("title")),
                of: [.property("title")],
                distinct: true)
            #expect(lines(titles) == (0..<7).reversed().map { "t\($0)" })
            // All attributes, and nothing else, when none is named.
            let whole = try context.fetchDictionaries(FetchRequest(\Mood.title == "t3"))
            #expect(whole[0].names.sorted() == ["colors", "date", "latitude", "preview", "rating", "title"])
            // What is not saved is not seen.
            Mood.insert(into: context, title: "new", date: day(1))
            #expect(try context.fetchDictionaries(FetchRequest(\Mood.title == "new")).isEmpty)
        }
    }

    private static func error(
        _ context: isolated ManagedObjectContext, _ columns: [FetchedColumn], _ groups: [String] = [],
        sortedBy key: String? = nil
    ) -> FetchError? {
        var request = FetchRequest<Mood>()
        if let key { request.sortKeys = [.ascending(key)] }
        do { _ = try context.fetchDictionaries(request, of: columns, groupedBy: groups) } catch {
            return error as? FetchError
        }
        return nil
    }

    @Test(.everyStore) func `what cannot be counted or summed is an error that says what`() throws {
        try emptyContext().performAndWait { context in
            #expect(Self.error(context, [.sum("title")]) == .unsupported("the sum title of a string"))
            #expect(
                Self.error(context, [.count(of: "nothing")]) == .unknownKey(entity: "Mood", key: "nothing"))
            #expect(Self.error(context, [.property("a")], ["title"]) != nil)
            #expect(
                Self.error(context, [.property("title"), .count()])
                    == .unsupported("title, which is neither grouped by nor aggregated"))
            #expect(
                Self.error(context, [.count(of: "swatches")])
                    == .unsupported("swatches, which leads to many objects"))
            #expect(
                Self.error(context, [.count()], ["nothing"]) == .unknownKey(entity: "Mood", key: "nothing"))
            #expect(
                Self.error(context, [.property("rating"), .count()], ["rating"], sortedBy: "title")
                    == .unsupported("an order by title, which is not among the results"))
            #expect(
                Self.error(context, [.property("rating")], sortedBy: "nothing")
                    == .unknownKey(entity: "Mood", key: "nothing"))
            #expect(Self.error(context, [.count()], sortedBy: "title") == nil)
        }
    }

    @Test(.everyStore) func `decimals are summed as decimals, and integers that overflow are an error`()
        throws
    {
        let model = try ManagedObjectModel(entities: [
            EntityDeclaration(
                "Bill",
                properties: [
                    .attribute(AttributeDescription("sum", .decimal, isOptional: true)),
                    .attribute(AttributeDescription("count", .integer64, isOptional: true)),
                    .attribute(AttributeDescription("isPaid", .boolean)),
                ])
        ])
        let context = ManagedObjectContext(persistentStoreCoordinator: try emptyCoordinator(model))
        try context.performAndWait { context in
            for number in 0..<10 {
                let bill = try context.insert(entityNamed: "Bill")
                try bill.setValue(number > 0, forKey: "isPaid")
                try bill.setValue(Decimal(string: "0.1"), forKey: "sum")
                try bill.setValue(Int64.max / 5, forKey: "count")
            }
            try context.save()
            let request = FetchRequest<ManagedObject>(entityName: "Bill")
            let row = try context.fetchDictionaries(
                request, of: [.sum("sum"), .average("sum"), .maximum("sum")])
            // Of doubles it would be 0.9999999999999999.
            #expect(row[0].value("sum sum", as: Decimal.self) == 1)
            #expect(row[0].value("average sum", as: Decimal.self) == Decimal(string: "0.1"))
            #expect(row[0].value("maximum sum", as: Decimal.self) == Decimal(string: "0.1"))
            // Each alone, too: what is beside it does not decide.
            let sum = try context.fetchDictionaries(request, of: [.sum("sum")])
            #expect(sum[0].value("sum sum", as: Decimal.self) == 1)
            let mean = try context.fetchDictionaries(request, of: [.average("sum")])
            #expect(mean[0].value("average sum", as: Decimal.self) == Decimal(string: "0.1"))
            let averages = try context.fetchDictionaries(
                request, of: [.property("isPaid"), .average("sum")], groupedBy: ["isPaid"])
            #expect(
                averages.map { $0.value("average sum", as: Decimal.self) }
                    == [Decimal(string: "0.1"), Decimal(string: "0.1")])
            let paid = try context.withObjects {
                try $0.fetchTable(request, of: [.sum("isPaid")], groupedBy: [])
            }
            #expect(paid.rows == [[.int(9)]] && paid.types == [.integer64], "a number, and no truth value")
            let error = #expect(throws: StoreError.self) {
                try context.fetchDictionaries(request, of: [.sum("count")])
            }
            #expect("\(error.map { "\($0)" } ?? "")".contains("integer overflow"))
            // An average is no integer, and does not overflow.
            let average = try context.fetchDictionaries(request, of: [.average("count")])
            let value = average[0].value("average count", as: Double.self)
            #expect(abs(value / Double(Int64.max / 5) - 1) < 1e-12)
        }
    }

    @Test func `a parent's unsaved rows count, and those of several stores are one`() throws {
        let parent = try emptyContext()
        try parent.performAndWait { context throws -> Void in
            try fill(context)
            Mood.insert(into: context, title: "t0", date: day(1))
        }
        let child = ManagedObjectContext(parent: parent)
        let counted = try child.performAndWait { context in
            try context.fetchDictionaries(
                FetchRequest<Mood>(), of: [.property("title"), .count()], groupedBy: ["title"])
        }
        #expect(lines(counted).first == "t0|30")
        let model = try testModel()
        func told(_ coordinator: PersistentStoreCoordinator, fills: Bool) throws -> [String] {
            try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
                if fills { try fill(context) }
                return lines(
                    try context.fetchDictionaries(
                        FetchRequest<Mood>(),
                        of: [.property("rating"), .average("latitude"), .maximum("title"), .count()],
                        groupedBy: ["rating"]))
            }
        }
        let urls = (0..<2).map { _ in StoreKind.folder.appending(path: "\(UUID().uuidString).sqlite") }
        let alone = PersistentStoreCoordinator(managedObjectModel: model)
        try alone.addPersistentStore(ofType: .sqlite, at: urls[1])
        let half = try told(alone, fills: true)
        try alone.close()
        #expect(half.count == 5 && half.allSatisfy { $0.hasSuffix("|40") })
        let both = PersistentStoreCoordinator(managedObjectModel: model)
        for url in urls { try both.addPersistentStore(ofType: .sqlite, at: url) }
        #expect(try told(both, fills: false).sorted() == half.sorted())
        // New objects go to the first: each group has as many rows again, and the same average.
        #expect(
            try told(both, fills: true).sorted() == half.map { $0.dropLast(2) + "80" }.sorted())
    }
}
