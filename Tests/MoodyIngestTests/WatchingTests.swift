import Foundation
import Glibc
import MoodyModel
import TestSupport
import Testing

@testable import MoodyIngest

@Suite struct MountTableTests {
    /// Lines as proc(5) shows them; a mount point with a space is written with \040.
    private let table = MountTable(
        Array(
            """
            22 27 0:21 / / rw,relatime - ext4 /dev/vda rw
            36 22 98:0 /mnt1 /mnt/my\\040photos rw,noatime master:1 - nfs4 server:/photos rw
            37 22 98:1 / /home rw,relatime shared:1 master:2 - btrfs /dev/sda rw
            38 37 98:2 / /home/me/cloud rw - fuse.sshfs host: rw
            39 22 98:3 / /over rw - nfs a rw
            40 22 98:4 / /over rw - tmpfs tmpfs rw
            broken line

            """.utf8))

    @Test(arguments: [
        ("/", "ext4"), ("/mnt", "ext4"), ("/mnt/my photos", "nfs4"), ("/mnt/my photos/2024", "nfs4"),
        ("/mnt/my photosx", "ext4"), ("/home/me", "btrfs"), ("/home/me/cloud/a", "fuse.sshfs"),
        ("/over/a", "tmpfs"),
    ])
    func `the nearest mount above a path says what it lies on`(path: String, type: String) {
        #expect(table.type(at: BytePath(path)) == type)
    }

    @Test func `file systems of other machines do not tell of changes`() {
        for type in ["nfs", "nfs4", "cifs", "smb3", "fuse.sshfs", "fuse.rclone", "9p"] {
            #expect(MountTable.isRemote(type))
        }
        for type in ["ext4", "btrfs", "xfs", "tmpfs", "overlay", "fuseblk", "zfs"] {
            #expect(!MountTable.isRemote(type))
        }
    }

    @Test func `this machine's mounts are known`() {
        #expect(MountTable.current().type(at: BytePath("/proc/self")) == "proc")
    }

    @Test func `an empty table knows nothing`() { #expect(MountTable([]).type(at: BytePath("/")) == nil) }
}

@Suite struct InotifyTests {
    private func bytes(_ folder: Int32, _ mask: UInt32, _ name: String, padding: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        for word in [UInt32(bitPattern: folder), mask, 7, UInt32(name.utf8.count + padding)] {
            bytes += unsafe withUnsafeBytes(of: word) { unsafe Array($0) }
        }
        return bytes + Array(name.utf8) + Array(repeating: 0, count: padding)
    }

    @Test func `events are read one behind the other, names without their padding`() {
        let events = Inotify.parse(bytes(1, 8, "a.jpg", padding: 11) + bytes(-1, 0x4000, "", padding: 0))
        #expect(events.map(\.folder) == [1, -1])
        #expect(events.map(\.mask) == [8, 0x4000])
        #expect(events.map(\.name) == [Array("a.jpg".utf8), []])
    }

    @Test func `what is cut anywhere is left out`() {
        let all = bytes(1, 8, "a.jpg", padding: 3) + bytes(2, 8, "b.jpg", padding: 3)
        for cut in all.indices {
            #expect(Inotify.parse(Array(all[..<cut])).count == cut / 24, "cut at byte \(cut)")
        }
    }

    @Test func `a folder that is not there cannot be watched`() throws {
        let inotify = try Inotify()
        #expect(throws: FileError.self) { try inotify.watch(BytePath("/nowhere")) }
        #expect(inotify.read().isEmpty)
    }

