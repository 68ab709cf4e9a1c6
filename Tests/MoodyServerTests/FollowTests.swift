#if Server
import DataStacks
import Foundation
import Glibc
import ManagedObjects
import MoodyGallery
import MoodyIngest
import MoodyModel
import Palettes
import Synchronization
import TestSupport
import Testing

@testable import MoodyServer

/// Programs that follow a list by docs/SERVE.md alone.
@Suite(.serialized) struct FollowTests {
    /// The numbers of a list's moods, as a program has them that applies batches.
    private struct Follower {
        var list = ""
        var generation = 0
        var ids: [Int] = []

        /// - Parameter answer: of `/api/v1/moods`.
        init(_ answer: Socket.Answer) throws {
            let position = try #require(answer.fields["moody-list"]).split(separator: "-")
            list = String(position[0])
            generation = try #require(Int(position[1]))
            ids = try Self.ids(answer)
        }

        static func ids(_ answer: Socket.Answer) throws -> [Int] {
            try answer.text.split(separator: "\n").map { line in
                let json = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                return try #require(json?["id"] as? Int)
            }
        }

        mutating func apply(_ batch: [String: Any]) throws {
            let next = try #require(batch["generation"] as? Int)
            if next <= generation { return }
            #expect(next == generation + 1)
            generation = next
            let changes = try #require(batch["changes"] as? [[String: Any]])
            func all(_ kinds: String...) -> [[String: Any]] {
                changes.filter { kinds.contains($0["change"] as? String ?? "") }
            }
            for from in all("delete", "move").compactMap({ $0["from"] as? Int }).sorted(by: >) {
                try #require(ids.indices.contains(from))
                ids.remove(at: from)
            }
            for change in all("insert", "move").sorted(by: { ($0["to"] as! Int) < ($1["to"] as! Int) }) {
                let place = try #require(change["to"] as? Int)
                try #require(place <= ids.count)
                ids.insert(try #require(change["id"] as? Int), at: place)
            }
            #expect(batch["count"] as? Int == ids.count)
        }
    }

