import Foundation
import Testing

/// moody find, and the index that it rests on.
@Suite struct FindTests {
    private let bench: Workbench

    init() throws {
        bench = try Workbench()
        try bench.putPhotos()
        #expect(try bench.moody("ingest", "Photos").status == 0)
    }

    private func names(_ arguments: String...) throws -> [String] {
        try bench.run(["find"] + arguments).lines.map { String($0.split(separator: " ").last ?? "") }
    }

    @Test func `photos are found by words, by colors as CSS writes them, and by names`() throws {
        #expect(try names("dark", "blue") == ["harbour.jpg"])
        #expect(try names("dark blue") == ["harbour.jpg"])
        #expect(try names("#1f4e78", "--no-farther") == ["harbour.jpg"])
        #expect(try names("1f4e78", "--within", "1", "--no-farther") == ["harbour.jpg"])
        #expect(try names("green") == ["forest.jpg"])
        #expect(try names("forest") == ["forest.jpg"])
        #expect(
            try names("blue") == ["desert.jpg", "harbour.jpg"]
                || names("blue") == ["harbour.jpg", "desert.jpg"])
        #expect(try names("blue", "--limit", "1").count == 1)
        #expect(try names("purple") == [])
        #expect(try names("blue", "--share", "99") == [])
        // Never as letters inside a path.
        #expect(try names("hotos") == [])
    }

    @Test func `what is found is printed as by list, and as JSON`() throws {
        let line = try #require(try bench.moody("find", "dark blue").lines.first)
        #expect(line.hasSuffix("harbour.jpg") && line.contains("#1f4e78"))
        let json = try bench.moody("find", "--json", "dark blue").lines
        #expect(json.count == 1 && json[0].contains("harbour.jpg"))
        #expect(try bench.moody("list", "--json").lines.contains(json[0]))
    }

    /// Differences by the formula of Sharma, Wu and Dalal, worked out apart: 2.82, 2.98, 3.04, 3.16.
    @Test func `a tolerance is the farthest that a color may be, and the nearest comes first`() throws {
        try bench.putSquares([
            ("Squares/a.png", "3366cc"), ("Squares/b.png", "2f6dcc"), ("Squares/c.png", "3a6ed4"),
            ("Squares/d.png", "3b6ed5"), ("Squares/e.png", "366ed8"),
        ])
        #expect(try bench.moody("ingest", "Squares").status == 0)
        #expect(try names("--within", "3", "#36c", "--no-farther") == ["a.png", "b.png", "c.png"])
        let all = try bench.moody("find", "--within", "3", "#36c")
        #expect(
            all.lines.compactMap { $0.split(separator: " ").last } == [
                "a.png", "b.png", "c.png", "d.png", "e.png",
            ])
        #expect(all.err == "moody: 3 within 3; farther away:\n")
        #expect(try names("--within", "3.1", "#36c", "--no-farther") == ["a.png", "b.png", "c.png", "d.png"])
        #expect(try names("#36c", "--within=2.9", "--no-farther") == ["a.png", "b.png"])
        #expect(try names("#36c", "--within", "0.01", "--no-farther") == ["a.png"])
        _ = try bench.moody("delete", "Squares/a.png", "Squares/b.png", "Squares/c.png")
        let run = try bench.moody("find", "--within", "3", "#36c", "--no-farther")
        #expect(run.status == 1 && run.out == "")
        #expect(run.err == "moody: nothing found: no photo has #36c\n")
    }

    @Test func `nothing found is said, and a word that is no color`() throws {
        let run = try bench.moody("find", "purpel")
        #expect(run.status == 1 && run.out == "")
        #expect(
            run.err == """
                moody: purpel: no color; looked for in names; did you mean purple?
                moody: nothing found: no photo has purpel

                """)
        #expect(try bench.moody("find", "-q", "purpel").err == "")
        #expect(try bench.moody("find", "dark blue", "qqqq").err.hasSuffix("no photo has qqqq\n"))
    }

    @Test func `photos like one are found by number, by path, and by a photo that is in no store`() throws {
        try bench.put("harbour.jpg", as: "Photos/again.jpg")
        _ = try bench.moody("ingest", "Photos")
        #expect(try names("--like", "Photos/harbour.jpg") == ["again.jpg"])
        try bench.put("harbour.jpg", as: "elsewhere.jpg")
        #expect(Set(try names("--like", "elsewhere.jpg")) == ["again.jpg", "harbour.jpg"])
        let none = try bench.moody("find", "--like", "77")
        #expect(none.status == 1 && none.err == "moody: 77: no such mood\n")
        try bench.write("no picture", to: "note.jpg")
        #expect(try bench.moody("find", "--like", "note.jpg").status == 1)
    }

    @Test(arguments: [
        ["find"], ["find", " "], ["find", "teal", "--within", "0"], ["find", "teal", "--limit", "0"],
        ["find", "teal", "--share", "101"], ["find", "teal", "--within", "nan"],
    ])
    func `a command line without sense ends with 64`(arguments: [String]) throws {
        #expect(try bench.run(arguments).status == 64)
    }

    @Test func `a store of an earlier version finds the same, and gets its index when it is written`() throws
    {
        let before = try bench.moody("find", "#1f4e78").out
        // What an earlier version left: no mark, and hues in place of cells.
        _ = try bench.shell(
            """
            python3 - <<'END'
            import plistlib, sqlite3
            store = sqlite3.connect("Moody.moody")
            plist = plistlib.loads(store.execute("SELECT Z_PLIST FROM Z_METADATA").fetchone()[0])
            del plist["moody.swatches"]
            store.execute("UPDATE Z_METADATA SET Z_PLIST = ?", (plistlib.dumps(plist, \
            fmt=plistlib.FMT_BINARY),))
            store.execute("UPDATE ZSWATCH SET ZHUEBIN = 1, ZL = 0")
            store.execute("DROP INDEX Z_Swatch_byHueBinAndShare")
            store.commit()
            END
            """)
        #expect(try bench.moody("find", "#1f4e78").out == before)
        #expect(try bench.moody("store", "check").status == 0)
        let run = try bench.moody("ingest", "Photos")
        #expect(run.err.hasPrefix("moody: indexing the colors of 3 moods, once\n"))
        #expect(try !bench.moody("ingest", "Photos").err.contains("indexing"))
        #expect(try bench.moody("find", "#1f4e78").out == before)
        let index = try bench.shell("sqlite3 Moody.moody 'SELECT COUNT(*) FROM ZSWATCH WHERE ZHUEBIN > 30'")
            .out
        #expect(index != "0\\n")
    }

    @Test func `check says that the index is wrong, and repair makes it anew`() throws {
        let before = try bench.moody("find", "#1f4e78").out
        _ = try bench.shell("sqlite3 Moody.moody 'UPDATE ZSWATCH SET ZHUEBIN = 7 WHERE Z_PK = 1'")
        let check = try bench.moody("store", "check")
        #expect(check.status == 1)
        #expect(check.out.contains("damage: the index of colors is wrong for 1 of the moods"))
        let repair = try bench.moody("store", "check", "--repair")
        #expect(repair.status == 0 && repair.out.hasPrefix("Moody.moody: sound\n"))
        #expect(try bench.moody("store", "check").status == 0)
        #expect(try bench.moody("find", "#1f4e78").out == before)
    }
}
