import Foundation
import Glibc
import Testing

/// Files and folders that moody writes: its own are replaced, nobody else's is touched.
@Suite struct OutputFileTests {
    /// How many photos a page has larger pictures of: the last number of a row of its data.
    static func largePictures(in page: String) throws -> Int {
        let text = try #require(
            page.components(separatedBy: "id=\"data\">").last?.components(separatedBy: "</script>").first)
        let data = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        return try #require(data?["rows"] as? [[Any]]).count { ($0.dropLast().last as? Int ?? 0) & 4 != 0 }
    }

    private let bench: Workbench

    init() throws {
        bench = try Workbench()
        try bench.putPhotos()
        #expect(try bench.moody("ingest", "--preview", "64", "Photos").status == 0)
    }

    private var partsLeft: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: bench.folder.path).filter {
                $0.contains(".part")
            }
        }
    }

    @Test(arguments: ["html", "json", "jsonl", "csv", "css"])
    func `what an export wrote is replaced, what looks like it is not`(format: String) throws {
        for list in [["export", format], ["export", format, "--sort", "path"]] {
            let run = try bench.run(list + ["-o", "out"])
            #expect(run.status == 0, "\(run.err)")
        }
        for mine in ["{\"v\":1,\"id\":7}", "id,path\n1,a\n", "/* palettes */", "<!doctype html>\n<p>moody"] {
            try bench.write(mine, to: "out")
            #expect(try bench.moody("export", format, "-o", "out").status == 2)
            #expect(try bench.read("out") == mine)
        }
        #expect(try partsLeft == [])
    }

    @Test func `records that begin with a photo that cannot be read are replaced, too`() throws {
        try bench.write("no picture", to: "odd.jpg")
        for (name, status) in [("odd.jpg", 1), ("Photos/forest.jpg", 0)] {
            let run = try bench.run(["extract", "--format", "record", "-o", "out", name])
            #expect(run.status == status, "\(run)")
        }
        #expect(try bench.read("out").contains("forest.jpg"))
    }

    @Test(arguments: ["json", "jsonl", "csv", "css"])
    func `what extract wrote is replaced`(format: String) throws {
        try bench.write("no photo", to: "broken.jpg")
        // A line about a photo that failed comes first in one of them.
        for (photos, status) in [
            (["Photos/forest.jpg"], Int32(0)), (["broken.jpg", "Photos/desert.jpg"], 1),
        ] {
            let run = try bench.run(["extract", "--format", format, "-o", "out"] + photos)
            #expect(run.status == status, "\(run.err)")
        }
        #expect(try bench.run(["extract", "--format", format, "-o", "out", "Photos/forest.jpg"]).status == 0)
    }

    @Test func `colors in hexadecimal cannot say whose they are`() throws {
        #expect(try bench.moody("export", "hex", "-o", "out").status == 0)
        #expect(try bench.moody("export", "hex", "-o", "out").status == 2)
        #expect(try bench.moody("export", "hex", "-o", "out", "--overwrite").status == 0)
    }

    @Test func `a report or a page that would replace somebody's file is refused before anything is done`()
        throws
    {
        try bench.write("mine", to: "mine")
        for option in ["--report", "--html"] {
            for command in ["ingest", "watch"] {
                let words = [command, option, "mine", "--store", "new.moody", "Photos"]
                let run = try bench.run(words)
                #expect(run.status == 2)
                #expect(run.out == "")
                #expect(try bench.read("mine") == "mine")
            }
            let words = [
                "ingest", option, "mine", "--store", "other\(option).moody", "--overwrite", "Photos",
            ]
            #expect(try bench.run(words).status == 0)
            #expect(try bench.read("mine").contains("harbour.jpg"))
            try bench.write("mine", to: "mine")
        }
    }

    @Test func `an output that cannot be made is noticed before the work`() throws {
        for (option, value, error) in [
            ("--html", "/nonexist/x.html", "No such file or directory"),
            ("--html", "/nonexist/page/", "No such file or directory"),
            ("--report", "/nonexist/x", "No such file or directory"), ("--html", "mine/x", "Not a directory"),
        ] {
            for command in ["ingest", "watch"] {
                try bench.write("mine", to: "mine")
                let run = try bench.moody(command, option, value, "--store", "new.moody", "Photos")
                #expect(run == .init(status: 2, out: "", err: "moody: \(value): \(error)\n"))
                #expect(!bench.exists("new.moody"))
            }
        }
        // What is named is the file, not the store.
        let run = try bench.moody("ingest", "--report", "mine", "Photos")
        #expect(run.err.hasPrefix("moody: mine: exists and does not say"))
    }

    @Test(arguments: [
        "ingest --html /dev/full", "ingest --report /dev/full", "ingest > /dev/full",
        "watch --once --html /dev/full",
    ])
    func `when an output fails at the end the sum is still the last that is said`(line: String) throws {
        let run = try bench.shell("\"$moody\" \(line) --recompute Photos")
        #expect(run.status == 2)
        // A watch takes what has just been written in its second look.
        let said = run.err.split(separator: "\n")
        try #require(said.count == 2, "\(run.err)")
        #expect(said[0].hasSuffix(": No space left on device"))
        #expect(said[1].hasSuffix(" changed; Moody.moody"), "\(run.err)")
    }

    @Test(arguments: ["text", "json", "css", "csv", "hex"])
    func `when no photo could be read the file of before is kept`(format: String) throws {
        #expect(
            try bench.moody("extract", "Photos/forest.jpg", "--format", format, "-o", "good", "--overwrite")
                .status
                == 0)
        let before = try bench.read("good")
        #expect(
            try bench.moody("extract", "nosuch", "--format", format, "-o", "good", "--overwrite").status == 1)
        #expect(try bench.read("good") == before)
        #expect(try partsLeft == [])
    }

    @Test func `a dry run leaves the last report as it is`() throws {
        #expect(try bench.moody("ingest", "--recompute", "--report", "report", "Photos").status == 0)
        let report = try bench.read("report")
        #expect(report.contains("harbour.jpg"))
        #expect(try bench.moody("ingest", "-n", "--report", "report", "Photos").status == 0)
        #expect(try bench.read("report") == report)
    }

    @Test func `a pipe is written to and stays a pipe`() throws {
        let run = try bench.shell(
            "mkfifo pipe; cat pipe > got & \"$moody\" export csv -o pipe && wait && test -p pipe && cat got")
        #expect(run.status == 0)
        #expect(run.out == (try bench.moody("export", "csv").out))
        let full = try bench.moody("export", "csv", "-o", "/dev/full")
        #expect(full.status == 2)
        #expect(full.err == "moody: /dev/full: No space left on device\n")
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `a signal leaves nothing half written`(signal: Int32) throws {
        try bench.write("mine", to: "mine")
        _ = try bench.shell("mkfifo photo")
        // It waits for its photo: both ends are open and nobody writes.
        let run = try bench.startShell("exec \"$moody\" extract -o mine --overwrite - <> photo")
        try run.waitUntil("the file beside") { (try? partsLeft.count) == 1 }
        run.send(signal)
        #expect(try run.wait().status == 128 + signal)
        #expect(try partsLeft == [])
        #expect(try bench.read("mine") == "mine")
    }

    @Test func `paths are listed byte for byte`() throws {
        let run = try bench.shell(
            """
            mkdir P; cp "$fixtures/slate.png" "P/$(printf 'a\\nb.png')"; \
            cp "$fixtures/slate.png" "P/$(printf '\\377.png')"
            "$moody" ingest --store odd.moody P > /dev/null 2> /dev/null
            "$moody" list --store odd.moody -0 --sort id > list; \
            find "$PWD/P" -type f -print0 | sort -z | cmp - list
            "$moody" extract -0 --files-from list --format hex 2> /dev/null
            """)
        #expect(run.status == 0, "\(run)")
        #expect(run.out == "#336699\n\n#336699\n")
        #expect(try bench.moody("list", "-0", "--json").status == 64)
    }

    @Test func `what is named in a page of ours or in a store's folder is left out, and said to be`() throws {
        _ = try bench.shell(
            """
            "$moody" export html -o Page/; mkdir other; \
            "$moody" ingest -q --store other/s.moody Photos/forest.jpg
            cp "$fixtures/slate.png" .Moody_SUPPORT/x.png; cp "$fixtures/slate.png" other/.s_SUPPORT/x.png
            mkdir .mine_SUPPORT; cp "$fixtures/slate.png" .mine_SUPPORT
            """)
        let page = "moody: Page: a page that moody wrote; left out\n"
        for names in [
            "Page", "Page/pictures", "Page/pictures/1.jpg Page/large/*.jpg", "./Page/large",
        ] {
            let run = try bench.shell("\"$moody\" ingest \(names)")
            #expect(run.status == 1 && run.out == "", "\(run)")
            #expect(run.err.replacing("./Page", with: "Page") == page + "0 photos; Moody.moody\n")
        }
        #expect(try bench.moody("watch", "--once", "Page/pictures").out == "")
        for name in [".Moody_SUPPORT", "other/.s_SUPPORT"] {
            for below in ["", "/x.png"] {
                let run = try bench.moody("ingest", name + below)
                #expect(run.status == 1 && run.out == "", "\(run)")
                #expect(run.err.hasPrefix("moody: \(name): files of a store; left out\n"))
            }
        }
        #expect(try bench.moody("ingest", "--hidden", "other").out == "")
        // Beside no store it is a folder like any other.
        #expect(try bench.moody("ingest", ".mine_SUPPORT").lines.count == 1)
        #expect(try bench.moody("store", "check").status == 0)
    }

    /// A limit on the size of files, in blocks of 512 bytes, stands for a full disk. A card is written at
    /// once.
    @Test func `a large file that does not fit on the disk is not put in its place`() throws {
        try bench.putNoise(side: 600, as: "noise.png")
        #expect(try bench.moody("ingest", "-q", "noise.png").status == 0)
        let run = try bench.shell("ulimit -f 64; \"$moody\" export card -q noise.png -o card.png")
        #expect(run == .init(status: 2, out: "", err: "moody: card.png: File too large\n"))
        #expect(try !bench.exists("card.png") && partsLeft == [])
        #expect(try bench.moody("export", "card", "noise.png", "-o", "card.png").status == 0)
        let size = try bench.shell("wc -c < card.png").out.trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(Int(size).map { $0 > 1 << 16 } == true, "\(size)")
    }

    // MARK: Photos and stores

    @Test(arguments: [
        "export json -o a.jpg", "extract a.jpg -o a.jpg", "extract a.jpg -o link.txt",
        "ingest a.jpg --html a.jpg",
        "ingest a.jpg --report a.jpg", "watch --once Photos --report a.jpg", "export html -o a.jpg",
        "export csv -o raw.nef", "export csv -o anonymous", "export hex -o broken.heic",
    ])
    func `photos are never written, whatever is asked for`(line: String) throws {
        try bench.put("harbour.jpg", as: "a.jpg")
        // A camera's raw file, a GIF under another name, and what only its name calls a photo.
        try bench.write("FUJIFILMCCD-RAW 0201", to: "raw.nef")
        try bench.write("GIF89a", to: "anonymous")
        try bench.write("damaged", to: "broken.heic")
        let before = try bench.shell("ln -s a.jpg link.txt; cksum a.jpg raw.nef anonymous broken.heic").out
        for more in ["", " --overwrite"] {
            let run = try bench.shell("\"$moody\" " + line + more)
            #expect(run.status == 2 && run.out == "")
            #expect(run.err.hasSuffix("a photo; moody never writes photos\n"), "\(run.err)")
        }
        #expect(try bench.shell("cksum a.jpg raw.nef anonymous broken.heic").out == before)
        #expect(try partsLeft == [])
    }

    /// A name in capitals; and a write-ahead log whose store is elsewhere, in either order of bytes:
    /// <https://www.sqlite.org/fileformat2.html>, 4.1.
    @Test(arguments: [
        ("BROKEN.HEIC", "damaged", "is named as a photo"), ("a.Jpg", "damaged", "is named as a photo"),
        ("log", "7\\177\\006\\202", "belongs to a store"), ("log", "7\\177\\006\\203", "belongs to a store"),
    ])
    func `what is seen to be a photo or a part of a store is not written over`(
        name: String, text: String, reason: String
    ) throws {
        let before = try bench.shell("printf '\(text)' > \(name); cksum \(name)").out
        let run = try bench.moody("export", "json", "-o", name, "--overwrite")
        #expect(run.status == 2 && run.err.hasPrefix("moody: \(name): \(reason)"), "\(run)")
        #expect(try bench.shell("cksum \(name)").out == before)
    }

    @Test(arguments: [
        "export json -o Moody.moody", "export json -o link", "export json -o Moody.moody-wal",
        "export json -o Moody.moody-shm", "ingest Photos --html Moody.moody",
        "ingest Photos --report Moody.moody",
        "extract Photos/harbour.jpg -o Moody.moody", "extract Photos/harbour.jpg -o other.db-wal",
        "export csv -o other.db", "export csv -o .Moody_SUPPORT/lock", "export csv -o .Moody_SUPPORT/new",
        "extract Photos/harbour.jpg -o .Moody_SUPPORT/new", "export html -o .Moody_SUPPORT/",
        "export html -o .Moody_SUPPORT/page/", "ingest Photos --store new.moody --html new.moody",
        "watch --once Photos --report Moody.moody",
    ])
    func `stores are never written over, whatever is asked for`(line: String) throws {
        let before = try bench.shell(
            "ln -s Moody.moody link; cp Moody.moody other.db; cksum Moody.moody other.db"
        ).out
        for more in ["", " --overwrite"] {
            let run = try bench.shell("\"$moody\" " + line + (line.hasSuffix("/") ? "" : more))
            #expect(run.status == 2 && run.out == "")
            #expect(run.err.hasSuffix("a store; moody never writes over stores\n"), "\(run.err)")
        }
        #expect(try bench.shell("cksum Moody.moody other.db").out == before)
        #expect(try bench.moody("store", "check").out.contains("sound"))
        #expect(!bench.exists("new.moody") && !bench.exists(".Moody_SUPPORT/new"))
        #expect(try partsLeft == [])
    }

    @Test func `a file that only bears a photo's name is ours when moody wrote it`() throws {
        for _ in 0..<2 { #expect(try bench.moody("export", "json", "-o", "new.jpg").status == 0) }
    }

    // MARK: Folders

    private func entries(_ name: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: bench.path(name)).sorted()
    }

    private static let whole = [
        ".moody-export", "index.html", "large", "large/1.jpg", "large/2.jpg", "large/3.jpg", "pictures",
        "pictures/1.jpg", "pictures/2.jpg", "pictures/3.jpg",
    ]

    @Test func `a page becomes a folder with its pictures, and is replaced as a whole`() throws {
        #expect(try bench.moody("export", "html", "-o", "Page/").err == "moody: wrote Page/: 3 moods\n")
        #expect(try entries("Page") == Self.whole)
        #expect(try Self.largePictures(in: bench.read("Page/index.html")) == 3)
        #expect(try bench.moody("delete", "2").status == 0)
        #expect(try bench.moody("export", "html", "-o", "Page").status == 0)
        #expect(try entries("Page") == Self.whole.filter { !$0.hasSuffix("/2.jpg") })
        #expect(try partsLeft == [])
        // Nothing of it is a photo.
        #expect(try bench.moody("ingest", ".").err.hasPrefix("3 photos: 2 unchanged, 1 left out"))
    }

    @Test(arguments: [
        "Page/notes.txt", "Page/pictures/mine.jpg", "Page/.hidden", "Page/large/sub/1.jpg",
        "Page/pictures/.jpg",
    ])
    func `a folder in which somebody put something is left as it is`(name: String) throws {
        #expect(try bench.moody("export", "html", "-o", "Page/").status == 0)
        try bench.put("slate.png", as: name)
        let before = try entries("Page")
        for more in [[], ["--overwrite"]] {
            let run = try bench.run(["export", "html", "-o", "Page"] + more)
            #expect(run.status == 2)
            #expect(
                run.err.hasPrefix("moody: Page: holds ") && run.err.hasSuffix(", which moody did not write\n")
            )
        }
        #expect(try entries("Page") == before)
        #expect(try partsLeft == [])
    }

    @Test func `a folder that does not say that moody wrote it is left as it is, an empty one is taken`()
        throws
    {
        _ = try bench.shell(
            "mkdir -p Marked Numbers/pictures Empty; touch Marked/.moody-export Numbers/pictures/1.jpg")
        for name in ["Marked", "Numbers"] {
            let before = try entries(name)
            let run = try bench.moody("export", "html", "-o", name)
            #expect(run.status == 2)
            #expect(run.err == "moody: \(name): exists and does not say that moody wrote it\n")
            #expect(try entries(name) == before)
        }
        _ = try bench.shell("mkdir -p Named/pictures; touch Named/pictures/mine.jpg")
        let named = try bench.moody("export", "html", "-o", "Named")
        #expect(named.err == "moody: Named: holds pictures/mine.jpg, which moody did not write\n")
        #expect(try bench.moody("export", "html", "-o", "Empty").status == 0)
        #expect(try entries("Empty") == Self.whole)
        #expect(try bench.moody("export", "html", "-o", "Photos").status == 2)
    }

    /// A name may have 255 bytes, that of the file which is put in its place too.
    @Test(arguments: [199, 200, 201, 240, 255]) func `a file may have a long name`(count: Int) throws {
        let name = String(repeating: "n", count: count - 5) + ".html"
        for _ in 0..<2 { #expect(try bench.moody("export", "html", "-o", name).status == 0) }
        #expect(bench.exists(name))
        #expect(try partsLeft == [])
    }

    @Test(arguments: ["-", "page.html", "Page/"]) func `a page has the title that it is given`(output: String)
        throws
    {
        let run = try bench.moody("export", "html", "--title", "Trip & co", "-o", output)
        let file = output == "Page/" ? "Page/index.html" : output
        let page = output == "-" ? run.out : try bench.read(file)
        #expect(run.status == 0 && page.contains("<title>Trip &amp; co</title>"))
    }

    @Test func `a folder behind a link is replaced and the link stays`() throws {
        _ = try bench.shell("mkdir Real; ln -s Real Link")
        for _ in 0..<2 { #expect(try bench.moody("export", "html", "-o", "Link").status == 0) }
        #expect(try bench.shell("test -L Link").status == 0)
        #expect(try entries("Real") == Self.whole)
    }

    @Test func `a folder is not made where no folder can be`() throws {
        #expect(try bench.moody("export", "html", "-o", "nowhere/Page/").status == 2)
        try bench.write("mine", to: "file")
        #expect(try bench.moody("export", "html", "-o", "file/").status == 2)
        #expect(try bench.read("file") == "mine")
    }

    @Test func `an ingest writes a folder too`() throws {
        #expect(try bench.moody("ingest", "--html", "Page/", "Photos").status == 0)
        #expect(try entries("Page") == Self.whole)
        #expect(try bench.moody("ingest", "--html", "Photos", "Photos").status == 2)
    }
}
