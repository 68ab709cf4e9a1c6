import DataStacks
import Foundation
import ManagedObjects
import Synchronization
import Testing

/// Stores of earlier versions.
@Suite(.timeLimit(.minutes(10))) struct MigratingTests {
    private let scratch: Scratch
    private let versions: Versions
    private let url: URL

    init() throws {
        scratch = try Scratch()
        versions = try Versions()
        url = scratch.file("Books.sqlite")
    }

    private func rows(_ url: URL) throws -> String {
        try shell(
            "sqlite3 '\(url.path)' 'SELECT ZNUMBER, ZTITLE, ZINITIAL FROM ZBOOK ORDER BY ZNUMBER LIMIT 3'")
    }

    @Test func `V1 comes to V4 in one call, each step seen, rows as they should be`() async throws {
        try versions.makeStore(url, version: 1)
        let stack = try DataStack(versions.history(["V1", "V2", "V3", "V4"]), logger: QuietLogger())
        let told = Collected<MigrationProgress>()
        let added = try await stack.addStorage(SQLiteStore(fileURL: url)) { told.add($0) }
        let all = told.values
        #expect(Set(all.map(\.step)) == [1, 2, 3] && all.allSatisfy { $0.stepCount == 3 })
        #expect(all.map(\.fractionCompleted) == all.map(\.fractionCompleted).sorted())
        #expect(all.first?.fractionCompleted == 0 && all.last?.fractionCompleted == 1)
        #expect(added.oldVersionKeptAt == scratch.file("Books.sqlite.~1~") && !added.isNew)
        let found = try stack.fetchAll(
            From<Book4>(), OrderBy(.ascending(\.number)),
            as: { book in
                "\(book.number) \(book.title) \(book.initial) \(book.author ?? "-")"
            })
        #expect(found.count == 20 && found[0] == "0 0 book 0 -" && found[19] == "19 19 book 1 -")
        try stack.close()
        #expect(try rows(url) == "0|0 book|0\n1|1 book|1\n2|2 book|2\n")
    }

    @Test(arguments: [
        (1, [MigrationType.heavyweight(sourceVersion: "V1", destinationVersion: "V3")]),
        (2, [.heavyweight(sourceVersion: "V2", destinationVersion: "V4")]), (3, []), (4, []),
    ])
    func `each version takes its path through the tree`(_ version: Int, _ first: [MigrationType]) throws {
        try versions.makeStore(url, version: version)
        let initial = EntityMapping(
            from: "Book", to: "Book",
            properties: ["initial": .value { String(try $0.value("title", as: String.self).prefix(1)) }])
        let mappings = [
            try MappingModel(from: versions.models[0], to: versions.models[2], entities: [initial]),
            try MappingModel(from: versions.models[1], to: versions.models[3], entities: [initial]),
        ]
        let chain: MigrationChain = ["V1": "V3", "V2": "V4", "V3": "V4"]
        let stack = try DataStack(versions.history(chain, mappings: mappings), logger: QuietLogger())
        let store = SQLiteStore(fileURL: url)
        let last = MigrationType.lightweight(sourceVersion: "V3", destinationVersion: "V4")
        let wanted = first + (version == 1 || version == 3 ? [last] : [])
        #expect(try stack.requiredMigrations(for: store) == wanted)
        #expect(
            wanted.map(\.isHeavyweightMigration) == first.map { _ in true }
                + (wanted.count > first.count ? [false] : []))
        let kept = try stack.upgradeStorageAndWait(store)
        #expect((kept == nil) == (version == 4))
        if kept == nil { try stack.addStorageAndWait(store) }
        #expect(try stack.requiredMigrations(for: store) == [])
        #expect(try stack.fetchCount(From<Book4>()) == 20)
        try stack.close()
    }

    @Test func `steps are forecast without writing anything`() throws {
        let stack = try DataStack(versions.history(["V1", "V2", "V3", "V4"]), logger: QuietLogger())
        let store = SQLiteStore(fileURL: url)
        #expect(try stack.requiredMigrations(for: store).isEmpty, "there is no file")
        try versions.makeStore(url, version: 1)
        let before = try Data(contentsOf: url), names = try scratch.names
        #expect(
            try stack.requiredMigrations(for: store) == [
                .lightweight(sourceVersion: "V1", destinationVersion: "V2"),
                .heavyweight(sourceVersion: "V2", destinationVersion: "V3"),
                .lightweight(sourceVersion: "V3", destinationVersion: "V4"),
            ])
        #expect(try Data(contentsOf: url) == before)
        #expect(try scratch.names == names)
        try Data("no store".utf8).write(to: url)
        #expect(throws: StackError.unreadable(url, .notAStore)) { try stack.requiredMigrations(for: store) }
    }

    @Test func `without a chain a store goes straight to the last version, or the property is named`() throws
    {
        try versions.makeStore(url, version: 1)
        let store = SQLiteStore(fileURL: url)
        let direct = try DataStack(versions.history(nil), logger: QuietLogger())
        let error = #expect(throws: StackError.self) { try direct.requiredMigrations(for: store) }
        guard case .migration("V1", "V4", let why) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect("\(why)".contains("Book.initial"))
        // Of two mappings of one step the last counts.
        let mappings = try ["!", "?"].map { initial in
            try MappingModel(
                from: versions.models[0], to: versions.models[3],
                entities: [
                    EntityMapping(from: "Book", to: "Book", properties: ["initial": .value { _ in initial }])
                ])
        }
        let mapped = try DataStack(versions.history([:], mappings: mappings), logger: QuietLogger())
        #expect(
            try mapped.requiredMigrations(for: store)
                == [.heavyweight(sourceVersion: "V1", destinationVersion: "V4")])
        _ = try mapped.upgradeStorageAndWait(store)
        #expect(try mapped.fetchAll(From<Book4>(), as: \.initial).allSatisfy { $0 == "?" })
        try mapped.close()
    }

    @Test func `adding and waiting never migrates, and keeps the file as it is`() throws {
        try versions.makeStore(url, version: 1)
        let before = try Data(contentsOf: url), names = try scratch.names
        let stack = try DataStack(versions.history(["V1", "V2", "V3", "V4"]), logger: QuietLogger())
        #expect(throws: StackError.migrationRequired(from: "V1", to: "V4")) {
            try stack.addStorageAndWait(SQLiteStore(fileURL: url))
        }
        #expect(try Data(contentsOf: url) == before)
        #expect(try scratch.names == names)
        // Unless it is allowed, and nothing but lightweight steps is needed.
        let light = try DataStack(versions.history(["V1", "V2"]), logger: QuietLogger())
        try light.addStorageAndWait(
            SQLiteStore(fileURL: url, localStorageOptions: .allowSynchronousLightweightMigration))
        #expect(try light.fetchCount(From<Book2>()) == 20)
        try light.close()
    }

    @Test
    func `a completion gets the store, or the step that failed; and it is not called when adding throws`()
        throws
    {
        try versions.makeStore(url, version: 1)
        let before = try Data(contentsOf: url)
        let failing = try DataStack(
            versions.history(["V1", "V2", "V3", "V4"], mappings: [versions.mapping(refusing: 7)]),
            logger: QuietLogger())
        let results = Collected<SetupResult>()
        #expect(try failing.addStorage(SQLiteStore(fileURL: url)) { results.add($0) } != nil)
        guard case .failure(let error) = results.wait(for: 1).first else {
            Issue.record("the migration did not fail")
            return
        }
        #expect(error == .user(Refusal()))
        #expect(try Data(contentsOf: url) == before)
        #expect(try scratch.names == ["Books.sqlite"])
        let stack = try DataStack(versions.history(["V1", "V2", "V3", "V4"]), logger: QuietLogger())
        let folder = SQLiteStore(fileURL: scratch.url)
        #expect(throws: StackError.self) { try stack.addStorage(folder) { results.add($0) } }
        #expect(try stack.addStorage(SQLiteStore(fileURL: url)) { results.add($0) } != nil)
        guard case .success(let added)? = results.wait(for: 2).last else {
            Issue.record("\(results.values)")
            return
        }
        #expect(added.url == url && results.values.count == 2)
        try stack.close()
    }

    @Test func `progress is nil without a migration, and tells halves of one with two steps`() async throws {
        try versions.makeStore(url, version: 2, books: 1000)
        let stack = try DataStack(versions.history(["V2", "V3", "V4"]), logger: QuietLogger())
        let results = Collected<SetupResult>(), fractions = Collected<Double>()
        let fresh = SQLiteStore(fileURL: scratch.file("Fresh.sqlite"))
        #expect(try stack.addStorage(fresh) { results.add($0) } == nil)
        #expect(results.wait(for: 1).count == 1)
        // A store that is there, of the version that is wanted.
        let again = try DataStack(versions.history(["V2", "V3", "V4"]), logger: QuietLogger())
        #expect(try again.addStorage(fresh) { results.add($0) } == nil)
        #expect(results.wait(for: 2).count == 2)
        try again.close()
        let one = try DataStack(versions.history(["V2", "V3", "V4"]), logger: QuietLogger())
        let progress = try #require(
            try one.addStorage(SQLiteStore(fileURL: url)) { results.add($0) })
        progress.setProgressHandler { fractions.add($0.fractionCompleted) }
        #expect(progress.localizedAdditionalDescription.hasSuffix(" of 2"))
        while results.values.count < 3 { try await Task.sleep(for: .milliseconds(5)) }
        #expect(progress.fractionCompleted == 1)
        for _ in 0..<6_000 where fractions.values.last != 1 { try await Task.sleep(for: .milliseconds(5)) }
        #expect(fractions.values == fractions.values.sorted() && fractions.values.last == 1)
        #expect(progress.localizedDescription == "100% completed")
        #expect(progress.localizedAdditionalDescription == "2 of 2")
        try stack.close()
        try one.close()
    }

    @Test func `the migration of a store without rows is complete at its end`() async throws {
        try versions.makeStore(url, version: 2, books: 0)
        let stack = try DataStack(versions.history(["V2", "V3", "V4"]), logger: QuietLogger())
        let results = Collected<SetupResult>()
        let progress = try #require(try stack.addStorage(SQLiteStore(fileURL: url)) { results.add($0) })
        #expect(results.wait(for: 1).count == 1)
        #expect(progress.fractionCompleted == 1 && progress.localizedAdditionalDescription == "2 of 2")
        try stack.close()
    }

    @Test func `the texts of progress are percents and steps`() async throws {
        try versions.makeStore(url, version: 2, books: 1000)
        let stack = try DataStack(versions.history(["V2", "V3", "V4"]), logger: QuietLogger())
        let texts = Collected<String>(), fractions = Collected<Double>()
        try await stack.addStorage(SQLiteStore(fileURL: url)) {
            texts.add("\($0.localizedDescription), \($0.localizedAdditionalDescription)")
            fractions.add($0.fractionCompleted)
        }
        #expect(fractions.values.first == 0 && fractions.values.last == 1)
        #expect(fractions.values.contains(0.5) && fractions.values == fractions.values.sorted())
        #expect(texts.values.first == "0% completed, 0 of 2")
        #expect(texts.values.contains("50% completed, 1 of 2"))
        #expect(texts.values.last == "100% completed, 2 of 2")
        try stack.close()
    }

    @Test func `a progress handler is called on the main actor`() async throws {
        try versions.makeStore(url, version: 2, books: 3000)
        let stack = try DataStack(versions.history(["V2", "V3", "V4"]), logger: QuietLogger())
        let results = Collected<SetupResult>(), calls = Collected<Bool>()
        let progress = try #require(try stack.addStorage(SQLiteStore(fileURL: url)) { results.add($0) })
        progress.setProgressHandler { _ in
            MainActor.assertIsolated()
            calls.add(true)
        }
        while results.values.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        for _ in 0..<6_000 where calls.values.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        #expect(!calls.values.isEmpty)
        try stack.close()
    }

    @Test func `cancelling the task leaves the store as it was`() async throws {
        try versions.makeStore(url, version: 1, books: 3000)
        let before = try Data(contentsOf: url), url = url
        let stack = try DataStack(versions.history(["V1", "V2", "V3", "V4"]), logger: QuietLogger())
        let begun = Collected<Bool>(), goOn = DispatchSemaphore(value: 0)
        let task = Task {
            try await stack.addStorage(SQLiteStore(fileURL: url)) { _ in
                // The migration waits for the cancellation, however late that comes on a busy machine.
                if begun.values.isEmpty {
                    begun.add(true)
                    _ = goOn.wait(timeout: .now() + 60)
                }
            }
        }
        while begun.values.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
        task.cancel()
        goOn.signal()
        await #expect(throws: StackError.cancelled) { try await task.value }
        #expect(try Data(contentsOf: url) == before)
        #expect(try scratch.names == ["Books.sqlite"])
        #expect(try stack.requiredMigrations(for: SQLiteStore(fileURL: url)).count == 3)
    }

    @Test func `a rehearsal does everything but replace the store`() throws {
        try versions.makeStore(url, version: 1)
        let before = try Data(contentsOf: url)
        let stack = try DataStack(versions.history(["V1", "V2", "V3", "V4"]), logger: QuietLogger())
        let preview = stack.rehearseMigration(of: SQLiteStore(fileURL: url))
        #expect(preview.isPossible && preview.steps.count == 3 && preview.objectCount == 20)
        #expect(try Data(contentsOf: url) == before)
        #expect(try scratch.names == ["Books.sqlite"])
        let failing = try DataStack(
            versions.history(["V1", "V2", "V3", "V4"], mappings: [versions.mapping(refusing: 7)]),
            logger: QuietLogger())
        #expect(failing.rehearseMigration(of: SQLiteStore(fileURL: url)).problem == .user(Refusal()))
        #expect(try Data(contentsOf: url) == before)
        #expect(try scratch.names == ["Books.sqlite"])
    }

    @Test func `a store of an unknown version is refused, or gives way to a new one and is kept`() throws {
        let old = DataStack(model: try ManagedObjectModel(BookX.self), logger: QuietLogger())
        try old.addStorageAndWait(SQLiteStore(fileURL: url))
        try old.performAndWait { $0.create(Into<BookX>()).weight = 3 }
        try old.close()
        let before = try Data(contentsOf: url)
        let stack = try DataStack(versions.history(["V1", "V2", "V3", "V4"]), logger: QuietLogger())
        #expect(throws: StackError.unknownVersion(url, entities: ["Book"])) {
            try stack.addStorageAndWait(SQLiteStore(fileURL: url))
        }
        #expect(try Data(contentsOf: url) == before)
        let added = try stack.addStorageAndWait(
            SQLiteStore(fileURL: url, localStorageOptions: .recreateStoreOnModelMismatch))
        #expect(added.isNew)
        let kept = try #require(added.oldVersionKeptAt)
        #expect(kept.lastPathComponent == "Books.sqlite.~1~")
        #expect(try Data(contentsOf: kept) == before)
        #expect(try stack.fetchCount(From<Book4>()) == 0)
        try stack.close()
    }

    @Test func `what an old store has in its log is put aside with it`() throws {
        let model = try ManagedObjectModel(BookX.self), source = scratch.file("Open.sqlite")
        let old = DataStack(model: model, logger: QuietLogger())
        try old.addStorageAndWait(SQLiteStore(fileURL: source))
        try old.performAndWait { $0.create(Into<BookX>()).weight = 3 }
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: source.path + suffix, toPath: url.path + suffix)
        }
        try old.close()
        let stack = try DataStack(versions.history(["V1", "V2", "V3", "V4"]), logger: QuietLogger())
        let added = try stack.addStorageAndWait(
            SQLiteStore(fileURL: url, localStorageOptions: .recreateStoreOnModelMismatch))
        try stack.close()
        let again = DataStack(model: model, logger: QuietLogger())
        try again.addStorageAndWait(SQLiteStore(fileURL: try #require(added.oldVersionKeptAt)))
        #expect(try again.fetchAll(From<BookX>(), as: \.weight) == [3])
        try again.close()
    }

    /// The new store has the folder of large values to itself, and removes what none of its rows names.
    @Test func `a store that gives way keeps its large values, and gives no way while it is open`() throws {
        let model = try ManagedObjectModel(BookX.self), cover = Data(repeating: 7, count: 150_000)
        let old = DataStack(model: model, logger: QuietLogger())
        try old.addStorageAndWait(SQLiteStore(fileURL: url))
        try old.performAndWait { $0.create(Into<BookX>()).cover = cover }
        let stack = try DataStack(versions.history(["V1", "V2", "V3", "V4"]), logger: QuietLogger())
        let wanted = SQLiteStore(fileURL: url, localStorageOptions: .recreateStoreOnModelMismatch)
        let names = try scratch.names
        #expect(throws: StackError.store(.inUse)) { try stack.addStorageAndWait(wanted) }
        #expect(try scratch.names == names)
        #expect(try old.fetchAll(From<BookX>(), as: \.cover) == [cover])
        try old.close()
        let added = try stack.addStorageAndWait(wanted)
        #expect(added.isNew)
        try stack.close()
        let new = try DataStack(versions.history(["V4"]), logger: QuietLogger())
        try new.addStorageAndWait(SQLiteStore(fileURL: url))
        try new.close()
        let again = DataStack(model: model, logger: QuietLogger())
        try again.addStorageAndWait(SQLiteStore(fileURL: try #require(added.oldVersionKeptAt)))
        #expect(try again.fetchAll(From<BookX>(), as: \.cover) == [cover])
        try again.close()
    }

    @Test func `a store without a mapping to the last version gives way to a new one, if so wanted`() throws {
        try versions.makeStore(url, version: 1, books: 2)
        let stack = try DataStack(versions.history(nil), logger: QuietLogger())
        let added = try stack.addStorageAndWait(
            SQLiteStore(fileURL: url, localStorageOptions: .recreateStoreOnModelMismatch))
        #expect(added.isNew && added.oldVersionKeptAt?.lastPathComponent == "Books.sqlite.~1~")
        #expect(try stack.fetchCount(From<Book4>()) == 0)
        try stack.close()
    }

    @Test func `a value that a step requires and does not get is that step's failure`() throws {
        try versions.makeStore(url, version: 1, books: 2)
        let mapping = try MappingModel(
            from: versions.models[1], to: versions.models[2],
            entities: [
                EntityMapping(from: "Book", to: "Book", properties: ["initial": .value { _ in String?.none }])
            ])
        let stack = try DataStack(
            versions.history(["V1", "V2", "V3", "V4"], mappings: [mapping]), logger: QuietLogger())
        let error = #expect(throws: StackError.self) {
            try stack.upgradeStorageAndWait(SQLiteStore(fileURL: url))
        }
        guard case .migration("V2", "V3", .required("Book", "initial", _)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    /// V1 has a title that all versions require; V3 and V4 require an initial.
    @Test(arguments: [("V2", "V3", "title"), ("V3", "V4", "initial")])
    func `what an earlier version required, too, is the failure of the step that loses it`(
        from: String, to: String, property: String
    ) throws {
        try versions.makeStore(url, version: 1, books: 2)
        let none = PropertyMapping.value { _ in String?.none }
        var books: [String: PropertyMapping] = from == "V2" ? ["initial": .value { _ in "x" }] : [:]
        books[property] = none
        let index = from == "V2" ? 1 : 2
        let losing = try MappingModel(
            from: versions.models[index], to: versions.models[index + 1],
            entities: [EntityMapping(from: "Book", to: "Book", properties: books)])
        let mappings = from == "V2" ? [losing] : [try versions.mapping(), losing]
        let stack = try DataStack(
            versions.history(["V1", "V2", "V3", "V4"], mappings: mappings), logger: QuietLogger())
        let error = #expect(throws: StackError.self) {
            try stack.upgradeStorageAndWait(SQLiteStore(fileURL: url))
        }
        guard case .migration(from, to, .required("Book", property, 2)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `a store from which the chain does not lead on is refused`() throws {
        try versions.makeStore(url, version: 1)
        let stack = try DataStack(versions.history(["V3", "V4"]), logger: QuietLogger())
        #expect(throws: StackError.migrationRequired(from: "V1", to: "V4")) {
            try stack.requiredMigrations(for: SQLiteStore(fileURL: url))
        }
        let added = try stack.addStorageAndWait(
            SQLiteStore(fileURL: url, localStorageOptions: .recreateStoreOnModelMismatch))
        #expect(added.isNew && added.oldVersionKeptAt?.lastPathComponent == "Books.sqlite.~1~")
        try stack.close()
    }

    /// Of two branches the one that ends in the current version counts, and nothing is done on the other.
    @Test func `a store on a branch that ends before the current version is refused as it is`() throws {
        try versions.makeStore(url, version: 1)
        let bytes = try Data(contentsOf: url)
        let stack = try DataStack(versions.history(["V1": "V2", "V3": "V4"]), logger: QuietLogger())
        let error = #expect(throws: StackError.migrationRequired(from: "V1", to: "V4")) {
            try stack.upgradeStorageAndWait(SQLiteStore(fileURL: url))
        }
        let text = "of version V1 of the model, and must be migrated to V4 first"
        #expect(error.map { "\($0)" } == text)
        #expect(try Data(contentsOf: url) == bytes)
        #expect(try scratch.names == ["Books.sqlite"])
    }

    @Test func `a completion is told that no step can be inferred`() throws {
        try versions.makeStore(url, version: 1)
        let stack = try DataStack(versions.history(nil), logger: QuietLogger())
        let results = Collected<SetupResult>()
        #expect(try stack.addStorage(SQLiteStore(fileURL: url)) { results.add($0) } == nil)
        guard case .failure(.migration("V1", "V4", _))? = results.wait(for: 1).first else {
            Issue.record("\(results.values)")
            return
        }
    }
}
