#if Server
import DataStacks
import Foundation
import Images
import ManagedObjects
import MoodyIngest
import Palettes
import Synchronization
import Testing

@testable import MoodyGallery
@testable import MoodyModel
@testable import MoodyServer

/// Each route through a socket.
@Suite(.serialized) struct ServerTests {
    @Test func `reads answer as the command prints, and say what they are`() async throws {
        let server = try await TestServer(photos: [
            "one.png": TestServer.png(200), "two.png": TestServer.png(20),
            "2024-05-06.png": TestServer.png(99),
        ])
        let stack = server.stack
        var lines = ""
        try MoodList().forEach(in: stack) { for record in $0 { lines += record.json.text + "\n" } }
        let moods = try await server.ask("GET", "/api/v1/moods")
        #expect(moods.status == 200 && moods.text == lines)
        #expect(moods.fields["content-type"] == "application/x-ndjson")
        #expect(moods.fields["server"] == nil)
        for (name, value) in [
            ("x-content-type-options", "nosniff"), ("referrer-policy", "no-referrer"),
            ("cross-origin-resource-policy", "same-origin"), ("cross-origin-opener-policy", "same-origin"),
            ("cache-control", "no-store"),
        ] { #expect(moods.fields[name] == value) }
        // The page runs and loads what is its own, and nothing that a name of a photo could bring in.
        let page = try await server.ask("GET", "/")
        let rules = (page.fields["content-security-policy"] ?? "").split(separator: ";").map {
            $0.split(separator: " ").map(String.init)
        }
        #expect(rules.contains(["default-src", "'none'"]))
        for rule in rules where ["script-src", "style-src", "connect-src", "img-src"].contains(rule.first) {
            #expect(!rule.contains("'unsafe-inline'") && !rule.contains("*") && !rule.contains("https:"))
        }
        #expect(rules.contains { $0.first == "script-src" && $0.count > 1 })
        #expect(page.fields["permissions-policy"] == "camera=(self), microphone=(), geolocation=()")
        let sections = try await server.ask("GET", "/api/v1/moods?section=month&limit=2")
        #expect(sections.text.split(separator: "\n").count == 4)
        #expect(sections.text.hasPrefix("{\"v\":1,\"section\":0,\"name\":\"2024-05\",\"count\":1}\n"))
        let dated = try await server.ask("GET", "/api/v1/moods?where=day%20==%20%222024-05-06%22")
        #expect(dated.text.split(separator: "\n").count == 1)
        let one = try await server.ask("GET", "/api/v1/moods/1")
        #expect(one.status == 200 && lines.contains(one.text))
        let tag = try #require(one.fields["etag"])
        let again = try await server.ask("GET", "/api/v1/moods/1", ["If-None-Match": tag])
        #expect(again.status == 304 && again.body.isEmpty)
        #expect(try await server.ask("GET", "/api/v1/moods/99").status == 404)
        let found = try await server.ask("GET", "/api/v1/find?like=1&limit=1")
        #expect(found.status == 200 && found.text.split(separator: "\n").count <= 1)
        let likeBoth = try await server.ask("GET", "/api/v1/find?q=like:1&like=2&within=100")
        #expect(likeBoth.text.split(separator: "\n").count == 1 && likeBoth.text.contains("\"id\":3,"))
        // Of the photo's two halves one, in percent of it.
        let hex = try #require(one.text.firstMatch(of: /#([0-9a-f]{6})/)).1
        for (share, isFound) in [("", true), ("&share=20", true), ("&share=49", true), ("&share=80", false)] {
            let found = try await server.ask("GET", "/api/v1/find?q=%23\(hex)\(share)")
            #expect(found.text.contains("\"id\":1,") == isFound, "\(share): \(found.text)")
        }
        let status = try await server.ask("GET", "/api/v1/status")
        #expect(status.json["count"] as? Int == 3)
        let list = try await server.ask("GET", "/api/v1/list")
        #expect(list.fields["content-type"] == "application/x-ndjson")
        let rows = list.text.split(separator: "\n")
        #expect(rows.count == 4 && rows[0].contains("\"count\":3") && rows[1].hasPrefix("["))
        let document = try await server.ask("GET", "/api/v1/openapi.json")
        #expect(document.json["openapi"] as? String == "3.1.0")
        try await server.end()
    }

    @Test func `pictures come with a tag, and may be kept when their address has the right version`()
        async throws
    {
        let server = try await TestServer(photos: ["one.png": TestServer.png(200, side: 100)])
        let plain = try await server.ask("GET", "/pictures/1.jpg")
        #expect(plain.status == 200 && plain.body.starts(with: [0xFF, 0xD8]))
        #expect(plain.fields["cache-control"] == "no-cache")
        let tag = try #require(plain.fields["etag"]), version = String(tag.dropFirst().prefix(8))
        let right = try await server.ask("GET", "/pictures/1.jpg?v=" + version)
        #expect(right.fields["cache-control"] == "private, max-age=31536000, immutable")
        #expect(right.body == plain.body)
        let wrong = try await server.ask("GET", "/pictures/1.jpg?v=00000000")
        #expect(wrong.fields["cache-control"] == "no-cache" && wrong.body == plain.body)
        // RFC 9110, 13.1.2: tags are compared weakly, one of several or any will do.
        for known in [
            tag, "W/\(tag)", "\"a\", \(tag)", "\"a\",W/\(tag)", "\(tag) , \"a\"", "\"a\",\t\(tag)\t, \"b\"",
            "*",
        ] {
            #expect(
                try await server.ask("GET", "/pictures/1.jpg", ["If-None-Match": known]).status == 304,
                "\(known)")
        }
        for other in ["\"a\"", "W/\"a\"", String(tag.dropLast()), "\"\""] {
            #expect(
                try await server.ask("GET", "/pictures/1.jpg", ["If-None-Match": other]).status == 200,
                "\(other)")
        }
        // The photo is no larger than its thumbnail.
        let sharp = try await server.ask("GET", "/sharp/1.jpg")
        #expect(
            sharp.status == 200 && sharp.body == plain.body && sharp.fields["cache-control"] == "no-store")
        #expect(try await server.ask("GET", "/large/7.jpg").status == 404)
        try await server.end()
    }

    @Test func `a mood is a theme in each format that is a template`() async throws {
        let server = try await TestServer(photos: ["one.png": TestServer.png(200)])
        let dark = try await server.ask("GET", "/api/v1/moods/1/formats/kitty")
        #expect(dark.status == 200 && dark.fields["content-type"] == "text/plain; charset=utf-8")
        #expect(dark.text.hasPrefix("# made by moody from one.png\n"))
        let light = try await server.ask("GET", "/api/v1/moods/1/formats/kitty?variant=light")
        #expect(light.status == 200 && light.text != dark.text)
        let tag = try #require(dark.fields["etag"])
        let known = try await server.ask("GET", "/api/v1/moods/1/formats/kitty", ["If-None-Match": tag])
        #expect(known.status == 304)
        for (target, status) in [
            ("1/formats/kity", 404), ("99/formats/kitty", 404), ("1/formats/..%2fx", 404),
            ("1/formats/kitty?variant=auto", 400), ("1/formats/kitty?k=1", 400),
        ] {
            #expect(try await server.ask("GET", "/api/v1/moods/" + target).status == status, "\(target)")
        }
        try await server.end()
    }

    @Test func `HEAD is GET without its body, other methods are told which there are`() async throws {
        let server = try await TestServer(photos: ["one.png": TestServer.png(200)])
        for target in [
            "/", "/pictures/1.jpg", "/api/v1/moods", "/api/v1/moods/1", "/api/v1/status", "/api/v1/list",
            "/api/v1/events", "/api/v1/openapi.json",
        ] {
            let answer = try await server.ask("HEAD", target)
            #expect(answer.status == 200, "\(target)")
        }
        // RFC 9110, 9.3.2: what a GET would say.
        for target in ["/", "/pictures/1.jpg", "/api/v1/moods/1", "/api/v1/openapi.json"] {
            let whole = try await server.ask("GET", target), head = try await server.ask("HEAD", target)
            #expect(head.body.isEmpty && !whole.body.isEmpty)
            #expect(head.fields["content-length"] == "\(whole.body.count)", "\(target)")
        }
        let put = try await server.ask("PUT", "/api/v1/moods/1")
        #expect(put.status == 405 && put.fields["allow"] == "GET, HEAD, DELETE")
        #expect(put.json["error"] as? String == "this address takes GET, HEAD, DELETE")
        try await server.end()
    }

    @Test func `a photo that is sent is a file, a mood and a row; the same bytes are it again`() async throws
    {
        let server = try await TestServer()
        let stream = try await server.stream(), bytes = TestServer.png(200)
        let added = try await server.upload("sea%20%F0%9F%8C%8A.png", bytes)
        #expect(added.status == 201)
        let id = try #require(added.json["id"] as? Int)
        #expect(added.fields["location"] == "/api/v1/moods/\(id)")
        let file = server.folder.appending(path: "Uploads/sea 🌊.png")
        #expect(try Data(contentsOf: file) == Data(bytes))
        let text = try await stream.text(until: "\"change\":\"insert\"")
        #expect(text.contains("\"id\":\(id),\"to\":[0,0],\"row\":["))
        let again = try await server.upload("other.png", bytes)
        #expect(again.status == 200 && again.json["id"] as? Int == id)
        #expect(try await server.upload("sea%20%F0%9F%8C%8A.png", TestServer.png(10)).status == 201)
        let names = try FileManager.default.contentsOfDirectory(atPath: server.folder.path + "/Uploads")
        #expect(Set(names) == ["sea 🌊.png", "sea 🌊 (2).png", ".moody-incoming"])
        let incoming = server.folder.path + "/Uploads/.moody-incoming"
        #expect(try FileManager.default.contentsOfDirectory(atPath: incoming) == [".moody-export"])
        try await server.end()
    }

    @Test func `what is no photo is refused in words and leaves nothing behind`() async throws {
        let server = try await TestServer { options, _ in options.maxUpload = 1 << 20 }
        let png = ["Content-Type": "image/png"]
        func post(_ target: String, _ fields: [String: String], _ body: [UInt8]) async throws -> Int {
            let answer = try await server.ask("POST", "/api/v1/photos" + target, fields, body: body)
            let error = answer.json["error"] as? String ?? ""
            #expect(answer.json["status"] as? Int == answer.status && !error.isEmpty)
            #expect(!error.contains(server.folder.path))
            return answer.status
        }
        #expect(try await post("?name=a.png", png, []) == 400)
        #expect(try await post("", png, TestServer.png(1)) == 400)
        #expect(try await post("?name=..%2fa.png", png, TestServer.png(1)) == 400)
        #expect(try await post("?name=a.png&name=b.png", png, TestServer.png(1)) == 400)
        #expect(try await post("?name=a.png&x=1", png, TestServer.png(1)) == 400)
        #expect(try await post("?name=a.jpg", png, Array("no photo at all".utf8)) == 422)
        #expect(try await post("?name=a.png", png, Array(TestServer.png(1).dropLast(200))) == 422)
        for type in [
            "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "", "image",
            "application/json",
        ] {
            #expect(try await post("?name=a.png", ["Content-Type": type], TestServer.png(1)) == 415)
        }
        #expect(try await post("?name=a.png", [:], TestServer.png(1)) == 415)
        #expect(try await post("?name=a.png", png, [UInt8](repeating: 7, count: 1 << 20 + 1)) == 413)
        #expect(server.server.lists.page.list.count == 0)
        let names = try FileManager.default.contentsOfDirectory(atPath: server.folder.path + "/Uploads")
        #expect(names == [".moody-incoming"])
        try await server.end()
    }

    @Test(arguments: ["image/png", "IMAGE/PNG", "image/png; x=y", "application/octet-stream;x=y"])
    func `a photo may have as many bytes as is said, and a type with parameters`(type: String) async throws {
        let bytes = TestServer.png(77)
        for (most, status) in [(bytes.count, 201), (bytes.count - 1, 413)] {
            let server = try await TestServer { options, _ in options.maxUpload = most }
            let target = "/api/v1/photos?name=a.png", fields = ["Content-Type": type]
            #expect(try await server.ask("POST", target, fields, body: bytes).status == status)
            // Without a length that is said beforehand.
            let socket = try server.socket()
            let head =
                "POST \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nContent-Type: \(type)\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n\(String(bytes.count, radix: 16))\r\n"
            try await socket.send(Array(head.utf8) + bytes + Array("\r\n0\r\n\r\n".utf8))
            #expect(try await socket.answer().status == (status == 201 ? 200 : 413))
            try await server.end()
        }
    }

    @Test func `of hundreds of moods each is in every list`() async throws {
        let server = try await TestServer(), count = 700
        let palette = Palette(entries: [
            .init(color: .white, share: 0.75), .init(color: .black, share: 0.25),
        ])
        let facts = CaptureInfo(
            taken: CivilDate(year: 2024, month: 1, day: 1), offset: nil, source: .original, width: 4,
            height: 3)
        let result = PhotoImport.Result.kept(
            MoodSource(
                palette: palette, request: PaletteRequest(mode: .area, count: 5), facts: facts,
                thumbnail: Data(), preview: nil))
        try server.stack.performAndWait { transaction in
            for number in 1...count {
                let location = FileLocation(
                    folder: Data("/photos".utf8), name: Data("\(number).jpg".utf8),
                    path: "/photos/\(number).jpg")
                let source = PhotoImport(
                    location: location, file: FileStamp(size: 1, mtimeNs: 2, inode: 3), contentHash: nil,
                    seen: Date(timeIntervalSince1970: 0), result: result)
                _ = try transaction.importNewObject(Photo.self, from: source)
            }
        }
        try await server.until { server.server.lists.page.list.count == count }
        for target in ["moods?sort=id:asc", "moods?sort=date&section=month"] {
            let lines = try await server.ask("GET", "/api/v1/" + target).text.split(separator: "\n")
            let ids = lines.compactMap { line in
                (try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])?["id"] as? Int
            }
            #expect(Set(ids) == Set(1...count) && ids.count == count, "\(target)")
        }
        for (target, number) in [("find?q=white", 50), ("find?q=white&limit=51", 51)] {
            let found = try await server.ask("GET", "/api/v1/" + target).text.split(separator: "\n")
            #expect(found.count == number, "\(target)")
        }
        // More than the 64 KiB that are sent at once.
        let list = try await server.ask("GET", "/api/v1/list"), rows = list.text.split(separator: "\n")
        let ids = rows.compactMap { row in
            (try? JSONSerialization.jsonObject(with: Data(row.utf8)) as? [Any])?.first as? Int
        }
        #expect(list.body.count > 1 << 16, "\(list.body.count)")
        #expect(rows.count == count + 1 && Set(ids) == Set(1...count))
        try await server.end()
    }

    @Test func `each section of a list has its own moods`() async throws {
        let days = ["2024-03-01", "2024-03-02", "2024-02-01", "2024-02-02", "2024-01-01", "2024-01-02"]
        let photos = days.enumerated().map { ("\($1).png", TestServer.png(UInt8($0 * 30))) }
        let server = try await TestServer(photos: Dictionary(uniqueKeysWithValues: photos))
        let lines = try await server.ask("GET", "/api/v1/moods?section=month").text.split(separator: "\n")
        let told = try lines.map { line in
            let json = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return (json?["name"] ?? json?["day"]) as? String
        }
        #expect(
            told == [
                "2024-03", "2024-03-02", "2024-03-01", "2024-02", "2024-02-02", "2024-02-01", "2024-01",
                "2024-01-02", "2024-01-01",
            ])
        try await server.end()
    }

    @Test func `of many problems the last hundred are told`() async throws {
        let server = try await TestServer(), folder = server.folder.appending(path: "Photos")
        func name(_ number: Int) -> String { "bad\(1_000 + number).jpg" }
        // Moved in as one folder, of which all is looked at in order.
        let all = server.folder.appending(path: "all")
        try FileManager.default.createDirectory(at: all, withIntermediateDirectories: true)
        for number in 0..<103 { try Data("no photo".utf8).write(to: all.appending(path: name(number))) }
        try FileManager.default.moveItem(at: all, to: folder.appending(path: "all"))
        func problems() async throws -> [String] {
            let status = try await server.ask("GET", "/api/v1/status").json
            return (status["problems"] as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }
        }
        var told: [String] = []
        for _ in 0..<3_000 {
            told = try await problems()
            if told.last == name(102) { break }
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(told == (3..<103).map(name))
        try await server.end()
    }

    @Test func `a body without an end, or with too many bytes, is cut off and leaves no file`() async throws {
        let server = try await TestServer { options, _ in options.maxUpload = 100_000 }
        let head =
            "POST /api/v1/photos?name=a.png HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n"
            + "Content-Type: image/png\r\n"
        let chunked = try server.socket()
        try await chunked.send(head + "Transfer-Encoding: chunked\r\n\r\n")
        for _ in 0..<20 {
            let isOpen = try await chunked.send(
                Array("4000\r\n".utf8) + [UInt8](repeating: 7, count: 0x4000) + [13, 10])
            if !isOpen { break }
        }
        let answer = try await chunked.answer()
        #expect(answer.status == 413 && answer.fields["connection"] == "close")
        let cut = try server.socket()
        try await cut.send(
            Array((head + "Content-Length: 5000\r\n\r\n").utf8) + TestServer.png(1).prefix(900))
        cut.finish()
        let incoming = server.folder.path + "/Uploads/.moody-incoming"
        try await server.until {
            (try? FileManager.default.contentsOfDirectory(atPath: incoming)) == [".moody-export"]
        }
        #expect(server.server.lists.page.list.count == 0)
        try await server.end()
    }

    @Test func `a deletion leaves the list, can be taken back, and is final when its time is up`()
        async throws
    {
        let server = try await TestServer(photos: ["one.png": TestServer.png(200)]) { options, _ in
            options.limits.undo = 3
        }
        let stream = try await server.stream("as=records")
        let gone = try await server.ask("DELETE", "/api/v1/moods/1")
        #expect(gone.status == 200 && gone.json["id"] as? Int == 1)
        let until = try #require(gone.json["undoUntil"] as? String)
        #expect(try await server.ask("DELETE", "/api/v1/moods/1").json["undoUntil"] as? String == until)
        #expect(try await server.ask("GET", "/api/v1/moods/1").status == 410)
        #expect(try await server.ask("GET", "/api/v1/moods").body.isEmpty)
        #expect(server.server.lists.page.list.count == 0)
        let back = try await server.ask("POST", "/api/v1/moods/1/restore", body: [])
        #expect(back.status == 200 && back.json["id"] as? Int == 1)
        #expect(server.server.lists.page.list.count == 1)
        let text = try await stream.text(until: "\"mood\":{\"v\":1,\"id\":1,")
        #expect(text.contains("\"change\":\"delete\""))
        let tag = try #require(try await server.ask("GET", "/pictures/1.jpg").fields["etag"])
        let picture = "/pictures/1.jpg?v=" + tag.dropFirst().prefix(8)
        #expect(try await server.ask("GET", picture).status == 200)
        #expect(try await server.ask("DELETE", "/api/v1/moods/1").status == 200)
        #expect(try await server.ask("GET", picture).status == 200)
        try await server.until { server.server.marks?.isPurged(1) == true }
        // What was kept of it while it could still come back.
        #expect(try await server.ask("GET", picture).status == 404)
        #expect(try await server.ask("POST", "/api/v1/moods/1/restore", body: []).status == 410)
        #expect(try await server.ask("DELETE", "/api/v1/moods/1").status == 410)
        #expect(try await server.ask("GET", "/api/v1/moods/1").status == 410)
        #expect(try await server.ask("DELETE", "/api/v1/moods/8").status == 404)
        // The file is where it was, and its photo stays left out.
        #expect(FileManager.default.fileExists(atPath: server.folder.path + "/Photos/one.png"))
        try await server.end()
    }

    @Test func `a server purges its own marks, those of a server that was killed, and no mark taken back`()
        async throws
    {
        let server = try await TestServer()
        for number in 0..<3 { _ = try await server.upload("\(number).png", TestServer.png(UInt8(number))) }
        let stack = server.stack, first = try #require(stack.moodID(1))
        _ = try stack.markMoods([first], at: .distantPast)
        let marks = Marks(stack, lifetime: 0.2, onPurge: { _ in })
        marks.start()
        _ = try await marks.mark(2)
        #expect(try await marks.restore(2) == .restored(try #require(stack.moodID(2))))
        _ = try await marks.mark(3)
        try await server.until { marks.isPurged(1) && marks.isPurged(3) }
        marks.stop()
        #expect(try stack.mood(2)?.isMarked == false)
        #expect(try stack.mood(1) == nil)
        try await server.end()
    }

    @Test func `a clock that is set ends no deletion, and time does`() async throws {
        let server = try await TestServer()
        for number in 0..<2 { _ = try await server.upload("\(number).png", TestServer.png(UInt8(number))) }
        let ahead = Kept(0.0)
        let marks = Marks(
            server.stack, lifetime: 120, clock: { Date() + ahead.value.withLock { $0 } }, onPurge: { _ in })
        guard case .marked(let until) = try await marks.mark(1) else {
            Issue.record("not marked")
            return
        }
        #expect(abs(until.timeIntervalSinceNow - 120) < 5)
        for seconds: Double in [300, -86_400, 1_576_800_000] {
            ahead.value.withLock { $0 = seconds }
            marks.purge()
            #expect(!marks.isPurged(1), "the clock was set by \(seconds)")
        }
        guard case .marked(let still) = try await marks.mark(1) else {
            Issue.record("not marked any more")
            return
        }
        #expect(abs(still.timeIntervalSinceNow - 1_576_800_120) < 5, "in the time of the clock")
        #expect(try await marks.restore(1) == .restored(try #require(server.stack.moodID(1))))
        _ = try await marks.mark(2)
        marks.purge(at: .now + .seconds(100))
        #expect(!marks.isPurged(2))
        marks.purge(at: .now + .seconds(130))
        #expect(marks.isPurged(2) && !marks.isPurged(1))
        try await server.end()
    }

    @Test func `the same photo sent again takes its deletion back`() async throws {
        let server = try await TestServer()
        let id = try #require(try await server.upload("a.png", TestServer.png(50)).json["id"] as? Int)
        _ = try await server.ask("DELETE", "/api/v1/moods/\(id)")
        let again = try await server.upload("b.png", TestServer.png(50))
        #expect(again.status == 200 && again.json["id"] as? Int == id)
        #expect(try await server.ask("GET", "/api/v1/moods/\(id)").status == 200)
        try await server.end()
    }

    @Test func `a photo that was deleted with its file and is sent again is in the list`() async throws {
        let server = try await TestServer()
        let id = try #require(try await server.upload("a.png", TestServer.png(50)).json["id"] as? Int)
        _ = try await server.ask("DELETE", "/api/v1/moods/\(id)")
        try FileManager.default.removeItem(at: server.folder.appending(path: "Uploads/a.png"))
        #expect(try await server.upload("a.png", TestServer.png(50)).status == 201)
        #expect(try await server.ask("GET", "/api/v1/moods").text.contains("a.png"))
        try await server.end()
    }

    @Test func `a server that tells no paths and places tells none in sections or progress`() async throws {
        let server = try await TestServer(photos: ["one.png": TestServer.png(200)]) { options, _ in
            options.privacy = PagePrivacy(showsPaths: false, showsPlaces: false)
        }
        for (section, status) in [("folder", 403), ("country", 403), ("month", 200), ("hue", 200)] {
            let answer = try await server.ask("GET", "/api/v1/moods?section=\(section)")
            #expect(answer.status == status)
            #expect(!answer.text.contains(server.folder.lastPathComponent))
            if status == 403 {
                #expect(try await server.ask("GET", "/api/v1/events?section=\(section)").status == 403)
            }
        }
        // In a folder that the server does not watch.
        let folder = server.folder.appending(path: "Elsewhere"), told = Kept<[FolderDesk.Progress]>([])
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for showsPaths in [true, false] {
            try Data(TestServer.png(showsPaths ? 1 : 2)).write(
                to: folder.appending(path: "\(showsPaths).png"))
            let desk = FolderDesk(
                [BytePath(folder.path)], server.stack, options: { IngestOptions() }, showsPaths: showsPaths,
                pause: 1, isBusy: { _ in false }, problem: { _, _ in }
            ) { news in
                if case .progress(let progress) = news { told.value.withLock { $0.append(progress) } }
            }
            desk.start()
            try await server.until { told.value.withLock { !$0.isEmpty } }
            desk.stop()
            let folders = told.value.withLock { told in
                defer { told = [] }
                return Set(told.map(\.folder))
            }
            #expect(folders == [showsPaths ? folder.path : "Elsewhere"])
        }
        try await server.end()
    }

    @Test func `a photo whose file is gone is kept again when it is sent again`() async throws {
        let server = try await TestServer()
        let id = try #require(try await server.upload("a.png", TestServer.png(50)).json["id"] as? Int)
        let folder = server.folder.appending(path: "Uploads")
        try FileManager.default.removeItem(at: folder.appending(path: "a.png"))
        let again = try await server.upload("b.png", TestServer.png(50))
        #expect(again.status == 201 && again.json["id"] as? Int == id)
        #expect(try Data(contentsOf: folder.appending(path: "b.png")) == Data(TestServer.png(50)))
        try await server.end()
    }

    @Test func `of photos with the same bytes one that is there is enough`() async throws {
        let server = try await TestServer()
        // In a folder that the server does not watch.
        let folder = server.folder.appending(path: "Elsewhere")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let files = ["a.png", "b.png", "c.png"].map { folder.appending(path: $0) }
        for file in files { try Data(TestServer.png(50)).write(to: file) }
        _ = try Ingest(stack: server.stack, options: IngestOptions()).run([BytePath(folder.path)])
        try await server.until { server.server.lists.page.list.count == 3 }
        for gone in [files[0], files[2]] { try FileManager.default.removeItem(at: gone) }
        let again = try await server.upload("d.png", TestServer.png(50))
        #expect(again.status == 200 && (again.json["path"] as? String)?.hasSuffix("/b.png") == true)
        let uploads = server.folder.appending(path: "Uploads").path
        #expect(try FileManager.default.contentsOfDirectory(atPath: uploads) == [".moody-incoming"])
        try await server.end()
    }

    /// Nothing looks into that folder again, where the disk with it may be another one by now.
    @Test func `a photo that is called missing is kept again when it is sent again`() async throws {
        let server = try await TestServer()
        let folder = server.folder.appending(path: "Elsewhere")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(TestServer.png(50)).write(to: folder.appending(path: "a.png"))
        _ = try Ingest(stack: server.stack, options: IngestOptions()).run([BytePath(folder.path)])
        try server.stack.performAndWait { transaction in
            for photo in try transaction.fetchAll(FetchRequest<Photo>()) { photo.markMissing() }
        }
        #expect(try await server.upload("b.png", TestServer.png(50)).status == 201)
        let file = server.folder.appending(path: "Uploads/b.png")
        #expect(try Data(contentsOf: file) == Data(TestServer.png(50)))
        try await server.end()
    }

    @Test func `a photo that a killed server kept without a mood is not kept twice when it is sent again`()
        async throws
    {
        let server = try await TestServer()
        let folder = server.folder.appending(path: "Uploads")
        // Before the watch has looked at it.
        try Data(TestServer.png(50)).write(to: folder.appending(path: "a.png"))
        #expect(try await server.upload("a.png", TestServer.png(50)).json["id"] as? Int == 1)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(names) == ["a.png", ".moody-incoming"])
        try await server.end()
    }

    @Test func `a photo whose file has other contents now is kept again when it is sent again`() async throws
    {
        let server = try await TestServer()
        _ = try await server.upload("a.png", TestServer.png(50))
        let folder = server.folder.appending(path: "Uploads")
        try Data(TestServer.png(60)).write(to: folder.appending(path: "a.png"))
        #expect(try await server.upload("b.png", TestServer.png(50)).status == 201)
        #expect(try Data(contentsOf: folder.appending(path: "b.png")) == Data(TestServer.png(50)))
        try await server.until { server.server.lists.page.list.count == 2 }
        try await server.end()
    }

    @Test func `a file that comes into a watched folder, and one that goes, are told`() async throws {
        let server = try await TestServer(photos: ["one.png": TestServer.png(200)])
        let stream = try await server.stream()
        let file = server.folder.appending(path: "Photos/two.png")
        try Data(TestServer.png(5)).write(to: file, options: .atomic)
        let text = try await stream.text(until: "two.png")
        #expect(text.contains("\"change\":\"insert\""))
        try FileManager.default.removeItem(at: file)
        try await server.until { server.server.lists.page.list.generation >= 3 }
        try Data("no photo".utf8).write(to: server.folder.appending(path: "Photos/bad.jpg"), options: .atomic)
        let problem = try await stream.text(until: "event: problem")
        #expect(problem.contains("\"name\":\"bad.jpg\""))
        try await server.end()
    }

    @Test func `a stream is resumed where it was, and told to begin anew where it cannot be`() async throws {
        let server = try await TestServer(photos: ["one.png": TestServer.png(200)])
        let list = server.server.lists.page.list, start = list.generation
        for number in 0..<4 { _ = try await server.upload("\(number).png", TestServer.png(UInt8(number))) }
        let now = list.generation
        for generation in start...now {
            let stream = try await server.stream("as=rows&after=\(list.name)-\(generation)")
            _ = try await server.upload("x\(generation).png", TestServer.png(UInt8(100 + generation)))
            let text = try await stream.text(until: "id: \(list.name)-\(list.generation)\n")
            let ids = text.replacing("\r\n", with: "\n").split(separator: "\n").map(String.init).filter {
                $0.hasPrefix("id: ")
            }
            #expect(
                ids == ((generation + 1)...list.generation).map { "id: \(list.name)-\($0)" }, "\(generation)")
        }
        for after in ["00000000-1", "\(list.name)-999", "garbage", "", "\(list.name)--1"] {
            let stream = try await server.stream("as=rows&after=\(after)")
            let text = try await stream.text(until: "event: reload")
            #expect(text.contains("\"list\":\"\(list.name)\",\"generation\":\(list.generation)"))
        }
        // What the browser sends by itself wins.
        let both = try await server.stream(
            "as=rows&after=garbage", ["Last-Event-ID": "\(list.name)-\(list.generation - 1)"])
        #expect(try await both.text(until: "id: \(list.name)-\(list.generation)\n").contains("event: batch"))
        try await server.end()
    }

    @Test func `followers of one order, section or condition share a list, others do not`() async throws {
        let server = try await TestServer { options, _ in options.limits.lists = 9 }
        var streams: [Any] = [], count = 1
        for (query, isNew) in [
            ("sort=path", true), ("sort=path:desc", true), ("sort=date", true), ("sort=path", false),
            ("sort=path&section=folder", true), ("where=width+%3E+1&sort=path", true),
            ("where=width+%3E+2&sort=path", true), ("where=width+%3E+2&sort=path", false),
        ] {
            streams.append(try await server.stream(query))
            count += isNew ? 1 : 0
            #expect(server.server.lists.all.count == count, "\(query)")
        }
        try await server.end()
    }

    private static let node = ["/usr/bin/node", "/usr/bin/nodejs", "/usr/local/bin/node"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// The page's own script writes the moment; the ingest reads it. Zones of odd offsets, one of them west.
    @Test(
        .enabled(if: node != nil, "no node here"),
        arguments: [
            ("America/St_Johns", "2024-01-05T02:37:08.009-03:30"),
            ("Asia/Kathmandu", "2024-01-05T11:52:08.009+05:45"), ("UTC", "2024-01-05T06:07:08.009+00:00"),
        ])
    func `a picture of the page's camera has the moment and the zone it was taken in`(
        zone: String, date: String
    ) async throws {
        let rgba = [UInt8](repeating: 200, count: 32 * 24 * 4)
        let plain = try #require(Image(width: 32, height: 24, rgba: rgba)).jpeg(quality: 90)
        let folder = FileManager.default.temporaryDirectory.appending(path: "exif-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "a.jpg")
        try Data(plain).write(to: file)
        let page = String(decoding: GalleryPage.liveScript, as: UTF8.self)
        let first = try #require(page.firstRange(of: "const exifOf =")).lowerBound
        let script = page[first..<(try #require(page[first...].firstRange(of: "\n// ---- "))).lowerBound]
        let process = Process()
        process.executableURL = URL(filePath: try #require(Self.node))
        process.environment = ["TZ": zone]
        process.arguments = [
            "-e",
            "\(script)\nconst fs = require('fs'), path = process.argv[1];"
                + "fs.writeFileSync(path, dated(fs.readFileSync(path), new Date(1704434828009)));", file.path,
        ]
        try process.run()
        process.waitUntilExit()
        let server = try await TestServer()
        let added = try await server.upload("a.jpg", [UInt8](try Data(contentsOf: file)))
        #expect(added.json["date"] as? String == date && added.json["dateSource"] as? String == "original")
        // A picture of one color has a note about that, and none about its EXIF.
        #expect(!"\(added.json["notes"] ?? "")".contains("EXIF") && added.json["width"] as? Int == 32)
        try await server.end()
    }

    @Test func `other lists are followed by what they ask for, up to a limit`() async throws {
        let server = try await TestServer { options, _ in options.limits.lists = 2 }
        let red = try await server.stream("where=path+ENDSWITH+%22red.png%22&sort=path")
        let full = try await server.ask("GET", "/api/v1/events?sort=path")
        #expect(full.status == 503 && full.fields["retry-after"] != nil)
        _ = try await server.upload("blue.png", TestServer.png(3))
        _ = try await server.upload("red.png", TestServer.png(250))
        let text = try await red.text(until: "event: batch")
        #expect(text.contains("\"to\":0,\"mood\":") && text.contains("red.png") && !text.contains("blue.png"))
        let expression = "where=path+MATCHES+%22(/?.*)*x%22"
        for query in [
            "where=foo==1", "where=((((", expression, "sort=color", "section=week", "as=xml", "sort=id",
            "x=1",
        ] {
            #expect(try await server.ask("GET", "/api/v1/events?" + query).status == 400, "\(query)")
        }
        let long = String(repeating: "(", count: 5_000)
        #expect(try await server.ask("GET", "/api/v1/moods?where=" + long).status == 400)
        #expect(
            try await server.ask("GET", "/api/v1/find?q=" + String(repeating: "a", count: 600)).status == 400)
        for query in [
            "", "q=", "q=a&within=0", "q=a&within=x", "q=a&limit=0", "like=-1", "q=%ff", "q=a&share=101",
        ] {
            #expect(try await server.ask("GET", "/api/v1/find?" + query).status == 400, "\(query)")
        }
        #expect(try await server.ask("GET", "/api/v1/find?like=99").status == 404)
        #expect(try await server.ask("GET", "/api/v1/moods?missing=0").status == 400)
        // As long as each may be: 4,096 bytes and 512.
        let condition = "width%20%3E%200" + String(repeating: "%20", count: 4_096 - 9)
        for (query, status) in [
            ("moods?where=" + condition, 200), ("moods?where=" + condition + "%20", 400),
            ("find?q=" + String(repeating: "a", count: 512), 200),
            ("find?q=" + String(repeating: "a", count: 513), 400),
            ("find?q=" + String(repeating: "%C3%A9", count: 256), 200),
            ("find?q=" + String(repeating: "%C3%A9", count: 256) + "a", 400),
            ("find?q=teal&within=100&share=100", 200), ("moods?missing=", 200), ("moods?missing=1", 200),
        ] {
            #expect(try await server.ask("GET", "/api/v1/" + query).status == status, "\(query.prefix(40))")
        }
        // The document allows as many characters: their address is read, and the answer says why not.
        let fourBytesEach = try await server.ask(
            "GET", "/api/v1/moods?where=" + String(repeating: "%F0%9F%8C%8A", count: 4_096))
        #expect(
            fourBytesEach.status == 400 && fourBytesEach.text.contains("where is longer than 4096 bytes"))
        try await server.end()
    }

    @Test func `a list that nobody looks at is dropped after a minute, which begins anew with each look`()
        async throws
    {
        // No beat of its own looks in between.
        let server = try await TestServer { options, _ in options.limits.beat = 3_600 }
        let lists = server.server.lists, now = ContinuousClock.now
        let red = try await server.stream("sort=path")
        func count(after seconds: Int) -> Int {
            lists.dropUnused(at: now + .seconds(seconds))
            return lists.all.count
        }
        #expect(count(after: 0) == 2 && count(after: 3_600) == 2, "it is looked at")
        red.finish()
        try await server.until { lists.viewers == 0 }
        #expect(count(after: 3_600) == 2 && count(after: 3_659) == 2)
        let again = try await server.stream("sort=path")
        #expect(count(after: 3_660) == 2, "it is looked at again")
        again.finish()
        try await server.until { lists.viewers == 0 }
        #expect(count(after: 3_700) == 2 && count(after: 3_759) == 2)
        #expect(count(after: 3_760) == 1, "the page's list stays")
        try await server.end()
    }

    @Test func `viewers, heads, fields and connections have their limits`() async throws {
        let server = try await TestServer { options, _ in
            (options.limits.viewers, options.limits.connections) = (2, 40)
        }
        let streams = [try await server.stream(), try await server.stream()]
        let third = try await server.ask("GET", "/api/v1/events")
        #expect(third.status == 503 && third.fields["retry-after"] != nil)
        withExtendedLifetime(streams) {}
        for (name, text) in [
            ("a head of 70 KB", "GET / HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "x", count: 70_000)),
            (
                "80 fields",
                "GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X: y\r\n", count: 80) + "\r\n"
            ),
            ("HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
            ("two lengths", "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"),
            (
                "a length and chunks",
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"
            ),
            ("a blank before the colon", "GET / HTTP/1.1\r\nHost : a\r\n\r\n"),
            ("no Host", "GET / HTTP/1.1\r\n\r\n"),
            ("two Hosts", "GET / HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nHost: evil.com\r\n\r\n"),
        ] {
            let socket = try server.socket()
            try await socket.send(text)
            let answer = try await socket.answer()
            #expect(answer.status == 400, "\(name)")
        }
        let tls = try server.socket()
        try await tls.send([0x16, 3, 1, 2, 0, 1, 0, 1, 0xFC, 3, 3] + [UInt8](repeating: 9, count: 300))
        let hello = try await tls.answer()
        #expect(hello.status == 400 || hello.status == 0)
        try await server.end()
    }

    @Test func `HEAD of a stream or of the list takes no place from those who read them`() async throws {
        let server = try await TestServer { options, _ in
            (options.limits.viewers, options.limits.snapshots) = (1, 2)
        }
        for _ in 0..<4 {
            #expect(try await server.ask("HEAD", "/api/v1/events").status == 200)
            #expect(try await server.ask("HEAD", "/api/v1/list").status == 200)
        }
        #expect(try await server.ask("GET", "/api/v1/list").status == 200)
        let stream = try await server.stream()
        #expect(try await server.ask("GET", "/api/v1/events").status == 503)
        withExtendedLifetime(stream) {}
        try await server.end()
    }

    @Test func `a photo that never stops coming but comes too slowly is refused`() async throws {
        let server = try await TestServer { options, _ in
            (options.limits.grace, options.limits.slowest) = (1, 1 << 20)
        }
        let slow = try server.socket()
        try await slow.send(
            "POST /api/v1/photos?name=a.png HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n"
                + "Content-Type: image/png\r\nContent-Length: 900000\r\n\r\n")
        // Ends when the server has closed the connection.
        for _ in 0..<3_000 {
            if try await !slow.send("x") { break }
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(try await slow.answer().status == 408)
        let incoming = server.folder.path + "/Uploads/.moody-incoming"
        try await server.until {
            (try? FileManager.default.contentsOfDirectory(atPath: incoming)) == [".moody-export"]
        }
        try await server.end()
    }

    @Test func `a slow head and a body that stops are ended, streams are not`() async throws {
        let server = try await TestServer { options, _ in options.limits.idle = 0.5 }
        let stream = try await server.stream()
        let slow = try server.socket()
        try await slow.send("GET / HTTP/1.1\r\nHost: ")
        let body = try server.socket()
        try await body.send(
            "POST /api/v1/photos?name=a.png HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n"
                + "Content-Type: image/png\r\nContent-Length: 900\r\n\r\nabc")
        #expect(try await slow.read { _ in false }.isEmpty)
        _ = try await body.read { _ in false }
        _ = try await server.upload("a.png", TestServer.png(4))
        #expect(try await stream.text(until: "event: batch").contains("a.png"))
        let incoming = server.folder.path + "/Uploads/.moody-incoming"
        try await server.until {
            (try? FileManager.default.contentsOfDirectory(atPath: incoming)) == [".moody-export"]
        }
        try await server.end()
    }

    @Test func `a viewer that reads nothing is cut off and costs the others nothing`() async throws {
        let server = try await TestServer { options, _ in
            (options.limits.frames, options.limits.write, options.limits.beat) = (4, 1, 0.3)
        }
        let deaf = try await server.stream(), other = try await server.stream()
        let big = [UInt8](repeating: 65, count: 400_000)
        for _ in 0..<40 {
            server.server.lists.page.broadcast.send(EventText.event("problem", data: big))
            _ = try await other.read { $0.count >= 1 }
        }
        try await server.until { server.server.lists.viewers <= 1 }
        withExtendedLifetime(deaf) {}
        try await server.end()
    }

    @Test func `viewers that come and go leave no descriptor behind`() async throws {
        let server = try await TestServer()
        @Sendable func open() -> Int {
            (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
        }
        _ = try await server.stream()
        try await server.until { server.server.lists.viewers == 0 }
        let before = open()
        for _ in 0..<10 {
            var streams: [Socket] = []
            for _ in 0..<20 { streams.append(try await server.stream()) }
            #expect(server.server.lists.viewers == 20)
            streams = []
            try await server.until { server.server.lists.viewers == 0 }
        }
        try await server.until { open() <= before + 3 }
        try await server.end()
    }

    @Test func `a gallery that only shows takes nothing and deletes nothing`() async throws {
        let server = try await TestServer { options, _ in options.isReadOnly = true }
        #expect(try await server.upload("a.png", TestServer.png(4)).status == 403)
        #expect(try await server.ask("DELETE", "/api/v1/moods/1").status == 403)
        #expect(try await server.ask("POST", "/api/v1/moods/1/restore", body: []).status == 403)
        #expect(!FileManager.default.fileExists(atPath: server.folder.path + "/Uploads"))
        #expect(try await server.ask("GET", "/").text.contains("\"readOnly\":true"))
        try await server.end()
        let open = try await TestServer()
        #expect(try await open.ask("GET", "/").text.contains("\"readOnly\":false"))
        try await open.end()
    }

    @Test func `an uploads folder that cannot be used is said, and the gallery shows all the same`()
        async throws
    {
        let server = try await TestServer { options, folder in
            try? Data("a file".utf8).write(to: folder.appending(path: "Uploads"))
        }
        let answer = try await server.upload("a.png", TestServer.png(4))
        #expect(answer.status == 403)
        #expect((answer.json["error"] as? String)?.contains("Not a directory") == true)
        #expect(try await server.ask("GET", "/api/v1/status").status == 200)
        try await server.end()
    }

    @Test func `a full disk is said, and nothing is kept`() async throws {
        let server = try await TestServer { options, _ in options.limits.free = Int.max }
        // More often than photos may come in at once.
        for _ in 0...server.server.options.limits.uploads {
            #expect(try await server.upload("a.png", TestServer.png(4)).status == 507)
        }
        try await server.end()
    }

    @Test func `a full disk of the store is told from its other failures`() {
        func status(_ code: Int32) -> Int? {
            let error = StoreError.sqlite(code: code, message: "", sql: nil)
            let codes = Set([Refusal(of: error), Refusal(of: StackError.store(error))].map(\.status))
            return codes.count == 1 ? codes.first : -1
        }
        #expect(status(13) == 507)
        #expect(status(11) == 500)
        #expect(status(5) == 503, "another program holds it")
        #expect(Refusal(of: StoreError.inUse).retryAfter == 5)
        let known = Refusal(422, "no photo")
        #expect(Refusal(of: known) == known)
    }

    @Test func `what a killed server left of a photo is swept, and what was whole is taken in`() async throws
    {
        let server = try await TestServer { options, folder in
            let incoming = folder.appending(path: "Uploads/.moody-incoming")
            try? FileManager.default.createDirectory(at: incoming, withIntermediateDirectories: true)
            for name in ["ab12.part", "\(getpid())-1.part", "4194305-1.part", "\(getppid())-2.part"] {
                try? Data(TestServer.png(3)).write(to: incoming.appending(path: name))
            }
            // As another server has one open, in a container whose numbers of processes say nothing here.
            let path = BytePath(incoming.path + "/7-3.part")
            let file = try? makeFile(path)
            _ = flock(file ?? -1, LOCK_EX)
            try? Data(TestServer.png(9)).write(to: folder.appending(path: "Uploads/whole.png"))
        }
        try await server.until { server.server.lists.page.list.count == 1 }
        let incoming = try FileManager.default.contentsOfDirectory(
            atPath: server.folder.path + "/Uploads/.moody-incoming")
        #expect(
            incoming.filter { $0.hasSuffix("part") } == ["7-3.part"],
            "a photo on its way to another server stays")
        #expect(try await server.ask("GET", "/api/v1/moods").text.contains("whole.png"))
        try await server.end()
    }

    @Test func `with a token the address lets in, once, and a cookie from then on`() async throws {
        let server = try await TestServer { options, _ in options.token = "0123456789abcdef" }
        #expect(try await server.ask("GET", "/").status == 401)
        let enter = try await server.ask("GET", "/?token=0123456789abcdef")
        #expect(enter.status == 303)
        #expect(enter.fields["location"] == "./", "a proxy may have put it below a path")
        let cookie = try #require(enter.fields["set-cookie"])
        #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"))
        #expect(cookie.contains("Max-Age=31536000") && !cookie.contains("Secure"), "a browser keeps it")
        let secret = ["X-Forwarded-Proto": "https"]
        let behind = try await server.ask("GET", "/?token=0123456789abcdef", secret)
        #expect(behind.fields["set-cookie"]?.hasSuffix("; Secure") == true)
        let person = try await server.ask("GET", "/", ["Accept": "text/html,*/*"])
        #expect(person.status == 401 && person.fields["content-type"] == "text/html; charset=utf-8")
        #expect(person.text.contains("<input name=\"token\""))
        #expect(person.text.contains("The token is missing."))
        #expect(person.fields["content-security-policy"]?.contains("form-action 'self'") == true)
        let pair = String(cookie.prefix { $0 != ";" })
        #expect(try await server.ask("GET", "/api/v1/moods", ["Cookie": pair]).status == 200)
        #expect(try await server.ask("GET", "/?token=0123456789abcdeX").status == 401)
        try await server.end()
    }

    /// RFC 9110, 10.2.3 and 7.6.1; docs/SERVE.md, "Limits".
    @Test func `a refusal says when to come again, and whether the connection ends`() async throws {
        let server = try await TestServer(photos: ["one.png": TestServer.png(200)]) { options, _ in
            (options.limits.uploads, options.limits.pictures, options.limits.snapshots) = (0, 0, 0)
        }
        let upload = try await server.upload("a.png", TestServer.png(1))
        #expect(upload.status == 429 && upload.fields["retry-after"] == "1")
        #expect(upload.fields["connection"] == "close")
        let picture = try await server.ask("GET", "/large/1.jpg")
        #expect(picture.status == 503 && picture.fields["retry-after"] == "1")
        let list = try await server.ask("GET", "/api/v1/list")
        #expect(list.status == 503 && list.fields["retry-after"] == "1")
        let foreign = try await server.ask("GET", "/api/v1/moods", ["Origin": "http://evil.com"])
        #expect(foreign.status == 403 && foreign.fields["connection"] == "close")
        try await server.end()
    }

    @Test func `what a list or a search cannot mean is refused, at the ends of each number`() async throws {
        let server = try await TestServer(photos: ["one.png": TestServer.png(200)])
        for (target, status) in [
            ("moods?missing=1", 200), ("moods?missing=true", 200), ("moods?missing=", 200),
            ("moods?missing=0", 400), ("moods?limit=0", 400), ("moods?limit=1", 200),
            ("moods?limit=1&limit=1", 400),
            ("moods?sort=-date", 200), ("moods?sort=-date:asc", 400), ("moods?sort=date:asc:desc", 400),
            ("find?q=red&within=0", 400), ("find?q=red&within=100", 200), ("find?q=red&within=100.5", 400),
            ("find?q=red&share=100", 200), ("find?q=red&share=100.5", 400), ("find?q=red&share=-1", 400),
            ("find?like=1&limit=9223372036854775807", 200), ("moods?limit=9223372036854775807", 200),
            ("moods?limit=9223372036854775808", 400),
            ("find?q=%20", 400), ("find?like=0", 400), ("find?like=99", 404), ("moods/01", 404),
            ("list?as=rows", 200), ("list?as=records", 400), ("events?as=x", 400), ("events?sort=id", 400),
        ] {
            #expect(try await server.ask("GET", "/api/v1/" + target).status == status, "\(target)")
        }
        // Of "date >" there are six characters: what is missing would begin with the seventh.
        let cut = try await server.ask("GET", "/api/v1/moods?where=date%20%3E").text
        #expect(cut.contains("where: cannot be read from character 7 on: "), "\(cut)")
        try await server.end()
    }

    /// RFC 9110, 13.1.2: a list of ten megabytes is sent to a browser that does not have it.
    @Test func `a list is sent once at each generation, and as much of it as is asked for`() async throws {
        let server = try await TestServer()
        for number in 0..<3 { _ = try await server.upload("\(number).png", TestServer.png(UInt8(number))) }
        let list = try await server.ask("GET", "/api/v1/list?limit=2")
        let lines = list.text.split(separator: "\n"), tag = try #require(list.fields["etag"])
        #expect(lines.count == 3 && lines[0].contains("\"count\":3"))
        #expect(list.fields["cache-control"] == "private, no-cache")
        let known = ["If-None-Match": tag]
        #expect(try await server.ask("GET", "/api/v1/list?limit=2", known).status == 304)
        let weak = ["If-None-Match": "\"a\", W/" + tag]
        #expect(try await server.ask("GET", "/api/v1/list?limit=2", weak).status == 304, "a proxy compresses")
        #expect(try await server.ask("GET", "/api/v1/list", known).status == 200, "there is more")
        _ = try await server.ask("DELETE", "/api/v1/moods/1")
        #expect(try await server.ask("GET", "/api/v1/list?limit=2", known).status == 200)
        #expect(try await server.ask("GET", "/api/v1/list?limit=0").status == 400)
        let icon = try await server.ask("GET", "/favicon.ico")
        #expect(icon.status == 200 && icon.fields["content-type"] == "image/svg+xml")
        try await server.end()
    }

    @Test func `a page may use its own camera, and proxies hand its events on`() async throws {
        let server = try await TestServer { options, _ in options.limits.undo = 90 }
        let page = try await server.ask("HEAD", "/")
        #expect(page.fields["permissions-policy"] == "camera=(self), microphone=(), geolocation=()")
        let events = try await server.ask("HEAD", "/api/v1/events")
        #expect(
            events.fields["x-accel-buffering"] == "no" && events.fields["content-type"] == "text/event-stream"
        )
        let limits = try await server.ask("GET", "/api/v1/status").json["limits"] as? [String: Any]
        #expect(limits?["undoSeconds"] as? Int == 90)
        try await server.end()
    }

    @Test func `a port that is taken is named`() async throws {
        let server = try await TestServer()
        await #expect(throws: ServerError.self) {
            let other = try await TestServer { options, _ in options.port = server.port }
            try await other.end()
        }
        try await server.end()
    }

    @Test func `its end is told to viewers, and streams end`() async throws {
        let server = try await TestServer(), stream = try await server.stream()
        try await server.end()
        let text = String(decoding: try await stream.read { _ in false }, as: UTF8.self)
        #expect(text.contains("event: bye"))
        #expect(server.errors.value.withLock { $0 }.isEmpty)
    }
}
#endif
