import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

@Suite struct StoreTests {
    @Test func `what was saved is there when the store is opened again`() throws {
        let folder = try ScratchFolder(), model = try testModel()
        do {
            let coordinator = try folder.open("Moody.moody", model)
            let context = ManagedObjectContext(persistentStoreCoordinator: coordinator)
            try context.performAndWait { context in
                fillWithMoods(context)
                try context.save()
            }
            try coordinator.close()
        }
        #expect(folder.names == [".Moody_SUPPORT", "Moody.moody"], "a closed store leaves no -wal")
        let context = ManagedObjectContext(persistentStoreCoordinator: try folder.open("Moody.moody", model))
        try context.performAndWait { context in
            let moods = try context.fetch(FetchRequest<Mood>(sortedBy: .ascending(\.date)))
            #expect(moods.map(\.title) == ["fog", "Foggy harbour", "", "caf\u{E9}", "cafe\u{301}"])
            #expect(moods.map(\.latitude) == [53.5, nil, 0, 48.9, -12.25])
            #expect(moods.map { $0.country?.name } == ["Germany", "Germany", "Germany", "France", nil])
            #expect(moods.map(\.swatches.count) == [0, 1, 2, 3, 4])
            #expect(moods[0].colors == [1, 2, 3])
            #expect(moods.map(\.objectID.key) == [1, 2, 3, 4, 5])
        }
    }

