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
        let empty = try PhotoRecord.key(ofLine: line(["ignore": [String](), "count": 1]))?.request
        #expect(empty == "1 color, representative")
    }

    @Test func `a hash of contents has 32 digits`() throws {
        for (digits, count, isHash) in [
            ("a", 32, true), ("aF", 16, true), ("a", 0, false), ("a", 31, false),
            ("a", 33, false), ("a", 34, false), ("g", 32, false), ("+a", 16, false), ("-0", 16, false),
        ] {
            let line = try line(["contentHash": String(repeating: digits, count: count)])
            #expect(((try? PhotoRecord(line: line)) != nil) == isHash, "\(count) times \(digits)")
        }
    }

    /// The last second of 2016, after which the same instant is of the next year.
    @Test func `a photo of a leap second keeps its day`() throws {
        let record = try PhotoRecord(line: line(["taken": "2016-12-31T23:59:60"]))
        let written = record.json(withThumbnail: false).text
        #expect(written.contains(#""taken":"2017-01-01T00:00:00","day":20161231"#), "\(written)")
        guard case .mood(let mood) = try PhotoRecord(line: Data(written.utf8)).result else {
            Issue.record("no mood")
            return
        }
        #expect(mood.facts.day == 20_161_231)
        let usual = try PhotoRecord(line: line()).json(withThumbnail: false).text
        #expect(!usual.contains("\"day\""))
    }

    @Test func `what was left out is written as it was read`() throws {
        let record = try PhotoRecord(
            line: line(["background": "#abcdef", "ignore": ["white", "border"]]))
        let written = record.json(withThumbnail: false).text
        #expect(
            written.contains(##""ignore":["border","white"],"background":"#abcdef","width":3"##), "\(written)"
        )
        let plain = try PhotoRecord(line: line()).json(withThumbnail: false).text
        #expect(!plain.contains("ignore") && !plain.contains("background"))
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

    /// A store refuses such a text, and with it all records of the transaction.
    @Test func `a record with a NUL in a text is refused by name`() throws {
        #expect(throws: Never.self) { try PhotoRecord(line: line(["camera": "a"])) }
        for (key, value) in [("camera", "a\0b"), ("notes", ["x", "a\0b"]), ("error", "a\0b")]
            as [(String, Any)]
        {
            let line = try line([key: value])
            #expect {
                try PhotoRecord(line: line)
            } throws: {
                "\($0)".contains("a NUL character in \(key)")
            }
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

    /// Both ends of what a photo can have, and the first number beyond each.
    @Test(
        arguments: [
            ("latitude", [-90, 90], [-90.01, 90.01]), ("longitude", [-180, 180], [-180.01, 180.01]),
            ("offset", [-1080, 840, 1080], [-1081, 1081]),
            ("day", [10_101, 99_991_231], [10_100, 99_991_232]),
            ("count", [0, 32], [-1, 33]), ("width", [1], [0, -1]), ("height", [1], [0, -1]),
            ("size", [0], [-1]),
            ("algorithm", [1], [0, -1]),
        ] as [(String, [Double], [Double])])
    func `numbers are read up to their ends, and not beyond`(
        name: String, good: [Double], bad: [Double]
    ) throws {
        func reads(_ value: Double) throws -> Bool {
            var changes: [String: Any] = ["latitude": 0, "longitude": 0]
            changes[name] = value.rounded() == value ? Int(value) as Any : value
            let line = try line(changes)
            return (try? PhotoRecord(line: line)) != nil
        }
        for value in good { #expect(try reads(value), "\(name) \(value)") }
        for value in bad { #expect(try !reads(value), "\(name) \(value)") }
    }

    @Test func `an error of an unknown kind is the photo's`() throws {
        for (kind, wanted) in [
            (nil, .photo), ("notPicture", .notPicture), ("limit", .limit), ("of tomorrow", .photo),
        ] as [(String?, PhotoRecord.ErrorKind)] {
            let line = try line(kind.map { ["error": "no", "errorKind": $0] } ?? ["error": "no"])
            let record = try PhotoRecord(line: line)
            guard case .failed("no", wanted) = record.result else {
                Issue.record("\(kind ?? "-"): \(record.result)")
                continue
            }
        }
    }

    @Test func `a request names the colors that it has, and the background`() throws {
        for (changes, text) in [
            (["count": 0], "auto colors, representative"),
            (["count": 1, "mode": "area"], "1 color, area"),
            (
                ["background": "#ffffff", "ignore": ["black"]],
                "2 colors, representative, ignore black, background #ffffff"
            ),
            (["background": "#000000"], "2 colors, representative, background #000000"),
        ] as [([String: Any], String)] {
            let line = try line(changes)
            #expect(try PhotoRecord.key(ofLine: line)?.request == text)
        }
    }

    /// Unicode's marks of direction (UAX 9), and the control characters of ISO 6429 that a terminal obeys.
    @Test func `JSON escapes what turns text round or steers a terminal, and nothing else`() throws {
        let marks: [UInt32] =
            Array(0..<0x20) + Array(0x7F...0x9F) + [0x61C, 0x200E, 0x200F] + Array(0x2028...0x202E)
            + Array(0x2066...0x2069)
        for value in marks {
            let scalar = try #require(Unicode.Scalar(value)), text = JSON.string(String(scalar)).text
            #expect(text.utf8.allSatisfy { (0x20..<0x7F).contains($0) }, "\(value)")
            let read = try JSONSerialization.jsonObject(with: Data("[\(text)]".utf8)) as? [String]
            #expect(read?.first?.unicodeScalars.elementsEqual([scalar]) == true, "\(value)")
        }
        for value: UInt32 in [0x20, 0x7E, 0xA0, 0x61B, 0x200D, 0x2010, 0x2027, 0x202F, 0x2065, 0x206A] {
            let text = String(try #require(Unicode.Scalar(value)))
            #expect(JSON.string(text).text == "\"\(text)\"", "\(value)")
        }
    }
}
