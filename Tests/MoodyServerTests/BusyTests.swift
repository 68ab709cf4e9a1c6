#if Server
import DataStacks
import Foundation
import Glibc
import ManagedObjects
import MoodyGallery
import MoodyIngest
import MoodyModel
import NIOCore
import NIOEmbedded
import Palettes
import Synchronization
import Testing

@testable import MoodyServer

/// What takes long, comes slowly, or does not read keeps the others from nothing.
@Suite(.serialized) struct BusyTests {
    /// Moods without photos.
    private func insert(_ count: Int, camera: String? = nil, into stack: DataStack) throws {
        var facts = CaptureInfo(
            taken: CivilDate(year: 2024, month: 5, day: 31), offset: nil, source: .original, width: 3,
            height: 2)
        facts.camera = camera
        let known = facts
        try stack.performAndWait { transaction in
            for number in 0..<count {
                let entries = [Palette.Entry(color: RGB(hex: "#336699")!, share: 1)]
                let mood = MoodSource(
                    palette: Palette(entries: entries), request: PaletteRequest(PaletteOptions()),
                    facts: known, thumbnail: Data(), preview: nil)
                let name = "ein Tag am Meer, \(number), Abend und Nacht und Ebbe und Flut.jpg"
                let source = PhotoImport(
                    location: FileLocation(
                        folder: Data("/nowhere".utf8), name: Data(name.utf8), path: "/nowhere/\(name)"),
                    file: FileStamp(size: 1, mtimeNs: 1, inode: Int64(number)), contentHash: nil,
                    seen: Date(),
                    result: .kept(mood))
                _ = try transaction.importUniqueObject(Photo.self, from: source)
            }
        }
    }

    /// A condition of almost 4 KB that no photo fulfills.
    private static let long: String = {
        let part = "path CONTAINS[cd] %22%C3%BCx%22"
        return Array(repeating: part, count: 90).joined(separator: " OR ").replacing(" ", with: "+")
    }()

    @Test func `a condition that takes too long is ended`() async throws {
        let server = try await TestServer { options, _ in options.limits.question = 0.02 }
        try insert(600, into: server.stack)
        for target in ["moods", "events"] {
            // A list that would have to be followed by such a condition is none.
            let answer = try await server.ask("GET", "/api/v1/\(target)?where=" + Self.long)
            #expect(answer.status == 503, "\(target)")
            #expect(answer.text.contains("to find that takes longer than 0 seconds"), "\(answer.text)")
        }
        #expect(server.errors.value.withLock { $0 }.isEmpty)
        try await server.end()
    }

    /// Reads until its limit is over, as a long statement would.
    private static func hold(_ stack: DataStack) throws {
        let limit = ReadLimit.current
        try stack.read { _ in
            while limit?.isOver == false { usleep(1_000) }
            try limit?.check()
        }
    }

    @Test func `while a question is looked for all else is answered, and the end of the server is its end`()
        async throws
    {
        let server = try await TestServer { options, _ in options.limits.question = 3_600 }
        _ = try await server.upload("a.png", TestServer.png(4))
        let questions = server.server.questions, channel = NIOAsyncTestingChannel()
        let held = Kept(false)
        let question = Task {
            try await questions.answer(for: channel) { stack in
                held.value.withLock { $0 = true }
                try Self.hold(stack)
            }
        }
        try await server.until { held.value.withLock { $0 } }
        #expect(try await server.ask("GET", "/api/v1/moods/1").status == 200)
        #expect(try await server.upload("b.png", TestServer.png(5)).status == 201)
        #expect(try await server.ask("DELETE", "/api/v1/moods/1").status == 200)
        #expect(try await server.ask("GET", "/pictures/2.jpg").status == 200)
        try await server.end()
        await #expect(throws: CancellationError.self) { try await question.value }
    }

