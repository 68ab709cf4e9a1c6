import Foundation
import Testing

@Suite struct StoreProblemTests {
    private let bench: Workbench

    init() throws { bench = try Workbench() }

    static let readers = [
        ["list"], ["show", "1"], ["export", "html"], ["export", "json"], ["export", "csv"], ["delete", "1"],
        ["delete", "-n", "1"], ["store", "check"],
    ]

    @Test(arguments: readers)
    func `without a store a command that reads one ends with 2 and says how to make one`(words: [String])
        throws
    {
        let run = try bench.run(words)
        #expect(
            run
                == .init(
                    status: 2, out: "",
                    err: "moody: no store at ./Moody.moody (make one: moody ingest PATH)\n"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: bench.folder.path) == [])
    }

    @Test func `the store is the option's, else the environment's, else Moody.moody`() throws {
        try bench.putPhotos()
        let made = try bench.moody("ingest", "Photos", environment: ["MOODY_STORE": "there.moody"])
        #expect(made.err.hasPrefix("moody: made the store ./there.moody\n"))
        #expect(try bench.moody("list", "--store", "there.moody").lines.count == 3)
        #expect(try bench.moody("list", "--store=there.moody").lines.count == 3)
        #expect(try bench.moody("list", environment: ["MOODY_STORE": "there.moody"]).lines.count == 3)
        #expect(try bench.moody("list", environment: ["MOODY_STORE": ""]).status == 2)
        #expect(
            try bench.moody("list", "--store", "/nowhere/x.moody").err.contains(
                "no store at /nowhere/x.moody ("))
        #expect(!bench.exists("Moody.moody"))
        _ = try bench.moody("ingest", "Photos")
        #expect(bench.exists("Moody.moody"))
        #expect(try bench.moody("list").lines.count == 3)
    }

    @Test func `what is no store is left as it is`() throws {
        try bench.putPhotos()
        try bench.write("hello", to: "Moody.moody")
        for words in [["list"], ["ingest", "Photos"], ["watch", "--once", "Photos"], ["delete", "1"]] {
            let run = try bench.run(words)
            #expect(run.status == 2)
            #expect(run.err == "moody: Moody.moody: not a Core Data store\n")
        }
        #expect(try bench.read("Moody.moody") == "hello")
    }

    @Test(arguments: [
        ["list"], ["show", "1"], ["export", "json"], ["store", "check"], ["ingest", "-n", "Photos"],
    ])
    func `reading needs no write access`(words: [String]) throws {
        try bench.putPhotos()
        _ = try bench.moody("ingest", "Photos")
        let run = try bench.nobody("\"$moody\" \(words.joined(separator: " "))")
        #expect(run.status == 0, "\(run.err)")
        #expect(run == (try bench.run(words)))
    }

    @Test(arguments: [
        "ingest Photos", "ingest --store new.moody Photos", "watch --once Photos", "delete 1", "export html",
        "export json -o x.json", "extract Photos/harbour.jpg -o x.txt", "ingest Photos --report x.jsonl",
    ])
    func `a folder that cannot be written ends what must write with 2`(line: String) throws {
        try bench.putPhotos()
        _ = try bench.moody("ingest", "Photos")
        let before = try FileManager.default.subpathsOfDirectory(atPath: bench.folder.path).sorted()
        let run = try bench.nobody("\"$moody\" \(line)")
        #expect(run.status == 2)
        #expect(run.err.hasPrefix("moody: ") && run.err.hasSuffix("Permission denied\n"), "\(run.err)")
        #expect(try FileManager.default.subpathsOfDirectory(atPath: bench.folder.path).sorted() == before)
    }

    /// The subshell dies of its first write that finds no reader.
    private let untilNobodyReads = "while (printf x) 2> /dev/null; do :; done"

    @Test func `a reader that has seen enough ends it quietly`() throws {
        try bench.putPhotos()
        _ = try bench.moody("ingest", "Photos")
        for line in [
            "list", "show 1 2 3", "export json", "export html -o -", "export csv", "extract Photos/*.jpg",
            "store check", "--help", "--version",
        ] {
            // The reader is gone before the first write.
            let run = try bench.shell("{ \(untilNobodyReads); \"$moody\" \(line); echo $? > status; } | true")
            #expect(!run.err.contains("moody: standard output"), "\(line): \(run.err)")
            #expect(try bench.read("status") == "0\n", "\(line)")
        }
    }

    @Test func `an ingest whose report nobody reads goes on`() throws {
        try bench.putPhotos()
        _ = try bench.shell("{ \(untilNobodyReads); \"$moody\" ingest Photos; echo $? > status; } | true")
        #expect(try bench.read("status") == "0\n")
        #expect(try bench.moody("list").lines.count == 3)
    }

    @Test(arguments: [
        "list", "show 1", "export json", "export html -o -", "export hex", "extract Photos/harbour.jpg",
        "store check", "delete -n 1", "ingest --recompute Photos", "watch --once --recompute Photos",
        "--help",
        "--version", "list --help",
    ])
    func `a full disk under standard output is status 2`(line: String) throws {
        try bench.putPhotos()
        _ = try bench.moody("ingest", "Photos")
        let run = try bench.shell("\"$moody\" \(line) > /dev/full")
        #expect(run.status == 2)
        #expect(run.err.contains("moody: standard output: No space left on device\n"), "\(run.err)")
    }

    /// A limit on the size of files stands for a full disk: the store fits below it, the previews do not.
    @Test func `a disk that is full for previews ends the run with 2 and one line, and what was kept stays`()
        throws
    {
        try bench.putPhotos()
        #expect(try bench.moody("ingest", "Photos").status == 0)
        for seed in 0..<3 { try bench.putNoise(side: 700, seed: seed, as: "Photos/noise\(seed).png") }
        // In blocks of 512 bytes.
        // Decoders cannot be confined below such a limit, which a note says.
        let run = try bench.shell("ulimit -f 640; \"$moody\" ingest -q --preview 700 Photos")
        #expect(run.status == 2)
        let lines = run.err.split(separator: "\n")
        #expect(lines.count == 1, "\(run.err)")
        #expect(lines.first?.firstMatch(of: /^moody: Moody\.moody: [0-9A-F-]{36}: File too large$/) != nil)
        #expect(try bench.moody("store", "check").out.hasPrefix("Moody.moody: sound\n"))
        #expect(try bench.moody("list").lines.count >= 3)
        let next = try bench.moody("ingest", "Photos")
        #expect(next.status == 0, "\(next.err)")
        #expect(try bench.moody("list").lines.count == 6)
        #expect(try bench.moody("store", "check").out.contains("external files 3,"))
    }

    /// An index that says another order than it has: rows are there, and not where it leads.
    @Test func `a check says each line of damage that SQLite's own check says`() throws {
        try bench.putPhotos()
        #expect(try bench.moody("ingest", "Photos").status == 0)
        let found = try bench.shell(
            """
            sqlite3 Moody.moody "PRAGMA writable_schema = ON; UPDATE sqlite_schema \
            SET sql = replace(sql, '(ZPHOTO)', '(ZPHOTO DESC)') WHERE name = 'ZMOOD_ZPHOTO_INDEX'"
            sqlite3 Moody.moody "PRAGMA integrity_check"
            """
        ).lines
        #expect(!found.isEmpty && !found.contains("ok"))
        let check = try bench.moody("store", "check")
        #expect(check.status == 1 && check.out.hasPrefix("Moody.moody: DAMAGED\n"))
        #expect(check.lines.filter { $0.contains("damage: ") } == found.map { "  damage: \($0)" })
    }
}
