import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// Tests of texts by random patterns: in the store, in memory, and by their plainest definition.
@Suite struct TextLawTests {
    private static let parts = [
        "a", "A", "b", "*", "?", "\\", "[", "]", "[a-b]", "^", "%", "_", ".", "é", "e\u{301}", "E", "É", "e",
        "\n", "\r\n", "\u{301}", "ß", "İ", "Σ", "ς", "한", "👩‍👧",
    ]

    private static func draw(_ random: inout SplitMix64, upTo count: Int, _ parts: [String]) -> String {
        (0..<Int.random(in: 0...count, using: &random)).map { _ in parts.randomElement(using: &random)! }
            .joined()
    }

    /// A store with texts, and a context that has the same ones unsaved over an empty store.
    private struct Twins {
        let saved = ManagedObjectContext(persistentStoreCoordinator: try! emptySQLite())
        let unsaved = ManagedObjectContext(persistentStoreCoordinator: try! emptySQLite())
        let texts: [String]

        init(_ texts: [String]) throws {
            self.texts = texts
            for (context, isSaved) in [(saved, true), (unsaved, false)] {
                try context.performAndWait { context throws -> Void in
                    for (number, text) in texts.enumerated() {
                        Mood.insert(into: context, title: text, date: day(Double(number)))
                    }
                    if isSaved { try context.save() }
                }
            }
        }

        func found(_ format: String, _ pattern: String) throws -> (store: [String], memory: [String]) {
            let request = FetchRequest<Mood>(
                try Filter(format: format, pattern), sortedBy: .ascending(\.date))
            return (
                try saved.performAndWait { context in try context.fetch(request).map(\.title) },
                try unsaved.performAndWait { context in try context.fetch(request).map(\.title) }
            )
        }

        private static func emptySQLite() throws -> PersistentStoreCoordinator {
            let coordinator = PersistentStoreCoordinator(managedObjectModel: try testModel())
            try coordinator.addPersistentStore(
                ofType: .sqlite, at: StoreKind.folder.appending(path: "\(UUID().uuidString).sqlite"))
            return coordinator
        }
    }

    @Test func `LIKE finds in the store and in memory what its plainest definition finds`() throws {
        let seed = UInt64.random(in: 0..<1_000_000)
        var random = SplitMix64(seed: seed), hits = 0
        let texts = (0..<60).map { _ in Self.draw(&random, upTo: 5, Self.parts) }
        let twins = try Twins(texts)
        for _ in 0..<300 {
            let pattern = Self.draw(
                &random, upTo: 5, Self.parts + ["*", "*", "?", "\\*", "\\?", "\\\\", "\0"])
            for options in ["", "c", "d", "cd"] {
                let format = options.isEmpty ? "title LIKE %@" : "title LIKE[\(options)] %@"
                let found = try twins.found(format, pattern)
                let wanted = texts.filter { plain(pattern, $0, options) }.map { Array($0.utf8) }
                let name = Comment("seed \(seed): \(format) \(pattern.debugDescription)")
                #expect(found.store.map { Array($0.utf8) } == wanted, name)
                #expect(found.memory.map { Array($0.utf8) } == wanted, name)
                hits += wanted.count
            }
        }
        #expect(hits > 1_000)
    }

    @Test func `LIKE without wildcards is ==, with stars around it CONTAINS, BEGINSWITH and ENDSWITH`() throws
    {
        let seed = UInt64.random(in: 0..<1_000_000)
        var random = SplitMix64(seed: seed), hits = 0
        let twins = try Twins((0..<60).map { _ in Self.draw(&random, upTo: 4, Self.parts) })
        for _ in 0..<150 {
            let text = Self.draw(&random, upTo: 2, Self.parts + ["\0"])
            let escaped = text.unicodeScalars.map { "*?\\".unicodeScalars.contains($0) ? "\\\($0)" : "\($0)" }
                .joined()
            for options in ["", "[c]", "[d]", "[cd]"] {
                for (operation, pattern) in [
                    ("==", escaped), ("CONTAINS", "*\(escaped)*"), ("BEGINSWITH", "\(escaped)*"),
                    ("ENDSWITH", "*\(escaped)"),
                ] {
                    let a = try twins.found("title \(operation)\(options) %@", text)
                    let b = try twins.found("title LIKE\(options) %@", pattern)
                    let name = Comment("seed \(seed): \(operation)\(options) \(text.debugDescription)")
                    #expect(a.store == b.store && a.memory == b.memory && a.store == a.memory, name)
                    hits += a.store.count
                }
            }
        }
        #expect(hits > 1_000)
    }