    @Test func `a question ends when its caller leaves, and the next one is answered`() async throws {
        let server = try await TestServer { options, _ in options.limits.question = 3_600 }
        let questions = server.server.questions, channel = NIOAsyncTestingChannel()
        let held = Kept(false)
        let question = Task {
            try await questions.answer(for: channel) { stack in
                held.value.withLock { $0 = true }
                try Self.hold(stack)
            }
        }
        // One that waits behind it, and leaves first, is never looked for.
        let other = NIOAsyncTestingChannel()
        try await server.until { held.value.withLock { $0 } }
        let waiting = Task {
            try await questions.answer(for: other) { _ in Issue.record("nobody waits for it") }
        }
        for left in [other, channel] {
            for _ in 0..<3_000 {
                if (try? await left.pipeline.context(handlerType: InputEnd.self).map { _ in }.get()) != nil {
                    break
                }
                try await Task.sleep(for: .milliseconds(5))
            }
            try await left.testingEventLoop.executeInContext {
                left.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
            }
        }
        await #expect(throws: CancellationError.self) { try await question.value }
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(try await server.ask("GET", "/api/v1/find?q=tag").status == 200)
        // By a connection, too.
        try insert(600, into: server.stack)
        let socket = try server.socket()
        try await socket.send(
            "GET /api/v1/moods?where=\(Self.long) HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n")
        socket.finish()
        #expect(try await server.ask("GET", "/api/v1/find?q=tag").status == 200)
        try await server.end()
    }

