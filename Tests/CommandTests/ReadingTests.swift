import Foundation
import Testing

/// extract, list, show, export, store check.
@Suite struct ReadingTests {
    private let bench: Workbench

    init() throws {
        bench = try Workbench()
        try bench.putPhotos()
    }

    private func ingest() throws { #expect(try bench.moody("ingest", "Photos").status == 0) }

    @Test func `extract prints hex, share and name`() throws {
        let run = try bench.moody("extract", "Photos/harbour.jpg")
        #expect(
            run
                == .init(
                    status: 0, out: "#1f4e78  75.0% light navy\n#e8a33c  25.0% butterscotch\n",
                    err:
                        "moody: Photos/harbour.jpg: note: 2 of 5 colors: the picture has no more that can "
                        + "be told apart\n"
                ))
    }

    @Test func `extract goes on behind a photo that cannot be read`() throws {
        try bench.write("hello", to: "broken.jpg")
        let run = try bench.moody("extract", "nowhere.jpg", "broken.jpg", "/dev/null", "Photos/forest.jpg")
        #expect(run.status == 1)
        #expect(run.out.hasPrefix("Photos/forest.jpg\n#1e5631"))
        #expect(
            run.err.hasPrefix(
                """
                moody: nowhere.jpg: No such file or directory
                moody: broken.jpg: not a picture of a known kind
                moody: /dev/null: not a regular file

                """))
        let json = try bench.moody("extract", "--format", "json", "nowhere.jpg", "Photos/forest.jpg")
        #expect(
            json.lines.first == "{\"v\":1,\"path\":\"nowhere.jpg\",\"error\":\"No such file or directory\"}")
        #expect(json.lines.count == 2)
    }

    @Test func `extract takes a picture on standard input`() throws {
        let run = try bench.shell("\"$moody\" extract --json - < Photos/harbour.jpg")
        #expect(run.status == 0)
        #expect(
            run.out.hasPrefix(
                "{\"v\":1,\"path\":\"-\",\"width\":16,\"height\":16,"
                    + "\"colors\":[{\"hex\":\"#1f4e78\",\"share\":0.75,"
            ))
    }

    @Test func `swatches are shown when they are asked for`() throws {
        try ingest()
        for words in [["extract", "Photos/harbour.jpg"], ["list"], ["show", "1"]] {
            #expect(try bench.run(words).out.contains("\u{1B}[") == false)
            #expect(try bench.run(words + ["--color", "always"]).out.contains("\u{1B}[38;2;"))
        }
    }

    @Test func `extract writes every format to a file`() throws {
        for format in ["text", "json", "jsonl", "hex", "css", "csv"] {
            let printed = try bench.moody(
                "extract", "--format", format, "Photos/forest.jpg", "Photos/desert.jpg")
            let written = try bench.moody(
                "extract", "--format", format, "-o", "out", "--overwrite", "Photos/forest.jpg",
                "Photos/desert.jpg")
            #expect(printed.status == 0 && written.status == 0 && written.out == "")
            #expect(try bench.read("out") == printed.out)
            #expect(printed.out.contains("#1e5631"))
        }
    }

    @Test func `css for one photo is for the root, else a class a photo`() throws {
        let one = try bench.moody("extract", "--format", "css", "Photos/forest.jpg").out
        #expect(
            one.hasPrefix(
                "/* palettes by moody */\n\n/* Photos/forest.jpg */\n:root {\n  --color-1: #1e5631;"))
        let two = try bench.moody("extract", "--format", "css", "Photos/forest.jpg", "Photos/desert.jpg").out
        #expect(two.contains(".photo-1 {") && two.contains(".photo-2 {"))
    }

    @Test func `list sorts and limits`() throws {
        try ingest()
        func names(_ words: String...) throws -> [String] {
            try bench.run(["list"] + words).lines.compactMap {
                $0.split(separator: " ").last.map(String.init)
            }
        }
        #expect(try names() == ["forest.jpg", "harbour.jpg", "desert.jpg"])
        #expect(try names("--sort", "date:asc") == ["desert.jpg", "harbour.jpg", "forest.jpg"])
        #expect(try names("--sort", "path") == ["desert.jpg", "forest.jpg", "harbour.jpg"])
        #expect(try names("--sort", "path:desc", "--limit", "1") == ["harbour.jpg"])
        #expect(try names("--sort=id:desc") == ["harbour.jpg", "forest.jpg", "desert.jpg"])
    }

    @Test func `show tells of each mood and names those there are none of`() throws {
        try ingest()
        let run = try bench.moody("show", "1", "Photos/harbour.jpg", "99", "nowhere.jpg")
        #expect(run.status == 1)
        #expect(run.err == "moody: 99: no such mood\nmoody: nowhere.jpg: no such mood\n")
        #expect(
            run.out.contains(
                "/Photos/desert.jpg\n  number   1\n  taken    2023-01-02T03:04:05 (says the photo)\n"))
        #expect(run.out.contains("    #1f4e78  75.0% light navy\n"))
    }

    @Test func `show says that the number of colors was left to moody, and that a photo is gone`() throws {
        #expect(try bench.moody("ingest", "-q", "-k", "auto", "Photos").status == 0)
        try bench.remove("Photos/desert.jpg")
        #expect(try bench.moody("ingest", "-q", "Photos").status == 0)
        let gone = try bench.moody("show", "1").lines, other = try bench.moody("show", "2").lines
        #expect(gone.first?.hasSuffix("/Photos/desert.jpg  (missing)") == true)
        #expect(other.first?.hasSuffix("/Photos/forest.jpg") == true)
        for lines in [gone, other] {
            #expect(lines.contains { $0.hasPrefix("  palette  representative, auto asked, ") }, "\(lines)")
        }
    }

    @Test func `export json is one object, jsonl the list's lines`() throws {
        try ingest()
        let json = try bench.moody("export", "json")
        let object = try JSONSerialization.jsonObject(with: Data(json.out.utf8)) as? [String: Any]
        #expect((object?["moods"] as? [Any])?.count == 3 && object?["generator"] as? String == "moody")
        #expect(try bench.moody("export", "jsonl").out == bench.moody("list", "--json").out)
        #expect(try bench.moody("export", "json", "--output", "a.json") == .init(status: 0, out: "", err: ""))
        #expect(try bench.read("a.json") == json.out)
    }

    @Test func `export csv, hex and css hold every color`() throws {
        try ingest()
        let csv = try bench.moody("export", "csv").out
        #expect(
            csv.hasPrefix(
                "id,path,date,day,width,height,latitude,longitude,camera,missing,"
                    + "rank,hex,share,lightness,a,b,name,displayP3\r\n2,"
            ))
        #expect(csv.components(separatedBy: "\r\n").count == 1 + 7 + 1)
        #expect(
            try bench.moody("export", "hex", "--sort", "id").out
                == "#7fb3e5\n#d8a065\n\n#1e5631\n#8a5a2a\n#dae4c9\n\n#1f4e78\n#e8a33c\n")
        let css = try bench.moody("export", "css").out
        #expect(css.hasPrefix("/* palettes by moody */\n"))
        #expect(css.contains(".mood-3 {\n  --color-1: #1f4e78;"))
    }

    @Test func `what moody wrote is replaced, anything else is refused`() throws {
        try ingest()
        for (format, file) in [("html", "a.html"), ("json", "a.json"), ("css", "a.css")] {
            #expect(try bench.moody("export", format, "-o", file).status == 0)
            #expect(try bench.moody("export", format, "-o", file).status == 0)
            try bench.write("moody, but mine", to: file)
            let refused = try bench.moody("export", format, "-o", file)
            #expect(refused.status == 2)
            #expect(
                refused.err
                    == "moody: \(file): exists and does not say that moody wrote it "
                    + "(to replace it: --overwrite)\n"
            )
            #expect(try bench.read(file) == "moody, but mine")
            #expect(try bench.moody("export", format, "-o", file, "--overwrite").status == 0)
            #expect(try bench.read(file).contains("#1e5631"))
        }
        #expect(try bench.moody("export", "json", "-o", "Photos").status == 2)
        #expect(try bench.moody("export", "json", "-o", "nowhere/a.json").status == 2)
        let left = try FileManager.default.contentsOfDirectory(atPath: bench.folder.path)
        #expect(!left.contains { $0.contains(".part") })
    }

    @Test func `an empty store is listed and exported`() throws {
        try bench.write("hello", to: "notes.txt")
        #expect(try bench.moody("ingest", "notes.txt").status == 1)
        for format in ["json", "jsonl", "csv", "hex", "css", "html"] {
            #expect(try bench.moody("export", format, "-o", "out." + format).status == 0)
        }
        #expect(try bench.moody("list") == .init(status: 0, out: "", err: ""))
        #expect(try bench.read("out.json") == "{\"v\":1,\"generator\":\"moody\",\"moods\":[\n]}\n")
    }

    @Test func `store check says what is in a store`() throws {
        try ingest()
        let run = try bench.moody("store", "check")
        #expect(run.status == 0)
        #expect(run.out.hasPrefix("Moody.moody: sound\n") && run.out.contains("  Mood 3\n"))
        let json = try bench.moody("store", "check", "--json", "Moody.moody").out
        #expect(json.contains("\"sound\":true") && json.contains("\"damage\":[],\"lost\":[],\"leftOver\":[]"))
        #expect(try bench.moody("store", "check", "nowhere.moody").status == 2)
    }

    @Test func `reading leaves the store's bytes as they are`() throws {
        try ingest()
        let before = try bench.shell("cksum Moody.moody; ls -A")
        for words in [
            ["list"], ["show", "1"], ["export", "json"], ["store", "check"], ["delete", "-n", "1"],
        ] {
            #expect(try bench.run(words).status == 0)
        }
        #expect(try bench.shell("cksum Moody.moody; ls -A") == before)
    }

    @Test func `delete names what there is none of and deletes the rest`() throws {
        try ingest()
        let dry = try bench.moody("delete", "-n", "1", "Photos/forest.jpg", "7")
        #expect(dry.lines.count == 2 && dry.out.contains("forest.jpg\n") && dry.status == 1)
        let run = try bench.moody("delete", "1", "7")
        #expect(run.status == 1 && run.lines.count == 1)
        #expect(run.err == "moody: 7: no such mood\n")
        #expect(try bench.moody("list").lines.count == 2)
    }
}
