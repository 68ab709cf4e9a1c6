import Foundation
import Testing

/// `--where` asks the same of `list`, `export` and `delete`: what SQL finds in the store.
@Suite struct WhereTests {
    private let bench: Workbench

    init() throws {
        bench = try Workbench()
        try bench.putPhotos()
        try bench.put("harbour.jpg", as: "Photos/2024/IMG_0001.jpg")
        try bench.put("forest.jpg", as: "Photos/2025/IMG_0002.jpg")
        #expect(try bench.moody("ingest", "-q", "Photos").status == 0)
    }

    /// The numbers that SQL finds.
    private func found(_ condition: String) throws -> [Int] {
        let rows = "ZMOOD JOIN ZPHOTO ON ZPHOTO.ZMOOD = ZMOOD.Z_PK"
        return try bench.shell(
            "sqlite3 Moody.moody \"SELECT ZMOOD.Z_PK FROM \(rows) WHERE \(condition) ORDER BY 1\""
        ).lines.compactMap(Int.init)
    }

    private func numbers(_ arguments: [String]) throws -> [Int] {
        let run = try bench.run(arguments)
        #expect(run.status == 0, "\(run.err)")
        return run.out.matches(of: /"id":([0-9]+),/).compactMap { Int($0.output.1) }.sorted()
    }

    /// For each photo all of a country would be looked at: hours in a store of many.
    @Test(arguments: [
        ("ANY country.moods.width < 0", "country.moods"), ("country.moods.@count > 1", "country.moods"),
        ("SUBQUERY(country.moods, $m, $m.width > 1).@count > 1", "country.moods"),
        ("SUBQUERY(swatches, $s, ANY $s.mood.swatches.share > 0).@count > 1", "mood.swatches"),
        (
            "SUBQUERY(swatches, $s, SUBQUERY(swatches, $t, $t.share > 0).@count > 1).@count > 1",
            "SUBQUERY in a"
        ),
    ])
    func `what would look at all photos for each is refused`(condition: String, named: String) throws {
        let run = try bench.moody("list", "--where", condition)
        #expect(run.status == 64 && run.err.contains(named), "\(run)")
    }

    @Test func `colors are counted by a test of their own`() throws {
        let shares = "(SELECT COUNT(*) FROM ZSWATCH s WHERE s.ZMOOD = ZMOOD.Z_PK AND s.ZSHARE > 0.4)"
        for (condition, number) in [("> 1", "> 1"), ("== 0", "= 0"), (">= 1", ">= 1")] {
            let wanted = try found("\(shares) \(number)")
            let text = "SUBQUERY(swatches, $each, $each.share > 0.4).@count \(condition)"
            #expect(try numbers(["list", "--json", "--where", text]) == wanted)
        }
        #expect(try !found("\(shares) > 1").isEmpty)
    }

    @Test(arguments: [
        ("date >= \"2024-06-29\"", "ZDAY >= 20240629"), ("date < \"2024-01-01\"", "ZDAY < 20240101"),
        ("path CONTAINS \"IMG\"", "ZPATH LIKE '%IMG%'"), ("width > 10000", "ZWIDTH > 10000"),
        ("date < \"2024-06-29\" && path ENDSWITH \"1.jpg\"", "ZDAY < 20240629 AND ZPATH LIKE '%1.jpg'"),
    ])
    func `list, export and delete mean the same photos`(condition: String, sql: String) throws {
        let wanted = try found(sql)
        let selected = ["--where", condition]
        #expect(try numbers(["list", "--json"] + selected) == wanted)
        for format in ["json", "jsonl"] { #expect(try numbers(["export", format] + selected) == wanted) }
        #expect(try numbers(["delete", "-n", "--json"] + selected) == wanted)
        #expect(
            try bench.run(["export", "html", "--output", "Page/", "--thumbnail=320"] + selected).status == 0)
        let pictures = try bench.shell("ls Page/pictures").lines.compactMap { Int($0.dropLast(4)) }.sorted()
        #expect(pictures == wanted)
        // Besides names, what is in both.
        let both = wanted.filter { $0 == 3 }
        #expect(try numbers(["export", "jsonl", "Photos/desert.jpg"] + selected) == both)
        #expect(try numbers(["delete", "-n", "--json", "Photos/desert.jpg"] + selected) == both)
        #expect(try found("1").count == 5)
    }

