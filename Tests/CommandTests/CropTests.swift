import Testing

@Suite struct CropTests {
    private let bench: Workbench

    init() throws {
        bench = try Workbench()
        try bench.put("slate.png", as: "Photos/slate.png")
    }

    @Test(arguments: ["extract", "ingest", "watch"])
    func `a crop that cannot be read is a wrong argument`(command: String) throws {
        let run = try bench.moody(command, "--crop", "8x8-1+0", "Photos")
        #expect(run.status == 64)
        #expect(run.err.contains("8x8-1+0"))
    }

    @Test func `extract says which part of the photo it looked at`() throws {
        let run = try bench.moody("extract", "--crop", "4x4+2+2", "--format", "hex", "Photos/slate.png")
        #expect(run.status == 0)
        #expect(run.out == "#336699\n")
        #expect(run.err.contains("note: palette of 4x4+2+2\n"))
    }

    @Test func `ingest and watch keep it in the record`() throws {
        #expect(try bench.moody("ingest", "--crop", "4x4+2+2", "Photos").status == 0)
        #expect(try bench.moody("show", "1").out.contains("palette of 4x4+2+2"))
        let outside = ["--crop", "2x2+8+0", "--store", "Other.moody", "Photos"]
        for command in [["ingest"], ["watch", "--once", "--retry"]] {
            let run = try bench.run(command + outside)
            #expect(run.status == 1 && run.out == "", "\(run)")
            #expect(
                run.err.contains("moody: Photos/slate.png: 2x2+8+0 lies outside the 8x8 photo\n"), "\(run)")
        }
        let extract = try bench.moody("extract", "--crop", "2x2+8+0", "Photos/slate.png")
        #expect(
            extract.status == 1 && extract.out == "" && extract.err.contains(" lies outside the 8x8 photo"))
    }
}
