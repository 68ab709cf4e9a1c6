import Foundation
import TestSupport
import Testing

@testable import MoodyServer

/// Which heads come in: the attacks of docs/SERVE.md, each by its head.
@Suite struct GateTests {
    private let gate = Gate(host: "127.0.0.1", port: 8484, allowed: ["gallery.example"], token: nil)

    /// 0 for a head that may come in.
    private func status(_ head: RequestHead, _ gate: Gate? = nil) -> Int {
        switch (gate ?? self.gate).verdict(of: head) {
        case .pass: 0
        case .enter: 303
        case .refuse(let refusal): refusal.status
        }
    }

    private static let own = [
        "127.0.0.1:8484", "localhost:8484", "LocalHost:8484", "[::1]:8484", "gallery.example",
        "Gallery.Example", "gallery.example:8484", "gallery.example:8443",
    ]
    private static let foreign = [
        "", "127.0.0.1", "localhost", "127.0.0.1:80", "127.0.0.1:84840", "127.0.0.1:8484.", "evil.com",
        "evil.com:8484", "127.0.0.1:8484.evil.com", "localhost:8484@evil.com", "evil.com#127.0.0.1:8484",
        "127.0.0.1.evil.com:8484", "localhost.evil.com:8484", "xlocalhost:8484", "127.0.0.1:08484",
        "127.1:8484", "2130706433:8484", "0x7f.1:8484", "0.0.0.0:8484", "[::]:8484",
        "[::ffff:127.0.0.1]:8484",
        "127.0.0.1:8484 ", " 127.0.0.1:8484", "127.0.0.1:8484,evil.com", "gallery.example:",
        "gallery.example.evil.com", "www.gallery.example", "gallery.example.", "192.168.0.1:8484",
        "http://127.0.0.1:8484", "127.0.0.1:8484/", "localhost:8484\u{0}", "１２７.0.0.1:8484", "127。0。0。1:8484",
    ]

    @Test func `whoever is refused is not read any further`() {
        let secret = Gate(host: "127.0.0.1", port: 8484, allowed: [], token: "0123456789abcdef")
        let own = ["127.0.0.1:8484"]
        let heads: [(RequestHead, Gate)] = [
            (RequestHead("GET", "*", hosts: own), gate), (RequestHead("GET", "/", hosts: []), gate),
            (RequestHead("GET", "/", hosts: ["evil.com"]), gate),
            (RequestHead("POST", "/", hosts: own, [("Origin", "a"), ("Origin", "a")]), gate),
            (RequestHead("POST", "/", hosts: own, [("Origin", "http://evil.com")]), gate),
            (RequestHead("POST", "/", hosts: own, [("Sec-Fetch-Site", "cross-site")]), gate),
            (RequestHead("GET", "/", hosts: own), secret),
            (RequestHead("GET", "/?token=a", hosts: own), secret),
        ]
        for (head, gate) in heads {
            guard case .refuse(let refusal) = gate.verdict(of: head) else {
                Issue.record("\(head)")
                continue
            }
            #expect(refusal.closes, "\(head)")
        }
    }

    @Test(arguments: own, ["GET", "HEAD", "POST", "DELETE"])
    func `our own names come in`(host: String, method: String) {
        #expect(status(RequestHead(method, "/", hosts: [host])) == 0)
    }

    /// RFC 9110, 7.2: the port is left out where it is the scheme's own.
    @Test(arguments: [
        ("127.0.0.1", 0), ("127.0.0.1:80", 0), ("localhost", 0), ("[::1]", 0), ("[::1]:80", 0),
        ("192.168.0.7", 0), ("192.168.0.7:80", 0), ("127.0.0.1:8080", 403), ("127.0.0.1:", 403),
        ("evil.com", 403), ("evil.com:80", 403),
    ])
    func `at port 80 our names come in with it and without`(host: String, status: Int) {
        let gate = Gate(host: "192.168.0.7", port: 80, allowed: [], token: nil)
        #expect(self.status(RequestHead("GET", "/", hosts: [host]), gate) == status)
    }

    @Test(arguments: foreign, ["GET", "DELETE"])
    func `names that were rebound to this machine, or only look like ours, do not`(
        host: String, method: String
    ) {
        #expect(status(RequestHead(method, "/api/v1/moods", hosts: [host])) == 403)
    }

