import Foundation
import Glibc
import Testing

/// Pipes, devices and descriptors that are closed, wherever a file is named.
@Suite struct SpecialFileTests {
    private let bench: Workbench

    init() throws {
        bench = try Workbench()
        try bench.putPhotos()
    }

    @Test(arguments: [
        "list", "show 1", "export json", "store check", "delete 1", "ingest Photos", "watch --once Photos",
    ])
    func `a store that is a pipe is refused at once`(line: String) throws {
        let run = try bench.shell("mkfifo ff.moody; \"$moody\" \(line) --store ff.moody")
        #expect(run == .init(status: 2, out: "", err: "moody: ff.moody: not a regular file\n"))
    }

    @Test(arguments: [("ingest", SIGTERM, Int32(143)), ("ingest", SIGINT, 130), ("watch", SIGTERM, 0)])
    func `one signal ends the wait for somebody who reads the report`(
        command: String, signal: Int32, status: Int32
    ) throws {
        #expect(try bench.shell("mkfifo pipe").status == 0)
        let run = try bench.startShell("exec \"$moody\" \(command) Photos --report pipe")
        try run.waitForErr("made the store")
        run.send(signal)
        #expect(try run.wait().status == status)
        #expect(try bench.moody("list").out == "")
    }

    @Test func `a report goes to whoever opens the pipe later`() throws {
        #expect(try bench.shell("mkfifo pipe").status == 0)
        let run = try bench.startShell("exec \"$moody\" ingest Photos --report pipe")
        try run.waitForErr("made the store")
        let got = try bench.shell("wc -l < pipe")
        #expect(try run.wait().status == 0)
        #expect(got.out.trimmingCharacters(in: .whitespacesAndNewlines) == "3", "\(got)")
    }

    @Test func `lists come from pipes by any name`() throws {
        let run = try bench.shell(
            """
            mkfifo list; ls Photos/*.jpg > list & "$moody" ingest --files-from list
            bash -c '"$moody" ingest --files-from <(ls Photos/f*)'
            ls Photos/d* | "$moody" extract -k1 --files-from /dev/stdin --format hex
            """)
        #expect(run.status == 0)
        #expect(run.err.contains("3 photos: 3 new; ") && run.err.contains("1 photo: 1 unchanged; "), "\(run)")
        #expect(run.out.hasSuffix("\n#d8a065\n"))
    }

    @Test func `one signal ends the wait for a list`() throws {
        #expect(try bench.shell("mkfifo list").status == 0)
        let run = try bench.start("ingest", "--files-from", "list")
        // A pipe can be opened so once somebody reads from it, and not before: fifo(7).
        var end: Int32 = -1
        try run.waitUntil("a reader") {
            end = unsafe open(bench.path("list"), O_WRONLY | O_NONBLOCK | O_CLOEXEC)
            return end >= 0
        }
        defer { close(end) }
        run.send(SIGTERM)
        #expect(try run.wait() == .init(status: 128 + SIGTERM, out: "", err: ""))
    }

    @Test(arguments: ["-", "/dev/stdin", "/dev/fd/0"])
    func `standard input has several names`(name: String) throws {
        let run = try bench.shell("cat Photos/harbour.jpg | \"$moody\" extract --json \(name)")
        #expect(run.status == 0 && run.out.hasPrefix("{\"v\":1,\"path\":\"-\","), "\(run)")
    }

    @Test(arguments: [
        "list", "show 1", "export json", "export html -o -", "store check", "extract Photos/harbour.jpg",
        "ingest --recompute Photos", "watch --once --recompute Photos", "--version",
    ])
    func `without a standard output all is done, and nothing else is written to`(line: String) throws {
        #expect(try bench.moody("ingest", "Photos").status == 0)
        for closed in [">&-", "<&- >&-", "<&- >&- 2>&-"] {
            let run = try bench.shell("\"$moody\" \(line) \(closed)")
            #expect(run.status == 0 && run.out == "", "\(run)")
            #expect(!run.err.contains("standard output"))
            // Results that went into the next file that was opened would be in the store.
            #expect(try bench.moody("store", "check").status == 0)
            #expect(try bench.moody("list").lines.count == 3)
        }
    }
}
