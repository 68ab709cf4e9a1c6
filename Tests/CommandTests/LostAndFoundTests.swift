import Foundation
import Glibc
import Testing

/// What the command does in odd places: other processes, other stores, other names.
@Suite struct LostAndFoundTests {
    private let bench: Workbench

    init() throws {
        bench = try Workbench()
        try bench.putSquares([("W/a.png", "ff0000"), ("W/b.png", "00ff00")])
    }

    private func summary(_ run: Workbench.Run) -> String {
        let line = run.err.split(separator: "\n").last.map(String.init) ?? ""
        return line.components(separatedBy: "; Moody.moody")[0]
    }

    // MARK: Watch

    @Test(arguments: ["rm -rf Moody.moody* .Moody_SUPPORT", "cp Moody.moody other; mv other Moody.moody"])
    func `a store that is removed or replaced ends the watch`(_ script: String) throws {
        let watch = try bench.start("watch", "W")
        try watch.waitForErr("watching")
        _ = try bench.shell(script)
        try bench.putSquares([("W/c.png", "0000ff")])
        let run = try watch.wait()
        #expect(run.status == 2, "\(run)")
        #expect(run.err.hasSuffix("moody: Moody.moody: was removed or replaced; the watch ends\n"))
    }

    @Test func `a watch goes by what another run changes in the store`() throws {
        let watch = try bench.start("watch", "W")
        try watch.waitForErr("watching")
        #expect(try bench.moody("ingest", "-q", "-k3", "--exclude", "*.skip.png", "W").status == 0)
        try bench.putSquares([("W/d.skip.png", "0000ff"), ("W/c.png", "0000ff")])
        try watch.waitForOut("c.png")
        watch.send(SIGTERM)
        #expect(try watch.wait().status == 0)
        let counts = try bench.moody("list", "--json").lines.count { $0.contains("\"count\":3") }
        #expect(counts == 3)
        #expect(try !bench.moody("list").out.contains("skip"))
    }

    @Test func `a path that is too long costs nothing but itself`() throws {
        let name = String(repeating: "x", count: 100)
        _ = try bench.shell(
            """
            cd W; i=0
            while [ $i -lt 60 ]; do mkdir \(name) 2>/dev/null && cd \(name) || break; i=$((i+1)); done
            """
        )
        let watch = try bench.start("watch", "W")
        try watch.waitForErr("watching W")
        #expect(!watch.errText.contains("cannot be watched"), "\(watch.errText)")
        try bench.putSquares([("W/c.png", "0000ff")])
        try watch.waitForOut("c.png")
        watch.send(SIGTERM)
        _ = try watch.wait()
    }

    @Test func `a slip of the pen makes no store and changes none`() throws {
        let watch = try bench.moody("watch", "Wtypo")
        #expect(watch.status == 1 && watch.err == "moody: Wtypo: No such file or directory\n")
        #expect(!bench.exists("Moody.moody"))
        _ = try bench.moody("ingest", "-q", "--exclude", "*.tmp.png", "W")
        #expect(try bench.moody("ingest", "-k", "8", "--exclude", "nothing", "Wtypo").status == 1)
        try bench.putSquares([("W/x.tmp.png", "0000ff")])
        #expect(summary(try bench.moody("ingest", "W")) == "2 photos: 2 unchanged")
    }

    @Test func `a photo that is cut by its path is heard, one that is being written is left`() throws {
        let watch = try bench.start("watch", "W")
        try watch.waitForErr("watching")
        _ = try bench.shell("python3 -c 'import os; os.truncate(\"W/a.png\", 40)'")
        try watch.waitForErr("moody: W/a.png: ")
        watch.send(SIGTERM)
        #expect(try watch.wait().status == 0)
    }

    @Test func `programs that open files again and again neither end a watch nor are held up by it`() throws {
        let watch = try bench.start("watch", "W")
        try watch.waitForErr("watching")
        let writer = """
            import os, time
            end = time.time() + 3
            while time.time() < end:
                for n in range(8):
                    f = os.open(f"W/f{n}.txt", os.O_WRONLY | os.O_CREAT | os.O_NONBLOCK | os.O_APPEND)
                    os.write(f, b"x")
                    os.close(f)
            """
        #expect(try bench.shell("python3 -c '\(writer)'") == .init(status: 0, out: "", err: ""))
        try bench.putSquares([("W/after.png", "0000ff")])
        try watch.waitForOut("after.png")
        watch.send(SIGTERM)
        #expect(try watch.wait().status == 0)
    }

