// The entry points libFuzzer calls for stores and texts that strangers made; `scripts/fuzz` builds a program
// per target.

import Foundation
import GRDBSQLite

@testable import ManagedObjects

// MARK: A model with each kind of property

class Place: ManagedObject {
    @Attribute(.indexed) var code: Int16
    @Attribute var name: String
}

final class Town: Place {
    @Relationship(inverse: "town") var visits: Set<Visit>
    @Relationship(inverse: "towns") var guides: Set<Guide>
}

final class Guide: ManagedObject {
    @Attribute var id: UUID
    @Attribute var link: URL?
    @Relationship(inverse: \Town.guides) var towns: Set<Town>
}

final class Visit: ManagedObject {
    @Attribute(.indexed) var date: Date
    @Attribute var title: String
    @Attribute var stars: Int64 = 3
    @Attribute var latitude: Double?
    @Attribute var price: Decimal?
    @Attribute var isDone: Bool = false
    @Attribute var bytes: Data?
    @Attribute(.externalStorage) var preview: Data?
    @Relationship(inverse: \Town.visits) var town: Town?
}

let model = try! ManagedObjectModel(Place.self, Town.self, Guide.self, Visit.self)

// MARK: Stores

/// On a file system in memory, so that the disk does not set the pace.
let folder = URL(filePath: "/dev/shm/moody-fuzz-\(getpid())")

func open(_ type: PersistentStoreCoordinator.StoreType, _ url: URL) throws -> ManagedObjectContext {
    let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(ofType: type, at: url, keepsHistory: true)
    return ManagedObjectContext(persistentStoreCoordinator: coordinator)
}

#if SQLiteStore
let largeSize = 60_000
#else
let largeSize = 60
#endif

func makeStore(_ type: PersistentStoreCoordinator.StoreType, _ url: URL) throws {
    let context = try open(type, url)
    try context.performAndWait { context throws -> Void in
        let guide = context.insert(Guide.self)
        (guide.id, guide.link) = (UUID(), URL(string: "https://example.org"))
        for number in 0..<3 {
            let town = context.insert(Town.self)
            (town.code, town.name) = (Int16(number), "town \(number)")
            town.guides.insert(guide)
            let visit = context.insert(Visit.self)
            (visit.date, visit.title) = (Date(timeIntervalSinceReferenceDate: Double(number)), "visit")
            (visit.latitude, visit.price, visit.bytes) = (1.5, 12.25, Data([1, 2, 3]))
            (visit.preview, visit.town) = (Data(count: number * largeSize), town)
        }
        try context.save()
    }
    try context.persistentStoreCoordinator.close()
}

/// Reads all of a store, changes it and reads it again: rows or errors, never a trap.
///
/// - Returns: the number of rows of one entity.
@discardableResult
func useStore(_ type: PersistentStoreCoordinator.StoreType, _ url: URL) -> Int {
    guard let context = try? open(type, url) else { return 0 }
    let coordinator = context.persistentStoreCoordinator
    let count = context.performAndWait { context in
        var visits = (try? context.fetch(FetchRequest<Visit>(sortedBy: .ascending(\.date)))) ?? []
        let count = visits.count
        for visit in visits {
            _ = (visit.title, visit.stars, visit.latitude, visit.price, visit.isDone, visit.bytes)
            _ = (visit.preview, visit.town?.name, visit.town?.visits.count, visit.date)
        }
        for town in (try? context.fetch(FetchRequest<Town>(sortedBy: .descending(\.name)))) ?? [] {
            _ = (town.code, town.visits.count, town.guides.map(\.id))
        }
        for guide in (try? context.fetch(FetchRequest<Guide>())) ?? [] {
            _ = (guide.link, guide.towns.map(\.name))
        }
        _ = try? context.count(FetchRequest<Visit>(\.town?.code == 1 || \.price > 3))
        _ = try? context.fetch(FetchRequest<Place>(\.name > "a", sortedBy: .ascending(\.code)))
        if let first = visits.first { context.delete(first) }
        visits.removeFirst(min(1, visits.count))
        visits.first?.title = "changed"
        let town = context.insert(Town.self)
        (town.code, town.name, town.visits) = (9, "new", Set(visits))
        if (try? context.save()) == nil { context.rollback() }
        context.reset()
        for place in (try? context.fetch(FetchRequest<Place>())) ?? [] { _ = place.name }
        return count
    }
    _ = try? coordinator.changesByOthers()
    _ = try? coordinator.report()
    _ = try? coordinator.metadata("key")
    try? coordinator.close()
    return count
}

// MARK: Edits

/// A number that is often at an end of its range.
let oddNumbers: [Int64] = [.min, -1, 0, 1, 2, 3, 255, 65_536, 1 << 31, 1 << 32, .max - 1, .max]
let oddTexts = [
    "", "..", "/etc/passwd", "nan", "12.5", "\u{FEFF}", "é", "'\"", String(repeating: "x", count: 300),
]

