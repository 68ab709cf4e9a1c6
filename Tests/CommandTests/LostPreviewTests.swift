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
            "$moody" ingest -q --preview 400 P > /dev/null && ls .Moody_SUPPORT/_EXTERNAL_DATA && rm .Moody_SUPPORT/_EXTERNAL_DATA/*
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
        #expect(page.components(separatedBy: "<figure ").count == others + 2)
        #expect(page.contains("src=\"pictures/\(id).jpg\"") && bench.exists("Page/pictures/\(id).jpg"))
        #expect(!page.contains("large/\(id).jpg") && !bench.exists("Page/large/\(id).jpg"))
        #expect(try bench.moody("ingest", "-q", "--recompute", "--preview", "400", "P").status == 0)
        #expect(try bench.moody("export", "html", "-o", "Page/").status == 0)
        #expect(bench.exists("Page/large/\(id).jpg"))
    }
}