    @Test func `a selection's swatches are those of its photos, and of none there are none`() throws {
        func hexes(_ arguments: String...) throws -> Set<String> {
            let run = try bench.run(["export"] + arguments)
            #expect(run.status == 0, "\(run.err)")
            return Set(run.out.matches(of: /#[0-9a-f]{6}/).map { String($0.output) })
        }
        let desert = try hexes("hex", "Photos/desert.jpg"), isDesert = "date < \"2024-01-01\""
        #expect(!desert.isEmpty)
        for format in ["hex", "css", "scss"] { #expect(try hexes(format, "--where", isDesert) == desert) }
        #expect(try hexes("hex", "--combined", "--where", isDesert) == desert)
        #expect(try hexes("hex", "--combined", "--where", "width > 10000").isEmpty)
        #expect(
            try bench.moody("export", "hex", "--each", "--output", "Each", "--where", isDesert).status == 0)
        #expect(try bench.shell("cd Each && ls").lines == ["desert.hex"])
    }

    @Test func `several are not deleted by a condition before somebody agrees`() throws {
        let which = "path CONTAINS \"IMG\"", several = try found("ZPATH LIKE '%IMG%'")
        #expect(several.count == 2)
        let refused = try bench.moody("delete", "--where", which)
        #expect(refused.status == 64 && refused.out == "")
        #expect(
            refused.err.hasPrefix(
                "moody: 2 moods match --where: to delete them, --yes; to see which, -n.\n"),
            "\(refused.err)")
        #expect(try found("1").count == 5)
        let agreed = try bench.moody("delete", "--yes", "--where", which)
        #expect(agreed.status == 0 && agreed.err == "" && agreed.lines.count == 2)
        #expect(agreed.lines.allSatisfy { $0.hasPrefix("- ") && $0.contains("/IMG_000") })
        #expect(try found("1").count == 3)
        // One is what a name is; of none it is said.
        #expect(try bench.moody("delete", "--where", "date < \"2024-01-01\"").lines.count == 1)
        let none = try bench.moody("delete", "--where", which)
        #expect(none.status == 0 && none.out == "" && none.err == "moody: no mood matches --where\n")
        #expect(bench.exists("Photos/desert.jpg") && bench.exists("Photos/2024/IMG_0001.jpg"))
        // Remembered, as all that was deleted.
        #expect(try bench.moody("ingest", "Photos").err.contains("3 left out"))
    }

    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3"), "no python3 here"),
        arguments: [("y", 3), ("yes", 3), ("n", 5), ("", 5), ("Y", 3), ("maybe", 5)])
    func `who sits at a terminal is asked`(answer: String, left: Int) throws {
        let run = try bench.shell(
            "python3 \"$fixtures\"/terminal.py '\(answer)\\n' "
                + "\"$moody\" delete --where 'path CONTAINS \"IMG\"'")
        #expect(run.status == 0 && run.out.contains("moody: delete 2 moods? [y/N] "), "\(run)")
        #expect(run.out.contains("moody: nothing was deleted") == (left == 5))
        #expect(try found("1").count == left)
    }

    @Test(arguments: [
        ["delete"], ["delete", "--yes"], ["delete", "--where", "size > 3"], ["delete", "--where", "date >"],
        ["export", "csv", "--where", "size > 3"], ["export", "html", "--where", ""],
    ])
    func `a condition that cannot be read, or none, is refused`(arguments: [String]) throws {
        let run = try bench.run(arguments)
        #expect(
            run.status == 64 && run.out == "" && run.err.contains("Usage: moody \(arguments[0])"), "\(run)")
        if arguments.contains("size > 3") { #expect(run.err.contains("unknown key size; keys: date, ")) }
        #expect(try found("1").count == 5 && !bench.exists("palettes.html"))
    }
}