    @Test func `a root inside a root that goes makes nothing missing`() throws {
        try bench.putSquares([("W/sub/c.png", "0000ff")])
        let watch = try bench.start("watch", "W/sub", "W")
        try watch.waitForErr("watching")
        _ = try bench.shell("rm -r W/sub")
        try watch.waitForErr("W/sub: the folder is gone; nothing below it was marked missing")
        try bench.putSquares([("W/d.png", "808080")])
        try watch.waitForOut("d.png")
        watch.send(SIGHUP)
        let run = try watch.wait()
        #expect(run.status == 0 && !run.err.contains("missing;"), "\(run)")
    }

    // MARK: Following

    /// The lines of a followed list, applied to it as DATA.md says.
    private func replayed(_ lines: [String]) throws -> [String] {
        var list: [String] = [], batches: [(Int, [[String: Any]])] = []
        for line in lines {
            var object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
            guard let batch = object["batch"] as? Int else {
                list.append(line)
                continue
            }
            if let start = line.range(of: "\"mood\":") {
                object["text"] = String(line[start.upperBound...].dropLast())
            }
            if batches.last?.0 == batch {
                batches[batches.count - 1].1.append(object)
            } else {
                batches.append((batch, [object]))
            }
        }
        for (_, changes) in batches {
            func number(_ change: [String: Any], _ key: String) -> Int { change[key] as? Int ?? -1 }
            func of(_ kinds: Set<String>) -> [[String: Any]] {
                changes.filter { kinds.contains($0["change"] as? String ?? "") }
            }
            for change in of(["delete", "move"]).sorted(by: { number($0, "from") > number($1, "from") }) {
                list.remove(at: number(change, "from"))
            }
            for change in of(["insert", "move"]).sorted(by: { number($0, "to") < number($1, "to") }) {
                list.insert(change["text"] as? String ?? "", at: number(change, "to"))
            }
            for change in of(["update"]) { list[number(change, "to")] = change["text"] as? String ?? "" }
        }
        return list
    }

    @Test func `a list that is followed hears of renames, of what is missing, and of what is back`() throws {
        _ = try bench.moody("ingest", "-q", "W")
        let follow = try bench.start("list", "--follow", "--json")
        try follow.waitForOut("b.png")
        try bench.move("W/a.png", to: "W/renamed.png")
        _ = try bench.moody("ingest", "-q", "W")
        try follow.waitForOut("/renamed.png")
        try bench.move("W/b.png", to: "b.png")
        _ = try bench.moody("ingest", "-q", "W")
        try follow.waitForOut("\"missing\":true")
        try bench.putSquares([("W/c.png", "0000ff")])
        try bench.move("b.png", to: "W/b.png")
        _ = try bench.moody("ingest", "-q", "W")
        try follow.waitForOut("/c.png")
        _ = try bench.shell("truncate -s 50 W/c.png")
        _ = try bench.moody("ingest", "-q", "W")
        try follow.waitForOut("\"failure\":")
        _ = try bench.moody("delete", "W/b.png")
        try follow.waitForOut("\"change\":\"delete\"")
        follow.send(SIGTERM)
        let run = try follow.wait()
        #expect(run.status == 0)
        #expect(try replayed(run.lines) == bench.moody("list", "--json").lines)
    }

    // MARK: Files and folders

    @Test func `an export that was stopped can be run again`() throws {
        _ = try bench.moody("ingest", "-q", "W")
        #expect(try bench.moody("export", "css", "--each", "-o", "e").status == 0)
        // As a run that was killed between two files leaves it: a new one is there, the marker is not new.
        _ = try bench.shell(
            """
            printf 'b.css 9\\n' >> e/.moody-export; printf '/* new */' > e/b.css
            """)
        #expect(try bench.moody("export", "css", "--each", "-o", "e").status == 0)
        try bench.write("mine", to: "e/a.css")
        let refused = try bench.moody("export", "css", "--each", "-o", "e")
        #expect(refused.status == 2 && refused.err == "moody: e/a.css: is not as moody wrote it\n")
    }

