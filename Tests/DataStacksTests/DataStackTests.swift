import DataStacks
import Foundation
import ManagedObjects
import Testing

final class Song: ManagedObject {
    @Attribute var number: Int64
    @Attribute var title: String
    override class var uniquenessConstraints: [[String]] { [["number"]] }
}

struct SongSource: Sendable {
    var number: Int64?
    var title: String
}

private struct Refused: Error {}

extension Song: ImportableUniqueObject {
    typealias ImportSource = SongSource
    typealias UniqueID = Int64

    static func uniqueID(from source: SongSource, in transaction: Transaction) -> Int64? { source.number }
    static var uniqueIDKeyPath: ReferenceWritableKeyPath<Song, Int64> { \.number }
    static func shouldInsert(from source: SongSource, in transaction: Transaction) -> Bool {
        source.title != "skip"
    }
    func update(from source: SongSource, in transaction: Transaction) throws {
        if source.title == "refuse" { throw Refused() }
        title = source.title
    }
}

@Suite struct DataStackTests {
    private let stack: DataStack

    init() throws {
        stack = DataStack(model: try ManagedObjectModel(Song.self))
        try stack.addInMemoryStorage()
    }

    @Test func `a transaction commits when its block returns, and what it returns comes out`() async throws {
        let reference = try await stack.perform { transaction in
            let song = transaction.create(Song.self)
            (song.number, song.title) = (1, "one")
            return song.reference
        }
        #expect(await stack.reader.perform { $0[reference]?.title } == "one")
        try await stack.perform { $0.edit(reference)?.title = "eins" }
        #expect(await stack.reader.perform { $0[reference]?.title } == "eins", "the reader has merged")
    }

    @Test func `a transaction that throws leaves nothing`() throws {
        #expect(throws: StackError.user(Refused())) {
            try stack.performAndWait { transaction in
                let song = transaction.create(Song.self)
                (song.number, song.title) = (1, "one")
                throw Refused()
            }
        }
        let error = #expect(throws: StackError.self) {
            try stack.performAndWait { _ = $0.create(Song.self) }
        }
        #expect(error?.underlying is ValidationError)
        #expect(try titles() == [])
    }

    @Test func `a unique object is made once and updated afterwards; some sources are skipped`() throws {
        let sources = [
            SongSource(number: 1, title: "one"), SongSource(number: 2, title: "two"),
            SongSource(number: 1, title: "eins"), SongSource(number: nil, title: "no number"),
            SongSource(number: 3, title: "skip"),
        ]
        let imported = try stack.performAndWait { transaction in
            try sources.map { try transaction.importUniqueObject(Song.self, from: $0)?.reference }
        }
        #expect(imported.map { $0 != nil } == [true, true, true, false, false])
        #expect(imported[0]?.objectID.current == imported[2]?.objectID.current)
        #expect(try titles() == ["eins", "two"])
        #expect(throws: StackError.user(Refused())) {
            try stack.performAndWait { transaction in
                _ = try transaction.importUniqueObject(Song.self, from: SongSource(number: 2, title: "zwei"))
                _ = try transaction.importUniqueObject(
                    Song.self, from: SongSource(number: 1, title: "refuse"))
            }
        }
        #expect(try titles() == ["eins", "two"], "the whole import was abandoned")
    }

    @Test func `the reader's list hears commits and nothing else, with what deleted rows held`() throws {
        let heard = Heard()
        let request = FetchRequest<Song>(sortedBy: .ascending(\.number))
        let observation = try stack.reader.performAndWait { context in
            try context.observe(request, as: { $0.title }) { heard.note($0) }
        }
        try stack.performAndWait { transaction in
            for number: Int64 in [2, 1] {
                let song = transaction.create(Song.self)
                (song.number, song.title) = (number, "\(number)")
            }
        }
        _ = try? stack.performAndWait { transaction in
            transaction.create(Song.self).title = "never saved"
            throw Refused()
        }
        try stack.performAndWait { transaction in
            for song in try transaction.fetchAll(FetchRequest(\Song.number == 2)) { transaction.delete(song) }
        }
        #expect(heard.lines == ["insert 1 at 0", "insert 2 at 1", "delete 2 at 1"])
        withExtendedLifetime(observation) {}
    }

    private func titles() throws -> [String] {
        try stack.reader.performAndWait {
            try $0.fetchValues(FetchRequest<Song>(sortedBy: .ascending(\.number)), \.title).map { $0 }
        }
    }
}

private final class Heard: @unchecked Sendable {
    // @unchecked Sendable because transactions come one after the other.
    var lines: [String] = []

    func note(_ changes: ListChanges<String>) {
        for change in changes.changes {
            switch change {
            case .insert(let title, _, let indexPath): lines.append("insert \(title) at \(indexPath.row)")
            case .delete(let title, _, let indexPath):
                lines.append("delete \(title ?? "?") at \(indexPath.row)")
            default: lines.append("?")
            }
        }
    }
}

@Suite struct StackFollowerTests {
    /// Core Data's contexts hear of a stack's commits as of any other save.
    @Test(.timeLimit(.minutes(10)))
    func `a context that follows the coordinator hears a stack's transactions`()
        async throws
    {
        let stack = DataStack(model: try ManagedObjectModel(Song.self))
        try stack.addInMemoryStorage()
        let view = ManagedObjectContext(persistentStoreCoordinator: stack.coordinator)
        await view.perform { $0.automaticallyMergesChangesFromParent = true }
        let song = try await stack.perform { transaction in
            let song = transaction.create(Song.self)
            (song.number, song.title) = (1, "old")
            return song.reference
        }
        var titles = try await view.perform { try $0.values(of: song, as: \.title) }.makeAsyncIterator()
        #expect(await titles.next() == "old")
        try stack.performAndWait { $0.edit(song)?.title = "new" }
        #expect(await titles.next() == "new")
    }
}
