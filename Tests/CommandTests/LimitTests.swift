import Foundation
import Glibc
import Testing

/// Photos that are cut short, and the limits of decoders, as options.
@Suite struct LimitTests {
    private let bench: Workbench

    init() throws {
        bench = try Workbench()
        try bench.putPhotos()
        // All but the last rows.
        _ = try bench.shell("head -c 708 Photos/harbour.jpg > cut; mv cut Photos/harbour.jpg")
    }

    private var reason: Regex<(Substring, Substring)> {
        /file ends (after row \d+ of \d+|before its end marker)/
    }

    @Test
    func `a photo that is cut short is named with what was there, and is kept when asked for, with a note`()
        throws
    {
        let refused = try bench.moody("ingest", "Photos")
        #expect(refused.status == 1)
        #expect(refused.err.contains(reason))
        #expect(try bench.moody("list").lines.count == 2)
        // Known to have failed, it is looked at again all the same.
        let kept = try bench.moody("ingest", "--accept-truncated", "Photos")
        #expect(kept.status == 0, "\(kept.err)")
        #expect(kept.out.hasPrefix("+ ") && kept.out.contains("harbour.jpg"))
        for run in [try bench.moody("show", "Photos/harbour.jpg"), try bench.moody("list", "--json")] {
            #expect(run.out.contains("truncated: ") && run.out.contains(reason))
        }
        // It stays when nobody asks any more, as long as the file is the same.
        #expect(try bench.moody("ingest", "Photos").err.hasPrefix("3 photos: 3 unchanged"))
    }

    @Test func `watching and extracting take them too`() throws {
        #expect(try bench.moody("extract", "Photos/harbour.jpg").status == 1)
        let run = try bench.moody("extract", "--accept-truncated", "--json", "Photos/harbour.jpg")
        #expect(run.status == 0 && run.out.contains("\"notes\":[\"truncated: "))
        #expect(try bench.moody("watch", "--once", "--accept-truncated", "Photos").status == 0)
        #expect(try bench.moody("list").lines.count == 3)
    }

    @Test func `a limit is an option`() throws {
        let refused = try bench.moody("extract", "--max", "pixels=100", "Photos/forest.jpg")
        #expect(refused.status == 1)
        #expect(refused.err.contains(" is more than 100 pixels (--max pixels)\n"))
        #expect(try bench.moody("extract", "--max", "pixels=1k,scans=1", "Photos/forest.jpg").status == 0)
        #expect(try bench.moody("ingest", "--max=pixels=100", "Photos/forest.jpg").status == 1)
        #expect(try bench.moody("ingest", "--max=pixels=1M", "Photos/forest.jpg").status == 0)
    }

    @Test(
        arguments: [
            (["pixels=1", "pixels=1M"], 0), (["pixels=1M", "pixels=1"], 1), (["pixels=1,pixels=1M"], 0),
            (["pixels=1M,pixels=1"], 1), (["pixels=1K"], 0), (["pixels=1k"], 0), (["scans=1,pixels=1M"], 0),
            (["pixels=1"], 1),
        ] as [([String], Int32)])
    func `of limits that are said twice the last counts`(limits: [String], status: Int32) throws {
        let run = try bench.run(["extract"] + limits.flatMap { ["--max", $0] } + ["Photos/forest.jpg"])
        #expect(run.status == status, "\(run)")
    }

    @Test func `a server says which folder is none, and serves nothing without one`() throws {
        let made = "\"$moody\" ingest -q --store other.moody --html Page/ Photos/forest.jpg"
        #expect(try bench.shell(made).status == 0)
        try bench.write("text", to: "plain")
        let page = "moody: Page: moody wrote this folder and never reads photos in it\n"
        for (options, status, told) in [
            ("--watch Nowhere", 1, "moody: Nowhere: No such file or directory\n"),
            ("--watch plain", 1, "moody: plain: Not a directory\n"),
            ("--uploads plain", 2, "moody: plain: Not a directory\n"), ("--uploads Page", 2, page),
        ] {
            // One that serves all the same does not end by itself.
            let run = try bench.shell("timeout 30 \"$moody\" serve --port 0 \(options)")
            #expect(run == .init(status: Int32(status), out: "", err: told))
            #expect(!bench.exists("Moody.moody"))
        }
    }

