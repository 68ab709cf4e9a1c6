import Foundation
import Testing

/// What is said, and where.
@Suite struct MessageTests {
    private let bench: Workbench

    init() throws {
        bench = try Workbench()
        try bench.putPhotos()
    }

    @Test func `names that are empty are refused as such`() throws {
        for words in [
            ["ingest", ""], ["extract", ""], ["show", ""], ["watch", ""], ["list", "--store", ""],
            ["list", "--store="], ["export", "json", "-o", ""], ["ingest", "--report", "", "Photos"],
        ] {
            let run = try bench.run(words)
            #expect(run.status == 64 && run.out == "", "\(words) \(run)")
            #expect(run.err.hasPrefix("moody: ") && !run.err.contains("No such file"))
        }
        #expect(
            try bench.moody("list", "--store", "").err.hasPrefix(
                "moody: The value '' is invalid for '--store"))
    }

    @Test func `a store is named as its path was given`() throws {
        for (path, shown) in [
            ("a.moody", "./a.moody"), ("./b.moody", "./b.moody"), ("../x/c.moody", "../x/c.moody"),
        ] {
            let run = try bench.shell("mkdir -p ../x && cd Photos; \"$moody\" list --store \(path)")
            #expect(run.err == "moody: no store at \(shown) (make one: moody ingest PATH)\n")
        }
        #expect(
            try bench.moody("ingest", "Photos", "--store", "./x.moody").err.hasPrefix(
                "moody: made the store ./x.moody\n"))
    }

    @Test func `a link in a circle is no store, and is said to be one`() throws {
        let run = try bench.shell("ln -s loop loop; \"$moody\" ingest --store loop Photos")
        #expect(run == .init(status: 2, out: "", err: "moody: loop: Too many levels of symbolic links\n"))
    }

    @Test(arguments: ["-dash.jpg", "-hello", "-ohtml", "-kauto-h", "-qx"])
    func `joined short options that are none are refused, whatever letters are in them`(word: String) throws {
        for words in [["extract", word], ["show", word, "1"], ["list", word]] {
            let run = try bench.run(words)
            #expect(run.status == 64 && run.out == "", "\(words) \(run)")
            #expect(
                run.err.hasPrefix(
                    "moody: Unknown option '\(word)'; a name that begins with - stands behind --\nUsage: "))
        }
        #expect(try bench.moody("extract", "-h").status == 0)
        #expect(try bench.moody("ingest", "-nq", "-k2", "Photos").status == 0)
    }

    /// Options that do not go together, and numbers beyond their ends, each refused before anything is done.
    private static let senseless: [(words: String, told: String)] = [
        ("export html --wide", "--wide is for card"),
        ("export json --thumbnails", "--thumbnails is for record"),
        ("export json --each -o D", "are for swatch files"),
        ("export card --combined", "are for swatch files"),
        ("export ase --each --combined -o D", "exclude each other"), ("export ase --each", "needs a folder"),
        ("export ase -k 3", "is for --combined"), ("export html --thumbnail 319", "must be 320...1600"),
        ("list --duplicates --section month", "--duplicates goes neither"),
        ("list --duplicates --follow", "--duplicates goes neither"), ("list -0 --follow", "-0 goes neither"),
        ("list -0 --section month", "-0 goes neither"), ("list -0 --json", "exclude each other"),
        ("list --follow --sort id", "sorted by date or path"),
        ("list --section month --sort=-id", "sorted by date or path"),
        ("list --follow --json --limit 1", "exclude each other"),
        ("extract", "Name a photo or a folder"), ("extract --json --format hex P", "exclude each other"),
        ("extract --thumbnails P", "are for --format record"),
        ("extract --every-member --format json P", "are for --format record"),
        ("extract --format record -", "--format record reads - as --tar -"),
        ("extract --tar - --json", "not --json"), ("extract --tar - --files-from P", "reads no other photos"),
        ("extract --jobs 0 P", "--jobs must be 1...1024"),
        ("extract --jobs 1025 P", "--jobs must be 1...1024"),
        ("ingest -j -1 P", "--jobs must be 1...1024"), ("ingest --jobs 1025 P", "--jobs must be 1...1024"),
        ("ingest --preview 63 P", "--preview must be 64...8192"), ("ingest -k -3 P", "'-3' is invalid"),
        ("ingest --preview 8193 P", "--preview must be 64...8192"), ("ingest -k 33 P", "'33' is invalid"),
        ("find teal --within 100.5", "--within must be"), ("find teal --share 100.5", "--share must be"),
        ("ingest --html - --report - P", "can have standard output"),
        ("ingest --html - --json P", "can have standard output"),
    ]

    @Test func `options that do not go together, and numbers beyond their ends, are refused`() throws {
        for (words, told) in Self.senseless {
            let run = try bench.run(words.split(separator: " ").map(String.init))
            #expect(run.status == 64 && run.out == "" && run.err.contains(told), "\(words): \(run)")
        }
        #expect(!bench.exists("Moody.moody"))
    }

    @Test func `numbers at their ends are taken`() throws {
        for words in [
            ["ingest", "-n", "--jobs", "1024", "--preview", "8192", "-k", "32", "Photos"],
            ["ingest", "--jobs", "1", "--preview", "64", "-k1", "Photos"],
            ["ingest", "--recompute", "-k", "32", "Photos"],
            ["find", "#1f4e78", "--within", "100", "--share", "0", "--limit", "1"],
            ["extract", "--jobs", "1024", "-k", "32", "Photos/desert.jpg"],
        ] {
            let run = try bench.run(words)
            #expect(run.status == 0, "\(words): \(run)")
        }
        // No photo has all of one color.
        let run = try bench.moody("find", "teal", "--share", "100", "--no-farther")
        #expect(run.status == 1 && run.err.hasPrefix("moody: nothing found"), "\(run)")
    }

    @Test func `a dry run says that it writes neither page nor report, whichever is asked for`() throws {
        let note = "moody: note: --dry-run writes neither --html nor --report\n"
        for (options, isTold) in [
            (["--html", "page.html"], true), (["--report", "report.jsonl"], true), ([], false),
        ] {
            let run = try bench.run(["ingest", "-n"] + options + ["Photos"])
            #expect(run.status == 0 && run.err.contains(note) == isTold, "\(options): \(run)")
        }
        #expect(!bench.exists("page.html") && !bench.exists("report.jsonl"))
    }

    /// A terminal that cannot do more is given sixteen colors by `always`; where none is named all are.
    @Test func `colors that are always wanted are shown on any terminal`() throws {
        #expect(try bench.moody("ingest", "-q", "Photos").status == 0)
        for (environment, start) in [
            (["TERM": "dumb"], "\u{1B}[3"), ([:], "\u{1B}[38;2;"),
            (["TERM": "xterm-256color"], "\u{1B}[38;5;"),
            (["TERM": "xterm", "COLORTERM": "24bit"], "\u{1B}[38;2;"),
            (["TERM": "", "NO_COLOR": "1"], "\u{1B}[38;2;"),
        ] as [([String: String], String)] {
            let run = try bench.moody("list", "--color", "always", environment: environment)
            #expect(run.out.contains(start), "\(environment): \(run)")
            #expect(environment["TERM"] != "dumb" || !run.out.contains("\u{1B}[38;"), "\(run)")
            for depth in ["auto", "never"] {
                let plain = try bench.moody("list", "--color", depth, environment: environment)
                #expect(!plain.out.contains("\u{1B}"), "\(depth)")
            }
        }
    }

    @Test func `what is wrong on a command line is shown escaped`() throws {
        let run = try bench.shell("\"$moody\" list \"$(printf -- '--\\033[31m\\377')\"")
        #expect(run.status == 64)
        #expect(run.err.hasPrefix("moody: Unknown option '--\\x1b[31m\\xff'\n"), "\(run.err)")
    }

    @Test(arguments: [
        ["list"], ["show", "1"], ["export", "json"], ["delete", "-n", "1"], ["store", "check"],
    ])
    func `every command takes -q, -v and --progress`(words: [String]) throws {
        #expect(try bench.moody("ingest", "Photos").status == 0)
        let plain = try bench.run(words)
        #expect(try bench.run(words + ["-q", "--progress", "always"]) == plain)
        let run = try bench.run(words + ["-v"])
        #expect(run.status == 0 && run.out == plain.out && run.err.contains(" opened /"))
    }

    @Test func `quiet leaves problems, and the results of commands that are asked for them`() throws {
        try bench.write("hello", to: "broken.jpg")
        let extract = try bench.moody("extract", "-q", "--format", "hex", "broken.jpg", "Photos/harbour.jpg")
        #expect(extract.out == "#1f4e78\n#e8a33c\n")
        #expect(extract.err == "moody: broken.jpg: not a picture of a known kind\n")
        try bench.write("hello", to: "Photos/bad.jpg")
        let ingest = try bench.moody("ingest", "-q", "Photos")
        #expect(
            ingest == .init(status: 1, out: "", err: "moody: Photos/bad.jpg: not a picture of a known kind\n")
        )
        #expect(try bench.moody("ingest", "-q", "--json", "--recompute", "Photos").lines.count == 3)
        #expect(try bench.moody("list", "-q").lines.count == 3)
        let asked = try bench.moody("ingest", "-q", "--progress", "always", "--recompute", "Photos")
        #expect(asked.err.contains("4/4"), "a bar that is asked for is shown: \(asked.err)")
        #expect(try bench.moody("watch", "-q", "--once", "--recompute", "Photos").out == "")
        #expect(try bench.moody("delete", "-q", "1") == .init(status: 0, out: "", err: ""))
        #expect(try bench.moody("export", "html", "-q") == .init(status: 0, out: "", err: ""))
    }

    @Test func `a background may be named as in CSS, and the help says so`() throws {
        let named = try bench.moody(
            "extract", "--background", "SteelBlue", "--format", "hex", "Photos/desert.jpg")
        #expect(named.status == 0)
        for same in ["#4682b4", "4682B4"] {
            #expect(
                try bench.moody("extract", "--background", same, "--format", "hex", "Photos/desert.jpg")
                    == named)
        }
        #expect(try bench.moody("extract", "--background", "bluish", "Photos/desert.jpg").status == 64)
        func help(_ command: String) throws -> String {
            try bench.moody(command, "--help").out.split(whereSeparator: \.isWhitespace).joined(
                separator: " ")
        }
        #expect(try help("extract").contains("background color: #fff, ffffff, or a CSS color name."))
        #expect(try !help("extract").contains("the store was made"))
        #expect(try help("ingest").contains("(default: the store's, else 5)"))
    }

    @Test func `a bar counts the photos, not the other files`() throws {
        let run = try bench.shell(
            """
            rm Photos/forest.jpg Photos/desert.jpg; for i in $(seq 400); do echo $i > Photos/$i.txt; done
            "$moody" ingest -j1 --progress always Photos
            """)
        let rates = run.err.split(separator: "\r").compactMap { bar -> Int? in
            guard bar.contains("401/401") else { return nil }
            return bar.components(separatedBy: " photos/s").first?.split(separator: " ").last.flatMap {
                Int($0)
            }
        }
        // One photo in more than a millisecond.
        #expect(rates.count == 1 && rates[0] < 1000, "\(run.err)")
        // Minutes and seconds, of which there are two digits.
        let ends = run.err.split(separator: "\r").filter { $0.contains("401/401") }
        #expect(ends.count == 1 && ends[0].hasSuffix("  0:00 left"), "\(run.err)")
    }

    @Test func `options that do nothing for unchanged photos are said to`() throws {
        #expect(try bench.moody("ingest", "Photos").status == 0)
        let run = try bench.moody("ingest", "--preview", "640", "--exact", "Photos")
        #expect(
            run.err == """
                moody: note: 3 unchanged photos stay as they are; \
                --recompute applies --preview, --exact to them
                3 photos: 3 unchanged; Moody.moody

                """)
        let watch = try bench.moody("watch", "--once", "--crop", "4x4+0+0", "Photos/")
        #expect(
            watch.err.hasPrefix(
                "moody: note: 3 unchanged photos stay as they are; --recompute applies --crop"))
        #expect(try bench.moody("ingest", "-q", "--exact", "Photos").err == "")
        // The store has the size from now on.
        for words in [["--preview", "640"], ["--preview", "1000", "--recompute"]] {
            #expect(try bench.run(["ingest", "Photos"] + words).err.contains("note") == false)
        }
    }

    @Test func `a page of more than 20 MB in one file says beforehand what to do instead`() throws {
        // A thumbnail of noise has some 70 KB, and copies of a photo take no time.
        _ = try bench.shell("mkdir Many")
        try bench.putNoise(side: 320, as: "Many/1.png")
        _ = try bench.shell("cd Many; for i in $(seq 2 300); do cp 1.png $i.png; done")
        let run = try bench.moody("ingest", "-q", "--store", "many.moody", "Many")
        #expect(run.status == 0, "\(run.err)")
        func export(_ words: String...) throws -> (said: String, megabytes: Int) {
            let run = try bench.run(["export", "html", "--store", "many.moody", "-o", "many.html"] + words)
            #expect(run.status == 0 && run.out == "", "\(run.err)")
            return (run.err, try Int(bench.shell("wc -c < many.html").lines[0]).map { $0 / 1_000_000 } ?? 0)
        }
        let large = try export()
        #expect(
            large.said == """
                moody: note: a page of more than 20 MB opens slowly in browsers; a folder (a name that ends \
                with /) keeps the pictures beside the page, and --where or --limit selects fewer moods
                moody: wrote many.html: 300 moods

                """)
        #expect(large.megabytes > 20)
        let small = try export("--where", "path MATCHES \".*/1?[0-9]?[0-9].png\"")
        #expect(small.said == "moody: wrote many.html: 199 moods\n" && small.megabytes < 20)
        let folder = try bench.moody("export", "html", "--store", "many.moody", "-o", "Page/")
        #expect(folder == .init(status: 0, out: "", err: "moody: wrote Page/: 300 moods\n"))
    }

    @Test func `a page of more than 100,000 moods is refused before anything is written`() throws {
        #expect(try bench.moody("ingest", "-q", "Photos").status == 0)
        func sql(_ statement: String) throws -> [String] {
            try bench.shell("sqlite3 Moody.moody \"\(statement)\"").lines
        }
        let all = "SELECT group_concat(name) FROM pragma_table_info('ZMOOD') WHERE name <> 'Z_PK'"
        let columns = try sql(all)[0]
        // With the three of the photos one too many.
        _ = try sql(
            """
            WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 100997) \
            INSERT INTO ZMOOD (Z_PK, \(columns)) SELECT i, \(columns) \
            FROM n, (SELECT * FROM ZMOOD LIMIT 1)
            """)
        for output in ["Page/", "page.html"] {
            let run = try bench.moody("export", "html", "-o", output)
            #expect(run.status == 2 && run.out == "" && !bench.exists(output))
            #expect(
                run.err == """
                    moody: \(output): a page of 100,001 moods is too large for browsers (at most \
                    100,000); moody export html --where or --limit selects fewer, and moody serve shows \
                    them all

                    """)
        }
        // An ingest is done all the same.
        let again = try bench.moody("ingest", "Photos", "--html", "Page/")
        #expect(again.status == 1 && again.err.contains("moody: Page/: a page of 100,001 moods is too large"))
        #expect(again.err.contains("3 photos: 3 unchanged") && !bench.exists("Page/"))
        let few = try bench.moody("export", "html", "-o", "Page/", "--limit", "2")
        #expect(few == .init(status: 0, out: "", err: "moody: wrote Page/: 2 moods\n"))
        // The first of the list.
        let ids = try bench.moody("list", "--json", "--limit", "2").lines.map { $0.prefix(20) }
        #expect(try bench.moody("export", "jsonl", "--limit", "2").lines.map { $0.prefix(20) } == ids)
        #expect(try bench.moody("export", "jsonl", "--limit", "0").status == 64)
    }

    @Test func `one of a thing is not said as many`() throws {
        #expect(try bench.moody("ingest", "-q", "Photos/desert.jpg").status == 0)
        #expect(
            try bench.moody("ingest", "--exact", "Photos/desert.jpg").err.hasPrefix(
                "moody: note: 1 unchanged photo stays as it is; --recompute applies --exact to it\n"))
        for (words, told) in [
            (["export", "html", "-o", "one.html"], "moody: wrote one.html: 1 mood\n"),
            (["export", "html", "-o", "One/"], "moody: wrote One/: 1 mood\n"),
            (["export", "card", "1", "-o", "Cards/"], "moody: wrote Cards/: 1 file\n"),
            (["export", "ase", "--each", "-o", "Swatches/"], "moody: wrote Swatches/: 1 file\n"),
        ] {
            #expect(try bench.run(words).err == told)
        }
        try bench.write("no picture", to: "Photos/notes.txt")
        #expect(try bench.moody("ingest", "Photos").err.contains("; 1 other file\n") == false)
        #expect(
            try bench.moody("ingest", "Photos").err
                == "3 photos: 3 unchanged; 1 other file; Moody.moody\n")
    }

    @Test func `what is not near is said, with the tolerance as it was given`() throws {
        #expect(try bench.moody("ingest", "-q", "Photos").status == 0)
        for within in ["3", "2.5"] {
            let run = try bench.moody("find", "#2f5e88", "--within", within)
            #expect(run.err == "moody: none within \(within); farther away:\n" && run.lines.count == 1)
        }
    }

    @Test func `a card of nothing, a list of nothing and an archive that is not there are said to be so`()
        throws
    {
        #expect(try bench.moody("ingest", "-q", "Photos").status == 0)
        let none = try bench.moody("export", "card", "--where", "width < 1")
        #expect(none.status == 64 && none.err.hasPrefix("moody: card: no photo is selected.\n"))
        let ignored = try bench.moody("extract", "--ignore", ",", "Photos/desert.jpg")
        #expect(
            ignored.status == 64 && ignored.err.hasPrefix("moody: The value ',' is invalid for '--ignore"))
        let archive = try bench.moody("extract", "--tar", "nowhere.tar")
        #expect(archive == .init(status: 2, out: "", err: "moody: nowhere.tar: No such file or directory\n"))
        // Two words for the same.
        let lines = try bench.moody("extract", "--json", "--format", "jsonl", "Photos/desert.jpg")
        #expect(lines.status == 0 && lines.out.hasPrefix("{\"v\":1,\"path\":"))
    }

    @Test func `several moods are shown with a blank line between them, and all that was asked of each`()
        throws
    {
        let words = "ingest -q --ignore gray,white --background #abcdef Photos"
        #expect(try bench.run(words.split(separator: " ").map(String.init)).status == 0)
        let run = try bench.moody("show", "1", "2", "3")
        #expect(run.out.split(separator: "\n\n").count == 3)
        #expect(run.lines.count { $0 == "  without  gray, white, #abcdef" } == 3, "\(run.out)")
        #expect(run.lines.count { $0.hasSuffix("(says the photo)") } == 3, "\(run.out)")
        // A date that a scanner has given is called so.
        let record = try bench.moody("export", "record", "1").out
        try bench.write(
            record.replacingOccurrences(of: "\"original\"", with: "\"digitized\""), to: "scan.jsonl")
        #expect(try bench.moody("import", "--store", "s.moody", "scan.jsonl").status == 0)
        #expect(
            try bench.moody("show", "--store", "s.moody", "1").lines.contains {
                $0.hasPrefix("  taken    ") && $0.hasSuffix("(digitized, says the photo)")
            })
    }

    @Test func `a palette of all photos has five colors where no number is asked for`() throws {
        try bench.putSquares(
            ["ff0000", "00ff00", "0000ff", "ffff00", "00ffff", "ff00ff", "000000", "ffffff"].map {
                ("Squares/\($0).png", $0)
            })
        #expect(try bench.moody("ingest", "-q", "Squares").status == 0)
        #expect(try bench.moody("export", "hex", "--combined").lines.count == 5)
        #expect(try bench.moody("export", "hex", "--combined", "-k", "8").lines.count == 8)
    }
}