    /// The data of a stream's events of a kind.
    private static func events(_ kind: String, in text: String) throws -> [[String: Any]] {
        try text.components(separatedBy: "event: \(kind)\ndata: ").dropFirst().map { part in
            let line = part.prefix { $0 != "\n" }
            return try #require(
                try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }

    private static func insert(_ number: Int, width: Int, into stack: DataStack) throws {
        let facts = CaptureInfo(
            taken: CivilDate(year: 2024, month: 5, day: 1 + number % 28), offset: nil, source: .original,
            width: width, height: 2)
        try stack.performAndWait { transaction in
            let palette = Palette(entries: [Palette.Entry(color: RGB(hex: "#336699")!, share: 1)])
            let mood = MoodSource(
                palette: palette, request: PaletteRequest(PaletteOptions()), facts: facts, thumbnail: Data(),
                preview: nil)
            let name = "\(number).jpg"
            let source = PhotoImport(
                location: FileLocation(
                    folder: Data("/nowhere".utf8), name: Data(name.utf8), path: "/nowhere/\(name)"),
                file: FileStamp(size: 1, mtimeNs: 1, inode: Int64(number)), contentHash: nil, seen: Date(),
                result: .kept(mood))
            _ = try transaction.importUniqueObject(Photo.self, from: source)
        }
    }

    /// Photos come and go while lists are opened, fetched and followed: no change is lost or counted twice.
    @Test(arguments: 1...3) func `who opens a stream and then fetches the list has what the store has`(
        seed: UInt64
    ) async throws {
        // On a busy machine nobody may be cut off, or told to come later, who is only slow.
        let server = try await TestServer { options, _ in
            options.limits.frames = 100_000
            options.limits.write = 3_600
            options.limits.question = 3_600
        }
        let stack = server.stack
        for number in 0..<40 { try Self.insert(number, width: number % 7, into: stack) }
        let isOver = Kept(false)
        let changing = Task {
            // Not on a thread of Swift's pool, which has as many as there are cores.
            try await DispatchQueue(label: "changes").run {
                var random = SplitMix64(seed: seed), number = 40
                while !isOver.value.withLock({ $0 }) {
                    usleep(10_000)
                    if Bool.random(using: &random) {
                        try Self.insert(number, width: Int.random(in: 0..<7, using: &random), into: stack)
                        number += 1
                        continue
                    }
                    let ids = try MoodList().ids(in: stack)
                    guard let id = ids.randomElement(using: &random) else { continue }
                    _ = try stack.markMoods([id], at: Date())
                    // As a mood whose time to be taken back is up.
                    if Bool.random(using: &random) {
                        _ = try stack.purgeMarks(before: Date() + 1, of: [id])
                    }
                }
            }
        }
        var followers: [(query: String, stream: Socket, begin: Int, follower: Follower)] = []
        for width in 0..<6 {
            let query = "where=width+%3E+\(width)&sort=\(width % 2 == 0 ? "path" : "date")"
            let stream = try await server.stream(query)
            let moods = try await server.ask("GET", "/api/v1/moods?" + query)
            let follower = try Follower(moods)
            let text = try await stream.text(until: "event: begin\ndata: {")
            let begin = try #require(try Self.events("begin", in: text + "\n").first)
            #expect(begin["list"] as? String == follower.list)
            let generation = try #require(begin["generation"] as? Int)
            #expect(generation <= follower.generation)
            followers.append((query, stream, generation, follower))
        }
        try await Task.sleep(for: .milliseconds(200))
        isOver.value.withLock { $0 = true }
        try await changing.value
        for (query, stream, begin, follower) in followers {
            let moods = try await server.ask("GET", "/api/v1/moods?" + query)
            let end = try Follower(moods)
            var follower = follower
            if end.generation > begin {
                let last = "\"generation\":\(end.generation),\"count\""
                let bytes = try await stream.read { bytes in
                    let text = String(decoding: bytes, as: UTF8.self)
                    return text.range(of: last).map { text[$0.upperBound...].contains("\n\n") } ?? false
                }
                let batches = try Self.events("batch", in: String(decoding: bytes, as: UTF8.self))
                for batch in batches { try follower.apply(batch) }
            }
            #expect(follower.ids == end.ids, "\(query)")
            let list = try #require(MoodList(sort: query.hasSuffix("path") ? "path" : "date"))
            var wanted = list
            wanted.filter = try MoodFilter("width > \(query.dropFirst("where=width+%3E+".count).prefix(1))")
            #expect(try wanted.ids(in: stack).map { Int($0.key) } == end.ids, "\(query)")
        }
        #expect(server.errors.value.withLock { $0 }.isEmpty)
        try await server.end()
    }

    @Test func `a list that is not followed says not where it stands, and the page's always does`()
        async throws
    {
        let server = try await TestServer()
        _ = try await server.upload("a.png", TestServer.png(4))
        #expect(try await server.ask("GET", "/api/v1/moods?sort=path").fields["moody-list"] == nil)
        let page = try await server.ask("GET", "/api/v1/moods?section=month")
        #expect(page.fields["moody-list"] == server.server.lists.page.list.name + "-1")
        #expect(page.text.split(separator: "\n").count == 2 && page.text.contains("\"section\":0"))
        let part = try await server.ask("GET", "/api/v1/moods?section=month&limit=1")
        #expect(part.status == 200 && part.fields["moody-list"] == nil)
        try await server.end()
    }

    /// Whatever a caller asks for, the page and all who ask for single moods are answered.
    @Test func `while a list is opened that takes long all else is answered, and no change is missed`()
        async throws
    {
        let server = try await TestServer { options, _ in options.limits.question = 3_600 }
        _ = try await server.upload("a.png", TestServer.png(4))
        let reader = server.server.lists.asked.reader, isHeld = Kept(false), mayGo = Kept(false)
        Thread.detachNewThread {
            reader.performAndWait { _ in
                isHeld.value.withLock { $0 = true }
                while !mayGo.value.withLock({ $0 }) { usleep(1_000) }
            }
        }
        try await server.until { isHeld.value.withLock { $0 } }
        let stream = try server.socket()
        try await stream.send(
            "GET /api/v1/events?where=width+%3E+0&sort=path HTTP/1.1\r\n"
                + "Host: 127.0.0.1:\(server.port)\r\n\r\n"
        )
        #expect(try await server.ask("GET", "/api/v1/moods/1").status == 200)
        #expect(try await server.upload("b.png", TestServer.png(5)).status == 201)
        #expect(try await server.ask("DELETE", "/api/v1/moods/1").status == 200)
        #expect(try await server.ask("GET", "/pictures/2.jpg").status == 200)
        #expect(try await server.ask("GET", "/api/v1/list").text.contains("\"count\":1"))
        #expect(try await server.ask("GET", "/api/v1/find?q=b").status == 200)
        let page = try await server.stream()
        _ = try await server.upload("c.png", TestServer.png(6))
        #expect(try await page.text(until: "event: batch").contains("c.png"))
        #expect(server.server.lists.all.count == 1, "it is opened on no other reader")
        mayGo.value.withLock { $0 = true }
        _ = try await stream.text(until: "event: begin")
        let moods = try await server.ask("GET", "/api/v1/moods?where=width+%3E+0&sort=path")
        #expect(try Follower(moods).ids == [2, 3])
        try await server.end()
    }

    @Test func `the opening of a list ends when its caller leaves`() async throws {
        let server = try await TestServer { options, _ in options.limits.question = 3_600 }
        for number in 0..<60 { try Self.insert(number, width: 3, into: server.stack) }
        let part = "path CONTAINS[cd] %22%C3%BCx%22"
        let long = Array(repeating: part, count: 90).joined(separator: " OR ").replacing(" ", with: "+")
        let socket = try server.socket()
        let reader = server.server.lists.asked.reader, isHeld = Kept(false), mayGo = Kept(false)
        Thread.detachNewThread {
            reader.performAndWait { _ in
                isHeld.value.withLock { $0 = true }
                while !mayGo.value.withLock({ $0 }) { usleep(1_000) }
            }
        }
        try await server.until { isHeld.value.withLock { $0 } }
        try await socket.send(
            "GET /api/v1/events?where=\(long) HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n")
        try await server.until { server.server.questions.count == 1 }
        socket.finish()
        #expect(try await server.ask("GET", "/api/v1/status").status == 200)
        mayGo.value.withLock { $0 = true }
        try await server.until { server.server.questions.count == 0 }
        #expect(server.server.lists.all.count == 1, "nobody follows it")
        try await server.end()
    }
}
#endif
