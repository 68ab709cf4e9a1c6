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
        for words in [
            ["show", "--json", "1"], ["export", "json"], ["export", "jsonl"], ["list", "--json"],
        ] {
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
            ["export", "hex", "--names", "ral.csv"], ["list", "--names", "ral.csv"],
            ["list", "--json", "--follow", "--names", "ral.csv"],
            ["extract", "--format", "ase", "--names", "ral.csv", "Photos"],
        ] {
            #expect(try bench.run(words).status == 64)
        }
    }

    @Test func `tables, swatch files, pages, and checks have the names of the user's list`() throws {
        try bench.write("name,hex\nRAL 5015 Sky blue,#2874b2\nRAL 9005,#0a0a0d\n", to: "ral.csv")
        #expect(try bench.moody("ingest", "Photos").status == 0)
        // Python's own reader of tables.
        let table = try bench.shell(
            """
            "$moody" export csv --names ral.csv -o a.csv && "$moody" export csv --names ral.csv -o a.csv
            python3 -c 'import csv
            for row in csv.DictReader(open("a.csv")):
                print(row["near"], row["nearHex"], float(row["nearDistance"]) > 0)'
            """)
        #expect(table.status == 0 && table.lines.count > 3, "\(table)")
        let known: Set = ["RAL 5015 Sky blue #2874b2 True", "RAL 9005 #0a0a0d True"]
        #expect(Set(table.lines).isSubset(of: known))
        let plain = try bench.moody("export", "csv")
        #expect(plain.out.contains(",name,displayP3\r\n") && !plain.out.contains("RAL"))
        for format in ["ase", "aco"] {
            // Names are UTF-16, its high bytes first.
            let script = """
                "$moody" export \(format) --names ral.csv -o a.\(format) --overwrite
                python3 -c 'import sys; data = open("a.\(format)", "rb").read()
                print("RAL 9005".encode("utf-16-be") in data, "black".encode("utf-16-be") in data)'
                """
            #expect(try bench.shell(script).out == "True False\n", "\(format)")
        }
        let svg = try bench.moody("export", "svg", "1", "--names", "ral.csv")
        #expect(svg.out.contains("RAL"))
        #expect(try bench.moody("export", "html", "--names", "ral.csv", "-o", "a.html").status == 0)
        #expect(try bench.read("a.html").contains("RAL 9005"))
        #expect(try bench.moody("export", "html", "--names", "ral.csv", "-o", "page/").status == 0)
        #expect(try bench.read("page/index.html").contains("RAL 9005"))
        let check = try bench.moody("check", "#2874b2", "#0a0a0d", "--names", "ral.csv")
        #expect(check.lines.contains("  #2874b2 RAL 5015 Sky blue (0.0 away)"))
        let json = try bench.moody("check", "#2874b2", "--json", "--names", "ral.csv")
        let near = "\"near\":{\"name\":\"RAL 5015 Sky blue\",\"hex\":\"#2874b2\",\"distance\":0}"
        #expect(json.out.contains(near), "\(json.out)")
    }
}
