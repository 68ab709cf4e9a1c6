import Foundation
import Glibc
import Testing

@Suite struct WatchTests {
    private let bench: Workbench

    init() throws {
        bench = try Workbench()
        try bench.put("harbour.jpg", as: "Photos/harbour.jpg")
    }

    private func start(_ more: String...) throws -> RunningCommand {
        let watch =
            more.isEmpty
            ? try bench.start("watch", "Photos") : try bench.start("watch", "--poll", "0.2", "Photos")
        try watch.waitForErr("moody: watching Photos")
        try watch.waitForOut("harbour.jpg")
        return watch
    }

    @Test func `a file that is copied in appears in the report`() throws {
        let watch = try start()
        try bench.put("forest.jpg", as: "Photos/forest.jpg")
        try watch.waitForOut("#1e5631 #8a5a2a #dae4c9  forest.jpg")
        #expect(watch.outText.contains("+     2  2024-06-29"))
    }

    @Test func `a file that is moved in appears in the report`() throws {
        let watch = try start()
        try bench.put("forest.jpg", as: "elsewhere.jpg")
        try bench.move("elsewhere.jpg", to: "Photos/forest.jpg")
        try watch.waitForOut("forest.jpg")
    }

    @Test func `a new folder is looked into and watched`() throws {
        let watch = try start()
        try bench.put("forest.jpg", as: "Photos/new/deep/forest.jpg")
        try watch.waitForOut("forest.jpg")
        try bench.put("desert.jpg", as: "Photos/new/deep/desert.jpg")
        try watch.waitForOut("desert.jpg")
        try bench.move("Photos/new", to: "Photos/old")
        try watch.waitForOut("~     2  2024-06-29")
        try bench.put("slate.png", as: "Photos/old/deep/slate.png")
        try watch.waitForOut("slate.png")
        #expect(!watch.outText.contains("(missing)"))
    }

    @Test func `a file that is removed is marked missing`() throws {
        let watch = try start()
        // Without any photo left a root looks like a disk that is not there: nothing is missing then.
        try bench.put("slate.png", as: "Photos/slate.png")
        try watch.waitForOut("slate.png")
        try bench.remove("Photos/harbour.jpg")
        try watch.waitForOut("harbour.jpg  (missing)")
        watch.send(SIGTERM)
        #expect(try watch.wait().status == 0)
        #expect(try bench.moody("list", "--missing").lines.count == 1)
    }

    @Test func `a file that changes is read again`() throws {
        let watch = try start()
        try bench.put("desert.jpg", as: "Photos/harbour.jpg")
        try watch.waitForOut("~     1  2023-01-02")
    }

    @Test func `a burst is one save`() throws {
        let watch = try start()
        let copies = (0..<8).map { "cp \"$fixtures/forest.jpg\" Photos/copy\($0).jpg" }.joined(separator: ";")
        #expect(try bench.shell(copies + "; rm Photos/harbour.jpg").status == 0)
        try watch.waitForOut("(missing)")
        watch.send(SIGINT)
        let run = try watch.wait()
        #expect(run.status == 0)
        // The signs of one commit stand together, what went first, as one report.
        #expect(run.err.contains("9 photos: 8 new, 1 missing; Moody.moody"))
    }

    @Test func `what is no picture is nobody's problem, and a broken one is named`() throws {
        let watch = try start()
        try bench.write("hello", to: "Photos/notes.txt")
        try bench.write("hello", to: "Photos/broken.jpg")
        try watch.waitForErr("moody: Photos/broken.jpg: ")
        #expect(!watch.errText.contains("notes.txt"))
    }

    @Test func `a file that is still being written is left until it is closed`() throws {
        let watch = try start()
        let photo = try Data(contentsOf: bench.folder.appending(path: "Photos/harbour.jpg"))
        let file = try bench.open("Photos/slow.jpg")
        try file.write(contentsOf: photo.prefix(300))
        // Something else comes and is kept meanwhile.
        try bench.put("forest.jpg", as: "Photos/forest.jpg")
        try watch.waitForOut("forest.jpg")
        #expect(!watch.errText.contains("slow.jpg:"))
        try file.write(contentsOf: photo.dropFirst(300))
        try file.close()
        try watch.waitForOut("slow.jpg")
        #expect(!watch.errText.contains("slow.jpg:"))
    }

    @Test func `polling sees what comes and what goes`() throws {
        let watch = try start("--poll")
        try bench.put("forest.jpg", as: "Photos/forest.jpg")
        try watch.waitForOut("forest.jpg")
        try bench.remove("Photos/harbour.jpg")
        try watch.waitForOut("harbour.jpg  (missing)")
        watch.send(SIGTERM)
        #expect(try watch.wait().status == 0)
    }

    @Test func `once settles and ends`() throws {
        let run = try bench.moody("watch", "--once", "Photos")
        #expect(run.status == 0)
        #expect(run.lines == ["+     1  2024-06-28  #1f4e78 #e8a33c  harbour.jpg"])
        try bench.write("no picture", to: "Photos/broken.jpg")
        #expect(try bench.moody("watch", "--once", "--poll", "0.1", "Photos").status == 1)
        #expect(try bench.moody("watch", "--once", "Photos").status == 0)
    }

