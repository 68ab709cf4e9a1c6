import DataStacks
import Foundation
import ManagedObjects
import Synchronization
import TestSupport
import Testing

// A program as the articles of DataStacks tell how to write one; those of its parts that stand in an article
// are compared with it by GuideTests, word for word.

/// The classes of the first version: the last part of a class's name is the entity's.
enum First {
    final class Memo: ManagedObject {
        @Attribute var key: String
        @Attribute var name: String
    }
}

final class Folder: ManagedObject {
    @Attribute var name: String
    @Relationship(inverse: "folder") var notes: Set<Memo>
}

final class Memo: ManagedObject {
    @Attribute var key: String
    @Attribute var title: String
    @Relationship(inverse: \Folder.notes) var folder: Folder?
    @Relationship(inverse: \Tag.notes) var tags: Set<Tag>
    override class var renamingIdentifiers: [String: String] { ["title": "name"] }
}

final class Tag: ManagedObject {
    @Attribute var name: String
    @Relationship(inverse: "tags") var notes: Set<Memo>
}

/// What notes are imported from.
struct MemoSource: Decodable, Sendable {
    var key: String
    var title: String
    var folder: String
    var tags: [String]
}

extension Folder: ImportableUniqueObject {
    static var uniqueIDKeyPath: ReferenceWritableKeyPath<Folder, String> { \.name }
    static func uniqueID(from name: String, in transaction: Transaction) -> String? { name }
    func update(from name: String, in transaction: Transaction) {}
}

extension Tag: ImportableUniqueObject {
    static var uniqueIDKeyPath: ReferenceWritableKeyPath<Tag, String> { \.name }
    static func uniqueID(from name: String, in transaction: Transaction) -> String? { name }
    func update(from name: String, in transaction: Transaction) {}
}

extension Memo: ImportableUniqueObject {
    static var uniqueIDKeyPath: ReferenceWritableKeyPath<Memo, String> { \.key }
    static func uniqueID(from source: MemoSource, in transaction: Transaction) -> String? { source.key }

    /// Folder and tags are imported with the note.
    func update(from source: MemoSource, in transaction: Transaction) throws {
        title = source.title
        folder = try transaction.importUniqueObject(Into<Folder>(), source: source.folder)
        tags = Set(try transaction.importUniqueObjects(Into<Tag>(), sourceArray: source.tags))
    }
}

/// Tells what happens to a list of notes.
final class MemoLines: ListSectionObserver {
    typealias Object = Memo
    private let kept = Mutex<[String]>([])
    var lines: [String] { kept.withLock { $0 } }

    private func add(_ line: String) { kept.withLock { $0.append(line) } }

    func listMonitor(_ list: ListMonitor<Memo>, didInsertSection name: String, toSectionIndex index: Int) {
        add("section \(name) at \(index)")
    }

    func listMonitor(_ list: ListMonitor<Memo>, didInsertObject note: Memo, toIndexPath path: IndexPath) {
        add("+ \(note.title) at \(Array(path))")
    }

    func listMonitor(_ list: ListMonitor<Memo>, didUpdateObject note: Memo, atIndexPath path: IndexPath) {
        add("~ \(note.title) at \(Array(path))")
    }

    func listMonitor(
        _ list: ListMonitor<Memo>, didMoveObject note: Memo, fromIndexPath: IndexPath, toIndexPath: IndexPath
    ) { add("> \(note.title) to \(Array(toIndexPath))") }

    func listMonitorDidChange(_ list: ListMonitor<Memo>) { add("done") }
}

/// The articles' answers, in a program that uses them.
@Suite(.timeLimit(.minutes(5))) struct NotebookTests {
    private static let json = """
        [{"key": "a", "title": "Milk", "folder": "Home", "tags": ["shop", "now"]},
         {"key": "b", "title": "Tent", "folder": "Camp", "tags": ["shop"]}]
        """

    @Test func `notes are migrated, imported twice, and followed in sections`() async throws {
        let scratch = try ScratchFolder(), url = scratch.url.appending(path: "Notes.sqlite")
        let old = try DataStack(SchemaHistory(models: [ManagedObjectModel(First.Memo.self)]))
        try old.addStorageAndWait(SQLiteStore(fileURL: url))
        try await old.perform { transaction in
            let note = transaction.create(Into<First.Memo>())
            note.key = "a"
            note.name = "Old"
        }
        try old.close()

        let first = try ManagedObjectModel(First.Memo.self, versionIdentifiers: ["Notes"])
        let second = try ManagedObjectModel(
            Folder.self, Memo.self, Tag.self, versionIdentifiers: ["Notes 2"])
        let history = try SchemaHistory(models: [first, second], migrationChain: ["Notes", "Notes 2"])
        let stack = try DataStack(history, logger: QuietLogger())
        try await stack.addStorage(SQLiteStore(fileURL: url))
        #expect(try stack.fetchAll(From<Memo>(), as: \.title) == ["Old"])

        let observer = MemoLines()
        // By folder and title; notes without a folder come first.
        let list = try stack.monitorSectionedList(
            From<Memo>(), SectionBy("folder.name"),
            OrderBy(.ascending("folder.name"), .ascending("title")))
        list.addObserver(observer)
        let sources = try JSONDecoder().decode([MemoSource].self, from: Data(Self.json.utf8))
        for _ in 0..<2 {
            try await stack.perform { transaction in
                _ = try transaction.importUniqueObjects(Into<Memo>(), sourceArray: sources)
            }
        }
        let names = list.sections().map(\.name)
        let count = list.sectionInfo(at: 0).numberOfObjects
        let titles = list.read { shown in
            shown.sections.indices.map { section in
                (0..<shown.sections[section].numberOfObjects).map { shown[section, $0].title }
            }
        }
        #expect(names == ["Camp", "Home"] && count == 1 && titles == [["Tent"], ["Milk"]])
        #expect(observer.lines.contains("section Camp at 0") && observer.lines.contains("+ Tent at [0, 0]"))
        #expect(try stack.fetchCount(From<Tag>()) == 2 && stack.fetchCount(From<Folder>()) == 2)
        let urgent = try stack.fetchAll(
            From<Memo>(), Where("ANY tags.name == %@", "now"), OrderBy(.ascending("folder.name")),
            as: \.title)
        #expect(urgent == ["Milk"])
        try stack.close()
        let rows = try shell("sqlite3 '\(url.path)' 'SELECT ZTITLE FROM ZMEMO ORDER BY 1'")
        #expect(rows == "Milk\nTent\n")
    }
}
