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
}
