import Testing

@Suite struct TwoProcessesTests {
    /// Both make the store, both find the same photos: whoever is second looks at what the first has written.
    /// A transaction that lost the race is run again, and takes its larger pictures a second time.
    @Test(arguments: ["", "--preview 64"])
    func `two ingests at once keep every photo once`(options: String) throws {
        let bench = try Workbench()
        try bench.putPhotos()
        for _ in 0..<5 {
            let run = try bench.shell(
                """
                rm -rf Moody.moody* .Moody_SUPPORT
                "$moody" ingest -q \(options) Photos > a.txt & first=$!
                "$moody" ingest -q \(options) Photos > b.txt || exit 9
                wait $first
                """)
            #expect(run.status == 0, "\(run.err)")
            #expect(try bench.moody("list").lines.count == 3)
            #expect(try bench.moody("store", "check").out.hasPrefix("Moody.moody: sound\n"))
        }
    }
}
