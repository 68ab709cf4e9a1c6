import Foundation
import Testing

/// Countries of photos, by where they were taken: without a network, from the command.
@Suite struct CountryTests {
    private let bench: Workbench

    init() throws {
        bench = try Workbench()
        try bench.put("harbour.jpg", at: 53.5459, 9.9665, as: "Photos/hamburg.jpg")
        try bench.put("desert.jpg", at: 18.0858, -15.9785, as: "Photos/nouakchott.jpg")
        try bench.put("forest.jpg", at: -22.9519, -43.2105, as: "Photos/rio.jpg")
        try bench.put("slate.png", as: "Photos/nowhere.png")
    }

    private func last(_ line: String) -> String { String(line.split(separator: " ").last ?? "") }

    @Test func `photos with a place stand under their countries, and are found by them`() throws {
        let report = try bench.moody("ingest", "--section", "country", "Photos")
        // A save is a report of its own, and which photos are in which is chance.
        #expect(
            report.lines.filter { !$0.contains("#") }.sorted() == [
                "+ (none)", "+ Brazil", "+ Germany", "+ Mauritania",
            ])
        let lines = try bench.moody("list", "--section", "country").lines
        #expect(
            lines.filter { $0.hasSuffix("(1)") } == [
                "(none) (1)", "Brazil (1)", "Germany (1)", "Mauritania (1)",
            ])
        let german = try bench.moody("list", "--json", "--where", "country.name == \"Germany\"").lines
        #expect(german.count == 1 && german[0].contains("hamburg.jpg"))
        #expect(
            german[0].contains("\"country\":{\"code\":276,\"name\":\"Germany\",\"continent\":\"Europe\"}"))
        #expect(try bench.moody("list", "--where", "continent.name == \"South America\"").lines.count == 1)
        // The photo moves, its place with it.
        try bench.move("Photos/hamburg.jpg", to: "Photos/moved.jpg")
        _ = try bench.moody("ingest", "Photos")
        #expect(try bench.moody("list", "--where", "country.name == \"Germany\"").out.contains("moved.jpg"))
    }

    @Test func `countries and continents keep count of their photos when some are deleted`() throws {
        try bench.put("harbour.jpg", at: 52.52, 13.405, as: "Photos/berlin.jpg")
        _ = try bench.moody("ingest", "Photos")
        func counts() throws -> [String] {
            try bench.shell(
                """
                sqlite3 Moody.moody "SELECT c.ZNAME, c.ZNUMBEROFMOODS, count(m.Z_PK), t.ZNUMBEROFMOODS \
                FROM ZCOUNTRY c JOIN ZCONTINENT t ON t.Z_PK = c.ZCONTINENT \
                LEFT JOIN ZMOOD m ON m.ZCOUNTRY = c.Z_PK GROUP BY c.Z_PK ORDER BY 1"
                """
            ).lines
        }
        #expect(try counts() == ["Brazil|1|1|1", "Germany|2|2|2", "Mauritania|1|1|1"])
        func delete(_ name: String) throws {
            let record = try bench.moody("list", "--json", "--where", "path ENDSWITH \"\(name)\"").out
            let id = try #require(record.firstMatch(of: /"id":(\d+)/))
            #expect(try bench.moody("delete", String(id.1)).status == 0)
        }
        try delete("berlin.jpg")
        #expect(try counts() == ["Brazil|1|1|1", "Germany|1|1|1", "Mauritania|1|1|1"])
        try delete("hamburg.jpg")
        try delete("nowhere.png")
        #expect(try counts() == ["Brazil|1|1|1", "Germany|0|0|0", "Mauritania|1|1|1"])
    }

    /// By LANG, as POSIX has it; English where it says nothing that is known.
    @Test func `a row shows colors, day and country, in the user's language`() throws {
        _ = try bench.moody("ingest", "Photos")
        func row(_ language: [String: String]) throws -> String {
            try bench.moody("list", "--where", "path ENDSWITH \"hamburg.jpg\"", environment: language).out
        }
        let row0 = try row([:])
        // The file's time is no day on which the photo was taken.
        #expect(row0.split(separator: " ")[1] == "undated" && row0.contains("  #"))
        #expect(row0.hasSuffix("  hamburg.jpg  Germany\n"))
        #expect(try row(["LANG": "de_DE.UTF-8"]).hasSuffix("  hamburg.jpg  Deutschland\n"))
        #expect(try row(["LANG": "de_DE.UTF-8", "LC_ALL": "fr_FR"]).hasSuffix("  hamburg.jpg  Allemagne\n"))
        #expect(try row(["LANG": "xx_XX"]).hasSuffix("  hamburg.jpg  Germany\n"))
        let none = try bench.moody("list", "--where", "path ENDSWITH \"nowhere.png\"").out
        #expect(none.hasSuffix("  nowhere.png\n"))
        let number = try #require(row0.split(separator: " ").first).description
        let card = try bench.moody("show", number, environment: ["LANG": "de_DE.UTF-8"]).lines
        #expect(card.contains("  country  Deutschland, Europa"))
    }

    /// A page shows the user's language, `where` knows English: a search knows both.
    @Test func `a search knows countries in English and in the user's language`() throws {
        _ = try bench.moody("ingest", "Photos")
        func find(_ word: String, _ language: String) throws -> Int {
            try bench.moody("find", word, environment: ["LANG": language]).lines.count
        }
        #expect(try find("germany", "C.UTF-8") == 1 && find("deutschland", "C.UTF-8") == 0)
        #expect(try find("germany", "de_DE.UTF-8") == 1 && find("deutschland", "de_DE.UTF-8") == 1)
        // Without the index of names, too.
        #expect(try find("deutschland or neverland -atlantis", "de_DE.UTF-8") == 1)
        let page = bench.folder.appending(path: "page.html")
        _ = try bench.moody(
            "export", "html", "--with-places", "--output", page.path, environment: ["LANG": "de_DE.UTF-8"])
        #expect(try String(contentsOf: page, encoding: .utf8).contains("\"Deutschland\":\"Germany\""))
    }

    /// The cell of a list is one thing, configured in one place: what a list shows first, what a report says
    /// of a change, and what a follower prints are the same words.
    @Test func `a row is made the same way when it is first shown and when it changes`() throws {
        // Columns are as wide as the widest palette that was printed, paths begin where those of one save
        // differ, and how many saves a run makes is a matter of time.
        func words(_ lines: [String]) -> Set<[Substring]> {
            Set(
                lines.map { line in
                    let words = line.split(separator: " ")
                    return words.dropLast() + (words.last?.split(separator: "/").suffix(1) ?? [])
                })
        }
        let told = try bench.moody("ingest", "Photos").lines.map { String($0.dropFirst(2)) }
        let listed = try bench.moody("list").lines
        #expect(words(told) == words(listed) && listed.count == 4)
        let reader = try bench.startShell("exec \"$moody\" list --follow")
        try reader.waitForOut("nowhere.png")
        _ = try bench.moody("ingest", "--recompute", "-k1", "Photos")
        let after = try bench.moody("list").lines
        #expect(Set(after).isDisjoint(with: listed), "one color each now")
        func updates() -> [String] {
            reader.outText.split(separator: "\n").filter { $0.hasPrefix("~ ") }.map {
                String($0.dropFirst(2))
            }
        }
        try reader.waitUntil("the updates") { updates().count >= 4 }
        reader.send(SIGINT)
        _ = try reader.wait()
        #expect(words(updates()) == words(after))
    }

    @Test func `a page names countries only when it may tell places`() throws {
        _ = try bench.moody("ingest", "Photos")
        _ = try bench.moody("export", "html", "-o", "a.html")
        _ = try bench.moody("export", "html", "--with-places", "-o", "b.html")
        #expect(try !bench.read("a.html").contains("Mauritania"))
        #expect(try bench.read("b.html").contains("Mauritania"))
    }
}
