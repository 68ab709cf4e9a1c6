import DataStacks
import Foundation
import GRDB
import Images
import ManagedObjects
import MoodyModel
import Palettes
import TestSupport
import Testing

@testable import MoodyIngest

/// Stores of version 1 of the model, which earlier commits made: `FirstRelease` without a model in the store,
/// `Version1` with one. Version 2 has two attributes more.
@Suite struct ModelVersionTests {
    private let folder: ScratchFolder
    private let store: URL
    private static let fixtures = ["FirstRelease", "Version1"]

    init() throws {
        folder = try ScratchFolder()
        store = folder.url.appending(path: "old.moody")
    }

    private func put(_ name: String) throws {
        try fixture("\(name)/store.sqlite").write(to: store)
    }

    private func open(isReadOnly: Bool = false) throws -> DataStack {
        let stack = DataStack(model: try .moody())
        try stack.addStorage(sqlite: store, isReadOnly: isReadOnly)
        return stack
    }

    /// All rows of the tables that version 1 has, but for the log of changes.
    private func rows() throws -> [String: [String]] {
        let queue = try DatabaseQueue(path: store.path)
        defer { try? queue.close() }
        return try queue.read { database in
            var rows: [String: [String]] = [:]
            for table in ["ZMOOD", "ZPHOTO", "ZTHUMBNAIL", "ZSWATCH", "ZCOUNTRY", "ZCONTINENT"] {
                let columns = try database.columns(in: table).map(\.name).filter {
                    !["ZPICTUREHASH", "ZRATING"].contains($0)
                }
                let list = columns.map { "quote(\($0))" }.joined(separator: " || ',' || ")
                rows[table] = try String.fetchAll(database, sql: "SELECT \(list) FROM \(table) ORDER BY Z_PK")
            }
            return rows
        }
    }

    private func columns(_ table: String) throws -> [String: String] {
        let queue = try DatabaseQueue(path: store.path)
        defer { try? queue.close() }
        return try queue.read { database in
            try Dictionary(uniqueKeysWithValues: database.columns(in: table).map { ($0.name, $0.type) })
        }
    }

    @Test(arguments: fixtures)
    func `a store of version 1 is read as it is, byte for byte`(_ name: String) throws {
        try put(name)
        let before = try Data(contentsOf: store)
        let stack = try open(isReadOnly: true)
        try stack.reader.performAndWait { context in
            let moods = try context.fetch(FetchRequest<Mood>())
            #expect(moods.count == 2 && moods.allSatisfy { $0.pictureHash == nil && !$0.colors.isEmpty })
            #expect(moods.allSatisfy { $0.photo?.rating == nil && $0.photo?.size ?? 0 > 0 })
            for format in ["photo.rating >= 3", "photo.rating == 0", "pictureHash != nil"] {
                let filter = try Filter<Mood>(format: format)
                #expect(try context.count(FetchRequest<Mood>(filter)) == 0, "\(format)")
            }
            #expect(try context.count(FetchRequest<Mood>(\Mood.photo?.rating == nil)) == 2)
            let sorted = FetchRequest<Mood>(sortedBy: .ascending(\Mood.photo?.rating))
            #expect(try context.fetch(sorted).count == 2)
        }
        try stack.coordinator.close()
        #expect(try Data(contentsOf: store) == before)
    }

    @Test(arguments: fixtures)
    func `it gets its columns when it is opened to be written, and keeps all rows`(_ name: String) throws {
        try put(name)
        let before = try rows()
        #expect(before["ZMOOD"]?.count == 2 && before["ZPHOTO"]?.count == 3)
        let metadata = ["moody.folders", "moody.swatches", "moody.paletteHashes"]
        let old = try open(isReadOnly: true)
        let kept = try metadata.map { try old.coordinator.metadata($0) }
        let identifier = old.coordinator.storeIdentifiers
        try old.coordinator.close()
        let stack = try open()
        #expect(try metadata.map { try stack.coordinator.metadata($0) } == kept)
        #expect(stack.coordinator.storeIdentifiers == identifier)
        #expect(try stack.coordinator.report().isSound || name == "FirstRelease")
        try stack.coordinator.close()
        #expect(try rows() == before)
        #expect(try columns("ZMOOD")["ZPICTUREHASH"] == "BLOB" && columns("ZPHOTO")["ZRATING"] == "INTEGER")
        // Without Moody's model: by the one in the store.
        let found = try ManagedObjectModel(ofStoreAt: store)
        let current = try ManagedObjectModel.moody()
        #expect(found.entityVersionHashes == current.entityVersionHashes)
        let again = try open()
        try again.coordinator.close()
    }