    @Test(arguments: [
        [], ["127.0.0.1:8484", "127.0.0.1:8484"], ["127.0.0.1:8484", "evil.com"], ["a", "b", "c"],
    ])
    func `a head without a Host, or with several, does not`(hosts: [String]) {
        #expect(status(RequestHead("GET", "/", hosts: hosts)) == 400)
    }

    @Test(arguments: ["", "*", "evil.com:443", "http://127.0.0.1:8484/", "http://evil.com/", "x", "?token=1"])
    func `a target that is no path does not`(target: String) {
        #expect(status(RequestHead("GET", target, hosts: ["127.0.0.1:8484"])) == 400)
    }

    private static let writes = [
        ("POST", "/api/v1/photos?name=a"), ("DELETE", "/api/v1/moods/1"), ("POST", "/api/v1/moods/1/restore"),
        ("PUT", "/"), ("PATCH", "/"), ("BREW", "/"),
    ]

    @Test(arguments: writes)
    func `only our own page and programs write`(method: String, target: String) {
        func head(_ fields: [(name: String, value: String)], host: String = "127.0.0.1:8484") -> RequestHead {
            RequestHead(method, target, hosts: [host], fields)
        }
        #expect(status(head([])) == 0)
        #expect(status(head([("Origin", "http://127.0.0.1:8484"), ("Sec-Fetch-Site", "same-origin")])) == 0)
        #expect(status(head([("origin", "HTTP://127.0.0.1:8484")])) == 0)
        // RFC 3986, 3.2.2: the case of a host says nothing.
        #expect(
            status(RequestHead("POST", "/", hosts: ["LOCALHOST:8484"], [("Origin", "http://localhost:8484")]))
                == 0)
        #expect(status(head([("Origin", "https://gallery.example")], host: "gallery.example")) == 0)
        for origin in [
            "null", "", "http://evil.com", "https://127.0.0.1:8484", "http://127.0.0.1:8485",
            "http://127.0.0.1", "http://localhost:8484", "http://127.0.0.1:8484.evil.com",
            "http://127.0.0.1:8484/", "file://", "chrome-extension://abc", "http://evil.com@127.0.0.1:8484",
        ] {
            #expect(status(head([("Origin", origin)])) == 403, "\(origin)")
        }
        for site in ["cross-site", "same-site", "none", "", "Same-Origin", "same-origin, cross-site"] {
            #expect(status(head([("Sec-Fetch-Site", site)])) == 403, "\(site)")
            let both = [
                (name: "Sec-Fetch-Site", value: site), (name: "Origin", value: "http://127.0.0.1:8484"),
            ]
            #expect(status(head(both)) == 403, "\(site)")
        }
        #expect(status(head([("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Site", "same-origin")])) == 400)
        #expect(status(head([("Origin", "http://127.0.0.1:8484"), ("Origin", "http://evil.com")])) == 400)
    }

    /// nginx on another port than 443, with `$host`, which leaves the port out; a tunnel's own port.
    @Test func `a proxy may show another port than it forwards, where the browser vouches for its page`() {
        func write(_ origin: String, host: String, site: String? = "same-origin") -> Int {
            let fields = [("Origin", origin)] + (site.map { [("Sec-Fetch-Site", $0)] } ?? [])
            return status(RequestHead("POST", "/", hosts: [host], fields.map { (name: $0.0, value: $0.1) }))
        }
        #expect(write("https://gallery.example:8443", host: "gallery.example") == 0)
        #expect(write("https://gallery.example:8443", host: "gallery.example:8443") == 0)
        #expect(write("https://gallery.example:8443", host: "gallery.example", site: nil) == 403)
        #expect(write("https://gallery.example:8443", host: "gallery.example", site: "same-site") == 403)
        #expect(write("https://evil.com:8443", host: "gallery.example") == 403)
        #expect(write("ftp://gallery.example:8443", host: "gallery.example") == 403)
        #expect(write("http://127.0.0.1:9000", host: "127.0.0.1:8484") == 403)
    }

    @Test(arguments: ["/api/v1/moods", "/api/v1/events", "/pictures/1.jpg", "/large/1.jpg", "/"])
    func `nothing is read by pages of other sites`(target: String) {
        func head(_ fields: [(name: String, value: String)], method: String = "GET") -> RequestHead {
            RequestHead(method, target, hosts: ["localhost:8484"], fields)
        }
        #expect(status(head([("Sec-Fetch-Site", "same-origin")])) == 0)
        #expect(status(head([("Sec-Fetch-Site", "none"), ("Sec-Fetch-Mode", "navigate")])) == 0)
        for site in ["cross-site", "same-site", "odd"] {
            for mode in ["no-cors", "cors", "websocket", ""] {
                #expect(status(head([("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", mode)])) == 403)
            }
            // A link may be followed to the page alone, and not into a frame.
            func link(_ dest: String, method: String = "GET", mode: String = "navigate") -> Int {
                let fields = [("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", mode), ("Sec-Fetch-Dest", dest)]
                return status(head(fields.map { (name: $0.0, value: $0.1) }, method: method))
            }
            #expect(link("document") == (target == "/" ? 0 : 403))
            #expect(link("document", method: "POST") == 403 && link("document", mode: "no-cors") == 403)
            for dest in ["iframe", "frame", "embed", "object", "image"] { #expect(link(dest) == 403) }
        }
        #expect(status(head([("Origin", "http://evil.com")])) == 403)
    }

    @Test func `with a token nothing is told without it`() {
        let secret = "0123456789abcdef0123456789abcdef"
        let gate = Gate(host: "127.0.0.1", port: 8484, allowed: [], token: secret)
        func head(_ target: String, _ fields: [(name: String, value: String)] = [], _ method: String = "GET")
            -> RequestHead
        {
            RequestHead(method, target, hosts: ["127.0.0.1:8484"], fields)
        }
        for target in ["/", "/api/v1/moods", "/pictures/1.jpg", "/api/v1/openapi.json", "/nothing"] {
            #expect(status(head(target), gate) == 401)
        }
        guard case .enter(let cookie) = gate.verdict(of: head("/?token=" + secret)) else {
            Issue.record("the right token does not enter")
            return
        }
        #expect(!cookie.contains(secret) && cookie.hasPrefix("moody-8484="))
        #expect(status(head("/", [("Cookie", cookie)]), gate) == 0)
        // RFC 9113, 8.2.3: a client may send a field for each cookie.
        #expect(status(head("/", [("Cookie", "a=b"), ("Cookie", cookie), ("Cookie", "c=d")]), gate) == 0)
        #expect(status(head("/api/v1/moods", [("Cookie", "a=b; \(cookie); c=d")]), gate) == 0)
        #expect(status(head("/api/v1/moods", [("Authorization", "Bearer " + secret)]), gate) == 0)
        #expect(status(head("/", [("Authorization", "bearer " + secret)], "DELETE"), gate) == 0)
        // The token in the address of anything but the page is none.
        #expect(status(head("/api/v1/moods?token=" + secret), gate) == 401)
        #expect(status(head("/", [("Cookie", "moody-8484=" + secret)]), gate) == 401)
        #expect(status(head("/", [("Cookie", "moody-8484=")]), gate) == 401)
    }

    @Test func `the cookies of servers on other ports neither admit nor count as wrong tokens`() {
        let secret = "0123456789abcdef"
        let gate = Gate(host: "127.0.0.1", port: 8484, allowed: [], token: secret)
        let other = Gate(host: "127.0.0.1", port: 8485, allowed: [], token: "fedcba9876543210")
        func enter(_ gate: Gate, _ port: Int, _ secret: String) -> String {
            let head = RequestHead("GET", "/?token=" + secret, hosts: ["127.0.0.1:\(port)"])
            guard case .enter(let cookie) = gate.verdict(of: head) else { return "" }
            return cookie
        }
        let own = enter(gate, 8484, secret), foreign = enter(other, 8485, "fedcba9876543210")
        func ask(_ cookies: String) -> Int {
            status(RequestHead("GET", "/", hosts: ["127.0.0.1:8484"], [("Cookie", cookies)]), gate)
        }
        for _ in 0..<20 { #expect(ask(foreign) == 401) }
        #expect(ask("moody-8484=wrong") == 401)
        #expect(ask("\(foreign); \(own)") == 0 && ask("\(own); \(foreign)") == 0)
    }

    /// RFC 6585, 4. A token that a person chose may be guessed where guesses cost nothing.
    @Test func `after ten wrong tokens none of their address is looked at for a minute, others are`() {
        let secret = "0123456789abcdef", start = ContinuousClock.now
        let gate = Gate(host: "127.0.0.1", port: 8484, allowed: [], token: secret)
        func ask(_ token: String, after seconds: Int, from address: String = "192.0.2.7") -> Int {
            let head = RequestHead("GET", "/?token=" + token, hosts: ["127.0.0.1:8484"])
            switch gate.verdict(of: head, from: address, at: start + .seconds(seconds)) {
            case .pass: return 0
            case .enter: return 303
            case .refuse(let refusal):
                #expect(refusal.retryAfter == (refusal.status == 429 ? 60 : nil))
                return refusal.status
            }
        }
        #expect(ask(secret, after: 0) == 303)
        #expect((0..<10).allSatisfy { ask("wrong\($0)", after: $0) == 401 })
        #expect(ask("wrong", after: 10) == 429)
        #expect(ask(secret, after: 11) == 429, "a guess that is right says nothing")
        #expect(ask(secret, after: 11, from: "192.0.2.8") == 303)
        // The first one is a minute old then, and no other.
        #expect(ask(secret, after: 60) == 429)
        #expect(ask(secret, after: 61) == 303)
        #expect(ask("wrong", after: 61) == 401)
        #expect(ask("wrong", after: 61) == 429)
        // RFC 6177: a home has at least 2^64 addresses.
        for number in 0..<10 { #expect(ask("wrong", after: 70, from: "2001:db8::\(number)") == 401) }
        #expect(ask(secret, after: 70, from: "2001:db8::a:b:c:d") == 429)
        #expect(ask(secret, after: 70, from: "2001:db8:0:1::1") == 303)
        // IPv4 as a socket for both tells it: RFC 4291, 2.5.5.2.
        for _ in 0..<10 { #expect(ask("wrong", after: 70, from: "::ffff:192.0.2.20") == 401) }
        #expect(ask(secret, after: 70, from: "192.0.2.20") == 429)
        #expect(ask(secret, after: 70, from: "::ffff:192.0.2.21") == 303)
        #expect(ask(secret, after: 70, from: "::1") == 303)
    }

    @Test func `who guesses keeps out nobody who is in, and a cookie does not tell the token`() {
        func gate(_ token: String, _ secret: String?) -> Gate {
            Gate(host: "127.0.0.1", port: 8484, allowed: [], token: token, secret: secret)
        }
        func cookie(_ gate: Gate, _ token: String) -> String {
            let head = RequestHead("GET", "/?token=" + token, hosts: ["127.0.0.1:8484"])
            guard case .enter(let cookie) = gate.verdict(of: head) else { return "" }
            return cookie
        }
        let token = "0123456789abcdef", first = gate(token, "kept")
        let own = cookie(first, token)
        func ask(_ fields: [(name: String, value: String)]) -> Int {
            status(RequestHead("GET", "/api/v1/moods", hosts: ["127.0.0.1:8484"], fields), first)
        }
        for _ in 0..<20 { _ = ask([("Authorization", "Bearer wrong")]) }
        #expect(ask([("Authorization", "Bearer " + token)]) == 429)
        #expect(ask([("Cookie", own)]) == 0)
        // The cookie of an earlier token is no guess.
        for _ in 0..<20 { #expect(ask([("Cookie", "moody-8484=old")]) == 401) }
        #expect(!own.isEmpty && cookie(gate(token, "kept"), token) == own, "the server was started again")
        #expect(cookie(gate("fedcba9876543210", "kept"), "fedcba9876543210") != own)
        #expect(cookie(gate(token, "other"), token) != own)
        #expect(cookie(gate(token, nil), token) != cookie(gate(token, nil), token))
    }

    @Test func `behind a proxy of this machine its word counts for who asks, elsewhere nobody's`() {
        let token = "0123456789abcdef"
        func ask(_ gate: Gate, _ given: String, _ named: String, from address: String) -> Int {
            let head = RequestHead(
                "GET", "/?token=" + given, hosts: ["127.0.0.1:8484"], [("X-Forwarded-For", named)])
            return switch gate.verdict(of: head, from: address) {
            case .pass: 0
            case .enter: 303
            case .refuse(let refusal): refusal.status
            }
        }
        for (allowed, address, isTrusted) in [
            (["gallery.example"], "127.0.0.1", true), (["gallery.example"], "::1", true),
            ([], "127.0.0.1", false), (["gallery.example"], "192.0.2.7", false),
        ] {
            let gate = Gate(host: "127.0.0.1", port: 8484, allowed: allowed, token: token)
            for number in 0..<10 {
                // A proxy that adds to what it got names the caller last.
                _ = ask(gate, "wrong", "198.51.100.\(number), 203.0.113.9", from: address)
            }
            #expect(ask(gate, token, "203.0.113.9", from: address) == 429)
            #expect(ask(gate, token, "203.0.113.10", from: address) == (isTrusted ? 303 : 429))
        }
    }

    /// Apache's mod_proxy, as it comes, sends the name of this machine as Host, and these fields.
    @Test func `a proxy that hides the name it was asked by does not come in`() {
        let secret = Gate(host: "127.0.0.1", port: 8484, allowed: [], token: "0123456789abcdef")
        let open = Gate(host: "127.0.0.1", port: 8484, allowed: [], token: nil)
        for name in ["X-Forwarded-For", "X-Forwarded-Host", "Forwarded"] {
            let head = RequestHead("GET", "/", hosts: ["127.0.0.1:8484"], [(name, "for=203.0.113.9")])
            #expect(status(head, open) == 403 && status(head) == 0 && status(head, secret) == 401)
        }
    }

    @Test func `a name that is allowed in capitals is the same name`() {
        let gate = Gate(host: "127.0.0.1", port: 8484, allowed: ["Photos.Example"], token: nil)
        for host in ["photos.example", "PHOTOS.EXAMPLE"] {
            #expect(status(RequestHead("GET", "/", hosts: [host]), gate) == 0)
            let own = [("Origin", "https://" + host), ("Sec-Fetch-Site", "same-origin")]
            #expect(status(RequestHead("POST", "/", hosts: [host], own), gate) == 0)
        }
    }

    @Test func `a server that listens on all addresses takes any address, and no name`() {
        let gate = Gate(host: "0.0.0.0", port: 80, allowed: [], token: nil)
        func ask(_ host: String) -> Int { status(RequestHead("GET", "/", hosts: [host]), gate) }
        for host in ["192.168.1.5:80", "[fe80::1]:80", "127.0.0.1", "localhost:80", "0.0.0.0:80"] {
            #expect(ask(host) == 0, "\(host)")
        }
        for host in [
            "evil.com:80", "1.2.3.4.evil.com:80", "1.2.3:80", "[evil]:80", "256.1.1.1:80", "1.2.3.4:81",
        ] {
            #expect(ask(host) == 403, "\(host)")
        }
    }

    /// RFC 1122, 3.2.1.3; RFC 4291, 2.5.3.
    @Test func `only addresses of the loopback network are this machine alone`() {
        for host in ["127.0.0.1", "127.255.255.254", "::1", "localhost"] {
            #expect(ServerOptions.isLoopback(host), "\(host)")
        }
        for host in [
            "0.0.0.0", "::", "128.0.0.1", "127.example.com.org", "127.0.0.1.example.org", "127.0.0", "",
            "localhost.org",
        ] {
            #expect(!ServerOptions.isLoopback(host), "\(host)")
        }
    }

    @Test func `random heads never come in by a foreign name`() {
        var random = SplitMix64(seed: 1)
        let letters = Array("127.0.0.1:8484localhost[]evil.com@#/?%\\ \t,;\u{0}".unicodeScalars)
        let own = Set(Self.own.map { $0.lowercased() })
        for _ in 0..<5_000 {
            var text = ""
            for _ in 0..<Int.random(in: 0...24, using: &random) {
                text.unicodeScalars.append(letters.randomElement(using: &random)!)
            }
            if own.contains(text.lowercased()) { continue }
            #expect(status(RequestHead("GET", "/", hosts: [text])) == 403, "\(text)")
        }
    }
}
