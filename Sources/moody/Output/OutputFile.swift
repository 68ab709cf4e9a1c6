import Foundation
import Glibc
import MoodyGallery
import MoodyIngest
import Palettes
import Synchronization

/// A file for results.
///
/// It is written beside its place and put there when it is whole; a report that is read while it grows is put
/// there empty and grows. A file that moody wrote, which is seen inside, is replaced; any other is refused
/// unless told to overwrite, photos and stores even then. Pipes and devices are written to as they are. A
/// link stays one: the file that it leads to is what is replaced, and keeps who may read it.
final class OutputFile: Sendable {
    enum Manner { case wholeAtTheEnd, growing }

    private struct State {
        var file: Int32
        /// Not in its place yet.
        var temporary: BytePath?
        var buffer: [UInt8] = []
        var failure: FileError?
    }

    private let path: BytePath
    /// Where the file itself is: the path, or what a link there leads to.
    private let target: BytePath
    private let overwrites: Bool
    private let state: Mutex<State>

    /// - Parameter isStopped: asked while nobody reads from a pipe.
    /// - Throws: ``OutputError``, also for a file that is somebody else's; ``Interrupted``.
    init(
        _ path: BytePath, overwrite: Bool, _ manner: Manner = .wholeAtTheEnd,
        isStopped: () -> Bool = { false }
    ) throws {
        (self.path, overwrites) = (path, overwrite)
        try Self.check(path, overwrite: overwrite)
        let status = try? FileStatus(at: path)
        target = path.followingLinks
        let temporary: BytePath?, file: Int32
        if status?.kind != .other {
            do throws(FileError) {
                Replacement.sweep(beside: target) { _ = unsafe $0.withCString { unsafe unlink($0) } }
                let made = try Replacement.makeTemporary(beside: target, like: status)
                (temporary, file) = (made.path, made.file)
            } catch { throw OutputError(name: path.description, error: error) }
        } else {
            temporary = nil
            file =
                status?.isPipe == true
                ? try Self.openPipe(path, isStopped: isStopped)
                : unsafe path.withCString { unsafe open($0, O_WRONLY | O_CLOEXEC) }
        }
        guard file >= 0 else { throw OutputError(name: path.description, error: FileError(code: errno)) }
        state = Mutex(State(file: file, temporary: temporary))
        if let temporary {
            Unfinished.add(temporary) { _ = unsafe temporary.withCString { unsafe unlink($0) } }
        }
        if manner == .growing { try state.withLock { try putInPlace(&$0) } }
    }

    /// Waits for somebody who reads, as open(2) does, but not for longer than the run shall go on.
    private static func openPipe(_ path: BytePath, isStopped: () -> Bool) throws -> Int32 {
        while true {
            let file = unsafe path.withCString { unsafe open($0, O_WRONLY | O_CLOEXEC | O_NONBLOCK) }
            if file >= 0 {
                _ = fcntl(file, F_SETFL, fcntl(file, F_GETFL) & ~O_NONBLOCK)
                return file
            }
            // The error of open(2) while no process reads.
            if errno != ENXIO { return file }
            if isStopped() { throw Interrupted() }
            usleep(20_000)
        }
    }

    deinit {
        state.withLock { state in
            if state.file >= 0 { close(state.file) }
            if let temporary = state.temporary {
                _ = unsafe temporary.withCString { unsafe unlink($0) }
                Unfinished.done(temporary)
            }
        }
    }

    /// Whether a file may be written there: asked before the work, not after it.
    ///
    /// - Throws: ``OutputError``.
    static func check(_ path: BytePath, overwrite: Bool) throws {
        let kind: FileStatus.Kind?
        do throws(FileError) {
            kind = try Self.kind(of: path)
            if kind == .folder { throw FileError(code: EISDIR) }
            if kind == .other { return }
            try checkFolder(path.followingLinks.folder)
        } catch { throw OutputError(name: path.description, error: error) }
        try ProtectedFile.refuseStore(path)
        if kind == nil { return }
        // A path is 4 KiB at most, and four times that when all of it is escaped.
        let head = (try? readHead(path, count: 1 << 15)) ?? []
        let isOurs = isOurs(head)
        try ProtectedFile.refusePhoto(path, head: head, isOurs: isOurs)
        if !overwrite && !isOurs {
            throw OutputError(
                "\(path): exists and does not say that moody wrote it (to replace it: --overwrite)")
        }
    }

