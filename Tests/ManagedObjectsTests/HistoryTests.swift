import Foundation
import GRDB
import TestSupport
import Testing

@testable import ManagedObjects

/// The log of changes, and who reads it.
@Suite struct HistoryTests {
    private func open(_ folder: ScratchFolder, keepsHistory: Bool = true) throws -> PersistentStoreCoordinator
    {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try testModel())
        try coordinator.addPersistentStore(
            ofType: .sqlite, at: folder.url.appending(path: "A.moody"), keepsHistory: keepsHistory)
        return coordinator
    }

    private func sql(_ folder: ScratchFolder, _ statement: String) throws -> String {
        try shell("sqlite3 '\(folder.url.appending(path: "A.moody").path)' \"\(statement)\"")
    }

    @Test func `each save logs its rows in its own transaction`() throws {
        let folder = try ScratchFolder(), coordinator = try open(folder)
        let context = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        try context.performAndWait { context in
            let country = Country.insert(into: context, code: 1, name: "Peru")
            let mood = Mood.insert(into: context, title: "fog", date: day(1))
            mood.country = country
            try context.save()
            mood.rating = 5
            try context.save()
            // One that fails leaves no trace.
            context.insert(Swatch.self).share = 1
            #expect(throws: ValidationError.self) { try context.save() }
            context.rollback()
            context.delete(country)
            try context.save()
        }
        let log = try sql(
            folder,
            """
            SELECT ZTRANSACTIONID, ZCHANGETYPE, Z_NAME, ZENTITYPK FROM ACHANGE JOIN Z_PRIMARYKEY ON \
            Z_PRIMARYKEY.Z_ENT = \
            ZENTITY ORDER BY ZTRANSACTIONID, ZCHANGETYPE, Z_NAME
            """)
        #expect(log == "1|0|Country|1\n1|0|Mood|1\n2|1|Mood|1\n3|1|Mood|1\n3|2|Country|1\n")
        let numbers = try sql(folder, "SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT > 16000")
        #expect(numbers == "CHANGE|5\nTRANSACTION|3\nTRANSACTIONSTRING|1\n")
        // One who did not ask for the log keeps it nevertheless.
        try coordinator.close()
        let again = try open(folder, keepsHistory: false)
        try ManagedObjectContext(persistentStoreCoordinator: again).performAndWait { context in
            Country.insert(into: context, code: 2, name: "Mali")
            try context.save()
        }
        #expect(try sql(folder, "SELECT COUNT(*), MAX(ZTRANSACTIONID) FROM ACHANGE") == "6|4\n")
        try again.close()
    }

    @Test func `another stack's saves are heard once, and one's own not at all`() throws {
        let folder = try ScratchFolder(), ours = try open(folder), theirs = try open(folder)
        let context = ManagedObjectContext(persistentStoreCoordinator: ours)
        let other = ManagedObjectContext(persistentStoreCoordinator: theirs)
        func insert(_ context: ManagedObjectContext, _ code: Int16) throws -> ManagedObjectID {
            try context.performAndWait { context in
                let country = Country.insert(into: context, code: code, name: "c\(code)")
                try context.save()
                return country.objectID
            }
        }
        #expect(try ours.changesByOthers().isEmpty)
        let first = try insert(context, 1)
        #expect(try ours.changesByOthers().isEmpty)
        let second = try insert(other, 2)
        let third = try insert(context, 3)
        let fourth = try insert(other, 4)
        #expect(try ours.changesByOthers().saved.insertedObjectIDs == [second, fourth])
        #expect(try ours.changesByOthers().isEmpty)
        #expect(try theirs.changesByOthers().saved.insertedObjectIDs == [first, third])
        // What came and went between two looks may have been read meanwhile: it is told as gone. What changed
        // twice changed once.
        let passing = try insert(other, 5)
        try other.performAndWait { context in
            (context.object(with: second) as? Country)?.name = "once"
            context.object(with: passing).map { context.delete($0) }
            try context.save()
            (context.object(with: second) as? Country)?.name = "twice"
            context.object(with: fourth).map { context.delete($0) }
            try context.save()
        }
        let changes = try ours.changesByOthers()
        #expect(
            changes.saved
                == SaveNotification(updatedObjectIDs: [second], deletedObjectIDs: [passing, fourth])
                && !changes.isIncomplete)
        // What changed and then went is gone.
        try other.performAndWait { context in
            (context.object(with: second) as? Country)?.name = "last"
            try context.save()
            context.object(with: second).map { context.delete($0) }
            try context.save()
        }
        #expect(try ours.changesByOthers().saved == SaveNotification(deletedObjectIDs: [second]))
        // What came and then changed came.
        let sixth = try insert(other, 6)
        try other.performAndWait { context in
            (context.object(with: sixth) as? Country)?.name = "changed"
            try context.save()
        }
        #expect(try ours.changesByOthers().saved == SaveNotification(insertedObjectIDs: [sixth]))
        try ours.close()
        try theirs.close()
    }

    @Test func `a list reports what another stack wrote, and reads anew what a program wrote without a log`()
        throws
    {
        let folder = try ScratchFolder(), ours = try open(folder), theirs = try open(folder)
        let context = ManagedObjectContext(persistentStoreCoordinator: ours), seen = Seen()
        try context.performAndWait { context in
            let list = context.list(FetchRequest<Country>(sortedBy: .ascending(\.code)))
            list.delegate = seen
            try list.performFetch()
            seen.list = list
        }
        func look() throws {
            let changes = try ours.changesByOthers()
            try context.performAndWait { try $0.mergeChanges(byOthers: changes) }
        }
        try ManagedObjectContext(persistentStoreCoordinator: theirs).performAndWait { context in
            for code in 0..<3 { Country.insert(into: context, code: Int16(code), name: "c\(code)") }
            try context.save()
        }
        try look()
        #expect(seen.told == ["+", "+", "+"])
        #expect(context.performAndWait { _ in seen.names } == ["c0", "c1", "c2"])
        seen.told = []
        _ = try sql(
            folder,
            "UPDATE ZCOUNTRY SET ZNAME = 'by hand' WHERE ZCODE = 1; DELETE FROM ZCOUNTRY WHERE ZCODE = 2")
        let changes = try ours.changesByOthers()
        #expect(changes.isIncomplete)
        try context.performAndWait { try $0.mergeChanges(byOthers: changes) }
        #expect(context.performAndWait { _ in seen.names } == ["c0", "by hand"] && seen.told == ["-"])
        seen.told = []
        try look()
        #expect(seen.told == [])
        context.performAndWait { _ in seen.list = nil }
        try ours.close()
        try theirs.close()
    }

    /// A list reads what is there, and that may be ahead of the last look.
    @Test func `what a list read before it was told of it, and what nobody read, goes when it is deleted`()
        throws
    {
        let folder = try ScratchFolder(), ours = try open(folder), theirs = try open(folder)
        let context = ManagedObjectContext(persistentStoreCoordinator: ours), seen = Seen()
        let other = ManagedObjectContext(persistentStoreCoordinator: theirs)
        func insert(_ code: Int16) throws -> ManagedObjectID {
            try other.performAndWait { context in
                let country = Country.insert(into: context, code: code, name: "c\(code)")
                try context.save()
                return country.objectID
            }
        }
        let stays = try insert(1), read = try insert(2)
        try context.performAndWait { context in
            let list = context.list(FetchRequest<Country>(sortedBy: .ascending(\.code)))
            list.delegate = seen
            try list.performFetch()
            seen.list = list
        }
        #expect(context.performAndWait { _ in seen.names } == ["c1", "c2"])
        let unread = try insert(3)
        try other.performAndWait { context in
            for id in [read, unread] { context.object(with: id).map { context.delete($0) } }
            try context.save()
        }
        let changes = try ours.changesByOthers()
        try context.performAndWait { try $0.mergeChanges(byOthers: changes) }
        // What the list has already is not told as new.
        #expect(seen.told == ["-", "~"])
        #expect(context.performAndWait { _ in seen.names } == ["c1"])
        #expect(changes.saved.insertedObjectIDs == [stays])
        context.performAndWait { _ in seen.list = nil }
        try ours.close()
        try theirs.close()
    }

    @Test func `the log is kept for a week, and who looks later than that reads anew`() throws {
        let folder = try ScratchFolder(), ours = try open(folder), theirs = try open(folder)
        let other = ManagedObjectContext(persistentStoreCoordinator: theirs)
        func insert(_ code: Int16) throws {
            try other.performAndWait { context in
                Country.insert(into: context, code: code, name: "")
                try context.save()
            }
        }
        try insert(1)
        try insert(2)
        _ = try sql(folder, "UPDATE ATRANSACTION SET ZTIMESTAMP = ZTIMESTAMP - 8 * 86400 WHERE Z_PK = 1")
        try open(folder).close()
        #expect(
            try sql(folder, "SELECT Z_PK FROM ATRANSACTION; SELECT ZTRANSACTIONID FROM ACHANGE") == "2\n2\n")
        #expect(try ours.changesByOthers().isIncomplete)
        try insert(3)
        let changes = try ours.changesByOthers()
        #expect(!changes.isIncomplete && changes.saved.insertedObjectIDs.map(\.key) == [3])
        try ours.close()
        try theirs.close()
    }

    private func readOnly(_ folder: ScratchFolder) throws -> PersistentStoreCoordinator {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try testModel())
        try coordinator.addPersistentStore(
            ofType: .sqlite, at: folder.url.appending(path: "A.moody"), isReadOnly: true)
        return coordinator
    }

    private func add(_ code: Int16, _ coordinator: PersistentStoreCoordinator) throws {
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait {
            context throws -> Void in
            Country.insert(into: context, code: code, name: "c\(code)")
            try context.save()
        }
    }

    /// The pages that a stack writes when it opens a store at rest hold no row.
    @Test func `a stack that opens the store is nothing to read again for who only reads`() throws {
        let folder = try ScratchFolder(), first = try open(folder)
        try add(1, first)
        try first.close()
        let reader = try readOnly(folder), log = folder.url.appending(path: "A.moody-wal").path
        let second = try open(folder)
        let size = try FileManager.default.attributesOfItem(atPath: log)[.size] as? Int
        #expect(try #require(size) > 0, "it wrote something")
        #expect(try reader.changesByOthers().isEmpty)
        try add(2, second)
        let changes = try reader.changesByOthers()
        #expect(!changes.isIncomplete && changes.saved.insertedObjectIDs.map(\.key) == [2])
        _ = try sql(folder, "UPDATE ZCOUNTRY SET ZNAME = 'other'")
        #expect(try reader.changesByOthers().isIncomplete)
        try second.close()
        try reader.close()
    }

    @Test func `what another program wrote before a stack opened the store is a gap`() throws {
        let folder = try ScratchFolder(), first = try open(folder)
        try add(1, first)
        try first.close()
        let reader = try readOnly(folder)
        _ = try sql(folder, "UPDATE ZCOUNTRY SET ZNAME = 'other'")
        let second = try open(folder)
        #expect(try reader.changesByOthers().isIncomplete)
        try second.close()
        try reader.close()
    }

    /// All of it within one look of the follower.
    @Test(arguments: [true, false], [true, false])
    func `what another program writes beside a stack that opens the store is a gap`(
        isFirst: Bool, isSaved: Bool
    ) throws {
        let folder = try ScratchFolder(), first = try open(folder)
        try add(1, first)
        try first.close()
        let reader = try readOnly(folder), path = folder.url.appending(path: "A.moody").path
        let other = try DatabaseQueue(path: path)
        func write() throws { try other.write { try $0.execute(sql: "UPDATE ZCOUNTRY SET ZNAME = 'other'") } }
        if isFirst { try write() }
        let second = try open(folder)
        if !isFirst { try write() }
        if isSaved { try add(2, second) }
        #expect(try reader.changesByOthers().isIncomplete)
        if isSaved {
            try add(3, second)
            let changes = try reader.changesByOthers()
            #expect(!changes.isIncomplete && changes.saved.insertedObjectIDs.map(\.key) == [3])
        }
        try second.close()
        try other.close()
        try reader.close()
    }

    @Test func `a log has as many transactions as were written, and one that cannot be read is not empty`()
        throws
    {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "A.db"), log = url.path + "-wal"
        func count() -> Int64? { WriteAheadLog(besideStoreAt: url)?.transactions }
        #expect(count() == 0)
        let other = try DatabaseQueue(path: url.path)
        try other.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
        let before = try #require(count())
        for number in 1...3 as ClosedRange<Int64> {
            // Of many pages each.
            try other.write { database in
                try database.execute(sql: "CREATE TABLE T\(number) AS SELECT zeroblob(20000) AS x")
            }
            #expect(count() == before + number)
        }
        // SQLite begins the log again, with other salts, over the old pages.
        let salts = WriteAheadLog(besideStoreAt: url)?.salts
        try other.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(RESTART)") }
        try other.write { try $0.execute(sql: "DROP TABLE T1") }
        #expect(count() == 1 && WriteAheadLog(besideStoreAt: url)?.salts != salts)
        try other.close()
        try FileManager.default.createSymbolicLink(atPath: log, withDestinationPath: log)
        #expect(count() == nil)
        try FileManager.default.removeItem(atPath: log)
        try FileManager.default.createDirectory(atPath: log, withIntermediateDirectories: false)
        #expect(count() == nil)
    }

    /// The number that a failed save had got is somebody else's then.
    @Test func `the transaction after one's own failed save is not taken for one's own`() throws {
        let folder = try ScratchFolder(), model = try testModel()
        let ours = PersistentStoreCoordinator(managedObjectModel: model)
        try ours.addPersistentStore(
            ofType: .sqlite, at: folder.url.appending(path: "A.moody"), keepsHistory: true)
        let theirs = try open(folder)
        let context = ManagedObjectContext(persistentStoreCoordinator: ours)
        let other = ManagedObjectContext(persistentStoreCoordinator: theirs)
        let id = try other.performAndWait { context in
            let country = Country.insert(into: context, code: 1, name: "one")
            try context.save()
            return country.objectID
        }
        _ = try ours.changesByOthers()
        // Both change the row; the second is told so, after it had a number.
        try context.performAndWait { context throws -> Void in
            (context.object(with: id) as? Country)?.name = "ours"
            try other.performAndWait { context in
                (context.object(with: id) as? Country)?.name = "theirs"
                try context.save()
            }
            #expect(throws: StoreError.conflict(id)) { try context.save() }
            context.rollback()
        }
        #expect(try ours.changesByOthers().saved.updatedObjectIDs == [id])
        try other.performAndWait { context in
            (context.object(with: id) as? Country)?.name = "again"
            try context.save()
        }
        #expect(try ours.changesByOthers().saved.updatedObjectIDs == [id])
        try ours.close()
        try theirs.close()
    }
}

