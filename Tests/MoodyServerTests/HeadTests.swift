import Images
import MoodyModel
import Testing

@testable import MoodyServer

/// Addresses, names and event IDs: what comes from outside as text.
@Suite struct HeadTests {
    private func status(_ method: String, _ target: String) -> Int {
        do throws(Refusal) {
            _ = try Route(RequestHead(method, target))
            return 0
        } catch { return error.status }
    }

    @Test(arguments: [
        ("/", Route.page), ("/?token=x", .page), ("/pictures/12.jpg", .picture(.pictures, 12)),
        ("/sharp/1.jpg?v=ab", .picture(.sharp, 1)),
        ("/large/9223372036854775807.jpg", .picture(.large, .max)),
        ("/api/v1/list", .list), ("/api/v1/events?as=rows", .events), ("/api/v1/moods", .moods),
        ("/api/v1/moods/7", .mood(7)), ("/api/v1/find?q=a", .find), ("/api/v1/status", .status),
        ("/api/v1/openapi.json", .openapi),
        ("/api/v1/moods/7/formats/kitty?variant=light", .text(7, format: "kitty")),
        ("/api/v1/moods/7/similar?kind=crops", .similar(7)),
    ])
    func `addresses lead where they say`(target: String, route: Route) throws {
        #expect(try Route(RequestHead("GET", target)) == route)
        #expect(try Route(RequestHead("HEAD", target)) == route)
    }

    @Test(arguments: [
        "//", "/index.html", "/pictures", "/pictures/", "/pictures/.jpg", "/pictures/12.png", "/pictures/12",
        "/pictures/0.jpg", "/pictures/-1.jpg", "/pictures/+1.jpg", "/pictures/01.jpg", "/pictures/1e3.jpg",
        "/pictures/12abc.jpg", "/pictures/9223372036854775808.jpg", "/pictures/１.jpg", "/pictures/1.jpg/",
        "/pictures/../1.jpg", "/pictures/..%2f1.jpg", "/pictures/1%00.jpg", "/pictures/%31.jpg",
        "/PICTURES/1.jpg",
        "/api", "/api/v1", "/api/v1/", "/api/v1/moods/", "/api/v1/moods/0", "/api/v1/moods/-1",
        "/api/v1/moods/1e3", "/api/v1/moods/12abc", "/api/v1/moods/9223372036854775808",
        "/apis/v1/moods", "/v1/v1/moods", "/api/v1/mood/1", "/apis/v1/moods/1", "/api/v2/moods/1",
        "/api/v1/find/1",
        "/apis/v1/moods/1/restore", "/api/v2/moods/1/restore", "/api/v1/photos/1/restore",
        "/api/v1/moods/1/undo", "/api/v1/moods/x/similar", "/api/v1/moods/1/similar/",
        "/api/v1/moods/1/formats", "/api/v1/moods/1/formats/",
        "/api/v1/moods/x/formats/kitty", "/api/v1/moods/1/formats/a/b",
        "/api/v1/moods/x/restore", "/favicon.ico/", "/favicon.png", "/picture/1.jpg",
        "/api/v1/moods/1/delete", "/api/v1/moods/1/restore/", "/api/v2/moods", "/api/v1/LIST",
        "/.moody-export", "/..", "/../../etc/passwd", "/%2e%2e/etc/passwd", "/Moody.moody",
    ])
    func `other addresses lead nowhere`(target: String) {
        #expect(status("GET", target) == 404)
        #expect(status("DELETE", target) == 404)
    }

    @Test func `other methods are told which there are`() {
        for (method, target, allow) in [
            ("POST", "/", "GET, HEAD"), ("DELETE", "/pictures/1.jpg", "GET, HEAD"),
            ("PUT", "/api/v1/moods/1", "GET, HEAD, DELETE"), ("GET", "/api/v1/photos", "POST"),
            ("GET", "/api/v1/moods/1/restore", "POST"), ("OPTIONS", "/api/v1/photos", "POST"),
            ("HEAD", "/api/v1/photos", "POST"), ("TRACE", "/api/v1/list", "GET, HEAD"),
        ] {
            do throws(Refusal) {
                _ = try Route(RequestHead(method, target))
                Issue.record("\(method) \(target)")
            } catch {
                #expect(error.status == 405)
                #expect(error.allow == allow, "\(method) \(target)")
            }
        }
    }

    @Test func `queries are decoded, and broken ones are told from empty ones`() {
        func pairs(_ text: String) -> [String]? {
            RequestHead("GET", "/" + text).query?.map { "\($0.name)|\($0.value)" }
        }
        #expect(pairs("") == [])
        #expect(pairs("?") == [])
        #expect(pairs("?a=1&b=&c&=d&&e=f=g") == ["a|1", "b|", "c|", "|d", "e|f=g"])
        #expect(pairs("?q=a+b%20c%2Bd") == ["q|a b c+d"])
        #expect(pairs("?q=%F0%9F%8C%8A") == ["q|🌊"])
        for broken in ["?q=%", "?q=%4", "?q=%zz", "?q=%ff", "?%c3%28=1", "?q=%C0%80"] {
            #expect(pairs(broken) == nil, "\(broken)")
        }
    }