    /// A file of tomorrow counts as being written until it was the same for a second: a second run reads it.
    @Test func `once fails when its first run did, however the last one ends`() throws {
        try bench.write("no picture", to: "Photos/broken.jpg")
        _ = try bench.shell("touch -d 2024-01-01 Photos/broken.jpg; touch -d tomorrow Photos/harbour.jpg")
        let run = try bench.moody("watch", "--once", "Photos")
        #expect(run.status == 1 && run.lines.count == 1 && run.err.contains("1 photo: 1 new"), "\(run)")
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `a signal ends it with 0`(signal: Int32) throws {
        let watch = try start()
        watch.send(signal)
        #expect(try watch.wait().status == 0)
        #expect(try bench.moody("store", "check").status == 0)
    }

    @Test
    func
        `a folder that goes is named, nothing in it becomes missing, and it is watched again once back`()
        throws
    {
        let watch = try start()
        try bench.move("Photos", to: "Unmounted")
        try watch.waitForErr("moody: Photos: the folder is gone; nothing below it was marked missing\n")
        #expect(try bench.moody("list", "--missing").out == "")
        try bench.put("forest.jpg", as: "Unmounted/forest.jpg")
        try bench.move("Unmounted", to: "Photos")
        try watch.waitForErr("moody: Photos is back\n")
        try watch.waitForOut("forest.jpg")
        try bench.put("desert.jpg", as: "Photos/desert.jpg")
        try watch.waitForOut("desert.jpg")
        watch.send(SIGTERM)
        #expect(try watch.wait().status == 0)
        #expect(try bench.moody("list").lines.count == 3)
    }

    @Test func `another folder is put where one was: what it holds is what counts`() throws {
        let watch = try start()
        _ = try bench.shell("rm -r Photos; mkdir Photos")
        try watch.waitForErr("the folder is gone")
        try bench.put("forest.jpg", as: "Photos/forest.jpg")
        try watch.waitForOut("forest.jpg")
        try watch.waitForOut("harbour.jpg  (missing)")
    }

    @Test func `each save's report is in the file as soon as it is made`() throws {
        let watch = try bench.start("watch", "--report", "report.jsonl", "Photos")
        // What is on standard output is in the file already.
        try watch.waitForOut("harbour.jpg")
        #expect(try bench.read("report.jsonl").contains("harbour.jpg"))
        try bench.put("forest.jpg", as: "Photos/forest.jpg")
        try watch.waitForOut("forest.jpg")
        let lines = try bench.read("report.jsonl").split(separator: "\n")
        #expect(lines.count == 2 && lines[1].contains("forest.jpg"))
        watch.send(SIGTERM)
        #expect(try watch.wait().status == 0)
        // It is ours: the next one begins anew.
        #expect(try bench.moody("watch", "--once", "--report", "report.jsonl", "Photos").status == 0)
        #expect(try bench.read("report.jsonl") == "")
    }

    @Test func `a report that cannot be written ends the watch`() throws {
        let run = try bench.moody("watch", "--report", "/dev/full", "Photos")
        #expect(run.status == 2)
        #expect(run.err.contains("moody: /dev/full: No space left on device\n"))
    }

    @Test(arguments: [[], ["--poll", "0.1"]])
    func `recompute reaches each file once, one that was written just now too`(more: [String]) throws {
        try bench.put("desert.jpg", as: "Photos/desert.jpg")
        #expect(try bench.moody("ingest", "Photos").status == 0)
        _ = try bench.shell("touch -d 2024-01-01 Photos/desert.jpg; touch Photos/harbour.jpg")
        let run = try bench.run(["watch", "--once", "--recompute"] + more + ["Photos"])
        #expect(run.lines.count { $0.contains("harbour.jpg") } == 1, "\(run)")
        #expect(run.lines.count { $0.contains("desert.jpg") } == 1, "\(run)")
    }

    @Test func `a page that is written into a watched folder is no source of photos`() throws {
        let watch = try bench.start("watch", "--html", "Photos/Page/", "Photos")
        try watch.waitForErr("wrote Photos/Page/: 1 mood\n")
        try bench.put("forest.jpg", as: "Photos/forest.jpg")
        try watch.waitForErr("wrote Photos/Page/: 2 moods\n")
        // Somebody's picture in it would keep the folder from being replaced: it goes again.
        _ = try bench.shell(
            "cp \"$fixtures/desert.jpg\" Photos/Page/pictures/9.jpg; rm Photos/Page/pictures/9.jpg")
        try bench.put("slate.png", as: "Photos/slate.png")
        try watch.waitForErr("wrote Photos/Page/: 3 moods\n")
        watch.send(SIGTERM)
        #expect(try watch.wait().status == 0)
        #expect(try bench.moody("list").lines.count == 3)
    }

    @Test func `a page is written anew after each burst`() throws {
        let watch = try bench.start("watch", "--html", "page.html", "Photos")
        try watch.waitForErr("wrote page.html: 1 mood\n")
        try bench.put("forest.jpg", as: "Photos/forest.jpg")
        try watch.waitForErr("wrote page.html: 2 moods\n")
    }

    @Test func `what makes no sense is refused`() throws {
        #expect(try bench.moody("watch").status == 64)
        for poll in ["0", "0.09", "-1", "86400.1", "nan"] {
            #expect(try bench.moody("watch", "--poll", poll, "nowhere").status == 64, "\(poll)")
        }
        #expect(try bench.moody("watch", "--poll", "86400", "nowhere").status == 1)
        let run = try bench.moody("watch", "nowhere")
        #expect(run.status == 1)
        #expect(run.err.contains("moody: nowhere: No such file or directory\n"))
        #expect(try bench.moody("watch", "Photos/harbour.jpg").err.contains("harbour.jpg: Not a directory\n"))
    }
}
