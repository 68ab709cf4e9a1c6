import Foundation
import Glibc
import Testing

@Suite struct HelpTests {
    private let bench: Workbench

    init() throws { bench = try Workbench() }

    /// The words of each subcommand, as `--help` lists them: `["store", "check"]`.
    private func subcommands(of words: [String] = []) throws -> [[String]] {
        let help = try bench.run(words + ["--help"]).out
        guard let list = help.components(separatedBy: "SUBCOMMANDS:\n").dropFirst().first else { return [] }
        let names = list.split(separator: "\n", omittingEmptySubsequences: false).prefix { !$0.isEmpty }
            .filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
            .compactMap { $0.split(separator: " ").first.map(String.init) }
        return try names.flatMap { name in [words + [name]] + (try subcommands(of: words + [name])) }
    }

    private func examples(in help: String) -> [String] {
        let text = help.components(separatedBy: "Examples:\n").dropFirst().first ?? ""
        return text.split(separator: "\n", omittingEmptySubsequences: false).prefix { !$0.isEmpty }
            .map { $0.trimmingCharacters(in: .whitespaces) }
    }

    @Test func `every subcommand is there`() throws {
        let names = try subcommands().map { $0.joined(separator: " ") }
        #expect(
            Set(names).isSuperset(of: [
                "ingest", "watch", "extract", "list", "show", "export", "delete", "store", "store check",
                "store convert", "store info", "store tables", "store dump", "store verify", "store history",
                "store model", "store diff", "store migrate",
            ]))
    }

    /// Runs a line in a folder of its own, where three photos are in a store; one that stays is interrupted.
    private func check(_ example: String) throws {
        let fresh = try Workbench()
        try fresh.putPhotos()
        #expect(try fresh.moody("ingest", "Photos").status == 0)
        if example.hasPrefix("moody import") {
            #expect(try fresh.moody("export", "record", "--output", "records.jsonl").status == 0)
        }
        let line = "set -f; exec \"$moody\"" + example.dropFirst("moody".count)
        if example.hasPrefix("moody serve") {
            // The usual port may be somebody else's.
            let free = example.contains("--port") ? line : line.replacing(" serve", with: " serve --port 0")
            let serve = try fresh.startShell(free)
            try serve.waitForOut("moody: http://127.0.0.1:")
            serve.send(SIGINT)
            #expect(try serve.wait().status == 0, "\(example)")
        } else if example.hasPrefix("moody watch") && !example.contains("--once") {
            let watch = try fresh.startShell(line)
            try watch.waitForErr("moody: watching")
            watch.send(SIGINT)
            #expect(try watch.wait().status == 0, "\(example)")
        } else {
            let run = try fresh.shell(line)
            #expect(run.status == 0, "\(example): \(run.err)")
        }
    }

    @Test func `every example of every help runs`() throws {
        for words in [[]] + (try subcommands()) {
            let help = try bench.run(words + ["--help"])
            #expect(help.status == 0 && help.err == "")
            let examples = examples(in: help.out)
            #expect(examples.count == 2, "moody \(words.joined(separator: " ")) --help")
            for example in examples {
                #expect(example.hasPrefix("moody "), "\(example)")
                try check(example)
            }
        }
    }

    @Test func `every command of the readme runs`() throws {
        let package = URL(fileURLWithPath: #filePath).appending(path: "../../../README.md")
            .standardizedFileURL
        let lines = try String(contentsOf: package, encoding: .utf8).split(separator: "\n")
        let commands = lines.filter { $0.hasPrefix("moody ") }.map(String.init)
        #expect(!commands.isEmpty)
        for command in commands { try check(command) }
    }

    @Test func `the version names moody, Swift, SQLite and each codec`() throws {
        let run = try bench.moody("--version")
        #expect(run.status == 0)
        for name in [
            "moody ", "Swift ", "SQLite ", "libjpeg-turbo ", "libpng ", "lcms2 ", "xxHash ",
        ] {
            #expect(run.lines.contains { $0.hasPrefix(name) }, "\(name)")
        }
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `completions come from the parser`(shell: String) throws {
        let run = try bench.moody("--generate-completion-script", shell)
        #expect(run.status == 0)
        #expect(run.out.contains("representative"))
    }

    @Test(arguments: [
        ["bogus"], ["ingest"], ["ingest", "--bogus", "x"], ["ingest", "-k", "0", "x"],
        ["ingest", "-k33", "x"],
        ["ingest", "--jobs", "0", "x"], ["ingest", "--preview", "63", "x"],
        ["ingest", "--mode", "best", "x"],
        ["watch"], ["watch", "--bogus", "x"], ["extract"], ["extract", "--format", "pdf", "x"],
        ["extract", "--bogus", "x"], ["list", "--bogus"], ["list", "--limit", "0"],
        ["list", "--sort", "size"],
        ["list", "extra"], ["show"], ["show", "--bogus", "1"], ["export"], ["export", "pdf"],
        ["export", "html", "--bogus"], ["delete"], ["delete", "--bogus", "1"], ["store", "bogus"],
        ["store", "check", "--bogus"], ["extract", "--json", "--format", "csv", "x"],
        ["ingest", "--html", "-", "--report", "-", "x"], ["ingest", "--html", "-", "--json", "x"],
        ["watch", "--html", "-", "--report", "-", "x"],
    ])
    func `a command line that makes no sense is refused with 64 and the usage`(arguments: [String]) throws {
        let run = try bench.run(arguments)
        #expect(run.status == 64)
        #expect(run.out == "")
        #expect(run.err.hasPrefix("moody: ") && run.err.contains("Usage: moody"))
        #expect(!bench.exists("Moody.moody"))
    }

    @Test func `short options take joined values`() throws {
        try bench.putPhotos()
        let run = try bench.moody("extract", "-k1", "--format=hex", "Photos/forest.jpg")
        #expect(run.lines.count == 1 && run.status == 0)
        #expect(try bench.moody("ingest", "-k3", "-j2", "Photos").status == 0)
        #expect(try bench.moody("show", "1", "--json").out.contains("\"count\":3"))
    }

    @Test func `two dashes end the options`() throws {
        try bench.put("harbour.jpg", as: "--help.jpg")
        try bench.put("harbour.jpg", as: "-k5")
        let run = try bench.moody("extract", "--format", "hex", "--", "--help.jpg", "-k5")
        #expect(run.status == 0)
        #expect(run.out == "#1f4e78\n#e8a33c\n\n#1f4e78\n#e8a33c\n")
    }
}
