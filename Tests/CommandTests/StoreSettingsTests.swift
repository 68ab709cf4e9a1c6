import Foundation
import Testing

/// What a store remembers of how it was made, and what was lost beside it.
@Suite struct StoreSettingsTests {
    private let bench: Workbench

    init() throws {
        bench = try Workbench()
        try bench.putPhotos()
    }

    private func summary(_ run: Workbench.Run) -> String {
        run.err.split(separator: "\n").last.map(String.init) ?? ""
    }

    @Test func `what was left out of a store is left out of later runs, until others are named`() throws {
        #expect(
            try bench.moody("ingest", "--exclude", "desert*", "--exclude", "x", "Photos").lines.count == 2)
        #expect(summary(try bench.moody("ingest", "Photos")).hasPrefix("2 photos: 2 unchanged;"))
        #expect(
            summary(try bench.moody("ingest", "--exclude", "forest*", "Photos"))
                .hasPrefix("2 photos: 1 new, 1 unchanged;"))
        #expect(
            summary(try bench.moody("ingest", "--exclude", "", "Photos")).hasPrefix("3 photos: 3 unchanged;"))
        #expect(summary(try bench.moody("ingest", "Photos")).hasPrefix("3 photos: 3 unchanged;"))
    }

    @Test func `what is ignored holds for all photos of a run, and can be taken back`() throws {
        _ = try bench.moody("ingest", "Photos")
        let before = try bench.moody("list", "--json").out
        let white = try bench.moody("ingest", "--ignore", "white", "Photos")
        #expect(summary(white).hasPrefix("3 photos: 3 changed;"))
        #expect(summary(try bench.moody("ingest", "Photos")).hasPrefix("3 photos: 3 unchanged;"))
        #expect(
            summary(try bench.moody("ingest", "--ignore", "none", "Photos")).hasPrefix("3 photos: 3 changed;")
        )
        #expect(try bench.moody("list", "--json").out == before)
        // A store that leaves out nothing does not say so.
        #expect(try !bench.moody("store", "info", "Moody.moody").out.contains("moody.ignore"))
    }

    @Test func `a background is left out of later runs, and of photos that come later`() throws {
        let palettes = ["--background", "#1f4e78"]
        let asked = try bench.run(["ingest", "--store", "whole.moody"] + palettes + ["Photos"])
        try #require(asked.status == 0)
        let whole = try bench.moody("list", "--json", "--store", "whole.moody").out
        #expect(whole.contains("\"background\":\"#1f4e78\""))
        _ = try bench.shell("mkdir later; mv Photos/harbour.jpg later")
        #expect(try bench.run(["ingest", "-q"] + palettes + ["Photos"]).status == 0)
        _ = try bench.shell("mv later/harbour.jpg Photos")
        #expect(summary(try bench.moody("ingest", "Photos")).hasPrefix("3 photos: 1 new, 2 unchanged;"))
        #expect(try bench.moody("list", "--json").out == whole)
    }

    @Test(arguments: [([], 2), (["--read-only"], 3)] as [([String], Int)])
    func `what a server asks for holds for later runs, unless it only shows`(options: [String], count: Int)
        throws
    {
        _ = try bench.moody("ingest", "-q", "Photos/desert.jpg")
        let watched = options.isEmpty ? " --watch Photos" : ""
        let serve = try bench.startShell(
            "exec \"$moody\" serve --port 0 -k 2\(watched) \(options.joined(separator: " "))")
        try serve.waitForOut("moody: http://127.0.0.1:")
        serve.send(SIGINT)
        #expect(try serve.wait().status == 0)
        #expect(
            try bench.shell("mkdir L && cp Photos/forest.jpg L/later.jpg && \"$moody\" ingest -q L").status
                == 0)
        let later = try #require(try bench.moody("list").lines.first { $0.contains("later.jpg") })
        #expect(later.count { $0 == "#" } == count)
    }

    @Test func `white and gray are left out by either spelling of gray`() throws {
        let runs = try ["gray,white", "grey,white", "white,grey,gray"].map {
            try bench.moody("extract", "--ignore", $0, "--json", "Photos/forest.jpg")
        }
        #expect(runs.allSatisfy { $0.status == 0 && $0 == runs[0] }, "\(runs)")
        #expect(try bench.moody("extract", "--ignore", "grays", "Photos/forest.jpg").status == 64)
    }

    @Test func `a size of previews that is asked for later is remembered`() throws {
        try bench.putNoise(side: 600, as: "Photos/noise.png")
        _ = try bench.moody("ingest", "-q", "Photos")
        let run = try bench.moody("ingest", "--preview", "2000", "Photos")
        #expect(run.err.contains("--recompute applies --preview to them"), "\(run)")
        #expect(try bench.moody("store", "check").out.contains("external files 0,"))
        #expect(try bench.moody("ingest", "-q", "--recompute", "Photos").status == 0)
        #expect(try bench.moody("store", "check").out.contains("external files 1,"))
    }

    @Test func `a preview that was lost is made anew, and stops nothing`() throws {
        let lose = "rm \"$(find . -path '*_EXTERNAL_DATA/*' -type f | head -1)\""
        try bench.putNoise(side: 600, as: "Photos/noise.png")
        _ = try bench.moody("ingest", "--preview", "2000", "Photos")
        let name = try bench.shell("ls .Moody_SUPPORT/_EXTERNAL_DATA").lines
        try #require(name.count == 1)
        try #require(try bench.shell(lose).status == 0)
        let check = try bench.moody("store", "check")
        #expect(check.status == 1 && check.lines.contains("  lost: \(name[0])"), "\(check)")
        let run = try bench.moody("ingest", "--recompute", "--preview", "2000", "Photos")
        #expect(run.status == 0 && summary(run).hasPrefix("4 photos: 4 changed;"))
        #expect(try bench.moody("store", "check").status == 0)
        try #require(try bench.shell(lose).status == 0)
        #expect(try bench.moody("ingest", "--recompute", "Photos").status == 0)
        #expect(
            try bench.moody("store", "check").out.contains("external files 1,"),
            "a store remembers its previews")
        try #require(try bench.shell(lose).status == 0)
        #expect(try bench.moody("ingest", "--recompute", "--preview", "0", "Photos").status == 0)
        #expect(try bench.moody("store", "check").out.contains("external files 0,"))
    }

    @Test func `show says why a photo has no mood`() throws {
        try bench.write("no picture", to: "Photos/bad.jpg")
        _ = try bench.moody("ingest", "Photos")
        _ = try bench.moody("delete", "Photos/forest.jpg")
        let run = try bench.moody("show", "Photos/bad.jpg", "Photos/forest.jpg", "Photos/none.jpg")
        #expect(run.status == 1)
        #expect(
            run.err == """
                moody: Photos/bad.jpg: no mood: not a picture of a known kind
                moody: Photos/forest.jpg: no mood: it was deleted (moody ingest --restore brings it back)
                moody: Photos/none.jpg: no such mood

                """)
    }

    @Test func `a dry run tells programs too`() throws {
        let run = try bench.moody("ingest", "-n", "--json", "Photos")
        let path = try bench.realPath + "/Photos/desert.jpg"
        #expect(run.lines.first == #"{"v":1,"plan":"new","path":"\#(path)"}"#)
        #expect(run.lines.count == 3)
    }

    /// What lies in the middle of a store are rows and indexes.
    @Test(arguments: [8192, 12_288, 20_480, 40_960]) func `damage is found and said`(offset: Int) throws {
        _ = try bench.moody("ingest", "Photos")
        let file = try FileHandle(forUpdating: bench.folder.appending(path: "Moody.moody"))
        try file.seek(toOffset: UInt64(offset))
        try file.write(contentsOf: Data((0..<3000).map { UInt8(truncatingIfNeeded: $0 &* 73 &+ 11) }))
        try file.close()
        let run = try bench.moody("store", "check")
        #expect(run.status == 1, "\(run)")
        #expect(run.out.contains("damage: "))
    }
}
