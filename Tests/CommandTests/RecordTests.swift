import Foundation
import Glibc
import TestSupport
import Testing

/// Records of photos, made anywhere, become the store that one ingest makes.
@Suite struct RecordTests {
    private let bench: Workbench

    init() throws {
        bench = try Workbench()
        try bench.putPhotos()
        try bench.put("slate.png", as: "Photos/deep/slate.png")
        try bench.putSquares(
            (0..<24).map { index in
                // Names that sort otherwise with and without folders, and dates in some of them.
                let folder = ["", "a/", "a.b/", "a-b/", "ä/"][index % 5]
                let hex = String(format: "%02x%02x%02x", index * 10, 255 - index * 9, index * 37 % 256)
                return (
                    name:
                        "Photos/\(folder)\(index % 4 == 0 ? "IMG_2015060\(index % 9 + 1)" : "p\(index)").png",
                    hex: hex
                )
            })
        // Copies, damaged photos, other files, times with whole seconds.
        _ = try bench.shell(
            """
            cp Photos/forest.jpg Photos/a/copy.jpg
            head -c $(($(stat -c %s Photos/desert.jpg) / 2)) Photos/desert.jpg > Photos/cut.jpg
            echo text > Photos/notes.txt; cp Photos/slate.png "Photos/$(printf 'bad\\377.png')" 2> /dev/null \
            || cp Photos/deep/slate.png "Photos/$(printf 'bad\\377.png')"
            find Photos -type f | sort |
            { n=0; while read -r f; do n=$((n+1)); touch -d "@$((1400000000+n))" "$f"; done; }
            """)
    }

    private func exported(_ store: String) throws -> String {
        try bench.moody("export", "json", "--sort", "id:asc", "--store", store).out
    }

    private func ingested(_ options: String...) throws -> String {
        _ = try bench.run(["ingest", "-q", "--store", "one.moody"] + options + ["Photos"])
        return try exported("one.moody")
    }

    /// The mood is of bytes that are no file's any more.
    @Test func `an unreadable photo stays so behind its own record, and is read in a new store`() throws {
        let run = try bench.shell(
            """
            mkdir Q && cp Photos/forest.jpg Q/a.jpg && "$moody" ingest -q Q && sleep 0.02
            echo garbage > Q/a.jpg
            "$moody" ingest -q Q 2> /dev/null
            "$moody" export record -o r.jsonl 2> /dev/null
            "$moody" import r.jsonl > /dev/null 2>&1; "$moody" list
            "$moody" import --store new.moody r.jsonl > /dev/null 2>&1
            "$moody" ingest -q --store new.moody Q; "$moody" list --store new.moody
            """)
        #expect(run.lines.count == 2 && run.lines.allSatisfy { $0.hasSuffix("(unreadable)") }, "\(run)")
        #expect(run.err.contains("Q/a.jpg"))
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func `a store of records equals that of one ingest, whatever their order and repetition`(
        seed: UInt64
    ) throws {
        let options = [
            ["-k", "5"], ["-k", "3", "--mode", "area"], ["-k", "auto"], ["--ignore", "white,border"],
        ]
        let used = options[Int(seed) % options.count]
        _ = try bench.run(["ingest", "-q", "--store", "one.moody"] + used + ["Photos"])
        let whole = try exported("one.moody")
        #expect(whole.contains("\"count\""))
        let extracted = try bench.run(["extract", "--format", "record", "--thumbnails"] + used + ["Photos"])
        #expect(extracted.status == 1, "one photo is cut short")
        var random = SplitMix64(seed: seed)
        var lines = extracted.lines.filter { !$0.contains("\"end\":true") }
        #expect(lines.count > 25)
        lines += lines.filter { _ in Bool.random(using: &random) }
        lines.shuffle(using: &random)
        let cut = Int.random(in: 1..<lines.count, using: &random)
        try bench.write(lines[..<cut].joined(separator: "\n"), to: "a.jsonl")
        try bench.write(lines[cut...].joined(separator: "\n") + "\n", to: "b.jsonl")
        let run = try bench.moody("import", "--store", "two.moody", "b.jsonl", "a.jsonl")
        #expect(run.status == 0, "\(run)")
        #expect(try exported("two.moody") == whole)
        // What pages and searches are made of. Only the numbers of photos differ: other files have one, too.
        let mood = """
            Z_PK, ZALGORITHM, ZDATESOURCE, ZDAY, ZHEIGHT, ZK, ZMODE, ZTIMEZONEOFFSET, ZWIDTH, ZCOUNTRY, \
            ZTHUMBNAIL, ZDATE, ZLATITUDE, ZLONGITUDE, ZCAMERA, ZNOTES, hex(ZCOLORS), hex(ZSHARES)
            """
        for (table, columns) in [
            ("ZMOOD", mood), ("ZSWATCH", "*"), ("ZTHUMBNAIL", "Z_PK, ZMOOD, hex(ZJPEG)"),
        ] {
            let sums = try ["one", "two"].map { store in
                try bench.shell(
                    "sqlite3 \(store).moody 'SELECT \(columns) FROM \(table) ORDER BY Z_PK' | md5sum"
                ).out
            }
            #expect(sums[0] == sums[1], "\(table)")
        }
        // Again, and by an ingest, which opens no photo that it knows by time and size.
        #expect(
            try bench.moody("import", "--store", "two.moody", "a.jsonl", "b.jsonl").err.contains("unchanged"))
        #expect(try exported("two.moody") == whole)
        let again = try bench.run(["ingest", "--store", "two.moody", "Photos"])
        #expect(again.err.contains("unchanged") && !again.err.contains(" new"), "\(again.err)")
        #expect(try exported("two.moody") == whole)
        // Out of the store again.
        let copied = try bench.shell(
            "\"$moody\" export record --thumbnails --store one.moody "
                + "| \"$moody\" import --store three.moody -"
        )
        #expect(copied.status == 0)
        #expect(try exported("three.moody") == whole)
    }