    @Test func `what is closed, moved and made is told`() throws {
        let folder = try ScratchFolder()
        let inotify = try Inotify()
        let number = try inotify.watch(BytePath(folder.url.path))
        try folder.write(Data([1]), to: "a.jpg")
        // A process that another test starts just then has the file open, too, until it runs its program: the
        // last of the three comes when both have closed it.
        var events: [Inotify.Event] = []
        for _ in 0..<1000 where events.count < 3 {
            events += inotify.read()
            usleep(10_000)
        }
        #expect(events.allSatisfy { $0.folder == number && $0.name == Array("a.jpg".utf8) })
        // Made, written to, and closed after writing: inotify(7).
        #expect(events.map(\.mask) == [0x100, 0x2, 0x8])
        inotify.forget(number)
        #expect(inotify.read().map(\.mask) == [0x8000])
    }
}

@Suite struct FolderWatcherTests {
    @Test
    func `events that were lost ask for a look at everything, and folders that came meanwhile are watched`()
        throws
    {
        let scratch = try ScratchFolder()
        // What lies in a folder that Moody wrote is not watched: so the watcher does not know the folder
        // below.
        try scratch.write(Data("Written by moody".utf8), to: ".moody-export")
        try scratch.write(Data([1]), to: "inner/a.jpg")
        let path = try BytePath(scratch.url.path).resolved()
        let bell = WakeupSignal()
        let watcher = try FolderWatcher(
            [FoundFolder(path: path, shown: path)], filter: FileFilter(), skipping: [], bell: bell)
        #expect(watcher.count == 1)
        try FileManager.default.removeItem(at: scratch.url.appending(path: ".moody-export"))
        watcher.hear([Inotify.Event(folder: -1, mask: UInt32(IN_Q_OVERFLOW), name: [])])
        bell.wait(seconds: nil)
        #expect(watcher.consumeNews().hasOverflowed)
        #expect(watcher.count == 2)
    }
}

extension FolderWatcherTests {
    /// A folder one may not look into is not watched, and tells nothing of what it holds until its rights
    /// change.
    @Test func `a folder whose rights change is looked into`() throws {
        let scratch = try ScratchFolder()
        try scratch.write(Data([1]), to: "inner/a.jpg")
        let path = try BytePath(scratch.url.path).resolved(), bell = WakeupSignal()
        let watcher = try FolderWatcher(
            [FoundFolder(path: path, shown: path)], filter: FileFilter(), skipping: [], bell: bell)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o700], ofItemAtPath: scratch.url.appending(path: "inner").path)
        bell.wait(seconds: 600)
        #expect(watcher.consumeNews().changed.contains(path.appending(Array("inner".utf8))))
    }
}

extension FolderWatcherTests {
    private func watcher(_ scratch: ScratchFolder, _ bell: WakeupSignal) throws -> (FolderWatcher, BytePath) {
        let path = try BytePath(scratch.url.appending(path: "photos").path).resolved()
        let root = FoundFolder(path: path, shown: path)
        return (try FolderWatcher([root], filter: FileFilter(), skipping: [], bell: bell), path)
    }

    @Test func `a change of a file's time alone is told, and does not make it whole`() throws {
        let scratch = try ScratchFolder(), bell = WakeupSignal()
        try scratch.write(Data([1]), to: "photos/a.jpg")
        let (watcher, path) = try watcher(scratch, bell)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1e9)],
            ofItemAtPath: scratch.url.appending(path: "photos/a.jpg").path)
        bell.wait(seconds: 600)
        let news = watcher.consumeNews()
        #expect(news.touched == [path.appending(Array("a.jpg".utf8))] && news.changed.isEmpty)
        #expect(!news.isEmpty)
    }

    @Test func `what is written through another name of a file is told`() throws {
        let scratch = try ScratchFolder(), bell = WakeupSignal()
        try scratch.write(Data([1]), to: "photos/a.jpg")
        let other = scratch.url.appending(path: "elsewhere.jpg")
        try FileManager.default.linkItem(at: scratch.url.appending(path: "photos/a.jpg"), to: other)
        let (watcher, path) = try watcher(scratch, bell)
        let file = try FileHandle(forUpdating: other)
        try file.write(contentsOf: Data([2]))
        try file.close()
        // The end of the writing may be heard of after its beginning.
        var changed: Set<BytePath> = []
        let name = path.appending(Array("a.jpg".utf8))
        for _ in 0..<10 where !changed.contains(name) {
            bell.wait(seconds: 60)
            changed.formUnion(watcher.consumeNews().changed)
        }
        #expect(changed.contains(name))
    }

    @Test func `news that come one after the other are told together`() {
        let (a, b) = (BytePath("/a"), BytePath("/b")), folder = FoundFolder(path: a, shown: a)
        var news = FolderWatcher.News(changed: [a], touched: [b], moved: [a])
        news.add(
            FolderWatcher.News(
                changed: [b], touched: [a], moved: [b], hasOverflowed: true, gone: [folder],
                failure: FileError(code: ENOSPC)))
        news.add(FolderWatcher.News())
        #expect(news.changed == [a, b] && news.touched == [a, b] && news.moved == [a, b])
        #expect(news.hasOverflowed && news.gone.map(\.path) == [a])
        #expect(news.failure == FileError(code: ENOSPC))
    }

    @Test func `the limits of watching are told by their names, not as a full disk`() {
        #expect(Inotify.reason(for: FileError(code: ENOSPC)).contains("fs.inotify.max_user_watches"))
        #expect(Inotify.reason(for: FileError(code: EMFILE)).contains("fs.inotify.max_user_instances"))
        #expect(Inotify.reason(for: FileError(code: ENOENT)) == "No such file or directory")
    }
}

