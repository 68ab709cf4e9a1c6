import DataStacks
import Foundation
import ManagedObjects
import Testing

@testable import StackTour

/// CoreStore's way through a program, as the guide shows it.
@Suite(.timeLimit(.minutes(10))) struct StackTourTests {
    @Test func `the tour migrates, saves, fetches, queries, and observes`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tour-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let sample = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Samples/StackTour")
        try StackTour.prepare(folder, modelIn: sample)
        let lines = Collected<String>(), screen = Screen()
        let shown = try await tour(folder, StackTour.rows, screen) { lines.add($0) }
        let said = lines.values
        #expect(said.prefix(2) == ["lightweight People -> People 3", "lightweight People 3 -> People 4"])
        #expect(said.contains("50% completed, 1 of 2") && said.contains("100% completed, 2 of 2"))
        #expect(said.contains("warning: a transaction ended without a commit; its changes are lost"))
        // A thousand rows of which number 1 and 2 were there already; 3000 came from the old store; one is
        // 200 years older than it should be, and Eve goes.
        #expect(said.contains("1001 people"))
        #expect(said.contains("first in the list: Dora"))
        #expect(said.contains { $0.hasPrefix("committed: success") })
        #expect(said.last == "1 change")
        #expect(shown.numberOfItems == 999)
        #expect(screen.lines.contains("+ Ann [1, 0]"))
        #expect(screen.lines.contains("~ [\"age\"]") && screen.lines.contains("~ [\"name\"]"))
        // As plain SQL counts them.
        let path = folder.appending(path: "People.sqlite").path
        #expect(try shell("sqlite3 '\(path)' 'SELECT COUNT(*), MAX(ZAGE) FROM ZPERSON'") == "999|49\n")
        let visits = folder.appending(path: "Log.sqlite").path
        #expect(try shell("sqlite3 '\(visits)' 'SELECT ZPLACE FROM ZVISIT'") == "Oslo\n")
        let oslo = try shell(
            "sqlite3 '\(path)' \"SELECT COUNT(*) FROM ZPERSON WHERE ZAGE > 3 AND ZCITY = 'Oslo'\"")
        #expect(said.contains { $0.hasSuffix(" \(oslo.trimmingCharacters(in: .newlines)) in Oslo") })
    }
}