    @Test func `a killed export leaves nothing that the next run does not remove`() throws {
        _ = try bench.moody("ingest", "-q", "W")
        _ = try bench.shell(
            """
            true & pid=$!; wait $pid; mkdir .Page.$pid.part .Page.$pid.part/pictures
            : > .Page.$pid.part/index.html
            : > ".out.css.$pid-1x.part"; : > .out.css.1-1x.part; : > .out.css.part
            """)
        #expect(try bench.moody("export", "html", "-q", "-o", "Page/").status == 0)
        #expect(try bench.moody("export", "css", "-o", "out.css").status == 0)
        #expect(
            try bench.shell("ls -A | grep part").lines.sorted() == [".out.css.1-1x.part", ".out.css.part"])
    }

    @Test func `swatches of odd names are written again`() throws {
        _ = try bench.shell(
            """
            cd W; cp a.png "$(printf 'c\\377.png')"; cp a.png "$(printf 'n\\nl.png')"; cp a.png '=x.png'
            """)
        _ = try bench.moody("ingest", "-q", "W")
        for _ in 0..<3 { #expect(try bench.moody("export", "ase", "--each", "-o", "e").status == 0) }
        #expect(try bench.shell("find e -name '*.ase' -print0 | tr -cd '\\0' | wc -c").out == "5\n")
    }

    @Test func `a store that is opened by a link keeps its pictures where it is`() throws {
        _ = try bench.shell("mkdir real; ln -s real/x.moody l.moody")
        try bench.put("harbour.jpg", as: "W/h.jpg")
        #expect(try bench.moody("ingest", "-q", "--preview", "4000", "--store", "l.moody", "W").status == 0)
        #expect(try bench.moody("store", "check", "real/x.moody").status == 0)
        #expect(try bench.shell("ls -A | grep -c SUPPORT").out == "0\n")
    }

    @Test func `a report keeps whose it is`() throws {
        try #require(geteuid() == 0)
        _ = try bench.moody("ingest", "-q", "--report", "r.jsonl", "W")
        _ = try bench.shell("chown 1000:1000 r.jsonl; chmod 600 r.jsonl")
        _ = try bench.moody("ingest", "-q", "--recompute", "--report", "r.jsonl", "W")
        #expect(try bench.shell("stat -c '%u %g %a' r.jsonl").out == "1000 1000 600\n")
    }

    @Test func `a marker that is not moody's word leaves nothing out`() throws {
        _ = try bench.shell("touch .moody-export W/.moody-export")
        #expect(summary(try bench.moody("ingest", "W")) == "2 photos: 2 new")
    }

    // MARK: Words

    @Test func `a photo that is gone with its folder has any of its names`() throws {
        _ = try bench.moody("ingest", "-q", "W")
        _ = try bench.shell("rm -r W")
        for name in ["W/a.png", "./W/a.png", "W//a.png", "x/../W/./a.png"] {
            #expect(try bench.moody("show", name).status == 0, "\(name)")
        }
        for name in ["+1", "01"] { #expect(try bench.moody("show", name).status == 1) }
    }

    @Test func `a photo is named through a link of folders, too`() throws {
        _ = try bench.moody("ingest", "-q", "W")
        let shown = try bench.moody("show", "W/a.png")
        _ = try bench.shell("ln -s W L")
        for name in ["L/a.png", "L/../W/a.png"] {
            #expect(try bench.moody("show", name) == shown, "\(name)")
        }
        #expect(shown.status == 0)
    }

    /// As a server marks it, which deletes it when the time to undo that is up.
    @Test func `a mood that is marked for deletion is named neither by number nor by path`() throws {
        _ = try bench.moody("ingest", "-q", "W")
        let marked = try bench.shell(
            "sqlite3 Moody.moody \"UPDATE ZMOOD SET ZMARKEDFORDELETIONDATE = 7e8 WHERE Z_PK = 1\"")
        try #require(marked.status == 0)
        for name in ["1", "W/a.png"] {
            let run = try bench.moody("show", name)
            #expect(run == .init(status: 1, out: "", err: "moody: \(name): no such mood\n"))
        }
        #expect(try bench.moody("show", "2").status == 0)
    }

    @Test func `a list of paths may come from Windows, and NUL needs -0`() throws {
        _ = try bench.shell("printf '\\357\\273\\277W/a.png\\r\\n\\r\\nW/b.png\\r\\n' > list")
        #expect(summary(try bench.moody("ingest", "--files-from", "list")) == "2 photos: 2 new")
        _ = try bench.shell("printf 'W/a.png\\0W/b.png\\0' > list")
        for command in [["ingest"], ["extract"]] {
            let run = try bench.run(command + ["--files-from", "list"])
            #expect(run.status == 64 && run.err.hasPrefix("moody: list: holds NUL"), "\(run)")
        }
        #expect(try bench.moody("extract", "-0", "--files-from", "list").status == 0)
    }

    @Test func `patterns mean what gitignore means by them`() throws {
        try bench.putSquares([
            ("W/foo/keep.png", "0000ff"), ("W/foo/x.png", "808080"), ("W/]c.png", "808081"),
        ])
        let run = try bench.moody(
            "ingest", "--exclude", "[!]a-b]*.png", "--exclude", "foo/**", "--exclude", "!foo/keep.png", "W")
        #expect(run.status == 0)
        #expect(
            try bench.moody("list", "--sort", "path").lines.map {
                String($0.split(separator: " ").last ?? "")
            }
                == ["]c.png", "a.png", "b.png", "foo/keep.png"])
    }

    @Test func `the page on standard output stands alone`() throws {
        let run = try bench.moody("ingest", "--html", "-", "W")
        #expect(run.out.hasPrefix("<!doctype html>"))
        _ = try bench.moody("ingest", "-q", "--recompute", "W")
    }

    @Test func `a plan has the photo's own path`() throws {
        _ = try bench.shell("cd W; cp a.png \"$(printf 'n\\nl.png')\"; cp a.png \"$(printf 'c\\377.png')\"")
        let lines = try bench.moody("ingest", "-n", "--json", "W").lines
        let paths = try lines.compactMap {
            try (JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])?["path"] as? String
        }
        let root = try bench.realPath + "/W/"
        #expect(Set(paths) == Set(["a.png", "b.png", "n\nl.png", "c\u{FFFD}.png"].map { root + $0 }))
        #expect(lines.count { $0.contains("\"pathBytes\":") } == 1)
    }

    @Test func `a predicate sees the photo's own path`() throws {
        _ = try bench.shell("cd W; cp a.png \"$(printf 'n\\nl.png')\"; cp a.png 'n\\nl.png'")
        _ = try bench.moody("ingest", "-q", "W")
        func count(_ predicate: String) throws -> Int {
            try bench.moody("list", "--json", "--where", predicate).lines.count
        }
        let root = try bench.realPath
        #expect(try count("path == \"\(root)/W/n\nl.png\"") == 1)
        #expect(try count("path CONTAINS \"\\\\\"") == 1)
        #expect(try bench.moody("list").lines.count == 4)
        // As the first release wrote it.
        _ = try bench.shell(
            """
            sqlite3 Moody.moody "UPDATE ZPHOTO SET ZPATH = replace(ZPATH, char(10), '\\n')"
            python3 -c 'import sqlite3, plistlib
            store = sqlite3.connect("Moody.moody")
            blob, = store.execute("SELECT Z_PLIST FROM Z_METADATA").fetchone()
            values = plistlib.loads(blob)
            del values["moody.paletteHashes"]
            store.execute("UPDATE Z_METADATA SET Z_PLIST = ?",
                (plistlib.dumps(values, fmt=plistlib.FMT_BINARY),))
            store.commit()'
            """)
        #expect(try count("path CONTAINS \"\\\\\"") == 2)
        _ = try bench.moody("ingest", "-q", "W")
        #expect(try count("path CONTAINS \"\\\\\"") == 1)
    }

    @Test func `no palette that is exported says where its photo lies`() throws {
        _ = try bench.moody("ingest", "-q", "W")
        for format in ["css", "scss", "tailwind", "tokens", "svg", "gpl", "hex", "html"] {
            let run = try bench.moody("export", format, "-o", format == "html" ? "-" : "out.\(format)")
            #expect(run.status == 0)
            let text = format == "html" ? run.out : try bench.read("out.\(format)")
            #expect(try !text.contains(bench.realPath), "\(format)")
        }
    }

    @Test(arguments: ["--limit", "--share", "--within"])
    func `a number below nothing is refused with a sentence`(_ option: String) throws {
        _ = try bench.moody("ingest", "-q", "W")
        let run = try bench.moody("find", "teal", option, "-1")
        #expect(run.status == 64 && run.err.contains("\(option) must be "), "\(run)")
    }

    @Test func `several that are to be deleted are not, with the usage of delete`() throws {
        _ = try bench.moody("ingest", "-q", "W")
        let run = try bench.moody("delete", "--where", "width > 0")
        #expect(run.status == 64 && run.err.contains("Usage: moody delete"), "\(run)")
    }

    @Test func `a limit says which option lifts it`() throws {
        let run = try bench.moody("extract", "--max", "pixels=10", "W/a.png")
        #expect(run.status == 1 && run.err == "moody: W/a.png: 8x8 is more than 10 pixels (--max pixels)\n")
    }

    /// A terminal of 40 columns, by Python's pty.
    @Test(arguments: [40, 60, 80, 200], ["list", "delete -n 1 2 3 4"])
    func `lines fit the terminal, one line per mood`(columns: Int, words: String) throws {
        try bench.put(
            "harbour.jpg",
            as: "W/folder with a long name/and another one/\(String(repeating: "y", count: 60)).jpg")
        try bench.put("forest.jpg", as: "W/\(String(repeating: "\u{5BFA}", count: 40)).jpg")
        _ = try bench.moody("ingest", "-q", "W")
        let run = try bench.shell(
            """
            python3 -c 'import fcntl, os, pty, re, struct, sys, termios, unicodedata
            pid, file = pty.fork()
            if pid == 0:
                fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, \(columns), 0, 0))
                os.execv(os.environ["moody"], "moody \(words) --color always".split())
            data = b""
            try:
                while part := os.read(file, 65536): data += part
            except OSError: pass
            for line in data.decode().splitlines():
                line = re.sub("\\x1b\\\\[[0-9;]*m", "", line)
                print(sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line))'
            """)
        let widths = run.lines.compactMap { Int($0) }
        #expect(widths.count == 4 && widths.allSatisfy { $0 <= columns }, "\(run)")
    }

    @Test func `a number that no photo has is named, and steers no output`() throws {
        _ = try bench.moody("ingest", "-q", "W")
        _ = try bench.shell(
            """
            sqlite3 Moody.moody "UPDATE ZMOOD SET ZDATE = 1e19, ZDAY = -5, ZWIDTH = -3,
            ZTIMEZONEOFFSET = 32767, ZSHARES = x'000000000000F87F' WHERE Z_PK = 1"
            """)
        let check = try bench.moody("store", "check")
        #expect(check.status == 1)
        for what in ["date", "day", "time zone", "size", "shares"] {
            #expect(check.out.contains("the \(what) of 1 mood is out of range"), "\(check)")
        }
        for command in [
            ["list", "--json"], ["list"], ["show", "1"], ["export", "csv"], ["export", "json"],
        ] {
            #expect(try bench.run(command).status == 0, "\(command)")
        }
        let text = try bench.moody("list", "--json").out
        #expect(text.contains("\"day\":\"0001-01-01\"") && text.contains("\"width\":1,"), "\(text)")
    }

    @Test func `a store with a log is read where one may not write, and stays as it is`() throws {
        _ = try bench.shell(
            """
            "$moody" ingest -q W; mkdir ro
            python3 -c 'import sqlite3, shutil
            store = sqlite3.connect("Moody.moody")
            store.execute("PRAGMA wal_autocheckpoint = 0")
            store.execute("UPDATE ZMOOD SET Z_OPT = Z_OPT + 1"); store.commit()
            for end in "", "-wal": shutil.copy("Moody.moody" + end, "ro/Moody.moody" + end)'
            chmod 444 ro/*; chmod 555 ro; chmod 755 .
            """)
        let before = try bench.shell("ls -A ro; md5sum ro/*")
        let run = try bench.nobody("\"$moody\" list --json --store ro/Moody.moody")
        #expect(run.status == 0 && run.out.contains("\"path\""), "\(run)")
        #expect(try bench.shell("ls -A ro; md5sum ro/*").out == before.out)
        _ = try bench.shell("chmod 755 ro")
    }
}
