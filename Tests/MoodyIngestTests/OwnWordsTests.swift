import DataStacks
import Foundation
import ManagedObjects
import Synchronization
import TestSupport
import Testing

@testable import MoodyIngest
@testable import MoodyModel

/// Runs after `moody export xmp`.
@Suite struct OwnWordsTests {
    private let folder: ScratchFolder
    private let stack: DataStack

    init() throws {
        folder = try ScratchFolder()
        stack = DataStack(model: try .moody())
        try stack.addStorage(sqlite: folder.url.appending(path: "Moody.moody"))
        try folder.write(fixture("red-blue-24x16.png"), to: "photos/a.png")
        try folder.write(fixture("green-24x16.png"), to: "photos/b.png")
        try folder.write(Data(Self.dated.utf8), to: "photos/b.xmp")
    }

    private static let keywords = SidecarKeywords(words: ["red"], colors: ["#ff0000 1.000 red"])
    private static let dated = """
        <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description \
        xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:CreateDate="2001-02-03" xmp:Rating="2"/></rdf:RDF>
        """

    private func path(_ name: String) -> BytePath { BytePath(folder.url.appending(path: name).path) }

    /// The photos that a run opens, and what it says.
    private func run(_ names: String...) throws -> (opened: [String], report: IngestReport) {
        let opened = Mutex<[String]>([])
        var ingest = Ingest(stack: stack)
        ingest.read = { path throws(FileError) in
            if !Sidecar.isNamedSo(path.name) {
                opened.withLock { $0.append(String(decoding: path.name, as: UTF8.self)) }
            }
            return try readPhoto(path)
        }
        let report = try ingest.run((names.isEmpty ? ["photos"] : names).map(path))
        return (opened.withLock { $0.sorted() }, report)
    }

    private func facts() throws -> [String] {
        try stack.reader.performAndWait { context in
            try context.fetch(FetchRequest<Mood>(sortedBy: .ascending(\.photo?.path))).map {
                "\($0.day) \($0.dateSource) \($0.photo?.rating ?? -9)"
            }
        }
    }

    private func write(_ name: String, _ keywords: SidecarKeywords = keywords) throws {
        let file = try SidecarFile(path(name))
        try file.write(
            file.exists ? SidecarText(file.bytes).with(keywords) : SidecarText.new(keywords))
    }

    @Test func `a run opens no photo for words of moody, and knows what they are beside`() throws {
        #expect(try run().opened == ["a.png", "b.png"])
        let facts = try facts()
        #expect(facts[1] == "20010203 sidecar 2")
        // New, more, other, and gone.
        try write("photos/a.png.xmp")
        try write("photos/b.xmp")
        #expect(try run().opened.isEmpty)
        #expect(try run("photos/a.png", "photos/b.png").opened.isEmpty)
        try write("photos/b.xmp", SidecarKeywords(words: ["teal"], colors: []))
        #expect(try run().opened.isEmpty)
        try SidecarFile(path("photos/a.png.xmp")).remove()
        try write("photos/b.xmp", SidecarKeywords())
        #expect(try run().opened.isEmpty)
        #expect(try self.facts() == facts)
        // In front of one that tells more.
        try write("photos/b.png.xmp")
        #expect(try run().opened.isEmpty)
        try folder.write(Data(Self.dated.replacing("2001", with: "2002").utf8), to: "photos/b.xmp")
        #expect(try run().opened == ["b.png"])
        #expect(try self.facts()[1] == "20020203 sidecar 2")
        // Another program's words beside moody's.
        let text = try String(contentsOf: folder.url.appending(path: "photos/b.png.xmp"), encoding: .utf8)
        let rated = text.replacing(
            " rdf:about=\"\"", with: " rdf:about=\"\" xmlns:p=\"http://ns.adobe.com/xap/1.0/\" p:Rating=\"5\""
        )
        try folder.write(Data(rated.utf8), to: "photos/b.png.xmp")
        #expect(try run().opened == ["b.png"])
        #expect(try self.facts()[1].hasSuffix(" 5"))
        #expect(try run().opened.isEmpty)
        // Gone with what it said.
        try FileManager.default.removeItem(at: folder.url.appending(path: "photos/b.png.xmp"))
        #expect(try run().opened == ["b.png"])
        #expect(try self.facts()[1] == "20020203 sidecar 2")
    }

    @Test func `a photo with words of moody alone is known where it was moved`() throws {
        _ = try run()
        try write("photos/a.png.xmp")
        _ = try run()
        let folder = folder.url
        try FileManager.default.createDirectory(
            at: folder.appending(path: "photos/sub"), withIntermediateDirectories: false)
        for name in ["a.png", "a.png.xmp"] {
            try FileManager.default.moveItem(
                at: folder.appending(path: "photos/\(name)"), to: folder.appending(path: "photos/sub/\(name)")
            )
        }
        let report = try run().report
        #expect(report.moved == 1 && report.changed == 0 && report.new == 0)
    }
}