    /// Nil when nothing is there.
    private static func kind(of path: BytePath) throws(FileError) -> FileStatus.Kind? {
        do throws(FileError) { return try FileStatus(at: path).kind } catch {
            if error.code == ENOENT { return nil }
            throw error
        }
    }

    /// Whether something can be put into a folder.
    ///
    /// - Throws: ``FileError`` when not.
    static func checkFolder(_ folder: BytePath) throws(FileError) {
        guard try FileStatus(at: folder).kind == .folder else { throw FileError(code: ENOTDIR) }
        let result = unsafe folder.withCString { unsafe access($0, W_OK | X_OK) }
        if result != 0 { throw FileError(code: errno) }
    }

    /// How our files begin, and what else is in their first lines. A list of colors in hexadecimal cannot
    /// say whose it is.
    private static let marks: [(start: String, more: String)] = [
        ("<!doctype html>\n", GalleryPage.marker),
        ("{\"v\":1,\"generator\":\"moody\"", ""),
        // Templates.
        ("/* palettes by moody */\n", ""), ("/* palettes by moody, for Tailwind CSS 4 */\n", ""),
        ("// palettes by moody\n", ""), ("GIMP Palette\nName: moody", ""),
        ("{\n  \"$description\": \"Palettes by moody\"", ""), (PaletteCard.svgHead, ""),
        (PaletteTable.moodHead, ""), (PaletteTable.nearMoodHead, ""), (PaletteTable.photoHead, ""),
        // JSON Lines: of moods, of changes, of photos.
        ("{\"v\":1,\"id\":", "\"colors\":["), ("{\"v\":1,\"change\":\"", "\"batch\":"),
        ("{\"v\":1,\"path\":\"", "\"colors\":["), ("{\"v\":1,\"path\":\"", "\"error\":\""),
    ]

    private static func isOurs(_ head: [UInt8]) -> Bool {
        let text = String(decoding: head, as: UTF8.self)
        // An empty file is nobody's work.
        return head.isEmpty || PaletteCard.isPNG(head)
            || String(decoding: head.prefix(512), as: UTF8.self).contains(TemplateFormat.marker)
            || marks.contains {
                text.utf8.starts(with: $0.start.utf8) && ($0.more.isEmpty || text.contains($0.more))
            }
    }

    func write(_ text: String) { write(Array(text.utf8)) }

    func write(_ bytes: [UInt8]) {
        state.withLock { state in
            state.buffer += bytes
            if state.buffer.count > 1 << 16 { send(&state) }
        }
    }

    /// Everything written so far goes out.
    ///
    /// - Throws: ``OutputError``, as for a full disk.
    func flush() throws {
        try state.withLock { state in
            send(&state)
            if let failure = state.failure { throw OutputError(name: path.description, error: failure) }
        }
    }

    /// Puts the file in its place.
    ///
    /// - Throws: ``OutputError``.
    func finish() throws {
        try state.withLock { state in
            send(&state)
            if close(state.file) != 0 && state.failure == nil { state.failure = FileError(code: errno) }
            state.file = -1
            if let failure = state.failure { throw OutputError(name: path.description, error: failure) }
            try putInPlace(&state)
        }
    }

    private func putInPlace(_ state: inout State) throws {
        guard let temporary = state.temporary else { return }
        // Something else may have come there meanwhile.
        try Self.check(path, overwrite: overwrites)
        do throws(FileError) { try Replacement.rename(temporary, to: target) } catch {
            throw OutputError(name: path.description, error: error)
        }
        Unfinished.done(temporary)
        state.temporary = nil
    }

    private func send(_ state: inout State) {
        defer { state.buffer = [] }
        if state.failure != nil { return }
        do throws(FileError) { try writeAll(state.buffer, to: state.file) } catch { state.failure = error }
    }
}

extension BytePath {
    /// Returns the target of a link at this path, even if it does not exist yet; the path itself if there is
    /// none.
    ///
    /// Not the canonical path: folders on the way are left as they are.
    var followingLinks: BytePath {
        var path = self
        // As many as the kernel follows.
        for _ in 0..<40 {
            var target = [CChar](repeating: 0, count: Int(PATH_MAX))
            let length = unsafe path.withCString { unsafe readlink($0, &target, target.count) }
            guard length > 0 else { return path }
            let bytes = target.prefix(length).map { UInt8(bitPattern: $0) }
            let isAbsolute = bytes.first == UInt8(ascii: "/")
            path = isAbsolute ? BytePath(bytes) : path.folder.appending(bytes)
        }
        return path
    }
}
