import Foundation
import Glibc
import Testing

/// Who else than this machine's users may read: `moody serve` behind a proxy.
@Suite struct ServePrivacyTests {
    @Test(arguments: [
        ([], ["path", "latitude"]), (["--allow-host", "photos.example"], []),
        (["--allow-host", "photos.example", "--with-paths"], ["path"]),
        (["--allow-host", "photos.example", "--with-places"], ["latitude"]),
    ])
    func `a server that a proxy hands on tells no paths and places unless it is told to`(
        options: [String], told: [String]
    ) throws {
        let bench = try Workbench()
        let samples = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Samples/Photos").path
        _ = try bench.shell("mkdir Photos; cp '\(samples)/receipt.jpg' Photos; \"$moody\" ingest -q Photos")
        let more = options.joined(separator: " ")
        let serve = try bench.startShell("exec \"$moody\" serve --port 0 --token 0123456789abcdef \(more)")
        try serve.waitForOut("/?token=")
        let port = try #require(serve.outText.firstMatch(of: /127\.0\.0\.1:(\d+)/)?.output.1)
        let answer = try bench.shell(
            """
            python3 - <<'PY'
            import urllib.request as u
            print(u.urlopen(u.Request('http://127.0.0.1:\(port)/api/v1/moods',
                headers={'Authorization': 'Bearer 0123456789abcdef'})).read().decode())
            PY
            """)
        let mood = try #require(answer.out.firstMatch(of: /"path":"([^"]*)"/)?.output.1, "\(answer)")
        #expect((mood == bench.path("Photos/receipt.jpg")) == told.contains("path"), "\(mood)")
        #expect(mood.hasSuffix("receipt.jpg"))
        #expect(answer.out.contains("\"latitude\"") == told.contains("latitude"))
        serve.send(SIGINT)
        #expect(try serve.wait().status == 0)
    }

    @Test func `with -v each request is a line, without its token`() throws {
        let bench = try Workbench()
        let serve = try bench.startShell(
            "exec \"$moody\" serve -v --port 0 --store a.moody --token 0123456789abcdef")
        try serve.waitForOut("/?token=")
        let port = try #require(serve.outText.firstMatch(of: /127\.0\.0\.1:(\d+)/)?.output.1)
        _ = try bench.shell(
            """
            python3 - <<'PY'
            import http.client
            caller = http.client.HTTPConnection('127.0.0.1', \(port))
            caller.request('GET', '/api/v1/status?token=0123456789abcdef', headers={
                'Authorization': 'Bearer 0123456789abcdef', 'X-Forwarded-For': '192.0.2.7'})
            caller.getresponse().read()
            PY
            """)
        serve.send(SIGINT)
        let run = try serve.wait()
        let line = /192\.0\.2\.7 by 127\.0\.0\.1 GET \/api\/v1\/status [0-9]{3} [0-9]+ bytes/
        #expect(run.err.contains(line), "\(run.err)")
        #expect(!run.err.contains("0123456789abcdef"))
    }

    @Test func `behind a proxy a token is needed, which stays the same for a store`() throws {
        let bench = try Workbench()
        var tokens: [String] = []
        for store in ["a", "a", "b"] {
            let serve = try bench.startShell(
                "exec \"$moody\" serve --port 0 --allow-host photos.example --store \(store).moody")
            try serve.waitForOut("?token=")
            let token = try #require(serve.outText.firstMatch(of: /token=([0-9a-f]{32})/)?.output.1)
            tokens.append(String(token))
            serve.send(SIGINT)
            #expect(try serve.wait().status == 0)
        }
        #expect(tokens[0] == tokens[1] && tokens[0] != tokens[2])
        let modes = try bench.shell("stat -c %a .local/state/moody .local/state/moody/token-*")
        #expect(modes.lines == ["700", "600", "600"])
    }

    /// As systemd's LoadCredential, a container's secret and `<(pass show moody)` hand it over.
    @Test func `a token may stand in a file, and is in no list of processes`() throws {
        let bench = try Workbench()
        _ = try bench.shell("printf 'from a file 0123\\r\\nmore\\n' > token; printf short > short; : > empty")
        for word in ["token", "<(cat token)"] {
            let serve = try bench.startShell(
                "exec bash -c 'exec \"$moody\" serve --port 0 --token-file \(word)'")
            try serve.waitForOut("?token=from%20a%20file%200123")
            #expect(try bench.shell("ps axww -o args | grep -c '[f]rom.a.file.0123'").lines == ["0"])
            serve.send(SIGINT)
            #expect(try serve.wait().status == 0)
        }
        for (word, status, told) in [
            ("short", 2, "short: a token must have at least 16 characters, not 5"),
            ("empty", 2, "empty: a token must have at least 16 characters, not 0"),
            ("missing", 2, "missing: No such file or directory"),
            ("token --token 0123456789abcdef", 64, "--token does not go with --token-file"),
        ] {
            let run = try bench.shell("\"$moody\" serve --port 0 --token-file \(word)")
            #expect(run.status == status && run.err.contains(told), "\(run)")
        }
    }

    /// RFC 3986, 2.1: what is not unreserved is escaped.
    @Test func `the address that is printed lets in, whatever the token has in it`() throws {
        let bench = try Workbench()
        let serve = try bench.startShell(
            "exec \"$moody\" serve --port 0 --token 'a+b&c#d%e f/g=h?é0123'")
        try serve.waitForOut("?token=")
        let address = try #require(serve.outText.firstMatch(of: /http:\S+/)?.output)
        let answer = try bench.shell(
            """
            python3 - '\(address)' <<'PY'
            import http.client, sys, urllib.parse
            url = urllib.parse.urlsplit(sys.argv[1])
            line = http.client.HTTPConnection(url.hostname, url.port)
            line.request('GET', url.path + '?' + url.query)
            print(line.getresponse().status)
            PY
            """)
        #expect(answer.lines == ["303"], "\(address): \(answer.out)\(answer.err)")
        serve.send(SIGINT)
        #expect(try serve.wait().status == 0)
    }
}
