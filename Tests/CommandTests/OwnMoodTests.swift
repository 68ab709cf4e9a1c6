import Foundation
import Glibc
import Testing

/// A mood is its photo's: what a palette was made of is kept apart from what was seen last.
@Suite struct OwnMoodTests {
    private let bench: Workbench

    init() throws { bench = try Workbench() }

    /// `W/a.png` and so on, each of one color.
    private func put(_ names: [String: String]) throws {
        try bench.putSquares(names.sorted { $0.key < $1.key }.map { (name: $0.key, hex: $0.value) })
    }

    private func summary(_ run: Workbench.Run) -> String {
        let line = run.err.split(separator: "\n").last.map(String.init) ?? ""
        return line.components(separatedBy: "; Moody.moody")[0]
    }

    /// Number, name, first color and state of each mood, by number: from the tables.
    private func rows() throws -> [String] {
        try bench.shell(
            """
            sqlite3 Moody.moody "SELECT m.Z_PK, CAST(p.ZNAME AS TEXT), p.ZSTATE FROM ZMOOD m
            JOIN ZPHOTO p ON p.ZMOOD = m.Z_PK ORDER BY m.Z_PK"
            """
        ).lines
    }

    private func colors() throws -> [String] {
        try bench.moody("list", "--sort", "id").lines.map { line in
            let words = line.split(separator: " ").map(String.init)
            return words[0] + " " + (words.first { $0.hasPrefix("#") } ?? "") + " "
                + (words.first { $0.hasSuffix(".png") } ?? "")
        }
    }

    private func damage(_ name: String, _ bytes: Int = 60) throws {
        #expect(try bench.shell("truncate -s \(bytes) '\(name)'").status == 0)
    }