    /// 0-17: each type at its ends.
    @Test func `values come back as they went in, at the ends of their ranges`() throws {
        let folder = try ScratchFolder(), model = try ManagedObjectModel(Everything.self)
        let big = Data((0..<10_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let uuid = try #require(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))
        let year1 = Date(timeIntervalSince1970: -62_135_596_800),
            year9999 = Date(timeIntervalSince1970: 253_402_300_799)
        do {
            let coordinator = try folder.open("E.sqlite", model)
            let context = ManagedObjectContext(persistentStoreCoordinator: coordinator)
            try context.performAndWait { context in
                for (small, large) in [(true, false), (false, true)] where small != large {
                    let row = context.insert(Everything.self)
                    row.int16 = small ? .min : .max
                    row.int32 = small ? .min : .max
                    row.int64 = small ? .min : .max
                    row.double = small ? -.leastNonzeroMagnitude : .greatestFiniteMagnitude
                    row.float = small ? -.leastNonzeroMagnitude : .greatestFiniteMagnitude
                    row.bool = large
                    row.text = small ? "a\nb \u{1F3A8}" : ""
                    row.date = small ? year1 : year9999
                    row.data = small ? Data() : big
                    row.uuid = uuid
                    row.optional = small ? nil : 7
                    row.state = small ? .first : .last
                }
                try context.save()
            }
            try coordinator.close()
        }
        let context = ManagedObjectContext(persistentStoreCoordinator: try folder.open("E.sqlite", model))
        try context.performAndWait { context in
            let rows = try context.fetch(FetchRequest<Everything>(sortedBy: .ascending(\.int16)))
            #expect(rows.map(\.int16) == [.min, .max])
            #expect(rows.map(\.int32) == [.min, .max])
            #expect(rows.map(\.int64) == [.min, .max])
            #expect(
                rows.map(\.double.bitPattern) == [
                    (-Double.leastNonzeroMagnitude).bitPattern, Double.greatestFiniteMagnitude.bitPattern,
                ])
            #expect(rows.map(\.float) == [-.leastNonzeroMagnitude, .greatestFiniteMagnitude])
            #expect(rows.map(\.bool) == [false, true])
            #expect(rows.map(\.text) == ["a\nb \u{1F3A8}", ""])
            #expect(rows.map(\.date) == [year1, year9999])
            #expect(rows.map(\.data) == [Data(), big])
            #expect(rows.map(\.uuid) == [uuid, uuid])
            #expect(rows.map(\.optional) == [nil, 7])
            #expect(rows.map(\.state) == [.first, .last])
        }
    }

    @Test func `a file that is no store is refused, and keeps its bytes and its time`() throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "notes.moody")
        try Data("hello, this is not a database at all".utf8).write(to: url)
        let foreign = folder.url.appending(path: "foreign.moody")
        try shell("sqlite3 '\(foreign.path)' 'CREATE TABLE t (a); INSERT INTO t VALUES (1)'")
        for file in [url, foreign] {
            let bytes = try Data(contentsOf: file), time = try modified(file)
            #expect(throws: StoreError.notAStore) { try folder.open(file.lastPathComponent, testModel()) }
            #expect(try Data(contentsOf: file) == bytes)
            #expect(try modified(file) == time)
        }
    }

    @Test func `a store of another model is refused, and the entities that differ are named`() throws {
        let folder = try ScratchFolder()
        try folder.open("A.moody", testModel()).close()
        #expect(throws: StoreError.incompatible(entities: ["Country", "Everything", "Mood", "Swatch"])) {
            try folder.open("A.moody", ManagedObjectModel(Everything.self))
        }
    }

    @Test func `reading makes no store and writes nothing`() throws {
        let folder = try ScratchFolder()
        #expect(throws: StoreError.file("none.moody", errno: ENOENT)) {
            try folder.open("none.moody", testModel(), isReadOnly: true)
        }
        #expect(folder.names == [])
        try folder.open("A.moody", testModel()).close()
        let reader = try folder.open("A.moody", testModel(), isReadOnly: true)
        let context = ManagedObjectContext(persistentStoreCoordinator: reader)
        #expect(throws: StoreError.readOnly) {
            try context.performAndWait { context in
                Country.insert(into: context, code: 1, name: "")
                try context.save()
            }
        }
        try reader.close()
        #expect(folder.names == [".A_SUPPORT", "A.moody"])
    }

    @Test func `a store in a folder that is not there is told to be nowhere`() throws {
        let folder = try ScratchFolder()
        for isReadOnly in [true, false] {
            #expect(throws: StoreError.file("A.moody", errno: ENOENT)) {
                try folder.open("none/A.moody", testModel(), isReadOnly: isReadOnly)
            }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    }

    @Test func `two objects with the same unique values are refused by name, and nothing is written`() throws
    {
        let context = ManagedObjectContext(
            persistentStoreCoordinator: try emptyCoordinator(ManagedObjectModel(Everything.self)))
        try context.performAndWait { context in
            for _ in 0..<2 { fill(context.insert(Everything.self), 7) }
            #expect(
                throws: StoreError.notUnique(
                    entity: "Everything", properties: ["int16", "int32"], values: [.int(7), .int(7)])
            ) {
                try context.save()
            }
            #expect(context.insertedObjects.count == 2, "the changes are still here")
            context.delete(context.insertedObjects[0])
            try context.save()
            #expect(try context.count(FetchRequest<Everything>()) == 1)
            // What takes the place of a deleted row may have its unique values.
            for old in try context.fetch(FetchRequest<Everything>()) { context.delete(old) }
            fill(context.insert(Everything.self), 7)
            try context.save()
        }
    }

    /// SQLite names both columns of the constraint.
    @Test func `a row that somebody else saved has all its unique values named`() throws {
        let folder = try ScratchFolder(), model = try ManagedObjectModel(Everything.self)
        let contexts = try (0..<2).map { _ in
            ManagedObjectContext(persistentStoreCoordinator: try folder.open("A.moody", model))
        }
        try contexts[0].performAndWait { context throws -> Void in
            fill(context.insert(Everything.self), 7)
            try context.save()
        }
        try contexts[1].performAndWait { context throws -> Void in
            fill(context.insert(Everything.self), 7)
            #expect(
                throws: StoreError.notUnique(
                    entity: "Everything", properties: ["int16", "int32"], values: [.int(7), .int(7)])
            ) { try context.save() }
        }
    }

    /// Both columns would be `Z_1LIKEOF`: a number behind the name tells them apart, as Core Data does with
    /// columns of siblings.
    @Test func `two ways from many to many whose names differ by case alone are kept apart`() throws {
        func way(_ name: String, _ inverse: String) -> PropertyDescription {
            .relationship(RelationshipDescription(name, to: "Person", isToMany: true, inverse: inverse))
        }
        let name = PropertyDescription.attribute(AttributeDescription("name", .string))
        let model = try ManagedObjectModel(
            entities: [
                EntityDeclaration(
                    "Person", properties: [name, way("likeOf", "likeof"), way("likeof", "likeOf")])
            ])
        let folder = try ScratchFolder()
        for isNew in [true, false] {
            let coordinator = try folder.open("P.sqlite", model)
            try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait {
                context throws -> Void in
                if isNew {
                    let people = try ["Ada", "Bob", "Cy"].map { name in
                        let person = try context.insert(entityNamed: "Person")
                        try person.setValue(name, forKey: "name")
                        return person
                    }
                    try people[0].setValue(Set(people[1...]), forKey: "likeOf")
                    try context.save()
                    return
                }
                let request = FetchRequest<ManagedObject>(entityName: "Person", sortedBy: .ascending("name"))
                let counts = try context.fetch(request).map { person in
                    try ["likeOf", "likeof"].map {
                        (try person.value(forKey: $0) as? Set<ManagedObject>)?.count
                    }
                }
                #expect(counts == [[2, 0], [0, 1], [0, 1]])
            }
            try coordinator.close()
        }
        let columns = try shell(
            "sqlite3 '\(folder.url.path)/P.sqlite' \"SELECT group_concat(name) FROM "
                + "(SELECT name FROM pragma_table_info('Z_1LIKEOF') ORDER BY name)\"")
        #expect(columns == "Z_1LIKEOF,Z_1LIKEOF1\n")
    }

    /// 0-22: unticking an index drops it; indexes are not part of the version hash.
    @Test func `indexes follow the model at the next opening`() throws {
        let folder = try ScratchFolder(), model = try testModel()
        try folder.open("A.moody", model).close()
        let path = folder.url.appending(path: "A.moody").path
        try shell(
            "sqlite3 '\(path)' 'DROP INDEX Z_Mood_byDate; CREATE INDEX Z_Mood_byTitle ON ZMOOD (ZTITLE "
                + "COLLATE BINARY ASC)'"
        )
        try folder.open("A.moody", model).close()
        let names = try shell(
            "sqlite3 '\(path)' \"SELECT name FROM sqlite_master WHERE type = 'index' ORDER BY name\"")
        #expect(names.contains("Z_Mood_byDate"))
        #expect(!names.contains("Z_Mood_byTitle"))
    }

    @Test func `an index goes with its option, and comes with it`() throws {
        let folder = try ScratchFolder(), path = folder.url.appending(path: "A.sqlite").path
        func indexes(_ options: AttributeOptions) throws -> String {
            let date = PropertyDescription.attribute(AttributeDescription("date", .date, options: options))
            let entity = EntityDeclaration("Mood", properties: [date])
            try folder.open("A.sqlite", ManagedObjectModel(entities: [entity])).close()
            let statement = "SELECT name FROM sqlite_master WHERE type = 'index' AND sql LIKE '%ZDATE%'"
            return try shell("sqlite3 '\(path)' \"\(statement)\"")
        }
        #expect(try indexes(.indexed) == "Z_Mood_byDate\n")
        #expect(try indexes([]) == "")
        #expect(try indexes(.indexed) == "Z_Mood_byDate\n")
    }
}

