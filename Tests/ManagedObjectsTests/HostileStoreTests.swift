import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import ManagedObjects

/// Stores that strangers made, to do harm or by mistake: an error, and never another file, another object, a
/// statement of theirs or a trap.
@Suite struct HostileStoreTests {
    private func open(_ url: URL, _ model: ManagedObjectModel? = nil) throws -> ManagedObjectContext {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try model ?? testModel())
        try coordinator.addPersistentStore(ofType: .sqlite, at: url)
        return ManagedObjectContext(persistentStoreCoordinator: coordinator)
    }

    /// A store with a mood in a country.
    private func filled(_ folder: ScratchFolder, keepsHistory: Bool = false) throws -> URL {
        let url = folder.url.appending(path: "Moody.sqlite")
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try testModel())
        try coordinator.addPersistentStore(ofType: .sqlite, at: url, keepsHistory: keepsHistory)
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait {
            context throws -> Void in
            let mood = Mood.insert(into: context, title: "fog", date: day(1))
            mood.country = Country.insert(into: context, code: 1, name: "Peru")
            let swatch = context.insert(Swatch.self)
            (swatch.share, swatch.mood) = (1, mood)
            try context.save()
        }
        try coordinator.close()
        return url
    }

    // MARK: Names of files

    @Test(arguments: [
        "../../../victim", "../../victim.txt", "..", "", "/etc/passwd", "no uuid at all, but of 36 bytes ",
    ])
    func `a column that names a file by anything but a UUID reaches no file`(name: String) throws {
        let folder = try ScratchFolder(), inner = folder.url.appending(path: "inner")
        let files = inner.appending(path: ".Moody_SUPPORT/_EXTERNAL_DATA")
        try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
        let made = try filled(folder), url = inner.appending(path: "Moody.sqlite")
        try FileManager.default.moveItem(at: made, to: url)
        let victims = [inner.appending(path: "victim.txt"), folder.url.appending(path: "victim")]
        for victim in victims { try Data("TOP SECRET".utf8).write(to: victim) }
        let text = name.replacing("'", with: "''")
        try shell(
            "sqlite3 '\(url.path)' \"UPDATE ZMOOD SET ZPREVIEW = CAST(x'02' || '\(text)' || x'00' AS BLOB)\"")
        let context = try open(url)
        try context.performAndWait { context throws -> Void in
            let mood = try #require(try context.fetch(FetchRequest<Mood>()).first)
            #expect(mood.preview == nil)
            #expect(throws: StoreError.self, "and is said") { try context.fetch(FetchRequest<Mood>()) }
            context.delete(mood)
            try context.save()
        }
        for victim in victims { #expect(try Data(contentsOf: victim) == Data("TOP SECRET".utf8)) }
    }

    @Test func `a link in place of a file of large values is not followed`() throws {
        let folder = try ScratchFolder(), url = try filled(folder)
        let victim = folder.url.appending(path: "victim"), name = UUID().uuidString
        try Data("TOP SECRET".utf8).write(to: victim)
        try FileManager.default.createDirectory(at: folder.externalFolder, withIntermediateDirectories: true)
        try shell(
            "sqlite3 '\(url.path)' \"UPDATE ZMOOD SET ZPREVIEW = CAST(x'02' || '\(name)' || x'00' AS BLOB)\"")
        let link = folder.externalFolder.appending(path: name)
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: victim.path)
        var context = try open(url)
        #expect(try context.persistentStoreCoordinator.report().missingFiles == [name])
        try context.performAndWait { context throws -> Void in
            #expect(try context.fetch(FetchRequest<Mood>()).first?.preview == nil)
            #expect(throws: StoreError.file(name, errno: ELOOP)) { try context.fetch(FetchRequest<Mood>()) }
        }
        try context.persistentStoreCoordinator.close()
        // Nor is a pipe waited for.
        try FileManager.default.removeItem(at: link)
        let made = unsafe mkfifo(link.path, 0o600)
        try #require(made == 0)
        context = try open(url)
        try context.performAndWait { context throws -> Void in
            #expect(try context.fetch(FetchRequest<Mood>()).first?.preview == nil)
        }
        #expect(try Data(contentsOf: victim) == Data("TOP SECRET".utf8))
    }

    // MARK: Numbers

    private static let numbers = ["-9223372036854775808", "-1", "0", "9223372036854775807"]
    private static let columns = [
        "ZMOOD SET Z_ENT", "ZMOOD SET Z_PK", "ZMOOD SET Z_OPT", "ZMOOD SET ZCOUNTRY", "ZSWATCH SET ZMOOD",
        "Z_PRIMARYKEY SET Z_MAX", "Z_PRIMARYKEY SET Z_ENT", "ZCOUNTRY SET Z_PK", "ACHANGE SET ZENTITY",
        "ACHANGE SET ZENTITYPK", "ACHANGE SET ZTRANSACTIONID", "ACHANGE SET ZCHANGETYPE",
        "ATRANSACTION SET Z_PK",
        "ATRANSACTIONSTRING SET Z_PK", "ATRANSACTION SET ZTIMESTAMP",
    ]

    @Test(arguments: columns, numbers)
    func `a number that no store can have is an error where it is read, and never a trap`(
        column: String, number: String
    ) throws {
        let folder = try ScratchFolder(), url = try filled(folder, keepsHistory: true)
        // Where a key must be unique the others go to the end of the range.
        let parts = column.split(separator: " ")
        try shell(
            "sqlite3 '\(url.path)' \"UPDATE OR IGNORE \(column) = \(number) WHERE rowid IN "
                + "(SELECT rowid FROM \(parts[0]) WHERE rowid < 16000 OR '\(parts[2])' = 'Z_MAX')\"")
        // The first object of this process: a negative key must not lead to it.
        let bystander = try ManagedObjectContext(persistentStoreCoordinator: emptyCoordinator(testModel()))
        bystander.performAndWait { context in
            for _ in 0..<3 { _ = Country.insert(into: context, code: 99, name: "bystander") }
        }
        let count = Mutex(0)
        @Sendable func attempt(_ body: () throws -> Void) throws {
            do { try body() } catch is StoreError { count.withLock { $0 += 1 } }
        }
        try attempt {
            let context = try open(url), coordinator = context.persistentStoreCoordinator
            defer { try? coordinator.close() }
            try context.performAndWait { context throws -> Void in
                // Before anything is read: a key that is not this store's own is of no object here.
                for code: Int16 in [7, 8] { _ = Country.insert(into: context, code: code, name: "unsaved") }
                try attempt {
                    for mood in try context.fetch(FetchRequest<Mood>()) {
                        #expect(mood.country?.name != "unsaved")
                        _ = mood.swatches.count
                    }
                }
                try attempt { for mood in try context.fetch(FetchRequest<Mood>()) { mood.title += "!" } }
                try attempt { _ = try context.save() }
                context.rollback()
                try attempt {
                    Mood.insert(into: context, title: "new", date: day(2))
                    try context.save()
                }
                context.rollback()
                try attempt { _ = try context.fetchValues(FetchRequest<Mood>(), \.title) }
                try attempt { _ = try context.fetch(FetchRequest<Swatch>()).map { $0.mood?.title } }
                try attempt { if let error = context.takeFaultErrors().first { throw error } }
            }
            try attempt { _ = try coordinator.report() }
            try attempt { _ = try coordinator.changesByOthers() }
            try attempt { _ = try coordinator.history(after: nil) }
            try attempt { _ = try coordinator.stores[0].lastKey(coordinator.managedObjectModel.entities[0]) }
        }
        let isHarmless =
            column.hasPrefix("A")
            || number == "0"
                && ["ZMOOD SET Z_OPT", "Z_PRIMARYKEY SET Z_MAX"].contains(column)
        #expect(count.withLock { $0 } > 0 || isHarmless)
    }

    @Test(arguments: ["-9223372036854775808", "9223372036854775807", "-1", "x"])
    func `a next key that no XML store can have is an error`(number: String) throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "store.xml")
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try testModel())
        try coordinator.addPersistentStore(ofType: .xml, at: url)
        try coordinator.close()
        let text = try String(contentsOf: url, encoding: .utf8)
        let changed = text.replacing("<nextObjectID>0<", with: "<nextObjectID>\(number)<")
        #expect(changed != text)
        try changed.write(to: url, atomically: true, encoding: .utf8)
        #expect(throws: StoreError.self) {
            try PersistentStoreCoordinator(managedObjectModel: testModel())
                .addPersistentStore(ofType: .xml, at: url)
        }
    }

    @Test func `an ID is decoded only if a row can have it`() throws {
        let context = try emptyContext()
        @Sendable func decoded(_ json: String) throws -> ManagedObjectID {
            try JSONDecoder().decode(ManagedObjectID.self, from: Data(json.utf8))
        }
        try context.performAndWait { context throws -> Void in
            let new = Country.insert(into: context, code: 1, name: "new")
            let store = context.persistentStoreCoordinator.storeIdentifiers[0]
            for key in ["0", "-1", "+1", "", "\(Int64.max)", "1.0", "\(new.objectID.key)"] {
                let uri = try #require(URL(string: "x-coredata://\(store)/Country/p\(key)"))
                #expect(context.persistentStoreCoordinator.managedObjectID(forURIRepresentation: uri) == nil)
            }
            let unsaved = try #require(URL(string: "x-coredata://\(store)/Country/t1"))
            #expect(context.persistentStoreCoordinator.managedObjectID(forURIRepresentation: unsaved) == nil)
            for key in [new.objectID.key, .min, 0, .max] {
                #expect(throws: DecodingError.self) {
                    try decoded(#"{"store": "\#(store)", "entity": "Country", "key": \#(key)}"#)
                }
            }
            #expect(throws: DecodingError.self) { try decoded(#"{"entity": "Country", "key": 1}"#) }
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(ManagedObjectID.self, from: JSONEncoder().encode(new.objectID))
            }
            let temporary = new.objectID
            try context.save()
            for id in [new.objectID, temporary] {
                let copy = try JSONDecoder().decode(ManagedObjectID.self, from: JSONEncoder().encode(id))
                #expect(context.object(with: copy) === new)
                #expect(
                    context.persistentStoreCoordinator.managedObjectID(
                        forURIRepresentation: id.uriRepresentation) == copy)
            }
        }
    }

    @Test func `places in an order that a stranger gave do not trap`() throws {
        for old: [Int64?] in [
            [.min, .max], [.max, nil], [.min, nil, .max], [-5, nil, 5], [.max, .max, nil], [nil, .min],
        ] {
            let assigned = OrderPositions.assigned(to: old)
            #expect(
                assigned.count == old.count && assigned == assigned.sorted()
                    && Set(assigned).count == old.count)
        }
    }

    // MARK: Rows of another entity

    /// The rows of two towns of three say that they are plain places, which have neither a mayor, nor visits,
    /// nor guides: what leads there leads nowhere, and everything else can be read, changed, and saved.
    @Test(arguments: TripChange.allCases, [false, true])
    fileprivate func `keys that lead to rows of a superentity lead nowhere, and never trap`(
        change: TripChange, readsPlaces: Bool
    ) throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "Trip.sqlite")
        let model = try ManagedObjectModel(
            TripPlace.self, TripTown.self, TripVisit.self, TripGuide.self, TripMayor.self)
        var context = try open(url, model)
        try context.performAndWait { context throws -> Void in
            let guide = context.insert(TripGuide.self)
            for number in 0..<3 {
                let town = context.insert(TripTown.self), visit = context.insert(TripVisit.self)
                (town.name, town.size) = ("town \(number)", Int64(number))
                (visit.number, visit.town) = (Int64(number), town)
                town.mayor = context.insert(TripMayor.self)
                town.guides.insert(guide)
            }
            try context.save()
        }
        try context.persistentStoreCoordinator.close()
        let place = "(SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'TripPlace')"
        try shell(
            "sqlite3 '\(url.path)' \"UPDATE ZTRIPPLACE SET Z_ENT = \(place) WHERE ZNAME != 'town 0'\"")
        context = try open(url, model)
        try context.performAndWait { context throws -> Void in
            context.undoManager = UndoManager()
            let places = readsPlaces ? try context.fetch(FetchRequest<TripPlace>()) : []
            let visits = try context.fetch(FetchRequest<TripVisit>(sortedBy: .ascending(\.number)))
            let guide = try #require(context.fetch(FetchRequest<TripGuide>()).first)
            let mayors = try context.fetch(FetchRequest<TripMayor>())
            #expect(visits.map(\.number) == [0, 1, 2] && visits[0].town?.name == "town 0")
            for town in visits.map(\.town) + mayors.map(\.town) {
                _ = (town?.size, town?.mayor, town?.visits.count, town?.guides.count)
            }
            #expect(guide.towns.contains { $0.name == "town 0" })
            switch change {
            case .move: for visit in visits { visit.town = visits[0].town }
            case .leave: for visit in visits { visit.town = nil }
            case .delete: for visit in visits { context.delete(visit) }
            case .gather: context.insert(TripTown.self).visits = Set(visits)
            case .deleteGuide: context.delete(guide)
            case .dismiss: guide.towns = []
            case .deleteMayors: for mayor in mayors { context.delete(mayor) }
            case .elect: for mayor in mayors { mayor.town = context.insert(TripTown.self) }
            }
            context.processPendingChanges()
            context.undo()
            context.redo()
            if (try? context.save()) == nil { context.rollback() }
            withExtendedLifetime(places) {}
        }
        try context.persistentStoreCoordinator.close()
        let names = try shell("sqlite3 '\(url.path)' \"SELECT ZNAME FROM ZTRIPPLACE ORDER BY Z_PK LIMIT 3\"")
        #expect(names == "town 0\ntown 1\ntown 2\n")
    }

    // MARK: Names in SQL

    private func indexed(_ name: String, isRTree: Bool = false) throws -> ManagedObjectModel {
        var thing = EntityDeclaration(
            "Thing",
            properties: [
                .attribute(AttributeDescription("name", .string, isOptional: true)),
                .attribute(AttributeDescription("size", .double, isOptional: true)),
            ])
        thing.fetchIndexes = [
            FetchIndexDescription(name, [.init(isRTree ? "size" : "name", isRTree: isRTree)])
        ]
        return try ManagedObjectModel(entities: [thing])
    }

    @Test(arguments: [
        "by name", "x ON ZTHING (ZNAME); CREATE TABLE INJECTED (A); --", "a\"b", "a'b", "größe", "1", "a;b",
    ])
    func `the name of an index is a name in SQL, whatever it is`(name: String) throws {
        for isRTree in [false, true] {
            let folder = try ScratchFolder(), url = folder.url.appending(path: "a.sqlite")
            for _ in 0..<2 {
                let context = try open(url, indexed(name, isRTree: isRTree))
                try context.performAndWait { context throws -> Void in
                    try context.insert(entityNamed: "Thing").setValue(1.5, forKey: "size")
                    try context.save()
                }
                try context.persistentStoreCoordinator.close()
            }
            let names = try shell(
                "sqlite3 '\(url.path)' \"SELECT name FROM sqlite_master "
                    + "WHERE name LIKE 'Z!_Thing!_%' ESCAPE '!' "
                    + "AND type IN ('index', 'table') ORDER BY 1 LIMIT 1\"")
            #expect(names == "Z_Thing_\(name)\n")
            let injected = "SELECT COUNT(*) FROM sqlite_master WHERE name = 'INJECTED'"
            #expect(try shell("sqlite3 '\(url.path)' \"\(injected)\"") == "0\n")
            #expect(try shell("sqlite3 '\(url.path)' 'SELECT COUNT(*) FROM ZTHING'") == "2\n")
        }
    }

    @Test func `an index of a store with quotes in its name is dropped by that name`() throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "a.sqlite")
        try open(url).persistentStoreCoordinator.close()
        // Of a name that this library would have given, so that it is dropped.
        let name = "ZMOOD_Z\"\"; CREATE TABLE INJECTED (A); --_INDEX"
        try shell("sqlite3 '\(url.path)' 'CREATE INDEX \"\(name)\" ON ZMOOD (ZTITLE)'")
        try open(url).persistentStoreCoordinator.close()
        let left = try shell(
            "sqlite3 '\(url.path)' \"SELECT COUNT(*) FROM sqlite_master WHERE name LIKE '%INJECTED%'\"")
        #expect(left == "0\n")
    }
}

private enum TripChange: CaseIterable {
    case move, leave, delete, gather, deleteGuide, dismiss, deleteMayors, elect
}

private class TripPlace: ManagedObject {
    @Attribute var name: String
}

private final class TripTown: TripPlace {
    @Attribute var size: Int64
    @Relationship(inverse: \TripMayor.town) var mayor: TripMayor?
    @Relationship(inverse: \TripVisit.town) var visits: Set<TripVisit>
    @Relationship(inverse: \TripGuide.towns) var guides: Set<TripGuide>
}

private final class TripMayor: ManagedObject {
    @Relationship(inverse: "mayor") var town: TripTown?
}

private final class TripVisit: ManagedObject {
    @Attribute var number: Int64
    @Relationship(inverse: "visits") var town: TripTown?
}

private final class TripGuide: ManagedObject {
    @Relationship(inverse: "guides") var towns: Set<TripTown>
}
