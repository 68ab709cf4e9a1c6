import Foundation
import Testing

/// What the README promises to who has just cloned the project.
@Suite struct ReadmeTests {
    private let root = URL(fileURLWithPath: #filePath).appending(path: "../../..").standardizedFileURL

    private func read(_ name: String) throws -> String {
        try String(contentsOf: root.appending(path: name), encoding: .utf8)
    }

    @Test func `every package that the set-up installs is in docs/FORMATS.md with its reason, and no other`()
        throws
    {
        let setup = try read("scripts/setup"), manifest = try read("Package.swift")
        let list = try #require(setup.components(separatedBy: "needed='").dropFirst().first).prefix {
            $0 != "'"
        }
        let needed = list.split(whereSeparator: \.isWhitespace)
            .compactMap { $0.split(separator: ":").last.map(String.init) }
        #expect(needed.count >= 12)
        let rows = try read("docs/FORMATS.md").split(separator: "\n").filter { $0.hasPrefix("| ") }
            .map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
        for package in needed {
            let row = rows.first { $0.contains(package) }
            #expect(row?.last { !$0.isEmpty } != nil && row?.count ?? 0 > 1, "\(package)")
        }
        let named = Set(rows.flatMap { $0 }.filter { !$0.contains(" ") && $0.hasSuffix("-dev") })
        #expect(named == Set(needed))
        // The package manager names each to who builds without the scripts; GRDB names SQLite's, LibRaw,
        // libde265, libavif and libjxl have no module.
        let others = ["libsqlite3-dev", "libraw-dev", "libde265-dev", "libavif-dev", "libjxl-dev"]
        for package in needed where !others.contains(package) {
            #expect(manifest.contains("[\"\(package)\"]"), "\(package)")
        }
    }

    @Test func `the two commands of the readme and the folders of the top level are there`() throws {
        let lines = try read("README.md").split(separator: "\n")
        for script in ["scripts/demo", "scripts/test"] {
            #expect(lines.contains { $0 == script })
            #expect(FileManager.default.isExecutableFile(atPath: root.appending(path: script).path))
        }
        for name in ["Package.swift", "Sources", "Tests", "Samples", "scripts"] {
            #expect(FileManager.default.fileExists(atPath: root.appending(path: name).path), "\(name)")
        }
    }

    /// The names are those that the head of the script lists; that it installs no others `scripts/check`
    /// looks at.
    @Test func `install --remove takes away what it installed, and nothing else`() throws {
        let bench = try Workbench()
        let ours = [
            "bin/moody", "share/man/man1/moody.1", "share/man/man1/moody-ingest.1",
            "share/bash-completion/completions/moody", "share/zsh/site-functions/_moody",
            "share/fish/vendor_completions.d/moody.fish",
        ]
        let others = [
            "bin/moodyish", "share/man/man1/mood.1", "share/zsh/site-functions/_mood", "share/moody",
        ]
        for name in ours + others { try bench.put("harbour.jpg", as: "A prefix/" + name) }
        let script = root.appending(path: "scripts/install").path
        let run = try bench.shell("'\(script)' --remove 'A prefix'")
        #expect(run == .init(status: 0, out: "removed moody from A prefix\n", err: ""))
        #expect(ours.filter { bench.exists("A prefix/" + $0) } == [])
        #expect(others.filter { !bench.exists("A prefix/" + $0) } == [])
    }
}
