import Foundation
import Glibc
import Testing

/// Where outputs go: through links, beside what others have put there.
@Suite struct OutputPlaceTests {
    private let bench: Workbench

    init() throws {
        bench = try Workbench()
        try bench.putPhotos()
        #expect(try bench.moody("ingest", "--preview", "64", "Photos").status == 0)
    }

    private func mode(_ name: String) throws -> Int {
        try #require(
            FileManager.default.attributesOfItem(atPath: bench.path(name))[.posixPermissions] as? Int)
    }

    @Test func `an output that is a link stays one, and what it leads to keeps its mode`() throws {
        _ = try bench.shell("mkdir kept; ln -s kept/real.json out.json; ln -s out.json again.json")
        for name in ["out.json", "again.json"] {
            #expect(try bench.moody("export", "json", "-o", name).status == 0)
            let target = try FileManager.default.destinationOfSymbolicLink(atPath: bench.path("out.json"))
            #expect(target == "kept/real.json")
            #expect(try bench.read("kept/real.json").contains("harbour.jpg"))
            _ = try bench.shell("chmod 640 kept/real.json")
        }
        #expect(try bench.moody("export", "json", "-o", "out.json").status == 0)
        #expect(try mode("kept/real.json") == 0o640)
        #expect(try FileManager.default.contentsOfDirectory(atPath: bench.path("kept")) == ["real.json"])
        // A growing report, too.
        _ = try bench.shell("ln -s kept/report.jsonl report.jsonl")
        #expect(try bench.moody("ingest", "--recompute", "--report", "report.jsonl", "Photos").status == 0)
        #expect(try bench.read("kept/report.jsonl").split(separator: "\n").count == 3)
        #expect(
            try FileManager.default.destinationOfSymbolicLink(atPath: bench.path("report.jsonl"))
                == "kept/report.jsonl")
    }

    /// By the place of the link, and not by the folder that the command runs in.
    @Test func `a relative link in another folder leads from there`() throws {
        _ = try bench.shell("mkdir -p kept links/deep; ln -s ../../kept/real.json links/deep/out.json")
        #expect(try bench.moody("export", "json", "-o", "links/deep/out.json").status == 0)
        #expect(try bench.read("kept/real.json").contains("harbour.jpg"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: bench.path("links/deep")) == ["out.json"])
        _ = try bench.shell("ln -s ../../kept/Deep.moody links/deep/s.moody")
        #expect(try bench.moody("ingest", "-q", "--store", "links/deep/s.moody", "Photos").status == 0)
        #expect(try bench.moody("list", "--store", "kept/Deep.moody").lines.count == 3)
    }

    @Test(arguments: ["pictures/1234.jpg", "large/77.jpg"])
    func `somebody's picture in a page's folder keeps the folder`(name: String) throws {
        #expect(try bench.moody("export", "html", "-o", "Page/").status == 0)
        #expect(try bench.moody("export", "html", "-o", "Page/").status == 0)
        _ = try bench.shell("mkdir -p Page/large; cp Photos/harbour.jpg Page/\(name)")
        let run = try bench.moody("export", "html", "-o", "Page/")
        #expect(run.status == 2)
        #expect(run.err == "moody: Page/: holds \(name), which moody did not write\n")
        #expect(bench.exists("Page/\(name)") && bench.exists("Page/index.html"))
    }

    @Test func `a picture of a page that somebody has changed keeps the folder`() throws {
        #expect(try bench.moody("export", "html", "-o", "Page/").status == 0)
        _ = try bench.shell("printf more >> Page/pictures/1.jpg")
        #expect(try bench.moody("export", "html", "-o", "Page/").err.contains("holds pictures/1.jpg"))
    }

    @Test func `a page's folder of the first version is known by its page`() throws {
        // Its marker listed nothing, it had no sharper pictures, and its page named the large ones.
        let age = """
            head -n 1 Page/.moody-export > m; mv m Page/.moody-export; rm -rf Page/sharp
            for n in 1 2 3; do printf '<a href="large/%s.jpg"></a>' $n >> Page/index.html; done
            """
        #expect(try bench.moody("export", "html", "-o", "Page/").status == 0)
        _ = try bench.shell(age)
        #expect(try bench.moody("export", "html", "-o", "Page/").status == 0)
        _ = try bench.shell(age + "\ncp Photos/harbour.jpg Page/pictures/9.jpg")
        #expect(try bench.moody("export", "html", "-o", "Page/").err.contains("holds pictures/9.jpg"))
    }
}
