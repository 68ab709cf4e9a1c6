import Foundation
import Testing

@Suite struct CheckCommandTests {
    private let bench: Workbench

    init() throws {
        bench = try Workbench()
        try bench.putPhotos()
    }

    /// gka/palettes#22 in its first line, and a pair that everybody tells apart.
    @Test func `colors on the command line are one palette`() throws {
        let run = try bench.moody("check", "#ececec", "#f9eaea")
        #expect(run.status == 0)
        #expect(
            run.out == """
                #ececec #f9eaea: 2 colors; 1 stays apart for all: #ececec
                  protan  #ececec #f9eaea   1.0  alike from severity 0.00 on (6.7 without)
                  deutan  #ececec #f9eaea   2.2  alike from severity 0.00 on (6.7 without)
                  all     #ececec #f9eaea   6.7  near

                """)
        let apart = try bench.moody("check", "#000", "FFCC00")
        #expect(
            apart.out == """
                #000 FFCC00: 2 colors; all stay apart for all: #000000 #ffcc00
                  text    #ffcc00 on #000000 13.9 AAA

                """)
    }

    @Test func `moods and photos are checked, and what cannot be read stops nothing`() throws {
        #expect(try bench.moody("ingest", "Photos").status == 0)
        try bench.write("text", to: "list.txt")
        let run = try bench.moody("check", "1", "99", "Photos/forest.jpg", "list.txt", "none.jpg", "Photos")
        #expect(run.status == 1)
        #expect(run.lines.count { !$0.hasPrefix(" ") } == 2)
        for reason in [
            "moody: 99: no such mood", "moody: list.txt: neither a photo nor a list of colors",
            "moody: none.jpg: No such file or directory", "moody: Photos: is a folder: name photos",
        ] {
            #expect(run.err.contains(reason), "\(run.err)")
        }
        #expect(
            try bench.moody("check", "--json", "#36c").out.hasPrefix(
                "{\"v\":1,\"check\":\"#36c\",\"colors\":[{\"hex\":\"#3366cc\""))
    }

    @Test func `more than sixty-four colors are refused`() throws {
        let colors = (0..<65).map { String(format: "#0000%02x", $0) }
        let run = try bench.run(["check"] + colors)
        #expect(run.status == 64 && run.err.hasPrefix("moody: at most 64 colors, not 65."))
    }

    @Test func `lists of colors are checked, and one without a color is named`() throws {
        try bench.write("name,hex\nSky,#3366cc\nSun,#ffee00\nSea,blue\n", to: "list.csv")
        try bench.write("GIMP Palette\n#\n", to: "none.gpl")
        let run = try bench.moody("check", "list.csv", "none.gpl")
        #expect(run.status == 1 && run.lines.first?.hasPrefix("list.csv: 2 colors; all stay apart") == true)
        #expect(run.err.contains("moody: list.csv: note: line 4: neither a hex, nor r, g, b, nor L, a, b\n"))
        #expect(run.err.contains("moody: none.gpl: no color in it\n"))
    }

    @Test func `colors have the names of the user's list`() throws {
        try bench.write("name,hex\nRAL 5015 Sky blue,#2874b2\n", to: "ral.csv")
        let text = try bench.moody("extract", "--names", "ral.csv", "Photos/forest.jpg")
        #expect(text.status == 0 && text.lines.allSatisfy { $0.hasSuffix(" away)") })
        #expect(text.lines[0].contains("% RAL 5015 Sky blue ("))
        #expect(try bench.moody("ingest", "Photos").status == 0)
        let gpl = try bench.moody("export", "gpl", "1", "--names", "ral.csv")
        #expect(gpl.status == 0 && gpl.out.contains("\tRAL 5015 Sky blue\n"))
        let card = try bench.moody("show", "1", "--names", "ral.csv")
        #expect(card.status == 0 && card.out.contains("% RAL 5015 Sky blue ("))
        let near = "\"near\":{\"name\":\"RAL 5015 Sky blue\",\"hex\":\"#2874b2\",\"distance\":"
        for words in [["show", "--json", "1"], ["export", "json"], ["export", "jsonl"]] {
            let run = try bench.run(words + ["--names", "ral.csv"])
            let colors = run.out.components(separatedBy: "\"oklab\":").count
            #expect(run.status == 0 && run.out.components(separatedBy: near).count == colors, "\(words)")
            #expect(!(try bench.run(words).out.contains("\"near\"")))
        }
        for (file, reason) in [
            ("none.csv", "none.csv: No such file or directory"), ("Photos/forest.jpg", "no list of colors"),
        ] {
            let run = try bench.moody("extract", "--names", file, "Photos/forest.jpg")
            #expect(run.status == 2 && run.err.contains(reason), "\(run.err)")
        }
        for words in [
            ["export", "csv", "--names", "ral.csv"],
            ["extract", "--format", "ase", "--names", "ral.csv", "Photos"],
        ] {
            #expect(try bench.run(words).status == 64)
        }
    }
}