/// One of each type.
final class Everything: ManagedObject {
    @Attribute var int16: Int16
    @Attribute var int32: Int32
    @Attribute var int64: Int64
    @Attribute var double: Double
    @Attribute var float: Float
    @Attribute var bool: Bool
    @Attribute var text: String
    @Attribute var date: Date
    @Attribute var data: Data
    @Attribute var uuid: UUID
    @Attribute var optional: Int64?
    @Attribute var state: State

    enum State: Int16, AttributeEnumeration { case first = 3, last = 9 }

    override class var uniquenessConstraints: [[String]] { [["int16", "int32"]] }
}

private func fill(_ row: Everything, _ number: Int16) {
    (row.int16, row.int32, row.int64, row.double, row.float) = (number, Int32(number), 0, 0, 0)
    (row.bool, row.text, row.date, row.data, row.uuid, row.state) = (
        false, "", day(0), Data(), UUID(), .first
    )
}

private func modified(_ url: URL) throws -> Date? {
    try FileManager.default.attributesOfItem(atPath: url.path)[.modificationDate] as? Date
}

/// Runs a shell command and gives back what it prints.
@discardableResult
func shell(_ command: String) throws -> String {
    let process = Process(), pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", command]
    process.standardOutput = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(command)")
    return String(decoding: output, as: UTF8.self)
}