private final class Seen: FetchedResultsControllerDelegate, @unchecked Sendable {
    // @unchecked Sendable because it is used on one context's queue only, or while nobody is there.
    var told: [String] = []
    var list: FetchedResultsController<Country>?
    var names: [String] { list?.fetchedObjects.map(\.name) ?? [] }

    func controller(_ controller: FetchedResultsController<Country>, didChange batch: FetchedResultsBatch) {
        for change in batch.changes {
            switch change {
            case .insert: told.append("+")
            case .delete: told.append("-")
            case .update: told.append("~")
            case .move: told.append(">")
            }
        }
    }
}

/// Tokens, and what a program that runs for months keeps.
@Suite struct HistoryTokenTests {
    private func open(_ folder: ScratchFolder) throws -> PersistentStoreCoordinator {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try testModel())
        try coordinator.addPersistentStore(
            ofType: .sqlite, at: folder.url.appending(path: "A.moody"), keepsHistory: true)
        return coordinator
    }

    private func add(_ code: Int16, _ coordinator: PersistentStoreCoordinator) throws {
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait {
            context throws -> Void in
            Country.insert(into: context, code: code, name: "c\(code)")
            try context.save()
        }
    }

    private func sql(_ folder: ScratchFolder, _ statement: String) throws -> String {
        try shell("sqlite3 '\(folder.url.appending(path: "A.moody").path)' \"\(statement)\"")
    }

    @Test(arguments: [false, true])
    func `a gap in the log of one of two stores is a gap`(isSecond: Bool) throws {
        let folder = try ScratchFolder(), alone = try open(folder)
        let token = try alone.currentHistoryToken()
        try add(1, alone)
        try add(2, alone)
        try alone.close()
        _ = try sql(folder, "UPDATE ATRANSACTION SET ZTIMESTAMP = ZTIMESTAMP - 8 * 86400 WHERE Z_PK = 1")
        let both = PersistentStoreCoordinator(managedObjectModel: try testModel())
        for name in isSecond ? ["B", "A"] : ["A", "B"] {
            try both.addPersistentStore(
                ofType: .sqlite, at: folder.url.appending(path: "\(name).moody"), keepsHistory: true)
        }
        #expect(try both.history(after: token).isIncomplete)
        #expect(try !both.history(after: both.currentHistoryToken()).isIncomplete)
        try both.close()
    }

    @Test func `each reader of the history has a cursor of its own`() throws {
        let folder = try ScratchFolder(), ours = try open(folder), theirs = try open(folder)
        let start = try ours.currentHistoryToken()
        try add(1, ours)
        try add(2, theirs)
        // The coordinator's own cursor, and one that is behind, and one that is written down.
        #expect(try ours.changesByOthers().saved.insertedObjectIDs.map(\.key) == [2])
        let first = try ours.history(after: start)
        #expect(first.transactions.map(\.number) == [1, 2] && !first.isIncomplete)
        #expect(first.transactions.flatMap(\.changes.insertedObjectIDs).map(\.key) == [1, 2])
        #expect(first.transactions.allSatisfy { $0.processName == ProcessInfo.processInfo.processName })
        #expect(first.transactions.allSatisfy { $0.storeIdentifier == ours.storeIdentifiers[0] })
        let written = try JSONEncoder().encode(first.token)
        try add(3, ours)
        let second = try theirs.history(after: JSONDecoder().decode(HistoryToken.self, from: written))
        #expect(second.transactions.map(\.number) == [3])
        #expect(try ours.history(after: start).transactions.count == 3)
        #expect(try ours.history(after: second.token).transactions.isEmpty)
        #expect(try ours.history(after: nil).transactions.count == 3)
        #expect(try ours.changesByOthers().isEmpty)
        // As plain SQL has it.
        #expect(try sql(folder, "SELECT COUNT(*) FROM ATRANSACTION") == "3\n")
        try ours.close()
        try theirs.close()
    }

    @Test func `a token behind which the log was pruned, and a store without a log, are incomplete`() throws {
        let folder = try ScratchFolder(), coordinator = try open(folder)
        let start = try coordinator.currentHistoryToken()
        for code: Int16 in 1...3 { try add(code, coordinator) }
        _ = try sql(folder, "DELETE FROM ATRANSACTION WHERE Z_PK = 1")
        #expect(try coordinator.history(after: start).isIncomplete)
        let end = try coordinator.currentHistoryToken()
        #expect(try !coordinator.history(after: end).isIncomplete)
        try coordinator.close()
        let memory = PersistentStoreCoordinator(managedObjectModel: try testModel())
        try memory.addPersistentStore(ofType: .inMemory)
        #expect(try memory.history(after: nil).isIncomplete)
    }

    /// A store may be put back from a copy that is older than the token.
    @Test func `a token of a transaction that the log does not have yet is incomplete`() throws {
        let folder = try ScratchFolder(), coordinator = try open(folder)
        for code: Int16 in 1...2 { try add(code, coordinator) }
        func token(_ number: Int) throws -> HistoryToken {
            let text = "{\"numbers\":{\"\(coordinator.storeIdentifiers[0])\":\(number)}}"
            return try JSONDecoder().decode(HistoryToken.self, from: Data(text.utf8))
        }
        for (number, count, isIncomplete) in [
            (0, 2, false), (1, 1, false), (2, 0, false), (3, 0, true), (9, 0, true),
        ] {
            let found = try coordinator.history(after: token(number))
            #expect(found.transactions.count == count && found.isIncomplete == isIncomplete, "\(number)")
        }
        #expect(try coordinator.history(after: token(9)).token == coordinator.currentHistoryToken())
        try coordinator.close()
    }

    @Test func `a store that stays open keeps a week of its log`() throws {
        let folder = try ScratchFolder(), coordinator = try open(folder)
        for code: Int16 in 1...4 { try add(code, coordinator) }
        // All but an hour of a week.
        let kept = 7 * 86_400 - 3_600
        _ = try sql(folder, "UPDATE ATRANSACTION SET ZTIMESTAMP = ZTIMESTAMP - \(kept) WHERE Z_PK < 4")
        try add(6, coordinator)
        #expect(try sql(folder, "SELECT GROUP_CONCAT(Z_PK) FROM ATRANSACTION") == "1,2,3,4,5\n")
        try coordinator.close()
        try open(folder).close()
        #expect(try sql(folder, "SELECT COUNT(*) FROM ATRANSACTION WHERE Z_PK < 6") == "5\n")
    }

    @Test func `a store that stays open drops what is older than a week`() throws {
        let folder = try ScratchFolder(), coordinator = try open(folder)
        for code: Int16 in 1...4 { try add(code, coordinator) }
        let week = 7 * 86_400, hours = 7_200
        _ = try sql(
            folder,
            """
            UPDATE ATRANSACTION SET ZTIMESTAMP = ZTIMESTAMP - \(week + hours) WHERE Z_PK < 3;
            UPDATE ATRANSACTION SET ZTIMESTAMP = ZTIMESTAMP - \(week - hours) WHERE Z_PK = 3
            """)
        try add(5, coordinator)
        #expect(try sql(folder, "SELECT GROUP_CONCAT(Z_PK) FROM ATRANSACTION") == "3,4,5\n")
        #expect(try sql(folder, "SELECT COUNT(*) FROM ACHANGE") == "3\n")
        #expect(try coordinator.currentHistoryToken().numbers.values.map { $0 } == [5])
        try coordinator.close()
    }

    @Test(arguments: [(false, false), (true, false), (false, true), (true, true)])
    func `what several stores tell is told together, and a gap of any is a gap`(first: Bool, second: Bool) {
        let ids = (1...6).map { ManagedObjectID(.of(EntityName("Thing"), in: "store"), key: $0) }
        func history(_ numbers: [Int], _ isGap: Bool) -> StoreHistory {
            StoreHistory(
                note: SaveNotification(
                    insertedObjectIDs: [ids[numbers[0]]], updatedObjectIDs: [ids[numbers[1]]],
                    deletedObjectIDs: [ids[numbers[2]]]), isGap: isGap)
        }
        var all = StoreHistory()
        #expect(all.isEmpty && StoreHistory(isGap: true).isEmpty == false)
        all.add(history([0, 1, 2], first))
        all.add(history([3, 4, 5], second))
        #expect(all.note.insertedObjectIDs == [ids[0], ids[3]])
        #expect(all.note.updatedObjectIDs == [ids[1], ids[4]])
        #expect(all.note.deletedObjectIDs == [ids[2], ids[5]])
        #expect(all.isGap == (first || second) && !all.isEmpty)
    }

    @Test func `own transactions are kept as ranges, and no more than a bound`() {
        var own = TransactionNumbers(), random = SplitMix64(seed: 3)
        var plain: [Int64] = [], number: Int64 = 0
        for _ in 0..<100_000 {
            number += 1
            own.insert(number)
        }
        #expect(own.count == 100_000 && own.contains(1) && own.contains(number) && !own.contains(number + 1))
        #expect("\(own)".count < 200)
        own = TransactionNumbers()
        for _ in 0..<800 {
            number += random.next() % 2 == 0 ? 1 : 2
            own.insert(number)
            plain.append(number)
            if random.next() % 5 == 0 {
                own.removeLast(number)
                plain.removeLast()
            }
        }
        #expect(own.count == Int64(plain.count) && plain.allSatisfy(own.contains) && !own.isIncomplete)
        for _ in 0..<10_000 {
            number += 2
            own.insert(number)
        }
        #expect(own.isIncomplete && "\(own)".count < 100_000 && own.contains(number))
    }
}

