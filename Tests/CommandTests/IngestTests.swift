import Foundation
import Glibc
import Testing

@Suite struct IngestTests {
    private let bench: Workbench

    init() throws {
        bench = try Workbench()
        try bench.putPhotos()
    }

    /// The last line on stderr.
    private func summary(_ run: Workbench.Run) -> String {
        run.err.split(separator: "\n").last.map(String.init) ?? ""
    }

    private func listed() throws -> [[String: String]] {
        try bench.moody("list", "--json", "--sort", "id").lines.map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
            return object.mapValues { "\($0)" }
        }
    }

    @Test func `palettes that an earlier version found are found anew, once`() throws {
        _ = try bench.moody("ingest", "Photos")
        #expect(summary(try bench.moody("ingest", "Photos")).contains("3 unchanged"))
        _ = try bench.shell("sqlite3 Moody.moody 'UPDATE ZMOOD SET ZALGORITHM = 1 WHERE Z_PK = 1'")
        #expect(summary(try bench.moody("ingest", "Photos")).contains("1 changed, 2 unchanged"))
        #expect(summary(try bench.moody("ingest", "Photos")).contains("3 unchanged"))
    }

    /// Threads as the kernel counts them: each worker has one, and the number of the others is the same.
    @Test func `ingest has as many workers as it is told`() throws {
        try bench.putNoise(side: 1_200, as: "noise.png")
        let run = try bench.shell(
            """
            mkdir many
            for n in $(seq 24); do { cat noise.png; echo $n; } > many/$n.png; done
            for jobs in 1 9; do
                "$moody" ingest --jobs $jobs --store $jobs.moody many > /dev/null 2>&1 &
                most=0
                while kill -0 $! 2> /dev/null; do
                    now=$(awk '/^Threads:/ { print $2 }' /proc/$!/status 2> /dev/null || true)
                    [ "${now:-0}" -le $most ] || most=$now
                done
                wait $! && echo $most
            done
            """)
        let most = run.lines.compactMap { Int($0) }
        try #require(most.count == 2, "\(run)")
        #expect((6...9).contains(most[1] - most[0]), "\(most)")
    }

    @Test func `the first run makes the store, says so and prints what is new`() throws {
        let run = try bench.moody("ingest", "Photos")
        #expect(run.status == 0)
        #expect(run.err == "moody: made the store ./Moody.moody\n3 photos: 3 new; Moody.moody\n")
        #expect(
            run.lines == [
                "+     2  2024-06-29  #1e5631 #8a5a2a #dae4c9  forest.jpg",
                "+     3  2024-06-28  #1f4e78 #e8a33c          harbour.jpg",
                "+     1  2023-01-02  #7fb3e5 #d8a065          desert.jpg",
            ])
    }

    @Test func `a second run finds everything unchanged and prints nothing`() throws {
        _ = try bench.moody("ingest", "Photos")
        #expect(
            try bench.moody("ingest", "Photos")
                == .init(
                    status: 0, out: "", err: "3 photos: 3 unchanged; Moody.moody\n"))
        #expect(try bench.moody("ingest", "-q", "Photos") == .init(status: 0, out: "", err: ""))
    }

    @Test func `a changed file is read again and keeps its number`() throws {
        _ = try bench.moody("ingest", "Photos")
        try bench.put("slate.png", as: "Photos/forest.jpg")
        let run = try bench.moody("ingest", "Photos")
        #expect(summary(run) == "3 photos: 1 changed, 2 unchanged; Moody.moody")
        #expect(
            run.lines.count == 1 && run.out.contains("     2  ") && run.out.contains("#336699  forest.jpg"))
    }

    @Test func `a file with a new time and the same bytes is unchanged`() throws {
        _ = try bench.moody("ingest", "Photos")
        _ = try bench.shell("touch -d 2020-01-01 Photos/forest.jpg")
        let run = try bench.moody("ingest", "Photos")
        #expect(summary(run) == "3 photos: 3 unchanged; Moody.moody")
        #expect(run.out == "")
    }

    @Test func `a moved file keeps its mood`() throws {
        _ = try bench.moody("ingest", "Photos")
        let before = try listed()
        try FileManager.default.createDirectory(
            atPath: bench.path("Photos/deep"), withIntermediateDirectories: true)
        try bench.move("Photos/harbour.jpg", to: "Photos/deep/port.jpg")
        let run = try bench.moody("ingest", "Photos")
        #expect(summary(run) == "3 photos: 1 moved, 2 unchanged; Moody.moody")
        #expect(run.lines == ["~     3  2024-06-28  #1f4e78 #e8a33c  deep/port.jpg"])
        let after = try listed()
        #expect(after.map { $0["id"] } == before.map { $0["id"] })
        #expect(after.last?["path"]?.hasSuffix("/Photos/deep/port.jpg") == true)
    }

    @Test func `a copy is a mood of its own with the same hash`() throws {
        _ = try bench.moody("ingest", "Photos")
        try bench.put("harbour.jpg", as: "Photos/copy.jpg")
        #expect(summary(try bench.moody("ingest", "Photos")) == "4 photos: 1 new, 3 unchanged; Moody.moody")
        let hashes = try listed().map { $0["contentHash"] }
        #expect(hashes.count == 4 && hashes[2] == hashes[3])
    }

    @Test func `a file that is gone is missing, and comes back with its mood`() throws {
        _ = try bench.moody("ingest", "Photos")
        try bench.move("Photos/forest.jpg", to: "forest.jpg")
        let gone = try bench.moody("ingest", "Photos")
        #expect(summary(gone) == "3 photos: 2 unchanged, 1 missing; Moody.moody")
        #expect(gone.lines == ["~     2  2024-06-29  #1e5631 #8a5a2a #dae4c9  forest.jpg  (missing)"])
        #expect(try bench.moody("list", "--missing").lines.count == 1)
        for (condition, count) in [("height > 0", 1), ("height > 4000", 0)] {
            #expect(try bench.moody("list", "--missing", "--where", condition).lines.count == count)
        }
        let again = try bench.moody("ingest", "Photos")
        #expect(again.out == "" && summary(again) == "3 photos: 2 unchanged, 1 missing; Moody.moody")
        try bench.move("forest.jpg", to: "Photos/forest.jpg")
        let back = try bench.moody("ingest", "Photos")
        #expect(back.lines == ["~     2  2024-06-29  #1e5631 #8a5a2a #dae4c9  forest.jpg"])
        #expect(try bench.moody("list", "--missing").out == "")
    }

    @Test func `an empty folder makes nothing missing and is said`() throws {
        _ = try bench.moody("ingest", "Photos")
        try bench.move("Photos", to: "Elsewhere")
        try FileManager.default.createDirectory(
            atPath: bench.path("Photos"), withIntermediateDirectories: true)
        let run = try bench.moody("ingest", "Photos")
        #expect(run.status == 1)
        #expect(
            run.err.hasPrefix("moody: Photos: nothing found in it; nothing below it was marked missing\n"))
        #expect(try bench.moody("list", "--missing").out == "")
    }

    @Test func `prune takes out what is missing, and a dry run shows it first`() throws {
        _ = try bench.moody("ingest", "Photos")
        try bench.remove("Photos/forest.jpg")
        let dry = try bench.moody("ingest", "-n", "--prune", "Photos")
        #expect(dry.lines == ["prune  \(try bench.realPath)/Photos/forest.jpg"])
        #expect(try bench.moody("list").lines.count == 3)
        let run = try bench.moody("ingest", "--prune", "Photos")
        #expect(run.lines == ["-     2  2024-06-29  #1e5631 #8a5a2a #dae4c9  forest.jpg"])
        #expect(summary(run) == "3 photos: 2 unchanged, 1 pruned; Moody.moody")
        #expect(try bench.moody("list").lines.count == 2)
        #expect(try bench.moody("store", "check").status == 0)
    }

    @Test func `what was missing before is pruned too`() throws {
        _ = try bench.moody("ingest", "Photos")
        try bench.remove("Photos/forest.jpg")
        _ = try bench.moody("ingest", "Photos")
        #expect(try bench.moody("ingest", "--prune", "Photos").lines.count == 1)
        #expect(try bench.moody("list").lines.count == 2)
    }

    @Test func `a deleted mood stays away until it is restored`() throws {
        _ = try bench.moody("ingest", "Photos")
        let deleted = try bench.moody("delete", "Photos/harbour.jpg")
        #expect(deleted.lines == ["-     3  2024-06-28  #1f4e78 #e8a33c  harbour.jpg"])
        #expect(bench.exists("Photos/harbour.jpg"))
        #expect(
            summary(try bench.moody("ingest", "Photos")) == "3 photos: 2 unchanged, 1 left out; Moody.moody")
        #expect(try bench.moody("list").lines.count == 2)
        let restored = try bench.moody("ingest", "--restore", "Photos")
        #expect(restored.lines.count == 1 && restored.out.hasSuffix("harbour.jpg\n"))
        #expect(try bench.moody("list").lines.count == 3)
    }

    @Test func `a dry run writes nothing`() throws {
        let dry = try bench.moody("ingest", "--dry-run", "Photos")
        #expect(dry.status == 0)
        #expect(dry.lines == ["desert", "forest", "harbour"].map { "new  Photos/\($0).jpg" })
        #expect(!bench.exists("Moody.moody"))
        _ = try bench.moody("ingest", "Photos")
        let stamp = "find . -printf '%p %T@ %s\\n' | sort; cat Moody.moody* | cksum"
        let before = try bench.shell(stamp)
        try bench.put("slate.png", as: "Photos/forest.jpg")
        try bench.put("forest.jpg", as: "Photos/forest.jpg")
        let run = try bench.moody("ingest", "-n", "-k3", "--html", "page.html", "Photos/desert.jpg")
        #expect(run.lines == ["changed  Photos/desert.jpg"])
        #expect(try bench.shell("cat Moody.moody* | cksum").out == before.lines.last.map { $0 + "\n" })
        #expect(!bench.exists("page.html"))
    }

    @Test func `a file that is no picture fails only when it is named`() throws {
        try bench.write("hello", to: "Photos/notes.txt")
        try bench.write("hello", to: "Photos/broken.jpg")
        let folder = try bench.moody("ingest", "Photos")
        #expect(folder.status == 1)
        #expect(folder.err.contains("moody: Photos/broken.jpg: not a picture of a known kind\n"))
        #expect(!folder.err.contains("notes"))
        #expect(summary(folder) == "4 photos: 3 new, 1 failed; 1 other file; Moody.moody")
        // What failed is not looked at again unless it is asked for.
        #expect(try bench.moody("ingest", "Photos").status == 0)
        #expect(try bench.moody("ingest", "--retry", "Photos").status == 1)
        let named = try bench.moody("ingest", "Photos/notes.txt")
        #expect(named.status == 1)
        #expect(named.err.contains("moody: Photos/notes.txt: not a picture of a known kind\n"))
    }

    @Test func `a missing path is named and the rest is done`() throws {
        let run = try bench.moody("ingest", "nowhere", "Photos")
        #expect(run.status == 1)
        #expect(run.err.contains("moody: nowhere: No such file or directory\n"))
        #expect(run.lines.count == 3)
    }

    @Test func `paths come from a file, with NUL between them too`() throws {
        try bench.write("Photos/forest.jpg\nPhotos/desert.jpg\n", to: "list.txt")
        #expect(try bench.moody("ingest", "--files-from", "list.txt").lines.count == 2)
        let run = try bench.moody("ingest", "--files-from", "-", "-0", input: "Photos/harbour.jpg\0")
        #expect(run.lines.count == 1)
        #expect(try bench.moody("ingest", "--files-from", "nowhere.txt").status == 2)
    }

    @Test func `files are chosen by patterns`() throws {
        #expect(try bench.moody("ingest", "--exclude", "F*.JPG", "Photos").lines.count == 2)
        #expect(try bench.moody("ingest", "--exclude", "", "--include", "forest*", "Photos").lines.count == 1)
        #expect(try bench.moody("list").lines.count == 3)
    }

    @Test func `a store keeps the palette it was made with`() throws {
        _ = try bench.moody("ingest", "-k1", "--mode", "area", "Photos")
        #expect(try bench.moody("ingest", "Photos").out == "")
        #expect(try listed().allSatisfy { $0["count"] == "1" && $0["mode"] == "area" })
        #expect(summary(try bench.moody("ingest", "-k2", "Photos")) == "3 photos: 3 changed; Moody.moody")
        #expect(try bench.moody("ingest", "Photos").out == "")
    }

    @Test func `a page is written on the way`() throws {
        #expect(try bench.moody("ingest", "--html", "page.html", "Photos").status == 0)
        #expect(try bench.read("page.html").contains("harbour.jpg"))
        try bench.write("mine", to: "mine.html")
        #expect(try bench.moody("ingest", "--html", "mine.html", "Photos").status == 2)
        #expect(try bench.read("mine.html") == "mine")
    }

    @Test func `an interrupt keeps what is finished, and the next run does the rest`() throws {
        let copies = 2000
        _ = try bench.shell(
            """
            rm -r Photos; mkdir Photos; mkfifo pipe
            python3 -c 'import os
            photo = open(os.environ["fixtures"] + "/harbour.jpg", "rb").read()
            for i in range(\(copies)): open(f"Photos/{i}.jpg", "wb").write(photo + str(i).encode())'
            """)
        // A pipe holds 64 KiB, half of the report: until somebody reads, the run cannot come to its end.
        let ingest = try bench.startShell("exec \"$moody\" ingest -j1 Photos > pipe")
        let pipe = try FileHandle(forReadingFrom: bench.folder.appending(path: "pipe"))
        try ingest.waitUntil("a commit") { (try? bench.moody("list", "--limit", "1").lines.count) == 1 }
        // It is taken in while the run waits for the pipe.
        try ingest.sendUntilTaken(SIGINT)
        let report = try #require(try pipe.readToEnd())
        let run = try ingest.wait()
        #expect(run.status == 130, "\(run)")
        let kept = try bench.moody("list").lines.count
        #expect(kept > 0 && kept < copies)
        let done = kept < 1000 ? "\(kept)" : "1," + String(kept).dropFirst()
        #expect(
            run.err.contains(
                "moody: interrupted: \(done) of 2,000 files are done; the next run goes on from there\n"),
            "\(run.err)")
        #expect(report.count { $0 == UInt8(ascii: "\n") } == kept)
        #expect(try bench.moody("store", "check").status == 0)
        #expect(
            summary(try bench.moody("ingest", "Photos")).contains("\(copies - kept) new, \(kept) unchanged"))
    }

    /// Closing a descriptor of a file lets go of the process's locks on it: the store must not be read as a
    /// photo, nor looked at by the way while others open it.
    @Test func `the store is never taken for a photo, by whatever name`() throws {
        _ = try bench.moody("ingest", "Photos")
        _ = try bench.shell("ln -s .. Photos/up; ln -s ../Moody.moody Photos/store.jpg")
        let run = try bench.moody("ingest", "-L", ".")
        #expect(run.status == 0, "\(run.err)")
        #expect(summary(run).hasPrefix("3 photos: 3 unchanged"))
        for name in ["Moody.moody", "Photos/store.jpg"] {
            let named = try bench.moody("ingest", name)
            #expect(named.status == 1)
            #expect(named.err.hasPrefix("moody: \(name): the store itself\n"))
        }
        #expect(try bench.moody("store", "check").status == 0)
    }

    @Test func `a store is read while an ingest writes to it`() throws {
        #expect(try bench.moody("ingest", "Photos").status == 0)
        let ingest = try bench.startShell(
            "i=0; while [ $i -lt 30 ]; do \"$moody\" ingest --recompute Photos || exit; i=$((i+1)); done")
        try ingest.waitForErr("changed")
        for _ in 0..<40 {
            let list = try bench.moody("list")
            #expect(list.status == 0 && list.lines.count == 3, "\(list)")
        }
        #expect(try ingest.wait().status == 0)
        #expect(try bench.moody("store", "check").status == 0)
    }

    /// Before its first page is written a store is none, and nobody may take it for an empty or a broken one.
    @Test func `a store that is being made is none until it is whole`() throws {
        let ingest = try bench.startShell(
            "until [ -e begin ]; do sleep 0.01; done; exec \"$moody\" ingest Photos")
        var statuses = [try bench.moody("list").status]
        #expect(statuses == [2])
        try bench.write("", to: "begin")
        while statuses.last != 0 && statuses.count < 5000 {
            let list = try bench.moody("list")
            statuses.append(list.status)
            if list.status != 0 { #expect(list.err.contains("no store at ./Moody.moody"), "\(list)") }
        }
        #expect(Set(statuses).isSubset(of: [0, 2]) && statuses.last == 0)
        #expect(try ingest.wait().status == 0)
    }
}