    @Test func `an ID of an event is eight digits and a generation`() throws {
        let position = try #require(EventText.position("7f3a9c21-43"))
        #expect(position == ("7f3a9c21", 43))
        #expect(EventText.position("7f3a9c21-18446744073709551615")?.generation == .max)
        for text in [
            "", "-", "7f3a9c21", "7f3a9c21-", "-43", "7f3a9c2-43", "7f3a9c211-43", "7f3a9c2x-43",
            "7f3a9c21--1", "7f3a9c21-+1", "7f3a9c21-1e3", "7f3a9c21-18446744073709551616", "7f3a9c21-4-3",
            "7f3a9c21-４", "7f3a9c21-43\n",
        ] {
            #expect(EventText.position(text) == nil, "\(text)")
        }
    }

    @Test func `an event has one line of data`() {
        let text = EventText.event("problem", [("name", .string("a\nb\r\u{2028}c")), ("reason", "x")])
        let lines = String(decoding: text, as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 4 && lines[2].isEmpty && lines[3].isEmpty)
        #expect(!text.contains(13))
        #expect(lines[1].hasPrefix("data: {\"v\":1,"))
    }

    @Test(arguments: [
        nil, "", ".", "..", ".hidden.jpg", "../x.jpg", "a/b.jpg", "/etc/passwd", "a\0.jpg",
        "\u{200f}.jpg", "\u{feff}.jpg", "\u{200d}", "\u{202e}\n",
    ])
    func `names that are no plain names are refused`(name: String?) {
        do throws(Refusal) {
            _ = try UploadName(name)
            Issue.record("\(name ?? "nil") is taken")
        } catch { #expect(error.status == 400) }
    }

    private enum England {
        static let name = "\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}.jpg"
    }

    /// Unicode 17, 23.2 (joiners) and UTS 51, C.1 (flags of regions); Windows shares put U+200E into dates.
    @Test(arguments: [
        ("a\n.jpg", "a.jpg"), ("a\u{7f}.jpg", "a.jpg"), ("a\u{202e}gpj.exe", "agpj.exe"),
        ("a\u{200f}.jpg", "a.jpg"), ("a\u{2028}.jpg", "a.jpg"), ("\u{feff}a.jpg", "a.jpg"),
        ("\u{200e}2024.jpg", "2024.jpg"), ("Wein\u{ad}berg.jpg", "Weinberg.jpg"),
        ("می\u{200c}خواهم.jpg", "می\u{200c}خواهم.jpg"),
        (England.name, England.name),
        (String(repeating: "x", count: 300) + ".jpeg", String(repeating: "x", count: 195) + ".jpeg"),
        (String(repeating: "海", count: 70) + ".jpg", String(repeating: "海", count: 65) + ".jpg"),
        (String(repeating: "é", count: 101), String(repeating: "é", count: 100)),
        (String(repeating: "👨‍👩‍👧", count: 20) + ".png", String(repeating: "👨‍👩‍👧", count: 10) + ".png"),
    ])
    func `a name loses what cannot be seen, and of a long one the middle`(name: String, kept: String) throws {
        #expect(try UploadName(name).text == kept)
    }

    @Test(arguments: [
        String(repeating: "x", count: 200), String(repeating: "é", count: 100),
        String(repeating: "\u{1F30A}", count: 50),
    ])
    func `a name of 200 bytes is one`(name: String) throws { #expect(try UploadName(name).text == name) }

    @Test(arguments: [
        ("::1", "[::1]:8484"), ("127.0.0.1", "127.0.0.1:8484"), ("gallery.example", "gallery.example:8484"),
    ])
    func `an address that cannot be listened on is shown as in a URL`(host: String, shown: String) {
        let error = ServerError.cannotListen(host: host, port: 8484, reason: "no such address")
        #expect("\(error)" == "cannot listen on \(shown): no such address")
    }

    @Test func `the content says how a name ends, and a copy gets a number`() throws {
        func name(_ text: String, _ format: ImageFormat, _ copy: Int = 1) throws -> String {
            try UploadName(text).name(of: format, copy: copy)
        }
        #expect(try name("IMG.jpg", .jpeg) == "IMG.jpg")
        #expect(try name("IMG.JPEG", .jpeg, 2) == "IMG (2).JPEG")
        #expect(try name("photo.png", .jpeg) == "photo.png.jpg")
        #expect(try name("notes.txt", .png, 3) == "notes.txt (3).png")
        #expect(try name("photo", .webp) == "photo.webp")
        #expect(try name("🌊 👨‍👩‍👧.jpg", .jpeg) == "🌊 👨‍👩‍👧.jpg")
        #expect(try name("COM1.jpg", .jpeg) == "COM1.jpg")
        #expect(try name("a b;$(x)'\".jpg", .jpeg) == "a b;$(x)'\".jpg")
    }
}