    /// SQLite's own operator, for texts of ASCII, where characters are bytes.
    @Test func `LIKE is what SQLite's LIKE says of the same pattern`() throws {
        var random = SplitMix64(seed: 3), script = "", lines: [Bool] = []
        let parts = ["a", "A", "b", "B", "[", "]", "^", "%", "_", ".", "-", "*", "?", "\\*", "\\?", "\\\\"]
        for _ in 0..<2_000 {
            let text = Self.draw(&random, upTo: 5, parts).replacing("\\", with: "")
            let pattern = Self.draw(&random, upTo: 5, parts), options = Bool.random(using: &random) ? "c" : ""
            let theirs = pattern.replacing("%", with: "\\%").replacing("_", with: "\\_")
                .replacing("\\*", with: "\u{1}").replacing("\\?", with: "\u{2}")
                .replacing("*", with: "%").replacing("?", with: "_")
                .replacing("\u{1}", with: "*").replacing("\u{2}", with: "?")
            script += "PRAGMA case_sensitive_like = \(options.isEmpty ? 1 : 0); "
            script += "SELECT '\(text)' LIKE '\(theirs)' ESCAPE '\\';\n"
            lines.append(FoldedTest(.like, options).holds(text, pattern))
        }
        let folder = try ScratchFolder(), url = folder.url.appending(path: "l.sql")
        try Data(script.utf8).write(to: url)
        let told = try shell("sqlite3 :memory: < '\(url.path)'").split(separator: "\n")
        #expect(told.count == lines.count && zip(told, lines).allSatisfy { ($0 == "1") == $1 })
        #expect(lines.count { $0 } > 50)
    }
}

/// Tries every way to share the text among the pieces.
private func plain(_ pattern: String, _ text: String, _ options: String) -> Bool {
    enum Piece { case scalar(Unicode.Scalar), one, many }
    func folded(_ text: String) -> String {
        var text = text
        if options.contains("c") { text = text.folding(options: .caseInsensitive, locale: nil) }
        if options.contains("d") { text = text.folding(options: .diacriticInsensitive, locale: nil) }
        return options.isEmpty ? text : text.decomposedStringWithCanonicalMapping
    }
    var pieces: [Piece] = [], literal = "", rest = Array(pattern.unicodeScalars)[...]
    func close() {
        pieces += folded(literal).unicodeScalars.map { .scalar($0) }
        literal = ""
    }
    while let first = rest.popFirst() {
        if first == "\\" {
            literal.unicodeScalars.append(rest.popFirst() ?? "\\")
        } else if first == "*" || first == "?" {
            close()
            pieces.append(first == "*" ? .many : .one)
        } else {
            literal.unicodeScalars.append(first)
        }
    }
    close()
    let whole = folded(text), view = whole.unicodeScalars
    func fits(_ piece: Int, _ index: String.Index) -> Bool {
        guard piece < pieces.count else { return index == view.endIndex }
        switch pieces[piece] {
        case .many:
            return fits(piece + 1, index) || index < view.endIndex && fits(piece, view.index(after: index))
        case .scalar(let scalar):
            return index < view.endIndex && view[index] == scalar && fits(piece + 1, view.index(after: index))
        case .one:
            guard index < view.endIndex, whole.indices.contains(index) else { return false }
            return fits(piece + 1, whole.index(after: index))
        }
    }
    return fits(0, view.startIndex)
}