    /// All before the last dot of the store's name, unless that stands first.
    @Test(arguments: [("a.b.moody", "a.b Photos"), (".moody", ".moody Photos"), ("plain", "plain Photos")])
    func `a server keeps what is sent beside its store, in a folder of its name`(
        store: String, folder: String
    ) throws {
        let serve = try bench.start("serve", "--port", "0", "--store", store)
        try serve.waitForOut("moody: http://127.0.0.1:")
        serve.send(SIGINT)
        #expect(try serve.wait().status == 0)
        #expect(
            try bench.shell("ls -Ad *Photos .*Photos 2> /dev/null").lines.sorted()
                == [folder, "Photos"].sorted())
    }

    /// Characters are counted, whatever their bytes. What is told of the host is told of no token.
    @Test func `a token of a server has 16 characters or more`() throws {
        for (letter, count, told) in [
            ("t", 15, "--token"), ("é", 15, "--token"), ("t", 16, "--host"), ("é", 16, "--host"),
        ] {
            let token = String(repeating: letter, count: count)
            let run = try bench.moody("serve", "--token", token, "--host", "", "Photos")
            #expect(run.status == 64 && run.err.contains("\(told) must "), "\(run)")
        }
    }

    /// 32,768 x 31,000 are 1,015,808,000 pixels: more than 10^9, less than 2^30. No pixel of them is there.
    @Test(arguments: [("1G", true), ("1015M", true), ("1015807k", true), ("1015808k", false), ("2G", false)])
    func `units of a limit are powers of a thousand`(number: String, isRefused: Bool) throws {
        let script = #"""
            import struct, sys, zlib
            def chunk(kind, data):
                return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
            header = struct.pack(">IIBBBBB", 32768, 31000, 8, 2, 0, 0, 0)
            data = chunk(b"IDAT", zlib.compress(bytes(9)))
            sys.stdout.buffer.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + data)
            """#
        try bench.write(script, to: "large.py")
        _ = try bench.shell("python3 large.py > large.png")
        let run = try bench.moody("extract", "--max", "pixels=\(number)", "large.png")
        #expect(run.status == 1 && run.err.contains("megapixels (--max pixels)") == isRefused, "\(run)")
    }

    /// 2^40 = 1,099,511,627,776.
    @Test(arguments: [
        ("1099G", 0), ("1099511627776", 0), ("1099511627777", 64), ("1100G", 64), ("1099511628k", 64),
    ])
    func `no limit is more than 2 to the 40th`(number: String, status: Int32) throws {
        let run = try bench.moody("extract", "--max=pixels=\(number)", "Photos/forest.jpg")
        #expect(run.status == status, "\(run)")
    }

    /// The files themselves are not in the package: scripts/checks/hostile runs them.
    @Test func `the files that differ from outside decoders are listed with a reason`() throws {
        func table(_ name: String) throws -> [[String]] {
            let fixtures = try #require(Bundle.module.url(forResource: "Fixtures", withExtension: nil))
            return try String(contentsOf: fixtures.appending(path: name), encoding: .utf8).split(
                separator: "\n"
            )
            .map { $0.split(separator: "\t").map(String.init) }
        }
        let verdicts = Dictionary(uniqueKeysWithValues: try table("hostile.tsv").map { ($0[0], $0[1]) })
        let page = URL(fileURLWithPath: #filePath).appending(path: "../../../docs/DEVIATIONS.md")
            .standardizedFileURL
        let deviations = try String(contentsOf: page, encoding: .utf8)
        let listed = try table("hostile-differences.tsv")
        #expect(deviations.contains("473 hostile files (`scripts/checks/hostile"))
        #expect(deviations.contains(": \(listed.count) get a palette here"))
        #expect(verdicts.count == 473)
        for line in listed {
            #expect(verdicts[line[0]] == "no" && line.count == 2, "\(line)")
            #expect(deviations.contains("`\(line[0])`"), "\(line[0])")
        }
    }

    @Test(arguments: [
        "pixels", "pixels=", "pixels=0", "pixels=-1", "pixels=1T", "bogus=1", "pixels=1,", "",
        "pixels=99999999G",
        "pixels=99999999999999999999",
    ])
    func `a limit that makes no sense is refused`(limit: String) throws {
        #expect(try bench.moody("extract", "--max=" + limit, "Photos/forest.jpg").status == 64)
    }

    /// Each number at its end is taken, and the next one is not: status 64.
    @Test(
        arguments: [
            ("ingest -n --jobs 1024 Photos", 0), ("ingest -n --jobs 1025 Photos", 64),
            ("ingest -n --preview 8192 Photos", 0), ("ingest -n --preview 64 Photos", 0),
            ("extract --jobs 1024 -k 32 Photos/forest.jpg", 0), ("extract -k 33 Photos/forest.jpg", 64),
            // There is no store yet.
            ("find teal --share 100 --within 100", 2), ("find teal --share 100.1", 64),
            ("export html --thumbnail 1600", 2), ("export html --thumbnail 1601", 64),
            ("serve --read-only --token 0123456789abcdef", 2),
            ("serve --read-only --token 0123456789abcde", 64),
            ("serve --read-only --max-upload 4096", 2), ("serve --read-only --max-upload 4097", 64),
            ("serve --read-only --port 65535", 2), ("serve --read-only --port 65536", 64),
        ] as [(String, Int32)])
    func `numbers are taken up to their ends`(words: String, status: Int32) throws {
        let run = try bench.run(words.split(separator: " ").map(String.init))
        #expect(run.status == status, "\(run)")
    }
}
