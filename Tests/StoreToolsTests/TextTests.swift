import Foundation
import ManagedObjects
import StoreTools
import Testing

/// JSON and CSV of stores, which other programs read.
@Suite struct TextTests {
    @Test func `JSON escapes what ends a text or a line, and what cannot be seen`() throws {
        let text = "a\"b\\c\n\r\t\u{1}\u{1F}\u{7F}\u{2028}\u{2029}\u{E9}\u{1F3A8}"
        let json = JSONText.string(text)
        #expect(
            json
                == #""a\"b\\c\n\r\t\u0001\u001f\u007f\u2028\u2029"# + "\u{E9}\u{1F3A8}\"")
        let read = try JSONSerialization.jsonObject(with: Data("[\(json)]".utf8)) as? [String]
        #expect(read == [text])
    }

    @Test func `numbers are JSON's, and infinite ones texts`() {
        #expect(
            [0, -2, 0.1, 1e300, 1e16].map(JSONText.number) == ["0", "-2", "0.1", "1e+300", "1e+16"])
        #expect([Double.infinity, -.infinity].map(JSONText.number) == ["\"inf\"", "\"-inf\""])
    }

    /// RFC 4180, section 2, rules 6 and 7.
    @Test func `cells with commas, quotes, and breaks of lines are quoted`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appending(path: "notes.sqlite")
        let text = AttributeDescription("text", .string, isOptional: true)
        let model = try ManagedObjectModel(entities: [
            EntityDeclaration("Note", properties: [.attribute(text)])
        ])
        let texts = ["plain", "a,b", "a\"b", "a\nb", "a\rb", "a\r\nb"]
        let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: .sqlite, at: url)
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
            for text in texts { try context.insert(entityNamed: "Note").setValue(text, forKey: "text") }
            try context.save()
        }
        try coordinator.close()
        let contents = try StoreContents(url), entity = contents.entities[0]
        var cells: [String] = []
        try contents.forEachRow(of: entity) { row in
            let line = StoreListings.csv(row, of: entity)
            let head = "\(row.key),Note,"
            #expect(line.hasPrefix(head) && line.unicodeScalars.last == "\r")
            cells.append(
                String(String.UnicodeScalarView(line.unicodeScalars.dropFirst(head.count).dropLast())))
        }
        #expect(
            cells == ["plain", "\"a,b\"", "\"a\"\"b\"", "\"a\nb\"", "\"a\rb\"", "\"a\r\nb\""])
    }
}