    @Test func `the hashes of pictures are made of thumbnails, once, and of no photo`() throws {
        try put("FirstRelease")
        let stack = try open()
        try PictureHashes.upkeep.run(in: stack)
        let hashes = try stack.reader.performAndWait { context in
            try context.fetch(FetchRequest<Mood>(sortedBy: .ascending(\Mood.photo?.path))).map {
                ($0.photo?.path ?? "", $0.pictureHash)
            }
        }
        #expect(hashes.map(\.1?.count) == [32, 32])
        #expect(try PictureHashes.upkeep.isDone(in: stack))
        // What is there is not made again.
        try stack.performAndWait { transaction in
            let moods = try transaction.fetchAll(FetchRequest<Mood>(sortedBy: .ascending(\Mood.photo?.path)))
            moods[0].setPictureHash(nil)
            moods[1].setPictureHash(Data([1]))
        }
        var begun: [Int] = []
        try PictureHashes.upkeep.run(in: stack) { begun.append($0) }
        let again = try stack.reader.performAndWait { context in
            try context.fetch(FetchRequest<Mood>(sortedBy: .ascending(\Mood.photo?.path))).map(\.pictureHash)
        }
        #expect(begun == [1] && again == [hashes[0].1, Data([1])])
        try stack.coordinator.close()
        // The photos themselves, as they are now, have nearly the same.
        let photos = samples
        for (path, hash) in hashes {
            let file = photos.appending(path: URL(fileURLWithPath: path).lastPathComponent)
            let own = try ExtractedPalette(
                bytes: [UInt8](Data(contentsOf: file)), settings: PaletteSettings())
            let stored = try #require(PictureHash(bytes: [UInt8](hash ?? Data())))
            let fresh = try #require(PictureHash(bytes: [UInt8](own.picture.overview.pictureHash)))
            #expect(stored.distance(to: fresh) <= 31, "\(path)")
        }
    }

    private var samples: URL {
        URL(fileURLWithPath: #filePath).appending(path: "../../../Samples/Photos").standardizedFileURL
    }

    @Test func `who has it open to write keeps others from changing it`() throws {
        try put("Version1")
        let model = try #require(try ManagedObjectModel.moody().earlierVersions.first)
        let old = PersistentStoreCoordinator(managedObjectModel: model)
        try old.addPersistentStore(ofType: .sqlite, at: store)
        let reader = try open(isReadOnly: true)
        #expect(throws: StackError.store(.inUse)) { try open() }
        #expect(try columns("ZPHOTO")["ZRATING"] == nil)
        try old.close()
        let stack = try open()
        #expect(throws: StoreError.modelChanged) {
            try reader.reader.performAndWait { _ = try $0.count(FetchRequest<Mood>()) }
        }
        try stack.coordinator.close()
        try reader.coordinator.close()
    }

    @Test func `who only reads it goes on when another brings it to this version`() throws {
        try put("Version1")
        let reader = try open(isReadOnly: true)
        let photos = try reader.reader.performAndWait { try $0.fetch(FetchRequest<Photo>()).map(\.objectID) }
        let writer = try open()
        let queue = try DatabaseQueue(path: store.path)
        try queue.write { try $0.execute(sql: "UPDATE ZPHOTO SET ZRATING = 4") }
        try queue.close()
        reader.takeInOthers()
        try reader.reader.performAndWait { context in
            let rated = try context.fetch(FetchRequest<Photo>(try Filter(format: "rating == 4")))
            #expect(Set(rated.map(\.objectID)) == Set(photos) && rated.allSatisfy { $0.rating == 4 })
            #expect(rated.allSatisfy { $0.state != .missing })
        }
        try writer.performAndWait { transaction in
            for photo in try transaction.fetchAll(FetchRequest<Photo>()) { photo.markMissing() }
        }
        reader.takeInOthers()
        try reader.reader.performAndWait { context in
            let missing = try context.fetch(FetchRequest<Photo>()).filter { $0.state == .missing }
            #expect(missing.count == photos.count)
        }
        try writer.coordinator.close()
        try reader.coordinator.close()
    }

    @Test func `the log of changes begins anew, and its numbers go on`() throws {
        try put("Version1")
        let last = try number("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16002")
        #expect(last > 0)
        let stack = try open()
        try stack.performAndWait { transaction in
            for photo in try transaction.fetchAll(FetchRequest<Photo>()) { photo.markMissing() }
        }
        try stack.coordinator.close()
        #expect(try number("SELECT MIN(Z_PK) FROM ATRANSACTION") == last + 2)
        #expect(try number("SELECT COUNT(*) FROM ACHANGE WHERE ZTRANSACTIONID <= \(last)") == 0)
    }

    private func number(_ sql: String) throws -> Int {
        let queue = try DatabaseQueue(path: store.path)
        defer { try? queue.close() }
        return try queue.read { try Int.fetchOne($0, sql: sql) ?? 0 }
    }
}