    @Test func `a tar stream gives the records of its members, under another root`() throws {
        let whole = try ingested()
        let run = try bench.shell(
            """
            tar -cf - --format=pax Photos | "$moody" extract --tar - --thumbnails > r.jsonl; echo $?
            "$moody" import --root "Photos=$PWD/Photos" --store two.moody r.jsonl
            """)
        #expect(run.lines.first == "1" && run.status == 0, "\(run)")
        #expect(try exported("two.moody") == whole)
        let last = try bench.shell("tail -n 1 r.jsonl").out
        #expect(last.hasPrefix("{\"v\":1,\"end\":true,\"photos\":") && last.hasSuffix(",\"failed\":1}\n"))
        // One line per member when each is wanted.
        let every = try bench.shell(
            """
            tar -cf - Photos | "$moody" extract --tar - --every-member 2> /dev/null | wc -l
            find Photos -type f | wc -l
            """)
        let counts = every.lines.compactMap { Int($0.trimmingCharacters(in: .whitespaces)) }
        #expect(counts.count == 2 && counts[0] == counts[1] + 1, "\(every)")
    }

    @Test(arguments: [["b=c/photos=A", "b=c/photos/x=B"], ["b=c/photos/x=B/", "b=c/photos=A/"]])
    func `of roots the longest prefix counts, a whole part of the path, and it may hold an equals sign`(
        roots: [String]
    )
        throws
    {
        let names = [
            "b=c/photos/one.jpg", "b=c/photos/x/two.jpg", "b=c/photos/x.jpg", "b=c/photos2/three.jpg",
            "/four.jpg", "b=c/photos//y//five.jpg",
        ]
        _ = try bench.shell(
            "\"$moody\" extract --format record Photos/forest.jpg | grep -v '\"end\"' > one.jsonl; "
                + names.map { "sed 's|\"path\":\"[^\"]*\"|\"path\":\"s3://\($0)\"|' one.jsonl >> r.jsonl" }
                .joined(separator: "; "))
        let run = try bench.run(
            ["import", "--store", "s.moody"] + roots.flatMap { ["--root", "s3://" + $0] } + ["r.jsonl"])
        #expect(run.status == 0, "\(run)")
        let paths = try bench.shell("\"$moody\" list -0 --sort path --store s.moody | tr '\\0' '\\n'").lines
        let here = bench.folder.path, real = try bench.realPath
        #expect(
            Set(paths.map { $0.replacing(real, with: "").replacing(here, with: "") }) == [
                "/A/one.jpg", "/B/two.jpg", "/A/x.jpg", "s3://b=c/photos2/three.jpg", "s3:///four.jpg",
                "/A/y//five.jpg",
            ])
    }

    /// As `tar -cf - *.jpg` gives them.
    @Test func `a record of a name without a folder keeps it, and is known when it comes again`() throws {
        let run = try bench.shell(
            """
            cd Photos && tar -cf - forest.jpg | "$moody" extract --tar - > ../r.jsonl; cd ..
            "$moody" import -q --store b.moody r.jsonl; "$moody" import --store b.moody r.jsonl; echo $?
            "$moody" list -0 --store b.moody | tr '\\0' '\n'; "$moody" list --store b.moody
            "$moody" list --store b.moody --json | grep -c '"path":"forest.jpg"'
            """)
        let line = "    1  2024-06-29  #1e5631 #8a5a2a #dae4c9  forest.jpg"
        #expect(run.lines == ["0", "forest.jpg", line, "1"] && run.err.contains("1 unchanged"), "\(run)")
    }

    @Test(arguments: [("pixels=1M", 0), ("pixels=10", 2), ("scans=1", 0)])
    func `a record says that a limit stopped a photo`(limit: String, count: Int) throws {
        let line = "\"$moody\" extract --format record --max \(limit) Photos/forest.jpg Photos/deep/slate.png"
        let run = try bench.shell(line + " | grep -c '\"errorKind\":\"limit\"'")
        #expect(run.lines == ["\(count)"], "\(run)")
    }

    @Test func `a second name of a photo in a tar stream is named, and one of another file is not`() throws {
        let run = try bench.shell(
            """
            mkdir L && cp Photos/forest.jpg L/a.jpg && echo words > L/c.txt
            ln L/a.jpg L/b.jpg && ln L/c.txt L/d.txt && ln L/a.jpg L/e && tar -cf l.tar --sort=name L
            "$moody" extract --tar l.tar --format record -o l.jsonl; echo "status $?"
            python3 -c '
            import json
            for line in open("l.jsonl"):
                record = json.loads(line)
                print(record.get("path"), record.get("errorKind"), record.get("failed"))'
            """)
        #expect(
            run.lines == ["status 1", "L/a.jpg None None", "L/b.jpg unavailable None", "None None 1"],
            "\(run)")
    }

    @Test func `a program may send one photo and wait for its line`() throws {
        let run = try bench.shell(
            """
            timeout 60 python3 -c '
            import io, json, os, subprocess, tarfile
            moody = subprocess.Popen([os.environ["moody"], "extract", "--tar", "-", "-j", "1"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            data = open("Photos/forest.jpg", "rb").read()
            for number in range(3):
                info = tarfile.TarInfo("photo%d.jpg" % number)
                info.size = len(data)
                moody.stdin.write(info.tobuf() + data + bytes(-len(data) % 512))
                moody.stdin.flush()
                print(json.loads(moody.stdout.readline())["path"], flush=True)
            moody.stdin.close()
            print(moody.stdout.readline().decode().strip(), moody.wait())'
            """)
        #expect(
            run.lines == [
                "photo0.jpg", "photo1.jpg", "photo2.jpg",
                "{\"v\":1,\"end\":true,\"photos\":3,\"failed\":0} 0",
            ], "\(run)")
    }

    @Test func `what cannot be read is named, and costs a status`() throws {
        func status(_ line: String) throws -> (Int32, String) {
            let run = try bench.shell(line)
            return (run.status, run.err)
        }
        let cut = try bench.shell(
            "tar -cf - Photos | head -c 30000 | \"$moody\" extract --tar - > cut.jsonl; echo $?; "
                + "grep -c '\"end\":true' cut.jsonl"
        )
        #expect(cut.lines == ["2", "0"] && cut.err.contains("in the middle of a member"), "\(cut)")
        #expect(try status("echo hello | \"$moody\" extract --tar -").0 == 2)
        #expect(
            try status("\"$moody\" extract --tar nosuch.tar") == (
                2, "moody: nosuch.tar: No such file or directory\n"
            ))
        for line in ["extract --tar Photos", "import --store f.moody Photos"] {
            #expect(try status("\"$moody\" " + line) == (2, "moody: Photos: Is a directory\n"), "\(line)")
        }
        #expect(!bench.exists("f.moody"))
        #expect(try status("\"$moody\" extract --tar - Photos < /dev/null").0 == 64)
        #expect(try status("\"$moody\" extract --tar - --format json < /dev/null").0 == 64)
        // Lines that are no records are named by file and line; the others count.
        let line = try bench.shell("\"$moody\" extract --format record Photos/forest.jpg | head -n 1").out
        let wrong = [
            "{}", "[]", "nonsense", "{\"v\":2,\"path\":\"/a\"}", "{\"v\":1}",
            line.replacing("\"share\":0", with: "\"share\":7"),
            line.replacing("\"taken\":\"", with: "\"taken\":\"x"),
            line.replacing("\"hex\":\"#", with: "\"hex\":\"q"),
            "{\"v\":1,\"path\":\"a\\u0000b\",\"size\":1,\"mtimeNs\":1,\"error\":\"x\"}",
        ].map { $0.trimmingCharacters(in: .newlines) }
        try bench.write((wrong + ["\r", " \t", line]).joined(separator: "\n"), to: "wrong.jsonl")
        let run = try bench.moody("import", "--json", "--store", "w.moody", "wrong.jsonl")
        #expect(run.status == 1 && run.err.contains("wrong.jsonl:1: "), "\(run)")
        // Of the lines of one photo, three of them wrong, one is read as a whole. Blank lines are none.
        #expect(run.out.contains("\"duplicates\":3,\"wrongLines\":7}"), "\(run)")
        #expect(try bench.shell("\"$moody\" store check --store w.moody").status == 0)
        // Two sets of options are two stores, and nothing is written.
        let mixed = try bench.shell(
            """
            { "$moody" extract --format record -k 3 Photos/forest.jpg
              "$moody" extract --format record -k 4 Photos/harbour.jpg; } > mixed.jsonl
            "$moody" import --store m.moody mixed.jsonl; echo $?; ls m.moody
            "$moody" ingest -q -k 8 --store k.moody Photos/deep
            "$moody" export json --store k.moody > before.json
            grep -v harbour mixed.jsonl | "$moody" import --store k.moody -; echo $?
            "$moody" export json --store k.moody | cmp - before.json && echo same
            """)
        #expect(mixed.lines == ["2", "2", "same"], "\(mixed)")
    }

    @Test(arguments: [10, 11, 13]) func `of many lines that are no records ten are named`(count: Int) throws {
        try bench.write(String(repeating: "nonsense\n", count: count), to: "wrong.jsonl")
        let run = try bench.moody("import", "--store", "w.moody", "wrong.jsonl")
        let named = run.err.split(separator: "\n").filter { $0.hasPrefix("moody: wrong.jsonl:") }
        #expect(
            run.status == 1 && named.count == 10 && named[9].hasPrefix("moody: wrong.jsonl:10: "), "\(run)")
        let more = "moody: \(count - 10) more lines are no records\n"
        #expect(run.err.contains(more) == (count > 10), "\(run)")
    }

    @Test func `the later file's record counts, deleted moods stay deleted, an older record changes nothing`()
        throws
    {
        _ = try bench.shell(
            """
            "$moody" extract --format record --thumbnails Photos/forest.jpg > old.jsonl
            cp Photos/harbour.jpg Photos/forest.jpg; touch -d @1500000000 Photos/forest.jpg
            "$moody" extract --format record --thumbnails Photos/forest.jpg > new.jsonl
            """)
        for order in [["old.jsonl", "new.jsonl"], ["new.jsonl", "old.jsonl"]] {
            _ = try bench.shell("rm -rf s.moody* .s_SUPPORT")
            let run = try bench.run(["import", "--store", "s.moody"] + order)
            #expect(run.err.contains("1 records of photos that have another one"))
            let all = try bench.moody("list", "--json", "--store", "s.moody").out
            _ = try bench.shell("rm -rf t.moody* .t_SUPPORT")
            _ = try bench.run(["import", "-q", "--store", "t.moody", "new.jsonl"])
            #expect(try bench.moody("list", "--json", "--store", "t.moody").out == all)
        }
        let older = try bench.run(["import", "--store", "s.moody", "old.jsonl"])
        #expect(older.err.contains("1 older") && older.status == 0, "\(older)")
        _ = try bench.run(["delete", "1", "--store", "s.moody"])
        let deleted = try bench.run(["import", "--store", "s.moody", "new.jsonl"])
        #expect(deleted.err.contains("1 left out"), "\(deleted)")
        #expect(try bench.moody("list", "--store", "s.moody").out == "")
    }

    @Test func `an import that is killed ends with the same store when it is run again`() throws {
        let whole = try ingested()
        _ = try bench.run(["extract", "--format", "record", "--thumbnails", "-o", "r.jsonl", "Photos"])
        for delay in ["0.02", "0.05", "0.1", "0.2"] {
            let run = try bench.shell(
                """
                rm -rf two.moody* .two_SUPPORT
                "$moody" import -q --store two.moody r.jsonl & sleep \(delay); kill -9 $!
                wait $! 2> /dev/null
                "$moody" import -q --store two.moody r.jsonl; echo $?; ls -A | grep -c moody-import
                """)
            #expect(run.lines == ["0", "0"], "\(run)")
            #expect(try exported("two.moody") == whole)
        }
    }

    @Test func `a file that is larger than any photo says so in its record, and is no trouble of the disk`()
        throws
    {
        let run = try bench.shell(
            """
            cp "$fixtures"/harbour.jpg large.jpg; truncate -s 2147483649 large.jpg
            "$moody" extract --format record large.jpg
            """)
        #expect(run.status == 1 && run.out.contains("\"errorKind\":\"photo\""), "\(run)")
        #expect(run.out.contains("\"error\":\"more than 2 GiB: larger than any photo that is read\""))
    }
}