/// Changes one column of one row to a value of any kind, whatever its type is.
func editRow(_ database: OpaquePointer, _ edit: [UInt8]) {
    func names(_ sql: String) -> [String] {
        var statement: OpaquePointer?
        guard unsafe sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK else { return [] }
        defer { unsafe sqlite3_finalize(statement) }
        var names: [String] = []
        while unsafe sqlite3_step(statement) == SQLITE_ROW {
            if let text = unsafe sqlite3_column_text(statement, 0) {
                names.append(unsafe String(cString: text))
            }
        }
        return names
    }
    let tables = names("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rootpage")
    if tables.isEmpty { return }
    let table = tables[Int(edit[1]) % tables.count].replacing("\"", with: "\"\"")
    let columns = names("SELECT name FROM pragma_table_info('\(table.replacing("'", with: "''"))')")
    if columns.isEmpty { return }
    let column = columns[Int(edit[2]) % columns.count].replacing("\"", with: "\"\"")
    let number = oddNumbers[Int(edit[5]) % oddNumbers.count] &+ Int64(edit[6])
    let text = oddTexts[Int(edit[5]) % oddTexts.count].replacing("'", with: "''")
    let value =
        switch edit[4] % 7 {
        case 0: "NULL"
        case 1: "\(edit[5])"
        case 2: "(\(number))"
        case 3: "1e\(edit[5])"
        case 4: "'\(text)'"
        case 5: "CAST(x'0\(edit[5] % 4)' || '\(text)' AS BLOB)"
        default: "-9e999"
        }
    let row = "(SELECT rowid FROM \"\(table)\" LIMIT 1 OFFSET \(edit[3] % 4))"
    let sql =
        edit[0] % 16 == 15
        ? "DELETE FROM \"\(table)\" WHERE rowid = \(row)"
        : "UPDATE OR IGNORE \"\(table)\" SET \"\(column)\" = \(value) WHERE rowid = \(row)"
    _ = unsafe sqlite3_exec(database, sql, nil, nil, nil)
}

/// Each seven bytes of `input` are an edit: of a row, or of a byte of the file.
func edit(_ url: URL, _ input: [UInt8]) {
    let edits = stride(from: 0, through: input.count - 7, by: 7).prefix(40).map {
        Array(input[$0..<$0 + 7])
    }
    var database: OpaquePointer?
    if unsafe sqlite3_open(url.path, &database) == SQLITE_OK, let database = unsafe database {
        for edit in edits where edit[0] % 4 > 0 { unsafe editRow(database, edit) }
    }
    unsafe sqlite3_close(database)
    guard var bytes = try? Data(contentsOf: url), !bytes.isEmpty else { return }
    for edit in edits where edit[0] % 4 == 0 {
        let offset = Int(edit[1]) << 16 | Int(edit[2]) << 8 | Int(edit[3])
        bytes[offset % bytes.count] = edit[4]
    }
    try? bytes.write(to: url)
}

#if SQLiteStore
let type = PersistentStoreCoordinator.StoreType.sqlite
#elseif XMLStore
let type = PersistentStoreCoordinator.StoreType.xml
#else
let type = PersistentStoreCoordinator.StoreType.binary
#endif

/// A valid store.
let whole: Data = {
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    atexit { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appending(path: "whole")
    try! makeStore(type, url)
    let bytes = try! Data(contentsOf: url)
    precondition(useStore(type, url) == 3, "a store that nobody edited is read whole")
    return bytes
}()

// MARK: Predicates

/// What a row of a store in memory and one of a SQLite store say to the same text must be the same.
let contexts: [ManagedObjectContext] = {
    [PersistentStoreCoordinator.StoreType.sqlite, .inMemory].map { type in
        let url = folder.appending(path: "predicates.sqlite")
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let context = try! open(type, url)
        try! context.performAndWait { context throws -> Void in
            for number in 0..<4 {
                let town = context.insert(Town.self)
                (town.code, town.name) = (Int16(number), ["", "é", "B", "town"][number])
                let visit = context.insert(Visit.self)
                (visit.date, visit.title) = (Date(timeIntervalSinceReferenceDate: 1), "visit \(number)")
                (visit.stars, visit.town) = (Int64(number), number == 2 ? nil : town)
                if number > 0 { visit.latitude = Double(number) / 2 }
            }
            try context.save()
        }
        return context
    }
}()

func usePredicate(_ text: String) {
    guard let filter = try? Filter<Visit>(format: text, arguments: ["a", 1, 2.5, nil]) else { return }
    let answers = contexts.map { context in
        context.performAndWait { context in
            try? context.fetch(FetchRequest<Visit>(filter, sortedBy: .ascending(\.stars))).map(\.stars)
        }
    }
    precondition(answers[0] == answers[1], "two stores answer differently: \(text)")
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // SAFETY: libFuzzer hands over `count` readable bytes for the time of the call.
    let input = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    #if Predicate
    usePredicate(String(decoding: input, as: UTF8.self))
    #else
    let inner = folder.appending(path: "inner"), url = inner.appending(path: "store")
    try? FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
    #if SQLiteStore
    try? whole.write(to: url)
    edit(url, input)
    #else
    try? Data(input).write(to: url)
    #endif
    useStore(type, url)
    try? FileManager.default.removeItem(at: inner)
    #endif
    return 0
}

/// Makes a valid store, and writes it where a corpus begins.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(_ count: UnsafeMutablePointer<CInt>?, _ words: OpaquePointer?) -> CInt {
    #if !Predicate
    let bytes = whole
    if let place = ProcessInfo.processInfo.environment["MOODY_FUZZ_SEED"] {
        try! bytes.write(to: URL(filePath: place))
    }
    #endif
    return 0
}
