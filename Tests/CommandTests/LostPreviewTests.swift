import Foundation
import Testing

/// Pages of stores whose files beside them are not all there.
@Suite struct LostPreviewTests {
    private let bench: Workbench

    init() throws { bench = try Workbench() }

    /// The context that reads a store 16 moods at a time meets the lost file in its last chunk, or before.
    @Test(arguments: [0, 20])
    func `a photo whose preview is lost is shown by its thumbnail, and named`(others: Int) throws {
        _ = try bench.shell("mkdir P")
        try bench.putNoise(side: 400, as: "P/noise.png")
        let made = try bench.shell(
            """
            for i in $(seq \(others)); do cp "$fixtures/slate.png" P/slate$i.png; done
            "$moody" ingest -q --preview 400 P > /dev/null && ls .Moody_SUPPORT/_EXTERNAL_DATA && \
            rm .Moody_SUPPORT/_EXTERNAL_DATA/*
            """)
        #expect(made.status == 0 && made.lines.count == 1, "\(made.err)")
        let id = try bench.shell("\"$moody\" show --json P/noise.png | sed 's/.*\"id\":\\([0-9]*\\).*/\\1/'")
            .lines[0]
        let run = try bench.moody("export", "html", "-o", "Page/")
        let photo = try bench.realPath + "/P/noise.png"
        #expect(
            run
                == .init(
                    status: 1, out: "",
                    err: """
                        moody: \(photo): its preview is missing (moody ingest --recompute makes it anew)
                        moody: wrote Page/: \(others + 1) \(others == 0 ? "mood" : "moods")

                        """))
        let page = try bench.read("Page/index.html")
        #expect(page.components(separatedBy: "<figure id=").count == others + 2)
        #expect(page.contains("src=\"pictures/\(id).jpg\"") && bench.exists("Page/pictures/\(id).jpg"))
        #expect(!page.contains("large/\(id).jpg") && !bench.exists("Page/large/\(id).jpg"))
        #expect(try bench.moody("ingest", "-q", "--recompute", "--preview", "400", "P").status == 0)
        #expect(try bench.moody("export", "html", "-o", "Page/").status == 0)
        #expect(bench.exists("Page/large/\(id).jpg"))
    }

    /// What a large preview is to a store: a file that one row names, counted, and gone with its mood.
    @Test func `previews of the sample photos are files beside the store, counted, and deleted with them`()
        throws
    {
        let samples = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Samples/Photos").path
        // broken.jpg fails, as it should.
        #expect(try bench.moody("ingest", "-q", "--preview", "1600", samples).status == 1)
        func files() throws -> Set<String> {
            let folder = ".Moody_SUPPORT/_EXTERNAL_DATA"
            return bench.exists(folder) ? Set(try bench.shell("ls \(folder)").lines) : []
        }
        // A byte 2, the name, a byte 0: what a row of Apple's layout says of its file.
        func named() throws -> [String] {
            let list = try bench.shell(
                """
                sqlite3 Moody.moody "SELECT substr(CAST(ZPREVIEW AS TEXT), 2, 36) FROM ZMOOD \
                WHERE hex(substr(ZPREVIEW, 1, 1)) = '02'"
                """)
            return list.lines
        }
        let all = try files(), names = try named()
        let previews = try bench.shell(
            "sqlite3 Moody.moody 'SELECT COUNT(*) FROM ZMOOD WHERE ZPREVIEW IS NOT NULL'")
        let count = try #require(Int(previews.lines.first ?? ""))
        #expect(count >= 10 && all.count * 2 >= count)
        #expect(Set(names) == all && names.count == all.count)
        let check = try bench.moody("store", "check", "Moody.moody")
        #expect(check.status == 0 && check.out.contains("external files \(all.count), "))
        // Without its mood a file goes, whatever it is; the others stay.
        let first = try #require(names.first)
        let id = try bench.shell(
            """
            sqlite3 Moody.moody "SELECT Z_PK FROM ZMOOD \
            WHERE substr(CAST(ZPREVIEW AS TEXT), 2, 36) = '\(first)'"
            """)
        #expect(try bench.moody("delete", "-q", id.lines[0]).status == 0)
        #expect(try files() == all.subtracting([first]))
        let rest = try bench.moody("store", "check", "Moody.moody")
        #expect(rest.status == 0 && rest.out.contains("external files \(all.count - 1), "))
    }
}
