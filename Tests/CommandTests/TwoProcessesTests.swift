import Testing

@Suite struct TwoProcessesTests {
    /// Both make the store, both find the same photos: whoever is second looks at what the first has written.
    /// A transaction that lost the race is run again, and takes its larger pictures a second time.
    /// Previews of 64 pixels go into rows, those of 400 into files beside the store.
    @Test(arguments: [("", 0), ("--preview 64", 0), ("--preview 400", 2)])
    func `two ingests at once keep every photo once`(options: String, files: Int) throws {
        let bench = try Workbench()
        try bench.putPhotos()
        for seed in 0..<2 { try bench.putNoise(side: 400, seed: seed, as: "Photos/noise\(seed).png") }
        for _ in 0..<5 {
            let run = try bench.shell(
                """
                rm -rf Moody.moody* .Moody_SUPPORT
                "$moody" ingest -q \(options) Photos > a.txt & first=$!
                "$moody" ingest -q \(options) Photos > b.txt || exit 9
                wait $first
                """)
            #expect(run.status == 0, "\(run.err)")
            #expect(try bench.moody("list").lines.count == 5)
            let check = try bench.moody("store", "check").out
            #expect(
                check.hasPrefix("Moody.moody: sound\n") && check.contains("external files \(files),"),
                "\(check)")
        }
    }
}
