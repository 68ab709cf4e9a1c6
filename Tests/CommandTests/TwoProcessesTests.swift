import Foundation
import Testing

@Suite struct TwoProcessesTests {
    /// Nobody waits in vain for the store, no photo is lost or kept twice, and who follows hears of each
    /// once.
    @Test func `two ingests of 500 photos each keep a thousand, and a third process hears of each once`()
        throws
    {
        let bench = try Workbench()
        try bench.put("harbour.jpg", as: "first.jpg")
        _ = try bench.moody("ingest", "first.jpg")
        try bench.putSquares(
            (0..<1000).map { number in
                let hex = String(number * 15_013 + 0x100000, radix: 16)
                return ("\(number % 2 == 0 ? "Even" : "Odd")/\(number).png", hex)
            })
        let reader = try bench.startShell("exec \"$moody\" list --follow --json")
        try reader.waitForOut("first.jpg")
        let even = try bench.start("ingest", "-v", "--report", "even.jsonl", "Even")
        let odd = try bench.start("ingest", "-v", "--report", "odd.jsonl", "Odd")
        for run in [try even.wait(), try odd.wait()] {
            #expect(run.status == 0 && run.err.contains("500 photos: 500 new"), "\(run.err)")
            #expect(!run.err.contains("holds the store"), "a wait for the store came to nothing")
        }
        #expect(try bench.moody("list", "-q").lines.count == 1001)
        func inserts() -> [Substring] {
            reader.outText.split(separator: "\n").filter { $0.contains("\"change\":\"insert\"") }
        }
        try reader.waitUntil("a thousand inserts") { inserts().count >= 1000 }
        reader.send(SIGINT)
        #expect(try reader.wait().status == 0)
        let ids = inserts().compactMap { $0.firstMatch(of: /"id":([0-9]+)/)?.1 }
        #expect(ids.count == 1000 && Set(ids).count == 1000)
        for name in ["even.jsonl", "odd.jsonl"] {
            let told = try bench.read(name).split(separator: "\n")
            #expect(told.count == 500 && told.allSatisfy { $0.contains("\"change\":\"insert\"") })
        }
        #expect(try bench.moody("store", "check").out.hasPrefix("Moody.moody: sound\n"))
    }

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

    /// Who is about to make the store, as there was none, waits for its lock, which is held while another
    /// store is put in its place: one with other wishes.
    @Test func `a store that another process makes meanwhile is taken as it is`() throws {
        let bench = try Workbench()
        try bench.putPhotos()
        let other = try bench.shell(
            "mkdir Other && \"$moody\" ingest -q -k 2 --exclude 'desert*' --store Other/Moody.moody Photos")
        #expect(other.status == 0)
        let run = try bench.shell(
            """
            mkdir -p .Moody_SUPPORT/Moody.moody && exec 9> .Moody_SUPPORT/Moody.moody/lock && flock 9
            "$moody" ingest Photos 9>&- & first=$!
            # Before it is moody it is a shell that has the lock.
            until [ /proc/$first/exe -ef "$moody" ] &&
                ls -l /proc/$first/fd 2>&- | grep -q SUPPORT/Moody.moody/lock
            do kill -0 $first || exit 9; sleep 0.01; done
            cp Other/Moody.moody Moody.moody
            flock -u 9
            wait $first
            """)
        #expect(run == .init(status: 0, out: "", err: "2 photos: 2 unchanged; Moody.moody\n"))
        let colors = try bench.shell("sqlite3 Moody.moody 'SELECT COUNT(*), MIN(ZK), MAX(ZK) FROM ZMOOD'")
        #expect(colors.out == "2|2|2\n")
    }
}