@Suite struct FileSettlingTests {
    private let path = BytePath("/a.jpg"), now = Date(timeIntervalSince1970: 1_000_000)

    private func file(size: Int64 = 1, secondsAgo: Double) -> FileStamp {
        FileStamp(size: size, mtimeNs: Int64((1_000_000 - secondsAgo) * 1e9), inode: 1)
    }

    @Test func `a file that did not change for a second is whole`() {
        var settling = FileSettling(), answers: [Bool] = []
        answers.append(settling.isSettled(path, file(secondsAgo: 1), now: now))
        answers.append(settling.isSettled(path, file(secondsAgo: 0.9), now: now))
        #expect(answers == [true, false])
    }

    @Test func `a file from the future is whole once it was the same for a second`() {
        var settling = FileSettling(), answers: [Bool] = []
        let start = ContinuousClock.now
        let file = file(secondsAgo: -3600)
        answers.append(settling.isSettled(path, file, now: now, at: start))
        answers.append(settling.isSettled(path, file, now: now, at: start + .milliseconds(900)))
        answers.append(settling.isSettled(path, file, now: now, at: start + .seconds(1)))
        #expect(answers == [false, false, true])
    }

    @Test func `each change begins the second anew`() {
        var settling = FileSettling(), answers: [Bool] = []
        let start = ContinuousClock.now
        answers.append(settling.isSettled(path, file(size: 1, secondsAgo: -3600), now: now, at: start))
        answers.append(
            settling.isSettled(path, file(size: 2, secondsAgo: -3600), now: now, at: start + .seconds(1)))
        answers.append(
            settling.isSettled(
                path, file(size: 2, secondsAgo: -3600), now: now - 3600, at: start + .seconds(2)))
        #expect(answers == [false, false, true])
    }

    @Test func `a clock that is set back does not keep a file from being whole`() {
        var settling = FileSettling(), answers: [Bool] = []
        let start = ContinuousClock.now, file = file(secondsAgo: 0.5)
        answers.append(settling.isSettled(path, file, now: now, at: start))
        answers.append(settling.isSettled(path, file, now: now - 3600, at: start + .seconds(1)))
        #expect(answers == [false, true])
    }
}

@Suite struct BellTests {
    @Test(.timeLimit(.minutes(10))) func `a bell that was rung before does not let wait`() {
        let bell = WakeupSignal()
        bell.ring()
        bell.ring()
        bell.wait(seconds: nil)
        // Rung twice, it counted once: this wait ends by its time.
        bell.wait(seconds: 0)
        bell.ring()
        bell.wait(seconds: nil)
    }

    @Test(.timeLimit(.minutes(10))) func `another thread's ring ends the wait`() {
        let bell = WakeupSignal()
        DispatchQueue.global().async { bell.ring() }
        bell.wait(seconds: nil)
    }
}