    /// As `moody serve --read-only` opens its store.
    @Test(arguments: [false, true]) func `a limit holds in a store that is only read, too`(isReadOnly: Bool)
        async throws
    {
        let server = try await TestServer()
        try insert(3, into: server.stack)
        let stack = DataStack(model: try .moody())
        try stack.addStorage(sqlite: server.folder.appending(path: "Moody.moody"), isReadOnly: isReadOnly)
        #expect(try MoodList().ids(in: stack).count == 3)
        let error = #expect(throws: StackError.self) {
            try ReadLimit.$current.withValue(ReadLimit(seconds: 0)) { try MoodList().ids(in: stack) }
        }
        #expect((error?.underlying as? StoreError)?.isInterrupt == true)
        #expect(try MoodList().ids(in: stack).count == 3, "the next read has no limit")
        try stack.close()
        try await server.end()
    }

    @Test func `too many words are no search`() async throws {
        let server = try await TestServer()
        let words = Array(repeating: "a", count: 33)
        let answer = try await server.ask("GET", "/api/v1/find?q=" + words.joined(separator: "+"))
        #expect(answer.status == 400 && answer.text.contains("more than 32 words"))
        let fewer = words.dropLast().joined(separator: "+")
        #expect(try await server.ask("GET", "/api/v1/find?q=" + fewer).status == 200)
        try await server.end()
    }

    @Test func `who does not read a list is cut off, and its place is free again`() async throws {
        let server = try await TestServer { options, _ in
            (options.limits.snapshots, options.limits.write, options.limits.pace) = (1, 5, 1 << 30)
        }
        // More than the buffers of two sockets hold.
        try insert(300, camera: String(repeating: "x", count: 60_000), into: server.stack)
        try await server.until { server.server.lists.page.list.count == 300 }
        // On a busy machine one may be cut off before anybody looks: then another.
        var deaf: [Socket] = [], isBusy = false
        for _ in 0..<10 where !isBusy {
            let reader = try server.socket()
            deaf.append(reader)
            try await reader.send("GET /api/v1/list HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n")
            for _ in 0..<300 where server.server.snapshotCount == 0 {
                try await Task.sleep(for: .milliseconds(10))
            }
            isBusy = try await server.ask("GET", "/api/v1/list?limit=1").status == 503
        }
        #expect(isBusy)
        try await server.until { server.server.snapshotCount == 0 }
        let list = try await server.ask("GET", "/api/v1/list?limit=2")
        let lines = list.text.split(separator: "\n")
        #expect(list.status == 200 && lines.count == 3 && lines[0].contains("\"count\":300"))
        withExtendedLifetime(deaf) {}
        try await server.end()
    }

    @Test func `a photo that comes slowly makes room for one that waits`() async throws {
        let server = try await TestServer { options, _ in
            (options.limits.uploads, options.limits.grace, options.limits.slowest) = (1, 0.5, 1)
        }
        let slow = try server.socket()
        try await slow.send(
            "POST /api/v1/photos?name=a.png HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n"
                + "Content-Type: image/png\r\nContent-Length: 900000\r\n\r\n")
        let isOver = Kept(false)
        let drip = Task {
            while !isOver.value.withLock({ $0 }), try await slow.send("x") {
                try await Task.sleep(for: .milliseconds(50))
            }
        }
        var status = 0
        try await server.until { server.server.intake?.isFull == true }
        for _ in 0..<200 where ![200, 201].contains(status) {
            status = try await server.upload("b.png", TestServer.png(4)).status
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(status == 201)
        let answer = try await slow.answer()
        #expect(answer.status == 408 && answer.fields["retry-after"] == "10")
        isOver.value.withLock { $0 = true }
        try await drip.value
        try await server.end()
    }

    @Test func `all viewers of a list get the same bytes, those that resume too`() async throws {
        let server = try await TestServer()
        for number in 0..<4 {
            _ = try await server.upload("a\(number).png", TestServer.png(UInt8(40 * number)))
        }
        let list = server.server.lists.page.list
        guard case .resume(let frames, _) = list.join(list: list.name, after: 0, register: { _ in }) else {
            Issue.record("nothing to resume")
            return
        }
        let before = frames.map { Broadcast.buffer($0, .rows, of: list.name) }
        let after = frames.map { Broadcast.buffer($0, .rows, of: list.name) }
        #expect(frames.count == 4 && before == after)
        for (a, b) in zip(before, after) {
            let places = unsafe [a, b].map { unsafe $0.withUnsafeReadableBytes { $0.baseAddress } }
            #expect(unsafe places[0] == places[1])
        }
        try await server.end()
    }

    @Test func `an upload is a file like others, and may be read by who may read its folder`() async throws {
        let server = try await TestServer()
        #expect(try await server.upload("a.png", TestServer.png(4)).status == 201)
        let path = server.folder.path + "/Uploads/a.png"
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        let plain = server.folder.path + "/plain"
        #expect(FileManager.default.createFile(atPath: plain, contents: nil))
        let usual = try FileManager.default.attributesOfItem(atPath: plain)[.posixPermissions] as? Int
        #expect(mode == usual)
        try await server.end()
    }

    @Test func `a problem ends when its file is read or gone, and when its folder is there again`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "problems-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let told = Kept<[FolderProblems.Problem]>([])
        let problems = FolderProblems { problem in told.value.withLock { $0.append(problem) } }
        func names() -> [String] { problems.all.problems.map(\.name) }
        func path(_ name: String) -> BytePath { BytePath(folder.appending(path: name).path) }
        let root = path("disk")
        for name in ["cut", "gone", "same"] {
            try Data("no photo".utf8).write(to: folder.appending(path: name))
            problems.add(.init(name: name, reason: "cut"), of: path(name))
        }
        problems.add(.init(name: "disk", reason: "the folder is gone"), of: root, isRoot: true)
        problems.add(.init(name: "all", reason: "no space"), of: nil)
        problems.lookAgain()
        #expect(names() == ["cut", "gone", "same", "disk", "all"])
        // A file that changes is read: only that says that it can be.
        try Data("a photo at last".utf8).write(to: folder.appending(path: "cut"))
        try FileManager.default.removeItem(atPath: "\(path("gone"))")
        // Where a disk was an empty folder may be left.
        try FileManager.default.createDirectory(atPath: "\(root)", withIntermediateDirectories: true)
        problems.lookAgain()
        #expect(names() == ["cut", "same", "disk", "all"])
        problems.solve(path("cut"))
        try Data().write(to: URL(filePath: "\(root)/a"))
        problems.lookAgain()
        problems.add(.init(name: "same", reason: "cut"), of: path("same"))
        problems.add(.init(name: "same", reason: "too large"), of: path("same"))
        problems.add(.init(name: "late", reason: "cut"), of: path("gone before it was told"))
        problems.solve(nil)
        #expect(names() == ["same"] && problems.all.problems[0].reason == "too large")
        // Who hears all that is told has the list, and knows by the numbers that nothing is missing.
        var heard: [String] = []
        let all = told.value.withLock { $0 }
        for (number, problem) in all.enumerated() {
            #expect(problem.revision == UInt64(number + 1))
            let text = "\(problem.name): \(problem.reason)"
            if problem.isSolved { heard.removeAll { $0 == text } } else { heard.append(text) }
        }
        #expect(heard == ["same: too large"] && problems.revision == UInt64(all.count))
    }

    /// exFAT and old cameras leave names in no encoding; a file that is cut is whole in the end.
    @Test func `what could be read in the end is no problem, whatever it is called`() async throws {
        let server = try await TestServer(), whole = TestServer.png(9)
        let folder = server.folder.path + "/Photos/"
        for name: [UInt8] in [
            Array("a.png".utf8), [0xE9, 0xFF] + Array(".png".utf8), Array("a\nb.png".utf8),
        ] {
            let path = BytePath(Array(folder.utf8) + name)
            try writeFile(Array(whole.prefix(60)), to: path)
            try await server.until { server.server.problems.count == 1 }
            let other = BytePath(Array(server.folder.path.utf8) + Array("/other".utf8))
            try writeFile(whole, to: other)
            let isMoved = unsafe other.withCString { old in
                unsafe path.withCString { new in unsafe rename(old, new) == 0 }
            }
            #expect(isMoved)
            try await server.until { server.server.problems.isEmpty }
        }
        try await server.end()
    }

    /// A folder that cannot be kept up to date now is told, and again when it can; the gallery shows on.
    @Test(arguments: [false, true]) func `folders that cannot be looked at now are told, and looked at again`(
        isForGood: Bool
    ) async throws {
        let server = try await TestServer()
        let folder = server.folder.appending(path: "Elsewhere")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(TestServer.png(7)).write(to: folder.appending(path: "a.png"))
        let tries = Kept(0), told = Kept<[FolderProblems.Problem]>([]), end = Kept<String?>(nil)
        let desk = FolderDesk(
            [BytePath(folder.path)], server.stack,
            options: {
                let number = tries.value.withLock { tries in
                    tries += 1
                    return tries
                }
                if isForGood { throw StoreError.modelChanged }
                if number <= 2 { throw StoreError.sqlite(code: 13, message: "full", sql: nil) }
                return IngestOptions()
            }, showsPaths: false, pause: 0.05, isBusy: { _ in false }, problem: { _, _ in }
        ) { news in
            switch news {
            case .problem(let problem): told.value.withLock { $0.append(problem) }
            case .ended(let error): end.value.withLock { $0 = "\(error)" }
            default: break
            }
        }
        desk.start()
        try await server.until {
            isForGood ? end.value.withLock { $0 != nil } : told.value.withLock { $0.last?.isSolved == true }
        }
        desk.stop()
        #expect(end.value.withLock { $0 != nil } == isForGood)
        let problems = told.value.withLock { $0 }
        if isForGood {
            #expect(problems.isEmpty)
        } else {
            #expect(problems.map(\.isSolved) == [false, true] && problems[0].name == "Elsewhere")
            #expect(problems[0].reason == "the disk of the store is full; it is tried again every 1 s")
            #expect(server.server.lists.page.list.count == 1 && desk.problems.all.problems.isEmpty)
        }
        try await server.end()
    }

    /// A disk that was pulled out while the store's was full is heard of when it is back.
    @Test func `a watch that is begun again knows the folders that are gone`() async throws {
        let server = try await TestServer()
        let folders = ["A", "B"].map { server.folder.appending(path: $0) }
        for (number, folder) in folders.enumerated() {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(TestServer.png(UInt8(number))).write(to: folder.appending(path: "\(number).png"))
        }
        let isFull = Kept(false), told = Kept<[String]>([])
        let desk = FolderDesk(
            folders.map { BytePath($0.path) }, server.stack,
            options: {
                if isFull.value.withLock({ $0 }) {
                    throw StoreError.sqlite(code: 13, message: "full", sql: nil)
                }
                return IngestOptions()
            }, showsPaths: false, pause: 0.05, isBusy: { _ in false }, problem: { _, _ in }
        ) { news in
            if case .problem(let problem) = news, !problem.isSolved {
                told.value.withLock { $0.append(problem.reason) }
            }
        }
        desk.start()
        let list = server.server.lists.page.list
        try await server.until { list.count == 2 }
        let away = server.folder.appending(path: "away")
        try FileManager.default.moveItem(at: folders[0], to: away)
        try await server.until { told.value.withLock { $0.contains { $0.contains("is gone") } } }
        isFull.value.withLock { $0 = true }
        try Data(TestServer.png(3)).write(to: folders[1].appending(path: "3.png"))
        try await server.until { told.value.withLock { $0.contains { $0.contains("full") } } }
        isFull.value.withLock { $0 = false }
        try await server.until { list.count == 3 }
        try Data(TestServer.png(4)).write(to: away.appending(path: "4.png"))
        try FileManager.default.moveItem(at: away, to: folders[0])
        try await server.until { list.count == 4 }
        try await server.until {
            desk.problems.lookAgain()
            return desk.problems.all.problems.isEmpty
        }
        desk.stop()
        try await server.end()
    }
}
#endif