private final class Tagged: ManagedObject {
    @Attribute var name: String?
    @Relationship(inverse: \Tag.notes) var tags: Set<Tag>
}

private final class Tag: ManagedObject {
    @Attribute var name: String?
    @Relationship(inverse: "tags") var notes: Set<Tagged>
}

extension HistoryTests {
    @Test func `both sides of a relationship say that they changed, when it is made and when it ends`() throws
    {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "T.sqlite")
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel(Tagged.self, Tag.self))
        try coordinator.addPersistentStore(ofType: .sqlite, at: url, keepsHistory: true)
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
            let note = context.insert(Tagged.self),
                tags = [context.insert(Tag.self), context.insert(Tag.self)]
            note.tags = [tags[0]]
            try context.save()
            note.tags = [tags[1]]
            try context.save()
            note.tags = []
            try context.save()
        }
        try coordinator.close()
        let history = try #require(try StoreContents(url).history(since: nil))
        let told = history.dropFirst().map { transaction in
            transaction.changes.map { "\($0.entity): \($0.properties.joined())" }.sorted()
        }
        #expect(told == [["Tag: notes", "Tag: notes", "Tagged: tags"], ["Tag: notes", "Tagged: tags"]])
    }

    private final class Entry: ManagedObject {
        @Attribute(.preservedAfterDeletion) var text: String
    }
    private final class DatedEntry: ManagedObject {
        @Attribute(.preservedAfterDeletion) var text: String
        @Attribute var date: Date?
        override class var entityName: String { "Entry" }
    }

    @Test(arguments: [0, 2, 3, 7])
    func `a token of before a migration has a gap behind it, and deletions are told as before`(
        saves: Int
    ) throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "E.moody")
        let models = [try ManagedObjectModel(Entry.self), try ManagedObjectModel(DatedEntry.self)]
        func open(_ model: ManagedObjectModel) throws -> PersistentStoreCoordinator {
            let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
            try coordinator.addPersistentStore(ofType: .sqlite, at: url, keepsHistory: true)
            return coordinator
        }
        func save(_ count: Int, to coordinator: PersistentStoreCoordinator) throws {
            try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
                for number in 0..<count {
                    try context.insert(entityNamed: "Entry").setValue("\(number)", forKey: "text")
                    try context.save()
                }
            }
        }
        let before = try open(models[0])
        try save(3, to: before)
        let token = try before.currentHistoryToken()
        try before.close()
        try Migration(versions: models).migrateStore(at: url)
        let after = try open(models[1]), current = try after.currentHistoryToken()
        try save(saves, to: after)
        #expect(try after.history(after: token).isIncomplete)
        let behind = try after.history(after: current)
        #expect(behind.transactions.count == saves && !behind.isIncomplete)
        try ManagedObjectContext(persistentStoreCoordinator: after).performAndWait { context in
            for entry in try context.fetch(FetchRequest<DatedEntry>()) { context.delete(entry) }
            try context.save()
        }
        try after.close()
        let kept = try shell("sqlite3 '\(url.path)' 'SELECT COUNT(ZTOMBSTONE0) FROM ACHANGE'")
        #expect(kept == "\(3 + saves)\n")
    }

    @Test func `a copy is not put over a file, and a key beyond the last is found`() throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "A.moody")
        let coordinator = try folder.open("A.moody", testModel())
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
            fillWithMoods(context)
            try context.save()
        }
        try coordinator.close()
        let other = folder.url.appending(path: "B.moody")
        try Data("mine".utf8).write(to: other)
        #expect(throws: StoreError.file("B.moody", errno: EEXIST)) { try StoreContents(url).copy(to: other) }
        #expect(try Data(contentsOf: other) == Data("mine".utf8))
        #expect(try StoreContents(url).danglingKeys().isEmpty)
        try shell("sqlite3 '\(url.path)' \"UPDATE Z_PRIMARYKEY SET Z_MAX = 4 WHERE Z_NAME = 'Mood'\"")
        let found = try StoreContents(url).danglingKeys()
        #expect(found == ["ZMOOD: the key 5 is beyond Z_MAX, which is 4"])
    }
}
