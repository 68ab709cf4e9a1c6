import Foundation
import Testing

/// What is listed, named and taken out.
@Suite struct ListTests {
    private let bench: Workbench

    init() throws {
        bench = try Workbench()
        try bench.putPhotos()
        try bench.put("harbour.jpg", as: "Photos/2024/IMG_0001.jpg")
        try bench.put("forest.jpg", as: "Photos/2025/IMG_0001.jpg")
    }

    /// A file's time is when a file was copied: no list may say that the photo was taken then.
    @Test func `a photo of which only its file's time is known is undated, and the file's time is called so`()
        throws
    {
        let bench = try Workbench()
        try bench.putSquares([("Squares/a.png", "c03020")])
        _ = try bench.shell("touch -d 2021-05-06T07:08:09Z Squares/a.png")
        let ingest = try bench.moody("ingest", "Squares", environment: ["TZ": "UTC"])
        #expect(ingest.lines == ["+     1  undated     #c03020  a.png"])
        for arguments in [["list"], ["find", "red"]] {
            #expect(try bench.run(arguments).lines == ["    1  undated     #c03020  a.png"])
        }
        let show = try bench.moody("show", "1").out
        #expect(show.contains("\n  undated  its file is of 2021-05-06T07:08:09\n") && !show.contains("taken"))
        let csv = try bench.moody("export", "csv").lines
        #expect(csv.last?.contains("a.png,2021-05-06T07:08:09,,8,8,") == true)
        // For programs, the source stands beside it.
        let json = try bench.moody("list", "--json").out
        #expect(json.contains("\"date\":\"2021-05-06T07:08:09\",\"dateSource\":\"fileTime\""))
    }

    @Test func `photos of one name are told apart, and the columns stand below each other`() throws {
        let ingest = try bench.moody("ingest", "Photos")
        #expect(ingest.lines.contains("+     1  2024-06-28  #1f4e78 #e8a33c          2024/IMG_0001.jpg"))
        let lines = try bench.moody("list", "--sort", "path").lines
        #expect(
            lines == [
                "    1  2024-06-28  #1f4e78 #e8a33c          2024/IMG_0001.jpg",
                "    2  2024-06-29  #1e5631 #8a5a2a #dae4c9  2025/IMG_0001.jpg",
                "    3  2023-01-02  #7fb3e5 #d8a065          desert.jpg",
                "    4  2024-06-29  #1e5631 #8a5a2a #dae4c9  forest.jpg",
                "    5  2024-06-28  #1f4e78 #e8a33c          harbour.jpg",
            ])
    }

    @Test func `every color of a palette is listed`() throws {
        _ = try bench.shell(
            """
            python3 -c 'import zlib
            def chunk(kind, data):
                return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")
            colors = [(250, 0, 0), (0, 250, 0), (0, 0, 250), (250, 250, 0), (0, 250, 250), (250, 0, 250),
                (20, 20, 20), (240, 240, 240)]
            row = b"\\0" + b"".join(bytes(c) * 4 for c in colors)
            header = (32).to_bytes(4, "big") * 2 + bytes([8, 2, 0, 0, 0])
            open("eight.png", "wb").write(b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", header)
                + chunk(b"IDAT", zlib.compress(row * 32)) + chunk(b"IEND", b""))'
            """)
        #expect(try bench.moody("ingest", "-k8", "eight.png").status == 0)
        let line = try #require(try bench.moody("list").lines.first)
        #expect(line.count { $0 == "#" } == 8, "\(line)")
    }

    @Test func `moods are sorted from the last by a minus, and completions know it all`() throws {
        _ = try bench.moody("ingest", "Photos")
        let down = try bench.moody("list", "--sort", "path:desc").out
        #expect(try bench.moody("list", "--sort=-path").out == down)
        #expect(try bench.moody("list", "--sort=-date").out == bench.moody("list").out)
        #expect(try bench.moody("list", "--sort=-path:asc").status == 64)
        for shell in ["bash", "zsh", "fish"] {
            let script = try bench.moody("--generate-completion-script", shell).out
            #expect(script.contains("path:desc") || script.contains("path\\:desc"), "\(shell)")
        }
    }

    @Test func `what would be deleted is named, for programs too`() throws {
        _ = try bench.moody("ingest", "Photos")
        let dry = try bench.moody("delete", "-n", "3", "Photos/forest.jpg", "77")
        #expect(dry.status == 1 && dry.err == "moody: 77: no such mood\n")
        #expect(
            dry.lines == [
                "delete      3  2023-01-02  #7fb3e5 #d8a065          desert.jpg",
                "delete      4  2024-06-29  #1e5631 #8a5a2a #dae4c9  forest.jpg",
            ])
        let json = try bench.moody("delete", "-n", "--json", "3").out
        let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        #expect(object?["plan"] as? String == "delete" && object?["v"] as? Int == 1)
        #expect(((object?["mood"] as? [String: Any])?["path"] as? String)?.hasSuffix("/desert.jpg") == true)
        #expect(try bench.moody("list").lines.count == 5)
    }

    @Test func `a deleted photo that is named is told how to come back`() throws {
        _ = try bench.moody("ingest", "Photos")
        _ = try bench.moody("delete", "Photos/harbour.jpg")
        let named = try bench.moody("ingest", "Photos/harbour.jpg")
        #expect(
            named.err == """
                moody: Photos/harbour.jpg: its mood was deleted (--restore brings it back)
                1 photo: 1 left out; Moody.moody

                """)
        #expect(!(try bench.moody("ingest", "Photos").err.contains("--restore")))
        #expect(try bench.moody("ingest", "-v", "Photos").err.contains("harbour.jpg: its mood was deleted"))
    }

    @Test func `verbose names what is passed over`() throws {
        try bench.write("hello", to: "Photos/notes.txt")
        try bench.write("hello", to: "Photos/broken.jpg")
        _ = try bench.moody("ingest", "Photos")
        let run = try bench.moody("ingest", "-v", "Photos")
        #expect(run.err.contains("moody: Photos/notes.txt: no picture\n"))
        #expect(run.err.contains("moody: Photos/broken.jpg: failed before (--retry looks again)\n"))
        #expect(!(try bench.moody("ingest", "Photos").err.contains("notes.txt")))
    }

    @Test(arguments: [["typo"], ["typo", "--json"], ["typo", "other/typo"]])
    func `a slip of the pen makes no store`(paths: [String]) throws {
        let run = try bench.run(["ingest"] + paths)
        #expect(run.status == 1 && run.err.hasPrefix("moody: typo: No such file or directory\n"), "\(run)")
        #expect(!bench.exists("Moody.moody") && !run.err.contains("made the store"))
        #expect(run.err.hasSuffix("failed; no store was made\n"), "\(run)")
        #expect(try bench.run(["ingest", "typo", "Photos"]).status == 1)
        #expect(bench.exists("Moody.moody"))
    }
}
