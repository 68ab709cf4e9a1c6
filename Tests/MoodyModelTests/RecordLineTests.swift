import Foundation
import Testing

@testable import MoodyModel

/// Lines of records: which of two counts, and which is refused.
@Suite struct RecordLineTests {
    private func line(_ changes: [String: Any] = [:]) throws -> Data {
        let color: [String: Any] = [
            "hex": "#336699", "share": 0.5, "lightness": 0.5, "a": 0.0, "b": 0.0, "name": "blue",
        ]
        let record: [String: Any] = [
            "v": 1, "path": "a.jpg", "size": 9, "mtimeNs": 5, "algorithm": 8, "count": 2,
            "mode": "representative", "width": 3, "height": 2, "taken": "2024-05-06T07:08:09",
            "dateSource": "original", "contentHash": String(repeating: "0a", count: 16),
            "colors": [color, color], "notes": [String](),
        ]
        return try JSONSerialization.data(
            withJSONObject: record.merging(changes) { $1 }, options: .sortedKeys)
    }

    /// As docs/SCALE.md ranks them: each key wins over all below it.
    @Test func `the later file counts, then a mood, then the algorithm, then the hash`() {
        let ranked = [
            (2, 7, "a", false), (1, 7, "b", true), (1, 7, "a", true), (1, 6, "c", true), (1, 9, "z", false),
        ]
        .map { time, algorithm, hash, isMood in
            RecordKey(
                path: [97], mtimeNs: time, algorithm: algorithm, hash: hash, isMood: isMood)
        }
        for (place, key) in ranked.enumerated() {
            for (other, rival) in ranked.enumerated() {
                #expect(key.wins(over: rival) == (place < other), "\(place) over \(other)")
            }
        }
    }

    @Test func `what was asked for is one text, whatever the order`() throws {
        let one = try PhotoRecord.key(ofLine: line(["ignore": ["white", "border"]]))?.request
        let other = try PhotoRecord.key(ofLine: line(["ignore": ["border", "white"]]))?.request
        #expect(one == other && one == "2 colors, representative, ignore border,white")
        #expect(try PhotoRecord.key(ofLine: line(["count": 1]))?.request == "1 color, representative")
    }

    @Test func `a path is not empty and has no NUL, as text and as bytes`() throws {
        for (path, bytes, isPath) in [
            ("a.jpg", nil, true), ("", nil, false), ("a\0b", nil, false), ("a", "YQ==", true),
            ("a", "", false), ("a", "YQA=", false), ("", "YQ==", true),
        ] as [(String, String?, Bool)] {
            var changes: [String: Any] = ["path": path]
            if let bytes { changes["pathBytes"] = bytes }
            let line = try line(changes)
            #expect(((try? PhotoRecord(line: line)) != nil) == isPath, "\(path) \(bytes ?? "")")
            #expect(((try? PhotoRecord.key(ofLine: line)) != nil) == isPath, "\(path) \(bytes ?? "")")
        }
    }

    @Test func `shares add up to 1, but for what rounding takes`() throws {
        func reads(_ shares: Double...) throws -> Bool {
            let colors = shares.map {
                ["hex": "#336699", "share": $0, "lightness": 0.5, "a": 0.0, "b": 0.0, "name": "blue"]
                    as [String: Any]
            }
            let line = try line(["colors": colors])
            return (try? PhotoRecord(line: line)) != nil
        }
        #expect(try reads(0.5, 0.5) && reads(0.3333, 0.3333, 0.3333) && reads(1))
        #expect(try !reads(0.5, 0.49) && !reads(0.5, 0.51) && !reads(0.95))
    }
}