    /// The twin's mood is not taken over by a photo that has one of its own.
    @Test(arguments: [
        "--recompute", "--verify --recompute", "-k 3", "--preview 64 --recompute", "-n --recompute",
    ])
    func `a photo that is read again keeps its own mood while its copy is missing`(_ options: String) throws {
        try put(["W/a/1.png": "ff0000", "W/b/1.png": "ff0000"])
        _ = try bench.moody("ingest", "W")
        try bench.remove("W/a/1.png")
        #expect(summary(try bench.moody("ingest", "W")) == "2 photos: 1 unchanged, 1 missing")
        let run = try bench.run(["ingest"] + options.split(separator: " ").map(String.init) + ["W"])
        #expect(run.status == 0 && !run.err.contains("moved") && !run.err.contains("replaced"), "\(run)")
        #expect(try rows() == ["1|1.png|3", "2|1.png|0"])
        #expect(
            try bench.shell("sqlite3 Moody.moody 'SELECT CAST(ZFOLDER AS TEXT) FROM ZPHOTO ORDER BY ZMOOD'")
                .lines.map { String($0.suffix(1)) } == ["a", "b"])
    }

    @Test(arguments: [["--retry"], ["--max", "pixels=900M"], ["--recompute"]])
    func `a photo that has a mood and then fails is opened again when asked, and fails again`(
        _ options: [String]
    ) throws {
        try put(["W/a.png": "ff0000", "W/b.png": "00ff00"])
        _ = try bench.moody("ingest", "W")
        try damage("W/a.png")
        let first = try bench.moody("ingest", "W")
        #expect(first.status == 1 && summary(first) == "2 photos: 1 unchanged, 1 failed")
        #expect(summary(try bench.moody("ingest", "W")) == "2 photos: 1 unchanged, 1 failed before (--retry)")
        let again = try bench.run(["ingest"] + options + ["W"])
        #expect(again.status == 1 && again.err.contains("moody: W/a.png: "), "\(again)")
        _ = try bench.shell("touch W/a.png")
        #expect(try bench.moody("ingest", "W").status == 1)
        #expect(
            try colors() == ["1 #ff0000 W/a.png", "2 #00ff00 W/b.png"].map { $0.replacing("W/", with: "") })
    }

    @Test func `a photo that is cut short is read as far as it goes when asked`() throws {
        try bench.put("harbour.jpg", as: "W/a.jpg")
        _ = try bench.moody("ingest", "W")
        try damage("W/a.jpg", 708)
        #expect(try bench.moody("ingest", "W").status == 1)
        let run = try bench.moody("ingest", "--accept-truncated", "W")
        #expect(run.status == 0 && summary(run) == "1 photo: 1 changed", "\(run)")
        #expect(try bench.moody("list", "--json").out.contains("\"notes\":[\"truncated: "))
    }

    @Test func `a photo that is refused is read as soon as it may be`() throws {
        try put(["W/a.png": "ff0000", "b.png": "0000ff"])
        _ = try bench.moody("ingest", "W")
        _ = try bench.shell("cat b.png > W/a.png")
        #expect(try bench.moody("ingest", "--max", "pixels=10", "W").status == 1)
        #expect(try colors() == ["1 #ff0000 a.png"])
        #expect(try bench.moody("ingest", "--max", "pixels=900M", "W").status == 0)
        #expect(try colors() == ["1 #0000ff a.png"])
    }

    @Test func `a damaged photo that was gone for one run is damaged when it is back`() throws {
        try put(["W/a.png": "ff0000", "W/b.png": "00ff00"])
        _ = try bench.moody("ingest", "W")
        try damage("W/a.png")
        #expect(try bench.moody("ingest", "W").status == 1)
        try bench.move("W/a.png", to: "a.png")
        #expect(summary(try bench.moody("ingest", "W")) == "2 photos: 1 unchanged, 1 missing")
        try bench.move("a.png", to: "W/a.png")
        let back = try bench.moody("ingest", "W")
        #expect(back.status == 1 && summary(back) == "2 photos: 1 unchanged, 1 failed")
        #expect(try bench.moody("list", "--json", "--where", "state == 'kept'").lines.count == 1)
    }

    @Test func `a photo that is repaired is back`() throws {
        try put(["W/a.png": "ff0000", "W/b.png": "00ff00"])
        _ = try bench.moody("ingest", "W")
        _ = try bench.shell("cp -p W/a.png keep.png")
        try damage("W/a.png")
        _ = try bench.moody("ingest", "W")
        _ = try bench.shell("cp keep.png W/a.png; touch -r keep.png W/a.png")
        let run = try bench.moody("ingest", "W")
        #expect(run.status == 0 && summary(run) == "2 photos: 1 back, 1 unchanged", "\(run)")
        #expect(run.out.hasPrefix("~     1 "))
    }

    @Test func `two photos emptied one after the other keep their own moods, and a third gets none`() throws {
        try put(["W/a.png": "ff0000", "W/b.png": "00ff00", "W/c.png": "0000ff"])
        _ = try bench.moody("ingest", "W")
        _ = try bench.shell(": > W/a.png")
        #expect(try bench.moody("ingest", "W").status == 1)
        _ = try bench.shell(": > W/c.png")
        let second = try bench.moody("ingest", "W")
        #expect(second.status == 1 && second.err.contains("moody: W/c.png: "))
        #expect(try colors() == ["1 #ff0000 a.png", "2 #00ff00 b.png", "3 #0000ff c.png"])
        _ = try bench.shell("cp W/a.png W/new.png")
        #expect(try bench.moody("ingest", "W").status == 1)
        #expect(try rows().count == 3)
    }

    @Test func `a damaged photo does not take the palette of one that is gone`() throws {
        try put(["W/x.png": "ff0000", "W/a.png": "0000ff"])
        _ = try bench.moody("ingest", "W")
        _ = try bench.shell("head -c 60 W/a.png > W/x.png")
        #expect(try bench.moody("ingest", "W").status == 1)
        try bench.remove("W/x.png")
        #expect(summary(try bench.moody("ingest", "W")) == "2 photos: 1 unchanged, 1 missing")
        try damage("W/a.png")
        let run = try bench.moody("ingest", "W")
        #expect(run.status == 1 && run.err.contains("moody: W/a.png: "), "\(run)")
        #expect(try colors() == ["1 #0000ff a.png", "2 #ff0000 x.png"])
    }

    /// What the first releases recorded of a damaged photo: the hash of the damaged bytes.
    @Test func `a hash that an earlier release wrote for a damaged photo is forgotten`() throws {
        try put(["W/x.png": "ff0000", "W/a.png": "0000ff"])
        _ = try bench.moody("ingest", "W")
        _ = try bench.shell("head -c 60 W/a.png > W/x.png")
        #expect(try bench.moody("ingest", "W").status == 1)
        let old = try bench.shell(
            """
            hash=$(python3 -c 'import subprocess; print(subprocess.run(["xxhsum", "-H2", "W/x.png"],
                capture_output=True, text=True).stdout.split()[0])' 2>/dev/null ||
                echo 00112233445566778899aabbccddeeff)
            sqlite3 Moody.moody "UPDATE ZPHOTO SET ZCONTENTHASH = x'$hash' WHERE ZSTATE = 1"
            python3 -c 'import sqlite3, plistlib
            store = sqlite3.connect("Moody.moody")
            blob, = store.execute("SELECT Z_PLIST FROM Z_METADATA").fetchone()
            values = plistlib.loads(blob)
            assert values.pop("moody.paletteHashes") == "1"
            store.execute("UPDATE Z_METADATA SET Z_PLIST = ?",
                (plistlib.dumps(values, fmt=plistlib.FMT_BINARY),))
            store.commit()'
            """)
        #expect(old.status == 0, "\(old)")
        try bench.remove("W/x.png")
        _ = try bench.moody("ingest", "W")
        #expect(
            try bench.shell("sqlite3 Moody.moody 'SELECT count(*) FROM ZPHOTO WHERE ZCONTENTHASH IS NULL'")
                .out
                == "1\n")
        #expect(try colors() == ["1 #0000ff a.png", "2 #ff0000 x.png"])
    }

    @Test func `a photo that something else was written over is named, and marked in the list`() throws {
        try put(["W/photo": "ff0000", "W/b.png": "00ff00"])
        _ = try bench.moody("ingest", "W")
        try bench.write("text", to: "W/photo")
        let run = try bench.moody("ingest", "W")
        #expect(run.status == 1 && run.err.contains("moody: W/photo: not a picture of a known kind"))
        #expect(
            try bench.moody("list").lines.first { $0.contains("photo") }?.hasSuffix("  (unreadable)") == true)
        #expect(
            try bench.moody("list", "--json").lines.count {
                $0.contains("\"failure\":\"not a picture of a known kind\"")
            } == 1)
    }

    @Test(arguments: [
        "rm W/sub/*", "rm W/sub/*; touch W/.DS_Store; rmdir W/sub", "rm W/sub/*; ln -s no W/no",
    ])
    func `a root that holds anything is there, and its photos are missing`(_ script: String) throws {
        try put(["W/sub/a.png": "ff0000", "W/sub/b.png": "00ff00"])
        _ = try bench.moody("ingest", "W")
        _ = try bench.shell(script)
        #expect(summary(try bench.moody("ingest", "W")).hasPrefix("2 photos: 2 missing"))
        #expect(summary(try bench.moody("ingest", "--prune", "W")).hasPrefix("2 photos: 2 pruned"))
    }

    @Test func `at the place of a deleted photo the bytes decide`() throws {
        try put(["W/a.png": "ff0000", "W/b.png": "00ff00"])
        _ = try bench.moody("ingest", "W")
        _ = try bench.moody("delete", "W/a.png")
        _ = try bench.shell("touch W/a.png")
        #expect(summary(try bench.moody("ingest", "W")) == "2 photos: 1 unchanged, 1 left out")
        _ = try bench.shell("mv W/b.png W/a.png")
        #expect(summary(try bench.moody("ingest", "--prune", "W")) == "1 photo: 1 moved")
        #expect(try colors() == ["2 #00ff00 a.png"])
        _ = try bench.moody("delete", "W/a.png")
        try damage("W/a.png")
        #expect(summary(try bench.moody("ingest", "W")) == "1 photo: 1 left out")
        try put(["W/a.png": "0000ff"])
        #expect(summary(try bench.moody("ingest", "W")) == "1 photo: 1 new")
        #expect(try colors().map { $0.dropFirst(2) } == ["#0000ff a.png"])
    }

    @Test func `a deleted mood of which the bytes come back stays deleted`() throws {
        try put(["W/a.png": "ff0000", "b.png": "00ff00"])
        _ = try bench.moody("ingest", "W")
        _ = try bench.moody("delete", "W/a.png")
        _ = try bench.shell("cp W/a.png keep.png; rm W/a.png; cp keep.png W/a.png")
        #expect(summary(try bench.moody("ingest", "W")) == "1 photo: 1 left out")
        #expect(summary(try bench.moody("ingest", "--restore", "W")) == "1 photo: 1 new")
    }

    @Test func `of two copies the one that was moved now has its own mood`() throws {
        try put(["W/b.png": "ff0000"])
        _ = try bench.shell("cp W/b.png W/a.png")
        _ = try bench.moody("ingest", "W")
        try bench.remove("W/a.png")
        _ = try bench.moody("ingest", "W")
        try bench.move("W/b.png", to: "W/c.png")
        #expect(summary(try bench.moody("ingest", "W")) == "2 photos: 1 moved, 1 missing")
        #expect(try rows() == ["1|a.png|3", "2|c.png|0"])
    }

    @Test func `a photo that was missing and turns up elsewhere counts once`() throws {
        try put(["W/a.png": "ff0000", "W/b.png": "00ff00"])
        _ = try bench.moody("ingest", "W")
        try bench.move("W/a.png", to: "a.png")
        _ = try bench.moody("ingest", "W")
        try bench.move("a.png", to: "W/c.png")
        #expect(summary(try bench.moody("ingest", "W")) == "2 photos: 1 moved, 1 unchanged")
    }

    @Test func `the innermost root decides, in whatever order roots are named`() throws {
        for (number, roots) in [["W", "W/.h"], ["W/.h", "W"]].enumerated() {
            let bench = try Workbench()
            try bench.putSquares([("W/a.png", "ff0000"), ("W/.h/b.png", "00ff00"), ("W/.h/c.png", "0000ff")])
            _ = try bench.run(["ingest", "-q"] + roots)
            try bench.remove("W/.h/b.png")
            #expect(
                summary(try bench.run(["ingest"] + roots)) == "3 photos: 2 unchanged, 1 missing", "\(number)")
        }
    }

    @Test func `a photo that is excluded and gone becomes missing while its folder holds others`() throws {
        try put(["W/a.png": "ff0000", "W/a-edit.png": "00ff00"])
        _ = try bench.moody("ingest", "W")
        try bench.remove("W/a-edit.png")
        let run = try bench.moody("ingest", "--exclude", "*-edit.png", "W")
        #expect(summary(run) == "2 photos: 1 unchanged, 1 missing")
        #expect(summary(try bench.moody("ingest", "--prune", "W")) == "2 photos: 1 unchanged, 1 pruned")
    }

    @Test func `a photo that comes back is counted as back, and watch says so`() throws {
        try put(["W/a.png": "ff0000", "W/b.png": "00ff00"])
        _ = try bench.moody("ingest", "W")
        let watch = try bench.start("watch", "--html", "page.html", "W")
        try watch.waitForErr("watching")
        try bench.move("W/a.png", to: "a.png")
        try watch.waitForErr("1 missing; ")
        try bench.move("a.png", to: "W/a.png")
        try watch.waitForErr("1 photo: 1 back; ")
        watch.send(SIGTERM)
        #expect(try watch.wait().status == 0)
    }

    @Test func `a failed photo that is named itself says why, each time`() throws {
        try put(["W/a.png": "ff0000", "W/b.png": "00ff00"])
        try damage("W/a.png")
        let first = try bench.moody("ingest", "W/a.png")
        #expect(first.status == 1)
        let again = try bench.moody("ingest", "W/a.png")
        #expect(
            again.status == 1 && again.err.hasPrefix(String(first.err.split(separator: "\n")[1])), "\(again)")
        #expect(summary(again) == "1 photo: 1 failed")
    }

    @Test func `a mood that another process deletes while its file goes stays deleted`() throws {
        try put(["W/a.png": "ff0000", "W/b.png": "00ff00"])
        _ = try bench.moody("ingest", "W")
        _ = try bench.moody("delete", "W/a.png")
        _ = try bench.moody("ingest", "--prune", "W")
        #expect(
            try bench.shell("sqlite3 Moody.moody 'SELECT count(*) FROM ZPHOTO WHERE ZSTATE = 4'").out == "1\n"
        )
    }
}
